#include "config.h"

#include "run/probe_own.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "doc/params.h"
#include "doc/point_doc.h"
#include "doc/spread.h"
#include "opt/opt.h"
#include "plat/clock.h"
#include "run/feed.h"
#include "run/judge.h"
#include "run/point_control.h"
#include "run/stop.h"

#define RESTART_NS	INT64_C(1000000000)	/* between two looks for a responder that is gone, */
#define RECOVER_NS	INT64_C(6000000000)	/* which end after so long */

/* How long points have really taken, in what their plan said. */
static double
pace_of(const struct probe *p)
{
	double took[PROBE_PACES];
	size_t n = p->takes < PROBE_PACES ? p->takes : PROBE_PACES;
	struct pace_spread s;

	memcpy(took, p->took, n * sizeof(*took));
	s = pace_spread_of(took, n);
	return s.n > 0 ? s.mid : 1;
}

/* What is left, by that. */
static int64_t
rest_ns(const struct probe *p, size_t i)
{
	double rest = 0;

	for (size_t k = i + 1; p->cfg->guide == NULL && k < p->cfg->n; k++)
		if (p->journal == NULL || p->journal->line[k] == -1)
			rest += (double)pace_params_cost_ns(&p->cfg->asks[k]);
	return (int64_t)fmin(rest * pace_of(p), 9e18);
}

static void
show_begin(struct probe *p, size_t i)
{
	const struct pace_params *a = &p->ask;
	bool guided = p->cfg->guide != NULL;
	int64_t rest = rest_ns(p, i);
	int64_t point = (int64_t)fmin((double)pace_params_cost_ns(a) * pace_of(p), 4e18);

	p->peer.client.rest_ns = rest;
	if (!guided)
		pace_feed_now(a, i, point, rest < INT64_MAX - point ? point + rest : INT64_MAX);
	pace_show_begin(&p->show, guided ? 0 : i, guided ? 1 : p->cfg->n, pace_params_frames(a),
	    pace_params_cost_ns(a), rest, p->cfg->peer.quiet);
}

/* The run, and what a capture saw of it. */
static int
send_point(struct probe *p, struct pace_point *pt, struct pace_err *err)
{
	int rc;

	if (p->tx_capture == NULL)
		return pace_client_point(&p->peer.client, pt, err);
	pace_tx_capture_expect(p->tx_capture, &p->peer.client, &p->ask);
	rc = pace_client_point(&p->peer.client, pt, err);
	if (pt->tx.frames > 0)
		pace_tx_capture_take(p->tx_capture, pt);
	return rc;
}

/* One point, once more when the responder has been restarted. */
static int
measure(struct probe *p, struct pace_point *pt, size_t i, struct pace_err *err)
{
	int64_t began = pace_clock_raw();
	int rc = pace_sock_dscp(&p->peer.sock, p->peer.addr.family, p->ask.dscp);

	pt->ask = p->ask;
	if (rc < 0)
		return pace_fail(err, -rc, "setsockopt(IP_TOS)");
	show_begin(p, i);
	rc = send_point(p, pt, err);
	if (rc == -ESTALE && pt->tx.frames == 0) {
		rc = pace_client_open(&p->peer.client, err);
		if (rc == 0)
			rc = send_point(p, pt, err);
	}
	if (pt->tx.due_wall_ns != 0)
		pace_clock_rfc3339(pt->tx.due_wall_ns, pt->started, sizeof(pt->started));
	pace_show_end(&p->show);
	if (rc == 0)
		p->took[p->takes++ % PROBE_PACES] = (double)(pace_clock_raw() - began) /
		    (double)pace_params_cost_ns(&p->ask);
	return rc;
}

/* After a failed point: is there somebody to measure with?  A responder that is being
 * restarted is there again in a moment; one that was silent for the whole time-out of a
 * request, or once was looked for in vain, is not. */
static bool
recover(struct probe *p, int rc)
{
	struct pace_err err = { .code = 0 };
	int64_t end = pace_clock_raw() + RECOVER_NS;

	if (rc == -EINTR || rc == -EBUSY || rc == -ETIMEDOUT || rc == -ECONNREFUSED || p->gone)
		return false;
	while (pace_clock_raw() < end && pace_stop == 0) {
		if (pace_client_open(&p->peer.client, &err) == 0)
			return true;
		if (err.code != ECONNREFUSED && err.code != ESHUTDOWN)
			break;
		(void)pace_clock_wait_until(pace_clock_raw() + RESTART_NS, 0, NULL, &pace_stop);
	}
	p->gone = true;
	return false;
}

/* Points of a sweep get a second chance; what is told is the last one's. */
static int
measure_twice(struct probe *p, struct pace_point **pt, size_t i, struct pace_err *err)
{
	int rc = measure(p, *pt, i, err);
	struct pace_point *again;
	struct pace_err first = *err;

	/* what the policy refuses once it refuses again */
	if (rc == 0 || p->cfg->n == 1 || rc == -EDQUOT || !recover(p, rc))
		return rc;
	again = pace_point_new();
	if (again == NULL)
		return rc;
	pace_point_free(*pt);
	*pt = again;
	rc = measure(p, again, i, err);
	pace_note(&again->notes, "measured_again", "the first try failed: %s: %s", first.step,
	    pace_err_why(&first));
	return rc;
}

static void
put_ask(struct pace_jw *w, const struct pace_params *a)
{
	pace_jw_count(w, "size_bytes", a->size_bytes);
	pace_jw_put(w, "spacing_ns", pace_spacing_to_json(a->spacing));
	pace_jw_count(w, "dscp", a->dscp);
}

/* It stays in the document that this point is missing, and why. */
static void
keep_lost(struct probe *p, const struct pace_params *a, const struct pace_err *err)
{
	struct pace_jw w = pace_jw_begin();
	const char *why = pace_err_why(err);

	put_ask(&w, a);
	pace_jw_text(&w, "step", err->step);
	pace_jw_text(&w, "reason", why);
	p->lost = pace_js_append(p->lost != NULL ? p->lost : json_array(), w.o);
}

static void
point_failed(struct probe *p, struct pace_point *pt, const struct pace_err *err)
{
	pace_peer_tell(&p->peer, err);
	pace_peer_note(pt->tx.frames > 0 ? &pt->notes : &p->result.notes, err);
	keep_lost(p, &p->ask, err);
	p->failed++;
}

void
pace_probe_tell(struct probe *p, struct pace_point *pt, json_t **json)
{
	if (pt->has_rx)
		p->done++;
	if (pt->has_rx || pt->tx.frames > 0)
		pace_sink_point(&p->sink, pt, json);
	if (p->cfg->guide == NULL && pace_feed_is_on())
		pace_feed_point(pace_sink_json(&p->sink, pt, json));
	p->told += pt->has_rx || pt->tx.frames > 0;
	pace_dispersions_add(&p->dispersion, pt);
	if (pt->ask.repeats > 1)
		(void)pace_repeats_add(&p->repeats, pt);
}

/* What is the matter with it is told on the screen of a campaign, which shows no table. */
static void
tell_notes(const struct probe *p, const struct pace_point *pt)
{
	double ns = pace_params_spacing_ns(&pt->ask);
	char line[400], spacing[40];

	for (int i = 0; p->cfg->guide == NULL && pace_feed_is_on() && i < pt->notes.n; i++) {
		snprintf(line, sizeof(line), "%u B every %s: %s", pt->ask.size_bytes,
		    pace_print(PACE_UNIT_USEC, ns, spacing, sizeof(spacing)), pt->notes.v[i].text);
		pace_feed_notice(line);
	}
}

/* What was measured whole need not be measured again. */
static void
keep_in_journal(struct probe *p, const struct pace_point *pt, size_t i, json_t **json)
{
	if (p->journal != NULL && pt->has_rx && !pt->interrupted)
		pace_resume_add(p->journal, &p->sink, i, pace_sink_json(&p->sink, pt, json));
}

static json_t *
skip_to_json(const struct pace_params *a)
{
	struct pace_jw w = pace_jw_begin();

	put_ask(&w, a);
	if (a->repeats > 1)
		pace_jw_count(&w, "repeat", a->repeat);
	return w.o;
}

/* Without figures, for there are none: also those that were there are of a part of it. */
void
pace_probe_tell_skip(struct probe *p, const struct pace_params *a)
{
	p->skips = pace_js_append(p->skips != NULL ? p->skips : json_array(), skip_to_json(a));
	p->skipped++;
	pace_feed_skipped(skip_to_json(a));
}

static void
skip_point(struct probe *p, size_t i)
{
	char spacing[40];

	if (p->journal != NULL) {
		int rc = pace_journal_skip(p->journal, i, skip_to_json(&p->ask));

		if (rc < 0)
			pace_sink_fail(&p->sink, rc, p->journal->path);
	}
	pace_probe_tell_skip(p, &p->ask);
	pace_notice("%u B every %s: skipped", p->ask.size_bytes, pace_print(PACE_UNIT_USEC,
	    pace_params_spacing_ns(&p->ask), spacing, sizeof(spacing)));
}

/* Others may measure while we stand still. */
static int
stand_still(struct probe *p, struct pace_err *err)
{
	pace_client_close(&p->peer.client);
	pace_point_control_rest();
	return pace_client_open(&p->peer.client, err);
}

/* As measure_twice, but it may be cut short; *skipped: it was.  For a rest that is no more
 * than a new begin: half a stream before it and half behind it are none. */
static int
measure_or_skip(struct probe *p, struct pace_point **pt, size_t i, bool *skipped,
    struct pace_err *err)
{
	bool cut;
	int rc;

	*skipped = false;
	do {
		rc = pace_point_control_rest_due() ? stand_still(p, err) : 0;
		pace_point_control_begin(p->cfg->guide == NULL ? i : PACE_POINT_CONTROL_UNNAMED);
		if (rc == 0)
			rc = measure_twice(p, pt, i, err);
		cut = pace_point_control_end() && rc == -EINTR && pace_stop == 0;
		if (cut && pace_point_control_rest_due()) {
			struct pace_point *again = pace_point_new();

			if (again == NULL)
				return pace_fail(err, ENOMEM, "point");
			pace_point_free(*pt);
			*pt = again;
		}
	} while (cut && pace_point_control_rest_due());
	*skipped = cut;
	return rc;
}

bool
pace_probe_point(struct probe *p, size_t i, struct pace_point **last)
{
	struct pace_point *pt = pace_point_new();
	struct pace_err err = { .code = 0 };
	json_t *json = NULL;
	bool skipped;
	int rc;

	if (pt == NULL) {
		pace_complain("out of memory");
		p->failed++;
		return false;
	}
	rc = measure_or_skip(p, &pt, i, &skipped, &err);
	if (skipped) {
		pace_point_free(pt);
		skip_point(p, i);
		return true;
	}
	if (rc < 0 && rc != -EINTR)
		point_failed(p, pt, &err);
	if (rc == -EDQUOT && p->cfg->guide != NULL)
		p->cfg->guide->refused(p->cfg->ctx, err.text);
	p->unusable |= pace_judge(p->cfg, pt);
	if (pt->has_rx && pt->ask.record.room > 0 &&
	    !pace_recorder_take(&p->recorder, &p->peer, pt, p->told))
		p->failed++;
	keep_in_journal(p, pt, i, &json);
	pace_probe_tell(p, pt, &json);
	json_decref(json);
	tell_notes(p, pt);
	pace_point_free(*last);
	*last = pt;
	if (rc == -EDQUOT)		/* of a plan the other points may be allowed */
		return p->cfg->guide == NULL && i + 1 < p->cfg->n;
	return rc == 0 || (i + 1 < p->cfg->n && recover(p, rc));
}
