/*
 * Fuzzes a journal, as a crash may have left it.  Checks: an open journal yields each planned point
 * or nothing for it, and can be continued: a point that is added is there when it is opened again,
 * beside the points before.  A rejected file stays unchanged.
 */
#include "run/journal.h"
#include "mutate_json.h"
#include "mutate_words.h"
#include "on_disk.h"

#define PLANNED_MOST	10000	/* number of points that are checked */

static bool
has_size(size_t size)
{
	struct stat st;

	return stat(path, &st) == 0 && (size_t)st.st_size == size;
}

/* Count the lines; each must be an object with its number. */
static size_t
count_points(struct pace_journal *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->planned && i < PLANNED_MOST; i++) {
		json_t *point = pace_journal_point(j, i);

		MUST((point != NULL) == (j->line[i] >= 0));
		if (point == NULL)
			continue;
		MUST(json_integer_value(json_object_get(point, "index")) == (json_int_t)i);
		fuzz_sum_json("point", point);
		n++;
	}
	return n;
}

/* Another one, in the middle. */
static void
go_on(struct pace_journal *j)
{
	size_t at = j->planned / 2, had = j->done + (j->line[at] < 0), planned = j->planned;
	json_t *point;

	MUST(pace_journal_add(j, at, json_pack("{s:i}", "size_bytes", 64), NULL, false) == 0);
	MUST(j->done == had);
	pace_journal_close(j, false);
	MUST(pace_journal_open(j, path) == PACE_EXIT_OK);
	MUST(j->planned == planned && j->done == had);
	point = pace_journal_point(j, at);
	MUST(json_integer_value(json_object_get(point, "size_bytes")) == 64);
	json_decref(point);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pace_journal j;
	size_t n;
	int rc;

	put_file(data, size);
	memset(&j, 0, sizeof(j));
	rc = pace_journal_open(&j, path);
	fuzz_sum("status", &rc, sizeof(rc));
	if (rc == PACE_EXIT_OK) {
		n = count_points(&j);
		MUST(j.planned > 0 && j.done <= j.planned);
		MUST(j.planned > PLANNED_MOST ? n <= j.done : n == j.done);
		MUST(has_size(size));	/* the file does not change before a point is added */
		fuzz_sum("done", &j.done, sizeof(j.done));
		go_on(&j);
	} else
		MUST(has_size(size));
	pace_journal_close(&j, false);
	pace_journal_close(&j, false);		/* twice is allowed */
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "event", "start", "point", "index", "planned", "order",
		"udpace-result/1", "{", "}", "[", "]", ",", "\"", "\n", "\n\n", "null",
		"{\"event\":\"point\",\"index\":1}\n", NULL };
	struct chance c = { seed };
	size_t at = size > 0 ? line_at(data, size, chance_of(&c, size)).at : 0;

	if (chance_one_in(&c, 3))
		return mutate_words(data, size, max, words, &c);
	return mutate_json(data, size, max, at, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
