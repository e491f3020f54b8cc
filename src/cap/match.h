/*
 * match.h - the frames of one flow in two captures of its path, matched.
 *
 * Purpose    loss, copies, reordering and one-way delay of any traffic between
 *            two places: UDPmon's measurement, without its programs.
 * Key        what a frame is known by at both places: its stream, number (where
 *            that is of 32 bits or more) and its sender's stamp, else a digest of the
 *            payload's first bytes and its length.  Addresses, ports and IP's identification are no
 *            part of it: who calls says which flows belong together, so NAT does no harm.
 * Order      the sender's capture numbers frames from 0 as it saw them, whatever they
 *            say of themselves; core/seq.h tells loss, copies and order by that.
 * Twins      a frame whose key is among the last window sent already cannot be told
 *            from that one.  It is counted in twins and left out; its arrival is
 *            in duplicates.  Many of them: the payloads say nothing.  (So is
 *            one that finds PACE_CAP_MATCH_CHAIN others with the same hash.)
 * Feeding    both captures in any turns, each in its own order, as long as sent is
 *            at most window / 4 frames behind received and window / 2 before it.  A frame
 *            received waits, and all behind it, until it is found among those
 *            sent, or window / 4 wait: then it is foreign.  Figures do not
 *            depend on the turns.
 * Bytes      and rates are of matched frames only, each once; those of copies and of
 *            foreign ones are told beside.
 * Ends       frames sent before the first and after the last that was matched are
 *            lost too, if the receiver's capture ran then, which only the
 *            caller knows: head and tail say how many of lost they are, and so do
 *            foreign_head and foreign_tail of those received.
 * Clocks     fit, of both directions' flows: theta is the clock of capture B - that of A;
 *            a flow from A to B bounds it from above, one from B to A from below.
 *            Without both there is no line, and delay is relative.
 * Units      ns, by the two captures' stamps.
 * Memory     the caller's, pace_cap_match_memory(window) bytes; no allocation.
 * Cost       some 100 ns a frame, whatever the keys.   Threads  none.
 * Trust      keys and stamps are anything.
 * Invariant  after finish: sent = matched + twins + seq.lost;  received = matched +
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

/* What a match also fills; NULL: not wanted. */
struct pace_cap_match_cfg {
	uint32_t	window;		/* a power of two from 256 to 2^20 */
	struct pace_delay *delay;	/* started; raw ones are added */
	struct pace_clockfit *fit;	/* of all flows between the captures */
	struct pace_hist *gap;		/* ns from one arrival to the next, copies among them */
	bool		from_b;		/* the flow is sent at B and received at A */
};

/* A frame in the receiver's capture. */
struct pace_cap_came {
	int64_t		t_ns;
	uint32_t	bytes, line_bytes;	/* payload, line time */
};

struct pace_cap_match {
	uint64_t	sent, received;	/* frames fed */
	uint64_t	matched;	/* each once */
	uint64_t	twins, duplicates, foreign;
	uint64_t	head, tail;	/* of seq.lost; after finish */
	uint64_t	foreign_head, foreign_tail;	/* before the first matched, after the last */
	uint64_t	bytes, line_bytes;	/* of matched ones */
	uint64_t	duplicate_bytes, foreign_bytes;
	struct pace_cap_came first_came, last_came;	/* of matched ones */
	struct pace_seq	seq;		/* by the order of sending; times are the receiver's */
	/* private */
	struct pace_cap_match_cfg cfg;
	uint64_t	next;		/* frames sent that are no twins */
	uint64_t	first, last;	/* of those matched */
	uint64_t	taken, put;	/* of those that wait */
	struct pace_cap_sent {
		uint64_t	key;
		int64_t		t_ns;
		uint32_t	link;	/* slot + 1 of an older one; 0: none */
	} *ring;
	int64_t		before_ns;	/* the arrival before */
	struct pace_cap_waiting {
		uint64_t	key;
		struct pace_cap_came came;
	} *queue;
	uint32_t	*heads;
};

/* A frame's key; most: bytes of payload that both captures have of every frame that is as
 * long (the smaller snap length, less headers). */
uint64_t	pace_cap_match_key(const struct pace_cap_datagram *d,
		    const struct pace_cap_mark *m, size_t most);

/* Bytes of memory; 0: not a window. */
size_t	pace_cap_match_memory(uint32_t window);

/* -EINVAL: not a window.  mem is aligned for any type. */
int	pace_cap_match_init(struct pace_cap_match *m, const struct pace_cap_match_cfg *cfg,
	    void *mem);

/* The next frame of the flow in the sender's capture, in the receiver's. */
void	pace_cap_match_sent(struct pace_cap_match *m, uint64_t key, int64_t t_ns);
void	pace_cap_match_received(struct pace_cap_match *m, uint64_t key,
	    const struct pace_cap_came *came);

/* Both captures are at their end.  Call once. */
void	pace_cap_match_finish(struct pace_cap_match *m);

/* The clock of A - that of B, by the time of B: what delays of a flow from B to A are
 * finished with. */
void	pace_cap_match_turn(const struct pace_clock_estimate *theta,
	    struct pace_clock_estimate *turned);

#endif
