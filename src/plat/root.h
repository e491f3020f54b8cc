/*
 * root.h - small files of /proc and /sys, read below a directory.
 *
 * Purpose    tests, and users with a copy of another host's files, replace "/" by a
 *            directory.  The running kernel (ioctl, netlink) is then not asked, because
 *            its answers are about this host.
 * Root       "" is the real one.
 * Trust      a copy may hold garbage: lengths are bounded, texts cleaned, malformed
 *            numbers ignored.
 * Threads    any.
 */
#ifndef PACE_PLAT_ROOT_H
#define PACE_PLAT_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACE_ROOT_ENV	"UDPACE_ROOT"

/* The root set in the environment, "" if none. */
const char	*pace_root_default(void);

static inline bool
pace_root_is_real(const char *root)
{
	return root[0] == '\0';
}

/* Open a file; NULL: it does not exist or cannot be read. */
FILE	*pace_root_open(const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* Read the first line; false and "": none. */
bool	pace_root_text(char *buf, size_t size, const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));

/* Read a file with one decimal number and nothing else; false: *v is unchanged. */
bool	pace_root_int(int64_t *v, const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* Read the next decimal or hexadecimal number of a line; false: none. */
bool	pace_root_number(const char **p, uint64_t *v);
bool	pace_root_hex(const char **p, uint64_t *v);

/* Call for each name in a directory in order, without hidden files. */
void	pace_root_list(const char *root, const char *path,
	    void (*name)(void *ctx, const char *name), void *ctx);

#endif
