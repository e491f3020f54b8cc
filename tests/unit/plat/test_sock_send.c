/*
 * sock_send.c: what becomes of a train when the kernel takes a part of it.
 *
 * sendmsg and sendmmsg are the linker's to wrap: they answer what a test wrote down, and
 * what they were given is remembered.
 */
#include "plat/sock_io.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

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

ssize_t
__wrap_sendmsg(int fd, const struct msghdr *m, int flags)
{
	(void)fd;
	(void)flags;
	ck_assert_uint_eq(m->msg_iov->iov_len % SIZE, 0);
	return answer(m->msg_iov->iov_base, (int)(m->msg_iov->iov_len / SIZE), true);
}

int
__wrap_sendmmsg(int fd, struct mmsghdr *v, unsigned int n, int flags)
{
	(void)fd;
	(void)flags;
	for (unsigned int i = 0; i < n; i++)
		ck_assert_uint_eq(v[i].msg_hdr.msg_iov->iov_len, SIZE);
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

int
main(void)
{
	TCase *tc = tcase_create("sock_send");

	tcase_add_test(tc, a_train_leaves_whole);
	tcase_add_test(tc, an_error_in_mid_train_keeps_what_was_taken);
	tcase_add_test(tc, where_segments_cannot_be_it_goes_on_without);
	tcase_add_test(tc, what_icmp_says_stops_no_train);
	return unit_run(tc, "sock_send");
}
