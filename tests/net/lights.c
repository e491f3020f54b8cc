/*
 * lights.c - thousands of light sessions at a responder, each with a low-rate stream.
 *
 * Usage      lights RESPONDER SESSIONS SPACING_NS SECONDS PORT ADDRESS...      IPv4
 * Purpose    a load that udpace watch makes with many processes: session i sends from PORT + i,
 *            and from the addresses in turn.  The frames of all are spread evenly in time.
 * Stages     all sessions open and start their streams; "running" on stderr; each stream sends for
 *            SECONDS; "over" on stderr; each session ends its stream and fetches its report.
 * Output     JSON on stdout: sessions, frames sent and refused by this host, frames that the
 *            reports count, in all, and the socket's drops.
 * Exit       0; 1: not all sessions came to the end of a stage within 90 s; 99.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/schedule.h"
#include "proto/msg.h"
#include "proto/report.h"

#define SIZE		100
#define SEC		INT64_C(1000000000)
#define OPEN_NS		INT64_C(800000)		/* between the first HELLOs of two sessions */
#define AGAIN_NS	INT64_C(700000000)
#define PATIENCE_NS	(90 * SEC)

enum state { HELLO, OPEN, START, RUN, FINISH, OVER };

struct light {
	int		fd;
	enum state	state;
	uint64_t	session, seq, start, nonce, sent;
	uint8_t		cookie[PACE_COOKIE_SIZE];
	int64_t		at_ns;		/* of the request, or of the next frame */
	struct pace_tally report;
};

static struct light *all;
static int sessions, in_state[OVER + 1], epoll;
static int64_t spacing_ns;
static uint64_t numbers, refused;

static void
broken(const char *what)
{
	fprintf(stderr, "lights: %s: %s\n", what, strerror(errno));
	exit(99);
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SEC + t.tv_nsec;
}

static void
become(struct light *l, enum state s)
{
	in_state[l->state]--;
	in_state[l->state = s]++;
}

static void
say(struct light *l, enum pace_type type, json_t *body, uint64_t seq)
{
	struct pace_hdr h = { .type = (uint8_t)type, .run = type > PACE_OPEN, .session = l->session,
	    .seq = seq };
	uint8_t buf[2048];
	int len = pace_msg_put(buf, sizeof(buf), &h, body, type == PACE_HELLO ? PACE_HELLO_SIZE : 300);

	if (len > 0)
		(void)send(l->fd, buf, (size_t)len, 0);	/* repeated if it is lost */
}

/* Send the request of this state. */
static void
request(struct light *l, int64_t now)
{
	struct pace_msg_open open = { .light = true, .nonce = l->nonce };
	struct pace_msg_start start = { .limit = numbers, .wire_bytes = SIZE + 66, .seed = 1,
	    .at_most_ns = (int64_t)numbers * spacing_ns + 2 * PATIENCE_NS,
	    .ask = { .size_bytes = SIZE, .spacing = pace_spacing_from_ns(spacing_ns),
	    .count = numbers, .train = 1, .bursts = 1, .streams = 1, .grace_ns = SEC / 5 } };
	const struct pace_msg_finish finish = { .sent = l->sent };

	l->at_ns = now + AGAIN_NS;
	if (l->state == HELLO) {
		say(l, PACE_HELLO, json_object(), ++l->seq);
	} else if (l->state == OPEN) {
		memcpy(open.cookie, l->cookie, sizeof(open.cookie));
		say(l, PACE_OPEN, pace_msg_open_json(&open), ++l->seq);
	} else if (l->state == START) {
		l->start = l->start != 0 ? l->start : ++l->seq;
		say(l, PACE_START, pace_msg_start_json(&start), l->start);
	} else if (l->state == FINISH) {
		say(l, PACE_FINISH, pace_msg_finish_json(&finish), ++l->seq);
		say(l, PACE_REPORT, json_pack("{s:i}", "seen", 0), ++l->seq);
	}
}

static void
answered(struct light *l, const struct pace_hdr *h, const json_t *body)
{
	struct pace_msg_error e;
	struct pace_msg_opened o;
	struct pace_report r;

	if (body != NULL && pace_msg_is_error(body, &e)) {
		if (strcmp(e.code, "cookie") != 0)
			fprintf(stderr, "lights: %s\n", e.text);
	} else if (l->state == HELLO && h->type == (PACE_HELLO | PACE_REPLY)) {
		if (body != NULL && pace_msg_cookie(body, l->cookie) == 0)
			become(l, OPEN);
	} else if (l->state == OPEN && h->type == (PACE_OPEN | PACE_REPLY)) {
		if (body != NULL && pace_msg_opened(body, &o) == 0 && o.light) {
			l->session = h->session;
			become(l, START);
		}
	} else if (l->state == START && h->type == (PACE_START | PACE_REPLY)) {
		become(l, RUN);
	} else if (l->state == FINISH && h->type == (PACE_REPORT | PACE_REPLY)) {
		if (body != NULL && pace_report_read(body, &r) == 0 && r.state == PACE_READY) {
			l->report = r.run;
			become(l, OVER);
		}
	} else {
		return;
	}
	l->at_ns = 0;
}

static void
take(struct light *l)
{
	uint8_t buf[4096];
	struct pace_hdr h;
	ssize_t len;

	while ((len = recv(l->fd, buf, sizeof(buf), 0)) > 0) {
		json_t *body;

		if (pace_hdr_decode(&h, buf, (size_t)len) != 0)
			continue;
		body = pace_msg_body(buf, (size_t)len);		/* NULL: consent */
		answered(l, &h, body);
		if (l->state < RUN || l->state == FINISH)
			request(l, now_ns());
		json_decref(body);
	}
}

static void
frame(struct light *l)
{
	const struct pace_hdr h = { .type = PACE_DATA, .run = 1, .session = l->session,
	    .seq = l->sent, .tx_ns = now_ns(), .late_ns = PACE_LATE_UNKNOWN };
	uint8_t buf[SIZE] = { 0 };

	pace_hdr_encode(buf, sizeof(buf), &h);
	if (send(l->fd, buf, sizeof(buf), 0) == SIZE)
		l->sent++;
	else
		refused++;
}

/* Requests of this state, again and again, until all sessions are in a later one. */
static void
until_all(enum state done, int64_t apart_ns)
{
	int64_t begin = now_ns(), now = begin;
	struct epoll_event e[64];

	for (int i = 0; i < sessions; i++)
		all[i].at_ns = begin + i * apart_ns;
	while (in_state[done] < sessions) {
		int n = epoll_wait(epoll, e, 64, 1);

		for (int i = 0; i < n; i++)
			take(&all[e[i].data.u32]);
		now = now_ns();
		for (int i = 0; i < sessions; i++)
			if (all[i].state != done && now >= all[i].at_ns)
				request(&all[i], now);
		if (now - begin > PATIENCE_NS + sessions * apart_ns) {
			fprintf(stderr, "lights: hello %d open %d start %d run %d finish %d over %d\n",
			    in_state[HELLO], in_state[OPEN], in_state[START], in_state[RUN],
			    in_state[FINISH], in_state[OVER]);
			exit(1);
		}
	}
}

static void
run(void)
{
	int64_t begin = now_ns() + SEC / 10, due;

	for (uint64_t k = 0; k < numbers; k++)
		for (int i = 0; i < sessions; i++) {
			due = begin + (int64_t)k * spacing_ns + i * spacing_ns / sessions;
			while (now_ns() < due)
				if (due - now_ns() > 100000)
					usleep(50);
			frame(&all[i]);
		}
}

static void
make(struct light *l, int i, const struct sockaddr_in *to, const char *address, int port)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_port = htons((uint16_t)(port + i)) };
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = (uint32_t)i };

	*l = (struct light){ .nonce = (uint64_t)i * 7919 + 1, .seq = (uint64_t)now_ns() };
	l->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (l->fd < 0 || inet_pton(AF_INET, address, &from.sin_addr) != 1 ||
	    bind(l->fd, (const struct sockaddr *)&from, sizeof(from)) < 0 ||
	    connect(l->fd, (const struct sockaddr *)to, sizeof(*to)) < 0 ||
	    epoll_ctl(epoll, EPOLL_CTL_ADD, l->fd, &e) < 0)
		broken("socket");
	in_state[HELLO]++;
}

static void
print(void)
{
	struct pace_tally sum = { .frames = 0 };
	uint64_t sent = 0, drops = 0;

	for (int i = 0; i < sessions; i++) {
		pace_tally_add(&sum, &all[i].report);
		sent += all[i].sent;
		if (all[i].report.socket_drops > drops)
			drops = all[i].report.socket_drops;
	}
	printf("{\"sessions\": %d, \"sent\": %" PRIu64 ", \"refused\": %" PRIu64 ", \"received\": %" PRIu64
	    ", \"duplicates\": %" PRIu64 ", \"lost\": %" PRId64 ", \"socket_drops\": %" PRIu64 "}\n",
	    sessions, sent, refused, sum.frames, sum.duplicates, sum.lost, drops);
}

int
main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(14233) };
	struct rlimit files;

	if (argc < 7 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		broken("usage");
	sessions = atoi(argv[2]);
	spacing_ns = atoll(argv[3]);
	numbers = (uint64_t)(atoll(argv[4]) * SEC / spacing_ns);
	all = calloc((size_t)sessions, sizeof(*all));
	epoll = epoll_create1(0);
	files.rlim_cur = files.rlim_max = (rlim_t)sessions + 64;
	if (all == NULL || epoll < 0 || (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
	    files.rlim_cur < (rlim_t)sessions + 64 && (files.rlim_cur = files.rlim_max =
	    (rlim_t)sessions + 64, setrlimit(RLIMIT_NOFILE, &files) < 0)))
		broken("start");
	for (int i = 0; i < sessions; i++)
		make(&all[i], i, &to, argv[6 + i % (argc - 6)], atoi(argv[5]));
	until_all(RUN, OPEN_NS);
	fprintf(stderr, "running\n");
	run();
	fprintf(stderr, "over\n");
	for (int i = 0; i < sessions; i++)
		become(&all[i], FINISH);
	usleep(300000);
	until_all(OVER, OPEN_NS);
	print();
	return 0;
}
