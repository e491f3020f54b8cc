#include "config.h"

#include "run/streams_own.h"

#include <errno.h>
#include <string.h>

#include "core/units.h"
#include "doc/js.h"
#include "doc/params.h"
#include "doc/point_doc.h"
#include "doc/spread.h"
#include "opt/opt.h"
#include "out/say.h"
#include "out/streams_text.h"
#include "out/text.h"
#include "plat/clock.h"
#include "run/feed.h"
#include "run/point_control.h"
#include "run/resume.h"
#include "run/stop.h"

/* Interval of the attempts to reach a responder that is gone, and their total time. */
#define RESTART_NS	INT64_C(1000000000)
#define RECOVER_NS	INT64_C(6000000000)
#define IDLE_NS		INT64_C(5000000000)

/* Update the factor between measured and planned time from the points so far. */
static void
learn_pace(struct pace_probe *p, double took)
{
	struct streams *s = p->ctx;
	double sorted[STREAMS_PACES];
	size_t n;

	s->took[s->takes++ % STREAMS_PACES] = took;
	n = s->takes < STREAMS_PACES ? s->takes : STREAMS_PACES;
	memcpy(sorted, s->took, n * sizeof(*sorted));
	p->pace = pace_spread_of(sorted, n).mid;
}

static void
show_begin(struct pace_probe *p, size_t i)
{
	struct streams *s = p->ctx;
	const struct pace_params *a = &s->ask;
	int64_t point, rest;

	s->intervals.sink = &p->sink;
	s->intervals.quiet = p->cfg->peer.quiet;
	pace_live_intervals_set(&s->intervals, s->point, s->written, &p->peer.client, &p->show);
	rest = pace_probe_show(p, i, pace_params_frames(a), pace_params_cost_ns(a));
	point = p->show.point_ns;
	if (p->n > 0)
		pace_feed_now(a, i, point, rest < INT64_MAX - point ? point + rest : INT64_MAX);
}

int
pace_streams_idle(struct pace_probe *p)
{
	struct streams *s = p->ctx;

	if (!s->cfg.energy || s->idle == p->peer.client.session)
		return 0;
	s->idle = p->peer.client.session;
	return pace_client_idle(&p->peer.client, IDLE_NS);
}

/* Run the stream; also take the frames that a capture saw. */
static int
send_point(struct pace_probe *p, struct pace_point *pt, struct pace_err *err)
{
	struct streams *s = p->ctx;
	int rc;

	if (pace_streams_idle(p) < 0)
		return pace_fail(err, EINTR, "idle");
	if (s->tx_capture == NULL)
		return pace_client_point(&p->peer.client, pt, err);
	pace_tx_capture_expect(s->tx_capture, &p->peer.client, &s->ask);
	rc = pace_client_point(&p->peer.client, pt, err);
	if (pt->tx.frames > 0)
		pace_tx_capture_take(s->tx_capture, pt);
	return rc;
}

/* Measure one point, a second time if the responder was restarted. */
static int
measure(struct pace_probe *p, size_t i, struct pace_err *err)
{
	struct streams *s = p->ctx;
	struct pace_point *pt = s->point;
	int64_t began = pace_clock_raw();
	int rc = pace_sock_mark(&p->peer.sock, p->peer.addr.family, s->ask.dscp,
	    s->ask.ecn);

	pt->ask = s->ask;
	p->peer.client.last_point = i + 1 == p->n;
	if (s->cfg.send != NULL)
		pace_send_next(s->cfg.send, &s->ask);
	if (rc < 0)
		return pace_fail(err, -rc, "setsockopt(IP_TOS)");
	show_begin(p, i);
	rc = send_point(p, pt, err);
	if (rc == -ESTALE && pt->tx.frames == 0) {
		rc = pace_client_open(&p->peer.client, err);
		if (rc == 0)
			rc = send_point(p, pt, err);
	}
	if (p->peer.cfg.start_at_ns != 0 && i == 0)
		pace_clock_rfc3339(p->peer.cfg.start_at_ns, pt->begin.start_at,
		    sizeof(pt->begin.start_at));
	for (struct pace_point *q = pt; q != NULL; q = q->back)
		if (q->tx.due_wall_ns != 0)
			pace_clock_rfc3339(q->tx.due_wall_ns, q->started, sizeof(q->started));
	pace_show_end(&p->show);
	if (rc == 0)
		learn_pace(p, (double)(pace_clock_raw() - began) /
		    (double)pace_params_cost_ns(&s->ask));
	return rc;
}

/* Is a responder there after a failed point?  A restarting responder answers again soon.
 * One that did not answer a request in time, or was not found once, is taken as gone. */
static bool
recover(struct pace_probe *p, int rc)
{
	struct streams *s = p->ctx;
	struct pace_err err = { .code = 0 };
	int64_t end = pace_clock_raw() + RECOVER_NS;

	if (rc == -EINTR || rc == -EBUSY || rc == -ETIMEDOUT || rc == -ECONNREFUSED || s->gone)
		return false;
	while (pace_clock_raw() < end && pace_stop == 0) {
		if (pace_client_open(&p->peer.client, &err) == 0)
			return true;
		if (err.code != ECONNREFUSED && err.code != ESHUTDOWN)
			break;
		(void)pace_clock_wait_until(pace_clock_raw() + RESTART_NS, 0, NULL, &pace_stop);
	}
	s->gone = true;
	return false;
}

bool
pace_streams_renew(struct pace_probe *p)
{
	struct streams *s = p->ctx;

	pace_point_free(s->point);
	s->point = pace_point_new();
	return s->point != NULL;
}

/* A failed point of a sweep is measured once more; the second result counts. */
int
pace_streams_measure(struct pace_probe *p, size_t i, struct pace_err *err)
{
	const struct streams *s = p->ctx;
	int rc = measure(p, i, err);
	struct pace_err first = *err;

	/* a policy that refused a point refuses it again */
	if (rc == 0 || s->cfg.n == 1 || rc == -EDQUOT || !recover(p, rc))
		return rc;
	if (!pace_streams_renew(p))
		return pace_fail(err, ENOMEM, "point");
	rc = measure(p, i, err);
	pace_note(&s->point->notes, "measured_again", "the first attempt failed: %s: "
	    "%s", first.step,
	    pace_err_why(&first));
	return rc;
}

static struct pace_jw
ask_to_json(const struct pace_params *a)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "size_bytes", a->size_bytes);
	pace_jw_put(&w, "spacing_ns", pace_spacing_to_json(a->spacing));
	pace_jw_count(&w, "dscp", a->dscp);
	if (a->streams > 1)
		pace_jw_count(&w, "streams_asked", a->streams);
	return w;
}

/* Record in the document that this point is missing, with the reason. */
static void
point_failed(struct pace_probe *p, const struct pace_err *err)
{
	struct streams *s = p->ctx;
	struct pace_jw w = ask_to_json(&s->ask);

	pace_probe_failed(p, s->point->tx.frames > 0 ? &s->point->notes : &p->result.notes, err);
	pace_jw_text(&w, "step", err->step);
	pace_jw_text(&w, "reason", pace_err_why(err));
	s->lost = pace_js_append(s->lost != NULL ? s->lost : json_array(), w.o);
}

/* Add a point with a result to the document, the table and the conclusions.  json: as for
 * pace_sink_point. */
static void
tell(struct pace_probe *p, struct pace_point *pt, json_t **json)
{
	struct streams *s = p->ctx;
	struct pace_point_facts facts;

	if (pt->has_rx || pt->tx.frames > 0)
		pace_sink_point(&p->sink, pt, json);
	for (uint32_t i = 0; s->cfg.per_stream && pt->streams != NULL && i < pt->ask.streams; i++)
		pace_sink_csv(&p->sink, pt->streams[i]);
	if (s->cfg.per_stream && pt->tx.frames > 0 && pace_sink_has_table(&p->sink))
		pace_sink_check(&p->sink, pace_streams_text(stdout, pt, PACE_STREAMS_EACH,
		    p->sink.utf8));
	s->written += pt->has_rx || pt->tx.frames > 0;
	if (!pt->ask.two_way)		/* one queue may hold both streams */
		pace_dispersions_add(&s->dispersion, pt);
	pace_point_facts(&facts, pt);
	pace_conclusions_add(&s->conclusions, &facts);
	if (pt->ask.repeats > 1)
		(void)pace_repeats_add(&s->repeats, pt);
}

/* The same for each direction.  The screen of a campaign gets the one that lost more. */
static void
tell_all(struct pace_probe *p, struct pace_point *pt, json_t **json)
{
	const struct pace_point *worst = pt;
	json_t *back = NULL;

	p->done += pt->has_rx || (pt->ask.no_receiver && pt->tx.frames > 0);
	tell(p, pt, json);
	if (pt->back != NULL) {
		tell(p, pt->back, &back);
		if (pt->back->rx.lost > pt->rx.lost)
			worst = pt->back;
	}
	if (p->n > 0 && pace_feed_is_on())
		pace_feed_point(pace_sink_json(&p->sink, worst, worst == pt ? json : &back));
	json_decref(back);
}

/* Return a point's line of the journal, without its streams; the down stream of a two-way run is its
 * member. */
static json_t *
journal_line(struct pace_probe *p, const struct pace_point *pt, json_t **json)
{
	json_t *up = pace_sink_json(&p->sink, pt, json), *line;

	if (pt->back == NULL)
		return up;
	line = json_copy(up);
	json_decref(up);
	if (line != NULL)
		json_object_set_new(line, "down", pace_point_to_json(pt->back));
	return line;
}

/* Send the point's notes to the screen of a campaign, which shows no table. */
static void
tell_notes(const struct pace_point *pt)
{
	char line[400], name[PACE_POINT_NAME];

	for (int i = 0; i < pt->notes.n; i++) {
		snprintf(line, sizeof(line), "%s: %s", pace_point_name(&pt->ask, name),
		    pt->notes.v[i].text);
		pace_feed_notice(line);
	}
}

static json_t *
skip_to_json(const struct pace_params *a)
{
	struct pace_jw w = ask_to_json(a);

	if (a->repeats > 1)
		pace_jw_count(&w, "repeat", a->repeat);
	return w.o;
}

/* Record a skipped point without figures: those measured before cover only a part of it. */
void
pace_streams_skip(struct pace_probe *p, size_t i)
{
	struct streams *s = p->ctx;
	const struct pace_params *a = &s->cfg.asks[i];

	s->skips = pace_js_append(s->skips != NULL ? s->skips : json_array(), skip_to_json(a));
	p->skipped++;
	pace_feed_skipped(skip_to_json(a));
}

static void
skip_point(struct pace_probe *p, size_t i)
{
	const struct pace_params *a = &((const struct streams *)p->ctx)->ask;
	char name[PACE_POINT_NAME];

	if (p->journal != NULL)
		pace_resume_add(p->journal, &p->sink, i, skip_to_json(a), NULL, true);
	pace_streams_skip(p, i);
	pace_notice("%s: skipped", pace_point_name(a, name));
}

/* Spacings in a document are exact to 1 part in 10^12. */
static bool
is_same_ask(const struct pace_params *a, const struct pace_params *b)
{
	uint64_t difference = a->spacing > b->spacing ? a->spacing - b->spacing :
	    b->spacing - a->spacing;

	return a->direction == b->direction && a->two_way == b->two_way &&
	    a->size_bytes == b->size_bytes &&
	    difference <= 4 + a->spacing / 1000000000 && a->dscp == b->dscp && a->ecn == b->ecn &&
	    a->repeat == b->repeat && a->count == b->count &&
	    a->duration_ns == b->duration_ns && a->train == b->train &&
	    a->streams == b->streams && (a->streams < 2 || a->stagger == b->stagger) &&
	    a->interval_ns == b->interval_ns && a->omit_ns == b->omit_ns &&
	    a->message == b->message && a->bursts == b->bursts &&
	    (a->bursts < 2 || a->burst_gap_ns == b->burst_gap_ns) && a->verify == b->verify &&
	    a->busy_poll == b->busy_poll;
}

/* Read a point, and the down stream of a two-way one. */
static bool
read_point(struct pace_point *pt, const json_t *point)
{
	if (pace_point_from_json(pt, point) != 0 || pace_point_pair(pt) != 0)
		return false;
	if (pt->back == NULL)
		return true;
	return pace_point_from_json(pt->back, json_object_get(point, "down")) == 0 &&
	    pt->back->ask.direction == PACE_DOWN && pt->back->ask.two_way;
}

bool
pace_streams_again(struct pace_probe *p, size_t i, const json_t *point)
{
	struct streams *s = p->ctx;
	const struct pace_params *ask = &s->cfg.asks[i];
	json_t *json = NULL;
	bool read = pace_streams_renew(p) && point != NULL && read_point(s->point, point);

	if (!read || !is_same_ask(&s->point->ask, ask)) {
		pace_complain("--resume: %s: its point %zu %s", p->journal->path, i,
		    read ? "does not match its command line" : "is damaged");
		return false;
	}
	/* the exact value, not the document's rounded one */
	for (struct pace_point *q = s->point; q != NULL; q = q->back) {
		q->ask.spacing = ask->spacing;
		p->unusable |= pace_judge(&s->cfg, q);
	}
	tell_all(p, s->point, &json);
	json_decref(json);
	return true;
}

bool
pace_streams_point(struct pace_probe *p, size_t i)
{
	struct streams *s = p->ctx;
	struct pace_err err = { .code = 0 };
	struct pace_point *pt;
	json_t *json = NULL;
	bool skipped;
	int rc = pace_probe_measure(p, i, p->n > 0 ? i : PACE_POINT_CONTROL_UNNAMED, &skipped,
	    &err);

	pt = s->point;
	if (pt == NULL) {
		pace_complain("out of memory");
		p->failed++;
		return false;
	}
	if (skipped) {
		skip_point(p, i);
		return true;
	}
	if (rc < 0 && rc != -EINTR)
		point_failed(p, &err);
	if (rc == -EDQUOT && s->cfg.guide != NULL)
		s->cfg.guide->refused(s->cfg.ctx, err.text);
	for (struct pace_point *q = pt; q != NULL; q = q->back) {
		p->unusable |= pace_judge(&s->cfg, q);
		if (q->has_rx && q->ask.record.room > 0 && !pace_recorder_take(&s->recorder,
		    &p->peer, q, s->written + (q != pt)))
			p->failed++;
	}
	/* a complete point is not measured again */
	if (p->journal != NULL && pt->has_rx && !pt->interrupted) {
		struct pace_js_list list = pace_sink_list(&p->sink, pt);

		pace_resume_add(p->journal, &p->sink, i, journal_line(p, pt, &json), &list, false);
	}
	tell_all(p, pt, &json);
	json_decref(json);
	for (struct pace_point *q = pt; q != NULL && p->n > 0 && pace_feed_is_on(); q = q->back)
		tell_notes(q);
	pace_point_free(s->last);
	s->last = pt;
	s->point = NULL;
	if (rc == -EDQUOT)		/* the policy may admit other points of the plan */
		return i + 1 < p->n;
	return rc == 0 || (i + 1 < s->cfg.n && recover(p, rc));
}
