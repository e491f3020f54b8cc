#include "doc/fate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

#define PIECE_FRAMES	64	/* the kernel's most in one UDP_SEGMENT */
#define PIECE_BYTES	65507
#define WORDS		192

/* --- claims ------------------------------------------------------------------- */

/* Frames in what the kernel may count as one. */
static uint64_t
piece(const struct pace_point *p)
{
	uint64_t most = p->ask.size_bytes > 0 ? PIECE_BYTES / p->ask.size_bytes : 1;

	if (p->tx.engine != PACE_ENGINE_SEGMENT)
		return 1;
	most = most < PIECE_FRAMES ? most : PIECE_FRAMES;
	return p->ask.train < most ? p->ask.train : most;
}

static struct pace_claim
at_most(bool known, uint64_t n, uint64_t each)
{
	return (struct pace_claim){ .known = known,
	    .high = n > UINT64_MAX / each ? UINT64_MAX : n * each };
}

/* A refusal for want of room in the queue was counted there too. */
static uint64_t
behind_send(uint64_t drops, const struct pace_tx *t)
{
	uint64_t told = 0;

	for (int i = 0; i < PACE_REFUSALS; i++)
		if (t->refusals[i].code == ENOBUFS)
			told = t->refusals[i].frames;
	return drops > told ? drops - told : 0;
}

/* What the socket dropped for a wrong checksum may lie in a hole of something
 * else: then it is not sure that the hole is the buffer's. */
static struct pace_claim
socket_claim(const struct pace_receipt *r)
{
	uint64_t doubt = r->bad_checksums < r->socket_low ? r->bad_checksums : r->socket_low;

	return (struct pace_claim){ .known = true, .low = r->socket_low - doubt,
	    .high = r->socket_high };
}

void
pace_fate_close(struct pace_point *p)
{
	struct pace_claim c[PACE_NETWORK] = { [PACE_RX_SOCKET] = socket_claim(&p->rx) };
	struct pace_host_drops here, there;
	uint64_t each = piece(p), damaged = p->rx.bad_checksums;

	pace_counters_drops(&p->ours, p->ipv6, &here);
	pace_counters_drops(&p->theirs, p->ipv6, &there);
	if (damaged > p->rx.socket_drops)
		damaged = p->rx.socket_drops;
	c[PACE_RX_CHECKSUM] = at_most(true, damaged, each);
	c[PACE_RX_LATE] = at_most(true, p->rx.beyond_window, 1);
	c[PACE_RX_IP] = at_most(there.has_ip, there.rx_ip, each);
	c[PACE_RX_SOFTNET] = at_most(there.has_softnet, there.rx_softnet, each);
	c[PACE_RX_NIC] = at_most(there.has_nic, there.rx_nic, each);
	c[PACE_TX_QDISC] = at_most(here.has_qdisc, behind_send(here.tx_qdisc, &p->tx), each);
	c[PACE_TX_NIC] = at_most(here.has_nic, here.tx_nic, each);
	pace_ledger_close(&p->ledger, p->tx.frames, p->tx.refused, p->rx.lost, c);
}

/* --- words ---------------------------------------------------------------------- */

const char *
pace_fate_place(enum pace_place place)
{
	static const char *const names[PACE_PLACES] = { "bad checksum", "socket buffer",
	    "too late", "IP layer", "softnet backlog", "NIC, driver", "send queue",
	    "send NIC", "network" };

	return names[place];
}

uint64_t
pace_fate_holds(uint32_t buffer_bytes, uint32_t size_bytes)
{
	uint32_t room = 512;

	/* the kernel charges its own head, headers and a tail, in powers of two */
	while (room < size_bytes + 426)
		room *= 2;
	return buffer_bytes / (size_bytes <= 100 ? 832 : room + 256);
}

char *
pace_fate_errno(int code, char *buf, size_t size)
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

static void
say_socket(const struct pace_point *p, char *words)
{
	const struct pace_receipt *r = &p->rx;
	uint64_t holds = pace_fate_holds(r->rcvbuf_granted, p->ask.size_bytes);
	char granted[32], frames[32];
	const char *advice = r->rcvbuf_granted < r->rcvbuf_asked ? "raise net.core.rmem_max there" :
	    "ask for more with --rcvbuf, or give the responder a core of its own";

	if (r->rcvbuf_granted == 0)
		snprintf(words, WORDS, "the responder's socket buffer: %s", advice);
	else
		snprintf(words, WORDS, "the responder's socket buffer (granted %s, about %s "
		    "frame%s): %s", pace_print(PACE_UNIT_BYTES, r->rcvbuf_granted, granted, 32),
		    count(holds, frames), holds == 1 ? "" : "s", advice);
}

/* "in ...", and what to do. */
static void
say_where(const struct pace_point *p, enum pace_place place, char *words)
{
	static const char *const texts[PACE_PLACES] = {
		[PACE_RX_CHECKSUM] = "the responder's checksum: they were damaged on the way, or an "
		    "offload writes wrong ones",
		[PACE_RX_LATE] = "the window of what may still come: they arrived too late",
		[PACE_RX_IP] = "the responder's IP layer: look at its firewall (nft list ruleset) "
		    "and for fragments",
		[PACE_RX_SOFTNET] = "the responder's softnet backlog: raise "
		    "net.core.netdev_max_backlog there, or spread the load over cores",
		[PACE_RX_NIC] = "the responder's NIC or its driver: enlarge its ring (ethtool -G), "
		    "look at ethtool -S there",
		[PACE_TX_QDISC] = "this host's queue discipline: raise its limit (tc -s qdisc), or "
		    "send slower than it drains",
		[PACE_TX_NIC] = "this host's NIC or its driver: look at ethtool -S here",
		[PACE_NETWORK] = "the network: no counter of either host saw them",
	};

	if (place == PACE_RX_SOCKET)
		say_socket(p, words);
	else
		snprintf(words, WORDS, "%s", texts[place]);
}

static const char *
how_sure(const struct pace_share *s)
{
	if (s->low == s->high)
		return "";
	return s->n > s->low ? s->n == s->high ? "up to " : "about " : "at least ";
}

static void
say_lost(const struct pace_point *p, char *buf, size_t size)
{
	enum pace_place worst = PACE_NETWORK;
	const struct pace_share *s;
	char n[32], of[32], where[WORDS];

	for (int i = 0; i < PACE_PLACES; i++)
		if (p->ledger.place[i].n > p->ledger.place[worst].n)
			worst = (enum pace_place)i;
	s = &p->ledger.place[worst];
	say_where(p, worst, where);
	if (s->n == p->rx.lost && p->rx.lost > 1)
		snprintf(buf, size, "%sall %s lost frames died in %s", s->low == s->high ? "" :
		    "probably ", count(p->rx.lost, of), where);
	else
		snprintf(buf, size, "%s%s of %s lost frame%s died in %s", how_sure(s),
		    count(s->n, n), count(p->rx.lost, of), p->rx.lost == 1 ? "" : "s", where);
}

static const char *
refusal_advice(int code)
{
	switch (code) {
	case ENOBUFS:	return "its queue was full: raise the limit (tc -s qdisc), or send slower "
			    "than it drains";
	case EAGAIN:	return "its send buffer was full: ask for more with --sndbuf, or send "
			    "slower than the interface";
	case EMSGSIZE:	return "they are larger than the path takes whole";
	case EPERM:	return "a filter of its own dropped them";
	case ENETUNREACH: case EHOSTUNREACH: return "it has no route";
	case ECONNREFUSED: return "nobody listens there";
	default:	return "see errno(3)";
	}
}

static void
say_refused(const struct pace_point *p, char *buf, size_t size)
{
	const struct pace_tx *t = &p->tx;
	int most = 0;
	char n[32], of[32], name[32];

	for (int i = 1; i < PACE_REFUSALS; i++)
		if (t->refusals[i].frames > t->refusals[most].frames)
			most = i;
	snprintf(buf, size, "this host refused %s of %s frames (%s): %s", count(t->refused, n),
	    count(p->ledger.asked, of), pace_fate_errno(t->refusals[most].code, name, sizeof(name)),
	    refusal_advice(t->refusals[most].code));
}

char *
pace_fate_say(const struct pace_point *p, char *buf, size_t size)
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
