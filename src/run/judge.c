#include "config.h"

#include "run/streams_own.h"

#include <inttypes.h>
#include <string.h>

#include "core/units.h"
#include "proto/msg.h"

static const char *
bytes(uint32_t n, char buf[32])
{
	return pace_print(PACE_UNIT_BYTES, n, buf, 32);
}

/* Find the result with the receive buffer that is smaller than requested; the streams of a point
 * have different ones.  NULL: none. */
static const struct pace_rx_result *
clamped(const struct pace_point *pt)
{
	for (uint32_t i = 0; pt->streams != NULL && i < pt->ask.streams; i++)
		if (pt->streams[i]->rx.rcvbuf_granted < pt->streams[i]->rx.rcvbuf_asked)
			return &pt->streams[i]->rx;
	return pt->streams == NULL && pt->rx.rcvbuf_granted < pt->rx.rcvbuf_asked ? &pt->rx : NULL;
}

static bool
judge_buffers(const struct pace_streams_cfg *cfg, struct pace_point *pt)
{
	const struct pace_rx_result *rx = clamped(pt);
	bool tx = cfg->sndbuf_given && pt->tx.sndbuf_granted < pt->tx.sndbuf_asked;
	bool down = pt->ask.direction == PACE_DOWN;
	char a[32], b[32];

	if (rx != NULL)
		pace_note(&pt->notes, "rcvbuf_clamped", "%s kernel granted a receive "
		    "buffer of %s instead of the requested %s: raise net.core.rmem_max %s",
		    down ? "this host's" : "the responder's", bytes(rx->rcvbuf_granted, a),
		    bytes(rx->rcvbuf_asked, b), down ? "here" : "there");
	if (tx)
		pace_note(&pt->notes, "sndbuf_clamped", "%s kernel granted a send buffer of %s "
		    "instead of the requested %s: raise net.core.wmem_max %s",
		    down ? "the responder's" : "this host's", bytes(pt->tx.sndbuf_granted, a),
		    bytes(pt->tx.sndbuf_asked, b), down ? "there" : "here");
	return (rx != NULL && cfg->rcvbuf_given) || tx;
}

static bool
judge_stamps(struct pace_point *pt)
{
	if (pt->tx.proof_waits > 0)
		pace_note(&pt->notes, "waited_for_proof", "the responder paused %" PRIu64
		    " time%s, for %.3g s in total, because it had no proof that its frames arrive",
		    pt->tx.proof_waits, pace_plural(pt->tx.proof_waits),
		    (double)pt->tx.proof_waited_ns / 1e9);
	if (pt->rx.clock_steps > 0)
		pace_note(&pt->notes, "clock_stepped", "%s clock was set during the "
		    "run: arrival gaps are unreliable",
		    pt->ask.direction == PACE_DOWN ? "this host's" : "the responder's");
	if (pt->rx.unstamped > 0)
		pace_note(&pt->notes, "unstamped", "%" PRIu64 " frame%s came without a stamp of the "
		    "%s and %s timed less well", pt->rx.unstamped, pace_plural(pt->rx.unstamped),
		    pt->ask.nic ? "NIC" : "kernel", pt->rx.unstamped == 1 ? "was" : "were");
	if (pt->rx.coalesced_stamps * 1000 > pt->rx.unique)
		pace_note(&pt->notes, "stamps_coalesced", "%" PRIu64 " frame%s stamped "
		    "together with the one before: the gaps show the receiver's batches, not the "
		    "network", pt->rx.coalesced_stamps, pt->rx.coalesced_stamps == 1 ? " was" :
		    "s were");
	return pt->rx.clock_steps > 0;
}

static double
percent(uint64_t n, const struct pace_marks *m)
{
	return 100 * (double)n / (double)m->frames;
}

/* Return the code point that most of the frames whose ECN changed arrived with. */
static enum pace_ecn
ecn_arrived(const struct pace_params *a, const struct pace_marks *m)
{
	enum pace_ecn most = PACE_ECNS;

	for (int i = 0; i < PACE_ECNS; i++)
		if (i != (int)a->ecn && (i != PACE_ECN_CE || a->ecn == PACE_ECN_NOT_ECT) &&
		    (most == PACE_ECNS || m->ecn[i] > m->ecn[most]))
			most = (enum pace_ecn)i;
	return most;
}

/* Note what the path did to the marks. */
static void
note_marks(struct pace_point *pt)
{
	const struct pace_params *a = &pt->ask;
	const struct pace_marks *m = &pt->rx.marks;
	uint64_t ce = m->ecn[PACE_ECN_CE];

	if (m->dscp_changed > 0 && m->dscp != a->dscp)
		pace_note(&pt->notes, "dscp_not_kept", "DSCP %u arrived as %u in %.4g %% of the "
		    "frames", a->dscp, m->dscp, percent(m->dscp_frames, m));
	else if (m->dscp_changed > 0)
		pace_note(&pt->notes, "dscp_not_kept", "DSCP %u arrived as another one in %" PRIu64
		    " frame%s, %.4g %%", a->dscp, m->dscp_changed, pace_plural(m->dscp_changed),
		    percent(m->dscp_changed, m));
	if (m->ecn_changed > 0)
		pace_note(&pt->notes, "ecn_not_kept", "ECN %s arrived as another one in %" PRIu64
		    " frame%s, %.4g %%, most often as %s", pace_ecn_names[a->ecn], m->ecn_changed,
		    pace_plural(m->ecn_changed), percent(m->ecn_changed, m), pace_ecn_names[ecn_arrived(a, m)]);
	if (ce > 0 && a->ecn != PACE_ECN_CE)
		pace_note(&pt->notes, "congestion_experienced", "congestion experienced (CE) in "
		    "%" PRIu64 " frame%s, %.4g %%", ce, pace_plural(ce), percent(ce, m));
}

/* Note each figure that could not be measured, with the reason. */
static bool
judge_figures(struct pace_point *pt)
{
	if (pt->tx.frames == 0)
		pace_note(&pt->notes, "nothing_sent", "no frame left %s%s%s",
		    pt->ask.direction == PACE_DOWN ? "the responder" : "this host",
		    pt->tx.refused > 0 ? ": " : "",
		    pt->tx.refused > 0 ? strerror(pt->tx.refused_errno) : "");
	else if (pt->rx.unique == 0)
		pace_note(&pt->notes, "nothing_arrived", "no frame arrived, so there are no rates "
		    "and no gaps; control frames did%s",
		    pt->ask.size_bytes > PACE_HELLO_SIZE ?
		    ", and they are smaller: check the path MTU and filters" : ": check filters");
	else if (pt->rx.unique == 1)
		pace_note(&pt->notes, "too_few_frames", "one frame has no rate and no gap");
	if (pt->owd_relative && pt->rx.has_owd && pt->rx.owd.stats.n > 0)
		pace_note(&pt->notes, "owd_relative", "the clocks are known to +- %.3f us, which "
		    "is more than the one-way delay itself: only its variation is reported",
		    pt->clock.fit.bound_ns / 1e3);
	if (pt->rx.lease_lost)
		pace_note(&pt->notes, "lease_lost", "nothing reached the responder for more than "
		    "10 s: another client may have measured during that time");
	return pt->tx.frames == 0 || pt->rx.unique == 0 || pt->rx.lease_lost;
}

static bool
judge_limits(const struct pace_streams_cfg *cfg, struct pace_point *pt)
{
	double lost = (double)pt->rx.lost, sent = (double)pt->tx.frames;
	bool loss = cfg->max_loss >= 0 && lost > cfg->max_loss * sent;
	bool rate = cfg->min_rate_bps > 0 && pt->rx.user_rate_bps < cfg->min_rate_bps;

	if (loss)
		pace_note(&pt->notes, "above_max_loss", "%.4g %% of the frames were lost, "
		    "above the limit of %.4g %%", 100 * lost / sent, 100 * cfg->max_loss);
	if (rate)
		pace_note(&pt->notes, "below_min_rate", "%.6g Mbit/s were received, below the "
		    "limit of %.6g Mbit/s", pt->rx.user_rate_bps / 1e6, cfg->min_rate_bps / 1e6);
	return loss || rate;
}

/* Energy that was requested counts as missed if it is absent. */
static bool
judge_energy(struct pace_notes *notes, const struct pace_energy *e, const char *code,
    const char *host)
{
	if (e->known && e->has_idle)
		return false;
	pace_note(notes, code, "the energy of %s is not known%s%s", host,
	    e->known ? " above idle: another client measured during its idle time" :
	    e->why[0] != '\0' ? ": " : "", e->known ? "" : e->why);
	return true;
}

bool
pace_judge(const struct pace_streams_cfg *cfg, struct pace_point *pt)
{
	bool bad = pt->verdict == PACE_DEGRADED || pt->interrupted;
	const char *broken;

	if (pt->ask.no_receiver) {
		bad |= judge_buffers(cfg, pt);
		broken = pace_point_broken(pt);
		if (broken != NULL)
			pace_note(&pt->notes, "contradiction", "figures contradict each other: %s",
			    broken);
		return bad || broken != NULL;
	}
	if (!pt->has_rx)
		return bad;
	if (pt->ask.omit_ns > 0)
		pace_note(&pt->notes, "beginning_omitted", "the first %.3g s were sent but are in no "
		    "figure except the counters of the hosts", (double)pt->ask.omit_ns / 1e9);
	if (pt->ask.message > 0 && !pt->rx.has_messages)
		pace_note(&pt->notes, "messages_not_counted", "the responder is of a version that "
		    "does not count messages");
	bad |= judge_figures(pt);
	bad |= judge_buffers(cfg, pt);
	bad |= judge_stamps(pt);
	note_marks(pt);
	bad |= judge_limits(cfg, pt);
	if (cfg->energy) {
		bad |= judge_energy(&pt->notes, &pt->ours.energy, "no_energy_client", "this host");
		bad |= judge_energy(&pt->notes, &pt->theirs.energy, "no_energy_responder",
		    "the responder's host");
	}
	broken = pace_point_broken(pt);
	if (broken != NULL)
		pace_note(&pt->notes, "contradiction", "figures contradict each other: %s", broken);
	return bad || broken != NULL;
}
