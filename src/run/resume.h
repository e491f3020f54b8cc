/*
 * resume.h - --resume FILE: a run of several points goes on.
 *
 * Purpose    the journal beside FILE has the command line that began it: that one is
 *            read again, and the command starts with the journal in hand.
 * Errors     told; an exit status.
 */
#ifndef PACE_RUN_RESUME_H
#define PACE_RUN_RESUME_H

#include <stdbool.h>

#include "opt/opt.h"
#include "run/journal.h"
#include "run/sink.h"

/* Start with cfg, which is the run's own, and the whole command line. */
typedef int (*pace_go_on)(const struct pace_cmd *cmd, void *cfg, struct pace_journal *j,
	    const char *host, int all_argc, char *const *all_argv);

/* Is nothing else given that may contradict what the run began with?  Told. */
bool	pace_resume_alone(const struct pace_cmd *cmd, const void *given);

/* given: this command line's config, with --resume file and nothing else but --quiet. */
int	pace_resume(const struct pace_cmd *cmd, const void *given, const char *file,
	    pace_go_on go_on);

/* Results go where those of its first part went; false: told that they cannot. */
bool	pace_resume_sink(struct pace_sink_cfg *sink, const struct pace_journal *j);

/* May a new run write to its file, and, with several points, its journal?  Told: usage. */
int	pace_resume_check(const struct pace_sink_cfg *sink, size_t points);

/* The head of a document that goes on: what its first part began with. */
void	pace_resume_head(struct pace_result *r, const struct pace_journal *j);

/* A journal from its first line to its end; what cannot be written is told by sink, and
 * a journal that cannot be begun is not open.  extra and point are released.  false: the
 * file is another process's; told, and sink does not write it. */
bool	pace_resume_begin(struct pace_journal *j, struct pace_sink *sink,
	    const struct pace_result *r, json_t *extra, size_t points);
void	pace_resume_add(struct pace_journal *j, struct pace_sink *sink, size_t index,
	    json_t *point);
/* Nothing is missing but what was skipped: the journal stays, for that may be wanted. */
void	pace_resume_skipped(struct pace_journal *j, const char *command);
void	pace_resume_end(struct pace_journal *j, bool complete, const char *command);

#endif
