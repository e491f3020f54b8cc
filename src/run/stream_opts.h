/*
 * stream_opts.h - the options of a sweep of streams: what throughput and send have in common.
 *
 * Purpose    their rows, their contradictions, and the plan and settings that they stand for.
 * Errors     an error message on stderr.
 */
#ifndef PACE_RUN_STREAM_OPTS_H
#define PACE_RUN_STREAM_OPTS_H

#include "core/schedule.h"
#include "core/wire.h"
#include "run/plan.h"
#include "run/streams.h"

/* Options; each member has its row below. */
struct pace_stream_opts {
	struct pace_list size, spacing, rate, streams, dscp, cpu;
	int64_t		count, duration, bursts, burst_gap, train, catch_up, stagger, vlan;
	const char	*capture;
	bool		fragment, dry_run;
};

/* The config struct has a member stream. */
#define PACE_STREAM_AT(cfg, member) \
	(offsetof(cfg, stream) + offsetof(struct pace_stream_opts, member))
#define PACE_STREAM_ROWS(cfg, least, size_help, count_help, duration_help) \
	{ "size", 'p', PACE_OPT_LIST, PACE_STREAM_AT(cfg, size), PACE_UNIT_BYTES, least, \
	    PACE_FRAME_MAX, "1472", "LIST", size_help, "Stream" }, \
	{ "spacing", 'w', PACE_OPT_LIST, PACE_STREAM_AT(cfg, spacing), PACE_UNIT_USEC, 0, \
	    PACE_SPACING_MAX_NS, "1ms", "LIST", \
	    "time from one frame to the next; 0: as fast as possible", "Stream" }, \
	{ "rate", 'r', PACE_OPT_LIST, PACE_STREAM_AT(cfg, rate), PACE_UNIT_BPS, 1, \
	    INT64_C(1000000000000), NULL, "LIST", "user data rate, instead of --spacing", \
	    "Stream" }, \
	{ "count", 'l', PACE_OPT_NUM, PACE_STREAM_AT(cfg, count), PACE_UNIT_COUNT, 1, \
	    INT64_C(1000000000000), NULL, "N", count_help, "Stream" }, \
	{ "duration", 't', PACE_OPT_NUM, PACE_STREAM_AT(cfg, duration), PACE_UNIT_SEC, 1000000, \
	    INT64_C(86400000000000), "10s", "TIME", duration_help, "Stream" }
#define PACE_SEVERAL_ROWS(cfg, help) \
	{ "streams", 'P', PACE_OPT_LIST, PACE_STREAM_AT(cfg, streams), PACE_UNIT_COUNT, 1, \
	    PACE_STREAMS, "1", "LIST", help, "Stream" }, \
	{ "stagger", 0, PACE_OPT_CHOICE, PACE_STREAM_AT(cfg, stagger), 0, 0, 0, "even", \
	    "even|random|none", "begin of the streams within one spacing; none: all at once", \
	    "Stream" }, \
	{ "bursts", 'n', PACE_OPT_NUM, PACE_STREAM_AT(cfg, bursts), PACE_UNIT_COUNT, 1, \
	    1000000000, "1", "N", "bursts of --count frames each", "Stream" }, \
	{ "burst-gap", 'g', PACE_OPT_NUM, PACE_STREAM_AT(cfg, burst_gap), PACE_UNIT_USEC, 0, \
	    INT64_C(60000000000), "0", "TIME", "pause between bursts, in addition to the spacing", \
	    "Stream" }, \
	{ "train", 0, PACE_OPT_NUM, PACE_STREAM_AT(cfg, train), PACE_UNIT_COUNT, 0, 65536, "0", \
	    "N", "send N frames back to back every N spacings; 0: 1, or the maximum at spacing 0", \
	    "Stream" }, \
	{ "catch-up", 0, PACE_OPT_CHOICE, PACE_STREAM_AT(cfg, catch_up), 0, 0, 0, "auto", \
	    "auto|burst|slip|skip", "how the sender treats overdue frames", "Stream" }
#define PACE_DRY_RUN_ROW(cfg, help, group) \
	{ "dry-run", 0, PACE_OPT_FLAG, PACE_STREAM_AT(cfg, dry_run), 0, 0, 0, NULL, NULL, help, \
	    group }
#define PACE_FRAME_ROWS(cfg) \
	{ "dscp", 'Q', PACE_OPT_DSCP_LIST, PACE_STREAM_AT(cfg, dscp), PACE_UNIT_COUNT, 0, 63, "0", \
	    "LIST", "code points of frames, numbers or names", "Network" }, \
	{ "fragment", 0, PACE_OPT_FLAG, PACE_STREAM_AT(cfg, fragment), 0, 0, 0, NULL, NULL, \
	    "allow sizes above the path MTU, sent as fragments", "Network" }, \
	{ "vlan", 0, PACE_OPT_NUM, PACE_STREAM_AT(cfg, vlan), PACE_UNIT_COUNT, 0, 2, "0", "N", \
	    "VLAN tags included in wire rates", "Network" }
#define PACE_CORES_ROW(cfg, help) \
	{ "cpu", 'a', PACE_OPT_LIST, PACE_STREAM_AT(cfg, cpu), PACE_UNIT_COUNT, 0, PACE_CORE_MAX, \
	    NULL, "LIST", help, "Host" }
#define PACE_CAPTURE_ROW(cfg) \
	{ "capture", 0, PACE_OPT_STR, PACE_STREAM_AT(cfg, capture), 0, 0, 0, NULL, "IF", \
	    "also capture the stream on IF: frames and gaps on the wire", "Host" }

/* Is more than one stream sent at once, in one point at least? */
bool	pace_stream_several(const struct pace_stream_opts *o);

/* Do two options exclude each other, or does one need another?  If so, prints an error.  The rows
 * above are those of cmd, and cfg has the options. */
bool	pace_stream_contradicts(const struct pace_cmd *cmd, const void *cfg,
	    const struct pace_stream_opts *o);

/* The plan that the options ask for: one round, from this host. */
struct pace_plan_cfg	pace_stream_plan(const struct pace_cmd *cmd, const void *cfg,
	    const struct pace_stream_opts *o, const struct pace_net_opts *net);

/* Fill in what the options say about the probe and its peer.  threads: room for --cpu.  False
 * after an error message. */
bool	pace_stream_apply(struct pace_streams_cfg *pc, const struct pace_cmd *cmd, const void *cfg,
	    const struct pace_stream_opts *o, struct pace_threads *threads);

#endif
