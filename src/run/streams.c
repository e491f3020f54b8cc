#include "config.h"

#include "run/streams.h"


#include "doc/params.h"
#include "doc/point_doc.h"
#include "opt/opt.h"
#include "out/conclusions_text.h"
#include "out/csv.h"
#include "out/send_text.h"
#include "out/streams_text.h"
#include "out/sweep_text.h"
#include "proto/msg.h"
#include "run/feed.h"
#include "run/streams_own.h"

/* --- output of a stream ---------------------------------------------------- */

static int
head(FILE *f, const struct pace_result *r, const struct streams *s, bool utf8)
{
	return pace_text_head(f, r, &s->link, s->cfg.asks, s->cfg.n, utf8);
}

static int
row_head(FILE *f, const struct streams *s, bool utf8)
{
	return pace_text_row_head(f, &s->rows, utf8);
}

static int
row(FILE *f, const struct streams *s, const struct pace_point *pt, bool utf8)
{
	int rc = pace_text_row(f, &s->rows, pt, utf8);

	if (rc == 0)
		rc = pace_streams_text(f, pt, PACE_STREAMS_LINE, utf8);
	return rc;
}

PACE_SINK_LIST_KIND(streams_sink, pace_point_head_to_json, pace_point_list, pace_csv_head,
    pace_csv_point, pace_csv_short, head, row_head, row, pace_text_point);

static int
send_head(FILE *f, const struct pace_result *r, const struct streams *s, bool utf8)
{
	return pace_send_text_head(f, r, &s->link, s->cfg.asks, s->cfg.n, &s->cfg.send->doc, utf8);
}

static int
send_row_head(FILE *f, const struct streams *s, bool utf8)
{
	return pace_send_text_row_head(f, &s->rows, utf8);
}

static int
send_row(FILE *f, const struct streams *s, const struct pace_point *pt, bool utf8)
{
	return pace_send_text_row(f, &s->rows, pt, utf8);
}

PACE_SINK_LIST_KIND(send_sink, pace_point_head_to_json, pace_point_list, pace_csv_head,
    pace_csv_point, pace_csv_short, send_head, send_row_head, send_row, pace_text_point);

/* --- before the first frame ------------------------------------------------ */

/* --fit-mtu: omit sizes that the path does not carry. */
static int
fit_sizes(struct pace_probe *p, struct pace_streams_cfg *cfg, uint32_t most)
{
	unsigned int mtu = p->peer.client.link.mtu;
	size_t kept = 0;

	for (size_t i = 0; i < cfg->n; i++)
		if (cfg->asks[i].size_bytes <= most)
			cfg->asks[kept++] = cfg->asks[i];
	if (kept == 0) {
		pace_complain("--fit-mtu: no size fits the path MTU of %u bytes (at most %u bytes "
		    "with IPv%d)", mtu, most, p->peer.addr.family);
		return PACE_EXIT_USAGE;
	}
	if (kept < cfg->n && !cfg->probe.peer.quiet)
		pace_notice("--fit-mtu: %zu of %zu points %s not fit the path MTU of %u bytes and "
		    "%s omitted", cfg->n - kept, cfg->n, cfg->n - kept == 1 ? "does" : "do", mtu,
		    cfg->n - kept == 1 ? "is" : "are");
	if (kept < cfg->n)
		pace_note(&p->result.notes, "sizes_left_out", "%zu of %zu points %s not fit the "
		    "path MTU of %u bytes", cfg->n - kept, cfg->n, cfg->n - kept == 1 ? "does" : "do",
		    mtu);
	cfg->n = kept;
	return PACE_EXIT_OK;
}

/* Reject sizes that the path does not carry unfragmented, before anything is sent. */
static int
check_sizes(struct pace_probe *p, struct pace_streams_cfg *cfg)
{
	const struct pace_link *link = &p->peer.client.link;
	uint32_t most = pace_payload_max(link);

	if (cfg->send != NULL && !cfg->size_given)
		most = pace_send_fit(cfg->send, most);
	if (most == 0) {
		pace_complain("the path MTU of %u bytes has no room for a frame of this format",
		    link->mtu);
		return PACE_EXIT_NO_RESULT;
	}
	if (cfg->send == NULL && !pace_peer_has_room(&cfg->probe.peer, link))
		return PACE_EXIT_NO_RESULT;
	if (cfg->fit && fit_sizes(p, cfg, most) != PACE_EXIT_OK)
		return PACE_EXIT_USAGE;
	for (size_t i = 0; i < cfg->n && !cfg->probe.peer.fragment; i++) {
		if (cfg->asks[i].size_bytes <= most)
			continue;
		if (!cfg->size_given) {
			pace_params_fit(&cfg->asks[i], most);	/* reduce the default size to fit
								 * the path */
			continue;
		}
		pace_complain("--size: '%u' does not fit the path MTU of %u bytes "
		    "(at most %u bytes with IPv%d)", cfg->asks[i].size_bytes, link->mtu,
		    most, p->peer.addr.family);
		pace_hint("use a smaller --size, or --fragment to send it as fragments");
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

/* Open the captures while the process still has its initial privileges.  All points have the same
 * directions. */
static int
open_captures(struct pace_probe *p)
{
	struct streams *s = p->ctx;
	const struct pace_params *a = s->cfg.asks;
	int rc = PACE_EXIT_OK;

	if (s->cfg.capture == NULL || p->cfg->dry_run)
		return rc;
	if (pace_params_goes_up(a))
		rc = pace_tx_capture_open(&s->tx_capture, s->cfg.capture);
	if (rc == PACE_EXIT_OK && pace_params_goes_down(a))
		rc = pace_run_capture_open(&s->rx_capture, s->cfg.capture,
		    PACE_TX_CAPTURE_BYTES, PACE_TX_CAPTURE_RIGHTS);
	return rc;
}

/* Begin them. */
static int
begin_captures(struct pace_probe *p)
{
	struct streams *s = p->ctx;
	struct pace_client *c = &p->peer.client;
	uint32_t streams = 1;
	int rc = PACE_EXIT_OK;

	for (size_t i = 0; i < s->cfg.n; i++)
		if (s->cfg.asks[i].streams > streams)
			streams = s->cfg.asks[i].streams;
	if (s->tx_capture != NULL)
		rc = pace_tx_capture_begin(s->tx_capture, &p->peer, streams);
	if (rc == PACE_EXIT_OK && s->rx_capture != NULL)
		rc = pace_run_capture_aim(s->rx_capture, p->peer.addr.port, &p->peer.addr);
	if (rc == PACE_EXIT_OK && s->rx_capture != NULL)
		rc = pace_run_capture_start(s->rx_capture);
	c->capture = s->tx_capture != NULL || s->rx_capture != NULL;
	c->hook = pace_run_capture_hook(s->rx_capture);
	return rc;
}

static int
prepare(struct pace_probe *p)
{
	struct streams *s = p->ctx;
	int mtu = pace_sock_mtu(&p->peer.sock, p->peer.addr.family), rc;

	s->link = (struct pace_link){ .family = p->peer.addr.family,
	    .vlan_tags = s->cfg.vlan_tags, .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	p->peer.client.link = s->link;
	if (s->cfg.capture != NULL && p->cfg->peer.packet &&
	    strcmp(s->cfg.capture, p->peer.counting.route) == 0) {
		pace_complain("--capture %s and --engine packet exclude each other: a capture on this "
		    "host does not see what goes to the driver at once", s->cfg.capture);
		return PACE_EXIT_USAGE;
	}
	rc = mtu > 0 ? check_sizes(p, &s->cfg) : PACE_EXIT_OK;
	if (rc == PACE_EXIT_OK && s->cfg.send != NULL)
		rc = pace_send_check(s->cfg.send, &p->peer, s->cfg.asks, s->cfg.n);
	if (s->cfg.send != NULL)
		p->peer.client.framing = pace_send_framing(s->cfg.send);
	s->rows = pace_text_rows(s->cfg.asks, s->cfg.n);
	s->rows.flags = &s->flags;
	p->n = s->cfg.guide == NULL ? s->cfg.n : 0;
	return rc;
}

static int
begin(struct pace_probe *p)
{
	struct streams *s = p->ctx;

	if (begin_captures(p) != PACE_EXIT_OK)
		return PACE_EXIT_NO_RESULT;
	if (s->cfg.guide != NULL) {
		s->cfg.guide->begin(s->cfg.ctx, &s->link, &p->result.client);
		return PACE_EXIT_OK;
	}
	pace_feed_begin(&p->result, s->cfg.asks, s->cfg.n);
	/* print the plan first, also if stdout has no table */
	if ((p->n > 1 || s->cfg.send != NULL) && !pace_sink_has_table(&p->sink) &&
	    !p->cfg->peer.quiet)
		(void)p->kind->sink->head(stderr, &p->result, s, p->sink.utf8);
	return PACE_EXIT_OK;
}

static int64_t
cost_ns(const struct pace_probe *p, size_t i)
{
	return pace_params_cost_ns(&((const struct streams *)p->ctx)->cfg.asks[i]);
}

/* --- the plan ------------------------------------------------------------------ */

static bool
ready(struct pace_probe *p)
{
	const struct pace_streams_cfg *cfg = &((struct streams *)p->ctx)->cfg;

	if (pace_streams_idle(p) < 0)
		return false;
	if (cfg->guide != NULL)
		cfg->guide->idle(cfg->ctx, &p->peer.client, &p->result.notes, p->cfg->peer.quiet);
	return true;
}

static bool
next(struct pace_probe *p, size_t i)
{
	struct streams *s = p->ctx;

	if (s->cfg.guide != NULL)
		return s->cfg.guide->next(s->cfg.ctx, s->last, &s->ask);
	if (i < p->n)
		s->ask = s->cfg.asks[i];
	return i < p->n;
}

/* --- the end ------------------------------------------------------------------- */

static json_t *
end(struct pace_probe *p)
{
	struct streams *s = p->ctx;
	bool table = pace_sink_has_table(&p->sink);
	json_t *o;

	pace_dispersions_close(&s->dispersion);
	s->conclusions.failed_points = json_array_size(s->lost);
	s->conclusions.skipped = json_array_size(s->skips);
	pace_conclusions_close(&s->conclusions);
	if (table && p->n > 1 && s->written > 0)
		pace_sink_check(&p->sink, s->cfg.send != NULL ?
		    pace_send_text_row_foot(stdout, &s->flags, p->sink.utf8) :
		    pace_text_row_foot(stdout, &s->flags, p->sink.utf8));
	if (s->cfg.guide != NULL) {
		o = s->cfg.guide->end(s->cfg.ctx, p);
	} else {
		if (table)
			pace_sink_check(&p->sink, pace_dispersions_text(stdout, &s->dispersion,
			    p->sink.utf8));
		o = s->members != NULL ? json_copy(s->members) : json_object();
		if (o != NULL)
			json_object_update_new(o, s->cfg.send != NULL ?
			    pace_send_to_json(&s->cfg.send->doc) :
			    pace_dispersions_to_json(&s->dispersion));
	}
	if (table && s->written > 0 && s->cfg.send == NULL && (p->n > 1 || s->cfg.guide != NULL))
		pace_sink_check(&p->sink, pace_conclusions_text(stdout, &s->conclusions,
		    s->cfg.guide == NULL ? "conclusions" : NULL, p->sink.utf8));
	if (table && s->repeats.n > 0)
		pace_sink_check(&p->sink, pace_repeats_text(stdout, &s->rows, &s->repeats,
		    p->sink.utf8));
	if (o != NULL && s->repeats.n > 0)
		json_object_set_new(o, "repeats", pace_repeats_to_json(&s->repeats));
	if (o != NULL && s->lost != NULL)
		json_object_set(o, "failed", s->lost);
	if (o != NULL && s->skips != NULL)
		json_object_set(o, "skipped", s->skips);
	return o;
}

static void
close_files(struct pace_probe *p)
{
	struct streams *s = p->ctx;

	if (s->cfg.guide == NULL)
		pace_feed_end();
	if (s->cfg.record != NULL && p->done > 0 &&
	    !pace_recorder_write(&s->recorder, s->cfg.record, &p->result))
		p->sink.failed = true;
}

static int
status_of(const struct pace_probe *p, int status)
{
	const struct pace_streams_cfg *cfg = &((const struct streams *)p->ctx)->cfg;

	return cfg->guide != NULL && (status == PACE_EXIT_OK || status == PACE_EXIT_NOT_USABLE) ?
	    cfg->guide->status(cfg->ctx) : status;
}

int
pace_streams_run(const struct pace_streams_cfg *cfg)
{
	const struct pace_streams_guide *guide = cfg->guide;
	const struct pace_probe_kind kind = { .name = guide != NULL ? guide->name :
	    cfg->send != NULL ? "send" : "throughput",
	    .sink = guide != NULL ? guide->sink : cfg->send != NULL ? &send_sink : &streams_sink,
	    .counts = "frames sent",
	    .open = open_captures,
	    .prepare = prepare, .cost_ns = cost_ns, .begin = begin, .again = pace_streams_again,
	    .skip = pace_streams_skip, .ready = ready, .next = next, .point = pace_streams_point,
	    .renew = pace_streams_renew, .measure = pace_streams_measure, .end = end,
	    .close = close_files, .status = status_of };
	struct streams s = { .cfg = *cfg, .members = cfg->probe.members };
	int status = PACE_EXIT_OK;

	pace_conclusions_begin(&s.conclusions);
	if (cfg->record != NULL && (pace_sink_writes_to(&cfg->probe.sink, "record", cfg->record) ||
	    pace_sink_may_write("record", cfg->record, cfg->probe.sink.force) != 0))
		status = PACE_EXIT_USAGE;
	/* records stay in memory until the end, so a run that keeps them cannot be resumed */
	if (cfg->record != NULL)
		s.cfg.probe.members = NULL;
	if (status == PACE_EXIT_OK)
		status = pace_probe_run(&s.cfg.probe, &kind, &s, guide != NULL ? cfg->plan : &s,
		    cfg->n);
	pace_tx_capture_close(s.tx_capture);
	pace_run_capture_close(s.rx_capture);
	pace_recorder_free(&s.recorder);
	pace_point_free(s.point);
	pace_point_free(s.last);
	json_decref(s.lost);
	json_decref(s.skips);
	pace_repeats_free(&s.repeats);
	pace_dispersions_free(&s.dispersion);
	if (cfg->clean != NULL)
		*cfg->clean = s.conclusions.clean[PACE_UP];
	pace_conclusions_free(&s.conclusions);
	return status;
}
