/*
 * Fuzzes any bytes as a STAMP packet.  Checks: a decoded packet has only one encoding: encoding it
 * gives the same bytes again wherever the layout has fields.  The walk over TLVs stays inside.  A
 * reflector then receives the packet in all its modes, three times: a reply has the length of its
 * request.  A packet that is too short, looks like a reply, or has a wrong HMAC in the
 * authenticated mode, gets none.
 */
#include "core/stamp.h"

#include "fuzz.h"
#include "server/reflector.h"

static uint8_t got[PACE_REFLECTOR_ROOM];
static size_t got_len;			/* of the last reply; 0: none */
static bool full, loop;		/* the last request was refused because the table was
					 * full, or as another reflector's reply */
static const uint8_t *waiting;
static size_t waiting_len;

static int
fake_recv(void *ctx, struct pace_in *v, int n)
{
	(void)ctx;
	if (waiting == NULL || n < 1)
		return 0;
	memcpy(v->buf, waiting, waiting_len < v->size ? waiting_len : v->size);
	v->len = waiting_len;
	v->from = (struct pace_addr){ .family = 4, .port = 40000, .ip = { 10, 1, 2, 3 } };
	v->local = (struct pace_addr){ .family = 4, .ip = { 10, 1, 2, 4 } };
	v->ttl = 200;
	v->mark = 0xb9;
	v->stamp = PACE_STAMP_KERNEL;
	waiting = NULL;
	return 1;
}

static int
fake_send(void *ctx, const struct pace_out *v, int n)
{
	(void)ctx;
	MUST(n == 1 && v->len <= sizeof(got));
	memcpy(got, v->buf, v->len);
	got_len = v->len;
	return 1;
}

static int
fake_departures(void *ctx, struct pace_departure *d, int n)
{
	static uint32_t next;

	(void)ctx;
	MUST(n > 0);
	*d = (struct pace_departure){ .n = next++ % 4, .stamp_ns = 77 };
	return 1;
}

/* The clock goes on from packet to packet, slow enough for the rule's limit, from about the times
 * of the corpus on. */
static int64_t now_ns = INT64_C(1000000000000);

static int64_t
fake_now(void *ctx)
{
	(void)ctx;
	return now_ns;
}

static int64_t
fake_wall(void *ctx)
{
	(void)ctx;
	return INT64_C(1691010000) * 1000000000;
}

static int64_t
seconds_at(const uint8_t *p)
{
	return (int64_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static bool
within_16_s(int64_t a, int64_t b)
{
	int64_t apart = llabs(a - b) % (INT64_C(1) << 32);	/* the seconds wrap */

	return apart <= 16 || apart >= (INT64_C(1) << 32) - 16;
}

/* The layouts of RFC 8762, section 4.3. */
static bool
is_reply(const uint8_t *buf, size_t len, bool auth)
{
	const uint8_t *t3 = buf + (auth ? 16 : 4), *t2 = buf + (auth ? 32 : 16);
	const uint8_t *t1 = buf + (auth ? 64 : 28);
	const int64_t now = INT64_C(2208988800) + (now_ns + fake_wall(NULL)) / 1000000000;
	static const uint8_t none[8];

	return len >= (auth ? 112 : 41) &&
	    ((memcmp(t2, none, 8) != 0 && within_16_s(seconds_at(t2), seconds_at(t3))) ||
	    within_16_s(seconds_at(t1), now));
}

static struct pace_reflector *
reflector(bool stateful, bool keyed)
{
	static const char secret[] = "private text:sixteen octets..";
	struct pace_reflector *r = pace_reflector_new(stateful);
	struct pace_stamp_keys ks;

	MUST(r != NULL);
	r->io = (struct pace_io){ .recv = fake_recv, .send = fake_send, .now = fake_now,
	    .wall = fake_wall, .departures = fake_departures };
	r->port = 862;
	if (keyed) {
		r->rules = pace_rules_new();
		MUST(r->rules != NULL);
		MUST(pace_stamp_keys_read(&ks, secret, sizeof(secret) - 1, NULL) == 0);
		pace_reflector_rekey(r, &ks);
	}
	return r;
}

static void
reflect(struct pace_reflector *r, const uint8_t *buf, size_t len, bool keyed)
{
	const struct pace_reflector_counts before = pace_reflector_counted(r);
	struct pace_reflector_counts after;
	struct pace_stamp_request q;
	struct pace_stamp_reply p;

	now_ns += 2000000;
	waiting = buf;
	waiting_len = len;
	got_len = 0;
	MUST(pace_reflector_step(r) == 1);
	after = pace_reflector_counted(r);
	MUST(after.n[PACE_REFLECTED] - before.n[PACE_REFLECTED] == (got_len > 0));
	/* each identifier is a different session of this address */
	full = after.n[PACE_REFLECTOR_FULL] - before.n[PACE_REFLECTOR_FULL] == 1;
	MUST(!full || (r->table != NULL && got_len == 0));
	loop = after.n[PACE_REFLECTOR_LOOP] - before.n[PACE_REFLECTOR_LOOP] == 1;
	MUST(loop == (len <= PACE_REFLECTOR_ROOM && is_reply(buf, len, keyed)));
	MUST(!loop || got_len == 0);
	MUST(got_len == 0 || got_len == len);
	if (!keyed)
		MUST((got_len > 0) == (len >= PACE_STAMP_LIGHT && len <= PACE_REFLECTOR_ROOM &&
		    !full && !loop));
	if (got_len == 0)
		return;
	MUST(pace_stamp_request_decode(&q, buf, len, keyed) == 0);
	MUST(pace_stamp_reply_decode(&p, got, got_len, keyed) == 0);
	MUST(p.sender.seq == q.seq && p.sender.t1 == q.t1 && p.sender.error == q.error);
	MUST(p.ttl == 200 && (len < PACE_STAMP_OPEN || p.ssid == q.ssid));
	MUST(r->table != NULL || p.seq == q.seq);
	MUST((p.error & 255) != 0);
}

static void
decode(const uint8_t *buf, size_t len, bool auth)
{
	uint8_t again[PACE_STAMP_AUTH];
	struct pace_stamp_request q;
	struct pace_stamp_reply p;
	struct pace_stamp_tlv t;
	struct pace_stamp_walk w = pace_stamp_walk(buf, len, auth);
	struct pace_stamp_request q2;
	struct pace_stamp_reply p2;
	size_t end = pace_stamp_base(auth);

	for (int n = 0; pace_stamp_walk_next(&w, &t); n++) {
		MUST(n < PACE_STAMP_TLVS_MAX && t.at == end && t.type != 0);
		MUST(t.malformed || t.at + PACE_STAMP_TLV_SIZE + t.length <= len);
		MUST(w.at > end && w.at <= len);
		MUST(!t.malformed || w.at == len);
		end = w.at;
	}
	memset(&q, 0, sizeof(q));
	memset(&q2, 0, sizeof(q2));
	if (pace_stamp_request_decode(&q, buf, len, auth) == 0) {
		MUST(pace_stamp_request_encode(again, sizeof(again), auth, &q) > 0);
		MUST(pace_stamp_request_decode(&q2, again, sizeof(again), auth) == 0);
		MUST(memcmp(&q, &q2, sizeof(q)) == 0);
	}
	memset(&p, 0, sizeof(p));
	memset(&p2, 0, sizeof(p2));
	if (pace_stamp_reply_decode(&p, buf, len, auth) == 0) {
		MUST(pace_stamp_reply_encode(again, sizeof(again), auth, &p) > 0);
		MUST(pace_stamp_reply_decode(&p2, again, sizeof(again), auth) == 0);
		MUST(p.seq == p2.seq && p.t2 == p2.t2 && p.t3 == p2.t3 && p.error == p2.error &&
		    p.ttl == p2.ttl && memcmp(&p.sender, &p2.sender, sizeof(p.sender)) == 0);
		(void)pace_stamp_error_of(p.error);
		for (int f = PACE_STAMP_NTP; f <= PACE_STAMP_PTP; f++)
			(void)pace_stamp_time_ns(p.t3, (enum pace_stamp_format)f, (int64_t)p.t2);
	}
}

/* Insert the correct HMACs: of the packet, and of the first TLV of that type. */
static void
sign(const struct pace_reflector *r, uint8_t *buf, size_t len)
{
	struct pace_stamp_walk w = pace_stamp_walk(buf, len, true);
	struct pace_stamp_tlv t;

	while (pace_stamp_walk_next(&w, &t))
		if (t.type == PACE_STAMP_TLV_HMAC && !t.malformed) {
			pace_stamp_mac(&r->keys.v[0], buf, 4, buf + PACE_STAMP_AUTH,
			    t.at - PACE_STAMP_AUTH, buf + t.at + PACE_STAMP_TLV_SIZE);
			break;
		}
	pace_stamp_mac(&r->keys.v[0], buf, PACE_STAMP_HMAC_AT, NULL, 0, buf + PACE_STAMP_HMAC_AT);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pace_reflector *r[4];	/* stateful, keyed */
	uint8_t *copy = fuzz_exact(data, size);

	decode(copy, size, false);
	decode(copy, size, true);
	for (int mode = 0; mode < 4; mode++) {
		if (r[mode] == NULL)
			r[mode] = reflector(mode & 1, mode & 2);
		for (int i = 0; i < 3; i++)
			reflect(r[mode], copy, size, mode & 2);
		if ((mode & 2) != 0 && size >= PACE_STAMP_AUTH) {
			sign(r[mode], copy, size);
			reflect(r[mode], copy, size, true);
			MUST((got_len > 0) == (size <= PACE_REFLECTOR_ROOM && !full && !loop));
		}
	}
	free(copy);
	return 0;
}
