/*
 * folder.h - the folder of a report: its name, and what an earlier report left there.
 *
 * Rule       only files with names of figures and pages are removed.
 */
#ifndef PACE_REPORT_FOLDER_H
#define PACE_REPORT_FOLDER_H

#include <stdbool.h>

/* The default folder, beside a result or a campaign's folder: for scan/ it is scan-report.
 * Malloced; NULL: no memory. */
char	*pace_folder_beside(const char *given);

bool	pace_folder_is_report(const char *folder);
bool	pace_folder_is_empty(const char *folder);

/* Remove the figures of the previous report, which may have had more of them; pages: and the pages
 * of its pairs. */
void	pace_folder_clear(const char *folder, bool pages);

#endif
