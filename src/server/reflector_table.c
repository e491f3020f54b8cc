#include "config.h"

#include "server/reflector_table.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct pace_reflector_table *
pace_reflector_table_new(void)
{
	struct pace_reflector_table *t = sodium_init() < 0 ? NULL : malloc(sizeof(*t));

	if (t == NULL)
		return NULL;
	/* Touch all pages now, so that a flood does not make the process grow. */
	memset(t, 0, sizeof(*t));
	for (int i = 0; i < PACE_REFLECTOR_SETS; i++)
		for (int way = 0; way < PACE_REFLECTOR_WAYS; way++)
			t->session[i][way].last_ns = INT64_MIN;
	randombytes_buf(t->key, sizeof(t->key));
	return t;
}

void
pace_reflector_table_free(struct pace_reflector_table *t)
{
	free(t);
}

static struct pace_reflector_session *
set_of(struct pace_reflector_table *t, const struct pace_reflector_name *n)
{
	const size_t ip = n->peer.family == 4 ? 4 : 16;
	uint8_t text[1 + 16 + 2 + 4 + 16 + 2] = { n->peer.family }, hash[crypto_shorthash_BYTES];

	memcpy(text + 1, n->peer.ip, ip);
	memcpy(text + 17, &n->peer.port, 2);
	memcpy(text + 19, &n->peer.scope, 4);
	memcpy(text + 23, n->local.ip, ip);
	memcpy(text + 39, &n->ssid, 2);
	crypto_shorthash(hash, text, sizeof(text), t->key);
	return t->session[(hash[0] << 8 | hash[1]) % PACE_REFLECTOR_SETS];
}

static bool
is_named(const struct pace_reflector_session *s, const struct pace_reflector_name *n)
{
	return s->name.ssid == n->ssid && s->name.peer.scope == n->peer.scope &&
	    pace_addr_same(&s->name.peer, &n->peer) && pace_addr_same(&s->name.local, &n->local);
}

/* Is the place free for another session?  The better, the smaller the number; 0: it is not. */
static int
yields(const struct pace_reflector_session *s, int64_t now_ns)
{
	if (s->name.peer.family == 0)
		return 1;
	if (now_ns - s->last_ns > PACE_REFLECTOR_IDLE_NS)
		return 2;
	return s->requests == 1 ? 3 : 0;
}

/* The place for a new session; NULL: none. */
static struct pace_reflector_session *
place_for(struct pace_reflector_session *set, const struct pace_addr *peer, int64_t now_ns)
{
	struct pace_reflector_session *best = NULL, *own = NULL;
	int mine = 0;

	for (int i = 0; i < PACE_REFLECTOR_WAYS; i++) {
		struct pace_reflector_session *s = &set[i];
		int how = yields(s, now_ns);
		bool same = how != 1 && pace_addr_same_prefix(&s->name.peer, peer,
		    PACE_PREFIX_NETWORK);

		mine += same && how != 2;
		if (how == 0)
			continue;
		if (same && (own == NULL || s->last_ns < own->last_ns))
			own = s;
		if (best == NULL || how < yields(best, now_ns) ||
		    (how == yields(best, now_ns) && s->last_ns < best->last_ns))
			best = s;
	}
	return mine < PACE_REFLECTOR_WAYS / 2 ? best : own;
}

struct pace_reflector_session *
pace_reflector_table_find(struct pace_reflector_table *t, const struct pace_reflector_name *name,
    int64_t now_ns)
{
	struct pace_reflector_session *set = set_of(t, name), *s = NULL;

	for (int i = 0; i < PACE_REFLECTOR_WAYS && s == NULL; i++)
		if (set[i].name.peer.family != 0 && is_named(&set[i], name))
			s = &set[i];
	if (s == NULL || now_ns - s->last_ns > PACE_REFLECTOR_IDLE_NS) {
		if (s == NULL)
			s = place_for(set, &name->peer, now_ns);
		if (s == NULL)
			return NULL;
		*s = (struct pace_reflector_session){ .name = *name, .birth = ++t->births };
	}
	s->last_ns = now_ns;
	s->requests++;
	return s;
}
