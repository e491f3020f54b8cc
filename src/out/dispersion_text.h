/*
 * dispersion_text.h - capacity and available bandwidth behind a sweep's table.
 *
 * Rule       rates are those on the wire, and it says so; a sweep that held up
 *            nothing has no such lines.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_DISPERSION_TEXT_H
#define PACE_OUT_DISPERSION_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/dispersion_doc.h"

/* After pace_dispersions_close. */
int	pace_dispersions_text(FILE *f, const struct pace_dispersions *d, bool utf8);

#endif
