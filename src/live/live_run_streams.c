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

int
pace_live_streams_make(struct pace_live *l)
{
	uint32_t n = l->cfg.ask.streams;

	if (n < 2)
		return 0;
	l->sent = calloc(PACE_LIVE_ITEMS * PACE_SLICES, sizeof(*l->sent));
	l->stream = calloc(n, sizeof(*l->stream));
	l->all = calloc(n + 1, sizeof(*l->all));
	if (l->sent == NULL || l->stream == NULL || l->all == NULL)
		return -ENOMEM;
	l->streams = n;
	for (uint32_t i = 0; i < PACE_LIVE_ITEMS; i++)
		l->item[i].of = &l->sent[i * PACE_SLICES];
	for (uint32_t k = 0; k < n; k++)
		l->stream[k].place = k + 1;
	return 0;
}

void
pace_live_streams_free(struct pace_live *l)
{
	free(l->sent);
	free(l->stream);
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
}

/* --- lines ------------------------------------------------------------------------ */

void
pace_live_streams_begin(struct pace_live *l)
{
	pace_recent_none(&l->sum.recent);
	for (uint32_t k = 0; k < l->streams; k++) {
		l->stream[k].down = l->story.down;
		pace_live_scenario_begin(&l->stream[k], l->began_ns);
	}
}

static void
take_slice(struct pace_live *l, const struct pace_live_item *i, const struct pace_report *r,
    uint32_t stream, uint32_t k, const struct pace_slice *v)
{
	struct pace_report one = { .at_ns = r->at_ns, .began_ns = r->began_ns, .state = r->state,
	    .run = v->run, .gaps = v->gaps, .jitter_ns = v->jitter_ns, .since = r->since };

	pace_recent_none(&one.recent);
	pace_live_take_report(l, &l->stream[stream], i, &i->of[k], &one);
}

/* Keep what the sum's own report has; a report with slices has newer counts and extremes. */
static void
take_sum(struct pace_live *l, const struct pace_report *r, bool own)
{
	struct pace_recent recent = l->sum.recent;
	struct pace_report was = l->sum;

	pace_recent_add(&recent, &r->recent);
	l->sum = *r;
	l->sum.recent = recent;
	if (own)
		return;
	l->sum.host = was.host;
	l->sum.has_shapes = was.has_shapes;
	l->sum.gap = was.gap;
	l->sum.delay = was.delay;
}

int
pace_live_streams_take(struct pace_live *l, const struct pace_live_item *i, const json_t *j,
    const struct pace_report *r)
{
	const struct pace_params *a = &l->cfg.ask;
	uint32_t wire_bytes = (uint32_t)pace_wire_bytes(&l->peer.client.link, a->size_bytes);
	struct pace_slices v;

	l->came_ns = i->now_ns;
	if (i->turn > 0 && (pace_slices_read(j, l->streams, a->size_bytes, wire_bytes, &v) < 0 ||
	    (v.n > 0 && v.first != i->turn - 1)))
		return -EPROTO;
	take_sum(l, r, i->turn == 0);
	if (i->turn == 0)
		return 0;
	for (uint32_t k = 0; k < v.n; k++)
		take_slice(l, i, r, v.first + k, k, &v.of[k]);
	if (v.n > 0 && v.first + v.n < l->streams)
		return 0;
	pace_live_take_report(l, &l->story, i, &i->tx, &l->sum);
	pace_live_tell(&l->story);
	for (uint32_t k = 0; k < l->streams && l->stream[k].run != 0; k++)
		pace_live_tell(&l->stream[k]);
	pace_live_streams_join(l);
	memset(&l->sum, 0, sizeof(l->sum));
	pace_recent_none(&l->sum.recent);
	return 1;
}

void
pace_live_streams_join(struct pace_live *l)
{
	struct pace_status *st = &l->story.status;

	l->all[0] = l->story.session;
	for (uint32_t k = 0; k < l->streams; k++)
		l->all[k + 1] = l->stream[k].session;
	st->session = l->all;
	st->n = l->streams + 1;
}
