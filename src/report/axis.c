#include "config.h"

#include "report/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"

#define LOG_FROM	20.0	/* ratio of the largest to the smallest spacing from which the
				 * axis is logarithmic */
#define LABELS_MAX	10	/* labels of a logarithmic axis */
#define TICKS_MAX	100	/* ticks of a linear axis */
#define PLACES_MAX	12	/* decimals; more need an exponent */

/* Return 10^exponent.  Negative exponents divide, because pow(10, -3) and 1e-3 may differ. */
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
	if (high_fps >= 2e5)
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

/* Number of decimals for n significant digits of v. */
static int
places(double v, int n)
{
	const int above = fabs(v) > 0 ? (int)floor(log10(fabs(v))) : 0;

	return above >= n ? 0 : n - 1 - above;
}

/* Format with at most that many decimals, without trailing zeros, thousands separated. */
static char *
say_places(double v, int n, char *buf, size_t size)
{
	char text[400], apart[600];		/* fits 1e308 */
	size_t whole, at = 0;

	if (n > PLACES_MAX) {
		snprintf(buf, size, "%.4g", v);
		return buf;
	}
	snprintf(text, sizeof(text), "%.*f", n, fabs(v));
	whole = strspn(text, "0123456789");
	for (size_t end = strlen(text);
	    n > 0 && end > whole && strchr("0.", text[end - 1]) != NULL; )
		text[--end] = '\0';
	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			apart[at++] = ' ';
		apart[at++] = text[i];
	}
	apart[at] = '\0';
	snprintf(buf, size, "%s%s%s", v < 0 && strpbrk(text, "123456789") != NULL ? "−" : "", apart,
	    text + whole);
	return buf;
}

char *
pace_axis_digits(double v, int n, char *buf, size_t size)
{
	return say_places(v, places(v, n), buf, size);
}

char *
pace_axis_say(double v, char *buf, size_t size)
{
	return pace_axis_digits(v, 4, buf, size);
}

char *
pace_axis_say_spacing(double ns, char *buf, size_t size)
{
	const struct pace_axis_unit unit = pace_axis_time(ns);
	char number[40];

	if (ns > 0)
		snprintf(buf, size, "%s %s", pace_axis_say(ns / unit.one, number, sizeof(number)),
		    unit.name);
	else
		snprintf(buf, size, "b-to-b");
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
	pace_axis_even(s, name, "y", 0, high * 1.08, pace_axis_step(high * 1.08, steps));
}

struct pace_axis_unit
pace_axis_put_rates(struct pace_figure *s, double least_bps, double paced_bps, double high_bps,
    int steps)
{
	const struct pace_axis_unit unit = pace_axis_put_rate(s, high_bps, steps);
	const bool is_log = paced_bps > 0 && least_bps > 0 && high_bps > 4 * paced_bps;

	pace_figure_int(s, "RATE_LOG", is_log);
	if (is_log)
		pace_axis_log(s, "RATE", "y", least_bps / unit.one, high_bps / unit.one, 10);
	return unit;
}

struct pace_axis_unit
pace_axis_put_rate(struct pace_figure *s, double high_bps, int steps)
{
	const struct pace_axis_unit unit = s->rate;

	pace_axis_from_zero(s, "RATE", high_bps / unit.one, steps);
	pace_figure_num(s, "RATE_ONE", unit.one / 1e6);
	pace_figure_text(s, "RATE_UNIT", unit.name);
	return unit;
}

void
pace_axis_between(struct pace_figure *s, const char *name, double low, double high, int steps)
{
	double room;

	if (!(high > low)) {
		room = fabs(low) > 0 ? fabs(low) / 2 : 1;
		low -= room;
		high = low + 2 * room;
	}
	room = (high - low) * 0.06;
	pace_axis_even(s, name, "y", low - room, high + room,
	    pace_axis_step((high - low) * 1.1, steps));
}

/* --- ticks at chosen places --------------------------------------------------------- */

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

/* Set the variable NAME_what to the text. */
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
		pace_tick(t, "", 0);	/* gnuplot needs at least one tick */
	close_ticks(s, name, "TICKS", t->full, &t->full_text);
	close_ticks(s, name, "BARE", t->bare, &t->bare_text);
	free(t);
}

void
pace_axis_even(struct pace_figure *s, const char *name, const char *axis, double low, double high,
    double step)
{
	const double first = ceil(low / step - 1e-9), last = floor(high / step + 1e-9);
	struct pace_ticks *t = pace_ticks_begin(axis);
	char text[40];

	put(s, name, "LOW", low);
	put(s, name, "HIGH", high);
	for (int i = 0; i < TICKS_MAX && first + i <= last; i++)
		pace_tick(t, say_places((first + i) * step, places(step, 1), text, sizeof(text)),
		    (first + i) * step + 0);	/* no "-0" */
	pace_ticks_end(s, name, t);
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
		a->least = fmin(a->least, v[i]);	/* fmin ignores NAN */
		most = fmax(most, v[i]);
	}
	if (isnan(a->least)) {			/* only back to back: one place */
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
	a->low = a->has_zero || a->least < most / 2 ? -most * 0.012 :
	    a->least - (most - a->least) * 0.05;
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

/* Label 1, 2 and 5 of each decade; only 1 and 5, or only 1, if these are too many. */
static void
put_log_ticks(struct pace_ticks *t, double low, double high)
{
	static const int digits[] = { 1, 2, 5 };
	const double labels = 3 * log10(high / low);	/* number of labels at 1, 2 and 5 */
	char text[32];

	for (double e = floor(log10(low)); e <= ceil(log10(high)); e++)
		for (int i = 0; i < 3; i++) {
			const double at = digits[i] * decade(e);
			const bool labelled = labels <= LABELS_MAX || digits[i] == 1 ||
			    (digits[i] == 5 && labels <= 1.5 * LABELS_MAX);

			if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9))
				continue;
			pace_tick(t, labelled ? pace_axis_say(at, text, sizeof(text)) : "", at);
		}
}

void
pace_axis_put_spacing(struct pace_figure *s, const struct pace_axis_spacing *a)
{
	const double step = pace_axis_step(a->high - a->low, 10);
	struct pace_ticks *t;
	char text[32];

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
		for (double i = ceil(a->low / step); i * step <= a->high; i++) {
			if (fabs(i) < 0.5 && a->has_zero)
				pace_tick(t, "b-to-b", a->zero_at);
			else	/* + 0: no "-0" */
				pace_tick(t, pace_axis_say(i * step + 0, text, sizeof(text)),
				    i * step + 0);
		}
	}
	pace_ticks_end(s, "X", t);
}

/* --- logarithmic y -------------------------------------------------------------------------- */

void
pace_axis_put_loss(struct pace_figure *s, const char *name, double frames, size_t rows)
{
	const double floor_pct = 100 / (frames >= 1 ? frames : 1), top = 150;
	/* in decades; each row gets its part of the panel, however many decades are above */
	const double part = 0.04 + 0.036 * (double)rows;
	const double shelf = rows <= 1 ? log10(3.2) :
	    log10(top / (floor_pct / 2)) * part / (1 - part);
	const double low = floor_pct / 2 / pow(10, shelf);
	const double zero = rows <= 1 ? floor_pct / 4 : floor_pct / 2 / pow(10, shelf / 2);
	char text[32];
	struct pace_ticks *t;

	pace_figure_num(s, "FLOOR", floor_pct);
	pace_figure_num(s, "ZERO", zero);
	pace_figure_num(s, "ZERO_STEP", rows <= 1 ? 1 : pow(10, shelf / ((double)rows + 0.5)));
	put(s, name, "LOW", low);
	put(s, name, "HIGH", top);
	t = pace_ticks_begin("y");
	pace_tick(t, "0", zero);
	for (double e = ceil(log10(floor_pct) - 1e-9); e <= 2; e++) {
		if (floor_pct < 0.9e-4)		/* all of them or none */
			snprintf(text, sizeof(text), "10^{%.0f}", e);
		else
			pace_axis_say(decade(e), text, sizeof(text));
		pace_tick(t, text, decade(e));
	}
	pace_ticks_end(s, name, t);
}

void
pace_axis_decades(struct pace_figure *s, const char *name, const char *axis, double low,
    double high)
{
	const double first = floor(log10(low) + 1e-9),
	    last = fmax(ceil(log10(high) - 1e-9), first + 1);
	const bool powers = last > 6 || first < -4;	/* all of them or none */
	char text[32];
	struct pace_ticks *t;

	put(s, name, "LOW", decade(first) * 0.98);	/* gnuplot may omit a tick at the end */
	put(s, name, "HIGH", decade(last) * 1.02);
	t = pace_ticks_begin(axis);
	for (double e = first; e <= last; e++) {
		if (powers)
			snprintf(text, sizeof(text), "10^{%.0f}", e);
		else
			pace_axis_say(decade(e), text, sizeof(text));
		pace_tick(t, text, decade(e));
	}
	pace_ticks_end(s, name, t);
}

/* Ticks at 1, 2 and 5 of each decade, at 1 alone over many decades.  Labels at all of them,
 * at 1 alone, or at every 10^2, 10^3 ...  Either all labels are powers or none is. */
static void
put_decades(struct pace_ticks *t, double low, double high, int labels)
{
	static const int digits[] = { 1, 2, 5 };
	const double decades = log10(high / low);
	const bool all = decades * 3 <= labels, power = high >= 1e7 || low < 0.5e-4;
	char label[32];

	for (int e = (int)floor(log10(low)); e <= (int)ceil(log10(high)); e++)
		for (int i = 0; i < 3; i++) {
			const double v = digits[i] * pow(10, e);
			const bool one = digits[i] == 1;
			const bool labelled = all ? one || !power :
			    one && e % (int)ceil(decades / labels) == 0;

			if (v < low * (1 - 1e-9) || v > high * (1 + 1e-9) ||
			    (!one && decades >= 10))
				continue;
			if (power)
				snprintf(label, sizeof(label), "10^{%d}", e);
			else
				pace_axis_say(v, label, sizeof(label));
			pace_tick(t, labelled ? label : "", v);
		}
}

void
pace_axis_log(struct pace_figure *s, const char *name, const char *axis, double low, double high,
    int labels)
{
	/* nearly constant: add room on both sides */
	const double room = high < low * 1.1 ? 1.2 : fmax(1.03, pow(high / low, 0.05));
	struct pace_ticks *t = pace_ticks_begin(axis);
	double step;
	char label[32];

	low /= room;
	high *= room;
	put(s, name, "LOW", low);
	put(s, name, "HIGH", high);
	step = pace_axis_step(high - low, 6);
	if (high >= 6 * low)
		put_decades(t, low, high, labels);
	else	/* in a part of a decade there may be only one tick at 1, 2 or 5, or none: use
		 * linear steps */
		for (double v = ceil(low / step) * step; v <= high; v += step)
			pace_tick(t, pace_axis_say(v, label, sizeof(label)), v);
	pace_ticks_end(s, name, t);
}
