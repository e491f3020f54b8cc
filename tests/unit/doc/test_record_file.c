/* record_file.h, columns.h: a file of frames, there and back, and as rows. */
#include "doc/record_file.h"
#include "out/columns.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/wire.h"
#include "lib/mutate.h"
#include "lib/unit.h"

#define T0	INT64_C(5000000000007)
#define OFFSET	INT64_C(7000000000000)

static char path[] = "/tmp/udpace-records-XXXXXX";
static char *data;		/* a file's bytes, malloced */
static size_t size;
static struct pace_record_file file;
static struct pace_err err;

static char *words[] = { (char[]){ "udpace" }, (char[]){ "caf\xe9\033" } };
static const struct pace_result head = {
	.kind = "throughput", .started = "2026-11-20T15:04:05.123456789Z",
	.argc = 2, .argv = words, .client = { .version = "0.1.0" },
};

/* Typed by hand: seq, tx, rx, late, flags of two records. */
static uint8_t two[2 * PACE_RECORD_SIZE] = {
	0, 0, 0, 0, 0, 0, 0, 4,  0, 0, 0, 0, 0, 0, 0, 9,
	0, 0, 0, 0, 0, 0, 0x03, 0xe8,  0, 0, 0, 0, 0, 0, 0x07, 0xd0,
	0, 0, 0, 0, 0, 0, 0x0b, 0xb8,  0, 0, 0, 0, 0, 0, 0x0f, 0xa0,
	0, 0, 0, 7,  0xff, 0xff, 0xff, 0xff,
	0x22, 0x23,
};

static struct pace_record_run runs[3] = {
	{ .point = 0, .size_bytes = 1472, .spacing = UINT64_C(10000) << 32, .n = 2, .sent = 12,
	    .columns = two, .clock = { .segments = 2, .v = {
		{ -5, 1500, { 1000, -2, 0.999999999999999, 0.0005 }, 100.5 },
		{ 1500, 9000, { 2000, 4000, 0, -0.0005 }, 50 } } } },
	{ .point = 4, .size_bytes = 65507, .spacing = (UINT64_C(1230) << 32) + 1717986918,
	    .skip = 100, .lost_only = true, .missed = 3, .sent = (UINT64_C(1) << 62) - 1 },
	{ .point = UINT32_MAX, .size_bytes = 32, .n = 1, .columns = two, .sent = 5 },
};

static void
setup(void)
{
	FILE *f;

	unit_file(path);
	f = open_memstream(&data, &size);
	ck_assert_int_eq(pace_record_file_write(f, &head, runs, 3), 0);
	fclose(f);
}

static void
teardown(void)
{
	unlink(path);
	free(data);
	pace_record_file_free(&file);
	pace_record_file_free(&file);		/* twice is allowed */
}

/* Reads exactly these bytes; what a failure leaves is nothing. */
static int
read_bytes(const void *bytes, size_t len)
{
	void *exact = malloc(len);
	FILE *f;
	int rc;

	memcpy(exact, bytes, len);
	f = fmemopen(exact, len, "rb");
	ck_assert(f != NULL);
	memset(&file, 0x5a, sizeof(file));
	err.code = 0;
	rc = pace_record_file_read(f, &file, &err);
	fclose(f);
	free(exact);
	if (rc != 0) {
		ck_assert(file.runs == NULL);
		ck_assert_uint_eq(file.n, 0);
		ck_assert_int_eq(err.code, -rc);
		ck_assert(err.text[0] != '\0');
	}
	return rc;
}

static void
same_clock(const struct pace_clock_estimate *a, const struct pace_clock_estimate *b)
{
	ck_assert_int_eq(a->segments, b->segments);
	for (int i = 0; i < a->segments; i++) {
		const struct pace_clock_segment *x = &a->v[i], *y = &b->v[i];

		ck_assert_int_eq(x->from_ns, y->from_ns);
		ck_assert_int_eq(x->to_ns, y->to_ns);
		ck_assert_int_eq(x->line.t_ns, y->line.t_ns);
		ck_assert_int_eq(x->line.offset_ns, y->line.offset_ns);
		ck_assert_double_eq_tol(x->line.frac_ns, y->line.frac_ns, 1e-11);
		ck_assert_double_eq_tol(x->line.rate, y->line.rate, 1e-15);
		ck_assert_double_eq_tol(x->bound_ns, y->bound_ns, 1e-6);
	}
}

START_TEST(a_file_comes_back_as_it_was)
{
	ck_assert_int_eq(read_bytes(data, size), 0);
	ck_assert_str_eq(file.version, "0.1.0");
	ck_assert_str_eq(file.started, "2026-11-20T15:04:05.123456789Z");
	ck_assert_uint_eq(file.n, 3);
	for (int i = 0; i < 3; i++) {
		const struct pace_record_run *a = &file.runs[i], *b = &runs[i];

		ck_assert_uint_eq(a->point, b->point);
		ck_assert_uint_eq(a->size_bytes, b->size_bytes);
		ck_assert_uint_eq(a->spacing, b->spacing);
		ck_assert_uint_eq(a->skip, b->skip);
		ck_assert_int_eq(a->lost_only, b->lost_only);
		ck_assert_uint_eq(a->n, b->n);
		ck_assert_uint_eq(a->missed, b->missed);
		ck_assert_uint_eq(a->sent, b->sent);
		same_clock(&a->clock, &b->clock);
		if (b->n > 0)
			ck_assert_mem_eq(a->columns, b->columns, b->n * PACE_RECORD_SIZE);
		else
			ck_assert(a->columns == NULL);
	}
	ck_assert(file.runs[0].clock.bound_ns == 100.5);	/* the widest */
}
END_TEST

/* By the length in front of it. */
static json_t *
header_of(const char *bytes, size_t *len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	json_t *j;

	*len = (size_t)p[8] << 24 | (size_t)p[9] << 16 | (size_t)p[10] << 8 | p[11];
	j = json_loadb(bytes + 12, *len, JSON_REJECT_DUPLICATES, NULL);
	ck_assert(j != NULL);
	return j;
}

START_TEST(the_file_is_laid_out_as_the_page_says)
{
	json_t *want = json_pack("{s:s, s:s, s:s, s:[s,s], s:[o,o,o]}",
	    "schema", "udpace-records/1", "version", "0.1.0",
	    "started", "2026-11-20T15:04:05.123456789Z", "command", "udpace", "caf??", "runs",
	    json_loads("{\"point\": 0, \"size_bytes\": 1472, \"spacing_ns\": 10000, \"skip\": 0,"
	    "\"lost_only\": false, \"records\": 2, \"missed\": 0, \"sent\": 12, \"clock\": ["
	    "{\"from_ns\": -5, \"to_ns\": 1500, \"t_ns\": 1000, \"offset_ns\": -2,"
	    "\"frac_ns\": 1.0, \"rate\": 0.0005, \"offset_error_max_ns\": 100.5},"
	    "{\"from_ns\": 1500, \"to_ns\": 9000, \"t_ns\": 2000, \"offset_ns\": 4000,"
	    "\"frac_ns\": 0.0, \"rate\": -0.0005, \"offset_error_max_ns\": 50.0}]}", 0, NULL),
	    json_loads("{\"point\": 4, \"size_bytes\": 65507, \"spacing_ns\": 1230.4,"
	    "\"skip\": 100, \"lost_only\": true, \"records\": 0, \"missed\": 3,"
	    "\"sent\": 4611686018427387903, \"clock\": null}", 0, NULL),
	    json_loads("{\"point\": 4294967295, \"size_bytes\": 32, \"spacing_ns\": 0,"
	    "\"skip\": 0, \"lost_only\": false, \"records\": 1, \"missed\": 0, \"sent\": 5,"
	    "\"clock\": null}", 0, NULL));
	size_t len;
	json_t *got = header_of(data, &len);

	ck_assert_mem_eq(data, "UDPACER1", 8);
	ck_assert_uint_eq(size, 12 + len + 3 * PACE_RECORD_SIZE);
	ck_assert_mem_eq(data + 12 + len, two, 2 * PACE_RECORD_SIZE);
	ck_assert_mem_eq(data + 12 + len + 2 * PACE_RECORD_SIZE, two, PACE_RECORD_SIZE);
	if (!json_equal(want, got))
		ck_abort_msg("%s", json_dumps(got, 0));
	json_decref(want);
	json_decref(got);
}
END_TEST

START_TEST(a_file_of_no_runs_is_one)
{
	FILE *f = fopen(path, "wb");

	ck_assert_int_eq(pace_record_file_write(f, &head, NULL, 0), 0);
	fclose(f);
	ck_assert_int_eq(pace_record_file_load(path, &file, &err), 0);
	ck_assert_uint_eq(file.n, 0);
}
END_TEST

/* A point of one stream, then one of streams 0 and 2; refused: each other order. */
START_TEST(streams_of_a_point_are_runs_in_ascending_order)
{
	static const struct { uint32_t point, stream; } bad[][2] = {
		{ { 1, 1 }, { 1, 1 } }, { { 1, 3 }, { 1, 1 } }, { { 1, 0 }, { 1, 1 } },
		{ { 1, 1 }, { 1, 0 } }, { { 2, 1 }, { 1, 2 } }, { { 1, 1 }, { 2, 257 } },
	};
	struct pace_record_run v[3] = { runs[0], runs[0], runs[0] };
	FILE *f;

	v[1].point = v[2].point = 1;
	v[1].stream = 1;
	v[2].stream = 3;
	for (size_t i = 0; i <= COUNT_OF(bad); i++) {
		char *bytes;
		size_t len;

		for (int k = 0; i > 0 && k < 2; k++) {
			v[k].point = bad[i - 1][k].point;
			v[k].stream = bad[i - 1][k].stream;
		}
		f = open_memstream(&bytes, &len);
		ck_assert_int_eq(pace_record_file_write(f, &head, v, i > 0 ? 2 : 3), 0);
		fclose(f);
		ck_assert_int_eq(read_bytes(bytes, len), i > 0 ? -EPROTO : 0);
		for (size_t k = 0; k < file.n; k++)
			ck_assert_uint_eq(file.runs[k].stream, v[k].stream);
		pace_record_file_free(&file);
		free(bytes);
	}
}
END_TEST

START_TEST(a_full_device_is_told_when_writing)
{
	FILE *f = fopen("/dev/full", "wb");

	if (f == NULL)
		return;
	ck_assert_int_eq(pace_record_file_write(f, &head, runs, 3), -ENOSPC);
	fclose(f);
}
END_TEST

START_TEST(every_cut_is_refused)
{
	for (size_t len = 1; len < size; len++) {
		ck_assert_int_eq(read_bytes(data, len), -EPROTO);
		ck_assert(strstr(err.text, len < 8 ? "not a file" : "cut off") != NULL);
	}
}
END_TEST

START_TEST(one_byte_more_is_refused)
{
	char *more = calloc(1, size + 1);

	memcpy(more, data, size);
	ck_assert_int_eq(read_bytes(more, size + 1), -EPROTO);
	free(more);
}
END_TEST

/* Each accepted file can be written again and is then the same. */
static void
check_again(void)
{
	struct pace_record_file first = file, second;
	char *again;
	size_t len;
	FILE *f = open_memstream(&again, &len);

	ck_assert_int_eq(pace_record_file_write(f, &head, first.runs, first.n), 0);
	fclose(f);
	ck_assert_int_eq(read_bytes(again, len), 0);
	free(again);
	second = file;
	ck_assert_uint_eq(first.n, second.n);
	for (size_t i = 0; i < first.n; i++) {
		const struct pace_record_run *a = &first.runs[i], *b = &second.runs[i];

		ck_assert(a->point == b->point && a->size_bytes == b->size_bytes &&
		    a->skip == b->skip && a->lost_only == b->lost_only && a->n == b->n &&
		    a->missed == b->missed && a->sent == b->sent);
		ck_assert(a->n == 0 ||
		    memcmp(a->columns, b->columns, a->n * PACE_RECORD_SIZE) == 0);
		ck_assert_int_eq(a->clock.segments, b->clock.segments);
	}
	pace_record_file_free(&second);
	file = first;
}

/* Rows of every kind, to see no more than that nothing breaks. */
static void
print_all(void)
{
	FILE *f = fopen("/dev/null", "w");

	for (int i = 0; i < 8; i++) {
		struct pace_columns_cfg cfg = { .format = (enum pace_columns_format)(i & 1),
		    .absolute = (i & 2) != 0, .one = (i & 4) != 0 };

		ck_assert_int_eq(pace_columns_write(f, &file, &cfg), 0);
	}
	fclose(f);
}

START_TEST(flipped_bits_are_refused_or_read_consistently)
{
	int refused = 0;

	for (size_t bit = 0; bit < 8 * size; bit++) {
		data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
		if (read_bytes(data, size) == 0) {
			check_again();
			print_all();
			pace_record_file_free(&file);
		} else {
			refused++;
		}
		data[bit / 8] = (char)(data[bit / 8] ^ 1 << bit % 8);
	}
	/* magic, length, quotes and names, the upper flags */
	ck_assert_int_ge(refused, 8 * 12 + 6);
}
END_TEST

/* By kind of mutate.h: where what stands instead is as true as before. */
static const char *const harmless[MUTATE_KINDS][24] = {
	{ "/command/*", "/runs/0/clock/0", "/runs/0/clock/1", "/runs/1" },	/* no records */
	{ "/runs/0/clock", "/runs/1/clock", "/runs/2/clock" },
	{ "/version", "/started", "/command/*" },
	{ "/runs/0/clock/0/from_ns", "/runs/0/clock/0/to_ns", "/runs/0/clock/0/t_ns",
	    "/runs/0/clock/1/t_ns", "/runs/0/clock/0/offset_ns", "/runs/0/clock/1/offset_ns",
	    "/runs/0/clock/1/from_ns" },			/* still above -5 */
	{ "/runs/0/clock/0/offset_error_max_ns", "/runs/0/clock/1/offset_error_max_ns" },
	{ "/runs/0/clock/0/offset_error_max_ns", "/runs/0/clock/1/offset_error_max_ns" },
	{ "/command" },
	{ NULL },
	{ "/runs/0/lost_only", "/runs/1/lost_only", "/runs/2/lost_only" },
	{ "/runs/0/point", "/runs/1/point", "/runs/0/size_bytes", "/runs/1/size_bytes",
	    "/runs/2/size_bytes", "/runs/0/spacing_ns", "/runs/1/spacing_ns",
	    "/runs/2/spacing_ns", "/runs/0/skip", "/runs/1/skip", "/runs/2/skip",
	    "/runs/0/missed", "/runs/1/missed", "/runs/2/missed", "/runs/0/sent",
	    "/runs/2/sent",			/* 1's is the largest there is */
	    "/runs/0/clock/*" },		/* the limits: lies, below */
};

static bool
may_be(const char *where, int kind)
{
	return mutate_listed(harmless[kind], where);
}

/* A file that differs in its header only. */
static int
read_with_header(const json_t *j)
{
	size_t old, len;
	char *text = json_dumps(j, JSON_REAL_PRECISION(12)), *bytes;
	int rc;

	json_decref(header_of(data, &old));
	len = strlen(text);
	bytes = malloc(size + len);
	memcpy(bytes, data, 8);
	memcpy(bytes + 8, (char[]){ 0, 0, (char)(len >> 8), (char)len }, 4);
	memcpy(bytes + 12, text, len);
	memcpy(bytes + 12 + len, data + 12 + old, size - 12 - old);
	rc = read_bytes(bytes, 12 + len + size - 12 - old);
	free(bytes);
	free(text);
	return rc;
}

START_TEST(a_spoiled_header_is_refused)
{
	char where[256];
	size_t len;
	json_t *j = header_of(data, &len), *bad;
	int refused = 0;

	for (int node = 1; (bad = mutate(j, node, _i, where)) != NULL; node++) {
		int rc = read_with_header(bad);

		if (rc == 0 && !may_be(where, _i))
			ck_abort_msg("kind %d of %s was accepted", _i, where);
		if (rc == 0) {
			check_again();
			print_all();
			pace_record_file_free(&file);
		}
		refused += rc != 0;
		json_decref(bad);
	}
	ck_assert_int_ge(refused, 5);
	json_decref(j);
}
END_TEST

/* A text of the header as the writer wrote it, and a lie of the same length. */
static const struct { const char *truth, *lie; int rc; } lies[] = {
	{ "udpace-records/1", "udpace-records/2", -EPROTONOSUPPORT },
	{ "udpace-records/1", "udpace-result/11", -EPROTONOSUPPORT },
	{ "\"schema\"", "\"scheme\"", -EPROTO },
	{ "\"point\": 4,", "\"point\": 0,", -EPROTO },		/* must rise */
	{ "\"records\": 2", "\"records\": 1", -EPROTO },
	{ "\"records\": 2", "\"records\": 3", -EPROTO },
	{ "\"records\": 0", "\"records\": 9", -EPROTO },
	{ "\"missed\": 0, \"sent\": 12", "\"sent\": 12,            ", -EPROTO },
	{ "\"frac_ns\": 1.0", "\"frac_ns\": 1.1", -EPROTO },
	{ "\"frac_ns\": 0.0,", "\"frac_ns\": -.1,", -EPROTO },
	{ "\"rate\": 0.0005", "\"rate\": 0.0006", -EPROTO },
	{ "\"rate\": -0.0005", "\"rate\": -0.0006", -EPROTO },
	{ "\"offset_error_max_ns\": 50.0", "\"offset_error_max_ns\": -5.0", -EPROTO },
	{ "\"to_ns\": 1500", "\"to_ns\":  -15", -EPROTO },	/* before its from */
	{ "\"from_ns\": 1500", "\"from_ns\":  -15", -EPROTO },	/* before the first's */
	{ "\"spacing_ns\": 10000", "\"spacing_ns\": 3e+09", -EPROTO },
	{ "\"missed\": 3", "\"misled\": 3", -EPROTO },
	{ "\"command\": [\"udpace\", \"caf?\?\"]",
	    "\"command\": [], \"version\": \"x\" ", -EPROTO },	/* twice */
};

START_TEST(a_lie_in_the_header_is_refused)
{
	size_t len = strlen(lies[_i].truth), at = 0;

	ck_assert_uint_eq(len, strlen(lies[_i].lie));
	while (at + len <= size && memcmp(data + at, lies[_i].truth, len) != 0)
		at++;
	ck_assert_msg(at + len <= size, "%s", lies[_i].truth);
	memcpy(data + at, lies[_i].lie, len);
	ck_assert_int_eq(read_bytes(data, size), lies[_i].rc);
}
END_TEST

/* 2 + 4 (2^62 - 1) + 5 is 3 more than 2^64, and 3 records are there. */
START_TEST(the_sum_of_absurd_counts_does_not_wrap)
{
	static const json_int_t n[] = { 2, (INT64_C(1) << 62) - 1, (INT64_C(1) << 62) - 1,
	    (INT64_C(1) << 62) - 1, (INT64_C(1) << 62) - 1, 5 };
	size_t len;
	json_t *j = header_of(data, &len), *list = json_object_get(j, "runs");
	json_t *like = json_deep_copy(json_array_get(list, 1));

	json_array_clear(list);
	for (int i = 0; i < COUNT_OF(n); i++) {
		json_object_set_new(like, "point", json_integer(i));
		json_object_set_new(like, "records", json_integer(n[i]));
		json_array_append_new(list, json_deep_copy(like));
	}
	ck_assert_int_eq(read_with_header(j), -EPROTO);
	ck_assert(strstr(err.text, "shorter than its header says") != NULL);
	json_decref(like);
	json_decref(j);
}
END_TEST

/* 3816567739388183093 times 29 is 1 more than a multiple of 2^64. */
START_TEST(the_size_of_an_absurd_count_does_not_wrap)
{
	size_t len;
	json_t *j = header_of(data, &len), *list = json_object_get(j, "runs");

	json_object_set_new(json_array_get(list, 0), "records",
	    json_integer(INT64_C(3816567739388183093)));
	ck_assert_int_eq(read_with_header(j), -EPROTO);
	ck_assert(strstr(err.text, "shorter than its header says") != NULL);
	json_decref(j);
}
END_TEST

START_TEST(too_many_segments_are_refused)
{
	size_t len;
	json_t *j = header_of(data, &len);
	json_t *clock = json_object_get(json_array_get(json_object_get(j, "runs"), 0), "clock");

	while (json_array_size(clock) < PACE_CLOCK_SEGMENTS)
		json_array_append(clock, json_array_get(clock, 1));
	ck_assert_int_eq(read_with_header(j), 0);
	ck_assert_int_eq(file.runs[0].clock.segments, PACE_CLOCK_SEGMENTS);
	pace_record_file_free(&file);
	json_array_append(clock, json_array_get(clock, 1));
	ck_assert_int_eq(read_with_header(j), -EPROTO);
	json_decref(j);
}
END_TEST

START_TEST(a_record_of_no_known_kind_is_refused)
{
	for (size_t i = 0; i < 3; i++) {	/* the flags of run 0 and of run 2 */
		char *at = data + size - (i < 2 ? PACE_RECORD_SIZE + 1 + i : 1);

		*at = (char)(*at ^ 0x40);
		ck_assert_int_eq(read_bytes(data, size), -EPROTO);
		ck_assert(strstr(err.text, i < 2 ? "point 0" : "point 4294967295") != NULL);
		*at = (char)(*at ^ 0x40);
	}
}
END_TEST

START_TEST(what_is_no_file_of_records_says_so)
{
	ck_assert_int_eq(pace_record_file_load("/nonexistent/x", &file, &err), -ENOENT);
	ck_assert_int_eq(pace_record_file_load("/", &file, &err), -EISDIR);
	ck_assert_int_eq(pace_record_file_load("/dev/null", &file, &err), -ESPIPE);
	ck_assert_int_eq(pace_record_file_load(path, &file, &err), -EPROTO);	/* empty */
	ck_assert_str_eq(err.text, "not a file of frame records");
	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(pace_record_file_load(path, &file, &err), -ESPIPE);	/* at once */
}
END_TEST

/* ---- rows ---- */

static char *rows;
static size_t rows_size;

static const char *
print(const struct pace_record_file *from, enum pace_columns_format format, bool absolute,
    int64_t point)
{
	struct pace_columns_cfg cfg = { .format = format, .absolute = absolute,
	    .one = point >= 0, .point = (uint32_t)point };
	FILE *f;

	free(rows);
	f = open_memstream(&rows, &rows_size);
	ck_assert_int_eq(pace_columns_write(f, from, &cfg), 0);
	fclose(f);
	return rows;
}

static void
free_rows(void)
{
	free(rows);
}

/* Room for the columns of n records, in a file of one run. */
static struct pace_record_run one_run;
static const struct pace_record_file one_file = { .version = "0.1.0", .started = "today",
    .n = 1, .runs = &one_run };

static void
fill_run(const struct pace_record *v, uint64_t n, bool known)
{
	size_t bytes = pace_records_memory(n);
	void *memory = malloc(bytes);
	struct pace_records r;

	pace_records_init(&r, memory, n, 0, false);
	for (uint64_t i = 0; i < n; i++)
		pace_records_add(&r, &v[i]);
	one_run = (struct pace_record_run){ .point = 7, .size_bytes = 64,
	    .spacing = UINT64_C(10000) << 32, .n = n, .sent = n + 9, .columns = malloc(bytes) };
	if (known)
		one_run.clock = (struct pace_clock_estimate){ .segments = 1, .v = {
		    { T0, T0 + 90000, { T0, OFFSET, 0.25, 1e-7 }, 100 } } };
	ck_assert_uint_eq(pace_records_bytes(&r, 0, one_run.columns, bytes), bytes);
	free(memory);
}

static void
free_run(void)
{
	free(one_run.columns);
}

static const struct pace_record some[] = {
	{ 1, T0 + 5, T0 + OFFSET + 20505, 5, PACE_STAMP_KERNEL },
	{ 2, T0 + 10000, T0 + OFFSET + 30000, PACE_LATE_UNKNOWN, PACE_STAMP_USER },
	{ 0, T0 - 9990, T0 + OFFSET + 40000, 10, PACE_STAMP_NIC | PACE_RECORD_REORDERED },
	{ 0, T0 - 9990, T0 + OFFSET - 10000, 10, PACE_RECORD_DUPLICATE },
	{ 0, T0 - 9990, T0 + OFFSET + 50000, 10, PACE_STAMP_NIC | PACE_RECORD_BEYOND },
	{ 12, T0 + 110000, T0 + OFFSET + 130000, 0, PACE_STAMP_KERNEL },
};
#define NAMES	"point,seq,scheduled_ns,departure_ns,arrival_ns,owd_ns,stamp,reordered," \
	"duplicate,missing_before\n"

START_TEST(csv_is_these_bytes)
{
	fill_run(some, 6, true);
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, false, -1), NAMES
	    "7,1,-5,0,20500,20500,kernel,0,0,1\n"
	    "7,2,,9995,29995,20000,user,0,0,0\n"
	    "7,0,-10005,-9995,39995,49990,nic,1,0,0\n"
	    "7,0,-10005,-9995,-10005,-10,,0,1,0\n"
	    "7,0,-10005,-9995,49995,59990,nic,,,0\n"
	    "7,12,109995,109995,129995,20000,kernel,0,0,9\n");
}
END_TEST

START_TEST(streams_have_a_column)
{
	fill_run(some, 1, true);
	one_run.stream = 3;
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, false, -1),
	    "point,stream,seq,scheduled_ns,departure_ns,arrival_ns,owd_ns,stamp,reordered,"
	    "duplicate,missing_before\n"
	    "7,2,1,-5,0,20500,20500,kernel,0,0,1\n");
	ck_assert(strstr(print(&one_file, PACE_COLUMNS_GNUPLOT, false, -1),
	    "# point 7, stream 2: 64 bytes every 10000 ns") != NULL);
}
END_TEST

/* ---- missing_before, beside the definition ---- */

#define ARRIVALS	400
#define WINDOW		40

static struct pace_record came[ARRIVALS];

static bool
came_before(uint64_t i, uint64_t seq, bool beyond_too)
{
	for (uint64_t k = 0; k < i; k++)
		if (came[k].seq == seq && (beyond_too || (came[k].flags & PACE_RECORD_BEYOND) == 0))
			return true;
	return false;
}

/* A stream with losses, copies, and frames that overtake others by far. */
static uint64_t
draw_stream(void)
{
	uint64_t n = 0, highest = 0, loss = (uint64_t)unit_between(0, 40);

	for (uint64_t seq = 0; n + 2 < ARRIVALS && seq < 300; seq++) {
		uint64_t back = unit_between(0, 3) != 0 ? 0 :
		    (uint64_t)unit_between(0, unit_between(0, 4) == 0 ? 80 : 8);

		if ((uint64_t)unit_between(0, 99) >= loss)
			came[n++].seq = seq;
		if (back > 0 && back <= seq)
			came[n++].seq = seq - back;	/* late, or a copy */
	}
	for (uint64_t i = 0; i < n; i++) {
		bool late = i > 0 && came[i].seq <= highest;
		uint8_t flags = late && came[i].seq + WINDOW <= highest ? PACE_RECORD_BEYOND :
		    came_before(i, came[i].seq, false) ? PACE_RECORD_DUPLICATE :
		    late ? PACE_RECORD_REORDERED : 0;

		came[i] = (struct pace_record){ .seq = came[i].seq, .rx_ns = (int64_t)i,
		    .flags = flags };
		highest = came[i].seq > highest ? came[i].seq : highest;
	}
	return n;
}

static uint64_t
missing_by_definition(uint64_t i, uint64_t skip, bool beyond_too)
{
	uint64_t missing = 0;

	while (came[i].seq - missing > skip &&
	    !came_before(i, came[i].seq - missing - 1, beyond_too))
		missing++;
	return missing;
}

/* The last cell of each row. */
static void
check_missing(uint64_t n, uint64_t skip, bool lost_only, uint64_t *odd)
{
	uint64_t memory[ARRIVALS * 4];
	uint8_t columns[ARRIVALS * PACE_RECORD_SIZE];
	struct pace_record_run run = { .skip = skip, .lost_only = lost_only,
	    .columns = columns };
	const struct pace_record_file of_one = { .version = "", .started = "", .n = 1,
	    .runs = &run };
	const char *line;
	struct pace_records r;

	pace_records_init(&r, memory, ARRIVALS, skip, lost_only);
	for (uint64_t i = 0; i < n; i++)
		pace_records_add(&r, &came[i]);
	pace_records_finish(&r);
	run.n = r.n;
	(void)pace_records_bytes(&r, 0, columns, sizeof(columns));
	line = strchr(print(&of_one, PACE_COLUMNS_CSV, true, -1), '\n') + 1;
	for (uint64_t k = 0; k < r.n; k++) {
		const char *end = strchr(line, '\n'), *cell = end;
		uint64_t missing;

		while (cell[-1] != ',')
			cell--;
		missing = strtoull(cell, NULL, 10);
		ck_assert_uint_eq(missing, missing_by_definition((uint64_t)r.rx_ns[k], skip,
		    !lost_only));
		*odd += missing > 0 && (r.flags[k] & PACE_RECORD_HOLE) == 0;
		line = end + 1;
	}
}

/* Frames that are too old have no record of frames beside holes. */
START_TEST(missing_before_is_what_its_definition_says)
{
	uint64_t odd = 0;

	for (int i = 0; i < 300; i++) {
		uint64_t n = draw_stream(), skip = (uint64_t)unit_between(0, i % 2 * 60);

		check_missing(n, skip, false, &odd);
		check_missing(n, skip, true, &odd);
	}
	ck_assert_uint_gt(odd, 2000);		/* or nothing was tried */
}
END_TEST

START_TEST(absolute_times_are_the_clocks)
{
	fill_run(some, 2, true);
	one_run.skip = 1;
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, true, 7), NAMES
	    "7,1,5000000000007,5000000000012,5000000020512,20500,kernel,0,0,0\n"
	    "7,2,,5000000010007,5000000030007,20000,user,0,0,0\n");
}
END_TEST

START_TEST(without_the_clock_there_is_no_delay)
{
	fill_run(some, 2, false);
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, false, -1), NAMES
	    "7,1,-5,0,0,,kernel,0,0,1\n"
	    "7,2,,9995,9495,,user,0,0,0\n");
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, true, -1), NAMES
	    "7,1,5000000000007,5000000000012,12000000020512,,kernel,0,0,1\n"
	    "7,2,,5000000010007,12000000030007,,user,0,0,0\n");
}
END_TEST

START_TEST(gnuplot_gets_blocks_and_no_empty_cells)
{
	struct pace_record_run v[4];
	struct pace_record_file four = { .version = "0.1.0", .started = "today", .n = 4,
	    .runs = v };

	fill_run(some, 5, true);
	for (int i = 0; i < 4; i++)
		v[i] = one_run;
	v[0].n = 0;
	v[1].point = 8;
	v[1].n = 1;
	v[1].columns = two + PACE_RECORD_SIZE;	/* misread on purpose: not shown */
	v[2].point = 9;
	v[3].point = 10;
	v[3].clock.segments = 0;
	v[3].spacing += UINT64_C(1) << 31;
	v[3].lost_only = true;
	v[3].skip = 5;
	v[3].missed = 2;
	ck_assert_str_eq(print(&four, PACE_COLUMNS_GNUPLOT, false, 9),
	    "# frame records of udpace 0.1.0, started today\n"
	    "# point 9: 64 bytes every 10000 ns, 14 frames sent\n"
	    "# 5 records of all frames from frame 0 on, no room for 0 more\n"
	    "# departure: sender's clock, from the first one\n"
	    "# arrival: sender's clock, from the first departure\n"
	    "# point seq scheduled_ns departure_ns arrival_ns owd_ns stamp reordered duplicate "
	    "missing_before\n"
	    "9 1 -5 0 20500 20500 kernel 0 0 1\n"
	    "9 2 nan 9995 29995 20000 user 0 0 0\n"
	    "9 0 -10005 -9995 39995 49990 nic 1 0 0\n"
	    "9 0 -10005 -9995 -10005 -10 nan 0 1 0\n"
	    "9 0 -10005 -9995 49995 59990 nic nan nan 0\n");
	print(&four, PACE_COLUMNS_GNUPLOT, true, -1);
	ck_assert(strstr(rows, " 5000000030007 20000 user 0 0 0\n"));
	ck_assert(strstr(rows, "from frame 0 on, no room for 0 more\n"
	    "# departure: sender's clock\n# arrival: sender's clock\n# point seq "));
	ck_assert(strstr(rows, "missing_before\n\n\n# point 8: "));	/* no records before */
	ck_assert(strstr(rows, "59990 nic nan nan 0\n\n\n"
	    "# point 10: 64 bytes every 10000.500000 ns, 14 frames sent\n"
	    "# 5 records of frames beside holes from frame 5 on, no room for 2 more\n"
	    "# departure: sender's clock\n# arrival: receiver's clock\n"));
	ck_assert_int_eq(strncmp(rows, "\n", 1) == 0, 0);
	ck_assert(strstr(rows, "\n\n\n\n") == NULL);
}
END_TEST

START_TEST(an_unknown_point_has_no_rows)
{
	fill_run(some, 2, true);
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, false, 6), NAMES);
}
END_TEST

static const struct pace_record absurd[] = {
	{ UINT64_MAX - 1, INT64_MIN, INT64_MIN, UINT32_MAX - 1, 0x3f },
	{ UINT64_MAX - 1, INT64_MAX, INT64_MAX, 0, 0x01 },
	{ UINT64_MAX - 1, 0, INT64_MIN, 1, 0x02 },
	{ 0, -(INT64_C(1) << 62), 0, 0, 0x03 },
	{ 0, (INT64_C(1) << 62) - 1, 0, 0, 0x03 },
	{ 0, 1 - (INT64_C(1) << 62), INT64_MAX, 0, 0x03 },
};

/* The longest row there is must fit; times beyond reason have no delay. */
START_TEST(absurd_times_are_printed_modulo_2_to_the_64)
{
	fill_run(absurd, 6, true);
	one_run.clock.v[0].line.rate = 0;
	one_run.point = UINT32_MAX;
	ck_assert_str_eq(print(&one_file, PACE_COLUMNS_CSV, true, -1), NAMES
	    "4294967295,18446744073709551614,9223372032559808514,-9223372036854775808,,,nic,,,"
	    "18446744073709551614\n"
	    "4294967295,18446744073709551614,9223372036854775807,9223372036854775807,,,user,0,0,"
	    "18446744073709551614\n"
	    "4294967295,18446744073709551614,-1,0,9223365036854775808,9223365036854775808,kernel,"
	    "0,0,0\n"
	    "4294967295,0,-4611686018427387904,-4611686018427387904,,,nic,0,0,0\n"
	    "4294967295,0,4611686018427387903,4611686018427387903,-7000000000000,"
	    "-4611693018427387903,nic,0,0,0\n"
	    "4294967295,0,-4611686018427387903,-4611686018427387903,9223365036854775807,"
	    "-4611693018427387906,nic,0,0,0\n");
}
END_TEST

/* Nearly every cell as long as it may be; stamps shift the rows in the block. */
START_TEST(the_longest_rows_stay_whole)
{
	static struct pace_record v[5000];
	static const char *const stamps[] = { "", "user", "kernel", "nic" };
	const char *line;

	for (int i = 0; i < COUNT_OF(v); i++)
		v[i] = (struct pace_record){ UINT64_MAX - 1, 10 - (INT64_C(1) << 62),
		    INT64_MIN + OFFSET, i % 7 == 0 ? UINT32_MAX - 1 : 0, (uint8_t)(unit_rnd() & 3) };
	fill_run(v, (uint64_t)COUNT_OF(v), true);
	one_run.point = UINT32_MAX;
	one_run.clock.v[0].line.rate = 0;
	line = strchr(print(&one_file, PACE_COLUMNS_CSV, true, -1), '\n') + 1;
	for (int i = 0; i < COUNT_OF(v); i++) {
		char want[256];
		int len = snprintf(want, sizeof(want), "4294967295,18446744073709551614,%s,"
		    "-4611686018427387894,-9223372036854775808,-4611686018427387914,%s,0,0,%s\n",
		    i % 7 == 0 ? "-4611686022722355188" : "-4611686018427387894",
		    stamps[v[i].flags], i == 0 ? "18446744073709551614" : "0");

		if (strncmp(line, want, (size_t)len) != 0)
			ck_abort_msg("row %d: %.200s is not %s", i, line, want);
		line += len;
	}
	ck_assert_str_eq(line, "");
}
END_TEST

/* More than fits one block, against printf. */
START_TEST(many_rows_agree_with_printf)
{
	enum { N = 3000 };
	struct pace_record *v = calloc(N, sizeof(*v));
	uint64_t next = 0;
	char *line, want[256];

	for (int i = 0; i < N; i++)
		v[i] = (struct pace_record){ .seq = next += (uint64_t)unit_between(1, 3),
		    .tx_ns = T0 + unit_between(-1000000, 1000000),
		    .rx_ns = T0 + OFFSET + unit_between(-1000000, 1000000),
		    .late_ns = (uint32_t)unit_between(0, 1000), .flags = PACE_STAMP_KERNEL };
	fill_run(v, N, true);
	print(&one_file, PACE_COLUMNS_CSV, false, -1);
	line = strchr(rows, '\n');
	for (int i = 0; i < N; i++) {
		int64_t tx = v[i].tx_ns - v[0].tx_ns, owd = v[i].rx_ns - OFFSET - v[i].tx_ns;
		int len = snprintf(want, sizeof(want),
		    "\n7,%llu,%lld,%lld,%lld,%lld,kernel,0,0,%llu\n",
		    (unsigned long long)v[i].seq, (long long)(tx - v[i].late_ns), (long long)tx,
		    (long long)(tx + owd), (long long)owd,
		    (unsigned long long)(v[i].seq - (i > 0 ? v[i - 1].seq + 1 : 0)));

		if (strncmp(line, want, (size_t)len) != 0)
			ck_abort_msg("row %d:%.*s is not%s", i, 100, line, want);
		line += len - 1;
	}
	ck_assert_str_eq(line, "\n");
	free(v);
}
END_TEST

START_TEST(a_full_device_is_told_when_printing)
{
	FILE *f = fopen("/dev/full", "w");

	if (f == NULL)
		return;
	fill_run(some, 6, true);
	ck_assert_int_eq(pace_columns_write(f, &one_file, &(struct pace_columns_cfg){ 0 }), -ENOSPC);
	fclose(f);
}
END_TEST

static TCase *
file_tests(void)
{
	TCase *tc = tcase_create("file");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_file_comes_back_as_it_was);
	tcase_add_test(tc, the_file_is_laid_out_as_the_page_says);
	tcase_add_test(tc, a_file_of_no_runs_is_one);
	tcase_add_test(tc, streams_of_a_point_are_runs_in_ascending_order);
	tcase_add_test(tc, a_full_device_is_told_when_writing);
	tcase_add_test(tc, every_cut_is_refused);
	tcase_add_test(tc, one_byte_more_is_refused);
	tcase_add_test(tc, flipped_bits_are_refused_or_read_consistently);
	tcase_add_loop_test(tc, a_spoiled_header_is_refused, 0, MUTATE_KINDS);
	tcase_add_loop_test(tc, a_lie_in_the_header_is_refused, 0, COUNT_OF(lies));
	tcase_add_test(tc, the_sum_of_absurd_counts_does_not_wrap);
	tcase_add_test(tc, the_size_of_an_absurd_count_does_not_wrap);
	tcase_add_test(tc, too_many_segments_are_refused);
	tcase_add_test(tc, a_record_of_no_known_kind_is_refused);
	tcase_add_test(tc, what_is_no_file_of_records_says_so);
	tcase_set_timeout(tc, 60);
	return tc;
}

int
main(void)
{
	TCase *tc = tcase_create("columns");
	int failed;

	unit_seed(tc);
	tcase_add_checked_fixture(tc, NULL, free_run);
	tcase_add_checked_fixture(tc, NULL, free_rows);
	tcase_add_test(tc, csv_is_these_bytes);
	tcase_add_test(tc, streams_have_a_column);
	tcase_add_test(tc, missing_before_is_what_its_definition_says);
	tcase_add_test(tc, absolute_times_are_the_clocks);
	tcase_add_test(tc, without_the_clock_there_is_no_delay);
	tcase_add_test(tc, gnuplot_gets_blocks_and_no_empty_cells);
	tcase_add_test(tc, an_unknown_point_has_no_rows);
	tcase_add_test(tc, absurd_times_are_printed_modulo_2_to_the_64);
	tcase_add_test(tc, the_longest_rows_stay_whole);
	tcase_add_test(tc, many_rows_agree_with_printf);
	tcase_add_test(tc, a_full_device_is_told_when_printing);
	failed = unit_run_apart(file_tests(), "record_file");
	return unit_run_apart(tc, "columns") | failed;
}
