#include "live/capture_sample.h"

#include <string.h>

static int64_t
not_below_0(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

/* Fill in what a stream and the sum have in common. */
static void
begin(struct pace_status_session *to, const struct pace_tally *n, const struct pace_tally *then,
    int64_t interval_ns)
{
	memset(to, 0, sizeof(*to));
	to->now.runs = to->now.run.number = 1;
	to->now.this_run = to->now.all = *n;
	to->now.jitter_ns = -1;
	to->has_interval = interval_ns > 0;
	to->interval.span_ns = interval_ns;
	to->interval.n = pace_tally_since(n, then);
}

static void
fill_sum(struct pace_status_session *to, const struct pace_capture_sample *now,
    const struct pace_capture_sample *then,
    int64_t began_ns)
{
	struct pace_session_status *v = &to->now;

	begin(to, &now->n, &then->n, now->at_ns - then->at_ns);
	v->number = 1;
	memcpy(v->label, "all flows", sizeof("all flows"));
	v->flow.known = v->flow.sum = v->flow.numbered = true;
	v->ended = now->c.over;
	v->state = v->ended ? PACE_READY : PACE_RUNNING;
	v->age_ns = v->elapsed_ns = not_below_0(now->at_ns - began_ns);
}

static void
fill_stream(struct pace_status_session *to, const struct pace_capture_sample *now,
    const struct pace_capture_sample *then, int i)
{
	static const struct pace_capture_sample_stream none;
	const struct pace_capture_sample_stream *s = &now->stream[i];
	const struct pace_capture_sample_stream *was = then->stream[i].number == s->number ?
	    &then->stream[i] : &none;
	struct pace_session_status *v = &to->now;

	begin(to, &s->n, &was->n, now->at_ns - then->at_ns);
	v->number = s->number;
	v->flow = s->flow;
	v->flow.known = true;
	pace_flow_name(v);
	memcpy(v->peer, s->flow.source, sizeof(v->peer));
	v->peer_port = s->flow.source_port;
	v->ipv6 = strchr(v->peer, ':') != NULL;
	v->age_ns = v->elapsed_ns = not_below_0(now->wall_ns - s->first_ns);
	v->silent_ns = not_below_0(now->wall_ns - s->last_ns);
	v->state = s->ended ? PACE_CLOSED : now->c.over ||
	    v->silent_ns > PACE_CAPTURE_SAMPLE_QUIET_NS ?
	    PACE_READY : PACE_RUNNING;
	v->run.size_bytes = s->size_bytes;
	v->run.wire_bytes = s->wire_bytes;
	v->ended = now->c.over || s->ended;
	v->jitter_ns = s->jitter_ns;
	v->gaps = pace_moments_of(&s->gaps);
	to->interval.gaps = pace_moments_since(&s->gaps, &was->gaps);
	pace_coarse_hist_list(&s->gap, &to->dist[PACE_DIST_GAP]);
}

void
pace_capture_sample_status(struct pace_status *s, const struct pace_capture_sample *now,
    const struct pace_capture_sample *then, int64_t began_ns)
{
	uint64_t dropped = now->c.dropped + now->c.interface_dropped;
	uint64_t before = then->c.dropped + then->c.interface_dropped;

	s->wall_ns = now->wall_ns;
	s->interval_ns = not_below_0(now->at_ns - then->at_ns);
	s->totals = (struct pace_totals){ .started_ns = began_ns, .active = now->c.streams,
	    .now_ns = began_ns + not_below_0(now->at_ns - began_ns), .tally = now->n };
	s->capture = now->c;
	s->capture.known = true;
	s->capture.just_dropped = now->c.has_drops && dropped > before ? dropped - before : 0;
	fill_sum(&s->session[0], now, then, began_ns);
	s->n = 1;
	for (int i = 0; i < PACE_CAPTURE_SAMPLE_STREAMS; i++)
		if (now->stream[i].number != 0)
			fill_stream(&s->session[s->n++], now, then, i);
}
