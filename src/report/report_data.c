#include "config.h"

#include "report/report_data.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/rates.h"
#include "core/wire.h"
#include "doc/capture_doc.h"
#include "doc/clock_doc.h"
#include "doc/departures.h"
#include "doc/latency_doc.h"
#include "doc/params.h"
#include "doc/point_doc.h"
#include "doc/result_read.h"
#include "doc/tcp_doc.h"

/* --- points ------------------------------------------------------------------------- */

/* The receiver's histograms that figures show: in a stream, in the result. */
static const struct { size_t to, from; } rx_hists[] = {
#define RX(m)	{ offsetof(struct pace_stream_point, rx.m), offsetof(struct pace_rx_result, m) }
	RX(gap), RX(gap_error), RX(runs), RX(loss_distances), RX(extent), RX(owd), RX(pdv),
#undef RX
};

#define RX_HISTS	(sizeof(rx_hists) / sizeof(rx_hists[0]))

/* Buffers for reading points. */
struct report_data_reading {
	struct pace_run	*run;
	struct pace_point *point;
	struct pace_latency *latency;
	struct pace_seen *seen;
};

/* Append a zeroed element to *list of n elements; it grows to 16, 32, 64 ... elements.
 * NULL: no memory. */
static void *
grow(void *list, size_t n, size_t size)
{
	void **at = list, *more = *at;

	if (n == 0 || (n >= 16 && (n & (n - 1)) == 0))
		more = reallocarray(*at, n > 0 ? 2 * n : 16, size);
	if (more == NULL)
		return NULL;
	*at = more;
	return memset((char *)more + n * size, 0, size);
}

/* Copy the notes of a point, and a warning if its histograms, one of which is h, have no bins. */
static int
copy_notes(struct pace_remarks *to, struct pace_notes *from, const struct pace_hist *h)
{
	if (h->bare)
		pace_note(from, "no_bins", "the document has no bins (--no-bins): its histograms, "
		    "and figures of them, are left out");
	if (from->n == 0)
		return 0;
	to->v = calloc((size_t)from->n, sizeof(*to->v));
	if (to->v == NULL)
		return -ENOMEM;
	memcpy(to->v, from->v, (size_t)from->n * sizeof(*to->v));
	to->n = from->n;
	return 0;
}

static int
copy_rx(struct pace_stream_point *l, const struct pace_rx_result *r)
{
	int rc = 0;

	l->has_rx = true;
	l->rx.frames = r->frames;
	l->rx.unique = r->unique;
	l->rx.duplicates = r->duplicates;
	l->rx.lost = r->lost;
	l->rx.reordered = r->reordered;
	l->rx.user_rate_bps = r->user_rate_bps;
	l->rx.wire_rate_bps = r->wire_rate_bps;
	l->rx.has_owd = r->has_owd;
	for (size_t i = 0; i < RX_HISTS && rc == 0; i++)
		rc = pace_bins_copy((void *)((char *)l + rx_hists[i].to),
		    (const void *)((const char *)r + rx_hists[i].from));
	return rc;
}

/* Copy what figures show of each stream. */
static int
copy_parts(struct pace_stream_point *l, const struct pace_point *p)
{
	l->part = calloc(p->ask.streams, sizeof(*l->part));
	if (l->part == NULL)
		return -ENOMEM;
	l->parts = p->ask.streams;
	for (uint32_t i = 0; i < l->parts; i++) {
		const struct pace_rx_result *r = &p->streams[i]->rx;
		const uint64_t n = r->lost + r->unique;

		l->part[i] = (struct pace_part){ r->user_rate_bps,
		    n > 0 ? 100 * (double)r->lost / (double)n : 0 };
	}
	return 0;
}

/* Add a stream; it takes over the arrays of p's counters. */
static int
add_stream(struct pace_run *run, struct pace_point *p, size_t index)
{
	struct pace_stream_point *l = grow(&run->point, run->n, sizeof(*l));
	struct pace_departures left;
	struct pace_notes notes;
	int rc;

	if (l == NULL)
		return -ENOMEM;
	run->n++;
	*l = (struct pace_stream_point){ .ask = p->ask, .begin = p->begin, .index = index,
	    .verdict = p->verdict, .ipv6 = p->ipv6, .owd_relative = p->owd_relative,
	    .tx = { .frames = p->tx.frames, .duration_ns = p->tx.duration_ns,
	    .user_rate_bps = p->tx.user_rate_bps, .wire_rate_bps = p->tx.wire_rate_bps },
	    .ledger = p->ledger, .clock = p->clock, .sender = *pace_point_sender(p),
	    .receiver = *pace_point_receiver(p),
	    .departed_near = pace_departures(p, &left) ? left.share : NAN };
	memcpy(l->started, p->started, sizeof(l->started));
	memset(&p->ours, 0, sizeof(p->ours));
	memset(&p->theirs, 0, sizeof(p->theirs));
	l->intervals = p->has_rx ? p->intervals : NULL;
	if (p->has_rx)
		p->intervals = NULL;
	pace_point_notes(p, &notes);
	if (p->has_rx && p->streams != NULL && copy_parts(l, p) != 0)
		return -ENOMEM;
	rc = pace_bins_copy(&l->tx.gap_error, &p->tx.gap_error);
	if (rc == 0)
		rc = pace_bins_copy(&l->tx.left_error, &p->tx.stamped_gap_error);
	if (rc == 0 && p->has_rx)
		rc = copy_rx(l, &p->rx);
	return rc == 0 ? copy_notes(&l->remarks, &notes, &p->tx.gap) : rc;
}

static int
add_seen(struct pace_run *run, struct pace_seen *s, size_t index)
{
	const char *open = s->ip == 6 ? "[" : "", *shut = s->ip == 6 ? "]" : "";
	struct pace_stream_point *l = grow(&run->point, run->n, sizeof(*l));
	int rc;

	if (l == NULL)
		return -ENOMEM;
	run->n++;
	run->seen = true;
	*l = (struct pace_stream_point){ .index = index, .ipv6 = s->ip == 6,
	    .ask = { .size_bytes = s->size_max, .dscp = s->dscp },
	    .tx.frames = s->rx.unique + s->rx.lost, .numbered = s->numbered, .heaps = s->heaps,
	    .departed_near = NAN };
	memcpy(l->started, s->started, sizeof(l->started));
	/* longer names are cut */
	if (snprintf(l->name, sizeof(l->name), "%s %s%s%s:%u > %s%s%s:%u%s%s", s->format, open,
	    s->source, shut, s->source_port, open, s->destination, shut, s->destination_port,
	    s->streams > 1 ? " #" : "", s->streams > 1 ? s->stream : "") < 0)
		l->name[0] = '\0';
	rc = copy_rx(l, &s->rx);
	return rc == 0 ? copy_notes(&l->remarks, &s->notes, &s->rx.gap) : rc;
}

static int
add_trip(struct pace_run *run, struct pace_latency *p, size_t index)
{
	struct pace_rtt_point *t = grow(&run->trip, run->trips, sizeof(*t));
	int rc;

	if (t == NULL)
		return -ENOMEM;
	run->trips++;
	*t = (struct pace_rtt_point){ .ask = p->ask, .index = index, .sent = p->sent,
	    .received = p->received, .timeouts = p->timeouts };
	rc = pace_bins_copy(&t->rtt, &p->rtt);
	return rc == 0 ? copy_notes(&t->remarks, &p->notes, &p->rtt) : rc;
}

static int
add_tcp(struct pace_run *run, const json_t *j)
{
	struct pace_tcp_point **p = grow(&run->tcp, run->tcps, sizeof(*p));

	if (p == NULL)
		return -ENOMEM;
	*p = pace_tcp_point_new();
	if (*p == NULL)
		return -ENOMEM;
	run->tcps++;
	return pace_tcp_point_from_json(*p, j);
}

/* Find the kind of a point from its members. */
static int
add_point(const json_t *j, size_t index, void *ctx, struct pace_err *err)
{
	struct report_data_reading *g = ctx;
	int rc = 0;

	if (json_object_get(j, "tx") != NULL) {
		rc = pace_point_from_json(g->point, j);
		rc = rc == 0 ? add_stream(g->run, g->point, index) : rc;
	} else if (json_object_get(j, "late_replies") != NULL) {
		rc = pace_latency_from_json(g->latency, j);
		rc = rc == 0 ? add_trip(g->run, g->latency, index) : rc;
	} else if (json_object_get(j, "exchanges") != NULL) {
		struct pace_clock *k = grow(&g->run->clock, g->run->clocks, sizeof(*k));

		rc = k == NULL ? -ENOMEM : pace_clock_from_json(k, j);
		g->run->clocks += rc == 0;
	} else if (json_object_get(j, "write_bytes") != NULL) {
		rc = add_tcp(g->run, j);
	} else if (json_object_get(j, "flow") != NULL) {
		rc = pace_seen_from_json(g->seen, j);
		rc = rc == 0 ? add_seen(g->run, g->seen, index) : rc;
	} else {
		g->run->strange++;	/* from a later version, or of a kind without figures */
	}
	if (rc == -EPROTO)
		return pace_failf(err, EPROTO, "read result",
		    "%s: point %zu is damaged: it contradicts itself", g->run->file, index);
	return rc < 0 ? pace_fail(err, -rc, "read result") : 0;
}

/* --- a run ------------------------------------------------------------------------------ */

static int
take_failed(struct pace_run *run, const json_t *list)
{
	size_t n = json_array_size(list);

	if (n == 0)
		return 0;
	run->failed = calloc(n, sizeof(*run->failed));
	if (run->failed == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		struct pace_jr j = { .o = json_array_get(list, i) };
		struct pace_failed *f = &run->failed[run->failures];

		f->size_bytes = (uint32_t)pace_jr_int(&j, "size_bytes", 1, PACE_FRAME_MAX);
		f->dscp = pace_jr_has(&j, "dscp") ? (int)pace_jr_int(&j, "dscp", 0, 63) : -1;
		f->streams = pace_jr_has(&j, "streams_asked") ?
		    (uint32_t)pace_jr_int(&j, "streams_asked", 2, PACE_STREAMS) : 1;
		f->spacing_ns = pace_jr_real(&j, "spacing_ns");
		pace_jr_text_or_empty(&j, "reason", f->reason, sizeof(f->reason));
		if (j.bad || f->spacing_ns < 0)
			return -EPROTO;
		run->failures++;
	}
	return 0;
}

static int
take_head(struct pace_run *run, struct pace_result_read *r, struct pace_err *err)
{
	int rc;

	run->extra = r->head;
	r->head = NULL;
	rc = pace_head_from_json(&run->head, run->extra);
	if (rc == 0 && strcmp(run->head.r.kind, "send") == 0)
		return pace_failf(err, ENOTSUP, "read result", "%s is of udpace send: it has no "
		    "receiver's figures to draw or compare; udpace export writes the sender's",
		    run->file);
	if (rc == 0 && strcmp(run->head.r.kind, "watch") == 0)
		return pace_failf(err, ENOTSUP, "read result", "%s is of udpace watch: paths are "
		    "not drawn or compared; udpace export writes their figures",
		    run->file);
	if (rc == 0)
		rc = take_failed(run, json_object_get(run->extra, "failed"));
	if (rc == 0 && strcmp(run->head.r.kind, "capture") == 0) {
		run->seen = true;
		rc = pace_capture_from_json(&run->capture,
		    json_object_get(run->extra, "capture"));
	}
	run->skipped = json_array_size(json_object_get(run->extra, "skipped"));
	run->torn = r->torn;
	run->whole = r->ended && r->torn == 0 && !run->head.r.interrupted;
	if (rc == -EPROTO)
		return pace_failf(err, EPROTO, "read result", "%s: its head is damaged", run->file);
	return rc < 0 ? pace_fail(err, -rc, "read result") : 0;
}

static void
free_run(struct pace_run *run)
{
	if (run == NULL)
		return;
	for (size_t i = 0; i < run->n; i++) {
		struct pace_stream_point *l = &run->point[i];

		for (size_t k = 0; k < RX_HISTS; k++)
			pace_bins_free((void *)((char *)l + rx_hists[k].to));
		pace_bins_free(&l->tx.gap_error);
		pace_bins_free(&l->tx.left_error);
		pace_counters_free(&l->sender);
		pace_counters_free(&l->receiver);
		free(l->intervals);
		free(l->remarks.v);
		free(l->part);
	}
	for (size_t i = 0; i < run->trips; i++) {
		pace_bins_free(&run->trip[i].rtt);
		free(run->trip[i].remarks.v);
	}
	for (size_t i = 0; i < run->tcps && !run->tcp_borrowed; i++)
		pace_tcp_point_free(run->tcp[i]);
	free(run->tcp);
	free(run->point);
	free(run->trip);
	free(run->clock);
	free(run->failed);
	pace_head_free(&run->head);
	json_decref(run->extra);
	free(run->file);
	free(run->name);
	free(run);
}

static bool
is_back(const struct pace_stream_point *l)
{
	return l->ask.two_way && l->ask.direction == PACE_DOWN;
}

/* Let d have the TCP runs too, for their other direction. */
static int
borrow_tcp(struct pace_run *d, const struct pace_run *run)
{
	d->tcp = calloc(run->tcps + 1, sizeof(struct pace_tcp_point *));
	if (d->tcp == NULL)
		return -ENOMEM;
	memcpy(d->tcp, run->tcp, run->tcps * sizeof(struct pace_tcp_point *));
	d->tcps = run->tcps;
	d->tcp_down = d->tcp_borrowed = true;
	return 0;
}

/* Move the streams from the responder, and the round trips over TCP. */
static void
move_points(struct pace_run *d, struct pace_run *run)
{
	size_t n = run->n, trips = run->trips;

	run->n = run->trips = 0;
	for (size_t i = 0; i < n; i++)
		if (is_back(&run->point[i]))
			d->point[d->n++] = run->point[i];
		else
			run->point[run->n++] = run->point[i];
	for (size_t i = 0; i < trips; i++)
		if (run->trip[i].ask.tcp)
			d->trip[d->trips++] = run->trip[i];
		else
			run->trip[run->trips++] = run->trip[i];
}

/* Give a run of two directions, or of UDP and TCP, a second part: each figure and each comparison is
 * of one.  *second NULL: it has one. */
static int
split_run(struct pace_run *run, struct pace_run **second)
{
	struct pace_run *d;
	size_t n = 0, trips = 0, len = strlen(run->name) + sizeof(", down");
	bool both = run->tcps > 0 && run->tcp[0]->ask.up && run->tcp[0]->ask.down;
	char *name;

	*second = NULL;
	for (size_t i = 0; i < run->n; i++)
		n += is_back(&run->point[i]);
	for (size_t i = 0; i < run->trips; i++)
		trips += run->trip[i].ask.tcp;
	if (run->tcps > 0)
		run->tcp_down = !run->tcp[0]->ask.up;
	if (n == 0 && !both && (trips == 0 || trips == run->trips))
		return 0;
	d = calloc(1, sizeof(*d));
	name = malloc(len);
	if (d != NULL) {
		d->name = malloc(len);
		d->file = strdup(run->file);
		d->point = calloc(n + 1, sizeof(*d->point));
		d->trip = calloc(trips + 1, sizeof(*d->trip));
		d->extra = json_incref(run->extra);
	}
	if (d == NULL || name == NULL || d->name == NULL || d->file == NULL || d->point == NULL ||
	    d->trip == NULL || (both && borrow_tcp(d, run) != 0) ||
	    pace_head_from_json(&d->head, d->extra) != 0 ||
	    take_failed(d, json_object_get(d->extra, "failed")) != 0) {
		free(name);
		free_run(d);
		return -ENOMEM;
	}
	snprintf(d->name, len, "%s, %s", run->name, trips > 0 ? "TCP" : "down");
	snprintf(name, len, "%s, %s", run->name, trips > 0 ? "UDP" : "up");
	free(run->name);
	run->name = name;
	d->over_tcp = trips > 0;
	d->skipped = run->skipped;
	d->torn = run->torn;
	d->whole = run->whole;
	move_points(d, run);
	*second = d;
	return 0;
}

static int
add_run(struct pace_report_data *b, const char *path, struct pace_err *err)
{
	struct pace_run **more = reallocarray(b->run, b->n + 2, sizeof(struct pace_run *));
	struct pace_run *run = calloc(1, sizeof(*run)), *down = NULL;
	const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
	struct report_data_reading g = { run, pace_point_new(), pace_latency_new(),
	    pace_seen_new() };
	struct pace_result_read read = { .point = add_point, .ctx = &g };
	size_t len = strlen(last);
	int rc;

	if (more != NULL)
		b->run = more;
	if (run != NULL) {
		run->file = strdup(path);
		run->name = malloc(len + 1);
	}
	if (more == NULL || run == NULL || run->file == NULL || run->name == NULL ||
	    g.point == NULL || g.latency == NULL || g.seen == NULL) {
		rc = pace_fail(err, ENOMEM, "read result");
	} else {
		pace_clean(run->name, len + 1, last, len);
		rc = pace_result_read(run->file, &read, err);
	}
	if (rc == 0)
		rc = take_head(run, &read, err);
	if (rc == 0 && split_run(run, &down) != 0)
		rc = pace_fail(err, ENOMEM, "read result");
	pace_point_free(g.point);
	free(g.latency);
	free(g.seen);
	if (rc != 0) {
		free_run(run);
		return rc;
	}
	b->run[b->n++] = run;
	if (down != NULL)
		b->run[b->n++] = down;
	if (down != NULL && down->over_tcp)
		run->other = down;
	else if (b->n < 2 || !b->run[1]->over_tcp)
		b->run[0]->other = b->n == 2 ? b->run[1] : NULL;
	return 0;
}

/* --- the book ----------------------------------------------------------------------------- */

/* Match records and result by the start time of the run. */
static int
add_records(struct pace_report_data *b, const char *path, struct pace_err *err)
{
	struct pace_record_file file, *more;
	int rc = pace_record_file_load(path, &file, err);

	if (rc != 0)
		return rc;
	more = reallocarray(b->records, b->record_files + 1, sizeof(*more));
	if (more == NULL) {
		pace_record_file_free(&file);
		return pace_fail(err, ENOMEM, "read records");
	}
	b->records = more;
	b->records[b->record_files++] = file;
	for (size_t i = 0; i < b->n; i++)	/* growing the list may have moved them */
		for (size_t k = 0; k < b->record_files; k++)
			if (strcmp(b->run[i]->head.r.started, b->records[k].started) == 0)
				b->run[i]->records = &b->records[k];
	for (size_t i = 0; i < b->n; i++)
		if (b->run[i]->records == &b->records[b->record_files - 1])
			return 0;
	pace_record_file_free(&b->records[--b->record_files]);
	return pace_failf(err, EPROTO, "read records",
	    "%s: frame records of none of the results before it", path);
}

int
pace_report_data_add(struct pace_report_data *b, const char *path, struct pace_err *err)
{
	char magic[8] = "";
	struct stat st;
	/* a pipe can be read once only, so it is a result */
	bool regular = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	FILE *f = regular ? fopen(path, "re") : NULL;
	bool records = f != NULL && fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
	    memcmp(magic, "UDPACER1", sizeof(magic)) == 0;

	if (f != NULL)
		fclose(f);
	return records ? add_records(b, path, err) : add_run(b, path, err);
}

void
pace_report_data_free(struct pace_report_data *b)
{
	for (size_t i = 0; i < b->n; i++)
		free_run(b->run[i]);
	for (size_t i = 0; i < b->record_files; i++)
		pace_record_file_free(&b->records[i]);
	free(b->run);
	free(b->records);
	memset(b, 0, sizeof(*b));
}

bool
pace_run_has_delays(const struct pace_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].rx.has_owd)
			return true;
	return false;
}

bool
pace_run_has_sweep(const struct pace_run *r)
{
	const double first = r->n > 0 ? pace_params_spacing_ns(&r->point[0].ask) : NAN;

	for (size_t i = 1; i < r->n; i++)
		if (pace_params_spacing_ns(&r->point[i].ask) != first)
			return true;
	for (size_t i = 0; i < r->failures && r->n > 0; i++)
		if (r->failed[i].spacing_ns != first)
			return true;
	return false;
}

bool
pace_run_is_down(const struct pace_run *r)
{
	return r->tcp_down || (r->n > 0 && r->point[0].ask.direction == PACE_DOWN);
}

bool
pace_run_has_records(const struct pace_run *r, const struct pace_record_run *one)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->point[i].index == one->point)
			return true;
	return false;
}

double
pace_stream_point_wire_bytes(const struct pace_stream_point *l)
{
	const struct pace_link link = { .family = l->ipv6 ? 6 : 4 };

	if (l->tx.user_rate_bps > 0 && l->tx.wire_rate_bps > 0)
		return l->ask.size_bytes * l->tx.wire_rate_bps / l->tx.user_rate_bps;
	return (double)pace_wire_bytes(&link, l->ask.size_bytes);
}

double
pace_run_line_bps(const struct pace_run *r)
{
	int64_t ours = 0, theirs = 0, mbps;
	bool one = pace_host_knows(&r->head.r.client, PACE_FACT_SPEED_MBPS, &ours) && ours > 0;
	bool two = r->head.r.has_responder &&
	    pace_host_knows(&r->head.r.responder, PACE_FACT_SPEED_MBPS, &theirs) && theirs > 0;

	if (!one && !two)
		return 0;
	mbps = !two || (one && ours < theirs) ? ours : theirs;
	return (double)mbps * 1e6;
}
