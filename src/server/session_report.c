/*
 * What a session answers to REPORT: its tallies as its board has them, and the newest
 * extremes, which are kept until their reader says that they came.
 */
#include "config.h"

#include "server/session_run.h"

void
pace_session_report_begin(struct pace_session *s)
{
	struct pace_reporting *r = &s->report;

	r->since = 0;
	pace_recent_none(&r->handed);
	pace_recent_none(&r->fresh);
}

void
pace_session_report_add(struct pace_session *s, const struct pace_recent *batch)
{
	pace_recent_add(&s->report.fresh, batch);
}

/* Ten a second, two at once: GCRA. */
static bool
is_due(struct pace_reporting *r, int64_t now)
{
	int64_t from = r->paid_ns > now ? r->paid_ns : now;

	if (from - now > PACE_REPORT_NS)
		return false;
	r->paid_ns = from + PACE_REPORT_NS;
	return true;
}

/* What was handed out and did not come is handed out again with what is new. */
static void
hand_out(struct pace_reporting *r, uint64_t number, uint64_t seen)
{
	if (seen == r->number && seen != 0) {
		r->since = seen;
		r->handed = r->fresh;
	} else {
		pace_recent_add(&r->handed, &r->fresh);
	}
	pace_recent_none(&r->fresh);
	r->number = number;
}

/* Only to whom facts of the host are told, and as what came since it was first asked for.
 * What was posted for somebody else, maybe hours ago, is no beginning of that. */
static void
put_host(struct pace_session *s, struct pace_host_counters *n, int64_t now)
{
	struct pace_host_counters_board *b = &s->cfg.shared->sums;

	if (s->host == NULL)
		return;
	pace_host_counters_want(b, now);
	if (!pace_host_counters_read(b, n) || now - n->at_ns > 2 * PACE_HOST_COUNTERS_NS) {
		n->at_ns = 0;
		return;
	}
	if (s->report.host.at_ns == 0)
		s->report.host = *n;
	pace_host_counters_since(n, &s->report.host);
}

/* Those of a run that has ended are kept. */
static void
put_shapes(struct pace_session *s, struct pace_report *m)
{
	if (pace_session_streaming(s))
		pace_receiver_shape(s->receiver, &s->shapes.gap);
	m->has_shapes = true;
	pace_coarse_hist_list(&s->shapes.gap, &m->gap);
	pace_coarse_hist_list(&s->shapes.delay, &m->delay);
}

void
pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	const struct pace_session_stats *v = &s->seen;
	struct pace_reporting *r = &s->report;
	struct pace_report m = { .at_ns = now, .state = s->state };
	struct pace_report_request a;

	/* of another run, or a copy: nothing is said, and nothing changes */
	if (s->runs == 0 || h->stream != s->stream || h->seq <= r->number ||
	    pace_report_asked(body, &a) != 0 || !is_due(r, now))
		return;
	pace_session_show(s);		/* what came before it in its batch */
	hand_out(r, h->seq, a.seen);
	m.began_ns = v->run.began_ns;
	m.run = v->this_run;
	m.gaps = v->gaps;
	m.jitter_ns = v->jitter_ns;
	m.since = r->since;
	m.recent = r->handed;
	m.rcvbuf_bytes = s->cfg.rcvbuf_granted;
	if ((a.want & PACE_WANT_HOST) != 0)
		put_host(s, &m.host, now);
	if ((a.want & PACE_WANT_SHAPES) != 0 && !s->seen.run.pings)
		put_shapes(s, &m);
	pace_report_fit(&m);
	s->reports++;
	pace_session_answer(s, h, pace_report_json(&m));
}
