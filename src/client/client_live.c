/*
 * A run that is watched: beside the stream its sender asks what came so far, and hands
 * over the answers as they are.  Whoever reads them does so in a thread of his own.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/params.h"
#include "proto/random.h"
#include "proto/report.h"

#define AGAIN_NS	INT64_C(200000000)	/* without an answer it is asked again, */
#define EARLY		8			/* but no part sooner than that of the interval */
#define GONE_NS		INT64_C(1500000000)	/* it says for so long that there is no such session */
#define LAST_NS		INT64_C(1500000000)	/* patience with the last report */
#define PINGS_FIRST	20			/* before a session's first run */
#define PING_NS		INT64_C(1000000)

struct client_live_watch {
	struct pace_client *c;
	const struct pace_watching *w;
	struct pace_beside beside;
	uint64_t	newest;		/* number of the newest report that came, of this run */
	uint64_t	seen;		/* and of the newest that was kept */
	int64_t		next_ns;	/* when one is wanted */
	int64_t		refused_ns;	/* since when nothing but refusals came, 0: not so */
};

/* --- beside the stream -------------------------------------------------------- */

static int
ask(struct client_live_watch *w)
{
	struct pace_client *c = w->c;
	struct pace_hdr h = { .type = PACE_REPORT, .stream = c->stream, .sealed = c->key != NULL,
	    .session = c->session, .seq = ++c->request, .tx_ns = pace_client_departure(c) };
	const struct pace_report_request a = { .seen = w->seen, .want = PACE_WANT_ALL };
	struct pace_out out = { .buf = c->out };
	int len = pace_seal_put(&c->seal, c->out, sizeof(c->out),
	    pace_report_put(c->out, sizeof(c->out), &h, &a));

	if (len < 0)
		return len;
	out.len = (size_t)len;
	return c->io.send(c->io.ctx, &out, 1);
}

/* What does not leave, or gets lost on its way, is asked for again. */
static void
on_due(void *ctx, int64_t now_ns)
{
	struct client_live_watch *w = ctx;
	int64_t again_ns = w->w->report_ns < AGAIN_NS ? w->w->report_ns : AGAIN_NS;

	(void)ask(w);
	w->beside.due_ns = now_ns + again_ns;
}

/* The next one is due by the clock, not by when this one came. */
static void
plan_next(struct client_live_watch *w, int64_t now_ns)
{
	int64_t every_ns = w->w->report_ns, least_ns = now_ns + every_ns / EARLY;

	w->next_ns += every_ns;
	if (w->next_ns < least_ns)
		w->next_ns += (least_ns - w->next_ns + every_ns - 1) / every_ns * every_ns;
	w->beside.due_ns = w->next_ns;
}

static bool
is_refusal(const uint8_t *body, size_t len)
{
	static const char begin[] = "{\"error\"";

	return len >= sizeof(begin) - 1 && memcmp(body, begin, sizeof(begin) - 1) == 0;
}

/* "No such session", as after a restart; anybody could say so once, or twice.  Who answers
 * an exchange knows the session. */
static void
note_refusal(struct client_live_watch *w, int64_t now_ns)
{
	if (w->refused_ns == 0 || now_ns - w->refused_ns > 2 * GONE_NS ||
	    w->c->pinger.heard_ns > w->refused_ns)
		w->refused_ns = now_ns;
	w->beside.over = now_ns - w->refused_ns >= GONE_NS;
}

/* By its tag; a refusal, which would be a hint, it is not.  *len: up to its trailer. */
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
on_report(void *ctx, const struct pace_hdr *h, const struct pace_in *in)
{
	struct client_live_watch *w = ctx;
	struct pace_client *c = w->c;
	const uint8_t *body = in->buf + PACE_HDR_SIZE;
	int64_t now_ns = pace_client_now(c);
	size_t len = in->len;

	if (h->type != (PACE_REPORT | PACE_REPLY) || h->session != c->session ||
	    h->stream != c->stream || h->seq <= w->newest || h->seq > c->request || in->len > in->size)
		return;
	if (is_refusal(body, len - PACE_HDR_SIZE)) {
		note_refusal(w, now_ns);
		return;
	}
	if (!is_ours(c, h, in->buf, &len))
		return;
	w->newest = h->seq;
	w->refused_ns = 0;
	plan_next(w, now_ns);
	if (w->w->report(w->w->ctx, (const char *)body, len - PACE_HDR_SIZE, now_ns))
		w->seen = h->seq;
}

/* --- a run ------------------------------------------------------------------------ */

/* What the run came to in the end; without it the one before must do.  A number is answered
 * once: what is lost is asked for with another, and the answer to any of them is taken. */
static void
last_report(struct client_live_watch *w)
{
	struct pace_client *c = w->c;
	int64_t now = pace_client_now(c), deadline = now + LAST_NS, until;
	uint64_t first = c->request + 1, n = 0;
	int rc = -EAGAIN;

	while (rc < 0 && pace_client_may_pass(rc) && now < deadline) {
		until = now + AGAIN_NS < deadline ? now + AGAIN_NS : deadline;
		(void)ask(w);
		rc = pace_client_wait(c, PACE_REPORT, first, ++n, until);
		if (rc < 0)
			pace_client_pause(c, until);	/* what is left of it */
		now = pace_client_now(c);
	}
	if (rc >= 0 && !is_refusal(c->in + PACE_HDR_SIZE, c->reply_len - PACE_HDR_SIZE))
		(void)w->w->report(w->w->ctx, (const char *)c->in + PACE_HDR_SIZE,
		    c->reply_len - PACE_HDR_SIZE, now);
}

/* The stream; what its sender's run returned. */
static int
stream(struct client_live_watch *w, const struct pace_sender *s, struct pace_point *p, uint64_t *asked)
{
	struct pace_client *c = w->c;
	int rc;

	c->pinger.other = on_report;
	c->pinger.other_ctx = w;
	p->clock.from_ns = pace_client_now(c);
	w->next_ns = w->beside.due_ns = p->clock.from_ns + w->w->report_ns;
	rc = pace_sender_run(s, &p->tx, asked);
	p->clock.to_ns = pace_client_now(c);
	c->pinger.other = NULL;
	return rc;
}

static int
begin(struct pace_client *c, const struct pace_msg_start *m, struct pace_err *err)
{
	if (!c->reports)
		return pace_failf(err, ENOTSUP, "start", "this responder is older, and tells nothing of a "
		    "run while it goes on");
	return pace_client_start(c, m, err);
}

/* What is told of the end: of the sending, then of the collecting. */
static int
verdict(struct pace_client *c, int sent_rc, int rc, bool gone, struct pace_err *err)
{
	if (gone && rc < 0)
		return pace_failf(err, ESTALE, "send", "the responder has forgotten this session");
	if (sent_rc < 0 && (sent_rc != -ETIMEDOUT || rc < 0))
		return pace_client_tell_send(c, sent_rc, err);
	if (rc < 0)
		return rc;
	if (pace_client_stopped(c))
		return pace_fail(err, EINTR, "stopped");
	return pace_client_ends(c) ? pace_client_dismissed(c, err) : 0;
}

int
pace_client_live(struct pace_client *c, struct pace_point *p, const struct pace_watching *watching,
    struct pace_err *err)
{
	struct client_live_watch w = { .c = c, .w = watching, .beside = { .act = on_due, .ctx = &w } };
	struct pace_msg_start m = { .ask = p->ask, .limit = pace_sender_limit(&p->ask),
	    .seed = pace_random(), .at_most_ns = pace_params_duration_ns(&p->ask) + c->rest_ns };
	struct pace_sender s = { .io = &c->io, .ask = &p->ask, .seed = m.seed, .stop = c->stop,
	    .progress = c->progress, .pinger = &c->pinger, .fit = &c->fit,
	    .ping_ns = watching->ping_ns, .beside = &w.beside };
	bool first = c->stream == 0;
	uint64_t asked;
	uint32_t size;
	int rc, sent_rc;

	m.wire_bytes = (uint32_t)pace_wire_bytes(&c->link, p->ask.size_bytes);
	rc = begin(c, &m, err);
	if (rc < 0)
		return rc;
	if (watching->begun != NULL)
		watching->begun(watching->ctx);
	s.session = c->session;
	s.stream = c->stream;
	s.wire_bytes = m.wire_bytes;
	pace_client_clock_begin(c, &p->clock);
	if (first)
		pace_client_pings(c, PINGS_FIRST, PING_NS);
	sent_rc = stream(&w, &s, p, &asked);
	pace_pinger_settle(&c->pinger, true);
	pace_client_clock_end(c);
	rc = pace_client_finish(c, p, &size, err);
	if (rc == 0)
		last_report(&w);
	return verdict(c, sent_rc, rc, w.beside.over, err);
}
