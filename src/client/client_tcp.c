/* TCP connections beside the session: UDP carries the requests, and an exchange now and then that shows
 * whether the responder is there. */
#include "config.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/tcp_doc.h"
#include "proto/tcp_hello.h"

#define PING_SIZE	64		/* bytes of an exchange */
#define PING_NS		INT64_C(250000000)
#define LOOK_NS		INT64_C(20000000)	/* between two looks at the session */
#define GRACE_NS	INT64_C(200000000)
#define STOPPED_NS	INT64_C(3000000000)	/* from a stop to the end of what was under way */
#define READY_NS	INT64_C(15000000000)	/* from the own end to the responder's result */
#define OTHER_NS	INT64_C(5000000000)	/* of a run besides writing */
#define HOUR_NS		INT64_C(3600000000000)	/* of a run whose length is not known */

struct client_tcp_run {
	struct pace_client *c;
	struct pace_tcp_point *p;
	struct pace_latency *trips;	/* of requests; NULL: a stream */
	struct pace_tcp_run *run;
	uint8_t		key[PACE_TCP_SECRET];
	int64_t		ping_ns, stop_ns;	/* next exchange; when what is under way ends, 0: not
						 * stopped */
	int64_t		began_ns;
};

static void
hello(void *ctx, bool down, uint32_t stream, uint8_t to[PACE_TCP_HELLO])
{
	const struct client_tcp_run *t = ctx;
	const struct pace_tcp_hello h = { .session = t->c->session, .run = t->c->run,
	    .stream = (uint8_t)stream, .down = down };

	pace_tcp_hello_put(to, &h, t->key);
}

static int
dial(struct client_tcp_run *t, struct pace_err *err)
{
	struct pace_client *c = t->c;
	struct pace_tcp_dial d = { .peer = c->peer, .local = c->source, .interface = c->interface,
	    .hello = hello, .ctx = t, .stop = c->stop };

	memcpy(t->key, c->tcp_secret, sizeof(t->key));
	pace_tcp_hello_key(&c->seal, t->key);
	return c->tcp->dial(t->run, &d, err);
}

/* FINISH, until the responder answers: 0, or -errno. */
static int
ask_finish(struct pace_client *c, bool stop, struct pace_msg_ready *m, struct pace_err *err)
{
	const struct pace_msg_finish f = { .stop = stop };
	struct pace_msg_error e;
	json_t *reply;
	int rc = pace_client_control(c, PACE_FINISH, "finish", pace_msg_finish_json(&f),
	    pace_client_patience(c), &reply, &e, err);

	if (rc == 0 && pace_msg_ready(reply, m) != 0)
		rc = pace_failf(err, EPROTO, "finish", "the responder's answer is invalid");
	json_decref(reply);
	return rc;
}

/* The user stops the run, or the responder does: let both ends finish what is under way. */
static void
stop(struct client_tcp_run *t)
{
	struct pace_msg_ready m;

	t->p->interrupted = true;
	t->stop_ns = pace_client_now(t->c) + STOPPED_NS;
	t->c->tcp->stop(t->run);
	if (t->p->ask.down)		/* it writes until FINISH ends that */
		(void)ask_finish(t->c, true, &m, NULL);
}

/* 0: go on; 1: the run's time is over; -ETIMEDOUT: the responder is silent. */
static int
look(struct client_tcp_run *t)
{
	struct pace_client *c = t->c;
	struct pace_pinger *g = &c->pinger;
	int64_t now = pace_client_now(c);
	int64_t since_ns = g->heard_ns > t->began_ns ? g->heard_ns : t->began_ns;

	if (now >= t->ping_ns) {
		(void)pace_pinger_send(g, PING_SIZE, PING_SIZE);
		t->ping_ns = now + PING_NS;
	}
	(void)pace_pinger_poll(g);
	pace_pinger_settle(g, false);
	if (t->stop_ns == 0 && pace_client_ends(c))
		stop(t);
	if (t->stop_ns != 0 && now > t->stop_ns)
		return 1;
	return now - since_ns > PACE_SENDER_SILENT_NS ? -ETIMEDOUT : 0;
}

static int
move(struct client_tcp_run *t)
{
	struct pace_client *c = t->c;
	int rc = 0;

	t->began_ns = pace_client_now(c);
	while (rc == 0 && c->tcp->step(t->run, pace_client_now(c) + LOOK_NS))
		rc = look(t);
	return rc < 0 ? rc : 0;
}

/* Send a request after the reply to the one before.  The session is looked at now and then. */
static int
exchange(struct client_tcp_run *t)
{
	struct pace_client *c = t->c;
	struct pace_latency *l = t->trips;
	int64_t look_ns = 0, sent_ns = 0, rtt_ns, first_ns = 0;
	bool waits = false, ended = false;
	int rc = 0;

	t->began_ns = pace_client_now(c);
	l->due_wall_ns = t->began_ns + c->io.wall(c->io.ctx);
	while (rc == 0 && !ended && t->stop_ns == 0 && l->received < l->ask.count) {
		l->sent += !waits;
		rc = c->tcp->request(t->run, pace_client_now(c) + LOOK_NS, &sent_ns, &rtt_ns);
		waits = rc == 0;
		if (rc == 1) {
			first_ns = l->received == 0 ? sent_ns : first_ns;
			pace_latency_list(l, sent_ns, rtt_ns);
			pace_latency_add(l, rtt_ns);
			l->duration_ns = sent_ns - first_ns;
		}
		ended = rc < 0;		/* its end has the reason, or FINISH */
		rc = 0;
		if (pace_client_now(c) >= look_ns) {
			rc = look(t);
			look_ns = pace_client_now(c) + LOOK_NS;
			if (c->progress != NULL)
				atomic_store(&c->progress->sent, l->sent);
		}
	}
	if (t->stop_ns != 0 && waits)
		l->sent--;		/* stopped before it was answered */
	l->timeouts = l->sent - l->received;
	if (l->timeouts > 0)
		pace_latency_list(l, sent_ns, PACE_NO_FIGURE);
	while (rc == 0 && c->tcp->step(t->run, pace_client_now(c) + LOOK_NS))
		rc = look(t);
	return rc < 0 ? rc : 0;
}

static void
judge_trips(struct pace_latency *l, const struct pace_tcp_point *p)
{
	const struct pace_tcp_end *e = p->ours.end[0];

	l->tcp = e->info;
	l->interrupted = p->interrupted;
	l->verdict = l->received < l->ask.count ? PACE_DEGRADED : PACE_PACED;
	if (l->received < l->ask.count && !l->interrupted)
		pace_note(&l->notes, "connection_ended", "the connection ended%s%s: %llu requests were "
		    "not answered or not sent", e->failed != 0 ? ": " : "", e->failed != 0 ?
		    strerror(e->failed) : "", (unsigned long long)(l->ask.count - l->received));
	if (e->info.retransmits > 0)
		pace_note(&l->notes, "segments_sent_again", "this host sent %llu segments again: each "
		    "may have cost a round trip a timeout", (unsigned long long)e->info.retransmits);
	for (int i = 0; i < p->notes.n; i++)
		pace_note(&l->notes, p->notes.v[i].code, "%s", p->notes.v[i].text);
}

static int
collect(struct client_tcp_run *t, struct pace_err *err)
{
	struct pace_client *c = t->c;
	struct pace_tcp_point *p = t->p;
	int64_t deadline = pace_client_now(c) + READY_NS;
	struct pace_msg_ready m = { .ready = false };
	json_t *j = NULL;
	int rc;

	do {
		rc = ask_finish(c, p->interrupted, &m, err);
		if (rc == 0 && !m.ready)
			pace_client_pause(c, pace_client_now(c) + LOOK_NS);
	} while (rc == 0 && !m.ready && pace_client_now(c) < deadline);
	if (rc == 0 && !m.ready)
		rc = pace_failf(err, ETIMEDOUT, "finish", "the result was not ready in time");
	if (rc == 0 && m.size == 0)
		rc = pace_failf(err, EPROTO, "finish", "the result is empty");
	if (rc == 0)
		rc = pace_client_fetch_json(c, PACE_PART_RESULT, m.size, &j, err);
	if (rc < 0)
		return rc;
	rc = pace_tcp_side_from_json(&p->theirs, &p->ask, &p->responder, j);
	json_decref(j);
	if (rc == 0 && !pace_tcp_agrees(p))
		rc = -EPROTO;
	if (rc < 0) {
		pace_tcp_side_free(&p->theirs, p->ask.streams);
		return pace_failf(err, -rc, "result", "the responder's result contradicts itself or "
		    "what was sent");
	}
	p->has_theirs = true;
	if (m.lease_lost)
		pace_note(&p->notes, "lease_lost", "for more than 10 s nothing reached the "
		    "responder: another client may have measured meanwhile");
	return 0;
}

/* The run, from its first connection on. */
static int
run(struct client_tcp_run *t, struct pace_err *err)
{
	struct pace_client *c = t->c;
	struct pace_tcp_point *p = t->p;
	struct pace_counters before = { .known = false };
	int moved, rc = dial(t, err);

	sodium_memzero(t->key, sizeof(t->key));
	if (rc < 0)
		return rc;
	pace_io_counters(&c->io, &before, PACE_BEFORE);
	p->started_wall_ns = pace_client_now(c) + c->io.wall(c->io.ctx);
	moved = t->trips != NULL ? exchange(t) : move(t);
	pace_io_counters(&c->io, &p->client, PACE_AFTER);
	pace_counters_since(&p->client, &before);
	pace_counters_free(&before);
	if (pace_tcp_side_copy(&p->ours, c->tcp->side(t->run), p->ask.streams) < 0)
		return pace_fail(err, ENOMEM, "point");
	rc = collect(t, err);
	if (moved < 0 && rc < 0)
		return pace_client_tell_send(c, moved, err);
	if (rc == 0 && p->interrupted && !pace_client_stopped(c))
		return pace_client_dismissed(c, err);
	return rc == 0 && p->interrupted ? pace_fail(err, EINTR, "stopped") : rc;
}

static int
measure(struct pace_client *c, struct pace_tcp_point *p, struct pace_latency *trips,
    struct pace_err *err)
{
	const struct pace_tcp_params *a = &p->ask;
	const struct pace_msg_start m = { .pings = true, .reply_bytes = PING_SIZE, .limit = 1,
	    .at_most_ns = (a->duration_ns > 0 ? a->duration_ns : HOUR_NS) + OTHER_NS + c->rest_ns,
	    .tcp = *a, .ask = { .size_bytes = PING_SIZE, .train = 1, .bursts = 1, .streams = 1,
	    .duration_ns = a->duration_ns, .grace_ns = GRACE_NS } };
	struct client_tcp_run t = { .c = c, .p = p, .trips = trips };
	int rc = pace_client_start(c, &m, err);

	if (rc < 0)
		return rc;
	t.run = c->tcp->create(a, true);
	rc = t.run != NULL ? run(&t, err) : pace_fail(err, ENOMEM, "start");
	c->tcp->destroy(t.run);
	sodium_memzero(c->tcp_secret, sizeof(c->tcp_secret));
	return rc;
}

int
pace_client_tcp(struct pace_client *c, struct pace_tcp_point *p, struct pace_err *err)
{
	int rc = measure(c, p, NULL, err);

	if (p->ours.end[0] != NULL || p->ours.end[1] != NULL)
		pace_tcp_close(p);
	return rc;
}

int
pace_client_tcp_requests(struct pace_client *c, const struct pace_tcp_params *how,
    struct pace_latency *l, struct pace_err *err)
{
	struct pace_tcp_point *p = pace_tcp_point_new();
	int rc;

	if (p == NULL)
		return pace_fail(err, ENOMEM, "start");
	p->ask = *how;
	p->ask.streams = 1;
	p->ask.up = true;
	p->ask.down = false;
	p->ask.duration_ns = 0;
	p->ask.request_bytes = l->ask.size_bytes;
	p->ask.reply_bytes = l->ask.reply_bytes;
	p->ask.length_bytes = l->ask.count * l->ask.size_bytes;
	l->linear.low = l->ask.linear.low;
	l->linear.width = l->ask.linear.width;
	l->linear.bins = l->ask.linear.bins;
	rc = measure(c, p, l, err);
	if (p->ours.end[0] != NULL)
		judge_trips(l, p);
	pace_tcp_point_free(p);
	return rc;
}
