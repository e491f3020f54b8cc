/*
 * report.h - the folder that report and compare make: figures, data, one page.
 */
#ifndef PACE_CMD_REPORT_H
#define PACE_CMD_REPORT_H

#include <stdbool.h>

#include "report/fig.h"

struct pace_report_job {
	const struct pace_fig *const *figs;	/* to choose from */
	const char	*output, *only;	/* NULL: beside the first file; all */
	bool		force;
	int		files;
	char		**file;
	bool		all;		/* of every file, or nothing */
	/* before figures are made: an exit status, 0 to go on; NULL: nothing to do then */
	int		(*look)(const struct pace_report_data *b);
};

/* The exit status. */
int	pace_report_make(const struct pace_report_job *j);

#endif
