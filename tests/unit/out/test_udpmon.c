/* udpmon.h, udpmon_hist.h and udpmon_records.h against lines typed in. */
#include "out/udpmon.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"
#include "lib/printed.h"
#include "core/cursor.h"
#include "out/udpmon_hist.h"
#include "out/udpmon_records.h"

static struct pace_point *p;
static struct pace_latency *l;
static struct pace_udpmon_hist u;
static bool left_out;

static void
setup(void)
{
	p = pace_point_new();
	l = pace_latency_new();
	memset(&u, 0, sizeof(u));
}

static void
teardown(void)
{
	pace_point_free(p);
	free(l);
	free(text);
	text = NULL;
}

static int
cells_of(const char *from)
{
	int n = 0;

	for (const char *c = from; *c != '\0' && *c != '\n'; c++)
		n += *c == ';';
	return n;
}

static const char *
line_of(int number)
{
	const char *at = text;

	while (number-- > 0) {
		at = strchr(at, '\n');
		ck_assert_ptr_nonnull(at);
		at++;
	}
	return at;
}

static void
is_line(int number, const char *wanted)
{
	const char *at = line_of(number);

	ck_assert_msg(strncmp(at, wanted, strlen(wanted)) == 0 && at[strlen(wanted)] == '\n',
	    "line %d is '%.*s', not '%s'", number, (int)strcspn(at, "\n"), at, wanted);
}

/* Ten frames of 1000 bytes every 10 us; three lost, one late. */
static void
fill(void)
{
	struct pace_rx_result *r = &p->rx;

	p->has_rx = true;
	p->ask.size_bytes = 1000;
	p->ask.spacing = UINT64_C(10500) << 32;
	p->tx.frames = 10;
	p->tx.duration_ns = 90000;
	p->tx.user_rate_bps = 800000000;
	r->unique = r->frames = 7;
	r->lost = 3;
	r->reordered = 1;
	r->duration_ns = 60300;
	r->user_rate_bps = 796019900.5;
	r->wire_rate_bps = 848557213.93;
	for (int i = 0; i < 4; i++)
		pace_hist_add(&r->gap, 10000);
	pace_hist_add(&r->gap, 10100);
	pace_hist_add(&r->gap, 10200);
	pace_hist_add(&r->runs, 1);
	pace_hist_add(&r->runs, 2);
	pace_hist_add(&r->extent, 1);
	p->ledger.place[PACE_NETWORK] = (struct pace_share){ true, 2, 2, 2 };
}

static void
write_stream(struct pace_udpmon_cfg cfg, uint32_t before)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_udpmon_stream(f, &cfg, p, before, &left_out), 0);
	fclose(f);
}

#define NO_HOSTS \
	"L ; ; ; ; ; ; ; ; ;R ; ; ; ; ; ; ; ; ;" \
	"L if; ; ; ; ; ; ; ; ; ;L snmp; ; ; ; ; ; ; ;" \
	"R if; ; ; ; ; ; ; ; ; ;R snmp; ; ; ; ; ; ; ; R NIC; ; ; ; ; ; ; ; ; ; ;  "

START_TEST(a_row_has_these_cells)
{
	fill();
	write_stream((struct pace_udpmon_cfg){ .hists = false }, 1000);
	is_line(0, " 1000; 10; ; ; 10;  10.5;  90; 800; 7; 3; 1; 30; 2; 20;  60.3;  10.05;  796.02;"
	    "  848.557;  6; 100.5; 0.83666; ; ; 100; 100; 101;" NO_HOSTS);
	ck_assert_str_eq(line_of(1), "");
}
END_TEST

START_TEST(without_the_responder_its_cells_are_empty)
{
	fill();
	p->has_rx = false;
	write_stream((struct pace_udpmon_cfg){ .hists = true }, 1000);
	is_line(0, " 1000; 10; ; ; 10;  10.5;  90; 800; ; ; ; ; ; ;  ;  ;  ;  ;  ; ; ; ; ; ; ; ;"
	    NO_HOSTS);
	ck_assert(!left_out);
	ck_assert_str_eq(line_of(1), "");
}
END_TEST

/* Nothing can be computed of one frame, or none. */
START_TEST(what_was_not_measured_is_empty)
{
	p->ask.size_bytes = 64;
	p->tx.frames = 1;
	p->has_rx = true;
	p->rx.lost = 1;
	write_stream((struct pace_udpmon_cfg){ .hists = false }, 64);
	is_line(0, " 64; 1; ; ; ;  0;  ; ; 0; 1; 0; 1e+02; ; ;  ;  ;  ;  ;  0; ; ; ; ; ; ; ;" NO_HOSTS);
}
END_TEST

/* Two cores here, one there; the interface of the session. */
static void
fill_hosts(void)
{
	struct pace_counters *k = &p->ours;

	k->known = k->has_cpu = true;
	k->cores = 1;
	k->core = calloc(1, sizeof(*k->core));
	k->core[0].core = 1;
	k->core[0].ns[PACE_CPU_USER] = 10;
	k->core[0].ns[PACE_CPU_NICE] = 5;
	k->core[0].ns[PACE_CPU_SYSTEM] = 20;
	k->core[0].ns[PACE_CPU_IDLE] = 50;
	k->core[0].ns[PACE_CPU_IOWAIT] = 3;
	k->core[0].ns[PACE_CPU_IRQ] = 4;
	k->core[0].ns[PACE_CPU_SOFTIRQ] = 8;
	k->core[0].ns[PACE_CPU_STEAL] = 1000;
	k->all = k->core[0];
	k->interfaces = 2;
	k->interface = calloc(2, sizeof(*k->interface));
	snprintf(k->interface[0].name, 16, "lo");
	snprintf(k->interface[1].name, 16, "eth1");
	k->interface[1].route = true;
	for (int i = 0; i < PACE_IF_COUNTS; i++)
		k->interface[1].n[i] = (uint64_t)(100 + i);
	for (int i = 0; i < PACE_SNMPS; i++) {
		k->snmp[0][i] = (uint64_t)i;
		k->has_snmp[0][i] = i != PACE_UDP_IN_ERRORS;
	}
	k = &p->theirs;
	k->known = true;
	k->interfaces = k->stats = 1;
	k->interface = calloc(1, sizeof(*k->interface));
	snprintf(k->interface[0].name, 16, "eth2");
	k->interface[0].route = true;
	k->stat = calloc(1, sizeof(*k->stat));
	snprintf(k->stat[0].name, 32, "rx_crc_errors_phy");
	k->stat[0].n = 6;
}

START_TEST(hosts_are_told_in_UDPmons_order)
{
	struct pace_udpmon_cfg cfg = { .hists = false };
	const char *hosts;

	fill();
	fill_hosts();
	pace_udpmon_widen(&cfg, p);
	ck_assert_uint_eq(cfg.ours, 2);
	ck_assert_uint_eq(cfg.theirs, 0);
	write_stream(cfg, 1000);
	hosts = strstr(text, "L ;");
	ck_assert_ptr_nonnull(hosts);
	ck_assert_str_eq(hosts, "L ; 10; 5; 35; 50; 3; 4; 8; ;L0 ; ; ; ; ; ; ; ; ;"
	    "L1 ; 10; 5; 35; 50; 3; 4; 8; ;R ; ; ; ; ; ; ; ; ;"
	    "L if;eth1: ; 101; 100; 102; 103; 107; 106; 108; 109;L snmp; 0; 4; 6; 7; 14; ; 17;"
	    "R if;eth2: ; 0; 0; 0; 0; 0; 0; 0; 0;R snmp; ; ; ; ; ; ; ; R NIC; eth2;"
	    " ; ; ; ; ; ; ; 6; ;  \n");
}
END_TEST

START_TEST(each_title_stands_above_its_cell)
{
	struct pace_udpmon_cfg cfg = { .ipv6 = _i == 1 };

	fill();
	fill_hosts();
	pace_udpmon_widen(&cfg, p);
	write_stream(cfg, _i == 2 ? 64 : 0);
	is_line(0, " 1000 bytes");
	ck_assert_int_eq(strncmp(line_of(1), "  pkt len; num_sent; num_ACKs recv; num_timeout; "
	    "Time/frame us; inter-pkt_time us;", 80), 0);
	ck_assert_int_eq(cells_of(line_of(1)), cells_of(line_of(2)));
	ck_assert_int_eq(strstr(text, "Udp6InErrors") != NULL, _i == 1);
}
END_TEST

/* --- histograms ------------------------------------------------------------------------- */

static void
grid(int64_t low, int64_t width, uint32_t bins)
{
	u.low = low;
	u.width = width;
	u.bins = bins;
}

START_TEST(bins_within_an_edge_are_counted)
{
	struct pace_hist h;

	pace_hist_reset(&h);
	pace_hist_add(&h, -5);
	pace_hist_add(&h, 0);
	pace_hist_add(&h, 99);
	pace_hist_add_n(&h, 100, 3);
	pace_hist_add(&h, 199);
	pace_hist_add_n(&h, 100000, 2);
	grid(0, 1, 2);
	ck_assert(pace_udpmon_from_hist(&u, &h, 0, 100));
	ck_assert_uint_eq(u.underflow, 1);
	ck_assert_uint_eq(u.overflow, 2);
	ck_assert_uint_eq(u.n, 6);
	ck_assert_uint_eq(u.count[0], 2);
	ck_assert_uint_eq(u.count[1], 4);
	ck_assert_double_eq_tol(u.mean, (0 + 99 + 300 + 199) / 600.0, 1e-12);
}
END_TEST

/* 9984..10048 lies across 10000, and so does anything moved there. */
START_TEST(bins_across_an_edge_are_refused)
{
	struct pace_hist h;

	pace_hist_reset(&h);
	pace_hist_add(&h, 10000);
	grid(0, 1, 150);
	ck_assert(!pace_udpmon_from_hist(&u, &h, 0, 100));
	grid(0, 1, 99);			/* above 9900, but not surely in it */
	ck_assert(pace_udpmon_from_hist(&u, &h, 0, 100));
	ck_assert_uint_eq(u.overflow, 1);
	pace_hist_reset(&h);
	pace_hist_add(&h, 256);		/* 256 and 257 */
	grid(0, 1, 150);
	ck_assert(pace_udpmon_from_hist(&u, &h, 0, 100));
	ck_assert(!pace_udpmon_from_hist(&u, &h, 43, 100));
	pace_hist_reset(&h);
	pace_hist_add(&h, -2);
	grid(0, 1, 150);
	ck_assert(pace_udpmon_from_hist(&u, &h, 10000, 100));
	ck_assert_uint_eq(u.count[99], 1);
}
END_TEST

START_TEST(a_lens_of_whole_units_is_taken)
{
	uint64_t count[3] = { 1, 0, 3 };
	struct pace_linear_hist linear = { .low = 9800, .width = 200, .bins = 3, .underflow = 4,
	    .overflow = 5, .count = count };

	ck_assert(pace_udpmon_from_linear_hist(&u, &linear, 100));
	ck_assert_int_eq(u.low, 98);
	ck_assert_int_eq(u.width, 2);
	ck_assert_uint_eq(u.n, 4);
	ck_assert_uint_eq(u.underflow, 4);
	ck_assert_double_eq_tol(u.mean, (99 + 3 * 103) / 4.0, 1e-12);
	linear.low = 9850;
	ck_assert(!pace_udpmon_from_linear_hist(&u, &linear, 100));
	linear.low = 9800;
	linear.width = 150;
	ck_assert(!pace_udpmon_from_linear_hist(&u, &linear, 100));
	linear.bins = 0;
	ck_assert(!pace_udpmon_from_linear_hist(&u, &linear, 100));
}
END_TEST

/* gap_error has bins of 1 ns near the spacing; the one of gap is 64 ns wide. */
START_TEST(the_errors_of_gaps_make_an_exact_histogram)
{
	fill();
	write_stream((struct pace_udpmon_cfg){ .hists = true }, 1000);
	ck_assert(left_out);
	is_line(1, "Hist        1 Lost-frame sequence");
	is_line(2, " counts 2 mean 1.50 underflows 0 overflows 0");
	is_line(4, "1 ; 1");
	is_line(13, "Hist        2 Out-of-order");
	is_line(16, "1 ; 1");
	for (int i = 0; i < 4; i++)
		pace_hist_add(&p->rx.gap_error, -500);
	pace_hist_add(&p->rx.gap_error, -400);
	pace_hist_add(&p->rx.gap_error, -300);
	write_stream((struct pace_udpmon_cfg){ .hists = true }, 1000);
	ck_assert(!left_out);
	is_line(1, "Hist        0 Time between frames 0.1us");
	is_line(2, " counts 6 mean 100.50 underflows 0 overflows 0");
	is_line(3 + 99, "99 ; 0");
	is_line(3 + 100, "100 ; 4");
	is_line(3 + 101, "101 ; 1");
	is_line(3 + 102, "102 ; 1");
	is_line(3 + 150, "Hist        1 Lost-frame sequence");
}
END_TEST

/* --- round trips ------------------------------------------------------------------------- */

static void
write_trips(void)
{
	const struct pace_udpmon_cfg cfg = { .hists = true };
	FILE *f = begin();

	ck_assert_int_eq(pace_udpmon_rtt_head(f), 0);
	ck_assert_int_eq(pace_udpmon_rtt(f, &cfg, l, &left_out), 0);
	fclose(f);
	is_line(0, "response len bytes; Req len;  loop_count;  num_bad; time/frame (tod); "
	    "ave time us; min time; max time; num timeouts; ");
}

START_TEST(a_row_of_round_trips_has_these_cells)
{
	l->ask.size_bytes = 64;
	l->ask.reply_bytes = 1472;
	l->sent = 5;
	l->timeouts = 1;
	l->received = 4;
	l->duration_ns = 4400000;
	for (int i = 0; i < 4; i++)
		pace_hist_add(&l->rtt, 41000 + 1000 * i);
	write_trips();
	is_line(1, " 1472;  64;  5;   1;  1100;   42.500;   41.00;   44.000; 1 ");
	ck_assert(left_out);
	ck_assert_str_eq(line_of(2), "");
	l->linear.low = 40000;
	l->linear.width = 2000;
	l->linear.bins = 2;
	l->linear.count[0] = 1;
	l->linear.count[1] = 2;
	l->linear.overflow = 1;
	write_trips();
	ck_assert(!left_out);
	is_line(2, "Hist        0 Time per req-resp us");
	is_line(3, " counts 3 mean 42.33 underflows 0 overflows 1");
	is_line(4, "40 ; 1");
	is_line(5, "42 ; 2");
	is_line(6, " counts 3; underflows 0; overflows 1; ");
	is_line(7, " mean 42.5 sigma 1.291; coeff_skew ; coeff_kurtosis ; ");
	is_line(8, " median 42; 25-quartile 41; 75-quartile 43; ");
}
END_TEST

START_TEST(no_reply_gives_no_times)
{
	l->ask.size_bytes = l->ask.reply_bytes = 64;
	l->sent = l->timeouts = 1;
	write_trips();
	is_line(1, " 64;  64;  1;   1;  ;  ;  ;  ; 1 ");
}
END_TEST

/* --- records ----------------------------------------------------------------------------- */

#define RECORDS	7

/* Frame, departure, arrival, flags: 2 is lost, 1 is late, 3 comes twice, of 5 only a
 * copy; 7 was never sent. */
static const struct pace_record records[RECORDS] = {
	{ 0, 1000, 21000, 0, PACE_STAMP_KERNEL },
	{ 3, 31000, 52500, 0, PACE_STAMP_KERNEL | PACE_RECORD_HOLE },
	{ 1, 11000, 60040, 0, PACE_STAMP_KERNEL | PACE_RECORD_REORDERED },
	{ 3, 31000, 70000, 0, PACE_STAMP_KERNEL | PACE_RECORD_DUPLICATE },
	{ 4, 41000, 62000, 0, PACE_STAMP_NIC },
	{ 5, 51000, 72000, 0, PACE_STAMP_KERNEL | PACE_RECORD_DUPLICATE },
	{ 7, 71000, 92000, 0, PACE_STAMP_KERNEL },
};

static void
write_run(struct pace_record_run *run, const struct pace_record *v, bool clock_known)
{
	static uint8_t columns[RECORDS * PACE_RECORD_SIZE];
	struct pace_wr w = { .p = columns, .left = sizeof(columns) };
	FILE *f = begin();

	run->size_bytes = 64;
	run->columns = columns;
	for (uint64_t i = 0; i < run->n; i++)
		pace_wr_be(&w, v[i].seq, 8);
	for (uint64_t i = 0; i < run->n; i++)
		pace_wr_be(&w, (uint64_t)v[i].tx_ns, 8);
	for (uint64_t i = 0; i < run->n; i++)
		pace_wr_be(&w, (uint64_t)v[i].rx_ns, 8);
	for (uint64_t i = 0; i < run->n; i++)
		pace_wr_be(&w, v[i].late_ns, 4);
	for (uint64_t i = 0; i < run->n; i++)
		pace_wr_be(&w, v[i].flags, 1);
	if (clock_known) {		/* their clock is 5000 ns ahead */
		run->clock.segments = 1;
		run->clock.v[0] = (struct pace_clock_segment){ .to_ns = 100000,
		    .line = { .offset_ns = 5000 } };
	}
	ck_assert(pace_udpmon_dumpable(run));
	ck_assert_int_eq(pace_udpmon_dump(f, run), 0);
	fclose(f);
}

static void
dump(bool clock_known, uint64_t missed, uint64_t skip)
{
	struct pace_record_run run = { .sent = 7, .n = RECORDS, .missed = missed, .skip = skip };

	write_run(&run, records, clock_known);
}

START_TEST(a_dump_has_a_row_a_frame)
{
	dump(true, 0, 0);
	is_line(0, " 64 bytes");
	is_line(1, " num packets skipped =; 0");
	ck_assert_int_eq(cells_of(line_of(2)), 15);
	is_line(3, " 1; 150; 0; 150; 15; ;");
	is_line(4, "");
	is_line(5, " 2; 540; 100; 440; 44.04; ; 39.04; 10; 29.04; ; 60040; ; ; 39.04; ; ;");
	is_line(6, " 3; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;");
	is_line(7, " 4; 465; 300; 165; 16.5; ; ; ; ; ; 52500; ; ; ; ; ;");
	is_line(8, " 5; 560; 400; 160; 16; ; 9.5; 10; -0.5; ; ; 62000; ; ; ; ;");
	is_line(9, " 6; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;");
	is_line(10, " 7; ; ; ; ; ; ; ; ; ; ; ; ; ; ; ;");
	ck_assert_str_eq(line_of(11), "");
	ck_assert_int_eq(cells_of(line_of(5)), 16);
	ck_assert_int_eq(cells_of(line_of(6)), 16);
}
END_TEST

START_TEST(without_the_clock_there_is_no_delay)
{
	dump(false, 0, 0);
	is_line(3, " 1; 0; 0; 0; ; ;");
	is_line(5, " 2; 390; 100; 290; ; ; 39.04; 10; ; ; 60040; ; ; 39.04; ; ;");
}
END_TEST

/* Frames without room are not known to be lost. */
START_TEST(a_dump_ends_where_the_room_did)
{
	dump(true, 1, 1);
	is_line(1, " num packets skipped =; 1");
	is_line(3, " 2; 440; 0; 440; 44.04; ;");
	ck_assert_ptr_eq(strstr(text, " 6; "), NULL);
}
END_TEST

/* 0..2 came, 3 and 5 are lost, 4 is late, 6..8 came, 9 is lost, 10 came, 11 is lost. */
static const struct pace_record beside[] = {
	{ 2, 21000, 46000, 0, PACE_STAMP_KERNEL },
	{ 6, 61000, 87000, 0, PACE_STAMP_KERNEL | PACE_RECORD_HOLE },
	{ 4, 41000, 99000, 0, PACE_STAMP_KERNEL | PACE_RECORD_REORDERED },
	{ 8, 81000, 107500, 0, PACE_STAMP_KERNEL },
	{ 10, 101000, 127000, 0, PACE_STAMP_KERNEL | PACE_RECORD_HOLE },
	{ 12, 121000, 147000, 0, PACE_STAMP_KERNEL | PACE_RECORD_HOLE },
};

START_TEST(a_log_has_a_row_a_lost_frame)
{
	struct pace_record_run run = { .sent = 12, .n = COUNT_OF(beside), .lost_only = true };

	write_run(&run, beside, true);
	is_line(1, " num packets skipped =; 0");
	ck_assert_int_eq(cells_of(line_of(2)), 10);
	is_line(3, " 1; 200; 0; 200; 20; 3; ; 20; 0; 3");
	is_line(4, " 2; 200; 0; 200; 20; 5; ; 0; 0; 2");
	is_line(5, " 3; 815; 600; 215; 21.5; 9; ; 61.5; 60; 4");
	is_line(6, " 4; 1010; 800; 210; 21; 11; ; 19.5; 20; 2");
	ck_assert_str_eq(line_of(7), "");
	run.missed = 1;			/* what came of the end is not known */
	write_run(&run, beside, true);
	ck_assert_str_eq(line_of(6), "");
}
END_TEST

START_TEST(a_log_of_a_run_that_never_came_has_no_times)
{
	struct pace_record_run run = { .sent = 2, .lost_only = true };

	write_run(&run, beside, false);
	is_line(3, " 1; ; ; ; ; 0; ; ; ; 0");
	is_line(4, " 2; ; ; ; ; 1; ; ; ; 1");
	ck_assert_str_eq(line_of(5), "");
}
END_TEST

START_TEST(a_dump_of_too_many_frames_is_refused)
{
	struct pace_record_run run = { .sent = UINT64_C(1) << 40 };

	ck_assert(!pace_udpmon_dumpable(&run));
	run.skip = run.sent;
	ck_assert(pace_udpmon_dumpable(&run));
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("udpmon");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_row_has_these_cells);
	tcase_add_test(tc, without_the_responder_its_cells_are_empty);
	tcase_add_test(tc, what_was_not_measured_is_empty);
	tcase_add_test(tc, hosts_are_told_in_UDPmons_order);
	tcase_add_loop_test(tc, each_title_stands_above_its_cell, 0, 3);
	tcase_add_test(tc, bins_within_an_edge_are_counted);
	tcase_add_test(tc, bins_across_an_edge_are_refused);
	tcase_add_test(tc, a_lens_of_whole_units_is_taken);
	tcase_add_test(tc, the_errors_of_gaps_make_an_exact_histogram);
	tcase_add_test(tc, a_row_of_round_trips_has_these_cells);
	tcase_add_test(tc, no_reply_gives_no_times);
	tcase_add_test(tc, a_dump_has_a_row_a_frame);
	tcase_add_test(tc, without_the_clock_there_is_no_delay);
	tcase_add_test(tc, a_dump_ends_where_the_room_did);
	tcase_add_test(tc, a_log_has_a_row_a_lost_frame);
	tcase_add_test(tc, a_log_of_a_run_that_never_came_has_no_times);
	tcase_add_test(tc, a_dump_of_too_many_frames_is_refused);
	return unit_run(tc, "udpmon");
}
