/*
 * light.h - the light sessions of a responder: thousands at one socket, without a thread each.
 *
 * Purpose    gives every datagram at the listener to the light session of its address, steps the
 *            sessions whose time has come, and ends those that must leave.  The sessions are those
 *            of session.h; only their socket, their thread and their buffers are shared.
 * Look-up    by the client's address and port and by our address, in a hash table with a secret
 *            key, so that nobody can make chains long.  The session checks its number: a client
 *            has one session an address.
 * Time       a wheel of PACE_LIGHT_SLOT_NS: a turn costs what is due, not all sessions.
 * Places     places.h, apart from those of full sessions.  A session that must leave does so at
 *            once.
 * Memory     fixed, from pace_lights_init: 27 KiB a place, of which the kernel provides nothing
 *            before its first session, and 15 KiB only from the first stream on; plus the host's
 *            description, which sessions share.
 * Threads    one, the listener's.
 */
#ifndef PACE_SERVER_LIGHT_H
#define PACE_SERVER_LIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tally.h"
#include "server/admission/places.h"
#include "server/session.h"

#define PACE_LIGHT_MAX		65536
#define PACE_LIGHT_SLOTS	128
#define PACE_LIGHT_SLOT_NS	INT64_C(100000000)

struct pace_light_counts {
	uint64_t	opened, ended;
	uint64_t	dropped;	/* frames and exchanges above a rate */
	uint64_t	datagrams;	/* from the addresses of light sessions */
	struct pace_tally all;		/* of all sessions, open or ended; frames of the last
					 * second or so may be missing */
};

struct pace_light;

struct pace_lights {
	const struct pace_io *io;	/* the listener's; set by the caller */
	struct pace_places places;
	/* Describe this host to the client of a session; NULL: nothing.  The caller of it drops the
	 * text.  A NULL function: no description. */
	struct pace_host_text	*(*host)(void *ctx, const struct pace_session_cfg *c,
			    const struct pace_addr *local);
	void		*host_ctx;
	struct pace_light_counts counts;
	/* private */
	struct pace_light_room room;
	struct pace_light *light;	/* by place */
	uint8_t		*memory;	/* of the sessions */
	uint8_t		key[16];	/* of the hash */
	int32_t		*heads;		/* places; -1: none */
	uint32_t	mask;
	int32_t		wheel[PACE_LIGHT_SLOTS];
	int64_t		turn;		/* slots before this one are done */
	struct pace_usage usage;	/* read for some sessions at once */
	int64_t		usage_ns;
	int64_t		part_ns;	/* sessions end by then; 0: no limit */
};

/* max 0: there are none.  -ENOMEM; pace_lights_done accepts one that failed. */
int	pace_lights_init(struct pace_lights *l, int max);
void	pace_lights_done(struct pace_lights *l);

/* Make a session in this place of l->places. */
void	pace_lights_open(struct pace_lights *l, int place, const struct pace_session_cfg *cfg,
	    const struct pace_addr *local);

/* True if its address has a light session. */
bool	pace_lights_have(struct pace_lights *l, const struct pace_in *in);

/* Give the datagram to its session.  False: no light session has this address. */
bool	pace_lights_take(struct pace_lights *l, const struct pace_in *in);

/* End the session of this place for another client. */
void	pace_lights_evict(struct pace_lights *l, int place);

/* Read the departure stamps, and step the sessions that are due. */
void	pace_lights_turn(struct pace_lights *l);

/* The responder stops: sessions end by then (pace_session_part). */
void	pace_lights_part(struct pace_lights *l, int64_t until_ns);

#endif
