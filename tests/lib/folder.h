/*
 * folder.h - a folder for the files of one test program.
 */
#ifndef PACE_TEST_FOLDER_H
#define PACE_TEST_FOLDER_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"

static char folder[64];

static inline void
folder_make(void)
{
	snprintf(folder, sizeof(folder), "/tmp/udpace-unit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* The path of a file in the folder. */
static inline char *
folder_path(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", folder, name);
	return path;
}

static inline void
folder_remove(const char *const *names, int n)
{
	char path[128];

	for (int i = 0; i < n; i++)
		unlink(folder_path(path, names[i]));
	ck_assert_int_eq(rmdir(folder), 0);	/* nothing else was left in it */
}

#endif
