/*
 * How a batch comes in: recvmmsg fills the caller's buffers (cut off where
 * the room ends, the true length is kept), one pass over the control
 * messages takes stamp, drop count, segment size and local address, and the
 * wall-clock stamps are mapped to the probe clock.  A new pair of clock
 * readings is taken every PAIR_NS, and at once when a mapped time lies in the
 * future or before its predecessor: then the wall clock was set.
 */
#include "config.h"

#include "plat/sock_io.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/udp.h>
#include <string.h>
#include <time.h>

#include "plat/addr.h"
#include "plat/clock.h"

#define PAIR_NS		5000000
#define AHEAD_NS	50000	/* no arrival is later than now by more */

static void
prepare(struct pace_sock *s, struct pace_in *v, int n)
{
	for (int i = 0; i < n; i++) {
		struct msghdr *m = &s->msg[i].msg_hdr;

		s->iov[i] = (struct iovec){ .iov_base = v[i].buf, .iov_len = v[i].size };
		m->msg_iov = &s->iov[i];
		m->msg_iovlen = 1;
		m->msg_name = s->connected ? NULL : &s->name[i];
		m->msg_namelen = s->connected ? 0 : sizeof(s->name[i]);
		m->msg_control = s->control[i];
		m->msg_controllen = sizeof(s->control[i]);
		m->msg_flags = 0;
	}
}

/* Stamp (still of the wall clock, 0 when there is none), drops, address. */
static void
read_control(struct msghdr *m, struct pace_in *in)
{
	struct scm_timestamping ts;
	struct in_pktinfo info4;
	struct in6_pktinfo info6;
	int segment;

	in->stamp = PACE_STAMP_NONE;
	in->stamp_ns = 0;
	in->has_drops = false;
	in->segment = 0;
	in->local.family = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			in->stamp_ns = (int64_t)ts.ts[0].tv_sec * 1000000000 + ts.ts[0].tv_nsec;
			if (in->stamp_ns != 0)
				in->stamp = PACE_STAMP_KERNEL;
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
			memcpy(&in->drops, CMSG_DATA(c), sizeof(in->drops));
			in->has_drops = true;
		} else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
			memcpy(&segment, CMSG_DATA(c), sizeof(segment));
			in->segment = segment > 0 ? (size_t)segment : 0;
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&info4, CMSG_DATA(c), sizeof(info4));
			in->local.family = 4;
			memcpy(in->local.ip, &info4.ipi_addr, 4);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&info6, CMSG_DATA(c), sizeof(info6));
			pace_addr_from_in6(&info6.ipi6_addr, info6.ipi6_ifindex, &in->local);
		}
	}
}

/* Could these mapped times be true?  Arrivals are in order and in the past. */
static bool
plausible(struct pace_sock *s, const struct pace_in *v, int n, int64_t now)
{
	int64_t before = INT64_MIN;

	for (int i = 0; i < n; i++) {
		int64_t t;

		if (v[i].stamp != PACE_STAMP_KERNEL)
			continue;
		t = pace_clockmap_raw(&s->map, v[i].stamp_ns);
		if (t > now + AHEAD_NS || t < before)
			return false;
		before = t;
	}
	return true;
}

static void
map_stamps(struct pace_sock *s, struct pace_in *v, int n)
{
	int64_t now = pace_clock_raw();

	if (now - s->map.raw1 > PAIR_NS || !plausible(s, v, n, now))
		pace_sock_pair(s);
	for (int i = 0; i < n; i++) {
		if (v[i].stamp == PACE_STAMP_KERNEL) {
			v[i].stamp_ns = pace_clockmap_raw(&s->map, v[i].stamp_ns);
		} else {
			v[i].stamp = PACE_STAMP_USER;
			v[i].stamp_ns = now;
		}
	}
}

int
pace_sock_recv(void *ctx, struct pace_in *v, int n)
{
	struct pace_sock *s = ctx;
	int got;

	if (n > PACE_SOCK_BATCH)
		n = PACE_SOCK_BATCH;
	prepare(s, v, n);
	/* MSG_TRUNC: the true length even when the room is only a header. */
	got = recvmmsg(s->fd, s->msg, (unsigned int)n, MSG_DONTWAIT | MSG_TRUNC, NULL);
	if (got == -1)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < got; i++) {
		v[i].len = s->msg[i].msg_len;
		read_control(&s->msg[i].msg_hdr, &v[i]);
		if (s->connected)
			v[i].from.family = 0;
		else
			pace_addr_from_sa(&s->name[i], &v[i].from);
	}
	map_stamps(s, v, got);
	return got;
}

void
pace_sock_coalesce(void *ctx, bool on)
{
	struct pace_sock *s = ctx;
	int value = on;

	/* Refused by old kernels: then each frame comes by itself. */
	(void)setsockopt(s->fd, SOL_UDP, UDP_GRO, &value, sizeof(value));
}
