/*
 * A live run of several streams.  Reports take turns: one has the sum, those after it have slices,
 * until every stream had one; then a line tells all.  A round that the end of the run cuts short begins
 * again: the line has what all its reports brought.  What left of the streams of a report is handed over
 * with it.
 */
#include "config.h"

#include "live/live_run_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/params.h"

int
pace_live_streams_make(struct pace_live *l)
{
	uint32_t n = l->cfg.ask.streams;

	if (n < 2)
		return 0;
	l->sent = calloc(PACE_LIVE_ITEMS * PACE_SLICES, sizeof(*l->sent));
	l->stream = calloc(n, sizeof(*l->stream));
	l->back_stream = calloc(l->cfg.ask.two_way ? n : 1, sizeof(*l->back_stream));
	l->all = calloc(2 * (n + 1), sizeof(*l->all));
	if (pace_params_goes_down(&l->cfg.ask))
		l->received = calloc(PACE_LIVE_ITEMS * PACE_SLICES, sizeof(*l->received));
	if (l->sent == NULL || l->stream == NULL || l->back_stream == NULL || l->all == NULL ||
	    (l->received == NULL && pace_params_goes_down(&l->cfg.ask)))
		return -ENOMEM;
	l->streams = n;
	for (uint32_t i = 0; i < PACE_LIVE_ITEMS; i++) {
		l->item[i].of = &l->sent[i * PACE_SLICES];
		l->item[i].own_of = l->received != NULL ? &l->received[i * PACE_SLICES] : NULL;
	}
	for (uint32_t k = 0; k < n; k++) {
		l->stream[k].place = k + 1;
		if (l->cfg.ask.two_way)
			l->back_stream[k].place = k + 1;
	}
	return 0;
}

void
pace_live_streams_free(struct pace_live *l)
{
	free(l->sent);
	free(l->received);
	free(l->stream);
	free(l->back_stream);
	free(l->all);
}

/* --- the measuring thread ------------------------------------------------------- */

static struct pace_live_sent
sent_of(const struct pace_tx *tx)
{
	return (struct pace_live_sent){ .sent = tx->frames, .refused = tx->refused,
	    .late = tx->late_frames, .gaps = tx->gap.stats, .near = tx->near_gaps };
}

void
pace_live_streams_item(struct pace_live *l, struct pace_live_item *i)
{
	struct pace_point *const *v = l->pt->streams;

	i->turn = l->turn;
	memset(&i->tx, 0, sizeof(i->tx));
	for (uint32_t k = 0; v != NULL && k < l->streams; k++) {
		const struct pace_tx *tx = &v[k]->tx;

		i->tx.sent += tx->frames;
		i->tx.refused += tx->refused;
		i->tx.late += tx->late_frames;
		i->tx.near += tx->near_gaps;
	}
	for (uint32_t k = 0; k < PACE_SLICES && i->turn > 0 && i->turn + k <= l->streams; k++)
		i->of[k] = v != NULL ? sent_of(&v[i->turn - 1 + k]->tx) :
		    (struct pace_live_sent){ .sent = 0 };
	if (i->own_of != NULL && i->turn > 0)
		memcpy(i->own_of, l->own_of, sizeof(l->own_of));
}

/* --- lines ------------------------------------------------------------------------ */

void
pace_live_streams_begin(struct pace_live *l)
{
	pace_recent_none(&l->sum.recent);
	pace_recent_none(&l->back_sum.recent);
	for (uint32_t k = 0; k < l->streams; k++) {
		l->stream[k].down = l->story.down;
		pace_live_scenario_begin(&l->stream[k], l->began_ns);
		if (!l->cfg.ask.two_way)
			continue;
		l->back_stream[k].down = true;
		pace_live_scenario_begin(&l->back_stream[k], l->began_ns);
	}
}

static void
take_slice(struct pace_live *l, struct pace_live_scenario *s, const struct pace_live_item *i,
    const struct pace_report *r, const struct pace_live_sent *by, const struct pace_slice *v)
{
	struct pace_report one = { .at_ns = r->at_ns, .began_ns = r->began_ns, .state = r->state,
	    .run = v->run, .gaps = v->gaps, .jitter_ns = v->jitter_ns, .since = r->since };
	struct pace_delay_sum before = { .n = 0 };

	pace_recent_none(&one.recent);
	if (i->run == s->run)		/* else the delays before it are those of another run */
		before = s->by_line.delays;
	if (v->delays.n > before.n) {	/* their extremes are not known */
		one.recent.samples = v->delays.n - before.n;
		one.recent.above_sum_ns = v->delays.sum_ns - before.sum_ns;
	}
	s->delays = v->delays;
	pace_live_take_report(l, s, i, by, &one);
}

/* Take a stream's figures in the directions that it has.  Of one that the responder sends, the slice
 * has only what was sent. */
static void
take_stream(struct pace_live *l, const struct pace_live_item *i, const struct pace_live_halves *h,
    uint32_t stream, uint32_t k, const struct pace_slice *v)
{
	struct pace_live_scenario *down = l->cfg.ask.two_way ? l->back_stream : l->stream;
	struct pace_slice up = *v, own;
	const struct pace_live_sent by = { .sent = v->run.sent_frames };

	up.run.sent_frames = up.run.sent_bytes = up.run.sent_wire_bytes = 0;
	if (pace_params_goes_up(&l->cfg.ask))
		take_slice(l, &l->stream[stream], i, &h->up, &i->of[k], &up);
	if (!pace_params_goes_down(&l->cfg.ask))
		return;
	own = i->own_of[k];
	if (pace_live_has_sent(&h->up) && own.run.frames <= by.sent)
		own.run.lost = (int64_t)(by.sent - own.run.frames);
	take_slice(l, &down[stream], i, &h->own, &by, &own);
}

/* Keep what the sum's own report has; a report with slices has newer counts and extremes. */
static void
take_sum(struct pace_report *sum, const struct pace_report *r, bool own)
{
	struct pace_recent recent = sum->recent;
	struct pace_report was = *sum;

	pace_recent_add(&recent, &r->recent);
	*sum = *r;
	sum->recent = recent;
	if (own)
		return;
	sum->host = was.host;
	sum->has_shapes = was.has_shapes;
	sum->gap = was.gap;
	sum->delay = was.delay;
}

static void
give_sum(struct pace_report *sum, struct pace_report *to)
{
	*to = *sum;
	memset(sum, 0, sizeof(*sum));
	pace_recent_none(&sum->recent);
}

int
pace_live_streams_take(struct pace_live *l, const struct pace_live_item *i, const json_t *j,
    struct pace_live_halves *h)
{
	const struct pace_params *a = &l->cfg.ask;
	uint32_t wire_bytes = (uint32_t)pace_wire_bytes(&l->peer.client.link, a->size_bytes);
	struct pace_slices v;

	l->came_ns = i->now_ns;
	if (i->turn > 0 && (pace_slices_read(j, l->streams, a->size_bytes, wire_bytes, &v) < 0 ||
	    (v.n > 0 && v.first != i->turn - 1)))
		return -EPROTO;
	take_sum(&l->sum, &h->up, i->turn == 0);
	take_sum(&l->back_sum, &h->own, i->turn == 0);
	if (i->turn == 0)
		return 0;
	for (uint32_t k = 0; k < v.n; k++)
		take_stream(l, i, h, v.first + k, k, &v.of[k]);
	if (v.n > 0 && v.first + v.n < l->streams)
		return 0;
	give_sum(&l->sum, &h->up);
	give_sum(&l->back_sum, &h->own);
	for (uint32_t k = 0; k < l->streams && l->stream[k].run != 0; k++) {
		pace_live_tell(&l->stream[k]);
		if (l->cfg.ask.two_way)
			pace_live_tell(&l->back_stream[k]);
	}
	return 1;
}

static uint32_t
join_sessions(struct pace_status_session *to, const struct pace_live_scenario *sum,
    const struct pace_live_scenario *stream, uint32_t streams)
{
	to[0] = sum->session;
	for (uint32_t k = 0; k < streams; k++)
		to[k + 1] = stream[k].session;
	return streams + 1;
}

void
pace_live_streams_join(struct pace_live *l)
{
	struct pace_status *st = &l->story.status;

	st->session = l->all;
	st->n = join_sessions(l->all, &l->story, l->stream, l->streams);
	if (l->cfg.ask.two_way)
		st->n += join_sessions(l->all + st->n, &l->back, l->back_stream, l->streams);
}
