/*
 * msg.h - the bodies of control messages: structs to JSON and back.
 *
 * Purpose    one place for every body of udpace-protocol(7).  A body is one
 *            JSON object behind the 32-byte header, zero bytes behind it
 *            are padding; only a FETCH reply is binary: offset and total,
 *            32 bits each, then bytes of the result.
 * Units      as in the names; seeds, nonces and cookies are hex strings.
 * Errors     decoding: -EPROTO for anything that is not exactly what is
 *            wanted (type, range, missing); the output is then unspecified.
 *            Unknown members are ignored, so that later versions may add.
 * Trust      nothing: lengths, ranges and text are checked here, so that
 *            what lies behind may rely on them.
 * Memory     none is kept; encoding allocates inside jansson and frees.
 */
#ifndef PACE_PROTO_MSG_H
#define PACE_PROTO_MSG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clockfit.h"
#include "core/record.h"
#include "core/wire.h"
#include "doc/result.h"
#include "proto/seal.h"

#define PACE_HELLO_SIZE		512	/* a HELLO is padded to at least this */
#define PACE_CHUNK_MAX		1200	/* result bytes in a FETCH reply */
#define PACE_RESULT_MAX		(4U << 20)	/* bytes of a whole result */
#define PACE_HOST_MAX		(64U << 10)	/* of what a host says of itself */
#define PACE_COOKIE_SIZE	32
#define PACE_AT_MOST_NS		(INT64_C(172800) * 1000000000)	/* a START may say */
#define PACE_LABEL_SIZE		64

#define PACE_CLOSING_TEXT	"the responder is being stopped"

/* Why a request was refused; code is for programs. */
struct pace_msg_error {
	char	code[24];	/* version cookie busy full key request session memory records stamp policy
			 * closing */
	char	text[160];
	char	label[PACE_LABEL_SIZE];	/* busy: who is measuring, "" if not said */
	int64_t	wait_ns;	/* busy: at most so long */
	/* policy: what a run may have; 0: not said */
	int64_t	longest_ns;
	int64_t	rate_bps, frame_rate;	/* on the wire; frames a second */
	int64_t	size_bytes;		/* of a frame */
	int64_t	left_bytes;		/* of the day, on the wire */
};

struct pace_msg_open {
	uint8_t		cookie[PACE_COOKIE_SIZE];
	uint64_t	nonce;		/* the client's, makes OPEN idempotent */
	char		label[PACE_LABEL_SIZE];
	uint32_t	rcvbuf_bytes;
};

struct pace_msg_start {
	struct pace_params	ask;
	uint64_t	limit;		/* frame numbers are below this */
	uint64_t	seed;		/* of the payload pattern */
	uint32_t	wire_bytes;	/* line time of one frame */
	int64_t		at_most_ns;	/* planned length of the run */
	bool		pings;		/* no stream: PINGs of ask.size_bytes ... */
	uint32_t	reply_bytes;	/* ... and replies of so many */
	bool		capture;	/* of the stream at the responder is wanted, too */
};

/* What comes of asking for a capture, as START is answered. */
enum pace_capture_answer {
	PACE_CAPTURE_NONE,	/* this responder captures nothing; one that is older says nothing */
	PACE_CAPTURE_GRANTED,
	PACE_CAPTURE_RULE,	/* the client's rule forbids it */
	PACE_CAPTURE_BUILD,	/* built without libpcap */
	PACE_CAPTURE_ROOM,	/* no memory, or too many at once */
	PACE_CAPTURE_FAILED,	/* the interface cannot be read any more */
	PACE_CAPTURES
};

/* What START of a stream that is to be captured is answered with. */
struct pace_msg_started {
	enum pace_capture_answer capture;
};

/* What a FINISH says. */
struct pace_msg_finish {
	uint64_t	sent;
	struct pace_clock_estimate theta;	/* segments 0: not known; only the lines travel */
};

/* Which bytes a FETCH wants: of the run's result, of its frame records, or of what
 * the host says of itself. */
enum pace_part { PACE_PART_RESULT, PACE_PART_RECORDS, PACE_PART_HOST, PACE_PARTS };
struct pace_msg_fetch {
	uint32_t	offset;
	enum pace_part	part;
};

/* What OPEN is answered with. */
struct pace_msg_opened {
	struct pace_clock_state clock;	/* the responder's wall clock */
	uint32_t	host_bytes;	/* of PACE_PART_HOST; 0: nothing is told */
	bool		reports;	/* REPORT is answered */
};

struct pace_msg_ready {
	bool		ready;
	int64_t		wait_ns;	/* not ready: ask again then */
	uint32_t	size;		/* ready: bytes of the result; 0 of PINGs */
	bool		lease_lost;	/* another client may have measured meanwhile */
};

/*
 * Header and body into buf; body is released, NULL is an empty body.  Padded
 * with zeros to at least pad bytes.  Length, or -ENOBUFS, -ENOMEM.
 */
int	pace_msg_put(uint8_t *buf, size_t size, const struct pace_hdr *h,
	    json_t *body, size_t pad);

/* The same of a datagram with this header, which may end with a trailer. */
json_t	*pace_request_body(const struct pace_hdr *h, const uint8_t *buf, size_t len);

/* Body of a datagram of len bytes, header included; NULL: none or no object. */
json_t	*pace_msg_body(const uint8_t *buf, size_t len);

/* Never NULL, for an empty body is consent: without memory pace_msg_put refuses what this
 * returns, nothing is sent, and the client asks again. */
json_t	*pace_msg_error_json(const struct pace_msg_error *e);
/* 1: it is one, 0: it is not. */
int	pace_msg_is_error(const json_t *j, struct pace_msg_error *e);

json_t	*pace_msg_cookie_json(const uint8_t cookie[PACE_COOKIE_SIZE]);
int	pace_msg_cookie(const json_t *j, uint8_t cookie[PACE_COOKIE_SIZE]);

json_t	*pace_msg_open_json(const struct pace_msg_open *m);
int	pace_msg_open(const json_t *j, struct pace_msg_open *m);

json_t	*pace_msg_opened_json(const struct pace_msg_opened *m);
int	pace_msg_opened(const json_t *j, struct pace_msg_opened *m);

json_t	*pace_msg_start_json(const struct pace_msg_start *m);
int	pace_msg_start(const json_t *j, struct pace_msg_start *m);

json_t	*pace_msg_started_json(const struct pace_msg_started *m);
int	pace_msg_started(const json_t *j, struct pace_msg_started *m);

json_t	*pace_msg_finish_json(const struct pace_msg_finish *m);
int	pace_msg_finish(const json_t *j, struct pace_msg_finish *m);
json_t	*pace_msg_ready_json(const struct pace_msg_ready *m);
int	pace_msg_ready(const json_t *j, struct pace_msg_ready *m);

json_t	*pace_msg_fetch_json(const struct pace_msg_fetch *m);
int	pace_msg_fetch(const json_t *j, struct pace_msg_fetch *m);

#endif
