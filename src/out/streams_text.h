/*
 * streams_text.h - print how the streams of a point differ.
 *
 * Rule       as in text.h.  Rates are rates on the wire.  Fairness is Jain's index of the
 *            received rates of user data.  A point without streams prints nothing.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_STREAMS_TEXT_H
#define PACE_OUT_STREAMS_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/result.h"

enum pace_streams_form {
	PACE_STREAMS_TABLE,	/* aggregate, best and worst stream, fairness */
	PACE_STREAMS_EACH,	/* a row for each stream */
	PACE_STREAMS_LINE,	/* one line below the row of a sweep */
};

int	pace_streams_text(FILE *f, const struct pace_point *p, enum pace_streams_form form,
	    bool utf8);

#endif
