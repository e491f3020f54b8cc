/*
 * admitted.h - changes the user's command so that the responder's policy admits it.
 *
 * Purpose    a run was refused for its rate or its length: options for rate and length get
 *            values that the policy allows; everything else stays as typed.
 * Options    found by name in the command's table: size, reply-size, spacing, rate,
 *            interval, count, bursts, burst-gap, duration, repeat, streams, two-way, dscp;
 *            low, high, sustain.
 *            A list keeps its allowed values; if it has no allowed value, it becomes the
 *            single value that is allowed.
 * Rule       as in core/policy.h: R (t + 1 s) in any time t.
 * Memory     the caller frees the line.
 */
#ifndef PACE_RUN_ADMITTED_H
#define PACE_RUN_ADMITTED_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

/* Limits of a policy for a run; 0: no limit. */
struct pace_allowed {
	int64_t		rate_bps;	/* on the wire */
	int64_t		frames;		/* per second */
	int64_t		size_bytes, duration_ns;
	int64_t		left_bytes;	/* left of the day's volume, on the wire */
};

struct pace_admitted {
	const struct pace_cmd *cmd;
	const void	*cfg;		/* its parsed options */
	int		argc;
	char		*const *argv;	/* as typed, including the program's name */
	uint32_t	overhead;	/* bytes on the wire that a frame has in addition to its
					 * data */
	bool		ended;		/* the run was admitted and then ended, so "as fast as
					 * possible" is too fast */
	bool		day;		/* the day's volume is too small */
};

/* Write "100 Mbit/s on the wire, 10.0 s a run, 9.9 GB left today" to buf; return its length.  0:
 * no limit. */
size_t	pace_admitted_text(const struct pace_allowed *p, char *buf, size_t size);

/* Make the changed command.  NULL: no change of these options is admitted. */
char	*pace_admitted_line(const struct pace_admitted *a, const struct pace_allowed *p);

#endif
