/*
 * What a session answers to REPORT: its tallies as its board has them, and the newest
 * extremes, which are kept until their reader says that they came.
 */
#include "config.h"

#include "session/session_run.h"

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

void
pace_session_report(struct pace_session *s, const struct pace_hdr *h, const json_t *body,
    int64_t now)
{
	const struct pace_view *v = &s->seen;
	struct pace_reporting *r = &s->report;
	struct pace_report m = { .at_ns = now, .state = s->state };
	uint64_t seen;

	/* of another run, or a copy: nothing is said, and nothing changes */
	if (s->runs == 0 || h->stream != s->stream || h->seq <= r->number ||
	    pace_report_asked(body, &seen) != 0 || !is_due(r, now))
		return;
	pace_session_show(s);		/* what came before it in its batch */
	hand_out(r, h->seq, seen);
	m.began_ns = v->run.began_ns;
	m.run = v->this_run;
	m.gaps = v->gaps;
	m.jitter_ns = v->jitter_ns;
	m.since = r->since;
	m.recent = r->handed;
	s->reports++;
	pace_session_answer(s, h, pace_report_json(&m));
}
