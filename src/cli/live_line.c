/*
 * What the measuring thread handed over becomes lines: its runs are one, and what the
 * sender alone knows stands beside what the responder counted.
 */
#include "config.h"

#include "cli/live_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/rates.h"
#include "core/schedule.h"
#include "doc/js.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "session/lease.h"

#define SLACK_NS	INT64_C(500000000)	/* that a report may be late by */
#define MEMORY_NS	INT64_C(60000000000)	/* of what the clocks are reckoned by */

/* --- the host that measures -------------------------------------------------- */

struct span {
	uint64_t	n;
	double		sum;
	int64_t		min, max;
};

static void
span_add(struct span *s, int64_t ns)
{
	s->min = s->n == 0 || ns < s->min ? ns : s->min;
	s->max = s->n == 0 || ns > s->max ? ns : s->max;
	s->sum += (double)ns;
	s->n++;
}

static json_t *
span_json(const struct span *s)
{
	struct pace_jw w;

	if (s->n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", s->n);
	pace_jw_put(&w, "min", json_integer(s->min));
	pace_jw_real(&w, "mean", s->sum / (double)s->n);
	pace_jw_put(&w, "max", json_integer(s->max));
	return w.o;
}

/* Round trips without their stay there, and both ways apart as far as the clocks are
 * known. */
struct trips {
	struct span	both, there, back;
	uint64_t	asked;
};

/* All that there are: first they tell of the clocks, then they are told by these. */
static void
take_trips(struct pace_live *l, struct trips *t)
{
	struct pace_live_story *s = &l->story;
	uint64_t got = atomic_load_explicit(&l->times.got, memory_order_relaxed);
	uint64_t put = atomic_load_explicit(&l->times.put, memory_order_acquire);

	for (uint64_t i = got; i < put; i++) {
		const struct pace_live_time *x = &l->time[i % PACE_LIVE_TIMES];

		pace_clockfit_upper(&s->fit, x->t1_ns, x->t2_ns - x->t1_ns);
		pace_clockfit_lower(&s->fit, x->t4_ns, x->t3_ns - x->t4_ns);
	}
	if (put > got)
		pace_clockfit_forget(&s->fit, l->time[(put - 1) % PACE_LIVE_TIMES].t1_ns - MEMORY_NS);
	if (put > got && pace_clockfit_solve(&s->fit, PACE_CLIENT_RESOLUTION, &s->theta) < 0)
		s->theta.segments = 0;
	for (uint64_t i = got; i < put; i++) {
		const struct pace_live_time *x = &l->time[i % PACE_LIVE_TIMES];

		span_add(&t->both, x->t4_ns - x->t1_ns - (x->t3_ns - x->t2_ns));
		if (s->theta.segments == 0)
			continue;
		span_add(&t->there, x->t2_ns - x->t1_ns - pace_clock_at(&s->theta, x->t1_ns));
		span_add(&t->back, x->t4_ns - x->t3_ns + pace_clock_at(&s->theta, x->t4_ns));
	}
	atomic_store_explicit(&l->times.got, put, memory_order_release);
}

/* Of the run that goes on: from departure to departure since the line before. */
static json_t *
departures_json(const struct pace_stats *now, const struct pace_stats *then, uint64_t near)
{
	struct pace_stats_part part = pace_stats_since(now, then);
	struct pace_jw w;

	if (part.n == 0)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "count", part.n);
	pace_jw_real(&w, "mean", part.mean);
	pace_jw_real(&w, "stddev", part.stddev);
	pace_jw_count(&w, "near_frames", near);
	return w.o;
}

/* What this thread, which draws, has used of a core. */
static int64_t
own_cost(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ?
	    t.tv_sec * INT64_C(1000000000) + t.tv_nsec : 0;
}

static json_t *
probe_json(struct pace_live *l, const struct pace_live_item *i, int64_t span_ns)
{
	struct pace_live_story *s = &l->story;
	uint64_t sent = s->sent + i->sent;
	int64_t cost_ns = own_cost();
	struct trips t = { .asked = i->asked - s->asked };
	struct pace_jw w = pace_jw_begin();

	take_trips(l, &t);
	pace_jw_count(&w, "sent", sent);
	pace_jw_count(&w, "refused", s->refused + i->refused);
	pace_jw_count(&w, "interval_sent", sent - s->sent_told);
	pace_jw_put(&w, "spacing_ns", departures_json(&i->gaps, &s->run_gaps,
	    i->near - s->run_near));
	pace_jw_count(&w, "late_frames", i->late - s->run_late);
	pace_jw_count(&w, "round_trips_asked", t.asked);
	pace_jw_put(&w, "round_trip_ns", span_json(&t.both));
	pace_jw_put(&w, "there_ns", span_json(&t.there));
	pace_jw_put(&w, "back_ns", span_json(&t.back));
	pace_jw_put(&w, "clock_bound_ns", s->theta.segments > 0 ? pace_js_real(s->theta.bound_ns) :
	    json_null());
	pace_jw_real(&w, "monitor_core", span_ns > 0 && s->cost_ns > 0 ?
	    (double)(cost_ns - s->cost_ns) / (double)span_ns : 0);
	s->sent_told = sent;
	s->run_late = i->late;
	s->run_near = i->near;
	s->run_gaps = i->gaps;
	s->asked = i->asked;
	s->cost_ns = cost_ns;
	return w.o;
}

/* --- the session -------------------------------------------------------------- */

/* A run more: what the last one came to is of the past. */
static void
next_run(struct pace_live_story *s, const struct pace_live_item *i)
{
	if (s->run != 0) {
		pace_tally_add(&s->past, &s->report.run);
		pace_stats_merge(&s->past_gaps, &s->report.gaps);
		pace_coarse_join(&s->past_gap, &s->report.gap);
		pace_coarse_join(&s->past_delay, &s->report.delay);
		s->sent += s->run_sent;
		s->refused += s->run_refused;
	}
	s->report.gap.n = s->report.delay.n = 0;
	s->report.gap.below = s->report.delay.below = 0;
	s->run = i->run;
	s->run_late = s->run_near = 0;
	memset(&s->run_gaps, 0, sizeof(s->run_gaps));
}

static void
describe(const struct pace_live *l, struct pace_view *v, const struct pace_report *r)
{
	const struct pace_ask *a = &l->cfg.ask;
	const struct pace_client *c = &l->peer.client;

	v->number = 1;
	v->peer = pace_sock_local(&l->peer.sock);
	memcpy(v->label, c->label, sizeof(v->label));
	if (c->key != NULL)
		memcpy(v->key, c->key->name, sizeof(v->key));
	v->leased = v->runs = 1;
	v->run = (struct pace_view_run){ .number = 1, .size_bytes = a->size_bytes,
	    .wire_bytes = (uint32_t)pace_wire_bytes(&c->link, a->size_bytes),
	    .spacing_ns = pace_spacing_ns(a->spacing), .train = a->train, .bursts = 1,
	    .duration_asked_ns = l->cfg.duration_ns, .at_most_ns = l->cfg.duration_ns,
	    .verify = a->verify, .busy_poll = a->busy_poll };
	v->heard_ns = r->at_ns;
}

/* Runs are told as one. */
static void
fill_shapes(struct pace_live_story *s)
{
	s->all_gap = s->past_gap;
	s->all_delay = s->past_delay;
	pace_coarse_join(&s->all_gap, &s->report.gap);
	pace_coarse_join(&s->all_delay, &s->report.delay);
	s->seen.gap = &s->all_gap;
	s->seen.delay = &s->all_delay;
}

static void
fill_view(struct pace_live *l, const struct pace_live_item *i)
{
	struct pace_live_story *s = &l->story;
	const struct pace_report *r = &s->report;
	struct pace_view *v = &s->seen.now;
	bool over = r->state != PACE_RUNNING && i->last;

	memset(v, 0, sizeof(*v));
	describe(l, v, r);
	v->state = over ? PACE_READY : PACE_RUNNING;
	v->opened_ns = v->run.began_ns = r->at_ns - (i->now_ns - s->first_ns);
	v->run.ended_ns = over ? r->at_ns : 0;
	v->run.sent = over ? s->sent + i->sent : 0;
	v->this_run = s->past;
	pace_tally_add(&v->this_run, &r->run);
	v->all = v->this_run;
	v->gaps = s->past_gaps;
	pace_stats_merge(&v->gaps, &r->gaps);
	pace_recent_add(&s->ever, &r->recent);
	if (s->ever.gap_min_ns <= s->ever.gap_max_ns) {
		v->gaps.min = s->ever.gap_min_ns;
		v->gaps.max = s->ever.gap_max_ns;
	}
	v->jitter_ns = r->jitter_ns;
	v->recent = s->seen.recent = r->recent;
	v->rcvbuf_bytes = r->rcvbuf_bytes;
	fill_shapes(s);
}

static struct pace_totals
totals_of(const struct pace_live *l, const struct pace_live_item *i)
{
	const struct pace_view *v = &l->story.seen.now;

	return (struct pace_totals){ .started_ns = v->opened_ns, .now_ns = l->story.report.at_ns,
	    .opened = i->session, .active = 1, .streams = i->run, .tally = v->all,
	    .lease_ns = PACE_LEASE_NS, .lease_number = v->number };
}

/* --- lines ---------------------------------------------------------------------- */

static char *
first_line(const struct pace_live *l)
{
	char address[64];
	const struct pace_status_head h = { .host = l->cfg.peer.host, .port = l->cfg.peer.port,
	    .address = pace_addr_text(&l->peer.addr, address, sizeof(address)),
	    .started_wall_ns = pace_clock_wall() - (pace_clock_raw() - l->began_ns),
	    .interval_ns = l->cfg.interval_ns };

	return pace_status_first(&h);
}

/* By their clock; by ours where theirs is another one than before. */
static int64_t
span_since(const struct pace_live_story *s, const struct pace_live_item *i, int64_t their_ns)
{
	int64_t ours = i->now_ns - s->at_ns, theirs = their_ns - s->their_ns;

	return s->lines == 0 || i->session != s->session || theirs <= 0 || theirs > 2 * ours + MEMORY_NS ?
	    ours : theirs;
}

static void
begin_story(struct pace_live_story *s, int64_t began_ns)
{
	s->first_ns = s->at_ns = began_ns;
	pace_recent_none(&s->ever);
}

/* A report that has no distributions, as one for which there was no room, leaves those of
 * the one before. */
static void
keep_shapes(struct pace_live_story *s, const struct pace_report *r)
{
	const struct pace_coarse_list gap = s->report.gap, delay = s->report.delay;

	s->report = *r;
	if (r->has_shapes)
		return;
	s->report.gap = gap;
	s->report.delay = delay;
}

static char *
line_of(struct pace_live *l, const struct pace_live_item *i, const struct pace_report *r)
{
	struct pace_live_story *s = &l->story;
	struct pace_status st = { .seen = &s->seen, .n = 1 };
	char *line;

	if (s->lines == 0)
		begin_story(s, l->began_ns);
	if (i->run != s->run)
		next_run(s, i);
	st.interval_ns = span_since(s, i, r->at_ns);
	keep_shapes(s, r);
	s->run_sent = i->sent;
	s->run_refused = i->refused;
	fill_view(l, i);
	st.wall_ns = pace_clock_wall() - (pace_clock_raw() - i->now_ns);
	st.sums = r->host.at_ns > 0 ? &r->host : NULL;
	st.now = totals_of(l, i);
	st.then = s->totals;
	if (s->lines == 0)
		st.then.started_ns = st.then.now_ns = st.now.started_ns;
	json_decref(s->seen.probe);
	s->seen.probe = probe_json(l, i, st.interval_ns);
	line = pace_status_line(&st);
	s->seen.then = s->seen.now;
	s->totals = st.now;
	s->at_ns = i->now_ns;
	s->their_ns = r->at_ns;
	s->session = i->session;
	s->lines++;
	return line;
}

/* A report that makes no sense is no line. */
static char *
read_item(struct pace_live *l, const struct pace_live_item *i)
{
	json_t *j = pace_js_parse(i->body, strnlen(i->body, i->len), NULL);
	struct pace_report r;
	char *line = NULL;

	if (j != NULL && pace_report_read(j, &r) == 0)
		line = line_of(l, i, &r);
	else
		l->story.bad++;
	json_decref(j);
	return line;
}

/* Without the end of the line that others want. */
static int
keep(struct pace_live_story *s, char *line)
{
	free(s->line);
	s->line = line;
	if (line == NULL)
		return -ENOMEM;
	line[strcspn(line, "\n")] = '\0';
	return 1;
}

/* No report came for too long: a line that says for how long, and of no interval. */
static char *
silent_line(struct pace_live *l, int64_t now_ns)
{
	struct pace_live_story *s = &l->story;
	struct pace_status st = { .seen = &s->seen, .n = 1, .now = s->totals, .then = s->totals,
	    .wall_ns = pace_clock_wall() - (pace_clock_raw() - now_ns) };
	int64_t since_ns = s->silent_ns > s->at_ns ? s->silent_ns : s->at_ns + SLACK_NS;

	if (s->lines == 0 || atomic_load(&l->phase) != PACE_LIVE_GOES ||
	    now_ns - since_ns < l->cfg.interval_ns)
		return NULL;
	s->silent_ns = now_ns;
	st.now.now_ns += now_ns - s->at_ns;
	return pace_status_line(&st);
}

int
pace_live_line(struct pace_live *l, int64_t now_ns)
{
	uint64_t got = atomic_load_explicit(&l->items.got, memory_order_relaxed);
	const struct pace_addr local = pace_sock_local(&l->peer.sock);
	char *line = NULL;

	if (!l->story.told_head) {
		l->story.told_head = true;
		l->story.cost_ns = own_cost();
		pace_addr_text(&local, l->story.seen.peer, sizeof(l->story.seen.peer));
		return keep(&l->story, first_line(l));
	}
	while (line == NULL && got != atomic_load_explicit(&l->items.put, memory_order_acquire)) {
		line = read_item(l, &l->item[got % PACE_LIVE_ITEMS]);
		atomic_store_explicit(&l->items.got, ++got, memory_order_release);
	}
	if (line == NULL)
		line = silent_line(l, now_ns);
	return line != NULL ? keep(&l->story, line) : 0;
}
