#include "doc/loss_attribution.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/arith.h"
#include "core/units.h"
#include "doc/params.h"

#define WORDS		192

/* --- claims ------------------------------------------------------------------- */

/* Return the most frames in a piece of a train that left in pieces.  A piece that arrives, or
 * that the receiver merged, may hold more: pace_params_piece. */
static uint64_t
piece_out(const struct pace_point *p)
{
	uint64_t most = pace_params_piece(&p->ask);

	if (p->tx.engine != PACE_ENGINE_SEGMENT)
		return 1;
	return p->ask.train < most ? p->ask.train : most;
}

static uint64_t
times(uint64_t n, uint64_t each)
{
	return n > UINT64_MAX / each ? UINT64_MAX : n * each;
}

static struct pace_claim
at_most(bool known, uint64_t n, uint64_t each)
{
	return (struct pace_claim){ .known = known, .high = times(n, each),
	    .likely = times(n, each) };
}

static struct pace_claim
likely(bool known, uint64_t n, uint64_t believed, uint64_t each)
{
	struct pace_claim c = at_most(known, n, each);

	c.likely = times(believed < n ? believed : n, each);
	return c;
}

/* Return how many sent frames the interface did not count.  Single frames only: of a train an
 * interface counts pieces. */
static uint64_t
unseen(const struct pace_point *p, const struct pace_counters *c, bool here)
{
	uint64_t rx, tx;

	return pace_params_piece(&p->ask) == 1 && pace_counters_seen(c, &rx, &tx) ?
	    pace_less(p->tx.frames, here ? tx : rx) : 0;
}

static struct pace_claim
sender_nic_claim(const struct pace_point *p, const struct pace_host_drops *here, uint64_t queue)
{
	struct pace_claim c = likely(here->has_nic, here->tx_nic, here->tx_nic_likely,
	    piece_out(p));
	uint64_t missing = unseen(p, pace_point_sender(p), true);

	if (missing > c.high)
		c.high = missing;
	if (missing > c.likely)
		c.likely = missing;
	/* 0: the queue may have them */
	c.low = here->has_qdisc ? pace_less(missing, queue) : 0;
	return c;
}

void
pace_loss_attribution_close(struct pace_point *p)
{
	struct pace_claim c[PACE_NETWORK];
	struct pace_host_drops here, there;
	uint64_t out = piece_out(p), in = pace_params_piece(&p->ask), damaged = p->rx.bad_checksums;
	uint64_t refused = 0;

	pace_counters_drops(pace_point_sender(p), p->ipv6, &here);
	pace_counters_drops(pace_point_receiver(p), p->ipv6, &there);
	if (damaged > p->rx.socket_drops)
		damaged = p->rx.socket_drops;
	/* The socket counts all its drops: copies, exchanges and requests, and also the drops
	 * for a bad checksum, which therefore are at most its drops. */
	c[PACE_RX_SOCKET] = (struct pace_claim){ .known = true, .high = p->rx.socket_lost_max,
	    .likely = pace_less(p->rx.socket_lost_likely, damaged) };
	c[PACE_RX_CHECKSUM] = at_most(true, damaged, in);
	c[PACE_RX_LATE] = at_most(true, p->rx.beyond_window, 1);
	c[PACE_RX_IP] = at_most(there.has_ip, there.rx_ip, in);
	c[PACE_RX_INGRESS] = likely(there.has_ingress, there.rx_ingress, there.rx_ingress_likely,
	    in);
	c[PACE_RX_SOFTNET] = at_most(there.has_softnet, there.rx_softnet, in);
	c[PACE_RX_NIC] = likely(there.has_nic, there.rx_nic, there.rx_nic_likely, in);
	/* The queue probably counted refused frames when it was full.  This is not certain,
	 * because an egress filter refuses with the same errno. */
	for (int i = 0; i < PACE_REFUSALS; i++)
		if (p->tx.refusals[i].code == ENOBUFS)
			refused = p->tx.refusals[i].frames;
	c[PACE_TX_QDISC] = likely(here.has_qdisc, here.tx_qdisc,
	    pace_less(here.tx_qdisc, refused / out), out);
	if (p->tx.qdisc_bypass)
		c[PACE_TX_QDISC] = (struct pace_claim){ .known = true };
	c[PACE_TX_NIC] = sender_nic_claim(p, &here, c[PACE_TX_QDISC].high);
	pace_ledger_close(&p->ledger, p->tx.frames, p->tx.refused, p->rx.lost,
	    unseen(p, pace_point_receiver(p), false), c);
}

/* --- words ---------------------------------------------------------------------- */

const char *
pace_loss_attribution_place(enum pace_place place)
{
	static const char *const names[PACE_PLACES] = { "bad checksum", "socket buffer",
	    "too late", "IP layer", "before IP", "softnet backlog", "NIC, driver",
	    "send queue", "send NIC", "network" };

	return names[place];
}

uint64_t
pace_loss_attribution_holds(uint32_t buffer_bytes, uint32_t size_bytes)
{
	uint32_t room = 512;

	/* the kernel charges its own head, headers and a tail, in powers of two */
	while (room < size_bytes + 426)
		room *= 2;
	/* and doubles what it grants */
	return 2 * (uint64_t)buffer_bytes / (size_bytes <= 100 ? 832 : room + 256);
}

char *
pace_loss_attribution_errno(int code, char *buf, size_t size)
{
	static const struct { int code; const char *name; } names[] = {
		{ ENOBUFS, "ENOBUFS" }, { EAGAIN, "EAGAIN" }, { EMSGSIZE, "EMSGSIZE" },
		{ EPERM, "EPERM" }, { ENETUNREACH, "ENETUNREACH" },
		{ EHOSTUNREACH, "EHOSTUNREACH" }, { ECONNREFUSED, "ECONNREFUSED" },
		{ ENETDOWN, "ENETDOWN" }, { ENOMEM, "ENOMEM" }, { EINVAL, "EINVAL" },
		{ EIO, "EIO" }, { EACCES, "EACCES" }, { EADDRNOTAVAIL, "EADDRNOTAVAIL" },
	};

	snprintf(buf, size, "errno %d", code);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			snprintf(buf, size, "%s", names[i].name);
	return buf;
}

static const char *
count(uint64_t n, char buf[32])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 32);
}

/* A host as seen from here. */
struct loss_host {
	const char	*whose, *where;
};
static const struct loss_host client_host = { "this host's", "here" },
    responder_host = { "the responder's", "there" };

/* Write the words after "died in": the location, and what to do. */
static void
say_where(const struct pace_point *p, enum pace_place place, char *words)
{
	/* where stands between advice and more */
	static const struct { const char *what, *advice, *more; } texts[PACE_PLACES] = {
		[PACE_RX_CHECKSUM] = { "checksum test", "they were corrupted on the way, or an "
		    "offload writes wrong checksums ", "" },
		[PACE_RX_IP] = { "IP layer", "look at its firewall (nft list ruleset) and for "
		    "fragments ", "" },
		[PACE_RX_INGRESS] = { "host between its interface and IP", "look at tc filters, "
		    "XDP, nft ingress or a bridge ", "" },
		[PACE_RX_SOFTNET] = { "softnet backlog", "raise net.core.netdev_max_backlog ",
		    ", or spread the load over cores" },
		[PACE_RX_NIC] = { "NIC or its driver", "enlarge its ring (ethtool -G), look at "
		    "ethtool -S ", "" },
		[PACE_TX_QDISC] = { "queue discipline", "raise its limit (tc qdisc) ", ", or send "
		    "slower than it drains" },
		[PACE_TX_NIC] = { "NIC", "was its link down? look at ethtool -S ", "" },
	};
	const struct pace_rx_result *r = &p->rx;
	uint64_t holds = pace_loss_attribution_holds(r->rcvbuf_granted, p->ask.size_bytes);
	bool down = p->ask.direction == PACE_DOWN;
	const struct loss_host *rx = down ? &client_host : &responder_host;
	const struct loss_host *at = place < PACE_TX_QDISC ? rx :
	    down ? &responder_host : &client_host;
	char granted[32], frames[32], advice[80];

	if (r->rcvbuf_granted < r->rcvbuf_asked)
		snprintf(advice, sizeof(advice), "raise net.core.rmem_max %s", rx->where);
	else
		snprintf(advice, sizeof(advice), "ask for more with --rcvbuf, or give %s a core of "
		    "its own", down ? "this program" : "the responder");
	if (place == PACE_NETWORK)
		snprintf(words, WORDS, "the network: no counter of either host saw them");
	else if (place == PACE_RX_LATE)
		snprintf(words, WORDS, "%s window for late frames: they arrived after it",
		    rx->whose);
	else if (place != PACE_RX_SOCKET)
		snprintf(words, WORDS, "%s %s: %s%s%s", at->whose, texts[place].what,
		    texts[place].advice, at->where, texts[place].more);
	else if (r->rcvbuf_granted == 0)
		snprintf(words, WORDS, "%s socket buffer: %s", rx->whose, advice);
	else
		snprintf(words, WORDS, "%s socket buffer (granted %s, about %s frame%s): %s",
		    rx->whose, pace_print(PACE_UNIT_BYTES, r->rcvbuf_granted, granted, 32),
		    count(holds, frames), holds == 1 ? "" : "s", advice);
}

/* Is the lower bound so close that the sentence states it? */
static bool
is_mostly_sure(const struct pace_share *s)
{
	return s->low >= s->n - s->n / 10;
}

static const char *
how_sure(enum pace_place place, const struct pace_share *s)
{
	if (s->low == s->high)
		return "";
	if (is_mostly_sure(s))
		return "at least ";
	if (place == PACE_RX_SOCKET)
		return "probably ";	/* it counted this client's datagrams alone */
	return s->n == s->high ? "up to " : "about ";
}

enum pace_place
pace_loss_attribution_worst(const struct pace_point *p)
{
	enum pace_place worst = PACE_NETWORK;

	for (int i = 0; i < PACE_PLACES; i++)
		if (p->ledger.place[i].n > p->ledger.place[worst].n)
			worst = (enum pace_place)i;
	return worst;
}

static void
say_lost(const struct pace_point *p, char *buf, size_t size)
{
	enum pace_place worst = pace_loss_attribution_worst(p);
	const struct pace_share *s = &p->ledger.place[worst];
	char n[32], of[32], where[WORDS];
	bool blind = false;	/* a host does not count some location, or does not report it */

	for (int i = 0; i < PACE_NETWORK; i++)
		blind |= !p->ledger.place[i].known;
	say_where(p, worst, where);
	if (worst == PACE_NETWORK && blind)
		snprintf(buf, size, "%s of %s lost frame%s died in the network, or on a host that "
		    "does not report all its drops", count(s->n, n), count(p->rx.lost, of),
		    p->rx.lost == 1 ? "" : "s");
	else if (s->low == p->rx.lost && p->rx.lost > 1)
		snprintf(buf, size, "all %s lost frames died in %s", count(p->rx.lost, of), where);
	else
		snprintf(buf, size, "%s%s of %s lost frame%s died in %s", how_sure(worst, s),
		    count(is_mostly_sure(s) ? s->low : s->n, n), count(p->rx.lost, of),
		    p->rx.lost == 1 ? "" : "s", where);
}

static const char *
refusal_advice(const struct pace_tx *t, int code, bool queued)
{
	if (code == ENOBUFS && t->qdisc_bypass)
		return "the driver's ring was full: send slower than the interface, or with --engine "
		    "socket";
	switch (code) {
	case ENOBUFS:	return queued ? "its queue was full: raise the limit (tc qdisc), or send "
			    "slower than it drains" : "no queue counted them, so an egress filter "
			    "refused them (tc egress, nft egress)";
	case EAGAIN:	return "its send buffer was full: ask for more with --sndbuf, or send "
			    "slower than the interface";
	case EMSGSIZE:	return "they are larger than the path carries without fragmentation";
	case EPERM:	return "a filter of this host dropped them";
	case ENETUNREACH: case EHOSTUNREACH: return "this host has no route to the responder";
	case ECONNREFUSED: return "no program listens on the responder's port";
	default:	return "see errno(3)";
	}
}

static void
say_refused(const struct pace_point *p, char *buf, size_t size)
{
	const struct pace_tx *t = &p->tx;
	struct pace_host_drops here;
	bool queued;
	int most = 0;
	char n[32], of[32], name[32];

	pace_counters_drops(pace_point_sender(p), p->ipv6, &here);
	queued = !here.has_qdisc || here.tx_qdisc > 0;

	for (int i = 1; i < PACE_REFUSALS; i++)
		if (t->refusals[i].frames > t->refusals[most].frames)
			most = i;
	snprintf(buf, size, "%s refused %s of %s frames (%s): %s",
	    p->ask.direction == PACE_DOWN ? "the responder's host" : "this host",
	    count(t->refused, n),
	    count(p->ledger.asked, of), pace_loss_attribution_errno(t->refusals[most].code, name,
	    sizeof(name)), refusal_advice(t, t->refusals[most].code,
	    queued));
}

char *
pace_loss_attribution_say(const struct pace_point *p, char *buf, size_t size)
{
	char refused[256] = "", lost[256] = "";

	if (p->tx.refused > 0)
		say_refused(p, refused, sizeof(refused));
	if (p->has_rx && p->rx.lost > 0)
		say_lost(p, lost, sizeof(lost));
	if (refused[0] == '\0' && lost[0] == '\0')
		snprintf(buf, size, "%s", p->has_rx ? "no frame was lost" : "nothing is known");
	else
		snprintf(buf, size, "%s%s%s", refused, refused[0] != '\0' && lost[0] != '\0' ?
		    "; " : "", lost);
	return buf;
}
