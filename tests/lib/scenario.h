/*
 * scenario.h - snapshots after the lines of teller.h.
 */
#ifndef PACE_TEST_SCENARIO_H
#define PACE_TEST_SCENARIO_H

#include "lib/teller.h"
#include "lib/unit.h"

#include "live/snap.h"

#define STORY_SWEEP	(-2)	/* points of a sweep, and nothing else */
#define STORY_CAMPAIGN	(-4)	/* a session that continues */

#define STORY_TRAINS	(-3)	/* of a monitor's own */

/* The lines of a file, one after the other; how many were refused. */
static inline int
feed_all(struct pace_snap *s, char *text)
{
	int refused = 0;

	for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1)
		refused += pace_snap_feed(s, text, (size_t)(end - text)) < 0;
	return refused;
}

/* A scenario of this number of seconds; last below 0: no line. */
static inline struct pace_snap *
story(int last)
{
	struct pace_snap *s = pace_snap_new();
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (last == STORY_SWEEP)
		tell_sweep(f);
	else if (last == STORY_TRAINS)
		tell_trains(f, 20);
	else if (last == STORY_CAMPAIGN)
		tell_campaign(f);
	else if (last >= 0)
		tell_story(f, last);
	fclose(f);
	ck_assert_int_eq(feed_all(s, text), 0);
	free(text);
	return s;
}

#endif
