#include "config.h"

#include "ops/glance.h"

#include <stdlib.h>

static uint64_t
less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* --- cores --- */

struct busy {
	uint32_t	core;
	uint64_t	all, work, softirq;	/* ns */
};

static const struct pace_core_use *
before(const struct pace_counters *then, uint32_t core, uint32_t hint)
{
	if (hint < then->cores && then->core[hint].core == core)
		return &then->core[hint];
	for (uint32_t i = 0; i < then->cores; i++)
		if (then->core[i].core == core)
			return &then->core[i];
	return NULL;
}

static struct busy
busy_of(const struct pace_core_use *now, const struct pace_core_use *then)
{
	struct busy b = { .core = now->core };

	for (int i = 0; i < PACE_CPUS; i++) {
		uint64_t ns = less(now->ns[i], then->ns[i]);

		b.all += ns;
		if (i != PACE_CPU_IDLE && i != PACE_CPU_IOWAIT)
			b.work += ns;
		if (i == PACE_CPU_IRQ || i == PACE_CPU_SOFTIRQ)
			b.softirq += ns;
	}
	return b;
}

/* Most work first; returns how many of most there are. */
static int
busiest(const struct pace_glance *g, struct busy *v, int most)
{
	int n = 0;

	for (uint32_t i = 0; i < g->now.cores; i++) {
		const struct pace_core_use *then = before(&g->then, g->now.core[i].core, i);
		struct busy b;
		int at = n;

		if (then == NULL)
			continue;
		b = busy_of(&g->now.core[i], then);
		while (at > 0 && v[at - 1].work < b.work) {
			if (at < most)
				v[at] = v[at - 1];
			at--;
		}
		if (at < most)
			v[at] = b;
		n += n < most;
	}
	return n;
}

static json_t *
cores(const struct pace_glance *g)
{
	struct busy v[PACE_GLANCE_CORES];
	int n = g->then.known && g->now.has_cpu ? busiest(g, v, PACE_GLANCE_CORES) : 0;
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();

	for (int i = 0; i < n; i++) {
		struct pace_jw core = pace_jw_begin();

		pace_jw_count(&core, "core", v[i].core);
		pace_jw_put(&core, "busy", pace_js_ratio(v[i].work, v[i].all));
		pace_jw_put(&core, "softirq", pace_js_ratio(v[i].softirq, v[i].all));
		list = pace_js_append(list, core.o);
	}
	pace_jw_count(&w, "cores", g->now.cores);
	pace_jw_put(&w, "busiest", list);
	return w.o;
}

/* --- interfaces --- */

static int
by_frames(const void *a, const void *b)
{
	const struct pace_if_use *const *x = a, *const *y = b;
	uint64_t m = (*x)->n[PACE_IF_RX_FRAMES], n = (*y)->n[PACE_IF_RX_FRAMES];

	return m > n ? -1 : m < n;
}

static json_t *
interface(const struct pace_if_use *u)
{
	static const enum pace_if_count told[] = { PACE_IF_RX_FRAMES, PACE_IF_RX_DROPPED,
		PACE_IF_RX_ERRORS, PACE_IF_RX_FIFO, PACE_IF_TX_FRAMES, PACE_IF_TX_DROPPED,
		PACE_IF_TX_ERRORS };
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "name", u->name);
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		pace_jw_count(&w, pace_if_count_name(told[i]), u->n[told[i]]);
	return w.o;
}

static json_t *
interfaces(const struct pace_counters *c)
{
	const struct pace_if_use **v = calloc(c->interfaces + 1, sizeof(*v));
	json_t *list = v != NULL ? json_array() : NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; v != NULL && i < c->interfaces; i++)
		if (c->interface[i].n[PACE_IF_RX_FRAMES] > 0 || c->interface[i].n[PACE_IF_TX_FRAMES] > 0)
			v[n++] = &c->interface[i];
	if (v != NULL)
		qsort(v, n, sizeof(*v), by_frames);
	for (uint32_t i = 0; i < n && i < PACE_GLANCE_INTERFACES; i++)
		list = pace_js_append(list, interface(v[i]));
	free(v);
	return list;
}

/* --- protocols --- */

/* Of IPv4 and IPv6; null where neither is counted. */
static json_t *
snmp(const struct pace_counters *c, enum pace_snmp what)
{
	if (!c->has_snmp[0][what] && !c->has_snmp[1][what])
		return json_null();
	return pace_js_count(c->snmp[0][what] * c->has_snmp[0][what] +
	    c->snmp[1][what] * c->has_snmp[1][what]);
}

static json_t *
softnet(const struct pace_counters *c, enum pace_core_count what)
{
	uint64_t sum = 0;

	if (!c->has_core[what])
		return json_null();
	for (uint32_t i = 0; i < c->cores; i++)
		sum += c->core[i].n[what];
	return pace_js_count(sum);
}

static json_t *
told(const struct pace_sums *s, enum pace_sum i)
{
	return (s->has >> i & 1) != 0 ? pace_js_count(s->n[i]) : json_null();
}

json_t *
pace_glance_put(const struct pace_glance *g)
{
	const struct pace_counters *c = &g->now;
	struct pace_sums sums;
	struct pace_jw w;

	if (!c->known)
		return json_null();
	pace_sums_of(&sums, c);
	w = pace_jw_begin();
	pace_jw_count(&w, "at_ns", (uint64_t)c->at_ns);
	pace_jw_put(&w, "interfaces", interfaces(c));
	pace_jw_put(&w, "softnet_frames", softnet(c, PACE_CORE_SOFTNET_FRAMES));
	pace_jw_put(&w, "softnet_dropped", softnet(c, PACE_CORE_SOFTNET_DROPPED));
	pace_jw_put(&w, "softnet_squeezed", softnet(c, PACE_CORE_SOFTNET_SQUEEZED));
	pace_jw_put(&w, "ip_received", snmp(c, PACE_IP_IN_RECEIVES));
	pace_jw_put(&w, "ip_delivered", snmp(c, PACE_IP_IN_DELIVERS));
	pace_jw_put(&w, "ip_discarded", snmp(c, PACE_IP_IN_DISCARDS));
	pace_jw_put(&w, "ip_undelivered", told(&sums, PACE_SUM_UNDELIVERED));
	pace_jw_put(&w, "udp_delivered", snmp(c, PACE_UDP_IN_DATAGRAMS));
	pace_jw_put(&w, "udp_no_port", snmp(c, PACE_UDP_NO_PORTS));
	pace_jw_put(&w, "udp_buffer_full", snmp(c, PACE_UDP_RCVBUF_ERRORS));
	pace_jw_put(&w, "udp_bad_checksum", snmp(c, PACE_UDP_IN_CSUM_ERRORS));
	pace_jw_put(&w, "processors", cores(g));
	pace_jw_count(&w, "process_user_ns", g->user_ns);
	pace_jw_count(&w, "process_system_ns", g->system_ns);
	return w.o;
}

/* --- as told ------------------------------------------------------------------- */

static json_t *
all_interfaces(const struct pace_sums *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "name", "all");
	pace_jw_count(&w, "rx_frames", s->n[PACE_SUM_NIC]);
	pace_jw_count(&w, "rx_dropped", s->n[PACE_SUM_NIC_LOST]);
	return w.o;
}

json_t *
pace_glance_told(const struct pace_sums *s)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();

	if ((s->has >> PACE_SUM_NIC & 1) != 0)
		list = pace_js_append(list, all_interfaces(s));
	pace_jw_count(&w, "at_ns", (uint64_t)s->at_ns);
	pace_jw_put(&w, "interfaces", list);
	for (enum pace_sum i = PACE_SUM_BACKLOG_LOST; i < PACE_SUMS; i++)
		pace_jw_put(&w, pace_sum_name(i), told(s, i));
	return w.o;
}
