/*
 * summary.h - the front page's tables: what was found, what the hosts are, what warns.
 *
 * Numbers    computed here from the book, in the units that the heads of the columns
 *            say; "–" is what was not measured.
 */
#ifndef PACE_REPORT_SUMMARY_H
#define PACE_REPORT_SUMMARY_H

#include <stdio.h>

#include "report/report_data.h"

void	pace_summary_html(FILE *f, const struct pace_run *r);

#endif
