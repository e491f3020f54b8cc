/*
 * run_limiter.h - hold a session's runs to the terms it was born with.
 *
 * Purpose    refuse a plan that is too much, and end a run that turns out to be: more
 *            than its rate, than its time or its budget, or far from what it announced.
 * Cost       one look a batch of datagrams, none a frame; the budget is written to every
 *            100 ms.
 * Budget     what came until a run was ended is paid, and of that session nothing more
 *            that comes until its next run: a client that goes on sending uses up the link, and
 *            shall not use up the day of all others of its rule, too.
 * Units      bytes on the wire of frames that nobody cuts; ns of the probe clock, and of
 *            the wall clock where the name says so.
 * Threads    one a session; the rules are shared.
 */
#ifndef PACE_SERVER_ADMISSION_RUN_LIMITER_H
#define PACE_SERVER_ADMISSION_RUN_LIMITER_H

#include "proto/msg.h"
#include "server/admission/rules.h"

struct pace_run_limiter {
	struct pace_rules *rules;	/* NULL: nothing is held */
	const struct pace_terms *terms;
	uint32_t	overhead;	/* of a frame on the wire, bytes */
	bool		running;
	struct pace_bucket rate, frames;	/* bits; frames */
	int64_t		began_ns, end_ns;
	double		seen, most;	/* frames of the run; at most */
	double		unpaid;		/* bytes that are not in the budget yet */
	int64_t		paid_ns;
	bool		spent;		/* the day's budget, as of then */
	double		left;		/* of it; infinite: there is none */
	char		why[160];	/* the run was ended; "": all is well */
};

void	pace_run_limiter_init(struct pace_run_limiter *w, struct pace_rules *rules,
	    const struct pace_terms *terms, int family);

/* Is this START too much?  Then text says why. */
bool	pace_run_limiter_refuses(struct pace_run_limiter *w, const struct pace_msg_start *m,
	    int64_t wall_ns, char *text, size_t size);

/* What a run may have, for who was refused one. */
void	pace_run_limiter_allows(const struct pace_run_limiter *w, struct pace_msg_error *e);

void	pace_run_limiter_begin(struct pace_run_limiter *w, const struct pace_msg_start *m, int64_t now_ns);

/* Nothing runs any more. */
void	pace_run_limiter_end(struct pace_run_limiter *w, int64_t wall_ns);

/* What came with the session's number, and what was answered to it.  Others can write the
 * client's address on a datagram; they must not end its run, nor use up its budget. */
struct pace_traffic {
	uint64_t	frames, bytes;		/* GRO's pieces one by one */
	uint64_t	pings;			/* of the frames: exchanges beside a stream */
	uint64_t	out_frames, out_bytes;
};

/* False: the run is over now, and why says for what. */
bool	pace_run_limiter_count(struct pace_run_limiter *w, const struct pace_traffic *l, int64_t now_ns,
	    int64_t wall_ns);

#endif
