/*
 * bare - the least that a plain socket can do: the limit of this machine.
 *
 * usage: bare send ADDRESS PORT SIZE SPACING_NS SECONDS
 *        bare recv PORT SIZE
 *
 * send waits on the probe clock for each slot of an absolute schedule and
 * calls send(), nothing else (SPACING_NS 0: one call behind the other).  recv
 * empties its socket every 200 us with recvmmsg, a kernel stamp on each frame,
 * and counts.  No header is written, no stamp read, nothing accounted: what is
 * missing to a mark here, no tool of single sends can have.
 */
#include "config.h"

#include <arpa/inet.h>
#include <linux/net_tstamp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>

#define SEC	INT64_C(1000000000)
#define BATCH	32
#define ROOM	64		/* of a frame, the rest is cut off */
#define BUFFER	(16 << 20)

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
		if (first == 0)
			first = now;
		sent += send(fd, frame, size, 0) == (ssize_t)size;
	}
	printf("sent %lld seconds %.6f\n", sent, (double)(now - first) / 1e9);
	return 0;
}

static int
receive_frames(char **argv)
{
	static char room[BATCH][ROOM], control[BATCH][128];
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
		for (int i = 0; i < n; i++)
			got += m[i].msg_len == (unsigned int)atoi(argv[1]);
		if (n < BATCH)
			(void)nanosleep(&rest, NULL);
	}
	printf("received %lld\n", got);
	return 0;
}

int
main(int argc, char **argv)
{
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	if (argc == 7 && strcmp(argv[1], "send") == 0)
		return send_frames(argv + 2);
	if (argc == 4 && strcmp(argv[1], "recv") == 0)
		return receive_frames(argv + 2);
	fputs("usage: bare send ADDRESS PORT SIZE SPACING_NS SECONDS | bare recv PORT SIZE\n", stderr);
	return 2;
}
