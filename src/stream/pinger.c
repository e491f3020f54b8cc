#include "config.h"

#include "stream/pinger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "proto/random.h"

#define BATCH		4			/* small batches keep a spin short */
#define ROUNDS		256			/* batches a poll */
#define SLACK_NS	10000			/* the largest error of a mapped stamp */
#define ASTRAY_NS	INT64_C(10000000000)	/* no clock jumps this far */
#define DRIFT_PER_S	1000000			/* 1000 ppm, ns a second */
#define TIME_MAX	(INT64_C(1) << 59)	/* no probe clock has run for 18 years */
#define STAMP_TIME_MAX	(INT64_C(1) << 61)	/* 73 years: wall clocks differ by 68 at most */
#define WALL_MIN	(-(INT64_C(1) << 60))	/* wall - probe clock: from 1933 */
#define WALL_MAX	(INT64_C(1) << 62)	/* to 2116 */
#define FOLLOW		1024			/* replies to wait for their departure stamp ... */
#define FOLLOW_FIRST	64			/* ... while none has ever come */

int64_t
pace_exchange_t1(const struct pace_exchange *x)
{
	return (x->flags & PACE_PING_T1_KERNEL) != 0 ? x->t1_kernel_ns : x->t1_ns;
}

int64_t
pace_exchange_t3(const struct pace_exchange *x)
{
	return (x->flags & PACE_PING_T3_KERNEL) != 0 ? x->t3_kernel_ns : x->t3_ns;
}

int64_t
pace_exchange_t4(const struct pace_exchange *x)
{
	return (x->flags & PACE_PING_T4_KERNEL) != 0 ? x->t4_kernel_ns : x->t4_ns;
}

int64_t
pace_exchange_rtt(const struct pace_exchange *x)
{
	return pace_exchange_t4(x) - pace_exchange_t1(x) -
	    (pace_exchange_t3(x) - x->t2_ns);
}

int
pace_pinger_init(struct pace_pinger *p, uint64_t room, uint32_t most)
{
	p->timeout_ns = INT64_C(1000000000);
	p->stamp_every = 1;
	p->room = room;
	p->ring = calloc(room, sizeof(*p->ring));
	p->most = most;
	p->out = malloc(most);
	if (p->ring == NULL || p->out == NULL) {
		pace_pinger_free(p);
		return -ENOMEM;
	}
	pace_payload_fill(p->out, most, pace_random());
	return 0;
}

void
pace_pinger_free(struct pace_pinger *p)
{
	free(p->ring);
	free(p->out);
	p->ring = NULL;
	p->out = NULL;
}

int
pace_pinger_grow(struct pace_pinger *p, uint64_t n)
{
	uint64_t room = p->room;
	struct pace_exchange *ring;

	while (room < 2 * n + FOLLOW)
		room *= 2;
	if (room == p->room)
		return 0;
	ring = calloc(room, sizeof(*ring));
	if (ring == NULL)
		return -ENOMEM;
	pace_pinger_series(p);
	free(p->ring);
	p->ring = ring;
	p->room = room;
	return 0;
}

void
pace_pinger_series(struct pace_pinger *p)
{
	pace_pinger_settle(p, true);
	p->first = p->next;
	p->arrivals = PACE_STAMP_NIC;
}

void
pace_pinger_run(struct pace_pinger *p, uint8_t run)
{
	p->run = run;
	p->cut = p->prove = false;
	p->proof = 0;
}

void
pace_pinger_forget(struct pace_pinger *p)
{
	p->first = p->tail = p->newest = p->next;
	p->followed = 0;
	p->heard_ns = p->denied_ns = 0;
	p->sent = p->answered + p->timeouts;
	p->has_theta = false;
	p->dismissed = p->cut = false;
	pace_clockmap_reset(&p->wall);
}

uint32_t
pace_pinger_size(const struct pace_pinger *p)
{
	return p->stamp != NULL ? pace_stamp_session_size(p->stamp) : PACE_PINGER_SIZE;
}

static struct pace_exchange *
slot(struct pace_pinger *p, uint64_t number)
{
	return &p->ring[number & (p->room - 1)];
}

bool
pace_pinger_has_room(const struct pace_pinger *p)
{
	return p->next - p->tail < p->room;
}

/* --- departures -------------------------------------------------------------- */

static void
ask_stamp(struct pace_pinger *p, bool ping, uint64_t number, int64_t t_ns)
{
	uint32_t at = p->asked++ % PACE_PINGER_STAMPS;

	p->stamps[at].ping = ping;
	p->stamps[at].number = number;
	p->stamps[at].t_ns = t_ns;
}

void
pace_pinger_sample(struct pace_pinger *p, uint64_t number, int64_t t_ns)
{
	ask_stamp(p, false, number, t_ns);
}

void
pace_pinger_unsample(struct pace_pinger *p)
{
	pace_pinger_departures(p);	/* of what left before */
	p->asked = 0;
	p->io.renumber(p->io.ctx);
}

bool
pace_pinger_overdue(const struct pace_pinger *p, int64_t now_ns)
{
	const struct pace_exchange *x = &p->ring[p->tail & (p->room - 1)];

	return p->tail < p->next && now_ns - ((x->flags & PACE_PING_ANSWERED) != 0 ? x->t4_ns :
	    x->t1_ns) > p->timeout_ns;
}

static void
take_departure(struct pace_pinger *p, const struct pace_departure *d)
{
	uint32_t ago = p->asked - d->n, at = d->n % PACE_PINGER_STAMPS;
	int64_t t_ns = p->stamps[at].t_ns;
	struct pace_exchange *x;

	if (ago == 0 || ago > PACE_PINGER_STAMPS)
		return;
	if (!p->stamps[at].ping) {
		pace_tx_stamps_take(&p->frames, p->stamps[at].number, t_ns, d->stamp_ns);
		return;
	}
	if (!pace_tx_stamps_plausible(t_ns, d->stamp_ns))
		return;
	x = slot(p, p->stamps[at].number);
	if (x->number != p->stamps[at].number || x->number < p->tail)
		return;
	x->t1_kernel_ns = d->stamp_ns;
	x->flags |= PACE_PING_T1_KERNEL;
}

void
pace_pinger_departures(struct pace_pinger *p)
{
	struct pace_departure d[16];
	int n;

	do {
		n = p->io.departures(p->io.ctx, d, 16);
		for (int i = 0; i < n; i++)
			take_departure(p, &d[i]);
	} while (n == 16);
}

/* --- sending --------------------------------------------------------------------- */

/* Write the next request into p->out; y gets its time. */
static int
encode(struct pace_pinger *p, uint32_t size, struct pace_exchange *y)
{
	const struct pace_ping body = { .reply_bytes = y->reply_bytes,
	    .stamp_reply = y->number % p->stamp_every == 0, .rate_2p40 = pace_ping_rate(p->rate),
	    .proof = p->prove ? p->proof : 0 };
	struct pace_hdr h = { .type = PACE_PING, .run = p->run,
	    .session = p->session, .seq = y->number };

	h.tx_ns = y->t1_ns = p->io.now(p->io.ctx);
	return p->stamp == NULL ? pace_ping_encode(p->out, size, &h, &body) :
	    pace_stamp_session_request(p->stamp, p->out, size, y->number, y->t1_ns, &y->t1_wire);
}

int
pace_pinger_send(struct pace_pinger *p, uint32_t size, uint32_t reply_bytes)
{
	const bool stamp = p->next % p->stamp_every == 0;
	struct pace_out out = { .buf = p->out, .len = size, .stamp = stamp };
	struct pace_exchange y = { .number = p->next, .reply_bytes = (uint16_t)reply_bytes };
	int rc;

	if (!pace_pinger_has_room(p))
		return -EBUSY;
	if (size > p->most)
		return -EMSGSIZE;
	rc = encode(p, size, &y);
	if (rc < 0)
		return rc;
	if (stamp)
		ask_stamp(p, true, p->next, y.t1_ns);
	rc = p->io.send(p->io.ctx, &out, 1);
	if (rc < 0) {
		if (stamp)
			pace_pinger_unsample(p);
		return rc;
	}
	*slot(p, p->next++) = y;
	p->sent++;
	return 0;
}

/* --- receiving ------------------------------------------------------------------- */

static bool
in_range(const struct pace_pinger *p, int64_t t)
{
	int64_t most = p->stamp != NULL ? STAMP_TIME_MAX : TIME_MAX;

	return t > -most && t < most;
}

/* Discard the only exchange so far, whose times were false. */
static void
disbelieve(struct pace_pinger *p, struct pace_exchange *first)
{
	p->has_theta = false;
	pace_clockmap_reset(&p->wall);
	if (first->number != p->newest || p->newest < p->tail ||
	    (first->flags & PACE_PING_ANSWERED) == 0)
		return;
	if (p->stamp != NULL) {
		p->stamp->result.unusable_times += (first->flags & PACE_PING_TIMES) != 0;
		first->flags &= (uint8_t)~PACE_PING_TIMES;
		return;
	}
	first->flags = 0;
	p->answered--;
	p->foreign++;
}

/* True if these times, with an error of grain_ns, are plausible.  The first exchange is believed
 * until a second one confirms it; if the second one differs, it replaces the first. */
static bool
believable(struct pace_pinger *p, const struct pace_exchange *x, int64_t grain_ns)
{
	int64_t rtt = pace_exchange_t4(x) - x->t1_ns, there, theta, slack = SLACK_NS + grain_ns;
	int64_t off, most = ASTRAY_NS + llabs(x->t1_ns - p->theta_at_ns) / 1000000000 * DRIFT_PER_S;

	if (!in_range(p, x->t2_ns) || !in_range(p, x->t3_ns))
		return false;
	there = x->t3_ns - x->t2_ns;
	if (rtt < -SLACK_NS || there < -slack || there > rtt + 2 * slack)
		return false;
	theta = x->t2_ns - x->t1_ns - (rtt - there) / 2;
	off = theta - p->theta_ns;
	/* this clock differs from that of the earlier exchanges */
	if (p->has_theta && (off > most || off < -most)) {
		if (p->sure)
			return false;
		disbelieve(p, slot(p, p->newest));
	}
	p->sure = p->has_theta;
	p->has_theta = true;
	p->theta_ns = theta;
	p->theta_at_ns = x->t1_ns;
	return true;
}

/* Take the kernel's departure stamp of the reply to this request; true if it is plausible. */
static bool
take_follow_up(struct pace_pinger *p, uint64_t number, int64_t departure_ns)
{
	uint8_t need = PACE_PING_ANSWERED | (p->stamp != NULL ? PACE_PING_TIMES : 0);
	struct pace_exchange *x;
	int64_t after, most;

	if (number < p->tail || number >= p->next)
		return false;
	x = slot(p, number);
	if (x->number != number || (x->flags & need) != need || !in_range(p, departure_ns))
		return false;
	after = departure_ns - x->t3_ns;
	most = pace_exchange_t4(x) - x->t1_ns - (x->t3_ns - x->t2_ns);
	if (after < -SLACK_NS || after > most + 2 * SLACK_NS)
		return false;
	x->t3_kernel_ns = departure_ns;
	x->flags |= PACE_PING_T3_KERNEL;
	if (x->number > p->followed)
		p->followed = x->number;
	return true;
}

static void
note_arrival(struct pace_pinger *p, uint8_t stamp)
{
	if (stamp < p->arrivals)
		p->arrivals = (enum pace_stamp)stamp;
}

/* x is the exchange, y the exchange with this reply. */
static void
keep(struct pace_pinger *p, struct pace_exchange *x, struct pace_exchange *y)
{
	if (y->t4_ns - y->t1_ns > p->timeout_ns) {
		y->flags |= PACE_PING_LATE;
		p->late++;
	} else {
		y->flags |= PACE_PING_ANSWERED;
		p->answered++;
	}
	*x = *y;
	p->heard_ns = y->t4_ns;
	p->reordered += y->number < p->newest;
	if (y->number > p->newest)
		p->newest = y->number;
}

static bool
accept(struct pace_pinger *p, struct pace_exchange *x, struct pace_exchange *y,
    const struct pace_ping *body)
{
	if (!believable(p, y, 0))
		return false;
	keep(p, x, y);
	if (body->wall_ns >= WALL_MIN && body->wall_ns <= WALL_MAX &&
	    body->arrival_ns > p->wall.raw1) {
		p->their_wall_ns = body->wall_ns;
		pace_clockmap_pair(&p->wall, body->arrival_ns + body->wall_ns, body->arrival_ns);
	}
	if (body->back != 0 && body->back <= y->number)
		(void)take_follow_up(p, y->number - body->back, body->departure_ns);
	return true;
}

/* Is this the first reply to x?  Counts further ones. */
static bool
is_first(struct pace_pinger *p, struct pace_exchange *x)
{
	const bool heard = (x->flags & (PACE_PING_ANSWERED | PACE_PING_LATE)) != 0;

	if (x->number >= p->tail && !heard)
		return true;
	if (heard) {
		p->duplicates++;
	} else {
		x->flags |= PACE_PING_LATE;
		p->late++;
	}
	return false;
}

static struct pace_exchange
arrived(const struct pace_exchange *x, const struct pace_in *in, int64_t now_ns)
{
	struct pace_exchange y = *x;

	y.t4_ns = now_ns;
	y.t4_kernel_ns = in->stamp_ns;
	if (in->stamp >= PACE_STAMP_KERNEL)
		y.flags |= PACE_PING_T4_KERNEL;
	return y;
}

/* --- replies by STAMP --- */

/* A first reply, whose times may be anything. */
static void
take_stamp_times(struct pace_pinger *p, struct pace_exchange *x, const struct pace_in *in,
    const struct pace_stamp_answer *a, int64_t now_ns)
{
	int64_t grain_ns = pace_stamp_session_grain(p->stamp, a);
	struct pace_exchange y = arrived(x, in, now_ns);

	y.t2_ns = a->t2_ns;
	y.t3_ns = a->t3_ns;
	y.their_seq = a->seq;
	if (a->timed && believable(p, &y, grain_ns))
		y.flags |= PACE_PING_TIMES;
	if (a->stamped && (y.flags & PACE_PING_TIMES) != 0)
		y.flags |= PACE_PING_T2_KERNEL;
	keep(p, x, &y);
	note_arrival(p, a->stamped ? PACE_STAMP_KERNEL : PACE_STAMP_USER);
	note_arrival(p, (uint8_t)in->stamp);
	pace_stamp_session_take(p->stamp, a, (y.flags & PACE_PING_TIMES) != 0);
	if (a->follows && take_follow_up(p, a->follow_number, a->follow_ns))
		p->stamp->result.follow_ups++;
}

static bool
take_stamp(struct pace_pinger *p, const struct pace_in *in, int64_t now_ns)
{
	struct pace_stamp_answer a;
	struct pace_exchange *x;
	uint64_t late = p->late;

	if (!pace_stamp_session_match(p->stamp, in, p->next, &a)) {
		p->foreign++;
		return false;
	}
	x = slot(p, a.number);
	if (x->number != a.number || x->t1_wire != a.t1) {
		p->foreign++;
		return false;
	}
	if (a.number < p->first)
		return false;
	if (!pace_stamp_session_read(p->stamp, in, &a)) {
		p->foreign++;
		return false;
	}
	a.asked = x->reply_bytes;
	if (is_first(p, x)) {
		take_stamp_times(p, x, in, &a, now_ns);
		return true;
	}
	if (p->late == late) {
		pace_stamp_session_again(p->stamp, &a, x->their_seq);
		return false;
	}
	x->their_seq = a.seq;		/* handed over as timed out, but no loss */
	pace_stamp_session_take(p->stamp, &a, true);
	return false;
}

bool
pace_pinger_take(struct pace_pinger *p, const struct pace_hdr *h, const struct pace_in *in,
    int64_t now_ns)
{
	struct pace_exchange *x = slot(p, h->seq), y;
	struct pace_ping body;

	if (h->type != (PACE_PING | PACE_REPLY) || h->session != p->session || h->stream != 0 ||
	    h->seq >= p->next || x->number != h->seq || in->len != x->reply_bytes) {
		p->foreign += h->type == (PACE_PING | PACE_REPLY);
		return false;
	}
	if (h->seq < p->first || !is_first(p, x))
		return false;
	pace_ping_decode(&body, in->buf, in->len);
	y = arrived(x, in, now_ns);
	y.t2_ns = body.arrival_ns;
	y.t3_ns = h->tx_ns;
	if (body.stamp >= PACE_STAMP_KERNEL)
		y.flags |= PACE_PING_T2_KERNEL;
	if (accept(p, x, &y, &body)) {
		note_arrival(p, body.stamp);
		note_arrival(p, (uint8_t)in->stamp);
		if (body.proof != 0)
			p->proof = body.proof;
		return true;
	}
	p->foreign++;
	return false;
}

void
pace_pinger_dismiss(struct pace_pinger *p, const struct pace_hdr *h, const struct pace_in *in)
{
	bool keyed = p->seal != NULL && p->seal->on;
	bool good = keyed ? h->sealed && in->len <= in->size &&
	    pace_seal_check(p->seal, in->buf, in->len) : !h->sealed;

	if (good && h->session == p->session && h->run == p->run)
		*(h->type == (PACE_CLOSE | PACE_REPLY) ? &p->dismissed : &p->cut) = true;
	else
		p->foreign++;
}

/* Take any datagram; true if it is a reply. */
static bool
take_any(struct pace_pinger *p, const struct pace_in *in)
{
	size_t len = in->len < in->size ? in->len : in->size;
	struct pace_hdr h;

	if (p->stamp != NULL)
		return take_stamp(p, in, p->io.now(p->io.ctx));
	if (pace_hdr_decode(&h, in->buf, len) != 0)
		p->foreign++;
	else if (h.type == (PACE_CLOSE | PACE_REPLY) ||
	    (h.type == (PACE_FINISH | PACE_REPLY) && h.seq == 0))
		pace_pinger_dismiss(p, &h, in);
	else if (p->other != NULL && h.type != (PACE_PING | PACE_REPLY))
		p->other(p->other_ctx, &h, in);
	else
		return pace_pinger_take(p, &h, in, p->io.now(p->io.ctx));
	return false;
}

int
pace_pinger_poll(struct pace_pinger *p)
{
	struct pace_in in[BATCH];
	int n = 0, answers = 0;

	for (int i = 0; i < BATCH; i++)
		in[i] = (struct pace_in){ .buf = p->in[i], .size = sizeof(p->in[i]) };
	for (int round = 0; round < ROUNDS; round++) {
		n = p->io.recv(p->io.ctx, in, BATCH);
		for (int i = 0; i < n; i++)
			answers += take_any(p, &in[i]);
		if (n < BATCH)
			break;
	}
	if (n == -ECONNREFUSED)
		p->denied_ns = p->io.now(p->io.ctx);
	p->too_long = p->too_long || n == -EMSGSIZE;
	return answers;
}

/* --- handing over ---------------------------------------------------------------- */

/* True if no more can come for this exchange. */
static bool
finished(const struct pace_pinger *p, const struct pace_exchange *x, int64_t now)
{
	if ((x->flags & PACE_PING_ANSWERED) == 0)
		return now - x->t1_ns > p->timeout_ns;
	/* Stamps come in order: the stamp of an earlier exchange got lost. */
	return (x->flags & PACE_PING_T3_KERNEL) != 0 || x->number < p->followed ||
	    p->newest - x->number >= (p->followed > 0 ? FOLLOW : FOLLOW_FIRST) ||
	    now - x->t4_ns > p->timeout_ns;
}

void
pace_pinger_settle(struct pace_pinger *p, bool all)
{
	int64_t now = p->io.now(p->io.ctx);

	pace_pinger_departures(p);
	while (p->tail < p->next) {
		struct pace_exchange *x = slot(p, p->tail);

		if (!all && !finished(p, x, now))
			break;
		p->tail++;
		if ((x->flags & PACE_PING_ANSWERED) == 0)
			p->timeouts++;
		if (p->done != NULL)
			p->done(p->ctx, x);
	}
}

bool
pace_pinger_denied(const struct pace_pinger *p)
{
	return p->denied_ns > p->heard_ns;
}

uint64_t
pace_pinger_open(const struct pace_pinger *p)
{
	return p->sent - p->answered - p->timeouts;
}
