#include "out/csv.h"

#include <math.h>
#include <stddef.h>

#include "doc/departures.h"
#include "doc/aggregate.h"
#include "out/cells.h"
#include "out/scale.h"

static void
bytes(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const uint32_t n = *(const uint32_t *)member;

	(void)c;
	if (n > 0)
		fprintf(f, "%lu", (unsigned long)n);
}

static void
dscp(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%lu", (unsigned long)*(const uint32_t *)member);
}

static void
ecn(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(pace_ecn_names[*(const enum pace_ecn *)member], f);
}

static void
spacing(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_params *a = member;

	(void)c;
	pace_cell_real(f, pace_params_spacing_ns(a), (a->spacing & UINT32_MAX) == 0 ? 0 : 6);
}

static void
stamp(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const enum pace_stamp s = *(const enum pace_stamp *)member;

	(void)c;
	if (s != PACE_STAMP_NONE)
		fputs(pace_stamp_name(s), f);
}

/* Ratio of lost frames to those sent; with q, of reordered frames to those received. */
static void
ratio(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;
	uint64_t part = c->q > 0 ? r->reordered : r->lost;
	uint64_t whole = r->unique + (c->q > 0 ? 0 : r->lost);

	if (whole > 0)
		pace_cell_real(f, (double)part / (double)whole, 12);
}

static void
departed(FILE *f, const void *member, const struct pace_csv_column *c)
{
	struct pace_departures d;

	(void)c;
	if (pace_departures(member, &d))
		pace_cell_real(f, d.share, 12);
}

static void
codes(FILE *f, const void *member, const struct pace_csv_column *c)
{
	struct pace_notes n;

	(void)c;
	pace_point_notes(member, &n);
	pace_cell_codes(f, &n);
}

/* Offset in ns or skew in ppm, in the middle of the run. */
static void
clock_line(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_clock *k = member;

	if (c->q > 0)
		pace_cell_real(f, pace_clock_rate_at(&k->fit, pace_clock_mid(k)) * 1e6, 6);
	else
		fprintf(f, "%lld", (long long)pace_clock_at(&k->fit, pace_clock_mid(k)));
}

static void
put_count(FILE *f, uint64_t n)
{
	fprintf(f, "%llu", (unsigned long long)n);
}

/* Empty if the location has no counter. */
static void
share(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_share *s = member;

	(void)c;
	if (s->known)
		put_count(f, s->n);
}

static void
stream(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const uint32_t number = *(const uint32_t *)member;

	(void)c;
	if (number > 0)
		put_count(f, number - 1);
}

static void
fairness(FILE *f, const void *member, const struct pace_csv_column *c)
{
	struct pace_fairness fair;

	(void)c;
	if (pace_point_fairness(member, &fair) && !isnan(fair.jain))
		pace_cell_real(f, fair.jain, 6);
}

/* --- counters of the hosts, selected by q ------------------------------------------ */

static void
core_count(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	if (k->has_core[(int)c->q])
		put_count(f, k->all.n[(int)c->q]);
}

/* Sum of IPv4 and IPv6. */
static void
snmp(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;
	int i = (int)c->q;

	if (k->has_snmp[0][i] || k->has_snmp[1][i])
		put_count(f, k->snmp[0][i] + k->snmp[1][i]);
}

/* The session's interface: the first one that was found. */
static void
interface(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	for (uint32_t i = 0; i < k->interfaces; i++)
		if (k->interface[i].route) {
			put_count(f, k->interface[i].n[(int)c->q]);
			return;
		}
}

static void
joules(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	(void)c;
	if (k->energy.known)
		pace_cell_real(f, pace_energy_joules(&k->energy), 6);
}

/* --- figures of captures ----------------------------------------------------------- */

static void
not_on_wire(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_point *p = member;
	uint64_t seen = c->q > 0 ? p->rx.wire.frames : p->wire.frames;
	uint64_t of = c->q > 0 ? p->rx.unique + p->rx.lost : p->tx.frames;

	put_count(f, of > seen ? of - seen : 0);
}

static void
wire_dropped(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_wire_check *w = member;

	(void)c;
	if (w->has_drops)
		put_count(f, w->dropped);
}

static void
not_received(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;

	(void)c;
	put_count(f, r->wire.frames > r->unique ? r->wire.frames - r->unique : 0);
}

/* --- whether a value of a point is known -------------------------------------------- */

#define KNOWN(name, what)	PACE_IS_KNOWN(name, struct pace_point, what)

KNOWN(rx, p->has_rx)
KNOWN(marked, p->has_rx && p->rx.marks.frames > 0)
KNOWN(verified, p->has_rx && p->ask.verify)
KNOWN(absolute, p->has_rx && p->rx.has_owd && !p->owd_relative)	/* clocks known well enough */
KNOWN(varied, p->has_rx && p->rx.ipdv.stats.n > 0)
KNOWN(clocks, p->clock.fit.segments > 0)
KNOWN(client, p->ours.known)
KNOWN(client_cpu, p->ours.known && p->ours.has_cpu)
KNOWN(responder, p->has_rx && p->theirs.known)
KNOWN(responder_cpu, p->has_rx && p->theirs.known && p->theirs.has_cpu)
KNOWN(messages, p->has_rx && p->rx.has_messages)
KNOWN(wire_tx, p->has_wire)
KNOWN(wire_rx, p->has_rx && p->rx.has_wire)

#define AT(member)	offsetof(struct pace_point, member)
#define COL(known, name, unit, cell, member) \
	{ name, unit, PACE_CELL_##cell, AT(member), known, 0, NULL }
#define OF(known, name, unit, cell, member, q) \
	{ name, unit, PACE_CELL_##cell, AT(member), known, q, NULL }
#define OWN(known, name, unit, put, at, q)	{ name, unit, PACE_CELL_OWN, at, known, q, put }
#define WIRE(known, is_rx, wire) \
	COL(known, #known, "frames", COUNT, wire.frames), \
	OWN(known, #known "_missing", "frames", not_on_wire, 0, is_rx), \
	COL(known, #known "_copies", "frames", COUNT, wire.copies), \
	COL(known, #known "_packets", "", COUNT, wire.packets), \
	OWN(known, #known "_dropped", "packets", wire_dropped, AT(wire), 0), \
	COL(known, #known "_gaps_differing", "", COUNT, wire.gaps_differing)
#define HOST(host, at) \
	COL(host##_cpu, #host "_cpu_user", "ns", COUNT, at.all.ns[PACE_CPU_USER]), \
	COL(host##_cpu, #host "_cpu_nice", "ns", COUNT, at.all.ns[PACE_CPU_NICE]), \
	COL(host##_cpu, #host "_cpu_system", "ns", COUNT, at.all.ns[PACE_CPU_SYSTEM]), \
	COL(host##_cpu, #host "_cpu_idle", "ns", COUNT, at.all.ns[PACE_CPU_IDLE]), \
	COL(host##_cpu, #host "_cpu_iowait", "ns", COUNT, at.all.ns[PACE_CPU_IOWAIT]), \
	COL(host##_cpu, #host "_cpu_irq", "ns", COUNT, at.all.ns[PACE_CPU_IRQ]), \
	COL(host##_cpu, #host "_cpu_softirq", "ns", COUNT, at.all.ns[PACE_CPU_SOFTIRQ]), \
	COL(host##_cpu, #host "_cpu_steal", "ns", COUNT, at.all.ns[PACE_CPU_STEAL]), \
	OWN(host, #host "_interrupts", "", core_count, AT(at), PACE_CORE_INTERRUPTS), \
	OWN(host, #host "_net_rx", "", core_count, AT(at), PACE_CORE_NET_RX), \
	OWN(host, #host "_softnet_dropped", "", core_count, AT(at), PACE_CORE_SOFTNET_DROPPED), \
	OWN(host, #host "_softnet_squeezed", "", core_count, AT(at), PACE_CORE_SOFTNET_SQUEEZED), \
	COL(host, #host "_thread_user", "ns", COUNT, at.thread.user_ns), \
	COL(host, #host "_thread_system", "ns", COUNT, at.thread.system_ns), \
	COL(host, #host "_thread_voluntary", "", COUNT, at.thread.voluntary), \
	COL(host, #host "_thread_involuntary", "", COUNT, at.thread.involuntary), \
	OWN(host, #host "_ip_in_receives", "", snmp, AT(at), PACE_IP_IN_RECEIVES), \
	OWN(host, #host "_ip_in_discards", "", snmp, AT(at), PACE_IP_IN_DISCARDS), \
	OWN(host, #host "_ip_out_requests", "", snmp, AT(at), PACE_IP_OUT_REQUESTS), \
	OWN(host, #host "_ip_out_discards", "", snmp, AT(at), PACE_IP_OUT_DISCARDS), \
	OWN(host, #host "_udp_in_datagrams", "", snmp, AT(at), PACE_UDP_IN_DATAGRAMS), \
	OWN(host, #host "_udp_in_errors", "", snmp, AT(at), PACE_UDP_IN_ERRORS), \
	OWN(host, #host "_udp_rcvbuf_errors", "", snmp, AT(at), PACE_UDP_RCVBUF_ERRORS), \
	OWN(host, #host "_udp_out_datagrams", "", snmp, AT(at), PACE_UDP_OUT_DATAGRAMS), \
	OWN(host, #host "_if_rx", "frames", interface, AT(at), PACE_IF_RX_FRAMES), \
	OWN(host, #host "_if_rx", "bytes", interface, AT(at), PACE_IF_RX_BYTES), \
	OWN(host, #host "_if_rx_errors", "", interface, AT(at), PACE_IF_RX_ERRORS), \
	OWN(host, #host "_if_rx_dropped", "", interface, AT(at), PACE_IF_RX_DROPPED), \
	OWN(host, #host "_if_tx", "frames", interface, AT(at), PACE_IF_TX_FRAMES), \
	OWN(host, #host "_if_tx", "bytes", interface, AT(at), PACE_IF_TX_BYTES), \
	OWN(host, #host "_if_tx_errors", "", interface, AT(at), PACE_IF_TX_ERRORS), \
	OWN(host, #host "_if_tx_dropped", "", interface, AT(at), PACE_IF_TX_DROPPED), \
	OWN(host, #host "_energy", "joules", joules, AT(at), 0)
#define TX(name, unit, cell, member)	COL(NULL, name, unit, cell, member)
#define RX(name, unit, cell, member)	COL(rx, name, unit, cell, member)
#define PLACE(name, which)	OWN(rx, name, "frames", share, AT(ledger.place[which]), 0)
#define HIST(known, name, member)	PACE_HIST_COLUMNS(known, name, AT(member))

static const struct pace_csv_column columns[] = {
	OWN(NULL, "size", "bytes", bytes, AT(ask.size_bytes), 0),
	OWN(NULL, "spacing", "ns", spacing, AT(ask), 0),
	TX("count", "", COUNT, ask.count),
	TX("asked_duration", "ns", POSITIVE, ask.duration_ns),
	TX("train", "", COUNT, ask.train),
	TX("bursts", "", COUNT, ask.bursts),
	TX("verdict", "", VERDICT, verdict),
	TX("interrupted", "", FLAG, interrupted),

	TX("tx", "frames", COUNT, tx.frames),
	TX("tx", "bytes", COUNT, tx.bytes),
	TX("tx_duration", "ns", POSITIVE, tx.duration_ns),
	OF(NULL, "tx_user_rate", "bps", RATE, tx.user_rate_bps, 1),
	OF(NULL, "tx_wire_rate", "bps", RATE, tx.wire_rate_bps, 1),
	TX("tx_late", "frames", COUNT, tx.late_frames),
	TX("tx_refused", "frames", COUNT, tx.refused),
	TX("tx_preempted", "", COUNT, tx.preempted),
	TX("tx_steal", "ns", INTEGER, tx.steal_ns),
	TX("tx_skipped", "", COUNT, tx.skipped),
	TX("tx_schedule_shifts", "", COUNT, tx.schedule_shifts),
	TX("tx_schedule_shifted", "ns", INTEGER, tx.schedule_shifted_ns),
	TX("tx_stalls", "", COUNT, tx.stalls.count),
	TX("tx_stall_max", "ns", INTEGER, tx.stalls.max_ns),
	OWN(NULL, "tx_stamp", "", stamp, AT(tx.stamp), 0),
	HIST(NULL, "tx_gap", tx.gap),
	HIST(NULL, "tx_gap_error", tx.gap_error),
	HIST(NULL, "tx_stamped_gap_error", tx.stamped_gap_error),
	OWN(NULL, "tx_departed_near", "ratio", departed, 0, 0),

	RX("rx", "frames", COUNT, rx.frames),
	RX("rx_unique", "frames", COUNT, rx.unique),
	RX("rx", "bytes", COUNT, rx.bytes),
	RX("rx_duration", "ns", POSITIVE, rx.duration_ns),
	OF(rx, "rx_user_rate", "bps", RATE, rx.user_rate_bps, 1),
	OF(rx, "rx_wire_rate", "bps", RATE, rx.wire_rate_bps, 1),
	RX("rx_coalesced_stamps", "", COUNT, rx.coalesced_stamps),
	RX("rx_unstamped", "frames", COUNT, rx.unstamped),
	RX("rx_clock_steps", "", COUNT, rx.clock_steps),
	OWN(rx, "rx_stamp", "", stamp, AT(rx.stamp), 0),
	OWN(rx, "rx_rcvbuf_asked", "bytes", bytes, AT(rx.rcvbuf_asked), 0),
	OWN(rx, "rx_rcvbuf_granted", "bytes", bytes, AT(rx.rcvbuf_granted), 0),
	RX("rx_socket_drops", "frames", COUNT, rx.socket_drops),
	HIST(rx, "rx_gap", rx.gap),
	HIST(rx, "rx_gap_error", rx.gap_error),

	RX("loss", "frames", COUNT, rx.lost),
	OWN(rx, "loss", "ratio", ratio, AT(rx), 0),
	RX("loss_runs", "", N, rx.runs),
	RX("loss_longest_run", "frames", MAX, rx.runs),
	TX("ledger_asked", "frames", COUNT, ledger.asked),
	PLACE("ledger_rx_checksum", PACE_RX_CHECKSUM),
	PLACE("ledger_rx_socket", PACE_RX_SOCKET),
	PLACE("ledger_network", PACE_NETWORK),
	RX("duplicates", "frames", COUNT, rx.duplicates),
	RX("replicated", "frames", COUNT, rx.replicated),
	COL(verified, "corrupt", "frames", COUNT, rx.corrupt),
	RX("foreign", "frames", COUNT, rx.foreign),
	RX("reordered", "frames", COUNT, rx.reordered),
	OWN(rx, "reordered", "ratio", ratio, AT(rx), 1),
	RX("reordered_extent_max", "frames", MAX, rx.extent),
	RX("reordered_late_max", "ns", MAX, rx.late_ns),
	RX("beyond_window", "frames", COUNT, rx.beyond_window),
	COL(messages, "messages_complete", "", COUNT, rx.messages.complete),
	COL(messages, "messages_incomplete", "", COUNT, rx.messages.incomplete),
	COL(messages, "messages_lost", "", COUNT, rx.messages.lost),
	OWN(NULL, "notes", "", codes, 0, 0),

	OF(absolute, "owd_p50", "ns", QUANTILE, rx.owd, 0.5),
	OF(absolute, "owd_p99", "ns", QUANTILE, rx.owd, 0.99),
	COL(absolute, "owd_min", "ns", MIN, rx.owd),
	COL(absolute, "owd_max", "ns", MAX, rx.owd),
	OF(rx, "pdv_p99", "ns", QUANTILE, rx.pdv, 0.99),
	OF(rx, "ipdv_p1", "ns", QUANTILE, rx.ipdv, 0.01),
	OF(rx, "ipdv_p99", "ns", QUANTILE, rx.ipdv, 0.99),
	OF(varied, "jitter_rfc3550", "ns", REAL, rx.jitter_ns, 3),
	OWN(clocks, "clock_offset", "ns", clock_line, AT(clock), 0),
	OWN(clocks, "clock_skew", "ppm", clock_line, AT(clock), 1),
	OF(clocks, "clock_bound", "ns", REAL, clock.fit.bound_ns, 3),

	PLACE("ledger_rx_late", PACE_RX_LATE),
	PLACE("ledger_rx_ip", PACE_RX_IP),
	PLACE("ledger_rx_ingress", PACE_RX_INGRESS),
	PLACE("ledger_rx_softnet", PACE_RX_SOFTNET),
	PLACE("ledger_rx_nic", PACE_RX_NIC),
	PLACE("ledger_tx_qdisc", PACE_TX_QDISC),
	PLACE("ledger_tx_nic", PACE_TX_NIC),
	RX("ledger_network_low", "frames", COUNT, ledger.place[PACE_NETWORK].low),
	RX("ledger_network_high", "frames", COUNT, ledger.place[PACE_NETWORK].high),
	HOST(client, ours),
	HOST(responder, theirs),
	WIRE(wire_tx, 0, wire),
	HIST(NULL, "wire_tx_gap", wire.gap),
	HIST(NULL, "wire_tx_gap_difference", wire.gap_difference),
	WIRE(wire_rx, 1, rx.wire),
	OWN(wire_rx, "wire_rx_not_received", "frames", not_received, AT(rx), 0),
	HIST(rx, "wire_rx_gap", rx.wire.gap),
	HIST(rx, "wire_rx_gap_difference", rx.wire.gap_difference),
	COL(NULL, "direction", "", DIRECTION, ask.direction),
	OWN(NULL, "streams", "", bytes, AT(ask.streams), 0),
	OWN(NULL, "stream", "", stream, AT(number), 0),
	OWN(NULL, "fairness", "", fairness, 0, 0),
	OWN(NULL, "dscp", "", dscp, AT(ask.dscp), 0),
	OWN(NULL, "ecn", "", ecn, AT(ask.ecn), 0),
	COL(marked, "marks", "frames", COUNT, rx.marks.frames),
	COL(marked, "marks_not_ect", "frames", COUNT, rx.marks.ecn[PACE_ECN_NOT_ECT]),
	COL(marked, "marks_ect1", "frames", COUNT, rx.marks.ecn[PACE_ECN_ECT1]),
	COL(marked, "marks_ect0", "frames", COUNT, rx.marks.ecn[PACE_ECN_ECT0]),
	COL(marked, "marks_ce", "frames", COUNT, rx.marks.ecn[PACE_ECN_CE]),
	COL(marked, "marks_ecn_changed", "frames", COUNT, rx.marks.ecn_changed),
	COL(marked, "marks_dscp_changed", "frames", COUNT, rx.marks.dscp_changed),
	OWN(marked, "marks_dscp", "", dscp, AT(rx.marks.dscp), 0),
	COL(marked, "marks_dscp", "frames", COUNT, rx.marks.dscp_frames),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

const char pace_csv_short[] = "size_bytes,spacing_ns,verdict,tx_frames,tx_wire_rate_bps,"
    "rx_user_rate_bps,"
    "rx_wire_rate_bps,rx_gap_p50_ns,rx_gap_p99_ns,loss_frames,loss_ratio,"
    "duplicates_frames,reordered_frames,"
    "owd_p50_ns,owd_p99_ns,jitter_rfc3550_ns,notes,direction";

int
pace_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_csv_point(FILE *f, const struct pace_point *p)
{
	return pace_cells_row(f, columns, COLUMNS, p);
}
