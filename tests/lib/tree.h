/*
 * tree.h - a made-up /proc and /sys below a directory of its own.
 */
#ifndef PACE_TEST_TREE_H
#define PACE_TEST_TREE_H

#include <check.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree_root[64];

static inline void
tree_begin(void)
{
	snprintf(tree_root, sizeof(tree_root), "%s", "/tmp/udpace-tree-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(tree_root));
}

static inline int
tree_remove(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static inline void
tree_end(void)
{
	nftw(tree_root, tree_remove, 16, FTW_DEPTH | FTW_PHYS);
}

/* The directories above path ("/proc/net/dev"), and its file for writing. */
static inline FILE *
tree_open(const char *path, const char *mode)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", tree_root, path);
	for (char *p = full + strlen(tree_root) + 1; (p = strchr(p, '/')) != NULL; p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, mode);
	ck_assert_ptr_nonnull(f);
	return f;
}

static inline void __attribute__((format(printf, 2, 3)))
tree_put(const char *path, const char *fmt, ...)
{
	FILE *f = tree_open(path, "w");
	va_list ap;

	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fclose(f);
}

#endif
