#include "config.h"

#include "cli/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cut.h"
#include "cli/follow.h"
#include "cli/judge.h"
#include "cli/opt.h"
#include "cli/progress.h"
#include "cli/recorder.h"
#include "cli/resume.h"
#include "cli/stop.h"
#include "cli/wiretap.h"
#include "core/schedule.h"
#include "core/units.h"
#include "doc/ask.h"
#include "doc/dispersion_doc.h"
#include "doc/js.h"
#include "doc/point_doc.h"
#include "doc/repeats.h"
#include "out/csv.h"
#include "out/dispersion_text.h"
#include "out/repeats_text.h"
#include "out/text.h"
#include "plat/clock.h"
#include "session/msg.h"

#define IDLE_NS		INT64_C(5000000000)
#define RESTART_NS	INT64_C(1000000000)	/* between two looks for a responder that is gone, */
#define RECOVER_NS	INT64_C(6000000000)	/* which end after so long */
#define PACES		64		/* points that tell how long the others will take */

/* All that one call of the program holds. */
struct probe {
	const struct pace_probe_cfg *cfg;	/* own */
	struct pace_probe_cfg own_cfg;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	struct pace_ask	ask;		/* of the point that is measured */
	struct pace_rows rows;
	size_t		done;		/* points with a result */
	size_t		told;		/* points in the document */
	size_t		failed;		/* points without */
	bool		unusable;	/* a figure, or a limit was missed */
	bool		gone;		/* the responder */
	struct pace_journal *journal;	/* the next one, or that of a run that goes on */
	struct pace_journal own;
	json_t		*lost;		/* points that could not be measured, and why */
	json_t		*skips;		/* points that were not to be, and so many */
	size_t		skipped;
	struct pace_repeats repeats;
	double		took[PACES];	/* of the time that was planned */
	size_t		takes;
	struct pace_recorder recorder;
	struct pace_wiretap *wiretap;	/* NULL: no capture is wanted */
	struct pace_dispersions dispersion;
};

/* --- how a stream is written ------------------------------------------------------- */

struct pace_throughput_plan {
	struct pace_link link;
	const struct pace_ask *asks;
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

/* --- before the first frame --------------------------------------------------------- */

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
			p->cfg->asks[i].size_bytes = most;	/* a default fits any path */
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

/* --- the points ----------------------------------------------------------------------- */

/* How long points have really taken, in what their plan said. */
static double
pace_of(const struct probe *p)
{
	double took[PACES];
	size_t n = p->takes < PACES ? p->takes : PACES;
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
			rest += (double)pace_ask_cost_ns(&p->cfg->asks[k]);
	return (int64_t)fmin(rest * pace_of(p), 9e18);
}

static void
show_begin(struct probe *p, size_t i)
{
	const struct pace_ask *a = &p->ask;
	bool guided = p->cfg->guide != NULL;
	int64_t rest = rest_ns(p, i);
	int64_t point = (int64_t)fmin((double)pace_ask_cost_ns(a) * pace_of(p), 4e18);

	p->peer.client.rest_ns = rest;
	if (!guided)
		pace_follow_now(a, i, point, rest < INT64_MAX - point ? point + rest : INT64_MAX);
	pace_show_begin(&p->show, guided ? 0 : i, guided ? 1 : p->cfg->n, pace_ask_frames(a),
	    pace_ask_cost_ns(a), rest, p->cfg->peer.quiet);
}

/* The run, and what a capture saw of it. */
static int
send_point(struct probe *p, struct pace_point *pt, struct pace_err *err)
{
	int rc;

	if (p->wiretap == NULL)
		return pace_client_point(&p->peer.client, pt, err);
	pace_wiretap_expect(p->wiretap, &p->peer.client, &p->ask);
	rc = pace_client_point(&p->peer.client, pt, err);
	if (pt->tx.frames > 0)
		pace_wiretap_take(p->wiretap, pt);
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
	pace_clock_rfc3339(pt->started, sizeof(pt->started));
	show_begin(p, i);
	rc = send_point(p, pt, err);
	if (rc == -ESTALE && pt->tx.frames == 0) {
		rc = pace_client_open(&p->peer.client, err);
		if (rc == 0)
			rc = send_point(p, pt, err);
	}
	pace_show_end(&p->show);
	if (rc == 0)
		p->took[p->takes++ % PACES] = (double)(pace_clock_raw() - began) /
		    (double)pace_ask_cost_ns(&p->ask);
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

	if (rc == -EINTR || rc == -EBUSY || rc == -ETIMEDOUT || p->gone)
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
	    first.text[0] != '\0' ? first.text : strerror(first.code));
	return rc;
}

static void
put_ask(struct pace_jw *w, const struct pace_ask *a)
{
	pace_jw_count(w, "size_bytes", a->size_bytes);
	pace_jw_put(w, "spacing_ns", pace_spacing_to_json(a->spacing));
	pace_jw_count(w, "dscp", a->dscp);
}

/* It stays in the document that this point is missing, and why. */
static void
keep_lost(struct probe *p, const struct pace_ask *a, const struct pace_err *err)
{
	struct pace_jw w = pace_jw_begin();
	const char *why = err->text[0] != '\0' ? err->text : strerror(err->code);

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

static void
tell_point(struct probe *p, struct pace_point *pt)
{
	if (pt->has_rx)
		p->done++;
	if (pt->has_rx || pt->tx.frames > 0)
		pace_sink_point(&p->sink, pt);
	if (p->cfg->guide == NULL && pace_follow_is_on())
		pace_follow_point(pace_point_to_json(pt));
	p->told += pt->has_rx || pt->tx.frames > 0;
	pace_dispersions_add(&p->dispersion, pt);
	if (pt->ask.repeats > 1)
		(void)pace_repeats_add(&p->repeats, pt);
}

/* What is the matter with it is told on the screen of a campaign, which shows no table. */
static void
tell_notes(const struct probe *p, const struct pace_point *pt)
{
	double ns = pace_ask_spacing_ns(&pt->ask);
	char line[400], spacing[40];

	for (int i = 0; p->cfg->guide == NULL && pace_follow_is_on() && i < pt->notes.n; i++) {
		snprintf(line, sizeof(line), "%u B every %s: %s", pt->ask.size_bytes,
		    pace_print(PACE_UNIT_USEC, ns, spacing, sizeof(spacing)), pt->notes.v[i].text);
		pace_follow_notice(line);
	}
}

/* What was measured whole need not be measured again. */
static void
keep_in_journal(struct probe *p, const struct pace_point *pt, size_t i)
{
	if (p->journal != NULL && pt->has_rx && !pt->interrupted)
		pace_resume_add(p->journal, &p->sink, i, pace_point_to_json(pt));
}

static json_t *
skip_to_json(const struct pace_ask *a)
{
	struct pace_jw w = pace_jw_begin();

	put_ask(&w, a);
	if (a->repeats > 1)
		pace_jw_count(&w, "repeat", a->repeat);
	return w.o;
}

/* Without figures, for there are none: also those that were there are of a part of it. */
static void
tell_skip(struct probe *p, const struct pace_ask *a)
{
	p->skips = pace_js_append(p->skips != NULL ? p->skips : json_array(), skip_to_json(a));
	p->skipped++;
	pace_follow_skipped(skip_to_json(a));
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
	tell_skip(p, &p->ask);
	pace_notice("%u B every %s: skipped", p->ask.size_bytes, pace_print(PACE_UNIT_USEC,
	    pace_ask_spacing_ns(&p->ask), spacing, sizeof(spacing)));
}

/* Others may measure while we stand still. */
static int
stand_still(struct probe *p, struct pace_err *err)
{
	pace_client_close(&p->peer.client);
	pace_cut_rest();
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
		rc = pace_cut_rest_due() ? stand_still(p, err) : 0;
		pace_cut_begin(p->cfg->guide == NULL ? i : PACE_CUT_UNNAMED);
		if (rc == 0)
			rc = measure_twice(p, pt, i, err);
		cut = pace_cut_end() && rc == -EINTR && pace_stop == 0;
		if (cut && pace_cut_rest_due()) {
			struct pace_point *again = pace_point_new();

			if (again == NULL)
				return pace_fail(err, ENOMEM, "point");
			pace_point_free(*pt);
			*pt = again;
		}
	} while (cut && pace_cut_rest_due());
	*skipped = cut;
	return rc;
}

/* False: there is no sense in going on.  *last: what was measured, NULL: nothing;
 * freed by the caller. */
static bool
one_point(struct probe *p, size_t i, struct pace_point **last)
{
	struct pace_point *pt = pace_point_new();
	struct pace_err err = { .code = 0 };
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
	keep_in_journal(p, pt, i);
	tell_point(p, pt);
	tell_notes(p, pt);
	pace_point_free(*last);
	*last = pt;
	if (rc == -EDQUOT)		/* of a plan the other points may be allowed */
		return p->cfg->guide == NULL && i + 1 < p->cfg->n;
	return rc == 0 || (i + 1 < p->cfg->n && recover(p, rc));
}

/* --- a run that goes on ------------------------------------------------------------------ */

/* Spacings come back from a document to 1 part in 10^12. */
static bool
is_same_ask(const struct pace_ask *a, const struct pace_ask *b)
{
	uint64_t apart = a->spacing > b->spacing ? a->spacing - b->spacing : b->spacing - a->spacing;

	return a->size_bytes == b->size_bytes && apart <= 4 + a->spacing / 1000000000 &&
	    a->dscp == b->dscp && a->repeat == b->repeat && a->count == b->count &&
	    a->duration_ns == b->duration_ns && a->train == b->train;
}

/* Tell a point of the journal as if it had just been measured. */
static bool
tell_again(struct probe *p, struct pace_point *pt, size_t i)
{
	json_t *j = pace_journal_point(p->journal, i);
	int rc = j != NULL ? pace_point_from_json(pt, j) : -EPROTO;

	json_decref(j);
	if (rc == 0 && is_same_ask(&pt->ask, &p->cfg->asks[i])) {
		pt->ask.spacing = p->cfg->asks[i].spacing;	/* not the document's rounded one */
		p->unusable |= pace_judge(p->cfg, pt);
		tell_point(p, pt);
		return true;
	}
	pace_complain("--resume: %s: its point %zu %s", p->journal->path, i,
	    rc < 0 ? "is damaged" : "is not that of its command line");
	return false;
}

static bool
tell_journal(struct probe *p)
{
	struct pace_point *pt = pace_point_new();
	bool good = pt != NULL;

	for (size_t i = 0; good && i < p->cfg->n; i++)
		if (p->journal->line[i] >= 0)
			good = tell_again(p, pt, i);
		else if (p->journal->line[i] == PACE_JOURNAL_SKIPPED)
			tell_skip(p, &p->cfg->asks[i]);
	pace_point_free(pt);
	return good;
}

static int
go_on(struct probe *p)
{
	if (p->journal->planned != p->cfg->n) {
		pace_complain("--resume: %s is of %zu points, its command line makes %zu",
		    p->journal->path, p->journal->planned, p->cfg->n);
		return PACE_EXIT_NO_RESULT;
	}
	pace_resume_head(&p->result, p->journal);
	return PACE_EXIT_OK;
}

/* Is a journal wanted, and is there none?  Records are in memory until the end: a run
 * that keeps them cannot go on. */
static bool
wants_journal(const struct probe *p)
{
	return p->journal == NULL && p->cfg->order != NULL && p->cfg->record == NULL &&
	    pace_journal_wanted(p->cfg->sink.output, p->cfg->n);
}

static json_t *
plan_members(const struct probe *p)
{
	return p->cfg->order != NULL ? json_pack("{s:O}", "order", p->cfg->order) : json_object();
}

/* False: there is no sense in measuring. */
static bool
begin_journal(struct probe *p)
{
	if (!wants_journal(p))
		return true;
	if (!pace_resume_begin(&p->own, &p->sink, &p->result, plan_members(p), p->cfg->n))
		return false;
	if (p->own.f != NULL)
		p->journal = &p->own;
	return true;
}

static void
end_journal(struct probe *p)
{
	bool whole = p->done + p->skipped == p->cfg->n && p->failed == 0 && !p->sink.failed &&
	    pace_stop == 0;

	if (p->cfg->guide == NULL)
		pace_cut_tell(p->skipped, whole);
	if (p->journal != NULL && p->skipped > 0 && whole)
		pace_resume_skipped(p->journal, p->cfg->argv[1]);
	else if (p->journal != NULL)
		pace_resume_end(p->journal, whole, p->cfg->argv[1]);
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
		if (pace_cut_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0)
			break;
		p->ask = p->cfg->asks[i];
		if (!one_point(p, i, &last))
			break;
	}
	pace_point_free(last);
}

/* A plan that is made on the way. */
static void
follow_guide(struct probe *p)
{
	struct pace_point *last = NULL;

	for (size_t i = 0; p->cfg->guide->next(p->cfg->ctx, last, &p->ask); i++) {
		if (pace_cut_last && pace_stop == 0)
			pace_stop = SIGINT;
		if (pace_stop != 0 || !one_point(p, i, &last))
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
	if (begin_journal(p))
		follow(p);
	pace_client_close(&p->peer.client);
}

/* --dry-run: the same words as before a run, and nothing more. */
static int
tell_plan(struct probe *p, const struct pace_throughput_plan *plan)
{
	for (size_t i = 0; p->cfg->guide == NULL && i < plan->n; i++)
		pace_follow_cost(pace_ask_cost_ns(&plan->asks[i]));
	if (!p->cfg->peer.quiet)
		pace_sink_check(&p->sink, pace_text_head(stdout, &p->result, &plan->link,
		    plan->asks, plan->n, p->sink.utf8));
	return p->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

/* Members of the document that are of all points together. */
static json_t *
members(struct probe *p)
{
	json_t *o = p->cfg->guide != NULL ? p->cfg->guide->extra(p->cfg->ctx) : plan_members(p);

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
	if (pace_sink_has_table(&p->sink))
		pace_sink_check(&p->sink, guide != NULL ?
		    guide->tail(p->cfg->ctx, stdout, p->sink.utf8) :
		    pace_dispersions_text(stdout, &p->dispersion, p->sink.utf8));
	if (pace_sink_has_table(&p->sink) && p->repeats.n > 0)
		pace_sink_check(&p->sink, pace_repeats_text(stdout, &p->rows, &p->repeats,
		    p->sink.utf8));
	pace_sink_end(&p->sink, &p->result, members(p));
	if (guide == NULL)
		pace_follow_end();
}

static int
run(struct probe *p)
{
	struct pace_throughput_plan plan;
	const struct pace_probe_guide *guide = p->cfg->guide;
	struct pace_sink_kind kind = throughput_kind;
	int rc = p->cfg->capture == NULL || p->cfg->dry_run ? PACE_EXIT_OK :
	    pace_wiretap_open(&p->wiretap, p->cfg->capture);

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
	if (p->wiretap != NULL)
		rc = pace_wiretap_begin(p->wiretap, &p->peer);
	p->peer.client.capture = p->wiretap != NULL;
	p->journal = p->cfg->journal;
	if (rc == PACE_EXIT_OK && p->journal != NULL)
		rc = go_on(p);
	if (rc != PACE_EXIT_OK)
		return rc;
	pace_stop_catch();
	pace_sink_begin(&p->sink, &kind, guide != NULL ? p->cfg->ctx : &plan, &p->result, plan.n);
	if (guide == NULL)
		pace_follow_begin(&p->result, plan.asks, plan.n);
	if (p->journal != NULL && !tell_journal(p))
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
	end_journal(p);
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
	pace_wiretap_close(p->wiretap);
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
