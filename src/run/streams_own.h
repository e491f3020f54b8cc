/*
 * streams_own.h - the state of one run of streams; for streams*.c only.
 */
#ifndef PACE_RUN_STREAMS_OWN_H
#define PACE_RUN_STREAMS_OWN_H

#include "run/live_intervals.h"
#include "run/streams.h"

#include "doc/conclusions.h"
#include "doc/dispersion_doc.h"
#include "doc/flag.h"
#include "doc/record_file.h"
#include "doc/repeats.h"
#include "out/text.h"
#include "run/run_capture.h"
#include "run/tx_capture.h"

#define STREAMS_PACES	64		/* points used to predict the time of the others */

/* --record FILE: the frames of a run, kept in memory until it ends. */
struct pace_recorder {
	size_t		n;		/* runs with records */
	struct pace_record_run *run;
};

/* Take the records of the point just measured, point i of the document.  False: they could not
 * be fetched; the point's notes say so. */
bool	pace_recorder_take(struct pace_recorder *r, struct pace_peer *peer,
	    struct pace_point *pt, size_t i);

/* Write all records to path.  False: they could not be written; an error was printed. */
bool	pace_recorder_write(const struct pace_recorder *r, const char *path,
	    const struct pace_result *result);

void	pace_recorder_free(struct pace_recorder *r);

struct streams {
	struct pace_streams_cfg cfg;
	json_t		*members;	/* members of the document: cfg's, or NULL */
	struct pace_link link;
	struct pace_rows rows;
	struct pace_params ask;		/* the point being measured */
	struct pace_point *point;	/* the point being measured and the one before; NULL:
					 * none */
	struct pace_point *last;
	size_t		written;		/* points in the document */
	bool		gone;		/* the responder no longer answers */
	uint64_t	idle;		/* the session in which both hosts were idle first; 0: none */
	json_t		*lost;		/* points that could not be measured, with the reason */
	json_t		*skips;		/* points that the user skipped */
	struct pace_repeats repeats;
	double		took[STREAMS_PACES];	/* measured time of a point / planned time */
	size_t		takes;
	struct pace_recorder recorder;
	struct pace_tx_capture *tx_capture;	/* of what this host sends; NULL: no capture */
	struct pace_run_capture *rx_capture;	/* of what arrives; NULL: no capture */
	struct pace_dispersions dispersion;
	struct pace_conclusions conclusions;
	struct pace_live_intervals intervals;
	struct pace_flags flags;	/* for the rows of the table */
};

/* Judge a measured point: add notes for unreliable figures and for missed limits of the user.
 * True: the point cannot be used.  A second call changes nothing. */
bool	pace_judge(const struct pace_streams_cfg *cfg, struct pace_point *pt);

/* With --energy: stay idle if that was not done in this session.  0, or -EINTR: stopped. */
int	pace_streams_idle(struct pace_probe *p);

/* Functions of the engine's kind (probe.h). */
bool	pace_streams_renew(struct pace_probe *p);
int	pace_streams_measure(struct pace_probe *p, size_t i, struct pace_err *err);
bool	pace_streams_point(struct pace_probe *p, size_t i);
bool	pace_streams_again(struct pace_probe *p, size_t i, const json_t *point);
void	pace_streams_skip(struct pace_probe *p, size_t i);

#endif
