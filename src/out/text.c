#include "out/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "out/say.h"

#define PRINT_MAX	64
#define USUAL_PORT	14233

static void
say_link(const struct pace_say *s, const struct pace_link *link, uint32_t size_bytes)
{
	uint64_t parts;

	if (link == NULL)
		return;
	parts = pace_fragments(link, size_bytes);
	pace_say(s, " = %llu B on the wire",
	    (unsigned long long)pace_wire_bytes(link, size_bytes));
	if (parts > 1)
		pace_say(s, ", in %llu fragments", (unsigned long long)parts);
}

/* "10.0 µs = 1.18 Gbit/s of data, 1.23 Gbit/s on the wire" */
static void
say_pace(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *a)
{
	double rate_bps = pace_params_rate_bps(a);
	char text[PRINT_MAX];

	pace_say(s, "%s = ", pace_print(PACE_UNIT_USEC, pace_params_spacing_ns(a),
	    text, sizeof(text)));
	pace_say(s, "%s of data", pace_print(PACE_UNIT_BPS, rate_bps,
	    text, sizeof(text)));
	if (link != NULL)
		pace_say(s, ", %s on the wire", pace_print(PACE_UNIT_BPS,
		    rate_bps * (double)pace_wire_bytes(link, a->size_bytes) /
		    a->size_bytes, text, sizeof(text)));
	pace_say(s, "\n");
}

static void
say_spacing(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *a)
{
	pace_say(s, "  spacing  ");
	if (a->spacing == 0)
		pace_say(s, "0: as fast as possible\n");
	else
		say_pace(s, link, a);
}

static void
say_fastest(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *a)
{
	pace_say(s, "  fastest  %u B ", a->size_bytes);
	if (a->spacing == 0) {
		pace_say(s, "as fast as possible\n");
	} else {
		pace_say(s, "every ");
		say_pace(s, link, a);
	}
}

struct length {
	double	frames, ns, bytes;
	bool	open;			/* more of them: some go as fast as possible */
};

static void
add_length(struct length *l, const struct pace_params *a)
{
	double frames = (double)pace_params_frames(a);

	l->frames += frames;
	l->ns += (double)pace_params_duration_ns(a);
	l->bytes += frames * a->size_bytes;
	l->open |= a->spacing == 0;
}

static void
say_length(const struct pace_say *s, const struct length *l)
{
	const char *more = l->open ? "at least " : "", *comma = "";
	char text[PRINT_MAX];

	pace_say(s, "  length   ");
	if (l->frames > 0) {
		pace_say(s, "%s frames", pace_print(PACE_UNIT_COUNT, l->frames,
		    text, sizeof(text)));
		comma = ", ";
	}
	if (l->ns > 0) {
		pace_say(s, "%s%s%s", comma, more, pace_print(PACE_UNIT_SEC, l->ns,
		    text, sizeof(text)));
		comma = ", ";
	}
	if (l->bytes > 0)
		pace_say(s, "%s%s of data", comma, pace_print(PACE_UNIT_BYTES,
		    l->bytes, text, sizeof(text)));
	pace_say(s, "\n");
}

static void
say_ask(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *a)
{
	struct length l = { 0, 0, 0, false };
	char text[PRINT_MAX], train[PRINT_MAX];

	pace_say(s, "  size     %u B of data", a->size_bytes);
	say_link(s, link, a->size_bytes);
	pace_say(s, "\n");
	say_spacing(s, link, a);
	if (a->train > 1 && a->spacing > 0)
		pace_say(s, "  trains   of %llu frames back to back, one every %s\n",
		    (unsigned long long)a->train, pace_print(PACE_UNIT_USEC, pace_params_spacing_ns(a) *
		    (double)a->train, train, sizeof(train)));
	else if (a->train > 1)
		pace_say(s, "  trains   of %llu frames\n", (unsigned long long)a->train);
	if (a->bursts > 1)
		pace_say(s, "  bursts   %llu of %llu frames, %s apart\n",
		    (unsigned long long)a->bursts, (unsigned long long)a->count,
		    pace_print(PACE_UNIT_USEC, (double)a->burst_gap_ns, text, sizeof(text)));
	add_length(&l, a);
	l.open &= a->duration_ns == 0;
	say_length(s, &l);
}

static int
rising(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Different ones among n values, which are sorted. */
static size_t
count_kinds(uint64_t *v, size_t n)
{
	size_t kinds = 0;

	qsort(v, n, sizeof(*v), rising);
	for (size_t i = 0; i < n; i++)
		kinds += i == 0 || v[i] != v[i - 1];
	return kinds;
}

/* What a sweep goes through. */
struct text_plan {
	size_t		sizes, spacings;
	const struct pace_params *smallest, *largest, *closest, *widest, *fastest;
	struct length	l;
};

/* As fast as possible is faster than any rate. */
static bool
is_faster(const struct pace_params *a, const struct pace_params *b)
{
	if (b->spacing == 0 || a->spacing == 0)
		return b->spacing != 0;
	return pace_params_rate_bps(a) > pace_params_rate_bps(b);
}

/* 0: no memory. */
static void
count_axes(struct text_plan *p, const struct pace_params *asks, size_t n)
{
	uint64_t *v = malloc(n * sizeof(*v));

	for (size_t i = 0; v != NULL && i < n; i++)
		v[i] = asks[i].size_bytes;
	p->sizes = v != NULL ? count_kinds(v, n) : 0;
	for (size_t i = 0; v != NULL && i < n; i++)
		v[i] = asks[i].spacing;
	p->spacings = v != NULL ? count_kinds(v, n) : 0;
	free(v);
}

static struct text_plan
plan_of(const struct pace_params *asks, size_t n)
{
	struct text_plan p = { 0, 0, asks, asks, asks, asks, asks, { 0, 0, 0, false } };

	count_axes(&p, asks, n);
	for (size_t i = 0; i < n; i++) {
		const struct pace_params *a = &asks[i];

		if (a->size_bytes < p.smallest->size_bytes)
			p.smallest = a;
		if (a->size_bytes > p.largest->size_bytes)
			p.largest = a;
		if (a->spacing < p.closest->spacing)
			p.closest = a;
		if (a->spacing > p.widest->spacing)
			p.widest = a;
		if (is_faster(a, p.fastest))
			p.fastest = a;
		add_length(&p.l, a);
	}
	return p;
}

static void
say_range(const struct pace_say *s, size_t n, const char *what, const char *low,
    const char *high)
{
	pace_say(s, "%zu %s%s", n, what, n > 1 ? "s" : "");
	if (n > 1)
		pace_say(s, " from %s to %s", low, high);
	else
		pace_say(s, " of %s", low);
}

static size_t
dscps_of(const struct pace_params *asks, size_t n)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < n; i++)
		seen |= UINT64_C(1) << (asks[i].dscp & 63);
	return (size_t)__builtin_popcountll(seen);
}

/* With what it takes to begin and to end each. */
static void
say_time(const struct pace_say *s, const struct pace_params *asks, size_t n)
{
	double sec = 0;

	for (size_t i = 0; i < n; i++)
		sec += (double)pace_params_cost_ns(&asks[i]) / 1e9;
	pace_say(s, "  time     about ");
	if (sec >= 3600)
		pace_say(s, "%.0f h ", floor(sec / 3600));
	if (sec >= 60)
		pace_say(s, "%.0f min ", floor(fmod(sec, 3600) / 60));
	pace_say(s, "%.0f s\n", floor(fmod(sec, 60)));
}

static void
say_plan(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *asks, size_t n)
{
	struct text_plan p = plan_of(asks, n);
	char low[PRINT_MAX], high[PRINT_MAX];

	pace_say(s, "  sweep    %zu points: ", n);
	say_range(s, p.sizes, "size",
	    pace_print(PACE_UNIT_BYTES, p.smallest->size_bytes, low, sizeof(low)),
	    pace_print(PACE_UNIT_BYTES, p.largest->size_bytes, high, sizeof(high)));
	pace_say(s, ", ");
	say_range(s, p.spacings, "spacing",
	    pace_print(PACE_UNIT_USEC, pace_params_spacing_ns(p.closest), low, sizeof(low)),
	    pace_print(PACE_UNIT_USEC, pace_params_spacing_ns(p.widest), high, sizeof(high)));
	if (dscps_of(asks, n) > 1)
		pace_say(s, ", %zu code points", dscps_of(asks, n));
	if (asks->repeats > 1)
		pace_say(s, ", each %u times", asks->repeats);
	pace_say(s, "\n");
	say_fastest(s, link, p.fastest);
	say_length(s, &p.l);
	say_time(s, asks, n);
}

int
pace_text_head(FILE *f, const struct pace_result *r, const struct pace_link *link,
    const struct pace_params *asks, size_t n, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	pace_say(&s, "udpace %s to %s", r->kind, r->target);
	if (r->address[0] != '\0')
		pace_say(&s, " (%s port %u)", r->address, r->port);
	if (r->label[0] != '\0')
		pace_say(&s, ", %s", r->label);
	pace_say(&s, "\n");
	if (n == 1)
		say_ask(&s, link, asks);
	else if (n > 1)
		say_plan(&s, link, asks, n);
	return pace_say_end(&s);
}

struct pace_rows
pace_text_rows(const struct pace_params *asks, size_t n)
{
	double low = 0, high = 0, widest_ns = 0;

	for (size_t i = 0; i < n; i++) {
		double bps = pace_params_rate_bps(&asks[i]);

		widest_ns = fmax(widest_ns, pace_params_spacing_ns(&asks[i]));
		if (bps > 0 && (low <= 0 || bps < low))
			low = bps;
		high = fmax(high, asks[i].spacing == 0 ? 10e9 : bps);
	}
	return (struct pace_rows){ pace_scale_rate(low > 0 ? low : high, high),
	    pace_scale_time(widest_ns), dscps_of(asks, n) };
}

static void
time_cell(const struct pace_say *s, int width, const struct pace_rows *rows, double ns)
{
	pace_say_fixed(s, width, ns / rows->time.one, rows->time.decimals);
}

/* 0 is how a rate that could not be computed is kept. */
static void
rate_cell(const struct pace_say *s, int width, const struct pace_rows *rows, double bps)
{
	pace_say_fixed(s, width, bps > 0 ? bps / rows->rate.one : NAN,
	    rows->rate.decimals);
}

static void
count_cell(const struct pace_say *s, int width, bool known, uint64_t n)
{
	pace_say_fixed(s, width, known ? (double)n : NAN, 0);
}

static void
gap_cell(const struct pace_say *s, int width, const struct pace_rows *rows,
    const struct pace_point *p, double q)
{
	time_cell(s, width, rows, p->has_rx ? pace_gap_quantile(&p->ask,
	    &p->rx.gap, &p->rx.gap_error, q) : NAN);
}

/* Titles of the columns; the cells of pace_text_row follow in this order. */
enum text_unit_of { BYTES, TIME, RATE, FRAMES, PERCENT };
static const struct {
	const char	*title;
	enum text_unit_of	unit;
	int		width;
} columns[] = {
	{ "size", BYTES, 6 }, { "spacing", TIME, 10 },
	{ "sent wire", RATE, 11 }, { "recv wire", RATE, 11 },
	{ "lost", FRAMES, 9 }, { "lost", PERCENT, 9 }, { "reordered", FRAMES, 10 },
	{ "gap p50", TIME, 10 }, { "p99", TIME, 9 }, { "max", TIME, 10 },
};
#define COLUMNS		(sizeof(columns) / sizeof(columns[0]))

int
pace_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const char *units[] = { [BYTES] = "B", [TIME] = rows->time.unit,
	    [RATE] = rows->rate.unit, [FRAMES] = "frames", [PERCENT] = "%    " };

	if (rows->dscps > 1)
		pace_say_cell(&s, PACE_DSCP_WIDTH, "dscp");
	for (size_t i = 0; i < COLUMNS; i++)
		pace_say_cell(&s, columns[i].width, columns[i].title);
	pace_say(&s, "\n");
	if (rows->dscps > 1)
		pace_say_cell(&s, PACE_DSCP_WIDTH, "");
	for (size_t i = 0; i < COLUMNS; i++)
		pace_say_cell(&s, columns[i].width, units[columns[i].unit]);
	pace_say(&s, "\n");
	return pace_say_end(&s);
}

static void
say_marks(const struct pace_say *s, const struct pace_point *p)
{
	struct pace_notes notes;

	pace_point_notes(p, &notes);
	if (p->verdict == PACE_DEGRADED || p->interrupted || notes.n > 0)
		pace_say(s, "  !");
	if (p->interrupted)
		pace_say(s, " interrupted");
	for (int i = 0; i < notes.n; i++)
		pace_say(s, " %s", notes.v[i].code);
	pace_say(s, "\n");
}

int
pace_text_row(FILE *f, const struct pace_rows *rows, const struct pace_point *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_rx_result *r = &p->rx;
	uint64_t whole = r->lost + r->unique;
	bool rx = p->has_rx;
	char text[PRINT_MAX];

	if (rows->dscps > 1)
		pace_say_fixed(&s, PACE_DSCP_WIDTH, p->ask.dscp, 0);
	pace_say_fixed(&s, columns[0].width, p->ask.size_bytes, 0);
	time_cell(&s, columns[1].width, rows, pace_params_spacing_ns(&p->ask));
	rate_cell(&s, columns[2].width, rows, p->tx.wire_rate_bps);
	rate_cell(&s, columns[3].width, rows, rx ? r->wire_rate_bps : 0);
	count_cell(&s, columns[4].width, rx, r->lost);
	pace_say_cell(&s, columns[5].width, pace_percent(rx && whole > 0 ?
	    (double)r->lost / (double)whole : NAN, text, sizeof(text)));
	count_cell(&s, columns[6].width, rx, r->reordered);
	gap_cell(&s, columns[7].width, rows, p, 0.5);
	gap_cell(&s, columns[8].width, rows, p, 0.99);
	time_cell(&s, columns[9].width, rows,
	    rx && r->gap.stats.n > 0 ? (double)r->gap.stats.max : NAN);
	say_marks(&s, p);
	return pace_say_end(&s);
}

/* Of one host: notes that the doctor's checks made. */
static int
host_notes(const struct pace_result *r, const char *host)
{
	int n = 0;

	for (int i = 0; i < r->notes.n; i++) {
		const char *code = r->notes.v[i].code;

		if (strncmp(code, host, strlen(host)) != 0)
			continue;
		code += strlen(host);
		/* what a host is cannot be helped, and its clock is measured */
		n += strcmp(code, "virtual") != 0 && strcmp(code, "clock") != 0;
	}
	return n;
}

static bool
is_this_host(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

int
pace_text_tail(FILE *f, const struct pace_result *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	char port[16];
	int here = host_notes(r, "client_"), there = host_notes(r, "responder_");

	snprintf(port, sizeof(port), " --port %u", r->port);
	if (here > 0 && is_this_host(r->address))	/* one host at both ends */
		pace_say(&s, "\n%d thing%s on this host may have spoiled this: udpace doctor\n",
		    here, here == 1 ? "" : "s");
	else if (here + there > 0)
		pace_say(&s, "\n%d thing%s here and %d there may have spoiled this: "
		    "udpace doctor %s%.*s\n", here, here == 1 ? "" : "s", there, r->target,
		    r->port != USUAL_PORT ? (int)sizeof(port) : 0, port);
	return pace_say_end(&s);
}
