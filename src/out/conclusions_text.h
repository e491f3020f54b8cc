/*
 * conclusions_text.h - print the conclusions of a run, a few lines after its table.
 *
 * Rule       as in text.h.  A value that was not measured has no line; only the missing
 *            rate is mentioned.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CONCLUSIONS_TEXT_H
#define PACE_OUT_CONCLUSIONS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/conclusions.h"

/* Print c, after pace_conclusions_close.  title NULL: leave out the title and the rates,
 * which the caller prints elsewhere. */
int	pace_conclusions_text(FILE *f, const struct pace_conclusions *c, const char *title,
	    bool utf8);

#endif
