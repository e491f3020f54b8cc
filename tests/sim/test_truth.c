/*
 * The result of a run against the simulation's own log, for random combinations of troubles:
 * every count, bound and location.
 *
 * UDPACE_TRUTH_CASES: so many, 500 unless given.  Case n is drawn from UDPACE_SEED + n alone.
 * One that fails is made smaller as long as it still fails, and printed: what is left of it,
 * and how to run it alone.
 */
#include "lib/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "client/client.h"
#include "core/record.h"
#include "core/schedule.h"
#include "doc/intervals.h"
#include "doc/params.h"
#include "simnet.h"
#include "sums.h"

#define MS		INT64_C(1000000)
#define FRAMES_MAX	1000
#define ARRIVALS_MAX	(8 * FRAMES_MAX)

/* --- a combination ---------------------------------------------------------------- */

enum { COUNT, SIZE, SPACING, TRAIN, GRO, ROOM, LOSS, EVERY, DUP, COPIES, JITTER, LATE, PAYLOAD, HEADER,
	CHECKSUM, REFUSE, TAKES, HOSTS, HIDDEN, QDISC, TX_NIC, RX_NIC, SOFTNET, INGRESS, IP, OTHERS,
	C_LOSS, C_DUP, C_JITTER, C_HEADER, C_PAYLOAD, C_CHECKSUM, OUT_WAY, OUT_FROM, OUT_NS, OUT_CONTROL, BACK,
	THETA, SKEW, RECORDS, BURSTS, AGAIN, DOWN, OMIT, INTERVAL, KNOBS };

/* From low to high, on a logarithmic scale where log is set; off: how often of 10 it is 0. */
static const struct { const char *name; double low, high; bool log, whole; int off; } knobs[KNOBS] = {
	[COUNT] = { "frames", 1, FRAMES_MAX, true, true, 0 },
	[SIZE] = { "bytes", 32, 1472, false, true, 0 },
	[SPACING] = { "spacing ns", 500, 2e6, true, true, 0 },
	[TRAIN] = { "train", 2, 200, true, true, 5 },
	[GRO] = { "gro", 1, 1, false, true, 2 },
	[ROOM] = { "socket room", 1, 64, true, true, 5 },
	[LOSS] = { "loss", 0.001, 0.9, true, false, 6 },
	[EVERY] = { "loss of every", 1, 20, false, true, 8 },
	[DUP] = { "copied", 0.01, 1, true, false, 6 },
	[COPIES] = { "copies", 1, 3, false, true, 5 },
	[JITTER] = { "jitter ns", 1e3, 3e7, true, true, 6 },
	[LATE] = { "late", 0.005, 0.3, true, false, 8 },
	[PAYLOAD] = { "payload damage", 0.005, 0.3, true, false, 8 },
	[HEADER] = { "header damage", 0.005, 0.3, true, false, 8 },
	[CHECKSUM] = { "bad checksum", 0.005, 0.3, true, false, 8 },
	[REFUSE] = { "refused", 0.005, 0.3, true, false, 8 },
	[TAKES] = { "a call takes", 1, 50, true, true, 7 },
	[HOSTS] = { "hosts count", 1, 1, false, true, 3 },
	[HIDDEN] = { "hidden", 1, 1, false, true, 5 },
	[QDISC] = { "qdisc", 0.005, 0.3, true, false, 8 },
	[TX_NIC] = { "tx nic", 0.005, 0.3, true, false, 8 },
	[RX_NIC] = { "rx nic", 0.005, 0.3, true, false, 8 },
	[SOFTNET] = { "softnet", 0.005, 0.3, true, false, 8 },
	[INGRESS] = { "ingress", 0.005, 0.3, true, false, 8 },
	[IP] = { "ip", 0.005, 0.3, true, false, 8 },
	[OTHERS] = { "others' frames", 1, 1000, true, true, 5 },
	[C_LOSS] = { "control loss", 0.01, 0.4, true, false, 7 },
	[C_DUP] = { "control copied", 0.01, 0.5, true, false, 7 },
	[C_JITTER] = { "control jitter ns", 1e4, 5e7, true, true, 7 },
	[C_HEADER] = { "control header damage", 0.01, 0.2, true, false, 7 },
	[C_PAYLOAD] = { "control payload damage", 0.01, 0.2, true, false, 7 },
	[C_CHECKSUM] = { "control bad checksum", 0.01, 0.2, true, false, 8 },
	[OUT_WAY] = { "outage: ways", 1, 3, false, true, 7 },
	[OUT_FROM] = { "outage: from ns", 1e6, 1e9, true, true, 0 },
	[OUT_NS] = { "outage: ns", 1e6, 1e10, true, true, 0 },
	[OUT_CONTROL] = { "outage: of control, too", 1, 1, false, true, 5 },
	[BACK] = { "more delay back ns", 1e3, 1e7, true, true, 6 },
	[THETA] = { "offset ns", -1e15, 1e15, false, true, 3 },
	[SKEW] = { "skew ppb", -50000, 50000, false, true, 5 },
	[RECORDS] = { "records", 1, 1, false, true, 5 },
	[BURSTS] = { "bursts", 2, 4, false, true, 7 },
	[AGAIN] = { "run before", 1, 1, false, true, 6 },
	[DOWN] = { "reverse 1, two-way 2", 1, 2, false, true, 4 },
	[INTERVAL] = { "interval in spacings", 5, 300, true, true, 5 },
	[OMIT] = { "omitted spacings", 1, 200, true, true, 7 },
};

struct combo {
	uint64_t	seed;
	double		v[KNOBS];
};

/* splitmix64: neighbouring seeds have nothing in common. */
static double
dice(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

static struct combo
draw(uint64_t seed)
{
	struct combo c = { .seed = seed };
	uint64_t state = seed;

	for (int i = 0; i < KNOBS; i++) {
		double off = dice(&state) * 10, x = dice(&state);
		double low = knobs[i].low, high = knobs[i].high;

		if (off < knobs[i].off)
			continue;
		c.v[i] = knobs[i].log ? low * pow(high / low, x) : low + x * (high - low);
		if (knobs[i].whole)
			c.v[i] = floor(c.v[i] + 0.5);
	}
	return c;
}

static void
print(const struct combo *c)
{
	printf("  case %" PRIu64 ":", c->seed);
	for (int i = 0; i < KNOBS; i++)
		if (c->v[i] != 0)
			printf(" %s %g;", knobs[i].name, c->v[i]);
	printf("\n");
}

/* --- the simulation's log -------------------------------------------------------------- */

struct arrival {
	uint64_t	number;
	int64_t		at_ns, sent_ns;
	bool		payload, header;
};

/* The truth: the log of the network, of each direction. */
static struct log {
	uint8_t		run;			/* of the run that is judged */
	uint64_t	sent;			/* numbers from 0 */
	uint8_t		step[FRAMES_MAX];	/* the furthest that any copy came */
	uint32_t	came[FRAMES_MAX];	/* good ones, before the run was closed */
	struct arrival	arrival[ARRIVALS_MAX];	/* in the order of the socket */
	int		arrivals;
	uint64_t	foreign;	/* of these before the first frame of the run left: */
	uint64_t	early;		/* its START may not have come by then */
} logs[2], *it = &logs[0];

static struct sim *net;
static struct pace_client cl;
static struct pace_point *pt;
static struct pace_err err;

/* The log of the frames that go this way, if the run has any. */
static struct log *
log_of(enum sim_way way)
{
	return &logs[way == SIM_TO_CLIENT];
}

/* Nothing more is received of that run. */
static bool
closed(enum sim_way way)
{
	return way == SIM_TO_CLIENT ? !cl.pinger.prove : net->closed > 0;
}

static void
take(const struct sim_packet *p, int part)
{
	struct arrival a = { .number = p->number[part] - pace_params_omitted(&pt->ask),
	    .at_ns = p->at_ns, .sent_ns = p->sent_ns,
	    .payload = p->payload >> part & 1, .header = p->header >> part & 1 };

	if (a.header || p->run != it->run) {
		it->foreign++;
		it->early += it->sent == 0;
		return;
	}
	it->came[a.number]++;
	it->arrival[it->arrivals++] = a;
}

/* One of the frames that do not count. */
static void
log_omitted(enum sim_step step, const struct sim_packet *p, int part)
{
	bool foreign = (p->header >> part & 1) != 0 || p->run != it->run;

	if (step == SIM_SENT)
		it->run = p->run;
	if (step != SIM_TAKEN || closed(p->way) || !foreign)
		return;
	it->foreign++;
	it->early += it->sent == 0;
}

static void
log_step(void *ctx, enum sim_step step, const struct sim_packet *p, int part)
{
	uint64_t n = p->number[part], omitted = pace_params_omitted(&pt->ask);

	(void)ctx;
	it = log_of(p->way);
	if (n < omitted) {
		log_omitted(step, p, part);
		return;
	}
	n -= omitted;
	ck_assert_uint_lt(n, FRAMES_MAX);
	ck_assert_int_lt(it->arrivals, ARRIVALS_MAX);
	if (step == SIM_SENT) {
		it->run = p->run;
		it->sent = n >= it->sent ? n + 1 : it->sent;
	}
	if (step == SIM_TAKEN && !closed(p->way))
		take(p, part);
	/* what is still under way at the end is the network's */
	if (step < SIM_QUEUED && !closed(p->way) && step > it->step[n] && p->run == it->run)
		it->step[n] = (uint8_t)step;
}

/* --- a run --------------------------------------------------------------------------- */

static void
trouble(const struct combo *c)
{
	const double *v = c->v;
	struct sim_impair d;

	d = (struct sim_impair){ .loss = v[LOSS], .every = (uint64_t)v[EVERY], .dup = v[DUP],
	    .copies = (int)v[COPIES], .jitter_ns = (int64_t)v[JITTER], .late = v[LATE],
	    .late_ns = 2000 * MS, .payload = v[PAYLOAD], .header = v[HEADER],
	    .checksum = v[CHECKSUM] };
	for (int way = 0; way < 2; way++)
		if (net->two_way || way == (v[DOWN] > 0 ? SIM_TO_CLIENT : SIM_TO_RESPONDER))
			net->data[way] = d;
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = v[C_LOSS], .dup = v[C_DUP],
		    .jitter_ns = (int64_t)v[C_JITTER], .header = v[C_HEADER],
		    .payload = v[C_PAYLOAD], .checksum = v[C_CHECKSUM] };
	net->hosts = (struct sim_hosts){ .counted = v[HOSTS] > 0, .hidden = v[HIDDEN] > 0,
	    .refuse = v[REFUSE], .qdisc = v[QDISC], .tx_nic = v[TX_NIC], .rx_nic = v[RX_NIC],
	    .softnet = v[SOFTNET], .ingress = v[INGRESS], .ip = v[IP],
	    .others = (uint64_t)v[OTHERS] };
	for (int way = 0; way < 2; way++) {
		int64_t from = net->now_ns + (int64_t)v[OUT_FROM], to = from + (int64_t)v[OUT_NS];

		if (((int)v[OUT_WAY] >> way & 1) == 0)
			continue;
		net->data[way].out_from_ns = from;
		net->data[way].out_to_ns = to;
		if (v[OUT_CONTROL] == 0)
			continue;
		net->control[way].out_from_ns = from;
		net->control[way].out_to_ns = to;
	}
	net->gro = v[GRO] > 0;
	net->train_room = (int)v[TAKES];
	net->back_ns = (int64_t)v[BACK];
}

static uint64_t
bursts_of(const struct combo *c)
{
	return c->v[BURSTS] > 0 && c->v[BURSTS] <= c->v[COUNT] ? (uint64_t)c->v[BURSTS] : 1;
}

/* As many in each burst. */
static uint64_t
frames_of(const struct combo *c)
{
	uint64_t n = (uint64_t)c->v[COUNT];

	return n - n % bursts_of(c);
}

/* Trains in one piece fill a socket only if they are close, and it is small. */
static bool
is_whole(const struct combo *c)
{
	return c->v[TRAIN] > 0 && c->v[GRO] > 0;
}

static int
room_of(const struct combo *c)
{
	int room = (int)c->v[ROOM];

	return is_whole(c) && room > 8 ? room / 8 : room;
}

static void
ask(const struct combo *c)
{
	const double *v = c->v;

	pt->ask = (struct pace_params){
	    .direction = v[DOWN] == 1 ? PACE_DOWN : PACE_UP, .two_way = v[DOWN] == 2,
	    .size_bytes = (uint32_t)v[SIZE],
	    .spacing = pace_spacing_from_ns((int64_t)(v[SPACING] / (is_whole(c) ? 200 : 1)) + 10), .count = frames_of(c) / bursts_of(c),
	    .train = v[TRAIN] > 0 ? (uint64_t)v[TRAIN] : 1, .bursts = bursts_of(c),
	    .burst_gap_ns = 20 * MS, .grace_ns = 200 * MS, .verify = true };
	if (v[OMIT] > 0 && pt->ask.bursts == 1)
		pt->ask.omit_ns = (int64_t)v[OMIT] * pace_spacing_ns(pt->ask.spacing);
	pt->ask.interval_ns = (int64_t)v[INTERVAL] * pace_spacing_ns(pt->ask.spacing);
	if (v[RECORDS] > 0)
		pt->ask.record.room = ARRIVALS_MAX;
}

/* The session is opened on a good path, with clocks that are not alike. */
static int
run(const struct combo *c)
{
	int rc;

	memset(&err, 0, sizeof(err));
	net->theta_ns = (int64_t)c->v[THETA];
	net->skew_ppb = (int64_t)c->v[SKEW];
	ck_assert_int_eq(sim_new_client(net, &cl), 0);
	cl.rcvbuf_bytes = 1 << 20;
	if (c->v[DOWN] > 0)
		sim_reverse(net);
	net->two_way = c->v[DOWN] == 2;
	if (net->reverse)
		net->client.q.room = room_of(c) > 0 ? room_of(c) : 4096;
	if (!net->reverse || net->two_way)
		net->session_room = room_of(c);	/* a socket is made with it */
	ck_assert_int_eq(pace_client_open(&cl, &err), 0);
	trouble(c);
	net->saw = log_step;
	for (int i = c->v[AGAIN] > 0 ? 0 : 1; i < 2; i++) {
		memset(logs, 0, sizeof(logs));
		net->closed = 0;
		pace_point_free(pt);
		pt = pace_point_new();
		ask(c);
		rc = pace_client_point(&cl, pt, &err);
	}
	net->saw = NULL;
	return rc;
}

/* --- judgement -------------------------------------------------------------------------- */

static char why[400];

static bool	wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static bool
wrong(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return false;
}

static bool
same(const char *what, uint64_t said, uint64_t truth)
{
	return said == truth || wrong("%s: said %" PRIu64 ", true %" PRIu64, what, said, truth);
}

/* First arrivals, in their order. */
static int
firsts(struct arrival *a)
{
	static bool seen[FRAMES_MAX];
	int n = 0;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < it->arrivals; i++)
		if (!seen[it->arrival[i].number]) {
			seen[it->arrival[i].number] = true;
			a[n++] = it->arrival[i];
		}
	return n;
}

/* RFC 4737: how far behind the earliest larger number each one comes. */
static bool
reordering_is_true(const struct arrival *a, int n)
{
	uint64_t reordered = 0, furthest = 0;

	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			if (a[k].number > a[i].number) {
				reordered++;
				furthest = (uint64_t)(i - k) > furthest ? (uint64_t)(i - k) : furthest;
				break;
			}
	return same("reordered", pt->rx.reordered, reordered) && (reordered == 0 ||
	    same("extent", (uint64_t)pt->rx.extent.stats.max, furthest));
}

static bool
runs_are_true(void)
{
	uint64_t runs = 0, longest = 0, now = 0;

	for (uint64_t n = 0; n < it->sent; n++) {
		now = it->came[n] == 0 ? now + 1 : 0;
		runs += now == 1;
		longest = now > longest ? now : longest;
	}
	return same("loss periods", pt->rx.runs.stats.n, runs) &&
	    (runs == 0 || same("longest", (uint64_t)pt->rx.runs.stats.max, longest));
}

static bool
counts_are_true(const struct combo *c, const struct arrival *a, int n)
{
	const struct pace_rx_result *r = &pt->rx;
	bool strays = c->v[C_HEADER] + c->v[C_PAYLOAD] > 0;	/* damaged requests are foreign, too */
	uint64_t corrupt = 0;

	for (int i = 0; i < n; i++)
		corrupt += a[i].payload;
	return same("sent", pt->tx.frames, it->sent) &&
	    same("refused", pt->tx.refused, frames_of(c) - it->sent) &&
	    same("unique", r->unique, (uint64_t)n) &&
	    same("lost", r->lost, it->sent - (uint64_t)n) &&
	    same("duplicates", r->duplicates, (uint64_t)(it->arrivals - n)) &&
	    same("corrupt", r->corrupt, corrupt) && same("beyond", r->beyond_window, 0) &&
	    ((r->foreign + it->early >= it->foreign && (strays || r->foreign <= it->foreign)) ||
	    same("foreign", r->foreign, it->foreign));
}

static bool
holds(const char *what, const struct pace_share *s, uint64_t truth)
{
	if (s->low <= truth && truth <= s->high)
		return true;
	return wrong("%s: said %" PRIu64 " (%" PRIu64 " to %" PRIu64 "), true %" PRIu64, what, s->n,
	    s->low, s->high, truth);
}

/* The steps of the log by the places of the ledger. */
static const int place_of[SIM_STEPS] = {
	[SIM_SENT] = PACE_NETWORK, [SIM_AT_QDISC] = PACE_TX_QDISC, [SIM_AT_TX_NIC] = PACE_TX_NIC,
	[SIM_IN_NETWORK] = PACE_NETWORK, [SIM_AT_RX_NIC] = PACE_RX_NIC,
	[SIM_AT_SOFTNET] = PACE_RX_SOFTNET, [SIM_AT_INGRESS] = PACE_RX_INGRESS,
	[SIM_AT_IP] = PACE_RX_IP, [SIM_AT_CHECKSUM] = PACE_RX_CHECKSUM,
	[SIM_AT_SOCKET] = PACE_RX_SOCKET,
};

/* How far the shown figures of the socket are off, of all cases but whole trains. */
static double shown_off, shown_lost;

static bool
places_are_true(const struct combo *c)
{
	uint64_t died[PACE_PLACES] = { 0 }, uncounted = 0;
	bool good = true;

	for (uint64_t n = 0; n < it->sent; n++)
		if (it->came[n] == 0)
			died[place_of[it->step[n]]]++;
	if (!is_whole(c)) {
		shown_off += fabs((double)pt->ledger.place[PACE_RX_SOCKET].n -
		    (double)died[PACE_RX_SOCKET]);
		shown_lost += (double)died[PACE_RX_SOCKET];
	}
	/* drops of an interface that does not count them cannot be distinguished from those of
	 * the network */
	if (c->v[HIDDEN] > 0)
		uncounted = died[PACE_TX_NIC];
	for (int i = 0; i < PACE_NETWORK && good; i++) {
		const struct pace_share *s = &pt->ledger.place[i];

		if (!s->known)
			died[PACE_NETWORK] += died[i];
		else if (i == PACE_TX_NIC && uncounted > 0 && s->high < died[i])
			died[PACE_NETWORK] += died[i] - s->high;
		else
			good = holds(pace_place_name((enum pace_place)i), s, died[i]);
	}
	return good && holds("network", &pt->ledger.place[PACE_NETWORK], died[PACE_NETWORK]);
}

/* Frames that the socket dropped are in the bounds of their intervals. */
static bool
intervals_are_true(const struct combo *c)
{
	static uint64_t died[PACE_INTERVALS_MAX];
	const struct pace_intervals *v = pt->intervals;
	uint64_t sum = 0;

	memset(died, 0, sizeof(died));

	if (c->v[INTERVAL] == 0)
		return true;
	for (uint64_t n = 0; n < it->sent; n++)
		if (it->came[n] == 0 && it->step[n] == SIM_AT_SOCKET)
			died[pace_intervals_at(v, &pt->ask, n)]++;
	for (uint32_t i = 0; i < v->n; i++) {
		if (died[i] > v->v[i].socket_lost_max)
			return wrong("interval %u: the socket lost at most %" PRIu64 ", true %" PRIu64,
			    i, v->v[i].socket_lost_max, died[i]);
		sum += v->v[i].socket_lost;
	}
	return same("socket, of all intervals", sum, pt->ledger.place[PACE_RX_SOCKET].n);
}

static bool
delays_are_true(double least, double most, double bound)
{
	const struct pace_stats *d = &pt->rx.owd.stats;

	return pt->owd_relative || (fabs((double)d->min - least) <= bound &&
	    fabs((double)d->max - most) <= bound) || wrong("delay: said %" PRId64 " to %" PRId64
	    " within %g, true %g to %g", d->min, d->max, bound, least, most);
}

/* Gaps and delays of single frames, by true time; the clocks' rates differ. */
static bool
times_are_true(const struct combo *c, const struct arrival *a, int n)
{
	const struct pace_rx_result *r = &pt->rx;
	double least = INFINITY, most = -INFINITY, bound = pt->clock.fit.bound_ns + 200;
	double shortest = INFINITY, longest = -INFINITY;

	if (c->v[TRAIN] > 0 || n < 2)
		return true;
	for (int i = 0; i < n; i++) {
		double delay = (double)(a[i].at_ns - a[i].sent_ns);
		double gap = i > 0 ? (double)(a[i].at_ns - a[i - 1].at_ns) : NAN;

		least = fmin(least, delay);
		most = fmax(most, delay);
		shortest = fmin(shortest, gap);
		longest = fmax(longest, gap);
	}
	if (bursts_of(c) > 1)
		return delays_are_true(least, most, bound);
	if (!same("gaps", r->gap.stats.n, (uint64_t)n - 1))
		return false;
	if (fabs((double)r->gap.stats.min - shortest) > 2 + 1e-4 * fabs(shortest) ||
	    fabs((double)r->gap.stats.max - longest) > 2 + 1e-4 * longest)
		return wrong("gaps: said %" PRId64 " to %" PRId64 ", true %g to %g", r->gap.stats.min,
		    r->gap.stats.max, shortest, longest);
	return delays_are_true(least, most, bound);
}

static bool
record_is_true(const struct arrival *a, const struct pace_record *r, bool copy, bool late)
{
	uint8_t kind = r->flags & (PACE_RECORD_REORDERED | PACE_RECORD_DUPLICATE | PACE_RECORD_BEYOND);
	uint8_t want = copy ? PACE_RECORD_DUPLICATE : late ? PACE_RECORD_REORDERED : 0;

	if (r->seq != a->number || kind != want)
		return wrong("a record: number %" PRIu64 " kind %x, true %" PRIu64 " kind %x", r->seq,
		    kind, a->number, want);
	return it == log_of(SIM_TO_CLIENT) || r->tx_ns == a->sent_ns || wrong("departure of frame %" PRIu64 ": said %" PRId64
	    ", true %" PRId64, a->number, r->tx_ns, a->sent_ns);
}

static bool
records_are_true(const struct combo *c)
{
	static bool seen[FRAMES_MAX];
	uint64_t n = pt->rx.records, highest = 0;
	struct pace_record rec;
	uint8_t *columns;
	bool good;

	if (c->v[RECORDS] == 0)
		return true;
	good = same("records", n, (uint64_t)it->arrivals);
	if (!good || n == 0 || pace_client_records(&cl, pt, &columns, &err) < 0)
		return good;
	memset(seen, 0, sizeof(seen));
	for (uint64_t i = 0; i < n && good; i++) {
		const struct arrival *a = &it->arrival[i];

		good = (pace_record_read(columns, n, i, &rec) == 0 || wrong("a record's flags")) &&
		    record_is_true(a, &rec, seen[a->number], a->number < highest);
		seen[a->number] = true;
		highest = a->number > highest ? a->number : highest;
	}
	free(columns);
	return good;
}

/* One direction. */
static bool
is_way_true(const struct combo *c, enum sim_way way)
{
	static struct arrival a[ARRIVALS_MAX];
	int n;
	const char *broken = pace_point_broken(pt);

	it = log_of(way);
	n = firsts(a);
	if (broken != NULL)
		return wrong("%s", broken);
	return counts_are_true(c, a, n) && reordering_is_true(a, n) && runs_are_true() &&
	    places_are_true(c) && intervals_are_true(c) && times_are_true(c, a, n) && records_are_true(c);
}

static bool
is_true(const struct combo *c)
{
	struct pace_point *first = pt;
	bool good;

	if (c->v[DOWN] < 2)
		return is_way_true(c, net->reverse ? SIM_TO_CLIENT : SIM_TO_RESPONDER);
	good = is_way_true(c, SIM_TO_RESPONDER);
	pt = first->back;
	good = good && is_way_true(c, SIM_TO_CLIENT);
	pt = first;
	return good;
}

/* *measured: there was a result at all. */
static bool
try(const struct combo *c, bool *measured)
{
	bool good;

	net = sim_new(c->seed);
	pt = pace_point_new();
	(void)run(c);
	*measured = pt->has_rx;
	good = !pt->has_rx || is_true(c);
	pace_client_free(&cl);
	pace_point_free(pt);
	sim_free(net);
	return good;
}

/* --- all of them ----------------------------------------------------------------------- */

/* Settings that the failure does not need are removed. */
static void
shrink(struct combo *c)
{
	bool measured, again = true;

	while (again) {
		again = false;
		for (int i = 0; i < KNOBS; i++) {
			struct combo less = *c;

			if (c->v[i] == 0 || knobs[i].off == 0)
				continue;
			less.v[i] = 0;
			if (!try(&less, &measured)) {
				*c = less;
				again = true;
			}
		}
		for (struct combo less = *c; (less.v[COUNT] = floor(less.v[COUNT] / 2)) >= 1; *c = less)
			if (try(&less, &measured))
				break;
	}
	(void)try(c, &measured);	/* why it is wrong, of that one */
}

static uint64_t
cases(void)
{
	const char *env = getenv("UDPACE_TRUTH_CASES");

	return env != NULL ? strtoull(env, NULL, 0) : 500;
}

START_TEST(what_a_result_says_is_what_happened)
{
	uint64_t results = 0, wrongs = 0, n = cases();
	bool measured;

	for (uint64_t i = 0; i < n; i++) {
		struct combo c = draw(unit_state + i);

		if (!try(&c, &measured)) {
			printf("  %s\n", why);
			if (++wrongs > 20)
				break;
			print(&c);
			shrink(&c);
			printf("  made smaller: %s; UDPACE_SEED=%" PRIu64
			    " UDPACE_TRUTH_CASES=1\n", why, c.seed);
			print(&c);
		}
		results += measured;
	}
	printf("the socket's figures are off by %.2g of what died there\n", shown_off / shown_lost);
	printf("%" PRIu64 " of %" PRIu64 " cases had a result, %" PRIu64 " were wrong\n",
	    results, n, wrongs);
	fflush(stdout);
	ck_assert_uint_eq(wrongs, 0);
	ck_assert_uint_ge(results * 10, n * 8);
	ck_assert(shown_off < 0.15 * shown_lost);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("truth");

	unit_seed(tc);
	sim_sums(tc, "truth");
	tcase_set_timeout(tc, 600);
	tcase_add_test(tc, what_a_result_says_is_what_happened);
	return unit_run(tc, "truth");
}
