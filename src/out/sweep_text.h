/*
 * sweep_text.h - print the results of a sweep after its table: median and spread of
 * repeated points; capacity and available bandwidth.
 *
 * Rule       rates of the dispersion are rates on the wire, and are labelled so.  If the
 *            path held up no point, these lines are left out; without repeated points
 *            the table is left out.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_SWEEP_TEXT_H
#define PACE_OUT_SWEEP_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/dispersion_doc.h"
#include "doc/repeats.h"
#include "out/text.h"

int	pace_repeats_text(FILE *f, const struct pace_rows *rows,
	    struct pace_repeats *repeats, bool utf8);
/* Print d, after pace_dispersions_close. */
int	pace_dispersions_text(FILE *f, const struct pace_dispersions *d, bool utf8);

#endif
