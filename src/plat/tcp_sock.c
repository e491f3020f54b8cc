#include "config.h"

#include "plat/tcp_sock.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"

#define US		INT64_C(1000)
#define NEVER		UINT32_MAX	/* of a round trip: none was measured */
#define UNLIMITED	UINT64_MAX
#define BACKLOG		128
#define AHEAD_PART	50		/* of a second: what a paced sender writes ahead, */
#define AHEAD_MIN	(16 << 10)	/* in bytes */
#define AHEAD_MAX	(64 << 20)

static int
set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) == 0 ? 0 : -errno;
}

static int
open_socket(int family)
{
	int fd = socket(family == 6 ? AF_INET6 : AF_INET,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);

	return fd >= 0 ? fd : -errno;
}

int
pace_tcp_listen(const struct pace_addr *local, uint16_t port)
{
	struct pace_addr a = *local;
	struct sockaddr_in6 sa;
	socklen_t len;
	int fd, rc;

	a.port = port;
	fd = open_socket(a.family == 4 ? 4 : 6);
	if (fd == -EAFNOSUPPORT && a.family == 0) {	/* a host without IPv6 */
		a.family = 4;
		fd = open_socket(4);
	}
	if (fd < 0)
		return fd;
	len = pace_addr_to_sa(&a, a.family == 0, &sa);
	if (a.family == 0) {
		memset(&sa, 0, sizeof(sa));
		sa.sin6_family = AF_INET6;
		sa.sin6_port = htons(port);
		len = sizeof(sa);
	}
	rc = set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (rc == 0 && a.family != 4)
		rc = set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, a.family == 6);
	/* one that sends nothing does not come to accept */
	if (rc == 0)
		rc = set_int(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1);
	if (rc == 0 && bind(fd, (const struct sockaddr *)&sa, len) == -1)
		rc = -errno;
	if (rc == 0 && listen(fd, BACKLOG) == -1)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

/* Options that must be there before the handshake. */
static int
set_early(int fd, const struct pace_tcp_dial *d, const struct pace_tcp_params *p)
{
	int rc = 0;

	if (p->window_bytes > 0)
		rc = set_int(fd, SOL_SOCKET, SO_RCVBUF, (int)p->window_bytes);
	if (rc == 0 && p->window_bytes > 0)
		rc = set_int(fd, SOL_SOCKET, SO_SNDBUF, (int)p->window_bytes);
	if (rc == 0 && p->mss_bytes > 0)
		rc = set_int(fd, IPPROTO_TCP, TCP_MAXSEG, (int)p->mss_bytes);
	if (rc == 0 && d->interface != NULL && d->interface[0] != '\0' && setsockopt(fd, SOL_SOCKET,
	    SO_BINDTODEVICE, d->interface, (socklen_t)strlen(d->interface)) == -1)
		rc = -errno;
	return rc;
}

int
pace_tcp_sock_connect(const struct pace_tcp_dial *d, const struct pace_tcp_params *p)
{
	struct sockaddr_in6 sa;
	struct pace_addr local = d->local;
	socklen_t len;
	int fd = open_socket(d->peer.family), rc;

	if (fd < 0)
		return fd;
	rc = set_early(fd, d, p);
	local.port = 0;
	len = local.family != 0 ? pace_addr_to_sa(&local, false, &sa) : 0;
	if (rc == 0 && len > 0 && bind(fd, (const struct sockaddr *)&sa, len) == -1)
		rc = -errno;
	len = pace_addr_to_sa(&d->peer, false, &sa);
	if (rc == 0 && connect(fd, (const struct sockaddr *)&sa, len) == -1 && errno != EINPROGRESS)
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int
pace_tcp_sock_error(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == -1)
		return -errno;
	return -error;
}

static int
set_class(int fd, uint32_t dscp)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);

	if (getpeername(fd, (struct sockaddr *)&peer, &len) == -1)
		return -errno;
	/* an IPv4 peer of a socket for both families needs the option of IPv4 */
	if (peer.ss_family == AF_INET6 &&
	    !IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)&peer)->sin6_addr))
		return set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, (int)dscp << 2);
	return set_int(fd, IPPROTO_IP, IP_TOS, (int)dscp << 2);
}

int
pace_tcp_sock_prepare(int fd, const struct pace_tcp_params *p, bool sends)
{
	uint64_t bytes = p->rate_bps / 8, ahead = bytes / AHEAD_PART;
	int rc = set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, (int)(PACE_TCP_SILENT_NS / 1000000));

	if (rc == 0 && p->window_bytes > 0)
		rc = set_int(fd, SOL_SOCKET, SO_RCVBUF, (int)p->window_bytes);
	if (rc == 0 && p->window_bytes > 0)
		rc = set_int(fd, SOL_SOCKET, SO_SNDBUF, (int)p->window_bytes);
	if (rc == 0 && p->dscp > 0)
		rc = set_class(fd, p->dscp);
	if (rc == 0)
		rc = set_int(fd, IPPROTO_TCP, TCP_NODELAY, p->no_delay);
	/* the proof and its answer left a conversation, whose acknowledgements wait for a reply: 64
	 * connections had two thirds of their goodput */
	if (rc == 0 && !sends)
		rc = set_int(fd, IPPROTO_TCP, TCP_QUICKACK, 1);
	if (!sends || rc < 0)
		return rc;
	if (p->congestion[0] != '\0' && setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, p->congestion,
	    (socklen_t)strlen(p->congestion)) == -1)
		return -errno;
	if (bytes > 0 && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes, sizeof(bytes)) == -1)
		return -errno;
	/* else a full send buffer would be sent, slowly, when the run should be over */
	if (bytes > 0)
		rc = set_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, ahead > AHEAD_MAX ? AHEAD_MAX :
		    ahead < AHEAD_MIN ? AHEAD_MIN : (int)ahead);
	if (rc < 0)
		return rc;
	return p->zero_copy ? set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1) : 0;
}

static uint64_t
bps(uint64_t bytes)
{
	return bytes == UNLIMITED || bytes > UNLIMITED / 8 ? 0 : 8 * bytes;
}

void
pace_tcp_sock_info(int fd, struct pace_tcp_info *i)
{
	struct tcp_info t;
	socklen_t len = sizeof(t);

	memset(&t, 0, sizeof(t));
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &t, &len) == -1)
		return;
	*i = (struct pace_tcp_info){ .retransmits = t.tcpi_total_retrans,
	    .retransmitted_bytes = t.tcpi_bytes_retrans, .segments_out = t.tcpi_data_segs_out,
	    .dsack_duplicates = t.tcpi_dsack_dups, .reorder_events = t.tcpi_reord_seen,
	    .reordering = t.tcpi_reordering, .mss_bytes = t.tcpi_snd_mss,
	    .cwnd_segments = t.tcpi_snd_cwnd, .peer_window_bytes = t.tcpi_snd_wnd,
	    .rtt_ns = t.tcpi_rtt * US, .rtt_var_ns = t.tcpi_rttvar * US,
	    .rtt_min_ns = t.tcpi_min_rtt == NEVER ? 0 : t.tcpi_min_rtt * US,
	    .delivery_bps = bps(t.tcpi_delivery_rate), .pacing_bps = bps(t.tcpi_pacing_rate),
	    .busy_ns = (int64_t)t.tcpi_busy_time * US,
	    .window_limited_ns = (int64_t)t.tcpi_rwnd_limited * US,
	    .buffer_limited_ns = (int64_t)t.tcpi_sndbuf_limited * US };
}

void
pace_tcp_sock_buffers(int fd, uint32_t *sndbuf_bytes, uint32_t *rcvbuf_bytes)
{
	int value = 0;
	socklen_t len = sizeof(value);

	/* as the kernel reports them: twice what was requested, half of it for itself */
	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &value, &len) == 0 && value > 0)
		*sndbuf_bytes = (uint32_t)value / 2;
	len = sizeof(value);
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, &len) == 0 && value > 0)
		*rcvbuf_bytes = (uint32_t)value / 2;
}

void
pace_tcp_sock_algorithm(int fd, char name[PACE_TCP_ALGORITHM])
{
	socklen_t len = PACE_TCP_ALGORITHM - 1;

	memset(name, 0, PACE_TCP_ALGORITHM);
	(void)getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len);
}

int
pace_tcp_sock_completions(int fd)
{
	int n = 0;

	for (;;) {
		char control[128];
		struct msghdr m = { .msg_control = control, .msg_controllen = sizeof(control) };

		if (recvmsg(fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return n;
		n++;
	}
}
