#include "config.h"

#include "run/admitted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEC		1e9
#define CHANGES_MAX	8
#define RANGE_MIN	8	/* a list with this many evenly spaced values is written as
				 * LOW:HIGH:STEP */
#define SLACK		1.1	/* margin for exchanges and results in addition to the frames */
#define LOWEST_TO	10	/* capacity: --low is set to --high divided by this */

struct change {
	const char	*name;
	char		*value;
	bool		put;
};

/* The plan in the options, and the changes to it. */
struct admitted_plan {
	const struct pace_admitted *a;
	const struct pace_allowed *p;
	struct pace_list size, step;	/* step: the list of spacing, rate or interval */
	const char	*step_name;
	bool		by_rate, by_count;
	int64_t		reply, count, bursts, gap_ns, duration_ns;
	int64_t		streams;	/* the most at once */
	double		repeat;		/* how often the streams of each size and step are sent */
	struct change	change[CHANGES_MAX];
	int		changes;
};

/* --- options ------------------------------------------------------------------------ */

static const void *
value_at(const struct pace_admitted *a, const char *name, enum pace_opt_kind kind)
{
	const struct pace_opt *o = pace_opt_find(a->cmd, name);

	return o != NULL && o->kind == kind ? (const char *)a->cfg + o->at : NULL;
}

static int64_t
number_of(const struct pace_admitted *a, const char *name, int64_t otherwise)
{
	const int64_t *v = value_at(a, name, PACE_OPT_NUM);

	return v != NULL ? *v : otherwise;
}

static void
list_of(const struct pace_admitted *a, const char *name, struct pace_list *l)
{
	const struct pace_list *v = value_at(a, name, PACE_OPT_LIST);

	l->n = 1;
	l->v[0] = number_of(a, name, 0);
	if (v != NULL)
		*l = *v;
}

/* --- values as a user types them -------------------------------------------------------- */

/* Write value / unit exactly, without trailing zeros. */
static void
put_decimal(FILE *f, int64_t value, int64_t unit, const char *name)
{
	char digits[24];
	int64_t rest = value % unit;
	int n = 0;

	for (int64_t u = unit / 10; rest > 0 && u > 0; u /= 10) {
		digits[n++] = (char)('0' + rest / u);
		rest %= u;
	}
	fprintf(f, "%lld%s%.*s%s", (long long)(value / unit), n > 0 ? "." : "", n, digits, name);
}

static void
put_value(FILE *f, enum pace_unit unit, int64_t v)
{
	if (unit == PACE_UNIT_USEC)
		put_decimal(f, v, 1000, "us");
	else if (unit == PACE_UNIT_SEC)
		put_decimal(f, v, 1000000000, "s");
	else if (unit == PACE_UNIT_BPS)
		put_decimal(f, v, 1000000, "M");
	else
		fprintf(f, "%lld", (long long)v);
}

static void
change_list(struct admitted_plan *s, const char *name, const struct pace_list *l)
{
	const struct pace_opt *o = pace_opt_find(s->a->cmd, name);
	struct change *c = s->change;
	size_t size;
	FILE *f;

	while (c < s->change + s->changes && strcmp(c->name, name) != 0)
		c++;
	if (c == s->change + CHANGES_MAX)
		return;
	free(c->value);
	c->value = NULL;
	f = open_memstream(&c->value, &size);
	if (f == NULL)
		return;
	c->name = name;
	for (int i = 0, n; i < l->n; i += n) {
		for (n = 1; i + n < l->n && l->v[i + n] > l->v[i] &&
		    l->v[i + n] - l->v[i + n - 1] == l->v[i + 1] - l->v[i]; n++)
			;		/* n: how many values have the same step */
		fputs(i > 0 ? "," : "", f);
		put_value(f, o->unit, l->v[i]);
		if (n < RANGE_MIN) {
			n = 1;
			continue;
		}
		fputc(':', f);
		put_value(f, o->unit, l->v[i + n - 1]);
		fputc(':', f);
		put_value(f, o->unit, l->v[i + 1] - l->v[i]);
	}
	if (fclose(f) == 0 && c == s->change + s->changes)
		s->changes++;
}

static void
change_number(struct admitted_plan *s, const char *name, int64_t v)
{
	static struct pace_list one;		/* static because it is large; only one thread
						 * uses it */

	one.n = 1;
	one.v[0] = v;
	change_list(s, name, &one);
}

/* Round to three digits, up or down. */
static int64_t
round_digits(double v, bool up)
{
	double unit = 1;

	while (v / unit >= 1000)
		unit *= 10;
	return (int64_t)((up ? ceil(v / unit * (1 - 1e-12)) : floor(v / unit)) * unit);
}

/* --- admission ----------------------------------------------------------------------- */

static double
wire_of(const struct admitted_plan *s, int64_t size)
{
	return (double)((size > s->reply ? size : s->reply) + s->a->overhead);
}

static bool
overflows(double n, double ns, int64_t per_second)
{
	return per_second > 0 && n > (double)per_second * (ns / SEC + 1);
}

/* Do n frames of each stream within ns nanoseconds exceed the policy? */
static bool
too_fast(const struct admitted_plan *s, double wire, double n, double ns)
{
	n *= (double)s->streams;
	return overflows(n * wire * 8, ns, s->p->rate_bps) || overflows(n, ns, s->p->frames);
}

static double
spacing_of(const struct admitted_plan *s, int64_t size, int64_t step)
{
	return s->by_rate ? (double)size * 8e9 / (double)step : (double)step;
}

static double
run_ns(const struct admitted_plan *s, double spacing)
{
	return s->by_count ? (double)s->count * (double)s->bursts * spacing +
	    (double)s->gap_ns * (double)(s->bursts - 1) : (double)s->duration_ns;
}

/* Does the policy admit this size and step?  Step 0 (as fast as possible) announces no rate, so
 * it is admitted until a run was ended for it. */
static bool
fits(const struct admitted_plan *s, int64_t size, int64_t step)
{
	double spacing = spacing_of(s, size, step > 0 ? step : 1), wire = wire_of(s, size);
	double burst = s->by_count ? (double)s->count : ceil((double)s->duration_ns / spacing);

	if (step == 0)
		return !s->a->ended;
	if (s->duration_ns == 0 && !s->by_count)	/* a run without an end: test each second */
		return !too_fast(s, wire, SEC / spacing, 0);
	return !too_fast(s, wire, burst, s->by_count ? burst * spacing : run_ns(s, spacing)) &&
	    !too_fast(s, wire, burst * (double)s->bursts, run_ns(s, spacing));
}

/* The step that is admitted at any length: the largest spacing over all sizes, or the lowest
 * rate. */
static int64_t
step_allowed(const struct admitted_plan *s)
{
	double spacing = 0, rate = INFINITY;

	for (int i = 0; i < s->size.n; i++) {
		double ns = 0;

		if (s->p->rate_bps > 0)
			ns = wire_of(s, s->size.v[i]) * 8e9 / (double)s->p->rate_bps;
		if (s->p->frames > 0)
			ns = fmax(ns, SEC / (double)s->p->frames);
		ns *= (double)s->streams;
		spacing = fmax(spacing, ns);
		rate = fmin(rate, ns > 0 ? (double)s->size.v[i] * 8e9 / ns : INFINITY);
	}
	if (s->by_rate)
		return isinf(rate) ? 0 : round_digits(rate, false);
	return round_digits(spacing, true);
}

/* --- changes ---------------------------------------------------------------------------- */

static void
cut_sizes(struct admitted_plan *s)
{
	int n = 0;

	for (int i = 0; i < s->size.n; i++)
		if (s->p->size_bytes == 0 || s->size.v[i] <= s->p->size_bytes)
			s->size.v[n++] = s->size.v[i];
	if (n == s->size.n)
		return;
	if (n == 0)
		s->size.v[n++] = s->p->size_bytes;
	s->size.n = n;
	change_list(s, "size", &s->size);
}

static void
cut_steps(struct admitted_plan *s)
{
	int n = 0;

	for (int i = 0; i < s->step.n; i++) {
		bool all = true;

		for (int k = 0; k < s->size.n; k++)
			all &= fits(s, s->size.v[k], s->step.v[i]);
		if (all)
			s->step.v[n++] = s->step.v[i];
	}
	if (n == s->step.n)
		return;
	if (n == 0)
		s->step.v[n++] = step_allowed(s);
	s->step.n = n;
	change_list(s, s->step_name, &s->step);
}

/* Reduce the number of bursts, then the number of frames. */
static void
cut_count(struct admitted_plan *s, double longest_ns)
{
	int64_t bursts = s->bursts, count = s->count;
	double spacing = 0, burst;

	for (int i = 0; i < s->size.n; i++)
		for (int k = 0; k < s->step.n; k++)
			spacing = fmax(spacing, spacing_of(s, s->size.v[i], s->step.v[k]));
	burst = (double)count * spacing;
	if (run_ns(s, spacing) <= longest_ns)
		return;
	if (bursts > 1)
		s->bursts = (int64_t)fmax(1, (longest_ns + (double)s->gap_ns) /
		    (burst + (double)s->gap_ns));
	if (s->bursts == 1 && burst > longest_ns)
		s->count = (int64_t)(longest_ns / spacing);
	if (s->bursts < bursts)
		change_number(s, "bursts", s->bursts);
	if (s->count < count)
		change_number(s, "count", s->count);
}

static void
cut_length(struct admitted_plan *s)
{
	int64_t most = s->p->duration_ns;

	if (most > 0 && s->by_count) {
		cut_count(s, (double)most);
	} else if (most > 0 && s->duration_ns > most) {
		s->duration_ns = most;
		change_number(s, "duration", most);
	}
}

/* Shorten the points to what is left of the day's volume; false: nothing is left. */
static bool
cut_bytes(struct admitted_plan *s)
{
	double bytes = 0, part;

	for (int i = 0; i < s->size.n; i++)
		for (int k = 0; k < s->step.n; k++) {
			double spacing = spacing_of(s, s->size.v[i], s->step.v[k]);
			double n = s->by_count ? (double)(s->count * s->bursts) :
			    spacing > 0 ? (double)s->duration_ns / spacing : 0;

			/* replies use the volume as well */
			bytes += n * wire_of(s, s->size.v[i]) * (s->reply > 0 ? 2 : 1);
		}
	part = (double)s->p->left_bytes / (SLACK * bytes * s->repeat);
	if (s->p->left_bytes == 0 || part >= 1)
		return true;
	if (s->by_count && s->bursts == 1) {
		s->count = (int64_t)((double)s->count * part);
		change_number(s, "count", s->count);
		return s->count > 0;
	}
	s->duration_ns = round_digits((double)s->duration_ns * part, false);
	change_number(s, "duration", s->duration_ns);
	return !s->by_count && s->duration_ns >= 1000000;
}

/* False: no rate of a search is as low as what is allowed. */
static bool
cut_search(struct admitted_plan *s)
{
	int64_t from = number_of(s->a, "low", 0), to = number_of(s->a, "high", 0), most;
	int64_t longest = s->p->duration_ns, least = pace_opt_find(s->a->cmd, "low")->min;

	s->by_rate = true;
	most = step_allowed(s);
	if (most > 0 && most < least)
		return false;
	if (most > 0 && (to == 0 || to > most)) {
		change_number(s, "high", most);
		if (from > most)
			change_number(s, "low", most / LOWEST_TO > least ? most / LOWEST_TO : least);
	}
	if (longest > 0 && s->duration_ns > longest)
		change_number(s, "duration", longest);
	if (longest > 0 && number_of(s->a, "sustain", 0) > longest)
		change_number(s, "sustain", longest);
	return s->changes > 0;
}

static bool
is_given(const struct pace_admitted *a, const char *name)
{
	return pace_opt_find(a->cmd, name) != NULL && pace_opt_given(a->cmd, a->cfg, name);
}

/* --- the line ------------------------------------------------------------------------------ */

static void
put_word(FILE *f, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "0123456789_@%+=:,./-";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (; *word != '\0'; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, f);
	fputc('\'', f);
}

/* Write the changed value if the option has one; false: it is unchanged. */
static bool
put_change(FILE *f, struct admitted_plan *s, const char *name)
{
	for (int i = 0; i < s->changes; i++) {
		struct change *c = &s->change[i];

		if (strcmp(c->name, name) != 0)
			continue;
		if (!c->put)
			fprintf(f, " --%s %s", c->name, c->value);
		c->put = true;
		return true;
	}
	return false;
}

/* Find the option in a word.  *at: where its value begins, in this word or the next; 0 for a
 * long option.  In a word of several letters only the last one may have a value. */
static const struct pace_opt *
option_of(const struct pace_cmd *cmd, const char *word, size_t *at)
{
	char name[64];

	*at = 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 1, "=") - 1, word + 2);
	if (word[1] == '-')
		return pace_opt_find(cmd, name);
	for (*at = 1; word[*at] != '\0'; (*at)++)
		for (int i = 0; i < cmd->nopts; i++)
			if (cmd->opts[i].letter == word[*at] && cmd->opts[i].kind != PACE_OPT_FLAG)
				return &cmd->opts[i];
	return NULL;
}

/* Write an option with its value; return how many words it used. */
static int
put_option(FILE *f, struct admitted_plan *s, char *const *argv, int left)
{
	size_t at;
	const struct pace_opt *o = option_of(s->a->cmd, argv[0], &at);
	bool has_value = o != NULL && o->kind != PACE_OPT_FLAG;
	bool apart = has_value && (at == 0 ? strchr(argv[0], '=') == NULL :
	    argv[0][at + 1] == '\0');
	int words = apart && left > 1 ? 2 : 1;

	if (has_value && at > 1 && put_change(f, s, o->name)) {
		fprintf(f, " %.*s", (int)at, argv[0]);
		return words;
	}
	if (has_value && put_change(f, s, o->name))
		return words;
	for (int i = 0; i < words; i++) {
		fputc(' ', f);
		put_word(f, argv[i]);
	}
	return words;
}

static void
put_line(FILE *f, struct admitted_plan *s)
{
	char *const *argv = s->a->argv;
	int i = 2, n = s->a->argc;

	put_word(f, argv[0]);
	fputc(' ', f);
	put_word(f, argv[1]);
	while (i < n && strcmp(argv[i], "--") != 0) {
		if (argv[i][0] == '-' && argv[i][1] != '\0') {
			i += put_option(f, s, argv + i, n - i);
			continue;
		}
		fputc(' ', f);
		put_word(f, argv[i++]);
	}
	for (int k = 0; k < s->changes; k++)
		(void)put_change(f, s, s->change[k].name);
	/* the refused run has already made its files */
	if (pace_opt_find(s->a->cmd, "force") != NULL && !is_given(s->a, "force") &&
	    (is_given(s->a, "output") || is_given(s->a, "jsonl")))
		fputs(" --force", f);
	for (; i < n; i++) {
		fputc(' ', f);
		put_word(f, argv[i]);
	}
}

size_t
pace_admitted_text(const struct pace_allowed *p, char *buf, size_t size)
{
	const struct { int64_t v; enum pace_unit unit; const char *behind; } parts[] = {
		{ p->rate_bps, PACE_UNIT_BPS, " on the wire" },
		{ p->frames, PACE_UNIT_COUNT, " frames/s" },
		{ p->size_bytes, PACE_UNIT_BYTES, " a frame" },
		{ p->duration_ns, PACE_UNIT_SEC, " a run" },
		{ p->left_bytes, PACE_UNIT_BYTES, " left today" },
	};
	char text[32];
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && n + 64 < size; i++) {
		if (parts[i].v == 0)
			continue;
		if (i + 1 == sizeof(parts) / sizeof(parts[0]))
			pace_print_decimal((double)parts[i].v, text, sizeof(text));
		else
			pace_print(parts[i].unit, (double)parts[i].v, text, sizeof(text));
		n += (size_t)snprintf(buf + n, size - n, "%s%s%s", n > 0 ? ", " : "", text,
		    parts[i].behind);
	}
	return n;
}

/* --- the whole command ---------------------------------------------------------------------- */

static void
read_plan(struct admitted_plan *s)
{
	const struct pace_admitted *a = s->a;
	const struct pace_list *codes = value_at(a, "dscp", PACE_OPT_DSCP_LIST);
	static struct pace_list streams;	/* static because it is large */
	bool trips = pace_opt_find(a->cmd, "timeout") != NULL;

	list_of(a, "size", &s->size);
	s->by_rate = is_given(a, "rate");
	s->step_name = trips ? "interval" : s->by_rate ? "rate" : "spacing";
	list_of(a, s->step_name, &s->step);
	s->by_count = trips || (pace_opt_find(a->cmd, "bursts") != NULL &&
	    pace_opt_given(a->cmd, a->cfg, "count"));
	s->count = number_of(a, "count", 0);
	s->bursts = number_of(a, "bursts", 1);
	s->gap_ns = number_of(a, "burst-gap", 0);
	s->duration_ns = number_of(a, "duration", 0);
	list_of(a, "streams", &streams);
	for (int i = 0; i < streams.n; i++) {
		int64_t n = streams.v[i] > 0 ? streams.v[i] : 1;	/* 0: no such option */

		s->streams = n > s->streams ? n : s->streams;
		s->repeat += (double)n;
	}
	s->repeat *= (double)(number_of(a, "repeat", 1) * (codes != NULL ? codes->n : 1)) *
	    (is_given(a, "two-way") ? 2 : 1);
	if (trips)
		s->reply = number_of(a, "reply-size", 0) > 0 ? number_of(a, "reply-size", 0) : 1;
}

/* Change the plan until the policy admits it.  False: no change is sufficient. */
static bool
change_plan(struct admitted_plan *s)
{
	bool search = pace_opt_find(s->a->cmd, "sustain") != NULL;
	/* the run continues as another run */
	bool endless = pace_opt_find(s->a->cmd, "attach") != NULL;

	cut_sizes(s);
	if (search)	/* how much of the day's volume it takes is not known before */
		return !s->a->day && cut_search(s);
	if (endless)
		s->duration_ns = 0;
	else if (!s->by_count)
		cut_length(s);
	cut_steps(s);
	if (s->by_count)
		cut_length(s);
	return (endless || cut_bytes(s)) && s->changes > 0 &&
	    (!s->by_count || (s->count > 0 && s->bursts > 0));
}

char *
pace_admitted_line(const struct pace_admitted *a, const struct pace_allowed *p)
{
	struct admitted_plan *s = calloc(1, sizeof(*s));
	char *line = NULL;
	size_t size;
	FILE *f;

	if (s == NULL || a->argc < 2) {
		free(s);
		return NULL;
	}
	s->a = a;
	s->p = p;
	read_plan(s);
	if (change_plan(s) && (f = open_memstream(&line, &size)) != NULL) {
		put_line(f, s);
		fclose(f);
	}
	for (int i = 0; i < CHANGES_MAX; i++)
		free(s->change[i].value);
	free(s);
	return line;
}
