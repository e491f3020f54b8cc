#include "config.h"

#include "report/report_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/rates.h"
#include "core/wire.h"
#include "doc/capture_doc.h"
#include "doc/clock_doc.h"
#include "doc/latency_doc.h"
#include "doc/point_doc.h"
#include "doc/result_read.h"

/* --- copying ------------------------------------------------------------------------ */

struct copy {
	struct pace_bins *to;
	const struct pace_hist *from;
};

static int
copy_all(const struct copy *c, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = pace_bins_copy(c[i].to, c[i].from);
	return rc;
}

#define COPY_ALL(c)	copy_all(c, sizeof(c) / sizeof((c)[0]))

static int
copy_notes(struct pace_remarks *to, const struct pace_notes *from)
{
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
copy_tx(struct pace_stream_point_tx *to, const struct pace_tx *t)
{
	const struct copy copies[] = {
		{ &to->gap, &t->gap }, { &to->gap_error, &t->gap_error },
		{ &to->stack, &t->stack },
	};

	to->frames = t->frames;
	to->bytes = t->bytes;
	to->late_frames = t->late_frames;
	to->refused = t->refused;
	to->slips = t->slips;
	to->skipped = t->skipped;
	to->preempted = t->preempted;
	to->duration_ns = t->duration_ns;
	to->user_rate_bps = t->user_rate_bps;
	to->wire_rate_bps = t->wire_rate_bps;
	to->stamp = t->stamp;
	return COPY_ALL(copies);
}

static int
copy_rx(struct pace_stream_point_rx *to, const struct pace_rx_result *r)
{
	const struct copy copies[] = {
		{ &to->gap, &r->gap }, { &to->gap_error, &r->gap_error },
		{ &to->runs, &r->runs }, { &to->distances, &r->distances },
		{ &to->good_runs, &r->good_runs }, { &to->extent, &r->extent },
		{ &to->late_ns, &r->late_ns }, { &to->owd, &r->owd },
		{ &to->owd_scheduled, &r->owd_scheduled }, { &to->pdv, &r->pdv },
		{ &to->ipdv, &r->ipdv },
	};

	to->frames = r->frames;
	to->unique = r->unique;
	to->bytes = r->bytes;
	to->duplicates = r->duplicates;
	to->corrupt = r->corrupt;
	to->socket_drops = r->socket_drops;
	to->lost = r->lost;
	to->reordered = r->reordered;
	to->beyond_window = r->beyond_window;
	to->window = r->window;
	to->free_runs = r->free_runs;
	to->free_sum = r->free_sum;
	to->free_sumsq = r->free_sumsq;
	to->duration_ns = r->duration_ns;
	to->user_rate_bps = r->user_rate_bps;
	to->wire_rate_bps = r->wire_rate_bps;
	to->rcvbuf_granted = r->rcvbuf_granted;
	to->stamp = r->stamp;
	to->has_owd = r->has_owd;
	to->jitter_ns = r->jitter_ns;
	return COPY_ALL(copies);
}

static uint64_t
busy_ns(const struct pace_core_use *u)
{
	uint64_t ns = 0;

	for (int i = 0; i < PACE_CPUS; i++)
		if (i != PACE_CPU_IDLE && i != PACE_CPU_IOWAIT)
			ns += u->ns[i];
	return ns;
}

/* The arrays of *c are taken. */
static void
take_load(struct pace_host_load *to, struct pace_counters *c)
{
	to->cores = c->cores;
	to->has_busiest = c->known && c->has_cpu && c->cores > 0;
	for (uint32_t i = 0; i < c->cores; i++)
		if (i == 0 || busy_ns(&c->core[i]) > busy_ns(&to->busiest))
			to->busiest = c->core[i];
	free(c->core);
	c->core = NULL;
	c->cores = 0;
	to->c = *c;
	memset(c, 0, sizeof(*c));
}

static void
take_origin(struct pace_origin *o, const json_t *j)
{
	const json_t *dscp = json_object_get(j, "dscp"), *repeat = json_object_get(j, "repeat");
	struct pace_jr r = { .o = j };

	if (json_is_string(json_object_get(j, "started")))
		pace_jr_text(&r, "started", o->started, sizeof(o->started));
	if (json_is_integer(repeat) && json_integer_value(repeat) >= 0)
		o->repeat = (uint64_t)json_integer_value(repeat);
	o->dscp = -1;
	if (json_is_integer(dscp) && json_integer_value(dscp) >= 0 &&
	    json_integer_value(dscp) < 64)
		o->dscp = (int)json_integer_value(dscp);
}

/* --- points ------------------------------------------------------------------------- */

/* What points are read into. */
struct report_data_reading {
	struct pace_run	*run;
	struct pace_point *point;
	struct pace_latency *latency;
	struct pace_seen *seen;
	size_t	leaf_room, trip_room, clock_room;
};

/* One more, zeroed, at the end of *list of n; NULL: no memory. */
static void *
grow(void *list, size_t n, size_t *room, size_t size)
{
	void **at = list, *more;

	if (n == *room) {
		*room = *room > 0 ? 2 * *room : 16;
		more = reallocarray(*at, *room, size);
		if (more == NULL)
			return NULL;
		*at = more;
	}
	return memset((char *)*at + n * size, 0, size);
}

static void
free_leaf(struct pace_stream_point *l)
{
	struct pace_bins *all[] = {
		&l->tx.gap, &l->tx.gap_error, &l->tx.stack,
		&l->rx.gap, &l->rx.gap_error, &l->rx.runs, &l->rx.distances,
		&l->rx.good_runs, &l->rx.extent, &l->rx.late_ns, &l->rx.owd,
		&l->rx.owd_scheduled, &l->rx.pdv, &l->rx.ipdv,
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		pace_bins_free(all[i]);
	pace_counters_free(&l->ours.c);
	pace_counters_free(&l->theirs.c);
	free(l->remarks.v);
}

static void
free_trip(struct pace_rtt_point *t)
{
	pace_bins_free(&t->rtt);
	pace_bins_free(&t->kernel);
	pace_bins_free(&t->network);
	pace_bins_free(&t->residence);
	free(t->remarks.v);
}

static int
add_leaf(struct report_data_reading *g, struct pace_point *p, const json_t *j, size_t index)
{
	struct pace_run *run = g->run;
	struct pace_stream_point *l = grow(&run->point, run->n, &g->leaf_room, sizeof(*l));
	struct pace_notes notes;
	int rc;

	if (l == NULL)
		return -ENOMEM;
	run->n++;
	l->ask = p->ask;
	take_origin(&l->origin, j);
	l->index = index;
	l->verdict = p->verdict;
	l->interrupted = p->interrupted;
	l->has_rx = p->has_rx;
	l->ipv6 = p->ipv6;
	l->owd_relative = p->owd_relative;
	l->ledger = p->ledger;
	l->clock = p->clock;
	pace_point_notes(p, &notes);
	rc = copy_tx(&l->tx, &p->tx);
	if (rc == 0 && p->has_rx)
		rc = copy_rx(&l->rx, &p->rx);
	take_load(&l->ours, &p->ours);
	take_load(&l->theirs, &p->theirs);
	return rc == 0 ? copy_notes(&l->remarks, &notes) : rc;
}

static int
take_leaf(struct report_data_reading *g, const json_t *j, size_t index)
{
	int rc;

	if (g->point == NULL)
		g->point = pace_point_new();
	if (g->point == NULL)
		return -ENOMEM;
	rc = pace_point_from_json(g->point, j);
	return rc == 0 ? add_leaf(g, g->point, j, index) : rc;
}

static void
name_seen(struct pace_stream_point *l, const struct pace_seen *s)
{
	const char *open = s->ip == 6 ? "[" : "", *shut = s->ip == 6 ? "]" : "";

	/* longer ones are cut */
	if (snprintf(l->name, sizeof(l->name), "%s %s%s%s:%u > %s%s%s:%u%s%s", s->format, open,
	    s->source, shut, s->source_port, open, s->destination, shut, s->destination_port,
	    s->streams > 1 ? " #" : "", s->streams > 1 ? s->stream : "") < 0)
		l->name[0] = '\0';
}

static int
add_seen(struct report_data_reading *g, const struct pace_seen *s, const json_t *j, size_t index)
{
	struct pace_run *run = g->run;
	struct pace_stream_point *l = grow(&run->point, run->n, &g->leaf_room, sizeof(*l));
	int rc;

	if (l == NULL)
		return -ENOMEM;
	run->n++;
	run->seen = true;
	take_origin(&l->origin, j);
	l->origin.dscp = (int)s->dscp;
	l->index = index;
	l->ask.size_bytes = s->size_max;
	l->has_rx = true;
	l->ipv6 = s->ip == 6;
	l->numbered = s->numbered;
	l->heaped = s->heaps.any && !s->numbered;
	l->heap_frames = s->heaps.frames_missing;
	l->heap_ratio = s->heaps.frame_loss_ratio;
	name_seen(l, s);
	l->tx.frames = s->rx.unique + s->rx.lost;
	rc = copy_rx(&l->rx, &s->rx);
	return rc == 0 ? copy_notes(&l->remarks, &s->notes) : rc;
}

static int
take_seen(struct report_data_reading *g, const json_t *j, size_t index)
{
	int rc;

	if (g->seen == NULL)
		g->seen = pace_seen_new();
	if (g->seen == NULL)
		return -ENOMEM;
	rc = pace_seen_from_json(g->seen, j);
	return rc == 0 ? add_seen(g, g->seen, j, index) : rc;
}

static int
add_trip(struct report_data_reading *g, const struct pace_latency *p, const json_t *j, size_t index)
{
	struct pace_run *run = g->run;
	struct pace_rtt_point *t = grow(&run->trip, run->trips, &g->trip_room, sizeof(*t));
	const struct copy copies[] = {
		{ t != NULL ? &t->rtt : NULL, &p->rtt },
		{ t != NULL ? &t->kernel : NULL, &p->kernel },
		{ t != NULL ? &t->network : NULL, &p->network },
		{ t != NULL ? &t->residence : NULL, &p->residence },
	};
	int rc;

	if (t == NULL)
		return -ENOMEM;
	run->trips++;
	t->ask = p->ask;
	take_origin(&t->origin, j);
	t->index = index;
	t->verdict = p->verdict;
	t->interrupted = p->interrupted;
	t->sent = p->sent;
	t->refused = p->refused;
	t->received = p->received;
	t->timeouts = p->timeouts;
	t->late_replies = p->late_replies;
	t->duplicates = p->duplicates;
	t->late_requests = p->late_requests;
	t->unstamped = p->unstamped;
	t->duration_ns = p->duration_ns;
	rc = COPY_ALL(copies);
	return rc == 0 ? copy_notes(&t->remarks, &p->notes) : rc;
}

static int
take_trip(struct report_data_reading *g, const json_t *j, size_t index)
{
	int rc;

	if (g->latency == NULL)
		g->latency = pace_latency_new();
	if (g->latency == NULL)
		return -ENOMEM;
	rc = pace_latency_from_json(g->latency, j);
	return rc == 0 ? add_trip(g, g->latency, j, index) : rc;
}

static int
take_clock(struct report_data_reading *g, const json_t *j)
{
	struct pace_run *run = g->run;
	struct pace_clock *k = grow(&run->clock, run->clocks, &g->clock_room, sizeof(*k));
	int rc = k == NULL ? -ENOMEM : pace_clock_from_json(k, j);

	run->clocks += rc == 0;
	return rc;
}

/* Of a later version, or a kind that has no figures. */
static int
take_strange(struct report_data_reading *g)
{
	g->run->strange++;
	return 0;
}

/* Its members tell of what kind it is. */
static int
take_point(const json_t *j, size_t index, void *ctx, struct pace_err *err)
{
	struct report_data_reading *g = ctx;
	int rc;

	if (json_object_get(j, "tx") != NULL)
		rc = take_leaf(g, j, index);
	else if (json_object_get(j, "rtt_ns") != NULL)
		rc = take_trip(g, j, index);
	else if (json_object_get(j, "exchanges") != NULL)
		rc = take_clock(g, j);
	else if (json_object_get(j, "flow") != NULL)
		rc = take_seen(g, j, index);
	else
		rc = take_strange(g);
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
	for (size_t i = 0; i < run->n; i++)
		free_leaf(&run->point[i]);
	for (size_t i = 0; i < run->trips; i++)
		free_trip(&run->trip[i]);
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

static struct pace_run *
new_run(const char *path)
{
	struct pace_run *run = calloc(1, sizeof(*run));
	const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
	size_t len = strlen(last);

	if (run == NULL)
		return NULL;
	run->file = strdup(path);
	run->name = malloc(len + 1);
	if (run->file == NULL || run->name == NULL) {
		free_run(run);
		return NULL;
	}
	pace_clean(run->name, len + 1, last, len);
	return run;
}

static int
add_run(struct pace_report_data *b, struct pace_run *run, struct pace_err *err)
{
	struct report_data_reading g = { .run = run };
	struct pace_result_read r = { .point = take_point, .ctx = &g };
	struct pace_run **more;
	int rc = pace_result_read(run->file, &r, err);

	pace_point_free(g.point);
	free(g.latency);
	free(g.seen);
	if (rc == 0)
		rc = take_head(run, &r, err);
	if (rc != 0)
		return rc;
	more = reallocarray(b->run, b->n + 1, sizeof(struct pace_run *));
	if (more == NULL)
		return pace_fail(err, ENOMEM, "read result");
	b->run = more;
	b->run[b->n++] = run;
	return 0;
}

/* --- the book ----------------------------------------------------------------------------- */

static bool
is_records(const char *path)
{
	char magic[8] = "";
	FILE *f = strcmp(path, "-") == 0 ? NULL : fopen(path, "re");
	bool is;

	if (f == NULL)
		return false;
	is = fread(magic, 1, sizeof(magic), f) == sizeof(magic) &&
	    memcmp(magic, "UDPACER1", sizeof(magic)) == 0;
	fclose(f);
	return is;
}

/* Records and result say when the run began. */
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
	for (size_t i = 0; i < b->n; i++)	/* they may have moved */
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
	struct pace_run *run;
	int rc;

	if (is_records(path))
		return add_records(b, path, err);
	run = new_run(path);
	if (run == NULL)
		return pace_fail(err, ENOMEM, "read result");
	rc = add_run(b, run, err);
	if (rc != 0)
		free_run(run);
	return rc;
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
