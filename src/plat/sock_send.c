/*
 * How frames are sent: one by one with send; as trains with UDP_SEGMENT (one pass
 * through the stack for up to 64 frames), or with sendmmsg if that is refused;
 * those with addresses of their own with sendmmsg, and neighbours that differ only
 * in their octets with UDP_SEGMENT as well.
 * Departure stamps (by the kernel, or only by the device) arrive in the error queue,
 * with a number that counts the datagrams sent with stamp, from 0.
 */
#include "config.h"

#include "plat/sock_own.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <netinet/udp.h>
#include <string.h>

#include "plat/addr.h"
#include "plat/packet.h"

#define ALIKE_BYTES	1200	/* with all headers below the least MTU of IPv6 */

/* Append a control message of so many octets. */
static void
add_control(struct msghdr *m, int level, int type, const void *data, size_t size)
{
	struct cmsghdr *c = (struct cmsghdr *)((char *)m->msg_control + m->msg_controllen);

	memset(c, 0, CMSG_SPACE(size));
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(size);
	memcpy(CMSG_DATA(c), data, size);
	m->msg_controllen += CMSG_SPACE(size);
}

/* Set the source address: a reply must leave from the address that got the request. */
static void
add_source(struct msghdr *m, const struct pace_addr *from, bool as_v6)
{
	struct in_pktinfo info4;
	struct in6_pktinfo info6;
	struct sockaddr_in6 sa;

	if (!as_v6) {
		memset(&info4, 0, sizeof(info4));
		memcpy(&info4.ipi_spec_dst, from->ip, 4);
		add_control(m, IPPROTO_IP, IP_PKTINFO, &info4, sizeof(info4));
		return;
	}
	memset(&info6, 0, sizeof(info6));
	pace_addr_to_sa(from, true, &sa);
	info6.ipi6_addr = sa.sin6_addr;
	info6.ipi6_ifindex = from->scope;
	add_control(m, IPPROTO_IPV6, IPV6_PKTINFO, &info6, sizeof(info6));
}

static uint32_t
stamp_flags(const struct pace_sock *s)
{
	return s->nic != NULL ? SOF_TIMESTAMPING_TX_HARDWARE : SOF_TIMESTAMPING_TX_SOFTWARE;
}

/* Datagrams that differ only in their octets: one message for all of them takes one walk through
 * the stack.  They must not be longer than any path's MTU. */
static bool
are_alike(const struct pace_out *a, const struct pace_out *b)
{
	return a->len == b->len && a->len <= ALIKE_BYTES && a->tos == b->tos && !a->stamp &&
	    !b->stamp && pace_addr_same(&a->to, &b->to) && pace_addr_same(&a->from, &b->from);
}

/* How many at the front are alike. */
static int
alike(const struct pace_sock *s, const struct pace_out *v, int n)
{
	int k = 1;

	while (s->segment && k < n && v[k].to.family != 0 && are_alike(v, &v[k]))
		k++;
	return k;
}

/* Make the message m of k datagrams that are alike, with the pieces from iov on. */
static void
address(struct pace_sock *s, int m, struct iovec *iov, const struct pace_out *out, int k)
{
	const int tos = out->tos;
	const uint32_t flags = stamp_flags(s);
	const uint16_t segment = (uint16_t)out->len;
	struct msghdr *h = &s->msg[m].msg_hdr;

	for (int i = 0; i < k; i++) {
		union { const void *in; void *out; } data = { .in = out[i].buf };

		iov[i] = (struct iovec){ .iov_base = data.out, .iov_len = out[i].len };
	}
	*h = (struct msghdr){ .msg_iov = iov, .msg_iovlen = (size_t)k, .msg_name = &s->name[m],
	    .msg_control = s->control[m] };
	h->msg_namelen = pace_addr_to_sa(&out->to, s->v6, &s->name[m]);
	if (out->from.family != 0)
		add_source(h, &out->from, s->v6);
	if (out->tos != 0 && out->to.family == 4)
		add_control(h, IPPROTO_IP, IP_TOS, &tos, sizeof(tos));
	else if (out->tos != 0)
		add_control(h, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos));
	if (out->stamp)
		add_control(h, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags));
	if (k > 1)
		add_control(h, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment));
	if (h->msg_controllen == 0)
		h->msg_control = NULL;
}

/* The datagrams are good, but UDP_SEGMENT fails: no such option, no checksum offload, frames
 * above the MTU. */
static bool
is_no_segment(int rc)
{
	return rc == -EINVAL || rc == -EIO || rc == -EOPNOTSUPP || rc == -ENOPROTOOPT ||
	    rc == -EMSGSIZE;
}

/* Send the datagrams at the front that have addresses of their own, in one call: how many were
 * taken, or -errno. */
static int
send_to(struct pace_sock *s, const struct pace_out *v, int n)
{
	int first[PACE_SOCK_BATCH + 1] = { 0 }, k = 0, rc;

	if (n > PACE_SOCK_BATCH)
		n = PACE_SOCK_BATCH;
	for (; first[k] < n && v[first[k]].to.family != 0; k++) {
		const int at = first[k];

		first[k + 1] = at + alike(s, v + at, n - at);
		address(s, k, &s->iov[at], v + at, first[k + 1] - at);
	}
	rc = k > 1 ? sendmmsg(s->fd, s->msg, (unsigned int)k, MSG_DONTWAIT) :
	    sendmsg(s->fd, &s->msg[0].msg_hdr, MSG_DONTWAIT) == -1 ? -1 : 1;
	if (rc == -1 && first[1] > 1 && is_no_segment(-errno)) {
		s->segment = false;
		return send_to(s, v, n);
	}
	return rc == -1 ? -errno : first[rc];
}

/* Where what goes to the connected peer leaves, and its departures are told. */
static int
leaves_at(const struct pace_sock *s)
{
	int fd = pace_packet_fd(s->packet);

	return fd >= 0 ? fd : s->fd;
}

void
pace_sock_stamp_all(struct pace_sock *s, bool all)
{
	pace_sock_stamping(leaves_at(s), true, s->nic != NULL, all);
	s->stamps_all = all;
}

/* To the connected peer, a request for one datagram is made by the socket's option: a control
 * message would cost each datagram that has one a route lookup. */
static void
stamp_all(struct pace_sock *s, bool all)
{
	if (s->stamps_all != all)
		pace_sock_stamp_all(s, all);
}

/* Send one datagram, or several with addresses of their own: how many, or -errno. */
static int
try_some(struct pace_sock *s, const struct pace_out *v, int n)
{
	if (v->to.family != 0) {
		stamp_all(s, false);
		return send_to(s, v, n);
	}
	stamp_all(s, v->stamp);
	if (pace_packet_fd(s->packet) >= 0)
		return pace_packet_send(s->packet, v->buf, v->len);
	return send(s->fd, v->buf, v->len, MSG_DONTWAIT) == -1 ? -errno : 1;
}

bool
pace_sock_was_icmp(struct pace_sock *s, int rc, int n)
{
	s->refused = s->refused || rc == -ECONNREFUSED;
	return n < PACE_SOCK_ICMP_MAX && (rc == -ECONNREFUSED || rc == -EHOSTUNREACH ||
	    rc == -ENETUNREACH || rc == -EHOSTDOWN || rc == -ENONET || rc == -ENOPROTOOPT ||
	    rc == -EPROTO || rc == -EACCES || rc == -EOPNOTSUPP || rc == -EMSGSIZE);
}

int
pace_sock_send(void *ctx, const struct pace_out *v, int n)
{
	for (int i = 0, rc, icmp; i < n; i += rc) {
		icmp = 0;
		while ((rc = try_some(ctx, &v[i], n - i)) < 0 && pace_sock_was_icmp(ctx, rc, icmp))
			icmp++;
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

int
pace_sock_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct pace_sock *s = ctx;
	int most = (int)(PACE_SEGMENT_BYTES / size), done = 0, icmp = 0;

	if (most > PACE_SEGMENTS)
		most = PACE_SEGMENTS;
	stamp_all(s, false);
	while (done < n) {
		const uint8_t *p = frames + (size_t)done * size;
		int k = n - done < most ? n - done : most, rc;
		bool segment = s->segment && k > 1;

		if (pace_packet_fd(s->packet) >= 0)
			rc = pace_packet_train(s->packet, p, size, k, segment);
		else
			rc = segment ? send_segments(s, p, size, k) : send_many(s, p, size, k);
		if (rc < 0 && pace_sock_was_icmp(s, rc, icmp)) {
			icmp++;
			continue;
		}
		if (segment && is_no_segment(rc)) {
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

	if (recvmsg(leaves_at(s), &m, MSG_ERRQUEUE | MSG_DONTWAIT) == -1 &&
	    (leaves_at(s) == s->fd || recvmsg(s->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) == -1))
		return -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c != NULL; c = CMSG_NXTHDR(&m, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPING)
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		else if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
		    (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR) ||
		    (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_TX_TIMESTAMP))
			memcpy(&e, CMSG_DATA(c), sizeof(e));
	}
	if (e.ee_origin == SO_EE_ORIGIN_ICMP || e.ee_origin == SO_EE_ORIGIN_ICMP6) {
		s->refused = s->refused || e.ee_errno == ECONNREFUSED;
		s->too_long = s->too_long || (e.ee_errno == EMSGSIZE && s->whole);
	}
	/* of the other kind: it was requested before the kind was changed */
	if (e.ee_origin != SO_EE_ORIGIN_TIMESTAMPING || (t->tv_sec == 0 && t->tv_nsec == 0))
		return 0;
	d->n = e.ee_data;
	d->stamp_ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
	return 1;
}

static int
read_departures(struct pace_sock *s, struct pace_departure *v, int n)
{
	int got = 0, good = 0, rc;

	while (got < n && (rc = read_departure(s, &v[got])) >= 0)
		got += rc;
	if (got > 0 && s->nic != NULL) {
		pace_sock_pair_phc(s);
		for (int i = 0; i < got; i++)
			v[i].stamp_ns = pace_clockmap_raw(&s->phc, v[i].stamp_ns);
		return s->phc_lost ? 0 : got;
	}
	if (got > 0)
		pace_sock_pair(s);	/* now they lie between two pairs, or nearly */
	for (int i = 0; i < got; i++) {
		v[good] = v[i];
		v[good].stamp_ns = pace_clockmap_raw(&s->map, v[i].stamp_ns);
		/* Near a step, it is not known whether a stamp is from before or after it. */
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
	/* setting the option restarts the count */
	pace_sock_stamping(leaves_at(s), false, s->nic != NULL, false);
	pace_sock_stamp_all(s, false);
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
