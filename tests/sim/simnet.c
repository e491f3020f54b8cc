#include "simnet.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/counter.h"
#include "sums.h"

volatile int sim_own;

static const struct pace_addr client_addr = { .family = 4, .port = 40000,
    .ip = { 192, 0, 2, 1 } };

uint64_t
sim_random(struct sim *s)
{
	uint64_t z = s->rng += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static double
dice(struct sim *s)
{
	return (double)(sim_random(s) >> 11) / 9007199254740992.0;
}

/* --- what is under way: a heap by time ------------------------------------- */

static bool
earlier(const struct sim_packet *a, const struct sim_packet *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void
swap(struct sim *s, int i, int j)
{
	struct sim_packet *p = s->flight[i];

	s->flight[i] = s->flight[j];
	s->flight[j] = p;
}

static void
launch(struct sim *s, struct sim_packet *p)
{
	int i = s->flights++;

	if (i >= SIM_FLIGHTS)
		abort();
	s->flight[i] = p;
	for (; i > 0 && earlier(s->flight[i], s->flight[(i - 1) / 2]); i = (i - 1) / 2)
		swap(s, i, (i - 1) / 2);
}

static struct sim_packet *
land(struct sim *s)
{
	struct sim_packet *p = s->flight[0];
	int i = 0, child;

	s->flight[0] = s->flight[--s->flights];
	while ((child = 2 * i + 1) < s->flights) {
		if (child + 1 < s->flights && earlier(s->flight[child + 1], s->flight[child]))
			child++;
		if (!earlier(s->flight[child], s->flight[i]))
			break;
		swap(s, i, child);
		i = child;
	}
	return p;
}

static void
free_packet(struct sim_packet *p)
{
	free(p->buf);
	free(p);
}

static bool
is_frame(const uint8_t *buf, size_t len)
{
	return len >= PACE_HDR_SIZE && (buf[3] & ~PACE_REPLY) == PACE_DATA;
}

/* Do frames go this way?  What goes it the hosts count. */
static bool
is_counted(const struct sim *s, enum sim_way way)
{
	return s->two_way || way == (s->reverse ? SIM_TO_CLIENT : SIM_TO_RESPONDER);
}

/* A network loses datagrams, not memory: see sim_own. */
static void *
room(size_t size)
{
	void *p;

	sim_own++;
	p = calloc(1, size > 0 ? size : 1);
	sim_own--;
	if (p == NULL)
		abort();
	return p;
}

/* The socket connected to this peer: of a session, or of a further flow. */
static struct sim_end *
flow_of(struct sim *s, const struct pace_addr *peer)
{
	for (int i = 0; i < s->flows_n; i++)
		if (s->flows[i] != NULL && pace_addr_same(&s->flows[i]->addr, peer))
			return s->flows[i];
	return NULL;
}

static struct sim_end *
session_of(struct sim *s, const struct pace_addr *peer)
{
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (s->sessions[i].used && pace_addr_same(&s->sessions[i].addr, peer))
			return &s->sessions[i];
	return flow_of(s, peer);
}

static struct sim_packet *
make(struct sim *s, enum sim_way way, const struct pace_addr *from,
    const struct pace_addr *to, const void *buf, size_t len)
{
	struct sim_packet *p = room(sizeof(*p));
	const struct sim_end *end;

	p->sent_ns = s->now_ns;
	p->way = way;
	p->from = *from;
	p->to = *to;
	p->len = len;
	p->buf = room(len);
	memcpy(p->buf, buf, len);
	p->parts = 1;
	p->data = is_counted(s, way) && is_frame(buf, len);
	p->run = p->data ? p->buf[5] : 0;
	for (int i = 16; i < 24 && p->data; i++)
		p->number[0] = p->number[0] << 8 | p->buf[i];
	end = way == SIM_TO_RESPONDER ? &s->client : session_of(s, to);
	p->mark = end != NULL ? end->mark : 0;
	if (s->remark != NULL)
		p->mark = s->remark(p);
	return p;
}

static void
post(struct sim *s, struct sim_packet *p, int64_t delay_ns)
{
	p->at_ns = s->now_ns + delay_ns;
	p->order = s->order++;
	launch(s, p);
}

static struct sim_packet *
copy_of(const struct sim_packet *p)
{
	struct sim_packet *q = room(sizeof(*q));

	*q = *p;
	q->buf = room(p->len);
	memcpy(q->buf, p->buf, p->len);
	return q;
}

/* --- places of the hosts -------------------------------------------------------- */

static void
saw(struct sim *s, enum sim_step step, const struct sim_packet *p)
{
	for (int i = 0; i < p->parts && p->data && s->saw != NULL; i++)
		s->saw(s->saw_ctx, step, p, i);
}

/* Is the datagram lost at this place? */
static bool
dies(struct sim *s, struct sim_packet *p, double share, enum sim_step step)
{
	if (!p->data || share <= 0 || dice(s) >= share)
		return false;
	saw(s, step, p);
	free_packet(p);
	return true;
}

#define SPIN_NS	100	/* of one that wants no rest */

/* --- clocks ------------------------------------------------------------------ */

static int64_t
clock_of(const struct sim_end *e, int64_t t)
{
	int64_t theta = e->theirs ? e->sim->theta_ns : e->theta_ns;
	int64_t ppb = e->theirs ? e->sim->skew_ppb : e->skew_ppb;

	return t + theta + (int64_t)((double)t * (double)ppb * 1e-9);
}

/* When that clock shows t. */
static int64_t
time_of(const struct sim_end *e, int64_t t)
{
	int64_t theta = e->theirs ? e->sim->theta_ns : e->theta_ns;
	double ppb = (double)(e->theirs ? e->sim->skew_ppb : e->skew_ppb);

	if (t > INT64_MAX / 2)
		return t;
	t -= theta;
	return t - (int64_t)((double)t * ppb * 1e-9 / (1 + ppb * 1e-9));
}

static void
depart(struct sim_end *e)
{
	e->departure[e->departures++ % SIM_DEPARTURES] =
	    clock_of(e, e->sim->now_ns + e->sim->stack_ns);
}

/* One bit; of the header one that its check is over. */
static void
damage(struct sim *s, const struct sim_impair *m, struct sim_packet *p)
{
	bool late = p->data && p->len >= PACE_DATA_SIZE;
	bool proof = late && p->way == SIM_TO_CLIENT && p->len >= PACE_DOWN_SIZE;
	size_t head = proof ? PACE_DOWN_SIZE : late ? PACE_DATA_SIZE : PACE_HDR_SIZE;

	if (m->payload > 0 && p->len > head && dice(s) < m->payload) {
		p->payload = 1;
		p->buf[head + sim_random(s) % (p->len - head)] ^= 1u << sim_random(s) % 8;
	}
	if (m->header > 0 && p->len >= head && dice(s) < m->header) {
		p->header = 1;
		p->buf[sim_random(s) % head] ^= 1u << sim_random(s) % 8;
	}
	p->checksum = m->checksum > 0 && dice(s) < m->checksum;
}

static int64_t
jitter(struct sim *s, const struct sim_impair *m)
{
	return m->jitter_ns > 0 ? (int64_t)(dice(s) * (double)m->jitter_ns) : 0;
}

static bool
is_lost(struct sim *s, const struct sim_impair *m, bool data)
{
	if (data && m->every > 0 && ++s->data_n % m->every == 0)
		return true;
	return (m->loss > 0 && dice(s) < m->loss) ||
	    (s->now_ns >= m->out_from_ns && s->now_ns < m->out_to_ns);
}

static void
send_copies(struct sim *s, const struct sim_impair *m, const struct sim_packet *p, int64_t delay)
{
	for (int i = 0; i < (m->copies > 0 ? m->copies : 1); i++) {
		s->copied[p->way]++;
		post(s, copy_of(p), delay + 1 + jitter(s, m));
	}
}

static void
transmit(struct sim *s, enum sim_way way, const struct pace_addr *from,
    const struct pace_addr *to, const uint8_t *buf, size_t len)
{
	bool data = is_frame(buf, len);
	const struct sim_impair *m = data ? &s->data[way] : &s->control[way];
	int64_t delay = s->delay_ns + (way == SIM_TO_CLIENT ? s->back_ns : 0) + jitter(s, m);
	struct sim_packet *p = make(s, way, from, to, buf, len);
	enum sim_fate attribution = SIM_PASS;

	s->sent[way]++;
	if (is_lost(s, m, data))
		attribution = SIM_DROP;
	else if (m->dup > 0 && dice(s) < m->dup)
		attribution = SIM_DUP;
	if (m->late > 0 && dice(s) < m->late)
		delay += m->late_ns;
	if (attribution != SIM_DROP && s->hook != NULL) {
		enum sim_fate f = s->hook(s->hook_ctx, way, p->buf, len, &delay);

		attribution = f != SIM_PASS ? f : attribution;
	}
	if (attribution == SIM_DROP) {
		s->lost[way]++;
		saw(s, SIM_IN_NETWORK, p);
		free_packet(p);
		return;
	}
	damage(s, m, p);
	post(s, p, delay);
	if (attribution == SIM_DUP)
		send_copies(s, m, p, delay);
}

/* --- ends -------------------------------------------------------------------- */

/* A whole piece of a train is one datagram, and one drop. */
static void
enqueue(struct sim *s, struct sim_queue *q, struct sim_packet *p)
{
	enum sim_step bad = p->checksum ? SIM_AT_CHECKSUM : SIM_AT_SOCKET;

	if (p->checksum || q->n >= q->room) {
		q->drops++;
		s->usage.bad_checksums += p->checksum;
		saw(s, bad, p);
		free_packet(p);
		return;
	}
	saw(s, SIM_QUEUED, p);
	p->drops = q->drops;		/* the kernel's, as of now: not as of the reading */
	q->first[q->n++] = p;
}

static void
empty(struct sim_queue *q)
{
	for (int i = 0; i < q->n; i++)
		free_packet(q->first[i]);
	q->n = 0;
}

/* Do what the kernel's GRO does: the following datagrams of the same length arrive with it.
 * Return their number. */
static int
coalesce(struct sim_end *e, int at, struct pace_in *in)
{
	const struct sim_packet *p = e->q.first[at];
	int k = 1;

	while (e->sim->joins_all && e->coalesce && at + k < e->q.n && e->q.first[at + k]->len == p->len &&
	    e->q.first[at + k]->mark == p->mark &&
	    in->len + p->len <= in->size && p->len > 1) {
		memcpy(in->buf + in->len, e->q.first[at + k]->buf, p->len);
		in->len += p->len;
		in->segment = p->len;
		free_packet(e->q.first[at + k++]);
	}
	return k;
}

static int
end_recv(void *ctx, struct pace_in *v, int n)
{
	struct sim_end *e = ctx;
	int got = 0, taken = 0;

	while (got < n && taken < e->q.n) {
		struct sim_packet *p = e->q.first[taken];
		struct pace_in *in = &v[got++];

		in->len = p->len;
		memcpy(in->buf, p->buf, p->len < in->size ? p->len : in->size);
		in->stamp_ns = clock_of(e, p->at_ns);
		in->stamp = PACE_STAMP_KERNEL;
		in->drops = p->drops;
		in->has_drops = p->drops > 0;
		in->has_mark = e != &e->sim->listener;
		in->mark = p->mark;
		in->from = p->from;
		in->segment = p->segment;
		saw(e->sim, SIM_TAKEN, p);
		in->local.family = 0;
		if (e == &e->sim->listener) {
			e->sim->stranger_in += p->len;
			e->sim->last_in = p->len;
		}
		taken += coalesce(e, taken, in);
		free_packet(p);
	}
	memmove(e->q.first, e->q.first + taken, (size_t)(e->q.n - taken) * sizeof(e->q.first[0]));
	e->q.n -= taken;
	return got;
}

static bool	advance(struct sim *s, int64_t until_ns, bool on_data);

static int
client_recv(void *ctx, struct pace_in *v, int n)
{
	struct sim_end *e = ctx;

	if (e->q.n == 0 && e->sim->poll_ns > 0)
		advance(e->sim, e->sim->now_ns + e->sim->poll_ns, false);
	if (e->q.n == 0 && e->sim->unreachable > 0) {
		e->sim->unreachable--;
		return -ECONNREFUSED;
	}
	return end_recv(ctx, v, n);
}

/* Does send() refuse it?  0, or why. */
static int
refuses(struct sim *s, enum sim_way way, const uint8_t *buf, size_t len)
{
	if (s->hosts.refuse <= 0 || !is_frame(buf, len) ||
	    dice(s) >= s->hosts.refuse)
		return 0;
	if (++s->refusals % 2 == 0)
		return -EPERM;
	s->counts[way].qdisc_drops += !s->hosts.hidden;
	return -ENOBUFS;
}

/* From the call to the wire; whole: a piece of a train, which the queue takes or drops whole. */
static void
leave(struct sim *s, enum sim_way way, const struct pace_addr *from, const struct pace_addr *to,
    const uint8_t *buf, size_t size, int n)
{
	bool data = is_frame(buf, size), counts = is_counted(s, way);
	bool queue = data && s->hosts.qdisc > 0 && dice(s) < s->hosts.qdisc;
	bool nic = !queue && data && s->hosts.tx_nic > 0 && dice(s) < s->hosts.tx_nic;

	s->counts[way].qdisc_drops += queue;
	s->counts[way].tx_nic_drops += nic && !s->hosts.hidden;
	s->counts[way].tx_frames += counts && !queue && !nic;
	for (int i = 0; i < n; i++) {
		const uint8_t *frame = buf + (size_t)i * size;
		struct sim_packet *p;

		if (way == SIM_TO_RESPONDER)
			sim_sum_datagram(SIM_FROM_CLIENTS, s->now_ns, from, frame, size);
		else
			sim_sum_datagram(SIM_FROM_RESPONDER, s->now_ns, to, frame, size);
		if (s->saw == NULL) {
			if (!queue && !nic)
				transmit(s, way, from, to, frame, size);
			continue;
		}
		p = make(s, way, from, to, frame, size);
		saw(s, SIM_SENT, p);
		if (queue || nic)
			saw(s, queue ? SIM_AT_QDISC : SIM_AT_TX_NIC, p);
		else
			transmit(s, way, from, to, frame, size);
		free_packet(p);
	}
}

static const struct pace_addr nowhere;

static int
client_send(void *ctx, const struct pace_out *v, int n)
{
	struct sim_end *e = ctx;

	for (int i = 0; i < n && !(e->dead && e->sim->yield != NULL); i++) {
		int rc = refuses(e->sim, SIM_TO_RESPONDER, v[i].buf, v[i].len);

		if (rc < 0)
			return i > 0 ? i : rc;
		leave(e->sim, SIM_TO_RESPONDER, &e->addr, &nowhere, v[i].buf, v[i].len, 1);
		if (v[i].stamp)
			depart(e);
	}
	return n;
}

static int
responder_send(void *ctx, const struct pace_out *v, int n)
{
	struct sim_end *e = ctx;
	for (int i = 0; i < n; i++) {
		const struct pace_addr *to = v[i].to.family != 0 ? &v[i].to : &e->addr;
		int rc = refuses(e->sim, SIM_TO_CLIENT, v[i].buf, v[i].len);

		if (rc < 0)
			return i > 0 ? i : rc;

		if (e == &e->sim->listener) {
			e->sim->stranger_out += v[i].len;
			if (v[i].len > e->sim->last_in)
				e->sim->worst_gain++;
		}
		leave(e->sim, SIM_TO_CLIENT, &nowhere, to, v[i].buf, v[i].len, 1);
		if (v[i].stamp)
			depart(e);
	}
	return n;
}

static int
end_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct sim_end *e = ctx;
	int rc = refuses(e->sim, e->theirs ? SIM_TO_CLIENT : SIM_TO_RESPONDER, frames, size);

	*segmented = true;
	if (rc < 0)
		return rc;
	if (e->sim->train_room > 0 && n > e->sim->train_room)
		n = e->sim->train_room;
	else if (e->sim->train_room < 0)
		return e->sim->train_room;
	if (e->theirs)
		leave(e->sim, SIM_TO_CLIENT, &nowhere, &e->addr, frames, size, n);
	else
		leave(e->sim, SIM_TO_RESPONDER, &e->addr, &nowhere, frames, size, n);
	return n;
}

static int
end_departures(void *ctx, struct pace_departure *v, int n)
{
	struct sim_end *e = ctx;
	int got = 0;

	while (got < n && e->told != e->departures) {
		v[got].n = e->told;
		v[got++].stamp_ns = e->departure[e->told++ % SIM_DEPARTURES];
	}
	return got;
}

static void
end_renumber(void *ctx)
{
	struct sim_end *e = ctx;

	e->departures = e->told = 0;
}

static void
end_coalesce(void *ctx, bool on)
{
	((struct sim_end *)ctx)->coalesce = on;
}

static int
end_mark(void *ctx, uint32_t dscp, enum pace_ecn ecn)
{
	((struct sim_end *)ctx)->mark = (uint8_t)(dscp << 2 | ecn);
	return 0;
}

static void
tell_usage(void *ctx, struct pace_usage *u)
{
	*u = ((struct sim_end *)ctx)->sim->usage;
}

static int64_t
end_now(void *ctx)
{
	struct sim_end *e = ctx;

	return clock_of(e, e->sim->now_ns);
}

static int64_t
end_wall(void *ctx)
{
	struct sim_end *e = ctx;

	return e->theirs ? e->sim->wall_ns : e->sim->own_wall_ns;
}

static uint32_t
end_drops(void *ctx)
{
	struct sim_end *e = ctx;

	return e->sim->no_drop_total ? 0 : e->q.drops;
}

/* --- threads: one runs at a time ------------------------------------------------ */

struct sim_thread {
	struct sim_thread *next;
	pthread_t	id;
	sem_t		go, back;
	int64_t		at_ns;		/* when it goes on */
	bool		over;
	void		(*work)(void *arg);
	void		*arg;
};

static struct sim *threaded;
static _Thread_local struct sim_thread *self;	/* NULL: not one of these */

static void *
run_thread(void *arg)
{
	self = arg;
	sem_wait(&self->go);
	self->work(self->arg);
	self->over = true;
	self->at_ns = INT64_MAX;
	sem_post(&self->back);
	return NULL;
}

/* In a thread: the others go on until then. */
static void
rest_until(int64_t at_ns)
{
	self->at_ns = at_ns;
	sem_post(&self->back);
	sem_wait(&self->go);
}

static void
resume(struct sim_thread *t)
{
	sem_post(&t->go);
	sem_wait(&t->back);
}

/* The thread that goes on first; NULL: none. */
static struct sim_thread *
next_thread(const struct sim *s)
{
	struct sim_thread *first = s->threads;

	for (struct sim_thread *t = first; t != NULL; t = t->next)
		if (t->at_ns < first->at_ns)
			first = t;
	return first;
}

static int
start_thread(const struct pace_threads *cores, uint32_t k, void (*work)(void *arg), void *arg,
    void **handle)
{
	struct sim_thread *t = room(sizeof(*t));

	(void)cores;
	(void)k;
	*t = (struct sim_thread){ .next = threaded->threads, .at_ns = threaded->now_ns,
	    .work = work, .arg = arg };
	if (sem_init(&t->go, 0, 0) != 0 || sem_init(&t->back, 0, 0) != 0 ||
	    pthread_create(&t->id, NULL, run_thread, t) != 0)
		abort();
	threaded->threads = t;
	*handle = t;
	return 0;
}

/* The caller is in a step or in its own thread, and is not stepped meanwhile. */
static void
join_thread(void *handle)
{
	struct sim_thread *t = handle, **p = &threaded->threads;

	if (threaded->stepped != NULL)
		threaded->stepped->wake = (struct pace_wake){ .at_ns = INT64_MAX };
	while (!t->over)
		advance(threaded, t->at_ns, false);
	pthread_join(t->id, NULL);
	while (*p != t)
		p = &(*p)->next;
	*p = t->next;
	sem_destroy(&t->go);
	sem_destroy(&t->back);
	free(t);
}

void
sim_threads(struct sim *s, uint32_t n)
{
	threaded = s;
	s->cores = (struct pace_threads){ .n = n, .start = start_thread, .join = join_thread };
	for (uint32_t k = 0; k < n; k++)
		s->cores.core[k] = (int)k;
}

/* --- the world moves ---------------------------------------------------------- */

static void
step_session(struct sim *s, struct sim_end *e)
{
	struct sim_end *outer = s->stepped;

	s->steps++;
	s->stepped = e;
	e->wake = pace_session_step(e->session);
	e->wake.at_ns = e->wake.at_ns == 0 ? s->now_ns + SPIN_NS : time_of(e, e->wake.at_ns);
	if (e->wake.done) {
		e->wake.at_ns = INT64_MAX;
		pace_session_free(e->session);
		empty(&e->q);
		pace_places_free(&s->responder.places, e->slot);
		e->used = false;
	}
	s->stepped = outer;
}

/* Behind the wire of the receiving host, and before its IP layer: false, it died. */
static bool
enters(struct sim *s, struct sim_packet *p)
{
	const struct sim_hosts *h = &s->hosts;
	struct sim_counts *n = &s->counts[p->way];

	if (dies(s, p, h->rx_nic, SIM_AT_RX_NIC)) {
		n->rx_nic_drops++;
		return false;
	}
	n->rx_frames++;
	if (dies(s, p, h->softnet, SIM_AT_SOFTNET)) {
		n->softnet_drops++;
		return false;
	}
	return !dies(s, p, h->ingress, SIM_AT_INGRESS);
}

/* Can q be put behind p?  Lengths are the same, the last one's may be shorter. */
static bool
joins(const struct sim_packet *p, const struct sim_packet *q)
{
	size_t segment = p->segment > 0 ? p->segment : p->len;

	return q->way == p->way && q->at_ns == p->at_ns && q->sent_ns == p->sent_ns &&
	    q->data && q->run == p->run && !q->checksum &&
	    pace_addr_same(&q->from, &p->from) && q->len <= segment && q->mark == p->mark && p->len % segment == 0 &&
	    p->parts < 64 && p->len + q->len <= PACE_FRAME_MAX;
}

static void
join(struct sim_packet *p, struct sim_packet *q)
{
	uint8_t *both = room(p->len + q->len);

	memcpy(both, p->buf, p->len);
	memcpy(both + p->len, q->buf, q->len);
	free(p->buf);
	p->buf = both;
	p->segment = p->segment > 0 ? p->segment : p->len;
	p->len += q->len;
	p->payload |= q->payload << p->parts;
	p->header |= q->header << p->parts;
	p->number[p->parts++] = q->number[0];
	free_packet(q);
}

/* Datagrams that arrive at the same moment are merged from here on if they can be. */
static void
gather(struct sim *s, struct sim_packet *p)
{
	while (s->flights > 0 && joins(p, s->flight[0])) {
		struct sim_packet *q = land(s);

		if (enters(s, q))
			join(p, q);
	}
}

/* Up to the host's sockets: false, it died. */
static bool
comes_in(struct sim *s, struct sim_packet *p, const struct sim_end *e)
{
	struct sim_counts *n = &s->counts[p->way];

	if (!is_counted(s, p->way))
		return true;
	if (!enters(s, p))
		return false;
	if (s->gro && e != NULL && e->coalesce && p->data && !p->checksum)
		gather(s, p);
	n->ip_received++;
	if (dies(s, p, s->hosts.ip, SIM_AT_IP))
		return false;
	n->ip_delivered++;
	return true;
}

static void
arrive(struct sim *s, struct sim_packet *p)
{
	struct sim_end *e = session_of(s, &p->from);

	if (!comes_in(s, p, e))
		return;
	if (e == NULL) {
		enqueue(s, &s->listener.q, p);
		while (pace_responder_step(&s->responder) > 0)
			;
		return;
	}
	enqueue(s, &e->q, p);
	if (e->of != NULL && e->of->wake.shares)
		return;			/* for a thread, or for later */
	if (e->of != NULL)
		e = e->of;
	if (e->wake.on_data)
		step_session(s, e);
}

/* The client or session that owns this end. */
static struct sim_end *
owner_of(struct sim_end *e)
{
	return e->of != NULL ? e->of : e;
}

static void
deliver(struct sim *s, struct sim_packet *p)
{
	struct sim_end *to = &s->client;

	if (p->way == SIM_TO_CLIENT) {
		for (int i = 0; i < s->own_n; i++)
			if (s->own[i] != NULL && pace_addr_same(&p->to, &s->own[i]->addr))
				to = s->own[i];
		for (int i = 0; i < s->more_n; i++)
			if (pace_addr_same(&p->to, &s->more[i].addr))
				to = &s->more[i];
		if (s->other != NULL && !pace_addr_same(&p->to, &to->addr))
			s->other(s, p);
		if (owner_of(to)->dead || !pace_addr_same(&p->to, &to->addr))
			free_packet(p);
		else if (comes_in(s, p, to))
			enqueue(s, &to->q, p);
		return;
	}
	s->unreachable += s->down && s->closed_port;
	if (s->down)
		free_packet(p);
	else
		arrive(s, p);
}

/* The session that wants to be stepped first; NULL: none. */
static struct sim_end *
next_session(struct sim *s)
{
	struct sim_end *first = NULL;

	for (int i = 0; i < s->sessions_n; i++)
		if (s->sessions[i].used &&
		    (first == NULL || s->sessions[i].wake.at_ns < first->wake.at_ns))
			first = &s->sessions[i];
	return first;
}

static bool
is_served(const struct sim *s)
{
	if (s->client.wants && (s->client.q.n > 0 || s->unreachable > 0))
		return true;
	for (int i = 0; i < s->more_n; i++)
		if (s->more[i].wants && s->more[i].q.n > 0)
			return true;
	return false;
}

/* What happens from time to time: is it due? */
static bool
beat(struct sim *s, void (*f)(struct sim *s), int64_t *last_ns, int64_t every_ns, int64_t until_ns)
{
	if (f == NULL || *last_ns + every_ns > until_ns)
		return false;
	*last_ns += every_ns;
	if (*last_ns > s->now_ns)
		s->now_ns = *last_ns;
	f(s);
	return true;
}

bool
sim_advance(struct sim *s, int64_t until_ns)
{
	for (;;) {
		struct sim_end *e = next_session(s);
		int64_t flight = s->flights > 0 ? s->flight[0]->at_ns : INT64_MAX;
		int64_t wake = e != NULL ? e->wake.at_ns : INT64_MAX;
		struct sim_thread *t = next_thread(s);
		int64_t goes = t != NULL ? t->at_ns : INT64_MAX;
		int64_t next = flight < wake ? flight : wake, until;

		next = goes < next ? goes : next;
		if (is_served(s))
			return true;
		until = next < until_ns ? next : until_ns;
		if (beat(s, s->tick, &s->ticked_ns, s->tick_ns, until) ||
		    beat(s, s->look, &s->looked_ns, s->look_ns, until))
			continue;
		if (next > until_ns)
			break;
		if (next > s->now_ns)
			s->now_ns = next;
		if (t != NULL && goes <= flight && goes <= wake)
			resume(t);
		else if (flight <= wake)
			deliver(s, land(s));
		else
			step_session(s, e);
	}
	if (until_ns > s->now_ns)
		s->now_ns = until_ns;
	return false;
}

static bool
advance(struct sim *s, int64_t until_ns, bool on_data)
{
	bool wanted = s->client.wants, got;

	s->client.wants = on_data;
	got = sim_advance(s, until_ns);
	s->client.wants = wanted;
	return got;
}

void
sim_pass(struct sim *s, int64_t ns)
{
	advance(s, s->now_ns + ns, false);
}

static int64_t
client_sleep(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	struct sim_end *e = ctx;

	(void)st;
	if (self != NULL)
		rest_until(t_ns);
	else if (e->sim->yield == NULL)
		advance(e->sim, t_ns, false);
	while (e->sim->yield != NULL && clock_of(e, e->sim->now_ns) < t_ns)
		e->sim->yield(owner_of(e), time_of(e, t_ns) + 1, false);
	return clock_of(e, e->sim->now_ns);
}

static int
client_wait(void *ctx, int64_t until_ns)
{
	struct sim_end *e = ctx;

	if (self != NULL) {
		rest_until(until_ns);
		return e->q.n > 0;
	}
	return e->sim->yield != NULL ? e->sim->yield(e, time_of(e, until_ns) + 1, true) :
	    advance(e->sim, until_ns, true);
}

/* One domain, since the network began. */
static int64_t
tell_energy(void *ctx, struct pace_energy *e)
{
	const struct sim_end *end = ctx;
	const struct sim *s = end->sim;

	memset(e, 0, sizeof(*e));
	e->known = s->watts > 0;
	if (e->known) {
		e->domains = 1;
		snprintf(e->v[0].name, sizeof(e->v[0].name), "package-0");
		e->v[0].counted = true;
		e->v[0].joules = s->watts * 1e-9 * (double)s->now_ns;
	}
	return s->now_ns;
}

/* Counters of all traffic rise with that of others. */
static uint64_t
with_others(struct sim *s, uint64_t n)
{
	return n + s->others;
}

/* The shares of a core's time, and what drivers count; the responder's host has more to do. */
static void
tell_work(const struct sim *s, struct pace_counters *c, const struct sim_counts *rx, bool theirs)
{
	uint64_t t = (uint64_t)s->now_ns;
	struct pace_core_use *u = c->core;

	c->has_cpu = true;
	u->ns[PACE_CPU_USER] = theirs ? t / 4 : t / 5;
	u->ns[PACE_CPU_SYSTEM] = t / 10;
	u->ns[PACE_CPU_SOFTIRQ] = t / 20;
	u->ns[PACE_CPU_IRQ] = t / 100;
	u->ns[PACE_CPU_IDLE] = theirs ? t / 3 : t / 2;
	for (int i = 0; i < PACE_CORE_COUNTS; i++)
		c->has_core[i] = true;
	u->n[PACE_CORE_INTERRUPTS] = t / 1000000 + rx->rx_frames / 3;
	u->n[PACE_CORE_NET_RX] = rx->rx_frames / 4;
	u->n[PACE_CORE_NET_TX] = t / 2000000;
	u->n[PACE_CORE_SOFTNET_FRAMES] = rx->rx_frames;
	u->n[PACE_CORE_SOFTNET_SQUEEZED] = rx->rx_frames / 100;
	c->thread.user_ns = t / 7;
	c->thread.system_ns = t / 8;
	c->thread.voluntary = t / 3000000;
	c->thread.involuntary = t / 50000000;
	c->stats = 2;
	c->stat = room(c->stats * sizeof(*c->stat));
	snprintf(c->stat[0].name, sizeof(c->stat[0].name), "rx_out_of_buffer");
	c->stat[0].n = rx->rx_nic_drops;
	snprintf(c->stat[1].name, sizeof(c->stat[1].name), "rx_pause");
	c->stat[1].n = t / 20000000;
	c->interface->n[PACE_IF_RX_FIFO] = rx->rx_nic_drops;
	c->interface->n[PACE_IF_RX_BYTES] = rx->rx_frames * 1500;
	c->has_snmp[0][PACE_UDP_IN_DATAGRAMS] = c->has_snmp[0][PACE_UDP_RCVBUF_ERRORS] = true;
	c->snmp[0][PACE_UDP_IN_DATAGRAMS] = rx->ip_delivered;
}

static void
tell_host(struct sim *s, struct pace_counters *c, bool theirs)
{
	struct pace_if_use *u = room(sizeof(*u));
	enum sim_way out = theirs ? SIM_TO_CLIENT : SIM_TO_RESPONDER;
	enum sim_way in = theirs ? SIM_TO_RESPONDER : SIM_TO_CLIENT;
	const struct sim_counts *tx = &s->counts[out], *rx = &s->counts[in];
	bool receives = is_counted(s, in);

	c->interface = u;
	c->interfaces = c->cores = 1;
	c->core = room(sizeof(*c->core));
	snprintf(u->name, sizeof(u->name), "sim0");
	u->route = true;
	u->has_qdisc = is_counted(s, out);
	u->qdisc_drops = with_others(s, tx->qdisc_drops);
	u->n[PACE_IF_TX_FRAMES] = with_others(s, tx->tx_frames);
	u->n[PACE_IF_TX_DROPPED] = with_others(s, tx->tx_nic_drops);
	u->n[PACE_IF_RX_FRAMES] = receives ? with_others(s, rx->rx_frames) : 0;
	u->n[PACE_IF_RX_DROPPED] = receives ? with_others(s, rx->rx_nic_drops) : 0;
	c->has_core[PACE_CORE_SOFTNET_DROPPED] = true;
	c->core->n[PACE_CORE_SOFTNET_DROPPED] = with_others(s, rx->softnet_drops);
	c->has_snmp[0][PACE_IP_IN_RECEIVES] = c->has_snmp[0][PACE_IP_IN_DELIVERS] = true;
	c->snmp[0][PACE_IP_IN_RECEIVES] = with_others(s, rx->ip_received);
	c->snmp[0][PACE_IP_IN_DELIVERS] = with_others(s, rx->ip_delivered);
	if (s->hosts.busy)
		tell_work(s, c, rx, theirs);
}

static void
tell_counters(void *ctx, struct pace_counters *c, enum pace_side side)
{
	const struct sim_end *e = ctx;
	struct sim *s = e->sim;

	s->closed += e->theirs && side == PACE_AFTER;
	c->at_ns = tell_energy(ctx, &c->energy);
	c->known = c->energy.known || s->hosts.counted;
	if (side == PACE_AFTER && s->hosts.others > 0)
		s->others += sim_random(s) % (s->hosts.others + 1);
	if (s->hosts.counted)
		tell_host(s, c, e->theirs);
}

static struct pace_io
io_of(struct sim_end *e)
{
	return (struct pace_io){ .ctx = e, .send = client_send, .recv = client_recv,
	    .now = end_now, .wall = end_wall, .sleep_until = client_sleep, .wait = client_wait,
	    .drops = end_drops, .train = end_train, .departures = end_departures, .renumber = end_renumber,
	    .coalesce = end_coalesce, .usage = tell_usage, .counters = tell_counters,
	    .energy = tell_energy };
}

struct pace_io
sim_client_io(struct sim *s)
{
	return io_of(&s->client);
}

int
sim_new_client(struct sim *s, struct pace_client *cl)
{
	int rc;

	pace_client_free(cl);
	rc = pace_client_init(cl);
	cl->io = sim_client_io(s);
	cl->link = (struct pace_link){ .family = 4, .mtu = 1500 };
	return rc;
}

struct pace_io
sim_one_more(struct sim *s, int64_t theta_ns, int64_t skew_ppb)
{
	struct sim_end *e = &s->more[s->more_n];

	if (s->more_n == SIM_CLIENTS)
		abort();
	*e = (struct sim_end){ .sim = s, .used = true, .theta_ns = theta_ns, .skew_ppb = skew_ppb,
	    .addr = client_addr, .q = { .room = 4096 } };
	e->addr.ip[3] = (uint8_t)(2 + s->more_n++);
	return io_of(e);
}

/* --- the responder -------------------------------------------------------------- */

/* In a step, which ends before it is stepped again. */
static int64_t
session_sleep(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	struct sim_end *e = ctx;

	(void)st;
	while (self != NULL && clock_of(e, e->sim->now_ns) < t_ns)
		rest_until(time_of(e, t_ns));
	if (self != NULL)
		return clock_of(e, e->sim->now_ns);
	owner_of(e)->wake = (struct pace_wake){ .at_ns = INT64_MAX };
	advance(e->sim, time_of(e, t_ns), false);
	while (clock_of(e, e->sim->now_ns) < t_ns)
		advance(e->sim, e->sim->now_ns + 1, false);
	return clock_of(e, e->sim->now_ns);
}

/* Only threads wait. */
static int
session_wait(void *ctx, int64_t until_ns)
{
	struct sim_end *e = ctx;

	(void)session_sleep(ctx, until_ns, NULL);
	return e->q.n > 0;
}

static struct pace_io
responder_io(struct sim_end *e)
{
	return (struct pace_io){ .ctx = e, .send = responder_send, .train = end_train,
	    .recv = end_recv, .sleep_until = session_sleep, .wait = session_wait, .now = end_now, .wall = end_wall, .drops = end_drops,
	    .departures = end_departures, .renumber = end_renumber, .coalesce = end_coalesce,
	    .mark = end_mark, .usage = tell_usage, .counters = tell_counters, .energy = tell_energy };
}

static const struct pace_host *
host_of(const struct sim *s)
{
	static const struct pace_host plain = { .cores = 2 };

	return s->host != NULL ? s->host : &plain;
}

static int
spawn(void *ctx, const struct pace_birth *b)
{
	struct sim *s = ctx;
	struct sim_end *e = NULL;
	struct pace_session_cfg cfg = b->cfg;

	for (int i = 0; i < SIM_SESSIONS && e == NULL; i++)
		if (!s->sessions[i].used) {
			e = &s->sessions[i];
			s->sessions_n = i < s->sessions_n ? s->sessions_n : i + 1;
		}
	if (e == NULL)
		return -ENOMEM;
	memset(e, 0, sizeof(*e));
	e->sim = s;
	e->theirs = true;
	e->addr = b->cfg.peer;
	e->slot = b->slot;
	e->q.room = s->session_room > 0 ? s->session_room : 4096;
	cfg.io = responder_io(e);
	cfg.threads = s->cores.n > 0 ? &s->cores : NULL;
	cfg.watch = s->watches != NULL ? &s->watches[b->slot] : s->watch;
	cfg.rcvbuf_granted = s->most_buffer > 0 ? s->most_buffer : 16 << 20;
	cfg.sndbuf_granted = s->most_buffer > 0 ? s->most_buffer : cfg.open.sndbuf_bytes;
	e->session = pace_session_new(&cfg);
	if (e->session == NULL)
		return -ENOMEM;
	if (cfg.terms.limits.host_facts)
		(void)pace_session_tell(e->session, host_of(s));
	e->used = true;
	e->wake = (struct pace_wake){ .at_ns = s->now_ns, .on_data = true };
	return 0;
}

static struct pace_host_text *
light_host(void *ctx, const struct pace_session_cfg *c, const struct pace_addr *local)
{
	(void)local;
	return c->terms.limits.host_facts ? pace_host_text_new(host_of(ctx)) : NULL;
}

static void
close_flow(void *owner)
{
	struct sim_end *e = owner;

	for (int i = 0; i < SIM_FLOWS; i++)
		if (e->sim->flows[i] == e)
			e->sim->flows[i] = NULL;
	empty(&e->q);
	free(e);
}

static int
join_session(void *ctx, const struct pace_flow_birth *b)
{
	struct sim *s = ctx;
	struct sim_end *e, *of = NULL;
	struct pace_flow f = b->flow;
	int at = 0;

	for (int i = 0; i < SIM_SESSIONS; i++)
		if (s->sessions[i].used && s->sessions[i].slot == b->slot)
			of = &s->sessions[i];
	while (at < SIM_FLOWS && s->flows[at] != NULL)
		at++;
	if (of == NULL || at == SIM_FLOWS)
		return -ENOMEM;
	e = room(sizeof(*e));
	e->sim = s;
	e->theirs = e->used = true;
	e->addr = f.peer;
	e->of = of;
	e->q.room = of->q.room;
	s->flows[at] = e;
	s->flows_n = at < s->flows_n ? s->flows_n : at + 1;
	f.io = responder_io(e);
	f.rcvbuf_granted = s->most_buffer > 0 ? s->most_buffer : 16 << 20;
	f.sndbuf_granted = s->most_buffer > 0 ? s->most_buffer : f.sndbuf_asked;
	f.close = close_flow;
	f.owner = e;
	pace_session_join(of->session, &f);
	return 0;
}

int
sim_open_flow(void *ctx, uint32_t stream, struct pace_io *io, struct pace_err *err)
{
	struct sim_end *of = ctx, *e = room(sizeof(*e));
	int at = (int)stream;	/* the first client's are found by it */

	(void)err;
	*e = (struct sim_end){ .sim = of->sim, .used = true, .addr = of->addr, .of = of,
	    .theta_ns = of->theta_ns, .skew_ppb = of->skew_ppb, .q = { .room = 4096 } };
	e->addr.port = (uint16_t)(e->addr.port + stream);
	while (at < SIM_FLOWS && of->sim->own[at] != NULL)
		at++;
	if (at == SIM_FLOWS)
		abort();
	of->sim->own[at] = e;
	of->sim->own_n = at < of->sim->own_n ? of->sim->own_n : at + 1;
	*io = io_of(e);
	return 0;
}

void
sim_start_responder(struct sim *s)
{
	struct pace_responder *r = &s->responder;

	if (pace_responder_init(r, SIM_SESSIONS, SIM_LIGHTS) != 0)
		abort();
	s->listener = (struct sim_end){ .sim = s, .used = true, .theirs = true,
	    .q = { .room = 4096 } };
	r->io = responder_io(&s->listener);
	r->lights.host = light_host;
	r->lights.host_ctx = s;
	r->spawn = spawn;
	r->join = join_session;
	r->spawn_ctx = s;
	r->shared.max_records = 100000;
	s->down = false;
}

void
sim_kill_responder(struct sim *s)
{
	for (int i = 0; i < SIM_SESSIONS; i++) {
		if (!s->sessions[i].used)
			continue;
		s->sessions[i].wake.at_ns = INT64_MAX;
		pace_session_free(s->sessions[i].session);
		empty(&s->sessions[i].q);
		s->sessions[i].used = false;
	}
	empty(&s->listener.q);
	pace_responder_free(&s->responder);
	s->down = true;
}

struct sim *
sim_new(uint64_t seed)
{
	struct sim *s = calloc(1, sizeof(*s));

	if (s == NULL || counter_begin(seed) < 0)
		abort();
	s->rng = seed;
	s->now_ns = INT64_C(1000000000000);
	s->delay_ns = 100000;
	/* counts since the machines started */
	s->usage = (struct pace_usage){ .clock_slews = 7, .preempted = 300,
	    .steal_ns = INT64_C(5000000000), .clock_steps = 3, .bad_checksums = 50 };
	s->client = (struct sim_end){ .sim = s, .used = true, .addr = client_addr,
	    .q = { .room = 4096 } };
	sim_start_responder(s);
	return s;
}

void
sim_free(struct sim *s)
{
	if (!s->down)
		sim_kill_responder(s);
	while (s->flights > 0)
		free_packet(land(s));
	empty(&s->client.q);
	for (int i = 0; i < SIM_FLOWS; i++) {
		if (s->own[i] == NULL)
			continue;
		empty(&s->own[i]->q);
		free(s->own[i]);
	}
	for (int i = 0; i < s->more_n; i++)
		empty(&s->more[i].q);
	pace_rules_free(s->rules);
	free(s);
}

void
sim_inject(struct sim *s, const struct pace_addr *from, const void *buf, size_t len)
{
	static const struct pace_addr port;

	post(s, make(s, SIM_TO_RESPONDER, from, &port, buf, len), s->delay_ns);
}

void
sim_forge(struct sim *s, const void *buf, size_t len)
{
	static const struct pace_addr port;

	post(s, make(s, SIM_TO_CLIENT, &port, &s->client.addr, buf, len), s->delay_ns);
}

void
sim_discard(struct sim *s)
{
	empty(&s->client.q);
}

void
sim_reverse(struct sim *s)
{
	struct pace_policy *p = room(sizeof(*p));

	pace_policy_reset(p);
	for (int k = 0; k < PACE_LIMITS; k++)
		p->rule[0].most[k] = PACE_NO_LIMIT;
	p->rule[0].reverse = p->rule[0].host_facts = p->rule[0].busy_poll = true;
	s->reverse = true;
	if (s->rules == NULL && (s->rules = pace_rules_new()) == NULL)
		abort();
	pace_rules_set(s->rules, p);
	s->responder.shared.rules = s->rules;
	free(p);
}

int
sim_take_lease(struct pace_lease *l, uint64_t session, const struct pace_addr *from,
    int64_t now_ns, int64_t at_most_ns, const char *label, struct pace_msg_error *who)
{
	struct pace_waiter w = { .session = session, .from = *from, .asked_ns = now_ns,
	    .at_most_ns = at_most_ns };

	snprintf(w.label, sizeof(w.label), "%s", label);
	return pace_lease_take(l, &w, who);
}

void
sim_forget_limits(struct sim *s)
{
	if (pace_reply_limit_init(&s->responder.reply_limit) < 0)
		abort();
}

int
sim_sessions(struct sim *s)
{
	uint64_t ended;

	return s->down ? 0 : pace_responder_active(&s->responder, &ended);
}

void
sim_mend(uint8_t *buf, size_t len)
{
	size_t end = buf[4] == 0 ? len : len - PACE_SEAL_SIZE;
	uint64_t sum = 0;

	buf[6] = buf[7] = 0;
	for (size_t i = 0; i < end; i++)
		sum += (i / 2 + 1) * (uint64_t)(i % 2 == 0 ? buf[i] << 8 : buf[i]);
	sum = 1 + sum % 65521;
	buf[6] = (uint8_t)(sum >> 8);
	buf[7] = (uint8_t)sum;
}
