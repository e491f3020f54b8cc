/* Hosts and pairs that differ from the others: mesh.h has the rule. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "report/axis.h"
#include "report/mesh.h"
#include "report/pick.h"

#define JUDGED_HOSTS	4	/* fewer cannot be judged: a median of 2 values is none of them */
#define SPREADS		(5 * 1.4826)	/* median absolute deviations */
#define CLOCK_ERRORS	10

/* Worse by at least this ratio. */
static const double least_ratio[PACE_MESH_MEASURES] = { 1.1, 4, 2, 2, 1.1, 1 };

const char *const pace_mesh_title[PACE_MESH_MEASURES] = {
	"Rate without loss", "Loss", "One-way delay, 99th percentile",
	"Round-trip time, 99th percentile", "Goodput of TCP", "Offset of the receiver's clock"
};

/* The lower median of n values, which it sorts; NAN: none. */
static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), pace_pick_by_number);
	return n > 0 ? v[(n - 1) / 2] : NAN;
}

/* The median absolute deviation of n values from mid; buf has room for n. */
static double
deviation(const double *v, size_t n, double mid, double *buf)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			buf[k++] = fabs(v[i] - mid);
	return median(buf, k);
}

static double
median_known(const double *v, size_t n, double *buf)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			buf[k++] = v[i];
	return median(buf, k);
}

/* --- the numbers that are compared: larger is worse ------------------------------------- */

struct judging {
	struct pace_mesh *m;
	enum pace_mesh_measure what;
	double	*x;		/* n rows of n */
	double	*row, *column;	/* medians of hosts */
	double	*buf, *excess;
	double	least;		/* loss, delay: smaller values count as this */
	double	mid_row, mid_column;
};

/* The loss of one frame of a usual pair; for delays, nothing is smaller than 1 µs. */
static double
smallest(const struct judging *g)
{
	const struct pace_mesh *m = g->m;
	size_t n = 0;

	if (g->what != PACE_MESH_LOSS)
		return 1000;
	for (size_t i = 0; i < m->n * m->n; i++)
		if (m->pair[i].frames > 0)
			g->buf[n++] = m->pair[i].frames;
	return n > 0 ? 1 / median(g->buf, n) : 1;
}

static double
to_log(const struct judging *g, double v)
{
	if (isnan(v) || g->what == PACE_MESH_OFFSET)
		return v;
	return pace_mesh_is_rate(g->what) ? -log(v) : log(fmax(v, g->least));
}

static double
from_log(const struct judging *g, double x)
{
	const double v = pace_mesh_is_rate(g->what) ? exp(-x) : exp(x);

	if (g->what == PACE_MESH_OFFSET)
		return x;
	return g->what == PACE_MESH_LOSS && v < g->least * 1.001 ? 0 : v;
}

static void
fill(struct judging *g)
{
	const size_t n = g->m->n;

	g->least = smallest(g);
	for (size_t i = 0; i < n * n; i++)
		g->x[i] = to_log(g, g->m->pair[i].v[g->what]);
	for (size_t i = 0; i < n; i++) {
		size_t k = 0, l = 0;

		for (size_t j = 0; j < n; j++)
			if (!isnan(g->x[i * n + j]))
				g->buf[k++] = g->x[i * n + j];
		g->row[i] = k >= JUDGED_HOSTS - 1 ? median(g->buf, k) : NAN;
		for (size_t j = 0; j < n; j++)
			if (!isnan(g->x[j * n + i]))
				g->buf[l++] = g->x[j * n + i];
		g->column[i] = l >= JUDGED_HOSTS - 1 ? median(g->buf, l) : NAN;
	}
	g->mid_row = median_known(g->row, n, g->buf);
	g->mid_column = median_known(g->column, n, g->buf);
	g->m->judged |= !isnan(g->mid_row) && !isnan(g->mid_column);
}

/* --- findings --------------------------------------------------------------------------- */

static int
add(struct pace_mesh *m, const struct pace_mesh_finding *d)
{
	struct pace_mesh_finding *more = m->finding;

	if ((m->findings & (m->findings - 1)) == 0)
		more = reallocarray(m->finding, m->findings > 0 ? 2 * m->findings : 1,
		    sizeof(*more));
	if (more == NULL)
		return -ENOMEM;
	m->finding = more;
	more[m->findings++] = *d;
	if (d->kind == PACE_MESH_PAIR)
		m->pair[d->from * m->n + d->to].bad |= 1U << d->measure;
	return 0;
}

static int
judge_hosts(struct judging *g, enum pace_mesh_kind kind)
{
	const double *v = kind == PACE_MESH_SENDER ? g->row : g->column;
	const double mid = kind == PACE_MESH_SENDER ? g->mid_row : g->mid_column;
	const double limit = fmax(log(least_ratio[g->what]),
	    SPREADS * deviation(v, g->m->n, mid, g->buf));
	int rc = 0;

	for (size_t i = 0; i < g->m->n && rc == 0; i++)
		if (v[i] - mid > limit)
			rc = add(g->m, &(struct pace_mesh_finding){ .kind = kind,
			    .measure = g->what, .from = i, .to = i, .value = from_log(g, v[i]),
			    .usual = from_log(g, mid), .score = (v[i] - mid) / limit });
	return rc;
}

/* The value that a pair has if only its hosts count: losses and delays add, the lower rate
 * holds. */
static double
explained(const struct judging *g, size_t i, size_t j)
{
	const double row = fmax(g->row[i], g->mid_row), column = fmax(g->column[j], g->mid_column);

	if (pace_mesh_is_rate(g->what))
		return fmax(row, column);
	return log(fmax(exp(row) + exp(column) - exp(fmin(g->mid_row, g->mid_column)), g->least));
}

static int
judge_pairs(struct judging *g)
{
	const size_t n = g->m->n;
	double limit;
	int rc = 0;

	for (size_t i = 0; i < n * n; i++)
		g->excess[i] = isnan(g->row[i / n]) || isnan(g->column[i % n]) ? NAN :
		    g->x[i] - explained(g, i / n, i % n);
	limit = fmax(log(least_ratio[g->what]), SPREADS * deviation(g->excess, n * n,
	    median_known(g->excess, n * n, g->buf), g->buf));
	for (size_t i = 0; i < n * n && rc == 0; i++)
		if (g->excess[i] > limit)
			rc = add(g->m, &(struct pace_mesh_finding){ .kind = PACE_MESH_PAIR,
			    .measure = g->what, .from = i / n, .to = i % n,
			    .value = g->m->pair[i].v[g->what],
			    .usual = from_log(g, explained(g, i / n, i % n)),
			    .score = g->excess[i] / limit });
	return rc;
}

/* The clock of a host against the median host, as its senders see it. */
static int
judge_clocks(struct judging *g)
{
	const size_t n = g->m->n;
	double error, mid, limit;
	size_t k = 0;
	int rc = 0;

	for (size_t i = 0; i < n * n; i++)
		if (g->m->pair[i].state == PACE_MESH_MEASURED && !isnan(g->m->pair[i].error_ns))
			g->buf[k++] = g->m->pair[i].error_ns;
	error = median(g->buf, k);
	mid = median_known(g->column, n, g->buf);
	limit = fmax(CLOCK_ERRORS * error, SPREADS * deviation(g->column, n, mid, g->buf));
	for (size_t i = 0; i < n && rc == 0; i++)
		if (fabs(g->column[i] - mid) > limit)
			rc = add(g->m, &(struct pace_mesh_finding){ .kind = PACE_MESH_CLOCK,
			    .measure = g->what, .from = i, .to = i,
			    .value = g->column[i] - mid, .usual = NAN,
			    .score = fabs(g->column[i] - mid) / fmax(limit, 1) });
	return rc;
}

/* Pairs that failed, and hosts of which more than half of the pairs failed. */
static int
judge_failures(struct pace_mesh *m)
{
	int rc = 0;

	for (size_t i = 0; i < m->n && rc == 0; i++) {
		size_t failed[2] = { 0 }, all[2] = { 0 };

		for (size_t j = 0; j < m->n; j++) {
			const struct pace_mesh_pair *p[2] = { &m->pair[i * m->n + j],
				&m->pair[j * m->n + i] };

			for (int k = 0; k < 2; k++) {
				failed[k] += p[k]->state == PACE_MESH_FAILED;
				all[k] += p[k]->state != PACE_MESH_NONE;
			}
		}
		for (int k = 0; k < 2 && rc == 0; k++)
			if (all[k] >= JUDGED_HOSTS - 1 && 2 * failed[k] > all[k])
				rc = add(m, &(struct pace_mesh_finding){ .kind = k == 0 ?
				    PACE_MESH_SENDER : PACE_MESH_RECEIVER, .from = i, .to = i,
				    .measure = PACE_MESH_MEASURES, .value = (double)failed[k],
				    .usual = (double)all[k], .score = INFINITY });
	}
	for (size_t i = 0; i < m->n * m->n && rc == 0; i++)
		if (m->pair[i].state == PACE_MESH_FAILED)
			rc = add(m, &(struct pace_mesh_finding){ .kind = PACE_MESH_PAIR,
			    .measure = PACE_MESH_MEASURES, .from = i / m->n, .to = i % m->n,
			    .value = NAN, .usual = NAN, .score = INFINITY });
	return rc;
}

static int
worse_first(const void *a, const void *b)
{
	const struct pace_mesh_finding *x = a, *y = b;
	const bool pair_x = x->kind == PACE_MESH_PAIR, pair_y = y->kind == PACE_MESH_PAIR;

	if (pair_x != pair_y)
		return pair_x ? 1 : -1;
	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to != y->to ? (x->to < y->to ? -1 : 1) : (int)x->measure - (int)y->measure;
}

static int
judge_measure(struct judging *g)
{
	int rc;

	fill(g);
	if (g->what == PACE_MESH_OFFSET)
		return judge_clocks(g);
	rc = judge_hosts(g, PACE_MESH_SENDER);
	rc = rc == 0 ? judge_hosts(g, PACE_MESH_RECEIVER) : rc;
	return rc == 0 ? judge_pairs(g) : rc;
}

int
pace_mesh_judge(struct pace_mesh *m)
{
	const size_t n = m->n;
	double *room = calloc(3 * n * n + 2 * n + 1, sizeof(*room));
	struct judging g = { .m = m, .x = room };
	int rc = room == NULL ? -ENOMEM : judge_failures(m);

	if (rc == 0) {
		g.excess = room + n * n;
		g.buf = room + 2 * n * n;
		g.row = room + 3 * n * n;
		g.column = g.row + n;
	}
	for (int k = 0; k < PACE_MESH_MEASURES && rc == 0 && n >= JUDGED_HOSTS; k++) {
		g.what = (enum pace_mesh_measure)k;
		rc = judge_measure(&g);
	}
	free(room);
	if (rc == 0 && m->findings > 0)
		qsort(m->finding, m->findings, sizeof(*m->finding), worse_first);
	return rc;
}

/* --- in words --------------------------------------------------------------------------- */

char *
pace_mesh_say(enum pace_mesh_measure what, double v, char *buf, size_t size)
{
	char text[40];

	if (isnan(v))
		snprintf(buf, size, "–");
	else if (what == PACE_MESH_LOSS)
		snprintf(buf, size, "%s %%", pace_axis_digits(v * 100, 3, text, sizeof(text)));
	else if (pace_mesh_is_rate(what))
		pace_print(PACE_UNIT_BPS, v, buf, size);
	else
		snprintf(buf, size, "%s%s", v < 0 ? "−" : "",
		    pace_print(PACE_UNIT_SEC, fabs(v), text, sizeof(text)));
	return buf;
}

char *
pace_mesh_sentence(const struct pace_mesh *m, const struct pace_mesh_finding *d, char *buf,
    size_t size)
{
	static const char *const what[] = { "rate without loss", "loss", "one-way delay (p99)",
		"round-trip time (p99)", "goodput of TCP", "offset" };
	const bool sends = d->kind == PACE_MESH_SENDER;
	char value[48], usual[48];
	const char *name = m->shown[d->from];

	pace_mesh_say(d->measure, d->value, value, sizeof(value));
	pace_mesh_say(d->measure, d->usual, usual, sizeof(usual));
	if (d->kind == PACE_MESH_PAIR && d->measure == PACE_MESH_MEASURES)
		snprintf(buf, size, "%s to %s: not measured: %s", name, m->shown[d->to],
		    m->pair[d->from * m->n + d->to].why);
	else if (d->kind == PACE_MESH_PAIR)
		snprintf(buf, size, "%s to %s: %s %s; its hosts explain %s", name,
		    m->shown[d->to], what[d->measure], value, usual);
	else if (d->measure == PACE_MESH_MEASURES)
		snprintf(buf, size, "%s is bad as a %s: %.0f of its %.0f pairs failed", name,
		    sends ? "sender" : "receiver", d->value, d->usual);
	else if (d->kind == PACE_MESH_CLOCK)
		snprintf(buf, size, "the clock of %s is %s the median clock by %s", name,
		    d->value > 0 ? "ahead of" : "behind", value + (d->value < 0 ? 3 : 0));
	else
		snprintf(buf, size, "%s is bad as a %s: %s %s in the median of its pairs; the "
		    "median host has %s", name, sends ? "sender" : "receiver", what[d->measure],
		    value, usual);
	return buf;
}

bool
pace_mesh_is_worse(const struct pace_mesh *m, size_t i)
{
	const struct pace_mesh_finding *d = m->finding;

	for (size_t k = 0; k < i; k++)
		if (d[k].kind == PACE_MESH_PAIR && d[k].from == d[i].from && d[k].to == d[i].to)
			return true;
	return false;
}

void
pace_mesh_print(FILE *f, const struct pace_mesh *m)
{
	char text[1024];
	size_t lines = 0, more = 0;	/* lines of pairs, pairs without one */

	fprintf(f, "%zu of %zu pairs measured\n", pace_mesh_count(m, PACE_MESH_MEASURED),
	    m->n * (m->n - 1));
	for (size_t i = 0; i < m->findings; i++)
		if (m->finding[i].kind != PACE_MESH_PAIR || lines++ < 10)
			fprintf(f, "%s\n", pace_mesh_sentence(m, &m->finding[i], text,
			    sizeof(text)));
		else
			more += !pace_mesh_is_worse(m, i);
	if (more > 0)
		fprintf(f, "%zu more bad pair%s\n", more, more == 1 ? "" : "s");
}
