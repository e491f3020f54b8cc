#include "config.h"

#include "run/stream_opts.h"

#define FRAMES_MAX	INT64_C(1000000000000000)

bool
pace_stream_several(const struct pace_stream_opts *o)
{
	bool several = false;

	for (int i = 0; i < o->streams.n; i++)
		several |= o->streams.v[i] > 1;
	return several;
}

bool
pace_stream_contradicts(const struct pace_cmd *cmd, const void *cfg,
    const struct pace_stream_opts *o)
{
	if (pace_opt_both(cmd, cfg, "spacing", "rate", "each sets the spacing") ||
	    pace_opt_both(cmd, cfg, "count", "duration", "each ends the stream"))
		return true;
	if (o->bursts > 1 && !pace_opt_given(cmd, cfg, "count"))
		pace_complain("--bursts needs --count, the frames of each burst");
	else if (o->bursts > 1 && o->count > FRAMES_MAX / o->bursts)
		pace_complain("--count and --bursts: %lld bursts of %lld frames are more than "
		    "10^15 frames", (long long)o->bursts, (long long)o->count);
	else if (o->cpu.n > 1 && !pace_stream_several(o))
		pace_complain("--cpu: one stream needs one core; several cores need --streams");
	else
		return false;
	return true;
}

struct pace_plan_cfg
pace_stream_plan(const struct pace_cmd *cmd, const void *cfg, const struct pace_stream_opts *o,
    const struct pace_net_opts *net)
{
	return (struct pace_plan_cfg){
		.size = &o->size, .spacing = &o->spacing, .dscp = &o->dscp, .streams = &o->streams,
		.rate = pace_opt_given(cmd, cfg, "rate") ? &o->rate : NULL,
		.repeats = 1, .train = (uint64_t)o->train,
		.each = {
			.direction = PACE_UP, .ecn = (enum pace_ecn)net->ecn,
			.count = (uint64_t)o->count,
			.duration_ns = pace_opt_given(cmd, cfg, "count") ? 0 : o->duration,
			.catch_up = (enum pace_catch_up)o->catch_up,
			.stagger = (enum pace_stagger)o->stagger,
			.bursts = (uint64_t)o->bursts, .burst_gap_ns = o->burst_gap,
		},
	};
}

bool
pace_stream_apply(struct pace_streams_cfg *pc, const struct pace_cmd *cmd, const void *cfg,
    const struct pace_stream_opts *o, struct pace_threads *threads)
{
	if (pace_peer_threads(&o->cpu, threads) < 0)
		return false;
	pc->probe.dry_run = o->dry_run;
	pc->probe.peer.cpu = threads->n > 0 ? threads->core[0] : -1;
	pc->probe.peer.threads = threads;
	pc->probe.peer.dscp = (int)o->dscp.v[0];
	pc->probe.peer.fragment = o->fragment;
	pc->vlan_tags = (uint32_t)o->vlan;
	pc->sndbuf_given = pace_opt_given(cmd, cfg, "sndbuf");
	pc->size_given = pace_opt_given(cmd, cfg, "size");
	pc->capture = o->capture;
	return true;
}
