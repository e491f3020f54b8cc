/*
 * regular.h - open files that the program depends on: keys, policies.
 *
 * Purpose    opening a FIFO would block until another process writes to it, also in a
 *            responder that reads its files again; a directory can be opened but
 *            not read.
 * Rule       only regular files.  pace_open_passed also accepts a pipe that this process has
 *            inherited: "-" is standard input, /dev/fd/N another descriptor.  Its writer exists
 *            or has closed it, and reading ends when it closes.  A pipe can be read only once.
 */
#ifndef PACE_OPT_REGULAR_H
#define PACE_OPT_REGULAR_H

#include <stdbool.h>

/* Open path for reading; -1: *why has the reason. */
int	pace_open_regular(const char *path, const char **why);

/* The same, or read a pipe that was passed to this process. */
int	pace_open_passed(const char *path, const char **why);

/* Is this a pipe that was passed to this process, which cannot be read again? */
bool	pace_is_passed(const char *path);

#endif
