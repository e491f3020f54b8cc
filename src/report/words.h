/*
 * words.h - sentences that several figures and the report's front page share.
 *
 * Memory     the figure's or the caller's.
 * Trust      names of hosts and files may come from anyone.  These functions do not
 *            escape: their callers do.
 */
#ifndef PACE_REPORT_WORDS_H
#define PACE_REPORT_WORDS_H

#include "report/figure.h"
#include "report/report_data.h"
#include "report/sweep.h"

/* "hosta to hostb", or the known part of it. */
char	*pace_words_hosts(const struct pace_run *r, char *buf, size_t size);

/* "hosta to hostb (10.0.0.2) · mlx5_core · 10 Gbit/s link · MTU 9000" */
char	*pace_words_who(const struct pace_run *r, char *buf, size_t size);

/* Frames a point: "100 000 frames" or "2 000 to 100 000 frames". */
char	*pace_words_frames(const struct pace_sweep *w, char *buf, size_t size);

/* What the lines of the run's figures differ in: "sizes", "numbers of streams", "code points", or
 * "lines": in several. */
const char	*pace_words_lines(const struct pace_run *r);

/* "1472 B"; "4 × 1472 B, DSCP 46": four streams */
char	*pace_words_line(const struct pace_stream_point *l, char *buf, size_t size);

/* "1472 B, 20 µs", the line only if wanted; " × 16": in trains of 16; " ○": degraded. */
char	*pace_words_stream(const struct pace_stream_point *l, bool line_too, char *buf,
    size_t size);

/* Add to s->caption the meaning of the marks, if points that the figure shows are degraded,
 * or points of the run were sent in trains; DEGRADED: 0 or 1.  Call it after all tables are
 * made. */
void	pace_words_marks(struct pace_figure *s, const struct pace_run *r);

/* Set s->subtitle: hosts, then what (may be ""), then a note if the run was interrupted. */
void	pace_words_subtitle(struct pace_figure *s, const struct pace_run *r, const char *what);

/* Set s->footer: program, time, file, then formula (may be ""). */
void	pace_words_footer(struct pace_figure *s, const struct pace_run *r, const char *formula);

/* Set colours and markers of n ordered lines, n <= PACE_LINES: COLOR and PT.  DODGE:
 * distance between the lines side by side at one of `places` places, in parts of the axis. */
void	pace_words_ramp(struct pace_figure *s, size_t n, size_t places);

#endif
