#include "config.h"

#include <errno.h>
#include <math.h>

#include "cmd/cmds.h"
#include "cmd/report.h"
#include "core/units.h"
#include "report/axis.h"
#include "report/cmp.h"

enum { EXIT_NO_RESULT = 3 };

struct compare_cfg {
	struct pace_given given;
	const char	*output;
	bool		force;
};

#define AT(field)	offsetof(struct compare_cfg, field)

static const struct pace_opt opts[] = {
	{ "output", 'o', PACE_OPT_STR, AT(output), 0, 0, 0, NULL, "DIR",
	    "also figures, into a folder", "Output" },
	{ "force", 0, PACE_OPT_FLAG, AT(force), 0, 0, 0, NULL, NULL,
	    "use a folder that holds other things than a report", "Output" },
};

/* --- the table --------------------------------------------------------------------------- */

static const char *
number(double v, int decimals, char *buf, size_t size)
{
	if (v == 0)		/* none at all is not little */
		snprintf(buf, size, "0");
	else if (isfinite(v))
		snprintf(buf, size, "%.*f", decimals, v);
	else
		snprintf(buf, size, "-");
	return buf;
}

static double
percent(const struct pace_sweep_cell *c)
{
	return c->n > 0 ? c->loss.mid * 100 : NAN;
}

static double
rate(const struct pace_sweep_cell *c)
{
	return c->n > 0 ? c->wire_bps.mid : NAN;
}

static void
print_pair(const struct pace_pair *p)
{
	const double a = rate(p->a), b = rate(p->b), la = percent(p->a), lb = percent(p->b);
	char text[7][32];

	printf("%6u %10s %12s %12s %8s %9s %9s %9s", p->size_bytes,
	    p->spacing_ns > 0 ? number(p->spacing_ns / 1e3, 2, text[0], 32) : "b-to-b",
	    number(a / 1e6, 1, text[1], 32), number(b / 1e6, 1, text[2], 32),
	    number(pace_cmp_ratio(a, b), 4, text[3], 32), number(la, 4, text[4], 32),
	    number(lb, 4, text[5], 32), number(lb - la, 4, text[6], 32));
	if (p->dscp > 0)
		printf("  DSCP %d", p->dscp);
	printf("\n");
}

static void
print_pairs(const struct pace_cmp *c)
{
	bool head = false;

	for (size_t i = 0; i < c->n; i++) {
		if (c->pair[i].a == NULL || c->pair[i].b == NULL)
			continue;
		if (!head)
			printf("  size    spacing       A wire       B wire      B/A    A lost    "
			    "B lost       B-A\n     B         µs       Mbit/s       Mbit/s    "
			    "             %%         %%         %%\n");
		head = true;
		print_pair(&c->pair[i]);
	}
}

static double
trip(const struct pace_rtt_point *p, double q)
{
	return (q > 0 ? pace_bins_quantile(&p->rtt, q) : pace_bins_min(&p->rtt)) / 1e3;
}

static void
print_trip(const struct pace_rtt_point_pair *p)
{
	static const double q[] = { 0, 0.5, 0.99 };
	char text[32];

	printf("%6u", p->size_bytes);
	for (int i = 0; i < 3; i++) {
		double a = trip(p->a, q[i]), b = trip(p->b, q[i]);

		printf(" %9s", number(a, 2, text, sizeof(text)));
		printf(" %9s", number(b, 2, text, sizeof(text)));
		printf(" %6s", number(pace_cmp_ratio(a, b), 3, text, sizeof(text)));
	}
	printf("\n");
}

static void
print_trips(const struct pace_cmp *c)
{
	bool head = false;

	for (size_t i = 0; i < c->trips; i++) {
		if (c->trip[i].a == NULL || c->trip[i].b == NULL)
			continue;
		if (!head)
			printf("  size     A min     B min    B/A     A p50     B p50    B/A     "
			    "A p99     B p99    B/A\n     B        µs        µs               µs"
			    "        µs               µs        µs\n");
		head = true;
		print_trip(&c->trip[i]);
	}
}

/* --- what only one has ------------------------------------------------------------------------ */

static void
print_place(bool *first, const char *who, uint32_t size, const char *rest)
{
	printf("%s%u B%s", *first ? who : ", ", size, rest);
	*first = false;
}

/* Each is named: nothing is left out silently. */
static void
print_alone(const struct pace_cmp *c, const char *who, bool of_b)
{
	bool first = true;
	char text[32], rest[80], dscp[24] = "";

	for (size_t i = 0; i < c->n; i++) {
		const struct pace_pair *p = &c->pair[i];

		if ((of_b ? p->a : p->b) != NULL)
			continue;
		if (p->dscp > 0)
			snprintf(dscp, sizeof(dscp), " DSCP %d", p->dscp);
		else
			dscp[0] = '\0';
		snprintf(rest, sizeof(rest), " %s%s", p->spacing_ns > 0 ? pace_print(
		    PACE_UNIT_USEC, p->spacing_ns, text, sizeof(text)) : "back to back", dscp);
		print_place(&first, who, p->size_bytes, rest);
	}
	for (size_t i = 0; i < c->trips; i++)
		if ((of_b ? c->trip[i].a : c->trip[i].b) == NULL)
			print_place(&first, who, c->trip[i].size_bytes, "");
	if (!first)
		printf("\n");
}

static void
print_who(const struct pace_report_data *b)
{
	for (int i = 0; i < 2; i++) {
		const struct pace_run *r = b->run[i];

		printf("%c: %s, %s, started %s%s%s\n", "AB"[i], r->name, r->head.kind,
		    r->head.r.started, r->head.r.label[0] != '\0' ? ", " : "",
		    r->head.r.label);
		if (r->skipped > 0)
			printf("   %zu %s skipped\n", r->skipped, r->skipped == 1 ? "point" : "points");
	}
}

/* The table on the standard output; there is nothing to draw when nothing is in both. */
static int
tell(const struct pace_report_data *b)
{
	struct pace_cmp c;
	int status = 0;

	if (b->n != 2) {
		pace_complain("two results are needed, frame records are none");
		return EXIT_NO_RESULT;
	}
	if (pace_cmp_make(&c, b->run[0], b->run[1]) != 0) {
		pace_complain("out of memory");
		return EXIT_NO_RESULT;
	}
	print_who(b);
	print_pairs(&c);
	print_trips(&c);
	print_alone(&c, "only in A: ", false);
	print_alone(&c, "only in B: ", true);
	if (c.both == 0) {
		pace_complain("nothing to compare: no size and spacing is in both");
		status = EXIT_NO_RESULT;
	}
	pace_cmp_free(&c);
	return status;
}

/* --- the command ---------------------------------------------------------------------------------- */

static int
tell_alone(char **files)
{
	struct pace_report_data b = { .n = 0 };
	int status = 0;

	for (int i = 0; i < 2 && status == 0; i++) {
		struct pace_err err = { .code = 0 };

		if (pace_report_data_add(&b, files[i], &err) == 0)
			continue;
		pace_complain("%s", pace_err_why(&err));
		status = EXIT_NO_RESULT;
	}
	if (status == 0)
		status = tell(&b);
	pace_report_data_free(&b);
	return status;
}

static int
run(const struct pace_cmd *cmd, void *arg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	const struct compare_cfg *cfg = arg;

	(void)cmd; (void)all_argc; (void)all_argv;
	if (cfg->output == NULL)
		return tell_alone(argv);
	return pace_report_make(&(struct pace_report_job){ .figs = pace_figs_of_two,
	    .output = cfg->output, .force = cfg->force, .files = argc, .file = argv, .all = true,
	    .look = tell });
}

static const char *const examples[] = {
	"# did it help? a table",
	"udpace compare before.json after.json",
	"# and figures, in before-after/",
	"udpace compare before.json after.json -o before-after",
	NULL
};

const struct pace_cmd pace_cmd_compare = {
	"compare", "two results beside each other, and their ratio", "A B", 2, 2,
	opts, sizeof(opts) / sizeof(opts[0]), examples, sizeof(struct compare_cfg), run, NULL,
};
