/*
 * Two passes over all points.  The first one checks everything and counts what the
 * rows need, so that a damaged file does not leave half a table.
 */
#include "config.h"

#include "cmd/export_result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/capture_doc.h"
#include "doc/clock_doc.h"
#include "doc/intervals.h"
#include "doc/latency_doc.h"
#include "doc/params.h"
#include "doc/point_doc.h"
#include "doc/points_file.h"
#include "doc/result_doc.h"
#include "doc/tcp_doc.h"
#include "doc/watched.h"
#include "out/capture_text.h"
#include "out/clock_text.h"
#include "out/cells.h"
#include "out/csv.h"
#include "out/hdrlog.h"
#include "out/hists.h"
#include "out/intervals_csv.h"
#include "out/latency_csv.h"
#include "out/tcp_csv.h"
#include "out/udpmon.h"
#include "out/watch_text.h"
#include "run/outfile.h"

enum kind { THROUGHPUT, LATENCY, CLOCK, CAPTURE, TCP, WATCH };

/* Documents by their kind. */
struct document_kind {
	const char	*name;
	enum kind	kind;		/* its points are of this */
	int		(*csv_head)(FILE *f);
	const char	*csv_short;	/* columns of --short; NULL: there are none */
	bool		intervals, hists;	/* its points have them; all have rows */
};

static const struct document_kind documents[] = {
	{ "throughput", THROUGHPUT, pace_csv_head, pace_csv_short, true, true },
	{ "capacity", THROUGHPUT, pace_csv_head, pace_csv_short, true, true },
	{ "send", THROUGHPUT, pace_csv_head, pace_csv_short, false, false },
	{ "latency", LATENCY, pace_latency_csv_head, pace_latency_csv_short, false, true },
	{ "clock", CLOCK, pace_clock_csv_head, NULL, false, false },
	{ "capture", CAPTURE, pace_capture_csv_head, pace_capture_csv_short, false, true },
	{ "tcp", TCP, pace_tcp_csv_head, NULL, true, false },
	{ "watch", WATCH, pace_watch_csv_head, NULL, false, false },
};

#define ALL	"all"		/* value of --histogram */

/* Called for each selected point; i counts them. */
struct result;
typedef int (*each_fn)(struct result *r, const struct pace_any_point *p, size_t i);

struct result {
	const struct pace_export_cfg *cfg;
	const struct document_kind *document;
	enum kind	kind;		/* the document's */
	struct pace_points points;
	struct pace_head head;
	const struct pace_hist_name *hist;	/* NULL: none, or all histograms */
	/* the current point */
	struct pace_point *stream;
	struct pace_latency *trips;
	struct pace_clock clock;
	struct pace_seen *seen;
	struct pace_tcp_point *tcp;
	struct pace_watched *path;
	/* from the first pass */
	size_t		wanted, known;		/* selected points; those with the histogram, or
						 * with intervals */
	uint64_t	negative;		/* values below 0, which HdrHistogram cannot hold */
	struct pace_udpmon_cfg udpmon;
	bool		bare;			/* a histogram without bins */
	/* for the second pass */
	char		*names;			/* the CSV header line; NULL: not written yet */
	FILE		*f;
	bool		began;
	uint32_t	size_before;
	double		start_s;
	size_t		left_out;		/* UDPmon's histograms that cannot be written */
	struct pace_err	err;
};

/* --- output --------------------------------------------------------------------------- */

int
pace_export_write(const struct pace_export_cfg *cfg, int (*fn)(FILE *f, void *ctx), void *ctx)
{
	int rc = cfg->output != NULL ? pace_outfile_write(cfg->output, fn, ctx) :
	    fn(stdout, ctx);

	if (rc == 0)
		return 0;
	pace_complain("%s: %s", cfg->output != NULL ? cfg->output : "standard output",
	    strerror(-rc));
	clearerr(stdout);		/* reported here, so main must not report it again */
	return PACE_EXIT_PARTIAL;
}

enum pace_columns_format
pace_export_columns(const struct pace_export_cfg *cfg)
{
	return cfg->format == EXPORT_GNUPLOT ? PACE_COLUMNS_GNUPLOT :
	    cfg->format == EXPORT_TSV ? PACE_COLUMNS_TSV : PACE_COLUMNS_CSV;
}

/* --- points ---------------------------------------------------------------------------- */

static int
read_point(struct result *r, const json_t *point, struct pace_any_point *p)
{
	int rc;

	if (r->kind == THROUGHPUT) {
		p->p = r->stream;
		return pace_point_from_json(r->stream, point);
	}
	if (r->kind == LATENCY) {
		p->l = r->trips;
		return pace_latency_from_json(r->trips, point);
	}
	if (r->kind == CLOCK) {
		p->k = &r->clock;
		return pace_clock_from_json(&r->clock, point);
	}
	if (r->kind == TCP) {
		pace_tcp_point_free(r->tcp);
		r->tcp = pace_tcp_point_new();
		return r->tcp != NULL ? pace_tcp_point_from_json(r->tcp, point) : -ENOMEM;
	}
	if (r->kind == WATCH) {
		p->w = r->path;
		return pace_watched_from_json(r->path, point);
	}
	rc = pace_seen_from_json(r->seen, point);
	if (rc != 0)
		return rc;
	/* a captured stream has the histograms of a stream's received part */
	r->stream->has_rx = true;
	r->stream->ask.size_bytes = r->seen->size_max;
	r->stream->rx = r->seen->rx;
	r->stream->rx.linear.count = r->stream->rx.linear_counts;
	p->s = r->seen;
	p->p = r->stream;
	return 0;
}

static int
each(struct result *r, each_fn fn)
{
	size_t wanted = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->points.n; i++) {
		struct pace_any_point p = { .index = 0 };
		json_t *point;

		rc = pace_points_get(&r->points, i, &point, &p.index, &r->err);
		if (rc != 0)
			break;
		if (r->cfg->one && p.index != r->cfg->point) {
			json_decref(point);
			continue;
		}
		rc = read_point(r, point, &p);
		json_decref(point);
		if (rc == -EPROTO)
			rc = pace_failf(&r->err, EPROTO, "read result",
			    "damaged: point %lu contradicts itself or lacks something",
			    (unsigned long)p.index);
		if (rc == 0)
			rc = fn(r, &p, wanted++);
	}
	r->wanted = wanted;
	return rc;
}

/* The histograms that --histogram selects, one per call; *i from 0; NULL: no more. */
static const struct pace_hist_name *
next_hist(const struct result *r, size_t *i)
{
	const struct pace_hist_name *h;

	if (r->hist != NULL)
		return (*i)++ == 0 ? r->hist : NULL;
	while ((h = pace_hist_ith(r->kind == LATENCY, (*i)++)) != NULL)
		if (!h->differences && !h->linear)
			break;
	return h;
}

static int
look(struct result *r, const struct pace_any_point *p, size_t n)
{
	const struct pace_hist_name *h;
	bool known = false;
	size_t i = 0;

	(void)n;
	if (p->p != NULL)
		pace_udpmon_widen(&r->udpmon, p->p);
	if (r->kind == TCP) {
		r->known++;
		return 0;
	}
	if (r->cfg->intervals) {
		r->known += p->p->has_rx && p->p->intervals != NULL;
		return 0;
	}
	while (r->document->hists && (h = next_hist(r, &i)) != NULL) {
		if (!pace_hist_known(h, p))
			continue;
		known = true;
		r->bare |= !h->linear && pace_hist_of(h, p)->bare;
		if (!h->linear)
			r->negative += pace_hdrlog_left_out(pace_hist_of(h, p));
	}
	r->known += known;
	return 0;
}

/* --- rows -------------------------------------------------------------------------------- */

static int
put_csv(struct result *r, int (*fn)(FILE *f, const void *point), const void *point)
{
	char *text = NULL;
	size_t size;
	FILE *f;
	int rc;

	if (r->cfg->format == EXPORT_CSV && !r->cfg->brief)
		return fn(r->f, point);
	f = open_memstream(&text, &size);
	if (f == NULL)
		return -errno;
	rc = fn(f, point);
	if (fclose(f) != 0 && rc == 0)
		rc = -ENOMEM;
	if (r->names == NULL)
		r->names = strdup(text);
	if (rc == 0 && r->names != NULL)
		pace_csv_pick(r->f, r->names, text, r->cfg->brief ? r->document->csv_short : NULL,
		    r->cfg->format == EXPORT_TSV ? '\t' : ',');
	free(text);
	return rc == 0 && r->names == NULL ? -ENOMEM : rc;
}

static int
interval_head(FILE *f, const void *unused)
{
	(void)unused;
	return pace_intervals_csv_head(f);
}

static int
interval_row(FILE *f, const void *row)
{
	return pace_intervals_csv_row(f, row);
}

static int
put_intervals(struct result *r, const struct pace_any_point *p, size_t i)
{
	const struct pace_intervals *v = p->p->has_rx ? p->p->intervals : NULL;
	int rc = 0;

	(void)i;
	for (uint32_t k = 0; v != NULL && rc == 0 && k < v->n; k++) {
		const struct pace_interval_row row = { .point = p->index,
		    .size_bytes = p->p->ask.size_bytes,
		    .spacing_ns = pace_params_spacing_ns(&p->p->ask),
		    .direction = p->p->ask.direction,
		    .streams = pace_params_streams(&p->p->ask), .v = v->v[k] };

		rc = put_csv(r, interval_row, &row);
	}
	return rc;
}

struct tcp_way {
	const struct pace_tcp_point *p;
	bool		down;
};

static int
tcp_row(FILE *f, const void *way)
{
	const struct tcp_way *w = way;

	return pace_tcp_csv_way(f, w->p, w->down);
}

static int
tcp_interval_head(FILE *f, const void *unused)
{
	(void)unused;
	return pace_tcp_csv_intervals_head(f);
}

static int
tcp_interval_row(FILE *f, const void *row)
{
	return pace_tcp_csv_interval(f, row);
}

static int
put_tcp_intervals(struct result *r, const struct pace_any_point *p, bool down)
{
	const struct pace_tcp_side *side[] = { pace_tcp_sender(r->tcp, down),
	    pace_tcp_receiver(r->tcp, down) };
	int rc = 0;

	for (uint32_t i = 0; i < r->tcp->ask.streams; i++)
		for (int receiver = 0; receiver < 2; receiver++) {
			const struct pace_tcp_end *e = side[receiver] != NULL ?
			    &side[receiver]->end[down][i] : NULL;

			for (uint32_t k = 0; e != NULL && k < e->rows && rc == 0; k++)
				rc = put_csv(r, tcp_interval_row, &(struct pace_tcp_csv_interval){
				    p->index, down ? PACE_DOWN : PACE_UP, receiver != 0, i, e->row[k] });
		}
	return rc;
}

static int
put_tcp(struct result *r, const struct pace_any_point *p, size_t i)
{
	int rc = 0;

	(void)i;
	for (int down = 0; down < 2 && rc == 0; down++)
		if (!(down ? r->tcp->ask.down : r->tcp->ask.up))
			continue;
		else if (r->cfg->intervals)
			rc = put_tcp_intervals(r, p, down != 0);
		else
			rc = put_csv(r, tcp_row, &(struct tcp_way){ r->tcp, down != 0 });
	return rc;
}

static int
csv_head(FILE *f, const void *document)
{
	return ((const struct document_kind *)document)->csv_head(f);
}

static int
csv_row(FILE *f, const void *point)
{
	const struct pace_any_point *p = point;

	return p->w != NULL ? pace_watch_csv_row(f, p->w) :
	    p->s != NULL ? pace_capture_csv_point(f, p->s) :
	    p->p != NULL ? pace_csv_point(f, p->p) :
	    p->l != NULL ? pace_latency_csv_point(f, p->l) : pace_clock_csv_row(f, p->k);
}

/* Call fn for a point, and with --per-stream for each of its streams. */
static int
put_all(struct result *r, const struct pace_any_point *p,
    int (*fn)(struct result *r, const struct pace_any_point *p))
{
	const struct pace_point *all = r->kind == THROUGHPUT && r->cfg->per_stream ? p->p : NULL;
	struct pace_any_point one = *p;
	int rc;

	one.per_stream = r->cfg->per_stream;
	rc = fn(r, &one);
	for (uint32_t k = 0; rc == 0 && all != NULL && all->streams != NULL &&
	    k < all->ask.streams; k++) {
		one.p = all->streams[k];
		rc = fn(r, &one);
	}
	return rc;
}

static int
put_row(struct result *r, const struct pace_any_point *p)
{
	return put_csv(r, csv_row, p);
}

static int
put_point(struct result *r, const struct pace_any_point *p, size_t i)
{
	(void)i;
	return put_all(r, p, put_row);
}

static int
put_bins_of(struct result *r, const struct pace_any_point *p)
{
	int rc;

	if (!pace_hist_known(r->hist, p))
		return 0;
	rc = pace_hist_rows(r->f, pace_export_columns(r->cfg), r->hist, p, !r->began);
	r->began = true;
	return rc;
}

static int
put_bins(struct result *r, const struct pace_any_point *p, size_t i)
{
	(void)i;
	return put_all(r, p, put_bins_of);
}

static double
length_s(const struct pace_any_point *p)
{
	return (double)(p->p != NULL ? p->p->tx.duration_ns : p->l->duration_ns) / 1e9;
}

/* Start of the point relative to that of the run; if unknown, the end of the point before. */
static double
start_s(const struct result *r, const struct pace_any_point *p)
{
	const char *started = p->p != NULL ? p->p->started : p->l->started;
	double run, point;

	return pace_hdrlog_epoch(started, &point) &&
	    pace_hdrlog_epoch(r->head.r.started, &run) && point >= run ? point - run : r->start_s;
}

static int
put_hdr(struct result *r, const struct pace_any_point *p, size_t n)
{
	const struct pace_hist_name *h;
	char tag[128], spacing[32], which[48];
	size_t i = 0;
	int rc = 0;

	(void)n;
	pace_any_spacing(p, spacing, sizeof(spacing));
	r->start_s = start_s(r, p);
	while (rc == 0 && (h = next_hist(r, &i)) != NULL) {
		const struct pace_hdrlog_line line = { tag, r->start_s, length_s(p),
		    strcmp(h->unit, "ns") == 0 };

		if (!pace_hist_known(h, p))
			continue;
		snprintf(tag, sizeof(tag), "%s-%lu-%luB%s%s%s%s", h->name,
		    (unsigned long)p->index, (unsigned long)pace_any_size(p),
		    spacing[0] != '\0' ? "-" : "", spacing, spacing[0] != '\0' ? "ns" : "",
		    pace_any_which(p, "-", which, sizeof(which)));
		rc = pace_hdrlog_put(r->f, &line, pace_hist_of(h, p));
	}
	r->start_s += length_s(p);
	return rc;
}

static int
put_udpmon(struct result *r, const struct pace_any_point *p, size_t i)
{
	bool left_out = false;
	int rc;

	(void)i;
	if (p->p != NULL) {
		rc = pace_udpmon_stream(r->f, &r->udpmon, p->p, r->size_before, &left_out);
		r->size_before = p->p->ask.size_bytes;
	} else {
		rc = pace_udpmon_rtt(r->f, &r->udpmon, p->l, &left_out);
	}
	r->left_out += left_out;
	return rc;
}

static int
write_all(FILE *f, void *ctx)
{
	struct result *r = ctx;
	int rc;

	r->f = f;
	if (r->cfg->format == EXPORT_UDPMON) {
		rc = pace_udpmon_head(f, &r->head.r);
		if (rc == 0 && r->kind == LATENCY)
			rc = pace_udpmon_rtt_head(f);
		return rc == 0 ? each(r, put_udpmon) : rc;
	}
	if (r->cfg->format == EXPORT_HDR) {
		rc = pace_hdrlog_head(f, &r->head.r);
		return rc == 0 ? each(r, put_hdr) : rc;
	}
	if (r->hist != NULL) {
		rc = pace_hist_rows_head(f, pace_export_columns(r->cfg), r->kind == LATENCY,
		    r->hist, r->cfg->per_stream);
		return rc == 0 ? each(r, put_bins) : rc;
	}
	if (r->cfg->intervals) {
		rc = put_csv(r, r->kind == TCP ? tcp_interval_head : interval_head, NULL);
		return rc == 0 ? each(r, r->kind == TCP ? put_tcp : put_intervals) : rc;
	}
	rc = put_csv(r, csv_head, r->document);
	return rc == 0 ? each(r, r->kind == TCP ? put_tcp : put_point) : rc;
}

/* --- checks ------------------------------------------------------------------------------ */

static void
list_hists(bool latency)
{
	const struct pace_hist_name *h;
	char list[512] = "";

	for (size_t i = 0; (h = pace_hist_ith(latency, i)) != NULL; i++) {
		if (i > 0)
			strncat(list, ", ", sizeof(list) - strlen(list) - 1);
		strncat(list, h->name, sizeof(list) - strlen(list) - 1);
	}
	pace_hint("a %s result has %s", latency ? "latency" : "throughput", list);
}

/* Set r->hist. */
static bool
suits_name(struct result *r, const char *name)
{
	const bool latency = r->kind == LATENCY;

	r->hist = pace_hist_find(latency, name);
	if (r->hist == NULL) {
		pace_complain("--histogram: '%s' is not a histogram of %s", name, r->cfg->name);
		list_hists(latency);
		return false;
	}
	if (r->cfg->format == EXPORT_UDPMON) {
		pace_complain("--histogram: --format udpmon has fixed histograms");
		pace_hint("--histogram all writes them after each row");
		return false;
	}
	if (r->cfg->format == EXPORT_HDR && r->hist->linear) {
		pace_complain("--histogram linear: HdrHistogram has other bins");
		pace_hint("use --histogram %s, which has the same values",
		    pace_hist_default(latency));
		return false;
	}
	if (r->cfg->format == EXPORT_HDR && r->hist->differences) {
		pace_complain("--histogram %s: HdrHistogram cannot hold its values below 0", name);
		pace_hint("--format csv has all values");
		return false;
	}
	return true;
}

/* Are there histograms for the format and --histogram, as far as either needs them? */
static bool
suits_hists(struct result *r)
{
	const struct pace_export_cfg *cfg = r->cfg;
	const char *name = cfg->histogram;

	if (r->kind == CAPTURE && cfg->format == EXPORT_UDPMON) {
		pace_complain("--format udpmon: UDPmon has no format for captures");
		return false;
	}
	if (name == NULL && cfg->format == EXPORT_GNUPLOT) {
		pace_complain("--format gnuplot: the points of a result contain words");
		pace_hint("use --histogram NAME, or --format csv with gnuplot's 'set datafile "
		    "separator'");
		return false;
	}
	if (name == NULL && cfg->format == EXPORT_HDR)
		name = pace_hist_default(r->kind == LATENCY);
	if (name == NULL)
		return true;
	if (strcmp(name, ALL) != 0)
		return suits_name(r, name);
	r->udpmon.hists = cfg->format == EXPORT_UDPMON;
	if (cfg->format == EXPORT_HDR || cfg->format == EXPORT_UDPMON)
		return true;
	pace_complain("--histogram all: csv, tsv and gnuplot write one histogram; give its name");
	list_hists(r->kind == LATENCY);
	return false;
}

static bool
suits(struct result *r)
{
	const struct pace_export_cfg *cfg = r->cfg;
	const bool rows = cfg->format == EXPORT_CSV || cfg->format == EXPORT_TSV;
	const char *name = cfg->histogram;

	if (cfg->absolute) {
		pace_complain("--absolute: %s is a result; only frame records have times",
		    cfg->name);
		pace_hint("give a file that --record wrote");
		return false;
	}
	if (!r->document->hists && (name != NULL || !rows)) {
		pace_complain("%s: %s is of udpace %s: only its rows can be exported, with "
		    "--format csv or tsv", name != NULL ? "--histogram" : "--format", cfg->name,
		    r->document->name);
		return false;
	}
	if (cfg->intervals && (!r->document->intervals || name != NULL || cfg->brief || !rows)) {
		pace_complain("--intervals needs --format csv or tsv and a result of throughput "
		    "or tcp, and neither --histogram nor --short");
		return false;
	}
	if (cfg->brief && (r->document->csv_short == NULL || name != NULL || !rows)) {
		pace_complain("--short needs --format csv or tsv, and a result of throughput, "
		    "latency or capture");
		return false;
	}
	if (cfg->per_stream && (r->kind != THROUGHPUT || cfg->intervals ||
	    cfg->format == EXPORT_HDR || cfg->format == EXPORT_UDPMON)) {
		pace_complain("--per-stream needs --format csv, tsv or gnuplot, and a throughput "
		    "result without --intervals");
		return false;
	}
	return suits_hists(r);
}

/* --- reading --------------------------------------------------------------------------------- */

static bool
find_document(struct result *r)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		if (strcmp(r->points.kind, documents[i].name) == 0) {
			r->document = &documents[i];
			r->kind = r->document->kind;
			return true;
		}
	pace_complain("%s: a result of kind '%.32s' cannot be exported", r->cfg->name,
	    r->head.kind);
	pace_hint("only results of throughput, capacity, send, latency, clock, capture, tcp and "
	    "watch can");
	return false;
}

/* Report what the rows leave out. */
static void
tell(const struct result *r)
{
	const char *name = r->cfg->name;
	size_t skipped = json_array_size(json_object_get(r->points.head, "skipped"));

	if (skipped > 0)
		pace_complain("%s: %zu %s skipped", name, skipped,
		    skipped == 1 ? "point" : "points");
	if (r->points.torn || !r->points.ended)
		pace_complain("%s: its run was cut off; %zu points are complete%s", name,
		    r->points.n, r->points.torn ? ", one line is not" : "");
	if (r->cfg->intervals && r->known < r->wanted)
		pace_complain("%s: %zu of %zu points have no intervals: measure with --interval",
		    name, r->wanted - r->known, r->wanted);
	if (r->hist != NULL && r->known < r->wanted)
		pace_complain("%s: %zu of %zu points have no %s", name, r->wanted - r->known,
		    r->wanted, r->hist->name);
	if (r->cfg->format == EXPORT_HDR && r->negative > 0)
		pace_complain("%s: HdrHistogram cannot hold values below 0: %llu omitted", name,
		    (unsigned long long)r->negative);
	if (r->left_out > 0) {
		pace_complain("%s: %zu histograms of times omitted: their bins cross the edges of "
		    "UDPmon's bins", name, r->left_out);
		pace_hint("measure with --linear 0:%s:150", r->kind == LATENCY ? "1us" : "0.1us");
	}
}

static int
export_points(struct result *r)
{
	int status;

	if (!find_document(r))
		return PACE_EXIT_NO_RESULT;
	r->stream = pace_point_new();
	r->seen = pace_seen_new();
	r->trips = pace_latency_new();
	r->path = calloc(1, sizeof(*r->path));
	if (r->stream == NULL || r->seen == NULL || r->trips == NULL || r->path == NULL) {
		pace_complain("%s: out of memory", r->cfg->name);
		return PACE_EXIT_NO_RESULT;
	}
	if (!suits(r))
		return PACE_EXIT_USAGE;
	if (each(r, look) != 0) {
		pace_complain("%s: %s", r->cfg->name,
		    r->err.text[0] != '\0' ? r->err.text : "out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	if (r->cfg->one && r->wanted == 0) {
		pace_complain("--point: %s has no point %lld", r->cfg->name,
		    (long long)r->cfg->point);
		return PACE_EXIT_NO_RESULT;
	}
	if (r->cfg->intervals && r->known == 0) {
		pace_complain("--intervals: %s has none", r->cfg->name);
		pace_hint("measure with --interval TIME");
		return PACE_EXIT_NO_RESULT;
	}
	if (r->bare && (r->hist != NULL || r->cfg->format == EXPORT_HDR || r->udpmon.hists)) {
		pace_complain("%s: %s has no bins; it was written with --no-bins",
		    r->cfg->format == EXPORT_HDR ? "--format hdr" : "--histogram", r->cfg->name);
		pace_hint("--format csv without --histogram has the figures of each histogram");
		return PACE_EXIT_NO_RESULT;
	}
	if (r->hist != NULL && r->known == 0 && r->wanted > 0) {
		pace_complain("--histogram: %s was not measured in %s", r->hist->name,
		    r->cfg->name);
		return PACE_EXIT_NO_RESULT;
	}
	status = pace_export_write(r->cfg, write_all, r);
	if (status == 0)
		tell(r);
	return status;
}

int
pace_export_result(const struct pace_export_cfg *cfg, FILE *f)
{
	struct result r = { .cfg = cfg };
	int status = PACE_EXIT_NO_RESULT;
	int rc = pace_points_read(f, cfg->name, &r.points, &r.err);

	if (rc != 0) {
		pace_complain("%s", r.err.text);
		if (rc == -EPROTO)
			pace_hint("give a file that --output, --jsonl or --record wrote");
	} else if (pace_head_from_json(&r.head, r.points.head) != 0) {
		pace_complain("%s: damaged: its head is incomplete or contradicts itself",
		    cfg->name);
	} else {
		status = export_points(&r);
		pace_head_free(&r.head);
	}
	pace_points_free(&r.points);
	pace_point_free(r.stream);
	free(r.names);
	free(r.trips);
	free(r.path);
	free(r.seen);
	pace_tcp_point_free(r.tcp);
	return status;
}
