/*
 * Rows are put together in a block of our own: printf, or a stream's call a
 * row, takes most of the time of a million of them.
 */
#include "out/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/wire.h"
#include "out/missing.h"
#include "out/say.h"

#define BLOCK		16384
#define ROW_MAX		512	/* ten cells of at most 20 digits, a sign and a comma */

struct columns_block {
	FILE	*f;
	char	separator;
	const char *nothing;	/* a cell that is not told */
	bool	failed;
	size_t	used;
	char	text[BLOCK];
};

/* What the cells of a row are made of. */
struct columns_row {
	uint32_t point;
	struct pace_record rec;
	bool	has_late;
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

static void
put_integer(struct columns_block *b, int64_t v)
{
	if (v < 0)
		b->text[b->used++] = '-';
	put_count(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void
point(struct columns_block *b, const struct columns_row *r)
{
	put_count(b, r->point);
}

static void
seq(struct columns_block *b, const struct columns_row *r)
{
	put_count(b, r->rec.seq);
}

static void
scheduled(struct columns_block *b, const struct columns_row *r)
{
	if (r->has_late)
		put_integer(b, (int64_t)((uint64_t)r->t.departure_ns - r->rec.late_ns));
	else
		put_text(b, b->nothing);
}

static void
departure(struct columns_block *b, const struct columns_row *r)
{
	put_integer(b, r->t.departure_ns);
}

static void
arrival(struct columns_block *b, const struct columns_row *r)
{
	if (r->t.has_arrival)
		put_integer(b, r->t.arrival_ns);
	else
		put_text(b, b->nothing);
}

static void
owd(struct columns_block *b, const struct columns_row *r)
{
	if (r->t.has_owd)
		put_integer(b, r->t.owd_ns);
	else
		put_text(b, b->nothing);
}

static void
stamp(struct columns_block *b, const struct columns_row *r)
{
	enum pace_stamp s = (enum pace_stamp)(r->rec.flags & PACE_RECORD_STAMP);

	put_text(b, s != PACE_STAMP_NONE ? pace_stamp_name(s) : b->nothing);
}

static void
flag(struct columns_block *b, const struct columns_row *r, uint8_t which)
{
	if ((r->rec.flags & PACE_RECORD_BEYOND) != 0)
		put_text(b, b->nothing);
	else
		put_text(b, (r->rec.flags & which) != 0 ? "1" : "0");
}

static void
reordered(struct columns_block *b, const struct columns_row *r)
{
	flag(b, r, PACE_RECORD_REORDERED);
}

static void
duplicate(struct columns_block *b, const struct columns_row *r)
{
	flag(b, r, PACE_RECORD_DUPLICATE);
}

static void
missing_before(struct columns_block *b, const struct columns_row *r)
{
	put_count(b, r->missing);
}

static const struct {
	const char *name;
	void	(*put)(struct columns_block *b, const struct columns_row *r);
} columns[] = {
	{ "point", point },
	{ "seq", seq },
	{ "scheduled_ns", scheduled },
	{ "departure_ns", departure },
	{ "arrival_ns", arrival },
	{ "owd_ns", owd },
	{ "stamp", stamp },
	{ "reordered", reordered },
	{ "duplicate", duplicate },
	{ "missing_before", missing_before },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

static void
put_names(struct columns_block *b)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i > 0)
			b->text[b->used++] = b->separator;
		put_text(b, columns[i].name);
	}
	b->text[b->used++] = '\n';
}

static void
put_row(struct columns_block *b, const struct columns_row *r)
{
	if (b->used > BLOCK - ROW_MAX)
		empty_block(b);
	for (size_t i = 0; i < COLUMNS; i++) {
		if (i > 0)
			b->text[b->used++] = b->separator;
		columns[i].put(b, r);
	}
	b->text[b->used++] = '\n';
}

static int64_t
minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* A time for which the clock's line can be computed. */
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
		t->arrival_ns = minus(rec->rx_ns, pace_clock_at(&run->clock, rec->tx_ns));
	t->owd_ns = minus(t->arrival_ns, rec->tx_ns);
}

/* Absolute times of record i. */
static void
take_row(const struct pace_record_run *run, uint64_t i, struct columns_row *r)
{
	/* its flags were checked when the file was read */
	(void)pace_record_read(run->columns, run->n, i, &r->rec);
	r->point = run->point;
	r->has_late = r->rec.late_ns != PACE_LATE_UNKNOWN;
	pace_record_times(run, &r->rec, &r->t);
}

static void
put_run(struct columns_block *b, const struct pace_record_run *run, bool absolute)
{
	int64_t tx0_ns = 0, rx0_ns = 0;
	uint64_t *missing = run->n > 0 ? pace_missing_before(run) : NULL;
	struct columns_row r;

	if (run->n > 0 && missing == NULL) {
		b->failed = true;
		errno = ENOMEM;
		return;
	}
	for (uint64_t i = 0; i < run->n; i++) {
		take_row(run, i, &r);
		r.missing = missing[i];
		if (i == 0 && !absolute) {
			tx0_ns = r.t.departure_ns;
			rx0_ns = run->clock.segments > 0 ? tx0_ns : r.t.arrival_ns;
		}
		r.t.departure_ns = minus(r.t.departure_ns, tx0_ns);
		r.t.arrival_ns = minus(r.t.arrival_ns, rx0_ns);
		put_row(b, &r);
	}
	free(missing);
}

static void
describe_file(FILE *f, const struct pace_record_file *file)
{
	fprintf(f, "# frame records of udpace %s, started %s\n", file->version, file->started);
}

static void
describe_run(FILE *f, const struct pace_record_run *run, bool absolute)
{
	const bool known = run->clock.segments > 0;
	char text[64];

	fprintf(f, "# point %lu: %lu bytes every %s ns, %llu frames sent\n",
	    (unsigned long)run->point, (unsigned long)run->size_bytes,
	    pace_fixed((double)run->spacing / 4294967296.0,
	    (run->spacing & UINT32_MAX) == 0 ? 0 : 6, text, sizeof(text)),
	    (unsigned long long)run->sent);
	fprintf(f, "# %llu records of %s from frame %llu on, no room for %llu more\n",
	    (unsigned long long)run->n, run->lost_only ? "frames beside holes" : "all frames",
	    (unsigned long long)run->skip, (unsigned long long)run->missed);
	fprintf(f, "# departure: sender's clock%s\n", absolute ? "" : ", from the first one");
	fprintf(f, "# arrival: %s%s\n", known ? "sender's clock" : "receiver's clock",
	    absolute ? "" : known ? ", from the first departure" : ", from the first one");
}

static void
write_csv(struct columns_block *b, const struct pace_record_file *file,
    const struct pace_columns_cfg *cfg)
{
	b->separator = cfg->format == PACE_COLUMNS_TSV ? '\t' : ',';
	b->nothing = "";
	put_names(b);
	for (size_t i = 0; i < file->n; i++)
		if (!cfg->one || file->runs[i].point == cfg->point)
			put_run(b, &file->runs[i], cfg->absolute);
}

static void
write_gnuplot(struct columns_block *b, const struct pace_record_file *file,
    const struct pace_columns_cfg *cfg)
{
	bool first = true;

	b->separator = ' ';
	b->nothing = "nan";
	describe_file(b->f, file);
	for (size_t i = 0; i < file->n; i++) {
		if (cfg->one && file->runs[i].point != cfg->point)
			continue;
		if (!first)
			put_text(b, "\n\n");
		first = false;
		empty_block(b);
		describe_run(b->f, &file->runs[i], cfg->absolute);
		put_text(b, "# ");
		put_names(b);
		put_run(b, &file->runs[i], cfg->absolute);
	}
}

int
pace_columns_write(FILE *f, const struct pace_record_file *file,
    const struct pace_columns_cfg *cfg)
{
	struct columns_block b = { .f = f };

	errno = 0;
	if (cfg->format == PACE_COLUMNS_GNUPLOT)
		write_gnuplot(&b, file, cfg);
	else
		write_csv(&b, file, cfg);
	empty_block(&b);
	if (fflush(f) == 0 && !ferror(f) && !b.failed)
		return 0;
	return errno != 0 ? -errno : -EIO;
}
