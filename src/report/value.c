#include "config.h"

#include "report/value.h"

#include <math.h>
#include <string.h>

#include "doc/intervals.h"

/* If nothing arrived, the rate is 0, not unknown. */
static double
rate_of(const struct pace_stream_point *l, uint64_t sent, uint64_t arrived, double bps)
{
	if (l->has_rx && arrived == 0 && sent > 0)
		return 0;
	return l->has_rx && bps > 0 ? bps : NAN;
}

static double
received(const struct pace_stream_point *l, double bps)
{
	return rate_of(l, l->tx.frames, l->rx.unique, bps);
}

double
pace_value_interval_bps(const struct pace_stream_point *l, const struct pace_interval *o)
{
	return rate_of(l, o->sent, o->rx.received, o->rx.user_rate_bps);
}

/* Ratio to the frames sent, of which all are `one` (1, or 100 for per cent). */
static double
of_sent(const struct pace_stream_point *l, double one, uint64_t frames)
{
	return l->has_rx && l->tx.frames > 0 ? one * (double)frames / (double)l->tx.frames : NAN;
}

/* --- core time ---------------------------------------------------------------------------- */

static double
busy_ns(const struct pace_core_use *u, double *all)
{
	uint64_t busy = 0, idle = u->ns[PACE_CPU_IDLE] + u->ns[PACE_CPU_IOWAIT];

	for (int i = 0; i < PACE_CPUS; i++)
		busy += i == PACE_CPU_IDLE || i == PACE_CPU_IOWAIT ? 0 : u->ns[i];
	*all = (double)(busy + idle);
	return (double)busy;
}

/*
 * The host also counts while the responder waits for late frames, and then counts other work
 * as well.  If the wait lasted nine times as long as the stream or longer, the counters say
 * little about the stream.
 */
static bool
of_stream(const struct pace_counters *c, const struct pace_stream_point *l)
{
	return c->known && l->tx.duration_ns > 0 && c->at_ns / 10 <= l->tx.duration_ns;
}

/* Time of the busiest core in states a and b, per cent; PACE_CPUS: in all but idle and iowait. */
static double
core_time(const struct pace_stream_point *l, const struct pace_counters *c, enum pace_cpu a,
    enum pace_cpu b)
{
	const struct pace_core_use *u = c->core;
	double all, busy, most = -1, one;

	if (!c->known || !c->has_cpu || c->cores == 0 || !of_stream(c, l))
		return NAN;
	for (uint32_t i = 0; i < c->cores; i++) {
		busy = busy_ns(&c->core[i], &all);
		if (busy > most) {
			u = &c->core[i];
			most = busy;
		}
	}
	busy = busy_ns(u, &all);
	one = fmax((double)l->tx.duration_ns, busy);	/* also busy during the wait: 100 % */
	if (a != PACE_CPUS)
		busy = (double)u->ns[a] + (b != a ? (double)u->ns[b] : 0);
	return all > 0 ? 100 * busy / one : NAN;
}

/* --- counters ------------------------------------------------------------------------------ */

static double
per_second(const struct pace_stream_point *l, bool known, uint64_t n)
{
	return known && l->tx.duration_ns > 0 ? (double)n * 1e9 / (double)l->tx.duration_ns : NAN;
}

/* Sum over all cores; includes interrupts that the stream did not cause. */
static double
core_events(const struct pace_stream_point *l, const struct pace_counters *c,
    enum pace_core_count k)
{
	const bool known = k == PACE_CORE_INTERRUPTS ? of_stream(c, l) : c->known;

	return per_second(l, known && c->has_core[k], c->all.n[k]);
}

/* Frames that the NIC dropped, overran or received corrupted, as in the ledger. */
static double
nic_drops(const struct pace_stream_point *l, const struct pace_counters *c)
{
	struct pace_host_drops d;

	pace_counters_drops(c, false, &d);
	return per_second(l, d.has_nic, d.rx_nic_likely);
}

static double
pauses(const struct pace_stream_point *l, const struct pace_counters *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->stats; i++)
		if (strstr(c->stat[i].name, "pause") != NULL)
			sum += c->stat[i].n;
	return per_second(l, c->known && c->interfaces > 0, sum);
}

/* Sum of both hosts, or the value of the one that has it. */
static double
all_pauses(const struct pace_stream_point *l)
{
	const double sender = pauses(l, &l->sender), receiver = pauses(l, &l->receiver);

	return isnan(sender) ? receiver : isnan(receiver) ? sender : sender + receiver;
}

double
pace_value(const struct pace_stream_point *l, enum pace_value v)
{
	const struct pace_share *network = &l->ledger.place[PACE_NETWORK];

	switch (v) {
	case PACE_RECEIVED_WIRE:	return received(l, l->rx.wire_rate_bps);
	case PACE_RECEIVED_USER:	return received(l, l->rx.user_rate_bps);
	case PACE_SENT_WIRE:	return l->tx.wire_rate_bps > 0 ? l->tx.wire_rate_bps : NAN;
	case PACE_SENT_USER:	return l->tx.user_rate_bps > 0 ? l->tx.user_rate_bps : NAN;
	case PACE_LOSS:		return of_sent(l, 1, l->rx.lost);
	case PACE_REORDERED:	return l->has_rx ? (double)l->rx.reordered : NAN;
	case PACE_LOST_NETWORK:	return of_sent(l, 100, network->n);
	case PACE_LOST_NETWORK_LOW:	return of_sent(l, 100, network->low);
	case PACE_LOST_NETWORK_HIGH:	return of_sent(l, 100, network->high);
	case PACE_LOST_HOSTS:	return of_sent(l, 100, l->rx.lost - network->n);
	case PACE_LOST_HOSTS_LOW:	return of_sent(l, 100, l->rx.lost > network->high ?
	    l->rx.lost - network->high : 0);
	case PACE_LOST_HOSTS_HIGH:	return of_sent(l, 100, l->rx.lost - network->low);
	case PACE_RX_SOFTIRQ:	return core_time(l, &l->receiver, PACE_CPU_SOFTIRQ, PACE_CPU_IRQ);
	case PACE_RX_SYSTEM:	return core_time(l, &l->receiver, PACE_CPU_SYSTEM, PACE_CPU_SYSTEM);
	case PACE_RX_USER:	return core_time(l, &l->receiver, PACE_CPU_USER, PACE_CPU_NICE);
	case PACE_RX_BUSY:	return core_time(l, &l->receiver, PACE_CPUS, PACE_CPUS);
	case PACE_TX_SOFTIRQ:	return core_time(l, &l->sender, PACE_CPU_SOFTIRQ, PACE_CPU_IRQ);
	case PACE_TX_SYSTEM:	return core_time(l, &l->sender, PACE_CPU_SYSTEM, PACE_CPU_SYSTEM);
	case PACE_TX_USER:	return core_time(l, &l->sender, PACE_CPU_USER, PACE_CPU_NICE);
	case PACE_TX_BUSY:	return core_time(l, &l->sender, PACE_CPUS, PACE_CPUS);
	case PACE_RX_INTERRUPTS: return core_events(l, &l->receiver, PACE_CORE_INTERRUPTS);
	case PACE_RX_SQUEEZED: return core_events(l, &l->receiver, PACE_CORE_SOFTNET_SQUEEZED);
	case PACE_RX_NIC_DROPS:	return nic_drops(l, &l->receiver);
	case PACE_PAUSES:	return all_pauses(l);
	case PACE_TX_INTERRUPTS: return core_events(l, &l->sender, PACE_CORE_INTERRUPTS);
	}
	return NAN;
}

double
pace_value_largest(const struct pace_run *r, enum pace_value v)
{
	double most = 0;

	for (size_t i = 0; i < r->n; i++)
		most = fmax(most, pace_value(&r->point[i], v));	/* fmax ignores NAN */
	return most;
}

struct pace_axis_unit
pace_value_rate_unit(const struct pace_run *r)
{
	double most = 0;

	for (; r != NULL; r = r->other) {
		most = fmax(most, fmax(pace_value_largest(r, PACE_RECEIVED_WIRE),
		    pace_value_largest(r, PACE_SENT_WIRE)));
		for (size_t i = 0; i < r->tcps; i++)
			most = fmax(most, r->tcp[i]->way[r->tcp_down].sums.goodput_bps);
	}
	return pace_axis_rate(most);
}

bool
pace_value_has_cores(const struct pace_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!isnan(pace_value(&r->point[i], PACE_TX_BUSY)) ||
		    !isnan(pace_value(&r->point[i], PACE_RX_BUSY)))
			return true;
	return false;
}
