/*
 * journal.h - stores the points of a sweep on disk as they end, for --resume.
 *
 * Purpose    while a run of several points is incomplete, FILE.journal stands beside the
 *            FILE of --output.  After a crash, a kill or a reboot, --resume FILE measures
 *            the missing points and repeats no other.
 * Shape      JSON lines like those of --jsonl (out/json.h): "start" with the head, then
 *            "planned" (number of points) and "order"; "point" with "index", its place in
 *            the plan; "skipped", with the same members, for a point that was not to be
 *            measured.  An incomplete last line is overwritten; a damaged line counts as a
 *            point not yet measured.
 * Safety     each line is on the disk before the next point begins.  A lock allows one
 *            process at a time.
 * Trust      the file may be damaged: a file that is not a journal is rejected; the reader
 *            of a point checks it.
 * Errors     -errno, or an exit status after an error message.
 * Memory     a file position for each planned point; the points stay in the file.
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
	FILE	*f;		/* NULL: no journal */
	char	path[PATH_MAX], output[PATH_MAX];	/* of the journal; of the result document */
	size_t	planned;
	long	*line;		/* start of each planned point's line; -1: not measured;
				 * PACE_JOURNAL_SKIPPED: skipped by the user */
	size_t	done;		/* points measured */
	size_t	skipped;	/* points skipped */
	long	end;		/* end of the last complete line; -1: nothing follows it */
	/* read from a journal that exists */
	struct pace_head head;
	json_t	*order;
};

/* Find the journal's name from the document's name; a journal's own name stays as it is. */
int	pace_journal_name(const char *file, char *path, size_t size);

/* Does a run of n points keep a journal?  Not if it writes to a device or a pipe. */
bool	pace_journal_wanted(const char *output, size_t n);

/* Is another process using the journal at path? */
bool	pace_journal_in_use(const char *path);

/* Begin a new journal for n points.  extra: more members of the first line, released here.
 * -EWOULDBLOCK: another process is using the journal. */
int	pace_journal_begin(struct pace_journal *j, const char *output,
	    const struct pace_result *r, json_t *extra, size_t n);

#define PACE_JOURNAL_SKIPPED	(-2)
/* Add point `index` of the plan, measured or skipped; a skipped point may still be measured
 * later.  Releases point.  list: its last member, or NULL. */
int	pace_journal_add(struct pace_journal *j, size_t index, json_t *point,
	    const struct pace_js_list *list, bool skipped);
/* Count skipped points as not measured, so that they are measured now. */
void	pace_journal_unskip(struct pace_journal *j);

/* Open the journal of FILE, the document's name or the journal's own: PACE_EXIT_OK,
 * PACE_JOURNAL_COMPLETE, or an exit status after an error message. */
#define PACE_JOURNAL_COMPLETE	(-1)	/* no journal, because the run is complete */
int	pace_journal_open(struct pace_journal *j, const char *file);

/* Read a point; the caller releases it.  NULL: not measured yet, or cannot be read. */
json_t	*pace_journal_point(struct pace_journal *j, size_t index);

/* Close the journal; complete: remove it. */
void	pace_journal_close(struct pace_journal *j, bool complete);

#endif
