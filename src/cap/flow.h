/*
 * flow.h - sort the datagrams of a capture into flows, and flows into streams.
 *
 * Flow       source and destination, addresses and ports, one direction.  Its
 *            format is given, or recognised from its first PACE_CAP_GUESS datagrams, which
 *            are kept until then.
 * Stream     the datagrams of a flow that share one numbering (a mark's stream); a
 *            flow without numbers is one stream.  Each stream has its own arrival
 *            gaps, loss, order and delay.
 * Numbers    stream figures include numbered datagrams only.  Datagrams of the format without a
 *            number (control) are counted by the flow.  A stream begins
 *            with the first number captured, or with its format's first number if that
 *            is less than PACE_CAP_BEGIN below.
 * Memory     bounded by cfg for any length of the capture.  A flow or stream without
 *            room is counted, never dropped silently.  A new flow or stream
 *            allocates, a frame never does.
 * Cost       some 100 ns a frame: one look-up, one decoder, one number.
 * Trust      every byte is hostile; a number far from all others makes a new
 *            beginning (unwrap.h), not 2^64 losses.
 * Threads    none.
 */
#ifndef PACE_CAP_FLOW_H
#define PACE_CAP_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cap/format.h"
#include "cap/heaps.h"
#include "cap/packet.h"
#include "cap/unwrap.h"
#include "core/hist.h"
#include "core/messages.h"
#include "core/seq.h"

#define PACE_CAP_FLOWS		4096	/* of a capture */
#define PACE_CAP_MEMORY		(160u << 20)	/* bytes for streams */
#define PACE_CAP_WINDOW		8192	/* frames, as seq.h has it */
#define PACE_CAP_BEGIN		64
#define PACE_CAP_COALESCED_NS	50
#define PACE_CAP_MESSAGES	64	/* open messages of a stream, if its format says what they
					 * are */

struct pace_cap_key {
	uint8_t		source[16], dest[16];
	uint16_t	source_port, dest_port;
	uint8_t		ip;		/* 4 or 6 */
	uint8_t		zero[3];
};

struct pace_cap_kept;

struct pace_cap_flow {
	struct pace_cap_key key;
	const struct pace_cap_format *format;	/* NULL: not known yet */
	uint8_t		dscp, tags;	/* of the first datagram */
	uint16_t	vlan;
	uint64_t	dscp_changes;	/* datagrams with another DSCP than the previous one */
	uint64_t	frames, bytes, line_bytes;	/* of all datagrams */
	int64_t		first_ns;
	uint64_t	unnumbered;	/* without a number, in a format that has them */
	uint64_t	untracked;	/* datagrams of streams without room */
	uint32_t	streams;
	uint32_t	begun;		/* streams with a frame */
	uint32_t	least;		/* fewest payload bytes captured of a truncated datagram;
					 * 0: none was truncated */
	/* private */
	bool		plain;
	uint8_t		last_dscp;
	struct pace_cap_kept *kept;	/* NULL: the format is known */
	struct pace_cap_guess *guess;
	size_t		n_kept;
	struct pace_cap_stream *first, *recent;
};

/* Delays by the senders' stamps.  Only differences are meaningful, and they include the skew
 * of the two clocks. */
struct pace_cap_delays {
	struct pace_hist transit;	/* ns, relative to the first datagram */
	struct pace_hist ipdv;		/* ns, in order of arrival */
	int64_t		base_ns, last_ns;
	double		jitter_ns, jitter_max_ns;	/* RFC 3550 */
	uint64_t	absurd;		/* more than an hour from the first: not a real stamp */
};

struct pace_cap_stream {
	struct pace_cap_flow *flow;
	uint64_t	id;
	uint32_t	order;		/* within the flow, by first frame, from 1 */
	uint64_t	frames;		/* numbered, if the format has numbers */
	uint64_t	bytes, line_bytes;	/* of unique frames: payload; on the wire */
	uint64_t	first_bytes, first_line_bytes;	/* of the first frame, for rates */
	int64_t		first_ns, last_ns;
	uint32_t	size_min, size_max;	/* payload, bytes */
	uint64_t	coalesced;	/* less than PACE_CAP_COALESCED_NS after the previous one */
	uint64_t	backwards;	/* stamped before the previous one */
	struct pace_hist gap;		/* ns */
	bool		ended;		/* the sender marked the end */
	bool		from_start;	/* losses count from the format's first number */
	uint64_t	early;		/* numbers below the first one captured */
	uint64_t	outliers;		/* numbers far from all others, not used */
	uint64_t	restarts;	/* times the numbering restarted */
	struct pace_seq	*seq;		/* NULL: no numbers */
	struct pace_cap_delays *delays;	/* NULL: no stamps */
	struct pace_cap_heaps *heaps;	/* NULL: no heaps */
	struct pace_messages *messages;	/* NULL: no messages of numbered frames */
	uint64_t	without_message;	/* frames: no memory for their messages */
	uint32_t	mark;		/* 0 at first; free for the caller's use */
	/* private */
	struct pace_cap_stream *next;	/* of the flow */
	struct pace_cap_unwrap unwrap;
	int64_t		origin;		/* number of the first */
	uint64_t	end;
	uint64_t	shift;		/* the sender's count - the stream's */
	bool		has_message;	/* its newest frame has stated a message: */
	uint64_t	message, message_at;	/* number, and place of that frame */
	uint32_t	odd_messages;	/* frames in a row whose message does not follow */
};

struct pace_cap_cfg {
	const struct pace_cap_format *format;	/* for all flows; NULL: recognise it */
	const struct pace_cap_rule *rule;	/* of "sequence" */
	size_t		flows;		/* 0: PACE_CAP_FLOWS */
	size_t		memory;		/* 0: PACE_CAP_MEMORY */
	uint32_t	window;		/* see seq.h; 0: PACE_CAP_WINDOW */
	uint64_t	message;	/* frames of a message, by the numbers; 0: as the format
					 * says */
};

struct pace_cap_table {
	struct pace_cap_cfg cfg;
	uint64_t	frames, bytes;	/* of the capture; bytes on the wire */
	uint64_t	kinds[PACE_CAP_KINDS];
	uint64_t	cut;		/* truncated by the snap length */
	uint64_t	large;		/* datagrams larger than any link's frame: merged by
					 * an offload */
	int64_t		first_ns, last_ns;
	bool		fine;		/* some stamp is finer than a µs */
	uint64_t	others;		/* datagrams of flows without room */
	size_t		flows, streams;
	struct pace_cap_stream **stream;	/* after finish: most bytes first */
	/* private */
	struct pace_cap_flow *flow;
	uint32_t	*slots;
	size_t		mask;
	struct pace_cap_flow *recent;
	size_t		used;		/* bytes of cfg.memory */
};

/* NULL: no memory. */
struct pace_cap_table	*pace_cap_table_new(const struct pace_cap_cfg *cfg);
/* NULL is accepted. */
void	pace_cap_table_free(struct pace_cap_table *t);

/* Add the next frame of the capture. */
void	pace_cap_table_add(struct pace_cap_table *t, enum pace_cap_link link,
	    const struct pace_cap_frame *f, int64_t now_ns);

/* Add the next datagram of a socket.  frame_bytes: the frame's size on an Ethernet, without FCS. */
void	pace_cap_table_add_datagram(struct pace_cap_table *t, const struct pace_cap_packet *p,
	    size_t frame_bytes, int64_t now_ns);

/* The flow of a datagram; NULL: none, or no room for it. */
struct pace_cap_flow	*pace_cap_table_find(const struct pace_cap_table *t,
			    const struct pace_cap_packet *p);

/* Step through the streams found so far: s NULL gives the first; NULL: no more.  A flow
 * whose format is not known yet has no streams. */
struct pace_cap_stream	*pace_cap_table_next(const struct pace_cap_table *t,
			    const struct pace_cap_stream *s);

/* Numbered datagrams of a stream that are missing so far below its highest number; 0 for a
 * stream without numbers. */
uint64_t	pace_cap_stream_lost(const struct pace_cap_stream *s);

/* End the capture and complete all counts.  0 or -ENOMEM.  Call once. */
int	pace_cap_table_finish(struct pace_cap_table *t);

#endif
