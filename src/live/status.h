/*
 * status.h - the current state of a responder's sessions, our own stream, a capture's flows or a
 * watcher's paths.
 *
 * Purpose    one struct between sources and displays.  Boards of sessions, reports of a
 *            stream and flow tables fill it.  The status socket and recordings write it as
 *            JSON, and a reader gets the same struct back, both by the tables of
 *            status_doc.c.  The monitor shows it (snap.h).
 * Form       udpace-status(5): one object per line.  Unknown values are null or omitted.
 * Intervals  are differences of two copies of totals.  The intervals of one reader therefore
 *            add up to the totals even if lines were omitted.  The count of lost frames may
 *            decrease; the difference is then below 0.
 * Units      ns, bytes, frames; times of day are ns since 1970.
 * Trust      texts come from the network.  JSON contains ASCII only; texts that are read or
 *            filled in have no control characters.
 * Memory     the caller owns the sessions, 5 KiB each; after reading, free() them.
 */
#ifndef PACE_LIVE_STATUS_H
#define PACE_LIVE_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doc/field.h"
#include "doc/stamp_result.h"
#include "live/host_sample.h"
#include "live/totals.h"

#define PACE_STATUS_SCHEMA	"udpace-status/1"

/* Statistics of some values; n 0: no value. */
struct pace_moments {
	uint64_t	n;
	double		mean, stddev;
	bool		has_extremes;
	int64_t		min, max;
};

/* TOTAL includes the time at the responder, BOTH does not. */
enum pace_way { PACE_WAY_BOTH, PACE_WAY_THERE, PACE_WAY_BACK, PACE_WAY_TOTAL, PACE_WAYS };

#define PACE_OUTAGE_WHY	192

/* Outages: times in which nothing came from the responder, or no frame arrived. */
struct pace_outages {
	uint64_t	n;
	int64_t		now_ns;		/* duration of the current outage; 0: none */
	int64_t		all_ns;		/* duration of all outages, including the current one */
	uint64_t	lost;		/* frames reported as lost in past outages */
	char		why[PACE_OUTAGE_WHY];	/* reason of the current outage; "": not known */
};

/* Values that only the client of a stream knows. */
struct pace_probe_status {
	bool		known;
	bool		reverse;	/* the responder sends: refused, leaving, near and late are
					 * not known */
	uint64_t	sent, refused;	/* frames in total; refused by its own host */
	uint64_t	interval_sent;	/* sent in the newest interval: */
	struct pace_moments leaving;	/* gaps between departures of frames, or of trains */
	uint64_t	near;		/* gaps close to the requested spacing */
	uint64_t	late;		/* frames that left more than a spacing late */
	uint64_t	asked;		/* exchanges */
	struct pace_moments way[PACE_WAYS];	/* of exchanges with a reply, as far as the
						 * clocks are known */
	bool		has_bound;
	double		bound_ns;	/* error bound of both one-way delays */
	bool		has_stamp;	/* a STAMP reflector: what its replies say, and with
					 * has_bound its clock */
	struct pace_stamp_result stamp;
	double		offset_ns;	/* its wall clock - ours, now */
	double		offset_error_ns;	/* if the minimum delays are equal */
	double		skew_ppm, skew_error_ppm;	/* 0: error not known */
	double		core;		/* share of a core that the monitor uses */
	uint64_t	unreported;	/* frames that no report covers: received or lost */
	struct pace_outages out;
};

/* Values of a captured stream, or of the sum of all streams. */
struct pace_flow_status {
	bool		known, sum, numbered;
	char		source[64], destination[64], format[16], stream[24];
	uint16_t	source_port, destination_port;
	uint64_t	streams;	/* streams of this flow */
	uint32_t	dscp, vlan;	/* vlan 0: none */
	uint64_t	restarts;
};

struct pace_session_status {
	uint64_t	number;
	uint64_t	stream;		/* one of several of its run, from 1; 0: all of them */
	char		peer[64], label[128], key[64];
	uint16_t	peer_port;
	bool		ipv6, lease;
	enum pace_session_state state;
	int64_t		age_ns, silent_ns;
	uint64_t	rcvbuf_bytes;	/* 0: not known */
	uint64_t	runs;
	struct pace_run_stats run;	/* the latest; number 0: none yet */
	bool		ended;		/* that run has ended; the members below belong to it */
	int64_t		elapsed_ns;
	int64_t		jitter_ns;	/* -1: not known */
	struct pace_moments gaps;
	struct pace_tally this_run;
	struct pace_tally all;		/* sum of all its runs */
	struct pace_flow_status flow;
	struct pace_probe_status probe;
};

/* True if these are a responder's figures of a run whose frames it sends itself; its client has
 * probe figures. */
static inline bool
pace_session_sends(const struct pace_session_status *s)
{
	return s->run.down && !s->probe.known;
}

/* Counts since the previous line. */
struct pace_status_interval {
	int64_t		span_ns;
	bool		own_span;	/* it is not that of the line: a path of a watcher */
	struct pace_tally n;
	struct pace_moments gaps;
	struct pace_moments above;	/* delays above the minimum of the run */
};

enum pace_dist { PACE_DIST_GAP, PACE_DIST_DELAY, PACE_DISTS };

struct pace_status_session {
	struct pace_session_status now;
	bool		has_interval;
	struct pace_status_interval interval;
	struct pace_coarse_hist_list dist[PACE_DISTS];	/* of the run; empty: not known */
};

/* The state of a capture. */
struct pace_capture_status {
	bool		known, over;	/* over: the capture has ended, nothing changes any more */
	uint64_t	frames, bytes, udp, flows, streams;
	uint64_t	unlisted;		/* streams without an entry */
	uint64_t	untracked;	/* frames that were not analysed for lack of memory */
	bool		has_drops;
	uint64_t	dropped, interface_dropped;	/* frames dropped by the capture itself */
	uint64_t	just_dropped;	/* in the interval */
};

struct pace_status {
	int64_t		wall_ns;
	int64_t		interval_ns;	/* 0: first line, or no interval */
	struct pace_totals totals, added;	/* added: in the interval */
	struct pace_host_status host;
	struct pace_capture_status capture;	/* not known: the status of a responder */
	struct pace_status_session *session;
	size_t		n;
};

/* The first line, before all others: of a responder, a capture or a watcher. */
struct pace_status_head {
	bool		capture, watch;
	bool		socket;		/* of a capture: sockets receive, and interface is their
					 * address and port */
	char		host[256], address[64], version[32], started[32];
	char		interface[64], filter[256];
	uint64_t	port;
	int64_t		interval_ns;
};

/* --- filling ---------------------------------------------------------------- */

/* Fill in host, start and interval; the caller fills in the rest. */
void	pace_head_fill(struct pace_status_head *h, const char *host, int64_t started_wall_ns,
	    int64_t interval_ns);

/* Two copies of a session's board. */
struct pace_session_pair {
	struct pace_session_stats now, then;	/* then.number differs: no earlier copy */
	struct pace_recent recent;	/* since `then` */
};

struct pace_moments	pace_moments_of(const struct pace_stats *g);	/* over all values */
struct pace_moments	pace_moments_since(const struct pace_stats *now,
    const struct pace_stats *then);

/* Fill in everything except distributions and the values that only a sender or a capture knows. */
void	pace_session_fill(struct pace_status_session *to, const struct pace_session_pair *p,
	    int64_t now_ns, int64_t interval_ns);
/* Fill in distributions, unless they belong to another run. */
void	pace_session_fill_shapes(struct pace_status_session *to, const struct pace_shapes *s);

static inline bool
pace_probe_has_ways(const struct pace_probe_status *p)
{
	return p->way[PACE_WAY_THERE].n > 0 && p->way[PACE_WAY_BACK].n > 0;
}

/* A key tells sessions and their streams apart: the number of a session, with the stream above it. */
#define PACE_KEY_STREAM	54		/* the first bit of it; numbers have 53 */

static inline uint64_t
pace_session_key(const struct pace_session_status *v)
{
	return v->number | v->stream << PACE_KEY_STREAM;
}

/* Below 0: key a stands before b in lists, which have a session before its streams. */
int	pace_key_compare(uint64_t a, uint64_t b);

/* Write a key as people read it: "5", or "5/7" for stream 7 of session 5. */
#define PACE_KEY_SIZE	32
const char	*pace_key_text(uint64_t key, char buf[PACE_KEY_SIZE]);

/* It is a stream of its session: its label says which, and its port. */
void	pace_session_name_stream(struct pace_status_session *s, uint64_t stream);

/* Make the name of a capture's session: "10.0.0.1:4000 > 10.0.0.2:5004". */
void	pace_flow_name(struct pace_session_status *v);
/* Write an address and port: "10.0.0.1:5004", "[fe80::1]:5004". */
#define PACE_FLOW_END	80
const char	*pace_flow_end(const char *address, uint16_t port, char buf[PACE_FLOW_END]);

/* --- writing ----------------------------------------------------------------- */

/* Make lines with their line ends, malloced; NULL: no memory. */
char	*pace_status_line(const struct pace_status *s);
char	*pace_status_first(const struct pace_status_head *h);
char	*pace_status_error(const char *text);

extern const struct pace_fields pace_run_fields;	/* the parameters in a struct
							 * pace_run_stats */
/* All lines, and the tables of the kinds of lines: for the schema. */
extern const struct pace_fields pace_status_fields;
extern const struct pace_fields *const pace_status_tables[];

/* --- reading ----------------------------------------------------------------- */

/* Read a line: 0, -ENOMEM, or -EINVAL: not such a line. */
int	pace_status_read(const json_t *line, struct pace_status *s);
int	pace_status_read_head(const json_t *line, struct pace_status_head *h);

/* Read a reader's request: {"interval_ms": 200}.  *interval_ns changes only if 0 is returned;
 * -EINVAL: not valid. */
#define PACE_STATUS_LEAST_NS	INT64_C(100000000)
#define PACE_STATUS_MOST_NS	INT64_C(3600000000000)
#define PACE_STATUS_USUAL_NS	INT64_C(1000000000)
int	pace_status_request(const char *line, size_t len, int64_t *interval_ns);

#endif
