#include "config.h"

#include "report/logaxis.h"

#include <math.h>

#include "report/axis.h"

struct logaxis_span {
	double	low, high;
	int	labels;			/* room for so many */
};

/* Every 1, 2 and 5; only every 1; only every 10^2, 10^3 ... */
static bool
is_labelled(const struct logaxis_span *a, int digit, int exponent)
{
	const double decades = log10(a->high / a->low);

	if (decades * 3 <= a->labels)
		return digit == 1 || (exponent < 6 && exponent > -4);
	return digit == 1 && exponent % (int)ceil(decades / a->labels) == 0;
}

static void
say(double v, int exponent, char *buf, size_t size)
{
	if (exponent >= 6 || exponent <= -4)
		snprintf(buf, size, "10^{%d}", exponent);
	else
		pace_axis_say(v, buf, size);
}

/* Within a part of a decade 1, 2 and 5 may be one tick or none: even steps. */
static void
put_even(struct pace_ticks *t, const struct logaxis_span *a)
{
	const double step = pace_axis_step(a->high - a->low, 6);
	char label[32];

	for (double v = ceil(a->low / step) * step; v <= a->high; v += step)
		pace_tick(t, pace_axis_say(v, label, sizeof(label)), v);
}

static void
put_decades(struct pace_ticks *t, const struct logaxis_span *a)
{
	static const int digits[] = { 1, 2, 5 };
	const bool fine = log10(a->high / a->low) < 10;
	char label[32];

	for (int e = (int)floor(log10(a->low)); e <= (int)ceil(log10(a->high)); e++)
		for (int i = 0; i < 3; i++) {
			double v = digits[i] * pow(10, e);

			if (v < a->low * (1 - 1e-9) || v > a->high * (1 + 1e-9) ||
			    (digits[i] != 1 && !fine))
				continue;
			say(v, e, label, sizeof(label));
			pace_tick(t, is_labelled(a, digits[i], e) ? label : "", v);
		}
}

void
pace_logaxis_put(struct pace_figure *s, const char *name, const char *axis, double low,
    double high, int labels)
{
	double room = fmax(1.03, pow(high / low, 0.05));
	struct pace_ticks *t = pace_ticks_begin(axis);
	struct logaxis_span a = { low / room, high * room, labels };
	char var[40];

	if (high < low * 1.1)			/* nearly constant: some of both sides */
		a = (struct logaxis_span){ low / 1.2, high * 1.2, labels };
	snprintf(var, sizeof(var), "%s_LOW", name);
	pace_figure_num(s, var, a.low);
	snprintf(var, sizeof(var), "%s_HIGH", name);
	pace_figure_num(s, var, a.high);
	if (a.high < 6 * a.low)
		put_even(t, &a);
	else
		put_decades(t, &a);
	pace_ticks_end(s, name, t);
}
