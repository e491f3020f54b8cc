/* stop.h: the first signal ends the run, a later one the process; two at once are one. */
#include "run/stop.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "lib/unit.h"

#define MS	INT64_C(1000000)

static int64_t frozen_ns;	/* what the clock shows; 0: the time */

int	__real_clock_gettime(clockid_t id, struct timespec *ts);
int	__wrap_clock_gettime(clockid_t id, struct timespec *ts);

int
__wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	if (frozen_ns == 0)
		return __real_clock_gettime(id, ts);
	*ts = (struct timespec){ .tv_sec = frozen_ns / (1000 * MS), .tv_nsec = frozen_ns % (1000 * MS) };
	return 0;
}

/* What was last set; it does not run. */
static struct itimerval timer;

int	__wrap_setitimer(int which, const struct itimerval *t, struct itimerval *old);

int
__wrap_setitimer(int which, const struct itimerval *t, struct itimerval *old)
{
	ck_assert(which == ITIMER_REAL && old == NULL);
	timer = *t;
	return 0;
}

static void
setup(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	pace_stop_catch();
	frozen_ns = 5000 * MS;
}

static void
teardown(void)
{
	frozen_ns = 0;
}

/* A terminal signals the whole group, and a parent its child again. */
START_TEST(two_signals_at_once_are_one)
{
	raise(SIGINT);
	ck_assert_int_eq(pace_stop, SIGINT);
	frozen_ns += 150 * MS;
	raise(SIGTERM);
	ck_assert_int_eq(pace_stop, SIGINT);
	ck_assert_int_eq(pace_stop_status(), 128 + SIGINT);
}
END_TEST

static void
say_last(void)
{
	_exit(7);
}

/* Return the exit status of a process that gets SIGINT, and SIGTERM 250 ms later. */
static int
signalled_twice(void (*words)(void))
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		pace_stop_last(words);
		raise(SIGINT);
		frozen_ns += 250 * MS;
		raise(SIGTERM);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(a_later_signal_ends_the_process)
{
	ck_assert_int_eq(signalled_twice(NULL), 128 + SIGTERM);
	ck_assert_int_eq(signalled_twice(say_last), 7);
}
END_TEST

START_TEST(a_reader_that_is_gone_is_not_a_second_signal)
{
	raise(SIGPIPE);
	frozen_ns += 250 * MS;
	raise(SIGPIPE);
	ck_assert_int_eq(pace_stop_status(), 128 + SIGPIPE);
}
END_TEST

START_TEST(a_signal_after_the_end_is_the_first)
{
	pace_stop_after(1000 * MS);
	raise(SIGALRM);
	frozen_ns += 250 * MS;
	raise(SIGINT);
	ck_assert_int_eq(pace_stop_status(), 128 + SIGALRM);
	ck_assert_int_eq(signalled_twice(NULL), 128 + SIGTERM);
}
END_TEST

/* A job in the background of a script keeps what the shell chose, except for hang-ups. */
START_TEST(an_ignored_signal_stays_ignored)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	pace_stop_catch();
	pace_hup_catch();
	raise(SIGTERM);
	raise(SIGHUP);
	ck_assert_int_eq(pace_stop, 0);
	ck_assert_int_eq(pace_hup, 1);
}
END_TEST

START_TEST(a_time_may_have_a_fraction_of_a_second)
{
	pace_stop_after(1500 * MS);
	ck_assert_int_eq(timer.it_value.tv_sec, 1);
	ck_assert_int_eq(timer.it_value.tv_usec, 500000);
	raise(SIGALRM);
	ck_assert_int_eq(pace_stop, SIGALRM);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stop");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, two_signals_at_once_are_one);
	tcase_add_test(tc, a_later_signal_ends_the_process);
	tcase_add_test(tc, a_reader_that_is_gone_is_not_a_second_signal);
	tcase_add_test(tc, a_signal_after_the_end_is_the_first);
	tcase_add_test(tc, an_ignored_signal_stays_ignored);
	tcase_add_test(tc, a_time_may_have_a_fraction_of_a_second);
	return unit_run_apart(tc, "stop");
}
