/*
 * bare - the least that a plain socket can do: the limit of this machine.
 *
 * usage: bare send ADDRESS PORT SIZE SPACING_NS SECONDS
 *        bare recv PORT SIZE [SPACING_NS]
 *        bare echo PORT plain|equal
 *        bare ask ADDRESS PORT PEERS SECONDS
 *
 * send waits on the probe clock for each slot of an absolute schedule and
 * calls send(), nothing else (SPACING_NS 0: one call behind the other).  A schedule that is more
 * than a millisecond and eight spacings behind is moved, as udpace's is.  recv
 * empties its socket every 200 us with recvmmsg, a kernel stamp on each frame,
 * and counts; with SPACING_NS also the gaps between stamps that are within 0.2 and 1 us of it.
 * No header is written, nothing else accounted: what is missing to a mark here, no tool of single
 * sends can have.
 *
 * echo sends back what comes, recvmmsg and sendmmsg and nothing else; equal: with the socket
 * options that a reflector of STAMP needs (stamp, own address, TTL, TOS).  ask keeps requests of
 * STAMP on the way from so many ports, and counts the replies.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/net_tstamp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SEC	INT64_C(1000000000)
#define BATCH	32
#define ROOM	64		/* of a frame, the rest is cut off */
#define BUFFER	(16 << 20)
#define REQUEST	44		/* octets */
#define PEERS	64
#define BEHIND_NS	1000000

static volatile sig_atomic_t over;

static void
on_signal(int sig)
{
	(void)sig;
	over = 1;
}

static int64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * SEC + ts.tv_nsec;
}

static int
fail(const char *what)
{
	perror(what);
	return 1;
}

static struct sockaddr_in
address(const char *ip, const char *port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };

	if (ip != NULL && inet_pton(AF_INET, ip, &sa.sin_addr) != 1)
		exit(2);
	return sa;
}

static int
send_frames(char **argv)
{
	static char frame[65507];
	struct sockaddr_in to = address(argv[0], argv[1]);
	size_t size = (size_t)atoi(argv[2]);
	int64_t spacing = atoll(argv[3]), t0, due, end, first = 0, now = 0;
	long long sent = 0;
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = BUFFER;

	if (fd == -1 || connect(fd, (struct sockaddr *)&to, sizeof(to)) == -1)
		return fail("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	t0 = now_ns() + 1000000;
	end = t0 + atoll(argv[4]) * SEC;
	for (due = t0; due < end; due += spacing) {
		do
			now = now_ns();
		while (now < due);
		if (now >= end)
			break;
		if (now - due > BEHIND_NS && now - due > 8 * spacing && spacing > 0)
			due = now;
		if (first == 0)
			first = now;
		sent += send(fd, frame, size, 0) == (ssize_t)size;
	}
	printf("sent %lld seconds %.6f\n", sent, (double)(now - first) / 1e9);
	return 0;
}

struct gaps {
	int64_t		spacing_ns, last_ns;
	long long	n, within_200ns, within_1us;
};

static void
take_gap(struct gaps *g, struct msghdr *m)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct timespec ts;
	int64_t at, off;

	if (c == NULL || c->cmsg_type != SCM_TIMESTAMPING)
		return;
	memcpy(&ts, CMSG_DATA(c), sizeof(ts));
	at = ts.tv_sec * SEC + ts.tv_nsec;
	off = llabs(at - g->last_ns - g->spacing_ns);
	if (g->last_ns != 0) {
		g->n++;
		g->within_200ns += off <= 200;
		g->within_1us += off <= 1000;
	}
	g->last_ns = at;
}

static int
receive_frames(int argc, char **argv)
{
	struct gaps gaps = { .spacing_ns = argc > 2 ? atoll(argv[2]) : 0 };
	static char room[BATCH][ROOM];
	static _Alignas(8) char control[BATCH][128];
	struct sockaddr_in own = address(NULL, argv[0]);
	struct mmsghdr m[BATCH];
	struct iovec iov[BATCH];
	struct timespec rest = { .tv_nsec = 200000 };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), space = BUFFER, n;
	int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	long long got = 0;

	if (fd == -1 || bind(fd, (struct sockaddr *)&own, sizeof(own)) == -1)
		return fail("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &space, sizeof(space));
	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps));
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	memset(m, 0, sizeof(m));
	while (!over) {
		for (int i = 0; i < BATCH; i++) {
			iov[i] = (struct iovec){ room[i], ROOM };
			m[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1,
			    .msg_control = control[i], .msg_controllen = sizeof(control[i]) };
		}
		n = recvmmsg(fd, m, BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
		for (int i = 0; i < n; i++) {
			got += m[i].msg_len == (unsigned int)atoi(argv[1]);
			if (gaps.spacing_ns > 0)
				take_gap(&gaps, &m[i].msg_hdr);
		}
		if (n < BATCH)
			(void)nanosleep(&rest, NULL);
	}
	printf("received %lld\n", got);
	if (gaps.n > 0)
		printf("gaps %lld within_200ns %.5f within_1us %.5f\n", gaps.n,
		    (double)gaps.within_200ns / (double)gaps.n,
		    (double)gaps.within_1us / (double)gaps.n);
	return 0;
}

static struct {
	struct mmsghdr	m[BATCH];
	struct iovec	iov[BATCH];
	struct sockaddr_in6 name[BATCH];
	char		room[BATCH][2048];
	_Alignas(8) char control[BATCH][192];
} batch;

static int
receive_batch(int fd, bool controls)
{
	for (int i = 0; i < BATCH; i++) {
		batch.iov[i] = (struct iovec){ batch.room[i], sizeof(batch.room[i]) };
		batch.m[i].msg_hdr = (struct msghdr){ .msg_iov = &batch.iov[i], .msg_iovlen = 1,
		    .msg_name = &batch.name[i], .msg_namelen = sizeof(batch.name[i]),
		    .msg_control = controls ? batch.control[i] : NULL,
		    .msg_controllen = controls ? sizeof(batch.control[i]) : 0 };
	}
	return recvmmsg(fd, batch.m, BATCH, MSG_DONTWAIT, NULL);
}

/* Keep of the control messages what a reply takes: its source and its TOS. */
static void
turn_controls(struct msghdr *m)
{
	char *to = m->msg_control, *at = to;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		size_t n = CMSG_ALIGN(c->cmsg_len);

		if (!(c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) &&
		    !(c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO))
			continue;
		memmove(at, c, n);
		at += n;
	}
	m->msg_controllen = (size_t)(at - to);
}

static int
echo_requests(char **argv)
{
	const bool equal = strcmp(argv[1], "equal") == 0;
	const int one = 1, space = BUFFER;
	const int stamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
	struct sockaddr_in own4 = address(NULL, argv[0]);
	struct sockaddr_in6 own6 = { .sin6_family = AF_INET6, .sin6_port = own4.sin_port };
	int fd = socket(equal ? AF_INET6 : AF_INET, SOCK_DGRAM, 0), n, sent;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (fd == -1 || bind(fd, equal ? (struct sockaddr *)&own6 : (struct sockaddr *)&own4,
	    equal ? sizeof(own6) : sizeof(own4)) == -1)
		return fail("socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &space, sizeof(space));
	if (equal && (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &stamps, sizeof(stamps)) == -1 ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &one, sizeof(one)) == -1 ||
	    setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &one, sizeof(one)) == -1 ||
	    setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &one, sizeof(one)) == -1))
		return fail("setsockopt");
	while (!over) {
		n = receive_batch(fd, equal);
		for (int i = 0; i < n; i++) {
			batch.iov[i].iov_len = batch.m[i].msg_len;
			if (equal)
				turn_controls(&batch.m[i].msg_hdr);
		}
		for (int at = 0; at < n; at += sent > 0 ? sent : 1)
			sent = sendmmsg(fd, batch.m + at, (unsigned int)(n - at), MSG_DONTWAIT);
		if (n < BATCH)
			(void)poll(&p, 1, 100);
	}
	return 0;
}

/* Ask with n requests. */
static void
ask_more(int fd, int n)
{
	static char request[REQUEST];

	for (int i = 0; i < n; i++) {
		batch.iov[i] = (struct iovec){ request, REQUEST };
		batch.m[i].msg_hdr = (struct msghdr){ .msg_iov = &batch.iov[i], .msg_iovlen = 1 };
	}
	(void)sendmmsg(fd, batch.m, (unsigned int)n, 0);
}

/* So many requests, of all peers together, are always on their way; lost ones are sent again when
 * nothing comes. */
static int
ask(char **argv)
{
	struct sockaddr_in to = address(argv[0], argv[1]);
	int peers = atoi(argv[2]), n, each, space = BUFFER;
	struct pollfd p[PEERS];
	long long got = 0;
	int64_t begin, end;

	if (peers < 1 || peers > PEERS)
		return 2;
	each = PEERS / peers < BATCH ? PEERS / peers : BATCH;
	for (int i = 0; i < peers; i++) {
		p[i] = (struct pollfd){ .fd = socket(AF_INET, SOCK_DGRAM, 0), .events = POLLIN };
		if (p[i].fd == -1 || connect(p[i].fd, (struct sockaddr *)&to, sizeof(to)) == -1)
			return fail("socket");
		(void)setsockopt(p[i].fd, SOL_SOCKET, SO_RCVBUFFORCE, &space, sizeof(space));
		ask_more(p[i].fd, each);
	}
	begin = now_ns();
	end = begin + atoll(argv[3]) * SEC;
	while (now_ns() < end) {
		if (poll(p, (nfds_t)peers, 100) == 0)
			for (int i = 0; i < peers; i++)
				ask_more(p[i].fd, each);
		for (int i = 0; i < peers; i++) {
			n = receive_batch(p[i].fd, false);
			if (n <= 0)
				continue;
			got += n;
			ask_more(p[i].fd, n);
		}
	}
	printf("replies %lld seconds %.6f\n", got, (double)(now_ns() - begin) / 1e9);
	return 0;
}

int
main(int argc, char **argv)
{
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	if (argc == 7 && strcmp(argv[1], "send") == 0)
		return send_frames(argv + 2);
	if ((argc == 4 || argc == 5) && strcmp(argv[1], "recv") == 0)
		return receive_frames(argc - 2, argv + 2);
	if (argc == 4 && strcmp(argv[1], "echo") == 0)
		return echo_requests(argv + 2);
	if (argc == 6 && strcmp(argv[1], "ask") == 0)
		return ask(argv + 2);
	fputs("usage: bare send ADDRESS PORT SIZE SPACING_NS SECONDS | bare recv PORT SIZE |\n"
	    "       bare echo PORT plain|equal | bare ask ADDRESS PORT PEERS SECONDS\n", stderr);
	return 2;
}
