/*
 * How a batch is received: recvmmsg fills the caller's buffers (a datagram that does
 * not fit is cut, its true length is kept).  One pass over the control messages
 * reads stamp, drop count, segment size and local address.  The wall-clock stamps
 * are then mapped to the probe clock.  A new pair of clock readings is taken every
 * PAIR_NS, and at once if the wall clock disagrees with the map: it was then set.
 * The order of the waiting stamps shows where the step is; stamps from before it
 * use the old map.
 */
#include "config.h"

#include "plat/sock_own.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/udp.h>
#include <string.h>
#include <time.h>

#include "plat/addr.h"
#include "plat/clock.h"

#define PAIR_NS		5000000
#define SET_NS		10000	/* so far off the map the wall clock was set */
#define JUMP_NS		5000	/* a step is known no better */
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

static int64_t
stamp_ns(const struct timespec *t)
{
	return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

/* The TOS comes as a byte, the traffic class as an int. */
static void
read_mark(const struct cmsghdr *c, struct pace_in *in)
{
	int tclass;

	if (c->cmsg_level == IPPROTO_IP) {
		memcpy(&in->mark, CMSG_DATA(c), sizeof(in->mark));
	} else {
		memcpy(&tclass, CMSG_DATA(c), sizeof(tclass));
		in->mark = (uint8_t)tclass;
	}
	in->has_mark = true;
}

/* Read stamps (still by the wall clock and by the device's clock, 0: none), drops, address,
 * marks, TTL. */
void
pace_sock_read_control(struct msghdr *m, struct pace_in *in, int64_t *nic_ns)
{
	struct scm_timestamping ts;
	struct in_pktinfo info4;
	struct in6_pktinfo info6;
	int segment, hops;

	in->stamp = PACE_STAMP_NONE;
	in->stamp_ns = *nic_ns = 0;
	in->has_drops = in->has_mark = false;
	in->segment = 0;
	in->local.family = 0;
	in->ttl = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING) {
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			in->stamp_ns = stamp_ns(&ts.ts[0]);
			*nic_ns = stamp_ns(&ts.ts[2]);
			if (in->stamp_ns != 0)
				in->stamp = PACE_STAMP_KERNEL;
		} else if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL) {
			memcpy(&in->drops, CMSG_DATA(c), sizeof(in->drops));
			in->has_drops = true;
		} else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO) {
			memcpy(&segment, CMSG_DATA(c), sizeof(segment));
			in->segment = segment > 0 ? (size_t)segment : 0;
		} else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) ||
		    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS)) {
			read_mark(c, in);
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			memcpy(&info4, CMSG_DATA(c), sizeof(info4));
			in->local.family = 4;
			memcpy(in->local.ip, &info4.ipi_addr, 4);
		} else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			memcpy(&info6, CMSG_DATA(c), sizeof(info6));
			pace_addr_from_in6(&info6.ipi6_addr, info6.ipi6_ifindex, &in->local);
		} else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TTL) ||
		    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_HOPLIMIT)) {
			memcpy(&hops, CMSG_DATA(c), sizeof(hops));
			in->ttl = (uint8_t)hops;
		}
	}
}

/* A new pair in time, and at once when the wall clock is not where the map has
 * it: it was set since the last batch.  The time now. */
static int64_t
look_at_clocks(struct pace_sock *s)
{
	int64_t now = pace_clock_raw();
	int64_t off = pace_clockmap_raw(&s->map, pace_clock_wall()) - now;

	if (now - s->map.raw1 > PAIR_NS || off > SET_NS || off < -SET_NS)
		pace_sock_pair(s);
	return now;
}

/*
 * The index of the first stamp after a step; n: none.  If the clock was set back, the
 * stamps go back there.  If they go back nowhere, all of them or none are from after
 * the step: all, if that is possible and no more wait, because they just arrived.
 */
static int
behind_step_back(const struct pace_sock *s, const struct pace_in *v, int n, int64_t now,
    bool more)
{
	int64_t last = s->last_ns;
	int i;

	for (i = 0; i < n && v[i].stamp_ns >= last; i++)
		last = v[i].stamp_ns;
	return i < n || more || pace_clockmap_raw(&s->map, last) > now + AHEAD_NS ? i : 0;
}

/*
 * Set forward, stamps jump by as much, and by little more where frames are close
 * together; a frame that the map before has in the future is from behind the
 * step, with all since the last such jump.
 */
static int
behind_step_forward(const struct pace_sock *s, const struct pace_in *v, int n, int64_t now)
{
	int64_t jump = s->map.stepped_ns - s->before.stepped_ns, last = s->last_ns;
	int i;

	for (i = 0; i < n; i++) {
		int64_t by = v[i].stamp_ns - last + JUMP_NS;

		if (by >= jump && by < 2 * jump &&
		    pace_clockmap_raw(&s->map, v[i].stamp_ns) >= s->looked_ns)
			return i;
		if (pace_clockmap_raw(&s->before, v[i].stamp_ns) > now + AHEAD_NS)
			break;
		last = v[i].stamp_ns;
	}
	while (i > 0 && i < n && v[i].stamp_ns - v[i - 1].stamp_ns + JUMP_NS < jump)
		i--;
	return i;
}

/* more: others may wait behind these. */
static void
map_stamps(struct pace_sock *s, struct pace_in *v, int n, bool more)
{
	bool waiting = s->stepped;
	int64_t now = look_at_clocks(s);
	int behind = !s->stepped ? 0 : s->map.stepped_ns < s->before.stepped_ns ?
	    behind_step_back(s, v, n, now, more) : behind_step_forward(s, v, n, now);

	/* what came between the batch and the look is in the next one */
	if (behind < n || (waiting && !more))
		s->stepped = false;
	if (!s->stepped)
		s->looked_ns = now;
	for (int i = 0; i < n; i++) {
		if (v[i].stamp == PACE_STAMP_KERNEL) {
			s->last_ns = v[i].stamp_ns;
			v[i].stamp_ns = pace_clockmap_raw(i < behind ? &s->before : &s->map,
			    v[i].stamp_ns);
		} else {
			v[i].stamp = PACE_STAMP_USER;
			v[i].stamp_ns = now;
		}
	}
}

/* Frames without a stamp arrived at the latest now. */
static void
add_wall_stamps(struct pace_in *v, int n)
{
	for (int i = 0; i < n; i++)
		if (v[i].stamp != PACE_STAMP_KERNEL) {
			v[i].stamp = PACE_STAMP_USER;
			v[i].stamp_ns = pace_clock_wall();
		}
}

int
pace_sock_recv(void *ctx, struct pace_in *v, int n)
{
	struct pace_sock *s = ctx;
	int got, icmp = 0;

	if (n > PACE_SOCK_BATCH)
		n = PACE_SOCK_BATCH;
	prepare(s, v, n);
	/* MSG_TRUNC: the true length even when the room is only a header. */
	do
		got = recvmmsg(s->fd, s->msg, (unsigned int)n, MSG_DONTWAIT | MSG_TRUNC, NULL);
	while (got == -1 && pace_sock_was_icmp(s, -errno, icmp++));
	if (got == -1 && errno == EAGAIN && s->refused) {
		s->refused = false;
		return -ECONNREFUSED;
	}
	if (got == -1 && errno == EAGAIN && s->too_long) {
		s->too_long = false;
		return -EMSGSIZE;
	}
	if (got == -1)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < got; i++) {
		v[i].len = s->msg[i].msg_len;
		pace_sock_read_control(&s->msg[i].msg_hdr, &v[i], &s->nic_ns[i]);
		if (s->connected)
			v[i].from.family = 0;
		else
			pace_addr_from_sa(&s->name[i], &v[i].from);
	}
	if (s->wall_stamps) {
		add_wall_stamps(v, got);
		return got;
	}
	map_stamps(s, v, got, got == n);
	if (s->nic != NULL)
		pace_sock_use_nic(s, v, got);
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
