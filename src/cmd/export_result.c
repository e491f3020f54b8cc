/*
 * Twice over all points: first everything is checked and counted that must be
 * known before a row is written, so that a damaged file gives no half table.
 */
#include "config.h"

#include "cmd/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/capture_doc.h"
#include "doc/clock_doc.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/points_file.h"
#include "doc/result_doc.h"
#include "out/capture_text.h"
#include "out/clock_text.h"
#include "out/csv.h"
#include "out/hdrlog.h"
#include "out/hists.h"
#include "out/latency_csv.h"
#include "out/udpmon.h"

enum kind { THROUGHPUT, LATENCY, CLOCK, CAPTURE, KINDS };

static const char *const kind_names[KINDS] = { "throughput", "latency", "clock",
    "capture" };

#define ALL	"all"		/* --histogram's word */

/* What is done with a point; i counts those that are wanted. */
struct result;
typedef int (*each_fn)(struct result *r, const struct pace_any_point *p, size_t i);

struct result {
	const struct pace_export_cfg *cfg;
	enum kind	kind;
	struct pace_points points;
	struct pace_head head;
	const struct pace_hist_name *hist;	/* NULL: none, or all */
	/* storage of one point */
	struct pace_point *stream;
	struct pace_latency *trips;
	struct pace_clock clock;
	struct pace_seen *seen;
	/* found by the survey */
	size_t		wanted, known;		/* points; with the histogram */
	uint64_t	negative;		/* values that HdrHistogram has no bins for */
	struct pace_udpmon_cfg udpmon;
	/* of writing */
	FILE		*f;
	bool		began;
	uint32_t	size_before;
	double		start_s;
	size_t		left_out;		/* UDPmon's histograms */
	struct pace_err	err;
};

/* --- points ---------------------------------------------------------------------------- */

/* What arrived of it is a stream's: its histograms have the names of one. */
static int
take_seen(struct result *r, const json_t *point, struct pace_any_point *p)
{
	int rc = pace_seen_from_json(r->seen, point);

	if (rc != 0)
		return rc;
	r->stream->has_rx = true;
	r->stream->ask.size_bytes = r->seen->size_max;
	r->stream->rx = r->seen->rx;
	r->stream->rx.lens.count = r->stream->rx.lens_count;
	p->s = r->seen;
	p->p = r->stream;
	return 0;
}

static int
take_apart(struct result *r, const json_t *point, struct pace_any_point *p)
{
	switch (r->kind) {
	case THROUGHPUT:
		p->p = r->stream;
		return pace_point_from_json(r->stream, point);
	case LATENCY:
		p->l = r->trips;
		return pace_latency_from_json(r->trips, point);
	case CAPTURE:
		return take_seen(r, point, p);
	default:
		p->k = &r->clock;
		return pace_clock_from_json(&r->clock, point);
	}
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
		rc = take_apart(r, point, &p);
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

/* Those of --histogram, one after the other; *i from 0; NULL: no more. */
static const struct pace_hist_name *
next_hist(const struct result *r, size_t *i)
{
	const struct pace_hist_name *h;

	if (r->hist != NULL)
		return (*i)++ == 0 ? r->hist : NULL;
	while ((h = pace_hist_ith(r->kind == LATENCY, (*i)++)) != NULL)
		if (!h->differences && !h->lens)
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
	while (r->kind != CLOCK && (h = next_hist(r, &i)) != NULL) {
		if (!pace_hist_known(h, p))
			continue;
		known = true;
		if (!h->lens)
			r->negative += pace_hdrlog_left_out(pace_hist_of(h, p));
	}
	r->known += known;
	return 0;
}

/* --- what is written --------------------------------------------------------------------- */

/* No cell of ours has a comma in it. */
static int
put_csv(struct result *r, int (*fn)(FILE *f, const void *point), const void *point)
{
	char *text = NULL;
	size_t size;
	FILE *f;
	int rc;

	if (r->cfg->format == EXPORT_CSV)
		return fn(r->f, point);
	f = open_memstream(&text, &size);
	if (f == NULL)
		return -errno;
	rc = fn(f, point);
	if (fclose(f) != 0 && rc == 0)
		rc = -ENOMEM;
	for (size_t i = 0; rc == 0 && i < size; i++)
		fputc(text[i] == ',' ? '\t' : text[i], r->f);
	free(text);
	return rc;
}

static int
csv_head(FILE *f, const void *kind)
{
	switch (*(const enum kind *)kind) {
	case THROUGHPUT:	return pace_csv_head(f);
	case LATENCY:		return pace_latency_csv_head(f);
	case CAPTURE:		return pace_capture_csv_head(f);
	default:		return pace_clock_csv_head(f);
	}
}

static int
csv_row(FILE *f, const void *point)
{
	const struct pace_any_point *p = point;

	return p->s != NULL ? pace_capture_csv_point(f, p->s) : p->p != NULL ? pace_csv_point(f, p->p) :
	    p->l != NULL ? pace_latency_csv_point(f, p->l) : pace_clock_csv_row(f, p->k);
}

static int
put_point(struct result *r, const struct pace_any_point *p, size_t i)
{
	(void)i;
	return put_csv(r, csv_row, p);
}

static enum pace_columns_format
columns_of(const struct pace_export_cfg *cfg)
{
	return cfg->format == EXPORT_GNUPLOT ? PACE_COLUMNS_GNUPLOT :
	    cfg->format == EXPORT_TSV ? PACE_COLUMNS_TSV : PACE_COLUMNS_CSV;
}

static int
put_bins(struct result *r, const struct pace_any_point *p, size_t i)
{
	int rc;

	(void)i;
	if (!pace_hist_known(r->hist, p))
		return 0;
	rc = pace_hist_rows(r->f, columns_of(r->cfg), r->hist, p, !r->began);
	r->began = true;
	return rc;
}

static double
length_s(const struct pace_any_point *p)
{
	return (double)(p->p != NULL ? p->p->tx.duration_ns : p->l->duration_ns) / 1e9;
}

/* Of the point, from that of the run; where it is not told, behind the one before. */
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
	char tag[128], spacing[32];
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
		snprintf(tag, sizeof(tag), "%s-%lu-%luB%s%s%s", h->name,
		    (unsigned long)p->index, (unsigned long)pace_any_size(p),
		    spacing[0] != '\0' ? "-" : "", spacing, spacing[0] != '\0' ? "ns" : "");
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
write_udpmon(struct result *r)
{
	int rc = pace_udpmon_head(r->f, &r->head.r);

	if (rc == 0 && r->kind == LATENCY)
		rc = pace_udpmon_rtt_head(r->f);
	return rc == 0 ? each(r, put_udpmon) : rc;
}

static int
write_all(FILE *f, void *ctx)
{
	struct result *r = ctx;
	int rc;

	r->f = f;
	if (r->cfg->format == EXPORT_UDPMON)
		return write_udpmon(r);
	if (r->cfg->format == EXPORT_HDR) {
		rc = pace_hdrlog_head(f, &r->head.r);
		return rc == 0 ? each(r, put_hdr) : rc;
	}
	if (r->hist != NULL) {
		rc = pace_hist_rows_head(f, columns_of(r->cfg), r->kind == LATENCY, r->hist);
		return rc == 0 ? each(r, put_bins) : rc;
	}
	rc = put_csv(r, csv_head, &r->kind);
	return rc == 0 ? each(r, put_point) : rc;
}

/* --- what makes sense -------------------------------------------------------------------- */

static bool
suits_clock(const struct pace_export_cfg *cfg)
{
	if (cfg->histogram == NULL && (cfg->format == EXPORT_CSV || cfg->format == EXPORT_TSV))
		return true;
	pace_complain("%s: %s is a clock result, it has no histograms",
	    cfg->histogram != NULL ? "--histogram" : "--format", cfg->name);
	pace_hint("--format csv or tsv, without --histogram");
	return false;
}

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
	pace_hint("a %s result has %s", kind_names[latency ? LATENCY : THROUGHPUT], list);
}

static bool
suits_all(struct result *r)
{
	if (r->cfg->format == EXPORT_HDR || r->cfg->format == EXPORT_UDPMON)
		return true;
	pace_complain("--histogram all: rows of csv, tsv and gnuplot are of one histogram");
	list_hists(r->kind == LATENCY);
	return false;
}

/* Finds r->hist. */
static bool
suits_name(struct result *r, const char *name)
{
	const bool latency = r->kind == LATENCY;

	r->hist = pace_hist_find(latency, name);
	if (r->hist == NULL) {
		pace_complain("--histogram: '%s' is none of %s", name, r->cfg->name);
		list_hists(latency);
		return false;
	}
	if (r->cfg->format == EXPORT_UDPMON) {
		pace_complain("--histogram: UDPmon's are always the same ones");
		pace_hint("--histogram all writes them behind each row");
		return false;
	}
	if (r->cfg->format == EXPORT_HDR && r->hist->lens) {
		pace_complain("--histogram linear: its bins are not those of HdrHistogram");
		pace_hint("--histogram %s has the same values", pace_hist_default(latency));
		return false;
	}
	if (r->cfg->format == EXPORT_HDR && r->hist->differences) {
		pace_complain("--histogram %s: has values below 0, HdrHistogram has none", name);
		pace_hint("--format csv has them all");
		return false;
	}
	return true;
}

static bool
suits(struct result *r)
{
	const struct pace_export_cfg *cfg = r->cfg;
	const char *name = cfg->histogram;

	if (cfg->absolute) {
		pace_complain("--absolute: %s is a result, times are those of records", cfg->name);
		pace_hint("give a file that --record wrote");
		return false;
	}
	if (r->kind == CLOCK)
		return suits_clock(cfg);
	if (r->kind == CAPTURE && cfg->format == EXPORT_UDPMON) {
		pace_complain("--format udpmon: a capture has nothing that UDPmon would have sent");
		return false;
	}
	if (name == NULL && cfg->format == EXPORT_GNUPLOT) {
		pace_complain("--format gnuplot: the points of a result have words in them");
		pace_hint("--histogram NAME, or --format csv with gnuplot's set datafile separator");
		return false;
	}
	if (name == NULL && cfg->format == EXPORT_HDR)
		name = pace_hist_default(r->kind == LATENCY);
	if (name == NULL)
		return true;
	if (strcmp(name, ALL) == 0) {
		r->udpmon.hists = cfg->format == EXPORT_UDPMON;
		return suits_all(r);
	}
	return suits_name(r, name);
}

/* --- reading --------------------------------------------------------------------------------- */

static bool
find_kind(struct result *r)
{
	for (int k = 0; k < KINDS; k++)
		if (strcmp(r->points.kind, kind_names[k]) == 0) {
			r->kind = (enum kind)k;
			return true;
		}
	pace_complain("%s: its kind is '%.32s', that is not exported", r->cfg->name,
	    r->head.kind);
	pace_hint("results of throughput, latency, clock and capture are");
	return false;
}

static bool
prepare(struct result *r)
{
	bool ok = true;

	if (r->kind == THROUGHPUT || r->kind == CAPTURE)
		ok = (r->stream = pace_point_new()) != NULL;
	if (r->kind == CAPTURE && ok)
		ok = (r->seen = pace_seen_new()) != NULL;
	if (r->kind == LATENCY)
		ok = (r->trips = pace_latency_new()) != NULL;
	if (!ok)
		pace_complain("%s: out of memory", r->cfg->name);
	return ok;
}

static bool
check_found(struct result *r)
{
	const bool hists = r->hist != NULL;

	if (r->cfg->one && r->wanted == 0) {
		pace_complain("--point: %s has no point %lld", r->cfg->name,
		    (long long)r->cfg->point);
		return false;
	}
	if (hists && r->known == 0 && r->wanted > 0) {
		pace_complain("--histogram: %s was not measured in %s", r->hist->name,
		    r->cfg->name);
		return false;
	}
	return true;
}

/* What the rows do not tell. */
static void
tell(const struct result *r)
{
	const char *name = r->cfg->name;
	size_t skipped = json_array_size(json_object_get(r->points.head, "skipped"));

	if (skipped > 0)
		pace_complain("%s: %zu %s skipped", name, skipped, skipped == 1 ? "point" : "points");
	if (r->points.torn || !r->points.ended)
		pace_complain("%s: its run was cut off, %zu points are whole%s", name,
		    r->points.n, r->points.torn ? ", a line is not" : "");
	if (r->hist != NULL && r->known < r->wanted)
		pace_complain("%s: %zu of %zu points have no %s", name, r->wanted - r->known,
		    r->wanted, r->hist->name);
	if (r->cfg->format == EXPORT_HDR && r->negative > 0)
		pace_complain("%s: HdrHistogram has no values below 0: %llu left out", name,
		    (unsigned long long)r->negative);
	if (r->left_out > 0) {
		pace_complain("%s: %zu histograms of times left out: our bins lie across UDPmon's "
		    "edges", name, r->left_out);
		pace_hint("measure with --linear 0:%s:150", r->kind == LATENCY ? "1us" : "0.1us");
	}
}

static int
export_points(struct result *r)
{
	int status;

	if (!find_kind(r) || !prepare(r))
		return EXIT_NO_RESULT;
	if (!suits(r))
		return EXIT_USAGE;
	if (each(r, look) != 0) {
		pace_complain("%s: %s", r->cfg->name,
		    r->err.text[0] != '\0' ? r->err.text : "out of memory");
		return EXIT_NO_RESULT;
	}
	if (!check_found(r))
		return EXIT_NO_RESULT;
	status = pace_export_write(r->cfg, write_all, r);
	if (status == 0)
		tell(r);
	return status;
}

int
pace_export_result(const struct pace_export_cfg *cfg, FILE *f)
{
	struct result r = { .cfg = cfg };
	int status = EXIT_NO_RESULT;
	int rc = pace_points_read(f, cfg->name, &r.points, &r.err);

	if (rc != 0) {
		pace_complain("%s", r.err.text);
		if (rc == -EPROTO)
			pace_hint("what --output, --jsonl or --record wrote can be exported");
	} else if (pace_head_from_json(&r.head, r.points.head) != 0) {
		pace_complain("%s: damaged: its head contradicts itself or lacks something",
		    cfg->name);
	} else {
		status = export_points(&r);
		pace_head_free(&r.head);
	}
	pace_points_free(&r.points);
	pace_point_free(r.stream);
	free(r.trips);
	free(r.seen);
	return status;
}
