/*
 * A run of several streams: one thread sends them from one merged schedule, and their results are
 * requested together.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "core/schedule.h"
#include "doc/aggregate.h"
#include "doc/js.h"
#include "doc/loss_attribution.h"
#include "doc/rx_result_doc.h"
#include "proto/random.h"

#define RCVBUF_LEAST	(1U << 20)
#define RCVBUF_SHARES	4	/* a flow's buffer is so many n-ths of the whole */
#define FIRST_NS	INT64_C(100000000)
#define MOST_NS		INT64_C(500000000)
#define ALIVE_NS	INT64_C(5000000000)	/* between two FINISHs: well below PACE_LEASE_NS */

uint32_t
pace_client_flow_rcvbuf(const struct pace_client *c, uint32_t n)
{
	uint64_t share = (uint64_t)c->rcvbuf_bytes * RCVBUF_SHARES / n;

	if (share < RCVBUF_LEAST)
		share = RCVBUF_LEAST;
	return share < c->rcvbuf_bytes ? (uint32_t)share : c->rcvbuf_bytes;
}

static struct pace_io *
io_of(struct pace_client *c, uint32_t stream)
{
	return stream == 0 ? &c->io : &c->flow[stream].io;
}

int
pace_client_streams_prepare(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	int rc = pace_point_split(p);

	if (rc < 0)
		return pace_fail(err, -rc, "streams");
	rc = pace_client_flows(c, p->ask.streams, err);
	for (uint32_t i = 1; rc == 0 && i < p->ask.streams; i++) {
		struct pace_io *io = io_of(c, i);

		if (io->mark != NULL && io->mark(io->ctx, p->ask.dscp, p->ask.ecn) < 0)
			rc = pace_failf(err, EINVAL, "streams", "the code points cannot be set");
		if (rc == 0)
			rc = pace_io_stamps(io, p->ask.nic, err);
	}
	return rc;
}

/* --- sending ---------------------------------------------------------------------- */

/* Return how much later a stream begins than stream 0, which waits for the begin: it has the pings
 * that keep the lease. */
static int64_t
phase_of(const struct pace_params *a, uint32_t stream)
{
	int64_t step_ns = pace_spacing_ns(a->spacing * a->train);

	if (stream == 0 || step_ns == 0 || a->stagger == PACE_STAGGER_NONE)
		return 0;
	if (a->stagger == PACE_STAGGER_RANDOM)
		return (int64_t)(pace_random() % (uint64_t)step_ns);
	return (int64_t)((double)step_ns * stream / a->streams);
}

/* The streams that are not complete, by the time of their next frame. */
struct merged {
	uint32_t	n;
	struct pace_sending *run[PACE_STREAMS];
	int64_t		due_ns[PACE_STREAMS];	/* INT64_MAX: complete */
};

/* Find the stream that is due first, and when the next other one is. */
static uint32_t
first_due(const struct merged *v, int64_t *next_ns)
{
	uint32_t first = 0;

	*next_ns = INT64_MAX;
	for (uint32_t i = 1; i < v->n; i++) {
		if (v->due_ns[i] < v->due_ns[first]) {
			*next_ns = v->due_ns[first];
			first = i;
		} else if (v->due_ns[i] < *next_ns) {
			*next_ns = v->due_ns[i];
		}
	}
	return first;
}

/* Send all streams.  The first one has the pings, so its failure ends all. */
static int
send_merged(struct pace_client *c, struct merged *v)
{
	int64_t next_ns;
	int rc = 0;

	while (rc >= 0) {
		uint32_t i = first_due(v, &next_ns);

		if (v->due_ns[i] == INT64_MAX)
			break;
		/* up to the next one's time; of two that are due together, one after the other */
		rc = pace_sending_step(v->run[i], next_ns < INT64_MAX ? next_ns + 1 : INT64_MAX);
		v->due_ns[i] = rc > 0 ? pace_sending_due(v->run[i]) : INT64_MAX;
		if (rc == 0 && pace_client_ends(c))
			break;
	}
	return rc < 0 ? rc : 0;
}

int
pace_client_streams_run(struct pace_client *c, const struct pace_sender *s, struct pace_point *p)
{
	struct merged *v = calloc(1, sizeof(*v));
	int64_t t0_ns;
	int rc = 0;

	if (v == NULL)
		return -ENOMEM;
	v->n = p->ask.streams;
	for (uint32_t i = 0; i < v->n; i++) {
		struct pace_sender one = *s;

		one.ask = &p->streams[i]->ask;
		one.stream = (uint8_t)i;
		if (i > 0) {
			one.io = io_of(c, i);
			one.pinger = NULL;
			one.progress = NULL;
			/* a freeze of the thread stops all streams: it is counted once */
			one.stalls = &p->streams[0]->tx.stalls;
		}
		v->run[i] = pace_sending_begin(&one, &p->streams[i]->tx);
		if (v->run[i] == NULL)
			rc = -ENOMEM;
	}
	t0_ns = pace_sender_begin_ns(s);
	for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
		v->due_ns[i] = t0_ns + phase_of(&p->ask, i);
		pace_sending_at(v->run[i], v->due_ns[i]);
	}
	if (rc == 0)
		rc = send_merged(c, v);
	for (uint32_t i = 0; i < v->n; i++) {
		struct pace_point *one = p->streams[i];

		one->ledger.asked = pace_sending_end(v->run[i]);
		one->ledger.tx_refused = one->tx.refused;
		one->tx.sndbuf_asked = c->sndbuf_asked;
		one->tx.sndbuf_granted = c->sndbuf_granted;
	}
	free(v);
	return rc;
}

/* --- collecting ------------------------------------------------------------------- */

struct finishing {
	struct pace_client *c;
	const struct pace_point *p;
	struct pace_msg_ready m[PACE_STREAMS];
	bool		answered[PACE_STREAMS];
};

/* Take an answer from c->in: -errno: refused. */
static int
take_ready(struct finishing *f, struct pace_err *err)
{
	struct pace_client *c = f->c;
	uint8_t stream = c->in[16];
	struct pace_msg_error e = { .wait_ns = 0 };
	json_t *body = pace_msg_body(c->in, c->reply_len);
	int rc = 0;

	if (body != NULL && pace_msg_is_error(body, &e))
		rc = pace_client_refusal(c, &e, "finish", err);
	else if (stream >= f->p->ask.streams || pace_msg_ready(body, &f->m[stream]) != 0 ||
	    f->m[stream].wait_ns > f->p->ask.grace_ns)
		rc = pace_failf(err, EPROTO, "finish", "the responder's answer is invalid");
	else
		f->answered[stream] = true;
	json_decref(body);
	return rc;
}

/* Send FINISH of streams from .. to - 1 without an answer; returns how many. */
static uint32_t
send_finish(struct finishing *f, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++) {
		struct pace_msg_finish m = { .sent = f->p->streams[i]->tx.frames };

		if (f->answered[i])
			continue;
		if (i == 0)
			m.theta = f->p->clock.fit;
		/* A number is used once: with a key, no earlier one is accepted after it. */
		(void)pace_client_send_stream(f->c, PACE_FINISH, (uint8_t)i, ++f->c->request,
		    pace_msg_finish_json(&m));
		n++;
	}
	return n;
}

/* Send FINISH of these streams until each has an answer. */
static int
ask_ready(struct finishing *f, uint32_t from, uint32_t to, int64_t patience_ns,
    struct pace_err *err)
{
	struct pace_client *c = f->c;
	int64_t began = pace_client_now(c), pause = FIRST_NS;
	uint64_t first = c->request + 1;
	uint32_t left;

	for (uint32_t i = from; i < to; i++)
		f->answered[i] = false;
	c->hint = 0;
	c->denied_ns = 0;
	while ((left = send_finish(f, from, to)) > 0) {
		int64_t until = pace_client_now(c) + pause;

		while (left > 0) {
			uint32_t before = 0, after = 0;
			int rc;

			c->streams = f->p->ask.streams;
			rc = pace_client_wait(c, PACE_FINISH, first, c->request + 1 - first, until);
			if (rc < 0 && !pace_client_may_pass(rc))
				return pace_client_tell(rc, "finish", patience_ns, err);
			if (rc < 0)
				break;
			for (uint32_t i = from; i < to; i++)
				before += f->answered[i];
			rc = take_ready(f, err);
			if (rc < 0)
				return rc;
			for (uint32_t i = from; i < to; i++)
				after += f->answered[i];
			left -= after - before;
		}
		if (left > 0 && pace_client_hinted(c, began) < 0)
			return pace_client_tell(pace_client_hinted(c, began), "finish", patience_ns,
			    err);
		if (left > 0 && pace_client_now(c) - began > patience_ns)
			return pace_client_tell(c->denied_ns != 0 ? -ECONNREFUSED : -ETIMEDOUT,
			    "finish", patience_ns, err);
		pause = pause * 3 / 2 < MOST_NS ? pause * 3 / 2 : MOST_NS;
	}
	return 0;
}

/* Finish all streams, and wait until their results are ready. */
static int
finish(struct finishing *f, struct pace_err *err)
{
	struct pace_client *c = f->c;
	uint32_t n = f->p->ask.streams;
	int64_t deadline = pace_client_now(c) + f->p->ask.grace_ns + 2 * PACE_CONTROL_NS;
	int rc = ask_ready(f, 0, n, pace_client_patience(c), err);

	if (rc == 0)
		rc = ask_ready(f, 0, 1, PACE_CONTROL_NS, err);
	while (rc == 0 && !f->m[0].ready) {
		int64_t wait_ns = f->m[0].wait_ns < ALIVE_NS ? f->m[0].wait_ns : ALIVE_NS;

		if (pace_client_now(c) > deadline)
			return pace_failf(err, ETIMEDOUT, "finish",
			    "the result was not ready in time");
		pace_client_pause(c, pace_client_now(c) + wait_ns + 1000000);
		rc = ask_ready(f, 0, 1, PACE_CONTROL_NS, err);
	}
	if (rc == 0)
		rc = ask_ready(f, 1, n, PACE_CONTROL_NS, err);
	for (uint32_t i = 0; rc == 0 && i < n; i++)
		if (!f->m[i].ready || f->m[i].size == 0)
			rc = pace_failf(err, EPROTO, "finish", "the result is empty");
	return rc;
}

/* Read a stream's result. */
static int
read_result(struct pace_point *p, struct pace_point *one, char *text, uint32_t size)
{
	json_t *j = pace_js_parse(text, size, NULL);
	int rc = j == NULL ? -EPROTO :
	    pace_rx_result_from_json(&one->rx, &one->theirs, j, p->ask.verify);

	json_decref(j);
	if (rc == 0 && (one->rx.unique > one->tx.frames ||
	    one->rx.lost != one->tx.frames - one->rx.unique || one->rx.records > 0))
		rc = -EPROTO;
	one->has_rx = rc == 0;
	return rc;
}

/* Fetch the results of all streams. */
static int
fetch_results(struct finishing *f, struct pace_point *p, struct pace_err *err)
{
	struct pace_fetched v[PACE_STREAMS] = { { 0, NULL } };
	uint32_t n = p->ask.streams;
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		v[i] = (struct pace_fetched){ .size = f->m[i].size,
		    .to = malloc((size_t)f->m[i].size + 1) };
		if (v[i].to == NULL)
			rc = pace_fail(err, ENOMEM, "fetch");
	}
	if (rc == 0)
		rc = pace_client_fetch_streams(f->c, v, n, err);
	for (uint32_t i = 0; i < n; i++) {
		if (rc == 0) {
			v[i].to[v[i].size] = '\0';
			rc = read_result(p, p->streams[i], (char *)v[i].to, v[i].size);
			if (rc < 0)
				(void)pace_failf(err, EPROTO, "result", "the responder's result "
				    "contradicts itself or what was sent");
		}
		free(v[i].to);
	}
	return rc;
}

int
pace_client_streams_collect(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	struct finishing *f = calloc(1, sizeof(*f));
	int rc;

	if (f == NULL)
		return pace_fail(err, ENOMEM, "finish");
	f->c = c;
	f->p = p;
	rc = finish(f, err);
	if (rc == 0)
		rc = fetch_results(f, p, err);
	free(f);
	c->streams = 0;
	p->has_rx = rc == 0;
	if (rc == 0) {
		/* the counters of the host came with the first stream */
		pace_counters_free(&p->theirs);
		p->theirs = p->streams[0]->theirs;
		memset(&p->streams[0]->theirs, 0, sizeof(p->theirs));
	}
	return rc;
}

/* Close the ledger of a stream with the counters of the hosts, which are those of the point. */
static void
close_stream(struct pace_point *p, struct pace_point *one)
{
	one->ours = p->ours;
	one->theirs = p->theirs;
	pace_loss_attribution_close(one);
	memset(&one->ours, 0, sizeof(one->ours));
	memset(&one->theirs, 0, sizeof(one->theirs));
}

void
pace_client_streams_close(struct pace_point *p, void (*judge)(struct pace_point *one))
{
	for (uint32_t i = 0; i < p->ask.streams; i++) {
		struct pace_point *one = p->streams[i];

		one->ipv6 = p->ipv6;
		one->interrupted = p->interrupted;
		one->clock = p->clock;
		one->verdict = pace_sender_judge(&one->ask, &one->tx, one->ledger.asked,
		    !one->has_rx || one->rx.lost > 0, &one->notes);
		if (one->has_rx) {
			close_stream(p, one);
			judge(one);
		}
	}
	pace_point_aggregate(p);
}
