#include "config.h"

#include "report/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

#define LOG_FROM	20.0	/* largest spacing to smallest: then logarithmic */
#define LABELS_MAX	10	/* on a logarithmic axis */

/* Not an exact power of ten: pow(10, -3) and 1e-3 may differ. */
static double
decade(double exponent)
{
	return exponent < 0 ? 1 / pow(10, -exponent) : pow(10, exponent);
}

double
pace_axis_nice(double v)
{
	double d = decade(floor(log10(v)));

	for (int i = 0; i < 3; i++) {
		const double step = d * (i == 0 ? 1 : i == 1 ? 2 : 5);

		if (v <= step * (1 + 1e-9))
			return step;
	}
	return d * 10;
}

double
pace_axis_step(double high, int n)
{
	return high > 0 ? pace_axis_nice(high / n) : 1;
}

struct pace_axis_unit
pace_axis_rate(double high_bps)
{
	if (high_bps >= 1e9)
		return (struct pace_axis_unit){ "Gbit/s", 1e9 };
	if (high_bps >= 1e6)
		return (struct pace_axis_unit){ "Mbit/s", 1e6 };
	return (struct pace_axis_unit){ "kbit/s", 1e3 };
}

struct pace_axis_unit
pace_axis_frames(double high_fps)
{
	if (high_fps >= 2e6)
		return (struct pace_axis_unit){ "million/s", 1e6 };
	if (high_fps >= 2e3)
		return (struct pace_axis_unit){ "thousand/s", 1e3 };
	return (struct pace_axis_unit){ "1/s", 1 };
}

struct pace_axis_unit
pace_axis_time(double high_ns)
{
	if (high_ns >= 10e9)
		return (struct pace_axis_unit){ "s", 1e9 };
	if (high_ns >= 10e6)
		return (struct pace_axis_unit){ "ms", 1e6 };
	if (high_ns >= 1e3)
		return (struct pace_axis_unit){ "µs", 1e3 };
	return (struct pace_axis_unit){ "ns", 1 };
}

char *
pace_axis_say(double v, char *buf, size_t size)
{
	snprintf(buf, size, "%.4g", v);
	if (strchr(buf, 'e') != NULL)
		snprintf(buf, size, fabs(v) < 1 ? "%.4f" : "%.0f", v);
	return buf;
}

char *
pace_axis_count(double v, char *buf, size_t size)
{
	return pace_print(PACE_UNIT_COUNT, v, buf, size);
}

static void
put(struct pace_figure *s, const char *name, const char *what, double v)
{
	char var[32];

	snprintf(var, sizeof(var), "%s_%s", name, what);
	pace_figure_num(s, var, v);
}

void
pace_axis_from_zero(struct pace_figure *s, const char *name, double high, int steps)
{
	if (!(high > 0))
		high = 1;
	put(s, name, "LOW", 0);
	put(s, name, "HIGH", high * 1.08);
	put(s, name, "STEP", pace_axis_step(high * 1.08, steps));
}

void
pace_axis_between(struct pace_figure *s, const char *name, double low, double high, int steps)
{
	double room, step;

	if (!(high > low)) {
		room = fabs(low) > 0 ? fabs(low) / 2 : 1;
		low -= room;
		high = low + 2 * room;
	}
	step = pace_axis_step((high - low) * 1.1, steps);
	put(s, name, "LOW", low - (high - low) * 0.06);
	put(s, name, "HIGH", high + (high - low) * 0.06);
	put(s, name, "STEP", step);
}

/* --- ticks at places of our own ----------------------------------------------------- */

struct pace_ticks {
	FILE	*full, *bare;
	char	*full_text, *bare_text;
	size_t	full_size, bare_size;
	int	n;
};

struct pace_ticks *
pace_ticks_begin(const char *axis)
{
	struct pace_ticks *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->full = open_memstream(&t->full_text, &t->full_size);
	t->bare = open_memstream(&t->bare_text, &t->bare_size);
	if (t->full != NULL)
		fprintf(t->full, "set %stics (", axis);
	if (t->bare != NULL)
		fprintf(t->bare, "set %stics (", axis);
	return t;
}

void
pace_tick(struct pace_ticks *t, const char *label, double at)
{
	const char *comma;

	if (t == NULL || t->full == NULL || t->bare == NULL)
		return;
	comma = t->n++ > 0 ? ", " : "";
	fprintf(t->full, "%s\"%s\" %.12g", comma, label, at);
	fprintf(t->bare, "%s\"\" %.12g", comma, at);
}

/* The text, as variable NAME_what. */
static void
close_ticks(struct pace_figure *s, const char *name, const char *what, FILE *f, char **text)
{
	char var[32];

	snprintf(var, sizeof(var), "%s_%s", name, what);
	if (f != NULL)
		fputs(")", f);
	if (f == NULL || fclose(f) != 0)
		s->failed = true;
	else
		pace_figure_markup(s, var, "%s", *text);
	free(*text);
}

void
pace_ticks_end(struct pace_figure *s, const char *name, struct pace_ticks *t)
{
	if (t == NULL) {
		s->failed = true;
		return;
	}
	if (t->n == 0)
		pace_tick(t, "", 0);	/* gnuplot wants one */
	close_ticks(s, name, "TICKS", t->full, &t->full_text);
	close_ticks(s, name, "BARE", t->bare, &t->bare_text);
	free(t);
}

/* --- spacings ---------------------------------------------------------------------------- */

void
pace_axis_spacings(struct pace_axis_spacing *a, const double *v, size_t n)
{
	double most = NAN;

	*a = (struct pace_axis_spacing){ .least = NAN };
	for (size_t i = 0; i < n; i++) {
		a->has_zero |= v[i] <= 0;
		if (v[i] <= 0)
			continue;
		a->least = fmin(a->least, v[i]);	/* of NAN and a number the number */
		most = fmax(most, v[i]);
	}
	if (isnan(a->least)) {			/* back to back only: one place */
		*a = (struct pace_axis_spacing){ .low = -1, .high = 1, .has_zero = true,
		    .least = NAN };
		return;
	}
	a->log = most / a->least >= LOG_FROM;
	if (a->log) {
		a->zero_at = a->least / 2.5;
		a->low = (a->has_zero ? a->zero_at : a->least) / 1.15;
		a->high = most * 1.06;
		return;
	}
	a->low = a->has_zero || a->least < most / 2 ? -most * 0.012 : a->least - (most - a->least) * 0.05;
	a->high = most * 1.012;
	if (!(most > a->least) && !a->has_zero) {
		a->low = most * 0.5;
		a->high = most * 1.5;
	}
}

double
pace_axis_place(const struct pace_axis_spacing *a, double spacing)
{
	return spacing <= 0 ? a->zero_at : spacing;
}

/* How many labels 1-2-5 would make over low .. high. */
static double
labels_of(double low, double high)
{
	return 3 * log10(high / low) + 1;
}

static bool
is_labelled(int digit, double labels)
{
	if (labels <= LABELS_MAX)
		return true;
	return digit == 1 || (digit == 5 && labels <= 1.5 * LABELS_MAX);
}

static void
put_log_ticks(struct pace_ticks *t, double low, double high)
{
	static const int digits[] = { 1, 2, 5 };
	const double labels = labels_of(low, high);
	char text[32];

	for (double e = floor(log10(low)); e <= ceil(log10(high)); e++)
		for (int i = 0; i < 3; i++) {
			double at = digits[i] * decade(e);

			if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9))
				continue;
			pace_tick(t, is_labelled(digits[i], labels) ?
			    pace_axis_say(at, text, sizeof(text)) : "", at);
		}
}

static void
put_linear_ticks(struct pace_ticks *t, const struct pace_axis_spacing *a)
{
	const double span = a->high - a->low, step = pace_axis_step(span, 10);
	char text[32];

	for (double i = ceil(a->low / step); i * step <= a->high; i++) {
		if (fabs(i) < 0.5 && a->has_zero)
			pace_tick(t, "b-to-b", a->zero_at);
		else	/* + 0: no "-0" */
			pace_tick(t, pace_axis_say(i * step + 0, text, sizeof(text)), i * step + 0);
	}
}

void
pace_axis_put_spacing(struct pace_figure *s, const struct pace_axis_spacing *a)
{
	struct pace_ticks *t;

	pace_figure_int(s, "XLOG", a->log);
	put(s, "X", "LOW", a->low);
	put(s, "X", "HIGH", a->high);
	t = pace_ticks_begin("x");
	if (isnan(a->least)) {
		pace_tick(t, "b-to-b", 0);
	} else if (a->log) {
		if (a->has_zero)
			pace_tick(t, "b-to-b", a->zero_at);
		put_log_ticks(t, a->least, a->high);
	} else {
		put_linear_ticks(t, a);
	}
	pace_ticks_end(s, "X", t);
}

/* --- logarithmic y -------------------------------------------------------------------------- */

void
pace_axis_put_loss(struct pace_figure *s, const char *name, double frames)
{
	const double floor_pct = 100 / (frames >= 1 ? frames : 1), zero = floor_pct / 4;
	char text[32];
	struct pace_ticks *t;

	pace_figure_num(s, "FLOOR", floor_pct);
	pace_figure_num(s, "ZERO", zero);
	put(s, name, "LOW", zero / 1.6);
	put(s, name, "HIGH", 150);
	t = pace_ticks_begin("y");
	pace_tick(t, "0", zero);
	for (double e = ceil(log10(floor_pct) - 1e-9); e <= 2; e++) {
		snprintf(text, sizeof(text), "%g", decade(e));
		if (e < -4)
			snprintf(text, sizeof(text), "10^{%.0f}", e);
		pace_tick(t, text, decade(e));
	}
	pace_ticks_end(s, name, t);
}

void
pace_axis_decades(struct pace_figure *s, const char *name, const char *axis, double low,
    double high)
{
	const double first = floor(log10(low) + 1e-9), last = fmax(ceil(log10(high) - 1e-9), first + 1);
	const bool powers = last > 4 || first < -4;	/* all of them or none */
	char text[32];
	struct pace_ticks *t;

	put(s, name, "LOW", decade(first) * 0.98);	/* a tick at the very end may be left out */
	put(s, name, "HIGH", decade(last) * 1.02);
	t = pace_ticks_begin(axis);
	for (double e = first; e <= last; e++) {
		snprintf(text, sizeof(text), powers ? "10^{%.0f}" : "%g", powers ? e : decade(e));
		pace_tick(t, text, decade(e));
	}
	pace_ticks_end(s, name, t);
}
