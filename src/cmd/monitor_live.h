/*
 * monitor_live.h - the monitor's own stream: its options, and what they say together.
 */
#ifndef PACE_CMD_MONITOR_LIVE_H
#define PACE_CMD_MONITOR_LIVE_H

#include "live/live_run.h"
#include "opt/opt.h"

struct monitor_stream {
	struct pace_list size, spacing, rate;
	int64_t		train, duration_ns, ping_ns, sndbuf, rcvbuf;
	bool		verify, busy_poll;
};

/* An option that belongs to a stream of our own was given; NULL: none. */
const char	*monitor_stream_given(const struct pace_cmd *cmd, const void *cfg);

/* What is asked for: an exit status.  interval_ns and peer are the caller's. */
int	monitor_stream_cfg(const struct pace_cmd *cmd, const void *cfg,
	    const struct monitor_stream *s, int dscp, struct pace_live_cfg *live);

#endif
