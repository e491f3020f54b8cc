/*
 * send_text.h - print the table of a run without a responder: the sender's half only.
 *
 * Rule       as in text.h.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_SEND_TEXT_H
#define PACE_OUT_SEND_TEXT_H

#include "doc/send.h"
#include "out/text.h"

/* Print the head: the run, its frames, and where they go. */
int	pace_send_text_head(FILE *f, const struct pace_result *r, const struct pace_link *link,
	    const struct pace_params *asks, size_t n, const struct pace_send *send, bool utf8);

int	pace_send_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8);
int	pace_send_text_row(FILE *f, const struct pace_rows *rows, const struct pace_point *p,
	    bool utf8);
int	pace_send_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8);

#endif
