/*
 * coarse_doc.h - a distribution with few bins as JSON, in both directions.
 *
 * Form       { "below": n, "bins": [[low, high, count], ...] }; null: no values.
 * Trust      bins may be anything when read: those that a list cannot have are bad.
 */
#ifndef PACE_DOC_COARSE_DOC_H
#define PACE_DOC_COARSE_DOC_H

#include "doc/field.h"

extern const struct pace_fields pace_histogram_fields;

/* Of a member that is a struct pace_coarse_hist_list, for PACE_OWN_OF. */
void	pace_histogram_put(struct pace_jw *w, const char *name, const void *list);
void	pace_histogram_get(struct pace_jr *j, const char *name, void *list);

#endif
