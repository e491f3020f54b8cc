/*
 * reflector_table.h - the sessions of a stateful STAMP reflector, in fixed memory.
 *
 * Purpose    find the session of a request: its 4-tuple and session identifier (SSID).
 * Memory     fixed: PACE_REFLECTOR_SESSIONS sessions, about 0.8 MiB.  O(1).
 * Method     a keyed hash selects a set of PACE_REFLECTOR_WAYS sessions.  A new session takes a
 *            free place; else that of a session that was idle for PACE_REFLECTOR_IDLE_NS; else
 *            that of the oldest session with a single request, as a forged address leaves
 *            behind.  Otherwise it is refused: sessions that run keep their count.  One network
 *            gets at most half of a set.
 * Trust      addresses may be forged.  The key is random, so an attacker cannot aim at one set.
 * Threads    one.
 */
#ifndef PACE_SERVER_REFLECTOR_TABLE_H
#define PACE_SERVER_REFLECTOR_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"

#define PACE_REFLECTOR_SETS	1024
#define PACE_REFLECTOR_WAYS	8
#define PACE_REFLECTOR_SESSIONS	(PACE_REFLECTOR_SETS * PACE_REFLECTOR_WAYS)
#define PACE_REFLECTOR_IDLE_NS	INT64_C(900000000000)	/* REFWAIT of RFC 5357 */

/* The name of a session. */
struct pace_reflector_name {
	struct pace_addr peer, local;
	uint16_t	ssid;
};

struct pace_reflector_session {
	struct pace_reflector_name name;	/* peer.family 0: a free place */
	int64_t		last_ns;	/* the last request */
	uint64_t	requests;
	uint64_t	birth;		/* tells sessions of one place apart */
	uint32_t	next_seq;	/* of the next reply */
	/* the departure of an earlier reply; follow_ns 0: not known */
	uint32_t	follow_seq;
	int64_t		follow_ns;	/* probe clock */
};

struct pace_reflector_table {
	uint8_t		key[16];
	uint64_t	births;
	struct pace_reflector_session session[PACE_REFLECTOR_SETS][PACE_REFLECTOR_WAYS];
};

/* NULL: no memory, or no random numbers. */
struct pace_reflector_table	*pace_reflector_table_new(void);
void	pace_reflector_table_free(struct pace_reflector_table *t);

/* Find or begin a session and count a request; NULL: there is no place. */
struct pace_reflector_session	*pace_reflector_table_find(struct pace_reflector_table *t,
				    const struct pace_reflector_name *name, int64_t now_ns);

#endif
