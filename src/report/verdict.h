/*
 * verdict.h - the front page's tables: what was found, what the hosts are, what warns.
 *
 * Numbers    computed here from the book, in the units that the heads of the columns
 *            say; "–" is what was not measured.
 */
#ifndef PACE_VERDICT_H
#define PACE_VERDICT_H

#include <stdio.h>

#include "report/book.h"

void	pace_verdict_html(FILE *f, const struct pace_run *r);

#endif
