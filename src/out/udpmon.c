#include "out/udpmon.h"

#include <math.h>
#include <string.h>

#include "doc/params.h"
#include "out/say.h"
#include "out/scale.h"
#include "out/udpmon_hist.h"

#define HUNDREDS	100		/* ns in UDPmon's 0.1 us */
#define TIME_BINS	150
#define FRAME_BINS	10

/* --- cells, with UDPmon's blanks around them ----------------------------------------- */

static void
nothing(FILE *f, const char *before)
{
	fprintf(f, "%s;", before);
}

/* Print v as %g does; print nothing if it is not finite. */
static void
real(FILE *f, const char *before, double v)
{
	if (isfinite(v))
		fprintf(f, "%s%g;", before, v);
	else
		nothing(f, before);
}

static void
percent(FILE *f, uint64_t part, uint64_t whole)
{
	if (whole > 0)
		fprintf(f, " %.2g;", 100 * (double)part / (double)whole);
	else
		nothing(f, " ");
}

static void
count(FILE *f, bool known, uint64_t v)
{
	if (known)
		fprintf(f, " %llu;", (unsigned long long)v);
	else
		nothing(f, " ");
}

/* Values that UDPmon prints without decimals. */
static void
whole(FILE *f, const char *before, double v)
{
	if (isfinite(v))
		fprintf(f, "%s%.0f;", before, v);
	else
		nothing(f, before);
}

/* --- values of cells ------------------------------------------------------------------- */

/* n frames have n - 1 gaps; NAN: no gap. */
static double
per_gap_us(uint64_t frames, int64_t duration_ns)
{
	return frames > 1 ? (double)duration_ns / 1e3 / (double)(frames - 1) : NAN;
}

static double
span_us(uint64_t frames, int64_t duration_ns)
{
	return frames > 1 ? (double)duration_ns / 1e3 : NAN;
}

/* A rate that could not be computed is stored as 0. */
static double
mbit(double bps)
{
	return bps > 0 ? bps / 1e6 : NAN;
}

static double
gap_quantile(const struct pace_point *p, double q)
{
	return pace_gap_quantile(&p->ask, &p->rx.gap, &p->rx.gap_error, q) / HUNDREDS;
}

/* --- both hosts --------------------------------------------------------------------------- */

static uint32_t
cores_of(const struct pace_counters *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; k->known && i < k->cores; i++)
		if (k->core[i].core >= n)
			n = k->core[i].core + 1;
	return n;
}

void
pace_udpmon_widen(struct pace_udpmon_cfg *cfg, const struct pace_point *p)
{
	uint32_t ours = cores_of(&p->ours), theirs = cores_of(&p->theirs);

	if (ours > cfg->ours)
		cfg->ours = ours;
	if (theirs > cfg->theirs)
		cfg->theirs = theirs;
	cfg->ipv6 |= p->ipv6;
}

static void
cpu_titles(FILE *f, char side, uint32_t cores)
{
	static const char titles[] = " user cpu %; low-prio cpu %; kernel cpu%; idle cpu%;"
	    " iowait cpu %; irq cpu%; softirq cpu%;";

	fprintf(f, " <%c CPU>;%s ;", side, titles);
	for (uint32_t i = 0; i < cores; i++)
		fprintf(f, " %c%lu CPU;%s ;", side, (unsigned long)i, titles);
}

/* Shares of a core's time, without stolen time; kernel: includes iowait, irq and softirq.
 * NULL: not known. */
static void
cpu_shares(FILE *f, const struct pace_core_use *known)
{
	static const struct pace_core_use none;
	const struct pace_core_use *u = known != NULL ? known : &none;
	const uint64_t kernel = u->ns[PACE_CPU_SYSTEM] + u->ns[PACE_CPU_IOWAIT] +
	    u->ns[PACE_CPU_IRQ] + u->ns[PACE_CPU_SOFTIRQ];
	const uint64_t all = kernel + u->ns[PACE_CPU_USER] + u->ns[PACE_CPU_NICE] +
	    u->ns[PACE_CPU_IDLE];
	const uint64_t part[] = { u->ns[PACE_CPU_USER], u->ns[PACE_CPU_NICE], kernel,
	    u->ns[PACE_CPU_IDLE], u->ns[PACE_CPU_IOWAIT], u->ns[PACE_CPU_IRQ],
	    u->ns[PACE_CPU_SOFTIRQ] };

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		whole(f, " ", all > 0 ? 100 * (double)part[i] / (double)all : NAN);
	fputs(" ;", f);
}

static void
cpu_cells(FILE *f, char side, const struct pace_counters *k, uint32_t cores)
{
	bool known = k->known && k->has_cpu;

	fprintf(f, "%c ;", side);
	cpu_shares(f, known ? &k->all : NULL);
	for (uint32_t core = 0; core < cores; core++) {
		const struct pace_core_use *u = NULL;

		for (uint32_t i = 0; known && u == NULL && i < k->cores; i++)
			if (k->core[i].core == core)
				u = &k->core[i];
		fprintf(f, "%c%lu ;", side, (unsigned long)core);
		cpu_shares(f, u);
	}
}

static const enum pace_snmp snmp[] = { PACE_IP_IN_RECEIVES, PACE_IP_IN_DISCARDS,
    PACE_IP_OUT_REQUESTS, PACE_IP_OUT_DISCARDS, PACE_UDP_IN_DATAGRAMS, PACE_UDP_IN_ERRORS,
    PACE_UDP_OUT_DATAGRAMS };
#define SNMPS	(sizeof(snmp) / sizeof(snmp[0]))

static const char *const snmp_titles[][SNMPS] = {	/* of IPv4, of IPv6 */
	{ "InReceives", "InDiscards", "OutRequests", "OutDiscards", "UDPInDatagrams",
	    "UDPInErrors", "UDPOutDatagrams" },
	{ "Ip6InReceives", "Ip6InDiscards", "Ip6OutRequests", "Ip6OutDiscards",
	    "Udp6InDatagrams", "Udp6InErrors", "Udp6OutDatagrams" },
};

static void
net_titles(FILE *f, char side, bool ipv6)
{
	fprintf(f, " %c if; interface:; pktsin; bytesin; errin; dropin; pktsout; bytesout;"
	    " errout; dropout; %c snmp%s;", side, side, ipv6 ? "6" : "");
	for (size_t i = 0; i < SNMPS; i++)
		fprintf(f, " %s;", snmp_titles[ipv6][i]);
}

/* The session's interface: the first one that was found. */
static int
route_of(const struct pace_counters *k)
{
	for (uint32_t i = 0; k->known && i < k->interfaces; i++)
		if (k->interface[i].route)
			return (int)i;
	return -1;
}

static void
net_cells(FILE *f, char side, const struct pace_counters *k, bool ipv6)
{
	static const enum pace_if_count order[] = { PACE_IF_RX_FRAMES, PACE_IF_RX_BYTES,
	    PACE_IF_RX_ERRORS, PACE_IF_RX_DROPPED, PACE_IF_TX_FRAMES, PACE_IF_TX_BYTES,
	    PACE_IF_TX_ERRORS, PACE_IF_TX_DROPPED };
	int route = route_of(k);

	fprintf(f, "%c if;", side);
	if (route >= 0)
		fprintf(f, "%s: ;", k->interface[route].name);
	else
		nothing(f, " ");
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		count(f, route >= 0, route >= 0 ? k->interface[route].n[order[i]] : 0);
	fprintf(f, ipv6 ? " %c snmp6;" : "%c snmp;", side);
	for (size_t i = 0; i < SNMPS; i++)
		count(f, k->known && k->has_snmp[ipv6][snmp[i]], k->snmp[ipv6][snmp[i]]);
}

static const char *const nic_names[] = { "rx_packets", "tx_packets", "rx_packets_phy",
    "tx_packets_phy", "rx_pause_ctrl_phy", "tx_pause_ctrl_phy", "tx_global_pause_duration",
    "rx_crc_errors_phy", "rx_out_of_buffer" };
#define NICS	(sizeof(nic_names) / sizeof(nic_names[0]))

/* A missing counter of a driver did not change or does not exist. */
static void
nic_cells(FILE *f, const struct pace_counters *k)
{
	int route = route_of(k);

	fputs(" R NIC;", f);
	if (route >= 0)
		fprintf(f, " %s;", k->interface[route].name);
	else
		nothing(f, " ");
	for (size_t i = 0; i < NICS; i++) {
		const struct pace_if_stat *found = NULL;

		for (uint32_t s = 0; route >= 0 && s < k->stats; s++)
			if (k->stat[s].interface == (uint32_t)route &&
			    strcmp(k->stat[s].name, nic_names[i]) == 0)
				found = &k->stat[s];
		count(f, found != NULL, found != NULL ? found->n : 0);
	}
}

/* --- streams -------------------------------------------------------------------------------- */

int
pace_udpmon_head(FILE *f, const struct pace_result *r)
{
	const struct pace_say s = { f, true };

	fprintf(f, " %s : udpace %s Command line: ", r->started, r->client.version);
	for (int i = 0; i < r->argc; i++)
		fprintf(f, " %s", r->argv[i]);
	fputs(" \n", f);
	if (r->target[0] != '\0')
		fprintf(f, " The destination IP name: %s IP address: %s\n", r->target, r->address);
	if (r->port != 0)
		fprintf(f, " The destination UDP port is   %u %x  \n", r->port, r->port);
	return pace_say_end(&s);
}

static void
stream_titles(FILE *f, const struct pace_udpmon_cfg *cfg, uint32_t size_bytes)
{
	fprintf(f, " %lu bytes\n ", (unsigned long)size_bytes);
	fputs(" pkt len; num_sent; num_ACKs recv; num_timeout; Time/frame us; inter-pkt_time us;"
	    " Send time; send_user_data_rate Mbit; num_recv; num_lost; num_badorder; %lost;"
	    " num_lost_innet; %lost_innet; Recv time; time/recv pkt; recv_user_data_rate Mbit;"
	    " recv_wire_rate Mbit; num_in_hist; mean; sigma; skew; kurtosis; median; iq25;"
	    " iq75;", f);
	cpu_titles(f, 'L', cfg->ours);
	cpu_titles(f, 'R', cfg->theirs);
	net_titles(f, 'L', cfg->ipv6);
	net_titles(f, 'R', cfg->ipv6);
	fputs(" R NIC; interface:;", f);
	for (size_t i = 0; i < NICS; i++)
		fprintf(f, " %s;", nic_names[i]);
	fputc('\n', f);
}

static void
received_cells(FILE *f, const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;
	const struct pace_share *network = &p->ledger.place[PACE_NETWORK];
	const struct pace_stats *g = &r->gap.stats;
	bool known = p->has_rx && network->known, gaps = p->has_rx && g->n > 0;

	count(f, p->has_rx, r->unique);
	count(f, p->has_rx, r->lost);
	count(f, p->has_rx, r->reordered);
	percent(f, r->lost, p->has_rx ? p->tx.frames : 0);
	count(f, known, network->n);
	percent(f, network->n, known ? p->tx.frames : 0);
	real(f, "  ", p->has_rx ? span_us(r->unique, r->duration_ns) : NAN);
	real(f, "  ", p->has_rx ? per_gap_us(r->unique, r->duration_ns) : NAN);
	real(f, "  ", p->has_rx ? mbit(r->user_rate_bps) : NAN);
	real(f, "  ", p->has_rx ? mbit(r->wire_rate_bps) : NAN);
	fputc(' ', f);			/* mean of all gaps, in 0.1 us */
	count(f, p->has_rx, g->n);
	real(f, " ", gaps ? pace_stats_mean(g) / HUNDREDS : NAN);
	real(f, " ", gaps ? pace_stats_stddev(g) / HUNDREDS : NAN);
	fputs(" ; ;", f);
	whole(f, " ", gaps ? gap_quantile(p, 0.5) : NAN);
	whole(f, " ", gaps ? gap_quantile(p, 0.25) : NAN);
	whole(f, " ", gaps ? gap_quantile(p, 0.75) : NAN);
}

/* gap_error has finer bins near the spacing. */
static bool
time_hist(struct pace_udpmon_hist *to, const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;

	if (pace_udpmon_from_linear_hist(to, &r->linear, HUNDREDS))
		return true;
	to->low = 0;
	to->width = 1;
	to->bins = TIME_BINS;
	return (p->ask.spacing > 0 && r->gap_error.stats.n == r->gap.stats.n &&
	    r->gap_error.clipped == 0 && pace_udpmon_from_hist(to, &r->gap_error,
	    (int64_t)round(pace_params_gap_ns(&p->ask)), HUNDREDS)) ||
	    pace_udpmon_from_hist(to, &r->gap, 0, HUNDREDS);
}

static void
frame_hist(FILE *f, int id, const char *title, const struct pace_hist *h,
    struct pace_udpmon_hist *to)
{
	to->low = 0;
	to->width = 1;
	to->bins = FRAME_BINS;
	if (pace_udpmon_from_hist(to, h, 0, 1))	/* each bin has one value */
		pace_udpmon_put_hist(f, id, title, to);
}

int
pace_udpmon_stream(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_point *p,
    uint32_t size_before, bool *left_out)
{
	const struct pace_say s = { f, true };
	const struct pace_tx *t = &p->tx;
	struct pace_udpmon_hist h;

	*left_out = false;
	if (p->ask.size_bytes != size_before)
		stream_titles(f, cfg, p->ask.size_bytes);
	fprintf(f, " %lu; %llu; ; ;", (unsigned long)p->ask.size_bytes,
	    (unsigned long long)t->frames);
	real(f, " ", per_gap_us(t->frames, t->duration_ns));
	real(f, "  ", pace_params_spacing_ns(&p->ask) / 1e3);
	fputc(' ', f);
	whole(f, " ", span_us(t->frames, t->duration_ns));
	real(f, " ", mbit(t->user_rate_bps));
	received_cells(f, p);
	cpu_cells(f, 'L', &p->ours, cfg->ours);
	cpu_cells(f, 'R', &p->theirs, cfg->theirs);
	net_cells(f, 'L', &p->ours, cfg->ipv6);
	net_cells(f, 'R', &p->theirs, cfg->ipv6);
	nic_cells(f, &p->theirs);
	fputs("  \n", f);
	/* without the responder's part nothing was measured, so no column is missing */
	if (!cfg->hists || !p->has_rx)
		return pace_say_end(&s);
	*left_out = !time_hist(&h, p);
	if (!*left_out)
		pace_udpmon_put_hist(f, 0, "Time between frames 0.1us", &h);
	frame_hist(f, 1, "Lost-frame sequence", &p->rx.runs, &h);
	frame_hist(f, 2, "Out-of-order", &p->rx.extent, &h);
	return pace_say_end(&s);
}

/* --- round trips ------------------------------------------------------------------------------ */

int
pace_udpmon_rtt_head(FILE *f)
{
	const struct pace_say s = { f, true };

	fputs("response len bytes; Req len;  loop_count;  num_bad; time/frame (tod); ave time us;"
	    " min time; max time; num timeouts; \n", f);
	return pace_say_end(&s);
}

static void
whole_us(FILE *f, const char *title, const struct pace_latency *p, double q)
{
	fprintf(f, " %s ", title);
	if (pace_hist_has_quantile(p->rtt.stats.n, q))
		fprintf(f, "%.0f", (double)pace_hist_quantile(&p->rtt, q) / 1e3);
	fputc(';', f);
}

/* The counts come from the bins, the moments and quartiles from all round trips. */
static void
trip_stats(FILE *f, const struct pace_latency *p, const struct pace_udpmon_hist *h)
{
	const struct pace_stats *s = &p->rtt.stats;

	fprintf(f, " counts %llu; underflows %llu; overflows %llu; \n", (unsigned long long)h->n,
	    (unsigned long long)h->underflow, (unsigned long long)h->overflow);
	if (s->n > 0)
		fprintf(f, " mean %.4g sigma %.4g; coeff_skew ; coeff_kurtosis ; \n",
		    pace_stats_mean(s) / 1e3, pace_stats_stddev(s) / 1e3);
	else
		fputs(" mean  sigma ; coeff_skew ; coeff_kurtosis ; \n", f);
	whole_us(f, "median", p, 0.5);
	whole_us(f, "25-quartile", p, 0.25);
	whole_us(f, "75-quartile", p, 0.75);
	fputs(" \n", f);
}

int
pace_udpmon_rtt(FILE *f, const struct pace_udpmon_cfg *cfg, const struct pace_latency *p,
    bool *left_out)
{
	const struct pace_say s = { f, true };
	const struct pace_stats *t = &p->rtt.stats;
	struct pace_udpmon_hist h = { .low = 0, .width = 1, .bins = TIME_BINS };

	*left_out = false;
	fprintf(f, " %lu;  %lu;  %llu;   %llu;", (unsigned long)p->ask.reply_bytes,
	    (unsigned long)p->ask.size_bytes, (unsigned long long)p->sent,
	    (unsigned long long)p->timeouts);
	real(f, "  ", per_gap_us(p->sent, p->duration_ns));
	if (t->n > 0)
		fprintf(f, "  %7.3f;  %6.2f;  %7.3f;", pace_stats_mean(t) / 1e3,
		    (double)t->min / 1e3, (double)t->max / 1e3);
	else
		fputs("  ;  ;  ;", f);
	fprintf(f, " %llu \n", (unsigned long long)p->timeouts);
	if (!cfg->hists)
		return pace_say_end(&s);
	*left_out = !pace_udpmon_from_linear_hist(&h, &p->linear, 1000) &&
	    !pace_udpmon_from_hist(&h, &p->rtt, 0, 1000);
	if (!*left_out) {
		pace_udpmon_put_hist(f, 0, "Time per req-resp us", &h);
		trip_stats(f, p, &h);
	}
	return pace_say_end(&s);
}
