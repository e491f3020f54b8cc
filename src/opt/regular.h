/*
 * regular.h - opens files that a program waits for: keys, policies.
 *
 * Purpose    a FIFO in the place of a file would hold up who opens it until somebody
 *            writes, a responder that reads its files again as well; a directory can
 *            be opened and not be read.
 * Rule       only regular files; pipes, so process substitution, too, are refused.
 */
#ifndef PACE_OPT_REGULAR_H
#define PACE_OPT_REGULAR_H

/* For reading; or -1 and in *why what is the matter. */
int	pace_open_regular(const char *path, const char **why);

#endif
