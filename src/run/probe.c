#include "config.h"

#include "run/probe.h"

#include <signal.h>
#include <stdlib.h>

#include "doc/params.h"
#include "doc/point_doc.h"
#include "opt/opt.h"
#include "out/csv.h"
#include "out/dispersion_text.h"
#include "out/repeats_text.h"
#include "proto/msg.h"
#include "run/feed.h"
#include "run/point_control.h"
#include "run/probe_own.h"
#include "run/stop.h"

#define IDLE_NS		INT64_C(5000000000)

/* --- how a stream is written ----------------------------------------------- */

struct pace_throughput_plan {
	struct pace_link link;
	const struct pace_params *asks;
	size_t		n;
	struct pace_rows rows;
};

static json_t *
to_json(const void *point)
{
	return pace_point_to_json(point);
}

static int
csv_point(FILE *f, const void *point)
{
	return pace_csv_point(f, point);
}

static int
head(FILE *f, const struct pace_result *r, const void *plan, bool utf8)
{
	const struct pace_throughput_plan *t = plan;

	return pace_text_head(f, r, &t->link, t->asks, t->n, utf8);
}

static int
row_head(FILE *f, const void *plan, bool utf8)
{
	return pace_text_row_head(f, &((const struct pace_throughput_plan *)plan)->rows, utf8);
}

static int
row(FILE *f, const void *plan, const void *point, bool utf8)
{
	return pace_text_row(f, &((const struct pace_throughput_plan *)plan)->rows, point, utf8);
}

static int
block(FILE *f, const void *point, bool detail, bool utf8)
{
	return pace_text_point(f, point, detail, utf8);
}

static const struct pace_sink_kind throughput_kind = { to_json, pace_csv_head, csv_point,
    head, row_head, row, block };

/* --- before the first frame ------------------------------------------------ */

/* --fit: those sizes are left out that the path does not take. */
static int
fit_sizes(struct probe *p, uint32_t most, int mtu)
{
	struct pace_probe_cfg *cfg = &p->own_cfg;
	size_t kept = 0;

	for (size_t i = 0; i < cfg->n; i++)
		if (cfg->asks[i].size_bytes <= most)
			cfg->asks[kept++] = cfg->asks[i];
	if (kept == 0) {
		pace_complain("--fit: no size fits the path MTU of %d bytes (at most %u bytes with "
		    "IPv%d)", mtu, most, p->peer.addr.family);
		return PACE_EXIT_USAGE;
	}
	if (kept < cfg->n && !cfg->peer.quiet)
		pace_notice("--fit: %zu of %zu points do not fit the path MTU of %d bytes and "
		    "are left out", cfg->n - kept, cfg->n, mtu);
	if (kept < cfg->n)
		pace_note(&p->result.notes, "sizes_left_out", "%zu of %zu points do not fit the "
		    "path MTU of %d bytes", cfg->n - kept, cfg->n, mtu);
	cfg->n = kept;
	return PACE_EXIT_OK;
}

/* Sizes that the path does not take whole are refused before anything leaves. */
static int
check_sizes(struct probe *p, struct pace_link *link)
{
	int mtu = pace_sock_mtu(&p->peer.sock, p->peer.addr.family);
	uint32_t most;

	*link = (struct pace_link){ .family = p->peer.addr.family, .vlan_tags = p->cfg->vlan_tags,
	    .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	most = pace_payload_max(link);
	if (mtu > 0 && most < PACE_HELLO_SIZE && !p->cfg->peer.fragment) {
		pace_complain("the path MTU of %d bytes has no room for udpace's control frames "
		    "of %d bytes", mtu, PACE_HELLO_SIZE);
		if (p->cfg->peer.has_fragment)
			pace_hint("--fragment to send them in pieces");
		return PACE_EXIT_NO_RESULT;
	}
	if (mtu > 0 && p->cfg->fit && fit_sizes(p, most, mtu) != PACE_EXIT_OK)
		return PACE_EXIT_USAGE;
	for (size_t i = 0; i < p->cfg->n && !p->cfg->peer.fragment && mtu > 0; i++) {
		if (p->cfg->asks[i].size_bytes <= most)
			continue;
		if (!p->cfg->size_given) {
			pace_params_fit(&p->cfg->asks[i], most);	/* a default fits any path */
			continue;
		}
		pace_complain("--size: '%u' does not fit the path MTU of %d bytes "
		    "(at most %u bytes with IPv%d)", p->cfg->asks[i].size_bytes, mtu,
		    most, p->peer.addr.family);
		pace_hint("a smaller --size, or --fragment to send it in pieces");
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

static int
status_of(const struct probe *p)
{
	if (pace_stop != 0)
		return pace_stop_status();
	if (p->done == 0)
		return PACE_EXIT_NO_RESULT;
	if (p->failed > 0 || p->sink.failed || (p->cfg->guide == NULL && p->done < p->cfg->n))
		return PACE_EXIT_PARTIAL;
	if (p->cfg->guide != NULL)
		return p->cfg->guide->status(p->cfg->ctx);
	return p->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

/* The plan as it was made. */
static void
follow_plan(struct probe *p)
{
	struct pace_point *last = NULL;

	for (size_t i = 0; i < p->cfg->n; i++) {
		if (p->journal != NULL && p->journal->line[i] != -1)
			continue;
		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0)
			break;
		p->ask = p->cfg->asks[i];
		if (!pace_probe_point(p, i, &last))
			break;
	}
	pace_point_free(last);
}

/* A plan that is made on the way. */
static void
follow_guide(struct probe *p)
{
	const struct pace_probe_guide *guide = p->cfg->guide;
	struct pace_point *last = NULL;

	guide->idle(p->cfg->ctx, &p->peer.client, &p->result.notes, p->cfg->peer.quiet);
	for (size_t i = 0; guide->next(p->cfg->ctx, last, &p->ask); i++) {
		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0 || !pace_probe_point(p, i, &last))
			break;
	}
	pace_point_free(last);
}

static void
follow(struct probe *p)
{
	if (p->cfg->energy && pace_client_idle(&p->peer.client, IDLE_NS) < 0)
		return;
	if (p->cfg->guide != NULL)
		follow_guide(p);
	else
		follow_plan(p);
}

static void
measure_all(struct probe *p)
{
	p->peer.client.progress = &p->show.progress;
	p->peer.waiting = &p->show.waiting;
	if (p->done + p->skipped == p->cfg->n)
		return;			/* a run that only had to be told */
	if (pace_peer_connect(&p->peer, &p->result) < 0)
		return;
	if (pace_probe_journal_begin(p))
		follow(p);
	pace_client_close(&p->peer.client);
}

/* --dry-run: the same words as before a run, and nothing more. */
static int
tell_plan(struct probe *p, const struct pace_throughput_plan *plan)
{
	for (size_t i = 0; p->cfg->guide == NULL && i < plan->n; i++)
		pace_feed_cost(pace_params_cost_ns(&plan->asks[i]));
	if (!p->cfg->peer.quiet)
		pace_sink_check(&p->sink, pace_text_head(stdout, &p->result, &plan->link,
		    plan->asks, plan->n, p->sink.utf8));
	return p->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

/* Members of the document that are of all points together. */
static json_t *
members(struct probe *p)
{
	json_t *o = p->cfg->guide != NULL ? p->cfg->guide->extra(p->cfg->ctx) : pace_probe_plan(p);

	if (o != NULL && p->cfg->guide == NULL)
		json_object_update_new(o, pace_dispersions_to_json(&p->dispersion));
	if (o != NULL && p->repeats.n > 0)
		json_object_set_new(o, "repeats", pace_repeats_to_json(&p->repeats));
	if (o != NULL && p->lost != NULL)
		json_object_set(o, "failed", p->lost);
	if (o != NULL && p->skips != NULL)
		json_object_set(o, "skipped", p->skips);
	return o;
}

static void
tell_end(struct probe *p)
{
	const struct pace_probe_guide *guide = p->cfg->guide;

	pace_dispersions_close(&p->dispersion);
	if (guide != NULL)
		guide->conclude(p->cfg->ctx, &p->result.notes);
	if (pace_sink_has_table(&p->sink))
		pace_sink_check(&p->sink, guide != NULL ?
		    guide->tail(p->cfg->ctx, stdout, p->sink.utf8) :
		    pace_dispersions_text(stdout, &p->dispersion, p->sink.utf8));
	if (pace_sink_has_table(&p->sink) && p->repeats.n > 0)
		pace_sink_check(&p->sink, pace_repeats_text(stdout, &p->rows, &p->repeats,
		    p->sink.utf8));
	pace_sink_end(&p->sink, &p->result, members(p));
	if (guide == NULL)
		pace_feed_end();
}

static int
run(struct probe *p)
{
	struct pace_throughput_plan plan;
	const struct pace_probe_guide *guide = p->cfg->guide;
	struct pace_sink_kind kind = throughput_kind;
	int rc = p->cfg->capture == NULL || p->cfg->dry_run ? PACE_EXIT_OK :
	    pace_tx_capture_open(&p->tx_capture, p->cfg->capture);

	if (rc == PACE_EXIT_OK)
		rc = pace_peer_open(&p->peer, &p->cfg->peer);
	if (rc == PACE_EXIT_OK)
		rc = check_sizes(p, &plan.link);
	if (rc != PACE_EXIT_OK)
		return rc;
	plan.asks = p->cfg->asks;
	plan.n = p->cfg->n;
	plan.rows = pace_text_rows(plan.asks, plan.n);
	p->rows = plan.rows;
	p->peer.client.link = plan.link;
	pace_peer_describe(&p->peer, &p->result, guide != NULL ? guide->kind : "throughput",
	    p->cfg->argc, p->cfg->argv);
	if (guide != NULL) {
		kind.head = guide->head;
		kind.row_head = guide->row_head;
		kind.row = guide->row;
		guide->begin(p->cfg->ctx, &plan.link, &p->result.client);
	}
	if (p->cfg->dry_run)
		return tell_plan(p, &plan);
	if (p->tx_capture != NULL)
		rc = pace_tx_capture_begin(p->tx_capture, &p->peer);
	p->peer.client.capture = p->tx_capture != NULL;
	p->journal = p->cfg->journal;
	if (rc == PACE_EXIT_OK && p->journal != NULL)
		rc = pace_probe_journal_take(p);
	if (rc != PACE_EXIT_OK)
		return rc;
	pace_stop_catch();
	pace_sink_begin(&p->sink, &kind, guide != NULL ? p->cfg->ctx : &plan, &p->result, plan.n);
	if (guide == NULL)
		pace_feed_begin(&p->result, plan.asks, plan.n);
	if (p->journal != NULL && !pace_probe_journal_tell(p))
		return PACE_EXIT_NO_RESULT;
	/* the plan comes first, wherever results go */
	if (guide == NULL && plan.n > 1 && !pace_sink_has_table(&p->sink) && !p->cfg->peer.quiet)
		(void)pace_text_head(stderr, &p->result, &plan.link, plan.asks, plan.n, p->sink.utf8);
	measure_all(p);
	p->result.interrupted = pace_stop != 0;
	tell_end(p);
	if (p->cfg->record != NULL && p->done > 0 &&
	    !pace_recorder_write(&p->recorder, p->cfg->record, &p->result))
		p->sink.failed = true;
	pace_probe_journal_end(p);
	return status_of(p);
}

int
pace_probe_run(const struct pace_probe_cfg *cfg)
{
	struct probe *p = calloc(1, sizeof(*p));
	int status;

	if (p == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	p->own_cfg = *cfg;
	p->cfg = &p->own_cfg;
	p->peer.sock.fd = -1;
	status = pace_recorder_check(cfg->record, &cfg->sink);
	if (status == PACE_EXIT_OK && cfg->journal == NULL)
		status = pace_resume_check(&cfg->sink, cfg->n);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&p->sink, &cfg->sink);
	if (status == PACE_EXIT_OK)
		status = run(p);
	pace_tx_capture_close(p->tx_capture);
	pace_sink_close(&p->sink);
	pace_peer_close(&p->peer);
	pace_recorder_free(&p->recorder);
	json_decref(p->lost);
	json_decref(p->skips);
	pace_repeats_free(&p->repeats);
	pace_dispersions_free(&p->dispersion);
	free(p);
	return status;
}
