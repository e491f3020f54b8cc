#include "config.h"

#include "report/sweep_view.h"

#include <stdlib.h>

#include "report/pick.h"
#include "report/words.h"

bool
pace_sweep_view_make(struct pace_sweep_view *v, const struct pace_run *r, struct pace_figure *s)
{
	double *places;

	if (pace_sweep_make(&v->w, r) != 0) {
		s->failed = true;
		return false;
	}
	v->time = v->w.longest_ns < 1e7 ? (struct pace_axis_unit){ "µs", 1e3 } :
	    pace_axis_time(v->w.longest_ns);
	places = calloc(v->w.spacings + 1, sizeof(*places));
	if (places == NULL) {
		s->failed = true;
		pace_sweep_free(&v->w);
		return false;
	}
	for (size_t i = 0; i < v->w.spacings; i++)
		places[i] = v->w.spacing_ns[i] / v->time.one;
	pace_axis_spacings(&v->x, places, v->w.spacings);
	free(places);
	v->lines = pace_pick(v->w.n, PACE_LINES, v->shown);
	return true;
}

void
pace_sweep_view_free(struct pace_sweep_view *v)
{
	pace_sweep_free(&v->w);
}

void
pace_view_lines(struct pace_figure *s, const struct pace_sweep_view *v)
{
	const char *label[PACE_LINES];
	double shown[PACE_LINES];
	size_t most = 0;

	for (size_t i = 0; i < v->lines; i++) {
		label[i] = v->w.line[v->shown[i]].label;
		shown[i] = (double)v->shown[i] + 1;
	}
	for (size_t i = 0; i < v->w.n; i++)
		most = v->w.line[i].n > most ? v->w.line[i].n : most;
	pace_figure_int(s, "NS", (long)v->lines);
	pace_figure_texts(s, "LABEL", label, v->lines);
	pace_figure_nums(s, "SHOWN", shown, v->lines);
	pace_words_ramp(s, v->lines, v->w.spacings);
	pace_figure_int(s, "PI_EVERY", (long)(most / 42 + 1));
	pace_axis_put_spacing(s, &v->x);
	pace_figure_text(s, "X_UNIT", v->time.name);
}

double
pace_sweep_view_place(const struct pace_sweep_view *v, double spacing_ns)
{
	return pace_axis_place(&v->x, spacing_ns / v->time.one);
}

char *
pace_sweep_view_say(const struct pace_sweep_view *v, double spacing_ns, char *buf, size_t size)
{
	if (spacing_ns <= 0)
		snprintf(buf, size, "b-to-b");
	else
		pace_axis_say(spacing_ns / v->time.one, buf, size);
	return buf;
}

size_t
pace_sweep_view_index(const struct pace_sweep_view *v, double spacing_ns)
{
	size_t low = 0, high = v->w.spacings;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (v->w.spacing_ns[mid] < spacing_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low + 1;
}

void
pace_sweep_view_index_ticks(struct pace_figure *s, const struct pace_sweep_view *v, size_t max)
{
	/* label round spacings at equal distances if the sweep has them */
	static const size_t steps[] = { 1, 2, 4, 5, 8, 10, 20, 40, 50, 100 };
	size_t every = (v->w.spacings + max - 1) / max;
	struct pace_ticks *t = pace_ticks_begin("x");
	char text[40];

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] >= every) {
			every = steps[i];
			break;
		}
	for (size_t i = 0; i < v->w.spacings; i += every)
		pace_tick(t, pace_sweep_view_say(v, v->w.spacing_ns[i], text, sizeof(text)),
		    (double)i + 1);
	pace_ticks_end(s, "X", t);
}
