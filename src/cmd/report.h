/*
 * report.h - makes the folder of report and compare: figures, data, one page.
 */
#ifndef PACE_CMD_REPORT_H
#define PACE_CMD_REPORT_H

#include <stdbool.h>

#include "report/fig.h"

struct pace_report_job {
	const struct pace_fig *const *figs;	/* to select from */
	const char	*output, *only;	/* NULL: beside the first file; NULL: all figures */
	bool		force;
	int		files;
	char		**file;
	bool		all;		/* fail unless each file can be read */
	/* called before the figures are made: an exit status, 0 to continue; may be NULL */
	int		(*look)(const struct pace_report_data *b);
};

/* Make the report; return the exit status. */
int	pace_report_make(const struct pace_report_job *j);

#endif
