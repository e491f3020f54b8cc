#include "config.h"

#include "doc/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cursor.h"
#include "doc/result_doc.h"

#define HEAD_SIZE	12		/* magic and length */

static const char magic[8] = { 'U', 'D', 'P', 'A', 'C', 'E', 'R', '1' };

#define G	struct pace_clock_segment
#define R	struct pace_record_run

static const struct pace_fields segment_fields = { .row = PACE_FIELDS(
	{ "from_ns", PACE_INT(G, from_ns) },
	{ "to_ns", PACE_INT(G, to_ns) },
	{ "t_ns", PACE_INT(G, line.t_ns) },
	{ "offset_ns", PACE_INT(G, line.offset_ns) },
	{ "frac_ns", PACE_REAL(G, line.frac_ns), .high = 1 },	/* 12 digits may round it to 1 */
	{ "rate", PACE_REAL(G, line.rate) },
	{ "offset_error_max_ns", PACE_REAL(G, bound_ns), .flags = PACE_F_FROM_0 },
) };

static bool
is_stream(const void *run)
{
	return ((const R *)run)->stream > 0;
}

static void
put_stream(struct pace_jw *w, const char *name, const void *run)
{
	pace_jw_count(w, name, ((const R *)run)->stream - 1);
}

static void
get_stream(struct pace_jr *j, const char *name, void *run)
{
	uint64_t n = pace_jr_count(j, name);

	j->bad |= n >= PACE_STREAMS;
	((R *)run)->stream = (uint32_t)n + 1;
}

static const struct pace_fields run_fields = { .row = PACE_FIELDS(
	{ "point", PACE_COUNT(R, point) },
	{ "stream", PACE_OWN(put_stream, get_stream), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = is_stream },
	{ "size_bytes", PACE_COUNT(R, size_bytes) },
	{ "spacing_ns", PACE_SPACING(R, spacing) },
	{ "skip", PACE_COUNT(R, skip) },
	{ "lost_only", PACE_BOOL(R, lost_only) },
	{ "records", PACE_COUNT(R, n) },
	{ "missed", PACE_COUNT(R, missed) },
	{ "sent", PACE_COUNT(R, sent) },
	{ "clock", PACE_ARRAY(R, clock.v, clock.segments, segment_fields),
	    .when = PACE_F_OR_NULL },
) };

/* ---- writing ---- */

static char *
header_text(const struct pace_result *r, const struct pace_record_run *runs, size_t n)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();
	char *text;

	for (size_t i = 0; i < n; i++)
		list = pace_js_append(list, pace_fields_to_json(&run_fields, &runs[i]));
	pace_jw_text(&w, "schema", PACE_RECORDS_SCHEMA);
	pace_jw_text(&w, "version", r->client.version);
	pace_jw_text(&w, "started", r->started);
	pace_jw_put(&w, "command", pace_command_to_json(r));
	pace_jw_put(&w, "runs", list);
	text = w.o != NULL ? json_dumps(w.o, PACE_JS_REAL) : NULL;
	json_decref(w.o);
	return text;
}

int
pace_record_file_write(FILE *f, const struct pace_result *r,
    const struct pace_record_run *runs, size_t n)
{
	char *text = header_text(r, runs, n);
	size_t len = text != NULL ? strlen(text) : 0;
	uint8_t be[4];
	struct pace_wr w = { .p = be, .left = sizeof(be) };

	if (text == NULL || len > UINT32_MAX) {
		free(text);
		return text == NULL ? -ENOMEM : -EFBIG;
	}
	errno = 0;
	pace_wr_be(&w, len, sizeof(be));
	fwrite(magic, 1, sizeof(magic), f);
	fwrite(be, 1, sizeof(be), f);
	fwrite(text, 1, len, f);
	free(text);
	for (size_t i = 0; i < n; i++)
		if (runs[i].n > 0)
			fwrite(runs[i].columns, PACE_RECORD_SIZE, (size_t)runs[i].n, f);
	if (fflush(f) != 0 || ferror(f))
		return errno != 0 ? -errno : -EIO;
	return 0;
}

/* ---- reading ---- */

static bool
read_run(struct pace_record_run *run, const json_t *o)
{
	struct pace_clock_estimate *e = &run->clock;

	if (!pace_fields_from_json(&run_fields, run, o) ||
	    (e->segments == 0) != json_is_null(json_object_get(o, "clock")))
		return false;
	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *s = &e->v[i];

		if (s->to_ns < s->from_ns || fabs(s->line.rate) > PACE_CLOCKFIT_PPM * 1e-6 ||
		    (i > 0 && s->from_ns < s[-1].from_ns))
			return false;
		e->bound_ns = fmax(e->bound_ns, s->bound_ns);
	}
	return true;
}

/* True if b may follow a: another point, or the next of its streams. */
static bool
ascend(const R *a, const R *b)
{
	return b->point > a->point ||
	    (b->point == a->point && a->stream > 0 && b->stream > a->stream);
}

/* file->n counts the runs already read. */
static int
read_header(struct pace_record_file *file, const json_t *o)
{
	struct pace_jr j = { .o = o };
	const json_t *runs = pace_jr_get(&j, "runs"), *command = pace_jr_get(&j, "command");
	size_t n = json_array_size(runs);

	pace_jr_text(&j, "version", file->version, sizeof(file->version));
	pace_jr_text(&j, "started", file->started, sizeof(file->started));
	for (size_t i = 0; i < json_array_size(command); i++)
		j.bad |= !json_is_string(json_array_get(command, i));
	if (j.bad || !json_is_array(runs) || !json_is_array(command))
		return -EPROTO;
	file->runs = calloc(n > 0 ? n : 1, sizeof(*file->runs));
	if (file->runs == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++, file->n++) {
		if (!read_run(&file->runs[i], json_array_get(runs, i)))
			return -EPROTO;
		if (i > 0 && !ascend(&file->runs[i - 1], &file->runs[i]))
			return -EPROTO;
	}
	return 0;
}

static int
parse_header(struct pace_record_file *file, const char *text, size_t len,
    struct pace_err *err)
{
	json_t *o = pace_js_parse_line(text, len, NULL);
	const char *schema = json_string_value(json_object_get(o, "schema"));
	int rc = 0;

	if (schema == NULL)
		rc = pace_failf(err, EPROTO, "read records",
		    "damaged: its header is not a JSON object with a \"schema\"");
	else if (strcmp(schema, PACE_RECORDS_SCHEMA) != 0)
		rc = pace_failf(err, EPROTONOSUPPORT, "read records",
		    "is %.40s, this version reads %s", schema, PACE_RECORDS_SCHEMA);
	else
		rc = read_header(file, o);
	json_decref(o);
	if (rc == -ENOMEM)
		return pace_failf(err, ENOMEM, "read records", "out of memory");
	if (rc == -EPROTO && schema != NULL)
		return pace_failf(err, EPROTO, "read records",
		    "damaged: its header is inconsistent or incomplete");
	return rc;
}

/* Report why fread() returned too little. */
static int
short_read(FILE *f, struct pace_err *err)
{
	if (ferror(f))
		return pace_failf(err, errno != 0 ? errno : EIO, "read records", "%s",
		    strerror(errno != 0 ? errno : EIO));
	return pace_failf(err, EPROTO, "read records", "cut off");
}

/* Read the length of the header at the start and check it against the file's size. */
static int
read_head(FILE *f, uint64_t size, uint64_t *len, struct pace_err *err)
{
	uint8_t head[HEAD_SIZE];
	struct pace_rd rd = { .p = head + sizeof(magic), .left = 4 };
	size_t got = fread(head, 1, sizeof(head), f);

	if (got < sizeof(magic) ? !ferror(f) : memcmp(head, magic, sizeof(magic)) != 0)
		return pace_failf(err, EPROTO, "read records", "not a file of frame records");
	if (got < sizeof(head))
		return short_read(f, err);
	*len = pace_rd_be(&rd, 4);
	if (*len > size - HEAD_SIZE)
		return pace_failf(err, EPROTO, "read records", "cut off");
	return 0;
}

/* The records must fill the rest of the file. */
static int
check_sizes(const struct pace_record_file *file, uint64_t rest, struct pace_err *err)
{
	for (size_t i = 0; i < file->n; i++) {
		if (file->runs[i].n > rest / PACE_RECORD_SIZE)
			return pace_failf(err, EPROTO, "read records",
			    "cut off: shorter than its header says");
		rest -= file->runs[i].n * PACE_RECORD_SIZE;
	}
	if (rest > 0)
		return pace_failf(err, EPROTO, "read records",
		    "damaged: longer than its header says");
	return 0;
}

static int
read_columns(FILE *f, struct pace_record_run *run, struct pace_err *err)
{
	const uint8_t *flags;

	if (run->n == 0)
		return 0;
	run->columns = malloc((size_t)run->n * PACE_RECORD_SIZE);
	if (run->columns == NULL)
		return pace_failf(err, ENOMEM, "read records", "out of memory");
	errno = 0;
	if (fread(run->columns, PACE_RECORD_SIZE, (size_t)run->n, f) != run->n)
		return short_read(f, err);
	flags = run->columns + run->n * (PACE_RECORD_SIZE - 1);
	for (uint64_t i = 0; i < run->n; i++)
		if ((flags[i] & ~PACE_RECORD_KNOWN) != 0)
			return pace_failf(err, EPROTO, "read records",
			    "damaged: point %u, record %llu has an unknown kind",
			    run->point, (unsigned long long)i);
	return 0;
}

static int
read_all(FILE *f, uint64_t size, struct pace_record_file *file, struct pace_err *err)
{
	uint64_t len = 0;
	char *text;
	int rc = read_head(f, size, &len, err);

	if (rc != 0)
		return rc;
	text = malloc(len > 0 ? (size_t)len : 1);
	if (text == NULL)
		return pace_failf(err, ENOMEM, "read records", "out of memory");
	errno = 0;
	rc = fread(text, 1, (size_t)len, f) == len ? parse_header(file, text, (size_t)len, err) :
	    short_read(f, err);
	free(text);
	if (rc == 0)
		rc = check_sizes(file, size - HEAD_SIZE - len, err);
	for (size_t i = 0; rc == 0 && i < file->n; i++)
		rc = read_columns(f, &file->runs[i], err);
	return rc;
}

int
pace_record_file_read(FILE *f, struct pace_record_file *file, struct pace_err *err)
{
	off_t size;
	int rc;

	memset(file, 0, sizeof(*file));
	if (fseeko(f, 0, SEEK_END) == -1 || (size = ftello(f)) == -1 ||
	    fseeko(f, 0, SEEK_SET) == -1)
		return pace_failf(err, errno, "read records", "%s", strerror(errno));
	errno = 0;
	rc = read_all(f, (uint64_t)size, file, err);
	if (rc != 0)
		pace_record_file_free(file);
	return rc;
}

/* Without O_NONBLOCK, open() would block on a pipe without a writer. */
int
pace_record_file_load(const char *path, struct pace_record_file *file, struct pace_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;
	FILE *f;

	memset(file, 0, sizeof(*file));
	if (fd == -1 || fstat(fd, &st) == -1) {
		rc = pace_failf(err, errno, "open records", "%s", strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = S_ISDIR(st.st_mode) ?
		    pace_failf(err, EISDIR, "open records", "%s", strerror(EISDIR)) :
		    pace_failf(err, ESPIPE, "open records", "not a regular file");
		goto fail;
	}
	f = fdopen(fd, "rb");
	if (f == NULL) {
		rc = pace_failf(err, errno, "open records", "%s", strerror(errno));
		goto fail;
	}
	rc = pace_record_file_read(f, file, err);
	fclose(f);
	return rc;

fail:
	if (fd != -1)
		close(fd);
	return rc;
}

void
pace_record_file_free(struct pace_record_file *file)
{
	for (size_t i = 0; i < file->n; i++)
		free(file->runs[i].columns);
	free(file->runs);
	file->runs = NULL;
	file->n = 0;
}
