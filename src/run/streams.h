/*
 * streams.h - measures streams, one for each point, from a fixed plan or a guide.
 *
 * Purpose    what throughput, capacity and demo have in common beyond the engine (probe.h):
 *            sizes that fit the path, send buffers, captures, records, a second try, notes.
 */
#ifndef PACE_RUN_STREAMS_H
#define PACE_RUN_STREAMS_H

#include "doc/conclusions.h"
#include "run/probe.h"
#include "run/send.h"

/* A guide makes the plan during the run; ctx is its own. */
struct pace_streams_guide {
	const char	*name;		/* of the command and of the document */
	const struct pace_sink_kind *sink;
	/* The link is known; nothing was sent. */
	void		(*begin)(void *ctx, const struct pace_link *link,
	    const struct pace_host *h);
	/* The session is open; nothing was measured.  The guide may measure the idle sender. */
	void		(*idle)(void *ctx, struct pace_client *c, struct pace_notes *notes,
	    bool quiet);
	/* Choose the next point.  last: the point before, which may have failed; NULL: none.
	 * False: the run is complete. */
	bool		(*next)(void *ctx, const struct pace_point *last, struct pace_params *ask);
	/* The responder's policy refused the last point, for the reason `why`; no further point
	 * is measured. */
	void		(*refused)(void *ctx, const char *why);
	/* Add notes to the document, print what follows the table, return members of the
	 * document. */
	json_t		*(*end)(void *ctx, struct pace_probe *p);
	int		(*status)(void *ctx);	/* used if no point failed */
};

struct pace_streams_cfg {
	struct pace_probe_cfg probe;
	uint32_t	vlan_tags;
	bool		sndbuf_given, rcvbuf_given;	/* if given, a smaller buffer is a
							 * failure */
	bool		energy;		/* --energy above idle: measure 5 s of idle first */
	double		max_loss;	/* largest loss allowed, a ratio; negative: no limit */
	double		min_rate_bps;	/* smallest rate allowed; 0: no limit */
	const char	*capture;	/* interface to capture our own frames on; NULL: no
					 * capture */
	const char	*record;	/* file for the records of frames; NULL: no records */
	bool		size_given;	/* false: a size too large for the path is reduced */
	struct pace_params *asks;	/* the plan; with a guide: the slowest and the fastest
					 * point it may choose */
	size_t		n;
	bool		per_stream;	/* print a row for each stream */
	bool		fit;		/* omit sizes that are too large for the path */
	struct pace_send_run *send;	/* there is no responder, and these are the frames; NULL:
					 * there is one */
	const struct pace_streams_guide *guide;	/* NULL: asks are the plan */
	void		*ctx;		/* for the guide, */
	const void	*plan;		/* and for its sink */
	struct pace_rated *clean;	/* receives the highest rate to the responder without
					 * loss; may be NULL */
};

/* Measure; return the exit status.  Error messages have been printed. */
int	pace_streams_run(const struct pace_streams_cfg *cfg);

#endif
