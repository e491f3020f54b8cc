/*
 * Runs a fuzz target on files, for who has no libFuzzer: every file named
 * on the command line or lying in a directory named there, and each shorter
 * than 4 KiB also cut at up to CUTS lengths, all of them where it has no more
 * bytes.  Options of libFuzzer are passed over.
 *
 * Exit status: 0, 2 when there was nothing to run; a fault aborts.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

#define CUT_MAX		4096
#define CUTS		512		/* an input may be a whole measurement */
#define FILE_MAX	(1 << 24)

static unsigned long files, runs;

static void
run(const uint8_t *data, size_t size)
{
	uint8_t *exact = fuzz_exact(data, size);

	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	runs++;
}

static int
replay_file(const char *path)
{
	static uint8_t data[FILE_MAX];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (f == NULL) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	fprintf(stderr, "%s: %zu bytes\n", path, size);	/* to be seen when the next call aborts */
	run(data, size);
	for (size_t cut = 0; size < CUT_MAX && cut < size; cut += size / CUTS + 1)
		run(data, cut);
	files++;
	return 0;
}

static int
is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int
replay_dir(const char *path)
{
	struct dirent **v;
	char name[4096];
	int n = scandir(path, &v, is_visible, alphasort), rc = 0;

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, v[i]->d_name);
		rc |= replay_file(name);
		free(v[i]);
	}
	free(v);
	return rc;
}

int
main(int argc, char **argv)
{
	struct stat st;
	int rc = 0;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc |= replay_dir(argv[i]);
		else
			rc |= replay_file(argv[i]);
	}
	printf("%lu files, %lu runs\n", files, runs);
	return rc == 0 && files > 0 ? 0 : 2;
}
