/*
 * Other programs' traffic, tests/data/captures: decoders, numbers, heaps and
 * matches give what the README there says, which is what those programs said.
 *
 * The reader of files is for these alone: classic pcap with ns, Ethernet, IPv4 without
 * options.
 */
#include <string.h>

#include "cap/format.h"
#include "cap/heaps.h"
#include "cap/match.h"
#include "cap/unwrap.h"
#include "core/seq.h"

#include "lib/unit.h"

#define FILE_MAX	65536
#define HEADERS		42		/* Ethernet, IPv4, UDP */
#define WINDOW		1024

struct capture {
	uint8_t		bytes[FILE_MAX];
	size_t		size, at;
};

static struct capture receiver, sender;
static struct pace_cap_match pairs;
static struct pace_seq seq;
static struct pace_cap_heaps heaps;
static struct pace_delay delay;
static struct pace_delays figures;

static void
load(struct capture *c, const char *name)
{
	const char *top = getenv("top_srcdir");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/captures/%s.pcap", top != NULL ? top : ".",
	    name);
	f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	c->size = fread(c->bytes, 1, sizeof(c->bytes), f);
	c->at = 24;
	fclose(f);
	ck_assert_uint_gt(c->size, 24);
}

static uint32_t
little(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t
big(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

/* The next datagram to port. */
static bool
next(struct capture *c, uint16_t port, struct pace_cap_datagram *d, int64_t *t_ns)
{
	while (c->at < c->size) {
		const uint8_t *h = &c->bytes[c->at], *p = h + 16;
		uint32_t n = little(h + 8);

		*t_ns = (int64_t)little(h) * 1000000000 + little(h + 4);
		c->at += 16 + n;
		ck_assert_uint_ge(n, HEADERS);
		*d = (struct pace_cap_datagram){ p + HEADERS, n - HEADERS,
		    big(p + 38) - (size_t)8, big(p + 34), big(p + 36) };
		if (d->captured > d->length)
			d->captured = d->length;	/* short frames are padded */
		if (d->dest_port == port)
			return true;
	}
	return false;
}

static const struct {
	const char	*file, *format;
	uint16_t	port;
	uint64_t	first, numbers;	/* 1 + the last; iperf 2's end is no frame */
	uint64_t	lost, reordered;
	bool		both;		/* the sender's is there too */
} truth[] = {
	{ "iperf3", "iperf3", 5201, 1, 417, 18, 13, true },
	{ "iperf3-64", "iperf3", 5201, 1, 313, 7, 0, false },
	{ "iperf2", "iperf2", 5001, 1, 439, 15, 11, false },
	{ "rtp", "rtp", 5004, 65400, 509, 12, 15, true },
};

START_TEST(loss_and_order_are_what_the_programs_said)
{
	void *mem = malloc(pace_seq_memory(WINDOW));
	const struct pace_cap_format *f = pace_cap_format(truth[_i].format);
	struct pace_cap_guess guess;
	struct pace_cap_unwrap u;
	struct pace_cap_datagram d;
	struct pace_cap_mark m;
	int64_t t_ns, number, last = -1;
	bool begun = false;

	load(&receiver, truth[_i].file);
	pace_cap_guess_init(&guess);
	ck_assert_int_eq(pace_seq_init(&seq, WINDOW, UINT64_MAX, mem), 0);
	while (next(&receiver, truth[_i].port, &d, &t_ns)) {
		pace_cap_guess_add(&guess, &d);
		if (!f->mark(NULL, &d, &m))
			continue;
		if (!begun)
			pace_cap_unwrap_init(&u, m.modulus);
		begun = true;
		ck_assert_int_eq(pace_cap_unwrap(&u, m.seq, &number), PACE_CAP_NUMBERED);
		if (m.last)
			last = number;
		else
			pace_seq_add(&seq, (uint64_t)number - truth[_i].first, t_ns);
	}
	ck_assert_int_eq(pace_seq_finish(&seq, truth[_i].numbers), 0);
	ck_assert_str_eq(pace_cap_guess_best(&guess)->name, truth[_i].format);
	ck_assert_uint_eq(seq.lost, truth[_i].lost);
	ck_assert_uint_eq(seq.reordered, truth[_i].reordered);
	ck_assert_uint_eq(seq.duplicates + seq.refused + u.outliers + u.restarts, 0);
	ck_assert_int_eq(last, strcmp(truth[_i].file, "iperf2") == 0 ? 440 : -1);
	free(mem);
}
END_TEST

/* By the sender's order; everything that leaves is a frame, iperf 3's opening too. */
static void
match_files(const char *name, uint16_t port, const struct pace_cap_format *f)
{
	struct pace_cap_datagram d;
	struct pace_cap_mark m;
	uint64_t key;
	int64_t t_ns;
	bool more[2] = { true, true };
	char path[64];

	load(&receiver, name);
	snprintf(path, sizeof(path), "%s-sender", name);
	load(&sender, path);
	while (more[0] || more[1])
		for (int i = 0; i < 2; i++) {
			const struct pace_cap_mark *mark;

			more[i] = next(i == 0 ? &sender : &receiver, port, &d, &t_ns);
			if (!more[i])
				continue;
			mark = f->mark(NULL, &d, &m) ? &m : NULL;
			key = pace_cap_match_key(&d, mark, 54);
			if (i == 0)
				pace_cap_match_sent(&pairs, key, t_ns);
			else
				pace_cap_match_received(&pairs, key, &(struct pace_cap_came){
				    t_ns, (uint32_t)d.length, 0 });
		}
	pace_cap_match_finish(&pairs);
}

START_TEST(two_captures_of_a_path_agree)
{
	void *mem;

	if (!truth[_i].both)
		return;
	mem = malloc(pace_cap_match_memory(WINDOW));
	pace_delay_start(&delay, 0);
	ck_assert_int_eq(pace_cap_match_init(&pairs, &(struct pace_cap_match_cfg){
	    .window = WINDOW, .delay = &delay }, mem), 0);
	match_files(truth[_i].file, truth[_i].port, pace_cap_format(truth[_i].format));
	ck_assert_uint_eq(pairs.seq.lost, truth[_i].lost);
	ck_assert_uint_eq(pairs.seq.reordered, truth[_i].reordered);
	ck_assert_uint_eq(pairs.ambiguous + pairs.duplicates + pairs.foreign, 0);
	pace_delay_finish(&delay, &(struct pace_clock_estimate){ .segments = 1 }, &figures);
	ck_assert(figures.absolute);			/* one clock: theta is 0 */
	ck_assert_int_gt(figures.owd.stats.min, 0);
	ck_assert_int_lt(figures.owd.stats.min, 10000000);
	ck_assert_uint_eq(figures.owd.stats.n, pairs.matched);
	free(mem);
}
END_TEST

static const struct {
	const char	*file;
	uint64_t	complete, incomplete, missing, twice;
} heap_truth[] = {
	{ "spead-64-48", 42, 7, 9416, 9432 },
	{ "spead-64-40", 49, 0, 0, 0 },
	{ "spead-64-48-sender", 49, 0, 0, 0 },
};

START_TEST(heaps_are_what_the_receiver_said)
{
	const struct pace_cap_format *f = pace_cap_format("spead");
	struct pace_cap_guess guess;
	struct pace_cap_datagram d;
	struct pace_cap_mark m;
	int64_t t_ns;
	int stops = 0;

	load(&receiver, heap_truth[_i].file);
	pace_cap_guess_init(&guess);
	pace_cap_heaps_init(&heaps);
	while (next(&receiver, 8888, &d, &t_ns)) {
		pace_cap_guess_add(&guess, &d);
		ck_assert(f->mark(NULL, &d, &m));
		pace_cap_heaps_add(&heaps, &m, 0);
		stops += m.last;
	}
	pace_cap_heaps_finish(&heaps);
	ck_assert_str_eq(pace_cap_guess_best(&guess)->name, "spead");
	ck_assert_uint_eq(heaps.pieces, 289);
	ck_assert_uint_eq(heaps.stats.complete, heap_truth[_i].complete);
	ck_assert_uint_eq(heaps.stats.incomplete, heap_truth[_i].incomplete);
	ck_assert_uint_eq(heaps.missing_bytes, heap_truth[_i].missing);
	ck_assert_uint_eq(heaps.duplicate_bytes, heap_truth[_i].twice);
	ck_assert_uint_eq(pace_cap_heaps_lost(&heaps) + heaps.absurd + heaps.late, 0);
	ck_assert_int_eq(stops, 1);
	/* 7 datagrams were lost, and as many as heaps */
	ck_assert_double_eq_tol(pace_cap_heaps_missing(&heaps),
	    (double)heap_truth[_i].incomplete, 0.2);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("cap_captures");

	tcase_add_loop_test(tc, loss_and_order_are_what_the_programs_said, 0, COUNT_OF(truth));
	tcase_add_loop_test(tc, two_captures_of_a_path_agree, 0, COUNT_OF(truth));
	tcase_add_loop_test(tc, heaps_are_what_the_receiver_said, 0, COUNT_OF(heap_truth));
	return unit_run(tc, "cap_captures");
}
