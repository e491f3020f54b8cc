/*
 * status.h - what goes on at one moment: the sessions of a responder, a stream of our own,
 * or the flows of a capture.
 *
 * Purpose    one struct between all who know and all who tell: boards of sessions, reports of
 *            a stream and tables of flows fill it; the status socket and recordings write it
 *            as JSON (status_json.c), a reader gets the same struct back (status_read.c), and the
 *            monitor shows it (snap.h).
 * Form       udpace-status(5): one object a line.  What is not known is null or left out.
 * Intervals  are differences between two copies of what only grows, so those of one reader
 *            add up to the totals whatever was left out between.  Lost may go down: then its
 *            difference is below 0.
 * Units      ns, bytes, frames; times of day are ns since 1970.
 * Trust      texts come off the network: JSON has ASCII alone, and what is read back or
 *            filled in has no control characters.
 * Memory     sessions are the caller's, 5 KiB each; where they were read, free() them.
 */
#ifndef PACE_LIVE_STATUS_H
#define PACE_LIVE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/js.h"
#include "live/host_sample.h"
#include "live/totals.h"

#define PACE_STATUS_SCHEMA	"udpace-status/1"

/* Of some values; n 0: there were none. */
struct pace_moments {
	uint64_t	n;
	double		mean, stddev;
	bool		has_extremes;
	int64_t		min, max;
};

enum pace_way { PACE_WAY_BOTH, PACE_WAY_THERE, PACE_WAY_BACK, PACE_WAYS };

/* What only the sender of a stream knows. */
struct pace_probe_status {
	bool		known;
	uint64_t	sent, refused;	/* frames, all; refused by its own host */
	uint64_t	interval_sent;	/* and in the newest interval: */
	struct pace_moments leaving;	/* from departure to departure, of trains */
	uint64_t	near;		/* of these as asked for, nearly */
	uint64_t	late;		/* frames that left more than a spacing late */
	uint64_t	asked;		/* exchanges */
	struct pace_moments way[PACE_WAYS];	/* of those answered, as far as the clocks are known */
	bool		has_bound;
	double		bound_ns;	/* of both ways */
	double		core;		/* what the monitor takes of one */
};

/* Of a capture's session: a stream that passes by, or the sum of all. */
struct pace_flow_status {
	bool		known, sum, numbered;
	char		source[64], destination[64], format[16], stream[24];
	uint16_t	source_port, destination_port;
	uint64_t	streams;	/* of its flow */
	uint32_t	dscp, vlan;	/* vlan 0: none */
	uint64_t	restarts;
};

struct pace_session_status {
	uint64_t	number;
	char		peer[64], label[128], key[64];
	uint16_t	peer_port;
	bool		ipv6, lease;
	enum pace_session_state state;
	int64_t		age_ns, silent_ns;
	uint64_t	rcvbuf_bytes;	/* 0: not known */
	uint64_t	runs;
	struct pace_run_stats run;	/* the newest; number 0: there was none */
	bool		ended;		/* that run; what follows is of it */
	int64_t		elapsed_ns;
	int64_t		jitter_ns;	/* -1: not known */
	struct pace_moments gaps;
	struct pace_tally this_run;
	struct pace_tally all;		/* of all its runs */
	struct pace_flow_status flow;
	struct pace_probe_status probe;
};

/* What came since the line before. */
struct pace_interval {
	struct pace_tally n;
	struct pace_moments gaps;
	struct pace_moments above;	/* delays above the least of the run */
};

enum pace_dist { PACE_DIST_GAP, PACE_DIST_DELAY, PACE_DISTS };

struct pace_status_session {
	struct pace_session_status now;
	bool		has_interval;
	struct pace_interval interval;
	struct pace_coarse_hist_list dist[PACE_DISTS];	/* of the run; empty: not known */
};

/* The whole of a capture. */
struct pace_capture_status {
	bool		known, over;	/* over: it has ended, nothing changes any more */
	uint64_t	frames, bytes, udp, flows, streams;
	uint64_t	untold;		/* streams for which there is no place */
	uint64_t	unfollowed;	/* frames for which there was no room at all */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* frames that the capture itself lost */
	uint64_t	just_dropped;	/* in the interval */
};

struct pace_status {
	int64_t		wall_ns;
	int64_t		interval_ns;	/* 0: the first line, or there is none */
	struct pace_totals totals, added;	/* added: in the interval */
	struct pace_host_status host;
	struct pace_capture_status capture;	/* not known: it is a responder's */
	struct pace_status_session *session;
	size_t		n;
};

/* What comes before all lines: of a responder, or of a capture. */
struct pace_status_head {
	bool		capture;
	char		host[256], address[64], version[32], started[32];
	char		interface[64], filter[256];
	uint64_t	port;
	int64_t		interval_ns;
};

/* --- filling ---------------------------------------------------------------- */

/* Who begins to tell, and when; the rest is the caller's. */
void	pace_head_fill(struct pace_status_head *h, const char *host, int64_t started_wall_ns,
	    int64_t interval_ns);

/* Two copies of a session's board. */
struct pace_session_pair {
	struct pace_session_stats now, then;	/* then.number differs: nothing yet */
	struct pace_recent recent;	/* since then */
};

struct pace_moments	pace_moments_of(const struct pace_stats *g);	/* all of it */
struct pace_moments	pace_moments_since(const struct pace_stats *now, const struct pace_stats *then);

/* All but distributions, and what only a sender or a capture knows. */
void	pace_session_fill(struct pace_status_session *to, const struct pace_session_pair *p,
	    int64_t now_ns, int64_t interval_ns);
/* Distributions, unless they are of another run. */
void	pace_session_fill_shapes(struct pace_status_session *to, const struct pace_shapes *s);

static inline bool
pace_probe_has_ways(const struct pace_probe_status *p)
{
	return p->way[PACE_WAY_THERE].n > 0 && p->way[PACE_WAY_BACK].n > 0;
}

/* What a session of a capture is called: "10.0.0.1:4000 > 10.0.0.2:5004". */
void	pace_flow_name(struct pace_session_status *v);
/* "10.0.0.1:5004", "[fe80::1]:5004". */
#define PACE_FLOW_END	80
const char	*pace_flow_end(const char *address, uint16_t port, char buf[PACE_FLOW_END]);

/* --- writing ----------------------------------------------------------------- */

/* Lines with their end; malloced, NULL: no memory. */
char	*pace_status_line(const struct pace_status *s);
char	*pace_status_first(const struct pace_status_head *h);
char	*pace_status_error(const char *text);

/* Members of an object that is being built: what was asked of a run. */
void	pace_run_put(struct pace_jw *w, const struct pace_run_stats *r);

/* --- reading ----------------------------------------------------------------- */

/* 0, -ENOMEM, -EINVAL: it is no such line. */
int	pace_status_read(const json_t *line, struct pace_status *s);
int	pace_status_read_head(const json_t *line, struct pace_status_head *h);

/* What a reader asks for: {"interval_ms": 200}.  *interval_ns is untouched unless 0 is
 * returned; -EINVAL: not understood. */
#define PACE_STATUS_LEAST_NS	INT64_C(100000000)
#define PACE_STATUS_MOST_NS	INT64_C(3600000000000)
#define PACE_STATUS_USUAL_NS	INT64_C(1000000000)
int	pace_status_request(const char *line, size_t len, int64_t *interval_ns);

#endif
