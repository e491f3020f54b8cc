/*
 * result.h - results of a run as structs: the document's contents in memory.
 *
 * Purpose    one place for every figure between measuring and printing.
 * Units      in the names: ns, bps, bytes; counts are frames.
 * Absent     a figure that was not measured has its has_ flag false or a
 *            histogram of n = 0; it is never written as 0.
 * Memory     a point is about 1.5 MB (histograms): pace_point_new.
 * Trust      the receiver's result comes from the responder: rx_result_doc checks it.
 */
#ifndef PACE_DOC_RESULT_H
#define PACE_DOC_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clockfit.h"
#include "core/counters.h"
#include "core/hist.h"
#include "core/host.h"
#include "core/io.h"
#include "core/ledger.h"
#include "core/messages.h"
#include "core/schedule.h"
#include "core/seq.h"
#include "core/wire_check.h"

struct pace_intervals;

/* Direction of the frames: from the client to the responder, or back. */
enum pace_direction { PACE_UP, PACE_DOWN };
#define PACE_DIRECTIONS	2
extern const char *const pace_direction_names[PACE_DIRECTIONS];

#define PACE_FLOW_LABEL_MAX	0xfffff

/* Names of enum pace_ecn: "not-ect", "ect1", "ect0", "ce". */
extern const char *const pace_ecn_names[PACE_ECNS];

#define PACE_CORE_MAX	1023		/* highest number of a core */

/* Most streams of a run. */
#define PACE_STREAMS	256

/* When the streams of a run begin: spread evenly over one spacing, at random in it, or at once. */
enum pace_stagger { PACE_STAGGER_EVEN, PACE_STAGGER_RANDOM, PACE_STAGGER_NONE };
extern const char *const pace_stagger_names[3];

/* The requested parameters of one point. */
struct pace_params {
	enum pace_direction direction;
	bool		two_way;	/* the other direction has such a stream at the same time */
	uint32_t	size_bytes;
	uint64_t	spacing;	/* 32.32 ns, 0: as fast as possible */
	int64_t		rate_bps;	/* of user data, if the spacing follows from it; else 0 */
	uint64_t	count;		/* frames of each burst; 0 with a duration */
	int64_t		duration_ns;	/* 0: by count */
	int64_t		omit_ns;	/* sent before that and left out of all figures; 0: nothing */
	uint64_t	train;		/* frames sent back to back every train spacings; 1: no
					 * trains */
	enum pace_catch_up catch_up;
	bool		busy_poll;	/* the receiver spins */
	bool		nic;		/* hardware stamps of the devices, not the kernels' */
	uint64_t	bursts;		/* 1: one stream */
	int64_t		burst_gap_ns;
	bool		verify;
	int64_t		grace_ns;	/* time to wait for late frames after the last one */
	bool		no_receiver;	/* nobody reports what arrives (udpace send) */
	uint32_t	dscp;		/* 0..63 */
	enum pace_ecn	ecn;
	int64_t		interval_ns;	/* requested length of an interval; 0: no intervals */
	uint64_t	message;	/* frames of a message, in each stream; 0: no messages */
	uint32_t	streams;	/* 1 .. PACE_STREAMS; size, spacing and count are of each */
	enum pace_stagger stagger;
	uint32_t	repeat, repeats;	/* number of this repetition, from 0; their
						 * total; 0 and 1: measured once */
	struct { int64_t low, width; uint32_t bins; } linear;	/* bins 0: none */
	/* room 0: no frame records; whole: room for all frames of the run, whatever their
	 * number */
	struct { uint64_t room, skip; bool lost_only, whole; } record;
};

#define PACE_GROUP_MAX		64	/* clients that begin a run together */
#define PACE_GROUP_NAME		32	/* with its end */

/* When a run begins: at a time of the client's choice, or with the other members of a group. */
struct pace_begin {
	char		start_at[40];	/* RFC 3339, UTC; "": not requested */
	char		group[PACE_GROUP_NAME];	/* "": the client measures alone */
	uint32_t	members;
	int64_t		begin_ns;	/* of the group, on the responder's probe clock */
	/* Departure of the first frame - begin_ns, with the clock estimate of the whole run; the
	 * true difference is within +-max_ns.  Without a group: - the requested time, by the
	 * client's clock, whose error is not included. */
	bool		error_known;
	int64_t		error_ns;
	int64_t		error_max_ns;
};

#define PACE_NO_TIME	INT64_MAX

/* The other host's probe clock relative to ours, over one run. */
struct pace_clock {
	uint64_t	exchanges;	/* answered; 0: nothing is known */
	uint64_t	timeouts;
	struct pace_clock_estimate fit;
	int64_t		from_ns, to_ns;	/* our clock: the period of interest */
	/* lowest RTT without residence; PACE_NO_TIME: no exchange in that period */
	int64_t		min_rtt_ns, before_ns, during_ns, after_ns;
	enum pace_stamp	stamp;		/* the least precise kind among those used */
	int64_t		wall_offset_ns;	/* their wall clock - ours, at the end */
	struct pace_clock_state ours, theirs;
	uint64_t	our_steps, their_steps, our_slews, their_slews;
	bool		by_stamp;	/* the other clock is a STAMP reflector's; not in documents */
};

/* Return the middle of from_ns .. to_ns, for which offset and skew are reported. */
int64_t	pace_clock_mid(const struct pace_clock *c);

/* Frames that send() refused, per errno; the last element includes all further errnos. */
#define PACE_REFUSALS	8
struct pace_refusal {
	int		code;		/* errno; 0: unused */
	uint64_t	frames;
};

/* Call that handed the frames to the kernel. */
enum pace_engine { PACE_ENGINE_SINGLE, PACE_ENGINE_SEGMENT, PACE_ENGINE_SENDMMSG };

#define PACE_TX_NEAR_NS	200	/* distance from the requested spacing, see near_gaps */

/* Result of the sender. */
struct pace_tx {
	enum pace_engine engine;
	bool		qdisc_bypass;	/* frames with headers of our own, past this host's routing,
					 * firewall and queues: --engine packet */
	uint64_t	frames;		/* accepted by the kernel */
	uint64_t	bytes;		/* of user data in them */
	uint64_t	extra_frames;	/* datagrams besides them: SPEAD's descriptors and stop */
	int64_t		due_wall_ns;	/* scheduled wall-clock time of the first frame; not in
					 * documents */
	int64_t		first_ns;	/* departure of the first frame, probe clock; not in
					 * documents */
	int64_t		duration_ns;	/* first to last departure */
	double		user_rate_bps, wire_rate_bps;	/* frames 2..n over duration */
	uint64_t	late_frames;	/* left more than one spacing (1 µs at least) after their
					 * scheduled time */
	uint64_t	refused;
	struct pace_refusal refusals[PACE_REFUSALS];	/* sum: refused */
	int		refused_errno;	/* of the last refusal */
	uint64_t	schedule_shifts;		/* times the schedule was moved */
	int64_t		schedule_shifted_ns;
	uint64_t	skipped;	/* slots left out to catch up; not in asked */
	uint64_t	preempted;	/* involuntary context switches of the sender */
	int64_t		steal_ns;	/* taken by the hypervisor, all cores */
	uint64_t	proof_waits;	/* pauses of a sending responder that had no proof that
					 * its client receives; below: their sum */
	int64_t		proof_waited_ns;
	struct pace_stalls stalls;
	struct pace_stall_causes causes;	/* of long stalls; a note has them in words */
	enum pace_stamp	stamp;
	bool		has_core;	/* several threads sent: this stream's was on core */
	uint32_t	core;
	uint32_t	sndbuf_asked, sndbuf_granted;	/* bytes */
	struct pace_hist gap, gap_error;	/* ns; of frames, or of trains; not across bursts */
	uint64_t	near_gaps;	/* values of gap_error within PACE_TX_NEAR_NS of 0; not
					 * in documents */
	struct pace_hist stamped_gap_error;	/* ns, by the kernel's stamps of sampled
				 * pairs of frames */
	struct pace_hist stack;	/* ns from departure to the stamp of the kernel or, if
				 * requested, of the device; sampled */
};

/* How many frames arrived with which marks: of unique frames whose marks the kernel reported. */
struct pace_marks {
	uint64_t	frames;
	uint64_t	ecn[PACE_ECNS];	/* by their code point; sum: frames */
	uint64_t	ecn_changed;	/* neither as sent nor marked CE */
	uint64_t	dscp_changed;	/* another DSCP than the sender's */
	uint32_t	dscp;		/* the most frequent one; the lowest of several */
	uint64_t	dscp_frames;	/* that had it */
};

/* Result of the receiver; sent as JSON if that is the responder. */
struct pace_rx_result {
	uint64_t	frames;		/* data frames of this run that arrived, without those
					 * beyond the window */
	uint64_t	unique;
	uint64_t	bytes;		/* of user data in unique frames */
	int64_t		duration_ns;	/* first to last arrival of unique frames */
	double		user_rate_bps, wire_rate_bps;
	uint64_t	coalesced_stamps;	/* arrivals < 50 ns after the previous one */
	uint64_t	unstamped;	/* arrivals without a stamp of the requested kind */
	enum pace_stamp	stamp;		/* the least precise kind among unique frames */
	uint64_t	clock_steps;
	uint64_t	duplicates, replicated, corrupt, foreign;
	uint64_t	socket_drops;	/* datagrams, counted by the kernel during the run */
	uint64_t	socket_lost_likely, socket_lost_max;	/* frames among these: best
								 * estimate; upper bound */
	uint64_t	bad_checksums;	/* UDP datagrams dropped for a bad checksum, whole host */
	bool		lease_lost;	/* another client may have measured at the same time */
	bool		has_core;	/* several threads received: this stream's was on core */
	uint32_t	core;
	uint32_t	rcvbuf_asked, rcvbuf_granted;	/* bytes */
	uint64_t	lost;		/* sent - unique */
	uint64_t	reordered, beyond_window;
	uint64_t	window;		/* frames */
	uint64_t	degree[PACE_SEQ_DEGREES + 1];
	uint64_t	reordering_free_runs, free_sum, free_sumsq;
	struct pace_hist gap, gap_error;		/* ns, arrival order */
	uint64_t	stamped_gaps;	/* between frames that the sender's kernel stamped */
	uint64_t	stamped_gaps_near;	/* within PACE_TX_NEAR_NS of the spacing */
	struct pace_hist runs, loss_distances, loss_free_runs;	/* frames */
	struct pace_hist extent;			/* frames */
	struct pace_hist late_ns;
	bool		has_messages;
	struct pace_message_stats messages;
	struct pace_linear_hist linear;		/* of the arrival gap, if requested */
	/* linear.count points here */
	uint64_t	linear_counts[PACE_LINEAR_HIST_MAX_BINS];
	bool		has_owd;	/* absolute delays are known: owd, owd_scheduled */
	struct pace_hist owd, owd_scheduled, pdv, ipdv;	/* ns */
	double		jitter_ns, jitter_max_ns;	/* RFC 3550; of ipdv.n > 0 */
	uint64_t	invalid_timestamps;	/* frames with an impossible departure time */
	struct pace_clock_state clock;	/* the receiver's wall clock, at the end */
	struct pace_marks marks;
	uint64_t	records, records_missed;	/* frames recorded; beyond the room */
	bool		has_wire;	/* the responder's interface was captured as well */
	struct pace_wire_check wire;
};

/* Zero *r, reset its histograms and set linear.count. */
void	pace_rx_result_reset(struct pace_rx_result *r);

enum pace_verdict { PACE_PACED, PACE_DEGRADED, PACE_TRAIN };

/* Names in documents: "paced", "kernel".  PACE_STAMP_NONE is NULL here, "none" below. */
extern const char *const pace_verdict_names[3], *const pace_engine_names[3],
    *const pace_catch_up_names[4], *const pace_stamp_names[4];
const char	*pace_verdict_name(enum pace_verdict v);
const char	*pace_stamp_name(enum pace_stamp s);

#define PACE_NOTES	48
struct pace_note {
	char	code[32];	/* for programs: lower case, '_' */
	char	text[256];	/* for people */
};
struct pace_notes {
	int			n;
	struct pace_note	v[PACE_NOTES];
};

/* Add a note.  It is left out if its code is present already or the list is full.
 * Control characters are removed from the text. */
void	pace_note(struct pace_notes *n, const char *code, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

struct pace_point {
	struct pace_params	ask;
	struct pace_begin	begin;
	char		started[40];	/* scheduled time of its first frame: RFC 3339, UTC,
					 * ns; "": not known */
	enum pace_verdict verdict;
	bool		interrupted;
	bool		has_rx;		/* the responder's part arrived: tx and rx are complete */
	struct pace_tx	tx;
	struct pace_rx_result rx;
	struct pace_ledger ledger;
	bool		ipv6;
	struct pace_counters ours, theirs;	/* around the run: client, responder */
	struct pace_clock clock;
	bool		owd_relative;	/* the clocks are not known well enough for owd */
	bool		has_wire;	/* our interface was captured as well */
	struct pace_wire_check wire;
	struct pace_notes notes;
	struct pace_intervals *intervals;	/* the point's own; NULL: none */
	/* A run with several streams has ask.streams points here, one for each stream; the
	 * results of this point are their aggregate.  NULL: one stream, this point. */
	struct pace_point **streams;
	uint32_t	number;		/* of a stream: its place in streams, from 1; else 0 */
	/* Of a two-way run: the point of the down stream, which this point owns; this one is the
	 * up stream's.  NULL: the frames go in one direction. */
	struct pace_point *back;
};

/* Return the counters of the sending host, of the receiving host: p->ours or p->theirs. */
const struct pace_counters	*pace_point_sender(const struct pace_point *p);
const struct pace_counters	*pace_point_receiver(const struct pace_point *p);

/* Copy the notes to show to n: p's own and, without the responder's part, the reason. */
void	pace_point_notes(const struct pace_point *p, struct pace_notes *n);

void	pace_tx_reset_hists(struct pace_tx *tx);

/* Return a zeroed point with reset histograms; NULL: no memory. */
struct pace_point	*pace_point_new(void);
/* Give p its ask.streams streams, each with p's ask.  -ENOMEM: none. */
int	pace_point_split(struct pace_point *p);
/* Give p the stream p->streams[i], with p's ask; p->streams is allocated.  -ENOMEM. */
int	pace_point_add_stream(struct pace_point *p, uint32_t i);
/* Give p, the up stream's point, one for the down stream, with p's ask, if that is of a two-way
 * run.  -ENOMEM. */
int	pace_point_pair(struct pace_point *p);
/* Give the other direction's point the counters of both hosts, which are those of p. */
void	pace_point_pair_counters(struct pace_point *p);
/* Zero p, reset its histograms and free its streams, its other direction and counters. */
void	pace_point_clear(struct pace_point *p);
/* Free a point with its streams; NULL is accepted. */
void	pace_point_free(struct pace_point *p);

/*
 * Check the identities of a point: asked = tx.frames + refused, rx.frames =
 * unique + duplicates, lost = tx.frames - unique, the ledger's locations sum to
 * lost, the bins of a histogram sum to its count, the counts of the streams sum to those of
 * the point.  Return NULL if all hold, else the violated one in words.
 */
const char	*pace_point_broken(const struct pace_point *p);

/* Check a capture's figures in the same way: of departures; of arrivals. */
const char	*pace_wire_check_broken(const struct pace_wire_check *w);
const char	*pace_wire_check_rx_broken(const struct pace_wire_check *w);

/* The head of a document. */
struct pace_result {
	const char	*kind;		/* "throughput" */
	const char	*protocol;	/* "stamp"; NULL: udpace's own */
	char		started[40];	/* RFC 3339, UTC, ns */
	int		argc;
	char *const	*argv;
	char		host[128];	/* name of the measuring host; "": not reported */
	char		target[128];	/* host as given */
	char		address[64];	/* numeric */
	uint16_t	port;
	char		source[64];	/* this host's numeric address; "": not reported */
	char		interface[16];	/* that the route to the responder takes; "": not known */
	uint32_t	flow_label;	/* 0: the kernel's choice */
	bool		has_priority;	/* else the kernel's choice */
	uint32_t	priority;
	char		label[64];
	char		key[32];	/* name of the client's key; "": no key */
	bool		interrupted;
	bool		has_responder;
	struct pace_host client, responder;
	struct pace_notes notes;
};

#endif
