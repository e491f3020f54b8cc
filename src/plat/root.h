/*
 * root.h - small files of /proc and /sys, read below a directory.
 *
 * Purpose    tests, and who looks at a copy of another host, put a directory in
 *            place of "/".  What only the running kernel can tell (ioctl,
 *            netlink) is then not asked: it would be of this host.
 * Root       "" is the real one.
 * Trust      a copy may hold garbage: lengths are bounded, texts cleaned,
 *            numbers that are none are not told.
 * Threads    any.
 */
#ifndef PACE_PLAT_ROOT_H
#define PACE_PLAT_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PACE_ROOT_ENV	"UDPACE_ROOT"

/* What the environment says, "" when it says nothing. */
const char	*pace_root_default(void);

static inline bool
pace_root_is_real(const char *root)
{
	return root[0] == '\0';
}

/* NULL: not there, or not to be read. */
FILE	*pace_root_open(const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 2, 3)));

/* The first line; false and "": none. */
bool	pace_root_text(char *buf, size_t size, const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 4, 5)));

/* One decimal number and nothing else; false leaves *v alone. */
bool	pace_root_int(int64_t *v, const char *root, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

/* The next decimal (hexadecimal) number of a line; false: none. */
bool	pace_root_number(const char **p, uint64_t *v);
bool	pace_root_hex(const char **p, uint64_t *v);

/* Call for each name in a directory but the hidden ones, in order. */
void	pace_root_list(const char *root, const char *path,
	    void (*name)(void *ctx, const char *name), void *ctx);

#endif
