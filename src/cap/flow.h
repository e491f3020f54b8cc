/*
 * flow.h - what a capture holds, sorted: flows, and the streams in them.
 *
 * Flow       source and destination, addresses and ports, one direction.  Its
 *            format is given, or recognised from its first PACE_CAP_GUESS datagrams, which
 *            are kept until then.
 * Stream     what is numbered by itself within a flow (a mark's stream); a
 *            flow of a format without numbers is one.  Each has its own arrival gaps,
 *            loss, order and delay.
 * Numbers    stream figures are of numbered datagrams only; what the format knows
 *            but does not number (control) is counted in the flow.  The
 *            first number seen begins the stream, unless its format says where
 *            streams begin and that is less than PACE_CAP_BEGIN before it.
 * Memory     bounded by cfg, whatever the length of the capture: a flow or stream
 *            without room is counted, never dropped silently.  Allocation when a flow
 *            or stream is met first, never for a frame.
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
#include "core/seq.h"

#define PACE_CAP_FLOWS		4096	/* of a capture */
#define PACE_CAP_MEMORY		(160u << 20)	/* bytes for streams */
#define PACE_CAP_WINDOW		8192	/* frames, as seq.h has it */
#define PACE_CAP_BEGIN		64
#define PACE_CAP_COALESCED_NS	50

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
	uint64_t	dscp_changes;	/* datagrams with another than the one before */
	uint64_t	frames, bytes, line_bytes;	/* of all datagrams */
	int64_t		first_ns;
	uint64_t	unnumbered;	/* without a number, in a format that has them */
	uint64_t	unfollowed;	/* of streams for which there was no room */
	uint32_t	streams;
	uint32_t	begun;		/* streams with a frame */
	uint32_t	least;		/* bytes of payload captured, of those captured in part; 0: of none */
	/* private */
	bool		plain;
	uint8_t		last_dscp;
	struct pace_cap_kept *kept;	/* NULL: the format is known */
	struct pace_cap_guess *guess;
	size_t		n_kept;
	struct pace_cap_stream *first, *recent;
};

/* How long datagrams took, by their sender's stamps; only differences mean something, and
 * these hold how the two clocks drift apart. */
struct pace_cap_delays {
	struct pace_hist transit;	/* ns, less that of the first */
	struct pace_hist ipdv;		/* ns, in order of arrival */
	int64_t		base_ns, last_ns;
	double		jitter_ns, jitter_max_ns;	/* RFC 3550 */
	uint64_t	absurd;		/* more than an hour from the first: no such stamp */
};

struct pace_cap_stream {
	struct pace_cap_flow *flow;
	uint64_t	id;
	uint32_t	order;		/* of those of the flow, by their first frame, from 1 */
	uint64_t	frames;		/* as the flow's format has them: numbered ones */
	uint64_t	bytes, line_bytes;	/* payload, line time; of unique ones */
	uint64_t	first_bytes, first_line_bytes;	/* of the first one, for rates */
	int64_t		first_ns, last_ns;
	uint32_t	size_min, size_max;	/* payload, bytes */
	uint64_t	coalesced;	/* less than PACE_CAP_COALESCED_NS after the one before */
	uint64_t	backwards;	/* stamped before the one before */
	struct pace_hist gap;		/* ns */
	bool		ended;		/* its sender said where */
	bool		from_start;	/* its losses are counted from its format's first number */
	uint64_t	early;		/* numbers before the first one captured */
	uint64_t	strays;		/* numbers far from all others, of no use */
	uint64_t	restarts;	/* the numbers began anew */
	struct pace_seq	*seq;		/* NULL: no numbers */
	struct pace_cap_delays *delays;	/* NULL: no stamps */
	struct pace_cap_heaps *heaps;	/* NULL: no heaps */
	uint32_t	mark;		/* 0; whoever looks at streams meanwhile may set it */
	/* private */
	struct pace_cap_stream *next;	/* of the flow */
	struct pace_cap_unwrap unwrap;
	int64_t		origin;		/* number of the first */
	uint64_t	end;
};

struct pace_cap_cfg {
	const struct pace_cap_format *format;	/* of all flows; NULL: recognise */
	const struct pace_cap_rule *rule;	/* of "sequence" */
	size_t		flows;		/* 0: PACE_CAP_FLOWS */
	size_t		memory;		/* 0: PACE_CAP_MEMORY */
	uint32_t	window;		/* as seq.h has it; 0: PACE_CAP_WINDOW */
};

struct pace_cap_table {
	struct pace_cap_cfg cfg;
	uint64_t	frames, bytes;	/* of the capture, as they were on the wire */
	uint64_t	kinds[PACE_CAP_KINDS];
	uint64_t	cut;		/* captured in part */
	uint64_t	large;		/* datagrams in one frame that no link carries: merged by an offload */
	int64_t		first_ns, last_ns;
	bool		fine;		/* a stamp is no whole number of µs */
	uint64_t	others, others_bytes;	/* datagrams of flows without room */
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

/* The next frame of the capture. */
void	pace_cap_table_add(struct pace_cap_table *t, enum pace_cap_link link,
	    const struct pace_cap_frame *f, int64_t now_ns);

/* The flow of a datagram; NULL: none, or there was no room for it. */
struct pace_cap_flow	*pace_cap_table_find(const struct pace_cap_table *t,
			    const struct pace_cap_packet *p);

/* The streams that there are so far, one after the other: s NULL, the first; NULL: that was
 * the last.  Of flows whose format is not known yet there is none. */
struct pace_cap_stream	*pace_cap_table_next(const struct pace_cap_table *t,
			    const struct pace_cap_stream *s);

/* Numbered datagrams of a stream that are missing so far, or in the end, below its highest
 * one; 0 of one without numbers. */
uint64_t	pace_cap_stream_lost(const struct pace_cap_stream *s);

/* The end of the capture: everything is counted.  0 or -ENOMEM.  Call once. */
int	pace_cap_table_finish(struct pace_cap_table *t);

#endif
