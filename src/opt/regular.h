/*
 * regular.h - open files that the program depends on: keys, policies.
 *
 * Purpose    opening a FIFO would block until another process writes to it, also in a
 *            responder that reads its files again; a directory can be opened but
 *            not read.
 * Rule       only regular files; pipes are rejected, and so is process substitution.
 */
#ifndef PACE_OPT_REGULAR_H
#define PACE_OPT_REGULAR_H

/* Open path for reading; -1: *why has the reason. */
int	pace_open_regular(const char *path, const char **why);

#endif
