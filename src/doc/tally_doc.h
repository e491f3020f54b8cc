/*
 * tally_doc.h - write and read the counts of core/tally.h as members of an object.
 *
 * Errors     as in js.h.   Trust  input is checked.
 */
#ifndef PACE_DOC_TALLY_DOC_H
#define PACE_DOC_TALLY_DOC_H

#include "core/tally.h"
#include "doc/field.h"

/* Write the counts of a session: all its frames have numbers. */
void	pace_tally_put(struct pace_jw *w, const struct pace_tally *t);
/* Write the counts of a capture; those that an observer cannot know are null. */
void	pace_tally_put_seen(struct pace_jw *w, const struct pace_tally *t, bool numbered);

/* Read the counts.  pieces: if the responder does not report bounds, a drop may be a piece of
 * a train. */
void	pace_tally_read(struct pace_jr *r, struct pace_tally *t, bool pieces);

extern const struct pace_fields pace_tally_fields;	/* schema; see functions above */

#endif
