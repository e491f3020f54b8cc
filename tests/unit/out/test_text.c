/* text.h, say.h, scale.h, strip.h: what a person sees. */
#include "out/text.h"

#include <check.h>
#include <errno.h>
#include <math.h>

#include "doc/aggregate.h"
#include "lib/fill.h"
#include "lib/printed.h"
#include "out/say.h"
#include "out/streams_text.h"
#include "out/strip.h"

static struct pace_point *p;

static void
setup(void)
{
	p = pace_point_new();
}

static void
teardown(void)
{
	pace_point_free(p);
	free(text);
	text = NULL;
}

static void
say_point(bool detail, bool utf8)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_text_point(f, p, detail, utf8), 0);
	fclose(f);
}

/* Read by a person, line by line, against the figures of fill_known. */
static const char golden[] =
	"1472 B every 10.0 µs: paced\n"
	"                       requested          sent      received   unit\n"
	"  frames                  50 000        50 000        49 976\n"
	"  rate of data             1.178         1.177         1.177   Gbit/s\n"
	"  rate on the wire         1.230         1.230         1.230   Gbit/s\n"
	"  mean gap                10.000        10.001        10.003   µs\n"
	"  duration               499.990       500.036       499.878   ms\n"
	"\n"
	"  lost                        24   0.0480 %   3 runs, longest 12\n"
	"    socket buffer             20   0 to 20\n"
	"    network                    4   0 to 24\n"
	"  reordered                    3   0.0060 %   furthest 3 places, latest 31.7 µs\n"
	"  duplicates                   2   0.0040 %\n"
	"\n"
	"  > probably 20 of 24 lost frames died in the responder's socket buffer\n"
	"    (granted 208 KiB, about 184 frames): raise net.core.rmem_max there\n"
	"\n"
	"  gap                min       p50       p99     p99.9       max   unit  stamp\n"
	"  sent              9.96     10.00     10.04     10.04     19.10   µs    user\n"
	"  received          0.63     10.00     10.30     11.60    160.55   µs    kernel\n"
	"  within 0.2 µs    99.98 % of the gaps sent, 66.59 % of those received\n"
	"\n"
	"  gaps received, µs (log of the counts, log axis)\n"
	"        0.63 |▂▂▃▃▃▂                  ██▂▂▂▂▂▂▂▂               ▁| 160.55\n"
	"                                      ^ requested 10.00\n"
	"\n"
	"  delay              min       p50       p99     p99.9       max   unit\n"
	"  one way          12.00     12.00     12.19     15.00     15.00   µs\n"
	"  as scheduled     12.10     12.13     12.32     15.07     15.10   µs\n"
	"  PDV              0.000     0.000     0.200     3.000     3.000   µs\n"
	"  IPDV            -3.000     0.200     0.200     3.000     3.000   µs\n"
	"  jitter          202 ns at the end, highest 777 ns (RFC 3550)\n"
	"  error           ± 177 ns for symmetric minimum delays, ± 356 ns in any case\n"
	"  clocks          skew 2.500 ± 1.148 ppm; 179 exchanges, shortest round trip\n"
	"                  23.4 µs, 1 timed out\n";

START_TEST(a_point_looks_like_this)
{
	fill_known(p);
	say_point(false, true);
	ck_assert_str_eq(text, golden);
}
END_TEST

/* In the text of p, detail or not. */
static void
says(bool detail, const char *what)
{
	say_point(detail, true);
	ck_assert_msg(strstr(text, what) != NULL, "%s in\n%s", what, text);
}

static void
says_not(const char *what)
{
	ck_assert_msg(strstr(text, what) == NULL, "%s in\n%s", what, text);
}

#define NO_DELAY	"         -         -         -         -         -   \xc2\xb5s\n"

START_TEST(a_delay_that_is_only_relative_is_not_told)
{
	fill_known(p);
	p->owd_relative = true;
	p->clock.fit.bound_ns = 12340;
	says(true, "\n  one way     " NO_DELAY "  as scheduled" NO_DELAY
	    "  PDV              0.000 ");
	says(true, "\n  error           relative only: the error of the clocks' offset, "
	    "\xc2\xb1 12.3 \xc2\xb5s,\n                  exceeds the delay\n");
	says_not("12.00 ");
	says_not("one-way delay");
}
END_TEST

START_TEST(a_clock_nobody_told_of_is_not_known)
{
	fill_known(p);
	p->owd_relative = true;
	p->rx.has_owd = false;
	p->clock = (struct pace_clock){ .timeouts = 220 };
	says(true, "\n  error           relative only: the offset between the clocks is not known\n"
	    "  clocks          not known: no exchange was answered, 220 timed out\n");
	says(true, "\n  wall clock      client: state not known; set 0 times, rate changed "
	    "0 times\n");
	says_not("clock line");
	says_not("responder - client");
}
END_TEST

START_TEST(what_is_wrong_with_a_clock_is_said)
{
	fill_known(p);
	p->clock.fit.segments = 3;
	p->clock.fit.wanders = true;
	p->clock.our_steps = 1;
	p->clock.stamp = PACE_STAMP_USER;
	says(false, "; not all stamped by the kernel\n"
	    "                  not linear: 3 segments, each with its own line\n"
	    "                  the clocks wander: no straight line fits them well\n"
	    "                  wall clocks were set during the run (client 1, responder 0\n"
	    "                  times);");
	p->clock.fit.segments = 1;
	p->clock.fit.wanders = false;
	p->clock.our_steps = 0;
	p->clock.their_steps = 2;
	says(false, "(client 0, responder 2\n                  times);");
	says_not("not linear");
	says_not("wander");
	p->clock.their_steps = 0;
	say_point(false, true);
	says_not("were set");
}
END_TEST

START_TEST(the_detail_has_lines_and_wall_clocks)
{
	fill_known(p);
	says(true, "\n  clock line      from -60.0 ms to 560 ms: responder - client -1.23 ms,\n"
	    "                  2.5000 ppm, \xc2\xb1 356 ns\n"
	    "  wall clock      responder - client -35.0 \xc2\xb5s at the end\n"
	    "  wall clock      client: synchronised, error 1.00 \xc2\xb5s, at most 250 \xc2\xb5s,\n"
	    "                  corrected by -12.345 ppm; set 0 times, rate changed 2 times\n"
	    "  wall clock      responder: not synchronised, error 1.00 ");
	says(true, "\n  one-way delay        12128 ");
	says(true, "\n  PDV                    128 ");
	says(true, "\n  IPDV                     0 ");
	p->clock.our_steps = p->clock.our_slews = 1;
	says(true, "set 1 time, rate changed 1 time\n");
}
END_TEST

START_TEST(of_trains_the_first_frame_has_the_delay)
{
	fill_known(p);
	p->ask.train = 16;
	says(false, "\n                  of the first frame of each train\n");
	p->ask.train = 1;
	say_point(false, true);
	says_not("of each train");
}
END_TEST

START_TEST(one_frame_has_a_delay_and_no_variation)
{
	p->has_rx = true;
	p->tx.frames = p->rx.frames = p->rx.unique = 1;
	p->rx.has_owd = true;
	fill_known_clock(&p->clock);
	pace_hist_add(&p->rx.owd, 2500);
	pace_hist_add(&p->rx.pdv, 0);
	says(false, "\n  one way          2.500     2.500         -         -     2.500   \xc2\xb5s\n"
	    "  as scheduled" NO_DELAY
	    "  PDV              0.000     0.000         -         -     0.000   \xc2\xb5s\n"
	    "  IPDV        " NO_DELAY
	    "  jitter          -\n  error           \xc2\xb1 177 ns for");
}
END_TEST

START_TEST(no_frame_has_no_delay_and_no_error)
{
	p->has_rx = _i > 0;
	p->owd_relative = true;
	fill_known_clock(&p->clock);
	says(false, "  IPDV        " NO_DELAY "  jitter          -\n  clocks          skew");
	says_not("relative only");
}
END_TEST

START_TEST(a_long_way_is_in_ms_and_its_variation_in_us)
{
	fill_known(p);
	pace_hist_reset(&p->rx.owd);
	pace_hist_add_n(&p->rx.owd, 20000000, 49976);
	says(false, "\n  one way         20.000    20.000    20.000    20.000    20.000   ms\n");
	says(false, "\n  PDV              0.000     0.000     0.200     3.000     3.000   \xc2\xb5s\n");
}
END_TEST

static void
check_ascii(void)
{
	for (size_t i = 0; i < text_size; i++)
		ck_assert_msg(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'),
		    "byte %d at %zu", text[i], i);
}

/* Any result is printed in ASCII and no wider than a terminal. */
/* The kernel stamped this many gaps, half of them near the spacing; of their arrivals 60 %. */
static void
stamp_gaps(uint64_t n)
{
	pace_hist_reset(&p->tx.stamped_gap_error);
	pace_hist_add_n(&p->tx.stamped_gap_error, 50, n / 2);
	pace_hist_add_n(&p->tx.stamped_gap_error, 5000, n / 2);
	p->rx.stamped_gaps = n;
	p->rx.stamped_gaps_near = n * 6 / 10;
}

START_TEST(departures_from_the_host_have_a_line)
{
	fill_known(p);
	stamp_gaps(98);
	say_point(false, true);
	ck_assert(strstr(text, "left the host") == NULL);
	stamp_gaps(200);		/* 66.6 % of the other arrivals were near */
	say_point(false, true);
	ck_assert(strstr(text, "\n  left the host    56.6 % within 0.2 \xc2\xb5s, estimated from 200 "
	    "stamped gaps\n") != NULL);
}
END_TEST

START_TEST(any_point_fits_80_columns_of_ascii)
{
	fill_salt(_i);
	fill_point(p, (uint64_t)_i < 3 ? (uint64_t)_i : 1 + fill_below(FILL_MAX));
	p->ask.train = _i % 7 == 0 ? 4 : 1;
	pace_hist_add_n(&p->rx.gap_error, 7, 2000000);
	stamp_gaps(1234568);
	p->has_rx = _i % 5 != 4;
	if (_i % 6 == 0)
		p->ask.spacing = 0;
	pace_note(&p->notes, "long", "%0200d %s", 7, golden);
	p->notes.v[p->notes.n - 1].text[0] = 'x';
	say_point(true, false);
	check_ascii();
	ck_assert(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		ck_assert_msg(strlen(line) <= 80 || strstr(line, "000000000") != NULL,
		    "%s", line);
}
END_TEST

START_TEST(what_did_not_arrive_is_a_dash)
{
	fill_known(p);
	p->has_rx = false;
	say_point(true, true);
	ck_assert(strstr(text, "49 976") == NULL);
	ck_assert(strstr(text, "  lost                         -\n") != NULL);
	ck_assert(strstr(text, "  received             -         -         -"
	    "         -         -   \xc2\xb5s    -\n") != NULL);
	ck_assert(strstr(text, "gaps received") == NULL);
	ck_assert(strstr(text, "  ! the responder's part of the result did not arrive\n") != NULL);
}
END_TEST

START_TEST(trouble_has_lines_of_its_own)
{
	static const char *const want[] = { "\n  foreign                      5   not",
	    "\n  beyond window                6   too", "\n  no stamp                     7   0.0140 %",
	    "\n  clock steps                  8\n", 
	    "\n  absurd times                11   0.0220 %   imp",
	    "\n  not kept                    12   no room", "\n  corrupt                      9   0.0180 %",
	    "\n  not sent                    10   refused by this host: 7 ENOBUFS, 3 EAGAIN\n",
	    ": degraded, interrupted\n", "\n  ! two\n" };

	fill_known(p);
	p->rx.foreign = 5;
	p->rx.beyond_window = 6;
	p->rx.unstamped = 7;
	p->rx.clock_steps = 8;
	p->rx.invalid_timestamps = 11;
	p->rx.records_missed = 12;
	p->ask.verify = true;
	p->rx.corrupt = 9;
	p->tx.refused = 10;
	p->tx.refused_errno = ENOBUFS;
	p->tx.refusals[0] = (struct pace_refusal){ ENOBUFS, 7 };
	p->tx.refusals[1] = (struct pace_refusal){ EAGAIN, 3 };
	p->verdict = PACE_DEGRADED;
	p->interrupted = true;
	pace_note(&p->notes, "one", "two");
	say_point(false, true);
	for (int i = 0; i < COUNT_OF(want); i++)
		ck_assert_msg(strstr(text, want[i]) != NULL, "%s in\n%s", want[i], text);
}
END_TEST

/* Cores at work on average over the stream, and what it took. */
START_TEST(hosts_and_energy_have_lines)
{
	static const char *const want[] = {
	    ("  cores at work           user      system     softirq  interrupts    switches\n"
	    "  client                  0.10        0.90        0.00           -         100\n"),
	    "\n  responder                  -           -           -       1 234           0\n",
	    "\n  responder energy       50.00 J       25.00 W   idle 10.00 W, 51 nJ/bit\n" };

	fill_known(p);
	p->ours.known = p->ours.has_cpu = p->theirs.known = true;
	p->ours.at_ns = 500000000;
	p->ours.all.ns[PACE_CPU_NICE] = 50000000;
	p->ours.all.ns[PACE_CPU_SYSTEM] = 450000000;
	p->ours.thread.voluntary = 60;
	p->ours.thread.involuntary = 40;
	p->theirs.at_ns = 2000000000;
	p->theirs.has_core[PACE_CORE_INTERRUPTS] = true;
	p->theirs.all.n[PACE_CORE_INTERRUPTS] = 1234;
	p->theirs.energy = (struct pace_energy){ .known = true, .has_idle = true,
	    .idle_watts = 10, .domains = 1, .v = { { "package-0", true, 50 } } };
	p->rx.bytes = 73529412;
	say_point(true, false);
	for (int i = 0; i < COUNT_OF(want); i++)
		ck_assert_msg(strstr(text, want[i]) != NULL, "%s", want[i]);
}
END_TEST

/* Rates of a run with pauses are means: 500 ms of frames, 500 ms of nothing. */
START_TEST(a_pause_between_bursts_is_in_the_rate_asked_for)
{
	fill_known(p);
	p->ask.bursts = 2;
	p->ask.count = 25000;
	p->ask.burst_gap_ns = 500000000;
	say_point(false, false);
	ck_assert_msg(strstr(text, "  rate of data             0.589 ") != NULL, "%s", text);
	ck_assert_msg(strstr(text, "  duration               999.990 ") != NULL, "%s", text);
}
END_TEST

static void
say_gap_of(int64_t gap_ns)
{
	fill_known(p);
	pace_hist_reset(&p->rx.gap);
	pace_hist_reset(&p->rx.gap_error);
	pace_hist_add_n(&p->rx.gap, gap_ns, 10);
	pace_hist_add_n(&p->rx.gap_error, gap_ns - 10000, 10);
	say_point(false, false);
}

START_TEST(the_spacing_is_marked_at_the_right_edge)
{
	say_gap_of(5000);
	ck_assert_msg(strstr(text, "        5.00 |#                        "
	    "                         | 10.00\n"
	    "                                               requested 10.00 ^\n") != NULL,
	    "%s", text);
}
END_TEST

START_TEST(the_spacing_is_marked_at_the_left_edge)
{
	say_gap_of(15000);
	ck_assert_msg(strstr(text, "       10.00 |                         "
	    "                        #| 15.00\n"
	    "              ^ requested 10.00\n") != NULL, "%s", text);
}
END_TEST

static struct pace_result
known_head(void)
{
	return (struct pace_result){ .kind = "throughput", .target = "hostB",
	    .address = "10.0.0.2", .port = 14233 };
}

static void
say_head(const struct pace_link *link, const struct pace_params *asks, size_t n)
{
	struct pace_result r = known_head();
	FILE *f = begin();

	ck_assert_int_eq(pace_text_head(f, &r, link, asks, n, true), 0);
	fclose(f);
}

#define HEAD	"udpace throughput to hostB (10.0.0.2 port 14233)\n"
#define US	"\xc2\xb5s"

START_TEST(the_head_says_what_was_understood)
{
	struct pace_link link = { .family = 4, .mtu = 1500 };

	fill_known(p);
	say_head(&link, &p->ask, 1);
	ck_assert_str_eq(text, HEAD
	    "  size     1472 B of data = 1538 B on the wire\n"
	    "  spacing  10.0 " US " = 1.18 Gbit/s of data, 1.23 Gbit/s on the wire\n"
	    "  length   50 000 frames, 500 ms, 70.2 MiB of data\n");
	say_head(NULL, &p->ask, 1);
	ck_assert_str_eq(text, HEAD
	    "  size     1472 B of data\n"
	    "  spacing  10.0 " US " = 1.18 Gbit/s of data\n"
	    "  length   50 000 frames, 500 ms, 70.2 MiB of data\n");
}
END_TEST

START_TEST(the_head_of_trains_bursts_and_fragments)
{
	struct pace_link link = { .family = 4, .mtu = 1500 };

	fill_known(p);
	p->ask.size_bytes = 1473;
	p->ask.spacing = 0;
	p->ask.train = 16;
	p->ask.bursts = 3;
	p->ask.burst_gap_ns = 5000000;
	say_head(&link, &p->ask, 1);
	ck_assert_str_eq(text, HEAD
	    "  size     1473 B of data = 1622 B on the wire, in 2 fragments\n"
	    "  spacing  0: as fast as possible\n"
	    "  trains   of 16 frames\n"
	    "  bursts   3 of 50000 frames, 5.00 ms apart\n"
	    "  length   150 000 frames, at least 10.0 ms, 211 MiB of data\n");
}
END_TEST

START_TEST(a_run_by_duration_counts_its_frames)
{
	fill_known(p);
	p->ask.duration_ns = 100000;
	p->ask.count = 0;
	say_head(NULL, &p->ask, 1);
	ck_assert(strstr(text, "  length   10 frames, 100 \xc2\xb5s, ") != NULL);
}
END_TEST

static size_t
sweep(struct pace_params asks[12])
{
	static const uint32_t sizes[] = { 1472, 64, 512 };
	size_t n = 0;

	for (int s = 0; s < 3; s++)
		for (int w = 0; w < 4; w++, n++)
			asks[n] = (struct pace_params){ .size_bytes = sizes[s],
			    .spacing = (uint64_t)(w + 1) * 5000 << 32, .count = 1000,
			    .train = 1, .bursts = 1 };
	return n;
}

START_TEST(the_head_of_a_sweep_says_how_far_and_how_long)
{
	struct pace_params asks[12];
	size_t n = sweep(asks);

	say_head(NULL, asks, n);
	ck_assert_str_eq(text, HEAD
	    "  sweep    12 points: 3 sizes from 64 B to 1472 B,\n"
	    "           4 spacings from 5.00 "
	    US " to 20.0 " US "\n"
	    "  fastest  1472 B every 5.00 " US " = 2.36 Gbit/s of data\n"
	    "  length   12 000 frames, 150 ms, 7.81 MiB of data\n"
	    "  time     about 1 s\n");
	asks[7].spacing = 0;
	say_head(NULL, asks, n);
	ck_assert(strstr(text, "  fastest  64 B as fast as possible\n") != NULL);
	ck_assert(strstr(text, ", at least 130 ms, ") != NULL);
}
END_TEST

START_TEST(a_sweep_is_one_row_a_point)
{
	struct pace_params asks[12];
	struct pace_rows rows = pace_text_rows(asks, sweep(asks));
	FILE *f = begin();

	fill_known(p);
	pace_text_row_head(f, &rows, true);
	ck_assert_int_eq(pace_text_row(f, &rows, p, true), 0);
	p->has_rx = false;
	p->verdict = PACE_DEGRADED;
	pace_note(&p->notes, "spacing_not_kept", "text");
	ck_assert_int_eq(pace_text_row(f, &rows, p, true), 0);
	fclose(f);
	ck_assert_str_eq(text,
	    "  size spacing   sent   recv refused   lost     lost reord gap p50 gap p99\n"
	    "     B      \xc2\xb5s Mbit/s Mbit/s  frames frames    %    frames      \xc2\xb5s      \xc2\xb5s\n"
	    "  1472   10.00 1230.3 1230.1       0     24   0.0480     3   10.00   10.30\n"
	    "  1472   10.00 1230.3      -       0      -    -         -       -       - DsP\n");
}
END_TEST

START_TEST(an_interval_that_passes_is_one_row)
{
	const struct pace_params a = { .size_bytes = 1472, .spacing = pace_spacing_from_ns(10000) };
	const struct pace_live_interval v = { .direction = PACE_DOWN, .from_ns = 59000000000,
	    .to_ns = 60000400000, .sent = 100000, .received = 97410, .lost = 2590,
	    .socket_lost = 2500, .user_rate_bps = 1.147e9 }, late = { .to_ns = 1000000000,
	    .sent = 5, .received = 105, .lost = -100 }, idle = { .to_ns = 1000000000,
	    .sent = UINT64_MAX };
	FILE *f = begin();

	ck_assert_int_eq(pace_text_interval(f, &a, NULL, true), 0);
	ck_assert_int_eq(pace_text_interval(f, &a, &v, true), 0);
	ck_assert_int_eq(pace_text_interval(f, &a, &late, true), 0);
	ck_assert_int_eq(pace_text_interval(f, &a, &idle, true), 0);
	fclose(f);
	ck_assert_str_eq(text,
	    "     from       to   way      sent      recv    lost     lost    recv   socket\n"
	    "        s        s          frames    frames  frames    %      Gbit/s   frames\n"
	    "   59.000   60.000  down   100 000    97 410   2 590   2.59     1.147    2 500\n"
	    "    0.000    1.000    up         5       105    -100    -       0.000        0\n"
	    "    0.000    1.000    up         -         0       0    -       0.000        0\n");
}
END_TEST

START_TEST(a_scale_fits_the_column)
{
	static const struct { double low, high; const char *unit; int decimals; } want[] = {
		{ 1.23e9, 1.23e9, "Gbit/s", 3 }, { 1e8, 9.9e9, "Gbit/s", 3 },
		{ 5e7, 9.9e9, "Mbit/s", 2 }, { 1e6, 9.9e9, "Mbit/s", 1 },
		{ 4.57e8, 4.57e8, "Mbit/s", 1 },
		{ 1.2e7, 1.2e7, "Mbit/s", 2 }, { 1.2e6, 1.2e6, "Mbit/s", 3 },
		{ 5e3, 5e3, "kbit/s", 3 }, { 1e11, 1e11, "Gbit/s", 2 },
	};
	struct pace_scale s = pace_scale_rate(want[_i].low, want[_i].high);

	ck_assert_str_eq(s.unit, want[_i].unit);
	if (_i != 2)
		ck_assert_int_eq(s.decimals, want[_i].decimals);
}
END_TEST

START_TEST(a_time_scale_fits_the_spacing)
{
	static const struct { double ns; const char *unit; int decimals; } want[] = {
		{ 0, US, 3 }, { 9999, US, 3 }, { 10000, US, 2 }, { 9999999, US, 2 },
		{ 1e7, "ms", 3 }, { 9.9e9, "ms", 3 }, { 1e10, "s", 3 },
	};
	struct pace_scale s = pace_scale_time(want[_i].ns);

	ck_assert_str_eq(s.unit, want[_i].unit);
	ck_assert_int_eq(s.decimals, want[_i].decimals);
}
END_TEST

START_TEST(per_cent_keeps_three_digits_and_its_point)
{
	static const struct { double ratio; const char *text; } want[] = {
		{ 0, "0     " }, { 1, "100     " }, { 0.0261, "2.61  " },
		{ 0.00048, "0.0480" }, { 0.000024, "0.0024" }, { 0.005, "0.500 " },
		{ 1e-9, "<0.0001" }, { 0.99999, "100.00  " }, { NAN, "-    " },
	};
	char buf[32];

	ck_assert_str_eq(pace_percent(want[_i].ratio, buf, sizeof(buf)), want[_i].text);
}
END_TEST

START_TEST(a_fixed_number_is_rounded_and_never_minus_0)
{
	static const struct { double v; int decimals; const char *text; } want[] = {
		{ 0, 0, "0" }, { 1.5, 2, "1.50" }, { -1.5, 2, "-1.50" },
		{ -0.001, 2, "0.00" }, { 1.999, 2, "2.00" }, { 1e300, 0, NULL },
		{ NAN, 2, "-" }, { INFINITY, 2, "-" }, { 0.05, 1, "0.1" },
	};
	char buf[340];

	pace_fixed(want[_i].v, want[_i].decimals, buf, sizeof(buf));
	if (want[_i].text != NULL)
		ck_assert_str_eq(buf, want[_i].text);
}
END_TEST

START_TEST(p50_of_a_perfect_sender_is_the_spacing)
{
	struct pace_params a = { .spacing = UINT64_C(10000) << 32, .train = 1 };

	pace_hist_add_n(&p->tx.gap, 10000, 100);
	pace_hist_add_n(&p->tx.gap_error, 0, 100);
	ck_assert_double_eq(pace_gap_quantile(&a, &p->tx.gap, &p->tx.gap_error, 0.5), 10000);
	pace_hist_add_n(&p->tx.gap, 700, 900);		/* far below the spacing */
	pace_hist_add_n(&p->tx.gap_error, -9300, 900);
	ck_assert_double_eq_tol(pace_gap_quantile(&a, &p->tx.gap, &p->tx.gap_error, 0.5), 702, 2);
	ck_assert(isnan(pace_gap_quantile(&a, &p->tx.gap, &p->tx.gap_error, 0.999)));
}
END_TEST

/* Values land where they belong, at both edges and between. */
START_TEST(a_strip_has_its_values_in_place)
{
	static struct pace_hist h;
	struct pace_strip s;
	char bars[PACE_STRIP_TEXT];

	pace_hist_reset(&h);
	pace_hist_add_n(&h, 100, 1000);
	pace_hist_add(&h, 125);
	pace_hist_add(&h, 149);
	pace_strip_reset(&s, 100, 149);
	ck_assert(!s.log);
	pace_strip_add(&s, &h, 0);
	ck_assert_double_eq_tol(s.count[0], 1000, 1e-9);
	ck_assert_double_eq_tol(s.count[25], 1, 1e-9);
	ck_assert_double_eq_tol(s.count[49], 1, 1e-9);
	ck_assert_int_eq(pace_strip_column(&s, 125), 25);
	ck_assert_int_eq(pace_strip_column(&s, 0), 0);
	ck_assert_int_eq(pace_strip_column(&s, 1000), 49);
	pace_strip_draw(&s, false, bars);
	ck_assert_str_eq(bars, "#                        .                       .");
	pace_strip_draw(&s, true, bars);
	ck_assert_str_eq(bars, "\xe2\x96\x88                        \xe2\x96\x81"
	    "                       \xe2\x96\x81");
}
END_TEST

START_TEST(a_strip_loses_nothing_that_is_inside)
{
	static struct pace_hist h;
	struct pace_strip s;
	double sum = 0;

	fill_salt(_i);
	pace_hist_reset(&h);
	for (int i = 0; i < 500; i++)
		pace_hist_add(&h, unit_between(-(_i % 3) * 50, 10 + 1000 * (_i % 5)));
	pace_strip_reset(&s, h.stats.min, h.stats.max);
	pace_strip_add(&s, &h, 0);
	for (int c = 0; c < PACE_STRIP_COLUMNS; c++)
		sum += s.count[c];
	ck_assert_double_eq_tol(sum, 500, 1e-6);
	ck_assert_int_eq(pace_strip_column(&s, h.stats.min), 0);
	ck_assert_int_ge(pace_strip_column(&s, h.stats.max), PACE_STRIP_COLUMNS - 6);
}
END_TEST

START_TEST(a_strip_of_one_value_is_drawn)
{
	static struct pace_hist h;
	struct pace_strip s;
	char bars[PACE_STRIP_TEXT];

	pace_hist_reset(&h);
	pace_hist_add(&h, _i);
	pace_strip_reset(&s, _i, _i);
	pace_strip_add(&s, &h, 0);
	pace_strip_draw(&s, false, bars);
	ck_assert_uint_eq(strlen(bars), PACE_STRIP_COLUMNS);
	ck_assert_ptr_nonnull(strchr(bars, '#'));
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
	struct pace_result r = known_head();
	struct pace_params asks[12];
	struct pace_rows rows = pace_text_rows(asks, sweep(asks));
	FILE *f = fopen("/dev/full", "w");
	int rc;

	fill_known(p);
	rc = _i == 0 ? pace_text_head(f, &r, NULL, asks, 12, true) :
	    _i == 1 ? pace_text_point(f, p, true, true) :
	    _i == 2 ? pace_text_row_head(f, &rows, true) :
	    pace_text_row(f, &rows, p, true);
	ck_assert_int_lt(rc, 0);
	fclose(f);
}
END_TEST

/* The last line: which checks spoil a run, and how to see them; one host counts once. */
static const struct { const char *codes[3], *address; uint16_t port; const char *want; } tails[] = {
	{ { "client_virtual", "responder_clock" }, "10.0.0.2", 14233, "" },
	{ { "frames_late" }, "10.0.0.2", 14233, "" },
	{ { "client_rmem_max", "responder_rmem_max", "responder_backlog" }, "10.0.0.2", 14233,
	    "\n1 finding on this host and 2 on the responder's may have spoiled this run:\n"
	    "udpace doctor hostB\n" },
	{ { "responder_backlog" }, "127.0.0.1", 9,
	    "\n0 findings on this host and 1 on the responder's may have spoiled this run:\n"
	    "udpace doctor hostB --port 9\n" },
	{ { "client_rmem_max", "client_backlog", "responder_rmem_max" }, "127.0.0.1", 9,
	    "\n2 findings on this host may have spoiled this run: udpace doctor\n" },
	{ { "client_rmem_max" }, "::1", 9,
	    "\n1 finding on this host may have spoiled this run: udpace doctor\n" },
	{ { "client_rmem_max" }, "10.0.0.2", 862,
	    "\n1 finding on this host may have spoiled this run: udpace doctor\n" },
};

START_TEST(the_tail_tells_of_the_doctor)
{
	struct pace_result r = known_head();
	FILE *f = begin();

	r.notes.n = 0;
	for (int i = 0; i < 3 && tails[_i].codes[i] != NULL; i++)
		pace_note(&r.notes, tails[_i].codes[i], "why");
	snprintf(r.address, sizeof(r.address), "%s", tails[_i].address);
	r.port = tails[_i].port;
	r.protocol = r.port == 862 ? "stamp" : NULL;	/* nobody to ask */
	ck_assert_int_eq(pace_text_tail(f, &r, true), 0);
	fclose(f);
	ck_assert_str_eq(text, tails[_i].want);
}
END_TEST

/* --- streams ---------------------------------------------------------------------------- */

static void
give_streams(void)
{
	static const uint64_t lost[] = { 0, 10, 25 };

	p->ask = (struct pace_params){ .size_bytes = 1000, .spacing = UINT64_C(1000000) << 32,
	    .count = 100, .train = 1, .bursts = 1, .streams = 3 };
	ck_assert_int_eq(pace_point_split(p), 0);
	for (uint32_t i = 0; i < 3; i++) {
		struct pace_point *one = p->streams[i];
		struct pace_rx_result *r = &one->rx;

		one->has_rx = one->owd_relative = true;
		one->ledger.asked = one->tx.frames = 100;
		one->tx.bytes = 100000;
		one->tx.duration_ns = r->duration_ns = 99000000;
		one->tx.user_rate_bps = 8000000;
		one->tx.wire_rate_bps = 8500000;
		r->lost = lost[i];
		r->frames = r->unique = 100 - lost[i];
		r->bytes = r->unique * 1000;
		r->user_rate_bps = 80000. * (double)r->unique;
		r->wire_rate_bps = 85000. * (double)r->unique;
		pace_hist_add_n(&r->gap, 1000000, 99 - lost[i]);
		pace_hist_add_n(&r->gap_error, 0, 99 - lost[i]);
		if (lost[i] > 0)
			pace_hist_add(&r->runs, (int64_t)lost[i]);
		one->ledger.place[PACE_NETWORK] =
		    (struct pace_share){ true, lost[i], 0, lost[i] };
	}
	pace_point_aggregate(p);
	ck_assert_ptr_null(pace_point_broken(p));
}

/* 299 and 264 frames of 8500 bit in 99 ms; 265^2 / (3 (100^2 + 90^2 + 75^2)) */
static const char streams_golden[] =
	"\n"
	"                       sent     recv     lost     lost   reord  gap p50  gap p99\n"
	"                     Mbit/s   Mbit/s   frames    %      frames       µs       µs\n"
	"  aggregate           25.67    22.67       35  11.67         0  1000.00        -\n"
	"  stream 0 best        8.50     8.50        0   0            0  1000.00        -\n"
	"  stream 2 worst       8.50     6.38       25  25.00         0  1000.00        -\n"
	"  fairness           0.9867  Jain's index of the received rates; 1: all equal\n";

START_TEST(streams_have_an_aggregate_and_the_best_and_worst)
{
	FILE *f;

	give_streams();
	f = begin();
	ck_assert_int_eq(pace_streams_text(f, p, PACE_STREAMS_TABLE, true), 0);
	fclose(f);
	ck_assert_str_eq(text, streams_golden);
	f = begin();
	ck_assert_int_eq(pace_streams_text(f, p, PACE_STREAMS_LINE, true), 0);
	fclose(f);
	ck_assert_str_eq(text, "        3 streams: 6.38 Mbit/s (2) to 8.50 Mbit/s (0), "
	    "fairness 0.9867\n");
	f = begin();
	ck_assert_int_eq(pace_streams_text(f, p, PACE_STREAMS_EACH, true), 0);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(text, "\n  stream 2 "));
	say_point(false, true);
	ck_assert_ptr_eq(strstr(text, "3 streams of 1000 B every 1.00 ms: paced\n"), text);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("text");

	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_point_looks_like_this);
	tcase_add_test(tc, departures_from_the_host_have_a_line);
	tcase_add_loop_test(tc, any_point_fits_80_columns_of_ascii, 0, 60);
	tcase_add_test(tc, a_pause_between_bursts_is_in_the_rate_asked_for);
	tcase_add_test(tc, a_delay_that_is_only_relative_is_not_told);
	tcase_add_test(tc, a_clock_nobody_told_of_is_not_known);
	tcase_add_test(tc, what_is_wrong_with_a_clock_is_said);
	tcase_add_test(tc, the_detail_has_lines_and_wall_clocks);
	tcase_add_test(tc, of_trains_the_first_frame_has_the_delay);
	tcase_add_test(tc, one_frame_has_a_delay_and_no_variation);
	tcase_add_loop_test(tc, no_frame_has_no_delay_and_no_error, 0, 2);
	tcase_add_test(tc, a_long_way_is_in_ms_and_its_variation_in_us);
	tcase_add_test(tc, what_did_not_arrive_is_a_dash);
	tcase_add_test(tc, the_spacing_is_marked_at_the_left_edge);
	tcase_add_test(tc, the_spacing_is_marked_at_the_right_edge);
	tcase_add_test(tc, hosts_and_energy_have_lines);
	tcase_add_loop_test(tc, the_tail_tells_of_the_doctor, 0, COUNT_OF(tails));
	tcase_add_test(tc, trouble_has_lines_of_its_own);
	tcase_add_test(tc, the_head_says_what_was_understood);
	tcase_add_test(tc, the_head_of_trains_bursts_and_fragments);
	tcase_add_test(tc, a_run_by_duration_counts_its_frames);
	tcase_add_test(tc, the_head_of_a_sweep_says_how_far_and_how_long);
	tcase_add_test(tc, a_sweep_is_one_row_a_point);
	tcase_add_test(tc, streams_have_an_aggregate_and_the_best_and_worst);
	tcase_add_test(tc, an_interval_that_passes_is_one_row);
	tcase_add_loop_test(tc, a_scale_fits_the_column, 0, 9);
	tcase_add_loop_test(tc, a_time_scale_fits_the_spacing, 0, 7);
	tcase_add_loop_test(tc, per_cent_keeps_three_digits_and_its_point, 0, 9);
	tcase_add_loop_test(tc, a_fixed_number_is_rounded_and_never_minus_0, 0, 9);
	tcase_add_test(tc, p50_of_a_perfect_sender_is_the_spacing);
	tcase_add_test(tc, a_strip_has_its_values_in_place);
	tcase_add_loop_test(tc, a_strip_loses_nothing_that_is_inside, 0, 20);
	tcase_add_loop_test(tc, a_strip_of_one_value_is_drawn, 0, 3);
	tcase_add_loop_test(tc, a_full_disk_is_noticed, 0, 4);
	return unit_run(tc, "text");
}
