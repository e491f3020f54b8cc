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

/* Read what is there; members that are not as they must be are refused. */
static int
read_body(const struct pace_fields *t, void *m, const json_t *j)
{
	return pace_fields_from_json(t, m, j) ? 0 : -EPROTO;
}

/* --- errors ---------------------------------------------------------------- */

#define E	struct pace_msg_error
/* What a policy allows, where it says so. */
#define ALLOWED(m, most)	PACE_INT(E, m), .low = 1, .high = most, \
				.when = PACE_F_OR_ABSENT, .flags = PACE_F_LENIENT

static const struct pace_field error_rows[] = {
	{ "error", PACE_TEXT(E, code) },
	{ "text", PACE_TEXT(E, text), .flags = PACE_F_LENIENT },
	{ "label", PACE_TEXT(E, label), .flags = PACE_F_LENIENT },
	{ "wait_ns", PACE_INT(E, wait_ns), .high = PACE_AT_MOST_NS, .flags = PACE_F_LENIENT },
	{ "longest_ns", ALLOWED(longest_ns, PACE_AT_MOST_NS) },
	{ "rate_bps", ALLOWED(rate_bps, INT64_MAX) },
	{ "frame_rate", ALLOWED(frame_rate, INT64_MAX) },
	{ "size_bytes", ALLOWED(size_bytes, INT64_MAX) },
	{ "left_bytes", ALLOWED(left_bytes, INT64_MAX) },
	{ .name = NULL },
};

static const struct pace_fields error_fields = { .row = error_rows };

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

static const struct pace_field open_rows[] = {
	COOKIE(struct pace_msg_open),
	{ "nonce", HEX64(struct pace_msg_open, nonce) },
	{ "label", PACE_TEXT(struct pace_msg_open, label), .flags = PACE_F_LENIENT },
	{ "rcvbuf_bytes", PACE_COUNT(struct pace_msg_open, rcvbuf_bytes), .high = INT32_MAX },
	{ .name = NULL },
};

static const struct pace_fields open_fields = { .row = open_rows };

json_t *
pace_msg_open_json(const struct pace_msg_open *m)
{
	return pace_fields_to_json(&open_fields, m);
}

/* A label stands between quotes in a log: what is behind it must not look like the log's. */
static void
no_quotes(char *label)
{
	while ((label = strchr(label, '"')) != NULL)
		*label = '\'';
}

int
pace_msg_open(const json_t *j, struct pace_msg_open *m)
{
	int rc = read_body(&open_fields, m, j);

	no_quotes(m->label);
	return rc;
}

static const struct pace_field opened_rows[] = {
	{ "host_bytes", PACE_COUNT(struct pace_msg_opened, host_bytes), .high = PACE_HOST_MAX },
	{ "clock", PACE_OBJECT(struct pace_msg_opened, clock, pace_clock_state_fields),
	    .when = PACE_F_OR_NULL, PACE_F_HAS(struct pace_msg_opened, clock.known) },
	{ "reports", PACE_BOOL(struct pace_msg_opened, reports),
	    .flags = PACE_F_LENIENT },		/* earlier ones do not say */
	{ .name = NULL },
};

static const struct pace_fields opened_fields = { .row = opened_rows };

json_t *
pace_msg_opened_json(const struct pace_msg_opened *m)
{
	return pace_fields_to_json(&opened_fields, m);
}

int
pace_msg_opened(const json_t *j, struct pace_msg_opened *m)
{
	return read_body(&opened_fields, m, j);
}

/* --- START ------------------------------------------------------------------- */

static const char *const captures[PACE_CAPTURES] = {
	[PACE_CAPTURE_NONE] = "none", [PACE_CAPTURE_GRANTED] = "granted",
	[PACE_CAPTURE_RULE] = "rule", [PACE_CAPTURE_BUILD] = "build",
	[PACE_CAPTURE_ROOM] = "room", [PACE_CAPTURE_FAILED] = "failed",
};

json_t *
pace_msg_started_json(const struct pace_msg_started *m)
{
	return json_pack("{s:s}", "capture", captures[m->capture]);
}

/* Earlier responders do not say; reasons of later ones are no capture either. */
int
pace_msg_started(const json_t *j, struct pace_msg_started *m)
{
	const json_t *said = json_object_get(j, "capture");

	m->capture = PACE_CAPTURE_NONE;
	if (said == NULL)
		return 0;
	for (int i = 0; json_is_string(said) && i < PACE_CAPTURES; i++)
		if (strcmp(json_string_value(said), captures[i]) == 0)
			m->capture = (enum pace_capture_answer)i;
	return json_is_string(said) ? 0 : -EPROTO;
}

#define S	struct pace_msg_start

static const char *const stamps[] = { "kernel", "nic" };

static const struct pace_field linear_rows[] = {
	{ "low", PACE_INT(S, ask.lens.low), .low = INT64_MIN / 4, .high = INT64_MAX / 4 },
	{ "width", PACE_INT(S, ask.lens.width), .high = PACE_HIST_MAX },
	{ "bins", PACE_COUNT(S, ask.lens.bins), .high = PACE_LINEAR_HIST_MAX_BINS },
	{ .name = NULL },
};

static const struct pace_field record_rows[] = {
	{ "room", PACE_COUNT(S, ask.record.room), .high = PACE_RECORD_LIMIT },
	{ "skip", PACE_INT(S, ask.record.skip), .high = COUNT_MAX },
	{ "lost_only", PACE_BOOL(S, ask.record.lost_only) },
	{ .name = NULL },
};

static const struct pace_fields linear_fields = { .row = linear_rows };
static const struct pace_fields record_fields = { .row = record_rows };

static const struct pace_field start_rows[] = {
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
	{ "limit", PACE_INT(S, limit), .low = 1, .high = COUNT_MAX },
	{ "seed", HEX64(S, seed) },
	{ "wire_bytes", PACE_COUNT(S, wire_bytes), .high = 1 << 20 },
	{ "at_most_ns", PACE_INT(S, at_most_ns), .high = PACE_AT_MOST_NS },
	{ "busy_poll", PACE_BOOL(S, ask.busy_poll) },
	{ "stamp", PACE_NAME(S, ask.nic, stamps) },
	{ "record", PACE_SELF(record_fields) },
	{ "pings", PACE_BOOL(S, pings) },
	{ "reply_bytes", PACE_COUNT(S, reply_bytes), .high = PACE_FRAME_MAX },
	/* only who wants a capture says so: others say what they always did */
	{ "capture", PACE_BOOL(S, capture), .when = PACE_F_OR_ABSENT },
	{ .name = NULL },
};

static const struct pace_fields start_fields = { .row = start_rows };

json_t *
pace_msg_start_json(const struct pace_msg_start *m)
{
	return pace_fields_to_json(&start_fields, m);
}

int
pace_msg_start(const json_t *j, struct pace_msg_start *m)
{
	if (read_body(&start_fields, m, j) != 0 || json_is_null(json_object_get(j, "capture")) ||
	    (m->ask.lens.bins > 0 && m->ask.lens.width < 1))
		return -EPROTO;
	m->ask.catch_up = PACE_CATCH_AUTO;	/* the sender's own affair */
	return 0;
}

/* --- FINISH, POLL, FETCH ------------------------------------------------------- */

#define G		struct pace_clock_segment
#define TIME(m)		PACE_INT(G, m), .low = -TIME_MAX, .high = TIME_MAX

static const struct pace_field line_rows[] = {
	{ "from_ns", TIME(from_ns) },
	{ "to_ns", TIME(to_ns) },
	{ "t_ns", TIME(line.t_ns) },
	{ "offset_ns", TIME(line.offset_ns) },
	{ "rate", PACE_REAL(G, line.rate) },
	{ .name = NULL },
};

static const struct pace_fields line_fields = { .row = line_rows };

static const struct pace_field finish_rows[] = {
	{ "sent", PACE_INT(struct pace_msg_finish, sent), .high = COUNT_MAX },
	{ "theta", PACE_ARRAY(struct pace_msg_finish, theta.v, theta.segments, line_fields) },
	{ .name = NULL },
};

static const struct pace_fields finish_fields = { .row = finish_rows };

json_t *
pace_msg_finish_json(const struct pace_msg_finish *m)
{
	return pace_fields_to_json(&finish_fields, m);
}

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

static const struct pace_field ready_rows[] = {
	{ "ready", PACE_BOOL(struct pace_msg_ready, ready) },
	{ "wait_ns", DAY(struct pace_msg_ready, wait_ns) },
	{ "size", PACE_COUNT(struct pace_msg_ready, size), .high = PACE_RESULT_MAX },
	{ "lease_lost", PACE_BOOL(struct pace_msg_ready, lease_lost) },
	{ .name = NULL },
};

static const struct pace_fields ready_fields = { .row = ready_rows };

json_t *
pace_msg_ready_json(const struct pace_msg_ready *m)
{
	return pace_fields_to_json(&ready_fields, m);
}

int
pace_msg_ready(const json_t *j, struct pace_msg_ready *m)
{
	return read_body(&ready_fields, m, j);
}

static const char *const parts[PACE_PARTS] = { "result", "records", "host" };

static const struct pace_field fetch_rows[] = {
	{ "offset", PACE_COUNT(struct pace_msg_fetch, offset) },
	{ "part", PACE_NAME(struct pace_msg_fetch, part, parts) },
	{ .name = NULL },
};

static const struct pace_fields fetch_fields = { .row = fetch_rows };

json_t *
pace_msg_fetch_json(const struct pace_msg_fetch *m)
{
	return pace_fields_to_json(&fetch_fields, m);
}

int
pace_msg_fetch(const json_t *j, struct pace_msg_fetch *m)
{
	return read_body(&fetch_fields, m, j);
}
