#include "core/stamp.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/cursor.h"

#define SEC_NS		INT64_C(1000000000)
#define NTP_1970	INT64_C(2208988800)	/* s from 1900 to 1970 */
#define ERA_S		(INT64_C(1) << 32)	/* the seconds wrap */
#define NEAR_S		UINT32_C(16)

/* --- times and their error ---------------------------------------------------------------- */

/* Divide by a second, rounding down. */
static int64_t
seconds_of(int64_t ns)
{
	return ns / SEC_NS - (ns % SEC_NS < 0);
}

/* The fraction is rounded up: rounding down gives the same ns again. */
uint64_t
pace_stamp_time(int64_t ns, enum pace_stamp_format format)
{
	int64_t s = seconds_of(ns);
	uint64_t rest = (uint64_t)(ns - s * SEC_NS);

	if (format == PACE_STAMP_PTP)
		return (uint64_t)s << 32 | rest;
	return ((uint64_t)(s + NTP_1970) << 32) |
	    (((rest << 32) + (uint64_t)SEC_NS - 1) / (uint64_t)SEC_NS);
}

int64_t
pace_stamp_time_ns(uint64_t time, enum pace_stamp_format format, int64_t near_ns)
{
	uint64_t fraction = time & UINT32_MAX;
	int64_t s = (int64_t)(time >> 32) - (format == PACE_STAMP_NTP ? NTP_1970 : 0);
	int64_t near_s = seconds_of(near_ns), ahead;

	ahead = near_s - s + ERA_S / 2;
	s += (ahead / ERA_S - (ahead % ERA_S < 0)) * ERA_S;
	if (s > INT64_MAX / SEC_NS - 5 || s < INT64_MIN / SEC_NS + 5)
		s -= s > 0 ? ERA_S : -ERA_S;	/* at the ends of 64 bits */
	if (format == PACE_STAMP_NTP)
		fraction = fraction * (uint64_t)SEC_NS >> 32;
	return s * SEC_NS + (int64_t)fraction;
}

uint16_t
pace_stamp_error(const struct pace_stamp_error *e)
{
	const uint64_t ns = e->ns > 0 ? (uint64_t)e->ns : 0;
	const uint64_t whole = ns / (uint64_t)SEC_NS, rest = ns % (uint64_t)SEC_NS;
	const unsigned flags = (unsigned)e->synchronised << 15 |
	    (unsigned)(e->format == PACE_STAMP_PTP) << 14;
	/* in units of 2^-32 s */
	uint64_t n = (whole << 32) + ((rest << 32) + (uint64_t)SEC_NS - 1) / (uint64_t)SEC_NS;
	unsigned scale = 0;

	if (whole >= (uint64_t)ERA_S / 2)
		return (uint16_t)(flags | 0x3fff);
	for (; n > 255; scale++)
		n = n / 2 + n % 2;
	return (uint16_t)(flags | scale << 8 | (n == 0 ? 1 : n));
}

struct pace_stamp_error
pace_stamp_error_of(uint16_t error)
{
	const double ns = ceil(ldexp((double)(error & 255) * (double)SEC_NS,
	    (error >> 8 & 63) - 32));
	const bool known = ns > 0 && ns < 0x1p63;

	return (struct pace_stamp_error){ .synchronised = error >> 15 != 0,
	    .format = (error >> 14 & 1) != 0 ? PACE_STAMP_PTP : PACE_STAMP_NTP,
	    .ns = known ? (int64_t)ns : INT64_MAX };
}

/* --- packets ------------------------------------------------------------------------------- */

/* The fields of a packet and the zeros between them. */
static void
skip(struct pace_rd *r, size_t n)
{
	for (; n > 8; n -= 8)
		(void)pace_rd_be(r, 8);
	(void)pace_rd_be(r, n);
}

static void
zeros(struct pace_wr *w, size_t n)
{
	for (; n > 8; n -= 8)
		pace_wr_be(w, 0, 8);
	pace_wr_be(w, 0, n);
}

int
pace_stamp_request_encode(uint8_t *buf, size_t size, bool auth,
    const struct pace_stamp_request *q)
{
	const size_t base = pace_stamp_base(auth);
	struct pace_wr w = { .p = buf, .left = base };

	if (size < base)
		return -EMSGSIZE;
	pace_wr_be(&w, q->seq, 4);
	zeros(&w, auth ? 12 : 0);
	pace_wr_be(&w, q->t1, 8);
	pace_wr_be(&w, q->error, 2);
	pace_wr_be(&w, q->ssid, 2);
	zeros(&w, w.left);
	return (int)base;
}

int
pace_stamp_reply_encode(uint8_t *buf, size_t size, bool auth, const struct pace_stamp_reply *p)
{
	size_t base = pace_stamp_base(auth);
	struct pace_wr w;

	if (size < (auth ? PACE_STAMP_AUTH : PACE_STAMP_LIGHT))
		return -EMSGSIZE;
	if (size < base)
		base = size;
	w = (struct pace_wr){ .p = buf, .left = base };
	pace_wr_be(&w, p->seq, 4);
	zeros(&w, auth ? 12 : 0);
	pace_wr_be(&w, p->t3, 8);
	pace_wr_be(&w, p->error, 2);
	pace_wr_be(&w, p->ssid, 2);
	zeros(&w, auth ? 4 : 0);
	pace_wr_be(&w, p->t2, 8);
	zeros(&w, auth ? 8 : 0);
	pace_wr_be(&w, p->sender.seq, 4);
	zeros(&w, auth ? 12 : 0);
	pace_wr_be(&w, p->sender.t1, 8);
	pace_wr_be(&w, p->sender.error, 2);
	zeros(&w, auth ? 6 : 2);
	pace_wr_be(&w, p->ttl, 1);
	zeros(&w, w.left);
	return (int)base;
}

void
pace_stamp_reply_set_t3(uint8_t *buf, bool auth, uint64_t t3)
{
	struct pace_wr w = { .p = buf + (auth ? 16 : 4), .left = 8 };

	pace_wr_be(&w, t3, 8);
}

int
pace_stamp_request_decode(struct pace_stamp_request *q, const uint8_t *buf, size_t len, bool auth)
{
	struct pace_rd r = { .p = buf, .left = len };
	struct pace_stamp_request t;

	if (auth && len < PACE_STAMP_AUTH)
		return -EMSGSIZE;
	t.seq = (uint32_t)pace_rd_be(&r, 4);
	skip(&r, auth ? 12 : 0);
	t.t1 = pace_rd_be(&r, 8);
	t.error = (uint16_t)pace_rd_be(&r, 2);
	t.ssid = (uint16_t)(len >= PACE_STAMP_OPEN ? pace_rd_be(&r, 2) : 0);
	if (r.bad)
		return -EMSGSIZE;
	*q = t;
	return 0;
}

int
pace_stamp_reply_decode(struct pace_stamp_reply *p, const uint8_t *buf, size_t len, bool auth)
{
	struct pace_rd r = { .p = buf, .left = len };
	struct pace_stamp_reply t;

	if (auth && len < PACE_STAMP_AUTH)
		return -EMSGSIZE;
	t.seq = (uint32_t)pace_rd_be(&r, 4);
	skip(&r, auth ? 12 : 0);
	t.t3 = pace_rd_be(&r, 8);
	t.error = (uint16_t)pace_rd_be(&r, 2);
	t.ssid = (uint16_t)pace_rd_be(&r, 2);
	skip(&r, auth ? 4 : 0);
	t.t2 = pace_rd_be(&r, 8);
	skip(&r, auth ? 8 : 0);
	t.sender.seq = (uint32_t)pace_rd_be(&r, 4);
	skip(&r, auth ? 12 : 0);
	t.sender.t1 = pace_rd_be(&r, 8);
	t.sender.error = (uint16_t)pace_rd_be(&r, 2);
	t.sender.ssid = 0;
	skip(&r, auth ? 6 : 2);
	t.ttl = (uint8_t)pace_rd_be(&r, 1);
	if (r.bad)
		return -EMSGSIZE;
	*p = t;
	return 0;
}

static bool
are_near(uint64_t a, uint64_t b)
{
	return (uint32_t)(a >> 32) - (uint32_t)(b >> 32) + NEAR_S <= 2 * NEAR_S;
}

bool
pace_stamp_is_like_reply(const uint8_t *buf, size_t len, bool auth, uint64_t now)
{
	struct pace_stamp_reply p;

	return pace_stamp_reply_decode(&p, buf, len, auth) == 0 &&
	    ((p.t2 != 0 && are_near(p.t2, p.t3)) || are_near(p.sender.t1, now));
}

/* --- extensions ---------------------------------------------------------------------------- */

/* The length that a type must have; -1: any. */
static int
length_of(uint8_t type)
{
	switch (type) {
	case PACE_STAMP_TLV_TIME_INFO:
		return PACE_STAMP_TIME_INFO_LENGTH;
	case PACE_STAMP_TLV_COS:
		return PACE_STAMP_COS_LENGTH;
	case PACE_STAMP_TLV_FOLLOW_UP:
		return PACE_STAMP_FOLLOW_UP_LENGTH;
	case PACE_STAMP_TLV_HMAC:
		return PACE_STAMP_HMAC_SIZE;
	default:
		return -1;
	}
}

struct pace_stamp_walk
pace_stamp_walk(const uint8_t *buf, size_t len, bool auth)
{
	return (struct pace_stamp_walk){ .buf = buf, .len = len, .at = pace_stamp_base(auth) };
}

bool
pace_stamp_walk_next(struct pace_stamp_walk *w, struct pace_stamp_tlv *t)
{
	const uint8_t *p = w->buf + w->at;
	int length;

	if (w->at >= w->len || w->len - w->at < PACE_STAMP_TLV_SIZE || p[1] == 0 ||
	    w->n == PACE_STAMP_TLVS_MAX)
		return false;
	*t = (struct pace_stamp_tlv){ .flags = p[0], .type = p[1],
	    .length = (uint16_t)(p[2] << 8 | p[3]), .at = w->at };
	w->n++;
	length = length_of(t->type);
	t->malformed = length >= 0 && t->length != length;
	w->at += PACE_STAMP_TLV_SIZE;
	t->malformed = t->malformed || t->length > w->len - w->at;
	w->at = t->malformed ? w->len : w->at + t->length;
	return true;
}

void
pace_stamp_cos_put(uint8_t *value, const struct pace_stamp_cos *c)
{
	struct pace_wr w = { .p = value, .left = PACE_STAMP_COS_LENGTH };

	pace_wr_be(&w, (uint64_t)(c->dscp_wanted & 63) << 26 | (uint64_t)(c->dscp & 63) << 20 |
	    (uint64_t)(c->ecn & 3) << 18 | (uint64_t)(c->refused & 3) << 16, 4);
}

void
pace_stamp_cos_get(struct pace_stamp_cos *c, const uint8_t *value)
{
	struct pace_rd r = { .p = value, .left = PACE_STAMP_COS_LENGTH };
	uint64_t v = pace_rd_be(&r, 4);

	*c = (struct pace_stamp_cos){ .dscp_wanted = v >> 26 & 63, .dscp = v >> 20 & 63,
	    .ecn = v >> 18 & 3, .refused = v >> 16 & 3 };
}

void
pace_stamp_time_info_put(uint8_t *value, const struct pace_stamp_time_info *i)
{
	const uint8_t v[] = { i->source_in, i->method_in, i->source_out, i->method_out };

	memcpy(value, v, sizeof(v));
}

void
pace_stamp_time_info_get(struct pace_stamp_time_info *i, const uint8_t *value)
{
	*i = (struct pace_stamp_time_info){ value[0], value[1], value[2], value[3] };
}

void
pace_stamp_follow_up_put(uint8_t *value, const struct pace_stamp_follow_up *f)
{
	struct pace_wr w = { .p = value, .left = PACE_STAMP_FOLLOW_UP_LENGTH };

	pace_wr_be(&w, f->seq, 4);
	pace_wr_be(&w, f->time, 8);
	pace_wr_be(&w, f->method, 1);
	pace_wr_be(&w, 0, 3);
}

void
pace_stamp_follow_up_get(struct pace_stamp_follow_up *f, const uint8_t *value)
{
	struct pace_rd r = { .p = value, .left = PACE_STAMP_FOLLOW_UP_LENGTH };

	f->seq = (uint32_t)pace_rd_be(&r, 4);
	f->time = pace_rd_be(&r, 8);
	f->method = (uint8_t)pace_rd_be(&r, 1);
}

int
pace_stamp_tlv_add(uint8_t *buf, size_t size, size_t len, enum pace_stamp_tlv_type type,
    uint16_t length)
{
	struct pace_wr w = { .p = buf + len, .left = PACE_STAMP_TLV_SIZE };

	if (len > size || size - len < PACE_STAMP_TLV_SIZE + (size_t)length)
		return -EMSGSIZE;
	pace_wr_be(&w, PACE_STAMP_U, 1);
	pace_wr_be(&w, (uint64_t)type, 1);
	pace_wr_be(&w, length, 2);
	memset(w.p, 0, length);
	return (int)(len + PACE_STAMP_TLV_SIZE + length);
}
