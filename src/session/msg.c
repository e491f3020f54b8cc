#include "config.h"

#include "session/msg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "core/schedule.h"
#include "doc/clock_doc.h"
#include "doc/js.h"

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
get_int(const json_t *j, const char *name, int64_t min, int64_t max, int64_t *v)
{
	const json_t *m = json_object_get(j, name);

	if (!json_is_integer(m))
		return false;
	*v = json_integer_value(m);
	return *v >= min && *v <= max;
}

static bool
get_u64(const json_t *j, const char *name, int64_t min, int64_t max, uint64_t *v)
{
	int64_t i;

	if (!get_int(j, name, min, max, &i))
		return false;
	*v = (uint64_t)i;
	return true;
}

static bool
get_u32(const json_t *j, const char *name, int64_t min, int64_t max, uint32_t *v)
{
	int64_t i;

	if (!get_int(j, name, min, max, &i))
		return false;
	*v = (uint32_t)i;
	return true;
}

static bool
get_bool(const json_t *j, const char *name, bool *v)
{
	const json_t *m = json_object_get(j, name);

	*v = json_is_true(m);
	return json_is_boolean(m);
}

/* A text that may be absent; cleaned and cut. */
static void
get_text(const json_t *j, const char *name, char *buf, size_t size)
{
	const json_t *m = json_object_get(j, name);

	buf[0] = '\0';
	if (json_is_string(m))
		pace_clean(buf, size, json_string_value(m), json_string_length(m));
}

static bool
get_hex(const json_t *j, const char *name, uint8_t *v, size_t size)
{
	const json_t *m = json_object_get(j, name);
	size_t got;

	return json_is_string(m) && json_string_length(m) == 2 * size &&
	    sodium_hex2bin(v, size, json_string_value(m), 2 * size, NULL, &got, NULL) == 0 &&
	    got == size;
}

static json_t *
hex_json(const uint8_t *v, size_t size)
{
	char text[2 * PACE_COOKIE_SIZE + 1];

	sodium_bin2hex(text, sizeof(text), v, size);
	return json_string(text);
}

static json_t *
hex64_json(uint64_t v)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, v);
	return json_string(text);
}

static bool
get_hex64(const json_t *j, const char *name, uint64_t *v)
{
	uint8_t b[8];

	if (!get_hex(j, name, b, sizeof(b)))
		return false;
	*v = 0;
	for (int i = 0; i < 8; i++)
		*v = *v << 8 | b[i];
	return true;
}

/* --- bodies ---------------------------------------------------------------- */

/* What a policy allows, where it says so. */
static const struct { const char *name; size_t at; int64_t most; } allowed[] = {
	{ "longest_ns", offsetof(struct pace_msg_error, longest_ns), PACE_AT_MOST_NS },
	{ "rate_bps", offsetof(struct pace_msg_error, rate_bps), INT64_MAX },
	{ "frame_rate", offsetof(struct pace_msg_error, frame_rate), INT64_MAX },
	{ "size_bytes", offsetof(struct pace_msg_error, size_bytes), INT64_MAX },
	{ "left_bytes", offsetof(struct pace_msg_error, left_bytes), INT64_MAX },
};
#define ALLOWED	(sizeof(allowed) / sizeof(allowed[0]))

json_t *
pace_msg_error_json(const struct pace_msg_error *e)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:I}", "error", e->code, "text", e->text,
	    "label", e->label, "wait_ns", (json_int_t)e->wait_ns);

	for (size_t i = 0; j != NULL && i < ALLOWED; i++) {
		int64_t v;

		memcpy(&v, (const char *)e + allowed[i].at, sizeof(v));
		if (v > 0)
			json_object_set_new(j, allowed[i].name, json_integer((json_int_t)v));
	}
	return j != NULL ? j : json_null();
}

int
pace_msg_is_error(const json_t *j, struct pace_msg_error *e)
{
	if (!json_is_string(json_object_get(j, "error")))
		return 0;
	get_text(j, "error", e->code, sizeof(e->code));
	get_text(j, "text", e->text, sizeof(e->text));
	get_text(j, "label", e->label, sizeof(e->label));
	if (!get_int(j, "wait_ns", 0, PACE_AT_MOST_NS, &e->wait_ns))
		e->wait_ns = 0;
	for (size_t i = 0; i < ALLOWED; i++) {
		int64_t v;

		if (!get_int(j, allowed[i].name, 1, allowed[i].most, &v))
			v = 0;
		memcpy((char *)e + allowed[i].at, &v, sizeof(v));
	}
	return 1;
}

json_t *
pace_msg_cookie_json(const uint8_t cookie[PACE_COOKIE_SIZE])
{
	return json_pack("{s:o}", "cookie", hex_json(cookie, PACE_COOKIE_SIZE));
}

int
pace_msg_cookie(const json_t *j, uint8_t cookie[PACE_COOKIE_SIZE])
{
	return get_hex(j, "cookie", cookie, PACE_COOKIE_SIZE) ? 0 : -EPROTO;
}

json_t *
pace_msg_open_json(const struct pace_msg_open *m)
{
	return json_pack("{s:o, s:o, s:s, s:I}",
	    "cookie", hex_json(m->cookie, PACE_COOKIE_SIZE), "nonce", hex64_json(m->nonce),
	    "label", m->label, "rcvbuf_bytes", (json_int_t)m->rcvbuf_bytes);
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
	get_text(j, "label", m->label, sizeof(m->label));
	no_quotes(m->label);
	if (!get_hex(j, "cookie", m->cookie, PACE_COOKIE_SIZE) ||
	    !get_hex64(j, "nonce", &m->nonce) ||
	    !get_u32(j, "rcvbuf_bytes", 0, INT32_MAX, &m->rcvbuf_bytes))
		return -EPROTO;
	return 0;
}

json_t *
pace_msg_opened_json(const struct pace_msg_opened *m)
{
	return json_pack("{s:I, s:o, s:b}", "host_bytes", (json_int_t)m->host_bytes,
	    "clock", pace_clock_state_to_json(&m->clock), "reports", (int)m->reports);
}

int
pace_msg_opened(const json_t *j, struct pace_msg_opened *m)
{
	if (!get_u32(j, "host_bytes", 0, PACE_HOST_MAX, &m->host_bytes))
		return -EPROTO;
	m->reports = json_is_true(json_object_get(j, "reports"));	/* earlier ones do not say */
	return pace_clock_state_from_json(&m->clock, json_object_get(j, "clock"));
}

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
			m->capture = (enum pace_tap_said)i;
	return json_is_string(said) ? 0 : -EPROTO;
}

static json_t *
start_json(const struct pace_msg_start *m)
{
	const struct pace_ask *a = &m->ask;

	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I,"
	    " s:{s:I, s:I, s:I}, s:I, s:o, s:I, s:I, s:b,"
	    " s:s, s:{s:I, s:I, s:b}, s:b, s:I}",
	    "size_bytes", (json_int_t)a->size_bytes, "spacing_2p32", (json_int_t)a->spacing,
	    "count", (json_int_t)a->count, "duration_ns", (json_int_t)a->duration_ns,
	    "train", (json_int_t)a->train, "bursts", (json_int_t)a->bursts,
	    "burst_gap_ns", (json_int_t)a->burst_gap_ns, "verify", (int)a->verify,
	    "grace_ns", (json_int_t)a->grace_ns,
	    "linear", "low", (json_int_t)a->lens.low, "width", (json_int_t)a->lens.width,
	    "bins", (json_int_t)a->lens.bins,
	    "limit", (json_int_t)m->limit, "seed", hex64_json(m->seed),
	    "wire_bytes", (json_int_t)m->wire_bytes, "at_most_ns", (json_int_t)m->at_most_ns,
	    "busy_poll", (int)a->busy_poll,
	    "stamp", pace_stamp_name(a->nic ? PACE_STAMP_NIC : PACE_STAMP_KERNEL),
	    "record", "room", (json_int_t)a->record.room, "skip", (json_int_t)a->record.skip,
	    "lost_only", (int)a->record.lost_only,
	    "pings", (int)m->pings, "reply_bytes", (json_int_t)m->reply_bytes);
}

/* Only who wants a capture says so: others say what they always did. */
json_t *
pace_msg_start_json(const struct pace_msg_start *m)
{
	json_t *j = start_json(m);

	if (j != NULL && m->capture)
		json_object_set_new(j, "capture", json_true());
	return j;
}

static bool
get_capture(const json_t *j, bool *capture)
{
	const json_t *said = json_object_get(j, "capture");

	*capture = json_is_true(said);
	return said == NULL || json_is_boolean(said);
}

static bool
get_lens(const json_t *j, struct pace_ask *a)
{
	const json_t *m = json_object_get(j, "linear");

	return get_int(m, "low", INT64_MIN / 4, INT64_MAX / 4, &a->lens.low) &&
	    get_u32(m, "bins", 0, PACE_LENS_MAX_BINS, &a->lens.bins) &&
	    get_int(m, "width", a->lens.bins > 0, PACE_HIST_MAX, &a->lens.width);
}

static bool
get_stamp(const json_t *j, struct pace_ask *a)
{
	char text[8];

	get_text(j, "stamp", text, sizeof(text));
	a->nic = strcmp(text, pace_stamp_name(PACE_STAMP_NIC)) == 0;
	return a->nic || strcmp(text, pace_stamp_name(PACE_STAMP_KERNEL)) == 0;
}

static bool
get_record(const json_t *j, struct pace_ask *a)
{
	const json_t *m = json_object_get(j, "record");

	return get_u64(m, "room", 0, PACE_RECORD_LIMIT, &a->record.room) &&
	    get_u64(m, "skip", 0, COUNT_MAX, &a->record.skip) &&
	    get_bool(m, "lost_only", &a->record.lost_only);
}

int
pace_msg_start(const json_t *j, struct pace_msg_start *m)
{
	const int64_t spacing_max = (int64_t)pace_spacing_from_ns(PACE_SPACING_MAX_NS);
	struct pace_ask *a = &m->ask;

	if (!get_u32(j, "size_bytes", PACE_HDR_SIZE, PACE_FRAME_MAX, &a->size_bytes) ||
	    !get_u64(j, "spacing_2p32", 0, spacing_max, &a->spacing) ||
	    !get_u64(j, "count", 0, COUNT_MAX, &a->count) ||
	    !get_int(j, "duration_ns", 0, DAY_NS, &a->duration_ns) ||
	    !get_u64(j, "train", 1, PACE_FRAME_MAX, &a->train) ||
	    !get_u64(j, "bursts", 1, COUNT_MAX, &a->bursts) ||
	    !get_int(j, "burst_gap_ns", 0, DAY_NS, &a->burst_gap_ns) ||
	    !get_bool(j, "verify", &a->verify) ||
	    !get_int(j, "grace_ns", 0, DAY_NS, &a->grace_ns) ||
	    !get_lens(j, a) ||
	    !get_u64(j, "limit", 1, COUNT_MAX, &m->limit) ||
	    !get_hex64(j, "seed", &m->seed) ||
	    !get_u32(j, "wire_bytes", 0, 1 << 20, &m->wire_bytes) ||
	    !get_int(j, "at_most_ns", 0, PACE_AT_MOST_NS, &m->at_most_ns) ||
	    !get_bool(j, "busy_poll", &a->busy_poll) || !get_stamp(j, a) ||
	    !get_record(j, a) ||
	    !get_bool(j, "pings", &m->pings) ||
	    !get_u32(j, "reply_bytes", 0, PACE_FRAME_MAX, &m->reply_bytes) ||
	    !get_capture(j, &m->capture))
		return -EPROTO;
	a->catch_up = PACE_CATCH_AUTO;		/* the sender's own affair */
	return 0;
}

static json_t *
line_json(const struct pace_clock_segment *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:f}", "from_ns", (json_int_t)s->from_ns,
	    "to_ns", (json_int_t)s->to_ns, "t_ns", (json_int_t)s->line.t_ns,
	    "offset_ns", (json_int_t)s->line.offset_ns, "rate", s->line.rate);
}

json_t *
pace_msg_finish_json(const struct pace_msg_finish *m)
{
	json_t *lines = json_array();

	for (int i = 0; i < m->theta.segments; i++)
		json_array_append_new(lines, line_json(&m->theta.v[i]));
	return json_pack("{s:I, s:o}", "sent", (json_int_t)m->sent, "theta", lines);
}

static bool
get_line(const json_t *j, struct pace_clock_segment *s)
{
	const json_t *rate = json_object_get(j, "rate");

	*s = (struct pace_clock_segment){ .line.rate = json_number_value(rate) };
	return get_int(j, "from_ns", -TIME_MAX, TIME_MAX, &s->from_ns) &&
	    get_int(j, "to_ns", s->from_ns, TIME_MAX, &s->to_ns) &&
	    get_int(j, "t_ns", -TIME_MAX, TIME_MAX, &s->line.t_ns) &&
	    get_int(j, "offset_ns", -TIME_MAX, TIME_MAX, &s->line.offset_ns) &&
	    json_is_number(rate) && fabs(s->line.rate) <= RATE_MAX;
}

int
pace_msg_finish(const json_t *j, struct pace_msg_finish *m)
{
	const json_t *lines = json_object_get(j, "theta"), *v;
	size_t i;

	m->theta = (struct pace_clock_estimate){ .segments = 0 };
	if (!get_u64(j, "sent", 0, COUNT_MAX, &m->sent) || !json_is_array(lines) ||
	    json_array_size(lines) > PACE_CLOCK_SEGMENTS)
		return -EPROTO;
	json_array_foreach(lines, i, v) {
		if (!get_line(v, &m->theta.v[i]) ||
		    (i > 0 && m->theta.v[i].from_ns < m->theta.v[i - 1].to_ns))
			return -EPROTO;
		m->theta.segments++;
	}
	return 0;
}

json_t *
pace_msg_ready_json(const struct pace_msg_ready *m)
{
	return json_pack("{s:b, s:I, s:I, s:b}", "ready", (int)m->ready,
	    "wait_ns", (json_int_t)m->wait_ns, "size", (json_int_t)m->size,
	    "lease_lost", (int)m->lease_lost);
}

int
pace_msg_ready(const json_t *j, struct pace_msg_ready *m)
{
	if (!get_bool(j, "ready", &m->ready) ||
	    !get_int(j, "wait_ns", 0, DAY_NS, &m->wait_ns) ||
	    !get_u32(j, "size", 0, PACE_RESULT_MAX, &m->size) ||
	    !get_bool(j, "lease_lost", &m->lease_lost))
		return -EPROTO;
	return 0;
}

static const char *const parts[PACE_PARTS] = { "result", "records", "host" };

json_t *
pace_msg_fetch_json(const struct pace_msg_fetch *m)
{
	return json_pack("{s:I, s:s}", "offset", (json_int_t)m->offset,
	    "part", parts[m->part]);
}

int
pace_msg_fetch(const json_t *j, struct pace_msg_fetch *m)
{
	char text[16];

	get_text(j, "part", text, sizeof(text));
	for (int i = 0; i < PACE_PARTS; i++)
		if (strcmp(text, parts[i]) == 0) {
			m->part = (enum pace_part)i;
			return get_u32(j, "offset", 0, UINT32_MAX, &m->offset) ? 0 : -EPROTO;
		}
	return -EPROTO;
}
