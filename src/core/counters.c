#include "core/counters.h"

#include <string.h>

#include "core/arith.h"

#define CHATTER		10	/* frames of no IP, at once and in a second: more is not usual */

const char *
pace_cpu_name(enum pace_cpu c)
{
	static const char *const names[PACE_CPUS] = { "user", "nice", "system", "idle",
	    "iowait", "irq", "softirq", "steal" };

	return names[c];
}

const char *
pace_core_count_name(enum pace_core_count c)
{
	static const char *const names[PACE_CORE_COUNTS] = { "interrupts", "net_rx", "net_tx",
	    "softnet_frames", "softnet_dropped", "softnet_squeezed" };

	return names[c];
}

const char *
pace_if_count_name(enum pace_if_count c)
{
	static const char *const names[PACE_IF_COUNTS] = { "rx_bytes", "rx_frames",
	    "rx_errors", "rx_dropped", "rx_fifo", "rx_frame_errors", "tx_bytes", "tx_frames",
	    "tx_errors", "tx_dropped", "tx_fifo", "tx_carrier" };

	return names[c];
}

const char *
pace_snmp_name(enum pace_snmp c, bool ipv6)
{
	static const char *const names[PACE_SNMPS] = { "Ip.InReceives", "Ip.InHdrErrors",
	    "Ip.InAddrErrors", "Ip.ForwDatagrams", "Ip.InDiscards", "Ip.InDelivers",
	    "Ip.OutRequests", "Ip.OutDiscards", "Ip.OutNoRoutes", "Ip.ReasmReqds",
	    "Ip.ReasmOKs", "Ip.ReasmFails", "Ip.FragFails", "Ip.FragCreates",
	    "Udp.InDatagrams", "Udp.NoPorts", "Udp.InErrors", "Udp.OutDatagrams",
	    "Udp.RcvbufErrors", "Udp.SndbufErrors", "Udp.InCsumErrors", "Udp.MemErrors" };
	static const char *const names6[PACE_SNMPS] = { "Ip6InReceives", "Ip6InHdrErrors",
	    "Ip6InAddrErrors", "Ip6OutForwDatagrams", "Ip6InDiscards", "Ip6InDelivers",
	    "Ip6OutRequests", "Ip6OutDiscards", "Ip6OutNoRoutes", "Ip6ReasmReqds",
	    "Ip6ReasmOKs", "Ip6ReasmFails", "Ip6FragFails", "Ip6FragCreates",
	    "Udp6InDatagrams", "Udp6NoPorts", "Udp6InErrors", "Udp6OutDatagrams",
	    "Udp6RcvbufErrors", "Udp6SndbufErrors", "Udp6InCsumErrors", "Udp6MemErrors" };

	return ipv6 ? names6[c] : names[c];
}

/* --- differences ---------------------------------------------------------------- */

/* False: a counter went back, so it was reset. */
static bool
subtract(uint64_t *now, const uint64_t *then, int n)
{
	for (int i = 0; i < n; i++)
		if (now[i] < then[i])
			return false;
	for (int i = 0; i < n; i++)
		now[i] -= then[i];
	return true;
}

static const struct pace_core_use *
find_core(const struct pace_counters *c, uint32_t core, uint32_t hint)
{
	if (hint < c->cores && c->core[hint].core == core)
		return &c->core[hint];
	for (uint32_t i = 0; i < c->cores; i++)
		if (c->core[i].core == core)
			return &c->core[i];
	return NULL;
}

/* Time went back by a tick or two on a core that sleeps: the kernel's idle and
 * iowait do that.  The difference is then 0. */
static void
subtract_time(struct pace_core_use *now, const struct pace_core_use *then)
{
	for (int i = 0; i < PACE_CPUS; i++)
		now->ns[i] = now->ns[i] > then->ns[i] ? now->ns[i] - then->ns[i] : 0;
}

/* Counts have 32 bits: one that went back has wrapped once.  A larger value that went back
 * is a sum over interrupts, one of which has disappeared: the difference is not known. */
static void
subtract_counts(struct pace_core_use *now, const struct pace_core_use *then,
    bool known[PACE_CORE_COUNTS])
{
	for (int i = 0; i < PACE_CORE_COUNTS; i++) {
		bool wrapped = now->n[i] < then->n[i];

		if (wrapped && (then->n[i] > UINT32_MAX || i == PACE_CORE_INTERRUPTS)) {
			known[i] = false;
			now->n[i] = 0;
		} else {
			now->n[i] += wrapped ? (UINT64_C(1) << 32) - then->n[i] : 0;
			now->n[i] -= wrapped ? 0 : then->n[i];
		}
	}
}

static void
cores_since(struct pace_counters *now, const struct pace_counters *then)
{
	uint32_t kept = 0;

	memset(&now->all, 0, sizeof(now->all));
	for (uint32_t i = 0; i < now->cores; i++) {
		const struct pace_core_use *before = find_core(then, now->core[i].core, i);
		struct pace_core_use u = now->core[i];

		if (before == NULL)
			continue;
		subtract_counts(&u, before, now->has_core);
		subtract_time(&u, before);
		for (int k = 0; k < PACE_CPUS; k++)
			now->all.ns[k] += u.ns[k];
		for (int k = 0; k < PACE_CORE_COUNTS; k++)
			now->all.n[k] += u.n[k];
		now->core[kept++] = u;
	}
	/* an interface that appeared or vanished may have dropped frames that no difference
	 * shows */
	for (int k = 0; k < PACE_CORE_COUNTS && kept != then->cores; k++)
		now->has_core[k] = false;
	now->cores = kept;
}

static const struct pace_if_use *
find_interface(const struct pace_counters *c, const char *name, uint32_t hint)
{
	if (hint < c->interfaces && strcmp(c->interface[hint].name, name) == 0)
		return &c->interface[hint];
	for (uint32_t i = 0; i < c->interfaces; i++)
		if (strcmp(c->interface[i].name, name) == 0)
			return &c->interface[i];
	return NULL;
}

/* 0: not there before. */
static uint64_t
stat_before(const struct pace_counters *c, const char *interface, const struct pace_if_stat *s,
    uint32_t hint)
{
	for (uint32_t k = 0; k < c->stats; k++) {
		const struct pace_if_stat *b = &c->stat[(hint + k) % c->stats];

		if (strcmp(b->name, s->name) == 0 &&
		    strcmp(c->interface[b->interface].name, interface) == 0)
			return b->n;
	}
	return 0;
}

/* Those of interface number `from` that changed, from *next on; it is number `to` now. */
static void
stats_since(struct pace_counters *now, const struct pace_counters *then, uint32_t from,
    uint32_t to, bool wanted, uint32_t *next, uint32_t *kept)
{
	for (; *next < now->stats && now->stat[*next].interface == from; ++*next) {
		struct pace_if_stat s = now->stat[*next];
		uint64_t before = stat_before(then, now->interface[from].name, &s, *next);

		if (!wanted || s.n <= before)
			continue;
		s.n -= before;
		s.interface = to;
		now->stat[(*kept)++] = s;
	}
}

static void
interfaces_since(struct pace_counters *now, const struct pace_counters *then)
{
	uint32_t kept = 0, next = 0, stats = 0;

	for (uint32_t i = 0; i < now->interfaces; i++) {
		const struct pace_if_use *before = find_interface(then, now->interface[i].name, i);
		struct pace_if_use u = now->interface[i];
		bool steady = before != NULL && subtract(u.n, before->n, PACE_IF_COUNTS);

		stats_since(now, then, i, kept, steady, &next, &stats);
		now->route_left |= !steady && u.route;
		if (!steady)
			continue;
		u.has_qdisc &= before->has_qdisc && u.qdisc_drops >= before->qdisc_drops;
		u.qdisc_drops = u.has_qdisc ? u.qdisc_drops - before->qdisc_drops : 0;
		now->interface[kept++] = u;
	}
	now->interfaces = kept;
	now->stats = stats;
}

void
pace_counters_since(struct pace_counters *now, const struct pace_counters *then)
{
	if (!now->known || !then->known) {
		now->known = false;
		return;
	}
	now->at_ns -= then->at_ns;
	now->thread.user_ns -= then->thread.user_ns;
	now->thread.system_ns -= then->thread.system_ns;
	now->thread.voluntary -= then->thread.voluntary;
	now->thread.involuntary -= then->thread.involuntary;
	now->has_cpu &= then->has_cpu;
	for (int i = 0; i < PACE_CORE_COUNTS; i++)
		now->has_core[i] &= then->has_core[i];
	cores_since(now, then);
	interfaces_since(now, then);
	for (int v6 = 0; v6 < 2; v6++)
		for (int i = 0; i < PACE_SNMPS; i++)
			now->has_snmp[v6][i] &= then->has_snmp[v6][i] &&
			    subtract(&now->snmp[v6][i], &then->snmp[v6][i], 1);
	pace_energy_since(&now->energy, &then->energy);
}

/* --- what they say of losses ------------------------------------------------------- */

/* Does a driver's counter count frames that it dropped? */
static bool
names_a_drop(const char *name)
{
	static const char *const words[] = { "drop", "discard", "miss", "fifo", "no_buf",
	    "nobuf", "out_of_buffer", "no_dma", "crc", "error", "overrun" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	return false;
}

static uint64_t
most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void
driver_drops(const struct pace_counters *c, uint32_t interface, uint64_t *rx, uint64_t *tx)
{
	*rx = *tx = 0;
	for (uint32_t i = 0; i < c->stats; i++) {
		if (c->stat[i].interface != interface || !names_a_drop(c->stat[i].name))
			continue;
		*(strstr(c->stat[i].name, "tx") != NULL ? tx : rx) += c->stat[i].n;
	}
}

/* The errors count the kinds of errors again, in most drivers. */
uint64_t
pace_if_rx_lost(const struct pace_if_use *u)
{
	return u->n[PACE_IF_RX_DROPPED] + most(u->n[PACE_IF_RX_ERRORS],
	    u->n[PACE_IF_RX_FIFO] + u->n[PACE_IF_RX_FRAME_ERRORS]);
}

/* A driver's own counters tell more than the common ones, or the same again. */
static void
interface_drops(const struct pace_counters *c, uint32_t i, struct pace_host_drops *d)
{
	const struct pace_if_use *u = &c->interface[i];
	uint64_t rx = pace_if_rx_lost(u);
	uint64_t tx = u->n[PACE_IF_TX_DROPPED] + most(u->n[PACE_IF_TX_ERRORS],
	    u->n[PACE_IF_TX_FIFO] + u->n[PACE_IF_TX_CARRIER]);
	uint64_t in, out;

	driver_drops(c, i, &in, &out);
	d->has_nic = true;
	d->rx_nic += rx + in;
	d->tx_nic += tx + out;
	d->rx_nic_likely += most(rx, in);
	d->tx_nic_likely += most(tx, out);
	d->has_qdisc |= u->has_qdisc;
	d->tx_qdisc += u->qdisc_drops;
}

/* Datagrams that reached the IP layer and no protocol above it: dropped by a filter,
 * discarded, or a fragment of an incomplete datagram.  A reassembled datagram counts
 * once per fragment as received and once as delivered. */
static void
ip_drops(const struct pace_counters *c, int v6, struct pace_host_drops *d)
{
	const uint64_t *n = c->snmp[v6];
	uint64_t merged = pace_less(n[PACE_IP_REASM_REQDS], n[PACE_IP_REASM_OKS]);

	d->has_ip = c->has_snmp[v6][PACE_IP_IN_RECEIVES] && c->has_snmp[v6][PACE_IP_IN_DELIVERS];
	if (!d->has_ip)
		return;
	d->rx_ip = pace_less(pace_less(n[PACE_IP_IN_RECEIVES], n[PACE_IP_IN_DELIVERS]),
	    n[PACE_IP_FORWARDED]);
	d->rx_ip = pace_less(d->rx_ip, merged) + n[PACE_IP_REASM_FAILS];
}

/* Ethernet's own: ARP, spanning tree, LLDP. */
static uint64_t
chatter(const struct pace_counters *c)
{
	return CHATTER + CHATTER * (uint64_t)(c->at_ns > 0 ? c->at_ns / 1000000000 : 0);
}

/* Frames that an interface counted and IP did not: of the session's, and at most of
 * all.  Frames of other protocols are among them, so a few are not believed, and an
 * interface that lies on another counts them again. */
static void
ingress_drops(const struct pace_counters *c, struct pace_host_drops *d)
{
	const int in = PACE_IP_IN_RECEIVES;
	uint64_t ip = c->snmp[0][in] + c->snmp[1][in], all = 0, rx, tx;

	d->has_ingress = c->has_snmp[0][in] && !c->route_left && pace_counters_seen(c, &rx, &tx);
	if (!d->has_ingress)
		return;
	for (uint32_t i = 0; i < c->interfaces; i++)
		all += c->interface[i].n[PACE_IF_RX_FRAMES];
	d->rx_ingress = pace_less(all, ip);
	d->rx_ingress_likely = pace_less(rx, ip) > chatter(c) ? pace_less(rx, ip) : 0;
}

void
pace_counters_drops(const struct pace_counters *c, bool ipv6, struct pace_host_drops *d)
{
	memset(d, 0, sizeof(*d));
	if (!c->known)
		return;
	for (uint32_t i = 0; i < c->interfaces; i++)
		if (c->interface[i].route)
			interface_drops(c, i, d);
	d->has_nic &= !c->route_left;
	d->has_qdisc &= !c->route_left;
	d->has_softnet = c->has_core[PACE_CORE_SOFTNET_DROPPED];
	d->rx_softnet = c->all.n[PACE_CORE_SOFTNET_DROPPED];
	ip_drops(c, ipv6, d);
	ingress_drops(c, d);
}

bool
pace_counters_seen(const struct pace_counters *c, uint64_t *rx, uint64_t *tx)
{
	bool known = false;

	*rx = *tx = 0;
	for (uint32_t i = 0; c->known && !c->route_left && i < c->interfaces; i++) {
		const struct pace_if_use *u = &c->interface[i];

		if (!u->route)
			continue;
		known = true;
		*rx = most(*rx, u->n[PACE_IF_RX_FRAMES]);
		*tx = most(*tx, u->n[PACE_IF_TX_FRAMES]);
	}
	return known;
}
