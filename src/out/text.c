#include "out/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "out/table.h"

#define USUAL_PORT	14233

/* "10.0 µs = 1.18 Gbit/s of data, 1.23 Gbit/s on the wire", the rates of so many streams */
static const char *
pace_of(const struct pace_link *link, const struct pace_params *a, uint32_t streams, char text[256])
{
	double rate_bps = streams * pace_params_rate_bps(a);
	size_t n;

	if (a->spacing == 0) {
		snprintf(text, 256, "as fast as possible");
		return text;
	}
	n = (size_t)snprintf(text, 256, "%s = %s of data", PACE_AS_USEC(pace_params_spacing_ns(a)),
	    PACE_AS_BPS(rate_bps));
	if (link != NULL)
		snprintf(text + n, 256 - n, ", %s on the wire", PACE_AS_BPS(rate_bps *
		    (double)pace_wire_bytes(link, a->size_bytes) / a->size_bytes));
	return text;
}

struct length {
	double	frames, ns, bytes;
	bool	open;			/* some points go as fast as possible */
};

static void
add_length(struct length *l, const struct pace_params *a)
{
	double frames = (double)pace_params_frames(a) * pace_params_streams(a);

	l->frames += frames;
	l->ns += (double)pace_params_duration_ns(a);
	l->bytes += frames * a->size_bytes;
	l->open |= a->spacing == 0;
}

static void
say_length(const struct pace_say *s, const struct length *l)
{
	char frames[80] = "", time[80] = "", data[80] = "";

	if (l->frames > 0)
		snprintf(frames, sizeof(frames), "%s frames", PACE_AS_COUNT(l->frames));
	if (l->ns > 0)
		snprintf(time, sizeof(time), "%s%s%s", l->frames > 0 ? ", " : "",
		    l->open ? "at least " : "", PACE_AS_SEC(l->ns));
	if (l->bytes > 0)
		snprintf(data, sizeof(data), "%s%s of data", l->frames > 0 || l->ns > 0 ? ", " : "",
		    PACE_AS_BYTES(l->bytes));
	pace_say_sentence(s, "  length   ", "%s%s%s", frames, time, data);
}

static void
say_ask(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *a)
{
	struct length l = { 0, 0, 0, false };
	char text[256];

	pace_say(s, "  size     %u B of data", a->size_bytes);
	if (link != NULL)
		pace_say(s, " = %llu B on the wire",
		    (unsigned long long)pace_wire_bytes(link, a->size_bytes));
	if (link != NULL && pace_fragments(link, a->size_bytes) > 1)
		pace_say(s, ", in %llu fragments",
		    (unsigned long long)pace_fragments(link, a->size_bytes));
	pace_say(s, "\n");
	pace_say_sentence(s, "  spacing  ", "%s%s", a->spacing == 0 ? "0: " : "",
	    pace_of(link, a, 1, text));
	if (a->train > 1 && a->spacing > 0)
		pace_say_sentence(s, "  trains   ", "of %llu frames back to back, one every %s",
		    (unsigned long long)a->train,
		    PACE_AS_USEC(pace_params_spacing_ns(a) * (double)a->train));
	else if (a->train > 1)
		pace_say(s, "  trains   of %llu frames\n", (unsigned long long)a->train);
	if (a->bursts > 1)
		pace_say_sentence(s, "  bursts   ", "%llu of %llu frames, %s apart",
		    (unsigned long long)a->bursts, (unsigned long long)a->count,
		    PACE_AS_USEC(a->burst_gap_ns));
	if (a->streams > 1)
		pace_say(s, "  streams  %u, together %s\n", a->streams, a->spacing == 0 ?
		    "as fast as possible" : PACE_AS_BPS(pace_params_rate_bps(a) * a->streams));
	if (a->omit_ns > 0)
		pace_say(s, "  omit     the first %s: sent, not counted\n",
		    PACE_AS_USEC((double)a->omit_ns));
	if (a->message > 0)
		pace_say(s, "  message  %s frames\n", PACE_AS_COUNT(a->message));
	add_length(&l, a);
	l.open &= a->duration_ns == 0;
	say_length(s, &l);
}

static int
by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Number of different values among n sorted values. */
static size_t
count_kinds(uint64_t *v, size_t n)
{
	size_t kinds = 0;

	qsort(v, n, sizeof(*v), by_value);
	for (size_t i = 0; i < n; i++)
		kinds += i == 0 || v[i] != v[i - 1];
	return kinds;
}

/* The ranges of a sweep. */
struct text_plan {
	size_t		sizes, spacings;
	const struct pace_params *smallest, *largest, *closest, *widest, *fastest;
	struct length	l;
};

static struct text_plan
plan_of(const struct pace_params *asks, size_t n)
{
	struct text_plan p = { 0, 0, asks, asks, asks, asks, asks, { 0, 0, 0, false } };
	uint64_t *v = malloc(n * sizeof(*v));	/* NULL: the counts are 0 */

	for (size_t i = 0; v != NULL && i < n; i++)
		v[i] = asks[i].size_bytes;
	p.sizes = v != NULL ? count_kinds(v, n) : 0;
	for (size_t i = 0; v != NULL && i < n; i++)
		v[i] = asks[i].spacing;
	p.spacings = v != NULL ? count_kinds(v, n) : 0;
	free(v);
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
		/* as fast as possible is faster than any rate */
		if (p.fastest->spacing != 0 && (a->spacing == 0 ||
		    pace_params_streams(a) * pace_params_rate_bps(a) >
		    pace_params_streams(p.fastest) * pace_params_rate_bps(p.fastest)))
			p.fastest = a;
		add_length(&p.l, a);
	}
	return p;
}

/* "3 sizes from 64 B to 1472 B" */
static const char *
range_of(size_t n, const char *what, const char *low, const char *high, char text[256])
{
	snprintf(text, 256, n > 1 ? "%zu %ss from %s to %s" : "%zu %s of %s", n, what, low, high);
	return text;
}

static size_t
dscps_of(const struct pace_params *asks, size_t n)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < n; i++)
		seen |= UINT64_C(1) << (asks[i].dscp & 63);
	return (size_t)__builtin_popcountll(seen);
}

/* Number of different numbers of streams. */
static size_t
streams_of(const struct pace_params *asks, size_t n)
{
	bool seen[PACE_STREAMS + 1] = { false };
	size_t kinds = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t streams = pace_params_streams(&asks[i]);

		kinds += streams <= PACE_STREAMS && !seen[streams];
		seen[streams <= PACE_STREAMS ? streams : 0] = true;
	}
	return kinds;
}

static void
say_plan(const struct pace_say *s, const struct pace_link *link,
    const struct pace_params *asks, size_t n)
{
	struct text_plan p = plan_of(asks, n);
	char text[256], dscps[64] = "", repeats[64] = "", streams[64] = "", at_once[32] = "";
	double sec = 0;		/* includes the start and the end of each point */

	if (dscps_of(asks, n) > 1)
		snprintf(dscps, sizeof(dscps), ", %zu code points", dscps_of(asks, n));
	if (streams_of(asks, n) > 1)
		snprintf(streams, sizeof(streams), ", %zu numbers of streams", streams_of(asks, n));
	else if (asks->streams > 1)
		snprintf(streams, sizeof(streams), ", %u streams each", asks->streams);
	if (asks->repeats > 1)
		snprintf(repeats, sizeof(repeats), ", each %u times", asks->repeats);
	pace_say_sentence(s, "  sweep    ", "%zu points: %s,", n, range_of(p.sizes, "size",
	    PACE_AS_BYTES(p.smallest->size_bytes), PACE_AS_BYTES(p.largest->size_bytes), text));
	pace_say_sentence(s, "           ", "%s%s%s%s", range_of(p.spacings, "spacing",
	    PACE_AS_USEC(pace_params_spacing_ns(p.closest)),
	    PACE_AS_USEC(pace_params_spacing_ns(p.widest)), text), dscps, streams, repeats);
	if (p.fastest->streams > 1)
		snprintf(at_once, sizeof(at_once), "%u streams of ", p.fastest->streams);
	pace_say_sentence(s, "  fastest  ", "%s%u B %s%s", at_once, p.fastest->size_bytes,
	    p.fastest->spacing == 0 ? "" : "every ",
	    pace_of(link, p.fastest, pace_params_streams(p.fastest), text));
	say_length(s, &p.l);
	for (size_t i = 0; i < n; i++)
		sec += (double)pace_params_cost_ns(&asks[i]) / 1e9;
	pace_say(s, "  time     about ");
	if (sec >= 3600)
		pace_say(s, "%.0f h ", floor(sec / 3600));
	if (sec >= 60)
		pace_say(s, "%.0f min ", floor(fmod(sec, 3600) / 60));
	pace_say(s, "%.0f s\n", floor(fmod(sec, 60)));
}

/* "DSCP 46, ECN ect0, flow label 5, priority 6": those that are not the default. */
static void
say_marks(const struct pace_say *s, const struct pace_result *r, const struct pace_params *asks,
    size_t n)
{
	char text[4][32] = { "", "", "", "" };
	bool first = true;

	if (n > 0 && dscps_of(asks, n) == 1 && asks->dscp > 0)
		snprintf(text[0], sizeof(text[0]), "DSCP %u", asks->dscp);
	if (n > 0 && asks->ecn != PACE_ECN_NOT_ECT)
		snprintf(text[1], sizeof(text[1]), "ECN %s", pace_ecn_names[asks->ecn]);
	if (r->flow_label > 0)
		snprintf(text[2], sizeof(text[2]), "flow label %u", r->flow_label);
	if (r->has_priority)
		snprintf(text[3], sizeof(text[3]), "priority %u", r->priority);
	for (int i = 0; i < 4; i++) {
		if (text[i][0] == '\0')
			continue;
		pace_say(s, "%s%s", first ? "  marks    " : ", ", text[i]);
		first = false;
	}
	if (!first)
		pace_say(s, "\n");
}

int
pace_text_head(FILE *f, const struct pace_result *r, const struct pace_link *link,
    const struct pace_params *asks, size_t n, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	char first[64], address[96] = "";

	snprintf(first, sizeof(first), "udpace %s ", r->kind);
	if (r->address[0] != '\0')
		snprintf(address, sizeof(address), " (%s port %u)", r->address, r->port);
	pace_say_sentence(&s, first, "%s %s%s%s%s",
	    asks != NULL && asks->two_way ? "to and from" :
	    asks != NULL && asks->direction == PACE_DOWN ? "from" : "to", r->target, address,
	    r->label[0] != '\0' ? ", " : "", r->label);
	if (n == 1)
		say_ask(&s, link, asks);
	else if (n > 1)
		say_plan(&s, link, asks, n);
	say_marks(&s, r, asks, n);
	return pace_say_end(&s);
}

struct pace_rows
pace_text_rows(const struct pace_params *asks, size_t n)
{
	double low = 0, high = 0, widest_ns = 0;
	bool two_way = false;

	for (size_t i = 0; i < n; i++) {
		double bps = pace_params_rate_bps(&asks[i]) * pace_params_streams(&asks[i]);

		widest_ns = fmax(widest_ns, pace_params_spacing_ns(&asks[i]));
		if (bps > 0 && (low <= 0 || bps < low))
			low = bps;
		high = fmax(high, asks[i].spacing == 0 ? 10e9 : bps);
		two_way |= asks[i].two_way;
	}
	return (struct pace_rows){ pace_scale_rate(low > 0 ? low : high, high),
	    pace_scale_time(widest_ns), dscps_of(asks, n), streams_of(asks, n), two_way, NULL };
}

void
pace_text_row_units(const struct pace_rows *rows, struct pace_scale units[PACE_ROW_UNITS])
{
	units[PACE_ROW_NUMBER] = (struct pace_scale){ "", 1, 0 };
	units[PACE_ROW_BYTES] = (struct pace_scale){ "B", 1, 0 };
	units[PACE_ROW_TIME] = rows->time;
	units[PACE_ROW_RATE] = rows->rate;
	units[PACE_ROW_FRAMES] = (struct pace_scale){ "frames", 1, 0 };
	units[PACE_ROW_PERCENT] = (struct pace_scale){ "%    ", 1, PACE_AS_PERCENT };
	units[PACE_ROW_WAY] = (struct pace_scale){ "", 1, PACE_AS_DIRECTION };
}

static const struct pace_column columns[] = {
	{ "dscp", PACE_DSCP_WIDTH, PACE_ROW_NUMBER }, { "streams", 8, PACE_ROW_NUMBER },
	{ "size", 6, PACE_ROW_BYTES }, { "spacing", 8, PACE_ROW_TIME },
	{ "sent", 7, PACE_ROW_RATE }, { "recv", 7, PACE_ROW_RATE },
	{ "refused", 8, PACE_ROW_FRAMES }, { "lost", 7, PACE_ROW_FRAMES },
	{ "lost", 9, PACE_ROW_PERCENT }, { "reord", 6, PACE_ROW_FRAMES },
	{ "gap p50", 8, PACE_ROW_TIME }, { "gap p99", 8, PACE_ROW_TIME },
	{ "way", 5, PACE_ROW_WAY },
};
#define DSCP_AT		0
#define STREAMS_AT	1
#define REORDERED	9	/* gives way to the streams */
#define P50		10	/* gives way to the code point, and else to the streams */
#define WAY_AT		12	/* as a code point */
#define FLAGS_ROOM	5	/* 80 columns in all */

static struct pace_row_table
table_of(const struct pace_rows *rows, struct pace_scale units[PACE_ROW_UNITS])
{
	pace_text_row_units(rows, units);
	return (struct pace_row_table){ columns, PACE_COUNT_OF(columns), units,
	    (rows->dscps > 1 ? 0 : 1u << DSCP_AT) | (rows->streams > 1 ? 0 : 1u << STREAMS_AT) |
	    (rows->two_way ? 0 : 1u << WAY_AT) |
	    (rows->dscps > 1 || rows->streams > 1 || rows->two_way ? 1u << P50 : 0) |
	    (rows->dscps > 1 && (rows->streams > 1 || rows->two_way) ? 1u << REORDERED : 0) };
}

int
pace_text_row_head(FILE *f, const struct pace_rows *rows, bool utf8)
{
	struct pace_scale units[PACE_ROW_UNITS];
	const struct pace_row_table t = table_of(rows, units);

	return pace_row_table_head(f, &t, utf8);
}

int
pace_text_row(FILE *f, const struct pace_rows *rows, const struct pace_point *p,
    bool utf8)
{
	const struct pace_say s = { f, utf8 };
	const struct pace_rx_result *r = p->has_rx ? &p->rx : NULL;
	/* a rate that could not be computed is stored as 0 */
	double sent_bps = p->tx.wire_rate_bps, received_bps = r != NULL ? r->wire_rate_bps : 0;
	uint64_t whole = r != NULL ? r->lost + r->unique : 0;
	const double v[] = { p->ask.dscp, pace_params_streams(&p->ask), p->ask.size_bytes,
	    pace_params_spacing_ns(&p->ask), sent_bps > 0 ? sent_bps : NAN,
	    received_bps > 0 ? received_bps : NAN, (double)p->tx.refused,
	    r != NULL ? (double)r->lost : NAN,
	    whole > 0 ? (double)r->lost / (double)whole : NAN,
	    r != NULL ? (double)r->reordered : NAN,
	    r != NULL ? pace_gap_quantile(&p->ask, &r->gap, &r->gap_error, 0.5) : NAN,
	    r != NULL ? pace_gap_quantile(&p->ask, &r->gap, &r->gap_error, 0.99) : NAN,
	    p->ask.direction };
	struct pace_scale units[PACE_ROW_UNITS];
	const struct pace_row_table t = table_of(rows, units);
	struct pace_notes notes;
	char flags[PACE_FLAGS_MAX];

	pace_say_cells(&s, &t, v);
	pace_point_notes(p, &notes);
	pace_say_flags(&s, FLAGS_ROOM, pace_flags_row(&notes, p->verdict == PACE_DEGRADED,
	    p->interrupted, flags, rows->flags));
	return pace_say_end(&s);
}

int
pace_text_row_foot(FILE *f, const struct pace_flags *used, bool utf8)
{
	return pace_row_table_foot(f, "  sent and recv: rates on the wire; gaps: between arrivals\n",
	    used, utf8);
}

/* Number of notes about one host that come from the doctor's checks. */
static int
host_notes(const struct pace_result *r, const char *host)
{
	int n = 0;

	for (int i = 0; i < r->notes.n; i++) {
		const char *code = r->notes.v[i].code;

		if (strncmp(code, host, strlen(host)) != 0)
			continue;
		code += strlen(host);
		/* a virtual host cannot be changed, and the clock is measured */
		n += strcmp(code, "virtual") != 0 && strcmp(code, "clock") != 0;
	}
	return n;
}

int
pace_text_tail(FILE *f, const struct pace_result *r, bool utf8)
{
	const struct pace_say s = { f, utf8 };
	/* nobody can be asked about a STAMP reflector's host, or about one without udpace */
	bool one_host = r->protocol != NULL || strcmp(r->kind, "send") == 0 ||
	    strncmp(r->address, "127.", 4) == 0 || strcmp(r->address, "::1") == 0;
	char port[16];
	int here = host_notes(r, "client_"), there = host_notes(r, "responder_");

	snprintf(port, sizeof(port), " --port %u", r->port);
	if (here + there > 0)
		pace_say(&s, "\n");
	if (here > 0 && one_host)
		pace_say_sentence(&s, "", "%d finding%s on this host may have spoiled this run: "
		    "udpace doctor", here, here == 1 ? "" : "s");
	else if (here + there > 0)
		pace_say_sentence(&s, "", "%d finding%s on this host and %d on the responder's may "
		    "have spoiled this run: udpace doctor %s%.*s",
		    here, here == 1 ? "" : "s", there, r->target,
		    r->port != USUAL_PORT ? (int)sizeof(port) : 0, port);
	return pace_say_end(&s);
}

char *
pace_point_name(const struct pace_params *a, char buf[PACE_POINT_NAME])
{
	size_t n = (size_t)snprintf(buf, PACE_POINT_NAME, a->spacing == 0 ?
	    "%u B as fast as possible" : "%u B every %s", a->size_bytes,
	    PACE_AS_USEC(pace_params_spacing_ns(a)));

	if (a->streams > 1)
		n += (size_t)snprintf(buf + n, PACE_POINT_NAME - n, ", %u streams", a->streams);
	if (a->dscp > 0)
		n += (size_t)snprintf(buf + n, PACE_POINT_NAME - n, ", DSCP %u", a->dscp);
	if (a->direction == PACE_DOWN)
		snprintf(buf + n, PACE_POINT_NAME - n, ", from the responder");
	return buf;
}
