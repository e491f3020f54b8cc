/*
 * Fuzzes a result, as a document or as JSON lines.  Checks: an accepted result yields its points
 * each time they are requested.  jansson also accepts a document that we accept, and finds the
 * same points in it.
 */
#include "doc/points_file.h"
#include "doc/result_doc.h"
#include "fuzz.h"
#include "mutate_json.h"
#include "mutate_words.h"

/* A mutation may insert one of these. */
static const char *const words[] = { "points", "event", "start", "point", "end", "index",
	"udpace-result/1", "udpace-result/2", "throughput", "latency", "clock", "{", "}", "[", "]",
	",", "\"", "\n", "\"points\":[", "interrupted", "planned", "order", "null", NULL };

static int
read_bytes(const void *data, size_t size, struct pace_points *p)
{
	struct pace_err err = { .code = 0 };
	void *exact = fuzz_exact(data, size);
	FILE *f = fmemopen(exact, size, "rb");
	int rc;

	MUST(f != NULL);
	rc = pace_points_read(f, "fuzz", p, &err);
	fclose(f);
	free(exact);
	MUST(rc == 0 || (rc == -err.code && err.text[0] != '\0'));
	MUST(rc == 0 || (p->n == 0 && p->head == NULL));
	return rc;
}

static json_t *
point(const struct pace_points *p, size_t i)
{
	struct pace_err err;
	uint32_t index;
	json_t *j;

	MUST(pace_points_get(p, i, &j, &index, &err) == 0);
	MUST(json_is_object(j));
	return j;
}

/* Reals are written with 17 digits, so that they are the same when read back. */
static void
compare(const struct pace_points *p, const json_t *whole)
{
	const json_t *list = json_object_get(whole, "points");

	MUST(json_array_size(list) == p->n);
	for (size_t i = 0; i < p->n; i++) {
		json_t *j = point(p, i);

		MUST(json_equal(j, json_array_get(list, i)));
		json_decref(j);
	}
}

/* In the whole document jansson reaches its depth limit two levels earlier. */
static bool
is_deep(const uint8_t *data, size_t size)
{
	int n = 0;

	for (size_t i = 0; i < size; i++)
		n += data[i] == '[' || data[i] == '{';
	return n > 1000;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_points p;
	struct pace_head head;
	json_t *whole;

	if (size == 0 || is_deep(data, size) || read_bytes(data, size, &p) != 0)
		return 0;
	MUST(p.kind != NULL);
	for (size_t i = 0; i < p.n; i++)
		json_decref(point(&p, i));
	if (json_object_get(p.head, "event") == NULL) {
		MUST(p.ended && !p.torn);
		whole = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
		MUST(whole != NULL);
		compare(&p, whole);
		json_decref(whole);
	}
	if (pace_head_from_json(&head, p.head) == 0)
		pace_head_free(&head);
	pace_points_free(&p);
	return 0;
}

/* Mutate a document or one of the lines; or drop, cut or repeat a line. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	size_t at = size > 0 ? line_at(data, size, chance_of(&c, size)).at : 0;

	if (chance_one_in(&c, 4))
		return mutate_words(data, size, max, words, &c);
	return mutate_json(data, size, max, at, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	if (chance_one_in(&c, 2))
		return cross_words(a, asize, b, bsize, out, max, &c);
	return cross_json(a, asize, b, bsize, out, max, 0, &c);
}
