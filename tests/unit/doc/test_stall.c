/* doc/stall.h, plat/stall.h: amounts, not ticks, say what froze a sender; /proc says which
 * process it was. */
#include "doc/stall.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"
#include "plat/affinity.h"
#include "plat/stall.h"

#define MS	INT64_C(1000000)

static struct pace_tx tx;
static char text[256];

/* Frozen for 3.94 s in all, 12 ms at once. */
static void
setup(void)
{
	memset(&tx, 0, sizeof(tx));
	tx.stalls = (struct pace_stalls){ 1500000, 3940 * MS, 12 * MS };
	tx.preempted = 1500000;
	tx.causes = (struct pace_stall_causes){ .known = true, .core = 1, .waited_ns = 3880 * MS,
	    .throttled_ns = 0, .steal_ns = 60 * MS, .irq_ns = 0,
	    .task = { { "sh", 4711, 3910 * MS }, { "cron", 17, 20 * MS } } };
}

static void
says(const char *want)
{
	ck_assert_str_eq(pace_stall_say(&tx, text, sizeof(text)), want);
}

#define ALL	"the sender was frozen for up to 12.0 ms, 3.94 s in all: "

START_TEST(a_tick_of_steal_is_not_blamed_for_all)
{
	says(ALL "other processes on core 1 98 % (sh, pid 4711, ran 3.91 s), hypervisor (steal) 2 %");
}
END_TEST

START_TEST(each_cause_has_its_share)
{
	tx.causes.waited_ns = 1970 * MS;
	tx.causes.throttled_ns = 985 * MS;
	tx.causes.steal_ns = 394 * MS;
	tx.causes.irq_ns = 197 * MS;
	tx.causes.task[0].cpu_ns = 0;
	says(ALL "not accounted for 35 %, other processes on core 1 25 %, CPU quota of the control group "
	    "25 %, hypervisor (steal) 10 %, interrupts 5 %");
}
END_TEST

/* Bounds explain no more than is left, exact amounts no more than all. */
START_TEST(shares_are_of_what_is_left)
{
	tx.causes.waited_ns = 0;
	tx.causes.steal_ns = 9000 * MS;
	tx.causes.irq_ns = 9000 * MS;
	says(ALL "hypervisor (steal) 100 %");
	tx.causes.waited_ns = 9000 * MS;
	says(ALL "other processes on core 1 100 % (sh, pid 4711, ran 3.91 s)");
	tx.causes.core = -1;
	tx.causes.task[1].cpu_ns = 1000 * MS;
	says(ALL "other processes on its cores 100 % (sh, pid 4711, ran 3.91 s; cron, pid 17, ran 1.00 s)");
}
END_TEST

/* A thread that waits for a core after it slept was not preempted. */
START_TEST(waking_up_late_is_not_preemption)
{
	tx.preempted = 0;
	says(ALL "not accounted for 98 %, hypervisor (steal) 2 %");
}
END_TEST

START_TEST(what_is_not_known_is_not_claimed)
{
	tx.causes.waited_ns = tx.causes.steal_ns = tx.causes.irq_ns = tx.causes.throttled_ns = -1;
	says(ALL "other processes on core 1 100 % (sh, pid 4711, ran 3.91 s), not accounted for below 1 %");
	tx.causes.task[0].cpu_ns = tx.causes.task[1].cpu_ns = 0;
	says(ALL "not accounted for (preempted 1 500 000 times) 100 %");
	tx.causes.known = false;
	tx.steal_ns = 10 * MS;
	tx.preempted = 1;
	says(ALL "not accounted for (preempted 1 time) 100 %, hypervisor (steal) below 1 %");
	tx.stalls.total_ns = 0;
	says("the sender was frozen for up to 12.0 ms, 0 ns in all");
}
END_TEST

/* --- a copy of /proc ------------------------------------------------------------------------ */

static char root[] = "/tmp/test_stall.XXXXXX";

static void
put(const char *path, const char *words)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(name, 0700);
		*p = '/';
	}
	f = fopen(name, "w");
	ck_assert_ptr_nonnull(f);
	fputs(words, f);
	fclose(f);
}

/* Ticks are hundredths of a second. */
static void
put_task(const char *dir, int pid, const char *comm, int start, int user, int core)
{
	char path[64], words[256];

	snprintf(path, sizeof(path), "%s/stat", dir);
	snprintf(words, sizeof(words), "%d (%s) R 1 1 1 0 -1 4194304 1 0 0 0 %d 3 0 0 -20 0 1 0 %d 1 1 1 "
	    "1 1 1 1 1 0 0 0 0 0 0 0 17 %d 0 0 0 0 0\n", pid, comm, user, start, core);
	put(path, words);
}

static void
put_host(int waited, int steal, int throttled, int core)
{
	char words[256];

	snprintf(words, sizeof(words), "1 %d 1\n", waited);
	put("/proc/thread-self/schedstat", words);
	snprintf(words, sizeof(words), "cpu  0 0 0 0 0 0 0 0 0 0\ncpu%d 0 0 0 0 0 5 5 %d 0 0\n", core, steal);
	put("/proc/stat", words);
	snprintf(words, sizeof(words), "nr_throttled 1\nthrottled_usec %d\n", throttled);
	put("/sys/fs/cgroup/a/cpu.stat", words);
	put("/sys/fs/cgroup/a/b/cpu.stat", "throttled_usec 1\n");
	put("/proc/self/cgroup", "3:memory:/x\n0::/a/b\n");
}

START_TEST(the_process_on_the_core_is_found)
{
	struct pace_stall_look l = { .n = 0 };
	struct pace_stall_causes c;
	int here, tick = 1000 / (int)sysconf(_SC_CLK_TCK);
	char rm[64];

	ck_assert_ptr_nonnull(mkdtemp(root));
	here = pace_affinity_here(NULL);
	ck_assert_int_eq(pace_affinity_pin(here), 0);
	put_host(1000, 7, 10, here);
	put_task("/proc/10", 10, "old (and) odd", 5, 1000, here);
	put_task("/proc/11", 11, "elsewhere", 5, 1000, here + 1);
	put_task("/proc/12", 12, "one thread here", 5, 1000, here + 1);
	put_task("/proc/12/task/12", 12, "one thread here", 5, 500, here + 1);
	put_task("/proc/12/task/13", 13, "one thread here", 5, 500, here);
	put_task("/proc/14", 14, "idle", 5, 1000, here);
	put_task("/proc/15", 15, "number again", 5, 1000, here);
	pace_stall_begin(&l, root);
	put_host(3001000, 13, 2010, here);
	put_task("/proc/10", 10, "old (and) odd", 5, 1050, here);
	put_task("/proc/11", 11, "elsewhere", 5, 2000, here + 1);
	put_task("/proc/12", 12, "one thread here", 5, 1030, here + 1);
	put_task("/proc/15", 15, "number again", 9, 97, here);
	pace_stall_end(&l, root, &c);
	ck_assert(c.known && l.v == NULL);
	ck_assert_int_eq(c.core, here);
	ck_assert_int_eq(c.steal_ns, 6 * tick * MS);
	ck_assert_int_eq(c.irq_ns, 0);
	ck_assert_int_eq(c.waited_ns, 3000000);
	ck_assert_int_eq(c.throttled_ns, 2000000);
	ck_assert_str_eq(c.task[0].comm, "number again");
	ck_assert(c.task[0].pid == 15 && c.task[0].cpu_ns == 100 * tick * MS);
	ck_assert_str_eq(c.task[1].comm, "old (and) odd");
	ck_assert(c.task[1].pid == 10 && c.task[1].cpu_ns == 50 * tick * MS);
	ck_assert_str_eq(c.task[2].comm, "one thread here");
	ck_assert(c.task[2].pid == 12 && c.task[2].cpu_ns == 30 * tick * MS);
	/* without leave to look at others */
	pace_stall_begin(&l, NULL);
	pace_stall_end(&l, NULL, &c);
	ck_assert(c.known && c.task[0].pid == 0 && c.steal_ns == -1);
	snprintf(rm, sizeof(rm), "rm -r %s", root);
	ck_assert_int_eq(system(rm), 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("stall");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_tick_of_steal_is_not_blamed_for_all);
	tcase_add_test(tc, each_cause_has_its_share);
	tcase_add_test(tc, shares_are_of_what_is_left);
	tcase_add_test(tc, waking_up_late_is_not_preemption);
	tcase_add_test(tc, what_is_not_known_is_not_claimed);
	tcase_add_test(tc, the_process_on_the_core_is_found);
	return unit_run(tc, "stall");
}
