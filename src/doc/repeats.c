#include "doc/repeats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "doc/point_doc.h"

int
pace_repeats_add(struct pace_repeats *r, const struct pace_point *p)
{
	const struct pace_rx_result *rx = &p->rx;
	uint64_t whole = rx->lost + rx->unique;

	if (!p->has_rx || p->interrupted)
		return 0;
	if (r->n == r->room) {
		size_t room = r->room > 0 ? 2 * r->room : 64;
		struct pace_repeated_run *more = realloc(r->v, room * sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		r->v = more;
		r->room = room;
	}
	r->v[r->n++] = (struct pace_repeated_run){ .direction = p->ask.direction,
	    .size_bytes = p->ask.size_bytes,
	    .dscp = p->ask.dscp, .streams = p->ask.streams, .spacing = p->ask.spacing,
	    .wire_bps = rx->wire_rate_bps > 0 ? rx->wire_rate_bps : NAN,
	    .user_bps = rx->user_rate_bps > 0 ? rx->user_rate_bps : NAN,
	    .loss = whole > 0 ? (double)rx->lost / (double)whole : NAN,
	    .reordered = rx->unique > 0 ? (double)rx->reordered / (double)rx->unique : NAN,
	    .gap_p99_ns = pace_hist_has_quantile(rx->gap.stats.n, 0.99) ?
	    (double)pace_hist_quantile(&rx->gap, 0.99) : NAN };
	return 0;
}

static int
by_point(const void *a, const void *b)
{
	const struct pace_repeated_run *x = a, *y = b;

	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->spacing != y->spacing)
		return x->spacing < y->spacing ? -1 : 1;
	if (x->streams != y->streams)
		return x->streams < y->streams ? -1 : 1;
	if (x->dscp != y->dscp)
		return x->dscp < y->dscp ? -1 : 1;
	return x->direction < y->direction ? -1 : x->direction > y->direction;
}

/* Offset of each figure in a run, and of its spread in a group. */
static const struct { size_t from, to; } figures[] = {
#define FIGURE(name)	{ offsetof(struct pace_repeated_run, name), \
    offsetof(struct pace_repeated, name) }
	FIGURE(wire_bps), FIGURE(user_bps), FIGURE(loss), FIGURE(reordered), FIGURE(gap_p99_ns),
};

static void
spread_all(struct pace_repeated *g, const struct pace_repeated_run *v, size_t n, double *work)
{
	*g = (struct pace_repeated){ .direction = v->direction,
	    .size_bytes = v->size_bytes, .dscp = v->dscp,
	    .streams = v->streams, .spacing = v->spacing, .runs = n };
	for (size_t k = 0; k < sizeof(figures) / sizeof(figures[0]); k++) {
		for (size_t i = 0; i < n; i++)
			work[i] = *(const double *)(const void *)((const char *)&v[i] +
			    figures[k].from);
		*(struct pace_spread *)(void *)((char *)g + figures[k].to) =
		    pace_spread_of(work, n);
	}
}

struct pace_repeated *
pace_repeats_group(struct pace_repeats *r, size_t *n)
{
	struct pace_repeated *g = calloc(r->n + 1, sizeof(*g));
	double *work = malloc((r->n + 1) * sizeof(*work));

	*n = 0;
	if (r->n > 0)
		qsort(r->v, r->n, sizeof(*r->v), by_point);
	for (size_t i = 0, end; g != NULL && work != NULL && i < r->n; i = end) {
		for (end = i + 1; end < r->n && by_point(&r->v[i], &r->v[end]) == 0; end++)
			;
		spread_all(&g[(*n)++], &r->v[i], end - i, work);
	}
	free(work);
	if (*n > 0)
		return g;
	free(g);
	return NULL;
}

static const struct pace_fields spread_fields = { .name = "spread",
    .text = "A figure over several runs.", .row = PACE_FIELDS(
	{ "runs", PACE_COUNT(struct pace_spread, n), .low = 1 },
	{ "median", PACE_REAL(struct pace_spread, mid) },
	{ "min", PACE_REAL(struct pace_spread, low) },
	{ "max", PACE_REAL(struct pace_spread, high) },
) };

#define R	struct pace_repeated
#define SPREAD(m)	PACE_OBJECT(R, m, spread_fields), .when = PACE_F_OR_NULL, \
			PACE_F_IF(R, m.n)

const struct pace_fields pace_repeated_fields = { .name = "repeated",
    .text = "A point that was measured several times.", .row = PACE_FIELDS(
	{ "direction", PACE_NAME(R, direction, pace_direction_names), .flags = PACE_F_LAX },
	{ "size_bytes", PACE_COUNT(R, size_bytes), .low = 1 },
	{ "spacing_ns", PACE_SPACING(R, spacing) },
	{ "dscp", PACE_COUNT(R, dscp), .high = 63 },
	{ "streams", PACE_COUNT(R, streams), .low = 2, .high = PACE_STREAMS,
	    .when = PACE_F_OR_ABSENT, .none = 1 },	/* absent: one */
	{ "runs", PACE_COUNT(R, runs), .low = 1 },
	{ "wire_rate_bps", SPREAD(wire_bps) },
	{ "user_rate_bps", SPREAD(user_bps) },
	{ "loss_ratio", SPREAD(loss) },
	{ "reordering_ratio", SPREAD(reordered) },
	{ "gap_p99_ns", SPREAD(gap_p99_ns), .text = "null: no run has this figure." },
) };

json_t *
pace_repeats_to_json(struct pace_repeats *r)
{
	json_t *list = json_array();
	struct pace_repeated *g;
	size_t n;

	g = pace_repeats_group(r, &n);
	for (size_t i = 0; i < n; i++)
		list = pace_js_append(list, pace_fields_to_json(&pace_repeated_fields, &g[i]));
	free(g);
	return list;
}

void
pace_repeats_free(struct pace_repeats *r)
{
	free(r->v);
	*r = (struct pace_repeats){ .v = NULL };
}
