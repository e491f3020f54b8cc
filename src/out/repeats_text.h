/*
 * repeats_text.h - repeated points for people: median and spread.
 *
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_REPEATS_TEXT_H
#define PACE_OUT_REPEATS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/repeats.h"
#include "out/text.h"

int	pace_repeats_text(FILE *f, const struct pace_rows *rows,
	    struct pace_repeats *repeats, bool utf8);

#endif
