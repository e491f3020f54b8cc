#include "config.h"

#include "cmd/monitor_live.h"

#include <stdlib.h>

#include "run/plan.h"

static const char *const names[] = { "size", "spacing", "rate", "train", "duration", "ping",
	"verify", "busy-poll", "sndbuf", "rcvbuf", "port", "source-port", "ipv4", "ipv6", "ttl", "key",
	"dscp", "cpu", "label", "no-wait" };

const char *
monitor_stream_given(const struct pace_cmd *cmd, const void *cfg)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (pace_opt_given(cmd, cfg, names[i]))
			return names[i];
	return NULL;
}

int
monitor_stream_cfg(const struct pace_cmd *cmd, const void *cfg, const struct monitor_stream *s,
    int dscp, struct pace_live_cfg *live)
{
	const struct pace_list dscps = { .n = 1, .v = { dscp } };
	const struct pace_plan_cfg pc = {
		.size = &s->size, .spacing = &s->spacing, .dscp = &dscps,
		.rate = pace_opt_given(cmd, cfg, "rate") ? &s->rate : NULL,
		.repeats = 1, .train = (uint64_t)s->train,
		.each = { .duration_ns = 1, .bursts = 1, .verify = s->verify,
		    .busy_poll = s->busy_poll },
	};
	struct pace_params *plan;
	size_t n = 0;

	if (pace_opt_given(cmd, cfg, "rate") && pace_opt_given(cmd, cfg, "spacing")) {
		pace_complain("--spacing and --rate exclude each other: each sets the spacing");
		return PACE_EXIT_USAGE;
	}
	plan = pace_plan_make(&pc, &n);
	if (plan == NULL)
		return PACE_EXIT_USAGE;
	live->ask = plan[0];
	free(plan);
	if (n != 1) {
		pace_complain("%s: one stream is watched: --size, --spacing and --rate are one value each",
		    cmd->name);
		return PACE_EXIT_USAGE;
	}
	live->size_given = pace_opt_given(cmd, cfg, "size");
	live->ping_ns = s->ping_ns;
	live->duration_ns = pace_opt_given(cmd, cfg, "duration") ? s->duration_ns : 0;
	live->peer.dscp = dscp;
	live->peer.sndbuf_bytes = (uint32_t)s->sndbuf;
	live->peer.rcvbuf_bytes = (uint32_t)s->rcvbuf;
	return PACE_EXIT_OK;
}
