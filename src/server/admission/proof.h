/*
 * proof.h - stop a responder's stream if its client no longer receives it.
 *
 * Purpose    an attacker that forges a client's address, and does not see its traffic, must
 *            not keep a stream alive; nor must a client that is gone.  Frames therefore
 *            reveal a random value, a new one every PACE_PROOF_EPOCH_NS, and the client
 *            returns the newest value that it received.
 * Rule       a returned value proves the first frame that revealed it.  After the newest
 *            proven value began, frames may leave for PACE_PROOF_NS plus the shortest time
 *            in which any value came back, at most PACE_PROOF_MOST_NS.  The first
 *            PACE_PROOF_FRAMES frames with that value may leave in any case.  No frame
 *            may leave before the first proof.
 * Values     come from the caller, random and never 0; the last PACE_PROOF_EPOCHS are valid.
 * Units      ns of the probe clock; frames by number.
 * Memory     fixed; no clock.   Threads  one.
 * Trust      a returned value may be forged: an unknown one changes nothing.
 */
#ifndef PACE_SERVER_ADMISSION_PROOF_H
#define PACE_SERVER_ADMISSION_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_PROOF_EPOCH_NS	INT64_C(100000000)
#define PACE_PROOF_NS		INT64_C(500000000)
#define PACE_PROOF_MOST_NS	INT64_C(1000000000)
#define PACE_PROOF_FRAMES	16
#define PACE_PROOF_EPOCHS	32

struct pace_proof {
	struct pace_proof_epoch {
		uint64_t	value;
		int64_t		began_ns;
		uint64_t	frame;		/* the first frame that reveals it */
	} epoch[PACE_PROOF_EPOCHS];
	uint64_t	epochs;			/* so far */
	uint64_t	proven;			/* number of the newest proven epoch; 0: none */
	int64_t		back_ns;		/* shortest return time; INT64_MAX: none yet */
	struct pace_proof_epoch newest;		/* newest proven epoch */
};

/* Set the first value, before any frame. */
void	pace_proof_begin(struct pace_proof *p, uint64_t value, int64_t now_ns);

/* True if it is time for a new value. */
bool	pace_proof_due(const struct pace_proof *p, int64_t now_ns);

/* Reveal a new value, from this frame on. */
void	pace_proof_renew(struct pace_proof *p, uint64_t value, uint64_t frame, int64_t now_ns);

/* Return the current value. */
uint64_t	pace_proof_value(const struct pace_proof *p);

/* Take a value that the client returned; 0: none. */
void	pace_proof_take(struct pace_proof *p, uint64_t value, int64_t now_ns);

/* Return the time until which frames may leave, if this frame is the next; a result below now_ns
 * means that it must wait. */
int64_t	pace_proof_until(const struct pace_proof *p, uint64_t frame, int64_t now_ns);

#endif
