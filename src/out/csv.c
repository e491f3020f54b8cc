#include "out/csv.h"

#include <math.h>
#include <stddef.h>

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

/* 0 is how a rate that could not be computed is kept. */
static void
rate(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	if (*(const double *)member > 0)
		pace_cell_real(f, *(const double *)member, 1);
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

static void
ratio(FILE *f, uint64_t part, uint64_t whole)
{
	if (whole > 0)
		pace_cell_real(f, (double)part / (double)whole, 12);
}

static void
loss_ratio(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;

	(void)c;
	ratio(f, r->lost, r->lost + r->unique);
}

static void
reordered_ratio(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;

	(void)c;
	ratio(f, r->reordered, r->unique);
}

/* Only of a run that verified. */
static void
corrupt(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_point *p = member;

	if (p->ask.verify)
		pace_cell_count(f, &p->rx.corrupt, c);
}

static void
codes(FILE *f, const void *member, const struct pace_csv_column *c)
{
	struct pace_notes n;

	pace_point_notes(member, &n);
	pace_cell_codes(f, &n, c);
}

/* Told only where the clocks are known well enough. */
static void
owd(FILE *f, const struct pace_point *p, const struct pace_csv_column *c,
    void (*put)(FILE *, const void *, const struct pace_csv_column *))
{
	if (p->rx.has_owd && !p->owd_relative)
		put(f, &p->rx.owd, c);
}

static void
owd_quantile(FILE *f, const void *member, const struct pace_csv_column *c)
{
	owd(f, member, c, pace_cell_hist_quantile);
}

static void
owd_min(FILE *f, const void *member, const struct pace_csv_column *c)
{
	owd(f, member, c, pace_cell_hist_min);
}

static void
owd_max(FILE *f, const void *member, const struct pace_csv_column *c)
{
	owd(f, member, c, pace_cell_hist_max);
}

static void
jitter(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;

	(void)c;
	if (r->ipdv.stats.n > 0)
		pace_cell_real(f, r->jitter_ns, 3);
}

static void
clock_offset(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		fprintf(f, "%lld", (long long)pace_clock_at(&k->fit,
		    k->from_ns + (k->to_ns - k->from_ns) / 2));
}

static void
clock_skew(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		pace_cell_real(f, pace_clock_rate_at(&k->fit, pace_clock_mid(k)) * 1e6, 6);
}

static void
clock_bound(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_clock *k = member;

	(void)c;
	if (k->fit.segments > 0)
		pace_cell_real(f, k->fit.bound_ns, 3);
}

/* Empty where nothing counts. */
static void
share(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_share *s = member;

	if (s->known)
		pace_cell_count(f, &s->n, c);
}

static void
network_bound(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_share *s = member;

	pace_cell_count(f, c->q > 0 ? &s->high : &s->low, c);
}

/* --- what the hosts counted: q says which ------------------------------------------ */

static void
cpu_time(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	if (k->known && k->has_cpu)
		pace_cell_count(f, &k->all.ns[(int)c->q], c);
}

static void
core_count(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	if (k->known && k->has_core[(int)c->q])
		pace_cell_count(f, &k->all.n[(int)c->q], c);
}

static void
thread_figure(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;
	const uint64_t n[] = { k->thread.user_ns, k->thread.system_ns, k->thread.voluntary,
	    k->thread.involuntary };

	if (k->known)
		pace_cell_count(f, &n[(int)c->q], c);
}

/* Of both families. */
static void
snmp(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;
	uint64_t sum = k->snmp[0][(int)c->q] + k->snmp[1][(int)c->q];

	if (k->known && (k->has_snmp[0][(int)c->q] || k->has_snmp[1][(int)c->q]))
		pace_cell_count(f, &sum, c);
}

/* Of the session's interface, the first that was found. */
static void
interface(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	for (uint32_t i = 0; k->known && i < k->interfaces; i++)
		if (k->interface[i].route) {
			pace_cell_count(f, &k->interface[i].n[(int)c->q], c);
			return;
		}
}

static void
joules(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_counters *k = member;

	(void)c;
	if (k->known && k->energy.known)
		pace_cell_real(f, pace_energy_joules(&k->energy), 6);
}

/* --- what captures saw: q says which figure ------------------------------------------- */

static void
wire_figure(FILE *f, const struct pace_wire_check *w, uint64_t of, const struct pace_csv_column *c)
{
	const uint64_t n[] = { w->frames, of > w->frames ? of - w->frames : 0, w->copies, w->packets,
	    w->dropped, w->apart };

	if (c->q != 4 || w->has_drops)
		pace_cell_count(f, &n[(int)c->q], c);
}

static void
wire_tx(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_point *p = member;

	if (p->has_wire)
		wire_figure(f, &p->wire, p->tx.frames, c);
}

static void
wire_rx(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;

	if (r->has_wire)
		wire_figure(f, &r->wire, r->unique + r->lost, c);
}

static void
not_received(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_rx_result *r = member;
	uint64_t n = r->wire.frames > r->unique ? r->wire.frames - r->unique : 0;

	if (r->has_wire)
		pace_cell_count(f, &n, c);
}

#define AT(member)	offsetof(struct pace_point, member)
#define WIRE(is_rx, name, put, at) \
	{ name, "frames", put, at, is_rx, 0 }, \
	{ name "_missing", "frames", put, at, is_rx, 1 }, \
	{ name "_copies", "frames", put, at, is_rx, 2 }, \
	{ name "_packets", "", put, at, is_rx, 3 }, \
	{ name "_dropped", "packets", put, at, is_rx, 4 }, \
	{ name "_apart", "", put, at, is_rx, 5 }
#define HOST(rx, name, at) \
	{ name "_cpu_user", "ns", cpu_time, AT(at), rx, PACE_CPU_USER }, \
	{ name "_cpu_nice", "ns", cpu_time, AT(at), rx, PACE_CPU_NICE }, \
	{ name "_cpu_system", "ns", cpu_time, AT(at), rx, PACE_CPU_SYSTEM }, \
	{ name "_cpu_idle", "ns", cpu_time, AT(at), rx, PACE_CPU_IDLE }, \
	{ name "_cpu_iowait", "ns", cpu_time, AT(at), rx, PACE_CPU_IOWAIT }, \
	{ name "_cpu_irq", "ns", cpu_time, AT(at), rx, PACE_CPU_IRQ }, \
	{ name "_cpu_softirq", "ns", cpu_time, AT(at), rx, PACE_CPU_SOFTIRQ }, \
	{ name "_cpu_steal", "ns", cpu_time, AT(at), rx, PACE_CPU_STEAL }, \
	{ name "_interrupts", "", core_count, AT(at), rx, PACE_CORE_INTERRUPTS }, \
	{ name "_net_rx", "", core_count, AT(at), rx, PACE_CORE_NET_RX }, \
	{ name "_softnet_dropped", "", core_count, AT(at), rx, PACE_CORE_SOFTNET_DROPPED }, \
	{ name "_softnet_squeezed", "", core_count, AT(at), rx, PACE_CORE_SOFTNET_SQUEEZED }, \
	{ name "_thread_user", "ns", thread_figure, AT(at), rx, 0 }, \
	{ name "_thread_system", "ns", thread_figure, AT(at), rx, 1 }, \
	{ name "_thread_voluntary", "", thread_figure, AT(at), rx, 2 }, \
	{ name "_thread_involuntary", "", thread_figure, AT(at), rx, 3 }, \
	{ name "_ip_in_receives", "", snmp, AT(at), rx, PACE_IP_IN_RECEIVES }, \
	{ name "_ip_in_discards", "", snmp, AT(at), rx, PACE_IP_IN_DISCARDS }, \
	{ name "_ip_out_requests", "", snmp, AT(at), rx, PACE_IP_OUT_REQUESTS }, \
	{ name "_ip_out_discards", "", snmp, AT(at), rx, PACE_IP_OUT_DISCARDS }, \
	{ name "_udp_in_datagrams", "", snmp, AT(at), rx, PACE_UDP_IN_DATAGRAMS }, \
	{ name "_udp_in_errors", "", snmp, AT(at), rx, PACE_UDP_IN_ERRORS }, \
	{ name "_udp_rcvbuf_errors", "", snmp, AT(at), rx, PACE_UDP_RCVBUF_ERRORS }, \
	{ name "_udp_out_datagrams", "", snmp, AT(at), rx, PACE_UDP_OUT_DATAGRAMS }, \
	{ name "_if_rx", "frames", interface, AT(at), rx, PACE_IF_RX_FRAMES }, \
	{ name "_if_rx", "bytes", interface, AT(at), rx, PACE_IF_RX_BYTES }, \
	{ name "_if_rx_errors", "", interface, AT(at), rx, PACE_IF_RX_ERRORS }, \
	{ name "_if_rx_dropped", "", interface, AT(at), rx, PACE_IF_RX_DROPPED }, \
	{ name "_if_tx", "frames", interface, AT(at), rx, PACE_IF_TX_FRAMES }, \
	{ name "_if_tx", "bytes", interface, AT(at), rx, PACE_IF_TX_BYTES }, \
	{ name "_if_tx_errors", "", interface, AT(at), rx, PACE_IF_TX_ERRORS }, \
	{ name "_if_tx_dropped", "", interface, AT(at), rx, PACE_IF_TX_DROPPED }, \
	{ name "_energy", "joules", joules, AT(at), rx, 0 }
#define TX(name, unit, put, member)	{ name, unit, put, AT(member), false, 0 }
#define RX(name, unit, put, member)	{ name, unit, put, AT(member), true, 0 }
#define PLACE(name, which)	RX(name, "frames", share, ledger.place[which])
#define HIST(rx, name, member)	PACE_HIST_COLUMNS(rx, name, AT(member))

static const struct pace_csv_column columns[] = {
	TX("size", "bytes", bytes, ask.size_bytes),
	TX("spacing", "ns", spacing, ask),
	TX("count", "", pace_cell_count, ask.count),
	TX("asked_duration", "ns", pace_cell_positive, ask.duration_ns),
	TX("train", "", pace_cell_count, ask.train),
	TX("bursts", "", pace_cell_count, ask.bursts),
	TX("verdict", "", pace_cell_verdict, verdict),
	TX("interrupted", "", pace_cell_flag, interrupted),

	TX("tx", "frames", pace_cell_count, tx.frames),
	TX("tx", "bytes", pace_cell_count, tx.bytes),
	TX("tx_duration", "ns", pace_cell_positive, tx.duration_ns),
	TX("tx_user_rate", "bps", rate, tx.user_rate_bps),
	TX("tx_wire_rate", "bps", rate, tx.wire_rate_bps),
	TX("tx_late", "frames", pace_cell_count, tx.late_frames),
	TX("tx_refused", "frames", pace_cell_count, tx.refused),
	TX("tx_preempted", "", pace_cell_count, tx.preempted),
	TX("tx_steal", "ns", pace_cell_integer, tx.steal_ns),
	TX("tx_skipped", "", pace_cell_count, tx.skipped),
	TX("tx_slips", "", pace_cell_count, tx.slips),
	TX("tx_slipped", "ns", pace_cell_integer, tx.slipped_ns),
	TX("tx_stalls", "", pace_cell_count, tx.stalls.count),
	TX("tx_stall_max", "ns", pace_cell_integer, tx.stalls.max_ns),
	TX("tx_stamp", "", stamp, tx.stamp),
	HIST(false, "tx_gap", tx.gap),
	HIST(false, "tx_gap_error", tx.gap_error),

	RX("rx", "frames", pace_cell_count, rx.frames),
	RX("rx_unique", "frames", pace_cell_count, rx.unique),
	RX("rx", "bytes", pace_cell_count, rx.bytes),
	RX("rx_duration", "ns", pace_cell_positive, rx.duration_ns),
	RX("rx_user_rate", "bps", rate, rx.user_rate_bps),
	RX("rx_wire_rate", "bps", rate, rx.wire_rate_bps),
	RX("rx_coalesced_stamps", "", pace_cell_count, rx.coalesced_stamps),
	RX("rx_unstamped", "frames", pace_cell_count, rx.unstamped),
	RX("rx_clock_steps", "", pace_cell_count, rx.clock_steps),
	RX("rx_stamp", "", stamp, rx.stamp),
	RX("rx_rcvbuf_asked", "bytes", bytes, rx.rcvbuf_asked),
	RX("rx_rcvbuf_granted", "bytes", bytes, rx.rcvbuf_granted),
	RX("rx_socket_drops", "frames", pace_cell_count, rx.socket_drops),
	HIST(true, "rx_gap", rx.gap),
	HIST(true, "rx_gap_error", rx.gap_error),

	RX("loss", "frames", pace_cell_count, rx.lost),
	RX("loss", "ratio", loss_ratio, rx),
	RX("loss_runs", "", pace_cell_hist_count, rx.runs),
	RX("loss_longest_run", "frames", pace_cell_hist_max, rx.runs),
	TX("ledger_asked", "frames", pace_cell_count, ledger.asked),
	PLACE("ledger_rx_checksum", PACE_RX_CHECKSUM),
	PLACE("ledger_rx_socket", PACE_RX_SOCKET),
	PLACE("ledger_network", PACE_NETWORK),
	RX("duplicates", "frames", pace_cell_count, rx.duplicates),
	RX("replicated", "frames", pace_cell_count, rx.replicated),
	{ "corrupt", "frames", corrupt, 0, true, 0 },
	RX("foreign", "frames", pace_cell_count, rx.foreign),
	RX("reordered", "frames", pace_cell_count, rx.reordered),
	RX("reordered", "ratio", reordered_ratio, rx),
	RX("reordered_extent_max", "frames", pace_cell_hist_max, rx.extent),
	RX("reordered_late_max", "ns", pace_cell_hist_max, rx.late_ns),
	RX("beyond_window", "frames", pace_cell_count, rx.beyond_window),
	{ "notes", "", codes, 0, false, 0 },

	{ "owd_p50", "ns", owd_quantile, 0, true, 0.5 },
	{ "owd_p99", "ns", owd_quantile, 0, true, 0.99 },
	{ "owd_min", "ns", owd_min, 0, true, 0 },
	{ "owd_max", "ns", owd_max, 0, true, 0 },
	{ "pdv_p99", "ns", pace_cell_hist_quantile, AT(rx.pdv), true, 0.99 },
	{ "ipdv_p1", "ns", pace_cell_hist_quantile, AT(rx.ipdv), true, 0.01 },
	{ "ipdv_p99", "ns", pace_cell_hist_quantile, AT(rx.ipdv), true, 0.99 },
	RX("jitter_rfc3550", "ns", jitter, rx),
	TX("clock_offset", "ns", clock_offset, clock),
	TX("clock_skew", "ppm", clock_skew, clock),
	TX("clock_bound", "ns", clock_bound, clock),

	PLACE("ledger_rx_late", PACE_RX_LATE),
	PLACE("ledger_rx_ip", PACE_RX_IP),
	PLACE("ledger_rx_ingress", PACE_RX_INGRESS),
	PLACE("ledger_rx_softnet", PACE_RX_SOFTNET),
	PLACE("ledger_rx_nic", PACE_RX_NIC),
	PLACE("ledger_tx_qdisc", PACE_TX_QDISC),
	PLACE("ledger_tx_nic", PACE_TX_NIC),
	{ "ledger_network_low", "frames", network_bound, AT(ledger.place[PACE_NETWORK]), true, 0 },
	{ "ledger_network_high", "frames", network_bound, AT(ledger.place[PACE_NETWORK]), true, 1 },
	HOST(false, "client", ours),
	HOST(true, "responder", theirs),
	WIRE(false, "wire_tx", wire_tx, 0),
	HIST(false, "wire_tx_gap", wire.gap),
	HIST(false, "wire_tx_gap_difference", wire.gap_difference),
	WIRE(true, "wire_rx", wire_rx, AT(rx)),
	RX("wire_rx_not_received", "frames", not_received, rx),
	HIST(true, "wire_rx_gap", rx.wire.gap),
	HIST(true, "wire_rx_gap_difference", rx.wire.gap_difference),
};
#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

int
pace_csv_head(FILE *f)
{
	return pace_cells_head(f, columns, COLUMNS);
}

int
pace_csv_point(FILE *f, const struct pace_point *p)
{
	return pace_cells_row(f, columns, COLUMNS, p, p->has_rx);
}
