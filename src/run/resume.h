/*
 * resume.h - --resume FILE: continues a run of several points.
 *
 * Purpose    the journal beside FILE contains the command line of the run.  That command line
 *            is parsed again, and the command starts with the journal open.
 * Errors     an exit status after an error message.
 */
#ifndef PACE_RUN_RESUME_H
#define PACE_RUN_RESUME_H

#include <stdbool.h>

#include "opt/opt.h"
#include "run/journal.h"
#include "run/sink.h"

/* Start the command: cfg is the parsed command line of the run, all_argv the complete one. */
typedef int (*pace_go_on)(const struct pace_cmd *cmd, const void *cfg, const char *host,
	    int all_argc, char *const *all_argv);

/* Was no option given that may contradict the run's own?  If one was, prints an error. */
bool	pace_resume_alone(const struct pace_cmd *cmd, const void *given);

/* Resume the run of `file`.  given: the parsed options of this command line, --resume and at
 * most --quiet.  The config passed to go_on has the journal in its sink (PACE_SINK_ROWS);
 * results go to the same outputs as those of the first part. */
int	pace_resume(const struct pace_cmd *cmd, const void *given, const char *file,
	    pace_go_on go_on);

/* Check that a new run may write its file and, with several points, its journal: 0, or the
 * status of a usage error after a message. */
int	pace_resume_check(const struct pace_sink_cfg *sink, size_t points);

/* Keep a journal from its first line to its end.  Write errors are reported through sink; a
 * journal that cannot be begun stays closed.  extra and point are released.  _begin returns
 * false after an error message if another process uses the file; sink then does not write it. */
bool	pace_resume_begin(struct pace_journal *j, struct pace_sink *sink,
	    const struct pace_result *r, json_t *extra, size_t points);
void	pace_resume_add(struct pace_journal *j, struct pace_sink *sink, size_t index,
	    json_t *point, const struct pace_js_list *list, bool skipped);
/* Close the journal.  It stays if points are missing or were skipped, because they may be wanted
 * later; a message then says how to continue. */
void	pace_resume_end(struct pace_journal *j, bool complete, const char *command);

#endif
