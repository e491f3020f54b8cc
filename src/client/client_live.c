/*
 * A live run: during the stream the sender requests reports and passes them on unread.  Their
 * reader works in a thread of its own.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/params.h"
#include "proto/random.h"
#include "proto/report.h"

#define AGAIN_NS	INT64_C(200000000)	/* a report without an answer is requested again, */
#define EARLY		8			/* but not before this part of the interval */
/* this long the responder must say that it has no such session */
#define GONE_NS		INT64_C(1500000000)
#define LAST_NS		INT64_C(1500000000)	/* deadline of the last report, */
#define SILENT_NS	INT64_C(1000000000)	/* and after a stop in an outage this long */
#define PINGS_FIRST	20			/* before a session's first run */
#define PING_NS		INT64_C(1000000)

/* --- during the stream -------------------------------------------------------- */

static int
ask(struct pace_client_watch *w)
{
	/* shapes, and the receiver's host counters, are the responder's only if it receives */
	uint32_t want = w->w->counts_only || (w->down.own != NULL && !w->down.both) ? 0 :
	    PACE_WANT_ALL;

	w->asked[(w->c->request + 1) % PACE_REPORTS_ASKED] = (uint16_t)w->turn;
	if (w->turn > 0)
		return pace_client_ask_report(w->c, w->turn - 1, w->seen, PACE_WANT_STREAMS);
	return pace_client_ask_report(w->c, 0, w->seen, want);
}

/* True if a report is of the turn that is waited for. */
static bool
is_in_turn(const struct pace_client_watch *w, uint8_t stream, uint64_t number)
{
	return w->c->request - number < PACE_REPORTS_ASKED &&
	    w->asked[number % PACE_REPORTS_ASKED] == w->turn &&
	    stream == (w->turn > 0 ? w->turn - 1 : 0);
}

/* A report was kept: request the sum, then the slices of all streams, then the sum again. */
static void
next_turn(struct pace_client_watch *w, const char *body, size_t len)
{
	int next = w->turn > 0 ? pace_slices_next(body, len) : 0;

	if (w->streams == 0)
		return;
	if (w->turn > 0 && (next < (int)w->turn || next >= (int)w->streams))
		w->turn = 0;		/* these were the last; or an older responder has none */
	else
		w->turn = (uint32_t)next + 1;
}

/* Request a report; a request that is not sent or gets lost is repeated. */
static void
on_due(void *ctx, int64_t now_ns)
{
	struct pace_client_watch *w = ctx;
	int64_t again_ns = w->w->report_ns < AGAIN_NS ? w->w->report_ns : AGAIN_NS;

	(void)ask(w);
	if (w->w->asked != NULL)
		w->w->asked(w->w->ctx, now_ns);
	w->beside.due_ns = now_ns + again_ns;
}

static bool
is_refusal(const uint8_t *body, size_t len)
{
	static const char begin[] = "{\"error\"";

	return len >= sizeof(begin) - 1 && memcmp(body, begin, sizeof(begin) - 1) == 0;
}

/* True if the tag is valid and the message is no hint (a refusal).  *len: up to its trailer. */
static bool
is_ours(struct pace_client *c, const struct pace_hdr *h, const uint8_t *buf, size_t *len)
{
	if (c->key == NULL)
		return !h->sealed;
	if (!pace_client_genuine(c, h, buf, *len))
		return false;
	*len -= PACE_SEAL_SIZE;
	return true;
}

static void
show_shapes(const struct pace_client *c, struct pace_client_down_live *d)
{
	pace_receiver_shape(c->receiver, &d->gap);
	pace_coarse_hist_list(&d->gap, &d->own->gap);
	pace_coarse_hist_list(&d->delay, &d->own->delay);
	d->own->has_shapes = true;
}

/* Pass a report on, with our own figures if we receive; true if it was kept. */
static bool
pass_on(struct pace_client_watch *w, const char *body, size_t len, int64_t now_ns)
{
	struct pace_client_down_live *d = &w->down;
	bool kept;

	if (w->w->turn != NULL)
		*w->w->turn = w->turn;
	if (d->own == NULL)
		return w->w->report(w->w->ctx, body, len, now_ns);
	if (w->c->receiver != NULL) {
		pace_client_down_look(w->c, d);
		if (w->turn > 0 && w->w->own_of != NULL)
			pace_client_down_slices(w->c, d, w->turn - 1, w->w->own_of);
		if (!d->counts_only)
			show_shapes(w->c, d);
	}
	d->own->rcvbuf_bytes = w->c->own_rcvbuf_granted;
	kept = w->w->report(w->w->ctx, body, len, now_ns);
	if (kept)
		pace_recent_none(&d->own->recent);
	return kept;
}

/* The next report is due by the clock, not by the arrival of this one. */
static void
next_due(struct pace_client_watch *w, int64_t now_ns)
{
	int64_t every_ns = w->w->report_ns, least_ns = now_ns + every_ns / EARLY;

	w->next_ns += every_ns;
	if (w->next_ns < least_ns)
		w->next_ns += (least_ns - w->next_ns + every_ns - 1) / every_ns * every_ns;
	w->beside.due_ns = w->next_ns;
}

static void
on_report(void *ctx, const struct pace_hdr *h, const struct pace_in *in)
{
	struct pace_client_watch *w = ctx;
	struct pace_client *c = w->c;
	const uint8_t *body = in->buf + PACE_HDR_SIZE;
	int64_t now_ns = pace_client_now(c);
	size_t len = in->len;

	if (h->type != (PACE_REPORT | PACE_REPLY) || h->session != c->session ||
	    h->run != c->run || h->seq <= w->newest || h->seq > c->request ||
	    in->len > in->size || !is_in_turn(w, h->stream, h->seq))
		return;
	if (is_refusal(body, len - PACE_HDR_SIZE)) {
		/* "No such session", as after a restart; anybody can forge it once or twice.  A
		 * responder that answers exchanges has the session. */
		if (w->refused_ns == 0 || now_ns - w->refused_ns > 2 * GONE_NS ||
		    w->c->pinger.heard_ns > w->refused_ns)
			w->refused_ns = now_ns;
		/* a point ends by itself, and its results say why */
		w->beside.over = w->w != c->watching && now_ns - w->refused_ns >= GONE_NS;
		return;
	}
	if (!is_ours(c, h, in->buf, &len))
		return;
	w->newest = h->seq;
	w->refused_ns = 0;
	c->pinger.heard_ns = now_ns;	/* a sign of life even if exchanges get lost */
	if (pass_on(w, (const char *)body, len - PACE_HDR_SIZE, now_ns)) {
		w->seen = h->seq;
		next_turn(w, (const char *)body, len - PACE_HDR_SIZE);
	}
	if (w->turn > 0)
		w->beside.due_ns = now_ns + PACE_REPORT_NS;
	else
		next_due(w, now_ns);
}

/* --- a run ------------------------------------------------------------------------ */

/* Request the last report of a turn; true if it was kept.  A number is answered once, so each repeat
 * has another number, and the answer to any of them is accepted. */
static bool
last_report(struct pace_client_watch *w)
{
	struct pace_client *c = w->c;
	const char *body = (const char *)c->in + PACE_HDR_SIZE;
	bool kept;
	int64_t now = pace_client_now(c), deadline = now + LAST_NS, until;
	uint64_t first = c->request + 1, n = 0;
	int rc = -EAGAIN;

	while (rc < 0 && pace_client_may_pass(rc) && now < deadline) {
		until = now + AGAIN_NS < deadline ? now + AGAIN_NS : deadline;
		(void)ask(w);
		rc = pace_client_wait(c, PACE_REPORT, first, ++n, until);
		if (rc < 0)
			pace_client_pause(c, until);	/* the rest of the pause */
		now = pace_client_now(c);
	}
	kept = rc >= 0 && !is_refusal(c->in + PACE_HDR_SIZE, c->reply_len - PACE_HDR_SIZE) &&
	    pass_on(w, body, c->reply_len - PACE_HDR_SIZE, now);
	if (kept)
		next_turn(w, body, c->reply_len - PACE_HDR_SIZE);
	return kept;
}

/* Request the last reports: of the sum, and the slices of all streams. */
static bool
last_reports(struct pace_client_watch *w)
{
	struct pace_client *c = w->c;
	bool kept;

	w->turn = 0;
	c->streams = w->streams;
	kept = last_report(w);
	while (kept && w->turn > 0) {
		pace_client_pause(c, pace_client_now(c) + PACE_REPORT_NS);
		kept = last_report(w);
	}
	c->streams = 0;
	return kept;
}

/* Return the streams whose slices are wanted. */
static uint32_t
streams_of(const struct pace_watching *watching, const struct pace_params *a)
{
	return watching->turn != NULL && a->streams > 1 ? a->streams : 0;
}

static int
end_run(struct pace_client_watch *w, const struct pace_point *p, int64_t patience_ns,
    struct pace_err *err)
{
	uint32_t size;
	int rc = p->streams != NULL ? pace_client_streams_finish(w->c, p, patience_ns, err) :
	    pace_client_finish(w->c, p, patience_ns, &size, err);

	if (rc < 0)
		return rc;
	if (!last_reports(w))
		return pace_failf(err, ETIMEDOUT, "report", "the last report did not arrive");
	if (w->w->ended != NULL)
		w->w->ended(w->w->ctx);
	return 0;
}

int
pace_client_live_end(struct pace_client *c, const struct pace_point *p,
    const struct pace_watching *watching, int64_t patience_ns, struct pace_err *err)
{
	struct pace_client_watch w = { .c = c, .w = watching,
	    .down.own = pace_params_goes_down(&p->ask) ? watching->own : NULL,
	    .down.both = p->ask.two_way, .down.streams = pace_params_streams(&p->ask),
	    .streams = streams_of(watching, &p->ask) };

	return end_run(&w, p, patience_ns, err);
}

/* After a stop in an outage, do not wait for the outage to end. */
static int64_t
patience_of(struct pace_client *c)
{
	int64_t ns = pace_client_patience(c);

	return pace_client_stopped(c) && ns < PACE_CONTROL_NS - SILENT_NS ? LAST_NS : ns;
}

/* Run the stream; returns the result of the run. */
static int
stream(struct pace_client_watch *w, const struct pace_sender *s, const struct pace_msg_start *m,
    struct pace_point *p)
{
	struct pace_client *c = w->c;
	uint64_t asked;
	struct pace_client_up up = { .c = c, .sender = *s, .p = p };
	int rc;

	up.sender.only_frames = true;
	up.sender.beside = NULL;	/* the receiver does that */
	p->clock.from_ns = pace_client_now(c);
	pace_client_watch_begin(w, p->clock.from_ns);
	if (w->down.own != NULL)
		rc = pace_client_down_run(c, m, p->ask.two_way ? &up : NULL, &w->down);
	else if (p->streams != NULL)
		rc = pace_client_streams_run(c, s, p);
	else
		rc = pace_sender_run(s, &p->tx, &asked);
	p->clock.to_ns = pace_client_now(c);
	pace_client_watch_end(w);
	return rc;
}

void
pace_client_watch_init(struct pace_client_watch *w, struct pace_client *c,
    const struct pace_watching *watching, const struct pace_params *a)
{
	*w = (struct pace_client_watch){ .c = c, .w = watching,
	    .streams = streams_of(watching, a), .beside = { .act = on_due, .ctx = w } };
	if (!pace_params_goes_down(a))
		return;
	w->down = (struct pace_client_down_live){ .beside = &w->beside, .both = a->two_way,
	    .counts_only = watching->counts_only, .ping_ns = watching->ping_ns,
	    .own = watching->own };
	memset(w->down.own, 0, sizeof(*w->down.own));
	pace_recent_none(&w->down.own->recent);
}

void
pace_client_watch_begin(struct pace_client_watch *w, int64_t begin_ns)
{
	w->c->pinger.other = on_report;
	w->c->pinger.other_ctx = w;
	w->next_ns = w->beside.due_ns = begin_ns + w->w->report_ns;
}

void
pace_client_watch_end(struct pace_client_watch *w)
{
	w->c->pinger.other = NULL;
}

int
pace_client_live(struct pace_client *c, struct pace_point *p, const struct pace_watching *watching,
    struct pace_err *err)
{
	struct pace_client_watch w;
	struct pace_msg_start m = { .ask = p->ask, .limit = pace_sender_limit(&p->ask),
	    .seed = pace_random(), .at_most_ns = pace_params_duration_ns(&p->ask) + c->rest_ns,
	    .fragment = c->fragment && pace_params_goes_down(&p->ask) };
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .seed = m.seed, .stop = c->stop,
	    .progress = c->progress, .pinger = &c->pinger, .fit = &c->fit,
	    .ping_ns = watching->ping_ns, .beside = &w.beside,
	    .awake_ns = p->ask.busy_poll ? PACE_SENDER_NO_SLEEP_NS : 0 };
	bool first = c->run == 0;
	int rc, sent_rc;

	pace_client_watch_init(&w, c, watching, &p->ask);
	m.wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes);
	if (!c->reports)
		return pace_failf(err, ENOTSUP, "start", "this responder is too old to report "
		    "on a run in progress: update it");
	rc = p->ask.streams > 1 ? pace_client_streams_prepare(c, p, err) : 0;
	if (rc == 0)
		rc = pace_client_start(c, &m, err);
	if (rc < 0)
		return rc;
	if (watching->begun != NULL)
		watching->begun(watching->ctx);
	s.session = c->session;
	s.run = c->run;
	s.wire_bytes = m.wire_bytes;
	c->pinger.heard_ns = pace_client_now(c);	/* silence counts from here */
	pace_client_clock_begin(c, &p->clock);
	if (first)
		pace_client_pings(c, PINGS_FIRST, PING_NS);
	sent_rc = stream(&w, &s, &m, p);
	pace_pinger_settle(&c->pinger, true);
	pace_client_clock_end(c);
	rc = end_run(&w, p, patience_of(c), err);
	/* Report the failure of the sending; if it had none, that of the collecting. */
	if (w.beside.over && rc < 0)
		return pace_failf(err, ESTALE, "send", "the responder has forgotten this session");
	if (sent_rc < 0 && (sent_rc != -ETIMEDOUT || rc < 0))
		return pace_client_tell_send(c, sent_rc, err);
	if (rc < 0)
		return rc;
	if (pace_client_stopped(c))
		return pace_fail(err, EINTR, "stopped");
	return pace_client_ends(c) ? pace_client_dismissed(c, err) : 0;
}
