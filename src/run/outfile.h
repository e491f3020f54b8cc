/*
 * outfile.h - writes a result file so that it is either complete or absent.
 *
 * Purpose    check before the measurement that the file can be written; later write to a
 *            temporary file in the same directory, and rename it when all data are on the
 *            disk.  A device or a pipe is written to directly.  A symbolic link stays, and
 *            its target is replaced.
 * Errors     -errno; no temporary file remains.
 */
#ifndef PACE_RUN_OUTFILE_H
#define PACE_RUN_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Check that path can be written; leaves no file.  -EEXIST: it exists and replace is false. */
int	pace_outfile_check(const char *path, bool replace);

/* Write path with fn, which returns 0 or -errno. */
int	pace_outfile_write(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx);

/* Keep other processes from the same lock on path, which need not exist, until this one unlocks it
 * or ends.  The lock is on a file beside it, as path itself is replaced.  -EWOULDBLOCK: another one
 * has it. */
struct pace_outfile_lock {
	int		fd;		/* -1: there is no lock */
	char		name[PATH_MAX];
};
int	pace_outfile_lock(struct pace_outfile_lock *l, const char *path);
void	pace_outfile_unlock(struct pace_outfile_lock *l);

#endif
