#include "config.h"

#include "run/judge.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"

struct judge {
	const struct pace_probe_cfg *cfg;
	bool	unusable;
};

static const char *
bytes(uint32_t n, char buf[32])
{
	return pace_print(PACE_UNIT_BYTES, n, buf, 32);
}

static void
judge_buffers(struct judge *j, struct pace_point *pt)
{
	char a[32], b[32];

	if (pt->rx.rcvbuf_granted < pt->rx.rcvbuf_asked) {
		pace_note(&pt->notes, "rcvbuf_clamped", "the responder's kernel granted a receive "
		    "buffer of %s where %s were asked for: raise net.core.rmem_max there",
		    bytes(pt->rx.rcvbuf_granted, a), bytes(pt->rx.rcvbuf_asked, b));
		j->unusable |= j->cfg->rcvbuf_given;
	}
	if (j->cfg->sndbuf_given && pt->tx.sndbuf_granted < pt->tx.sndbuf_asked) {
		pace_note(&pt->notes, "sndbuf_clamped", "the kernel granted a send buffer of %s "
		    "where %s were asked for: raise net.core.wmem_max",
		    bytes(pt->tx.sndbuf_granted, a), bytes(pt->tx.sndbuf_asked, b));
		j->unusable = true;
	}
}

static void
judge_stamps(struct judge *j, struct pace_point *pt)
{
	if (pt->rx.clock_steps > 0) {
		pace_note(&pt->notes, "clock_stepped", "the responder's clock was set while it "
		    "received: arrival gaps are not to be trusted");
		j->unusable = true;
	}
	if (pt->rx.unstamped > 0)
		pace_note(&pt->notes, "unstamped", "%" PRIu64 " frames came without a stamp of the "
		    "%s and were timed less well", pt->rx.unstamped,
		    pt->ask.nic ? "NIC" : "kernel");
	if (pt->rx.coalesced_stamps * 1000 > pt->rx.unique)
		pace_note(&pt->notes, "stamps_coalesced", "%" PRIu64 " frames were stamped together "
		    "with the one before: the gaps show the receiver's batches, not the network",
		    pt->rx.coalesced_stamps);
}

/* A figure that could not be measured is told, and why. */
static void
judge_figures(struct judge *j, struct pace_point *pt)
{
	if (pt->tx.frames == 0) {
		pace_note(&pt->notes, "nothing_sent", "no frame left this host%s%s",
		    pt->tx.refused > 0 ? ": " : "",
		    pt->tx.refused > 0 ? strerror(pt->tx.refused_errno) : "");
		j->unusable = true;
	} else if (pt->rx.unique == 0) {
		pace_note(&pt->notes, "nothing_arrived", "no frame arrived: there are no rates "
		    "and no gaps; control frames are smaller, so look for an MTU or a filter");
		j->unusable = true;
	} else if (pt->rx.unique == 1) {
		pace_note(&pt->notes, "too_few_frames", "one frame has no rate and no gap");
	}
	if (pt->owd_relative && pt->rx.has_owd && pt->rx.owd.stats.n > 0)
		pace_note(&pt->notes, "owd_relative", "the clocks are known to +- %.3f us, which is "
		    "more than the one-way delay itself: only its variation is told",
		    pt->clock.fit.bound_ns / 1e3);
	if (pt->rx.lease_lost) {
		pace_note(&pt->notes, "lease_lost", "for more than 10 s nothing reached the "
		    "responder: another client may have measured meanwhile");
		j->unusable = true;
	}
}

static void
judge_limits(struct judge *j, struct pace_point *pt)
{
	double lost = (double)pt->rx.lost, sent = (double)pt->tx.frames;

	if (j->cfg->max_loss >= 0 && lost > j->cfg->max_loss * sent) {
		pace_note(&pt->notes, "above_max_loss", "%.4g %% of the frames were lost, "
		    "above the limit of %.4g %%", 100 * lost / sent, 100 * j->cfg->max_loss);
		j->unusable = true;
	}
	if (j->cfg->min_rate_bps > 0 && pt->rx.user_rate_bps < j->cfg->min_rate_bps) {
		pace_note(&pt->notes, "below_min_rate", "%.6g Mbit/s were received, below the limit "
		    "of %.6g Mbit/s", pt->rx.user_rate_bps / 1e6, j->cfg->min_rate_bps / 1e6);
		j->unusable = true;
	}
}

/* Asked for, so it is missed where it is not there. */
static void
judge_energy(struct judge *j, struct pace_point *pt)
{
	const struct pace_energy *e[] = { &pt->ours.energy, &pt->theirs.energy };
	static const char *const codes[] = { "no_energy_client", "no_energy_responder" };
	static const char *const hosts[] = { "this host", "the responder's host" };

	for (int i = 0; j->cfg->energy && i < 2; i++) {
		if (e[i]->known && e[i]->has_idle)
			continue;
		pace_note(&pt->notes, codes[i], "the energy of %s is not known%s%s", hosts[i],
		    e[i]->known ? " above idle: somebody measured meanwhile" :
		    e[i]->why[0] != '\0' ? ": " : "", e[i]->known ? "" : e[i]->why);
		j->unusable = true;
	}
}

bool
pace_judge(const struct pace_probe_cfg *cfg, struct pace_point *pt)
{
	struct judge j = { .cfg = cfg };
	const char *broken;

	j.unusable |= pt->verdict == PACE_DEGRADED || pt->interrupted;
	if (!pt->has_rx)
		return j.unusable;
	judge_figures(&j, pt);
	judge_buffers(&j, pt);
	judge_stamps(&j, pt);
	judge_limits(&j, pt);
	judge_energy(&j, pt);
	broken = pace_point_broken(pt);
	if (broken != NULL) {
		pace_note(&pt->notes, "contradiction", "figures contradict each other: %s", broken);
		j.unusable = true;
	}
	return j.unusable;
}
