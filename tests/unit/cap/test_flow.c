/* flow.h: captures of frames that are made here; what comes of formats is in test_cap_marks. */
#include "cap/flow.h"

#include <string.h>

#include "lib/unit.h"

#define HEADERS	28

static struct pace_cap_table *t;
static int64_t now;

static void
begin(const struct pace_cap_cfg *cfg)
{
	now = 1000;
	t = pace_cap_table_new(cfg);
	ck_assert_ptr_nonnull(t);
}

static void
put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* A datagram of IPv4 from port `from`, with a 16-bit number and as an RTP packet. */
static void
add_at(uint16_t from, uint16_t seq, uint32_t source, size_t size, int64_t at_ns)
{
	uint8_t p[HEADERS + 2000] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2 };

	put16(p + 2, HEADERS + size);
	put16(p + 20, from);
	put16(p + 22, 6000);
	put16(p + 24, 8 + size);
	p[28] = 0x80;
	p[29] = 96;
	put16(p + 30, seq);
	put16(p + 34, (size_t)seq * 90);
	put16(p + 38, source);
	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, HEADERS + size,
	    HEADERS + size }, at_ns);
}

static void
add(uint16_t from, uint16_t seq)
{
	now += 10000;
	add_at(from, seq, 7, 1000, now);
}

static const struct pace_cap_stream *
finish(size_t streams)
{
	ck_assert_int_eq(pace_cap_table_finish(t), 0);
	ck_assert_uint_eq(t->streams, streams);
	return streams > 0 ? t->stream[0] : NULL;
}

START_TEST(a_recognised_stream_is_counted_from_its_first_datagram)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = NULL });
	for (unsigned i = 0; i < 200; i++)
		if (i != 3 && i != 100 && i != 101)	/* before and after it is recognised */
			add(5000, (uint16_t)(65500 + i));
	s = finish(1);
	ck_assert_str_eq(s->flow->format->name, "rtp");
	ck_assert_uint_eq(s->frames, 197);
	ck_assert_uint_eq(s->seq->lost, 3);
	ck_assert_uint_eq(s->seq->figures->runs.stats.n, 2);
	ck_assert_int_eq(s->seq->figures->runs.stats.max, 2);
	ck_assert_uint_eq(s->gap.stats.n, 196);
	ck_assert_int_eq(s->gap.stats.max, 10000);
	ck_assert_int_eq(s->last_ns - s->first_ns, 1960000);
	ck_assert_uint_eq(s->bytes, 197000);
	ck_assert_uint_eq(s->line_bytes, 197 * 1066);
	ck_assert_uint_eq(s->first_bytes, 1000);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(a_flow_shorter_than_a_guess_is_counted_at_the_end)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = NULL });
	add(5000, 1);
	add(5000, 3);
	s = finish(1);
	ck_assert_str_eq(s->flow->format->name, "plain");
	ck_assert_uint_eq(s->frames, 2);
	ck_assert_ptr_null(s->seq);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(late_ones_and_copies_are_told_apart)
{
	static const uint16_t seq[] = { 1, 2, 4, 5, 3, 6, 6, 7, 9 };
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("rtp") });
	for (int i = 0; i < COUNT_OF(seq); i++)
		add(5000, seq[i]);
	s = finish(1);
	ck_assert_uint_eq(s->frames, 9);
	ck_assert_uint_eq(s->seq->unique, 8);
	ck_assert_uint_eq(s->seq->duplicates, 1);
	ck_assert_uint_eq(s->seq->reordered, 1);
	ck_assert_uint_eq(s->seq->lost, 1);
	ck_assert_uint_eq(s->bytes, 8000);	/* a copy is no data */
	pace_cap_table_free(t);
}
END_TEST

START_TEST(what_was_sent_before_the_first_is_early_and_counts_nowhere_else)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("rtp") });
	add(5000, 100);
	add(5000, 99);
	add(5000, 101);
	s = finish(1);
	ck_assert_uint_eq(s->early, 1);
	ck_assert_uint_eq(s->frames, 2);
	ck_assert_uint_eq(s->seq->lost, 0);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(flows_and_sources_are_streams_of_their_own_the_busiest_first)
{
	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("rtp") });
	for (uint16_t i = 0; i < 10; i++) {
		add_at(5000, i, 7, 100, now += 1000);
		add_at(5000, (uint16_t)(3000 + 2 * i), 8, 900, now += 1000);
		add_at(5001, i, 7, 200, now += 1000);
	}
	(void)finish(3);
	ck_assert_uint_eq(t->flows, 2);
	ck_assert_uint_eq(t->stream[0]->id, 8);
	ck_assert_uint_eq(t->stream[0]->seq->lost, 9);
	ck_assert_uint_eq(t->stream[1]->flow->key.source_port, 5001);
	ck_assert_uint_eq(t->stream[1]->seq->lost, 0);
	ck_assert_uint_eq(t->stream[2]->id, 7);
	ck_assert_int_eq(t->stream[2]->gap.stats.max, 3000);
	ck_assert_uint_eq(t->stream[2]->flow->streams, 2);
	ck_assert_uint_eq(t->stream[2]->order, 1);	/* as they came */
	ck_assert_uint_eq(t->stream[0]->order, 2);
	ck_assert_uint_eq(t->stream[1]->order, 1);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(flows_without_room_are_counted)
{
	uint64_t frames = 0;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("plain"), .flows = 4 });
	for (uint16_t i = 0; i < 100; i++)
		add((uint16_t)(5000 + i % 10), i);
	(void)finish(4);
	for (size_t i = 0; i < 4; i++)
		frames += t->stream[i]->frames;
	ck_assert_uint_eq(frames, 40);
	ck_assert_uint_eq(t->others, 60);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(streams_without_room_are_counted_and_memory_is_bounded)
{
	uint64_t frames = 0;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("rtp"), .memory = 4 << 20 });
	for (unsigned i = 0; i < 5000; i++)
		add_at(5000, (uint16_t)(i / 100), i % 100, 100, now += 1000);
	ck_assert_int_eq(pace_cap_table_finish(t), 0);
	ck_assert_uint_gt(t->streams, 2);
	ck_assert_uint_lt(t->streams, 100);
	ck_assert_uint_le(t->used, 4 << 20);
	for (size_t i = 0; i < t->streams; i++)
		frames += t->stream[i]->frames;
	ck_assert_uint_eq(frames + t->flow[0].untracked, 5000);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(stamps_that_go_back_are_counted_and_close_ones_too)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("plain") });
	add_at(5000, 0, 7, 10, 5000);
	add_at(5000, 0, 7, 1400, 5049);
	add_at(5000, 0, 7, 20, 5099);
	add_at(5000, 0, 7, 20, 4000);
	s = finish(1);
	ck_assert_uint_eq(s->coalesced, 1);
	ck_assert_uint_eq(s->backwards, 1);
	ck_assert_int_eq(s->gap.stats.min, -1099);
	ck_assert_uint_eq(s->size_min, 10);
	ck_assert_uint_eq(s->size_max, 1400);
	ck_assert_int_eq(t->first_ns, 4000);
	ck_assert(t->fine);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(a_format_that_begins_at_0_has_lost_what_came_before)
{
	const struct pace_cap_stream *s;
	uint8_t p[HEADERS + 64];
	static const uint8_t ip[] = { 0x45, 0, 0, HEADERS + 64, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1,
	    10, 0, 0, 2, 0x13, 0x88, 0x14, 0x51, 0, 72, 0, 0 };

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("iperf3") });
	for (unsigned i = 3; i < 10; i++) {	/* its numbers begin at 1 */
		memset(p, 0, sizeof(p));
		memcpy(p, ip, sizeof(ip));
		put16(p + HEADERS + 2, i);	/* seconds */
		put16(p + HEADERS + 10, i);
		pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, sizeof(p),
		    sizeof(p) }, now += 1000000000 + 1000 * (i % 2));
	}
	s = finish(1);
	ck_assert(s->from_start);
	ck_assert_uint_eq(s->seq->unique, 7);
	ck_assert_uint_eq(s->seq->lost, 2);
	ck_assert_ptr_nonnull(s->delays);
	ck_assert_uint_eq(s->delays->transit.stats.n, 7);
	ck_assert_uint_eq(s->delays->ipdv.stats.n, 6);
	ck_assert_int_le(s->delays->ipdv.stats.max, 1000);
	ck_assert(s->delays->jitter_ns > 0 && s->delays->jitter_ns < 1000);
	pace_cap_table_free(t);
}
END_TEST

/* A datagram of UDPmon: 4 DATA, 0x80 and 0x22 between tests; sent in units of 0.1 us. */
static void
add_udpmon(unsigned command, unsigned frame, int64_t sent, int64_t at_ns)
{
	const size_t size = command == 4 ? 64 : 208;
	uint8_t p[HEADERS + 208] = { 0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1,
	    10, 0, 0, 2, 0x38, 0xa4, 0x38, 0xa4 };

	put16(p + 2, HEADERS + size);
	put16(p + 24, 8 + size);
	p[HEADERS] = (uint8_t)command;
	p[HEADERS + 4] = 7;
	p[HEADERS + 8] = (uint8_t)frame;
	p[HEADERS + 9] = (uint8_t)(frame >> 8);
	for (unsigned i = 0; i < 4; i++)
		p[HEADERS + 16 + i] = (uint8_t)((uint64_t)sent >> 8 * i);
	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, HEADERS + size,
	    HEADERS + size }, at_ns);
}

START_TEST(a_sender_that_says_it_begins_anew_has_no_late_ones)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = NULL });
	for (unsigned test = 0; test < 3; test++) {
		add_udpmon(0x80, 0, 0, now += 1000);
		for (unsigned i = 0; i < 100; i++)
			if (test != 1 || i != 50) {
				now += 1000;
				add_udpmon(4, i, now / 100, now);
			}
		add_udpmon(0x22, 0, 0, now += 1000);
	}
	s = finish(1);
	ck_assert_str_eq(s->flow->format->name, "udpmon");
	ck_assert_uint_eq(s->restarts, 2);
	ck_assert_uint_eq(s->seq->unique, 299);
	ck_assert_uint_eq(s->seq->duplicates, 0);
	ck_assert_uint_eq(s->seq->reordered, 0);
	ck_assert_uint_eq(s->seq->lost, 1);
	ck_assert(!s->ended);			/* it does not say how many there were */
	pace_cap_table_free(t);
}
END_TEST

START_TEST(stamps_that_wrap_are_no_delay)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("udpmon") });
	for (unsigned i = 0; i < 1000; i++) {	/* two turns of 429.5 s */
		now += 1000000000;
		add_udpmon(4, i, (now - (i % 2) * 300) / 100, now);
	}
	s = finish(1);
	ck_assert_uint_eq(s->delays->transit.stats.n, 1000);
	ck_assert_int_eq(s->delays->transit.stats.max - s->delays->transit.stats.min, 300);
	ck_assert_int_eq(s->delays->ipdv.stats.max, 300);
	ck_assert_uint_eq(s->delays->absurd, 0);
	pace_cap_table_free(t);
}
END_TEST

START_TEST(kinds_are_all_of_the_frames)
{
	static const uint8_t arp[14] = { [12] = 8, [13] = 6 };

	begin(&(struct pace_cap_cfg){ .format = NULL });
	add(5000, 1);
	pace_cap_table_add(t, PACE_CAP_ETHERNET, &(struct pace_cap_frame){ arp, 14, 60 }, 1);
	pace_cap_table_add(t, PACE_CAP_ETHERNET, &(struct pace_cap_frame){ arp, 10, 60 }, 2);
	pace_cap_table_add(t, PACE_CAP_ETHERNET, &(struct pace_cap_frame){ arp, 14, 13 }, 3);
	(void)finish(1);
	ck_assert_uint_eq(t->frames, 4);
	ck_assert_uint_eq(t->kinds[PACE_CAP_UDP], 1);
	ck_assert_uint_eq(t->kinds[PACE_CAP_OTHER], 1);
	ck_assert_uint_eq(t->kinds[PACE_CAP_SHORT], 1);
	ck_assert_uint_eq(t->kinds[PACE_CAP_BAD], 1);
	ck_assert_uint_eq(t->cut, 2);
	pace_cap_table_free(t);
}
END_TEST

/* --- messages ---------------------------------------------------------------------------- */

static void
has_messages(const struct pace_message_stats *m, uint64_t complete, uint64_t incomplete,
    uint64_t lost, uint64_t cut)
{
	ck_assert_uint_eq(m->complete, complete);
	ck_assert_uint_eq(m->incomplete, incomplete);
	ck_assert_uint_eq(m->lost, lost);
	ck_assert_uint_eq(m->cut, cut);
}

/* A VDIF frame of 40 bytes without a sample rate. */
static void
add_vdif(unsigned second, unsigned frame)
{
	uint8_t p[HEADERS + 40] = { 0x45, 0, 0, HEADERS + 40, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1,
	    10, 0, 0, 2, 0x13, 0x88, 0x14, 0x51, 0, 48, 0, 0, (uint8_t)second, 0, 0, 0,
	    (uint8_t)frame, 0, 0, 44, 5, 0, 0, 0x20, 0x55, 0x64 };

	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, sizeof(p), sizeof(p) },
	    now += 1000);
}

/* Twenty frames a second, from frame 7 of second 100 to frame 12 of second 109. */
START_TEST(seconds_are_messages_and_those_at_the_edges_are_cut)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("vdif") });
	for (unsigned i = 7; i <= 9 * 20 + 12; i++) {
		unsigned second = 100 + i / 20, frame = i % 20;

		if ((second == 102 && frame == 3) || second == 105 ||
		    (second == 106 && frame == 19) || (second == 107 && frame < 5))
			continue;
		if (second == 103 && frame == 10)	/* a copy, and one that is late */
			add_vdif(103, 9);
		add_vdif(second, second == 104 && (frame == 4 || frame == 5) ? 9 - frame : frame);
	}
	s = finish(1);
	ck_assert_ptr_nonnull(s->messages);
	ck_assert_uint_eq(s->seq->duplicates, 1);
	ck_assert_uint_eq(s->seq->reordered, 1);
	ck_assert_uint_eq(s->seq->lost, 1 + 20 + 1 + 5);
	has_messages(&s->messages->stats, 4, 3, 1, 2);
	ck_assert_int_eq(s->messages->stats.missing.stats.max, 5);
	ck_assert_int_eq(s->messages->stats.span.stats.min, 19000);
	ck_assert_int_eq(s->messages->stats.span.stats.max, 20000);
	pace_cap_table_free(t);
}
END_TEST

/* A million RTP packets, the numbers of which wrap at 2^16, in messages of 10; no memory is used
 * for a frame. */
START_TEST(messages_of_ten_numbers_go_on_when_numbers_wrap)
{
	const struct pace_cap_stream *s;
	size_t before = 0;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("rtp"), .message = 10 });
	for (unsigned i = 65508; i <= 65508 + 1000000; i++) {
		if (i % 1000 != 7)
			add(5000, (uint16_t)i);
		if (i == 65510)
			before = unit_allocated();
	}
	ck_assert_uint_eq(unit_allocated(), before);
	s = finish(1);
	has_messages(&s->messages->stats, 100000 - 1 - 1000, 1000, 0, 2);
	ck_assert_uint_eq(s->messages->late, 0);
	ck_assert_uint_eq(s->seq->lost, 1000);
	pace_cap_table_free(t);
}
END_TEST

/* A stream from its first frame to its end, twice. */
START_TEST(messages_begin_with_the_numbers)
{
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("udpmon"), .message = 10 });
	for (unsigned test = 0; test < 2; test++) {
		add_udpmon(0x80, 0, 0, now += 1000);
		for (unsigned i = 0; i < 100; i++)
			if (i != 0 && i != 50)	/* of two messages the first frame */
				add_udpmon(4, i, 0, now += 1000);
		add_udpmon(0x22, 0, 0, now += 1000);
	}
	s = finish(1);
	ck_assert_uint_eq(s->restarts, 1);
	/* the first frame of the second test: the capture was perhaps not there for it */
	has_messages(&s->messages->stats, 16, 3, 0, 1);
	pace_cap_table_free(t);
}
END_TEST

/* A LOFAR frame of one beamlet, 200 MHz. */
static void
add_lofar(uint32_t second, uint32_t block, unsigned blocks)
{
	uint8_t p[HEADERS + 16 + 8 * 64] = { 0x45 };
	const unsigned udp = 8 + 16 + 8 * blocks;
	uint8_t *h = p + HEADERS;

	p[2] = (uint8_t)((20 + udp) >> 8);
	p[3] = (uint8_t)(20 + udp);
	p[8] = 64;
	p[9] = 17;
	p[12] = p[16] = 10;
	p[20] = p[22] = 0x13;
	p[24] = (uint8_t)(udp >> 8);
	p[25] = (uint8_t)udp;
	h[0] = 3;
	h[1] = 0x80;
	h[6] = 1;
	h[7] = (uint8_t)blocks;
	for (int i = 0; i < 4; i++) {
		h[8 + i] = (uint8_t)(second >> 8 * i);
		h[12 + i] = (uint8_t)(block >> 8 * i);
	}
	pace_cap_table_add(t, PACE_CAP_RAW, &(struct pace_cap_frame){ p, 20 + udp, 20 + udp },
	    now += 1000);
}

/* Other blocks in a frame give a forged header a near number and a second far ahead, which is no
 * message; one second of three in a row is. */
START_TEST(a_forged_second_adds_no_lost_messages)
{
	const uint32_t first = 1700000000;
	const struct pace_cap_stream *s;

	begin(&(struct pace_cap_cfg){ .format = pace_cap_format("lofar") });
	for (unsigned i = 0; i < 3 * 12207; i++) {
		add_lofar(first + i / 12207, i % 12207 * 16, 16);
		if (i == 100)
			add_lofar(first / 16 * 20, 200 * 20, 20);
	}
	s = finish(1);
	ck_assert_ptr_nonnull(s->messages);
	ck_assert_uint_eq(s->messages->stats.lost, 0);
	ck_assert_uint_ge(s->messages->stats.complete + s->messages->stats.incomplete, 2);
	ck_assert_uint_le(s->messages->late, 1);
	pace_cap_table_free(t);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("flow");

	tcase_add_test(tc, a_recognised_stream_is_counted_from_its_first_datagram);
	tcase_add_test(tc, a_flow_shorter_than_a_guess_is_counted_at_the_end);
	tcase_add_test(tc, late_ones_and_copies_are_told_apart);
	tcase_add_test(tc, what_was_sent_before_the_first_is_early_and_counts_nowhere_else);
	tcase_add_test(tc, flows_and_sources_are_streams_of_their_own_the_busiest_first);
	tcase_add_test(tc, flows_without_room_are_counted);
	tcase_add_test(tc, streams_without_room_are_counted_and_memory_is_bounded);
	tcase_add_test(tc, stamps_that_go_back_are_counted_and_close_ones_too);
	tcase_add_test(tc, a_format_that_begins_at_0_has_lost_what_came_before);
	tcase_add_test(tc, a_sender_that_says_it_begins_anew_has_no_late_ones);
	tcase_add_test(tc, stamps_that_wrap_are_no_delay);
	tcase_add_test(tc, kinds_are_all_of_the_frames);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, seconds_are_messages_and_those_at_the_edges_are_cut);
	tcase_add_test(tc, messages_of_ten_numbers_go_on_when_numbers_wrap);
	tcase_add_test(tc, messages_begin_with_the_numbers);
	tcase_add_test(tc, a_forged_second_adds_no_lost_messages);
	return unit_run(tc, "flow");
}
