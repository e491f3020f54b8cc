/*
 * words.h - sentences that several figures and the report's front page share.
 *
 * Memory     the sheet's.   Trust  names of hosts and files are anybody's: what these
 *            write is escaped later, by who writes it into something.
 */
#ifndef PACE_REPORT_WORDS_H
#define PACE_REPORT_WORDS_H

#include "report/figure.h"
#include "report/report_data.h"
#include "report/sweep.h"

/* "to hostb (10.0.0.2) · mlx5_core, 10 Gbit/s, MTU 9000" */
char	*pace_words_who(const struct pace_run *r, char *buf, size_t size);

/* "100 000 frames" or "2 000 to 100 000 frames" of a point. */
char	*pace_words_frames(const struct pace_sweep *w, char *buf, size_t size);

/* s->subtitle: who, then what (may be "" ), and that it was interrupted. */
void	pace_words_subtitle(struct pace_figure *s, const struct pace_run *r, const char *what);

/* s->footer: program, when, file, then formula (may be ""). */
void	pace_words_footer(struct pace_figure *s, const struct pace_run *r, const char *formula);

/* Colours and markers of n ordered lines: COLOR and PT, n <= PACE_LINES. */
void	pace_words_ramp(struct pace_figure *s, size_t n);

#endif
