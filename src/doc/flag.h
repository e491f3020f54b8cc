/*
 * flag.h - one letter for each problem of a table's row.
 *
 * Purpose    decides which notes change a conclusion, and has the words of the legend.
 * Letters    a capital changes a conclusion.  D is the verdict "degraded"; the small
 *            letters next to it give the reason.  Other notes have no letter.
 * Memory     none.   Threads  any.
 */
#ifndef PACE_DOC_FLAG_H
#define PACE_DOC_FLAG_H

#include "doc/result.h"

#define PACE_FLAGS_MAX	24	/* letters of a row, and the final NUL */

struct pace_flags {
	uint64_t	used;	/* one bit per row of the table of letters; zeroed: none */
};

/* Does a note with this code make the figures of its point doubtful? */
bool	pace_flag_doubts(const char *code, bool degraded);

/* Return the letters of a row, for example "Dfs"; "": no problem.  Adds them to used if it is
 * not NULL. */
char	*pace_flags_row(const struct pace_notes *n, bool degraded, bool interrupted,
	    char buf[PACE_FLAGS_MAX], struct pace_flags *used);

/* Return the words of line i of the legend and its letter; NULL: no more lines. */
const char	*pace_flags_legend(const struct pace_flags *used, size_t i, char *letter);

#endif
