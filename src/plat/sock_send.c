/*
 * How frames leave: one by one with send, as trains with UDP_SEGMENT (one
 * walk through the stack for up to 64 frames) or, where that is refused,
 * with sendmmsg.  Departure stamps (of the kernel, or only of the device) come
 * back through the error queue, numbered from 0 for each datagram that asked.
 */
#include "config.h"

#include "plat/sock_io.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/udp.h>
#include <string.h>

#include "plat/addr.h"
#include "plat/clock.h"

/* Ask for a source address: replies must come from where they were asked. */
static void
add_source(struct msghdr *m, char *control, size_t size, const struct pace_addr *from,
    bool as_v6)
{
	struct in_pktinfo info4;
	struct in6_pktinfo info6;
	struct sockaddr_in6 sa;
	struct cmsghdr *c;

	memset(control, 0, size);
	m->msg_control = control;
	m->msg_controllen = as_v6 ? CMSG_SPACE(sizeof(info6)) : CMSG_SPACE(sizeof(info4));
	c = CMSG_FIRSTHDR(m);
	if (!as_v6) {
		memset(&info4, 0, sizeof(info4));
		memcpy(&info4.ipi_spec_dst, from->ip, 4);
		c->cmsg_level = IPPROTO_IP;
		c->cmsg_type = IP_PKTINFO;
		c->cmsg_len = CMSG_LEN(sizeof(info4));
		memcpy(CMSG_DATA(c), &info4, sizeof(info4));
		return;
	}
	memset(&info6, 0, sizeof(info6));
	pace_addr_to_sa(from, true, &sa);
	info6.ipi6_addr = sa.sin6_addr;
	info6.ipi6_ifindex = from->scope;
	c->cmsg_level = IPPROTO_IPV6;
	c->cmsg_type = IPV6_PKTINFO;
	c->cmsg_len = CMSG_LEN(sizeof(info6));
	memcpy(CMSG_DATA(c), &info6, sizeof(info6));
}

static int
send_to(struct pace_sock *s, const struct pace_out *out)
{
	_Alignas(8) char control[64];
	struct sockaddr_in6 sa, own;
	socklen_t own_len = sizeof(own);
	union { const void *in; void *out; } data = { .in = out->buf };
	struct iovec iov = { .iov_base = data.out, .iov_len = out->len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_name = &sa };
	bool as_v6;

	if (getsockname(s->fd, (struct sockaddr *)&own, &own_len) == -1)
		return -errno;
	as_v6 = own.sin6_family == AF_INET6;
	m.msg_namelen = pace_addr_to_sa(&out->to, as_v6, &sa);
	if (out->from.family != 0)
		add_source(&m, control, sizeof(control), &out->from, as_v6);
	return sendmsg(s->fd, &m, MSG_DONTWAIT) == -1 ? -errno : 0;
}

/* The same as send(), and the kernel or the device notes when it leaves if it is
 * to. */
static int
send_stamped(struct pace_sock *s, const struct pace_out *out)
{
	_Alignas(8) char control[CMSG_SPACE(sizeof(uint32_t))];
	const uint32_t flags = !out->stamp ? 0 : s->nic != NULL ? SOF_TIMESTAMPING_TX_HARDWARE :
	    SOF_TIMESTAMPING_TX_SOFTWARE;
	union { const void *in; void *out; } data = { .in = out->buf };
	struct iovec iov = { .iov_base = data.out, .iov_len = out->len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SO_TIMESTAMPING;
	c->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(c), &flags, sizeof(flags));
	return sendmsg(s->fd, &m, MSG_DONTWAIT) == -1 ? -errno : 0;
}

static int
try_one(struct pace_sock *s, const struct pace_out *out)
{
	if (out->to.family != 0)
		return send_to(s, out);
	if (out->stamp || out->alike)
		return send_stamped(s, out);
	return send(s->fd, out->buf, out->len, MSG_DONTWAIT) == -1 ? -errno : 0;
}

bool
pace_sock_was_icmp(struct pace_sock *s, int rc, int n)
{
	s->refused = s->refused || rc == -ECONNREFUSED;
	return n < PACE_SOCK_ICMP_MAX && (rc == -ECONNREFUSED || rc == -EHOSTUNREACH ||
	    rc == -ENETUNREACH || rc == -EHOSTDOWN || rc == -ENONET || rc == -ENOPROTOOPT ||
	    rc == -EPROTO || rc == -EACCES || rc == -EOPNOTSUPP || rc == -EMSGSIZE);
}

static int
send_one(struct pace_sock *s, const struct pace_out *out)
{
	int rc, n = 0;

	while ((rc = try_one(s, out)) < 0 && pace_sock_was_icmp(s, rc, n))
		n++;
	return rc;
}

int
pace_sock_send(void *ctx, const struct pace_out *v, int n)
{
	for (int i = 0; i < n; i++) {
		int rc = send_one(ctx, &v[i]);

		if (rc < 0)
			return i > 0 ? i : rc;
	}
	return n;
}

/* --- trains ---------------------------------------------------------------- */

/* n frames in one call and one walk through the stack: n or -errno. */
static int
send_segments(struct pace_sock *s, const uint8_t *frames, size_t size, int n)
{
	_Alignas(8) char control[CMSG_SPACE(sizeof(uint16_t))] = { 0 };
	const uint16_t segment = (uint16_t)size;
	union { const void *in; void *out; } data = { .in = frames };
	struct iovec iov = { .iov_base = data.out, .iov_len = size * (size_t)n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
	    .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_UDP;
	c->cmsg_type = UDP_SEGMENT;
	c->cmsg_len = CMSG_LEN(sizeof(segment));
	memcpy(CMSG_DATA(c), &segment, sizeof(segment));
	return sendmsg(s->fd, &m, MSG_DONTWAIT) == -1 ? -errno : n;
}

/* Up to n frames in one call: how many were taken, or -errno. */
static int
send_many(struct pace_sock *s, const uint8_t *frames, size_t size, int n)
{
	union { const uint8_t *in; uint8_t *out; } data = { .in = frames };
	int rc;

	if (n > PACE_SOCK_BATCH)
		n = PACE_SOCK_BATCH;
	memset(s->msg, 0, (size_t)n * sizeof(s->msg[0]));
	for (int i = 0; i < n; i++) {
		s->iov[i] = (struct iovec){ .iov_base = data.out + (size_t)i * size,
		    .iov_len = size };
		s->msg[i].msg_hdr.msg_iov = &s->iov[i];
		s->msg[i].msg_hdr.msg_iovlen = 1;
	}
	rc = sendmmsg(s->fd, s->msg, (unsigned int)n, MSG_DONTWAIT);
	return rc == -1 ? -errno : rc;
}

/* Not what was sent is wrong, but the way: no such option, no checksum
 * offload, frames above the MTU. */
static bool
cannot_segment(int rc)
{
	return rc == -EINVAL || rc == -EIO || rc == -EOPNOTSUPP || rc == -ENOPROTOOPT ||
	    rc == -EMSGSIZE;
}

int
pace_sock_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct pace_sock *s = ctx;
	int most = (int)(PACE_SEGMENT_BYTES / size), done = 0, icmp = 0;

	if (most > PACE_SEGMENTS)
		most = PACE_SEGMENTS;
	while (done < n) {
		const uint8_t *p = frames + (size_t)done * size;
		int k = n - done < most ? n - done : most, rc;

		rc = s->segment && k > 1 ? send_segments(s, p, size, k) : send_many(s, p, size, k);
		if (rc < 0 && pace_sock_was_icmp(s, rc, icmp)) {
			icmp++;
			continue;
		}
		if (s->segment && k > 1 && cannot_segment(rc)) {
			s->segment = false;
			continue;
		}
		if (rc < 0) {
			*segmented = s->segment;
			return done > 0 ? done : rc;
		}
		done += rc;
	}
	*segmented = s->segment;
	return done;
}

/* --- when they left ---------------------------------------------------------- */

#define FORGET_MAX	65536	/* messages; a queue holds fewer */

/* One message of the error queue: 1 and *d; 0: none of ours in it; -1: empty. */
static int
read_departure(struct pace_sock *s, struct pace_departure *d)
{
	_Alignas(8) char control[256];
	struct msghdr m = { .msg_control = control, .msg_controllen = sizeof(control) };
	struct sock_extended_err e = { .ee_origin = 0 };
	struct scm_timestamping ts = { .ts[0] = { 0, 0 } };
	const struct timespec *t = &ts.ts[s->nic != NULL ? 2 : 0];

	if (recvmsg(s->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) == -1)
		return -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c != NULL; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
		    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR))
			memcpy(&e, CMSG_DATA(c), sizeof(e));
	}
	if (e.ee_origin == SO_EE_ORIGIN_ICMP || e.ee_origin == SO_EE_ORIGIN_ICMP6) {
		s->refused = s->refused || e.ee_errno == ECONNREFUSED;
		s->too_long = s->too_long || (e.ee_errno == EMSGSIZE && s->whole);
	}
	/* of the other kind: it was asked for before the kind was changed */
	if (e.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || (t->tv_sec == 0 && t->tv_nsec == 0))
		return 0;
	d->n = e.ee_data;
	d->stamp_ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
	return 1;
}

static int
map_nic(struct pace_sock *s, struct pace_departure *v, int n)
{
	pace_sock_pair_phc(s);
	for (int i = 0; i < n; i++)
		v[i].stamp_ns = pace_clockmap_raw(&s->phc, v[i].stamp_ns);
	return s->phc_lost ? 0 : n;
}

static int
read_departures(struct pace_sock *s, struct pace_departure *v, int n)
{
	int got = 0, good = 0, rc;

	while (got < n && (rc = read_departure(s, &v[got])) >= 0)
		got += rc;
	if (got > 0 && s->nic != NULL)
		return map_nic(s, v, got);
	if (got > 0)
		pace_sock_pair(s);	/* now they lie between two pairs, or nearly */
	for (int i = 0; i < got; i++) {
		v[good] = v[i];
		v[good].stamp_ns = pace_clockmap_raw(&s->map, v[i].stamp_ns);
		/* Beside a step nothing tells which side it is of. */
		good += v[good].stamp_ns > s->doubt_ns;
	}
	return good;
}

int
pace_sock_departures(void *ctx, struct pace_departure *v, int n)
{
	struct pace_sock *s = ctx;
	int got = 0;

	if (s->stashed - s->taken > PACE_SOCK_STASH)
		s->taken = s->stashed - PACE_SOCK_STASH;
	while (got < n && s->taken != s->stashed)
		v[got++] = s->stash[s->taken++ % PACE_SOCK_STASH];
	return got > 0 ? got : read_departures(s, v, n);
}

void
pace_sock_renumber(void *ctx)
{
	struct pace_sock *s = ctx;
	struct pace_departure d;

	for (int i = 0; i < FORGET_MAX && read_departure(s, &d) >= 0; i++)
		;
	s->taken = s->stashed;
	/* the count begins anew with the option */
	pace_sock_stamping(s->fd, false, s->nic != NULL);
	pace_sock_stamping(s->fd, true, s->nic != NULL);
}

void
pace_sock_stash(struct pace_sock *s)
{
	struct pace_departure d[16];
	int n;

	do {
		n = read_departures(s, d, 16);
		for (int i = 0; i < n; i++)
			s->stash[s->stashed++ % PACE_SOCK_STASH] = d[i];
	} while (n == 16);
}
