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

/* The measured clock in two lines; whose: "reflector" or "responder". */
void	pace_say_far_clock(const struct pace_say *s, const char *whose,
	    const struct pace_clock *k);

#endif
