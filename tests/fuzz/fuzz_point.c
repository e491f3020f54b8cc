/*
 * Fuzzes documents in files: the first byte chooses between a point, a document's head, a point of
 * round trips, a stream of a capture, a capture and a TCP run; the rest is JSON.  Checks: an accepted object
 * keeps every identity; after writing it is accepted again and is the same.
 */
#include "doc/capture_doc.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/result_doc.h"
#include "doc/tcp_doc.h"
#include "fuzz.h"
#include "mutate_json.h"
#include "same.h"

static void
try_point(const json_t *j)
{
	static struct pace_point point;
	json_t *first, *second;
	char *text;

	if (pace_point_from_json(&point, j) != 0)
		return;
	MUST(pace_point_broken(&point) == NULL);
	text = fuzz_text(pace_point_to_json(&point));
	first = fuzz_parse(text);
	MUST(first != NULL);
	MUST(pace_point_from_json(&point, first) == 0);
	MUST(pace_point_broken(&point) == NULL);
	second = pace_point_to_json(&point);
	MUST(same_json(first, second));
	json_decref(first);
	json_decref(second);
	free(text);
}

static void
try_trips(const json_t *j)
{
	static struct pace_latency trips;
	json_t *first, *second;
	char *text;

	if (pace_latency_from_json(&trips, j) != 0)
		return;
	MUST(pace_latency_broken(&trips) == NULL);
	text = fuzz_text(pace_latency_to_json(&trips));
	first = fuzz_parse(text);
	MUST(first != NULL);
	MUST(pace_latency_from_json(&trips, first) == 0);
	second = pace_latency_to_json(&trips);
	MUST(same_json(first, second));
	json_decref(first);
	json_decref(second);
	free(text);
}

static void
try_seen(const json_t *j)
{
	static struct pace_seen seen;
	json_t *first, *second;
	char *text;

	if (pace_seen_from_json(&seen, j) != 0)
		return;
	MUST(seen.rx.frames == seen.rx.unique + seen.rx.duplicates);
	text = fuzz_text(pace_seen_to_json(&seen));
	first = fuzz_parse(text);
	MUST(first != NULL);
	MUST(pace_seen_from_json(&seen, first) == 0);
	second = pace_seen_to_json(&seen);
	MUST(same_json(first, second));
	json_decref(first);
	json_decref(second);
	free(text);
}

static void
try_capture(const json_t *j)
{
	struct pace_capture capture;
	json_t *first, *second;
	char *text;

	if (pace_capture_from_json(&capture, j) != 0)
		return;
	text = fuzz_text(pace_capture_to_json(&capture));
	first = fuzz_parse(text);
	MUST(first != NULL);
	MUST(pace_capture_from_json(&capture, first) == 0);
	second = pace_capture_to_json(&capture);
	MUST(same_json(first, second));
	json_decref(first);
	json_decref(second);
	free(text);
}

static void
try_tcp(const json_t *j)
{
	struct pace_tcp_point *p = pace_tcp_point_new();
	json_t *first, *second;
	char *text;

	MUST(p != NULL);
	if (pace_tcp_point_from_json(p, j) == 0) {
		MUST(p->ask.streams <= PACE_TCP_STREAMS && (p->ask.up || p->ask.down));
		text = fuzz_text(pace_tcp_point_to_json(p));
		pace_tcp_point_free(p);
		p = pace_tcp_point_new();
		MUST(p != NULL);
		first = fuzz_parse(text);
		MUST(first != NULL);
		MUST(pace_tcp_point_from_json(p, first) == 0);
		second = pace_tcp_point_to_json(p);
		MUST(same_json(first, second));
		json_decref(first);
		json_decref(second);
		free(text);
	}
	pace_tcp_point_free(p);
}

static void
try_head(const json_t *j)
{
	struct pace_head head;
	json_t *first, *second;
	char *text;

	if (pace_head_from_json(&head, j) != 0)
		return;
	MUST(head.r.argc >= 0 && head.r.argv[head.r.argc] == NULL);
	text = fuzz_text(pace_result_head_to_json(&head.r));
	pace_head_free(&head);
	pace_head_free(&head);		/* twice is allowed */
	first = fuzz_parse(text);
	MUST(first != NULL);
	MUST(pace_head_from_json(&head, first) == 0);
	second = pace_result_head_to_json(&head.r);
	MUST(same_json(first, second));
	pace_head_free(&head);
	json_decref(first);
	json_decref(second);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *j;

	if (size == 0)
		return 0;
	j = json_loadb((const char *)data + 1, size - 1, JSON_REJECT_DUPLICATES, NULL);
	if (data[0] >= 224 && data[0] < 240)
		try_tcp(j);
	else if (data[0] >= 240 && data[0] % 2 == 0)
		try_seen(j);
	else if (data[0] >= 240)
		try_capture(j);
	else if (data[0] % 3 == 0)
		try_point(j);
	else if (data[0] % 3 == 1)
		try_head(j);
	else
		try_trips(j);
	json_decref(j);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	if (size > 0 && chance_one_in(&c, 16)) {
		data[0] = (uint8_t)chance_of(&c, 256);
		return size;
	}
	return mutate_json(data, size, max, 1, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_json(a, asize, b, bsize, out, max, 1, &c);
}
