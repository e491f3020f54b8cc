#include "config.h"

#include "plat/sock.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/in6.h>
#include <linux/net_tstamp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/packet.h"
#include "plat/sock_own.h"

static int
set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static uint32_t
want_buffer(int fd, int force, int plain, uint32_t bytes)
{
	int value = bytes > INT32_MAX / 2 ? INT32_MAX / 2 : (int)bytes;
	socklen_t len = sizeof(value);

	/* A refusal shows in the size granted. */
	if (bytes > 0 && set_int(fd, SOL_SOCKET, force, value) == -1)
		(void)set_int(fd, SOL_SOCKET, plain, value);
	/* The kernel reports twice the requested size; half of it is comparable. */
	if (getsockopt(fd, SOL_SOCKET, plain, &value, &len) == -1 || value < 0)
		return 0;
	return (uint32_t)value / 2;
}

/* Datagrams that belong to no connected socket go to the first one bound. */
static int
first_takes_strangers(int fd)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	struct sock_fprog prog = { .len = 1, .filter = code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &prog, sizeof(prog));
}

/* Names and values of each option in both families.  Probe: ICMP messages do not change the path
 * MTU. */
static const struct {
	int	level, discover, want, probe, info, errors, ttl, tos, get_ttl, marks, loop, group_ttl;
} ip[] = {
	{ IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_WANT, IP_PMTUDISC_PROBE, IP_PKTINFO, IP_RECVERR,
	    IP_TTL, IP_TOS, IP_RECVTTL, IP_RECVTOS, IP_MULTICAST_LOOP, IP_MULTICAST_TTL },
	{ IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_WANT, IPV6_PMTUDISC_PROBE,
	    IPV6_RECVPKTINFO, IPV6_RECVERR, IPV6_UNICAST_HOPS, IPV6_TCLASS,
	    IPV6_RECVHOPLIMIT, IPV6_RECVTCLASS, IPV6_MULTICAST_LOOP, IPV6_MULTICAST_HOPS },
};

static int
set_fragment(int fd, int family, bool allow)
{
	const int i = family == 6, level = ip[i].level;

	if (set_int(fd, level, ip[i].discover, allow ? ip[i].want : ip[i].probe) == -1)
		return -1;
	return family == 6 ? set_int(fd, level, IPV6_DONTFRAG, !allow) : 0;
}

/* TTL and traffic class, of what a socket receives and sends, for one family. */
static int
set_headers(int fd, int i, const struct pace_sock_cfg *cfg)
{
	int level = ip[i].level;

	if (cfg->headers && (set_int(fd, level, ip[i].get_ttl, 1) == -1 ||
	    set_int(fd, level, ip[i].marks, 1) == -1))
		return -1;
	if (cfg->ttl > 0 && set_int(fd, level, ip[i].ttl, cfg->ttl) == -1)
		return -1;
	if (pace_addr_is_group(&cfg->peer) && (set_int(fd, level, ip[i].loop, cfg->loop) == -1 ||
	    set_int(fd, level, ip[i].group_ttl, cfg->ttl > 0 ? cfg->ttl : 1) == -1))
		return -1;
	return cfg->dscp > 0 || cfg->ecn > 0 ?
	    set_int(fd, level, ip[i].tos, cfg->dscp << 2 | (int)cfg->ecn) : 0;
}

static int
set_ip(int fd, int family, const struct pace_sock_cfg *cfg)
{
	const int i = family == 6, level = ip[i].level;

	/* A bound socket keeps its buffer sizes. */
	if (family == 6 && cfg->passed <= 0 && set_int(fd, level, IPV6_V6ONLY,
	    cfg->local.family == 6 || cfg->peer.family == 6) == -1)
		return -1;
	if (set_fragment(fd, family, cfg->fragment) == -1)
		return -1;
	if (cfg->peer.family == 0 && set_int(fd, level, ip[i].info, 1) == -1)
		return -1;
	if (cfg->tell_refusals && set_int(fd, level, ip[i].errors, 1) == -1)
		return -1;
	/* Frames come to connected sockets.  Wanted, not required: marks that are not known are
	 * not counted. */
	if (cfg->peer.family != 0)
		(void)set_int(fd, level, ip[i].marks, 1);
	/* An IPv6 socket for both families has the options of IPv4 as well. */
	if (family == 6 && cfg->headers)
		(void)set_headers(fd, 0, cfg);
	return set_headers(fd, i, cfg);
}

int
pace_sock_mark(const struct pace_sock *s, int family, uint32_t dscp, enum pace_ecn ecn)
{
	const int i = family == 6;

	if (set_int(s->fd, ip[i].level, ip[i].tos, (int)(dscp << 2 | ecn)) == -1)
		return -errno;
	/* IPv4 derives the priority from the DSCP whenever that is set. */
	if (s->prioritise && set_int(s->fd, SOL_SOCKET, SO_PRIORITY, s->priority) == -1)
		return -errno;
	if (pace_packet_fd(s->packet) >= 0)
		pace_packet_mark(s->packet, (uint8_t)(dscp << 2 | ecn));
	return 0;
}

/*
 * Send IPv6 datagrams with this label: connect() takes it from the address.  The label is
 * registered for all destinations and users that want it; a kernel without exclusive labels, or one
 * that leaves this range to its senders, needs no registration.
 */
static int
set_flow_label(int fd, const struct pace_sock_cfg *cfg)
{
	struct in6_flowlabel_req req = { .flr_label = htonl(cfg->flow_label),
	    .flr_action = IPV6_FL_A_GET, .flr_share = IPV6_FL_S_ANY,
	    .flr_flags = IPV6_FL_F_CREATE };

	memcpy(&req.flr_dst, cfg->peer.ip, sizeof(req.flr_dst));
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &req, sizeof(req)) == -1 &&
	    errno != EPERM && errno != ERANGE && errno != EINVAL)
		return -1;
	return set_int(fd, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, 1);
}

/* Set the options that the client requests for its own socket, before it is bound. */
static int
set_wishes(int fd, int family, const struct pace_sock_cfg *cfg, const char **step)
{
	*step = PACE_SOCK_INTERFACE;
	if (cfg->interface != NULL && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, cfg->interface,
	    (socklen_t)strlen(cfg->interface)) == -1)
		return -1;
	*step = PACE_SOCK_PRIORITY;
	if (cfg->prioritise && set_int(fd, SOL_SOCKET, SO_PRIORITY, cfg->priority) == -1)
		return -1;
	*step = PACE_SOCK_FLOW_LABEL;
	return family == 6 && cfg->flow_label > 0 ? set_flow_label(fd, cfg) : 0;
}

int
pace_sock_fragment(struct pace_sock *s, int family, bool allow)
{
	if (set_fragment(s->fd, family, allow) == -1)
		return -errno;
	s->whole = !allow;
	return 0;
}

void
pace_sock_stamping(int fd, bool numbered, bool nic, bool all)
{
	int device = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
	int departures = nic ? SOF_TIMESTAMPING_TX_HARDWARE : SOF_TIMESTAMPING_TX_SOFTWARE;

	(void)set_int(fd, SOL_SOCKET, SO_TIMESTAMPING,
	    SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
	    SOF_TIMESTAMPING_OPT_TSONLY | (numbered ? SOF_TIMESTAMPING_OPT_ID : 0) |
	    (nic ? device : 0) | (all ? departures : 0));
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
	if (family == 6)
		sa.sin6_flowinfo = htonl(cfg->flow_label);
	return connect(fd, (struct sockaddr *)&sa, len);
}

static int
set_options(struct pace_sock *s, int fd, int family, const struct pace_sock_cfg *cfg,
    const char **step)
{
	*step = "setsockopt(SO_REUSEPORT)";
	if (cfg->share_port && set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1) == -1)
		return -1;
	*step = "setsockopt(SO_REUSEADDR)";
	if (cfg->share_group && set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1) == -1)
		return -1;
	*step = "setsockopt(IP)";
	if (set_ip(fd, family, cfg) == -1)
		return -1;
	s->rcvbuf_granted = want_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, cfg->rcvbuf_bytes);
	s->sndbuf_granted = want_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, cfg->sndbuf_bytes);
	/* Wanted, not required: frames without a stamp say so. */
	pace_sock_stamping(fd, true, false, false);
	(void)set_int(fd, SOL_SOCKET, SO_RXQ_OVFL, 1);
	return 0;
}

/* SO_REUSEPORT would let a second responder start, and leave it deaf. */
static int
port_is_free(const struct pace_sock_cfg *cfg)
{
	struct pace_sock_cfg plain = { .local = cfg->local };
	const char *step;
	int family, saved, fd = open_fd(&plain, &family);

	if (fd == -1)
		return -errno;
	saved = bind_and_connect(fd, family, &plain, &step) == -1 ? errno : 0;
	close(fd);
	return -saved;
}

/* Another socket as the passed one is, as sessions will open them; -1. */
static int
open_sibling(int fd)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa), size = sizeof(int);
	int domain = AF_INET, v6only = 0, saved, sibling;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == -1 ||
	    getsockname(fd, (struct sockaddr *)&sa, &len) == -1)
		return -1;
	sibling = socket(domain, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sibling == -1)
		return -1;
	size = sizeof(v6only);
	if (domain == AF_INET6 &&
	    getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, &size) == 0)
		(void)set_int(sibling, IPPROTO_IPV6, IPV6_V6ONLY, v6only);
	if (set_int(sibling, SOL_SOCKET, SO_REUSEPORT, 1) == 0 &&
	    bind(sibling, (struct sockaddr *)&sa, len) == 0)
		return sibling;
	saved = errno;
	close(sibling);
	errno = saved;
	return -1;
}

/*
 * The kernel lets sockets of one user share a port.  A service manager made this
 * one as root: it is taken over if that is allowed.  Where it was bound without
 * SO_REUSEPORT it becomes the first of the port with the second one.
 */
static int
take_passed(struct pace_sock *s, const struct pace_sock_cfg *cfg, struct pace_err *err)
{
	socklen_t size = sizeof(int);
	const char *step = "getsockopt";
	struct stat st = { .st_uid = geteuid() };
	int domain, sibling, rc = 0;

	if (getsockopt(cfg->passed, SOL_SOCKET, SO_DOMAIN, &domain, &size) == -1 ||
	    set_options(s, cfg->passed, domain == AF_INET ? 4 : 6, cfg, &step) == -1)
		return pace_fail(err, errno, step);
	if (fstat(cfg->passed, &st) == 0 && st.st_uid != geteuid() &&
	    fchown(cfg->passed, geteuid(), (gid_t)-1) == 0)
		st.st_uid = geteuid();
	sibling = open_sibling(cfg->passed);
	if (sibling == -1 && errno == EADDRINUSE)
		return pace_failf(err, EPERM, "share", "the port cannot be shared with the sockets "
		    "of sessions: the one that was passed is of user %u; CAP_CHOWN is needed to "
		    "take it over", (unsigned int)st.st_uid);
	if (sibling == -1)
		return pace_fail(err, errno, "share");
	if (first_takes_strangers(cfg->passed) == -1)
		rc = pace_fail(err, errno, "setsockopt(SO_ATTACH_REUSEPORT_CBPF)");
	close(sibling);
	return rc;
}

static void
start(struct pace_sock *s, int fd, const struct pace_sock_cfg *cfg)
{
	socklen_t size = sizeof(int);
	int domain = AF_INET;

	s->fd = fd;
	s->v6 = getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_INET6;
	s->connected = cfg->peer.family != 0;
	s->whole = !cfg->fragment;
	s->prioritise = cfg->prioritise;
	s->priority = cfg->priority;
	s->guard_ns = cfg->guard_ns;
	s->stop = cfg->stop;
	s->segment = true;
	s->wall_stamps = cfg->wall_stamps;
	pace_clockmap_reset(&s->map);
	pace_sock_pair(s);
}

int
pace_sock_open(struct pace_sock *s, const struct pace_sock_cfg *cfg,
    struct pace_err *err)
{
	const char *step = "socket";
	int fd, family, saved, rc;

	memset(s, 0, sizeof(*s));
	s->fd = -1;
	if (cfg->passed > 0) {
		rc = take_passed(s, cfg, err);
		if (rc == 0)
			start(s, cfg->passed, cfg);
		return rc;
	}
	if (cfg->first_of_port && (rc = port_is_free(cfg)) < 0)
		return pace_fail(err, -rc, "bind");
	fd = open_fd(cfg, &family);
	if (fd == -1)
		return pace_fail(err, errno, step);
	if (set_options(s, fd, family, cfg, &step) == -1 ||
	    set_wishes(fd, family, cfg, &step) == -1 ||
	    bind_and_connect(fd, family, cfg, &step) == -1)
		goto fail;
	step = "setsockopt(SO_ATTACH_REUSEPORT_CBPF)";
	if (cfg->first_of_port && first_takes_strangers(fd) == -1)
		goto fail;
	start(s, fd, cfg);
	return 0;

fail:
	saved = errno;
	close(fd);
	return pace_fail(err, saved, step);
}

void
pace_sock_close(struct pace_sock *s)
{
	if (s->fd != -1)
		close(s->fd);
	s->fd = -1;
	pace_packet_close(s->packet);
	s->packet = NULL;
	pace_nic_drop(s->nic);
	s->nic = NULL;
	pace_stall_free(&s->stalls);
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

struct pace_addr
pace_sock_local(const struct pace_sock *s)
{
	struct pace_addr a = { .family = 0 };
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);

	memset(&sa, 0, sizeof(sa));
	if (getsockname(s->fd, (struct sockaddr *)&sa, &len) == 0)
		pace_addr_from_sa(&sa, &a);
	return a;
}
