#include "config.h"

#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "doc/params.h"
#include "report/axis.h"

/* Light to dark, each with a contrast of at least 2.2 : 1 on white, distinguishable for
 * colour-blind readers; up to five colours have larger steps. */
static const char *const five[] = { "#ed6162", "#bf3b75", "#852781", "#4d1278", "#170e3a" };
static const char *const seven[] = { "#4fc26a", "#26a783", "#238b8d", "#2e6d8e", "#3c4e8a",
    "#472a78", "#1d0033" };
static const double markers[] = { 7, 9, 5, 11, 13, 15, 3 };

static void
add(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s", text);
}

char *
pace_words_hosts(const struct pace_run *r, char *buf, size_t size)
{
	/* the host that analysed a capture is not the source of its streams */
	const char *from = r->seen ? "" : r->head.r.host, *to = r->head.r.target;

	if (pace_run_is_down(r))
		snprintf(buf, size, "%s%s%s%s", from[0] != '\0' ? "" : "from ", to,
		    from[0] != '\0' ? " to " : "", from);
	else
		snprintf(buf, size, "%s%s%s%s", from, from[0] != '\0' && to[0] != '\0' ? " " : "",
		    to[0] != '\0' ? "to " : "", to);
	return buf;
}

char *
pace_words_who(const struct pace_run *r, char *buf, size_t size)
{
	const struct pace_host *h = &r->head.r.client;
	char text[160], rate[32];
	int64_t mtu;

	pace_words_hosts(r, buf, size);
	if (r->seen) {
		add(buf, size, r->capture.interface[0] != '\0' ? "on " : "of ");
		add(buf, size, r->capture.socket[0] != '\0' ? r->capture.socket :
		    r->capture.interface[0] != '\0' ? r->capture.interface : r->capture.file);
		if (r->capture.other_file[0] != '\0') {
			add(buf, size, " and ");
			add(buf, size, r->capture.other_file);
		}
		if (r->capture.filter[0] != '\0') {
			add(buf, size, ", ");
			add(buf, size, r->capture.filter);
		}
	}
	if (r->head.r.address[0] != '\0' && strcmp(r->head.r.address, r->head.r.target) != 0) {
		snprintf(text, sizeof(text), " (%s)", r->head.r.address);
		add(buf, size, text);
	}
	if (h->driver[0] != '\0') {
		add(buf, size, " · ");
		add(buf, size, h->driver);
	}
	if (pace_run_line_bps(r) > 0) {
		snprintf(text, sizeof(text), " · %s link", pace_print(PACE_UNIT_BPS,
		    pace_run_line_bps(r), rate, sizeof(rate)));
		add(buf, size, text);
	}
	if (pace_host_knows(h, PACE_FACT_MTU, &mtu)) {
		snprintf(text, sizeof(text), " · MTU %lld", (long long)mtu);
		add(buf, size, text);
	}
	return buf;
}

char *
pace_words_frames(const struct pace_sweep *w, char *buf, size_t size)
{
	char low[40], high[40];

	pace_axis_count(w->least_frames, low, sizeof(low));
	pace_axis_count(w->most_frames, high, sizeof(high));
	if (strcmp(low, high) == 0)
		snprintf(buf, size, "%s frame%s", high, w->most_frames > 1 ? "s" : "");
	else
		snprintf(buf, size, "%s to %s frames", low, high);
	return buf;
}

const char *
pace_words_lines(const struct pace_run *r)
{
	bool sizes = false, streams = false, codes = false;

	for (size_t i = 1; i < r->n; i++) {
		const struct pace_params *a = &r->point[i].ask, *first = &r->point[0].ask;

		sizes |= a->size_bytes != first->size_bytes;
		streams |= pace_params_streams(a) != pace_params_streams(first);
		codes |= a->dscp != first->dscp;
	}
	if (sizes + streams + codes > 1)
		return "lines";
	return streams ? "numbers of streams" : codes ? "code points" : "sizes";
}

char *
pace_words_line(const struct pace_stream_point *l, char *buf, size_t size)
{
	char text[40];

	buf[0] = '\0';
	if (l->ask.streams > 1) {
		snprintf(text, sizeof(text), "%u × ", l->ask.streams);
		add(buf, size, text);
	}
	snprintf(text, sizeof(text), "%u B", l->ask.size_bytes);
	add(buf, size, text);
	if (l->ask.dscp > 0) {
		snprintf(text, sizeof(text), ", DSCP %u", l->ask.dscp);
		add(buf, size, text);
	}
	return buf;
}

char *
pace_words_stream(const struct pace_stream_point *l, bool line_too, char *buf, size_t size)
{
	char text[32];

	buf[0] = '\0';
	if (l->name[0] != '\0') {		/* a stream of a capture */
		add(buf, size, l->name);
		return buf;
	}
	if (line_too) {
		pace_words_line(l, buf, size);
		add(buf, size, ", ");
	}
	add(buf, size, pace_axis_say_spacing(pace_params_spacing_ns(&l->ask), text, sizeof(text)));
	if (l->ask.train > 1) {
		snprintf(text, sizeof(text), " × %llu", (unsigned long long)l->ask.train);
		add(buf, size, text);
	}
	if (l->verdict == PACE_DEGRADED)
		add(buf, size, " ○");
	return buf;
}

/* Decide from the tables; a figure without such a column names its streams, which carry the
 * mark. */
static bool
shows_degraded(const struct pace_figure *s, const struct pace_run *r, bool *named)
{
	bool any = false, marked = false;

	for (const struct pace_table *t = s->table; t < s->table + s->tables; t++)
		for (size_t k = 0; k < t->columns; k++) {
			if (strstr(t->column[k].name, "degraded") == NULL)
				continue;
			marked = true;
			for (size_t i = 0; i < t->rows; i++)
				any |= t->v[i * t->columns + k] > 0;
		}
	for (size_t i = 0; i < r->n && !marked; i++)
		any |= r->point[i].verdict == PACE_DEGRADED;
	*named = !marked;
	return any;
}

void
pace_words_marks(struct pace_figure *s, const struct pace_run *r)
{
	bool named, trains = false;
	const bool degraded = shows_degraded(s, r, &named);
	char *caption = s->caption;

	for (size_t i = 0; i < r->n && named; i++)
		trains |= r->point[i].ask.train > 1;
	pace_figure_int(s, "DEGRADED", degraded);
	s->caption = NULL;
	pace_figure_say(s, &s->caption, "%s%s%s", caption != NULL ? caption : "", degraded ?
	    " A hollow mark is a degraded point, see Warnings." : "", trains ?
	    " × N: trains of N frames, gaps from train to train." : "");
	free(caption);
}

void
pace_words_subtitle(struct pace_figure *s, const struct pace_run *r, const char *what)
{
	char who[512];

	pace_figure_say(s, &s->subtitle, "%s%s%s%s%s%s", pace_words_who(r, who, sizeof(who)),
	    what[0] != '\0' ? " · " : "", what, r->head.r.label[0] != '\0' ? " · " : "",
	    r->head.r.label, r->whole ? "" : " · interrupted, not complete");
}

void
pace_words_footer(struct pace_figure *s, const struct pace_run *r, const char *formula)
{
	char when[24];

	snprintf(when, sizeof(when), "%.16sZ", r->head.r.started);
	pace_figure_say(s, &s->footer, "udpace %s · run %s · %s%s%s", PACKAGE_VERSION, when,
	    r->name, formula[0] != '\0' ? " · " : "", formula);
}

void
pace_words_ramp(struct pace_figure *s, size_t n, size_t places)
{
	const char *color[PACE_LINES];
	const char *const *ramp = n <= 5 ? five : seven;
	const size_t last = n <= 5 ? 4 : 6;

	for (size_t i = 0; i < n; i++)
		color[i] = ramp[n == 1 ? last - 1 : i * last / (n - 1)];
	pace_figure_texts(s, "COLOR", color, n);
	pace_figure_nums(s, "PT", markers, n);
	pace_figure_num(s, "DODGE", fmin(0.005, 0.4 / ((double)places * (double)n + 1)));
}
