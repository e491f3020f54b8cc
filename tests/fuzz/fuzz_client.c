/*
 * Fuzzes the client, on a virtual clock, against a peer that the input plays.  The input has HEAD
 * bytes with the plan and how the network treats it (struct plan), the fates of PINGs (enum fate),
 * the text of an rx_result, and a list of records:
 *
 *   1  kind    bits 0-1: see enum kind; 2-4: which of the last requests it
 *              answers; 5: it arrives twice; 6 and 7: see below
 *   2  length  of the bytes that follow
 *   n  bytes
 *   1  step    time since the record before
 *
 * An honest record waits until there is a request to answer.  At the end of the list the peer
 * either falls silent or stays honest (plan.good_end).
 *
 * Checks: the client ends in bounded time, whatever the peer sends.  Every frame and request that
 * it sends is well formed.  A point, complete or not, keeps the identities and can be read back
 * from its document; the same holds for round trips.  No more records arrive than were requested.
 * The measured clock agrees with the accepted exchanges.
 */
#include "client_net.h"

/* --- what is asked for -------------------------------------------------------------- */

static void
read_ask(struct pace_params *a, unsigned *keys, struct pace_rd *r)
{
	static const uint32_t sizes[] = { 32, 33, 64, 512, 1472, 9000, PACE_FRAME_MAX };
	static const int64_t spacings[] = { 0, 1, 700, 10000, 1000000, PACE_SPACING_MAX_NS };
	static const int64_t gaps[] = { 0, 1000000, 5 * SECOND_NS };
	static const uint64_t trains[] = { 1, 1, 1, 2, 7, 64 };
	static const int64_t graces[] = { 0, 1000000, SECOND_NS, 60 * SECOND_NS };
	unsigned how;

	a->count = 1 + pace_rd_be(r, 1) % 64;
	a->size_bytes = sizes[pace_rd_be(r, 1) % 7];
	a->spacing = pace_spacing_from_ns(spacings[pace_rd_be(r, 1) % 6]);
	a->bursts = 1 + pace_rd_be(r, 1) % 3;
	a->burst_gap_ns = a->bursts > 1 ? gaps[pace_rd_be(r, 1) % 3] : 0;
	a->grace_ns = graces[(*keys = (unsigned)pace_rd_be(r, 1)) % 4];
	a->linear.bins = (uint32_t)pace_rd_be(r, 1) * 16;
	a->linear.width = a->linear.bins > 0;
	how = (unsigned)pace_rd_be(r, 1);
	a->train = trains[how % 6];
	a->catch_up = (enum pace_catch_up)(how / 6 % 4);
	a->busy_poll = how / 24 % 2 > 0;
}

static void
read_trips(struct pace_latency_params *a, struct pace_rd *r)
{
	static const uint32_t sizes[] = { 64, 65, 96, 97, 512, 1472, PACE_FRAME_MAX };
	static const int64_t intervals[] = { 0, 1, 1000, 100000, 1000000, SECOND_NS };
	static const int64_t timeouts[] = { 10000, 1000000, SECOND_NS };
	unsigned how;

	a->count = 1 + pace_rd_be(r, 1) % 64;
	how = (unsigned)pace_rd_be(r, 1);
	a->size_bytes = sizes[how % 7];
	a->reply_bytes = how / 7 % 2 ? 64 : a->size_bytes;
	a->busy_poll = how / 14 % 2 > 0;
	a->interval_ns = intervals[pace_rd_be(r, 1) % 6];
	a->timeout_ns = timeouts[pace_rd_be(r, 1) % 3];
	a->linear.bins = (uint32_t)pace_rd_be(r, 1) * 16;
	a->linear.width = a->linear.bins > 0;
}

/* Calls beside the points: a byte, bits 0-1 CLOCK and TRIPS, 2 records only around losses, 3-7
 * the number of records; then their arguments, and fates. */
static void
read_calls(struct plan *p, struct pace_rd *r)
{
	unsigned how = (unsigned)pace_rd_be(r, 1);
	size_t len;

	p->calls = how;
	p->ask.record.lost_only = how & 4;
	p->ask.record.room = how >> 3;
	if (p->ask.record.room > 0)
		p->ask.record.skip = pace_rd_be(r, 1);
	if (how & CLOCK)
		p->pings = pace_rd_be(r, 1);
	if (how & TRIPS)
		read_trips(&p->trips, r);
	len = (size_t)pace_rd_be(r, 2);
	p->attributions = (struct pace_rd){ .p = r->p, .left = len < r->left ? len : r->left };
	r->p += p->attributions.left;
	r->left -= p->attributions.left;
}

static void
read_plan(struct plan *p, struct pace_rd *r)
{
	static const int errors[] = { ENOBUFS, EAGAIN, ECONNREFUSED, EMSGSIZE, EPERM, EINTR,
	    ENETUNREACH, EIO };
	unsigned flags = (unsigned)pace_rd_be(r, 1), refuse;
	size_t len;

	read_ask(&p->ask, &p->keys, r);
	p->ask.verify = flags & 1;
	p->no_wait = flags & 2;
	p->ipv6 = flags & 4;
	p->own_text = flags & 8;
	p->points = flags & 16 ? 2 : 1;
	p->good_end = flags & 64;
	p->watched = flags & 128;
	p->ask.duration_ns = flags & 32 && p->ask.spacing > 0 ?
	    pace_spacing_ns(p->ask.spacing) * (int64_t)p->ask.count : 0;
	refuse = (unsigned)pace_rd_be(r, 1);
	p->refuse_every = refuse >> 3 == 31 ? 1 : refuse >> 3 > 0 ? (refuse >> 3) + 1 : 0;
	p->refuse_errno = errors[refuse & 7];
	p->stop_after = (unsigned)pace_rd_be(r, 1) * 4;
	p->lost = (unsigned)pace_rd_be(r, 1);
	p->late_ns = INT64_C(1) << pace_rd_be(r, 1) % 25;
	read_calls(p, r);
	len = p->own_text ? (size_t)pace_rd_be(r, 2) : 0;
	if (len > r->left)
		len = r->left;
	p->text = strndup((const char *)r->p, len);
	MUST(p->text != NULL);
	r->p += len;
	r->left -= len;
}

/* --- the run --------------------------------------------------------------------------- */

/* Only accepted exchanges change what is known of the clock. */
static void
check_clock(const struct pace_client *c, const struct pace_clock *k)
{
	const struct pace_clock_estimate *e = &k->fit;

	note_accepted();
	MUST(e->uppers == e->lowers && e->uppers <= c->pinger.answered);
	for (int i = 0; i < e->segments; i++) {
		const struct pace_clock_segment *g = &e->v[i];
		double slack = 1e-3 * (double)(g->to_ns - g->from_ns) + 2 * g->bound_ns + 1000;

		MUST(g->from_ns <= g->to_ns && g->to_ns <= w.now);
		for (int end = 0; end <= 1; end++) {
			double v = (double)pace_clock_line_at(&g->line, end ? g->to_ns : g->from_ns);

			MUST(v <= (double)w.upper_ns + slack && v >= (double)w.lower_ns - slack);
		}
	}
}

static void
check_pinger(const struct pace_pinger *p)
{
	MUST(p->next - p->tail <= p->room && p->answered + p->timeouts <= p->sent);
	MUST(w.plan.refuse_every > 0 || p->sent == p->next);
}

static void
check_point(const struct pace_client *c, const struct pace_point *p, int rc)
{
	static struct pace_point back;
	char *text;
	json_t *j;

	MUST(pace_point_broken(p) == NULL);
	MUST(rc != 0 || (p->has_rx && !p->interrupted));
	MUST(!p->has_rx || p->rx.records <= p->ask.record.room);
	if (p->clock.exchanges + p->clock.timeouts > 0)
		check_clock(c, &p->clock);
	if (w.calls % 4 != 0)		/* the rest is slow */
		return;
	if (replay_sum != NULL)
		fuzz_sum_json("point", pace_point_to_json(p));
	text = fuzz_text(pace_point_to_json(p));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_point_from_json(&back, j) == 0);
	MUST(back.has_rx == p->has_rx && back.tx.frames == p->tx.frames);
	json_decref(j);
	free(text);
}

/* A peer may delay the client with each lie, but not for ever. */
static int64_t
patience(const struct pace_params *a)
{
	return 120 * SECOND_NS + pace_params_duration_ns(a) + 2 * a->grace_ns +
	    12 * SECOND_NS * (int64_t)(w.records + w.busy);
}

/* The recorded frames, if the peer reports them. */
static void
fetch_records(struct pace_client *c, const struct pace_point *p)
{
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	struct pace_record rec;
	uint8_t *columns;
	int rc = pace_client_records(c, p, &columns, &err);

	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	MUST(w.now - start <= patience(&p->ask));
	MUST((columns != NULL) == (rc == 0 && p->has_rx && p->rx.records > 0));
	for (uint64_t i = 0; columns != NULL && i < p->rx.records; i++)
		(void)pace_record_read(columns, p->rx.records, i, &rec);
	free(columns);
}

/* Each report handed over belongs to this run and is complete. */
static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	struct pace_report r;
	json_t *j;

	MUST(ctx == &w && now_ns == w.now && len <= PACE_CLIENT_ROOM - PACE_HDR_SIZE);
	j = json_loadb(body, strnlen(body, len), JSON_REJECT_DUPLICATES, NULL);
	if (j != NULL)
		(void)pace_report_read(j, &r);
	json_decref(j);
	return len % 4 != 0;
}

static int
one_watch(struct pace_client *c)
{
	static struct pace_point point;
	const struct pace_watching watching = { .report_ns = 2 * PACE_REPORT_NS, .ping_ns = 10000000,
	    .report = on_report, .ctx = &w };
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	memset(&point, 0, sizeof(point));
	point.ask = w.plan.ask;
	rc = pace_client_live(c, &point, &watching, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	MUST(w.now - start <= patience(&point.ask));
	MUST(c->reports || rc == -ENOTSUP);
	check_pinger(&c->pinger);
	return rc;
}

static int
one_point(struct pace_client *c)
{
	static struct pace_point point;		/* 1 MB: faster than pace_point_new */
	struct pace_point *p = &point;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	memset(p, 0, sizeof(*p));
	pace_rx_result_reset(&p->rx);
	p->ask = w.plan.ask;
	rc = pace_client_point(c, p, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	MUST(w.now - start <= patience(&p->ask));
	check_point(c, p, rc);
	check_pinger(&c->pinger);
	fetch_records(c, p);
	return rc;
}

static void
one_clock(struct pace_client *c)
{
	static struct pace_clock clock, back;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc = pace_client_clock(c, w.plan.pings, 1000000, &clock, &err);
	char *text;
	json_t *j;

	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	MUST(w.now - start <= 10 * SECOND_NS);
	MUST(rc != 0 || clock.exchanges > 0);
	MUST(clock.exchanges + clock.timeouts <= w.plan.pings);
	MUST(pace_pinger_open(&c->pinger) == 0);
	check_clock(c, &clock);
	check_pinger(&c->pinger);
	if (replay_sum != NULL)
		fuzz_sum_json("clock", pace_clock_to_json(&clock));
	text = fuzz_text(pace_clock_to_json(&clock));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_clock_from_json(&back, j) == 0);
	MUST(back.fit.segments == clock.fit.segments && back.exchanges == clock.exchanges);
	json_decref(j);
	free(text);
}

static void
check_trips(const struct pace_latency *p)
{
	static struct pace_latency back;
	char *text;
	json_t *j;

	MUST(pace_latency_broken(p) == NULL);
	if (replay_sum != NULL)
		fuzz_sum_json("trips", pace_latency_to_json(p));
	text = fuzz_text(pace_latency_to_json(p));
	j = fuzz_parse(text);
	MUST(j != NULL && pace_latency_from_json(&back, j) == 0);
	MUST(back.received == p->received && back.sent == p->sent);
	json_decref(j);
	free(text);
}

/* As after pace_latency_new. */
static void
reset_trips(struct pace_latency *p)
{
	memset(p, 0, sizeof(*p));
	pace_hist_reset(&p->rtt);
	pace_hist_reset(&p->kernel);
	pace_hist_reset(&p->network);
	pace_hist_reset(&p->residence);
	p->ask = w.plan.trips;
	p->linear = (struct pace_linear_hist){ .low = p->ask.linear.low, .width = p->ask.linear.width,
	    .bins = p->ask.linear.bins, .count = p->linear_counts };
}

static void
one_latency(struct pace_client *c)
{
	static struct pace_latency trips;
	struct pace_latency *p = &trips;
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc;

	reset_trips(p);
	rc = pace_client_latency(c, p, &err);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	MUST(w.now - start <= patience(&(struct pace_params){ .bursts = 1 }) +
	    (int64_t)(p->ask.count + 1) * (p->ask.interval_ns + 2 * p->ask.timeout_ns));
	MUST(p->sent == p->received + p->timeouts && p->sent + p->refused <= p->ask.count);
	if (rc == 0 || p->interrupted)
		check_trips(p);
	check_pinger(&c->pinger);
}

/* It may be another host now. */
static int
open_session(struct pace_client *c, struct pace_err *err)
{
	w.upper_ns = INT64_MIN;
	w.lower_ns = INT64_MAX;
	return pace_client_open(c, err);
}

static void
measure(struct pace_client *c)
{
	struct pace_err err = { .code = 0 };
	int64_t start = w.now;
	int rc = open_session(c, &err);

	MUST(w.now - start <= 20 * SECOND_NS);
	MUST(rc <= 0 && (rc == 0 || (err.code == -rc && err.step != NULL)));
	fuzz_sum("error", err.text, strlen(err.text));
	if (rc == 0 && (w.plan.calls & CLOCK))
		one_clock(c);
	if (rc == 0 && (w.plan.calls & TRIPS))
		one_latency(c);
	for (int i = 0; rc == 0 && i < w.plan.points; i++) {
		rc = w.plan.watched ? one_watch(c) : one_point(c);
		if (rc == -ESTALE)
			rc = open_session(c, &err);
	}
	if (rc == 0 && (w.plan.calls & TRIPS))
		one_latency(c);
	start = w.now;
	pace_client_close(c);
	MUST(w.now - start <= 2 * SECOND_NS);
}

static void
set_up(struct pace_client *c)
{
	MUST(pace_client_init(c) == 0);
	c->io = (struct pace_io){ .ctx = &w, .send = io_send, .recv = io_recv, .now = io_now,
	    .sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	    .train = io_train, .departures = io_departures, .renumber = io_renumber, .coalesce = io_coalesce,
	    .usage = io_usage, .wall = io_wall };
	snprintf(c->label, sizeof(c->label), "fuzz");
	c->rcvbuf_bytes = 1 << 20;
	c->link = (struct pace_link){ .family = w.plan.ipv6 ? 6 : 4, .mtu = 1500 };
	c->key = w.plan.keys & KEYS ? &keyed_key[KEY_A] : NULL;
	c->no_wait = w.plan.no_wait;
	c->stop = &w.stop;
	c->on_busy = on_busy;
	c->busy_ctx = &w;
	w.client = c;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_client *c = malloc(sizeof(*c));

	MUST(c != NULL);
	if (receiver == NULL)
		receiver = pace_receiver_new();		/* 6.5 MiB: once */
	MUST(receiver != NULL);
	repair_random();
	keyed_set_up();
	memset(&w, 0, sizeof(w));
	w.now = w.due_ns = SECOND_NS * 1000;
	w.script = (struct pace_rd){ .p = data, .left = size };
	read_plan(&w.plan, &w.script);
	w.attributions = w.plan.attributions;
	set_up(c);
	measure(c);
	FUZZ_SHOW(c->in, sizeof(c->in));
	FUZZ_SHOW(c->pinger.in, sizeof(c->pinger.in));
	pace_client_free(c);
	free(c);
	free(w.plan.text);
	forget_result();
	return 0;
}

/* --- mutations --------------------------------------------------------------------- */

/* Where each part of an input is; a missing part is at 0. */
struct layout {
	size_t	attributions, fates_len, text, text_len, records;
};

static struct records found, found_too;

static void
find_parts(struct layout *l, const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };
	struct plan p;

	memset(&p, 0, sizeof(p));
	memset(l, 0, sizeof(*l));
	read_plan(&p, &r);
	l->records = size - r.left;
	if (!r.bad) {
		l->attributions = (size_t)(p.attributions.p - data);
		l->fates_len = p.attributions.left;
	}
	if (!r.bad && p.own_text) {
		l->text = l->attributions + l->fates_len + 2;
		l->text_len = l->records - l->text;
	}
	free(p.text);
}

/* Another fate, with arguments if it needs some. */
static size_t
new_loss_attribution(struct chance *c, uint8_t *data, size_t size, size_t max, const struct layout *l)
{
	uint8_t attribution[17] = { (uint8_t)chance_of(c, 256) };
	uint8_t all[UINT16_MAX];
	size_t at = chance_of(c, l->fates_len + 1), n = 1 + 8 * chance_of(c, 3);

	if (l->fates_len + n > sizeof(all))
		return size;
	repair_be64(attribution + 1, (uint64_t)chance_number(c));
	repair_be64(attribution + 9, (uint64_t)chance_number(c));
	memcpy(all, data + l->attributions, l->fates_len);
	return counted_put(data, size, max, l->attributions, l->fates_len, all,
	    put_bytes(all, l->fates_len, sizeof(all), at, 0, attribution, n));
}

static size_t
new_text(struct chance *c, uint8_t *data, size_t size, size_t max, const struct layout *l)
{
	static uint8_t text[UINT16_MAX];
	size_t room = max - size + l->text_len;

	memcpy(text, data + l->text, l->text_len);
	return counted_put(data, size, max, l->text, l->text_len, text, mutate_json(text,
	    l->text_len, room < sizeof(text) ? room : sizeof(text), 0, c));
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };
	struct layout l;
	size_t what = chance_of(&c, 8), at;

	if (size == 0 || chance_bytes(&c))
		return LLVMFuzzerMutate(data, size, max);
	find_parts(&l, data, size);
	if (what == 0 && l.records > 0) {
		at = chance_of(&c, l.attributions > 0 ? l.attributions : l.records);
		data[at] = (uint8_t)chance_of(&c, 256);
	} else if (what == 1 && l.attributions > 0)
		return new_loss_attribution(&c, data, size, max, &l);
	else if (what <= 3 && l.text_len > 0)
		return new_text(&c, data, size, max, &l);
	else {
		records_find(&found, 1, data, size, l.records);
		return mutate_records(&c, data, size, max, &found, l.records);
	}
	return size;
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };
	struct layout l;

	find_parts(&l, a, asize);
	records_find(&found, 1, a, asize, l.records);
	find_parts(&l, b, bsize);
	records_find(&found_too, 1, b, bsize, l.records);
	return cross_records(&c, a, asize, &found, b, bsize, &found_too, out, max);
}
