#include "config.h"

#include "server/light.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "stream/echo.h"

#define NONE		(-1)
#define USAGE_NS	INT64_C(1000000000)	/* maximum age of usage */

/* A light session; its io has this as context. */
struct pace_light {
	struct pace_lights *all;
	struct pace_session *session;	/* NULL: the place is free */
	struct pace_addr peer, local;
	int32_t		next;		/* of the same hash */
	int32_t		later, earlier;	/* in its slot of the wheel */
	int32_t		slot;		/* NONE: in no slot */
	int64_t		due;		/* turn of the wheel */
	struct pace_tally counted;	/* already in the sum of all */
};

/* --- its io: the listener's, with addresses -------------------------------------- */

static int
light_send(void *ctx, const struct pace_out *v, int n)
{
	struct pace_light *s = ctx;
	int sent = 0, rc = 0;

	for (; sent < n; sent++) {
		struct pace_out out = v[sent];

		out.to = s->peer;
		out.from = s->local;
		rc = s->all->io->send(s->all->io->ctx, &out, 1);
		if (rc < 0)
			break;
	}
	return sent > 0 ? sent : rc;
}

static void
light_renumber(void *ctx)
{
	struct pace_lights *l = ((struct pace_light *)ctx)->all;

	l->io->renumber(l->io->ctx);
}

static void
light_coalesce(void *ctx, bool on)
{
	(void)ctx;
	(void)on;			/* the socket is not the session's */
}

/* Reading the host's files takes time: sessions that open together share it. */
static void
light_usage(void *ctx, struct pace_usage *u)
{
	struct pace_lights *l = ((struct pace_light *)ctx)->all;
	int64_t now = l->io->now(l->io->ctx);

	if (l->usage_ns == 0 || now - l->usage_ns > USAGE_NS) {
		l->io->usage(l->io->ctx, &l->usage);
		l->usage_ns = now;
	}
	*u = l->usage;
}

static int64_t
light_now(void *ctx)
{
	struct pace_lights *l = ((struct pace_light *)ctx)->all;

	return l->io->now(l->io->ctx);
}

static int64_t
light_wall(void *ctx)
{
	struct pace_lights *l = ((struct pace_light *)ctx)->all;

	return l->io->wall(l->io->ctx);
}

static uint32_t
light_drops(void *ctx)
{
	struct pace_lights *l = ((struct pace_light *)ctx)->all;

	return l->io->drops(l->io->ctx);
}

/* --- look-up ---------------------------------------------------------------------- */

/* Bytes of an address that count; the others of a local one are not set. */
static size_t
ip_size(const struct pace_addr *a)
{
	return a->family == 4 ? 4 : a->family == 6 ? 16 : 0;
}

static uint32_t
hash_of(const struct pace_lights *l, const struct pace_addr *peer, const struct pace_addr *local)
{
	uint8_t in[40] = { peer->family, (uint8_t)(peer->port >> 8), (uint8_t)peer->port };
	uint64_t h;

	memcpy(in + 4, &peer->scope, sizeof(peer->scope));
	memcpy(in + 8, peer->ip, ip_size(peer));
	memcpy(in + 24, local->ip, ip_size(local));
	crypto_shorthash((uint8_t *)&h, in, sizeof(in), l->key);
	return (uint32_t)h & l->mask;
}

static bool
is_at(const struct pace_light *s, const struct pace_addr *peer, const struct pace_addr *local)
{
	return pace_addr_same(&s->peer, peer) && s->local.family == local->family &&
	    memcmp(s->local.ip, local->ip, ip_size(local)) == 0;
}

static struct pace_light *
find(struct pace_lights *l, const struct pace_addr *peer, const struct pace_addr *local)
{
	int32_t at = l->heads[hash_of(l, peer, local)];

	while (at != NONE && !is_at(&l->light[at], peer, local))
		at = l->light[at].next;
	return at != NONE ? &l->light[at] : NULL;
}

static void
forget(struct pace_lights *l, const struct pace_light *s)
{
	int32_t *at = &l->heads[hash_of(l, &s->peer, &s->local)];

	while (&l->light[*at] != s)
		at = &l->light[*at].next;
	*at = s->next;
}

/* --- the wheel --------------------------------------------------------------------- */

static void
leave_slot(struct pace_lights *l, struct pace_light *s)
{
	if (s->slot == NONE)
		return;
	if (s->earlier != NONE)
		l->light[s->earlier].later = s->later;
	else
		l->wheel[s->slot] = s->later;
	if (s->later != NONE)
		l->light[s->later].earlier = s->earlier;
	s->slot = NONE;
}

/* Step the session at or after at_ns, unless it is due earlier anyway. */
static void
schedule(struct pace_lights *l, struct pace_light *s, int64_t at_ns)
{
	int64_t due = at_ns / PACE_LIGHT_SLOT_NS + 1, most = l->turn + PACE_LIGHT_SLOTS - 1;
	int32_t me = (int32_t)(s - l->light);

	due = due < l->turn ? l->turn : due > most ? most : due;
	if (s->slot != NONE && s->due <= due)
		return;
	leave_slot(l, s);
	s->due = due;
	s->slot = (int32_t)(due % PACE_LIGHT_SLOTS);
	s->earlier = NONE;
	s->later = l->wheel[s->slot];
	if (s->later != NONE)
		l->light[s->later].earlier = me;
	l->wheel[s->slot] = me;
}

static void
end(struct pace_lights *l, struct pace_light *s)
{
	leave_slot(l, s);
	forget(l, s);
	pace_session_free(s->session);
	s->session = NULL;
	l->counts.ended++;
	pace_places_free(&l->places, (int)(s - l->light));
}

static void
count(struct pace_lights *l, struct pace_light *s)
{
	const struct pace_tally *all = pace_session_counts(s->session);
	struct pace_tally more = pace_tally_since(all, &s->counted);

	pace_tally_add(&l->counts.all, &more);
	s->counted = *all;
}

static void
step(struct pace_lights *l, struct pace_light *s)
{
	int64_t now = l->io->now(l->io->ctx), at_ns;
	struct pace_wake w = pace_session_step(s->session);

	count(l, s);
	if (w.done) {
		end(l, s);
		return;
	}
	/* a session that is asked to end is looked at often */
	at_ns = l->part_ns != 0 && w.at_ns > now ? now : w.at_ns;
	schedule(l, s, at_ns);
}

/* --- for the responder -------------------------------------------------------------- */

int
pace_lights_init(struct pace_lights *l, int max)
{
	uint32_t heads = 1;

	memset(l, 0, sizeof(*l));
	if (pace_places_init(&l->places, max) < 0)
		return -ENOMEM;
	if (max == 0)
		return 0;
	while (heads < (uint32_t)max)
		heads *= 2;
	l->mask = heads - 1;
	l->heads = malloc(heads * sizeof(*l->heads));
	l->light = calloc((size_t)max, sizeof(*l->light));
	l->memory = calloc((size_t)max, pace_session_light_size());	/* pages are used late */
	l->room.reply = malloc(PACE_CONTROL_ROOM);
	l->room.departures = pace_echo_socket_new();
	if (l->heads == NULL || l->light == NULL || l->memory == NULL || l->room.reply == NULL ||
	    l->room.departures == NULL)
		return -ENOMEM;
	memset(l->heads, 0xff, heads * sizeof(*l->heads));
	memset(l->wheel, 0xff, sizeof(l->wheel));
	randombytes_buf(l->key, sizeof(l->key));
	return 0;
}

void
pace_lights_done(struct pace_lights *l)
{
	for (int i = 0; l->light != NULL && i < l->places.max; i++)
		if (l->light[i].session != NULL)
			end(l, &l->light[i]);
	free(l->heads);
	free(l->light);
	free(l->memory);
	free(l->room.reply);
	free(l->room.departures);
	l->heads = NULL;
	l->light = NULL;
	l->memory = NULL;
	l->room.reply = NULL;
	l->room.departures = NULL;
	pace_places_done(&l->places);
}

void
pace_lights_open(struct pace_lights *l, int place, const struct pace_session_cfg *cfg,
    const struct pace_addr *local)
{
	struct pace_light *s = &l->light[place];
	struct pace_session_cfg c = *cfg;
	struct pace_host_text *text = NULL;
	uint32_t h = hash_of(l, &cfg->peer, local);

	*s = (struct pace_light){ .all = l, .peer = cfg->peer, .local = *local, .slot = NONE };
	c.light = &l->room;
	c.memory = l->memory + (size_t)place * pace_session_light_size();
	c.io = (struct pace_io){ .ctx = s, .send = light_send, .renumber = light_renumber,
	    .coalesce = light_coalesce, .usage = light_usage, .now = light_now,
	    .wall = light_wall, .drops = light_drops };
	s->session = pace_session_new(&c);
	if (l->host != NULL && (text = l->host(l->host_ctx, &c, local)) != NULL)
		pace_session_share(s->session, text);
	pace_host_text_drop(text);
	s->next = l->heads[h];
	l->heads[h] = place;
	if (l->counts.opened == l->counts.ended)	/* the wheel stood still */
		l->turn = l->io->now(l->io->ctx) / PACE_LIGHT_SLOT_NS;
	l->counts.opened++;
	if (l->part_ns != 0)
		pace_session_part(s->session, l->part_ns);
	step(l, s);
}

bool
pace_lights_have(struct pace_lights *l, const struct pace_in *in)
{
	return l->counts.opened != l->counts.ended && find(l, &in->from, &in->local) != NULL;
}

bool
pace_lights_take(struct pace_lights *l, const struct pace_in *in)
{
	struct pace_light *s;

	if (l->counts.opened == l->counts.ended || (s = find(l, &in->from, &in->local)) == NULL)
		return false;
	l->counts.datagrams++;
	if (pace_session_take(s->session, in))
		step(l, s);
	return true;
}

void
pace_lights_evict(struct pace_lights *l, int place)
{
	if (l->light[place].session != NULL)
		step(l, &l->light[place]);	/* places.h decided that it leaves */
}

/* Those of one slot that are due; a step moves each to another slot. */
static void
turn_slot(struct pace_lights *l)
{
	int32_t *head = &l->wheel[l->turn % PACE_LIGHT_SLOTS];
	int32_t at = *head, next;

	l->turn++;
	for (; at != NONE; at = next) {
		struct pace_light *s = &l->light[at];

		next = s->later;
		leave_slot(l, s);
		step(l, s);
	}
}

void
pace_lights_turn(struct pace_lights *l)
{
	int64_t now = l->io->now(l->io->ctx) / PACE_LIGHT_SLOT_NS;

	if (l->light == NULL)
		return;
	if (pace_echo_waits(l->room.departures))
		pace_echo_departures(l->room.departures, l->io);
	l->counts.dropped = l->room.dropped;
	if (l->counts.opened == l->counts.ended)
		return;
	while (l->turn <= now)
		turn_slot(l);
}

void
pace_lights_part(struct pace_lights *l, int64_t until_ns)
{
	if (l->part_ns != 0)
		return;
	l->part_ns = until_ns;
	for (int i = 0; i < l->places.max; i++)
		if (l->light != NULL && l->light[i].session != NULL) {
			pace_session_part(l->light[i].session, until_ns);
			schedule(l, &l->light[i], 0);
		}
}
