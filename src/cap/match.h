/*
 * match.h - match the frames of one flow in two captures of its path.
 *
 * Purpose    loss, duplication, reordering and one-way delay of any traffic between
 *            two places: UDPmon's measurement, without its programs.
 * Key        identifies a frame at both places: its stream, its number (of 32 bits or
 *            more) and its sender's stamp; or else a digest of the payload's first
 *            bytes and its length.  Addresses, ports and IP's identification are not
 *            part of it: the caller pairs the flows, so NAT does no harm.
 * Order      frames are numbered from 0 in the order of the sender's capture, whatever
 *            numbers they carry; core/seq.h finds loss, copies and reordering by these.
 * Ambiguous  a frame with the key of one of the last window frames sent cannot be
 *            distinguished from that one.  It is counted in ambiguous and left out; its
 *            arrival counts in duplicates.  Many ambiguous frames mean that the payloads
 *            do not identify frames.  A frame that finds PACE_CAP_MATCH_CHAIN others with
 *            its hash is ambiguous too.
 * Feeding    alternate between the captures in any way, each in its own order.  sent may be
 *            at most window / 4 frames behind received and window / 2 ahead of it.  A
 *            received frame waits, and all later ones with it, until its key is found among
 *            the frames sent.  If window / 4 frames wait, it is foreign.  The figures do not
 *            depend on the alternation.
 * Bytes      and rates include matched frames only, each once; bytes of copies and foreign
 *            frames are counted separately.
 * Ends       frames sent before the first match and after the last one count as lost.
 *            That is right only if the receiver's capture ran at that time, which the caller
 *            must decide: before_first and after_last count them, foreign_before_first and
 *            foreign_after_last count the same for received frames.
 * Clocks     fit gets the flows of both directions: theta is the clock of capture B - the
 *            clock of A.  A flow from A to B gives upper bounds, one from B to A lower ones.
 *            Without both there is no line, and delay is relative.
 * Units      ns, by the two captures' stamps.
 * Memory     the caller's, pace_cap_match_memory(window) bytes; no allocation.
 * Cost       some 100 ns a frame, whatever the keys.   Threads  none.
 * Trust      keys and stamps may have any value.
 * Invariant  after finish: sent = matched + ambiguous + seq.lost;  received = matched +
 *            duplicates + foreign.
 */
#ifndef PACE_CAP_MATCH_H
#define PACE_CAP_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/format.h"
#include "core/clockfit.h"
#include "core/delay.h"
#include "core/hist.h"
#include "core/seq.h"

#define PACE_CAP_MATCH_WINDOW	65536	/* the usual one, frames */
#define PACE_CAP_MATCH_CHAIN	32
#define PACE_CAP_MATCH_BYTES	64	/* of payload in a digest, at most */

/* Parameters, and optional outputs; NULL: not wanted. */
struct pace_cap_match_cfg {
	uint32_t	window;		/* a power of two from 256 to 2^20 */
	struct pace_delay *delay;	/* started by the caller; gets the raw delays */
	struct pace_clockfit *fit;	/* for all flows between the captures */
	struct pace_hist *gap;		/* arrival gaps in ns, copies included */
	bool		from_b;		/* the flow is sent at B and received at A */
};

/* A frame in the receiver's capture. */
struct pace_cap_came {
	int64_t		t_ns;
	uint32_t	bytes, line_bytes;	/* payload; on the wire */
};

struct pace_cap_match {
	uint64_t	sent, received;	/* frames fed */
	uint64_t	matched;	/* each once */
	uint64_t	ambiguous, duplicates, foreign;
	uint64_t	before_first, after_last;	/* of seq.lost; after finish */
	/* before the first matched, after the last */
	uint64_t	foreign_before_first, foreign_after_last;
	uint64_t	bytes, line_bytes;	/* of matched frames */
	uint64_t	duplicate_bytes, foreign_bytes;
	struct pace_cap_came first_came, last_came;	/* first and last matched frame */
	struct pace_seq	seq;		/* numbers: order of sending; times: the receiver's */
	/* private */
	struct pace_cap_match_cfg cfg;
	uint64_t	next;		/* frames sent that are not ambiguous */
	uint64_t	first, last;	/* number of the first and last match */
	uint64_t	taken, put;	/* ends of the waiting queue */
	struct pace_cap_sent {
		uint64_t	key;
		int64_t		t_ns;
		uint32_t	link;	/* slot + 1 of an older frame; 0: none */
	} *ring;
	int64_t		before_ns;	/* the previous arrival */
	struct pace_cap_waiting {
		uint64_t	key;
		struct pace_cap_came came;
	} *queue;
	uint32_t	*heads;
};

/* A frame's key; most: payload bytes that both captures hold of each frame of that length
 * (the smaller snap length minus headers). */
uint64_t	pace_cap_match_key(const struct pace_cap_datagram *d,
		    const struct pace_cap_mark *m, size_t most);

/* Bytes of memory; 0: not a valid window. */
size_t	pace_cap_match_memory(uint32_t window);

/* -EINVAL: not a valid window.  mem must be aligned for any type. */
int	pace_cap_match_init(struct pace_cap_match *m, const struct pace_cap_match_cfg *cfg,
	    void *mem);

/* Add the next frame of the flow, from the sender's or the receiver's capture. */
void	pace_cap_match_sent(struct pace_cap_match *m, uint64_t key, int64_t t_ns);
void	pace_cap_match_received(struct pace_cap_match *m, uint64_t key,
	    const struct pace_cap_came *came);

/* End both captures.  Call once. */
void	pace_cap_match_finish(struct pace_cap_match *m);

/* Invert theta: the clock of A - the clock of B, at the time of B.  The delays of a flow
 * from B to A need this. */
void	pace_cap_match_turn(const struct pace_clock_estimate *theta,
	    struct pace_clock_estimate *turned);

#endif
