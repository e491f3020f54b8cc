/* wire.h: the bytes of headers and PINGs, and everything that is refused. */
#include "core/wire.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/cursor.h"

#include "lib/unit.h"

#define ROOM	(PACE_PING_SIZE + 48)
#define SESSION	UINT64_C(0x0123456789abcdef)

/* Typed from the table in wire.h; the check was calculated without wire.c.  len is that of the
 * frame; its header and its other covered bytes are given. */
static const struct {
	size_t		len, covered;
	struct pace_hdr	hdr;
	struct pace_ping ping;
	uint8_t		bytes[PACE_PROOF_SIZE];
} golden[] = {
	/* sum of i * w[i] = 5386493 = 82 * 65521 + 13771, check 13772 = 0x35cc */
	{ 32, 32, { PACE_DATA, 7, false, SESSION, 0x22334455667788, -2, PACE_LATE_UNKNOWN, 0x11, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 7, 0x35, 0xcc,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe } },
	/* three bytes more leave no room for late */
	{ 35, 32, { PACE_DATA, 7, false, SESSION, 0x22334455667788, -2, PACE_LATE_UNKNOWN, 0x11, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 7, 0x35, 0xcc,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe } },
	/* 5386493 + 17 * 0x0102 + 18 * 0x0304 = 82 * 65521 + 32053 */
	{ 36, 36, { PACE_DATA, 7, false, SESSION, 0x22334455667788, -2, 0x01020304, 0x11, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 7, 0x7d, 0x36,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
	    0x01, 0x02, 0x03, 0x04 } },
	/* 5386493 + 35 * 0xffff = 117 * 65521 + 14261; payload behind it */
	{ 45, 36, { PACE_DATA, 7, false, SESSION, 0x22334455667788, -2, PACE_LATE_UNKNOWN, 0x11, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 7, 0x37, 0xb6,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
	    0xff, 0xff, 0xff, 0xff } },
	/* 0x7550 + 2 * 0x0101 + 12 * 1 + 17 * 0x7b7d = 8 * 65521 + 43811; padded */
	{ 64, 64, { PACE_HELLO, 0, false, 0, 1, 0, PACE_LATE_UNKNOWN, 0, 0 }, { 0 }, {
	    0x75, 0x50, 1, 1, 0, 0, 0xab, 0x24,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    '{', '}' } },
	/* a reply's type has no late, but a body, here of odd length: 8288985, the largest of
	 * 32 bytes, near enough, + 17 * 0x6162 + 18 * 0x6300 = 139 * 65521 + 61568 */
	{ 35, 35, { PACE_FINISH | PACE_REPLY, 255, false, UINT64_MAX, PACE_SEQ_MAX, -1,
	    PACE_LATE_UNKNOWN, 255, 0 }, { 0 }, {
	    0x75, 0x50, 1, 0x85, 0, 0xff, 0xf0, 0x81,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    'a', 'b', 'c' } },
	/* the ends of the check: sum 65520 and 0 mod 65521 */
	{ 32, 32, { PACE_DATA, 0, false, 0, 0, 0x8882, PACE_LATE_UNKNOWN, 0, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 0, 0xff, 0xf1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0x88, 0x82 } },
	{ 32, 32, { PACE_DATA, 0, false, 0, 0, 0x7883, PACE_LATE_UNKNOWN, 0, 0 }, { 0 }, {
	    0x75, 0x50, 1, 4, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0x78, 0x83 } },
	/* a reply of 1472 bytes wanted, stamped, -1 ppm known; 52 * 65521 + 18229 */
	{ 64, 64, { PACE_PING, 2, false, SESSION, 5, 1000000000, PACE_LATE_UNKNOWN, 0, 0 },
	    { .reply_bytes = 1472, .stamp_reply = true, .rate_2p40 = -1099511 }, {
	    0x75, 0x50, 1, 8, 0, 2, 0x47, 0x36,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0x00,
	    0x05, 0xc0, 0, 1, 0xff, 0xef, 0x39, 0x09,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0 } },
	/* its reply, 177 * 65521 + 56809; padded */
	{ 71, 64, { PACE_PING | PACE_REPLY, 2, false, SESSION, 5, 2000000000, PACE_LATE_UNKNOWN, 0, 0 },
	    { .arrival_ns = 1999998765, .departure_ns = -3,
	      .wall_ns = INT64_C(1764000000000000000), .back = 4, .stamp = 2 }, {
	    0x75, 0x50, 1, 0x88, 0, 2, 0xdd, 0xea,
	    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    0, 0, 0, 0, 0x77, 0x35, 0x94, 0x00,
	    0, 0, 0, 0, 0x77, 0x35, 0x8f, 0x2d,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfd,
	    0x18, 0x7a, 0xfc, 0xa7, 0x67, 0xca, 0, 0,
	    0, 0, 0, 4, 2, 0, 0, 0 } },
	/* the largest of 64 bytes: 31873686 = 486 * 65521 + 30480 */
	{ 64, 64, { PACE_PING | PACE_REPLY, 255, false, UINT64_MAX, PACE_SEQ_MAX, -1, PACE_LATE_UNKNOWN, 255, 0 },
	    { .arrival_ns = -1, .departure_ns = -1, .wall_ns = -1, .back = UINT32_MAX,
	      .stamp = 255 }, {
	    0x75, 0x50, 1, 0x88, 0, 0xff, 0x77, 0x11,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0 } },
	/* sealed, its trailer is left to the tag: 31326 + 17 * 0x7b7d = 8 * 65521 + 44579 */
	{ 66, 34, { PACE_HELLO, 0, true, 0, 1, 0, PACE_LATE_UNKNOWN, 0, 0 }, { 0 }, {
	    0x75, 0x50, 1, 1, 1, 0, 0xae, 0x24,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 1,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    '{', '}' } },
	/* a frame of the responder, too short for proof: 832721 = 12 * 65521 + 46469 */
	{ 43, 36, { PACE_FRAME_DOWN, 7, false, SESSION, 9, 5, 0x01020304, 3, 0 },
	    { 0 }, {
	    0x75, 0x50, 1, 0x84, 0, 7, 0xb5, 0x86,
	    1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    3, 0, 0, 0, 0, 0, 0, 9,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    1, 2, 3, 4 } },
	/* and with it: 3945801 = 60 * 65521 + 14541 */
	{ 44, 44, { PACE_FRAME_DOWN, 7, false, SESSION, 9, 5, 0x01020304, 3,
	    0xfedcba9876543210 },
	    { 0 }, {
	    0x75, 0x50, 1, 0x84, 0, 7, 0x38, 0xce,
	    1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    3, 0, 0, 0, 0, 0, 0, 9,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    1, 2, 3, 4, 0xfe, 0xdc, 0xba, 0x98,
	    0x76, 0x54, 0x32, 0x10 } },
	/* a PING that proves: 7163808 = 109 * 65521 + 22019 */
	{ 80, 72, { PACE_PING, 2, false, SESSION, 5, 1000000000, PACE_LATE_UNKNOWN, 0, 0 },
	    { .reply_bytes = 96, .stamp_reply = true, .proof = 0xfedcba9876543210 }, {
	    0x75, 0x50, 1, 8, 0, 2, 0x56, 4,
	    1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0,
	    0, 0x60, 0, 1, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10 } },
	/* a reply with what is to be proven: 8498870 = 129 * 65521 + 46661 */
	{ 72, 72, { PACE_PING | PACE_REPLY, 2, false, SESSION, 5, 2000000000, PACE_LATE_UNKNOWN, 0,
	    0 },
	    { .arrival_ns = 1999998765, .stamp = 2, .proof = 0xfedcba9876543210 }, {
	    0x75, 0x50, 1, 0x88, 0, 2, 0xb6, 0x46,
	    1, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
	    0, 0, 0, 0, 0, 0, 0, 5,
	    0, 0, 0, 0, 0x77, 0x35, 0x94, 0,
	    0, 0, 0, 0, 0x77, 0x35, 0x8f, 0x2d,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0, 0, 2, 0, 0, 0,
	    0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10 } },
};

/* Rows of golden. */
enum { DATA_32 = 0, DATA_36 = 2, HELLO_64 = 4, PING_64 = 8, REPLY_71 = 9 };

static bool
same(const struct pace_hdr *a, const struct pace_hdr *b)
{
	return a->type == b->type && a->run == b->run && a->sealed == b->sealed &&
	    a->session == b->session && a->seq == b->seq && a->tx_ns == b->tx_ns &&
	    a->late_ns == b->late_ns && a->stream == b->stream &&
	    a->proof == b->proof;
}

static bool
same_ping(const struct pace_ping *a, const struct pace_ping *b)
{
	return a->reply_bytes == b->reply_bytes && a->stamp_reply == b->stamp_reply &&
	    a->rate_2p40 == b->rate_2p40 &&
	    a->arrival_ns == b->arrival_ns && a->departure_ns == b->departure_ns &&
	    a->wall_ns == b->wall_ns && a->back == b->back && a->stamp == b->stamp &&
	    a->proof == b->proof;
}

static bool
is_ping(uint8_t type)
{
	return type == 0x08 || type == 0x88;
}

/* May a tag end it? */
static bool
is_control(uint8_t type)
{
	return !is_ping(type) && (type & 0x7f) != 4;
}

/* Header, and the body where it is a PING; that of a control message is there already. */
static int
encode(uint8_t *buf, size_t len, const struct pace_hdr *h, const struct pace_ping *p)
{
	return is_ping(h->type) ? pace_ping_encode(buf, len, h, p) :
	    pace_hdr_encode(buf, h->sealed && is_control(h->type) ? len - 32 : len, h);
}

/* A golden frame, 0xee where nothing is said of its bytes; room for ROOM. */
static size_t
golden_frame(uint8_t *buf, int row)
{
	memset(buf, 0xee, ROOM);
	memcpy(buf, golden[row].bytes, golden[row].covered);
	return golden[row].len;
}

/* Decode must refuse with rc and leave its output alone. */
static void
check_refused(const uint8_t *buf, size_t len, int rc)
{
	struct pace_hdr h, before;

	memset(&h, 0x5a, sizeof(h));
	h.sealed = true;
	before = h;
	if (rc == -EPROTONOSUPPORT) {
		before.type = buf[3];
		before.seq = 0;
		for (int i = 16; i < 24; i++)
			before.seq = before.seq << 8 | buf[i];
	}
	ck_assert_int_eq(pace_hdr_decode(&h, buf, len), rc);
	ck_assert(same(&h, &before));
}

/* The bytes that the check of a frame of len bytes covers. */
static size_t
model_covered(uint8_t type, size_t len, bool sealed)
{
	if (is_ping(type))
		return len >= 72 ? 72 : 64;
	if (type == 0x84 && len >= 44)
		return 44;
	return (type & 0x7f) != 4 ? len - (sealed ? 32 : 0) : len >= 36 ? 36 : 32;
}

/* The check of whatever is there. */
static void
model_check(uint8_t *buf, size_t covered)
{
	struct pace_wr w = { .p = buf + 6, .left = 2 };
	uint64_t sum = 0;

	buf[6] = buf[7] = 0;
	for (uint64_t i = 0; i < covered; i++)
		sum += (i / 2 + 1) * (i % 2 == 0 ? buf[i] * 256u : buf[i]);
	pace_wr_be(&w, 1 + sum % 65521, 2);
}

static void
model_ping(struct pace_wr *w, bool reply, const struct pace_ping *p)
{
	if (reply) {
		pace_wr_be(w, (uint64_t)p->arrival_ns, 8);
		pace_wr_be(w, (uint64_t)p->departure_ns, 8);
		pace_wr_be(w, (uint64_t)p->wall_ns, 8);
		pace_wr_be(w, p->back, 4);
		pace_wr_be(w, p->stamp, 1);
		pace_wr_be(w, 0, 3);
	} else {
		pace_wr_be(w, p->reply_bytes, 2);
		pace_wr_be(w, p->stamp_reply, 2);
		pace_wr_be(w, (uint64_t)(int64_t)p->rate_2p40, 4);
		for (int i = 0; i < 3; i++)
			pace_wr_be(w, 0, 8);
	}
}

/* The slow, obvious frame: any version and flags, with the right check. */
static size_t
model_encode(uint8_t *buf, size_t len, const struct pace_hdr *h, const struct pace_ping *p,
    uint8_t version, uint8_t flags)
{
	size_t covered = model_covered(h->type, len, flags == 1);
	struct pace_wr w = { .p = buf, .left = covered };

	pace_wr_be(&w, PACE_WIRE_MAGIC, 2);
	pace_wr_be(&w, version, 1);
	pace_wr_be(&w, h->type, 1);
	pace_wr_be(&w, flags, 1);
	pace_wr_be(&w, h->run, 1);
	pace_wr_be(&w, 0, 2);
	pace_wr_be(&w, h->session, 8);
	pace_wr_be(&w, h->stream, 1);
	pace_wr_be(&w, h->seq, 7);
	pace_wr_be(&w, (uint64_t)h->tx_ns, 8);
	if ((h->type & 0x7f) == 4 && covered >= 36)
		pace_wr_be(&w, h->late_ns, 4);
	if (h->type == 0x84 && covered == 44)
		pace_wr_be(&w, h->proof, 8);
	if (is_ping(h->type))
		model_ping(&w, h->type >= 0x80, p);
	if (is_ping(h->type) && covered == 72)
		pace_wr_be(&w, p->proof, 8);
	model_check(buf, covered);
	return covered;
}

/* Every other one is of a type that covers more. */
static struct pace_hdr
random_header(void)
{
	static const uint8_t types[] = { PACE_DATA, PACE_FRAME_DOWN, PACE_PING,
	    PACE_PING | PACE_REPLY };
	struct pace_hdr h = { 0 };

	h.type = unit_between(0, 1) == 0 ? (uint8_t)unit_rnd() : types[unit_between(0, 3)];
	h.run = (uint8_t)unit_rnd();
	h.sealed = unit_between(0, 1) == 0;
	h.session = unit_rnd_any_size();
	h.stream = (uint8_t)unit_rnd_any_size();
	h.seq = unit_rnd_any_size() & PACE_SEQ_MAX;
	h.tx_ns = (int64_t)unit_rnd_any_size();
	h.late_ns = (uint32_t)unit_rnd_any_size();
	h.proof = unit_rnd();
	return h;
}

/* Everything set, whether the frame carries it or not. */
static struct pace_ping
random_ping(void)
{
	return (struct pace_ping){
		.reply_bytes = (uint16_t)unit_rnd(),
		.stamp_reply = unit_rnd() % 2 != 0,
		.rate_2p40 = (int32_t)unit_rnd(),
		.arrival_ns = (int64_t)unit_rnd_any_size(),
		.departure_ns = (int64_t)unit_rnd(),
		.wall_ns = (int64_t)unit_rnd(),
		.back = (uint32_t)unit_rnd_any_size(),
		.stamp = (uint8_t)unit_rnd(),
		.proof = unit_rnd(),
	};
}

/* Long enough for what h is, often at the edge where late begins. */
static size_t
random_len(const struct pace_hdr *h)
{
	if (is_ping(h->type))
		return (size_t)unit_between(PACE_PING_SIZE, ROOM);
	if (h->sealed && is_control(h->type))
		return (size_t)unit_between(PACE_HDR_SIZE + PACE_SEAL_SIZE, ROOM);
	return (size_t)unit_between(PACE_HDR_SIZE, unit_between(0, 1) == 0 ? 46 : ROOM);
}

/* h and p, as a frame of len bytes can carry them. */
static void
forget_what_is_not_carried(struct pace_hdr *h, struct pace_ping *p, size_t len)
{
	if ((h->type & 0x7f) != 4 || len < 36)
		h->late_ns = PACE_LATE_UNKNOWN;
	if (h->type != 0x84 || len < 44)
		h->proof = 0;
	if (len < 72)
		p->proof = 0;
	h->sealed = h->sealed && is_control(h->type);
	if (h->type == 0x88) {
		p->reply_bytes = 0;
		p->stamp_reply = false;
		p->rate_2p40 = 0;
	} else
		*p = (struct pace_ping){ .reply_bytes = p->reply_bytes,
		    .stamp_reply = p->stamp_reply,
		    .rate_2p40 = p->rate_2p40, .proof = p->proof };
}

START_TEST(the_bytes_are_those_of_the_table)
{
	size_t len = golden[_i].len;
	uint8_t *exact = malloc(len), want[ROOM];
	struct pace_hdr h;
	struct pace_ping p;

	golden_frame(want, _i);
	memset(exact, 0xee, len);
	if (is_control(golden[_i].hdr.type))
		memcpy(exact + 32, want + 32, len - 32);
	ck_assert_int_eq(encode(exact, len, &golden[_i].hdr, &golden[_i].ping),
	    is_control(golden[_i].hdr.type) ? 32 : (int)golden[_i].covered);
	ck_assert_mem_eq(exact, want, len);		/* and none behind them */
	ck_assert_int_eq(pace_hdr_decode(&h, exact, len), 0);
	ck_assert(same(&h, &golden[_i].hdr));
	if (is_ping(h.type)) {
		memset(&p, 0x5a, sizeof(p));
		pace_ping_decode(&p, exact, len);
		ck_assert(same_ping(&p, &golden[_i].ping));
	}
	free(exact);
}
END_TEST

START_TEST(what_is_not_carried_is_not_written)
{
	struct pace_hdr h = golden[DATA_32].hdr;
	struct pace_ping p = golden[REPLY_71].ping;
	uint8_t buf[ROOM];

	memset(buf, 0xee, sizeof(buf));
	h.late_ns = 0x01020304;				/* 32 bytes have none */
	ck_assert_int_eq(pace_hdr_encode(buf, 35, &h), 32);
	ck_assert_mem_eq(buf, golden[DATA_32].bytes, 32);
	for (size_t i = 32; i < sizeof(buf); i++)
		ck_assert_uint_eq(buf[i], 0xee);

	p.reply_bytes = 1472;				/* nor a PING its reply's times */
	p.rate_2p40 = -1099511;
	p.stamp_reply = true;
	ck_assert_int_eq(pace_ping_encode(buf, 64, &golden[PING_64].hdr, &p), 64);
	ck_assert_mem_eq(buf, golden[PING_64].bytes, 64);
	ck_assert_int_eq(pace_ping_encode(buf, 64, &golden[REPLY_71].hdr, &p), 64);
	ck_assert_mem_eq(buf, golden[REPLY_71].bytes, 64);
	ck_assert_uint_eq(buf[64], 0xee);
}
END_TEST

START_TEST(every_too_short_length_is_refused)
{
	size_t least = is_ping(golden[_i].hdr.type) || golden[_i].hdr.sealed ? 64 : 32;

	for (size_t len = 0; len < least; len++) {
		uint8_t *exact = malloc(len > 0 ? len : 1);

		memcpy(exact, golden[_i].bytes, len);
		check_refused(exact, len, -EMSGSIZE);
		free(exact);
	}
}
END_TEST

/* The check is over late, and late is no longer there. */
START_TEST(a_data_frame_that_lost_the_end_of_late_is_refused)
{
	for (size_t len = 32; len < 36; len++) {
		uint8_t *exact = malloc(len);

		memcpy(exact, golden[DATA_36].bytes, len);
		check_refused(exact, len, -EPROTO);
		free(exact);
	}
}
END_TEST

START_TEST(a_short_buffer_is_not_written)
{
	size_t least = is_ping(golden[_i].hdr.type) ? 64 : 32;

	for (size_t size = 0; size < least; size++) {
		uint8_t *exact = malloc(size > 0 ? size : 1);

		memset(exact, 0xee, size);
		ck_assert_int_eq(golden[_i].hdr.sealed ? pace_hdr_encode(exact, size, &golden[_i].hdr) :
		    encode(exact, size, &golden[_i].hdr, &golden[_i].ping), -ENOBUFS);
		for (size_t i = 0; i < size; i++)
			ck_assert_uint_eq(exact[i], 0xee);
		free(exact);
	}
}
END_TEST

START_TEST(each_encoder_refuses_what_is_the_others)
{
	uint8_t buf[PACE_PING_SIZE];

	memset(buf, 0xee, sizeof(buf));
	for (int type = 0; type < 256; type++) {
		struct pace_hdr h = { .type = (uint8_t)type };

		if (is_ping(h.type))
			ck_assert_int_eq(pace_hdr_encode(buf, sizeof(buf), &h), -ENOBUFS);
		else
			ck_assert_int_eq(pace_ping_encode(buf, sizeof(buf), &h,
			    &golden[PING_64].ping), -ENOBUFS);
	}
	for (size_t i = 0; i < sizeof(buf); i++)
		ck_assert_uint_eq(buf[i], 0xee);
}
END_TEST

START_TEST(every_flipped_bit_is_refused_where_the_check_is_over_it)
{
	uint8_t buf[ROOM];
	size_t len = golden_frame(buf, _i);
	struct pace_hdr h;

	for (size_t bit = 0; bit < len * 8; bit++) {
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (bit / 8 < golden[_i].covered)
			check_refused(buf, len, bit / 8 == 2 ? -EPROTONOSUPPORT :
			    bit == 32 && len < 64 && is_control(buf[3]) ? -EMSGSIZE : -EPROTO);
		else
			ck_assert(pace_hdr_decode(&h, buf, len) == 0 &&
			    same(&h, &golden[_i].hdr));
		buf[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
END_TEST

static void
exchange(uint8_t *buf, size_t a, size_t b)
{
	uint8_t t[2];

	memcpy(t, buf + 2 * a, 2);
	memcpy(buf + 2 * a, buf + 2 * b, 2);
	memcpy(buf + 2 * b, t, 2);
}

START_TEST(every_exchange_of_two_different_words_is_refused)
{
	struct pace_hdr h;

	for (size_t a = 0; a < golden[_i].covered / 2; a++) {
		for (size_t b = 0; b < a; b++) {
			uint8_t buf[ROOM];
			size_t len = golden_frame(buf, _i);

			exchange(buf, a, b);
			if (memcmp(buf, golden[_i].bytes, golden[_i].covered) != 0)
				ck_assert_int_lt(pace_hdr_decode(&h, buf, len), 0);
		}
	}
}
END_TEST

static int64_t
word(const uint8_t *buf, size_t i)
{
	return buf[2 * i] << 8 | buf[2 * i + 1];
}

/* Random multiples of unit in all words from session on, the check put right. */
static void
fill_words(uint8_t *buf, size_t covered, int64_t unit)
{
	for (size_t i = 4; i < covered / 2; i++) {
		int64_t v = unit_between(0, 65535 / unit) * unit;

		buf[2 * i] = (uint8_t)(v >> 8);
		buf[2 * i + 1] = (uint8_t)v;
	}
	model_check(buf, covered);
}

/* 65521 is prime: only words that differ by just that can change places unseen. */
START_TEST(exchanges_are_found_but_for_those_that_the_header_names)
{
	static const int unit_of[] = { 1, 1, 257, 4369, 21845, 65521, 65535 };
	static const int row_of[] = { HELLO_64, DATA_36, PING_64, REPLY_71 };

	for (int i = 0; i < 100000; i++) {
		int row = row_of[i % COUNT_OF(row_of)], rc;
		int64_t last = (int64_t)golden[row].covered / 2 - 1;
		size_t a = (size_t)unit_between(4, last), b = (size_t)unit_between(4, last);
		uint8_t buf[ROOM];
		size_t len = golden_frame(buf, row);
		struct pace_hdr h;
		bool blind;

		fill_words(buf, golden[row].covered, unit_of[unit_between(0, COUNT_OF(unit_of) - 1)]);
		blind = a == b || (word(buf, a) - word(buf, b)) % 65521 == 0;
		exchange(buf, a, b);
		rc = pace_hdr_decode(&h, buf, len);
		if (rc != (blind ? 0 : -EPROTO))
			ck_abort_msg("row %d, words %zu and %zu: %d", row, a, b, rc);
	}
}
END_TEST

/* The changes that the check cannot detect, as wire.h lists them. */
START_TEST(words_that_differ_by_65521_are_the_known_blind_spot)
{
	uint8_t buf[PACE_HDR_SIZE];
	struct pace_hdr h = { .type = PACE_DATA, .session = UINT64_C(65521) << 48 };

	ck_assert_int_gt(pace_hdr_encode(buf, sizeof(buf), &h), 0);
	exchange(buf, 4, 7);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
	ck_assert_uint_eq(h.session, 65521);
}
END_TEST

/* 19 * 0xd788 = 16 * 65521 + 8: as type 0, which covers the payload, the sum is less by
 * 2 * 4 for the type, and more by that for word 19. */
START_TEST(a_type_that_covers_more_is_the_other_blind_spot)
{
	struct pace_hdr h = { .type = PACE_DATA };
	uint8_t buf[PACE_DATA_SIZE + 2];

	for (int i = 0; i < 2; i++) {
		h.type = PACE_DATA;
		buf[36] = 0xd7;
		buf[37] = (uint8_t)(0x88 + i);
		ck_assert_int_eq(pace_hdr_encode(buf, sizeof(buf), &h), PACE_DATA_SIZE);
		buf[3] = 0;
		if (i == 0)
			ck_assert_int_eq(pace_hdr_decode(&h, buf, sizeof(buf)), 0);
		else
			check_refused(buf, sizeof(buf), -EPROTO);
	}
}
END_TEST

/* Their check would cost more than they are worth. */
START_TEST(control_longer_than_may_be_is_refused)
{
	static uint8_t buf[PACE_CONTROL_ROOM + 1];
	struct pace_hdr h = { .type = PACE_START };

	memset(buf, 0xff, sizeof(buf));
	ck_assert_int_eq(pace_hdr_encode(buf, PACE_CONTROL_ROOM, &h), PACE_HDR_SIZE);
	model_check(buf + 0, PACE_CONTROL_ROOM);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, PACE_CONTROL_ROOM), 0);
	ck_assert_int_eq(pace_hdr_encode(buf, sizeof(buf), &h), -ENOBUFS);
	model_check(buf, sizeof(buf));
	check_refused(buf, sizeof(buf), -EMSGSIZE);
}
END_TEST

START_TEST(another_version_is_told_apart_and_its_type_given)
{
	for (int version = 0; version < 256; version++) {
		uint8_t buf[PACE_HDR_SIZE];

		model_encode(buf, sizeof(buf), &golden[DATA_32].hdr, NULL, (uint8_t)version, 0);
		buf[3] = (uint8_t)(version * 7);
		buf[6] ^= 0x55;		/* its check may be another one */
		check_refused(buf, sizeof(buf),
		    version == 1 ? -EPROTO : -EPROTONOSUPPORT);
	}
}
END_TEST

/* Another version's PING may be as short as it likes. */
START_TEST(another_version_is_told_before_a_length)
{
	uint8_t buf[ROOM];

	golden_frame(buf, PING_64);
	buf[2] = 2;
	check_refused(buf, PACE_HDR_SIZE, -EPROTONOSUPPORT);
	check_refused(buf, PACE_HDR_SIZE - 1, -EMSGSIZE);
}
END_TEST

/* But for the one of a tag, where there may be one. */
START_TEST(flags_are_refused_though_the_check_is_right)
{
	for (int flags = is_control(golden[_i].hdr.type) ? 2 : 1; flags < 256; flags++) {
		uint8_t buf[ROOM];
		size_t len = golden_frame(buf, _i);

		buf[4] = (uint8_t)flags;
		model_check(buf, golden[_i].covered);
		check_refused(buf, len, -EPROTO);
	}
}
END_TEST

/* A header of another protocol, its own check right: the weight of the first
 * word is 1, so the check moves as the word does. */
START_TEST(another_magic_is_refused_before_anything_else_is_read)
{
	uint8_t buf[PACE_HDR_SIZE];

	memcpy(buf, golden[DATA_32].bytes, sizeof(buf));
	buf[1]++;
	buf[7]++;
	check_refused(buf, sizeof(buf), -EPROTO);
	buf[2]++;			/* of another version, too */
	check_refused(buf, sizeof(buf), -EPROTO);
}
END_TEST

START_TEST(every_type_is_passed_on)
{
	for (int type = 0; type < 256; type++) {
		uint8_t buf[PACE_PING_SIZE];
		struct pace_hdr h = golden[DATA_36].hdr, back;

		h.type = (uint8_t)type;
		memset(buf, 0xee, sizeof(buf));
		ck_assert_int_gt(encode(buf, sizeof(buf), &h, &golden[PING_64].ping), 0);
		ck_assert_int_eq(pace_hdr_decode(&back, buf, sizeof(buf)), 0);
		if ((type & 0x7f) != 4)
			h.late_ns = PACE_LATE_UNKNOWN;
		ck_assert(same(&back, &h));
	}
}
END_TEST

/* 0 in this version, of no meaning to who reads. */
START_TEST(what_a_ping_keeps_free_is_passed_over)
{
	uint8_t buf[ROOM];
	struct pace_hdr h;
	struct pace_ping p;

	golden_frame(buf, PING_64);
	buf[34] = buf[35] = 0xff;
	memset(buf + 40, 0xff, 24);
	model_check(buf, 64);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, 64), 0);
	pace_ping_decode(&p, buf, 64);
	ck_assert(same_ping(&p, &golden[PING_64].ping));

	golden_frame(buf, REPLY_71);
	memset(buf + 61, 0xff, 3);
	model_check(buf, 64);
	ck_assert_int_eq(pace_hdr_decode(&h, buf, 64), 0);
	pace_ping_decode(&p, buf, 64);
	ck_assert(same_ping(&p, &golden[REPLY_71].ping));
}
END_TEST

START_TEST(random_frames_go_round_and_agree_with_the_model)
{
	for (int i = 0; i < 40000; i++) {
		uint8_t buf[ROOM], want[ROOM];
		struct pace_hdr h = random_header(), back;
		struct pace_ping p = random_ping(), back_p;
		size_t len = random_len(&h), covered;

		memset(buf, 0xee, sizeof(buf));
		memset(want, 0xee, sizeof(want));
		covered = model_encode(want, len, &h, &p, 1, h.sealed && is_control(h.type));
		if (encode(buf, len, &h, &p) != (is_control(h.type) ? 32 : (int)covered) ||
		    memcmp(buf, want, sizeof(buf)) != 0)
			ck_abort_msg("frame %d is not the model's", i);
		forget_what_is_not_carried(&h, &p, len);
		if (pace_hdr_decode(&back, buf, len) != 0 || !same(&back, &h))
			ck_abort_msg("header %d does not come back", i);
		if (!is_ping(h.type))
			continue;
		pace_ping_decode(&back_p, buf, len);
		if (!same_ping(&back_p, &p))
			ck_abort_msg("body %d does not come back", i);
	}
}
END_TEST

/* After any change, a frame is accepted if and only if its check is that of the model. */
START_TEST(damaged_frames_are_judged_as_by_the_model)
{
	int accepted = 0;

	for (int i = 0; i < 200000; i++) {
		uint8_t buf[ROOM] = { 0 }, want[ROOM];
		struct pace_hdr h = random_header();
		struct pace_ping p = random_ping();
		size_t len = random_len(&h), covered = model_encode(buf, len, &h, &p, 1, 0);
		int rc;

		for (int64_t n = unit_between(1, 4); n > 0; n--)
			buf[unit_between(6, (int64_t)covered - 1)] = (uint8_t)unit_rnd();
		memcpy(want, buf, sizeof(buf));
		model_check(want, covered);
		rc = pace_hdr_decode(&h, buf, len);
		if (rc != (memcmp(buf, want, sizeof(buf)) == 0 ? 0 : -EPROTO))
			ck_abort_msg("frame %d: %d", i, rc);
		accepted += rc == 0;
	}
	ck_assert_int_lt(accepted, 2000);	/* bytes that did not change */
}
END_TEST

#define UNIT	0x1p-40

static const struct { double rate; int32_t carried; } rates[] = {
	{ 0, 0 }, { -0.0, 0 }, { UNIT, 1 }, { -UNIT, -1 },
	{ UNIT / 2, 0 }, { -UNIT / 2, 0 }, { 1.75 * UNIT, 1 }, { -1.75 * UNIT, -1 },
	{ 1e-6, 1099511 }, { -1e-6, -1099511 },		/* of 1099511.6 */
	{ 1999999999 * UNIT, 1999999999 }, { -1999999999 * UNIT, -1999999999 },
	{ 2e9 * UNIT, 2000000000 }, { -2e9 * UNIT, -2000000000 },
	{ 2000000001 * UNIT, 2000000000 }, { -2000000001 * UNIT, -2000000000 },
	{ 0x1p-9, 2000000000 }, { -0x1p-9, -2000000000 },	/* 2^31 units */
	{ 1, 2000000000 }, { -1, -2000000000 },
	{ DBL_MAX, 2000000000 }, { -DBL_MAX, -2000000000 },
	{ DBL_MIN, 0 }, { -DBL_MIN, 0 },
	{ INFINITY, 2000000000 }, { -INFINITY, -2000000000 }, { NAN, 0 }, { -NAN, 0 },
};

START_TEST(a_rate_is_carried_in_whole_units_within_its_bounds)
{
	ck_assert_int_eq(pace_ping_rate(rates[_i].rate), rates[_i].carried);
}
END_TEST

START_TEST(a_carried_rate_is_read_as_units_of_2_to_the_minus_40)
{
	ck_assert_double_eq(pace_rate_of_ping(0), 0);
	ck_assert_double_eq(pace_rate_of_ping(1), 9.094947017729282379150390625e-13);
	ck_assert_double_eq(pace_rate_of_ping(-1), -9.094947017729282379150390625e-13);
	ck_assert_double_eq(pace_rate_of_ping(1 << 30), 0x1p-10);
	ck_assert_double_eq(pace_rate_of_ping(INT32_MIN), -0x1p-9);
	ck_assert_double_eq(pace_rate_of_ping(INT32_MAX), 2147483647 * UNIT);
}
END_TEST

START_TEST(carried_rates_go_round)
{
	for (int i = 0; i < 100000; i++) {
		int32_t n = (int32_t)unit_between(-2000000000, 2000000000);

		if (pace_ping_rate(pace_rate_of_ping(n)) != n)
			ck_abort_msg("%d", n);
	}
	/* from beyond what we would send */
	ck_assert_int_eq(pace_ping_rate(pace_rate_of_ping(INT32_MIN)), -2000000000);
	ck_assert_int_eq(pace_ping_rate(pace_rate_of_ping(INT32_MAX)), 2000000000);
}
END_TEST

int
main(void)
{
	const int rows = COUNT_OF(golden);
	TCase *tc = tcase_create("wire");

	unit_seed(tc);
	tcase_add_loop_test(tc, the_bytes_are_those_of_the_table, 0, rows);
	tcase_add_test(tc, what_is_not_carried_is_not_written);
	tcase_add_loop_test(tc, every_too_short_length_is_refused, 0, rows);
	tcase_add_test(tc, a_data_frame_that_lost_the_end_of_late_is_refused);
	tcase_add_loop_test(tc, a_short_buffer_is_not_written, 0, rows);
	tcase_add_test(tc, each_encoder_refuses_what_is_the_others);
	tcase_add_loop_test(tc, every_flipped_bit_is_refused_where_the_check_is_over_it, 0, rows);
	tcase_add_loop_test(tc, every_exchange_of_two_different_words_is_refused, 0, rows);
	tcase_add_test(tc, exchanges_are_found_but_for_those_that_the_header_names);
	tcase_add_test(tc, words_that_differ_by_65521_are_the_known_blind_spot);
	tcase_add_test(tc, a_type_that_covers_more_is_the_other_blind_spot);
	tcase_add_test(tc, control_longer_than_may_be_is_refused);
	tcase_add_test(tc, another_version_is_told_apart_and_its_type_given);
	tcase_add_test(tc, another_version_is_told_before_a_length);
	tcase_add_loop_test(tc, flags_are_refused_though_the_check_is_right, 0, rows);
	tcase_add_test(tc, another_magic_is_refused_before_anything_else_is_read);
	tcase_add_test(tc, every_type_is_passed_on);
	tcase_add_test(tc, what_a_ping_keeps_free_is_passed_over);
	tcase_add_test(tc, random_frames_go_round_and_agree_with_the_model);
	tcase_add_test(tc, damaged_frames_are_judged_as_by_the_model);
	tcase_add_loop_test(tc, a_rate_is_carried_in_whole_units_within_its_bounds, 0,
	    COUNT_OF(rates));
	tcase_add_test(tc, a_carried_rate_is_read_as_units_of_2_to_the_minus_40);
	tcase_add_test(tc, carried_rates_go_round);
	return unit_run(tc, "wire");
}
