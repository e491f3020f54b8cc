/*
 * probe.h - measure a plan of points against a host and tell the result.
 *
 * Purpose    what throughput and demo share: socket, session, points one
 *            after the other, outputs, exit status.
 */
#ifndef PACE_RUN_PROBE_H
#define PACE_RUN_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "doc/result.h"
#include "run/journal.h"
#include "run/peer.h"
#include "run/sink.h"

/* A plan that is made while it is measured; ctx is its own. */
struct pace_probe_guide {
	const char	*kind;		/* of the document */
	/* The link is known, nothing was sent. */
	void		(*begin)(void *ctx, const struct pace_link *link, const struct pace_host *h);
	/* The session is open, nothing was measured: how is the sender? */
	void		(*idle)(void *ctx, struct pace_client *c, struct pace_notes *notes, bool quiet);
	/* What to measure next; last: the point before, which may have failed, NULL: none.
	 * False: nothing more. */
	bool		(*next)(void *ctx, const struct pace_point *last, struct pace_params *ask);
	/* The responder's policy refused that point, in these words: no other is measured. */
	void		(*refused)(void *ctx, const char *why);
	/* the table: its head, its titles, and a row for the point asked for last */
	int		(*head)(FILE *f, const struct pace_result *r, const void *ctx, bool utf8);
	int		(*row_head)(FILE *f, const void *ctx, bool utf8);
	int		(*row)(FILE *f, const void *ctx, const void *point, bool utf8);
	int		(*tail)(void *ctx, FILE *f, bool utf8);	/* behind the table */
	void		(*conclude)(void *ctx, struct pace_notes *notes);	/* of the document */
	json_t		*(*extra)(void *ctx);	/* members of the document */
	int		(*status)(void *ctx);	/* when no point failed */
};

struct pace_probe_cfg {
	struct pace_peer_cfg peer;
	uint32_t	vlan_tags;
	bool		sndbuf_given, rcvbuf_given;	/* then a clamped one is a failure */
	bool		energy;		/* wanted above idle: 5 s of that come first */
	double		max_loss;	/* ratio; negative: no limit */
	double		min_rate_bps;	/* 0: no limit */
	struct pace_sink_cfg sink;
	const char	*capture;	/* interface whose frames are a witness of ours; NULL: none */
	const char	*record;	/* file for the frames that asks want kept; NULL: none */
	bool		size_given;	/* else a size too large for the path is cut to fit */
	struct pace_params	*asks;		/* with a guide: the slowest and the fastest it may ask for */
	size_t		n;
	bool		fit;		/* leave out sizes that are too large for the path */
	bool		dry_run;	/* say what would be measured, and send nothing */
	json_t		*order;		/* of the plan, for the document; borrowed; NULL: no journal is kept */
	struct pace_journal *journal;	/* of a run that goes on; NULL: a new one */
	const struct pace_probe_guide *guide;	/* NULL: asks are the plan */
	void		*ctx;		/* the guide's */
	int		argc;		/* the whole command line, for the document */
	char		*const *argv;
};

/* The exit status.  What went wrong has been told. */
int	pace_probe_run(const struct pace_probe_cfg *cfg);

#endif
