#include "config.h"

#include "run/probe.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "opt/opt.h"
#include "run/feed.h"
#include "run/point_control.h"
#include "run/resume.h"
#include "run/stop.h"

/* --- a point ----------------------------------------------------------------- */

int64_t
pace_probe_show(struct pace_probe *p, size_t i, uint64_t all, int64_t cost_ns)
{
	double rest = 0;

	for (size_t k = i + 1; k < p->n; k++)
		if (p->journal == NULL || p->journal->line[k] == -1)
			rest += (double)p->kind->cost_ns(p, k);
	p->peer.client.rest_ns = (int64_t)fmin(rest * p->pace, 9e18);
	pace_show_begin(&p->show, p->n > 0 ? i : 0, p->n > 0 ? p->n : 1, all,
	    (int64_t)fmin((double)cost_ns * p->pace, 4e18), p->peer.client.rest_ns,
	    p->cfg->peer.quiet);
	return p->peer.client.rest_ns;
}

int
pace_probe_measure(struct pace_probe *p, size_t i, size_t name, bool *skipped, struct pace_err *err)
{
	int rc;

	do {
		*skipped = false;
		if (!p->kind->renew(p))
			return pace_fail(err, ENOMEM, "point");
		rc = 0;
		if (pace_point_control_rest_due()) {	/* others may measure during the rest */
			pace_client_close(&p->peer.client);
			pace_point_control_rest();
			rc = pace_client_open(&p->peer.client, err);
		}
		pace_point_control_begin(name);
		if (rc == 0)
			rc = p->kind->measure(p, i, err);
		*skipped = pace_point_control_end() && rc == -EINTR && pace_stop == 0;
	} while (*skipped && pace_point_control_rest_due());
	return rc;
}

void
pace_probe_failed(struct pace_probe *p, struct pace_notes *notes, const struct pace_err *err)
{
	pace_peer_tell(&p->peer, err);
	pace_peer_note(notes, err);
	p->failed++;
}

/* --- the journal ------------------------------------------------------------- */

/* Write the points of the journal; they are not measured again. */
static bool
tell_journal(struct pace_probe *p)
{
	bool good = true;

	if (p->kind->skip == NULL)
		pace_journal_unskip(p->journal);
	for (size_t i = 0; good && i < p->n; i++) {
		if (p->journal->line[i] >= 0) {
			json_t *point = pace_journal_point(p->journal, i);

			good = p->kind->again(p, i, point);
			json_decref(point);
		} else if (p->journal->line[i] == PACE_JOURNAL_SKIPPED) {
			p->kind->skip(p, i);
		}
	}
	return good;
}

/* Begin a journal if the run keeps one.  False: do not measure. */
static bool
begin_journal(struct pace_probe *p)
{
	if (p->journal != NULL || p->cfg->members == NULL ||
	    !pace_journal_wanted(p->cfg->sink.output, p->n))
		return true;
	if (!pace_resume_begin(&p->own, &p->sink, &p->result, json_incref(p->cfg->members), p->n))
		return false;
	if (p->own.f != NULL)
		p->journal = &p->own;
	return true;
}

/* --- the run ------------------------------------------------------------------- */

static void
follow(struct pace_probe *p)
{
	for (size_t i = 0; p->kind->next != NULL ? p->kind->next(p, i) : i < p->n; i++) {
		if (p->journal != NULL && p->journal->line[i] != -1)
			continue;
		if (pace_point_control_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0 || !p->kind->point(p, i))
			break;
	}
}

static void
measure_all(struct pace_probe *p)
{
	bool complete = p->n > 0 && p->done + p->skipped == p->n;	/* in the journal */
	bool connected = !complete && pace_peer_connect(&p->peer, &p->result) == 0;

	if (p->kind->late && (connected || !pace_sink_has_table(&p->sink)))	/* no empty table */
		pace_sink_begin(&p->sink, p->kind->sink, p->plan, &p->result, p->n);
	if (connected && begin_journal(p) && (p->kind->ready == NULL || p->kind->ready(p)))
		follow(p);
	if (connected)
		pace_client_close(&p->peer.client);
}

/* --dry-run: print the head of a run and stop. */
static int
tell_plan(struct pace_probe *p)
{
	for (size_t i = 0; i < p->n; i++)
		pace_feed_cost(p->kind->cost_ns(p, i));
	if (!p->cfg->peer.quiet)
		pace_sink_check(&p->sink, p->kind->sink->head(stdout, &p->result, p->plan,
		    p->sink.utf8));
	return p->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

/* Close the journal: removed if no point is missing, else with a message how to continue.
 * Returns the exit status. */
static int
finish(struct pace_probe *p)
{
	bool whole = p->done + p->skipped == p->n && p->failed == 0 && !p->sink.failed &&
	    pace_stop == 0;

	if (p->n > 0)
		pace_point_control_report(p->skipped, whole);
	if (p->journal != NULL)
		pace_resume_end(p->journal, whole, p->kind->name);
	if (pace_stop != 0)
		return pace_stop_status();
	if (p->done == 0)
		return PACE_EXIT_NO_RESULT;
	if (p->failed > 0 || p->sink.failed || p->done < p->n)
		return PACE_EXIT_PARTIAL;
	return p->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

/* Prepare everything before the first frame: an exit status. */
static int
prepare(struct pace_probe *p)
{
	const struct pace_probe_cfg *cfg = p->cfg;
	const struct pace_probe_kind *kind = p->kind;
	int rc = kind->open != NULL ? kind->open(p) : PACE_EXIT_OK;

	if (rc == PACE_EXIT_OK)
		rc = pace_peer_open(&p->peer, &cfg->peer);
	if (rc == PACE_EXIT_OK && kind->prepare != NULL)
		rc = kind->prepare(p);
	if (rc != PACE_EXIT_OK)
		return rc;
	p->peer.client.progress = &p->show.progress;
	p->peer.waiting = &p->show.waiting;
	p->show.counts = kind->counts;
	pace_peer_describe(&p->peer, &p->result, kind->name, cfg->argc, cfg->argv);
	p->journal = cfg->dry_run ? NULL : cfg->sink.journal;
	if (p->journal != NULL && p->journal->planned != p->n) {
		pace_complain("--resume: %s has %zu points, but its command line makes %zu",
		    p->journal->path, p->journal->planned, p->n);
		return PACE_EXIT_NO_RESULT;
	}
	if (p->journal != NULL) {	/* the head of the first part stays */
		memcpy(p->result.started, p->journal->head.r.started, sizeof(p->result.started));
		p->result.responder = p->journal->head.r.responder;
		p->result.has_responder = p->journal->head.r.has_responder;
		pace_note(&p->result.notes, "resumed", "the run was interrupted after %zu of %zu "
		    "points and continued later", p->journal->done, p->journal->planned);
	}
	return !cfg->dry_run && kind->begin != NULL ? kind->begin(p) : PACE_EXIT_OK;
}

static int
run(struct pace_probe *p)
{
	int rc = prepare(p);

	if (rc != PACE_EXIT_OK)
		return rc;
	if (p->cfg->dry_run)
		return tell_plan(p);
	pace_stop_catch();
	if (!p->kind->late)
		pace_sink_begin(&p->sink, p->kind->sink, p->plan, &p->result, p->n);
	if (p->journal != NULL && !tell_journal(p))
		return PACE_EXIT_NO_RESULT;
	measure_all(p);
	p->result.interrupted = pace_stop != 0;
	pace_sink_end(&p->sink, &p->result, p->kind->end != NULL ? p->kind->end(p) : NULL);
	if (p->kind->close != NULL)
		p->kind->close(p);
	rc = finish(p);
	return p->kind->status != NULL ? p->kind->status(p, rc) : rc;
}

/* A dry run has no results for these options: print an error. */
static bool
lacks_results(const struct pace_sink_cfg *s)
{
	const char *option = s->json ? "json" : s->csv ? "csv" : s->csv_short ? "csv-short" :
	    s->jsonl != NULL ? "jsonl" : NULL;

	if (option != NULL) {
		pace_complain("--%s and --dry-run exclude each other: a dry run has no results",
		    option);
		pace_hint("without --%s, --dry-run prints the plan as text", option);
	}
	return option != NULL;
}

int
pace_probe_run(const struct pace_probe_cfg *cfg, const struct pace_probe_kind *kind, void *ctx,
    const void *plan, size_t n)
{
	struct pace_probe *p = calloc(1, sizeof(*p));
	int status = PACE_EXIT_OK;

	if (p == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	if (cfg->dry_run && lacks_results(&cfg->sink))
		status = PACE_EXIT_USAGE;
	p->cfg = cfg;
	p->kind = kind;
	p->ctx = ctx;
	p->plan = plan;
	p->n = n;
	p->pace = 1;
	p->peer.sock.fd = -1;
	if (status == PACE_EXIT_OK && cfg->sink.journal == NULL)
		status = pace_resume_check(&cfg->sink, n);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&p->sink, &cfg->sink);
	if (status == PACE_EXIT_OK)
		status = run(p);
	pace_sink_close(&p->sink);
	pace_peer_close(&p->peer);
	free(p);
	return status;
}
