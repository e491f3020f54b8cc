/* reader.h: when a run's sockets are looked at. */
#include "stream/reader.h"

#include "core/schedule.h"
#include "lib/unit.h"

#define PLENTY	(4 << 20)	/* bytes of a buffer */

static const struct {
	int64_t		spacing_ns;
	uint32_t	train, streams, size, rcvbuf;
	int64_t		interval_ns;
	bool		fast;
} runs[] = {
	{ 50000, 1, 1, 1472, PLENTY, 200000, true },	/* at most */
	{ 16667, 1, 1, 1472, PLENTY, 200000, true },
	{ 10000, 1, 1, 1472, PLENTY, 120000, true },	/* 12 frames */
	{ 5000, 1, 1, 1472, PLENTY, 60000, true },
	{ 2000, 1, 1, 1472, PLENTY, 60000, true },	/* for them no sooner */
	{ 5000, 8, 1, 1472, PLENTY, 200000, true },	/* 96 frames */
	{ 10000, 1, 4, 1472, PLENTY, 120000, true },	/* of each stream */
	{ 400000, 1, 40, 1472, PLENTY, 600000, true },	/* each look reads 40 sockets */
	{ 1000, 1, 1, 1472, 2304 * 80, 20000, true },	/* an eighth of a small buffer */
	{ 4000, 1, 1, 1472, 2304 * 80, 40000, true },
	{ 4000, 1, 1, 8972, 2304 * 280, 40000, true },	/* seven times the charge */
	{ 0, 1, 1, 1472, PLENTY, 20000, true },
	{ 99999, 1, 1, 1472, PLENTY, 200000, true },
	{ 100001, 1, 1, 1472, PLENTY, 200000, false },	/* each frame wakes the reader */
};

START_TEST(looks_follow_the_frames)
{
	struct pace_params ask = { .bursts = 1 };
	struct pace_polling p;

	ask.spacing = pace_spacing_from_ns(runs[_i].spacing_ns);
	ask.train = runs[_i].train;
	ask.streams = runs[_i].streams;
	ask.size_bytes = runs[_i].size;
	pace_polling_begin(&p, &ask, runs[_i].rcvbuf);
	ck_assert_int_eq(p.interval_ns, runs[_i].interval_ns);
	ck_assert_int_eq(p.fast, runs[_i].fast);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("reader");

	unit_seed(tc);
	tcase_add_loop_test(tc, looks_follow_the_frames, 0, COUNT_OF(runs));
	return unit_run(tc, "reader");
}
