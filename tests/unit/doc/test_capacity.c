/* capacity.h, capacity_text.h: a trial is judged by what the path did, whoever else
 * disturbed it; the search names whose limit it found. */
#include "doc/capacity.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/schedule.h"
#include "doc/params.h"
#include "lib/unit.h"
#include "out/capacity_text.h"

#define SEC	INT64_C(1000000000)

static struct pace_capacity c;
static struct pace_point *p;
static struct pace_capacity_trial t;
static char text[8192];

/* 1472 bytes from 10 Mbit/s to 1 Gbit/s. */
static void
setup(void)
{
	const struct pace_search_cfg cfg = { 10e6, 1e9, 0.005, 2, false };

	memset(&c, 0, sizeof(c));
	c.size_bytes = 1472;
	c.wire_bytes = 1538;
	c.duration_ns = SEC;
	c.sustain_ns = 10 * SEC;
	pace_search_begin(&c.search, &cfg);
	p = pace_point_new();
}

static void
teardown(void)
{
	pace_capacity_free(&c);
	pace_point_free(p);
}

/* As asked for, kept, and nothing lost. */
static void
measure(bool lengthy, double bps)
{
	uint64_t frames;

	pace_point_free(p);
	p = pace_point_new();
	p->ask.direction = c.direction;
	p->ask.size_bytes = c.size_bytes;
	p->ask.spacing = pace_spacing_from_rate(c.size_bytes, (int64_t)bps);
	p->ask.duration_ns = lengthy ? c.sustain_ns : c.duration_ns;
	p->ask.train = p->ask.bursts = 1;
	frames = pace_params_frames(&p->ask);
	p->has_rx = true;
	p->verdict = PACE_PACED;
	p->ledger.asked = p->tx.frames = p->rx.frames = p->rx.unique = frames;
	p->tx.duration_ns = p->rx.duration_ns = p->ask.duration_ns;
	p->tx.user_rate_bps = p->rx.user_rate_bps = bps;
	for (int i = 0; i < 1000; i++) {
		pace_hist_add(&p->tx.gap, (int64_t)pace_params_gap_ns(&p->ask));
		pace_hist_add(&p->tx.gap_error, 0);
		pace_hist_add(&p->rx.pdv, 1000);
	}
}

static void
lose(uint64_t n, enum pace_place place)
{
	p->rx.lost = n;
	p->rx.frames = p->rx.unique = p->tx.frames - n;
	memset(p->ledger.place, 0, sizeof(p->ledger.place));
	p->ledger.place[place] = (struct pace_share){ true, n, n, n };
}

static void
queue(double ns)
{
	p->rx.duration_ns += (int64_t)ns;
	pace_hist_reset(&p->rx.pdv);
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&p->rx.pdv, (int64_t)(ns * i / 1000));
}

static void
freeze(int64_t ns)
{
	p->verdict = PACE_DEGRADED;
	p->tx.stalls.count = 1;
	p->tx.stalls.total_ns = p->tx.stalls.max_ns = ns;
}

static void
judged(bool lengthy, enum pace_trial_verdict verdict, enum pace_why why)
{
	t = (struct pace_capacity_trial){ .ask = { 200e6, lengthy } };
	pace_trial_judge(&c, p, &t);
	ck_assert_msg(t.verdict == verdict && t.why == why, "%d, because %d", t.verdict, t.why);
}

START_TEST(what_was_kept_and_not_lost_passes)
{
	measure(false, 200e6);
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	ck_assert(t.frames == p->ledger.asked && t.lost == 0 && fabs(t.growth_ns) < 1);
}
END_TEST

START_TEST(loss_fails_down_to_what_is_allowed)
{
	measure(false, 200e6);
	lose(1, PACE_NETWORK);
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	c.max_loss = 0.001;
	lose(p->ledger.asked / 1000, PACE_NETWORK);
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	lose(p->ledger.asked / 1000 + 1, PACE_NETWORK);
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	/* what this host refused is lost as well */
	lose(0, PACE_NETWORK);
	p->tx.refused = p->ledger.asked / 1000 + 1;
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_REFUSED);
	c.max_loss = 0.01;
	/* whose mean gap has the slots */
	pace_hist_add_n(&p->tx.gap, (int64_t)(pace_params_gap_ns(&p->ask) * 1.0101), 100000);
	p->tx.frames = p->rx.unique = p->ledger.asked - p->ledger.asked / 100;
	p->tx.refused = p->ledger.asked / 100;
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	ck_assert_uint_eq(t.lost, p->tx.refused);
}
END_TEST

/* Half the precision is 2.5 ms of a second. */
START_TEST(a_queue_that_grows_fails)
{
	measure(false, 200e6);
	queue(2.6e6);
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_QUEUE);
	measure(false, 200e6);
	queue(2.4e6);
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	measure(true, 200e6);
	queue(20e6);
	judged(true, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	measure(true, 200e6);
	queue(30e6);
	judged(true, PACE_TRIAL_FAILED, PACE_WHY_QUEUE);
	/* one that tokens hid for four fifths of the trial is one */
	measure(false, 200e6);
	p->rx.duration_ns += 3000000;
	pace_hist_add_n(&p->rx.pdv, 1000, 3000);
	for (int i = 0; i < 1000; i++)
		pace_hist_add(&p->rx.pdv, 3000 * i);
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_QUEUE);
	/* one late frame is no queue */
	measure(false, 200e6);
	p->rx.duration_ns += 5000000;
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
}
END_TEST

/* Clocks that run 10 000 ppm apart make no queue, and hide none. */
START_TEST(the_clocks_rate_is_taken_out)
{
	measure(false, 200e6);
	p->clock.exchanges = 10;
	p->clock.from_ns = 0;
	p->clock.to_ns = SEC;
	p->clock.fit.segments = 1;
	p->clock.fit.v[0].line.rate = 0.01;
	p->rx.duration_ns = SEC + SEC / 100;
	queue(0);
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	p->rx.duration_ns = SEC;
	p->clock.fit.v[0].line.rate = -0.01;
	queue(0);
	for (int i = 0; i < 3000; i++)
		pace_hist_add(&p->rx.pdv, 5000000);
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_QUEUE);
}
END_TEST

/* If the responder sends, its clock is that of the sender. */
START_TEST(the_clocks_rate_of_reverse_is_taken_out)
{
	measure(false, 200e6);
	p->ask.direction = PACE_DOWN;
	p->clock.exchanges = 10;
	p->clock.from_ns = 0;
	p->clock.to_ns = SEC;
	p->clock.fit.segments = 1;
	p->clock.fit.v[0].line.rate = 0.01;
	p->tx.duration_ns = SEC + SEC / 100;
	queue(0);
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	ck_assert(fabs(t.growth_ns) < 1);
}
END_TEST

START_TEST(a_degraded_sender_makes_a_trial_invalid)
{
	measure(false, 200e6);
	freeze(1500000);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	lose(1000, PACE_NETWORK);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	measure(false, 200e6);
	p->verdict = PACE_DEGRADED;
	p->tx.late_frames = p->tx.frames / 50;
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_LATE);
	measure(false, 200e6);
	p->has_rx = false;
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_NO_RESULT);
	pace_trial_judge(&c, NULL, &t);
	ck_assert(t.verdict == PACE_TRIAL_DISTURBED && isnan(t.growth_ns));
}
END_TEST

/* Held up once, the mean is off, the median is not. */
START_TEST(slow_is_not_disturbed)
{
	measure(false, 200e6);
	pace_hist_add(&p->tx.gap, 40000000);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_RATE);
	pace_hist_reset(&p->tx.gap_error);
	pace_hist_add(&p->tx.gap_error, 2000);
	judged(false, PACE_TRIAL_SLOW, PACE_WHY_RATE);
}
END_TEST

/* 2 ms of 58.9 us are 34 frames in a burst behind the freeze. */
START_TEST(a_long_trial_bears_a_freeze)
{
	measure(true, 200e6);
	freeze(2000000);
	judged(true, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	pace_hist_add(&p->tx.gap, 58880 + 1001 * 58880 / 250);	/* and it was 0.4 % slower */
	judged(true, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_RATE);
	lose(33, PACE_NETWORK);
	judged(true, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	lose(35, PACE_NETWORK);
	judged(true, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	p->verdict = PACE_PACED;		/* so short that it excuses nothing */
	p->tx.stalls.total_ns = p->tx.stalls.max_ns = 900000;
	lose(1, PACE_NETWORK);
	judged(true, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
}
END_TEST

/* A queue of the host is full, and the core that serves it has a thousand stalls of 30 us. */
START_TEST(short_stalls_excuse_no_refusal)
{
	measure(false, 100e6);
	freeze(80000);
	p->tx.stalls.count = 1000;
	p->tx.stalls.total_ns = 30000000;
	p->tx.refused = 69;
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_REFUSED);
	p->tx.stalls.max_ns = 4000000;
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
}
END_TEST

/* On a busy host nothing would ever be found. */
START_TEST(three_invalid_trials_make_lenient)
{
	for (int i = 0; i < 3; i++) {
		measure(false, 10e6);
		freeze(2000000);
		judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
		pace_capacity_take(&c, p);
	}
	judged(false, PACE_TRIAL_PASSED, PACE_WHY_NONE);
	p->tx.late_frames = 5;
	lose(6, PACE_NETWORK);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	lose(7, PACE_NETWORK);			/* 1.7 in 2 ms, and 5 */
	judged(false, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	pace_hist_add(&p->tx.gap, 40000000);
	judged(false, PACE_TRIAL_DISTURBED, PACE_WHY_RATE);
}
END_TEST

/* --- whole searches ------------------------------------------------------------------------ */

static void (*spoil)(void);
static double capacity_bps;

static void
hunt(double bps, void (*how)(void))
{
	struct pace_trial_params a;
	int n = 0;

	capacity_bps = bps;
	spoil = how;
	while (pace_search_next(&c.search, &a)) {
		ck_assert_int_lt(++n, 200);
		measure(a.lengthy, a.bps);
		if (a.bps > capacity_bps)
			spoil();
		pace_capacity_take(&c, p);
	}
	ck_assert_uint_eq(c.n, (size_t)n);
	ck_assert_uint_eq(c.points, (size_t)n);
}

static void on_path(void) { lose(100, PACE_NETWORK); }
static void in_socket(void) { lose(100, PACE_RX_SOCKET); p->ledger.place[PACE_NETWORK].n = 1; }
static void in_nic(void) { lose(100, PACE_RX_NIC); }
static void in_qdisc(void) { lose(100, PACE_TX_QDISC); }
static void
at_both(uint64_t network)
{
	lose(100, PACE_RX_NIC);
	p->ledger.place[PACE_RX_NIC].n = p->ledger.place[PACE_RX_SOFTNET].n = 30;
	p->ledger.place[PACE_NETWORK].n = network;
}
static void in_either(void) { at_both(20); }
static void more_on_path(void) { at_both(40); }
static void refused(void) { p->tx.refused = 100; p->tx.refused_errno = 105; }
static void queued(void) { queue(100e6); }
static void queued_here(void)
{
	queue(100e6);
	for (int i = 0; i < 100; i++)
		pace_hist_add(&p->tx.stack, i * 1000000);
}
static void slow(void)
{
	pace_hist_reset(&p->tx.gap_error);
	pace_hist_add(&p->tx.gap_error, 100000);
	pace_hist_add(&p->tx.gap, 40000000);
}

static const struct {
	void		(*how)(void);
	const char	*limit, *place, *why;	/* NULL: null */
} limits[] = {
	{ on_path, "path", "network", "loss" }, { in_socket, "responder", "rx_socket", "loss" },
	{ in_nic, "responder", "rx_nic", "loss" }, { in_qdisc, "sender", "tx_qdisc", "loss" },
	{ refused, "sender", "tx_refused", "refused" }, { queued, "path", "network", "queue" },
	{ queued_here, "sender", "tx_qdisc", "queue" }, { slow, "sender", NULL, "rate" },
	/* as the sentence has it: hosts are not added up */
	{ in_either, "responder", "rx_softnet", "loss" }, { more_on_path, "path", "network", "loss" },
};

static json_t *doc;

static const json_t *
member(const char *key)
{
	return json_object_get(json_object_get(doc, "capacity"), key);
}

static void
is(const char *key, const char *want)
{
	const char *got = json_string_value(member(key));

	ck_assert_msg((want == NULL) == (got == NULL) && (want == NULL || strcmp(got, want) == 0),
	    "%s: %s, not %s", key, got, want);
}

static void
tell(void)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	ck_assert_int_eq(pace_capacity_text(f, &c, true), 0);
	fclose(f);
	doc = pace_capacity_to_json(&c);
	ck_assert_ptr_nonnull(doc);
}

static void
says(const char *what)
{
	ck_assert_msg(strstr(text, what) != NULL, "no '%s' in\n%s", what, text);
}

START_TEST(the_limit_has_a_name)
{
	const json_t *found;

	hunt(200e6, limits[_i].how);
	tell();
	is("limit", limits[_i].limit);
	is("place", limits[_i].place);
	is("why", limits[_i].why);
	says(limits[_i].how == in_either ? "softnet backlog" :
	    limits[_i].how == more_on_path ? "died in the network" : "");
	ck_assert(pace_capacity_is_measured(&c) == (strcmp(limits[_i].limit, "sender") != 0));
	found = member("found");
	ck_assert(json_number_value(json_object_get(found, "user_rate_bps")) <= 200e6);
	ck_assert(json_number_value(json_object_get(found, "user_rate_bps")) >= 195e6);
	ck_assert(json_integer_value(json_object_get(found, "sustained_ns")) == 10 * SEC);
	ck_assert(json_is_true(member("complete")));
	ck_assert_uint_eq(json_array_size(member("trials")), c.n);
	is("direction", "up");
	json_decref(doc);
}
END_TEST

/* These losses when the responder sends: the hosts change places. */
START_TEST(the_limit_of_reverse_has_a_name)
{
	static const struct { const char *limit, *words; } hosts[] = {
		{ "path", "  limit       the path: " }, { "client", "  limit       this host: " },
		{ "sender", "  limit       the responder's host: " },
		{ "sender", "  limit       the sender: the responder could not keep that rate" },
	};
	int host = strcmp(limits[_i].limit, "path") == 0 ? 0 :
	    strcmp(limits[_i].limit, "responder") == 0 ? 1 :
	    strcmp(limits[_i].why, "rate") == 0 ? 3 : 2;

	c.direction = PACE_DOWN;
	hunt(200e6, limits[_i].how);
	tell();
	is("direction", "down");
	is("limit", hosts[host].limit);
	is("place", limits[_i].place);
	is("why", limits[_i].why);
	says(hosts[host].words);
	json_decref(doc);
}
END_TEST

/* Read by a person: 200 Mbit/s of 1472 bytes are 16 984 frames a second. */
START_TEST(a_result_looks_like_this)
{
	hunt(200e6, queued);
	tell();
	ck_assert_str_eq(text, "  growth: of the delay, from the first frame to the last\n"
	    "  q  a queue grew\n\nconclusions\n"
	    "  capacity    200.00 Mbit/s of data, 208.97 Mbit/s on the wire:\n"
	    "              1472 B every 58.9 µs\n"
	    "              no loss in 203 805 frames: loss ratio below 1.5e-5 with 95 %\n"
	    "              sustained for 10.0 s\n"
	    "  too much    200.63 Mbit/s of data, 209.62 Mbit/s on the wire:\n"
	    "              1472 B every 58.7 µs\n"
	    "  limit       the path: a queue on the path grew by 100 ms in 1.00 s, before it\n"
	    "              lost a frame\n"
	    "  trials      24\n");
	json_decref(doc);
}
END_TEST

/* --- a busy sender --------------------------------------------------------------------------- */

/* The loss of a second before the first trial. */
static void
idle(int64_t lost_ns)
{
	struct pace_point *i = pace_point_new();

	i->tx.duration_ns = SEC;
	i->tx.schedule_shifted_ns = lost_ns;
	i->tx.preempted = 100;
	i->tx.stalls = (struct pace_stalls){ 100, lost_ns, 4000000 };
	i->tx.causes = (struct pace_stall_causes){ .known = true, .core = 1, .waited_ns = lost_ns,
	    .task = { { "sh", 4711, lost_ns } } };
	pace_capacity_idle(&c, &i->tx);
	pace_point_free(i);
}

START_TEST(two_per_cent_of_the_time_are_busy)
{
	idle(SEC / 50);
	ck_assert(!c.idle.busy && !c.search.cfg.busy);
	idle(SEC / 50 + 1);
	ck_assert(c.idle.busy && c.search.cfg.busy);
	ck_assert_ptr_nonnull(strstr(c.idle.why, "(sh, pid 4711, ran 20.0 ms)"));
}
END_TEST

START_TEST(a_busy_senders_trials_never_fail_by_the_path)
{
	measure(true, 200e6);
	freeze(2000000);
	lose(1000, PACE_NETWORK);
	judged(true, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
	idle(SEC / 2);
	judged(true, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	measure(true, 200e6);
	freeze(2000000);
	queue(100e6);
	judged(true, PACE_TRIAL_DISTURBED, PACE_WHY_STALLED);
	/* but one that it kept to the schedule does */
	measure(true, 200e6);
	lose(1, PACE_NETWORK);
	judged(true, PACE_TRIAL_FAILED, PACE_WHY_LOSS);
}
END_TEST

/* 40 Mbit/s were asked for, 37.5 left: the mean gap is 6.7 % above. */
static void
half_kept(void)
{
	freeze(3000000);
	pace_hist_add_n(&p->tx.gap, 314027, 1000000);
	p->tx.user_rate_bps = 37.5e6;
	p->rx.user_rate_bps = 37.4e6;
}

START_TEST(what_was_sent_without_loss_is_the_senders_limit)
{
	const json_t *found;

	idle(SEC / 2);
	hunt(30e6, half_kept);
	ck_assert_int_le((int)c.n, 20);
	tell();
	is("limit", "sender");
	is("why", "rate");
	is("diagnosis", c.idle.why);
	found = member("found");
	ck_assert(fabs(json_number_value(json_object_get(found, "user_rate_bps")) - 37.4e6) < 1);
	ck_assert_int_eq(json_integer_value(json_object_get(found, "trials")), 1);
	ck_assert(json_is_null(member("failed")) && json_is_false(member("complete")));
	ck_assert(json_is_true(json_object_get(member("sender"), "busy")));
	says("capacity    at least 37.40 Mbit/s of data");
	says("              in trials of 1.00 s only: the search was not finished\n"
	    "              limited by the sender: the path carried all that it sent\n");
	says("limit       the sender: this host could not keep that rate;");
	says("4711");
	ck_assert_ptr_null(strstr(text, "not kept"));
	json_decref(doc);
}
END_TEST

static void
half_kept_and_lost(void)
{
	half_kept();
	lose(1, PACE_NETWORK);
}

/* A frame was lost of every trial: nothing is known of the path, and nothing is said. */
START_TEST(what_the_sender_spoilt_is_no_figure)
{
	idle(SEC / 2);
	hunt(1, half_kept_and_lost);
	ck_assert_int_le((int)c.n, 5);
	tell();
	is("limit", "sender");
	ck_assert(json_is_null(member("found")));
	says("capacity    not known: the sender did not keep 10.0 Mbit/s");
	ck_assert_ptr_null(strstr(text, "none"));
	json_decref(doc);
}
END_TEST

START_TEST(nothing_that_passes_is_told)
{
	hunt(1, on_path);
	tell();
	says("capacity    none: 10.0 Mbit/s, the lowest requested rate, did not pass\n");
	says("200 lost in 1 700 frames");
	says("--max-loss");
	is("limit", "path");
	ck_assert(!pace_capacity_is_measured(&c));
	ck_assert(json_is_null(member("found")) && json_is_object(member("failed")));
	json_decref(doc);
}
END_TEST

START_TEST(a_path_that_takes_all_is_told)
{
	hunt(1e12, on_path);
	ck_assert(pace_capacity_is_measured(&c));
	tell();
	says("at least 1.000 Gbit/s of data");
	says("the highest requested rate: the path carried it");
	is("limit", "highest");
	ck_assert(json_is_null(member("failed")) && json_is_null(member("place")));
	json_decref(doc);
}
END_TEST

/* One of two trials lost something: that is not kept quiet. */
START_TEST(a_failure_that_was_outvoted_counts)
{
	struct pace_trials at;

	measure(false, 10e6);
	lose(2, PACE_NETWORK);
	pace_capacity_take(&c, p);
	for (int i = 0; i < 2; i++) {
		measure(false, 10e6);
		pace_capacity_take(&c, p);
	}
	ck_assert(fabs(c.search.best_bps - 10e6) < 1);
	at = pace_capacity_at(&c, 10e6);
	ck_assert(at.n == 3 && at.lost == 2 && at.frames == 3 * 850);
	tell();
	is("limit", NULL);
	says("2 lost in 2 550 frames: loss ratio below 0.246 %");
	says("the search was not finished");
	json_decref(doc);
}
END_TEST

/* It names no location either: 100, 200, 400 Mbit/s, then 300. */
START_TEST(a_failure_that_was_outvoted_blames_nobody)
{
	static const char verdicts[] = "PPFFSPPP";
	const struct pace_search_cfg cfg = { 100e6, 1e9, 0.5, 2, false };
	struct pace_trial_params a;

	pace_search_begin(&c.search, &cfg);
	for (const char *v = verdicts; *v != '\0'; v++) {
		ck_assert(pace_search_next(&c.search, &a));
		measure(a.lengthy, a.bps);
		if (*v == 'F')
			on_path();
		if (*v == 'S')
			in_socket();
		pace_capacity_take(&c, p);
	}
	ck_assert(c.search.done && fabs(c.search.best_bps - 300e6) < 1);
	tell();
	is("limit", "path");
	is("place", "network");
	json_decref(doc);
}
END_TEST

START_TEST(rows_are_told_as_trials_end)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	measure(false, 10e6);
	ck_assert_int_eq(pace_capacity_text_row_head(f, &c, false), 0);
	ck_assert_int_eq(pace_capacity_text_row(f, &c, p, false), 0);
	pace_capacity_take(&c, p);
	measure(false, 20e6);
	lose(17, PACE_NETWORK);
	ck_assert_int_eq(pace_capacity_text_row(f, &c, p, false), 0);
	measure(false, 20e6);
	freeze(1700000);
	ck_assert_int_eq(pace_capacity_text_row(f, &c, p, false), 0);
	fclose(f);
	ck_assert_str_eq(text,
	    "trial    data    wire spacing   for   frames   lost     lost  growth\n"
	    "       Mbit/s  Mbit/s      us     s          frames    %          ms\n"
	    "    1   10.00   10.45 1177.60   1.0      850      0   0         0.00  passed\n"
	    "    2   20.00   20.90 588.800   1.0     1699     17   1.00      0.00  failed  l\n"
	    "    2   20.00   20.90 588.800   1.0     1699      0   0         0.00  invalid f\n");
}
END_TEST

START_TEST(the_policys_refusal_ends_it_and_is_told)
{
	static const char why[] = "rule 'default': its 1 GB a day are used up until 00:00 UTC";

	snprintf(c.refused, sizeof(c.refused), "%s", why);
	tell();
	is("limit", "policy");
	is("why", NULL);
	is("place", NULL);
	is("diagnosis", why);
	ck_assert(json_is_null(member("found")));
	says("capacity    not known: the responder refused to measure it");
	says("limit       the responder's policy: rule 'default': its 1 GB a day");
	ck_assert_ptr_null(strstr(text, "sender"));
	json_decref(doc);
	/* after one that passed */
	measure(false, 10e6);
	pace_capacity_take(&c, p);
	tell();
	is("limit", "policy");
	says("capacity    at least 10.00 Mbit/s of data");
	json_decref(doc);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("capacity");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, what_was_kept_and_not_lost_passes);
	tcase_add_test(tc, loss_fails_down_to_what_is_allowed);
	tcase_add_test(tc, a_queue_that_grows_fails);
	tcase_add_test(tc, the_clocks_rate_is_taken_out);
	tcase_add_test(tc, the_clocks_rate_of_reverse_is_taken_out);
	tcase_add_test(tc, a_degraded_sender_makes_a_trial_invalid);
	tcase_add_test(tc, slow_is_not_disturbed);
	tcase_add_test(tc, a_long_trial_bears_a_freeze);
	tcase_add_test(tc, short_stalls_excuse_no_refusal);
	tcase_add_test(tc, three_invalid_trials_make_lenient);
	tcase_add_loop_test(tc, the_limit_has_a_name, 0, COUNT_OF(limits));
	tcase_add_loop_test(tc, the_limit_of_reverse_has_a_name, 0, COUNT_OF(limits));
	tcase_add_test(tc, a_result_looks_like_this);
	tcase_add_test(tc, two_per_cent_of_the_time_are_busy);
	tcase_add_test(tc, a_busy_senders_trials_never_fail_by_the_path);
	tcase_add_test(tc, what_was_sent_without_loss_is_the_senders_limit);
	tcase_add_test(tc, what_the_sender_spoilt_is_no_figure);
	tcase_add_test(tc, nothing_that_passes_is_told);
	tcase_add_test(tc, the_policys_refusal_ends_it_and_is_told);
	tcase_add_test(tc, a_path_that_takes_all_is_told);
	tcase_add_test(tc, a_failure_that_was_outvoted_counts);
	tcase_add_test(tc, a_failure_that_was_outvoted_blames_nobody);
	tcase_add_test(tc, rows_are_told_as_trials_end);
	return unit_run(tc, "capacity");
}
