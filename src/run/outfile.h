/*
 * outfile.h - a result file that is whole or not there.
 *
 * Purpose    find out before measuring that it can be written; write to a
 *            temporary name beside it, and rename when all is on the disk.
 *            A device or a pipe is written to as it is; a symbolic link stays
 *            and its target is replaced.
 * Errors     -errno; nothing is left behind.
 */
#ifndef PACE_RUN_OUTFILE_H
#define PACE_RUN_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* -EEXIST: it is there and replace is false.  Creates nothing that stays. */
int	pace_outfile_check(const char *path, bool replace);

/* Write it by fn (0 or -errno). */
int	pace_outfile_write(const char *path, int (*fn)(FILE *f, void *ctx), void *ctx);

#endif
