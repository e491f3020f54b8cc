/*
 * format.h - what a captured datagram says of itself: stream, number, time.
 *
 * Purpose    loss, order and delay of traffic that others sent, from the
 *            sequence numbers they put into it; one small decoder a format
 *            behind one table (fmt_NAME.c), and the recognition of a flow's.
 * Formats    udpace, udpmon, iperf3, iperf2, rtp, spead, vdif, vtp, lofar
 *            are recognised; "sequence" is the user's rule, "plain" is all
 *            else: gaps only.
 * Flow       a mark is for one direction of one pair of addresses and ports;
 *            stream tells apart what is numbered apart within it.
 * Units      bytes; ns of the epoch that the format has.
 * Memory     the caller's; no allocation, no clock, no I/O, no globals.
 * Cost       fits and mark read one header: some tens of ns.
 * Trust      everything came off the network or out of a file.  No byte
 *            beyond captured is read, and length is used only to test what
 *            the header claims.  A number may be any value below modulus; what
 *            it does to those before it is unwrap.h's business.
 * Threads    none needed: nothing is kept but in what the caller owns.
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

/* Of numbers made of a second and a frame within it, from 0 to nobody says what:
 * second << PACE_CAP_FRAME_BITS | frame. */
#define PACE_CAP_SECONDS	UINT64_MAX
#define PACE_CAP_FRAME_BITS	24

/* What its sender wrote about it. */
struct pace_cap_mark {
	uint64_t	stream;		/* within the flow: SSRC, thread, run, ...; 0: one */
	bool		has_seq;	/* false: of the format, but not numbered (control) */
	uint64_t	seq;		/* as carried */
	uint64_t	modulus;	/* numbers go from 0 to modulus - 1 and begin again;
					 * 0: 64 bits, they don't; or PACE_CAP_SECONDS */
	bool		has_time;
	int64_t		time_ns;	/* sender's stamp, of its own epoch */
	int64_t		time_wraps_ns;	/* it begins again after so long; 0: it does not */
	/* The sender says that the stream's numbers end here (iperf's negative id,
	 * UDPmon's TESTEND, SPEAD's stop): with has_seq the number is the one after
	 * the last that was sent, and the datagram is no frame of the stream.  It
	 * may come several times. */
	bool		last;
	bool		has_heap;	/* SPEAD, which has no seq: a piece of a heap, see heaps.h */
	uint64_t	heap, heap_size, heap_offset, heap_bytes;	/* heap_size 0: not told */
};

/* --sequence OFFSET:BYTES:ENDIAN[:MOD] */
struct pace_cap_rule {
	size_t		offset;
	unsigned	bytes;		/* 1 .. 8 */
	bool		little;
	uint64_t	modulus;	/* 0: of its width */
};

struct pace_cap_format {
	const char	*name;		/* what --format takes */
	const char	*title;		/* for people */
	/* How well one datagram fits, 0 (no) .. 100 (certain: magic); the length is
	 * looked at before the content. */
	int	(*fits)(const struct pace_cap_datagram *d);
	/* False: not of this format, or cut too short, and *m means nothing.
	 * rule: only "sequence" needs one, and has no marks without. */
	bool	(*mark)(const struct pace_cap_rule *rule,
		    const struct pace_cap_datagram *d, struct pace_cap_mark *m);
	/* Its senders begin each stream with first: what is missing from there on
	 * was lost, if the capture has the stream's beginning. */
	bool		begins;
	uint64_t	first;
	bool		secret;		/* a mark's stream lets one forge: show its order only */
};

/* NULL: none of that name. */
const struct pace_cap_format	*pace_cap_format(const char *name);

/* All of them, as they are tried; "plain" is the last. */
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
 *            to the next, two thirds are by 1 to PACE_CAP_NEAR, up or down, and
 *            of times, where it has them, two thirds go on too, by at most
 *            PACE_CAP_SOON_NS.  So a constant is no number, and what is random
 *            hardly goes on so.  The best mean wins, the first in the table among
 *            equals.
 * Limits     PACE_CAP_STREAMS streams of a flow are followed, further ones take
 *            their places in turn.  A format without magic needs four datagrams.
 */
#define PACE_CAP_FORMATS	11
#define PACE_CAP_STREAMS	16
#define PACE_CAP_SURE		90
#define PACE_CAP_NEAR		16
#define PACE_CAP_SOON_NS	INT64_C(10000000000)
#define PACE_CAP_GUESS		32	/* datagrams after which a guess is as good as it gets */

struct pace_cap_guess {
	unsigned	datagrams;	/* taken; those after PACE_CAP_GUESS are not */
	struct pace_cap_tried {
		unsigned	fit, points;	/* that fitted, the sum of how well */
		unsigned	steps, near;	/* of numbers */
		unsigned	ticks, soon;	/* of times */
		unsigned	streams, oldest;
		struct {
			uint64_t	stream, seq;
			int64_t		time_ns;
		} last[PACE_CAP_STREAMS];
	} of[PACE_CAP_FORMATS];		/* as in the table */
};

void	pace_cap_guess_init(struct pace_cap_guess *g);
void	pace_cap_guess_add(struct pace_cap_guess *g, const struct pace_cap_datagram *d);

/* "plain" when nothing fits, never NULL. */
const struct pace_cap_format	*pace_cap_guess_best(const struct pace_cap_guess *g);

#endif
