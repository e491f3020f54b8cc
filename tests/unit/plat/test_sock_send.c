/*
 * sock_send.c: what becomes of a train, or of datagrams with addresses, when the kernel takes a
 * part of it.
 *
 * sendmsg and sendmmsg are the linker's to wrap: they answer what a test wrote down, and
 * what they were given is remembered.
 */
#include "plat/sock_own.h"

#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/unit.h"

#define SIZE	100
#define FRAMES	200

ssize_t	__wrap_sendmsg(int fd, const struct msghdr *m, int flags);
int	__wrap_sendmmsg(int fd, struct mmsghdr *v, unsigned int n, int flags);

/* Answers in their order: frames that are taken, or -errno; behind the last one all. */
static int answers[16], answered;
/* The number of the first frame and how many there were, call by call. */
static struct { int first, n; bool segments; } asked[64];
static int calls;

/* The datagrams of each message of the last call, and its UDP_SEGMENT; 0: none. */
static struct { int n, segment; } message[PACE_SOCK_BATCH];

static uint8_t frames[FRAMES * SIZE];
static struct pace_sock s;

static int
answer(const void *first, int n, bool segments)
{
	int a = answered < COUNT_OF(answers) ? answers[answered++] : 0;

	ck_assert_int_lt(calls, COUNT_OF(asked));
	asked[calls].first = (int)((const uint8_t *)first - frames) / SIZE;
	asked[calls].segments = segments;
	asked[calls++].n = n;
	if (a < 0)
		errno = -a;
	return a < 0 ? -1 : a == 0 || a > n ? n : a;
}

static void
look_at(int i, const struct msghdr *m)
{
	struct msghdr copy = *m;
	uint16_t segment = 0;

	message[i].n = (int)m->msg_iovlen;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&copy); c != NULL; c = CMSG_NXTHDR(&copy, c))
		if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_SEGMENT)
			memcpy(&segment, CMSG_DATA(c), sizeof(segment));
	message[i].segment = segment;
}

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	(void)fd;
	(void)flags;
	look_at(0, m);
	if (m->msg_name != NULL)
		return answer(m->msg_iov->iov_base, 1, true);
	ck_assert_uint_eq(m->msg_iov->iov_len % SIZE, 0);
	return answer(m->msg_iov->iov_base, (int)(m->msg_iov->iov_len / SIZE), true);
}

int
__wrap_sendmmsg(int fd, struct mmsghdr *v, unsigned int n, int flags)
{
	(void)fd;
	(void)flags;
	for (unsigned int i = 0; i < n; i++) {
		look_at((int)i, &v[i].msg_hdr);
		if (v[i].msg_hdr.msg_name == NULL)
			ck_assert_uint_eq(v[i].msg_hdr.msg_iov->iov_len, SIZE);
	}
	return answer(v->msg_hdr.msg_iov->iov_base, (int)n, false);
}

/* The expected result of a train of n frames; -1: any way of sending is right. */
static int
train(bool segment, int n, int segmented)
{
	bool by = false;
	int rc;

	memset(&s, 0, sizeof(s));
	s.fd = -1;
	s.segment = segment;
	calls = answered = 0;
	rc = pace_sock_train(&s, frames, SIZE, n, &by);
	if (segmented >= 0)
		ck_assert_int_eq(by, segmented);
	memset(answers, 0, sizeof(answers));
	return rc;
}

/* Each call continues after the frames already taken; no frame is left out or passed twice. */
static void
goes_on(int call, int first, int n)
{
	ck_assert_int_eq(asked[call].first, first);
	ck_assert_int_eq(asked[call].n, n);
}

START_TEST(a_train_leaves_whole)
{
	ck_assert_int_eq(train(false, 70, false), 70);
	ck_assert_int_eq(calls, 3);
	goes_on(0, 0, PACE_SOCK_BATCH);
	goes_on(1, 32, PACE_SOCK_BATCH);
	goes_on(2, 64, 6);
	ck_assert_int_eq(train(true, 130, true), 130);
	ck_assert_int_eq(calls, 3);
	goes_on(0, 0, PACE_SEGMENTS);
	goes_on(1, 64, PACE_SEGMENTS);
	goes_on(2, 128, 2);
	ck_assert_int_eq(train(true, 1, -1), 1);	/* one needs no segments */
	ck_assert(!asked[0].segments);
}
END_TEST

/* The first half was sent: another request for it would send it twice. */
START_TEST(an_error_in_mid_train_keeps_what_was_taken)
{
	memcpy(answers, (int[]){ 20, -ENOBUFS }, 2 * sizeof(int));
	ck_assert_int_eq(train(false, 60, false), 20);
	goes_on(1, 20, PACE_SOCK_BATCH);
	memcpy(answers, (int[]){ PACE_SEGMENTS, -EAGAIN }, 2 * sizeof(int));
	ck_assert_int_eq(train(true, 100, true), PACE_SEGMENTS);
	memcpy(answers, (int[]){ 1, 3, -EPERM }, 3 * sizeof(int));
	ck_assert_int_eq(train(false, 10, false), 4);
	answers[0] = -ENOBUFS;
	ck_assert_int_eq(train(false, 60, false), -ENOBUFS);
	answers[0] = -EAGAIN;
	ck_assert_int_eq(train(true, 60, true), -EAGAIN);
}
END_TEST

START_TEST(where_segments_cannot_be_it_goes_on_without)
{
	static const int why[] = { EINVAL, EIO, EOPNOTSUPP, ENOPROTOOPT };

	for (int i = 0; i < COUNT_OF(why); i++) {
		memcpy(answers, (int[]){ PACE_SEGMENTS, -why[i] }, 2 * sizeof(int));
		/* EOPNOTSUPP and ENOPROTOOPT may be ICMP's words, so they are asked again */
		for (int k = 2; k < 2 + PACE_SOCK_ICMP_MAX; k++)
			answers[k] = why[i] == EOPNOTSUPP || why[i] == ENOPROTOOPT ? -why[i] : 0;
		ck_assert_int_eq(train(true, 120, false), 120);
		ck_assert(!asked[calls - 1].segments);
		ck_assert_int_eq(asked[calls - 1].first + asked[calls - 1].n, 120);
	}
}
END_TEST

START_TEST(what_icmp_says_stops_no_train)
{
	memcpy(answers, (int[]){ 10, -ECONNREFUSED, 5, -EHOSTUNREACH }, 4 * sizeof(int));
	ck_assert_int_eq(train(false, 30, false), 30);
	goes_on(1, 10, 20);
	goes_on(2, 10, 20);
	goes_on(3, 15, 15);
	goes_on(4, 15, 15);
	ck_assert(s.refused);
	for (int i = 0; i <= PACE_SOCK_ICMP_MAX; i++)
		answers[i] = -ECONNREFUSED;	/* as often as only an attacker does */
	ck_assert_int_eq(train(false, 30, false), -ECONNREFUSED);
}
END_TEST

/* Eight datagrams to two peers from one of two addresses.  The letters tell those that are alike;
 * the digits are what each message must have. */
static const struct { const char *kinds, *messages; } groups[] = {
	{ "aaaaaaaa", "8" }, { "abababab", "11111111" }, { "aabbbbba", "251" },
	{ "aaccaaaa", "224" },			/* another length */
	{ "aaddaaaa", "224" },			/* another TOS */
	{ "aaeeaaaa", "224" },			/* from another address */
	{ "aasaaaaa", "215" }, { "ssssssss", "11111111" },	/* stamps are for one datagram */
	{ "aallllll", "2111111" },		/* may be longer than the path's MTU */
};

static struct pace_out
out_of(char kind, int i)
{
	struct pace_out o = { .buf = frames + i * SIZE, .len = SIZE, .tos = 40,
	    .to = { .family = 4, .port = 40000, .ip = { 192, 0, 2, kind == 'b' ? 2 : 1 } },
	    .from = { .family = 4, .ip = { 192, 0, 2, kind == 'e' ? 8 : 9 } } };

	o.len = kind == 'c' ? SIZE - 1 : kind == 'l' ? 1472 : SIZE;
	o.tos = kind == 'd' ? 0 : 40;
	o.stamp = kind == 's';
	return o;
}

/* The first answer is the kernel's to the first call. */
static int
send_eight(const char *kinds, bool segment, int first_answer)
{
	struct pace_out out[8];

	for (int i = 0; i < 8; i++)
		out[i] = out_of(kinds[i], i);
	memset(&s, 0, sizeof(s));
	s.fd = -1;
	s.segment = segment;
	calls = answered = 0;
	memset(answers, 0, sizeof(answers));
	answers[0] = first_answer;
	return pace_sock_send(&s, out, 8);
}

START_TEST(only_what_is_alike_goes_in_one_message)
{
	const char *want = groups[_i].messages;
	int at = 0;

	ck_assert_int_eq(send_eight(groups[_i].kinds, true, 0), 8);
	ck_assert_int_eq(calls, 1);
	for (int m = 0; want[m] != '\0'; m++) {
		const struct iovec *iov = s.msg[m].msg_hdr.msg_iov;

		ck_assert_int_eq(message[m].n, want[m] - '0');
		ck_assert_int_eq(message[m].segment != 0, message[m].n > 1);
		if (message[m].n > 1)
			ck_assert_uint_eq((size_t)message[m].segment, iov->iov_len);
		for (int k = 0; k < message[m].n; k++, at++)
			ck_assert_ptr_eq(iov[k].iov_base, frames + at * SIZE);
	}
	ck_assert_int_eq(at, 8);
	ck_assert_int_eq(send_eight(groups[_i].kinds, false, 0), 8);
	for (int m = 0; m < 8; m++)
		ck_assert(message[m].n == 1 && message[m].segment == 0);
}
END_TEST

/* Messages are taken; datagrams are counted. */
START_TEST(after_a_part_the_next_message_follows)
{
	ck_assert_int_eq(send_eight("aabbbbba", true, 2), 8);
	ck_assert_int_eq(calls, 2);
	ck_assert_int_eq(asked[1].first, 7);
	ck_assert_int_eq(send_eight("aabbbbba", true, -ENOBUFS), -ENOBUFS);
	memset(answers, 0, sizeof(answers));
}
END_TEST

START_TEST(alike_ones_go_alone_where_segments_cannot_be)
{
	static const int why[] = { EINVAL, EIO, EOPNOTSUPP, ENOPROTOOPT, EMSGSIZE };

	ck_assert_int_eq(send_eight("aaaaaaaa", true, -why[_i]), 8);
	ck_assert_int_eq(calls, 2);
	ck_assert(!s.segment && message[0].n == 1 && asked[1].n == 8 && asked[1].first == 0);
}
END_TEST

/* A socket of our own on loopback; *sink is bound and never read. */
static void
connect_to(int *sink)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct pace_sock_cfg cfg = { .guard_ns = 0 };
	socklen_t len = sizeof(sa);
	struct sockaddr_in6 any;
	struct pace_err err;

	*sink = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(*sink, (struct sockaddr *)&sa, len), 0);
	ck_assert_int_eq(getsockname(*sink, (struct sockaddr *)&sa, &len), 0);
	memset(&any, 0, sizeof(any));
	memcpy(&any, &sa, sizeof(sa));
	pace_addr_from_sa(&any, &cfg.peer);
	ck_assert_int_eq(pace_sock_open(&s, &cfg, &err), 0);
}

/* On loopback a departure is stamped before send() returns. */
START_TEST(only_requested_departures_are_stamped_and_numbered)
{
	struct pace_departure d[16];
	struct pace_out out = { .buf = frames, .len = SIZE };
	bool segmented;
	int sink, n;

	connect_to(&sink);
	for (const char *kind = "psppsspts"; *kind != '\0'; kind++) {
		out.stamp = *kind == 's';
		if (*kind == 't')	/* a train has no stamps */
			ck_assert_int_eq(pace_sock_train(&s, frames, SIZE, 1, &segmented), 1);
		else
			ck_assert_int_eq(pace_sock_send(&s, &out, 1), 1);
	}
	n = pace_sock_departures(&s, d, 16);
	ck_assert_int_eq(n, 4);
	for (int i = 0; i < n; i++)
		ck_assert_uint_eq(d[i].n, (uint32_t)i);
	pace_sock_renumber(&s);
	out.stamp = false;
	ck_assert_int_eq(pace_sock_send(&s, &out, 1), 1);
	ck_assert_int_eq(pace_sock_departures(&s, d, 16), 0);
	out.stamp = true;
	ck_assert_int_eq(pace_sock_send(&s, &out, 1), 1);
	ck_assert_int_eq(pace_sock_departures(&s, d, 16), 1);
	ck_assert_uint_eq(d[0].n, 0);
	pace_sock_close(&s);
	close(sink);
}
END_TEST

/* How often this thread slept in five waits of 2 ms. */
static long
sleeps(struct pace_io *io)
{
	struct pace_stalls st = { .total_ns = 0 };
	struct rusage before, after;

	getrusage(RUSAGE_THREAD, &before);
	for (int i = 0; i < 5; i++)
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + 2000000, i % 2 == 0 ? &st : NULL);
	getrusage(RUSAGE_THREAD, &after);
	return after.ru_nvcsw - before.ru_nvcsw;
}

START_TEST(who_stays_awake_does_not_sleep)
{
	struct pace_io io = pace_sock_io(&s);

	ck_assert_int_ge(sleeps(&io), 5);
	io.ready(io.ctx, false, true);
	ck_assert_int_eq(sleeps(&io), 0);
	io.ready(io.ctx, false, false);
	ck_assert_int_ge(sleeps(&io), 5);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("sock_send");

	tcase_add_test(tc, a_train_leaves_whole);
	tcase_add_test(tc, an_error_in_mid_train_keeps_what_was_taken);
	tcase_add_test(tc, where_segments_cannot_be_it_goes_on_without);
	tcase_add_test(tc, what_icmp_says_stops_no_train);
	tcase_add_loop_test(tc, only_what_is_alike_goes_in_one_message, 0, COUNT_OF(groups));
	tcase_add_test(tc, after_a_part_the_next_message_follows);
	tcase_add_loop_test(tc, alike_ones_go_alone_where_segments_cannot_be, 0, 5);
	tcase_add_test(tc, only_requested_departures_are_stamped_and_numbered);
	tcase_add_test(tc, who_stays_awake_does_not_sleep);
	return unit_run(tc, "sock_send");
}
