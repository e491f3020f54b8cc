/*
 * watch_text.h - print watched paths as tables for people, and as CSV.
 *
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_WATCH_TEXT_H
#define PACE_OUT_WATCH_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/watched.h"

/* A row for the frames of a path, and another table with its delays. */
int	pace_watch_text_row_head(FILE *f, bool utf8);
int	pace_watch_text_row(FILE *f, const struct pace_watched *w, bool utf8);
int	pace_watch_text_delay_head(FILE *f, bool utf8);
int	pace_watch_text_delay_row(FILE *f, const struct pace_watched *w, bool utf8);
int	pace_watch_text_explain(FILE *f, bool utf8);

int	pace_watch_csv_head(FILE *f);
int	pace_watch_csv_row(FILE *f, const struct pace_watched *w);

#endif
