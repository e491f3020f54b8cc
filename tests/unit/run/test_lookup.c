/* lookup.h: each request is answered once, for its name, and nobody waits for a slow resolver. */
#include "run/lookup.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "plat/addr.h"
#include "plat/clock.h"

int	__wrap_pace_resolve(const char *host, int family, uint16_t port, struct pace_addr *v, int max,
	    struct pace_err *err);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int asked, allowed;	/* look-ups that began, and that may end */
static char last[64];		/* what was asked last */

/* "n..." has so many addresses; "x..." is not known. */
int
__wrap_pace_resolve(const char *host, int family, uint16_t port, struct pace_addr *v, int max,
    struct pace_err *err)
{
	int turn;

	ck_assert_int_eq(max, PACE_LOOKUP_MAX);
	pthread_mutex_lock(&lock);
	snprintf(last, sizeof(last), "%s %d %u", host, family, port);
	turn = ++asked;
	pthread_cond_broadcast(&changed);
	while (allowed < turn)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	if (host[0] == 'x')
		return pace_fail(err, ENOENT, "resolve");
	for (int i = 0; i < host[0] - '0'; i++)
		v[i] = (struct pace_addr){ .family = 4, .port = (uint16_t)(port + i) };
	return host[0] - '0';
}

static void
allow(int n)
{
	pthread_mutex_lock(&lock);
	allowed += n;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void
wait_until_asked(int n)
{
	pthread_mutex_lock(&lock);
	while (asked < n)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static size_t
take(struct pace_lookup *l, struct pace_looked_up *answer)
{
	size_t i = 99;

	while (!pace_lookup_take(l, &i, answer))
		pace_clock_wait_until(pace_clock_raw() + 1000000, 0, NULL, NULL);
	return i;
}

START_TEST(each_request_is_answered_once)
{
	struct pace_lookup *l = pace_lookup_new(3);
	struct pace_looked_up a;
	size_t i = 99;

	ck_assert_ptr_nonnull(l);
	ck_assert(!pace_lookup_take(l, &i, &a));
	pace_lookup_ask(l, 1, "2 of them", 6, 500);
	wait_until_asked(1);
	ck_assert_str_eq(last, "2 of them 6 500");
	ck_assert(!pace_lookup_take(l, &i, &a));	/* not yet */
	allow(1);
	ck_assert_uint_eq(take(l, &a), 1);
	ck_assert_int_eq(a.n, 2);
	ck_assert_uint_eq(a.v[0].port, 500);
	ck_assert_uint_eq(a.v[1].port, 501);
	ck_assert(!pace_lookup_take(l, &i, &a));
	pace_lookup_ask(l, 1, "x", 4, 7);
	allow(1);
	ck_assert_uint_eq(take(l, &a), 1);
	ck_assert_int_eq(a.n, -ENOENT);
	ck_assert_int_eq(a.err.code, ENOENT);
	ck_assert(!pace_lookup_take(l, &i, &a));
	ck_assert_int_eq(asked, 2);
	pace_lookup_free(l);
}
END_TEST

START_TEST(a_request_stays_until_its_answer_was_fetched)
{
	struct pace_lookup *l = pace_lookup_new(2);
	struct pace_looked_up a;
	size_t i;

	pace_lookup_ask(l, 0, "1 long name", 4, 10);
	pace_lookup_ask(l, 0, "3", 4, 30);
	allow(2);
	ck_assert_uint_eq(take(l, &a), 0);
	ck_assert_int_eq(a.n, 1);
	pace_lookup_ask(l, 0, "3", 6, 30);	/* now it is another one */
	ck_assert_uint_eq(take(l, &a), 0);
	ck_assert_int_eq(a.n, 3);
	ck_assert_str_eq(last, "3 6 30");
	ck_assert(!pace_lookup_take(l, &i, &a));
	pace_lookup_free(l);
}
END_TEST

/* The first name, asked again at once, does not keep the others waiting. */
START_TEST(names_take_turns)
{
	struct pace_lookup *l = pace_lookup_new(3);
	struct pace_looked_up a;
	unsigned seen = 0;

	pace_lookup_ask(l, 0, "1", 4, 0);
	wait_until_asked(1);
	pace_lookup_ask(l, 1, "1", 4, 1);
	pace_lookup_ask(l, 2, "1", 4, 2);
	allow(1);
	wait_until_asked(2);
	ck_assert_str_eq(last, "1 4 1");
	ck_assert_uint_eq(take(l, &a), 0);
	pace_lookup_ask(l, 0, "1", 4, 0);
	allow(1);
	wait_until_asked(3);
	ck_assert_str_eq(last, "1 4 2");
	allow(2);
	for (int i = 0; i < 3; i++)
		seen |= 1U << take(l, &a);
	ck_assert_uint_eq(seen, 7);
	pace_lookup_free(l);
}
END_TEST

START_TEST(to_end_does_not_wait_for_a_look_up)
{
	struct pace_lookup *l = pace_lookup_new(1);

	pace_lookup_ask(l, 0, "1", 4, 0);
	wait_until_asked(1);
	pace_lookup_free(l);
	allow(1);		/* its thread frees the memory */
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("lookup");

	tcase_add_test(tc, each_request_is_answered_once);
	tcase_add_test(tc, a_request_stays_until_its_answer_was_fetched);
	tcase_add_test(tc, names_take_turns);
	tcase_add_test(tc, to_end_does_not_wait_for_a_look_up);
	return unit_run_apart(tc, "lookup");
}
