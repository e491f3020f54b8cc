/*
 * golden.h - compare what a screen shows with a file in tests/data/screens.
 *
 * UDPACE_SCREENS=write writes the files again: look at the differences.
 */
#ifndef PACE_TEST_GOLDEN_H
#define PACE_TEST_GOLDEN_H

#include <string.h>

#include "lib/unit.h"

static inline void
golden_compare(const char *name, const char *text)
{
	const char *top = getenv("top_srcdir"), *mode = getenv("UDPACE_SCREENS");
	char path[512], want[16384] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/tests/data/screens/%s.txt", top != NULL ? top : ".", name);
	if (mode != NULL && strcmp(mode, "write") == 0 && (f = fopen(path, "w")) != NULL) {
		fputs(text, f);
		fclose(f);
	}
	f = fopen(path, "r");
	if (f != NULL) {
		ck_assert_uint_lt(fread(want, 1, sizeof(want) - 1, f), sizeof(want) - 1);
		fclose(f);
	}
	ck_assert_msg(strcmp(text, want) == 0, "%s is now\n%s", path, text);
}

#endif
