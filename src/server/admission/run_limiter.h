/*
 * run_limiter.h - keep a session's runs within its terms.
 *
 * Purpose    refuse a plan that exceeds the limits, and end a run that exceeds its rate,
 *            its duration or its budget, or that differs far from its plan.
 * Cost       one check per batch of datagrams, none per frame; the budget is updated every
 *            100 ms.
 * Budget     what arrives before a run is ended counts; what the session sends after that
 *            does not count until its next run.  A client that goes on sending uses up
 *            the link; it must not also use up the daily budget of the rule's other
 *            clients.
 * Units      bytes on the wire of unfragmented frames; ns of the probe clock, or of the wall
 *            clock if the name says so.
 * Threads    one per session; the rules are shared.
 */
#ifndef PACE_SERVER_ADMISSION_RUN_LIMITER_H
#define PACE_SERVER_ADMISSION_RUN_LIMITER_H

#include "proto/msg.h"
#include "server/admission/rules.h"

struct pace_run_limiter {
	struct pace_rules *rules;	/* NULL: no limits */
	const struct pace_terms *terms;
	uint32_t	overhead;	/* bytes that the wire adds to a frame */
	bool		running, up, down;	/* directions of the run */
	bool		asked_down;	/* direction of the plan checked last */
	bool		drops;		/* frames above a rate are dropped; the run goes on */
	struct pace_bucket rate[2], frames[2];	/* bits; frames; up, down */
	int64_t		began_ns, end_ns;
	double		seen, most;	/* frames of the run so far; the limit */
	double		unpaid;		/* bytes not yet in the budget */
	int64_t		paid_ns;
	bool		spent;		/* the day's budget was used up at paid_ns */
	double		left;		/* of the budget; infinite: no budget */
	char		why[160];	/* why the run was ended; "": it was not */
};

void	pace_run_limiter_init(struct pace_run_limiter *w, struct pace_rules *rules,
	    const struct pace_terms *terms, int family);

/* From now on these terms apply, which live as long.  drops: the caller drops the frames above a
 * rate, which pace_run_limiter_passes finds. */
void	pace_run_limiter_terms(struct pace_run_limiter *w, const struct pace_terms *terms,
	    bool drops);
bool	pace_run_limiter_passes(struct pace_run_limiter *w, size_t bytes, int64_t now_ns);

/* True if this START exceeds the limits; text says why. */
bool	pace_run_limiter_refuses(struct pace_run_limiter *w, const struct pace_msg_start *m,
	    int64_t wall_ns, char *text, size_t size);

/* Fill in what a run may have, for a refusal. */
void	pace_run_limiter_allows(const struct pace_run_limiter *w, struct pace_msg_error *e);

void	pace_run_limiter_begin(struct pace_run_limiter *w, const struct pace_msg_start *m,
	    int64_t now_ns);

/* The run has ended: settle its budget. */
void	pace_run_limiter_end(struct pace_run_limiter *w, int64_t wall_ns);

/* Datagrams received with the session's number, and replies sent.  An attacker can forge the
 * client's address; without the number its datagrams neither end the run nor use up the budget. */
struct pace_traffic {
	uint64_t	frames, bytes;		/* each piece of a GRO datagram counts */
	uint64_t	pings;			/* part of frames: exchanges during a stream */
	uint64_t	out_frames, out_bytes;
};

/* Count traffic.  False: the run must end now, and why gives the reason. */
bool	pace_run_limiter_count(struct pace_run_limiter *w, const struct pace_traffic *l,
	    int64_t now_ns, int64_t wall_ns);

#endif
