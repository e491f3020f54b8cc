/*
 * Fuzzes the whole responder on an in-memory network and a virtual clock.  The input is a list of
 * records:
 *
 *   1  where   bits 0-1: the peer; bit 2: to a socket that the kernel would not
 *              choose; bits 3-4, for a datagram: enum tag; bits 5-7: enum what
 *   1  how     bits, see below
 *   2  length  of the bytes that follow
 *   n  bytes
 *   1  step    time that passes afterwards
 *
 * Checks:
 * - A request gets at most one reply; a datagram for another address gets none.
 * - No reply is larger than its request before the client has returned the cookie.  A reply to a
 *   PING is never larger, and carries exactly the kernel's times.
 * - The responder sends frames only with a proof that its client receives them.
 * - The number of sessions is bounded.  No session asks to be stepped again unless time passes.
 *   All sessions end a while after the last datagram.
 * - A light session sends at most one reply to a datagram, to its address, and to a PING none that
 *   is larger; it has no frames and no lease.
 * - An honest client accepts the result and the records, whatever frames arrived.
 * With keys:
 * - A client that needs a key and does not show it gets neither an answer nor a session.
 * - A session with a key answers each tagged request once, with a tagged answer, and nothing else.
 * - Untagged datagrams neither keep such a session alive nor are charged to its budget.
 */
#include "responder_runner.h"

#include "doc/tx_result_doc.h"

/* --- what arrives ------------------------------------------------------------- */

/* the queue owns buf from here on */
static void
put(struct port *p, const struct datagram *d)
{
	if (p->queued == QUEUE) {
		p->drops++;
		free(d->buf);
		return;
	}
	p->queue[p->queued] = *d;
	p->queue[p->queued++].joins = p->joins;
}

static void
deliver_to(int peer, bool astray, struct datagram *d)
{
	struct port *p = port_of(peer);

	d->from = w.clients[peer].addr;
	if (astray)
		p = p != NULL ? NULL : port_of(-1);
	put(p != NULL ? p : &w.listener, d);
}

static void
deliver(int peer, uint8_t *buf, size_t len, enum pace_stamp stamp, int64_t early_ns)
{
	struct datagram d = { .buf = buf, .len = len, .stamp = stamp, .stamp_ns = w.now - early_ns };

	deliver_to(peer, false, &d);
}

/* --- tags ---------------------------------------------------------------------- */

/* A HELLO draws a nonce and an OPEN carries it; later messages carry the session's. */
static uint64_t
nonce_for(int peer, uint8_t type)
{
	const struct port *p = port_of(peer);
	struct client *c = &w.clients[peer];

	if (type == PACE_HELLO)
		c->nonce = 1 + (uint64_t)peer + PEERS * (c->nonce / PEERS + 1);
	return type == PACE_HELLO || type == PACE_OPEN || p == NULL ? c->nonce : p->nonce;
}

/* A later time than all before, and a number below those of the honest client. */
static void
tag_next(struct client *c, uint8_t *buf)
{
	uint64_t number = repair_get_be64(buf + 16);

	c->tagged_ns = c->tagged_ns < w.now ? w.now : c->tagged_ns + 1;
	repair_be64(buf + 24, (uint64_t)c->tagged_ns);
	if (number > c->request && number < UINT64_MAX / 2)
		c->request = number;
}

/* The buffer has room for a trailer. The fault of the tag, or its owner. */
static void
tag_oddly(struct datagram *d, uint64_t nonce)
{
	size_t len = keyed_tag(w.oddly == OTHER_KEY ? KEY_B : KEY_A,
	    w.oddly == OTHER_NONCE ? nonce + PEERS : nonce, d->buf, d->len);
	uint32_t at = counter_32();

	if (len == 0)
		return;
	d->len = len;
	if (w.oddly == FLIPPED_BIT)
		d->buf[len - 1 - at / 8 % PACE_SEAL_SIZE] ^= (uint8_t)(1 << at % 8);
	else if (w.oddly == CUT_TAG)
		d->len -= 1 + at % PACE_SEAL_SIZE;
	else
		d->key = w.oddly == OTHER_KEY ? KEY_B : KEY_A;
	d->nonce = nonce + (w.oddly == OTHER_NONCE ? PEERS : 0);
}

static void
tag(int peer, enum tag how, struct datagram *d)
{
	uint64_t nonce;
	size_t len;

	if (how == UNTAGGED || d->len < PACE_HDR_SIZE)
		return;
	nonce = nonce_for(peer, d->buf[3]);
	if (how != TAGGED_AS_IT_IS)
		tag_next(&w.clients[peer], d->buf);
	if (how == TAGGED_ODDLY) {
		tag_oddly(d, nonce);
		return;
	}
	len = keyed_tag(KEY_A, nonce, d->buf, d->len);
	if (len > 0)
		*d = (struct datagram){ .buf = d->buf, .len = len, .stamp = d->stamp,
		    .stamp_ns = d->stamp_ns, .key = KEY_A, .nonce = nonce };
}

static void
set_keys(unsigned how)
{
	struct pace_keys ks;

	if (w.known[KEY_A] != ((how & HAS_A) != 0) || w.known[KEY_B] != ((how & HAS_B) != 0)) {
		ks = keyed_list(how & HAS_A, how & HAS_B);
		pace_auth_rekey(&w.responder.shared.auth, &ks);
	}
	w.known[KEY_A] = how & HAS_A;
	w.known[KEY_B] = how & HAS_B;
	w.required = how & REQUIRED;
	w.explain_refusal = how & POLITE;
	w.oddly = how >> 4 & 3;
	w.budgeted |= (how & BUDGETED) != 0;
	w.responder.shared.rules = w.budgeted ? rules : NULL;
	w.responder.shared.keys_required = w.required;
	w.responder.shared.explain_refusal = w.explain_refusal;
}

/* --- datagrams and frames ------------------------------------------------------- */

static void
repair_cookie(const struct client *c, uint8_t *buf, size_t len)
{
	static const char before[] = "\"cookie\":\"";
	uint8_t cookie[PACE_COOKIE_SIZE], *at = memmem(buf, len, before, strlen(before));
	char hex[2 * PACE_COOKIE_SIZE + 1];
	size_t head;

	if (at == NULL)
		return;
	head = (size_t)(at - buf) + strlen(before);
	if (len - head < sizeof(hex) - 1)
		return;
	/* A session issues its own cookies. */
	pace_cookie_make(&w.responder.shared.cookies, &c->addr,
	    port_of((int)(c - w.clients)) != NULL || is_light(&c->addr) ? c->session : 0, w.now,
	    cookie);
	sodium_bin2hex(hex, sizeof(hex), cookie, sizeof(cookie));
	memcpy(buf + head, hex, sizeof(hex) - 1);
}

static void
repair(const struct client *c, unsigned how, uint8_t *buf, size_t len)
{
	if (how & COOKIE)
		repair_cookie(c, buf, len);
	if (len < PACE_HDR_SIZE)
		return;
	if (how & SESSION)
		repair_be64(buf + 8, c->session);
	if (how & (STREAM | NEXT_STREAM))
		buf[5] = (uint8_t)(c->run_number + (how & NEXT_STREAM ? 1 : 0));
	if (how & HEADER)
		repair_header(buf, len);
}

static void
send_datagram(int peer, unsigned where, unsigned how, const struct pace_rd *bytes)
{
	struct datagram d = { .stamp = PACE_STAMP_KERNEL, .stamp_ns = w.now };
	size_t len = bytes->left;
	uint8_t *buf;

	if ((how & PADDED) && len < PACE_HELLO_SIZE)
		len = PACE_HELLO_SIZE;
	if ((how & HUGE_ONE) && len < LARGE)
		len = LARGE;
	buf = calloc(1, len + PACE_SEAL_SIZE);
	MUST(buf != NULL);
	if (bytes->left > 0)
		memcpy(buf, bytes->p, bytes->left);
	repair(&w.clients[peer], how, buf, len);
	w.clients[peer].odd_finish |= len >= PACE_HDR_SIZE && buf[3] == PACE_FINISH;
	d.buf = buf;
	d.len = len;
	tag(peer, (enum tag)(where >> 3 & 3), &d);
	deliver_to(peer, (where & 4) != 0, &d);
}

static void
send_frame(int peer, unsigned how, uint64_t seq)
{
	struct client *c = &w.clients[peer];
	struct pace_hdr h = { .type = PACE_DATA, .run = c->run_number, .session = c->session,
	    .seq = seq, .tx_ns = w.now,
	    .late_ns = seq % 5 == 4 ? PACE_LATE_UNKNOWN : (uint32_t)seq * 300 };
	size_t len = c->run.ask.size_bytes + (how & ODD_SIZE ? 1 : 0);
	uint8_t *buf = calloc(1, len);

	MUST(buf != NULL);
	pace_payload_fill(buf + PACE_HDR_SIZE, len - PACE_HDR_SIZE, c->run.seed);
	if (how & ABSURD_TIME)
		h.tx_ns = (int64_t)((uint64_t)counter_32() << 32 | counter_32());
	MUST(pace_hdr_encode(buf, len, &h) > 0);
	if (how & DAMAGED)
		buf[len - 1] ^= 1;
	deliver(peer, buf, len, how & USER_STAMP ? PACE_STAMP_USER : PACE_STAMP_KERNEL,
	    how & EARLY_STAMP ? 1000 : 0);
}

/* A frame for each byte, which says how far it is from the next number. */
static void
send_frames(int peer, unsigned how, struct pace_rd *bytes, int64_t step_ns)
{
	struct client *c = &w.clients[peer];

	for (int i = 0; i < FRAMES_MAX && bytes->left > 0 && c->has_run; i++) {
		int8_t far = (int8_t)pace_rd_be(bytes, 1);

		send_frame(peer, how, c->next + (uint64_t)(int64_t)far * (i % 8 == 7 ? 5000 : 1));
		if (far >= 0)
			c->next += (uint64_t)far + 1;
		run_until(w.now + step_ns);
	}
}

/* Send time requests, five bytes each: 2 for the request's length above the minimum, 2 for the
 * reply's, 1 for the upper byte of the rate. */
static void
ask_times(int peer, unsigned how, struct pace_rd *bytes, int64_t step_ns)
{
	struct client *c = &w.clients[peer];

	for (int i = 0; i < FRAMES_MAX && bytes->left >= 5; i++) {
		const struct port *p = port_of(peer);
		struct pace_hdr h = { .type = PACE_PING, .run = c->run_number,
		    .session = c->session, .seq = c->pings++, .tx_ns = w.now };
		size_t len = PACE_PING_SIZE + pace_rd_be(bytes, 2) % (LARGE - PACE_PING_SIZE);
		struct pace_ping body = { .reply_bytes = (uint16_t)pace_rd_be(bytes, 2) };
		uint8_t *buf = calloc(1, len);

		body.rate_2p40 = (int32_t)((uint32_t)pace_rd_be(bytes, 1) << 24);
		body.stamp_reply = len % 8 != 7;
		if ((how & PROVES) && p != NULL && p->shown_n > 0)
			body.proof = p->shown[(p->shown_n - 1) % SHOWN].value;
		MUST(buf != NULL && pace_ping_encode(buf, len, &h, &body) >= PACE_PING_SIZE);
		deliver(peer, buf, len, how & USER_STAMP ? PACE_STAMP_USER :
		    PACE_STAMP_KERNEL, how & EARLY_STAMP ? 1000 : 0);
		if ((how & HOLD) == 0)
			run_until(w.now + step_ns);
	}
}

/* --- an honest client that collects what there is -------------------------------- */

/* Send a request to the session. Return the length of the answer's body; 0: no answer. */
static size_t
ask(int peer, uint8_t type, json_t *body)
{
	struct client *c = &w.clients[peer];
	struct pace_hdr h = { .type = type, .run = c->run_number, .session = c->session,
	    .seq = ++c->request }, reply;
	struct datagram d = { .stamp = PACE_STAMP_KERNEL, .stamp_ns = w.now };
	const struct port *p = port_of(peer);
	uint8_t *buf = malloc(PACE_CONTROL_ROOM);
	int len;

	MUST(buf != NULL);
	len = pace_msg_put(buf, PACE_CONTROL_ROOM, &h, body, 160);
	MUST(len > 0);
	c->reply_len = 0;
	d.buf = buf;
	d.len = (size_t)len;
	if (p != NULL && p->key != KEY_NONE) {
		tag_next(c, buf);
		d.key = p->key;
		d.nonce = p->nonce;
		d.len = keyed_tag(d.key, d.nonce, buf, d.len);
		MUST(d.len > 0);
	}
	deliver_to(peer, false, &d);
	run_until(w.now + SECOND_NS / 1000);
	if (c->reply_len == 0 || pace_hdr_decode(&reply, c->reply, c->reply_len) != 0 ||
	    reply.type != (type | PACE_REPLY) || reply.seq != h.seq)
		return 0;
	return c->reply_len - PACE_HDR_SIZE;
}

/* Return the bytes of the result; 0: there is none. */
static uint32_t
finish(int peer, const struct pace_msg_finish *f)
{
	struct client *c = &w.clients[peer];
	struct pace_msg_ready m;

	c->odd_finish |= c->finished;
	c->finished = true;
	for (int i = 0; i < 3; i++) {
		size_t len = ask(peer, PACE_FINISH, pace_msg_finish_json(f));
		json_t *body = len > 0 ? pace_msg_body(c->reply, c->reply_len) : NULL;
		int rc = pace_msg_ready(body, &m);

		json_decref(body);
		if (rc != 0 || m.ready)
			return rc == 0 ? m.size : 0;
		if (m.wait_ns > 20 * SECOND_NS)
			return 0;
		run_until(w.now + m.wait_ns + 1);
	}
	return 0;
}

/* The body of a FINISH: 2 bytes, how many more frames were sent than are known here; then lines,
 * each of 1 byte start, 1 duration, 8 offset, 2 rate. */
static void
read_finish(struct pace_msg_finish *f, const struct client *c, struct pace_rd *r)
{
	int64_t t = w.now - SECOND_NS;

	memset(f, 0, sizeof(*f));
	f->sent = c->next + pace_rd_be(r, 2);
	for (int i = 0; i < PACE_CLOCK_SEGMENTS && r->left >= 12; i++) {
		struct pace_clock_segment *s = &f->theta.v[i];

		s->from_ns = s->line.t_ns = t + repair_step_ns(pace_rd_be(r, 1));
		s->to_ns = t = s->from_ns + repair_step_ns(pace_rd_be(r, 1));
		s->line.offset_ns = (int64_t)pace_rd_be(r, 8) / 8;
		s->line.rate = (int16_t)pace_rd_be(r, 2) * (1e-3 / 32768);
		f->theta.segments++;
	}
}

/* Figures that an honest client requests. */
static bool
is_sane(const struct client *c)
{
	const struct pace_msg_start *m = &c->run;

	return c->has_run && m->limit < UINT64_C(1) << 60 && m->ask.linear.width < 1 << 30 &&
	    m->ask.linear.low < 1 << 30 && m->ask.linear.low > -(1 << 30);
}

static bool
is_down(const struct client *c)
{
	return c->has_run && !c->run.pings && c->run.ask.direction == PACE_DOWN;
}

static bool
is_two_way(const struct client *c)
{
	return c->has_run && !c->run.pings && c->run.ask.two_way;
}

/* Fetch all of the result or of the records. Return the number of bytes. */
static uint32_t
fetch(int peer, uint8_t *to, uint32_t size, enum pace_part part)
{
	struct client *c = &w.clients[peer];
	uint32_t at = 0;

	while (at < size) {
		const struct pace_msg_fetch m = { .offset = at, .part = part };
		size_t len = ask(peer, PACE_FETCH, pace_msg_fetch_json(&m));
		struct pace_rd r = { .p = c->reply + PACE_HDR_SIZE, .left = len };

		if (len == 0 || repair_get_be64(r.p) != ((uint64_t)at << 32 | size))
			break;
		r.p += 8;
		r.left -= 8;
		MUST(r.left > 0 && r.left <= PACE_CHUNK_MAX && r.left <= size - at);
		memcpy(to + at, r.p, r.left);
		at += (uint32_t)r.left;
	}
	return at;
}

/* If no record was left out, the losses also follow from the records: see record.h. */
static void
check_records(const struct client *c, const struct pace_rx_result *rx,
    const struct pace_msg_finish *f, const uint8_t *columns)
{
	uint64_t next = 0, holes = 0, late = 0;
	uint64_t sent = c->odd_finish ? rx->unique + rx->lost : f->sent;

	for (uint64_t i = 0; i < rx->records; i++) {
		struct pace_record rec;

		MUST(pace_record_read(columns, rx->records, i, &rec) == 0);
		MUST(rec.seq >= c->run.ask.record.skip && rec.seq < c->run.limit);
		MUST((rec.flags & PACE_RECORD_STAMP) != PACE_STAMP_NONE);
		holes += pace_record_missing(&rec, &next);
		late += (rec.flags & PACE_RECORD_REORDERED) != 0;
	}
	if (rx->records_missed > 0 || c->run.ask.record.skip > 0 || w.budgeted)
		return;
	if (sent < next)
		sent = next;
	MUST(rx->lost == holes - late + sent - next);
}

static void
collect_records(int peer, const struct pace_rx_result *rx, const struct pace_msg_finish *f)
{
	const struct client *c = &w.clients[peer];
	uint32_t size = (uint32_t)(rx->records * PACE_RECORD_SIZE);
	uint8_t *columns = malloc(size + 1);

	MUST(columns != NULL && rx->records <= c->run.ask.record.room);
	MUST(c->run.ask.record.room <= RECORDS);
	if (c->run.ask.record.room > 0 && fetch(peer, columns, size, PACE_PART_RECORDS) == size)
		check_records(c, rx, f, columns);
	free(columns);
}

/* Read the text of the client's own run, as an honest client does. */
static void
check_result(int peer, const struct pace_msg_finish *f, const char *text)
{
	static struct pace_rx_result rx;
	static struct pace_counters counters;
	static struct pace_tx_result sent;
	static struct pace_tx tx;
	json_t *j = fuzz_parse(text);

	MUST(j != NULL);
	if (is_two_way(&w.clients[peer]))
		MUST(pace_tx_result_from_json(&sent, &tx, &counters,
		    json_object_get(j, "down")) == 0);
	if (is_down(&w.clients[peer])) {
		MUST(pace_tx_result_from_json(&sent, &tx, &counters, j) == 0);
	} else if (is_sane(&w.clients[peer])) {
		MUST(pace_rx_result_from_json(&rx, &counters, j, w.clients[peer].run.ask.verify) == 0);
		collect_records(peer, &rx, f);
	}
	json_decref(j);
}

static void
collect(int peer, struct pace_rd *bytes)
{
	struct pace_msg_finish f;
	uint32_t size;
	char *text;

	read_finish(&f, &w.clients[peer], bytes);
	f.collect = is_two_way(&w.clients[peer]);
	size = finish(peer, &f);
	MUST(size <= PACE_RESULT_MAX);
	text = calloc(1, (size_t)size + 1);
	MUST(text != NULL);
	if (fetch(peer, (uint8_t *)text, size, PACE_PART_RESULT) == size && size > 0)
		check_result(peer, &f, text);
	free(text);
}

/* --- the run ------------------------------------------------------------------------ */

/* No client reaches the limit; the charge is known. */
static void
make_budget(void)
{
	static struct pace_policy p;

	rules = pace_rules_new();
	MUST(rules != NULL);
	pace_policy_reset(&p);
	p.rule[0].host_facts = p.rule[0].busy_poll = p.rule[0].capture = p.rule[0].reverse = true;
	for (int i = 0; i < PACE_LIMITS; i++)
		p.rule[0].most[i] = PACE_NO_LIMIT;
	p.rule[0].most[PACE_LIMIT_BUDGET] = INT64_C(1) << 60;
	pace_rules_set(rules, &p);
}

static double
budget_used(void)
{
	struct pace_terms t;

	pace_rules_terms(rules, &here, "", &t);
	return pace_rules_use(rules, &t, io_wall(NULL) / (86400 * SECOND_NS), 0).bytes;
}

static void
set_up(void)
{
	if (rules == NULL)		/* before random numbers count */
		make_budget();
	repair_random();
	keyed_set_up();
	memset(&w, 0, offsetof(struct world, responder));
	w.now = SECOND_NS * 1000;
	w.used = budget_used();
	MUST(pace_responder_init(&w.responder, SESSIONS, LIGHTS) == 0);
	w.listener.peer = -1;
	w.responder.io = io_of(&w.listener);
	w.responder.spawn = spawn;
	w.responder.shared.max_records = RECORDS;
	w.responder.shared.tap = &a_tap;
	for (int i = 0; i < PEERS; i++)
		w.clients[i].addr = (struct pace_addr){ .family = i == 3 ? 6 : 4,
		    .port = (uint16_t)(4000 + i % 2), .ip = { 10, 0, 1, (uint8_t)(i / 2) } };
}

/* All clients fall silent: every session ends by itself. */
static void
wind_up(void)
{
	uint64_t ended;

	w.trouble = 0;
	for (int i = 0; i < 20; i++)
		run_until(w.now + SECOND_NS / 100);
	for (int i = 0; i < 40 && pace_responder_active(&w.responder, &ended) > 0; i++)
		run_until(w.now + SECOND_NS);
	MUST(port_of(-1) == NULL && w.listener.queued == 0);
	MUST(pace_responder_active(&w.responder, &ended) == 0);
	MUST(w.rx_captured == 0);
	MUST(budget_used() - w.used <= w.owed);
	MUST(w.responder.shared.lease.holders == 0);
	(void)pace_places_active(&w.responder.places, &ended);
	MUST(ended + w.replaced >= w.responder.counts.opened - w.responder.lights.counts.opened);
	MUST(w.responder.lights.counts.ended == w.responder.lights.counts.opened);
	pace_responder_free(&w.responder);
}

static void
one_record(struct pace_rd *r)
{
	unsigned where = (unsigned)pace_rd_be(r, 1), how = (unsigned)pace_rd_be(r, 1);
	size_t len = (size_t)pace_rd_be(r, 2);
	struct pace_rd bytes = { .p = r->p, .left = len < r->left ? len : r->left };
	int peer = where % PEERS;
	bool hold = false;
	int64_t step_ns;

	r->p += bytes.left;
	r->left -= bytes.left;
	step_ns = repair_step_ns(pace_rd_be(r, 1));
	switch ((enum what)(where >> 5)) {
	case FRAMES:
		send_frames(peer, how, &bytes, step_ns);
		break;
	case COLLECT:
		collect(peer, &bytes);
		break;
	case ASK_TIMES:
		ask_times(peer, how, &bytes, step_ns);
		break;
	case TROUBLE:
		w.trouble = how;
		for (int i = 0; i < SESSIONS && (how & DROPS); i++)
			w.ports[i].drops += (uint32_t)len;
		break;
	case PASS:
		break;
	case KEYS:
		set_keys(how);
		break;
	case DATAGRAM:
	case DATAGRAM_TOO:
	default:
		send_datagram(peer, where, how, &bytes);
		hold = (how & HOLD) != 0;
	}
	if (!hold)
		run_until(w.now + step_ns);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };

	set_up();
	while (r.left > 0 && !r.bad)
		one_record(&r);
	wind_up();
	return 0;
}

/* --- mutations --------------------------------------------------------------------- */

static struct records found, found_too;

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	if (chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	records_find(&found, 2, data, size, 0);
	return mutate_records(&c, data, size, max, &found, 0);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	records_find(&found, 2, a, asize, 0);
	records_find(&found_too, 2, b, bsize, 0);
	return cross_records(&c, a, asize, &found, b, bsize, &found_too, out, max);
}
