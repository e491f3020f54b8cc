/*
 * msg.h - the bodies of control messages: structs to JSON and back.
 *
 * Purpose    the only place that encodes and decodes the bodies of udpace-protocol(7).  A
 *            body is one JSON object after the 32-byte header; zero bytes after it are
 *            padding.  Only a FETCH reply is binary: offset and total, 32 bits each, then
 *            bytes of the result.
 * Units      as in the names; seeds, nonces and cookies are hex strings.
 * Errors     decoding: -EPROTO if a member is missing or has a wrong type or range; the
 *            output is then unspecified.  Unknown members are ignored, so that later
 *            versions may add some.
 * Trust      nothing: lengths, ranges and text are checked here; callers may rely on them.
 * Memory     none is kept; encoding allocates inside jansson and frees.
 */
#ifndef PACE_PROTO_MSG_H
#define PACE_PROTO_MSG_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "core/clockfit.h"
#include "core/record.h"
#include "core/tcp.h"
#include "core/wire.h"
#include "doc/latency.h"
#include "doc/result.h"
#include "proto/seal.h"

#define PACE_HELLO_SIZE		512	/* a HELLO is padded to at least this */
#define PACE_CHUNK_MAX		1200	/* result bytes in a FETCH reply */
#define PACE_RESULT_MAX		(4U << 20)	/* bytes of a whole result */
#define PACE_HOST_MAX		(64U << 10)	/* bytes of a host's description of itself */
#define PACE_COOKIE_SIZE	32
#define PACE_AT_MOST_NS		(INT64_C(172800) * 1000000000)	/* limit of START's at_most */
#define PACE_LABEL_SIZE		64
#define PACE_BEGIN_IN_MAX_NS	INT64_C(60000000000)	/* limit of START's begin_in_ns */
#define PACE_PING_FREE		128	/* bytes of a PING that needs no lease */
#define PACE_LIGHT_PING_NS	INT64_C(1000000)	/* least mean time between PINGs of a light session */
#define PACE_GATHER_NS		INT64_C(30000000000)	/* an incomplete group is refused */

#define PACE_CLOSING_TEXT	"the responder is being stopped"

/* Why a request was refused; code is for programs. */
struct pace_msg_error {
	char	code[24];	/* version cookie busy group group-incomplete full key lease request
				 * session memory records
				 * stamp policy
			 * closing */
	char	text[160];
	char	label[PACE_LABEL_SIZE];	/* busy: the client that measures; "": not known */
	int64_t	wait_ns;	/* busy: the longest time to wait */
	int64_t	place;		/* busy: in line among its host's clients, from 1; 0: not
				 * known */
	/* policy: the limits of a run; 0: not known */
	int64_t	longest_ns;
	int64_t	rate_bps, frame_rate;	/* on the wire; frames/s */
	int64_t	size_bytes;		/* of a frame */
	int64_t	left_bytes;		/* left of the day's budget, on the wire */
};

struct pace_msg_open {
	uint8_t		cookie[PACE_COOKIE_SIZE];
	uint64_t	nonce;		/* the client's, makes OPEN idempotent */
	char		label[PACE_LABEL_SIZE];
	uint32_t	rcvbuf_bytes;
	uint32_t	sndbuf_bytes;	/* 0: the responder's default */
	bool		light;		/* a session without the lease is enough */
};

struct pace_msg_start {
	struct pace_params	ask;
	uint64_t	limit;		/* all frame numbers are below this */
	uint64_t	seed;		/* of the payload pattern */
	uint32_t	wire_bytes;	/* line time of one frame */
	int64_t		at_most_ns;	/* planned length of the run */
	bool		pings;		/* no stream: PINGs of ask.size_bytes ... */
	uint32_t	reply_bytes;	/* ... and replies of this size */
	bool		capture;	/* the responder shall capture the stream */
	bool		fragment;	/* it may fragment the frames that it sends */
	int64_t		begin_in_ns;	/* planned time from now to the first frame */
	char		group[PACE_GROUP_NAME];	/* "": the client measures alone */
	uint32_t	group_size;	/* clients */
	struct pace_tcp_params tcp;	/* streams 0: no TCP; else beside PINGs */
};

/* The answer to a request for a capture, in the reply to START. */
enum pace_capture_answer {
	PACE_CAPTURE_NONE,	/* this responder captures nothing; older ones omit the
				 * answer */
	PACE_CAPTURE_GRANTED,
	PACE_CAPTURE_RULE,	/* the client's rule forbids it */
	PACE_CAPTURE_BUILD,	/* built without libpcap */
	PACE_CAPTURE_ROOM,	/* no memory, or too many at once */
	PACE_CAPTURE_FAILED,	/* the interface can no longer be read */
	PACE_CAPTURES
};

/* The reply to a START that requests a capture or TCP, or that is of a group. */
struct pace_msg_started {
	enum pace_capture_answer capture;
	int64_t		begin_ns;	/* of a group: the responder's probe clock when the first
					 * frame shall leave; 0: not set */
	bool		tcp;		/* it accepts connections that this secret proves */
	uint8_t		secret[PACE_TCP_SECRET];
};

/* The body of FINISH. */
struct pace_msg_finish {
	uint64_t	sent;
	struct pace_clock_estimate theta;	/* segments 0: not known; only the lines are sent */
	bool		stop;		/* the responder shall send no more frames */
	bool		collect;	/* of a two-way run: nothing more is received; the answer
					 * is about the result, no longer about the down stream */
};

/* The text that a FETCH reads: the run's result, its frame records, or the host's description of
 * itself. */
enum pace_part { PACE_PART_RESULT, PACE_PART_RECORDS, PACE_PART_HOST, PACE_PARTS };
struct pace_msg_fetch {
	uint32_t	offset;
	enum pace_part	part;
};

/* The reply to OPEN. */
struct pace_msg_opened {
	struct pace_clock_state clock;	/* the responder's wall clock */
	uint32_t	host_bytes;	/* of PACE_PART_HOST; 0: there is none */
	bool		reports;	/* the responder answers REPORT */
	bool		light;		/* it is a light session */
};

/* The reply to FINISH. */
struct pace_msg_ready {
	bool		ready;
	int64_t		wait_ns;	/* not ready: repeat the request after this time */
	uint32_t	size;		/* ready: bytes of the result; 0 for PINGs */
	bool		lease_lost;	/* another client may have measured during the run */
	uint64_t	sent;		/* ready: frames that the responder sent */
	bool		has_requests;
	struct pace_request_counts requests;	/* of PINGs */
};

/*
 * Write header and body into buf, padded with zeros to at least pad bytes.  Releases body; NULL
 * is an empty body.  Returns the length, or -ENOBUFS, -ENOMEM.
 */
int	pace_msg_put(uint8_t *buf, size_t size, const struct pace_hdr *h,
	    json_t *body, size_t pad);

/* Parse the body of a datagram with this header, which may end with a trailer. */
json_t	*pace_request_body(const struct pace_hdr *h, const uint8_t *buf, size_t len);

/* Parse the body of a datagram of len bytes with its header; NULL: no JSON object. */
json_t	*pace_msg_body(const uint8_t *buf, size_t len);

/* Never returns an empty body, which would mean consent: without memory pace_msg_put rejects the
 * result, no reply is sent, and the client repeats its request. */
json_t	*pace_msg_error_json(const struct pace_msg_error *e);
/* 1: j is an error; 0: it is not. */
int	pace_msg_is_error(const json_t *j, struct pace_msg_error *e);

/* True if this is a name of a group: 1 to PACE_GROUP_NAME - 1 letters, digits, and . _ - */
bool	pace_msg_group_name(const char *name);

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
