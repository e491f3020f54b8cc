/*
 * far.h - a STAMP reflector at the far end of the simulated network, in place of the responder: the
 * one of server/reflector.h, its host's clock, and the ways to it and back.
 *
 * Use        set the fields of far, call far_use, and set net->hook to far_reflect.
 * Truth      the counters record what was lost and copied on each way.
 * Replies    may be changed as other makers' reflectors, or forgers, would (mangle).
 */
#ifndef SIM_FAR_H
#define SIM_FAR_H

#include "lib/unit.h"
#include "server/reflector.h"
#include "simnet.h"

#define FAR_STACK	300		/* ns from the call of send to the departure */

/* The reflector's host, and the ways to it and back. */
static struct {
	struct sim	*net;
	struct pace_reflector *reflector;
	int64_t		offset_ns;	/* its wall clock - ours at 0 */
	double		rate;		/* its gain */
	int64_t		there_ns, back_ns, jitter_ns, stay_ns;
	int64_t		now_ns;		/* there */
	const uint8_t	*in;		/* what waits */
	size_t		len, out_len;
	uint8_t		out[2048];
	uint32_t	stamps, told;
	int64_t		left_ns[1024];
	uint32_t	asked, replied;	/* packets on each way so far */
	bool		(*lost_there)(uint32_t n), (*lost_back)(uint32_t n);
	uint32_t	dropped_there, dropped_back;
	int		copies_there, copies_back;	/* of each tenth */
	uint32_t	copied_there, copied_back;
	void		(*mangle)(uint8_t *buf, size_t *len);
	int64_t		stay_min, stay_max;	/* T3 - T2 of replies without an HMAC that were not
					 * lost */
} far;

/* --- the reflector's end ---------------------------------------------------------------- */

static int
far_recv(void *ctx, struct pace_in *v, int n)
{
	(void)ctx;
	if (far.in == NULL || n == 0)
		return 0;
	memcpy(v[0].buf, far.in, far.len);
	v[0] = (struct pace_in){ .buf = v[0].buf, .size = v[0].size, .len = far.len,
	    .stamp_ns = far.now_ns - far.stay_ns, .stamp = PACE_STAMP_KERNEL, .ttl = 250,
	    .mark = 46 << 2, .has_mark = true,
	    .from = { .family = 4, .port = 40000, .ip = { 192, 0, 2, 1 } },
	    .local = { .family = 4, .ip = { 192, 0, 2, 9 } } };
	far.in = NULL;
	return 1;
}

static int
far_send(void *ctx, const struct pace_out *v, int n)
{
	(void)ctx;
	ck_assert_int_eq(n, 1);
	memcpy(far.out, v[0].buf, v[0].len);
	far.out_len = v[0].len;
	if (v[0].stamp)
		far.left_ns[far.stamps++ % 1024] = far.now_ns + FAR_STACK;
	return 1;
}

static int
far_departures(void *ctx, struct pace_departure *d, int n)
{
	int got = 0;

	(void)ctx;
	for (; got < n && far.told < far.stamps; far.told++)
		d[got++] = (struct pace_departure){ far.told, far.left_ns[far.told % 1024] };
	return got;
}

static void
far_renumber(void *ctx)
{
	(void)ctx;
	far.stamps = far.told = 0;
}

static int64_t
far_now(void *ctx)
{
	(void)ctx;
	return far.now_ns;
}

static int64_t
far_offset(int64_t t)
{
	return far.offset_ns + (int64_t)((double)t * far.rate);
}

static int64_t
far_wall(void *ctx)
{
	(void)ctx;
	return far_offset(far.now_ns);
}

/* --- the network ------------------------------------------------------------------------ */

static void
far_note_stay(void)
{
	struct pace_stamp_reply p;
	int64_t ns;

	if (pace_stamp_reply_decode(&p, far.out, far.out_len, false) != 0)
		return;
	ns = pace_stamp_time_ns(p.t3, PACE_STAMP_NTP, 0) - pace_stamp_time_ns(p.t2, PACE_STAMP_NTP, 0);
	far.stay_min = ns < far.stay_min ? ns : far.stay_min;
	far.stay_max = ns > far.stay_max ? ns : far.stay_max;
}

static void
far_reply_to(const uint8_t *buf, size_t len, int64_t there_ns)
{
	int64_t back_ns = far.back_ns + (far.jitter_ns > 0 ? unit_between(0, far.jitter_ns) : 0);
	bool lost;

	far.now_ns = far.net->now_ns + there_ns + far.stay_ns;
	far.in = buf;
	far.len = len;
	far.out_len = 0;
	(void)pace_reflector_step(far.reflector);
	if (far.out_len == 0)
		return;
	lost = far.lost_back != NULL && far.lost_back(far.replied);
	far.replied++;
	far.dropped_back += lost;
	if (lost)
		return;
	far_note_stay();
	if (far.mangle != NULL)
		far.mangle(far.out, &far.out_len);
	far.net->delay_ns = there_ns + far.stay_ns + FAR_STACK + back_ns;
	sim_forge(far.net, far.out, far.out_len);
	for (int i = 0; i < far.copies_back && far.replied % 10 == 7; i++, far.copied_back++)
		sim_forge(far.net, far.out, far.out_len);
}

static enum sim_fate
far_reflect(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t there_ns = far.there_ns + (far.jitter_ns > 0 ? unit_between(0, far.jitter_ns) : 0);
	bool lost;

	(void)ctx;
	(void)delay_ns;
	if (way == SIM_TO_CLIENT)
		return SIM_PASS;
	lost = far.lost_there != NULL && far.lost_there(far.asked);
	far.asked++;
	far.dropped_there += lost;
	if (lost)
		return SIM_DROP;
	far_reply_to(buf, len, there_ns);
	for (int i = 0; i < far.copies_there && far.asked % 10 == 3; i++, far.copied_there++)
		far_reply_to(buf, len, there_ns + 1000);
	return SIM_DROP;			/* there is no responder */
}

static void
far_use(bool stateful)
{
	pace_reflector_free(far.reflector);
	far.reflector = pace_reflector_new(stateful);
	ck_assert_ptr_nonnull(far.reflector);
	far.reflector->io = (struct pace_io){ .recv = far_recv, .send = far_send,
	    .departures = far_departures, .renumber = far_renumber, .now = far_now,
	    .wall = far_wall };
	far.reflector->port = PACE_STAMP_PORT;
	far.reflector->clock = (struct pace_clock_state){ .known = true, .synchronised = true,
	    .error_max_ns = 3000000 };
}

/* Let it answer only requests with the secret "key" of the rule "default". */
__attribute__((unused)) static struct pace_rules *
far_lock(void)
{
	struct pace_rules *rules = pace_rules_new();
	struct pace_stamp_keys ks;
	struct pace_policy p;
	struct pace_err err;
	static const char text[] = "default hex:6b657900\n";

	pace_policy_reset(&p);
	p.rule[0].reflect = true;
	for (int k = 0; k < PACE_LIMITS; k++)
		p.rule[0].most[k] = PACE_NO_LIMIT;
	ck_assert_ptr_nonnull(rules);
	far.reflector->rules = rules;
	pace_rules_set(rules, &p);
	ck_assert_int_eq(pace_stamp_keys_read(&ks, text, sizeof(text) - 1, &err), 0);
	pace_reflector_rekey(far.reflector, &ks);
	return rules;
}

#endif
