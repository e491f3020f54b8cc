/*
 * format.h - read stream, number and time from a captured datagram.
 *
 * Purpose    loss, order and delay of other applications' traffic, from its own
 *            sequence numbers.  One table has a small decoder for each format
 *            (fmt_NAME.c); a flow's format is recognised.
 * Formats    udpace, udpmon, iperf3, iperf2, rtp, spead, vdif, vtp, lofar
 *            are recognised.  "sequence" is the user's rule.  "plain" is any
 *            other traffic: gaps only.
 * Flow       a mark applies to one direction of one pair of addresses and ports;
 *            its stream separates the numberings within the flow.
 * Units      bytes; ns since the format's own epoch.
 * Memory     the caller's; no allocation, no clock, no I/O, no globals.
 * Cost       fits and mark read one header: some tens of ns.
 * Trust      all bytes come off the network or out of a file.  No byte beyond
 *            captured is read, and length is used only to check the header.  A
 *            number may have any value below modulus; unwrap.h judges it against
 *            earlier numbers.
 * Threads    any: all state is in the caller's structs.
 */
#ifndef PACE_CAP_FORMAT_H
#define PACE_CAP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

/* One UDP datagram as captured. */
struct pace_cap_datagram {
	const uint8_t	*payload;
	size_t		captured;	/* bytes at payload */
	size_t		length;		/* bytes that were sent (UDP length - 8) */
	uint16_t	source_port, dest_port;
};

/* For numbers that are a second and a frame within it, from 0 to an unknown maximum: seq is
 * second << PACE_CAP_FRAME_BITS | frame. */
#define PACE_CAP_SECONDS	UINT64_MAX
#define PACE_CAP_FRAME_BITS	24

/* The sender's header of a datagram. */
struct pace_cap_mark {
	uint64_t	stream;		/* within the flow: SSRC, thread, run, ...; 0: one */
	bool		has_seq;	/* false: of the format, but not numbered (control) */
	uint64_t	seq;		/* as carried */
	uint64_t	modulus;	/* numbers wrap after modulus - 1; 0: 64 bits, they do
					 * not wrap; or PACE_CAP_SECONDS */
	bool		has_time;
	int64_t		time_ns;	/* sender's stamp, since its own epoch */
	int64_t		time_wraps_ns;	/* the stamp wraps after this; 0: it does not */
	/* The sender marks the end of the stream's numbers (iperf's negative id,
	 * UDPmon's TESTEND, SPEAD's stop).  With has_seq the number is the last one
	 * sent + 1, and the datagram is not a frame of the stream.  The mark may be
	 * repeated. */
	bool		last;
	bool		has_heap;	/* SPEAD, which has no seq: a piece of a heap, see
					 * heaps.h */
	uint64_t	heap, heap_size, heap_offset, heap_bytes;	/* heap_size 0: unknown */
	/* With has_seq: this is frame message_place, from 0, of the message_frames (0: not known)
	 * of a message, whose number goes on by one from message to message. */
	bool		has_message;
	uint64_t	message, message_place, message_frames;
};

/* --sequence OFFSET:BYTES:ENDIAN[:MOD] */
struct pace_cap_rule {
	size_t		offset;
	unsigned	bytes;		/* 1 .. 8 */
	bool		little;
	uint64_t	modulus;	/* 0: given by the width */
};

struct pace_cap_builder;

struct pace_cap_format {
	const char	*name;		/* the value of --format */
	const char	*title;		/* for people */
	/* How well one datagram fits, 0 (no) .. 100 (certain: magic); checks the
	 * length before the content. */
	int	(*fits)(const struct pace_cap_datagram *d);
	/* False: not of this format, or truncated; *m is then undefined.  rule: only
	 * "sequence" needs one, and fails without it. */
	bool	(*mark)(const struct pace_cap_rule *rule,
		    const struct pace_cap_datagram *d, struct pace_cap_mark *m);
	/* Each stream begins with the number first: numbers missing from there on are
	 * lost, if the capture has the stream's beginning. */
	bool		begins;
	uint64_t	first;
	const struct pace_cap_builder *builder;	/* build.h; NULL: none in cap */
	bool		secret;		/* a mark's stream helps an attacker: show its order only */
	const char	*message;	/* what its marks call a message, for people; NULL: there
					 * are none */
};

/* Find a format by name; NULL: unknown. */
const struct pace_cap_format	*pace_cap_format(const char *name);

/* All formats in the order of recognition; "plain" is the last. */
const struct pace_cap_format	*pace_cap_formats(size_t *n);

/* "OFFSET:BYTES:ENDIAN[:MOD]": ENDIAN is big or little (be, le), MOD at least 2 and
 * at most what BYTES hold.  -EINVAL, -ERANGE; *rule is untouched on failure. */
int	pace_cap_rule_parse(const char *text, struct pace_cap_rule *rule, struct pace_err *err);

/*
 * Recognition of a flow over its first datagrams.
 *
 * Rule       a format is taken if four of five datagrams fit it, and if it has a
 *            magic (their mean fit is PACE_CAP_SURE or more) or the numbers it
 *            reads go on: of at least three steps from one datagram of a stream
 *            to the next, two thirds are by 1 to PACE_CAP_NEAR, up or down.  If
 *            the format has times, two thirds of these must advance too, by at
 *            most PACE_CAP_SOON_NS.  A constant or random bytes hardly pass this
 *            test.  The best mean wins, among equals the first in the table.
 * Limits     PACE_CAP_STREAMS streams of a flow are followed; further ones replace
 *            the oldest.  A format without magic needs four datagrams.
 */
#define PACE_CAP_FORMATS	11
#define PACE_CAP_STREAMS	16
#define PACE_CAP_SURE		90
#define PACE_CAP_NEAR		16
#define PACE_CAP_SOON_NS	INT64_C(10000000000)
#define PACE_CAP_GUESS		32	/* datagrams after which a guess is as good as it gets */

struct pace_cap_guess {
	unsigned	datagrams;	/* used, at most PACE_CAP_GUESS */
	struct pace_cap_tried {
		unsigned	fit, points;	/* datagrams that fit; sum of their fits */
		unsigned	steps, near;	/* steps of numbers; those that are near */
		unsigned	ticks, soon;	/* steps of times; those that are soon */
		unsigned	streams, oldest;
		struct {
			uint64_t	stream, seq;
			int64_t		time_ns;
		} last[PACE_CAP_STREAMS];
	} of[PACE_CAP_FORMATS];		/* as in the table */
};

void	pace_cap_guess_init(struct pace_cap_guess *g);
void	pace_cap_guess_add(struct pace_cap_guess *g, const struct pace_cap_datagram *d);

/* The recognised format, "plain" if none fits; never NULL. */
const struct pace_cap_format	*pace_cap_guess_best(const struct pace_cap_guess *g);

#endif
