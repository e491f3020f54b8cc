/*
 * Runs a fuzz target on files, where libFuzzer is missing.  It runs every file that the command
 * line names and every file in the named directories.  It also runs each file shorter than 4 KiB
 * cut at up to CUTS lengths.  Then it applies the target's own mutator MUTATIONS times in a row,
 * and checks that the same seed gives the same bytes and that no mutation exceeds its limit.
 * Options of libFuzzer are ignored.
 *
 * Exit status: 0; 2 if there was nothing to run.  A fault aborts.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mutator.h"

#define CUT_MAX		4096
#define CUTS		512		/* an input may be a whole measurement */
#define FILE_MAX	(1 << 24)
#define MUTATIONS	8
#define GROWS		512		/* a mutated input may have so many more bytes */

/* Not every target has them. */
#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerCustomCrossOver

static unsigned long files, runs;

static void
run(const uint8_t *data, size_t size)
{
	uint8_t *exact = fuzz_exact(data, size);

	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	runs++;
}

static struct chance bytes;

/* In place of libFuzzer's. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	size_t at = chance_of(&bytes, size + 1);
	uint8_t byte = (uint8_t)chance_of(&bytes, 256);

	if (at < size && chance_one_in(&bytes, 2))
		data[at] = byte;
	else if (at < size && chance_one_in(&bytes, 2))
		size = put_bytes(data, size, max, at, 1, NULL, 0);
	else
		size = put_bytes(data, size, max, at, 0, &byte, 1);
	return size;
}

/* Mutate a seed, in memory of exactly max bytes; *size is updated. */
static uint8_t *
mutated(const uint8_t *data, size_t *size, size_t max, unsigned seed)
{
	uint8_t *exact = fuzz_exact(data, max);

	memset(exact + *size, 0x5a, max - *size);
	bytes.state = seed;
	*size = LLVMFuzzerCustomMutator(exact, *size, max, seed);
	MUST(*size <= max);
	return exact;
}

/* data has room for GROWS bytes more. */
static void
mutate_file(uint8_t *data, size_t size)
{
	size_t max = size + GROWS;

	for (unsigned seed = 0; seed < MUTATIONS; seed++) {
		size_t n = size, again = size;
		uint8_t *one = mutated(data, &n, max, seed), *two = mutated(data, &again, max, seed);

		MUST(n == again && memcmp(one, two, n) == 0);
		run(one, n);
		memcpy(data, one, n);
		size = n;
		free(one);
		free(two);
	}
}

/* Combined with itself, as there is no other input. */
static void
cross_file(const uint8_t *data, size_t size)
{
	for (unsigned seed = 0; seed < MUTATIONS; seed++) {
		size_t max = 1 + size * seed / (MUTATIONS / 2), n;
		uint8_t *out = malloc(max);

		MUST(out != NULL);
		bytes.state = seed;
		n = LLVMFuzzerCustomCrossOver(data, size, data, size, out, max, seed);
		MUST(n <= max);
		run(out, n);
		free(out);
	}
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
	fprintf(stderr, "%s: %zu bytes\n", path, size);	/* to be printed if the next call aborts */
	run(data, size);
	for (size_t cut = 0; size < CUT_MAX && cut < size; cut += size / CUTS + 1)
		run(data, cut);
	if (LLVMFuzzerCustomCrossOver != NULL && size < CUT_MAX)
		cross_file(data, size);
	if (LLVMFuzzerCustomMutator != NULL && size < CUT_MAX)
		mutate_file(data, size);
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
