/*
 * Makes the status of one session from the data of the measuring thread.  All runs are
 * one, and the sender's own values stand beside the responder's counts.
 */
#include "config.h"

#include "live/live_run_own.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/err.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "server/lease.h"

#define DUE_FRAMES	20			/* if this many frames left and no frame arrived,
						 * it is an outage, not an accident */
#define DUE_REQUESTS	3			/* the same of requests to a reflector */
#define MEMORY_NS	INT64_C(60000000000)	/* longest plausible time between two reports */

/* --- the host that measures -------------------------------------------------- */

/* CPU time of this thread, which also draws. */
static int64_t
own_cost(void)
{
	struct timespec t;

	return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ?
	    t.tv_sec * INT64_C(1000000000) + t.tv_nsec : 0;
}

/* What belongs to the session, not to one of its streams: exchanges, and the cost. */
static void
fill_exchanges(struct pace_live *l, struct pace_live_scenario *s, const struct pace_live_item *i,
    int64_t span_ns)
{
	struct pace_probe_status *p = &s->session.now.probe;
	int64_t cost_ns = own_cost();

	p->asked = i->asked > s->asked ? i->asked - s->asked : 0;
	p->core = span_ns > 0 && s->cost_ns > 0 ?
	    (double)(cost_ns - s->cost_ns) / (double)span_ns : 0;
	if (s == &l->story && i->kind != PACE_LIVE_STAMP)
		pace_live_take_trips(l);
	memcpy(p->way, l->story.way, sizeof(p->way));	/* exchanges are of both directions */
	p->has_bound = l->story.theta.segments > 0;
	p->bound_ns = p->has_bound ? l->story.theta.bound_ns : 0;
	s->asked = i->asked;
	s->cost_ns = cost_ns;
}

static void
fill_probe(struct pace_live *l, struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_live_sent *by, int64_t span_ns)
{
	struct pace_probe_status *p = &s->session.now.probe;

	*p = (struct pace_probe_status){ .known = true,
	    .reverse = s->down, .sent = s->sent + by->sent,
	    .refused = s->refused + by->refused,
	    .interval_sent = s->sent + by->sent - s->sent_reported,
	    .leaving = pace_moments_since(&by->gaps, &s->by_line.left.gaps),
	    .near = by->near - s->by_line.left.near, .late = by->late - s->by_line.left.late,
	    .unreported = s->unreported };
	if (s->place == 0)
		fill_exchanges(l, s, i, span_ns);
	if (i->kind == PACE_LIVE_STAMP)
		pace_live_stamp_fill(p, s, i);
}

/* --- the session -------------------------------------------------------------- */

/* Begin another run; the counts of the last one are added to the past. */
static void
next_run(struct pace_live_scenario *s, const struct pace_live_item *i)
{
	if (s->run != 0) {
		pace_tally_add(&s->past, &s->report.run);
		pace_stats_merge(&s->past_gaps, &s->report.gaps);
		pace_coarse_hist_join(&s->past_gap, &s->report.gap);
		pace_coarse_hist_join(&s->past_delay, &s->report.delay);
		s->sent += s->run_sent;
		s->refused += s->run_refused;
	}
	s->report.gap.n = s->report.delay.n = 0;
	s->report.gap.below = s->report.delay.below = 0;
	s->run = i->run;
	memset(&s->by_line.left, 0, sizeof(s->by_line.left));
	s->by_line.delays = (struct pace_delay_sum){ .n = 0 };
}

static void
describe(const struct pace_live *l, const struct pace_live_scenario *s,
    struct pace_session_stats *v, const struct pace_report *r)
{
	const struct pace_params *a = &l->cfg.ask;
	const struct pace_client *c = &l->peer.client;
	/* not open if the first run could not begin */
	const struct pace_sock *flow = s->place > 1 ? l->peer.flow[s->place - 1] : NULL;

	v->number = a->two_way && s->down ? 2 : 1;
	v->peer = pace_sock_local(flow != NULL ? flow : &l->peer.sock);
	memcpy(v->label, c->label, sizeof(v->label));
	if (a->two_way)
		snprintf(v->label, sizeof(v->label), "%.*s%s%s", (int)sizeof(v->label) - 6, c->label,
		    c->label[0] != '\0' ? " " : "", pace_direction_names[s->down]);
	if (c->key != NULL)
		memcpy(v->key, c->key->name, sizeof(v->key));
	if (l->peer.stamp.key != NULL)
		snprintf(v->key, sizeof(v->key), "%s", l->peer.stamp.key->rule);
	v->runs = 1;
	v->leased = !l->cfg.peer.stamp;
	v->run = (struct pace_run_stats){ .number = 1, .size_bytes = a->size_bytes,
	    .wire_bytes = (uint32_t)pace_wire_bytes(&c->link, a->size_bytes),
	    .spacing_ns = pace_spacing_ns(a->spacing), .train = a->train, .bursts = 1,
	    .duration_asked_ns = l->cfg.duration_ns, .at_most_ns = l->cfg.duration_ns,
	    .streams = s->place == 0 ? a->streams : 1,
	    .verify = a->verify, .busy_poll = a->busy_poll, .down = s->down,
	    .stamp = l->cfg.peer.stamp };
	v->heard_ns = r->at_ns;
}

static void
fill_view(struct pace_live *l, struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_live_sent *by)
{
	const struct pace_report *r = &s->report;
	struct pace_session_stats *v = &s->pair.now;
	bool over = r->state != PACE_RUNNING && i->last;

	memset(v, 0, sizeof(*v));
	describe(l, s, v, r);
	v->state = over ? PACE_READY : PACE_RUNNING;
	v->opened_ns = v->run.began_ns = r->at_ns - (i->now_ns - s->first_ns);
	v->run.ended_ns = over ? r->at_ns : 0;
	v->run.sent = over ? s->sent + by->sent : 0;
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
	s->pair.recent = r->recent;
	v->rcvbuf_bytes = r->rcvbuf_bytes;
}

/* --- outages ------------------------------------------------------------------- */

static void
begin_outage(struct pace_live_scenario *s, int64_t at_ns)
{
	s->is_out = true;
	s->out_ns = at_ns;
	s->out_lost = s->pair.then.all.lost;
}

static void
end_outage(struct pace_live_scenario *s, int64_t at_ns)
{
	int64_t lost = s->pair.now.all.lost - s->out_lost;

	s->is_out = false;
	s->past_out.n++;
	s->past_out.all_ns += at_ns - s->out_ns;
	s->past_out.lost += lost > 0 ? (uint64_t)lost : 0;
}

/* Return when the outage ended, if the responder answers at now_ns: at its first sign after the
 * silence. */
static int64_t
end_of_silence(const struct pace_live *l, const struct pace_live_scenario *s, int64_t now_ns)
{
	int64_t back_ns = atomic_load_explicit(&l->back_ns, memory_order_relaxed);

	return back_ns > s->out_ns && back_ns < now_ns ? back_ns : now_ns;
}

static void
tell_outage(struct pace_live_scenario *s, int64_t until_ns)
{
	struct pace_outages *o = &s->session.now.probe.out;

	*o = s->past_out;
	if (!s->is_out)
		return;
	o->n++;
	o->now_ns = until_ns > s->out_ns ? until_ns - s->out_ns : 1;
	o->all_ns += o->now_ns;
	memcpy(o->why, s->why, sizeof(o->why));
}

/* Decide from a report and its new frames whether an outage begins, ends or continues.  If
 * exchanges were not answered either, their answers give a better time for its end. */
static void
judge_outage(struct pace_live *l, struct pace_live_scenario *s, int64_t now_ns)
{
	const struct pace_probe_status *p = &s->session.now.probe;
	bool came = s->pair.now.all.frames != s->pair.then.all.frames, none;

	/* a stream has many frames a line, a reflector perhaps less than one request */
	s->unanswered = came ? 0 : p->interval_sent + (p->has_stamp ? s->unanswered : 0);
	none = s->unanswered >= (p->has_stamp ? DUE_REQUESTS : DUE_FRAMES);

	if (none && !s->is_out && s->lines > 0)
		begin_outage(s, s->good_ns);
	else if (!none && s->is_out)
		end_outage(s, end_of_silence(l, s, now_ns));
	if (!s->is_out) {
		if (came || !p->has_stamp)
			s->good_ns = now_ns;
		s->why[0] = '\0';
	}
	tell_outage(s, now_ns);
}

/* A run has no more reports: the frames that the newest report does not cover stay unreported. */
static bool
end_run(struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_live_sent *by)
{
	struct pace_tally *n = &s->report.run;
	uint64_t reported;

	if (i->run != s->run) {		/* the run had no report */
		next_run(s, i);
		s->run_sent = s->run_refused = 0;
		memset(n, 0, sizeof(*n));
		memset(&s->report.gaps, 0, sizeof(s->report.gaps));
	}
	if (!s->down) {			/* the responder's count is that of its last report */
		s->run_sent = by->sent;
		s->run_refused = by->refused;
	}
	reported = n->frames + pace_tally_lost(n);
	if (s->run_sent <= reported)
		return false;
	s->unreported += s->run_sent - reported;
	return true;
}

/* --- the status ----------------------------------------------------------------- */

/* Time from the report of the line before to the latest one, by the responder's clock; by ours if
 * another responder answered. */
static int64_t
span_of(const struct pace_live_scenario *s)
{
	int64_t ours = s->at_ns - s->by_line.at_ns, theirs = s->report.at_ns - s->by_line.their_ns;

	return s->lines == 0 || s->session_number != s->by_line.session_number || theirs <= 0 ||
	    theirs > 2 * ours + MEMORY_NS ?
	    ours : theirs;
}

/* Fill in the session; all runs are reported as one. */
static void
fill_session(struct pace_live_scenario *s, int64_t now_ns, int64_t interval_ns)
{
	const struct pace_probe_status probe = s->session.now.probe;

	pace_session_fill(&s->session, &s->pair, now_ns, interval_ns);
	if (s->place > 0)
		pace_session_name_stream(&s->session, s->place);
	s->session.now.probe = probe;
	s->session.dist[PACE_DIST_GAP] = s->past_gap;
	s->session.dist[PACE_DIST_DELAY] = s->past_delay;
	pace_coarse_hist_join(&s->session.dist[PACE_DIST_GAP], &s->report.gap);
	pace_coarse_hist_join(&s->session.dist[PACE_DIST_DELAY], &s->report.delay);
	s->status.session = &s->session;
	s->status.n = 1;
}

void
pace_live_take_report(struct pace_live *l, struct pace_live_scenario *s,
    const struct pace_live_item *i, const struct pace_live_sent *by, const struct pace_report *r)
{
	struct pace_status *st = &s->status;
	struct pace_totals then = st->totals;
	struct pace_coarse_hist_list gap, delay;

	if (i->run != s->run)
		next_run(s, i);
	then.now_ns = s->report.at_ns;	/* not the time of a line about silence */
	gap = s->report.gap;
	delay = s->report.delay;
	s->report = *r;
	if (!r->has_shapes) {	/* the report had no room for them: the previous ones stay */
		s->report.gap = gap;
		s->report.delay = delay;
	}
	s->at_ns = i->now_ns;
	s->session_number = i->session;
	s->run_sent = by->sent;
	s->run_refused = by->refused;
	s->left = *by;
	fill_view(l, s, i, by);
	st->interval_ns = span_of(s);
	st->wall_ns = pace_clock_wall() - (pace_clock_raw() - i->now_ns);
	st->host.known = false;
	if (r->host.at_ns > 0)
		pace_host_reported(&st->host, &r->host);
	st->totals = (struct pace_totals){ .started_ns = s->pair.now.opened_ns, .now_ns = r->at_ns,
	    .opened = i->session, .active = 1, .streams = i->run, .tally = s->pair.now.all,
	    .lease_ns = l->cfg.peer.stamp ? 0 : PACE_LEASE_NS,
	    .lease_number = l->cfg.peer.stamp ? 0 : s->pair.now.number };
	if (s->lines == 0)
		then.started_ns = then.now_ns = st->totals.started_ns;
	st->added = pace_totals_since(&st->totals, &then);
	fill_probe(l, s, i, by, st->interval_ns);
	judge_outage(l, s, i->now_ns);
}

void
pace_live_tell(struct pace_live_scenario *s)
{
	fill_session(s, s->report.at_ns, span_of(s));
	s->pair.then = s->pair.now;
	s->by_line.at_ns = s->at_ns;
	s->by_line.their_ns = s->report.at_ns;
	s->by_line.session_number = s->session_number;
	s->by_line.left = s->left;
	s->by_line.delays = s->delays;
	s->sent_reported = s->session.now.probe.sent;
	s->lines++;
}

static void
take_and_tell(struct pace_live *l, struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_live_sent *by, const struct pace_report *r)
{
	pace_live_take_report(l, s, i, by, r);
	pace_live_tell(s);
}

/* Report a silence: its length and the values known without a report.  The outage is no longer
 * than its end will show: a responder that answers again has not sent its report yet. */
static void
tell_silence(struct pace_live *l, struct pace_live_scenario *s, int64_t now_ns)
{
	int64_t heard_ns = atomic_load_explicit(&l->heard_ns, memory_order_relaxed);
	bool answers = now_ns - heard_ns <= PACE_LIVE_SLACK_NS + l->cfg.ping_ns;

	if (s->pair.now.number == 0)	/* no report so far */
		fill_view(l, s, &(struct pace_live_item){ .now_ns = s->first_ns },
		    &(struct pace_live_sent){ .sent = 0 });
	s->silent_ns = now_ns;
	s->status.wall_ns = pace_clock_wall() - (pace_clock_raw() - now_ns);
	s->status.interval_ns = 0;
	s->status.host.known = false;
	s->status.totals.now_ns = s->report.at_ns + now_ns - s->at_ns;
	s->session.now.probe.known = true;
	s->session.now.probe.unreported = s->unreported;
	tell_outage(s, answers ? end_of_silence(l, s, now_ns) : now_ns);
	fill_session(s, s->status.totals.now_ns, 0);
}

/* Put the sessions of both directions, or of all streams, into one status; then: the totals
 * before. */
static void
join(struct pace_live *l, const struct pace_totals *then)
{
	struct pace_status *st = &l->story.status;

	if (l->streams > 0)
		pace_live_streams_join(l);
	if (!l->cfg.ask.two_way)
		return;
	l->both[0] = l->story.session;
	l->both[1] = l->back.session;
	if (l->streams == 0) {
		st->session = l->both;
		st->n = 2;
	}
	if (then == NULL)		/* nothing was counted */
		return;
	st->totals.active = 2;
	pace_tally_add(&st->totals.tally, &l->back.pair.now.all);
	st->added = pace_totals_since(&st->totals, then);
}

/* Report a silence of all. */
static void
tell_silence_of_all(struct pace_live *l, int64_t now_ns)
{
	tell_silence(l, &l->story, now_ns);
	if (l->cfg.ask.two_way)
		tell_silence(l, &l->back, now_ns);
	for (uint32_t k = 0; k < l->streams; k++) {
		tell_silence(l, &l->stream[k], now_ns);
		if (l->cfg.ask.two_way)
			tell_silence(l, &l->back_stream[k], now_ns);
	}
	join(l, NULL);
}

/* Returns whether frames stay unreported. */
static bool
end_scenario(struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_live_sent *by)
{
	if (!end_run(s, i, by))
		return false;
	s->session.now.probe.sent = s->sent + s->run_sent;
	s->session.now.probe.refused = s->refused + s->run_refused;
	if (i->last)
		s->pair.now.state = PACE_READY;
	return true;
}

static bool
read_run_over(struct pace_live *l, const struct pace_live_item *i)
{
	bool line;

	for (uint32_t k = 0; k < PACE_SLICES && l->streams > 0 && i->turn + k <= l->streams; k++) {
		(void)end_scenario(&l->stream[i->turn - 1 + k], i, &i->of[k]);
		if (l->cfg.ask.two_way)
			(void)end_scenario(&l->back_stream[i->turn - 1 + k], i, &i->of[k]);
	}
	if (l->streams > 0 && i->turn + PACE_SLICES <= l->streams)
		return false;		/* the others follow */
	line = end_scenario(&l->story, i, &i->tx);
	if (l->cfg.ask.two_way)
		line = end_scenario(&l->back, i, &i->tx) || line;
	if (line)
		tell_silence_of_all(l, i->now_ns);
	return line;
}

bool
pace_live_has_sent(const struct pace_report *r)
{
	return r->state != PACE_SENDING && r->state != PACE_RUNNING && r->state != PACE_DRAINING;
}

/* A report tells what the responder sent, and our receiver's figures stand beside it.  When it has
 * sent all, the frames behind the last one that came are lost as well. */
static void
split(const struct pace_live_item *i, const struct pace_report *r, struct pace_live_halves *h)
{
	struct pace_report *own = &h->own;

	h->up = *r;
	h->up.run.sent_frames = h->up.run.sent_bytes = h->up.run.sent_wire_bytes = 0;
	h->sent = (struct pace_live_sent){ .sent = r->run.sent_frames };
	*own = i->own;
	own->at_ns = r->at_ns;
	own->began_ns = r->began_ns;
	own->state = r->state == PACE_SENDING ? PACE_RUNNING : r->state;
	own->run.round_trips = r->run.round_trips;
	if (pace_live_has_sent(r) && own->run.frames <= h->sent.sent)
		own->run.lost = (int64_t)(h->sent.sent - own->run.frames);
}

/* Take what a report, or several of them, say of each direction. */
static void
take_halves(struct pace_live *l, const struct pace_live_item *i, const struct pace_live_halves *h)
{
	struct pace_totals then = l->story.status.totals;

	then.now_ns = l->story.report.at_ns;	/* as pace_live_take_report */
	if (l->story.down)
		take_and_tell(l, &l->story, i, &h->sent, &h->own);
	else
		take_and_tell(l, &l->story, i, &i->tx, &h->up);
	/* of the sender, this host knows only what the report says */
	if (l->cfg.ask.two_way)
		take_and_tell(l, &l->back, i, &h->sent, &h->own);
	if (l->story.lines == 1)
		then.started_ns = then.now_ns = l->story.status.totals.started_ns;
	join(l, &then);
}

/* Returns whether the report makes a line. */
static bool
read_report(struct pace_live *l, const struct pace_live_item *i)
{
	json_t *j = pace_js_parse(i->body, strnlen(i->body, i->len), NULL);
	struct pace_live_halves h;
	struct pace_report r;
	bool good = j != NULL && pace_report_read(j, &r) == 0 &&
	    (r.recent.samples == 0 || r.recent.above_min_ns >= 0);
	int line = 1;

	if (good) {
		split(i, &r, &h);
		line = l->streams > 0 ? pace_live_streams_take(l, i, j, &h) : 1;
		good = line >= 0;
	}
	if (!good)
		l->story.bad++;
	else if (line > 0)
		take_halves(l, i, &h);
	json_decref(j);
	return good && line > 0;
}

static bool
read_stamp(struct pace_live *l, const struct pace_live_item *i)
{
	struct pace_report r;

	pace_live_take_trips(l);
	pace_live_stamp_report(&l->story, l, i, &r);
	take_and_tell(l, &l->story, i, &i->tx, &r);
	return true;
}

/* Returns whether the item makes a line. */
static bool
read_item(struct pace_live *l, struct pace_live_item *i)
{
	if (i->kind == PACE_LIVE_REPORT)
		return read_report(l, i);
	if (i->kind == PACE_LIVE_STAMP)
		return read_stamp(l, i);
	if (i->kind == PACE_LIVE_RUN_OVER)
		return read_run_over(l, i);
	if (i->kind == PACE_LIVE_BUSY)
		pace_clean(l->story.busy, sizeof(l->story.busy), i->body, strnlen(i->body, i->len));
	else
		pace_clean(l->story.why, sizeof(l->story.why), i->body, strnlen(i->body, i->len));
	return false;
}

static void
begin_silence(struct pace_live *l, struct pace_live_scenario *s)
{
	int64_t heard_ns = atomic_load_explicit(&l->heard_ns, memory_order_relaxed);

	if (!s->is_out && !atomic_load(&l->waiting))
		begin_outage(s, heard_ns > s->good_ns ? heard_ns : s->good_ns);
}

/* No report for too long: report the silence and its length, without an interval.  It is an
 * outage unless another client is measuring. */
static bool
is_silent(struct pace_live *l, int64_t now_ns)
{
	const struct pace_live_scenario *s = &l->story;
	int64_t at_ns = s->at_ns > l->came_ns ? s->at_ns : l->came_ns;
	int64_t since_ns = s->silent_ns > at_ns ? s->silent_ns : at_ns + PACE_LIVE_SLACK_NS;

	if (atomic_load(&l->phase) != PACE_LIVE_GOES || now_ns - since_ns < l->cfg.interval_ns)
		return false;
	begin_silence(l, &l->story);
	if (l->cfg.ask.two_way)
		begin_silence(l, &l->back);
	for (uint32_t k = 0; k < l->streams; k++) {
		begin_silence(l, &l->stream[k]);
		if (l->cfg.ask.two_way)
			begin_silence(l, &l->back_stream[k]);
	}
	tell_silence_of_all(l, now_ns);
	return true;
}

void
pace_live_scenario_begin(struct pace_live_scenario *s, int64_t began_ns)
{
	s->first_ns = s->at_ns = s->by_line.at_ns = s->good_ns = began_ns;
	pace_recent_none(&s->ever);
	pace_recent_none(&s->report.recent);
	pace_recent_none(&s->above);
	s->shortest_ns = INT64_MAX;
}

bool
pace_live_take(struct pace_live *l, int64_t now_ns, struct pace_status_source_item *item)
{
	struct pace_live_scenario *s = &l->story;
	uint64_t got = atomic_load_explicit(&l->items.got, memory_order_relaxed);
	bool good = false;

	*item = (struct pace_status_source_item){ .head = &s->head };
	if (!s->head_written) {
		s->head_written = true;
		s->down = l->cfg.ask.direction == PACE_DOWN;
		l->back.down = true;
		s->cost_ns = own_cost();
		pace_live_scenario_begin(s, l->began_ns);
		pace_live_scenario_begin(&l->back, l->began_ns);
		pace_live_streams_begin(l);
		pace_head_fill(&s->head, l->cfg.peer.host,
		    pace_clock_wall() - (pace_clock_raw() - l->began_ns), l->cfg.interval_ns);
		pace_addr_text(&l->peer.addr, s->head.address, sizeof(s->head.address));
		s->head.port = l->cfg.peer.port;
		return true;
	}
	*item = (struct pace_status_source_item){ .status = &s->status };
	while (!good && got != atomic_load_explicit(&l->items.put, memory_order_acquire)) {
		good = read_item(l, &l->item[got % PACE_LIVE_ITEMS]);
		atomic_store_explicit(&l->items.got, ++got, memory_order_release);
	}
	return good || is_silent(l, now_ns);
}
