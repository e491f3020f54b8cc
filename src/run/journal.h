/*
 * journal.h - a sweep's points on disk as they end, so that it can go on.
 *
 * Purpose    beside FILE of --output stands FILE.journal while a run of several points
 *            is not complete: after a crash, a kill or a reboot --resume FILE measures
 *            what is missing, and nothing twice.
 * Shape      JSON lines as those of --jsonl (out/json.h): "start" with the head, then
 *            "planned" (points) and "order"; "point" with "index", the place in the
 *            plan; "skipped", the same of one that is not to be measured.  A last line that is torn is written over, a spoiled
 *            one is a point that was not measured.
 * Safety     every line is on the disk before the next point begins; one process at a
 *            time, by a lock.
 * Trust      the file may be damaged: what is not a journal is refused, points are
 *            checked by whoever reads them.
 * Errors     -errno, or an exit status after a complaint.
 * Memory     a place for each planned point; the points stay in the file.
 */
#ifndef PACE_RUN_JOURNAL_H
#define PACE_RUN_JOURNAL_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "doc/result_doc.h"

struct pace_journal {
	FILE	*f;		/* NULL: there is none */
	char	path[PATH_MAX], output[PATH_MAX];	/* of the journal; of the document */
	size_t	planned;
	long	*line;		/* of each planned point, where it begins; -1: not measured, */
	size_t	done;		/* points in it */
	size_t	skipped;	/* and PACE_JOURNAL_SKIPPED: at the user's wish */
	long	end;		/* of what is whole; -1: there is nothing behind it */
	/* of one that was there */
	struct pace_head head;
	json_t	*order;
};

/* Of the document's name, or of its own: its own. */
int	pace_journal_name(const char *file, char *path, size_t size);

/* Is a run of n points to keep one?  Not when it writes to a device or a pipe. */
bool	pace_journal_wanted(const char *output, size_t n);

/* Is the journal of this name in use by another process? */
bool	pace_journal_in_use(const char *path);

/* A new one for n points; extra: more members of the first line, released.
 * -EWOULDBLOCK: another process has it. */
int	pace_journal_begin(struct pace_journal *j, const char *output,
	    const struct pace_result *r, json_t *extra, size_t n);

/* Point `index` of the plan was measured; its JSON is released. */
int	pace_journal_add(struct pace_journal *j, size_t index, json_t *point);

#define PACE_JOURNAL_SKIPPED	(-2)
/* Point `index` was skipped, and is one that may still be measured; JSON as above. */
int	pace_journal_skip(struct pace_journal *j, size_t index, json_t *point);
/* What was skipped is to be measured after all. */
void	pace_journal_unskip(struct pace_journal *j);

/* That of FILE, the document's name or the journal's own: PACE_EXIT_OK, or told. */
#define PACE_JOURNAL_COMPLETE	(-1)	/* there is none, as the run is complete */
int	pace_journal_open(struct pace_journal *j, const char *file);

/* The point, NULL: it has not been measured, or cannot be read; released by the caller. */
json_t	*pace_journal_point(struct pace_journal *j, size_t index);

/* complete: it has done its duty and is removed. */
void	pace_journal_close(struct pace_journal *j, bool complete);

#endif
