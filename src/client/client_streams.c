/*
 * A run of several streams: one thread sends them from one merged schedule, or several threads,
 * each its share; or the client receives them (client_down.c).  Their results are requested together.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "doc/aggregate.h"
#include "doc/intervals.h"
#include "doc/js.h"
#include "doc/loss_attribution.h"
#include "doc/params.h"
#include "doc/rx_result_doc.h"
#include "stream/merged.h"

#define RCVBUF_LEAST	(1U << 20)
#define RCVBUF_SHARES	4	/* a flow's buffer is so many n-ths of the whole */
#define FIRST_NS	INT64_C(100000000)
#define MOST_NS		INT64_C(500000000)
#define TOGETHER_NS	INT64_C(20000)	/* threads look this often whether all are prepared, */
#define OVER_NS		INT64_C(1000000)	/* and thread 0 whether the others are over */
#define ALIVE_NS	INT64_C(5000000000)	/* between two FINISHs: well below PACE_LEASE_NS */

uint32_t
pace_client_flow_rcvbuf(const struct pace_client *c, uint32_t n)
{
	uint64_t share = (uint64_t)c->rcvbuf_bytes * RCVBUF_SHARES / n;

	if (share < RCVBUF_LEAST)
		share = RCVBUF_LEAST;
	return share < c->rcvbuf_bytes ? (uint32_t)share : c->rcvbuf_bytes;
}

struct pace_io *
pace_client_flow_io(struct pace_client *c, uint32_t stream)
{
	return stream == 0 ? &c->io : &c->flow[stream].io;
}

/* Give a direction's point its streams. */
static int
split(struct pace_point *p, struct pace_err *err)
{
	int rc = pace_point_split(p);

	if (rc < 0)
		return pace_fail(err, -rc, "streams");
	for (uint32_t i = 0; i < p->ask.streams && p->ask.interval_ns > 0; i++) {
		free(p->streams[i]->intervals);
		p->streams[i]->intervals = pace_intervals_new(&p->ask);
		if (p->streams[i]->intervals == NULL)
			return pace_fail(err, ENOMEM, "intervals");
	}
	return 0;
}

int
pace_client_streams_prepare(struct pace_client *c, struct pace_point *p, struct pace_err *err)
{
	int rc = split(p, err);

	if (rc == 0 && p->back != NULL)
		rc = split(p->back, err);
	if (rc == 0)
		rc = pace_client_flows(c, p->ask.streams, err);
	for (uint32_t i = 1; rc == 0 && i < p->ask.streams; i++) {
		struct pace_io *io = pace_client_flow_io(c, i);

		if (io->mark != NULL && io->mark(io->ctx, p->ask.dscp, p->ask.ecn) < 0)
			rc = pace_failf(err, EINVAL, "streams", "the code points cannot be set");
		if (rc == 0)
			rc = pace_io_stamps(io, p->ask.nic, err);
	}
	return rc;
}

/* --- sending ---------------------------------------------------------------------- */

struct sending {
	struct pace_client *c;
	const struct pace_sender *s;
	struct pace_point *p;
	uint32_t	threads;
	_Atomic bool	halt;		/* a thread failed, or the run is stopped */
	_Atomic uint32_t prepared, over;	/* threads */
	_Atomic int64_t	t0_ns;		/* 0: not all are prepared */
};

/* The streams that one thread sends (client_up.c); thread 0 is the client's. */
struct sending_part {
	struct sending *all;
	uint32_t	k;
	void		*handle;
	struct pace_client_up up;
};

static bool
is_halted(struct sending *a)
{
	return atomic_load_explicit(&a->halt, memory_order_relaxed);
}

static void
halt(struct sending *a)
{
	atomic_store_explicit(&a->halt, true, memory_order_relaxed);
}

/* Only thread 0 looks at what the user and the responder want. */
static bool
part_ends(struct sending_part *v)
{
	return is_halted(v->all) || (v->k == 0 && pace_client_ends(v->all->c));
}

/* Wait until all threads are prepared; thread 0 sets the time of the first frame. */
static int64_t
begin_together(struct sending_part *v)
{
	struct sending *a = v->all;
	struct pace_io *io = pace_client_flow_io(a->c, v->k);
	int64_t t0_ns = 0;

	atomic_fetch_add(&a->prepared, 1);
	while (v->k == 0 && atomic_load(&a->prepared) < a->threads)
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + TOGETHER_NS, NULL);
	if (v->k == 0)
		atomic_store(&a->t0_ns, pace_sender_begin_ns(a->s));
	while ((t0_ns = atomic_load(&a->t0_ns)) == 0)
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + TOGETHER_NS, NULL);
	return t0_ns;
}

/* Send the thread's streams.  The first one of all has the pings, so its failure ends all. */
static void
send_part(void *arg)
{
	struct sending_part *v = arg;
	struct sending *a = v->all;
	struct pace_client_up *u = &v->up;
	int64_t t0_ns;
	uint32_t i;
	int rc;

	pace_client_up_prepare(u);	/* in this thread: it measures what befalls it */
	t0_ns = begin_together(v);
	pace_client_up_begin(u, t0_ns);
	rc = u->rc;
	while (rc > 0 || (rc == 0 && !part_ends(v)))
		rc = pace_merged_step(&u->sends, INT64_MAX, &i);
	if (rc == -ENOENT)
		rc = 0;
	if (rc < 0 || part_ends(v))
		halt(a);
	pace_client_up_end(u, rc);
	atomic_fetch_add(&a->over, 1);
}

/* Start the other threads.  The streams of one that cannot start are not sent, so the run fails. */
static int
start_parts(struct sending *a, struct sending_part *v)
{
	const struct pace_threads *t = a->c->threads;
	int rc = 0;

	for (uint32_t k = 1; k < a->threads; k++) {
		int one = t->start(t, k, send_part, &v[k], &v[k].handle);

		if (one == 0)
			continue;
		rc = one;
		halt(a);
		v[k].handle = NULL;
		atomic_fetch_add(&a->prepared, 1);
		atomic_fetch_add(&a->over, 1);
	}
	return rc;
}

/* Wait for the other threads, whose streams may last longer. */
static int
end_parts(struct sending *a, struct sending_part *v, int rc)
{
	struct pace_io *io = &a->c->io;

	while (atomic_load(&a->over) < a->threads) {
		if (pace_client_ends(a->c))
			halt(a);
		(void)io->sleep_until(io->ctx, io->now(io->ctx) + OVER_NS, NULL);
	}
	for (uint32_t k = 0; k < a->threads; k++) {
		if (v[k].handle != NULL)
			a->c->threads->join(v[k].handle);
		rc = rc < 0 ? rc : v[k].up.rc;
	}
	return rc;
}

int
pace_client_streams_run(struct pace_client *c, const struct pace_sender *s, struct pace_point *p)
{
	struct sending a = { .c = c, .s = s, .p = p,
	    .threads = pace_threads_of(c->threads, p->ask.streams) };
	struct sending_part *v = calloc(a.threads, sizeof(*v));
	int rc;

	if (v == NULL)
		return -ENOMEM;
	for (uint32_t k = 0; k < a.threads; k++) {
		struct pace_client_up *u = &v[k].up;

		v[k].all = &a;
		v[k].k = k;
		*u = (struct pace_client_up){ .c = c, .sender = *s, .p = p,
		    .sends = { .first = k, .step = a.threads } };
		u->sender.halt = a.threads > 1 ? &a.halt : NULL;
		if (k > 0)
			u->sender.stop = u->sender.cut = NULL;
	}
	rc = start_parts(&a, v);
	send_part(&v[0]);
	rc = end_parts(&a, v, rc);
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
		struct pace_msg_finish m = { .sent = f->p->streams[i]->tx.frames,
		    /* nobody receives the responder's frames any more */
		    .stop = pace_params_goes_down(&f->p->ask), .collect = f->p->ask.two_way };

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
finish(struct finishing *f, int64_t patience_ns, struct pace_err *err)
{
	struct pace_client *c = f->c;
	uint32_t n = f->p->ask.streams;
	int64_t deadline = pace_client_now(c) + f->p->ask.grace_ns + 2 * PACE_CONTROL_NS;
	int rc = ask_ready(f, 0, n, patience_ns, err);

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

/* Free what received a stream: its result is copied, and no records will be asked for. */
static void
free_receiver(struct pace_client *c, uint32_t stream)
{
	struct pace_receiver **r = stream == 0 ? &c->receiver : &c->flow[stream].receiver;

	pace_receiver_free(*r);
	*r = NULL;
}

/* Take the result of stream i of one direction. */
static int
take_result(struct pace_client *c, struct pace_point *p, uint32_t i, const json_t *j)
{
	struct pace_point *one = p->streams[i];
	int rc;

	one->clock = p->clock;
	rc = j == NULL ? -EPROTO :
	    p->ask.direction == PACE_DOWN ? pace_client_down_result(c, i, one, j) :
	    pace_rx_result_from_json(&one->rx, &one->theirs, j, p->ask.verify);
	if (rc == 0)
		rc = pace_client_intervals(c, i, one, j);
	if (i == 0)
		p->clock.theirs = one->clock.theirs;
	if (rc == 0 && (one->rx.unique > one->tx.frames ||
	    one->rx.lost != one->tx.frames - one->rx.unique ||
	    one->rx.records > one->ask.record.room))
		rc = -EPROTO;
	one->has_rx = rc == 0;
	return rc;
}

/* Read a stream's result; of a two-way run that of both directions. */
static int
read_result(struct pace_client *c, struct pace_point *p, uint32_t i, char *text, uint32_t size)
{
	json_t *j = pace_js_parse(text, size, NULL);
	const struct pace_point *down = p->back != NULL ? p->back : p;
	int rc = take_result(c, p, i, j);

	if (rc == 0 && p->back != NULL) {
		p->back->clock = p->clock;
		rc = take_result(c, p->back, i, json_object_get(j, "down"));
	}
	json_decref(j);
	if (down->streams[i]->rx.records == 0)
		free_receiver(c, i);
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
			rc = read_result(f->c, p, i, (char *)v[i].to, v[i].size);
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
	rc = finish(f, pace_client_patience(c), err);
	if (rc == 0)
		rc = fetch_results(f, p, err);
	free(f);
	c->streams = 0;
	p->has_rx = rc == 0;
	if (p->back != NULL)
		p->back->has_rx = rc == 0;
	if (rc == 0) {
		/* the counters of the host came with the first stream */
		pace_counters_free(&p->theirs);
		p->theirs = p->streams[0]->theirs;
		memset(&p->streams[0]->theirs, 0, sizeof(p->theirs));
	}
	return rc;
}

int
pace_client_streams_finish(struct pace_client *c, const struct pace_point *p, int64_t patience_ns,
    struct pace_err *err)
{
	struct finishing *f = calloc(1, sizeof(*f));
	int rc;

	if (f == NULL)
		return pace_fail(err, ENOMEM, "finish");
	f->c = c;
	f->p = p;
	rc = finish(f, patience_ns, err);
	free(f);
	c->streams = 0;
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
		one->ledger.tx_refused = one->tx.refused;
		one->verdict = pace_sender_judge(&one->ask, &one->tx, one->ledger.asked,
		    !one->has_rx || one->rx.lost > 0, &one->notes);
		if (one->has_rx) {
			close_stream(p, one);
			judge(one);
		}
	}
	pace_point_aggregate(p);
}
