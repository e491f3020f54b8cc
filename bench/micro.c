/*
 * micro - what one frame costs the receiver, in ns.
 *
 * Each line is a loop over 10^5, 10^6 and 10^7 frames on prepared input, nine
 * times; the cost of the loop itself is in it.  Input is made by a formula or
 * from a table that fits the first cache, so that what is measured is the
 * code's own memory and not the input's.  The frames of 10^7 are the same
 * work as those of 10^5: a figure that grows to the right grows with the run.
 *
 * Output: a table in Markdown; the lowest and the median of nine.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cap/flow.h"
#include "core/cursor.h"
#include "core/hist.h"
#include "core/schedule.h"
#include "core/seq.h"
#include "core/wire.h"
#include "stream/receiver.h"

#define REPEATS		9
#define BLOCK		4096	/* numbers of the disturbed pattern */
#define BATCH		64	/* frames that a receiver takes at once */
#define SIZE		1472
#define SESSION		UINT64_C(0x0123456789abcdef)
#define SEED		UINT64_C(0x756470616365)

static struct {
	struct pace_seq	seq;
	struct pace_hist hist;
	struct pace_receiver *receiver;
	void		*window;
	uint32_t	order[BLOCK];	/* a block's numbers as they arrive */
	uint32_t	arriving;	/* how many of them do */
	int64_t		gap_ns[BLOCK];	/* about 10 µs, as on a quiet path */
	int64_t		any_ns[BLOCK];	/* all magnitudes, both signs */
	uint8_t		frame[BATCH][2048];
	volatile uint64_t sink;
} b;

static uint64_t
next_random(uint64_t *s)		/* splitmix64 */
{
	uint64_t z = *s += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* One frame in ten is lost, one in ten of the others changes places with the
 * next one. */
static void
prepare_order(uint64_t *rnd)
{
	for (uint32_t i = 0; i < BLOCK; i++)
		if (next_random(rnd) % 10 != 0)
			b.order[b.arriving++] = i;
	for (uint32_t i = 0; i + 1 < b.arriving; i++) {
		uint32_t first = b.order[i];

		if (next_random(rnd) % 10 != 0)
			continue;
		b.order[i] = b.order[i + 1];
		b.order[++i] = first;
	}
}

static void
prepare(void)
{
	uint64_t rnd = SEED;
	struct pace_hdr h = { .type = PACE_DATA, .stream = 1, .session = SESSION };

	prepare_order(&rnd);
	for (int i = 0; i < BLOCK; i++) {
		int64_t any = (int64_t)(next_random(&rnd) >> (24 + next_random(&rnd) % 40));

		b.gap_ns[i] = 9900 + (int64_t)(next_random(&rnd) % 200);
		b.any_ns[i] = i % 2 == 0 ? any : -any;
	}
	for (int i = 0; i < BATCH; i++) {
		h.seq = (uint64_t)i;
		h.tx_ns = i * 10000;
		(void)pace_hdr_encode(b.frame[i], sizeof(b.frame[i]), &h);
	}
	b.window = malloc(pace_seq_memory(1 << 20));
	b.receiver = pace_receiver_new();
	if (b.window == NULL || b.receiver == NULL) {
		fprintf(stderr, "micro: out of memory\n");
		exit(1);
	}
}

/* ---- the loops: n frames each ------------------------------------------- */

static void
track_in_order(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		(void)pace_seq_add(&b.seq, i, (int64_t)i * 10000);
	b.sink += b.seq.unique;
}

static void
track_disturbed(uint64_t n)
{
	uint64_t base = 0;
	uint32_t at = 0;

	for (uint64_t i = 0; i < n; i++) {
		(void)pace_seq_add(&b.seq, base + b.order[at], (int64_t)i * 10000);
		if (++at == b.arriving) {
			at = 0;
			base += BLOCK;
		}
	}
	b.sink += b.seq.unique;
}

/* A sender that leaves out a window with every frame. */
static void
track_jumps(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		(void)pace_seq_add(&b.seq, i * PACE_SEQ_WINDOW, (int64_t)i * 10000);
	b.sink += b.seq.unique;
}

static void
record(const int64_t *v, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		pace_hist_add(&b.hist, v[i % BLOCK]);
	b.sink += b.hist.stats.n;
}

static void
record_gaps(uint64_t n)
{
	record(b.gap_ns, n);
}

static void
record_anything(uint64_t n)
{
	record(b.any_ns, n);
}

static void
encode(uint64_t n)
{
	struct pace_hdr h = { .type = PACE_DATA, .stream = 1, .session = SESSION };

	for (uint64_t i = 0; i < n; i++) {
		h.seq = i;
		h.tx_ns = (int64_t)i * 10000;
		(void)pace_hdr_encode(b.frame[i % BATCH], sizeof(b.frame[0]), &h);
	}
	b.sink += b.frame[0][23];
}

static void
decode(uint64_t n)
{
	struct pace_hdr h = { 0 };
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		(void)pace_hdr_decode(&h, b.frame[i % BATCH], SIZE);
		sum += h.seq;
	}
	b.sink += sum;
}

/* The receiver's work for a frame: decode its header, account it.  The
 * prepared headers say 0 .. 63 over and over, the number comes from here. */
static void
take(const uint32_t *order, uint32_t arriving, uint64_t n)
{
	struct pace_in in = { .size = PACE_HDR_SIZE, .len = SIZE, .stamp = PACE_STAMP_KERNEL };
	struct pace_hdr h = { 0 };
	uint64_t base = 0;
	uint32_t at = 0;

	for (uint64_t i = 0; i < n; i++) {
		in.buf = b.frame[i % BATCH];
		in.stamp_ns += b.gap_ns[i % BLOCK];
		if (pace_hdr_decode(&h, in.buf, in.len) != 0)
			abort();
		h.seq = order != NULL ? base + order[at] : i;
		pace_receiver_take(b.receiver, &h, &in);
		if (++at == arriving) {
			at = 0;
			base += BLOCK;
		}
	}
}

static void
take_in_order(uint64_t n)
{
	take(NULL, BLOCK, n);
}

static void
take_disturbed(uint64_t n)
{
	take(b.order, b.arriving, n);
}

/* ---- a capture ------------------------------------------------------------ */

/* Frames of Ethernet, cut to 96 bytes, with RTP in them. */
static void
capture(uint64_t n)
{
	static const uint8_t head[] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0, 5, 220, 0,
	    0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x13, 0x8c, 0x13, 0x8c, 5, 200, 0, 0,
	    0x80, 96 };
	struct pace_cap_table *t = pace_cap_table_new(&(struct pace_cap_cfg){ .format = NULL });
	struct pace_cap_frame f = { b.frame[0], 96, 1514 };

	if (t == NULL)
		abort();
	memset(b.frame[0], 0, sizeof(b.frame[0]));
	memcpy(b.frame[0], head, sizeof(head));
	for (uint64_t i = 0; i < n; i++) {
		struct pace_wr w = { .p = b.frame[0] + sizeof(head), .left = 6 };

		pace_wr_be(&w, i & 0xffff, 2);
		pace_wr_be(&w, i * 90 & UINT32_MAX, 4);
		pace_cap_table_add(t, PACE_CAP_ETHERNET, &f, (int64_t)i * 10000 + b.gap_ns[i % BLOCK]);
	}
	if (pace_cap_table_finish(t) != 0 || t->streams != 1 || t->stream[0]->frames != n)
		abort();
	pace_cap_table_free(t);
}

/* ---- what is measured ---------------------------------------------------- */

static const struct work {
	const char	*name;
	uint32_t	window;		/* of the tracker, 0: needs none */
	uint32_t	train;		/* announced to the receiver */
	void		(*loop)(uint64_t n);
} works[] = {
	{ "tracker, in order, window 4096", 4096, 1, track_in_order },
	{ "tracker, in order, window 65536", 65536, 1, track_in_order },
	{ "tracker, in order, window 1048576", 1048576, 1, track_in_order },
	{ "tracker, 10 % lost, swaps, window 4096", 4096, 1, track_disturbed },
	{ "tracker, 10 % lost, swaps, window 65536", 65536, 1, track_disturbed },
	{ "tracker, 10 % lost, swaps, window 1048576", 1048576, 1, track_disturbed },
	{ "tracker, jumps of 65536, window 65536", 65536, 1, track_jumps },
	{ "histogram, gaps about 10 us", 0, 1, record_gaps },
	{ "histogram, all magnitudes and signs", 0, 1, record_anything },
	{ "header, encode", 0, 1, encode },
	{ "header, decode", 0, 1, decode },
	{ "receive pass, in order", 0, 1, take_in_order },
	{ "receive pass, 10 % lost, swaps", 0, 1, take_disturbed },
	{ "receive pass, in order, trains of 64", 0, 64, take_in_order },
	{ "captured frame, RTP, from memory", 0, 1, capture },
};
static const uint64_t counts[] = { 100000, 1000000, 10000000 };
#define COUNTS	(sizeof(counts) / sizeof(counts[0]))

static void
reset(const struct work *w)
{
	struct pace_msg_start m;

	memset(&m, 0, sizeof(m));
	m.ask.size_bytes = SIZE;
	m.ask.spacing = w->train > 1 ? 0 : pace_spacing_from_ns(10000);
	m.ask.train = w->train;
	m.ask.bursts = 1;
	m.limit = UINT64_MAX;
	pace_receiver_start(b.receiver, &m, 0, w->train > 1);
	pace_hist_reset(&b.hist);
	if (w->window > 0)
		(void)pace_seq_init(&b.seq, w->window, UINT64_MAX, b.window);
}

static double
run_ns(const struct work *w, uint64_t n)
{
	struct timespec from, to;

	reset(w);
	clock_gettime(CLOCK_MONOTONIC, &from);
	w->loop(n);
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) /
	    (double)n;
}

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *)x, c = *(const double *)y;

	return (a > c) - (a < c);
}

static void
measure(const struct work *w)
{
	double ns[REPEATS];

	printf("| %-42s |", w->name);
	for (size_t i = 0; i < COUNTS; i++) {
		for (int k = 0; k < REPEATS; k++)
			ns[k] = run_ns(w, counts[i]);
		qsort(ns, REPEATS, sizeof(ns[0]), ascending);
		printf(" %5.1f / %5.1f |", ns[0], ns[REPEATS / 2]);
		fflush(stdout);
	}
	printf("\n");
}

int
main(void)
{
	prepare();
	printf("| %-42s | 10^5 frames   | 10^6 frames   | 10^7 frames   |\n",
	    "ns a frame, lowest / median of nine");
	printf("|%.44s|--------------:|--------------:|--------------:|\n",
	    "----------------------------------------------");
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		measure(&works[i]);
	pace_receiver_free(b.receiver);
	free(b.window);
	return 0;
}
