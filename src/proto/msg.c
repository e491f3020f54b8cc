#include "config.h"

#include "proto/msg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "core/schedule.h"
#include "doc/clock_doc.h"
#include "doc/field.h"
#include "doc/latency_doc.h"
#include "doc/tcp_doc.h"
#include "doc/params.h"

#define COUNT_MAX	(INT64_C(1) << 62)
#define DAY_NS		(INT64_C(86400) * 1000000000)
#define RATE_MAX	1e-3
#define TIME_MAX	(INT64_C(1) << 60)

int
pace_msg_put(uint8_t *buf, size_t size, const struct pace_hdr *h, json_t *body,
    size_t pad)
{
	size_t room = size > PACE_HDR_SIZE ? size - PACE_HDR_SIZE : 0, len = 0;

	if (body != NULL) {
		len = json_dumpb(body, (char *)buf + PACE_HDR_SIZE, room,
		    JSON_COMPACT | JSON_REAL_PRECISION(12));
		json_decref(body);
		if (len == 0)
			return -ENOMEM;
	}
	if (len > room || pad > size || size < PACE_HDR_SIZE ||
	    pace_hdr_encode(buf, PACE_HDR_SIZE + len, h) < 0)
		return -ENOBUFS;
	len += PACE_HDR_SIZE;
	if (len < pad) {
		memset(buf + len, 0, pad - len);
		len = pad;
	}
	return (int)len;
}

json_t *
pace_msg_body(const uint8_t *buf, size_t len)
{
	const char *text = (const char *)buf + PACE_HDR_SIZE;
	const char *end;
	json_t *j;

	if (len <= PACE_HDR_SIZE || len > PACE_HDR_SIZE + PACE_MSG_MAX)
		return NULL;
	len -= PACE_HDR_SIZE;
	end = memchr(text, '\0', len);
	if (end != NULL)
		len = (size_t)(end - text);
	j = pace_js_parse(text, len, NULL);
	if (j != NULL && !json_is_object(j)) {
		json_decref(j);
		return NULL;
	}
	return j;
}

json_t *
pace_request_body(const struct pace_hdr *h, const uint8_t *buf, size_t len)
{
	return pace_msg_body(buf, h->sealed && len >= PACE_SEAL_SIZE ? len - PACE_SEAL_SIZE : len);
}

/* --- members -------------------------------------------------------------- */

static bool
read_hex(const json_t *m, uint8_t *v, size_t size)
{
	size_t got;

	return json_is_string(m) && json_string_length(m) == 2 * size &&
	    sodium_hex2bin(v, size, json_string_value(m), 2 * size, NULL, &got, NULL) == 0 &&
	    got == size;
}

static void
put_cookie(struct pace_jw *w, const char *name, const void *cookie)
{
	char text[2 * PACE_COOKIE_SIZE + 1];

	sodium_bin2hex(text, sizeof(text), cookie, PACE_COOKIE_SIZE);
	pace_jw_put(w, name, json_string(text));
}

static void
get_cookie(struct pace_jr *j, const char *name, void *cookie)
{
	j->bad |= !read_hex(pace_jr_get(j, name), cookie, PACE_COOKIE_SIZE);
}

static void
put_hex64(struct pace_jw *w, const char *name, const void *v)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, *(const uint64_t *)v);
	pace_jw_put(w, name, json_string(text));
}

static void
get_hex64(struct pace_jr *j, const char *name, void *v)
{
	uint64_t *n = v;
	uint8_t b[8] = { 0 };

	j->bad |= !read_hex(pace_jr_get(j, name), b, sizeof(b));
	*n = 0;
	for (int i = 0; i < 8; i++)
		*n = *n << 8 | b[i];
}

#define COOKIE(s)	{ "cookie", PACE_OWN_OF(s, cookie, put_cookie, get_cookie) }
#define HEX64(s, m)	PACE_OWN_OF(s, m, put_hex64, get_hex64)
#define DAY(s, m)	PACE_INT(s, m), .high = DAY_NS

/* Read the members that are present; reject invalid ones. */
static int
read_body(const struct pace_fields *t, void *m, const json_t *j)
{
	return pace_fields_from_json(t, m, j) ? 0 : -EPROTO;
}

/* Defines pace_msg_NAME_json() and pace_msg_NAME() for a body that its table describes. */
#define WRITES(name) \
	json_t *pace_msg_##name##_json(const struct pace_msg_##name *m) \
	{ return pace_fields_to_json(&name##_fields, m); }
#define READS(name) \
	int pace_msg_##name(const json_t *j, struct pace_msg_##name *m) \
	{ return read_body(&name##_fields, m, j); }

/* --- errors ---------------------------------------------------------------- */

#define E	struct pace_msg_error
/* The limits of a policy, if it has them. */
#define ALLOWED(m, most)	PACE_INT(E, m), .low = 1, .high = most, \
				.when = PACE_F_OR_ABSENT, .flags = PACE_F_LENIENT

static const struct pace_fields error_fields = { .row = PACE_FIELDS(
	{ "error", PACE_TEXT(E, code) },
	{ "text", PACE_TEXT(E, text), .flags = PACE_F_LENIENT },
	{ "label", PACE_TEXT(E, label), .flags = PACE_F_LENIENT },
	{ "wait_ns", PACE_INT(E, wait_ns), .high = PACE_AT_MOST_NS, .flags = PACE_F_LENIENT },
	{ "place", ALLOWED(place, INT64_MAX) },
	{ "longest_ns", ALLOWED(longest_ns, PACE_AT_MOST_NS) },
	{ "rate_bps", ALLOWED(rate_bps, INT64_MAX) },
	{ "frame_rate", ALLOWED(frame_rate, INT64_MAX) },
	{ "size_bytes", ALLOWED(size_bytes, INT64_MAX) },
	{ "left_bytes", ALLOWED(left_bytes, INT64_MAX) },
) };

json_t *
pace_msg_error_json(const struct pace_msg_error *e)
{
	json_t *j = pace_fields_to_json(&error_fields, e);

	return j != NULL ? j : json_null();
}

int
pace_msg_is_error(const json_t *j, struct pace_msg_error *e)
{
	return pace_fields_from_json(&error_fields, e, j);
}

/* --- HELLO, OPEN ------------------------------------------------------------- */

json_t *
pace_msg_cookie_json(const uint8_t cookie[PACE_COOKIE_SIZE])
{
	struct pace_jw w = pace_jw_begin();

	put_cookie(&w, "cookie", cookie);
	return w.o;
}

int
pace_msg_cookie(const json_t *j, uint8_t cookie[PACE_COOKIE_SIZE])
{
	return read_hex(json_object_get(j, "cookie"), cookie, PACE_COOKIE_SIZE) ? 0 : -EPROTO;
}

static const struct pace_fields open_fields = { .row = PACE_FIELDS(
	COOKIE(struct pace_msg_open),
	{ "nonce", HEX64(struct pace_msg_open, nonce) },
	{ "label", PACE_TEXT(struct pace_msg_open, label), .flags = PACE_F_LENIENT },
	{ "rcvbuf_bytes", PACE_COUNT(struct pace_msg_open, rcvbuf_bytes), .high = INT32_MAX },
	{ "sndbuf_bytes", PACE_COUNT(struct pace_msg_open, sndbuf_bytes), .high = INT32_MAX,
	    .when = PACE_F_OR_ABSENT },
	{ "light", PACE_BOOL(struct pace_msg_open, light), .when = PACE_F_OR_ABSENT },
) };

WRITES(open)

int
pace_msg_open(const json_t *j, struct pace_msg_open *m)
{
	int rc = read_body(&open_fields, m, j);

	/* A log shows the label in quotes: a quote in it could forge the rest of a line. */
	for (char *at = m->label; (at = strchr(at, '"')) != NULL; )
		*at = '\'';
	return rc;
}

static const struct pace_fields opened_fields = { .row = PACE_FIELDS(
	{ "host_bytes", PACE_COUNT(struct pace_msg_opened, host_bytes), .high = PACE_HOST_MAX },
	{ "clock", PACE_OBJECT(struct pace_msg_opened, clock, pace_clock_state_fields),
	    .when = PACE_F_OR_NULL, PACE_F_HAS(struct pace_msg_opened, clock.known) },
	{ "reports", PACE_BOOL(struct pace_msg_opened, reports),
	    .flags = PACE_F_LENIENT },		/* earlier versions omit it */
	{ "light", PACE_BOOL(struct pace_msg_opened, light), .when = PACE_F_OR_ABSENT },
) };

WRITES(opened)
READS(opened)

/* --- START ------------------------------------------------------------------- */

static const char *const captures[PACE_CAPTURES] = {
	[PACE_CAPTURE_NONE] = "none", [PACE_CAPTURE_GRANTED] = "granted",
	[PACE_CAPTURE_RULE] = "rule", [PACE_CAPTURE_BUILD] = "build",
	[PACE_CAPTURE_ROOM] = "room", [PACE_CAPTURE_FAILED] = "failed",
};

json_t *
pace_msg_started_json(const struct pace_msg_started *m)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "capture", captures[m->capture]);
	if (m->begin_ns != 0)
		pace_jw_put(&w, "begin_ns", json_integer(m->begin_ns));
	if (m->tcp)
		put_cookie(&w, "tcp_secret", m->secret);
	return w.o;
}

/* Earlier responders omit it; unknown reasons of later ones mean no capture. */
int
pace_msg_started(const json_t *j, struct pace_msg_started *m)
{
	const json_t *said = json_object_get(j, "capture");
	const json_t *begin = json_object_get(j, "begin_ns");
	const json_t *secret = json_object_get(j, "tcp_secret");

	m->capture = PACE_CAPTURE_NONE;
	m->begin_ns = json_integer_value(begin);
	m->tcp = secret != NULL;
	if (m->tcp && !read_hex(secret, m->secret, sizeof(m->secret)))
		return -EPROTO;
	if (begin != NULL && (!json_is_integer(begin) || m->begin_ns < -TIME_MAX ||
	    m->begin_ns > TIME_MAX))
		return -EPROTO;
	if (said == NULL)
		return 0;
	for (int i = 0; json_is_string(said) && i < PACE_CAPTURES; i++)
		if (strcmp(json_string_value(said), captures[i]) == 0)
			m->capture = (enum pace_capture_answer)i;
	return json_is_string(said) ? 0 : -EPROTO;
}

#define S	struct pace_msg_start

bool
pace_msg_group_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789._-");

	return n > 0 && n < PACE_GROUP_NAME && name[n] == '\0';
}

static const char *const stamps[] = { "kernel", "nic" };

static const struct pace_fields linear_fields = { .row = PACE_FIELDS(
	{ "low", PACE_INT(S, ask.linear.low), .low = INT64_MIN / 4, .high = INT64_MAX / 4 },
	{ "width", PACE_INT(S, ask.linear.width), .high = PACE_HIST_MAX },
	{ "bins", PACE_COUNT(S, ask.linear.bins), .high = PACE_LINEAR_HIST_MAX_BINS },
) };
static const struct pace_fields record_fields = { .row = PACE_FIELDS(
	{ "room", PACE_COUNT(S, ask.record.room), .high = PACE_RECORD_LIMIT },
	{ "skip", PACE_INT(S, ask.record.skip), .high = COUNT_MAX },
	{ "lost_only", PACE_BOOL(S, ask.record.lost_only) },
) };

/* Direction of the frames; a two-way run has streams of the same parameters both ways.  Absent: the
 * client sends. */
static void
put_direction(struct pace_jw *w, const char *name, const void *m)
{
	const struct pace_params *a = &((const S *)m)->ask;

	pace_jw_text(w, name, a->two_way ? "both" : pace_direction_names[a->direction]);
}

static void
get_direction(struct pace_jr *j, const char *name, void *m)
{
	const char *text;
	struct pace_params *a = &((S *)m)->ask;

	if (!pace_jr_has(j, name))
		return;
	text = json_string_value(pace_jr_get(j, name));
	a->two_way = text != NULL && strcmp(text, "both") == 0;
	a->direction = text != NULL && strcmp(text, pace_direction_names[PACE_DOWN]) == 0 ?
	    PACE_DOWN : PACE_UP;
	j->bad |= text == NULL || (!a->two_way && strcmp(text, pace_direction_names[a->direction]) != 0);
}

static bool
has_streams(const void *m)
{
	return ((const S *)m)->ask.streams > 1;
}

static bool
has_tcp(const void *m)
{
	return ((const S *)m)->tcp.streams > 0;
}

static const struct pace_fields start_fields = { .row = PACE_FIELDS(
	{ "size_bytes", PACE_COUNT(S, ask.size_bytes), .low = PACE_HDR_SIZE,
	    .high = PACE_FRAME_MAX },
	{ "spacing_2p32", PACE_INT(S, ask.spacing), .high = PACE_SPACING_MAX_NS << 32 },
	{ "count", PACE_INT(S, ask.count), .high = COUNT_MAX },
	{ "duration_ns", DAY(S, ask.duration_ns) },
	{ "train", PACE_COUNT(S, ask.train), .low = 1, .high = PACE_FRAME_MAX },
	{ "bursts", PACE_INT(S, ask.bursts), .low = 1, .high = COUNT_MAX },
	{ "burst_gap_ns", DAY(S, ask.burst_gap_ns) },
	{ "verify", PACE_BOOL(S, ask.verify) },
	{ "grace_ns", DAY(S, ask.grace_ns) },
	{ "linear", PACE_SELF(linear_fields) },
	{ "limit", PACE_INT(S, limit), .low = 1, .high = PACE_SEQ_MAX },
	{ "seed", HEX64(S, seed) },
	{ "wire_bytes", PACE_COUNT(S, wire_bytes), .high = 1 << 20 },
	{ "at_most_ns", PACE_INT(S, at_most_ns), .high = PACE_AT_MOST_NS },
	{ "busy_poll", PACE_BOOL(S, ask.busy_poll) },
	{ "stamp", PACE_NAME(S, ask.nic, stamps) },
	{ "record", PACE_SELF(record_fields) },
	{ "pings", PACE_BOOL(S, pings) },
	{ "reply_bytes", PACE_COUNT(S, reply_bytes), .high = PACE_FRAME_MAX },
	{ "direction", PACE_OWN(put_direction, get_direction), .flags = PACE_F_LAX },
	{ "catch_up", PACE_NAME(S, ask.catch_up, pace_catch_up_names), .flags = PACE_F_LAX },
	{ "dscp", PACE_COUNT(S, ask.dscp), .high = 63, .flags = PACE_F_LAX },
	{ "ecn", PACE_NAME(S, ask.ecn, pace_ecn_names), .flags = PACE_F_LAX },
	/* present only if requested, so other bodies stay as they were */
	{ "interval_ns", DAY(S, ask.interval_ns), .when = PACE_F_OR_ABSENT },
	{ "omit_ns", DAY(S, ask.omit_ns), .when = PACE_F_OR_ABSENT },
	{ "message", PACE_INT(S, ask.message), .low = 2, .high = COUNT_MAX,
	    .when = PACE_F_OR_ABSENT },
	{ "streams", PACE_COUNT(S, ask.streams), .low = 2, .high = PACE_STREAMS,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX, .given = has_streams, .none = 1 },
	{ "capture", PACE_BOOL(S, capture), .when = PACE_F_OR_ABSENT },
	{ "fragment", PACE_BOOL(S, fragment), .when = PACE_F_OR_ABSENT },
	{ "begin_in_ns", PACE_INT(S, begin_in_ns), .high = PACE_BEGIN_IN_MAX_NS,
	    .when = PACE_F_OR_ABSENT },
	{ "group", PACE_TEXT(S, group), .when = PACE_F_OR_ABSENT },
	{ "group_size", PACE_COUNT(S, group_size), .low = 2, .high = PACE_GROUP_MAX,
	    .when = PACE_F_OR_ABSENT },
	{ "tcp", PACE_OBJECT(S, tcp, pace_tcp_params_fields), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = has_tcp },
) };

WRITES(start)

int
pace_msg_start(const json_t *j, struct pace_msg_start *m)
{
	memset(m, 0, sizeof(*m));
	m->ask.direction = PACE_UP;
	m->ask.catch_up = PACE_CATCH_AUTO;
	m->ask.ecn = PACE_ECN_NOT_ECT;
	m->ask.streams = 1;
	if (read_body(&start_fields, m, j) != 0 || json_is_null(json_object_get(j, "capture")) ||
	    json_is_null(json_object_get(j, "fragment")) ||
	    (m->ask.linear.bins > 0 && m->ask.linear.width < 1) ||
	    (m->group_size > 0) != (m->group[0] != '\0') ||
	    (m->ask.two_way && m->pings) ||
	    (m->tcp.streams > 0 && (!m->pings || !pace_tcp_params_hold(&m->tcp))) ||
	    (m->ask.omit_ns > 0 && (m->pings || m->ask.streams > 1 || m->ask.spacing == 0 ||
	    m->ask.bursts > 1 || m->capture)) ||
	    (m->group_size > 0 && (!pace_msg_group_name(m->group) || m->pings ||
	    pace_params_goes_down(&m->ask))))
		return -EPROTO;
	return 0;
}

/* --- FINISH, POLL, FETCH ------------------------------------------------------- */

#define G		struct pace_clock_segment
#define TIME(m)		PACE_INT(G, m), .low = -TIME_MAX, .high = TIME_MAX

static const struct pace_fields line_fields = { .row = PACE_FIELDS(
	{ "from_ns", TIME(from_ns) },
	{ "to_ns", TIME(to_ns) },
	{ "t_ns", TIME(line.t_ns) },
	{ "offset_ns", TIME(line.offset_ns) },
	{ "rate", PACE_REAL(G, line.rate) },
) };

static const struct pace_fields finish_fields = { .row = PACE_FIELDS(
	{ "sent", PACE_INT(struct pace_msg_finish, sent), .high = COUNT_MAX },
	{ "theta", PACE_ARRAY(struct pace_msg_finish, theta.v, theta.segments, line_fields) },
	{ "stop", PACE_BOOL(struct pace_msg_finish, stop), .flags = PACE_F_LAX },
	{ "collect", PACE_BOOL(struct pace_msg_finish, collect), .when = PACE_F_OR_ABSENT },
) };

WRITES(finish)

int
pace_msg_finish(const json_t *j, struct pace_msg_finish *m)
{
	m->theta = (struct pace_clock_estimate){ .segments = 0 };
	if (read_body(&finish_fields, m, j) != 0)
		return -EPROTO;
	for (int i = 0; i < m->theta.segments; i++) {
		const struct pace_clock_segment *s = &m->theta.v[i];

		if (s->to_ns < s->from_ns || (i > 0 && s->from_ns < s[-1].to_ns) ||
		    fabs(s->line.rate) > RATE_MAX)
			return -EPROTO;
	}
	return 0;
}

static const struct pace_fields ready_fields = { .row = PACE_FIELDS(
	{ "ready", PACE_BOOL(struct pace_msg_ready, ready) },
	{ "wait_ns", DAY(struct pace_msg_ready, wait_ns) },
	{ "size", PACE_COUNT(struct pace_msg_ready, size), .high = PACE_RESULT_MAX },
	{ "lease_lost", PACE_BOOL(struct pace_msg_ready, lease_lost) },
	{ "sent", PACE_INT(struct pace_msg_ready, sent), .high = PACE_SEQ_MAX,
	.flags = PACE_F_LAX },
	{ "requests", PACE_OBJECT(struct pace_msg_ready, requests, pace_request_counts_fields),
	    .when = PACE_F_OR_ABSENT, PACE_F_HAS(struct pace_msg_ready, has_requests) },
) };

WRITES(ready)
READS(ready)

static const char *const parts[PACE_PARTS] = { "result", "records", "host" };

static const struct pace_fields fetch_fields = { .row = PACE_FIELDS(
	{ "offset", PACE_COUNT(struct pace_msg_fetch, offset) },
	{ "part", PACE_NAME(struct pace_msg_fetch, part, parts) },
) };

WRITES(fetch)
READS(fetch)
