/*
 * messages.h - account for messages, which consist of several frames each: a heap, a second of
 * samples, a transfer.
 *
 * Purpose    one lost frame spoils its message: how many messages are complete, incomplete and
 *            lost, how many frames the incomplete ones lack, how long the complete ones took.
 * Message    has a number, which increases by one from message to message, and a size in
 *            frames.  Each frame has a place in it, from 0.
 * Frames     each one once: the caller recognises duplicates (seq.h).
 * Size       0: not known.  Such a message has as many frames as the largest place of any
 *            message says.  It is judged when it is closed.
 * Closed     when all its frames are there; when a message comes whose number is higher by the
 *            number of slots; at the end.  A frame of a closed message is late and changes
 *            nothing.
 * Lost       messages without any frame, between the first and the last one.
 * Cut        the first message if the first frame is not its first one, and the last one if it
 *            lacks its last frame: what is missing there was perhaps sent outside the time of
 *            the capture.  Such messages are in no other count.
 * Memory     given by the caller: pace_messages_memory(slots).  No allocation, no clock, no I/O.
 * Cost       O(1), some ns a frame.
 * Trust      numbers may be any: one far ahead adds to lost, so the caller limits them
 *            (seq.h, cap/unwrap.h).
 * Threads    none.
 * Invariant  after the end complete + incomplete + lost + cut is the number of messages;
 *            missing has one value for each incomplete message, span one for each complete one.
 */
#ifndef PACE_CORE_MESSAGES_H
#define PACE_CORE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hist.h"

struct pace_message_stats {
	uint64_t	complete, incomplete, lost, cut;
	struct pace_hist missing;	/* frames that an incomplete message lacks */
	struct pace_hist span;		/* ns from first to last arrival of a complete message */
};

void	pace_message_stats_reset(struct pace_message_stats *s);

/* Count a message that ended, lacking so many frames, with these first and last arrivals. */
void	pace_message_close(struct pace_message_stats *s, uint64_t missing, int64_t first_ns,
	    int64_t last_ns);

struct pace_messages {
	struct pace_message_stats stats;
	uint64_t	late;		/* frames of closed messages */
	/* private */
	bool		begun, cut;	/* the first message is cut */
	uint64_t	first, high;	/* numbers of messages */
	uint64_t	top;		/* highest place in the highest one */
	uint64_t	most;		/* frames of the largest message */
	uint64_t	opened;
	uint64_t	size, from, number;	/* of messages of equal size: the current one */
	uint32_t	mask;
	struct pace_message {
		uint64_t	tag;		/* number + 1; 0: no message yet */
		uint64_t	came, size;	/* frames */
		int64_t		first_ns, last_ns;
		bool		closed;
	} *slot;
};

struct pace_message_part {
	uint64_t	number;		/* of the message */
	uint64_t	place, size;
};

/* The least number of slots, a power of two, that keeps all messages of this size open whose frames
 * a window of sequence numbers (seq.h) still accepts. */
uint32_t	pace_messages_slots(uint32_t window, uint64_t size);
size_t	pace_messages_memory(uint32_t slots);

/* Begin.  size: frames of each message, for pace_messages_frame; else 0.  from_start: the first
 * message is that of number 0, whatever arrives first. */
void	pace_messages_init(struct pace_messages *m, uint32_t slots, uint64_t size, bool from_start,
	    void *mem);

/* Take a frame that arrived at now_ns. */
void	pace_messages_add(struct pace_messages *m, const struct pace_message_part *p,
	    int64_t now_ns);

/* The same for messages of equal size: message n has frames n size .. (n + 1) size - 1. */
static inline void
pace_messages_frame(struct pace_messages *m, uint64_t frame, int64_t now_ns)
{
	if (frame - m->from >= m->size) {
		m->number = frame / m->size;
		m->from = m->number * m->size;
	}
	pace_messages_add(m, &(struct pace_message_part){ m->number, frame - m->from, m->size },
	    now_ns);
}

/* End.  Frames before the first and after the last one are not known.  More may follow; they
 * begin anew, also with lower numbers. */
void	pace_messages_finish(struct pace_messages *m);

/* End of messages of equal size from the start: frames 0 .. sent - 1 were sent; the last message
 * may be shorter.  No message is cut. */
void	pace_messages_end(struct pace_messages *m, uint64_t sent);

#endif
