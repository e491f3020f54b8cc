/*
 * status.h - the lines of the status socket, udpace-status(5), and the JSON
 * that logs share with them.
 *
 * Form       one object a line.  Times and sizes have their unit in the name;
 *            what is not known is null or left out; no NaN.
 * Intervals  are differences between two copies of what only grows, so those of
 *            one reader add up to the totals whatever was left out between.
 *            Lost may go down: then its difference is below 0.
 * Trust      labels come off the network: all but ASCII is escaped.
 */
#ifndef PACE_STATUS_H
#define PACE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/js.h"
#include "doc/tally_doc.h"
#include "ops/glance.h"
#include "ops/totals.h"

#define PACE_STATUS_SCHEMA	"udpace-status/1"

/* Members of an object that is being built. */
void	pace_run_put(struct pace_jw *w, const struct pace_view_run *r);
void	pace_totals_put(struct pace_jw *w, const struct pace_totals *t);

/* Of two copies of the totals, what came between; fields that may fall are now's. */
struct pace_totals	pace_totals_since(const struct pace_totals *now,
			    const struct pace_totals *then);

/* A session's board, and what its reader had seen of it. */
struct pace_seen {
	struct pace_view now, then;	/* then.number differs: nothing yet */
	char		peer[64];
	struct pace_recent recent;	/* since then */
	const struct pace_shapes *shapes;	/* of now, NULL: not known */
	const struct pace_coarse_list *gap, *delay;	/* where shapes are NULL: the same, told */
	json_t		*probe;		/* what its client knows, where that tells; NULL: nothing */
};

struct pace_status {
	int64_t		wall_ns;
	int64_t		interval_ns;	/* 0: the reader's first line */
	struct pace_totals now, then;
	const struct pace_glance *host;	/* NULL: not looked at */
	const struct pace_sums *sums;	/* where host is NULL: what was told of it; NULL: nothing */
	const struct pace_seen *seen;
	size_t		n;
};

/* Lines with their end; malloced, NULL: no memory. */
char	*pace_status_line(const struct pace_status *s);

/* Any object as such a line; what it was built in is released. */
char	*pace_status_text(struct pace_jw *w);

struct pace_status_head {
	const char	*host, *address;
	int64_t		started_wall_ns, interval_ns;
	uint16_t	port;
};
char	*pace_status_first(const struct pace_status_head *h);
char	*pace_status_error(const char *text);

/* What a reader asks for: {"interval_ms": 200}.  *interval_ns is untouched unless 0 is
 * returned; -EINVAL: not understood. */
#define PACE_STATUS_LEAST_NS	INT64_C(100000000)
#define PACE_STATUS_MOST_NS	INT64_C(3600000000000)
#define PACE_STATUS_USUAL_NS	INT64_C(1000000000)
int	pace_status_request(const char *line, size_t len, int64_t *interval_ns);

#endif
