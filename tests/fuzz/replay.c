/*
 * Runs a fuzz target on files, where libFuzzer is missing.  It runs every file that the command
 * line names and every file in the named directories.  It also runs each file shorter than 4 KiB
 * cut at up to CUTS lengths.  Then it applies the target's own mutator MUTATIONS times in a row, ROWS
 * times, to each file that is not too long, and checks that the same seed gives the same bytes and that no mutation exceeds its limit.
 * Options of libFuzzer are ignored.
 *
 * Sums       the sum of a file's results, of all its runs, is compared with the line of the file in
 *            tests/data/sums/TARGET.txt, if top_srcdir is in the environment.  If a change is
 *            intended, UDPACE_SUMS=write with the whole corpus records the new sums.
 *            UDPACE_SUMS=trace prints the results, so that diff shows what has changed.
 *
 * Exit status: 0; 1 if a sum differs; 2 if there was nothing to run.  A fault aborts.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/sum.h"
#include "mutator.h"

#define CUT_MAX		4096
#define CUTS		128		/* an input may be a whole measurement */
#define FILE_MAX	(1 << 24)
#define MUTATIONS	8
#define ROWS		6		/* of them, each from the file */
#define MUTATE_MAX	(1 << 16)
#define GROWS		512		/* a mutated input may have so many more bytes */

/* Not every target has them. */
#pragma weak LLVMFuzzerCustomMutator
#pragma weak LLVMFuzzerCustomCrossOver

static unsigned long files, runs;

/* --- sums ------------------------------------------------------------------------ */

static struct {
	FILE		*recorded, *written;	/* NULL: none */
	bool		compare, trace;
	uint64_t	sum;
	unsigned long	results, different;	/* of this file; files */
} sums;

void
replay_sum(const char *what, const void *p, size_t size)
{
	const uint8_t *byte = p;

	sums.results++;
	sums.sum = sum_add(sums.sum, what, strlen(what));
	sums.sum = sum_add(sums.sum, p, size);
	if (!sums.trace)
		return;
	printf("%s:", what);
	for (size_t i = 0; i < size; i++)
		printf(byte[i] == '\n' || (byte[i] >= ' ' && byte[i] < 0x7f) ? "%c" : "\\x%02x", byte[i]);
	putchar('\n');
}

static void
open_sums(const char *program)
{
	const char *how = getenv("UDPACE_SUMS"), *top = getenv("top_srcdir");
	const char *slash = strrchr(program, '/');
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/data/sums/%s.txt", top != NULL ? top : ".",
	    slash != NULL ? slash + 1 : program);
	sums.trace = how != NULL && strcmp(how, "trace") == 0;
	if (how != NULL && strcmp(how, "write") == 0)
		sums.written = fopen(path, "w");
	sums.compare = how == NULL && top != NULL && SUM_SAME_FIGURES;
	if (sums.compare)
		sums.recorded = fopen(path, "r");
}

/* Find the recorded sum of a file; false: there is none. */
static bool
recorded(const char *file, unsigned long long *sum)
{
	char name[128];

	if (sums.recorded == NULL)
		return false;
	rewind(sums.recorded);
	while (fscanf(sums.recorded, "%llx %127s", sum, name) == 2)
		if (strcmp(name, file) == 0)
			return true;
	return false;
}

/* All runs of this file are over. */
static void
compare_sum(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
	unsigned long long was;

	if (sums.results == 0)
		return;
	if (sums.written != NULL)
		fprintf(sums.written, "%016llx %s\n", (unsigned long long)sums.sum, file);
	if (sums.compare && (!recorded(file, &was) || was != sums.sum)) {
		fprintf(stderr, "%s: the results are not those that were recorded; UDPACE_SUMS=trace "
		    "prints them: see replay.c\n", path);
		sums.different++;
	}
}

/* --- runs ------------------------------------------------------------------------ */

static void
run(const uint8_t *data, size_t size)
{
	uint8_t *exact = fuzz_exact(data, size);

	if (sums.trace)
		printf("run %lu\n", runs);
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

/* Mutate a file MUTATIONS times in a row. */
static void
mutate_file(const uint8_t *data, size_t size, unsigned row)
{
	size_t max = size + GROWS;
	uint8_t *now = malloc(max);

	MUST(now != NULL);
	memcpy(now, data, size);
	for (unsigned seed = row * MUTATIONS; seed < (row + 1) * MUTATIONS; seed++) {
		size_t n = size, again = size;
		uint8_t *one = mutated(now, &n, max, seed), *two = mutated(now, &again, max, seed);

		MUST(n == again && memcmp(one, two, n) == 0);
		run(one, n);
		memcpy(now, one, n);
		size = n;
		free(one);
		free(two);
	}
	free(now);
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
	sums.sum = sums.results = 0;
	run(data, size);
	for (size_t cut = 0; size < CUT_MAX && cut < size; cut += size / CUTS + 1)
		run(data, cut);
	if (LLVMFuzzerCustomCrossOver != NULL && size < CUT_MAX)
		cross_file(data, size);
	for (unsigned row = 0; LLVMFuzzerCustomMutator != NULL && size < MUTATE_MAX && row < ROWS; row++)
		mutate_file(data, size, row);
	compare_sum(path);
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

	open_sums(argv[0]);
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode))
			rc |= replay_dir(argv[i]);
		else
			rc |= replay_file(argv[i]);
	}
	printf("%lu files, %lu runs, %lu files with another sum\n", files, runs, sums.different);
	if (sums.written != NULL && fclose(sums.written) != 0)
		rc = -1;
	return rc != 0 || files == 0 ? 2 : sums.different > 0;
}
