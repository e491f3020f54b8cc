/*
 * summary.h - write the tables of the front page: results, warnings, hosts.
 *
 * Numbers    calculated here from the runs, in the units of the columns' heads; a
 *            value that was not measured is "–".
 */
#ifndef PACE_REPORT_SUMMARY_H
#define PACE_REPORT_SUMMARY_H

#include <stdio.h>

#include "report/report_data.h"

/* Write the tables of a run. */
void	pace_summary_html(FILE *f, const struct pace_run *r);
/* Write the warnings of all runs, each kind once; the hosts of all runs, again if they
 * changed. */
void	pace_summary_warnings(FILE *f, const struct pace_report_data *b);
void	pace_summary_hosts(FILE *f, const struct pace_report_data *b);

/* Write the conclusions of a run; writes nothing for captures and clocks. */
void	pace_summary_conclusions(FILE *f, const struct pace_run *r);

/* Parts of a run's tables; those without data are left out. */
void	pace_summary_rtt(FILE *f, const struct pace_run *r);
void	pace_summary_tcp(FILE *f, const struct pace_run *r);
void	pace_summary_clocks(FILE *f, const struct pace_run *r);
void	pace_summary_capacity(FILE *f, const struct pace_run *r);

#endif
