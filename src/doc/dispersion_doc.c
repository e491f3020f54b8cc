#include "doc/dispersion_doc.h"

#include <stdlib.h>


#define ONE_IN	1000	/* frames may be lost at a host before a point is left out */

static struct pace_dispersion_size *
size_of(struct pace_dispersions *d, uint32_t size_bytes)
{
	struct pace_dispersion_size *more;

	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].size_bytes == size_bytes)
			return &d->v[i];
	more = realloc(d->v, (d->n + 1) * sizeof(*more));
	if (more == NULL)
		return NULL;
	d->v = more;
	d->v[d->n] = (struct pace_dispersion_size){ .size_bytes = size_bytes };
	return &d->v[d->n++];
}

static bool
make_room(struct pace_dispersion_size *s)
{
	size_t room = s->room > 0 ? 2 * s->room : 16;
	double *in, *out;

	if (s->n < s->room)
		return true;
	in = realloc(s->in, room * sizeof(*in));
	if (in != NULL)
		s->in = in;
	out = realloc(s->out, room * sizeof(*out));
	if (out != NULL)
		s->out = out;
	if (in == NULL || out == NULL)
		return false;
	s->room = room;
	return true;
}

static bool
is_many(const struct pace_point *p, uint64_t frames)
{
	return frames * ONE_IN > p->tx.frames;
}

static uint64_t
died_between(const struct pace_point *p, enum pace_place from, enum pace_place to)
{
	uint64_t n = 0;

	for (int i = (int)from; i <= (int)to; i++)
		n += p->ledger.place[i].n;
	return n;
}

static bool
is_senders(const struct pace_point *p)
{
	return p->verdict != PACE_PACED || p->interrupted || is_many(p, p->tx.refused) ||
	    is_many(p, died_between(p, PACE_TX_QDISC, PACE_TX_NIC));
}

void
pace_dispersions_add(struct pace_dispersions *d, const struct pace_point *p)
{
	struct pace_dispersion_size *s;

	if (p->ask.streams > 1)		/* the method is for one stream */
		return;
	s = size_of(d, p->ask.size_bytes);
	if (s == NULL) {
		d->failed = true;
		return;
	}
	s->measured++;
	if (!p->has_rx || !pace_dispersion_held_up(p->tx.wire_rate_bps, p->rx.wire_rate_bps))
		return;
	if (is_senders(p)) {
		s->by_sender++;
	} else if (is_many(p, died_between(p, PACE_RX_CHECKSUM, PACE_RX_NIC))) {
		s->by_responder++;
	} else if (make_room(s)) {
		s->in[s->n] = p->tx.wire_rate_bps;
		s->out[s->n++] = p->rx.wire_rate_bps;
	} else {
		d->failed = true;
	}
}

void
pace_dispersions_close(struct pace_dispersions *d)
{
	for (size_t i = 0; i < d->n; i++) {
		struct pace_dispersion_size *s = &d->v[i];
		double *work = s->n > 0 ? malloc(2 * s->n * sizeof(*work)) : NULL;

		d->failed |= s->n > 0 && work == NULL;
		if (work != NULL)
			pace_dispersion(&s->fit, s->in, s->out, s->n, work);
		free(work);
	}
}

void
pace_dispersions_free(struct pace_dispersions *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].in);
		free(d->v[i].out);
	}
	free(d->v);
	*d = (struct pace_dispersions){ .n = 0 };
}

bool
pace_dispersion_tells(const struct pace_dispersion_size *s)
{
	return s->n >= PACE_DISPERSION_POINTS || s->by_responder >= PACE_DISPERSION_POINTS;
}

#define S	struct pace_dispersion_size

static const struct pace_fields left_out_fields = { .name = "left_out", .row = PACE_FIELDS(
	{ "sender", PACE_COUNT(S, by_sender) },
	{ "responder", PACE_COUNT(S, by_responder) },
) };

#define OF_LINE(m)	PACE_REAL(S, fit.m), .when = PACE_F_OR_NULL, PACE_F_IF(S, fit.known)

const struct pace_fields pace_dispersion_fields = { .name = "dispersion",
    .text = "The line through the points of one size that the path slowed down; rates are those on "
    "the wire; null: no line could be fitted.", .row = PACE_FIELDS(
	{ "size_bytes", PACE_COUNT(S, size_bytes), .low = 1, .text = "Size of these points." },
	{ "points", PACE_COUNT(S, n) },
	{ "measured", PACE_COUNT(S, measured), .low = 1,
	    .text = "Number of points in the line, and of all points of this size." },
	{ "capacity_bps", OF_LINE(capacity_bps), .flags = PACE_F_ABOVE_0 },
	{ "capacity_stderr_bps", OF_LINE(capacity_stderr_bps), .flags = PACE_F_FROM_0 },
	{ "available_bps", OF_LINE(available_bps) },
	{ "available_stderr_bps", OF_LINE(available_stderr_bps), .flags = PACE_F_FROM_0,
	    .text = "Capacity and available bandwidth of the queue that slowed the points down, "
	    "each with one standard deviation. null if the points give no rising line. All are "
	    "rates on the wire." },
	{ "r2", OF_LINE(r2), .high = 1, .text = "Coefficient of determination." },
	{ "left_out", PACE_SELF(left_out_fields),
	    .text = "Number of points left out: by `sender`, which did not keep the spacing or "
	    "lost frames itself, and by `responder`, whose host lost frames." },
) };

json_t *
pace_dispersions_to_json(const struct pace_dispersions *d)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();

	for (size_t i = 0; i < d->n && !d->failed; i++)
		if (pace_dispersion_tells(&d->v[i]))
			list = pace_js_append(list, pace_fields_to_json(&pace_dispersion_fields,
			    &d->v[i]));
	if (json_array_size(list) == 0) {
		json_decref(list);
		json_decref(w.o);
		return NULL;
	}
	pace_jw_put(&w, "dispersion", list);
	return w.o;
}
