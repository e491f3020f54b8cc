/*
 * One pass over the records makes (key, value) pairs and counts losses into the bins.  The
 * pairs are then sorted by value and distributed to their bins in this order: the values of
 * each bin are sorted as well.
 */
#include "report/trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A frame: its key (number, or ns) and its value. */
struct sample {
	double	key, value;
};

/* One record read. */
struct trace_row {
	uint64_t seq;
	double	tx, rx;			/* ns on the sender's clock, since the first record */
	double	delay;
	uint64_t missing;
	bool	late;
};

struct trace_reader {
	const struct pace_record_run *run;
	uint64_t i, next;
	bool	begun;
	int64_t	tx0_ns, rx0_ns;
	uint64_t seq0;
	double	first_rx;
};

static double
minus(int64_t a, int64_t b)
{
	return (double)(int64_t)((uint64_t)a - (uint64_t)b);
}

static double
spacing_ns(const struct pace_record_run *run)
{
	return (double)run->spacing / 4294967296.0;
}

/* Read the next frame that is not a duplicate; false: no more frames. */
static bool
next_row(struct trace_reader *r, struct trace_row *row)
{
	/* times at which the clock line can be evaluated, and numbers whose sums do not
	 * overflow: only a forged file has others */
	const int64_t end = INT64_C(1) << 62;
	const bool fresh = !r->begun;
	struct pace_record rec;
	int64_t rx_ns;

	do {
		if (r->i >= r->run->n)
			return false;
		/* reading the file has checked the flags */
		(void)pace_record_read(r->run->columns, r->run->n, r->i++, &rec);
	} while ((rec.flags & (PACE_RECORD_DUPLICATE | PACE_RECORD_BEYOND)) != 0 ||
	    rec.tx_ns <= -end || rec.tx_ns >= end || rec.seq >= (uint64_t)end);
	row->missing = pace_record_missing(&rec, &r->next);
	rx_ns = (int64_t)((uint64_t)rec.rx_ns - (uint64_t)pace_clock_at(&r->run->clock,
	    rec.tx_ns));
	if (!r->begun) {
		r->tx0_ns = rec.tx_ns;
		r->rx0_ns = rx_ns;
		r->seq0 = rec.seq;
		r->begun = true;
	}
	row->seq = rec.seq;
	row->late = (rec.flags & PACE_RECORD_REORDERED) != 0;
	row->tx = minus(rec.tx_ns, r->tx0_ns);
	row->delay = minus(rx_ns, rec.tx_ns);
	/* on the receiver's own clock, the first frame counts as arriving when it departed */
	row->rx = minus(rx_ns, r->run->clock.segments > 0 ? r->tx0_ns : r->rx0_ns);
	if (fresh)
		r->first_rx = row->rx;
	return true;
}

static struct trace_reader
reader_of(const struct pace_record_run *run)
{
	return (struct trace_reader){ .run = run, .next = run->skip };
}

/* --- losses ------------------------------------------------------------------------ */

static size_t
bin_of(const struct pace_trace *t, double key)
{
	double at = (key - t->from) / t->width;

	if (!(at > 0))
		return 0;
	return at < (double)t->bins ? (size_t)at : t->bins - 1;
}

/* Spread `count` lost frames evenly over the bins from key a to below key b: whole frames,
 * by the rounded cumulative count. */
static void
spread(const struct pace_trace *t, int64_t *lost, double a, double b, uint64_t count)
{
	const size_t first = bin_of(t, a), last = b > a ? bin_of(t, b) : first;
	uint64_t done = 0;

	for (size_t k = first; k <= last; k++) {
		double edge = t->from + (double)(k + 1) * t->width;
		uint64_t upto = k == last ? count :
		    (uint64_t)llround((edge - a) / (b - a) * (double)count);

		lost[k] += (int64_t)(upto - done);
		done = upto;
	}
}

/* --- values -------------------------------------------------------------------------- */

static int
by_value(const void *a, const void *b)
{
	double x = ((const struct sample *)a)->value, y = ((const struct sample *)b)->value;

	return (x > y) - (x < y);
}

/* Return quantile q of n ascending values: nearest rank. */
static double
rank(const double *v, uint64_t n, double q)
{
	uint64_t k = (uint64_t)ceil(q * (double)n * (1 - 1e-12));

	return v[k > 0 ? k - 1 : 0];
}

/* Distribute n samples, sorted by value, to the bins. */
static int
deal(struct pace_trace *t, const struct sample *s, uint64_t n)
{
	double *values = malloc((n > 0 ? n : 1) * sizeof(*values));
	uint64_t *at = calloc(t->bins + 1, sizeof(*at));

	if (values == NULL || at == NULL) {
		free(values);
		free(at);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < n; i++)
		at[bin_of(t, s[i].key) + 1]++;
	for (size_t k = 0; k < t->bins; k++) {
		t->v[k].n = at[k + 1];
		at[k + 1] += at[k];
	}
	for (uint64_t i = 0; i < n; i++)
		values[at[bin_of(t, s[i].key)]++] = s[i].value;
	for (size_t k = 0; k < t->bins; k++) {	/* at[k] is now the end of bin k's values */
		struct pace_trace_bin *b = &t->v[k];
		const double *v = values + at[k] - b->n;

		b->min = b->n > 0 ? v[0] : NAN;
		b->p50 = b->n > 0 ? rank(v, b->n, 0.5) : NAN;
		b->p99 = b->n > 0 ? rank(v, b->n, 0.99) : NAN;
		b->max = b->n > 0 ? v[b->n - 1] : NAN;
	}
	free(values);
	free(at);
	return 0;
}

/* Calculate sums and quantiles of each bin and of all; frees s and lost. */
static int
finish(struct pace_trace *t, struct sample *s, uint64_t n, int64_t *lost)
{
	const double q[3] = { 0.5, 0.99, 0.999 };
	double *to[3] = { &t->p50, &t->p99, &t->p999 };
	int64_t owed = 0;
	int rc;

	/* A late frame may be subtracted from another bin than its hole was added to.  The
	 * negative rest of a bin is moved to the next bins, and at the end back to earlier
	 * ones. */
	for (size_t k = 0; k < 2 * t->bins; k++) {
		int64_t *v = &lost[k < t->bins ? k : 2 * t->bins - 1 - k];

		*v += owed;
		owed = *v < 0 ? *v : 0;
		*v -= owed;
	}
	for (size_t k = 0; k < t->bins; k++) {
		t->v[k].lost = (uint64_t)lost[k];
		t->lost += t->v[k].lost;
	}
	qsort(s, n, sizeof(*s), by_value);
	t->frames = n;
	t->lowest = n > 0 ? s[0].value : NAN;
	t->highest = n > 0 ? s[n - 1].value : NAN;
	for (int i = 0; i < 3; i++)
		*to[i] = pace_hist_has_quantile(n, q[i]) ?
		    s[(uint64_t)ceil(q[i] * (double)n * (1 - 1e-12)) - 1].value : NAN;
	rc = deal(t, s, n);
	free(s);
	free(lost);
	if (rc < 0)
		pace_trace_free(t);
	return rc;
}

/* Allocate bins, a sample for every record, and losses. */
static int
prepare(struct pace_trace *t, const struct pace_record_run *run, struct sample **s,
    int64_t **lost)
{
	t->v = calloc(t->bins, sizeof(*t->v));
	*s = malloc((run->n > 0 ? run->n : 1) * sizeof(**s));
	*lost = calloc(t->bins, sizeof(**lost));
	if (t->v != NULL && *s != NULL && *lost != NULL) {
		for (size_t k = 0; k < t->bins; k++)
			t->v[k].x = t->from + (double)k * t->width;
		return 0;
	}
	free(*s);
	free(*lost);
	pace_trace_free(t);
	return -ENOMEM;
}

/* --- by number ---------------------------------------------------------------------- */

/* Return the number after the last one whose fate is known. */
static uint64_t
end_of(const struct pace_record_run *run)
{
	struct trace_reader r = reader_of(run);
	struct trace_row row;

	while (next_row(&r, &row))
		;
	return run->missed == 0 && run->sent > r.next ? run->sent : r.next;
}

int
pace_trace_by_number(struct pace_trace *t, const struct pace_record_run *run,
    enum pace_trace_what what)
{
	const uint64_t end = end_of(run);
	struct trace_reader r = reader_of(run);
	struct sample *s;
	struct trace_row row;
	int64_t *lost;
	uint64_t n = 0;
	int rc;

	*t = (struct pace_trace){ .from = (double)run->skip, .to = (double)end };
	if (end <= run->skip)
		return 0;
	t->width = ceil((t->to - t->from) / PACE_TRACE_BINS);
	t->bins = (size_t)fmin(ceil((t->to - t->from) / t->width), PACE_TRACE_BINS);	/* rounded */
	if ((rc = prepare(t, run, &s, &lost)) < 0)
		return rc;
	while (next_row(&r, &row)) {
		if (row.missing > 0)
			spread(t, lost, (double)(row.seq - row.missing), (double)row.seq,
			    row.missing);
		if (row.late)
			lost[bin_of(t, (double)row.seq)]--;
		s[n++] = (struct sample){ (double)row.seq, what == PACE_TRACE_DELAY ? row.delay :
		    row.rx - r.first_rx - minus((int64_t)row.seq, (int64_t)r.seq0) *
		    spacing_ns(run) };
	}
	if (end > r.next)
		spread(t, lost, (double)r.next, (double)end, end - r.next);
	return finish(t, s, n, lost);
}

/* --- by time --------------------------------------------------------------------------- */

/* Find the range of time; return whether there was a frame. */
static bool
stretch_of(const struct pace_record_run *run, double *from, double *to)
{
	struct trace_reader r = reader_of(run);
	struct trace_row row;
	bool any = false;
	double last = 0;

	*from = *to = 0;
	while (next_row(&r, &row)) {
		*from = fmin(*from, row.tx);
		*to = fmax(*to, fmax(row.tx, row.rx));
		last = fmax(last, row.tx);
		any = true;
	}
	if (any && run->missed == 0 && run->sent > r.next)
		*to = fmax(*to, last + (double)(run->sent - r.next) * spacing_ns(run));
	return any;
}

double
pace_trace_duration(const struct pace_record_run *run)
{
	double from, to;

	return stretch_of(run, &from, &to) ? to - from : 0;
}

/* Count the rows into the bins; return the number of samples in s. */
static uint64_t
fill_by_time(struct pace_trace *t, const struct pace_record_run *run, struct sample *s,
    int64_t *lost)
{
	struct trace_reader r = reader_of(run);
	double before = 0;		/* departure of the highest number yet */
	double each = spacing_ns(run);
	uint64_t n = 0;
	struct trace_row row;

	while (next_row(&r, &row)) {
		double step = (row.tx - before) / ((double)row.missing + 1);

		if (row.missing > 0)
			spread(t, lost, before + step, row.tx, row.missing);
		if (row.late)
			lost[bin_of(t, row.tx)]--;
		else
			before = row.tx;
		t->v[bin_of(t, row.rx)].arrived++;
		s[n++] = (struct sample){ row.tx, row.delay };
	}
	if (run->missed == 0 && run->sent > r.next)
		spread(t, lost, before + each, before + (double)(run->sent - r.next + 1) * each,
		    run->sent - r.next);
	return n;
}

int
pace_trace_by_time(struct pace_trace *t, const struct pace_record_run *run, size_t wanted)
{
	struct sample *s;
	int64_t *lost;
	double from, to, least, ten;
	int rc;

	*t = (struct pace_trace){ .bins = 0 };
	if (!stretch_of(run, &from, &to))
		return 0;
	least = (to - from) / (double)wanted;
	ten = pow(10, floor(log10(fmax(least, 1))));
	t->width = least <= ten ? ten : least <= 2 * ten ? 2 * ten : least <= 5 * ten ? 5 * ten :
	    10 * ten;
	t->from = floor(from / t->width) * t->width;
	t->bins = (size_t)((to - t->from) / t->width) + 1;
	t->to = t->from + (double)t->bins * t->width;
	if ((rc = prepare(t, run, &s, &lost)) < 0)
		return rc;
	return finish(t, s, fill_by_time(t, run, s, lost), lost);
}

void
pace_trace_free(struct pace_trace *t)
{
	free(t->v);
	*t = (struct pace_trace){ .bins = 0 };
}
