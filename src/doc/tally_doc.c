#include "doc/tally_doc.h"

#define UNNUMBERED	(offsetof(struct pace_tally, unnumbered) / sizeof(uint64_t))

static void
put(struct pace_jw *w, const struct pace_tally *t, size_t i, bool known)
{
	pace_jw_put(w, pace_tally_counts[i].name,
	    known ? json_integer((json_int_t)pace_tally_get(t, i)) : json_null());
}

void
pace_tally_put(struct pace_jw *w, const struct pace_tally *t)
{
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (i != UNNUMBERED)
			put(w, t, i, true);
}

void
pace_tally_put_seen(struct pace_jw *w, const struct pace_tally *t, bool numbered)
{
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (pace_tally_counts[i].seen >= PACE_TALLY_KNOWN)
			put(w, t, i, numbered || pace_tally_counts[i].seen == PACE_TALLY_KNOWN);
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (pace_tally_counts[i].seen == PACE_TALLY_UNKNOWN)
			put(w, t, i, false);
}

/* Of an older one, that has drops alone: each was one lost frame at least, and at most, where
 * it may have been a piece of a train, it was all that is lost. */
static void
read_bounds(struct pace_jr *r, struct pace_tally *t, bool pieces)
{
	uint64_t lost = t->lost > 0 ? (uint64_t)t->lost : 0;

	if (!pace_jr_has(r, "socket_likely") || !pace_jr_has(r, "socket_high")) {
		t->socket_likely = t->socket_drops < lost ? t->socket_drops : lost;
		t->socket_high = pieces && t->socket_drops > 0 ? lost : t->socket_likely;
	}
	r->bad |= t->socket_likely > t->socket_high;
}

void
pace_tally_read(struct pace_jr *r, struct pace_tally *t, bool pieces)
{
	const json_t *v = json_object_get(r->o, "lost");
	int64_t lost = json_is_null(v) ? 0 : pace_jr_int(r, "lost", INT64_MIN, INT64_MAX);

	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		const struct pace_tally_count *c = &pace_tally_counts[i];

		if (c->seen == PACE_TALLY_BY_NUMBER && c->always)
			continue;	/* lost */
		pace_tally_set(t, i, c->always ? pace_jr_count(r, c->name) :
		    pace_jr_count_or_0(r, c->name));
	}
	t->lost = lost > PACE_LOST_MOST ? PACE_LOST_MOST : lost < -PACE_LOST_MOST ? -PACE_LOST_MOST : lost;
	read_bounds(r, t, pieces);
}
