#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmds.h"
#include "cmd/report.h"
#include "out/table.h"
#include "report/cmp.h"

struct compare_cfg {
	struct pace_given given;
	const char	*output;
	bool		force;
};

#define AT(field)	offsetof(struct compare_cfg, field)

static const struct pace_opt opts[] = {
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "DIR",
	    "also draw figures into this folder", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "use a folder that contains more than a report", "Output" },
};

/* --- the table --------------------------------------------------------------------------- */

enum { BYTES, SPACING, RATE, NUMBER, PERCENT, MICROS, UNITS };
static const struct pace_scale units[UNITS] = {
	[BYTES] = { "B", 1, 0 }, [SPACING] = { "\xc2\xb5s", 1e3, 2 }, [RATE] = { "Mbit/s", 1e6, 1 },
	[NUMBER] = { "", 1, 4 }, [PERCENT] = { "%    ", 1, PACE_AS_PERCENT },
	[MICROS] = { "\xc2\xb5s", 1, 2 },
};
static const struct pace_column of_rates[] = {
	{ "size", 6, BYTES }, { "spacing", 9, SPACING }, { "A wire", 9, RATE },
	    { "B wire", 9, RATE },
	{ "B/A", 8, NUMBER }, { "A lost", 9, PERCENT }, { "B lost", 9, PERCENT },
	    { "B-A", 10, PERCENT },
}, of_delays[] = {
	{ "size", 6, BYTES }, { "spacing", 9, SPACING }, { "A p50", 9, MICROS },
	    { "B p50", 9, MICROS },
	{ "B-A", 9, MICROS }, { "A p99", 9, MICROS }, { "B p99", 9, MICROS }, { "B-A", 9, MICROS },
	{ "error", 8, MICROS },
}, of_trips[] = {
	{ "size", 6, BYTES },
	{ "A min", 9, MICROS }, { "B min", 9, MICROS }, { "B/A", 6, NUMBER },
	{ "A p50", 9, MICROS }, { "B p50", 9, MICROS }, { "B/A", 6, NUMBER },
	{ "A p99", 9, MICROS }, { "B p99", 9, MICROS }, { "B/A", 6, NUMBER },
};
static const struct pace_row_table rates = { of_rates, PACE_COUNT_OF(of_rates), units, 0 },
    delays = { of_delays, PACE_COUNT_OF(of_delays), units, 0 },
    trips = { of_trips, PACE_COUNT_OF(of_trips), units, 0 };

/* The mark at the end of a row: which of the two is degraded. */
static const char *
degraded_in(const struct pace_pair *p)
{
	return p->a->degraded && p->b->degraded ? "AB" : p->a->degraded ? "A" :
	    p->b->degraded ? "B" : "";
}

static void
say_pair(const struct pace_say *s, const struct pace_pair *p)
{
	const double rate[2] = { pace_cmp_rate(p->a), pace_cmp_rate(p->b) };
	const double lost[2] = { pace_cmp_lost(p->a) / 100, pace_cmp_lost(p->b) / 100 };

	pace_say_cells(s, &rates, (const double []){ p->size_bytes, p->spacing_ns, rate[0], rate[1],
	    pace_cmp_ratio(rate[0], rate[1]), lost[0], lost[1], lost[1] - lost[0] });
	pace_say_flags(s, 2, degraded_in(p));
}

/* A difference smaller than the clocks' error does not prove a difference of the paths, so the
 * error is printed with it. */
static void
say_delay(const struct pace_say *s, const struct pace_pair *p)
{
	const double a[2] = { pace_cmp_delay(p->a, 0.5), pace_cmp_delay(p->a, 0.99) };
	const double b[2] = { pace_cmp_delay(p->b, 0.5), pace_cmp_delay(p->b, 0.99) };

	pace_say_cells(s, &delays, (const double []){ p->size_bytes, p->spacing_ns, a[0], b[0],
	    b[0] - a[0], a[1], b[1], b[1] - a[1],
	    fmax(pace_cmp_delay_error(p->a), pace_cmp_delay_error(p->b)) });
	pace_say(s, "\n");
}

static bool
has_delay(const struct pace_pair *p)
{
	return isfinite(pace_cmp_delay(p->a, 0.5)) || isfinite(pace_cmp_delay(p->b, 0.5));
}

/* A table of the points in both results, or only of those with a one-way delay. */
struct pair_table {
	const char	*title;		/* above the column heads */
	const struct pace_row_table *t;
	bool		(*wanted)(const struct pace_pair *);
	void		(*row)(const struct pace_say *, const struct pace_pair *);
};

/* Print the rows; return their number. */
static size_t
say_rows(const struct pace_say *s, const struct pace_cmp *c, const struct pair_table *table)
{
	size_t n = 0;
	int dscp = 0;
	uint32_t streams = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct pace_pair *p = &c->pair[i];

		if (p->a == NULL || p->b == NULL || (table->wanted != NULL && !table->wanted(p)))
			continue;
		if (n++ == 0) {
			pace_say(s, "%s", table->title);
			pace_say_heads(s, table->t);
		}
		if (p->dscp >= 0 && p->dscp != dscp)
			pace_say(s, "DSCP %d\n", p->dscp);
		dscp = p->dscp >= 0 ? p->dscp : dscp;
		if (p->streams > 0 && p->streams != streams)
			pace_say(s, "%u stream%s\n", p->streams, p->streams == 1 ? "" : "s");
		streams = p->streams;
		table->row(s, p);
	}
	return n;
}

static void
say_pairs(const struct pace_say *s, const struct pace_cmp *c)
{
	static const struct pair_table of_both = { "\n", &rates, NULL, say_pair },
	    with_delay = { "\none-way delay\n", &delays, has_delay, say_delay };
	bool degraded = false;

	if (say_rows(s, c, &of_both) == 0)
		return;
	for (size_t i = 0; i < c->n; i++)
		degraded |= c->pair[i].a != NULL && c->pair[i].b != NULL &&
		    *degraded_in(&c->pair[i]) != '\0';
	pace_say(s, "  wire: rates received on the wire; lost B-A: in percentage points\n");
	if (c->streams_a != c->streams_b && c->streams_a > 0 && c->streams_b > 0)
		pace_say_sentence(s, "  ", "streams: %u in A, %u in B; their aggregates are "
		    "compared", c->streams_a, c->streams_b);
	if (degraded)
		pace_say_wrapped(s, "  A, B  ",
		    "at the end of a row: degraded in that run: its sender "
		    "did not send as requested, and that changes the result");
	if (say_rows(s, c, &with_delay) > 0)
		pace_say(s, "  error: of the clocks; a difference within it says nothing\n");
}

static void
say_trip(const struct pace_say *s, const struct pace_rtt_point_pair *p)
{
	static const double q[] = { 0, 0.5, 0.99 };
	double v[PACE_COUNT_OF(of_trips)] = { p->size_bytes };

	for (int i = 0; i < 3; i++) {
		v[3 * i + 1] = pace_cmp_rtt(p->a, q[i]);
		v[3 * i + 2] = pace_cmp_rtt(p->b, q[i]);
		v[3 * i + 3] = pace_cmp_ratio(v[3 * i + 1], v[3 * i + 2]);
	}
	pace_say_cells(s, &trips, v);
	pace_say(s, "\n");
}

static void
say_trips(const struct pace_say *s, const struct pace_cmp *c)
{
	bool head = false;

	for (size_t i = 0; i < c->trips; i++) {
		const struct pace_rtt_point_pair *p = &c->trip[i];

		if (p->a == NULL || p->b == NULL)
			continue;
		if (!head) {
			pace_say(s, "\nround trips\n");
			pace_say_heads(s, &trips);
		}
		head = true;
		say_trip(s, &c->trip[i]);
	}
}

/* --- points in one result only ---------------------------------------------------------------- */

/* List all of them, streams first, then round trips, so that no point is omitted silently. */
static bool
is_alone(const struct pace_cmp *c, size_t i, bool of_b)
{
	if (i < c->n)
		return (of_b ? c->pair[i].a : c->pair[i].b) == NULL;
	return (of_b ? c->trip[i - c->n].a : c->trip[i - c->n].b) == NULL;
}

/* "64 B every 10.0 µs, 20.0 µs; 512 B every 10.0 µs" */
static void
write_alone(FILE *f, const struct pace_cmp *c, bool of_b)
{
	const struct pace_pair *last = NULL;
	const char *before = "";

	for (size_t i = 0; i < c->n + c->trips; i++) {
		const struct pace_pair *p = i < c->n ? &c->pair[i] : NULL;

		if (!is_alone(c, i, of_b))
			continue;
		if (p == NULL)
			fprintf(f, "%s%u B", before, c->trip[i - c->n].size_bytes);
		else if (last != NULL && p->size_bytes == last->size_bytes && p->dscp == last->dscp)
			fprintf(f, ", ");
		else if (p->dscp > 0)
			fprintf(f, "%s%u B, DSCP %d, every ", before, p->size_bytes, p->dscp);
		else
			fprintf(f, "%s%u B every ", before, p->size_bytes);
		if (p != NULL)
			fprintf(f, "%s", p->spacing_ns > 0 ? PACE_AS_USEC(p->spacing_ns) : "0 ns");
		before = "; ";
		last = p;
	}
}

static void
say_alone(const struct pace_say *s, const struct pace_cmp *c, const char *who, bool of_b)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return;
	write_alone(f, c, of_b);
	if (fclose(f) == 0 && size > 0) {
		pace_say(s, "\n");
		pace_say_wrapped(s, who, text);
	}
	free(text);
}

/* Print the table of two runs on standard output.  If no point is in both, there are no figures. */
static int
tell_two(const struct pace_run *a, const struct pace_run *b)
{
	const struct pace_say s = { stdout, pace_say_utf8() };
	struct pace_cmp c;
	int status = 0;

	if (a->n > 0 && b->n > 0 && pace_run_is_down(a) != pace_run_is_down(b)) {
		pace_complain("%s is measured to the responder, %s from it (--reverse): results of two "
		    "directions are not compared", (pace_run_is_down(a) ? b : a)->name,
		    (pace_run_is_down(a) ? a : b)->name);
		return PACE_EXIT_NO_RESULT;
	}
	if (pace_cmp_make(&c, a, b) != 0) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	for (int i = 0; i < 2; i++) {
		const struct pace_run *r = i == 0 ? a : b;

		pace_say_sentence(&s, i == 0 ? "A: " : "B: ", "%s, %s%s%s, started %s%s%s", r->name,
		    r->head.kind, r->head.r.target[0] != '\0' ? " to " : "", r->head.r.target,
		    r->head.r.started, r->head.r.label[0] != '\0' ? ", " : "", r->head.r.label);
		if (r->skipped > 0)
			pace_say(&s, "   %zu %s skipped\n", r->skipped, r->skipped == 1 ?
			    "point" : "points");
	}
	say_pairs(&s, &c);
	say_trips(&s, &c);
	say_alone(&s, &c, "only in A: ", false);
	say_alone(&s, &c, "only in B: ", true);
	if (c.both == 0) {
		pace_complain("nothing to compare: no size and spacing is in both results");
		status = PACE_EXIT_NO_RESULT;
	}
	pace_cmp_free(&c);
	return status;
}

/* True if runs i and i + 1 are the directions of one two-way result, or UDP and TCP of one. */
static bool
is_pair(const struct pace_report_data *b, size_t i)
{
	if (i + 1 < b->n && b->run[i + 1]->over_tcp)
		return true;
	return i + 1 < b->n && b->run[i]->n > 0 && b->run[i + 1]->n > 0 &&
	    b->run[i]->point[0].ask.two_way && !pace_run_is_down(b->run[i]) &&
	    b->run[i + 1]->point[0].ask.two_way && pace_run_is_down(b->run[i + 1]);
}

/* Compare two results; of two-way results each direction with its own. */
static int
tell(const struct pace_report_data *b)
{
	const struct pace_say s = { stdout, pace_say_utf8() };
	int up, down;

	for (size_t i = 0; i < b->n; i++) {
		const struct pace_run *r = b->run[i];
		const bool tcp = r->tcps > 0;

		if (tcp || strcmp(r->head.kind, "clock") == 0) {
			pace_complain("%s is of udpace %s: results of %s are not compared", r->file,
			    tcp ? "tcp" : "clock", tcp ? "TCP" : "clocks");
			pace_hint("udpace report draws several of them on one page");
			return PACE_EXIT_NO_RESULT;
		}
	}
	if (b->n == 2 && !is_pair(b, 0))
		return tell_two(b->run[0], b->run[1]);
	if (b->n == 3) {
		pace_complain("one result has two parts (two directions, or UDP and TCP), the other "
		    "one: they are not compared");
		return PACE_EXIT_NO_RESULT;
	}
	if (b->n != 4 || !is_pair(b, 0) || !is_pair(b, 2)) {
		pace_complain("compare needs two results; frame records are not results");
		return PACE_EXIT_NO_RESULT;
	}
	up = tell_two(b->run[0], b->run[2]);
	pace_say(&s, "\n");
	down = tell_two(b->run[1], b->run[3]);
	return up != 0 ? up : down;
}

/* --- the command -------------------------------------------------------------------- */

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct compare_cfg *cfg = arg;

	(void)cmd; (void)all_argc; (void)all_argv;
	if (cfg->output == NULL) {
		struct pace_report_data b = { .n = 0 };
		int status = 0;

		for (int i = 0; i < 2 && status == 0; i++) {
			struct pace_err err = { .code = 0 };

			if (pace_report_data_add(&b, argv[i], &err) == 0)
				continue;
			pace_complain("%s", pace_err_why(&err));
			status = PACE_EXIT_NO_RESULT;
		}
		if (status == 0)
			status = tell(&b);
		pace_report_data_free(&b);
		return status;
	}
	return pace_report_make(&(struct pace_report_job){ .figs = pace_figs_of_two,
	    .output = cfg->output, .force = cfg->force, .files = argc, .file = argv, .all = true,
	    .look = tell });
}

static const char *const examples[] = {
	"# a table: did the change help?",
	"udpace compare before.json after.json",
	"# also figures, in before-after/",
	"udpace compare before.json after.json -o before-after",
	NULL
};

const struct pace_cmd pace_cmd_compare = {
	"compare", "compare two results side by side", "A B", 2, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct compare_cfg), run, NULL,
};
