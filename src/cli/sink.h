/*
 * sink.h - where results go: table, CSV, JSON, JSON lines, file.
 *
 * Purpose    one call when the run begins, one a point, one at the end;
 *            points are kept as dumped text for the document.
 * Errors     told at once, once for each output; remembered in failed.
 */
#ifndef PACE_SINK_H
#define PACE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "core/rates.h"
#include "doc/result.h"
#include "out/text.h"

struct pace_sink_cfg {
	bool		json, csv;	/* stdout; neither: the table */
	const char	*jsonl;		/* file, "-" for stdout, NULL: none */
	const char	*output;	/* file, NULL: none */
	bool		force, detail;
};

struct pace_sink {
	struct pace_sink_cfg cfg;
	bool		utf8;
	bool		failed;
	bool		one;		/* a single point is told as a block */
	FILE		*jsonl;
	struct pace_rows rows;
	size_t		told;		/* points so far */
	char		**points;
	size_t		n, room;
};

/* Can everything be written?  Told where not: 2, else 0.  Nothing is sent
 * before this. */
int	pace_sink_open(struct pace_sink *s, const struct pace_sink_cfg *cfg);

void	pace_sink_begin(struct pace_sink *s, const struct pace_result *r,
	    const struct pace_link *link, const struct pace_ask *asks, size_t n);
void	pace_sink_point(struct pace_sink *s, const struct pace_point *p);
void	pace_sink_end(struct pace_sink *s, const struct pace_result *r);
void	pace_sink_close(struct pace_sink *s);

#endif
