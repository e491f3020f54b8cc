/*
 * Fuzzes the bodies of control messages: the first byte chooses the decoder, the rest is the body.
 * Checks: an accepted body is bounded.  Encoded and decoded again it is the same except for the
 * rounding of reals, and from then on it is identical.
 */
#include <math.h>

#include "fuzz.h"
#include "mutate_json.h"
#include "proto/msg.h"
#include "proto/report.h"

/* Any decoded body; zeroed before each use, so that bodies without reals can be compared by
 * bytes. */
union any {
	struct pace_msg_error	error;
	uint8_t			cookie[PACE_COOKIE_SIZE];
	struct pace_msg_open	open;
	struct pace_msg_opened	opened;
	struct pace_msg_start	start;
	struct pace_msg_finish	finish;
	struct pace_msg_ready	ready;
	struct pace_msg_fetch	fetch;
	struct pace_report	report;
	struct pace_slices	slices;
	struct pace_report_request	ask;
	struct pace_msg_started	started;
};

static int
get_error(const json_t *j, union any *m)
{
	return pace_msg_is_error(j, &m->error) ? 0 : -1;
}

static int
get_cookie(const json_t *j, union any *m)
{
	return pace_msg_cookie(j, m->cookie);
}

static int
get_open(const json_t *j, union any *m)
{
	return pace_msg_open(j, &m->open);
}

static int
get_opened(const json_t *j, union any *m)
{
	return pace_msg_opened(j, &m->opened);
}

static int
get_start(const json_t *j, union any *m)
{
	return pace_msg_start(j, &m->start);
}

static int
get_finish(const json_t *j, union any *m)
{
	return pace_msg_finish(j, &m->finish);
}

static int
get_started(const json_t *j, union any *m)
{
	return pace_msg_started(j, &m->started);
}

static int
get_ready(const json_t *j, union any *m)
{
	return pace_msg_ready(j, &m->ready);
}

static int
get_fetch(const json_t *j, union any *m)
{
	return pace_msg_fetch(j, &m->fetch);
}

static int
get_report(const json_t *j, union any *m)
{
	return pace_report_read(j, &m->report);
}

#define STREAMS	200

static int
get_slices(const json_t *j, union any *m)
{
	return pace_slices_read(j, STREAMS, 100, 166, &m->slices);
}

static int
get_seen(const json_t *j, union any *m)
{
	return pace_report_asked(j, &m->ask);
}

static json_t *
put_error(const union any *m)
{
	return pace_msg_error_json(&m->error);
}

static json_t *
put_cookie(const union any *m)
{
	return pace_msg_cookie_json(m->cookie);
}

static json_t *
put_open(const union any *m)
{
	return pace_msg_open_json(&m->open);
}

static json_t *
put_opened(const union any *m)
{
	return pace_msg_opened_json(&m->opened);
}

static json_t *
put_start(const union any *m)
{
	return pace_msg_start_json(&m->start);
}

static json_t *
put_finish(const union any *m)
{
	return pace_msg_finish_json(&m->finish);
}

static json_t *
put_started(const union any *m)
{
	return pace_msg_started_json(&m->started);
}

static json_t *
put_ready(const union any *m)
{
	return pace_msg_ready_json(&m->ready);
}

static json_t *
put_fetch(const union any *m)
{
	return pace_msg_fetch_json(&m->fetch);
}

static json_t *
put_report(const union any *m)
{
	return pace_report_json(&m->report);
}

static json_t *
put_slices(const union any *m)
{
	struct pace_report r = { .state = PACE_RUNNING };
	json_t *j;

	pace_recent_none(&r.recent);
	j = pace_slices_json(&r, &m->slices, STREAMS);
	MUST(json_dumpb(j, NULL, 0, JSON_COMPACT) <= PACE_REPORT_MAX);
	return j;
}

static json_t *
put_seen(const union any *m)
{
	static uint8_t buf[PACE_REPORT_PAD];
	struct pace_hdr h = { .type = PACE_REPORT };

	MUST(pace_report_put(buf, sizeof(buf), &h, &m->ask) == (int)sizeof(buf));
	return pace_msg_body(buf, sizeof(buf));
}

/* --- what lies behind may rely on ---------------------------------------------- */

static void
check_start(const union any *m)
{
	const struct pace_params *a = &m->start.ask;

	MUST(a->train > 0 && a->bursts > 0 && m->start.limit > 0);
	MUST(a->size_bytes >= PACE_HDR_SIZE && a->size_bytes <= PACE_FRAME_MAX);
	MUST(a->linear.bins <= PACE_LINEAR_HIST_MAX_BINS && (a->linear.bins == 0 || a->linear.width > 0));
	MUST(a->record.room <= PACE_RECORD_LIMIT && pace_records_memory(a->record.room) <= UINT32_MAX);
	MUST(m->start.reply_bytes <= PACE_FRAME_MAX);
}

/* The receiver calculates theta at departures with any value. */
static void
check_finish(const union any *m)
{
	static const int64_t t[] = { INT64_MIN, -1, 0, INT64_C(1) << 60, INT64_MAX };
	const struct pace_clock_estimate *e = &m->finish.theta;

	MUST(e->segments >= 0 && e->segments <= PACE_CLOCK_SEGMENTS);
	for (int i = 0; i < e->segments; i++) {
		MUST(e->v[i].from_ns <= e->v[i].to_ns);
		MUST(i == 0 || e->v[i - 1].to_ns <= e->v[i].from_ns);
		MUST(fabs(e->v[i].line.rate) <= 1e-3);
	}
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		MUST(e->segments > 0 || pace_clock_at(e, t[i]) == 0);
}

static void
check_opened(const union any *m)
{
	const struct pace_clock_state *c = &m->opened.clock;

	MUST(c->known || (!c->synchronised && c->error_ns == 0 && c->error_max_ns == 0));
	MUST(c->error_ns >= 0 && c->error_max_ns >= 0 && isfinite(c->frequency_ppm));
}

static void
check_started(const union any *m)
{
	MUST((unsigned int)m->started.capture < PACE_CAPTURES);
}

static void
check_ready(const union any *m)
{
	MUST(m->ready.size <= PACE_RESULT_MAX && m->ready.wait_ns >= 0);
}

/* Wider bins lose nothing. */
static void
check_bins(const struct pace_coarse_hist_list *l)
{
	struct pace_coarse_hist_list few = *l, both = *l;

	json_t *j = pace_bins_json(l);

	MUST(l->n <= PACE_COARSE_HIST_LIST);
	MUST(json_dumpb(j, NULL, 0, JSON_COMPACT) == pace_bins_length(l));
	json_decref(j);
	for (uint32_t i = 0; i < l->n; i++) {
		MUST(pace_coarse_hist_is_bin(l->bin[i].low, l->bin[i].high));
		MUST(i == 0 || l->bin[i - 1].high <= l->bin[i].low);
	}
	pace_coarse_cut(&few, 10);
	MUST(pace_coarse_hist_count(&few) == pace_coarse_hist_count(l));
	pace_coarse_hist_join(&both, &few);
	MUST(both.n <= PACE_COARSE_HIST_LIST && pace_coarse_hist_count(&both) == 2 * pace_coarse_hist_count(l));
}

/* The display adds and subtracts these. */
static void
check_report(const union any *m)
{
	const struct pace_report *r = &m->report;

	MUST(r->began_ns <= r->at_ns && r->jitter_ns >= 0 && (unsigned)r->state < PACE_STATES);
	MUST(isfinite(r->gaps.sum) && isfinite(r->gaps.sum2));
	MUST(r->recent.gap_min_ns <= r->recent.gap_max_ns ||
	    (r->recent.gap_min_ns == INT64_MAX && r->recent.gap_max_ns == INT64_MIN));
	MUST(r->recent.samples == 0 || r->recent.above_min_ns <= r->recent.above_max_ns);
	check_bins(&r->gap);
	check_bins(&r->delay);
	MUST(r->has_shapes || (r->gap.n == 0 && r->delay.n == 0));
	MUST(r->host.at_ns >= 0 && r->host.has >> PACE_HOST_COUNTERS_REPORTED == 0);
	MUST(r->run.lost >= -(INT64_C(1) << 60) && r->run.lost <= INT64_C(1) << 60);
}

static void
check_slices(const union any *m)
{
	const struct pace_slices *v = &m->slices;

	MUST(v->n <= PACE_SLICES && v->first + v->n <= STREAMS);
	for (uint32_t i = 0; i < v->n; i++) {
		const struct pace_slice *one = &v->of[i];

		MUST(isfinite(one->gaps.sum) && isfinite(one->gaps.sum2));
		MUST(one->gaps.min <= one->gaps.max && one->jitter_ns >= 0);
		MUST(one->run.bytes == 100 * one->run.frames);
		MUST(llabs(one->run.lost) <= PACE_LOST_MOST);
		MUST(one->run.socket_lost_likely <= one->run.socket_lost_max);
	}
}

/* --- the same, but for the rounding of reals ------------------------------------- */

static bool
close_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(a);
}

static bool
same_opened(const union any *a, const union any *b)
{
	const struct pace_clock_state *c = &a->opened.clock, *d = &b->opened.clock;

	return a->opened.host_bytes == b->opened.host_bytes &&
	    a->opened.reports == b->opened.reports &&
	    c->known == d->known && c->synchronised == d->synchronised &&
	    c->error_ns == d->error_ns && c->error_max_ns == d->error_max_ns &&
	    close_to(c->frequency_ppm, d->frequency_ppm);
}

static bool
same_finish(const union any *a, const union any *b)
{
	const struct pace_clock_estimate *e = &a->finish.theta, *f = &b->finish.theta;

	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *s = &e->v[i], *t = &f->v[i];

		if (s->from_ns != t->from_ns || s->to_ns != t->to_ns ||
		    s->line.t_ns != t->line.t_ns || s->line.offset_ns != t->line.offset_ns ||
		    !close_to(s->line.rate, t->line.rate))
			return false;
	}
	return a->finish.sent == b->finish.sent && e->segments == f->segments;
}

static bool
same_report(const union any *a, const union any *b)
{
	struct pace_report r = a->report, s = b->report;

	if (!close_to(r.gaps.sum, s.gaps.sum) || !close_to(r.gaps.sum2, s.gaps.sum2))
		return false;
	r.gaps.sum = s.gaps.sum;
	r.gaps.sum2 = s.gaps.sum2;
	return memcmp(&r, &s, sizeof(r)) == 0;
}

/* Large numbers leave room for fewer slices. */
static bool
same_slices(const union any *a, const union any *b)
{
	const struct pace_slices *v = &a->slices, *w = &b->slices;

	for (uint32_t i = 0; i < w->n; i++) {
		struct pace_slice r = v->of[i], s = w->of[i];

		if (r.gaps.n == 0)	/* not told */
			r.gaps.first = r.gaps.min = r.gaps.max = 0;
		if (!close_to(r.gaps.sum, s.gaps.sum) || !close_to(r.gaps.sum2, s.gaps.sum2))
			return false;
		r.gaps.sum = s.gaps.sum;
		r.gaps.sum2 = s.gaps.sum2;
		if (memcmp(&r, &s, sizeof(r)) != 0)
			return false;
	}
	return w->n <= v->n && (w->n == 0 || w->first == v->first);
}

static const struct {
	int	(*get)(const json_t *j, union any *m);
	json_t	*(*put)(const union any *m);
	void	(*check)(const union any *m);	/* NULL: nothing to say */
	bool	(*same)(const union any *a, const union any *b);	/* NULL: by bytes */
} kinds[] = {
	{ get_error, put_error, NULL, NULL }, { get_cookie, put_cookie, NULL, NULL },
	{ get_open, put_open, NULL, NULL }, { get_opened, put_opened, check_opened, same_opened },
	{ get_start, put_start, check_start, NULL },
	{ get_finish, put_finish, check_finish, same_finish },
	{ get_ready, put_ready, check_ready, NULL }, { get_fetch, put_fetch, NULL, NULL },
	{ get_report, put_report, check_report, same_report },
	{ get_seen, put_seen, NULL, NULL },
	{ get_started, put_started, check_started, NULL },
	{ get_slices, put_slices, check_slices, same_slices },
};
#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* An accepted body: encoded, sent and read again it is the same. */
static void
check_again(size_t kind, const union any *first, size_t pad)
{
	static uint8_t buf[PACE_CONTROL_ROOM];
	struct pace_hdr h = { .type = PACE_OPEN };
	union any second;
	uint8_t *exact;
	json_t *j, *again;
	int len;

	len = pace_msg_put(buf, sizeof(buf), &h, kinds[kind].put(first), pad);
	MUST(len > PACE_HDR_SIZE && (size_t)len >= pad);
	exact = fuzz_exact(buf, (size_t)len);
	j = pace_msg_body(exact, (size_t)len);
	MUST(j != NULL);
	memset(&second, 0, sizeof(second));
	MUST(kinds[kind].get(j, &second) == 0);
	if (kinds[kind].same != NULL)
		MUST(kinds[kind].same(first, &second));
	else
		MUST(memcmp(first, &second, sizeof(second)) == 0);
	again = kinds[kind].put(&second);
	MUST(json_equal(j, again));	/* rounded once, not more */
	json_decref(again);
	json_decref(j);
	free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t kind, len = PACE_HDR_SIZE + size - 1;
	union any m;
	uint8_t *buf;
	json_t *j;

	if (size == 0)
		return 0;
	kind = (data[0] & 0x7f) % KINDS;
	buf = malloc(len);
	MUST(buf != NULL);
	memset(buf, 0, PACE_HDR_SIZE);
	memcpy(buf + PACE_HDR_SIZE, data + 1, size - 1);
	j = pace_msg_body(buf, len);
	MUST(j == NULL || json_is_object(j));
	memset(&m, 0, sizeof(m));
	if (kinds[kind].get(j, &m) == 0) {
		if (kinds[kind].check != NULL)
			kinds[kind].check(&m);
		check_again(kind, &m, data[0] & 0x80 ? PACE_HELLO_SIZE : 0);
	}
	json_decref(j);
	free(buf);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	if (size > 0 && chance_one_in(&c, 16)) {
		data[0] = (uint8_t)chance_of(&c, 256);
		return size;
	}
	return mutate_json(data, size, max, 1, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_json(a, asize, b, bsize, out, max, 1, &c);
}
