/* plat/thread: signals stay with the one who starts a thread. */
#include "lib/unit.h"

#include <signal.h>

#include "plat/thread.h"

static void *
read_mask(void *mask)
{
	pthread_sigmask(SIG_BLOCK, NULL, mask);
	return NULL;
}

START_TEST(a_thread_blocks_signals_and_its_starter_does_not)
{
	sigset_t theirs, ours;
	pthread_t thread;

	sigemptyset(&theirs);
	ck_assert_int_eq(pace_thread_start(&thread, read_mask, &theirs), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(sigismember(&theirs, SIGINT), 1);
	ck_assert_int_eq(sigismember(&theirs, SIGTERM), 1);
	pthread_sigmask(SIG_BLOCK, NULL, &ours);
	ck_assert_int_eq(sigismember(&ours, SIGINT), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("thread");

	tcase_add_test(tc, a_thread_blocks_signals_and_its_starter_does_not);
	return unit_run(tc, "thread");
}
