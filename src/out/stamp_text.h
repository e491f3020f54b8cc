/*
 * stamp_text.h - what the replies of a STAMP reflector say, as lines for people.
 *
 * Errors     stay in the FILE of the struct pace_say.   Threads  none.
 */
#ifndef PACE_OUT_STAMP_TEXT_H
#define PACE_OUT_STAMP_TEXT_H

#include "doc/result.h"
#include "doc/stamp_result.h"
#include "out/say.h"

/* Directions of losses, TTL, DSCP, and how the reflector describes its clock. */
void	pace_say_stamp(const struct pace_say *s, const struct pace_stamp_result *r);

/* A measured clock: its offset with the errors for equal minimum delays and for any delays. */
struct pace_offset {
	double		offset_ns, uncertainty_ns, bound_ns;
	double		skew_ppm, skew_error_ppm;
};

/* Print it; clocks: which clock - which other one. */
void	pace_say_offset(const struct pace_say *s, const char *clocks, const struct pace_offset *o,
	    const char *remark);
void	pace_say_far_clock(const struct pace_say *s, const char *clocks,
	    const struct pace_clock *k);

#endif
