/*
 * Rows are collected in a buffer of our own: with printf, or with one stream call a row, these
 * calls would take most of the time of a million rows.
 */
#include "out/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/wide_time.h"
#include "core/wire.h"
#include "out/missing.h"
#include "out/say.h"

#define BLOCK		16384
#define ROW_MAX		512	/* eleven cells of at most 20 digits, a sign and a comma */

struct columns_block {
	FILE	*f;
	char	separator;
	const char *nothing;	/* cell of an unknown value */
	bool	streams;	/* there is a column for their number */
	bool	failed;
	size_t	used;
	char	text[BLOCK];
};

/* Values of a row's cells. */
struct columns_row {
	const struct pace_record_run *run;
	struct pace_record rec;
	struct pace_record_times t;
	uint64_t missing;
};

static void
empty_block(struct columns_block *b)
{
	if (fwrite(b->text, 1, b->used, b->f) != b->used)
		b->failed = true;
	b->used = 0;
}

static void
put_text(struct columns_block *b, const char *text)
{
	size_t len = strlen(text);

	memcpy(b->text + b->used, text, len);
	b->used += len;
}

static void
put_count(struct columns_block *b, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	memcpy(b->text + b->used, digits + at, sizeof(digits) - at);
	b->used += sizeof(digits) - at;
}

static const char *const names[] = { "point", "stream", "seq", "scheduled_ns", "departure_ns",
	"arrival_ns", "owd_ns", "stamp", "reordered", "duplicate", "missing_before" };
#define COLUMNS		(sizeof(names) / sizeof(names[0]))
#define STREAM		1	/* only in a file with several streams */

static void
put_names(struct columns_block *b)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i == STREAM && !b->streams)
			continue;
		if (i > 0)
			b->text[b->used++] = b->separator;
		put_text(b, names[i]);
	}
	b->text[b->used++] = '\n';
}

/* Add a cell and the separator after it. */
static void
put_time(struct columns_block *b, bool known, int64_t ns)
{
	if (!known)
		put_text(b, b->nothing);
	if (known && ns < 0)
		b->text[b->used++] = '-';
	if (known)
		put_count(b, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns);
	b->text[b->used++] = b->separator;
}

static void
put_flag(struct columns_block *b, const struct columns_row *r, uint8_t which)
{
	put_text(b, (r->rec.flags & PACE_RECORD_BEYOND) != 0 ? b->nothing :
	    (r->rec.flags & which) != 0 ? "1" : "0");
	b->text[b->used++] = b->separator;
}

/* Add the cells in the order of the names. */
static void
put_row(struct columns_block *b, const struct columns_row *r)
{
	const struct pace_record_times *t = &r->t;
	enum pace_stamp s = (enum pace_stamp)(r->rec.flags & PACE_RECORD_STAMP);

	if (b->used > BLOCK - ROW_MAX)
		empty_block(b);
	put_count(b, r->run->point);
	b->text[b->used++] = b->separator;
	if (b->streams)
		put_time(b, r->run->stream > 0, (int64_t)r->run->stream - 1);
	put_count(b, r->rec.seq);
	b->text[b->used++] = b->separator;
	put_time(b, r->rec.late_ns != PACE_LATE_UNKNOWN,
	    (int64_t)((uint64_t)t->departure_ns - r->rec.late_ns));
	put_time(b, true, t->departure_ns);
	put_time(b, t->has_arrival, t->arrival_ns);
	put_time(b, t->has_owd, t->owd_ns);
	put_text(b, s != PACE_STAMP_NONE ? pace_stamp_name(s) : b->nothing);
	b->text[b->used++] = b->separator;
	put_flag(b, r, PACE_RECORD_REORDERED);
	put_flag(b, r, PACE_RECORD_DUPLICATE);
	put_count(b, r->missing);
	b->text[b->used++] = '\n';
}

/* Return whether the clock line can be evaluated at this time. */
static bool
is_sane(int64_t t_ns)
{
	return -(INT64_C(1) << 62) < t_ns && t_ns < INT64_C(1) << 62;
}

void
pace_record_times(const struct pace_record_run *run, const struct pace_record *rec,
    struct pace_record_times *t)
{
	const bool known = run->clock.segments > 0;

	t->has_owd = known && is_sane(rec->tx_ns);
	t->has_arrival = !known || t->has_owd;
	t->departure_ns = rec->tx_ns;
	t->arrival_ns = rec->rx_ns;
	if (t->has_owd)
		t->arrival_ns = pace_minus(rec->rx_ns, pace_clock_at(&run->clock, rec->tx_ns));
	t->owd_ns = pace_minus(t->arrival_ns, rec->tx_ns);
}

static void
put_run(struct columns_block *b, const struct pace_record_run *run, bool absolute)
{
	int64_t tx0_ns = 0, rx0_ns = 0;
	uint64_t *missing = run->n > 0 ? pace_missing_before(run) : NULL;
	struct columns_row r = { .run = run };

	if (run->n > 0 && missing == NULL) {
		b->failed = true;
		errno = ENOMEM;
		return;
	}
	for (uint64_t i = 0; i < run->n; i++) {
		/* reading the file has checked the flags */
		(void)pace_record_read(run->columns, run->n, i, &r.rec);
		pace_record_times(run, &r.rec, &r.t);
		r.missing = missing[i];
		if (i == 0 && !absolute) {
			tx0_ns = r.t.departure_ns;
			rx0_ns = run->clock.segments > 0 ? tx0_ns : r.t.arrival_ns;
		}
		r.t.departure_ns = pace_minus(r.t.departure_ns, tx0_ns);
		r.t.arrival_ns = pace_minus(r.t.arrival_ns, rx0_ns);
		put_row(b, &r);
	}
	free(missing);
}

static void
describe_run(struct columns_block *b, const struct pace_record_run *run, bool absolute, bool first)
{
	const bool known = run->clock.segments > 0;
	FILE *f = b->f;
	char stream[24] = "";

	if (run->stream > 0)
		snprintf(stream, sizeof(stream), ", stream %lu", (unsigned long)run->stream - 1);
	if (!first)
		put_text(b, "\n\n");
	empty_block(b);
	fprintf(f, "# point %lu%s: %lu bytes every %s ns, %llu frames sent\n",
	    (unsigned long)run->point, stream, (unsigned long)run->size_bytes,
	    PACE_AS_FIXED((double)run->spacing / 4294967296.0,
	    (run->spacing & UINT32_MAX) == 0 ? 0 : 6),
	    (unsigned long long)run->sent);
	fprintf(f, "# %llu records of %s from frame %llu on, no room for %llu more\n",
	    (unsigned long long)run->n, run->lost_only ? "frames beside holes" : "all frames",
	    (unsigned long long)run->skip, (unsigned long long)run->missed);
	fprintf(f, "# departure: sender's clock%s\n", absolute ? "" : ", from the first one");
	fprintf(f, "# arrival: %s%s\n", known ? "sender's clock" : "receiver's clock",
	    absolute ? "" : known ? ", from the first departure" : ", from the first one");
	put_text(b, "# ");
	put_names(b);
}

int
pace_columns_write(FILE *f, const struct pace_record_file *file,
    const struct pace_columns_cfg *cfg)
{
	const bool plots = cfg->format == PACE_COLUMNS_GNUPLOT;
	struct columns_block b = { .f = f, .separator = plots ? ' ' :
	    cfg->format == PACE_COLUMNS_TSV ? '\t' : ',', .nothing = plots ? "nan" : "" };
	bool first = true;

	errno = 0;
	for (size_t i = 0; i < file->n; i++)
		b.streams |= file->runs[i].stream > 0;
	if (plots)
		fprintf(f, "# frame records of udpace %s, started %s\n", file->version,
		    file->started);
	else
		put_names(&b);
	for (size_t i = 0; i < file->n; i++) {
		if (cfg->one && file->runs[i].point != cfg->point)
			continue;
		if (plots)
			describe_run(&b, &file->runs[i], cfg->absolute, first);
		first = false;
		put_run(&b, &file->runs[i], cfg->absolute);
	}
	empty_block(&b);
	if (fflush(f) == 0 && !ferror(f) && !b.failed)
		return 0;
	return errno != 0 ? -errno : -EIO;
}
