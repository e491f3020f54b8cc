/*
 * probe.h - the engine of every probe command: measures points against a host.
 *
 * Purpose    the common part of throughput, capacity, latency and clock: outputs, socket,
 *            session, points in turn, rests, journal, exit status.  A kind adds the rest.
 * Errors     an error message on stderr; the exit status.
 * Threads    one.
 */
#ifndef PACE_RUN_PROBE_H
#define PACE_RUN_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "doc/result.h"
#include "run/journal.h"
#include "run/peer.h"
#include "run/progress.h"
#include "run/sink.h"

struct pace_probe;

/* The functions of a kind, in the order of their calls.  Those with "or NULL" are optional. */
struct pace_probe_kind {
	const char	*name;		/* of the command and of the document */
	const struct pace_sink_kind *sink;
	const char	*counts;	/* what a point sends, for the progress line; or NULL */
	bool		late;		/* outputs begin after the session is open */
	/* Called when the outputs can be written, before the socket exists.  Returns an exit
	 * status; or NULL. */
	int		(*open)(struct pace_probe *p);
	/* Called when the socket exists; may change p->n.  Returns an exit status; or NULL. */
	int		(*prepare)(struct pace_probe *p);
	/* The time that point i will take. */
	int64_t		(*cost_ns)(const struct pace_probe *p, size_t i);
	/* Called before the outputs begin, but not in a dry run.  Returns an exit status; or
	 * NULL. */
	int		(*begin)(struct pace_probe *p);
	/* Write point i of the journal as if it had just been measured.  False: it cannot be
	 * written, and an error was printed.  NULL: the kind keeps no journal. */
	bool		(*again)(struct pace_probe *p, size_t i, const json_t *point);
	/* Record that point i was skipped.  NULL: a resumed run measures skipped points. */
	void		(*skip)(struct pace_probe *p, size_t i);
	/* Called when the session is open and nothing was measured.  False: measure nothing; or
	 * NULL. */
	bool		(*ready)(struct pace_probe *p);
	/* Is there a point i?  NULL: there are n points. */
	bool		(*next)(struct pace_probe *p, size_t i);
	/* Measure point i, write it and keep it.  False: stop measuring. */
	bool		(*point)(struct pace_probe *p, size_t i);
	/* For kinds that call pace_probe_measure.  renew makes an empty point (false: no
	 * memory); measure measures it. */
	bool		(*renew)(struct pace_probe *p);
	int		(*measure)(struct pace_probe *p, size_t i, struct pace_err *err);
	/* Print what follows the table; return members of the document that concern all points. */
	json_t		*(*end)(struct pace_probe *p);
	void		(*close)(struct pace_probe *p);	/* called after the document is written;
							 * or NULL */
	/* Return the exit status to use instead of status; or NULL. */
	int		(*status)(const struct pace_probe *p, int status);
};

struct pace_probe_cfg {
	struct pace_peer_cfg peer;
	struct pace_sink_cfg sink;
	bool		dry_run;	/* print the plan and send nothing */
	json_t		*members;	/* of the journal's head, borrowed; NULL: keep no journal */
	int		argc;		/* the whole command line, for the document */
	char		*const *argv;
};

/* One run of the program. */
struct pace_probe {
	const struct pace_probe_cfg *cfg;
	const struct pace_probe_kind *kind;
	void		*ctx;		/* for the kind's functions */
	const void	*plan;		/* for kind->sink */
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	size_t		n;		/* points of the plan; 0: the plan is made during the run */
	size_t		done;		/* points with a result */
	size_t		failed;		/* points without a result */
	size_t		skipped;	/* points not to be measured */
	bool		unusable;	/* a figure cannot be used, or a limit was exceeded */
	double		pace;		/* measured time of a point / planned time */
	struct pace_journal *journal;	/* NULL, &own, or the journal of a resumed run */
	struct pace_journal own;
};

/* Run the command; return its exit status.  Error messages have been printed. */
int	pace_probe_run(const struct pace_probe_cfg *cfg, const struct pace_probe_kind *kind,
	    void *ctx, const void *plan, size_t n);

/* For kinds: begin the display of point i, which sends `all` (0: not known) in a planned time
 * of cost_ns.  Returns the time left for the points after it.  Call pace_show_end(&p->show) when
 * the point is over. */
int64_t	pace_probe_show(struct pace_probe *p, size_t i, uint64_t all, int64_t cost_ns);

/* Call kind->renew and kind->measure; after a rest measure the point again, because a stream cut
 * in two cannot be judged as one.  name: the index by which other threads skip the point, or
 * PACE_POINT_CONTROL_UNNAMED.  *skipped: the point was skipped. */
int	pace_probe_measure(struct pace_probe *p, size_t i, size_t name, bool *skipped,
	    struct pace_err *err);

/* Report a failed point on stderr and in the notes. */
void	pace_probe_failed(struct pace_probe *p, struct pace_notes *notes,
	    const struct pace_err *err);

#endif
