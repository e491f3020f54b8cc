/* dispersion.h, dispersion_doc.h, sweep_text.h: a queue's two figures come out of
 * its points, and points of another cause stay out. */
#include "core/dispersion.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "doc/dispersion_doc.h"
#include "lib/unit.h"
#include "out/sweep_text.h"

static const struct { double c, a, noise; } queues[] = {
	{ 1e9, 1e9, 0 }, { 1e9, 400e6, 0 }, { 200e6, 150e6, 0 }, { 1e9, 400e6, 0.01 },
};

/* Rate out of a fluid queue. */
static double
fluid(double in, double c, double a)
{
	return in <= a ? in : c * in / (in + c - a);
}

START_TEST(a_fluid_queue_is_recovered)
{
	double in[40], out[40], work[80], c = queues[_i].c, a = queues[_i].a;
	double noise = queues[_i].noise, slack = noise > 0 ? 0.05 : 1e-6;
	struct pace_dispersion d;
	size_t held = 0;

	for (int i = 0; i < 40; i++) {
		in[i] = c * (0.05 + 0.05 * i);
		out[i] = fluid(in[i], c, a) * (1 + noise * ((double)unit_between(-1000, 1000) / 2000));
		held += in[i] / out[i] >= PACE_DISPERSION_RATIO;
	}
	pace_dispersion(&d, in, out, 40, work);
	ck_assert(d.known);
	ck_assert_uint_eq(d.points, held);
	ck_assert(fabs(d.capacity_bps - c) < slack * c);
	ck_assert(fabs(d.available_bps - a) < slack * c);
	if (noise > 0) {
		ck_assert(fabs(d.capacity_bps - c) < 5 * d.capacity_stderr_bps);
		ck_assert(fabs(d.available_bps - a) < 5 * d.available_stderr_bps);
		ck_assert(d.available_stderr_bps < 0.05 * c);
	}
}
END_TEST

/* The reported errors are those that many sweeps over one queue have. */
START_TEST(errors_are_as_large_as_told)
{
	double sum[2] = { 0, 0 }, told[2] = { 0, 0 };
	int n = 400;

	for (int k = 0; k < n; k++) {
		double in[20], out[20], work[40];
		struct pace_dispersion d;

		for (int i = 0; i < 20; i++) {
			in[i] = 500e6 + 50e6 * i;
			/* the ratio's error is the same everywhere, as the fit takes it */
			out[i] = in[i] / (in[i] / fluid(in[i], 1e9, 400e6) +
			    0.01 * ((double)unit_between(-1000, 1000) / 1000));
		}
		pace_dispersion(&d, in, out, 20, work);
		ck_assert(d.known);
		sum[0] += pow(d.capacity_bps - 1e9, 2) / n;
		sum[1] += pow(d.available_bps - 400e6, 2) / n;
		told[0] += d.capacity_stderr_bps / n;
		told[1] += d.available_stderr_bps / n;
	}
	for (int i = 0; i < 2; i++)
		ck_assert_msg(fabs(sqrt(sum[i]) / told[i] - 1) < 0.2, "%d: %g, told %g", i,
		    sqrt(sum[i]), told[i]);
}
END_TEST

START_TEST(without_a_queue_nothing_is_known)
{
	double in[] = { 1e6, 2e6, 3e6, 4e6 }, out[] = { 1e6, 2e6, 3e6, 4e6 }, work[8];
	struct pace_dispersion d;

	pace_dispersion(&d, in, out, 4, work);
	ck_assert(!d.known && d.points == 0);
	out[3] = out[2] = 2e6;				/* two points make no line with errors */
	pace_dispersion(&d, in, out, 4, work);
	ck_assert(!d.known && d.points == 2);
	pace_dispersion(&d, NULL, NULL, 0, NULL);
	ck_assert(!d.known && d.points == 0);
	out[0] = 0;					/* nothing came out */
	pace_dispersion(&d, in, out, 1, work);
	ck_assert(d.points == 0);
}
END_TEST

/* 3 % lost at any rate, more or less: a ratio that does not rise. */
START_TEST(loss_at_random_is_no_queue)
{
	int known = 0;

	for (int k = 0; k < 1000; k++) {
		double in[20], out[20], work[40];
		struct pace_dispersion d;

		for (int i = 0; i < 20; i++) {
			in[i] = 10e6 * (i + 1);
			out[i] = in[i] * (0.97 + (double)unit_between(-1000, 1000) / 200000);
		}
		pace_dispersion(&d, in, out, 20, work);
		ck_assert_uint_eq(d.points, 20);
		known += d.known;
	}
	ck_assert_int_le(known, 10);
}
END_TEST

/* --- from points ------------------------------------------------------------------------ */

static struct pace_dispersions all;
static struct pace_point *p;
static char text[2048];

static void
setup(void)
{
	memset(&all, 0, sizeof(all));
	p = pace_point_new();
}

static void
teardown(void)
{
	pace_dispersions_free(&all);
	pace_point_free(p);
}

/* 10 000 frames at a rate through a bottleneck of 200 Mbit/s. */
static void
measure(uint32_t size, double in)
{
	double out = fluid(in, 200e6, 200e6);

	p->ask.size_bytes = size;
	p->verdict = PACE_PACED;
	p->has_rx = true;
	p->tx.frames = 10000;
	p->tx.wire_rate_bps = in;
	p->rx.wire_rate_bps = out;
	p->rx.unique = (uint64_t)(10000 * out / in);
	p->rx.lost = 10000 - p->rx.unique;
	memset(&p->ledger, 0, sizeof(p->ledger));
	p->ledger.place[PACE_NETWORK].n = p->rx.lost;
}

static void
sweep(uint32_t size, void (*spoil)(void))
{
	for (int i = 1; i <= 8; i++) {
		measure(size, 50e6 * i);
		if (spoil != NULL)
			spoil();
		pace_dispersions_add(&all, p);
	}
}

/* The document, and the text beside it. */
static json_t *
told(void)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	pace_dispersions_close(&all);
	ck_assert_int_eq(pace_dispersions_text(f, &all, true), 0);
	fclose(f);
	return pace_dispersions_to_json(&all);
}

static double
figure(const json_t *doc, size_t i, const char *key)
{
	const json_t *v = json_object_get(json_array_get(json_object_get(doc, "dispersion"), i), key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

START_TEST(a_sweep_tells_each_size)
{
	json_t *doc;

	sweep(1472, NULL);
	sweep(64, NULL);
	doc = told();
	ck_assert_uint_eq(json_array_size(json_object_get(doc, "dispersion")), 2);
	ck_assert(figure(doc, 0, "size_bytes") == 1472 && figure(doc, 1, "size_bytes") == 64);
	ck_assert(figure(doc, 1, "points") == 4 && figure(doc, 1, "measured") == 8);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(fabs(figure(doc, i, "capacity_bps") - 200e6) < 1);
		ck_assert(fabs(figure(doc, i, "available_bps") - 200e6) < 1);
	}
	ck_assert_str_eq(text,
	    "\ndispersion of 1472 B: 4 of 8 points were held up on the path\n"
	    "  capacity     200.000 ± 0.000  Mbit/s on the wire\n"
	    "  available    200.000 ± 0.000  Mbit/s on the wire\n"
	    "\ndispersion of 64 B: 4 of 8 points were held up on the path\n"
	    "  capacity     200.000 ± 0.000  Mbit/s on the wire\n"
	    "  available    200.000 ± 0.000  Mbit/s on the wire\n");
	json_decref(doc);
}
END_TEST

static void
spoil_verdict(void)
{
	p->verdict = PACE_DEGRADED;
}

static void
spoil_train(void)
{
	p->verdict = PACE_TRAIN;
}

static void
spoil_refused(void)
{
	p->tx.refused = 11;
}

static void
spoil_queue(void)
{
	p->ledger.place[PACE_TX_QDISC].n = p->rx.lost;
	p->ledger.place[PACE_NETWORK].n = 0;
}

static void
spoil_rx_result(void)
{
	p->has_rx = false;
}

static void (*const senders[])(void) = { spoil_verdict, spoil_train, spoil_refused, spoil_queue,
	spoil_rx_result };

START_TEST(a_sender_of_its_own_mind_says_nothing_of_the_path)
{
	sweep(1472, senders[_i]);
	ck_assert_ptr_null(told());
	ck_assert_str_eq(text, "");
	ck_assert_uint_eq(all.v[0].by_sender, senders[_i] == spoil_rx_result ? 0 : 4);
	ck_assert_uint_eq(all.v[0].n, 0);
}
END_TEST

static void
spoil_socket(void)
{
	p->ledger.place[PACE_RX_SOCKET].n = p->rx.lost;
	p->ledger.place[PACE_NETWORK].n = 0;
}

START_TEST(a_full_socket_buffer_is_no_capacity)
{
	json_t *doc;

	sweep(1472, spoil_socket);
	doc = told();
	ck_assert(isnan(figure(doc, 0, "capacity_bps")) && isnan(figure(doc, 0, "available_bps")));
	ck_assert(figure(doc, 0, "points") == 0);
	ck_assert_ptr_nonnull(strstr(text, "\n  4 points left out: the responder's host"));
	ck_assert_ptr_null(strstr(text, "capacity "));
	json_decref(doc);
}
END_TEST

/* Some points lost frames at the host; the other points measure the path. */
START_TEST(what_is_left_tells)
{
	json_t *doc;

	sweep(1472, NULL);
	sweep(1472, spoil_socket);
	doc = told();
	ck_assert(fabs(figure(doc, 0, "capacity_bps") - 200e6) < 1);
	ck_assert(figure(doc, 0, "points") == 4 && figure(doc, 0, "measured") == 16);
	ck_assert_ptr_nonnull(strstr(text, "\n  4 points left out"));
	json_decref(doc);
}
END_TEST

START_TEST(a_sweep_that_was_not_held_up_tells_nothing)
{
	measure(1472, 100e6);
	pace_dispersions_add(&all, p);
	ck_assert_ptr_null(told());
	ck_assert_str_eq(text, "");
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("dispersion");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_fluid_queue_is_recovered, 0, COUNT_OF(queues));
	tcase_add_test(tc, errors_are_as_large_as_told);
	tcase_add_test(tc, without_a_queue_nothing_is_known);
	tcase_add_test(tc, loss_at_random_is_no_queue);
	tcase_add_test(tc, a_sweep_tells_each_size);
	tcase_add_loop_test(tc, a_sender_of_its_own_mind_says_nothing_of_the_path, 0,
	    COUNT_OF(senders));
	tcase_add_test(tc, a_full_socket_buffer_is_no_capacity);
	tcase_add_test(tc, what_is_left_tells);
	tcase_add_test(tc, a_sweep_that_was_not_held_up_tells_nothing);
	return unit_run_apart(tc, "dispersion");
}
