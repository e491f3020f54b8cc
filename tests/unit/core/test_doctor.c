/* doctor.h, checkup_text.h: every check at its edge, the commands it prints, and a
 * script that a shell takes. */
#include "core/doctor.h"

#include <sys/wait.h>

#include "lib/unit.h"
#include "out/checkup_text.h"

static struct pace_host h;
static struct pace_trial t;
static struct pace_finding v[PACE_FINDINGS];
static int n;

static void
setup(void)
{
	memset(&h, 0, sizeof(h));
	memset(&t, 0, sizeof(t));
	t.cpu = -1;
	snprintf(h.interface, sizeof(h.interface), "eth0");
	snprintf(h.kernel, sizeof(h.kernel), "Linux 6.1");
}

static void
fact(enum pace_fact f, int64_t value)
{
	h.fact[f] = value;
	h.has[f] = true;
}

static const struct pace_finding *
find(const char *code)
{
	for (int i = 0; i < n; i++)
		if (strcmp(v[i].code, code) == 0)
			return &v[i];
	return NULL;
}

static const struct pace_finding *
look(const char *code)
{
	n = pace_doctor_host(v, &h, &t);
	return find(code);
}

/* A fact, and what is said of it; set NULL: no command. */
static const struct {
	enum pace_fact	fact;
	int64_t		value;
	const char	*code;
	enum pace_level	level;
	const char	*set, *restore;
} checks[] = {
	{ PACE_FACT_RMEM_MAX, 16777216, "rmem_max", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_RMEM_MAX, 16777215, "rmem_max", PACE_LEVEL_WARN,
	    "sysctl -w net.core.rmem_max=16777216", "sysctl -w net.core.rmem_max=16777215" },
	{ PACE_FACT_RMEM_MAX, 1048576, "rmem_max", PACE_LEVEL_WARN,
	    "sysctl -w net.core.rmem_max=16777216", "sysctl -w net.core.rmem_max=1048576" },
	{ PACE_FACT_RMEM_MAX, 212992, "rmem_max", PACE_LEVEL_BAD,
	    "sysctl -w net.core.rmem_max=16777216", "sysctl -w net.core.rmem_max=212992" },
	{ PACE_FACT_WMEM_MAX, 16777216, "wmem_max", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_WMEM_MAX, 212992, "wmem_max", PACE_LEVEL_WARN,
	    "sysctl -w net.core.wmem_max=16777216", "sysctl -w net.core.wmem_max=212992" },
	{ PACE_FACT_BACKLOG, 5000, "netdev_max_backlog", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_BACKLOG, 1000, "netdev_max_backlog", PACE_LEVEL_WARN,
	    "sysctl -w net.core.netdev_max_backlog=5000",
	    "sysctl -w net.core.netdev_max_backlog=1000" },
	{ PACE_FACT_BUDGET, 300, "netdev_budget", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_BUDGET, 64, "netdev_budget", PACE_LEVEL_WARN,
	    "sysctl -w net.core.netdev_budget=300", "sysctl -w net.core.netdev_budget=64" },
	{ PACE_FACT_RX_USECS, 10, "rx_usecs", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_RX_USECS, 50, "rx_usecs", PACE_LEVEL_WARN, "ethtool -C eth0 rx-usecs 0",
	    "ethtool -C eth0 rx-usecs 50" },
	{ PACE_FACT_GRO_LIST, 0, "gro", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_GRO_LIST, 1, "rx_gro_list", PACE_LEVEL_BAD, "ethtool -K eth0 rx-gro-list off",
	    "ethtool -K eth0 rx-gro-list on" },
	{ PACE_FACT_GRO_FORWARDING, 1, "rx_udp_gro_forwarding", PACE_LEVEL_BAD,
	    "ethtool -K eth0 rx-udp-gro-forwarding off",
	    "ethtool -K eth0 rx-udp-gro-forwarding on" },
	{ PACE_FACT_LRO, 1, "lro", PACE_LEVEL_BAD, "ethtool -K eth0 lro off",
	    "ethtool -K eth0 lro on" },
	{ PACE_FACT_NIC_STAMPS, 1, "nic_stamps", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_NIC_STAMPS, 0, "nic_stamps", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_PACKET_ENGINE, 1, "packet_engine", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_PACKET_ENGINE, 0, "packet_engine", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_TIMER_SLACK_NS, 1, "timer_slack", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_TIMER_SLACK_NS, 50000, "timer_slack", PACE_LEVEL_WARN, NULL, NULL },
	{ PACE_FACT_RT_RUNTIME_US, 950000, "realtime", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_STEAL_PPM, 1000, "steal", PACE_LEVEL_OK, NULL, NULL },
	{ PACE_FACT_STEAL_PPM, 1001, "steal", PACE_LEVEL_WARN, NULL, NULL },
};

START_TEST(a_fact_is_judged_at_its_edge)
{
	const struct pace_finding *f;

	fact(checks[_i].fact, checks[_i].value);
	f = look(checks[_i].code);
	ck_assert_msg(f != NULL, "%s is not told", checks[_i].code);
	ck_assert_int_eq(f->level, checks[_i].level);
	ck_assert_str_eq(f->set, checks[_i].set != NULL ? checks[_i].set : "");
	ck_assert_str_eq(f->restore, checks[_i].restore != NULL ? checks[_i].restore : "");
	ck_assert_uint_gt(strlen(f->text), 20);
	ck_assert_uint_lt(strlen(f->text), sizeof(f->text) - 1);	/* not cut off */
}
END_TEST

START_TEST(what_is_not_known_is_not_judged)
{
	n = pace_doctor_host(v, &h, &t);
	for (int i = 0; i < n; i++)
		ck_assert_msg(v[i].level == PACE_LEVEL_UNKNOWN || v[i].level == PACE_LEVEL_OK,
		    "%s: %s", v[i].code, v[i].text);
	ck_assert_int_eq(find("rmem_max")->level, PACE_LEVEL_UNKNOWN);
	ck_assert_int_eq(find("rx_ring")->level, PACE_LEVEL_UNKNOWN);
	ck_assert_ptr_null(find("rx_usecs"));
	ck_assert_ptr_null(find("stalls"));
	ck_assert_ptr_null(find("clock"));
}
END_TEST

START_TEST(a_ring_should_be_as_large_as_it_can)
{
	fact(PACE_FACT_RX_RING, 512);
	fact(PACE_FACT_RX_RING_MAX, 8192);
	ck_assert_int_eq(look("rx_ring")->level, PACE_LEVEL_WARN);
	ck_assert_str_eq(look("rx_ring")->set, "ethtool -G eth0 rx 8192");
	ck_assert_str_eq(look("rx_ring")->restore, "ethtool -G eth0 rx 512");
	fact(PACE_FACT_RX_RING, 8192);
	ck_assert_int_eq(look("rx_ring")->level, PACE_LEVEL_OK);
}
END_TEST

START_TEST(adaptive_moderation_goes_before_its_number)
{
	fact(PACE_FACT_RX_USECS, 3);
	fact(PACE_FACT_ADAPTIVE_RX, 1);
	ck_assert_str_eq(look("adaptive_rx")->set, "ethtool -C eth0 adaptive-rx off");
	ck_assert_ptr_null(find("rx_usecs"));
}
END_TEST

START_TEST(realtime_is_throttled)
{
	fact(PACE_FACT_RT_RUNTIME_US, 950000);
	fact(PACE_FACT_REALTIME, 1);
	ck_assert_int_eq(look("realtime")->level, PACE_LEVEL_BAD);
	ck_assert_str_eq(look("realtime")->restore, "sysctl -w kernel.sched_rt_runtime_us=950000");
	fact(PACE_FACT_RT_RUNTIME_US, -1);
	ck_assert_int_eq(look("realtime")->level, PACE_LEVEL_OK);
}
END_TEST

static const struct { const char *source; enum pace_level level; } sources[] = {
	{ "tsc", PACE_LEVEL_OK }, { "kvm-clock", PACE_LEVEL_OK }, { "hpet", PACE_LEVEL_BAD },
	{ "acpi_pm", PACE_LEVEL_BAD }, { "arch_sys_counter", PACE_LEVEL_OK },
};

START_TEST(a_slow_clock_source_is_bad)
{
	snprintf(h.clocksource, sizeof(h.clocksource), "%s", sources[_i].source);
	ck_assert_int_eq(look("clocksource")->level, sources[_i].level);
}
END_TEST

/* A process with the privilege to exceed the limits is not bound by them. */
START_TEST(a_process_that_may_force_has_no_limits)
{
	fact(PACE_FACT_RMEM_MAX, 212992);
	fact(PACE_FACT_WMEM_MAX, 212992);
	fact(PACE_FACT_BUFFERS_FORCED, 1);
	ck_assert_int_eq(look("rmem_max")->level, PACE_LEVEL_OK);
	ck_assert_ptr_null(find("wmem_max"));
	fact(PACE_FACT_BUFFERS_FORCED, 0);
	ck_assert_int_eq(look("rmem_max")->level, PACE_LEVEL_BAD);
	ck_assert_ptr_nonnull(strstr(find("rmem_max")->text, "about 184 frames"));
}
END_TEST

START_TEST(a_governor_is_set_and_put_back)
{
	ck_assert_int_eq(look("governor")->level, PACE_LEVEL_UNKNOWN);
	snprintf(h.governor, sizeof(h.governor), "performance");
	ck_assert_int_eq(look("governor")->level, PACE_LEVEL_OK);
	snprintf(h.governor, sizeof(h.governor), "powersave");
	ck_assert_int_eq(look("governor")->level, PACE_LEVEL_WARN);
	ck_assert_ptr_nonnull(strstr(look("governor")->set, "echo performance"));
	ck_assert_ptr_nonnull(strstr(look("governor")->restore, "echo powersave"));
	ck_assert_ptr_nonnull(strstr(look("governor")->restore, "done"));	/* whole */
	snprintf(h.governor, sizeof(h.governor), "mixed");
	ck_assert_str_eq(look("governor")->set, "");
}
END_TEST

/* The far host may say anything: nothing of it may reach a shell. */
START_TEST(no_command_has_words_of_a_stranger)
{
	static const char *const names[] = { "a;b", "$(x)", "`x`", "a b", "-x", "a\nb", "a'b",
	    "..|y", "" };

	snprintf(h.interface, sizeof(h.interface), "%s", names[_i]);
	snprintf(h.governor, sizeof(h.governor), "%s", names[_i]);
	fact(PACE_FACT_RX_USECS, 50);
	fact(PACE_FACT_GRO_LIST, 1);
	fact(PACE_FACT_RX_RING, 1);
	fact(PACE_FACT_RX_RING_MAX, 2);
	n = pace_doctor_host(v, &h, &t);
	for (int i = 0; i < n; i++)
		ck_assert_msg(v[i].set[0] == '\0' && v[i].restore[0] == '\0', "%s", v[i].set);
}
END_TEST

static const struct { const char *cores; int cpu; bool want; } lists[] = {
	{ "0", 0, true }, { "0", 1, false }, { "0-3", 3, true }, { "0-3", 4, false },
	{ "1,3,5-7", 6, true }, { "1,3,5-7", 4, false }, { "", 0, false }, { "x", 0, false },
	{ "1-", 1, false }, { "12", 1, false }, { "99999999999999999999", 1, false },
};

START_TEST(a_list_of_cores_is_read)
{
	ck_assert_int_eq(pace_cores_hold(lists[_i].cores, lists[_i].cpu), lists[_i].want);
}
END_TEST

START_TEST(an_interrupt_on_the_probes_core_is_told)
{
	h.irqs = 2;
	h.irq[0] = (struct pace_irq){ 40, "eth0-rx-0", "0" };
	h.irq[1] = (struct pace_irq){ 41, "eth0-rx-1", "2-3" };
	ck_assert_ptr_null(look("irq_core"));
	t.cpu = 7;
	h.more_irqs = true;				/* one of these may */
	ck_assert_int_eq(look("irq_core")->level, PACE_LEVEL_UNKNOWN);
	h.more_irqs = false;
	t.cpu = 1;
	ck_assert_int_eq(look("irq_core")->level, PACE_LEVEL_OK);
	t.cpu = 3;
	ck_assert_int_eq(look("irq_core")->level, PACE_LEVEL_WARN);
	ck_assert_ptr_nonnull(strstr(look("irq_core")->text, "41"));
	ck_assert_ptr_nonnull(strstr(look("irq_core")->text, "eth0-rx-1"));
}
END_TEST

START_TEST(a_core_far_from_the_interface_is_told)
{
	ck_assert_ptr_null(look("numa_node"));
	snprintf(h.numa_cores, sizeof(h.numa_cores), "0-7,16-23");
	ck_assert_ptr_null(look("numa_node"));		/* without --cpu */
	t.cpu = 16;
	ck_assert_int_eq(look("numa_node")->level, PACE_LEVEL_OK);
	t.cpu = 8;
	ck_assert_int_eq(look("numa_node")->level, PACE_LEVEL_WARN);
	ck_assert_ptr_nonnull(strstr(look("numa_node")->text, "a core of 0-7,16-23"));
}
END_TEST

static const struct { int64_t max_ns; enum pace_level level; } spins[] = {
	{ 0, PACE_LEVEL_OK }, { 100000, PACE_LEVEL_OK }, { 100001, PACE_LEVEL_WARN },
	{ 1000000, PACE_LEVEL_WARN }, { 1000001, PACE_LEVEL_BAD },
};

START_TEST(a_core_that_is_taken_away_is_told)
{
	t.spun = true;
	t.spin_ns = 500000000;
	t.stalls = (struct pace_stalls){ spins[_i].max_ns > 0 ? 3 : 0, 2 * spins[_i].max_ns,
	    spins[_i].max_ns };
	ck_assert_int_eq(look("stalls")->level, spins[_i].level);
}
END_TEST

START_TEST(clocks_cores_and_virtual_machines)
{
	t.has_clock = true;
	ck_assert_int_eq(look("clock")->level, PACE_LEVEL_UNKNOWN);
	t.clock.known = true;
	ck_assert_int_eq(look("clock")->level, PACE_LEVEL_WARN);
	t.clock.synchronised = true;
	ck_assert_int_eq(look("clock")->level, PACE_LEVEL_OK);
	h.cores = 1;
	ck_assert_int_eq(look("cores")->level, PACE_LEVEL_BAD);
	h.cores = 2;
	ck_assert_int_eq(look("cores")->level, PACE_LEVEL_OK);
	ck_assert_ptr_null(look("virtual"));
	snprintf(h.virt, sizeof(h.virt), "no");
	ck_assert_int_eq(look("virtual")->level, PACE_LEVEL_OK);
	snprintf(h.virt, sizeof(h.virt), "KVM");
	ck_assert_int_eq(look("virtual")->level, PACE_LEVEL_WARN);
}
END_TEST

static const struct { struct pace_path_trial t; const char *code; enum pace_level level; } paths[] = {
	{ { .why = "another client measures" }, "path_mtu", PACE_LEVEL_UNKNOWN },
	{ { "", 1500, 1500, 1500, false, 1472, 1472 }, "path_mtu", PACE_LEVEL_OK },
	{ { "", 1500, 1500, 1500, false, 1472, 1372 }, "path_mtu", PACE_LEVEL_BAD },
	{ { "", 9000, 9000, 1400, true, 8972, 1372 }, "path_mtu", PACE_LEVEL_WARN },
	{ { "", 1500, 0, 1500, false, 1472, 0 }, "path_mtu", PACE_LEVEL_BAD },
	{ { "", 9000, 1500, 9000, false, 8972, 8972 }, "mtu", PACE_LEVEL_WARN },
};

START_TEST(a_path_is_judged)
{
	n = pace_doctor_path(v, &paths[_i].t);
	ck_assert_ptr_nonnull(find(paths[_i].code));
	ck_assert_int_eq(find(paths[_i].code)->level, paths[_i].level);
	if (paths[_i].t.passed == 1372)
		ck_assert_ptr_nonnull(strstr(find("path_mtu")->text, "1372"));
	if (paths[_i].t.why[0] != '\0')
		ck_assert_ptr_nonnull(strstr(find("path_mtu")->text, paths[_i].t.why));
}
END_TEST

/* --- what is printed -------------------------------------------------------------------- */

static char *
printed(const struct pace_checkup *c, bool script)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_int_eq(script ? pace_checkup_script(f, c) : pace_checkup_text(f, c, false), 0);
	fclose(f);
	return text;
}

static struct pace_checkup *
checkup(void)
{
	static struct pace_checkup c;

	memset(&c, 0, sizeof(c));
	snprintf(c.made, sizeof(c.made), "2026-11-21T12:00:00.000000000Z");
	snprintf(c.target, sizeof(c.target), "hostb");
	fact(PACE_FACT_RMEM_MAX, 212992);
	fact(PACE_FACT_GRO_LIST, 1);
	snprintf(h.governor, sizeof(h.governor), "powersave");
	c.client = c.responder = h;
	for (int p = 0; p < 2; p++) {
		c.of[p].looked = true;
		c.of[p].n = pace_doctor_host(c.of[p].v, &h, &t);
	}
	return &c;
}

START_TEST(the_text_fits_and_says_it_all)
{
	char *text = printed(checkup(), false);

	ck_assert_ptr_nonnull(strstr(text, "this host, interface eth0\n"));
	ck_assert_ptr_nonnull(strstr(text, "the responder's host hostb, interface eth0\n"));
	ck_assert_ptr_nonnull(strstr(text, "  bad   receive buffers may have no more than 208 KiB"));
	ck_assert_ptr_nonnull(strstr(text, "        # sysctl -w net.core.rmem_max=16777216\n"));
	ck_assert_ptr_nonnull(strstr(text, "4 findings will spoil measurements, 2 may; --fix"));
	/* both hosts' problems, worst first, before what is not known */
	ck_assert(strstr(text, "\n  warn") > strstr(text, "\n  bad"));
	ck_assert(strstr(text, "will spoil measurements") >
	    strstr(text, "the responder's host hostb, interface eth0\n  bad"));
	ck_assert(strstr(text, "\n  ?") > strstr(text, "will spoil measurements"));
	for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		ck_assert_msg(end - line <= 80 || line[8] == '#', "%.*s", (int)(end - line), line);
	free(text);
}
END_TEST

/* Commands stand in for the real ones and write down what they were asked. */
START_TEST(the_script_sets_and_puts_back)
{
	static const char *const words[] = { "set", "restore", "set-there", "restore-there", "" };
	static const char *const want[] = { "=16777216\n", "=212992\n", "=16777216\n",
	    "=212992\n" };
	char *text = printed(checkup(), true), name[] = "/tmp/udpace-script-XXXXXX", command[512];
	char said[1024] = "";
	int fd = mkstemp(name), status;
	FILE *f = fdopen(fd, "w");

	fputs(text, f);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "none of it was run"));
	snprintf(command, sizeof(command), "PATH=; sysctl() { echo \"$@\"; }; ethtool() { "
	    "echo \"$@\"; }; cd /tmp; set -- %s; . %s 2>&1", words[_i], name);
	f = popen(command, "r");
	ck_assert_ptr_nonnull(f);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	status = pclose(f);
	unlink(name);
	if (words[_i][0] == '\0') {
		ck_assert_int_eq(WEXITSTATUS(status), 2);
		ck_assert_ptr_nonnull(strstr(said, "usage"));
	} else {
		ck_assert_msg(strstr(said, want[_i]) != NULL, "%s: %s", words[_i], said);
		ck_assert_ptr_nonnull(strstr(said, _i % 2 == 0 ? "rx-gro-list off" : "rx-gro-list on"));
	}
	free(text);
}
END_TEST

START_TEST(notes_are_what_may_spoil_a_result)
{
	struct pace_notes notes = { .n = 0 };

	fact(PACE_FACT_RMEM_MAX, 212992);
	fact(PACE_FACT_WMEM_MAX, 16777216);
	pace_checkup_notes(&notes, PACE_RESPONDER_HOST, &h, &t);
	ck_assert_int_eq(notes.n, 1);
	ck_assert_str_eq(notes.v[0].code, "responder_rmem_max");
	h.kernel[0] = '\0';			/* it does not report it */
	notes.n = 0;
	pace_checkup_notes(&notes, PACE_RESPONDER_HOST, &h, &t);
	ck_assert_int_eq(notes.n, 0);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("doctor");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_loop_test(tc, a_fact_is_judged_at_its_edge, 0, COUNT_OF(checks));
	tcase_add_test(tc, what_is_not_known_is_not_judged);
	tcase_add_test(tc, a_ring_should_be_as_large_as_it_can);
	tcase_add_test(tc, adaptive_moderation_goes_before_its_number);
	tcase_add_test(tc, realtime_is_throttled);
	tcase_add_loop_test(tc, a_slow_clock_source_is_bad, 0, COUNT_OF(sources));
	tcase_add_test(tc, a_process_that_may_force_has_no_limits);
	tcase_add_test(tc, a_governor_is_set_and_put_back);
	tcase_add_loop_test(tc, no_command_has_words_of_a_stranger, 0, 9);
	tcase_add_loop_test(tc, a_list_of_cores_is_read, 0, COUNT_OF(lists));
	tcase_add_test(tc, an_interrupt_on_the_probes_core_is_told);
	tcase_add_test(tc, a_core_far_from_the_interface_is_told);
	tcase_add_loop_test(tc, a_core_that_is_taken_away_is_told, 0, COUNT_OF(spins));
	tcase_add_test(tc, clocks_cores_and_virtual_machines);
	tcase_add_loop_test(tc, a_path_is_judged, 0, COUNT_OF(paths));
	tcase_add_test(tc, the_text_fits_and_says_it_all);
	tcase_add_loop_test(tc, the_script_sets_and_puts_back, 0, 5);
	tcase_add_test(tc, notes_are_what_may_spoil_a_result);
	return unit_run(tc, "doctor");
}
