/*
 * probe_own.h - what one call of a probe holds; for probe*.c alone.
 */
#ifndef PACE_RUN_PROBE_OWN_H
#define PACE_RUN_PROBE_OWN_H

#include "run/probe.h"

#include "doc/dispersion_doc.h"
#include "doc/repeats.h"
#include "out/text.h"
#include "run/progress.h"
#include "run/recorder.h"
#include "run/resume.h"
#include "run/tx_capture.h"

#define PROBE_PACES	64		/* points that tell how long the others will take */

/* All that one call of the program holds. */
struct probe {
	const struct pace_probe_cfg *cfg;	/* own */
	struct pace_probe_cfg own_cfg;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	struct pace_params	ask;		/* of the point that is measured */
	struct pace_rows rows;
	size_t		done;		/* points with a result */
	size_t		told;		/* points in the document */
	size_t		failed;		/* points without */
	bool		unusable;	/* a figure, or a limit was missed */
	bool		gone;		/* the responder */
	struct pace_journal *journal;	/* the next one, or that of a run that goes on */
	struct pace_journal own;
	json_t		*lost;		/* points that could not be measured, and why */
	json_t		*skips;		/* points that were not to be, and so many */
	size_t		skipped;
	struct pace_repeats repeats;
	double		took[PROBE_PACES];	/* of the time that was planned */
	size_t		takes;
	struct pace_recorder recorder;
	struct pace_tx_capture *tx_capture;	/* NULL: no capture is wanted */
	struct pace_dispersions dispersion;
};

/* Measure p->ask as point i of the plan, tell it and keep it.  False: there is no sense in
 * going on.  *last: what was measured, NULL: nothing; freed by the caller. */
bool	pace_probe_point(struct probe *p, size_t i, struct pace_point **last);

/* A point with a result, or one that was left out, into all that is told of the run.  json: as
 * for pace_sink_point. */
void	pace_probe_tell(struct probe *p, struct pace_point *pt, json_t **json);
void	pace_probe_tell_skip(struct probe *p, const struct pace_params *a);

/* Members of the document that are of the whole plan. */
json_t *pace_probe_plan(const struct probe *p);

/* The journal of a run that goes on: taken, PACE_EXIT_ of it; its points told as if they
 * had just been measured, false: they cannot be. */
int	pace_probe_journal_take(struct probe *p);
bool	pace_probe_journal_tell(struct probe *p);

/* One of this run, where one is wanted.  False: there is no sense in measuring. */
bool	pace_probe_journal_begin(struct probe *p);
/* Told how to go on, or removed where nothing is missing. */
void	pace_probe_journal_end(struct probe *p);

#endif
