#include "config.h"

#include "stream/stamp_session.h"

#include <errno.h>
#include <string.h>

#include "proto/random.h"

#define TLV(value)	(PACE_STAMP_TLV_SIZE + (value))
#define FINEST_NS	INT64_C(1000)		/* finer grains are not looked for */
#define COARSEST_NS	INT64_C(1000000000)
#define GRAINS_LEAST	6			/* times that are not multiples by chance */
#define ERROR_NS	INT64_C(1000000000)	/* of our clock, if the kernel does not know it */

static bool
is_auth(const struct pace_stamp_session *s)
{
	return s->key != NULL;
}

/* --- requests ---------------------------------------------------------------------------- */

/* The number on the wire. */
static uint32_t
wire_number(const struct pace_stamp_session *s, uint64_t number)
{
	uint64_t n = number - s->base;

	return (uint32_t)(n + (n > 0));
}

void
pace_stamp_session_begin(struct pace_stamp_session *s, uint64_t first, int64_t wall_ns)
{
	s->ssid = s->light ? 0 : (uint16_t)(1 + pace_random() % UINT16_MAX);
	s->base = first;
	s->wall_ns = wall_ns;
	s->grain_ns = COARSEST_NS;
	s->grains = 0;
	s->own = false;
	memset(s->theirs, 0, sizeof(s->theirs));
	pace_stamp_session_series(s, first);
}

void
pace_stamp_session_series(struct pace_stamp_session *s, uint64_t first)
{
	s->first = first;
	s->seen = (struct pace_stamp_segment){ .first = first };
	memset(&s->past, 0, sizeof(s->past));
	s->octets = 0;
	s->result = (struct pace_stamp_result){ .light = s->light, .authenticated = is_auth(s),
	    .ssid = s->ssid, .ttl_sent = s->ttl, .dscp_sent = s->dscp };
}

uint32_t
pace_stamp_session_size(const struct pace_stamp_session *s)
{
	size_t tlvs = TLV(PACE_STAMP_FOLLOW_UP_LENGTH) + TLV(PACE_STAMP_COS_LENGTH) +
	    TLV(PACE_STAMP_TIME_INFO_LENGTH) + (is_auth(s) ? TLV(PACE_STAMP_HMAC_SIZE) : 0);

	return (uint32_t)(pace_stamp_base(is_auth(s)) + (s->light ? 0 : tlvs));
}

bool
pace_stamp_size_fits(uint32_t size, bool light, bool authenticated)
{
	uint32_t base = (uint32_t)pace_stamp_base(authenticated);

	return size == base || (light && size > base) || size >= base + PACE_STAMP_TLV_SIZE;
}

/* Does a TLV fit, with an HMAC over it, and no rest that is too small for padding? */
static bool
has_room(const struct pace_stamp_session *s, size_t len, uint32_t size, size_t length)
{
	size_t end = len + TLV(length) + (is_auth(s) ? TLV(PACE_STAMP_HMAC_SIZE) : 0);

	return end == size || end + PACE_STAMP_TLV_SIZE <= size;
}

static size_t
add_tlvs(const struct pace_stamp_session *s, uint8_t *buf, size_t len, uint32_t size)
{
	static const struct { enum pace_stamp_tlv_type type; uint16_t length; } tlvs[] = {
		{ PACE_STAMP_TLV_FOLLOW_UP, PACE_STAMP_FOLLOW_UP_LENGTH },
		{ PACE_STAMP_TLV_COS, PACE_STAMP_COS_LENGTH },
		{ PACE_STAMP_TLV_TIME_INFO, PACE_STAMP_TIME_INFO_LENGTH },
	};
	const struct pace_stamp_cos cos = { .dscp_wanted = s->dscp };
	size_t base = len;

	for (size_t i = 0; i < sizeof(tlvs) / sizeof(tlvs[0]); i++) {
		if (!has_room(s, len, size, tlvs[i].length))
			continue;
		(void)pace_stamp_tlv_add(buf, size, len, tlvs[i].type, tlvs[i].length);
		if (tlvs[i].type == PACE_STAMP_TLV_COS)
			pace_stamp_cos_put(buf + len + PACE_STAMP_TLV_SIZE, &cos);
		len += TLV(tlvs[i].length);
	}
	if (is_auth(s) && len > base) {
		(void)pace_stamp_tlv_add(buf, size, len, PACE_STAMP_TLV_HMAC, PACE_STAMP_HMAC_SIZE);
		pace_stamp_mac(s->key, buf, 4, buf + base, len - base,
		    buf + len + PACE_STAMP_TLV_SIZE);
		len += TLV(PACE_STAMP_HMAC_SIZE);
	}
	return len;
}

int
pace_stamp_session_request(const struct pace_stamp_session *s, uint8_t *buf, uint32_t size,
    uint64_t number, int64_t now_ns, uint64_t *t1)
{
	const struct pace_stamp_error error = { .format = PACE_STAMP_NTP,
	    .synchronised = s->clock.known && s->clock.synchronised,
	    .ns = s->clock.known ? s->clock.error_max_ns : ERROR_NS };
	const struct pace_stamp_request q = { .seq = wire_number(s, number),
	    .t1 = pace_stamp_time(now_ns + s->wall_ns, PACE_STAMP_NTP),
	    .error = pace_stamp_error(&error), .ssid = s->ssid };
	int len = pace_stamp_request_encode(buf, size, is_auth(s), &q);
	size_t at;

	if (len < 0)
		return len;
	if (!pace_stamp_size_fits(size, s->light, is_auth(s)))
		return -EMSGSIZE;
	at = s->light ? (size_t)len : add_tlvs(s, buf, (size_t)len, size);
	if (s->light)
		memset(buf + at, 0, size - at);
	else if (at < size)
		(void)pace_stamp_tlv_add(buf, size, at, PACE_STAMP_TLV_PADDING,
		    (uint16_t)(size - at - PACE_STAMP_TLV_SIZE));
	if (is_auth(s))
		pace_stamp_mac(s->key, buf, PACE_STAMP_HMAC_AT, NULL, 0,
		    buf + PACE_STAMP_HMAC_AT);
	*t1 = q.t1;
	return 0;
}

/* --- replies ----------------------------------------------------------------------------- */

/* Read the fields of a reply; an open one may end behind T1. */
static bool
read_base(const struct pace_stamp_session *s, const struct pace_in *in, size_t len,
    struct pace_stamp_reply *p)
{
	uint8_t whole[PACE_STAMP_OPEN] = { 0 };

	if (is_auth(s))
		return pace_stamp_reply_decode(p, in->buf, len, true) == 0;
	if (len < PACE_STAMP_REPLY_MIN)
		return false;
	memcpy(whole, in->buf, len < sizeof(whole) ? len : sizeof(whole));
	return pace_stamp_reply_decode(p, whole, sizeof(whole), false) == 0;
}

static bool
is_verified(const struct pace_stamp_session *s, const struct pace_in *in)
{
	return !is_auth(s) || pace_stamp_mac_is(s->key, in->buf, PACE_STAMP_HMAC_AT, NULL, 0,
	    in->buf + PACE_STAMP_HMAC_AT);
}

/* Is the HMAC over the TLVs before it right?  t: the TLV HMAC. */
static bool
are_tlvs_verified(const struct pace_stamp_session *s, const struct pace_in *in,
    const struct pace_stamp_tlv *t)
{
	size_t base = pace_stamp_base(true);

	return !t->malformed && pace_stamp_mac_is(s->key, in->buf, 4, in->buf + base,
	    t->at - base, in->buf + t->at + PACE_STAMP_TLV_SIZE);
}

static void
read_follow_up(const struct pace_stamp_session *s, struct pace_stamp_answer *a,
    const uint8_t *value, int64_t near_ns, enum pace_stamp_format format)
{
	struct pace_stamp_follow_up f;
	size_t at;

	pace_stamp_follow_up_get(&f, value);
	at = f.seq % PACE_STAMP_NUMBERS;
	if (f.time == 0 || !s->theirs[at].used || s->theirs[at].seq != f.seq)
		return;
	a->follows = true;
	a->follow_number = s->theirs[at].number;
	a->follow_ns = pace_stamp_time_ns(f.time, format, near_ns) - s->wall_ns;
}

/* Use a TLV that the reflector knows and that is as it must be. */
static void
read_tlv(const struct pace_stamp_session *s, struct pace_stamp_answer *a,
    const struct pace_stamp_tlv *t, const uint8_t *value, int64_t near_ns)
{
	switch (t->type) {
	case PACE_STAMP_TLV_COS:
		a->has_cos = true;
		pace_stamp_cos_get(&a->cos, value);
		break;
	case PACE_STAMP_TLV_TIME_INFO:
		a->has_time_info = true;
		pace_stamp_time_info_get(&a->time_info, value);
		a->stamped = a->time_info.method_in == PACE_STAMP_BY_HARDWARE ||
		    a->time_info.method_in == PACE_STAMP_BY_SOFTWARE;
		break;
	case PACE_STAMP_TLV_FOLLOW_UP:
		read_follow_up(s, a, value, near_ns, pace_stamp_error_of(a->error).format);
		break;
	default:
		break;
	}
}

/* Read the TLVs of a reply.  One that does not fit into the buffer ends the reading; only padding
 * can be that large. */
static void
read_tlvs(const struct pace_stamp_session *s, struct pace_stamp_answer *a,
    const struct pace_in *in, size_t len, int64_t near_ns)
{
	struct pace_stamp_walk w = pace_stamp_walk(in->buf, len, is_auth(s)), again = w;
	struct pace_stamp_tlv t;
	bool trusted = !is_auth(s);
	size_t end = SIZE_MAX;		/* of the trusted ones: an HMAC covers those before it */

	while (end == SIZE_MAX && pace_stamp_walk_next(&w, &t))
		if (is_auth(s) && t.type == PACE_STAMP_TLV_HMAC) {
			trusted = are_tlvs_verified(s, in, &t);
			a->flags |= trusted ? 0 : PACE_STAMP_I;
			end = t.at;
		}
	for (w = again; pace_stamp_walk_next(&w, &t);) {
		a->flags |= t.flags & (PACE_STAMP_U | PACE_STAMP_M | PACE_STAMP_I);
		if (t.malformed && in->len <= in->size)
			a->flags |= PACE_STAMP_M;
		if (trusted && t.at < end && !t.malformed && t.flags == 0)
			read_tlv(s, a, &t, in->buf + t.at + PACE_STAMP_TLV_SIZE, near_ns);
	}
}

/* Find the largest power of ten that divides this time and all before. */
static void
look_at_grain(struct pace_stamp_session *s, int64_t ns)
{
	s->grains++;
	while (s->grain_ns >= FINEST_NS) {
		int64_t rest = ns % s->grain_ns;

		if (rest < 0)
			rest += s->grain_ns;
		if (rest <= 1 || rest >= s->grain_ns - 1)	/* the NTP format rounds */
			return;
		s->grain_ns /= 10;
	}
	s->grain_ns = 1;
}

static void
read_times(struct pace_stamp_session *s, struct pace_stamp_answer *a, int64_t near_ns)
{
	enum pace_stamp_format format = pace_stamp_error_of(a->error).format;

	a->timed = a->t2 != 0 && a->t3 != 0;
	a->t2_ns = pace_stamp_time_ns(a->t2, format, near_ns) - s->wall_ns;
	a->t3_ns = pace_stamp_time_ns(a->t3, format, near_ns) - s->wall_ns;
}

bool
pace_stamp_session_match(const struct pace_stamp_session *s, const struct pace_in *in,
    uint64_t next, struct pace_stamp_answer *a)
{
	size_t len = in->len < in->size ? in->len : in->size;
	struct pace_stamp_reply p;
	uint32_t ago;

	if (!read_base(s, in, len, &p))
		return false;
	/* the numbers from 2 on; before them are 0 and the omitted one */
	ago = wire_number(s, next) - p.sender.seq;
	if (next - s->base == ago - 1 && p.sender.seq == 0)
		ago--;
	else if (p.sender.seq == 1 && next - s->base <= UINT32_MAX)
		return false;
	if (ago == 0 || ago > next - s->base || (!s->light && p.ssid != s->ssid && p.ssid != 0))
		return false;
	*a = (struct pace_stamp_answer){ .number = next - ago, .t1 = p.sender.t1, .t2 = p.t2,
	    .t3 = p.t3, .seq = p.seq, .asked_seq = p.sender.seq, .error = p.error,
	    .ttl = p.ttl, .has_ttl = is_auth(s) || len >= PACE_STAMP_LIGHT,
	    .mark = in->mark, .has_mark = in->has_mark, .in_ttl = in->ttl,
	    .len = (uint32_t)in->len };
	return true;
}

bool
pace_stamp_session_read(struct pace_stamp_session *s, const struct pace_in *in,
    struct pace_stamp_answer *a)
{
	int64_t near_ns = s->wall_ns + in->stamp_ns;

	if (!is_verified(s, in)) {
		s->result.unverified++;
		return false;
	}
	read_times(s, a, near_ns);
	if (!s->light)
		read_tlvs(s, a, in, in->len < in->size ? in->len : in->size, near_ns);
	return true;
}

int64_t
pace_stamp_session_grain(struct pace_stamp_session *s, const struct pace_stamp_answer *a)
{
	if (a->timed) {
		look_at_grain(s, a->t2_ns + s->wall_ns);
		look_at_grain(s, a->t3_ns + s->wall_ns);
	}
	return s->grain_ns;
}

/* --- result ------------------------------------------------------------------------------ */

static void
widen(struct pace_stamp_range *r, uint32_t v)
{
	if (r->low == 0 || v < r->low)
		r->low = v;
	if (v > r->high)
		r->high = v;
}

static void
take_clock(struct pace_stamp_session *s, const struct pace_stamp_answer *a, bool usable)
{
	struct pace_stamp_error e = pace_stamp_error_of(a->error);
	struct pace_stamp_result *r = &s->result;

	r->ptp += e.format == PACE_STAMP_PTP;
	r->synchronised += e.synchronised;
	if (e.ns == INT64_MAX)
		r->error_unknown++;
	else if (e.ns > r->error_ns)
		r->error_ns = e.ns;
	r->equal_times += a->timed && a->t3_ns == a->t2_ns;
	r->reversed_times += a->timed && a->t3_ns < a->t2_ns;
	r->unusable_times += !usable;
	r->has_time_info |= a->has_time_info;
	if (a->has_time_info)
		r->time_info = a->time_info;
	r->granularity_ns = s->grains >= GRAINS_LEAST && s->grain_ns >= FINEST_NS ? s->grain_ns : 0;
}

static void
take_marks(struct pace_stamp_session *s, const struct pace_stamp_answer *a)
{
	struct pace_stamp_result *r = &s->result;

	if (a->has_ttl && a->ttl != 0)
		widen(&r->ttl_there, a->ttl);
	if (a->in_ttl != 0)
		widen(&r->ttl_back, a->in_ttl);
	if (a->has_cos) {
		bool changed = a->cos.dscp != s->dscp;

		r->marks_there++;
		r->changed_there += changed;
		r->cos_refused += a->cos.refused != 0;
		if (changed || r->changed_there == 0)
			r->dscp_there = a->cos.dscp;
	}
	if (a->has_mark) {
		bool changed = a->mark >> 2 != s->dscp;

		r->marks_back++;
		r->changed_back += changed;
		if (changed || r->changed_back == 0)
			r->dscp_back = a->mark >> 2;
	}
}

/* The reflector's number relative to the first one.  Its 32 bits wrap; two replies are less than
 * 2^31 numbers apart. */
static int64_t
unwrapped(const struct pace_stamp_session *s, uint32_t seq)
{
	return s->seen.high + (int32_t)(seq - (s->seen.zero + (uint32_t)s->seen.high));
}

/* Account for a number of the reflector's counter. */
static void
take_number(struct pace_stamp_session *s, const struct pace_stamp_answer *a)
{
	const size_t at = a->seq % PACE_STAMP_NUMBERS;
	int64_t n;

	s->theirs[at].number = a->number;
	s->theirs[at].seq = a->seq;
	s->theirs[at].used = true;
	if (s->seen.distinct == 0)
		s->seen.zero = a->seq;
	n = unwrapped(s, a->seq);
	if (s->seen.distinct == 0 || n < s->seen.low)
		s->seen.low = n;
	if (s->seen.distinct == 0 || n > s->seen.high)
		s->seen.high = n;
	s->seen.distinct++;
	s->own |= a->seq != a->asked_seq;
}

/* Requests of this segment without a reply, and how many of them were lost on the way back.
 * False: the reflector's numbers contradict them. */
static bool
count_segment(const struct pace_stamp_session *s, uint64_t *missing, uint64_t *back)
{
	uint64_t arrived = (uint64_t)(s->seen.high - s->seen.low) + 1;

	*missing = s->seen.last - s->seen.first + 1 - s->seen.replies;
	*back = arrived - s->seen.distinct;
	return arrived >= s->seen.distinct && *back <= *missing;
}

/* Did the reflector's counter begin anew?  The reply to a new request then has a number that was
 * used before, or one far below the highest. */
static bool
is_restarted(const struct pace_stamp_session *s, const struct pace_stamp_answer *a)
{
	const size_t at = a->seq % PACE_STAMP_NUMBERS;

	return s->seen.replies > 0 && a->number > s->seen.last && a->seq != a->asked_seq &&
	    ((s->theirs[at].used && s->theirs[at].seq == a->seq) ||
	    unwrapped(s, a->seq) < s->seen.high - PACE_STAMP_NUMBERS);
}

static void
begin_segment(struct pace_stamp_session *s)
{
	uint64_t missing, back;

	s->past.n++;
	if (count_segment(s, &missing, &back)) {
		s->past.there += missing - back;
		s->past.back += back;
	}
	s->seen = (struct pace_stamp_segment){ .last = s->seen.last };
	memset(s->theirs, 0, sizeof(s->theirs));
}

void
pace_stamp_session_take(struct pace_stamp_session *s, const struct pace_stamp_answer *a,
    bool usable)
{
	struct pace_stamp_result *r = &s->result;

	if (is_restarted(s, a))
		begin_segment(s);
	if (s->seen.replies == 0 || a->number < s->seen.first)
		s->seen.first = a->number;
	if (r->replies == 0 || a->number > s->seen.last)
		s->seen.last = a->number;
	else
		r->reordered++;
	r->replies++;
	s->seen.replies++;
	s->octets += a->len;
	widen(&r->reply_bytes, a->len);
	r->short_replies += a->len < a->asked;
	r->tlvs_unknown += (a->flags & PACE_STAMP_U) != 0;
	r->tlvs_malformed += (a->flags & PACE_STAMP_M) != 0;
	r->tlvs_unverified += (a->flags & PACE_STAMP_I) != 0;
	take_clock(s, a, usable);
	take_marks(s, a);
	take_number(s, a);
}

void
pace_stamp_session_again(struct pace_stamp_session *s, const struct pace_stamp_answer *a,
    uint32_t first_seq)
{
	const size_t at = a->seq % PACE_STAMP_NUMBERS;

	if (a->seq == first_seq || (s->theirs[at].used && s->theirs[at].seq == a->seq)) {
		s->result.duplicates_back++;
		return;
	}
	s->result.duplicates_there++;
	take_number(s, a);
}

/* Attribute the losses between the first and the last reply to a direction.  A reflector whose
 * counter seems to begin anew all the time has none. */
static enum pace_stamp_counter
attribute(const struct pace_stamp_session *s, struct pace_stamp_result *r, uint64_t lost)
{
	uint64_t missing, back;

	r->lost_there = r->lost_back = 0;
	r->lost_unknown = lost;
	if (!s->own)
		return s->seen.last > s->base && r->replies > 0 ? PACE_COUNTER_COPIED :
		    PACE_COUNTER_UNKNOWN;
	if (r->replies == 0)
		return PACE_COUNTER_OWN;
	if (!count_segment(s, &missing, &back) ||
	    s->past.n > 1 + r->replies / PACE_STAMP_NUMBERS)
		return PACE_COUNTER_CONTRADICTS;
	if (s->past.there + s->past.back + missing > lost)	/* a stop took back some requests */
		return PACE_COUNTER_OWN;
	r->lost_there = s->past.there + missing - back;
	r->lost_back = s->past.back + back;
	r->lost_unknown = lost - r->lost_there - r->lost_back;
	return PACE_COUNTER_OWN;
}

uint64_t
pace_stamp_session_missing(const struct pace_stamp_session *s)
{
	const uint64_t replies = s->result.replies;

	return replies > 0 ? s->seen.last - s->first + 1 - replies : 0;
}

void
pace_stamp_session_end(struct pace_stamp_session *s, uint64_t lost)
{
	s->result.counter = attribute(s, &s->result, lost);
}
