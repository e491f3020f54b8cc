/*
 * on_disk.h - for targets that read a file by its name: the file, and the words of a refusal.
 *
 * Purpose    the file is in a folder of its own, in memory if there is such a place, which the end of
 *            the process removes.
 */
#ifndef FUZZ_ON_DISK_H
#define FUZZ_ON_DISK_H

#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opt/opt.h"
#include "run/peer.h"
#include "fuzz.h"

static char folder[64], path[96];

/* These replace the command line's functions: a refusal is formatted, but not printed.  The folder has
 * another name each time. */
void
pace_complain(const char *fmt, ...)
{
	char text[600], *name;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	while ((name = strstr(text, folder)) != NULL) {
		*name = '%';
		memmove(name + 1, name + strlen(folder), strlen(name + strlen(folder)) + 1);
	}
	fuzz_sum("complains", text, strlen(text));
}

void
pace_hint(const char *fmt, ...)
{
	fuzz_sum("hint", fmt, strlen(fmt));
}

static inline void
remove_folder(void)
{
	unlink(path);
	rmdir(folder);
}

static inline void
put_file(const void *data, size_t size)
{
	FILE *f;

	if (folder[0] == '\0') {
		snprintf(folder, sizeof(folder), "%s/udpace-fuzz-XXXXXX",
		    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		MUST(mkdtemp(folder) != NULL);
		snprintf(path, sizeof(path), "%s/file", folder);
		atexit(remove_folder);
	}
	f = fopen(path, "wb");
	MUST(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

#endif
