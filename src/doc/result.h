/*
 * result.h - what a run found, as structs; the document's shape in memory.
 *
 * Purpose    one place for every figure between measuring and printing.
 * Units      in the names: ns, bps, bytes; counts are frames.
 * Absent     a figure that was not measured has its has_ flag false or a
 *            histogram of n = 0; it is never a made-up zero.
 * Memory     a point is about 900 KiB (histograms): pace_point_new.
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
#include "core/schedule.h"
#include "core/seq.h"
#include "core/wire_check.h"

/* What was asked for: one point. */
struct pace_params {
	uint32_t	size_bytes;
	uint64_t	spacing;	/* 32.32 ns, 0: as fast as possible */
	int64_t		rate_bps;	/* of user data, where the spacing follows from it; 0: it does not */
	uint64_t	count;		/* frames of each burst; 0 with a duration */
	int64_t		duration_ns;	/* 0: by count */
	uint64_t	train;		/* frames sent back to back every train spacings; 1: none */
	enum pace_catch_up catch_up;
	bool		busy_poll;	/* the responder spins */
	bool		nic;		/* stamps of the devices, not of the kernels */
	uint64_t	bursts;		/* 1: one stream */
	int64_t		burst_gap_ns;
	bool		verify;
	int64_t		grace_ns;	/* wait for late frames after the last */
	uint32_t	dscp;		/* 0..63 */
	uint32_t	repeat, repeats;	/* this one, from 0, of so many; 0 and 1: measured once */
	struct { int64_t low, width; uint32_t bins; } lens;	/* bins 0: none */
	/* room 0: no frames are kept; whole: room for all frames of the run, however many these are */
	struct { uint64_t room, skip; bool lost_only, whole; } record;
};

#define PACE_NO_TIME	INT64_MAX

/* The other host's probe clock against ours, over one run. */
struct pace_clock {
	uint64_t	exchanges;	/* answered; 0: nothing is known */
	uint64_t	timeouts;
	struct pace_clock_estimate fit;
	int64_t		from_ns, to_ns;	/* our clock: the time that it was wanted for */
	/* lowest round trips, residence taken out; PACE_NO_TIME: no exchange then */
	int64_t		min_rtt_ns, before_ns, during_ns, after_ns;
	enum pace_stamp	stamp;		/* the worst of those used */
	int64_t		wall_offset_ns;	/* their wall clock - ours, at the end */
	struct pace_clock_state ours, theirs;
	uint64_t	our_steps, their_steps, our_slews, their_slews;
};

/* The middle of that time, where offset and rate are told. */
int64_t	pace_clock_mid(const struct pace_clock *c);

/* Frames that send() refused, by the reason; reasons beyond the last go into it. */
#define PACE_REFUSALS	8
struct pace_refusal {
	int		code;		/* errno; 0: free */
	uint64_t	frames;
};

/* How frames were handed to the kernel. */
enum pace_engine { PACE_ENGINE_SINGLE, PACE_ENGINE_SEGMENT, PACE_ENGINE_SENDMMSG };

#define PACE_TX_NEAR_NS	200	/* of the spacing that was asked for */

/* The sender's side. */
struct pace_tx {
	enum pace_engine engine;
	uint64_t	frames;		/* accepted by the kernel */
	uint64_t	bytes;		/* of user data in them */
	int64_t		due_wall_ns;	/* wall clock when the first frame was due; not in documents */
	int64_t		duration_ns;	/* first to last departure */
	double		user_rate_bps, wire_rate_bps;	/* frames 2..n over duration */
	uint64_t	late_frames;	/* left more than one spacing (1 µs at least) after their time */
	uint64_t	refused;
	struct pace_refusal refusals[PACE_REFUSALS];	/* add up to refused */
	int		refused_errno;	/* of the last refusal */
	uint64_t	slips;		/* times the schedule was moved */
	int64_t		slipped_ns;
	uint64_t	skipped;	/* slots left out to catch up; not in asked */
	uint64_t	preempted;	/* involuntary context switches of the sender */
	int64_t		steal_ns;	/* taken by the hypervisor, all cores */
	struct pace_stalls stalls;
	struct pace_stall_causes causes;	/* of long ones; the note on them has it in words */
	enum pace_stamp	stamp;
	uint32_t	sndbuf_asked, sndbuf_granted;	/* bytes */
	struct pace_hist gap, gap_error;	/* ns; of frames, or of trains; not across bursts */
	uint64_t	near_gaps;	/* of gap_error those within PACE_TX_NEAR_NS of 0; not in documents */
	struct pace_hist stack;	/* ns from departure to the kernel's own stamp or the
				 * device's, as asked; sampled */
};

/* The responder's side: travels as JSON. */
struct pace_rx_result {
	uint64_t	frames;		/* data frames of this run that arrived, beyond-window ones left out */
	uint64_t	unique;
	uint64_t	bytes;		/* of user data in unique frames */
	int64_t		duration_ns;	/* first to last arrival of unique frames */
	double		user_rate_bps, wire_rate_bps;
	uint64_t	coalesced_stamps;	/* arrivals less than 50 ns after the one before */
	uint64_t	unstamped;	/* arrivals without a stamp of the kind asked for */
	enum pace_stamp	stamp;		/* the least good of unique frames */
	uint64_t	clock_steps;
	uint64_t	duplicates, replicated, corrupt, foreign;
	uint64_t	socket_drops;	/* datagrams: the kernel's count over the run */
	uint64_t	socket_likely, socket_high;	/* frames of these: the best estimate; at most */
	uint64_t	bad_checksums;	/* UDP datagrams so dropped, on the whole host */
	bool		lease_lost;	/* another client may have measured meanwhile */
	uint32_t	rcvbuf_asked, rcvbuf_granted;	/* bytes */
	uint64_t	lost;		/* sent - unique */
	uint64_t	reordered, beyond_window;
	uint64_t	window;		/* frames */
	uint64_t	degree[PACE_SEQ_DEGREES + 1];
	uint64_t	free_runs, free_sum, free_sumsq;
	struct pace_hist gap, gap_error;		/* ns, arrival order */
	struct pace_hist runs, distances, good_runs;	/* frames */
	struct pace_hist extent;			/* frames */
	struct pace_hist late_ns;
	struct pace_linear_hist lens;		/* of the arrival gap, when asked for */
	uint64_t	lens_count[PACE_LINEAR_HIST_MAX_BINS];	/* lens.count points here */
	bool		has_owd;	/* absolute delays are known: owd, owd_scheduled */
	struct pace_hist owd, owd_scheduled, pdv, ipdv;	/* ns */
	double		jitter_ns, jitter_max_ns;	/* RFC 3550; of ipdv.n > 0 */
	uint64_t	absurd_times;	/* frames whose departure cannot be true */
	struct pace_clock_state clock;	/* the responder's wall clock, at the end */
	uint64_t	records, records_missed;	/* frames kept; no room for */
	bool		has_wire;	/* a capture of the responder's interface saw it, too */
	struct pace_wire_check wire;
};

/* Zeroed, histograms reset, lens.count in its place. */
void	pace_rx_result_reset(struct pace_rx_result *r);

enum pace_verdict { PACE_PACED, PACE_DEGRADED, PACE_TRAIN };

/* As documents write them: "paced", "kernel"; none is NULL here, "none" below. */
extern const char *const pace_verdict_names[3], *const pace_engine_names[3],
    *const pace_catch_up_names[4], *const pace_stamp_names[4];
const char	*pace_verdict_name(enum pace_verdict v);
const char	*pace_stamp_name(enum pace_stamp s);
const char	*pace_engine_name(enum pace_engine e);
const char	*pace_catch_up_name(enum pace_catch_up c);

#define PACE_NOTES	48
struct pace_note {
	char	code[32];	/* for programs: lower case, '_' */
	char	text[256];	/* for people */
};
struct pace_notes {
	int			n;
	struct pace_note	v[PACE_NOTES];
};

/* Add a note; a code that is there already, or one too many, is left out.
 * text is cleaned of control characters. */
void	pace_note(struct pace_notes *n, const char *code, const char *fmt, ...)
	    __attribute__((format(printf, 3, 4)));

struct pace_point {
	struct pace_params	ask;
	char		started[40];	/* when its first frame was due: RFC 3339, UTC, ns; "": not known */
	enum pace_verdict verdict;
	bool		interrupted;
	bool		has_rx;		/* the responder's part arrived */
	struct pace_tx	tx;
	struct pace_rx_result rx;
	struct pace_ledger ledger;
	bool		ipv6;
	struct pace_counters ours, theirs;	/* around the run: the client's, the responder's */
	struct pace_clock clock;
	bool		owd_relative;	/* the clocks are not known well enough for owd */
	bool		has_wire;	/* a capture of our interface saw it, too */
	struct pace_wire_check wire;
	struct pace_notes notes;
};

/* The notes to show: p's own, and why its responder's part is missing. */
void	pace_point_notes(const struct pace_point *p, struct pace_notes *n);

/* Zeroed, histograms reset; NULL: no memory. */
struct pace_point	*pace_point_new(void);
/* NULL is accepted. */
void	pace_point_free(struct pace_point *p);

/*
 * Identities that hold in every point: asked = tx.frames + refused,
 * rx.frames = unique + duplicates, lost = tx.frames - unique, the ledger's
 * parts sum to lost, every histogram's bins sum to its count.  NULL: all
 * hold; else which does not, in words.
 */
const char	*pace_point_broken(const struct pace_point *p);

/* The head of a document. */
struct pace_result {
	const char	*kind;		/* "throughput" */
	char		started[40];	/* RFC 3339, UTC, ns */
	int		argc;
	char *const	*argv;
	char		target[128];	/* host as given */
	char		address[64];	/* numeric */
	uint16_t	port;
	char		label[64];
	char		key[32];	/* name of the key that was shown; "": none was */
	bool		interrupted;
	bool		has_responder;
	struct pace_host client, responder;
	struct pace_notes notes;
};

#endif
