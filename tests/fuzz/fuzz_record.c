/*
 * Fuzzes a file of frame records.  Checks: an accepted file keeps the promises of record_file.h;
 * after writing it is accepted again and is the same; it prints as many rows as it has records.
 */
#include "core/cursor.h"
#include "doc/record_file.h"
#include "fuzz.h"
#include "mutate_json.h"
#include "out/columns.h"

static const struct pace_result head = { .client = { .version = "fuzz" } };

static int
read_file(const void *data, size_t size, struct pace_record_file *file)
{
	struct pace_err err = { .code = 0 };
	void *exact = fuzz_exact(data, size);
	FILE *f = fmemopen(exact, size, "rb");
	int rc;

	MUST(f != NULL);
	rc = pace_record_file_read(f, file, &err);
	fclose(f);
	free(exact);
	MUST(rc == 0 || (rc == -err.code && err.text[0] != '\0'));
	MUST(rc == 0 || (file->runs == NULL && file->n == 0));
	return rc;
}

/* How many records there are. */
static uint64_t
check_runs(const struct pace_record_file *file)
{
	uint64_t records = 0;

	for (size_t i = 0; i < file->n; i++) {
		const struct pace_record_run *run = &file->runs[i];
		struct pace_record rec;

		MUST(i == 0 || run->point > run[-1].point);
		MUST(run->clock.segments >= 0 && run->clock.segments <= PACE_CLOCK_SEGMENTS);
		for (uint64_t k = 0; k < run->n; k++)
			MUST(pace_record_read(run->columns, run->n, k, &rec) == 0);
		records += run->n;
	}
	return records;
}

static void
check_rows(const struct pace_record_file *file, uint64_t records)
{
	struct pace_columns_cfg cfg = { .format = PACE_COLUMNS_CSV };
	uint64_t lines = 0;
	char *text;
	size_t size;

	for (int i = 0; i < 4; i++) {
		FILE *f = open_memstream(&text, &size);

		MUST(f != NULL);
		cfg.format = i % 2 == 0 ? PACE_COLUMNS_GNUPLOT : PACE_COLUMNS_CSV;
		cfg.absolute = i / 2 == 0;
		MUST(pace_columns_write(f, file, &cfg) == 0);
		fclose(f);
		lines = 0;
		for (size_t k = 0; k < size; k++)
			lines += text[k] == '\n';
		free(text);
	}
	MUST(lines == records + 1);	/* the last one was CSV */
}

/* The bytes of a file that was read. */
static char *
write_file(const struct pace_record_file *file, size_t *size)
{
	char *text;
	FILE *f = open_memstream(&text, size);

	MUST(f != NULL);
	MUST(pace_record_file_write(f, &head, file->runs, file->n) == 0);
	fclose(f);
	return text;
}

/* Reals lose digits only the first time. */
static void
check_again(const struct pace_record_file *file)
{
	struct pace_record_file back;
	char *first, *second;
	size_t n1, n2;

	first = write_file(file, &n1);
	MUST(read_file(first, n1, &back) == 0);
	MUST(back.n == file->n);
	free(first);
	first = write_file(&back, &n1);
	pace_record_file_free(&back);
	MUST(read_file(first, n1, &back) == 0);
	second = write_file(&back, &n2);
	MUST(n1 == n2 && memcmp(first, second, n1) == 0);
	pace_record_file_free(&back);
	free(first);
	free(second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_record_file file;

	if (size == 0 || read_file(data, size, &file) != 0)
		return 0;
	check_rows(&file, check_runs(&file));
	check_again(&file);
	pace_record_file_free(&file);
	return 0;
}

/* --- mutations --------------------------------------------------------------------- */

#define HEAD	12		/* magic, and the header's length */

static size_t
header_length(const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data + HEAD - 4, .left = 4 };
	size_t n = size >= HEAD ? (size_t)pace_rd_be(&r, 4) : 0;

	return n <= size - HEAD ? n : 0;
}

/* Change the header's JSON and mostly correct its length; or change the columns, by a byte or a
 * whole number. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	size_t len = size >= HEAD ? header_length(data, size) : 0, behind, n, at;
	struct pace_wr w = { .p = data + HEAD - 4, .left = 4 };

	if (len == 0 || chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	behind = size - HEAD - len;
	if (behind == 0 || !chance_one_in(&c, 3)) {
		n = mutate_json(data, size, max, HEAD, &c);
		if (n >= HEAD + behind && !chance_one_in(&c, 16))
			pace_wr_be(&w, n - HEAD - behind, 4);
		return n;
	}
	at = HEAD + len + chance_of(&c, behind);
	data[at] = (uint8_t)chance_of(&c, 256);
	if (chance_one_in(&c, 4))
		for (n = 0; n < 8 && at + n < size; n++)
			data[at + n] = (uint8_t)(chance_one_in(&c, 2) ? 0 : 255);
	return size;
}
