/*
 * client_net.h - the network and clock of fuzz_client: the client's io, which delivers each record
 * of the input at its time.
 */
#ifndef FUZZ_CLIENT_NET_H
#define FUZZ_CLIENT_NET_H

#include "client_peer.h"

/* --- the network ------------------------------------------------------------------- */

static void
load_good_end(void)
{
	w.kind = HONEST | (w.unanswered - 1) << 2;
	w.bytes = (struct pace_rd){ .left = 0 };
	w.due_ns = w.now + 50000;
	w.copies = 1;
	w.loaded = true;
}

/* Is there another record? */
static bool
load(void)
{
	size_t len;

	if (!w.loaded && (w.script.left == 0 || w.script.bad) && w.plan.good_end &&
	    w.unanswered > 0)
		load_good_end();
	if (w.loaded || w.script.left == 0 || w.script.bad)
		return w.loaded;
	w.kind = (unsigned)pace_rd_be(&w.script, 1);
	len = (size_t)pace_rd_be(&w.script, 2);
	w.bytes = (struct pace_rd){ .p = w.script.p,
	    .left = len < w.script.left ? len : w.script.left };
	w.script.p += w.bytes.left;
	w.script.left -= w.bytes.left;
	w.due_ns += repair_step_ns(pace_rd_be(&w.script, 1));
	if (w.due_ns < w.now)
		w.due_ns = w.now;
	w.copies = w.kind & TWICE ? 2 : 1;
	w.loaded = true;
	w.records++;
	return true;
}

static void
unload(void)
{
	if (--w.copies > 0)
		return;
	w.loaded = false;
	if ((w.kind & 3) == HONEST)
		w.unanswered--;
}

/* Has a datagram, or a failure, arrived by then? */
static bool
comes(int64_t by_ns)
{
	return load() && w.due_ns <= by_ns && ((w.kind & 3) != HONEST || w.unanswered > 0);
}

/* A datagram; its sender states a length of `told` bytes, but only len exist. Unfilled bytes are
 * poisoned. */
static void
hand_over(struct pace_in *v, const uint8_t *buf, size_t len, size_t told)
{
	size_t n = len < v->size ? len : v->size;

	FUZZ_SHOW(v->buf, v->size);
	memcpy(v->buf, buf, n);
	if (told > n) {
		memset(v->buf + n, ' ', v->size - n);
		n = told < v->size ? told : v->size;
	}
	FUZZ_HIDE(v->buf + n, v->size - n);
	v->len = told;
	v->stamp = PACE_STAMP_KERNEL;
}

/* Return the result that the next record of the script states: 1, or -errno. */
static int
play(struct pace_in *v)
{
	static uint8_t buf[UINT16_MAX + 1];	/* more than any record */
	unsigned which = w.kind >> 2 & 7;
	struct pace_rd bytes = w.bytes;
	size_t len;

	if ((w.kind & 3) == FAILURE) {
		unload();
		return which == 0 ? -ECONNREFUSED : which == 1 ? -EINTR : -EAGAIN;
	}
	len = (w.kind & 3) == HONEST ? honest(buf, which) : matched(buf, sizeof(buf), which);
	w.bytes = bytes;
	if ((w.kind & 3) != RAW && len <= PACE_CLIENT_ROOM)
		(void)tag(buf, &len);
	hand_over(v, buf, len, (w.kind & 3) <= MATCHED && (w.kind & CUT) && len <= v->size ?
	    v->size + 1 : len);
	v->stamp_ns = w.due_ns;
	unload();
	return 1;
}

static void
play_echo(struct pace_in *v, struct echo *e)
{
	hand_over(v, e->buf, sizeof(e->buf), e->len);
	v->stamp = e->stamped ? PACE_STAMP_KERNEL : PACE_STAMP_USER;
	v->stamp_ns = e->stamped ? e->due_ns : w.now;
	note_handed(e);
	*e = w.echoes[--w.echoing];
}

/* Nothing has arrived. Each look takes longer than the one before, so that a spinning client
 * ends. */
static int
look_in_vain(void)
{
	w.idle_ns = w.idle_ns < 1000000 ? 2 * w.idle_ns + 100 : w.idle_ns;
	w.now += w.idle_ns;
	return 0;
}

/* Sometimes several at once. */
static int
io_recv(void *ctx, struct pace_in *v, int n)
{
	struct echo *e;
	int got = 0;

	(void)ctx;
	MUST(n >= 1 && v->size >= (n == 1 ? PACE_CLIENT_ROOM : PACE_PING_SIZE));
	count_call();
	note_accepted();
	if (comes(w.now))
		return play(v);
	for (; got < (w.calls % 2 ? n : 1) && (e = next_echo(w.now)) != NULL; got++)
		play_echo(&v[got], e);
	if (got == 0)
		return look_in_vain();
	w.idle_ns = 0;
	return got;
}

/* Does the kernel refuse this one? */
static bool
refused(void)
{
	count_call();
	w.sends++;
	return w.plan.refuse_every > 0 && w.sends % w.plan.refuse_every == 0;
}

static int
io_send(void *ctx, const struct pace_out *v, int n)
{
	struct pace_hdr h;

	(void)ctx;
	MUST(n == 1 && v->to.family == 0);
	MUST(pace_hdr_decode(&h, v->buf, v->len) == 0);
	fuzz_sum("now", &w.now, sizeof(w.now));
	fuzz_sum("sent", v->buf, v->len);
	if (refused())
		return -w.plan.refuse_errno;
	if (v->stamp)
		w.asked_ns[w.stamps_asked++ % STAMPS] = w.now;
	if (w.stamps_asked - w.stamps_given > STAMPS)
		w.stamps_given = w.stamps_asked - STAMPS;
	if (h.type == PACE_DATA) {
		take_frame(&h, v);
		w.next++;
	} else if (h.type == PACE_PING) {
		take_ping(&h, v);
	} else {
		take_request(&h, v);
	}
	return 1;
}

/* Sometimes only the first frames are taken. */
static int
io_train(void *ctx, const uint8_t *frames, size_t size, int n, bool *segmented)
{
	struct pace_out one = { .len = size };
	struct pace_hdr h;

	(void)ctx;
	MUST(n > 0 && size <= PACE_FRAME_MAX && (size_t)n * size <= PACE_FRAME_MAX);
	if (refused())
		return -w.plan.refuse_errno;
	if (w.sends % 3 == 0)
		n = (n + 1) / 2;
	for (int i = 0; i < n; i++) {
		one.buf = frames + (size_t)i * size;
		MUST(pace_hdr_decode(&h, one.buf, size) == 0 && h.type == PACE_DATA);
		take_frame(&h, &one);
		w.next++;
	}
	*segmented = w.sends % 2 == 0;
	return n;
}

static void
io_renumber(void *ctx)
{
	(void)ctx;
	w.stamps_asked = w.stamps_given = 0;
}

/* The last stamp never arrives. */
static int
io_departures(void *ctx, struct pace_departure *v, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && w.stamps_given + 1 < w.stamps_asked; got++, w.stamps_given++)
		v[got] = (struct pace_departure){ .n = w.stamps_given,
		    .stamp_ns = w.asked_ns[w.stamps_given % STAMPS] + 900 };
	return got;
}

static void
io_coalesce(void *ctx, bool on)
{
	(void)ctx, (void)on;
}

static void
io_usage(void *ctx, struct pace_usage *u)
{
	(void)ctx;
	memset(u, 0, sizeof(*u));
	u->preempted = w.calls;
	u->steal_ns = w.now / 100;
	u->clock = (struct pace_clock_state){ .known = true, .error_ns = 7 };
}

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return w.now;
}

/* Always a little late. */
static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	(void)ctx;
	count_call();
	w.idle_ns = 0;
	MUST(t_ns - w.now < 100000 * SECOND_NS);
	if (t_ns > w.now)
		w.now = t_ns;
	w.now += w.calls % 8 == 0 ? w.plan.late_ns : 20;
	if (st != NULL && w.calls % 8 == 0 && w.plan.late_ns > PACE_STALL_NS) {
		st->count++;
		st->total_ns += w.plan.late_ns;
		st->max_ns = w.plan.late_ns;
	}
	return w.now;
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	const struct echo *e = next_echo(until_ns);
	int64_t at_ns = e != NULL ? e->due_ns : until_ns;
	bool record = comes(at_ns);

	(void)ctx;
	count_call();
	w.idle_ns = 0;
	if (record)
		at_ns = w.due_ns;
	if (at_ns > w.now)
		w.now = at_ns;
	if (record && (w.kind & 3) == FAILURE && (w.kind >> 2 & 7) >= 6) {
		unload();
		return -EINTR;
	}
	return record || e != NULL;
}

static uint32_t
io_drops(void *ctx)
{
	(void)ctx;
	return 0;
}

static void
on_busy(void *ctx, const struct pace_msg_error *who)
{
	MUST(ctx == &w && strlen(who->label) < sizeof(who->label) && who->wait_ns >= 0);
	if (++w.busy >= 6)
		w.stop = 1;
}

#endif
