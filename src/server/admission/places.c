#include "config.h"

#include "server/admission/places.h"

#include <errno.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

int
pace_places_init(struct pace_places *p, int max)
{
	uint32_t heads = 1;

	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	p->max = max;
	while (heads < (uint32_t)max)
		heads *= 2;
	p->mask = heads - 1;
	p->slot = calloc(max > 0 ? (size_t)max : 1, sizeof(*p->slot));
	p->heads = malloc(heads * sizeof(*p->heads));
	if (p->slot == NULL || p->heads == NULL || sodium_init() < 0)
		return -ENOMEM;
	memset(p->heads, 0xff, heads * sizeof(*p->heads));
	randombytes_buf(p->secret, sizeof(p->secret));
	return 0;
}

void
pace_places_done(struct pace_places *p)
{
	free(p->slot);
	free(p->heads);
	p->slot = NULL;
	p->heads = NULL;
	p->max = 0;
}

/* --- with the lock held ---------------------------------------------------------- */

static bool
taken(const struct pace_slot *s)
{
	return s->peer.family != 0;
}

static bool
keyed(const struct pace_slot *s)
{
	return s->key[0] != '\0';
}

static bool
kept(const struct pace_slot *s, int64_t now_ns)
{
	return s->heir.family != 0 && now_ns < s->kept_ns;
}

static bool
is_heir(const struct pace_slot *s, const struct pace_comer *c)
{
	return kept(s, c->now_ns) && pace_addr_same(&s->heir, &c->peer);
}

/* --- the taken places, by network; another network may have the same hash --- */

#define NO_PLACE	(-1)

static int32_t *
head_of(const struct pace_places *p, const struct pace_addr *a)
{
	struct pace_addr n = pace_addr_prefix(a, PACE_PREFIX_NETWORK);
	uint8_t in[1 + sizeof(n.ip)] = { n.family };
	uint64_t h;

	memcpy(in + 1, n.ip, sizeof(n.ip));
	crypto_shorthash((uint8_t *)&h, in, sizeof(in), p->secret);
	return &p->heads[(uint32_t)h & p->mask];
}

static const struct pace_slot *
next_of(const struct pace_places *p, int32_t i)
{
	return i != NO_PLACE ? &p->slot[i] : NULL;
}

static void
enter(struct pace_places *p, int slot)
{
	struct pace_slot *s = &p->slot[slot];
	int32_t *head = head_of(p, &s->peer);

	s->next = *head;
	*head = slot;
	p->keyless += !keyed(s);
	while (p->first_free < p->max && taken(&p->slot[p->first_free]))
		p->first_free++;
}

static void
leave(struct pace_places *p, int slot)
{
	int32_t *at = head_of(p, &p->slot[slot].peer);

	while (*at != slot)
		at = &p->slot[*at].next;
	*at = p->slot[slot].next;
	p->keyless -= !keyed(&p->slot[slot]);
	if (slot < p->first_free)
		p->first_free = slot;
}

/* Count sessions with and without a key separately. */
static void
count(struct pace_places *p, struct pace_slot *s, bool in)
{
	if (s->counted == in)
		return;
	s->counted = in;
	memset(s->same, 0, sizeof(s->same));
	for (int32_t i = *head_of(p, &s->peer); i != NO_PLACE; i = p->slot[i].next) {
		struct pace_slot *o = &p->slot[i];

		if (!o->counted || keyed(o) != keyed(s))
			continue;
		for (int k = 0; k < PACE_PREFIXES; k++) {
			bool shared = pace_addr_same_prefix(&o->peer, &s->peer,
			    (enum pace_prefix)k);

			if (o != s)
				o->same[k] += shared ? (in ? 1 : -1) : 0;
			s->same[k] += in && shared;
		}
	}
}

/* Count the places that the comer's prefixes have or have reserved. */
static void
count_own(const struct pace_places *p, const struct pace_comer *c, int own[PACE_PREFIXES])
{
	bool has_key = c->key[0] != '\0';

	memset(own, 0, PACE_PREFIXES * sizeof(own[0]));
	for (const struct pace_slot *s = next_of(p, *head_of(p, &c->peer)); s != NULL;
	    s = next_of(p, s->next))
		for (int k = 0; k < PACE_PREFIXES; k++)
			own[k] += s->counted && keyed(s) == has_key &&
			    pace_addr_same_prefix(&s->peer, &c->peer, (enum pace_prefix)k);
	for (int i = 0; c->now_ns < p->kept_ns && i < p->max; i++) {
		const struct pace_slot *s = &p->slot[i];

		for (int k = 0; k < PACE_PREFIXES; k++)
			own[k] += kept(s, c->now_ns) && s->heir_keyed == has_key &&
			    pace_addr_same_prefix(&s->heir, &c->peer, (enum pace_prefix)k);
	}
}

/* --- a free place ------------------------------------------------------------------ */

/* Open sessions of the comer's key, from any network, if its rule limits them. */
static int64_t
sessions_of_key(const struct pace_places *p, const struct pace_comer *c)
{
	int64_t n = 0;

	for (int i = 0; c->own_max < p->max && i < p->max; i++)
		n += taken(&p->slot[i]) && !atomic_load(&p->slot[i].place.closed) &&
		    strcmp(p->slot[i].key, c->key) == 0;
	return n;
}

/* 0: the comer may have a place if one is free; otherwise as pace_places_claim. */
static int
may_have(const struct pace_places *p, const struct pace_comer *c)
{
	int most = p->max < 8 ? INT_MAX / 2 : p->max / 4, with_closed = 2 * most;
	int64_t own = c->own_max - (c->key[0] != '\0' ? sessions_of_key(p, c) : 0);

	for (const struct pace_slot *s = next_of(p, *head_of(p, &c->peer)); s != NULL;
	    s = next_of(p, s->next)) {
		bool home, closed = atomic_load(&s->place.closed);

		if (pace_addr_same(&s->peer, &c->peer) &&
		    pace_addr_same_prefix(&s->local, &c->local, PACE_PREFIX_HOST))
			return -EEXIST;
		home = pace_addr_same_prefix(&s->peer, &c->peer, PACE_PREFIX_HOST);
		with_closed -= home;
		most -= home && !closed;
		own -= home && !closed && c->key[0] == '\0' && !keyed(s);
	}
	if (own <= 0 || most <= 0)
		return own <= 0 ? -EPERM : -EDQUOT;
	return with_closed > 0 ? 0 : -EAGAIN;
}

/* True if clients without a key have all their places. */
static bool
no_more_keyless(const struct pace_places *p, const struct pace_comer *c)
{
	int left = c->keyless_max - p->keyless;

	for (int i = p->first_free; c->now_ns < p->kept_ns && i < p->max; i++) {
		const struct pace_slot *s = &p->slot[i];

		left -= !taken(s) && kept(s, c->now_ns) && !s->heir_keyed && !is_heir(s, c);
	}
	return c->key[0] == '\0' && left <= 0;
}

/* Find a place: first one reserved for the comer; -1: no place is free. */
static int
free_slot(const struct pace_places *p, const struct pace_comer *c)
{
	int slot = -1;

	if (c->now_ns >= p->kept_ns)
		return p->first_free < p->max ? p->first_free : -1;
	for (int i = p->first_free; i < p->max; i++) {
		const struct pace_slot *s = &p->slot[i];

		if (taken(s))
			continue;
		if (is_heir(s, c))
			return i;
		if (slot < 0 && !kept(s, c->now_ns))
			slot = i;
	}
	return slot;
}

/* --- a place that a session must leave ----------------------------------------------- */

/* True if this session's network, site or host has more sessions than the comer's by at least
 * this number.  Never true within one host. */
static bool
has_more(const struct pace_slot *s, const struct pace_comer *c, const int own[PACE_PREFIXES],
    int more)
{
	for (int k = PACE_PREFIX_NETWORK; k >= PACE_PREFIX_HOST; k--)
		if (!pace_addr_same_prefix(&s->peer, &c->peer, (enum pace_prefix)k))
			return s->same[k] >= own[k] + more;
	return false;
}

/* Why a session may leave; later reasons are stronger. */
enum reason { NONE, ALTHOUGH_IT_MEASURES, IS_UNUSED, HAS_MORE, HAS_NO_KEY, IS_CLOSED };

static enum reason
reason_for(const struct pace_slot *s, const struct pace_comer *c, bool keyless_only,
    const int own[PACE_PREFIXES])
{
	bool has_key = c->key[0] != '\0', measures = atomic_load(&s->place.measures);

	if (!taken(s) || kept(s, c->now_ns) || (keyless_only && keyed(s)))
		return NONE;
	if (atomic_load(&s->place.closed))
		return IS_CLOSED;
	if (keyed(s) && !has_key)
		return NONE;
	if (has_key && !keyed(s))
		return measures ? ALTHOUGH_IT_MEASURES : HAS_NO_KEY;
	if (has_more(s, c, own, 2))	/* still one more when the comer has its place */
		return measures ? ALTHOUGH_IT_MEASURES : HAS_MORE;
	return !measures && c->now_ns - atomic_load(&s->place.used_ns) >= PACE_PLACE_UNUSED_NS &&
	    has_more(s, c, own, 1) ? IS_UNUSED : NONE;
}

/* Compare two sessions with the same reason: the one of the larger network leaves, then of the
 * larger site and host, then the one that has not measured for longer. */
static bool
leaves_before(const struct pace_slot *a, const struct pace_slot *b)
{
	for (int k = PACE_PREFIX_NETWORK; k >= PACE_PREFIX_HOST; k--)
		if (a->same[k] != b->same[k])
			return a->same[k] > b->same[k];
	return atomic_load(&a->place.used_ns) < atomic_load(&b->place.used_ns);
}

/* Find the session that leaves for this comer; NULL: none may. */
static struct pace_slot *
find_leaver(struct pace_places *p, const struct pace_comer *c, bool keyless_only)
{
	struct pace_slot *leaver = NULL;
	enum reason best = NONE;
	int own[PACE_PREFIXES];

	count_own(p, c, own);
	for (int i = 0; i < p->max; i++) {
		struct pace_slot *s = &p->slot[i];
		enum reason why = reason_for(s, c, keyless_only, own);

		if (why == NONE || why < best || (why == best && !leaves_before(s, leaver)))
			continue;
		best = why;
		leaver = s;
	}
	return leaver;
}

/* Ask a session to leave for this comer, or return -EUSERS. */
static int
make_room(struct pace_places *p, struct pace_comer *c, bool keyless_only)
{
	struct pace_slot *s = NULL;

	for (int i = 0; c->now_ns < p->kept_ns && i < p->max && s == NULL; i++)
		if (taken(&p->slot[i]) && is_heir(&p->slot[i], c))
			s = &p->slot[i];
	if (s == NULL && (s = find_leaver(p, c, keyless_only)) == NULL)
		return -EUSERS;
	count(p, s, false);
	s->heir = c->peer;
	s->heir_keyed = c->key[0] != '\0';
	s->kept_ns = p->kept_ns = c->now_ns + PACE_PLACE_KEPT_NS;
	atomic_store(&s->place.leave, true);
	c->leaver = (int)(s - p->slot);
	return -EAGAIN;
}

static int
take(struct pace_places *p, int slot, const struct pace_comer *c)
{
	struct pace_slot *s = &p->slot[slot];

	for (int i = 0; c->now_ns < p->kept_ns && i < p->max; i++)
		if (is_heir(&p->slot[i], c))
			p->slot[i].heir.family = 0;
	memset(s, 0, sizeof(*s));
	s->peer = c->peer;
	s->local = c->local;
	memcpy(s->key, c->key, strlen(c->key));
	atomic_store(&s->place.used_ns, c->now_ns);
	enter(p, slot);
	count(p, s, true);
	p->active++;
	return slot;
}

/* --- for others ------------------------------------------------------------------------ */

int
pace_places_claim(struct pace_places *p, struct pace_comer *c)
{
	bool keyless_only;
	int rc, slot;

	c->leaver = -1;
	pthread_mutex_lock(&p->lock);
	rc = may_have(p, c);
	if (rc == 0) {
		keyless_only = no_more_keyless(p, c);
		slot = keyless_only ? -1 : free_slot(p, c);
		rc = slot >= 0 ? take(p, slot, c) : make_room(p, c, keyless_only);
	}
	pthread_mutex_unlock(&p->lock);
	return rc;
}

int
pace_places_find(struct pace_places *p, uint64_t session, const struct pace_addr *peer,
    const char *key)
{
	int slot = -ENOENT;

	pthread_mutex_lock(&p->lock);
	for (int i = 0; session != 0 && slot < 0 && i < p->max; i++) {
		const struct pace_slot *s = &p->slot[i];

		if (taken(s) && atomic_load(&s->place.session) == session &&
		    !atomic_load(&s->place.closed) && s->peer.family == peer->family &&
		    s->peer.scope == peer->scope &&
		    memcmp(s->peer.ip, peer->ip, sizeof(peer->ip)) == 0 &&
		    strcmp(s->key, key) == 0)
			slot = i;
	}
	pthread_mutex_unlock(&p->lock);
	return slot;
}

void
pace_places_free(struct pace_places *p, int slot)
{
	struct pace_slot *s = &p->slot[slot];

	pthread_mutex_lock(&p->lock);
	count(p, s, false);
	leave(p, slot);
	s->peer.family = 0;
	p->active--;
	p->ended += !atomic_load(&s->place.replaced);
	pthread_mutex_unlock(&p->lock);
}

int
pace_places_active(struct pace_places *p, uint64_t *ended)
{
	int active;

	pthread_mutex_lock(&p->lock);
	active = p->active;
	*ended = p->ended;
	pthread_mutex_unlock(&p->lock);
	return active;
}
