/*
 * reflector.h - a Session-Reflector of STAMP: answers test packets of routers and other senders.
 *
 * Purpose    every request gets one reply with the times of its arrival and departure.  A
 *            stateless reflector copies the sequence number; a stateful one counts its replies
 *            for each session, so that the sender can tell losses on the way there from losses
 *            on the way back.
 * Length     a reply has exactly the length of its request, so a forged address is never sent
 *            more than was received.  Requests below PACE_STAMP_LIGHT octets, into which no
 *            reply fits, and above PACE_REFLECTOR_ROOM are not answered.
 * Loops      no reply to a port below 1024 and none to the reflector's own port: there may be
 *            another reflector, or a service that answers everything (echo, DNS, NTP).
 * Policy     the rule of the address decides (stamp = yes, allow = no); STAMP has no key
 *            identifier, so a rule for keys of udpace never applies.  A rule with a secret in
 *            the key file wants the authenticated mode of STAMP, others the open mode.
 * Rate       each network (PACE_PREFIX_NETWORK) gets replies at the rule's rate and frame-rate,
 *            and a burst of one second.  Without a frame-rate, a rule with a rate gets
 *            PACE_REFLECTOR_PER_S replies a second.  A request is charged after everything else
 *            about it was checked.
 * TLVs       Extra Padding, Timestamp Information, Class of Service, Follow-Up Telemetry and
 *            HMAC are known.  All others come back unchanged with U set: nothing that asks for
 *            another path, another length or more replies is obeyed.  At a malformed one
 *            (flag M) the work on TLVs ends; the rest comes back as it came.
 * Times      T2 is the arrival stamp, of the device if it stamps, else of the kernel; T3 is read before the call that sends, for at most
 *            PACE_REFLECTOR_BURST replies at once.  Both are UTC, in NTP format.  A stateful
 *            reflector gives the stamp of T3 by the device or the kernel in the Follow-Up Telemetry TLV of a later
 *            reply.
 * Memory     fixed: about 1.4 MiB, and 0.8 MiB more if stateful.
 * Threads    step in one thread; pace_reflector_rekey and pace_reflector_counted in any.
 * Source     RFC 8762 section 4.3, RFC 8972.
 */
#ifndef PACE_SERVER_REFLECTOR_H
#define PACE_SERVER_REFLECTOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "proto/stamp_keys.h"
#include "server/admission/rate_sketch.h"
#include "server/admission/rules.h"
#include "server/reflector_table.h"

#define PACE_REFLECTOR_ROOM	9216	/* octets of the longest request */
#define PACE_REFLECTOR_BATCH	32
#define PACE_REFLECTOR_BURST	8
#define PACE_REFLECTOR_PER_S	10000
#define PACE_REFLECTOR_PEERS	512	/* senders whose rule is remembered */
#define PACE_REFLECTOR_STAMPS	1024	/* replies whose departure stamps are expected */

/* The outcome of a request: exactly one for each. */
enum pace_reflector_outcome {
	PACE_REFLECTED,
	PACE_REFLECTOR_MALFORMED,	/* too short, or too long */
	PACE_REFLECTOR_LOOP,		/* its port may be another reflector's, or it is a reply */
	PACE_REFLECTOR_DENIED,		/* by the policy */
	PACE_REFLECTOR_UNVERIFIED,	/* without the right HMAC, where one is wanted */
	PACE_REFLECTOR_LIMITED,		/* above the limit of its network */
	PACE_REFLECTOR_FULL,		/* no place for another session */
	PACE_REFLECTOR_UNSENT,		/* the reply could not be sent */
	PACE_REFLECTOR_OUTCOMES
};

struct pace_reflector_counts {
	uint64_t	n[PACE_REFLECTOR_OUTCOMES];
};

/* The policy's decision about an address. */
struct pace_reflector_peer {
	struct pace_addr addr;		/* family 0: none */
	uint32_t	rules, keys;	/* the changes of policy and keys that are known here */
	bool		allowed;
	const struct pace_stamp_key *key;	/* NULL: the open mode */
	int64_t		every_ns;	/* of replies, 0: no limit */
	double		bit_ns;		/* ns of a bit on the wire, 0: no limit */
	uint64_t	columns;	/* of its network in the sketch */
};

struct pace_reflector {
	struct pace_io	io;
	struct pace_rules *rules;	/* NULL: everybody, without limits */
	uint16_t	port;		/* its own */
	bool		nic;		/* the device stamps; departures are then its own */
	struct pace_clock_state clock;	/* for the error estimate; the runner keeps it new */
	/* private */
	_Atomic uint64_t count[PACE_REFLECTOR_OUTCOMES];
	pthread_mutex_t	lock;		/* of the keys */
	struct pace_stamp_keys keys;
	uint32_t	keys_changes;
	struct pace_reflector_table *table;	/* NULL: stateless */
	struct pace_rate_sketch sketch;
	uint8_t		sketch_key[PACE_RATE_SKETCH_KEY];
	struct pace_reflector_peer peer[PACE_REFLECTOR_PEERS];
	/* departures, by their number */
	struct {
		struct pace_reflector_session *session;	/* NULL: none */
		uint64_t	birth;
		uint32_t	number, seq;
	} stamped[PACE_REFLECTOR_STAMPS];
	uint32_t	stamps;		/* datagrams sent with stamp */
	uint8_t		buf[PACE_REFLECTOR_BATCH][PACE_REFLECTOR_ROOM];
};

/* Make a reflector; the caller then sets io, rules and port.  NULL: no memory, or no random
 * numbers. */
struct pace_reflector	*pace_reflector_new(bool stateful);
void	pace_reflector_free(struct pace_reflector *r);

/* Use these secrets from now on; *ks becomes the reflector's. */
void	pace_reflector_rekey(struct pace_reflector *r, struct pace_stamp_keys *ks);

/* Answer what waits, at most PACE_REFLECTOR_BATCH requests; returns their number or -errno. */
int	pace_reflector_step(struct pace_reflector *r);

struct pace_reflector_counts	pace_reflector_counted(const struct pace_reflector *r);

#endif
