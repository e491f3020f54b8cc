#include "config.h"

#include "proto/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doc/field.h"
#include "doc/tally_doc.h"

#define TIME_MOST	(INT64_C(1) << 60)
#define SUBS		32		/* low / width is below this */
/* limit of a bin, so that the sum of many runs fits */
#define COUNT_MOST	((INT64_C(1) << 54) - 1)

/* --- distributions --------------------------------------------------------- */

static int
code_of(const struct pace_bin *b)
{
	int width = __builtin_ctzll((uint64_t)(b->high - b->low));

	return SUBS * width + (int)(b->low >> width);
}

static size_t
digits(uint64_t n)
{
	size_t d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

size_t
pace_bins_length(const struct pace_coarse_hist_list *l)
{
	size_t len = 2 + digits(l->below);

	for (uint32_t i = 0; i < l->n; i++)
		len += 2 + digits((uint64_t)code_of(&l->bin[i])) + digits(l->bin[i].count);
	return len;
}

json_t *
pace_bins_json(const struct pace_coarse_hist_list *l)
{
	json_t *list = pace_js_append(json_array(), json_integer((json_int_t)l->below));

	for (uint32_t i = 0; i < l->n; i++) {
		const struct pace_bin *b = &l->bin[i];

		list = pace_js_append(list, json_integer(code_of(b)));
		list = pace_js_append(list, json_integer((json_int_t)b->count));
	}
	return list;
}

static bool
number(const json_t *list, size_t i, int64_t least, int64_t most, int64_t *n)
{
	const json_t *v = json_array_get(list, i);

	*n = json_integer_value(v);
	return json_is_integer(v) && *n >= least && *n <= most;
}

static bool
bins_from_json(struct pace_coarse_hist_list *l, const json_t *o)
{
	size_t n = json_array_size(o);
	int64_t code, count;

	memset(l, 0, sizeof(*l));
	if (!json_is_array(o) || n % 2 == 0 || n / 2 > PACE_COARSE_HIST_LIST ||
	    !number(o, 0, 0, COUNT_MOST, &count))
		return false;
	l->below = (uint64_t)count;
	for (size_t i = 0; i < n / 2; i++) {
		struct pace_bin *b = &l->bin[i];

		if (!number(o, 2 * i + 1, 0, SUBS * 40 - 1, &code) ||
		    !number(o, 2 * i + 2, 1, COUNT_MOST, &count))
			return false;
		*b = (struct pace_bin){ .low = (code % SUBS) << code / SUBS,
		    .high = (code % SUBS + 1) << code / SUBS, .count = (uint64_t)count };
		if (!pace_coarse_hist_is_bin(b->low, b->high) || (i > 0 && b->low < b[-1].high))
			return false;
		l->n = (uint32_t)i + 1;
	}
	return true;
}

/* --- the host -------------------------------------------------------------- */

json_t *
pace_host_counters_json(const struct pace_host_counters *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "at_ns", json_integer(s->at_ns));
	for (int i = 0; i < PACE_HOST_COUNTERS_REPORTED; i++)
		if (pace_host_counters_has(s, (enum pace_host_counter)i))
			pace_jw_count(&w, pace_host_counter_name((enum pace_host_counter)i),
			    s->n[i]);
	return w.o;
}

bool
pace_host_counters_of_json(struct pace_host_counters *s, const json_t *o)
{
	struct pace_jr r = { .o = o };

	memset(s, 0, sizeof(*s));
	s->at_ns = pace_jr_int(&r, "at_ns", 1, PACE_JS_MAX);
	for (int i = 0; i < PACE_HOST_COUNTERS_REPORTED; i++) {
		const char *name = pace_host_counter_name((enum pace_host_counter)i);

		s->has |= (uint64_t)pace_jr_has(&r, name) << i;
		s->n[i] = pace_jr_count_or_0(&r, name);
	}
	return !r.bad;
}

/* --- the whole report -------------------------------------------------------- */

#define R		struct pace_report
#define TIME(m)		PACE_INT(R, m), .low = -TIME_MOST, .high = TIME_MOST
#define TOLD		.when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX

static const struct pace_fields gap_fields = { .row = PACE_FIELDS(
	{ "count", PACE_COUNT(R, gaps.n) },
	{ "first", TIME(gaps.first) },
	{ "sum", PACE_REAL(R, gaps.sum) },
	{ "sum2", PACE_REAL(R, gaps.sum2) },
	{ "min", TIME(recent.gap_min_ns), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .none = INT64_MAX },
	{ "max", TIME(recent.gap_max_ns), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    .none = INT64_MIN },
) };

static const struct pace_fields delay_fields = { .row = PACE_FIELDS(
	{ "samples", PACE_COUNT(R, recent.samples), .low = 1 },
	{ "min", TIME(recent.above_min_ns) },
	{ "max", TIME(recent.above_max_ns) },
	{ "sum", PACE_INT(R, recent.above_sum_ns), .low = -PACE_RECENT_SUM_MOST,
	    .high = PACE_RECENT_SUM_MOST },
) };

static void
put_tally(struct pace_jw *w, const char *name, const void *run)
{
	struct pace_jw tally = pace_jw_begin();

	pace_tally_put(&tally, run);
	pace_jw_put(w, name, tally.o);
}

static void
get_tally(struct pace_jr *j, const char *name, void *run)
{
	struct pace_jr tally = { .o = json_object_get(j->o, name) };

	pace_tally_read(&tally, run, true);
	j->bad |= tally.bad;
}

static void
put_host(struct pace_jw *w, const char *name, const void *host)
{
	pace_jw_put(w, name, pace_host_counters_json(host));
}

static void
get_host(struct pace_jr *j, const char *name, void *host)
{
	j->bad |= !pace_host_counters_of_json(host, pace_jr_get(j, name));
}

static void
put_bins(struct pace_jw *w, const char *name, const void *bins)
{
	pace_jw_put(w, name, pace_bins_json(bins));
}

static void
get_bins(struct pace_jr *j, const char *name, void *bins)
{
	j->bad |= !bins_from_json(bins, pace_jr_get(j, name));
}

static const struct pace_fields report_fields = { .row = PACE_FIELDS(
	{ "at_ns", TIME(at_ns) },
	{ "began_ns", TIME(began_ns) },
	{ "state", PACE_NAME(R, state, pace_state_names) },
	{ "since", PACE_COUNT(R, since) },
	{ "received", PACE_OWN_OF(R, run, put_tally, get_tally) },
	{ "gap_ns", PACE_SELF(gap_fields) },
	{ "jitter_ns", PACE_NS(R, jitter_ns) },
	{ "delay_above_min_ns", PACE_SELF(delay_fields), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, PACE_F_IF(R, recent.samples) },
	{ "rcvbuf_bytes", PACE_COUNT(R, rcvbuf_bytes), TOLD },
	{ "host", PACE_OWN_OF(R, host, put_host, get_host), TOLD, PACE_F_IF(R, host.at_ns) },
	{ "gap_bins", PACE_OWN_OF(R, gap, put_bins, get_bins), TOLD, PACE_F_HAS(R, has_shapes) },
	{ "delay_bins", PACE_OWN_OF(R, delay, put_bins, get_bins), TOLD, PACE_F_IF(R, has_shapes) },
) };

json_t *
pace_report_json(const struct pace_report *r)
{
	return pace_fields_to_json(&report_fields, r);
}

int
pace_report_read(const json_t *j, struct pace_report *m)
{
	const struct pace_recent *r = &m->recent;

	memset(m, 0, sizeof(*m));
	pace_recent_none(&m->recent);
	if (!pace_fields_from_json(&report_fields, m, j) || m->at_ns < m->began_ns ||
	    (r->samples > 0 && r->above_min_ns > r->above_max_ns))
		return -EPROTO;
	/* both, with the first not above the second, or neither */
	if ((r->gap_min_ns != INT64_MAX || r->gap_max_ns != INT64_MIN) &&
	    r->gap_min_ns > r->gap_max_ns)
		return -EPROTO;
	m->has_shapes &= pace_jr_has(&(struct pace_jr){ .o = j }, "delay_bins");
	if (!m->has_shapes) {	/* one distribution alone is ignored */
		memset(&m->gap, 0, sizeof(m->gap));
		memset(&m->delay, 0, sizeof(m->delay));
	}
	return 0;
}

/* --- slices ---------------------------------------------------------------- */

#define NEXT		"{\"next\":"
#define STEADY		12		/* members of a slice before those that are often 0 */
#define SLICE_MOST	(STEADY + PACE_TALLY_COUNTS)

/* The other counts of a slice, in this order; those at its end that are 0 are left out. */
static const size_t rare[] = {
#define AT(m)	offsetof(struct pace_tally, m) / sizeof(uint64_t)
	AT(duplicates), AT(reordered), AT(late), AT(corrupt), AT(foreign), AT(congestion_marks),
	AT(dscp_changed), AT(ecn_changed), AT(socket_drops), AT(socket_lost_likely),
	AT(socket_lost_max), AT(sent_frames),
#undef AT
};
#define RARE	(sizeof(rare) / sizeof(rare[0]))

static json_t *
slice_json(uint32_t stream, const struct pace_slice *v)
{
	const struct pace_stats *g = &v->gaps;
	const json_int_t steady[] = { stream, (json_int_t)v->run.frames, v->run.lost,
	    v->jitter_ns, (json_int_t)g->n, g->n > 0 ? g->min : 0, g->n > 0 ? g->max : 0,
	    g->n > 0 ? g->first : 0, (json_int_t)v->delays.n, v->delays.sum_ns };
	json_t *list = json_array();
	size_t n = RARE;

	for (size_t i = 0; i < sizeof(steady) / sizeof(steady[0]); i++)
		list = pace_js_append(list, json_integer(steady[i]));
	list = pace_js_append(list, json_real(g->sum));
	list = pace_js_append(list, json_real(g->sum2));
	while (n > 0 && pace_tally_get(&v->run, rare[n - 1]) == 0)
		n--;
	for (size_t i = 0; i < n; i++)
		list = pace_js_append(list,
		    json_integer((json_int_t)pace_tally_get(&v->run, rare[i])));
	return list;
}

static size_t
length_of(const json_t *j)
{
	return j != NULL ? json_dumpb(j, NULL, 0, JSON_COMPACT | PACE_JS_REAL) : 0;
}

json_t *
pace_slices_json(const struct pace_report *r, const struct pace_slices *v, uint32_t streams)
{
	static const char members[] = ",\"slices\":[]" NEXT "255,";
	struct pace_report sum = *r;
	json_t *o = json_object(), *list = json_array(), *rest;
	size_t len;
	uint32_t i;

	sum.has_shapes = false;
	sum.host.at_ns = 0;
	rest = pace_report_json(&sum);
	len = length_of(rest) + sizeof(members);
	for (i = 0; i < v->n; i++) {
		json_t *one = slice_json(v->first + i, &v->of[i]);

		len += length_of(one) + 1;
		if (one == NULL || len > PACE_REPORT_MAX) {
			json_decref(one);
			break;
		}
		list = pace_js_append(list, one);
	}
	i += v->first;
	/* next comes first, so that it is found without reading the rest */
	json_object_set_new(o, "next", json_integer(i < streams ? (json_int_t)i : 0));
	json_object_update(o, rest);
	json_object_set_new(o, "slices", list);
	json_decref(rest);
	return o;
}

/* True if the next number of a slice lies in the range. */
static bool
take_number(const json_t *list, size_t *i, int64_t least, int64_t most, int64_t *n)
{
	return number(list, (*i)++, least, most, n);
}

static bool
take_real(const json_t *list, size_t *i, double *to)
{
	const json_t *v = json_array_get(list, (*i)++);

	*to = json_number_value(v);
	return json_is_number(v);
}

static bool
slice_of_json(const json_t *list, uint32_t stream, struct pace_slice *v)
{
	struct pace_tally *t = &v->run;
	int64_t n[4], count;
	size_t i = 0;

	memset(v, 0, sizeof(*v));
	if (!json_is_array(list) || json_array_size(list) < STEADY ||
	    json_array_size(list) > SLICE_MOST || !take_number(list, &i, stream, stream, &n[0]) ||
	    !take_number(list, &i, 0, COUNT_MOST, &n[1]) ||
	    !take_number(list, &i, -PACE_LOST_MOST, PACE_LOST_MOST, &t->lost) ||
	    !take_number(list, &i, 0, TIME_MOST, &v->jitter_ns) ||
	    !take_number(list, &i, 0, COUNT_MOST, &n[2]) ||
	    !take_number(list, &i, -TIME_MOST, TIME_MOST, &v->gaps.min) ||
	    !take_number(list, &i, -TIME_MOST, TIME_MOST, &v->gaps.max) ||
	    !take_number(list, &i, -TIME_MOST, TIME_MOST, &v->gaps.first) ||
	    !take_number(list, &i, 0, COUNT_MOST, &n[3]) ||
	    !take_number(list, &i, -PACE_RECENT_SUM_MOST, PACE_RECENT_SUM_MOST,
	    &v->delays.sum_ns) ||
	    !take_real(list, &i, &v->gaps.sum) || !take_real(list, &i, &v->gaps.sum2))
		return false;
	t->frames = (uint64_t)n[1];
	v->gaps.n = (uint64_t)n[2];
	v->delays.n = (uint64_t)n[3];
	for (size_t k = 0; k < RARE && i < json_array_size(list); k++) {
		if (!take_number(list, &i, 0, COUNT_MOST, &count))
			return false;
		pace_tally_set(t, rare[k], (uint64_t)count);
	}
	return t->socket_lost_likely <= t->socket_lost_max && v->gaps.min <= v->gaps.max;
}

int
pace_slices_read(const json_t *j, uint32_t streams, uint32_t size_bytes, uint32_t wire_bytes,
    struct pace_slices *v)
{
	const json_t *list = json_object_get(j, "slices");
	size_t n = json_array_size(list);
	/* bytes of all streams are counts as well */
	uint64_t most = (uint64_t)PACE_JS_MAX / streams / (wire_bytes > 0 ? wire_bytes : 1);
	int64_t first = 0;

	v->first = v->n = 0;
	if (list == NULL || (json_is_array(list) && n == 0))
		return 0;
	if (!json_is_array(list) || n > PACE_SLICES ||
	    !number(json_array_get(list, 0), 0, 0, streams - 1, &first) ||
	    n > streams - (uint64_t)first)
		return -EPROTO;
	v->first = (uint32_t)first;
	for (; v->n < n; v->n++) {
		struct pace_slice *one = &v->of[v->n];

		if (!slice_of_json(json_array_get(list, v->n), v->first + v->n, one) ||
		    one->run.frames > most || one->run.sent_frames > most)
			return -EPROTO;
		one->run.bytes = one->run.frames * size_bytes;
		one->run.wire_bytes = one->run.frames * wire_bytes;
		one->run.sent_bytes = one->run.sent_frames * size_bytes;
		one->run.sent_wire_bytes = one->run.sent_frames * wire_bytes;
	}
	return 0;
}

int
pace_slices_next(const char *body, size_t len)
{
	const size_t head = sizeof(NEXT) - 1;
	int next = 0;
	size_t i = head;

	if (len < head || memcmp(body, NEXT, head) != 0)
		return -EPROTO;
	for (; i < len && i < head + 3 && body[i] >= '0' && body[i] <= '9'; i++)
		next = 10 * next + body[i] - '0';
	return i > head && i < len && body[i] == ',' ? next : -EPROTO;
}

/* --- the request ----------------------------------------------------------- */

static const char *const wants[] = { "shapes", "host", "streams" };	/* by bit number */

#define WANTS	((int)(sizeof(wants) / sizeof(wants[0])))
#define WORDS	16		/* of a request, with some of later versions */

int
pace_report_asked(const json_t *j, struct pace_report_request *a)
{
	struct pace_jr r = { .o = j };
	const json_t *list = json_object_get(j, "want"), *word;
	size_t k;

	a->seen = pace_jr_count(&r, "seen");
	a->want = 0;
	if (r.bad || (list != NULL && (!json_is_array(list) || json_array_size(list) > WORDS)))
		return -EPROTO;
	json_array_foreach(list, k, word)
		for (int i = 0; i < WANTS; i++)
			if (json_is_string(word) && strcmp(json_string_value(word), wants[i]) == 0)
				a->want |= 1U << i;
	return 0;
}

int
pace_report_put(uint8_t *buf, size_t size, const struct pace_hdr *h,
    const struct pace_report_request *a)
{
	char list[64] = "";
	size_t used = 0;

	if (size < PACE_REPORT_PAD)
		return -ENOBUFS;
	for (int i = 0; i < WANTS; i++)
		if ((a->want >> i & 1) != 0)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s\"%s\"",
			    used > 0 ? "," : "", wants[i]);
	memset(buf, 0, PACE_REPORT_PAD);
	snprintf((char *)buf + PACE_HDR_SIZE, PACE_REPORT_PAD - PACE_HDR_SIZE,
	    "{\"seen\":%" PRIu64 ",\"want\":[%s]}", a->seen, list);
	return pace_hdr_encode(buf, PACE_REPORT_PAD, h) < 0 ? -ENOBUFS : PACE_REPORT_PAD;
}

/* --- the limit ------------------------------------------------------------- */

#define MEMBERS	(sizeof(",\"gap_bins\":,\"delay_bins\":") - 1)

void
pace_report_fit(struct pace_report *r)
{
	static const uint32_t most[] = { 48, 40, 32, 26, 21, 17, 13, 10 };
	size_t i = 0, len;
	json_t *j;

	if (!r->has_shapes)
		return;
	r->has_shapes = false;
	j = pace_report_json(r);
	len = length_of(j) + MEMBERS;
	json_decref(j);
	while (len + pace_bins_length(&r->gap) + pace_bins_length(&r->delay) > PACE_REPORT_MAX) {
		if (i == sizeof(most) / sizeof(most[0]))
			return;
		pace_coarse_cut(&r->gap, most[i]);
		pace_coarse_cut(&r->delay, most[i++]);
	}
	r->has_shapes = true;
}
