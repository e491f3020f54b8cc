/*
 * Fuzzes the file of a campaign.  Checks: an accepted file has steps, and each name can be the name
 * of a file; no name and no key occurs twice.  A rejected file leaves nothing behind, and the
 * message names the line.
 */
#include <ctype.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/campaign_file.h"
#include "fuzz.h"
#include "mutate_words.h"

static void
check_step(const struct pace_step *s)
{
	size_t n = strnlen(s->name, sizeof(s->name));

	MUST(n > 0 && n < sizeof(s->name) && s->name[0] != '-' && s->line > 0);
	fuzz_sum("step", s->name, n);
	for (size_t i = 0; i < n; i++)
		MUST(isalnum((unsigned char)s->name[i]) || s->name[i] == '-' || s->name[i] == '_');
	for (size_t i = 0; i < s->n; i++) {
		MUST(s->v[i].key != NULL && s->v[i].value != NULL);
		MUST(pace_step_get(s, s->v[i].key) == s->v[i].value);	/* so it is there once */
		fuzz_sum(s->v[i].key, s->v[i].value, strlen(s->v[i].value));
	}
	MUST(pace_step_get(s, "command") == NULL);
}

static void
check_campaign(const struct pace_campaign *c)
{
	MUST(c->n > 0 && c->n <= PACE_STEPS_MAX);
	for (size_t i = 0; i < c->n; i++) {
		check_step(&c->steps[i]);
		for (size_t k = 0; k < i; k++)
			MUST(strcmp(c->steps[i].name, c->steps[k].name) != 0);
	}
}

/* A file in memory, and its name. */
static int
open_memory(char path[64])
{
	int fd = memfd_create("campaign", 0);

	MUST(fd >= 0);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	struct pace_campaign c;
	struct pace_err err = { .code = 0 };
	int rc;

	if (fd < 0)
		fd = open_memory(path);
	MUST(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	rc = pace_campaign_load(&c, path, &err);
	MUST(rc == 0 || (rc == -EPROTO && err.code == EPROTO && err.text[0] != '\0'));
	fuzz_sum("error", err.text, strlen(err.text));
	if (rc == 0)
		check_campaign(&c);
	else
		MUST(c.n == 0 && c.steps == NULL && c.title == NULL && c.about == NULL);
	pace_campaign_free(&c);
	pace_campaign_free(&c);		/* twice is allowed */
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "[campaign]\n", "[a]\n", "[b]\n", "[", "]", "=", ":",
		";", "#", " ", "\n ", "\n\t", "\n", "title", "about", "command", "throughput", "latency",
		"size", "spacing", "count", "yes", "no", "\xef\xbb\xbf", "\r\n", "-", "_", "\"", NULL };
	struct chance c = { seed };

	return mutate_words(data, size, max, words, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
