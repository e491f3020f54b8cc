#include "config.h"

#include "proto/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doc/js.h"
#include "doc/tally_doc.h"
#include "proto/report_parts.h"

#define TIME_MOST	(INT64_C(1) << 60)

/* --- gaps and delays ------------------------------------------------------- */

static json_t *
gaps_json(const struct pace_report *r)
{
	struct pace_jw w = pace_jw_begin();
	bool any = r->recent.gap_min_ns <= r->recent.gap_max_ns;

	pace_jw_count(&w, "count", r->gaps.n);
	pace_jw_put(&w, "first", json_integer(r->gaps.first));
	pace_jw_real(&w, "sum", r->gaps.sum);
	pace_jw_real(&w, "sum2", r->gaps.sum2);
	pace_jw_put(&w, "min", any ? json_integer(r->recent.gap_min_ns) : json_null());
	pace_jw_put(&w, "max", any ? json_integer(r->recent.gap_max_ns) : json_null());
	return w.o;
}

/* Both, with the first not above the second, or none. */
static bool
read_extremes(struct pace_jr *r, int64_t *min, int64_t *max)
{
	if (!pace_jr_has(r, "min") && !pace_jr_has(r, "max"))
		return false;
	*min = pace_jr_int(r, "min", -TIME_MOST, TIME_MOST);
	*max = pace_jr_int(r, "max", -TIME_MOST, TIME_MOST);
	r->bad |= *min > *max;
	return true;
}

static void
read_gaps(struct pace_report *m, struct pace_jr *r)
{
	m->gaps.n = pace_jr_count(r, "count");
	m->gaps.first = pace_jr_int(r, "first", -TIME_MOST, TIME_MOST);
	m->gaps.sum = pace_jr_real(r, "sum");
	m->gaps.sum2 = pace_jr_real(r, "sum2");
	(void)read_extremes(r, &m->recent.gap_min_ns, &m->recent.gap_max_ns);
}

static json_t *
delays_json(const struct pace_recent *r)
{
	struct pace_jw w;

	if (r->samples == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "samples", r->samples);
	pace_jw_put(&w, "min", json_integer(r->above_min_ns));
	pace_jw_put(&w, "max", json_integer(r->above_max_ns));
	pace_jw_put(&w, "sum", json_integer(r->above_sum_ns));
	return w.o;
}

static void
read_delays(struct pace_recent *m, struct pace_jr *r)
{
	m->samples = pace_jr_count(r, "samples");
	r->bad |= m->samples == 0 || !read_extremes(r, &m->above_min_ns, &m->above_max_ns);
	m->above_sum_ns = pace_jr_int(r, "sum", -PACE_RECENT_SUM_MOST, PACE_RECENT_SUM_MOST);
}

/* --- the whole ------------------------------------------------------------- */

json_t *
pace_report_json(const struct pace_report *r)
{
	struct pace_jw w = pace_jw_begin(), tally = pace_jw_begin();

	pace_tally_put(&tally, &r->run);
	pace_jw_put(&w, "at_ns", json_integer(r->at_ns));
	pace_jw_put(&w, "began_ns", json_integer(r->began_ns));
	pace_jw_text(&w, "state", pace_state_name(r->state));
	pace_jw_count(&w, "since", r->since);
	pace_jw_put(&w, "received", tally.o);
	pace_jw_put(&w, "gap_ns", gaps_json(r));
	pace_jw_count(&w, "jitter_ns", r->jitter_ns > 0 ? (uint64_t)r->jitter_ns : 0);
	pace_jw_put(&w, "delay_above_min_ns", delays_json(&r->recent));
	if (r->rcvbuf_bytes > 0)
		pace_jw_count(&w, "rcvbuf_bytes", r->rcvbuf_bytes);
	if (r->host.at_ns > 0)
		pace_jw_put(&w, "host", pace_host_counters_json(&r->host));
	if (r->has_shapes) {
		pace_jw_put(&w, "gap_bins", pace_bins_json(&r->gap));
		pace_jw_put(&w, "delay_bins", pace_bins_json(&r->delay));
	}
	return w.o;
}

int
pace_report_read(const json_t *j, struct pace_report *m)
{
	struct pace_jr r = { .o = j }, tally = { .o = json_object_get(j, "received") };
	struct pace_jr gaps = { .o = json_object_get(j, "gap_ns") };
	struct pace_jr delays = { .o = json_object_get(j, "delay_above_min_ns") };
	char state[16];

	memset(m, 0, sizeof(*m));
	pace_recent_none(&m->recent);
	m->at_ns = pace_jr_int(&r, "at_ns", -TIME_MOST, TIME_MOST);
	m->began_ns = pace_jr_int(&r, "began_ns", -TIME_MOST, TIME_MOST);
	pace_jr_text(&r, "state", state, sizeof(state));
	r.bad |= !pace_state_of(state, &m->state);
	m->since = pace_jr_count(&r, "since");
	m->jitter_ns = (int64_t)pace_jr_count(&r, "jitter_ns");
	pace_tally_read(&tally, &m->run, true);
	read_gaps(m, &gaps);
	if (json_is_object(delays.o))
		read_delays(&m->recent, &delays);
	m->rcvbuf_bytes = pace_jr_count_or_0(&r, "rcvbuf_bytes");
	r.bad |= !pace_host_counters_of_json(&m->host, json_object_get(j, "host"));
	m->has_shapes = pace_jr_has(&r, "gap_bins") && pace_jr_has(&r, "delay_bins");
	if (m->has_shapes)
		r.bad |= !pace_bins_of_json(&m->gap, json_object_get(j, "gap_bins")) ||
		    !pace_bins_of_json(&m->delay, json_object_get(j, "delay_bins"));
	return r.bad || tally.bad || gaps.bad || delays.bad || m->at_ns < m->began_ns ? -EPROTO : 0;
}

/* --- the request ----------------------------------------------------------- */

static const char *const wants[] = { "shapes", "host" };	/* by bit */

#define WANTS	((int)(sizeof(wants) / sizeof(wants[0])))
#define WORDS	16		/* of a request: some may be of later versions */

json_t *
pace_report_request_json(const struct pace_report_request *a)
{
	json_t *list = json_array();

	for (int i = 0; i < WANTS; i++)
		if ((a->want & 1U << i) != 0)
			list = pace_js_append(list, json_string(wants[i]));
	return json_pack("{s:I, s:o}", "seen", (json_int_t)a->seen, "want", list);
}

static uint32_t
want_of(const json_t *list, bool *bad)
{
	const json_t *word;
	uint32_t want = 0;
	size_t k;

	*bad |= list != NULL && (!json_is_array(list) || json_array_size(list) > WORDS);
	if (*bad)
		return 0;
	json_array_foreach(list, k, word)
		for (int i = 0; i < WANTS; i++)
			if (json_is_string(word) && strcmp(json_string_value(word), wants[i]) == 0)
				want |= 1U << i;
	return want;
}

int
pace_report_asked(const json_t *j, struct pace_report_request *a)
{
	struct pace_jr r = { .o = j };

	a->seen = pace_jr_count(&r, "seen");
	a->want = want_of(json_object_get(j, "want"), &r.bad);
	return r.bad ? -EPROTO : 0;
}

/* As pace_report_request_json, without memory. */
int
pace_report_put(uint8_t *buf, size_t size, const struct pace_hdr *h, const struct pace_report_request *a)
{
	bool shapes = (a->want & PACE_WANT_SHAPES) != 0, host = (a->want & PACE_WANT_HOST) != 0;

	if (size < PACE_REPORT_PAD)
		return -ENOBUFS;
	memset(buf, 0, PACE_REPORT_PAD);
	snprintf((char *)buf + PACE_HDR_SIZE, PACE_REPORT_PAD - PACE_HDR_SIZE,
	    "{\"seen\":%" PRIu64 ",\"want\":[%s%s%s]}", a->seen, shapes ? "\"shapes\"" : "",
	    shapes && host ? "," : "", host ? "\"host\"" : "");
	return pace_hdr_encode(buf, PACE_REPORT_PAD, h) < 0 ? -ENOBUFS : PACE_REPORT_PAD;
}

/* --- the limit ------------------------------------------------------------- */

#define MEMBERS	(sizeof(",\"gap_bins\":,\"delay_bins\":") - 1)

/* Without distributions. */
static size_t
length_of(struct pace_report *r)
{
	json_t *j;
	size_t len;

	r->has_shapes = false;
	j = pace_report_json(r);
	len = j != NULL ? json_dumpb(j, NULL, 0, JSON_COMPACT | PACE_JS_REAL) : 0;
	json_decref(j);
	return len;
}

void
pace_report_fit(struct pace_report *r)
{
	static const uint32_t most[] = { 48, 40, 32, 26, 21, 17, 13, 10 };
	size_t i = 0, len;

	if (!r->has_shapes)
		return;
	len = length_of(r) + MEMBERS;
	while (len + pace_bins_length(&r->gap) + pace_bins_length(&r->delay) > PACE_REPORT_MAX) {
		if (i == sizeof(most) / sizeof(most[0]))
			return;
		pace_coarse_cut(&r->gap, most[i]);
		pace_coarse_cut(&r->delay, most[i++]);
	}
	r->has_shapes = true;
}
