/*
 * How a request is answered: everything about it is checked first (admit), then the reply is
 * written over it in the same buffer (prepare), and the time of departure and the HMAC over it
 * are added when the whole group is ready to be sent (finish).
 */
#include "config.h"

#include "server/reflector.h"

#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/rates.h"

#define SYSTEM_PORTS	1024

/* Members that all replies of a batch share. */
struct common {
	int64_t		now_ns, wall_ns;
	uint64_t	now;		/* as on the wire */
	uint16_t	error;		/* as on the wire */
};

/* A reply that is being made. */
struct job {
	const struct pace_in *in;
	const struct pace_reflector_peer *peer;
	struct pace_reflector_session *session;		/* NULL: stateless */
	uint32_t	seq;
	uint8_t		dscp;
	bool		follows;	/* its departure is wanted for a later reply */
};

static bool
is_auth(const struct job *j)
{
	return j->peer->key != NULL;
}

static void
count(struct pace_reflector *r, enum pace_reflector_outcome what, uint64_t n)
{
	/* one writer: load and store need not be one step */
	atomic_store_explicit(&r->count[what], n +
	    atomic_load_explicit(&r->count[what], memory_order_relaxed), memory_order_relaxed);
}

/* --- who may ask ---------------------------------------------------------------------------- */

/* Find the rule of an address and remember it. */
static void
judge(struct pace_reflector *r, struct pace_reflector_peer *p, const struct pace_addr *from,
    uint32_t changes)
{
	struct pace_terms t;
	const struct pace_limits *l = &t.limits;
	int64_t frames, rate;

	pace_rules_terms(r->rules, from, "", &t);
	frames = l->most[PACE_LIMIT_FRAMES];
	rate = l->most[PACE_LIMIT_RATE];
	if (frames == PACE_NO_LIMIT && rate != PACE_NO_LIMIT)
		frames = PACE_REFLECTOR_PER_S;
	*p = (struct pace_reflector_peer){ .addr = *from, .rules = changes,
	    .keys = r->keys_changes, .allowed = l->allow && l->reflect,
	    .key = pace_stamp_keys_of(&r->keys, l->rule),
	    .every_ns = frames == PACE_NO_LIMIT ? 0 : PACE_SEC / frames,
	    .bit_ns = rate == PACE_NO_LIMIT ? 0 : (double)PACE_SEC / (double)rate };
	p->columns = pace_rate_sketch_of(r->sketch_key, from).columns[PACE_PREFIX_NETWORK];
}

static const struct pace_reflector_peer *
peer_of(struct pace_reflector *r, const struct pace_addr *from)
{
	uint32_t changes = r->rules == NULL ? 0 :
	    atomic_load_explicit(&r->rules->changes, memory_order_acquire), hash = 0;
	struct pace_reflector_peer *p;

	/* Collisions only cost time: no key is needed. */
	for (int i = 0; i < (from->family == 4 ? 4 : 16); i++)
		hash = (hash ^ from->ip[i]) * 16777619;
	p = &r->peer[(hash ^ hash >> 16) % PACE_REFLECTOR_PEERS];
	if (p->addr.family != from->family || p->rules != changes || p->keys != r->keys_changes ||
	    memcmp(p->addr.ip, from->ip, from->family == 4 ? 4 : 16) != 0)
		judge(r, p, from, changes);
	return p;
}

static bool
is_verified(const struct job *j)
{
	const struct pace_in *in = j->in;

	return !is_auth(j) || (in->len >= PACE_STAMP_AUTH &&
	    pace_stamp_mac_is(j->peer->key, in->buf, PACE_STAMP_HMAC_AT, NULL, 0,
	    in->buf + PACE_STAMP_HMAC_AT));
}

/* Charge the network of the sender with the reply. */
static bool
affords(struct pace_reflector *r, const struct job *j, int64_t now_ns)
{
	const struct pace_reflector_peer *p = j->peer;
	const struct pace_link link = { .family = p->addr.family };
	double bits = 8 * (double)pace_wire_bytes(&link, (uint32_t)j->in->len);
	int64_t cost_ns = (int64_t)fmax((double)p->every_ns, bits * p->bit_ns);

	return cost_ns == 0 ||
	    pace_rate_sketch_pay(&r->sketch, p->columns, cost_ns, PACE_SEC, now_ns);
}

/* PACE_REFLECTED: the request is to be answered. */
static enum pace_reflector_outcome
admit(struct pace_reflector *r, struct job *j, const struct common *c)
{
	const struct pace_in *in = j->in;

	if (in->len < PACE_STAMP_LIGHT || in->len > in->size)
		return PACE_REFLECTOR_MALFORMED;
	if (in->from.port < SYSTEM_PORTS || in->from.port == r->port)
		return PACE_REFLECTOR_LOOP;
	j->peer = peer_of(r, &in->from);
	if (!j->peer->allowed)
		return PACE_REFLECTOR_DENIED;
	if (pace_stamp_is_like_reply(in->buf, in->len, is_auth(j), c->now))
		return PACE_REFLECTOR_LOOP;	/* another reflector's, at any port */
	if (!is_verified(j))
		return PACE_REFLECTOR_UNVERIFIED;
	return affords(r, j, c->now_ns) ? PACE_REFLECTED : PACE_REFLECTOR_LIMITED;
}

/* --- extensions ------------------------------------------------------------------------------ */

struct tlvs {
	struct pace_stamp_tlv v[PACE_STAMP_TLVS_MAX];
	int	n;
	int	hmac;		/* -1: none */
	bool	trusted;	/* their HMAC is right, or none is wanted */
};

/* The HMAC comes last, but padding may follow.  In the authenticated mode only a packet with
 * nothing but padding needs none. */
static bool
are_trusted(const struct job *j, const struct tlvs *t)
{
	const uint8_t *buf = j->in->buf;
	size_t base = pace_stamp_base(is_auth(j));

	if (t->hmac < 0)
		return !is_auth(j) || t->n == 0 ||
		    (t->n == 1 && t->v[0].type == PACE_STAMP_TLV_PADDING);
	for (int i = t->hmac + 1; i < t->n; i++)
		if (t->v[i].type != PACE_STAMP_TLV_PADDING)
			return false;
	return is_auth(j) && !t->v[t->hmac].malformed && pace_stamp_mac_is(j->peer->key, buf, 4,
	    buf + base, t->v[t->hmac].at - base, buf + t->v[t->hmac].at + PACE_STAMP_TLV_SIZE);
}

static void
read_tlvs(const struct job *j, struct tlvs *t)
{
	struct pace_stamp_walk w = pace_stamp_walk(j->in->buf, j->in->len, is_auth(j));

	t->hmac = -1;
	for (t->n = 0; t->n < PACE_STAMP_TLVS_MAX && pace_stamp_walk_next(&w, &t->v[t->n]); t->n++)
		if (t->v[t->n].type == PACE_STAMP_TLV_HMAC && t->hmac < 0)
			t->hmac = t->n;
	t->trusted = are_trusted(j, t);
}

static void
answer_cos(struct job *j, uint8_t *value)
{
	struct pace_stamp_cos c;

	pace_stamp_cos_get(&c, value);
	j->dscp = c.dscp_wanted;
	c.dscp = j->in->mark >> 2;
	c.ecn = j->in->mark & 3;
	c.refused = 0;
	pace_stamp_cos_put(value, &c);
}

static void
answer_time_info(const struct pace_reflector *r, const struct job *j, uint8_t *value)
{
	const uint8_t source = r->clock.synchronised ? PACE_STAMP_FROM_NTP : PACE_STAMP_FROM_LOCAL;
	const struct pace_stamp_time_info i = { .source_in = source, .source_out = source,
	    .method_in = j->in->stamp == PACE_STAMP_NIC ? PACE_STAMP_BY_HARDWARE :
	    PACE_STAMP_BY_SOFTWARE, .method_out = PACE_STAMP_BY_SOFTWARE };

	pace_stamp_time_info_put(value, &i);
}

/* Give the departure of an earlier reply; zeros: it is not known. */
static void
answer_follow_up(const struct pace_reflector *r, struct job *j, uint8_t *value)
{
	const struct pace_reflector_session *s = j->session;
	struct pace_stamp_follow_up f = { .seq = 0 };

	j->follows = s != NULL;
	if (s != NULL && s->follow_ns != 0)
		f = (struct pace_stamp_follow_up){ .seq = s->follow_seq,
		    .time = pace_stamp_time(s->follow_ns + r->io.wall(r->io.ctx), PACE_STAMP_NTP),
		    .method = r->nic ? PACE_STAMP_BY_HARDWARE : PACE_STAMP_BY_SOFTWARE };
	pace_stamp_follow_up_put(value, &f);
}

/* A Follow-Up Telemetry TLV of a wrong length: its fields, as far as they are there, are zeros. */
static void
clear_follow_up(const struct job *j, const struct pace_stamp_tlv *t)
{
	const size_t at = t->at + PACE_STAMP_TLV_SIZE, rest = j->in->len - at;
	size_t n = t->length < rest ? t->length : rest;

	memset(j->in->buf + at, 0, n < PACE_STAMP_FOLLOW_UP_LENGTH ? n :
	    PACE_STAMP_FOLLOW_UP_LENGTH);
}

/* Answer a TLV; returns its flags. */
static uint8_t
answer_tlv(const struct pace_reflector *r, struct job *j, const struct pace_stamp_tlv *t,
    bool trusted)
{
	uint8_t *value = j->in->buf + t->at + PACE_STAMP_TLV_SIZE;
	uint8_t flags = (uint8_t)((t->malformed ? PACE_STAMP_M : 0) | (trusted ? 0 : PACE_STAMP_I));
	const bool act = flags == 0;

	switch (t->type) {
	case PACE_STAMP_TLV_PADDING:
	case PACE_STAMP_TLV_HMAC:
		break;
	case PACE_STAMP_TLV_COS:
		if (act)
			answer_cos(j, value);
		break;
	case PACE_STAMP_TLV_TIME_INFO:
		if (act)
			answer_time_info(r, j, value);
		break;
	case PACE_STAMP_TLV_FOLLOW_UP:
		if (act)
			answer_follow_up(r, j, value);
		else if (trusted)
			clear_follow_up(j, t);
		break;
	default:
		flags |= PACE_STAMP_U;
	}
	return flags;
}

/* --- replies --------------------------------------------------------------------------------- */

static struct common
common_of(const struct pace_reflector *r)
{
	const struct pace_clock_state *c = &r->clock;
	const struct pace_stamp_error error = { .format = PACE_STAMP_NTP,
	    .synchronised = c->known && c->synchronised,
	    .ns = c->known ? c->error_max_ns : INT64_MAX };
	int64_t now_ns = r->io.now(r->io.ctx), wall_ns = r->io.wall(r->io.ctx);

	return (struct common){ .now_ns = now_ns, .wall_ns = wall_ns,
	    .now = pace_stamp_time(now_ns + wall_ns, PACE_STAMP_NTP),
	    .error = pace_stamp_error(&error) };
}

/* Write the reply over its request, except for what depends on T3. */
static enum pace_reflector_outcome
prepare(struct pace_reflector *r, struct job *j, const struct common *c)
{
	const struct pace_in *in = j->in;
	const bool auth = is_auth(j);
	struct pace_stamp_reply p = { .ttl = in->ttl, .error = c->error,
	    .t2 = pace_stamp_time(in->stamp_ns + c->wall_ns, PACE_STAMP_NTP) };
	struct tlvs t;

	(void)pace_stamp_request_decode(&p.sender, in->buf, in->len, auth);
	p.seq = p.sender.seq;
	p.ssid = p.sender.ssid;
	j->dscp = in->mark >> 2;
	if (r->table != NULL) {
		const struct pace_reflector_name name = { in->from, in->local, p.ssid };

		j->session = pace_reflector_table_find(r->table, &name, c->now_ns);
		if (j->session == NULL)
			return PACE_REFLECTOR_FULL;
		p.seq = j->session->next_seq++;
	}
	j->seq = p.seq;
	read_tlvs(j, &t);
	for (int i = 0; i < t.n; i++)
		in->buf[t.v[i].at] = answer_tlv(r, j, &t.v[i], t.trusted);
	(void)pace_stamp_reply_encode(in->buf, in->len, auth, &p);
	if (t.hmac >= 0 && t.trusted) {
		size_t at = t.v[t.hmac].at, base = pace_stamp_base(auth);

		pace_stamp_mac(j->peer->key, in->buf, 4, in->buf + base, at - base,
		    in->buf + at + PACE_STAMP_TLV_SIZE);
	}
	return PACE_REFLECTED;
}

/* Add the time of departure. */
static struct pace_out
finish(const struct job *j, uint64_t t3)
{
	const struct pace_in *in = j->in;

	pace_stamp_reply_set_t3(in->buf, is_auth(j), t3);
	if (is_auth(j))
		pace_stamp_mac(j->peer->key, in->buf, PACE_STAMP_HMAC_AT, NULL, 0,
		    in->buf + PACE_STAMP_HMAC_AT);
	return (struct pace_out){ .buf = in->buf, .len = in->len, .stamp = j->follows,
	    .tos = (uint8_t)(j->dscp << 2), .to = in->from, .from = in->local };
}

/* --- departures of earlier replies ----------------------------------------------------------- */

static void
await_departure(struct pace_reflector *r, const struct job *j)
{
	uint32_t number = r->stamps++;

	r->stamped[number % PACE_REFLECTOR_STAMPS].session = j->session;
	r->stamped[number % PACE_REFLECTOR_STAMPS].birth = j->session->birth;
	r->stamped[number % PACE_REFLECTOR_STAMPS].number = number;
	r->stamped[number % PACE_REFLECTOR_STAMPS].seq = j->seq;
}

static void
read_departures(struct pace_reflector *r)
{
	struct pace_departure d[PACE_REFLECTOR_BATCH];
	int n = r->io.departures(r->io.ctx, d, PACE_REFLECTOR_BATCH);

	for (int i = 0; i < n; i++) {
		uint32_t at = d[i].n % PACE_REFLECTOR_STAMPS;
		struct pace_reflector_session *s = r->stamped[at].session;

		if (s == NULL || r->stamped[at].number != d[i].n)
			continue;
		r->stamped[at].session = NULL;
		if (s->birth != r->stamped[at].birth)
			continue;		/* another session has its place */
		s->follow_seq = r->stamped[at].seq;
		s->follow_ns = d[i].stamp_ns;
	}
}

/* A refused send may or may not have used a number, so numbering restarts. */
static void
forget_departures(struct pace_reflector *r)
{
	r->io.renumber(r->io.ctx);
	r->stamps = 0;
	for (int i = 0; i < PACE_REFLECTOR_STAMPS; i++)
		r->stamped[i].session = NULL;
}

/* Send a group of replies with one time of departure. */
static void
send_group(struct pace_reflector *r, struct job *j, int n, int64_t wall_ns)
{
	struct pace_out out[PACE_REFLECTOR_BURST];
	uint64_t t3 = pace_stamp_time(r->io.now(r->io.ctx) + wall_ns, PACE_STAMP_NTP);
	int at = 0;

	for (int i = 0; i < n; i++)
		out[i] = finish(&j[i], t3);
	while (at < n) {
		int sent = r->io.send(r->io.ctx, out + at, n - at);

		if (sent < 0)
			sent = 0;
		for (int i = at; i < at + sent; i++)
			if (out[i].stamp)
				await_departure(r, &j[i]);
		count(r, PACE_REFLECTED, (uint64_t)sent);
		at += sent;
		if (at == n)
			break;
		if (r->table != NULL)
			forget_departures(r);
		count(r, PACE_REFLECTOR_UNSENT, 1);
		at++;
	}
}

static int
answer_batch(struct pace_reflector *r)
{
	struct pace_in in[PACE_REFLECTOR_BATCH];
	struct job job[PACE_REFLECTOR_BATCH];
	struct common common;
	int n, jobs = 0;

	for (int i = 0; i < PACE_REFLECTOR_BATCH; i++)
		in[i] = (struct pace_in){ .buf = r->buf[i], .size = PACE_REFLECTOR_ROOM };
	n = r->io.recv(r->io.ctx, in, PACE_REFLECTOR_BATCH);
	common = common_of(r);
	for (int i = 0; i < n; i++) {
		struct job *j = &job[jobs];
		enum pace_reflector_outcome outcome;

		*j = (struct job){ .in = &in[i] };
		outcome = admit(r, j, &common);
		if (outcome == PACE_REFLECTED)
			outcome = prepare(r, j, &common);
		if (outcome == PACE_REFLECTED)
			jobs++;
		else
			count(r, outcome, 1);
	}
	for (int i = 0; i < jobs; i += PACE_REFLECTOR_BURST)
		send_group(r, job + i, jobs - i < PACE_REFLECTOR_BURST ? jobs - i :
		    PACE_REFLECTOR_BURST, common.wall_ns);
	return n;
}

int
pace_reflector_step(struct pace_reflector *r)
{
	int n;

	pthread_mutex_lock(&r->lock);
	if (r->table != NULL)
		read_departures(r);
	n = answer_batch(r);
	pthread_mutex_unlock(&r->lock);
	return n;
}

/* --- its life -------------------------------------------------------------------------------- */

struct pace_reflector *
pace_reflector_new(bool stateful)
{
	static const struct pace_rate_sketch_limit none[PACE_PREFIXES];
	struct pace_reflector *r = sodium_init() < 0 ? NULL : calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	pthread_mutex_init(&r->lock, NULL);
	randombytes_buf(r->sketch_key, sizeof(r->sketch_key));
	pace_rate_sketch_init(&r->sketch, none);
	if (!stateful)
		return r;
	r->table = pace_reflector_table_new();
	if (r->table != NULL)
		return r;
	free(r);
	return NULL;
}

void
pace_reflector_free(struct pace_reflector *r)
{
	if (r == NULL)
		return;
	pace_stamp_keys_free(&r->keys);
	pace_reflector_table_free(r->table);
	free(r);
}

void
pace_reflector_rekey(struct pace_reflector *r, struct pace_stamp_keys *ks)
{
	pthread_mutex_lock(&r->lock);
	pace_stamp_keys_free(&r->keys);
	r->keys = *ks;
	r->keys_changes++;
	pthread_mutex_unlock(&r->lock);
	*ks = (struct pace_stamp_keys){ .n = 0 };
}

struct pace_reflector_counts
pace_reflector_counted(const struct pace_reflector *r)
{
	struct pace_reflector_counts c;

	for (int i = 0; i < PACE_REFLECTOR_OUTCOMES; i++)
		c.n[i] = atomic_load_explicit(&r->count[i], memory_order_relaxed);
	return c;
}
