/*
 * How a batch comes in: recvmmsg fills the caller's buffers (cut off where
 * the room ends, the true length is kept), one pass over the control
 * messages takes stamp, drop count and local address, and the wall-clock
 * stamps are mapped to the probe clock.  A new pair of clock readings is
 * taken every PAIR_NS, and at once when a mapped time lies in the future or
 * before its predecessor: then the wall clock was set.
 */
#include "config.h"

#include "plat/sock.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/clock.h"

#define PAIR_NS		5000000
#define AHEAD_NS	50000	/* no arrival is later than now by more */

static int
set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

/* The kernel reports twice what was asked for; ours is comparable. */
static uint32_t
granted(int fd, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	if (getsockopt(fd, SOL_SOCKET, name, &value, &len) == -1 || value < 0)
		return 0;
	return (uint32_t)value / 2;
}

static uint32_t
want_buffer(int fd, int force, int plain, uint32_t bytes)
{
	int value = bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;

	/* Refusals show in what was granted. */
	if (bytes > 0 && set_int(fd, SOL_SOCKET, force, value) == -1)
		(void)set_int(fd, SOL_SOCKET, plain, value);
	return granted(fd, plain);
}

/* Datagrams that belong to no connected socket go to the first one bound. */
static int
first_takes_strangers(int fd)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	struct sock_fprog prog = { .len = 1, .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &prog, sizeof(prog));
}

static int
set_ip4(int fd, const struct pace_sock_cfg *cfg)
{
	int discover = cfg->fragment ? IP_PMTUDISC_WANT : IP_PMTUDISC_DO;

	if (set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, discover) == -1)
		return -1;
	if (cfg->peer.family == 0 && set_int(fd, IPPROTO_IP, IP_PKTINFO, 1) == -1)
		return -1;
	if (cfg->ttl > 0 && set_int(fd, IPPROTO_IP, IP_TTL, cfg->ttl) == -1)
		return -1;
	return cfg->dscp > 0 ? set_int(fd, IPPROTO_IP, IP_TOS, cfg->dscp << 2) : 0;
}

static int
set_ip6(int fd, const struct pace_sock_cfg *cfg)
{
	int discover = cfg->fragment ? IPV6_PMTUDISC_WANT : IPV6_PMTUDISC_DO;

	if (set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, cfg->local.family == 6 ||
	    cfg->peer.family == 6) == -1)
		return -1;
	if (set_int(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, discover) == -1 ||
	    set_int(fd, IPPROTO_IPV6, IPV6_DONTFRAG, !cfg->fragment) == -1)
		return -1;
	if (cfg->peer.family == 0 && set_int(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) == -1)
		return -1;
	if (cfg->ttl > 0 && set_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS, cfg->ttl) == -1)
		return -1;
	return cfg->dscp > 0 ? set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, cfg->dscp << 2) : 0;
}

static int
open_fd(const struct pace_sock_cfg *cfg, int *family)
{
	int fd, type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

	if (cfg->local.family == 4 || cfg->peer.family == 4) {
		*family = 4;
		return socket(AF_INET, type, 0);
	}
	*family = 6;
	fd = socket(AF_INET6, type, 0);
	if (fd == -1 && errno == EAFNOSUPPORT && cfg->local.family == 0 &&
	    cfg->peer.family == 0) {
		*family = 4;		/* a host without IPv6 still responds */
		fd = socket(AF_INET, type, 0);
	}
	return fd;
}

static int
bind_and_connect(int fd, int family, const struct pace_sock_cfg *cfg, const char **step)
{
	struct pace_addr any = cfg->local;
	struct sockaddr_in6 sa;
	socklen_t len;

	*step = "bind";
	if (any.family == 0)
		any.family = (uint8_t)family;
	len = pace_addr_to_sa(&any, family == 6, &sa);
	if (bind(fd, (struct sockaddr *)&sa, len) == -1)
		return -1;
	if (cfg->peer.family == 0)
		return 0;
	*step = "connect";
	len = pace_addr_to_sa(&cfg->peer, family == 6, &sa);
	return connect(fd, (struct sockaddr *)&sa, len);
}

static int
configure(struct pace_sock *s, int fd, int family, const struct pace_sock_cfg *cfg,
    const char **step)
{
	*step = "setsockopt(SO_REUSEPORT)";
	if (cfg->share_port && set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1) == -1)
		return -1;
	*step = "setsockopt(IP)";
	if ((family == 4 ? set_ip4(fd, cfg) : set_ip6(fd, cfg)) == -1)
		return -1;
	s->rcvbuf_granted = want_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, cfg->rcvbuf_bytes);
	s->sndbuf_granted = want_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, cfg->sndbuf_bytes);
	/* Wanted, not required: frames without a stamp say so. */
	(void)set_int(fd, SOL_SOCKET, SO_TIMESTAMPING,
	    SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE);
	(void)set_int(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	if (bind_and_connect(fd, family, cfg, step) == -1)
		return -1;
	*step = "setsockopt(SO_ATTACH_REUSEPORT_CBPF)";
	return cfg->first_of_port ? first_takes_strangers(fd) : 0;
}

int
pace_sock_open(struct pace_sock *s, const struct pace_sock_cfg *cfg,
    struct pace_err *err)
{
	const char *step = "socket";
	int64_t real, raw;
	int fd, family, saved;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	fd = open_fd(cfg, &family);
	if (fd == -1)
		return pace_fail(err, errno, step);
	if (configure(s, fd, family, cfg, &step) == -1) {
		saved = errno;
		close(fd);
		return pace_fail(err, saved, step);
	}
	s->fd = fd;
	s->connected = cfg->peer.family != 0;
	s->guard_ns = cfg->guard_ns;
	s->stop = cfg->stop;
	pace_clockmap_reset(&s->map);
	pace_clock_pair(&real, &raw);
	pace_clockmap_pair(&s->map, real, raw);
	return 0;
}

void
pace_sock_close(struct pace_sock *s)
{
	if (s->fd != -1)
		close(s->fd);
	s->fd = -1;
}

int
pace_sock_mtu(const struct pace_sock *s, int family)
{
	int mtu = 0;
	socklen_t len = sizeof(mtu);

	if (getsockopt(s->fd, family == 4 ? IPPROTO_IP : IPPROTO_IPV6,
	    family == 4 ? IP_MTU : IPV6_MTU, &mtu, &len) == -1)
		return -errno;
	return mtu;
}

uint16_t
pace_sock_port(const struct pace_sock *s)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);
	struct pace_addr a;

	memset(&sa, 0, sizeof(sa));
	if (getsockname(s->fd, (struct sockaddr *)&sa, &len) == -1)
		return 0;
	pace_addr_from_sa(&sa, &a);
	return a.port;
}

/* --- receiving ----------------------------------------------------------- */

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

	in->stamp = PACE_STAMP_NONE;
	in->stamp_ns = 0;
	in->has_drops = false;
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

static void
new_pair(struct pace_sock *s)
{
	int64_t real, raw;

	pace_clock_pair(&real, &raw);
	pace_clockmap_pair(&s->map, real, raw);
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
		new_pair(s);
	for (int i = 0; i < n; i++) {
		if (v[i].stamp == PACE_STAMP_KERNEL) {
			v[i].stamp_ns = pace_clockmap_raw(&s->map, v[i].stamp_ns);
		} else {
			v[i].stamp = PACE_STAMP_USER;
			v[i].stamp_ns = now;
		}
	}
}

static int
io_recv(void *ctx, struct pace_in *v, int n)
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

/* --- sending, waiting ----------------------------------------------------- */

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

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	struct pace_sock *s = ctx;

	for (int i = 0; i < n; i++) {
		int rc = 0;

		if (v[i].to.family != 0)
			rc = send_to(s, &v[i]);
		else if (send(s->fd, v[i].buf, v[i].len, MSG_DONTWAIT) == -1)
			rc = -errno;
		if (rc < 0)
			return i > 0 ? i : rc;
	}
	return n;
}

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return pace_clock_raw();
}

static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	struct pace_sock *s = ctx;

	return pace_clock_wait_until(t_ns, s->guard_ns, st, s->stop);
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	struct pace_sock *s = ctx;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int64_t rest = until_ns - pace_clock_raw();
	struct timespec ts;
	int rc;

	if (rest < 0)
		rest = 0;
	ts = (struct timespec){ .tv_sec = (time_t)(rest / 1000000000),
	    .tv_nsec = (long)(rest % 1000000000) };
	rc = ppoll(&p, 1, &ts, NULL);
	if (rc == -1)
		return -errno;
	return rc > 0;
}

static uint32_t
io_drops(void *ctx)
{
	struct pace_sock *s = ctx;
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, info, &len) == -1)
		return 0;
	return info[SK_MEMINFO_DROPS];
}

struct pace_io
pace_sock_io(struct pace_sock *s)
{
	return (struct pace_io){
		.ctx = s, .send = io_send, .recv = io_recv, .now = io_now,
		.sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	};
}
