/*
 * admitted.h - the user's command, changed so that a responder's policy admits it.
 *
 * Purpose    a run was refused for its rate or its length: the options that say those
 *            get values that the policy allows, everything else stays as it was typed.
 * Options    by name, from the table of the command: size, reply-size, spacing, rate,
 *            interval, count, bursts, burst-gap, duration, repeat; from, to, sustain.
 *            Of a list those values stay that are allowed; where none is it becomes the
 *            one that is.
 * Rule       as core/policy.h: R (t + 1 s) in any time t.
 * Memory     the line is the caller's to free.
 */
#ifndef PACE_RUN_ADMITTED_H
#define PACE_RUN_ADMITTED_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

/* What a policy allows a run; 0: it does not say. */
struct pace_allowed {
	int64_t		rate_bps;	/* on the wire */
	int64_t		frames;		/* a second */
	int64_t		size_bytes, duration_ns;
	int64_t		left_bytes;	/* of the day, on the wire */
};

struct pace_admitted {
	const struct pace_cmd *cmd;
	const void	*cfg;		/* its options, parsed */
	int		argc;
	char		*const *argv;	/* as typed, from the program on */
	uint32_t	overhead;	/* bytes on the wire that a frame has beside its data */
	bool		ended;		/* it was admitted and then ended: as fast as possible is too fast */
};

/* "100 Mbit/s on the wire, 10.0 s a run, 9.9 GB left today"; its length, 0: nothing is said. */
size_t	pace_admitted_text(const struct pace_allowed *p, char *buf, size_t size);

/* The command; NULL: there is none, or nothing in it can be changed so. */
char	*pace_admitted_line(const struct pace_admitted *a, const struct pace_allowed *p);

#endif
