/*
 * tally_doc.h - the counts of core/tally.h as members of an object, both ways.
 *
 * Errors     as in js.h.   Trust  nothing that is read.
 */
#ifndef PACE_DOC_TALLY_DOC_H
#define PACE_DOC_TALLY_DOC_H

#include "core/tally.h"
#include "doc/js.h"

/* Of a session, whose frames all have numbers. */
void	pace_tally_put(struct pace_jw *w, const struct pace_tally *t);
/* Of a capture: what one who only watches does not know is null. */
void	pace_tally_put_seen(struct pace_jw *w, const struct pace_tally *t, bool numbered);

/* pieces: its drops may be pieces of trains, for one who does not tell their bounds. */
void	pace_tally_read(struct pace_jr *r, struct pace_tally *t, bool pieces);

#endif
