#include "config.h"

#include "live/host_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plat/counters.h"

#define GLANCE_NS	INT64_C(900000000)	/* least time between two samples */

const struct pace_host_sample *
pace_host_sample_at(struct pace_host_sample *g, const char *root, int64_t now_ns)
{
	if (g->now.known && now_ns - g->at_ns < GLANCE_NS)
		return g;
	pace_counters_free(&g->then);
	g->then = g->now;
	memset(&g->now, 0, sizeof(g->now));
	pace_counters_host_sample(&g->now, root);
	pace_counters_process(&g->user_ns, &g->system_ns);
	g->at_ns = now_ns;
	return g;
}

void
pace_host_sample_free(struct pace_host_sample *g)
{
	pace_counters_free(&g->then);
	pace_counters_free(&g->now);
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
		uint64_t ns = now->ns[i] > then->ns[i] ? now->ns[i] - then->ns[i] : 0;

		b.all += ns;
		if (i != PACE_CPU_IDLE && i != PACE_CPU_IOWAIT)
			b.work += ns;
		if (i == PACE_CPU_IRQ || i == PACE_CPU_SOFTIRQ)
			b.softirq += ns;
	}
	return b;
}

/* Sort cores by load, highest first; return the number of entries. */
static int
busiest(const struct pace_host_sample *g, struct busy *v, int most)
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

static void
fill_cores(struct pace_host_status *h, const struct pace_host_sample *g)
{
	struct busy v[PACE_HOST_SAMPLE_CORES];

	h->cores = g->now.cores;
	h->busiest = g->then.known && g->now.has_cpu ? busiest(g, v, PACE_HOST_SAMPLE_CORES) : 0;
	for (int i = 0; i < h->busiest; i++) {
		h->core[i].core = v[i].core;
		h->core[i].busy = v[i].all > 0 ? (double)v[i].work / (double)v[i].all : NAN;
		h->core[i].softirq = v[i].all > 0 ? (double)v[i].softirq / (double)v[i].all : NAN;
	}
}

/* --- interfaces --- */

static int
by_frames(const void *a, const void *b)
{
	const struct pace_if_use *const *x = a, *const *y = b;
	uint64_t m = (*x)->n[PACE_IF_RX_FRAMES], n = (*y)->n[PACE_IF_RX_FRAMES];

	return m > n ? -1 : m < n;
}

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a + b < (uint64_t)PACE_JS_MAX ? a + b : (uint64_t)PACE_JS_MAX;
}

/* The sums are of all, the list of those that received most. */
static void
add_interface(struct pace_host_status *h, const struct pace_if_use *u)
{
	if (h->interfaces < PACE_HOST_SAMPLE_INTERFACES)
		h->interface[h->interfaces++] = *u;
	h->sums.has |= 1U << PACE_SUM_NIC | 1U << PACE_SUM_NIC_LOST;
	h->sums.n[PACE_SUM_NIC] = sum(h->sums.n[PACE_SUM_NIC], u->n[PACE_IF_RX_FRAMES]);
	h->sums.n[PACE_SUM_NIC_LOST] = sum(h->sums.n[PACE_SUM_NIC_LOST], pace_if_rx_lost(u));
}

static void
fill_interfaces(struct pace_host_status *h, const struct pace_counters *c)
{
	const struct pace_if_use **v = calloc(c->interfaces + 1, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 0; v != NULL && i < c->interfaces; i++)
		if (c->interface[i].n[PACE_IF_RX_FRAMES] > 0 ||
		    c->interface[i].n[PACE_IF_TX_FRAMES] > 0)
			v[n++] = &c->interface[i];
	if (v != NULL)
		qsort(v, n, sizeof(*v), by_frames);
	for (uint32_t i = 0; i < n; i++)
		add_interface(h, v[i]);
	free(v);
}

/* --- the whole --- */

/* Fill in everything except the interfaces. */
static void
begin(struct pace_host_status *h, const struct pace_host_counters *s)
{
	memset(h, 0, sizeof(*h));
	h->known = true;
	h->sums = *s;
	h->sums.has &= ~(UINT64_C(1) << PACE_SUM_NIC | UINT64_C(1) << PACE_SUM_NIC_LOST);
	h->sums.n[PACE_SUM_NIC] = h->sums.n[PACE_SUM_NIC_LOST] = 0;
}

void
pace_host_fill(struct pace_host_status *h, const struct pace_host_sample *g)
{
	struct pace_host_counters s;

	pace_host_counters_of(&s, &g->now);
	begin(h, &s);
	h->known = g->now.known;
	h->user_ns = g->user_ns;
	h->system_ns = g->system_ns;
	fill_cores(h, g);
	fill_interfaces(h, &g->now);
}

void
pace_host_reported(struct pace_host_status *h, const struct pace_host_counters *s)
{
	const struct pace_if_use all = { .name = "all", .n = {
	    [PACE_IF_RX_FRAMES] = s->n[PACE_SUM_NIC],
	    [PACE_IF_RX_DROPPED] = s->n[PACE_SUM_NIC_LOST] } };

	begin(h, s);
	h->reported = true;
	if (pace_host_counters_has(s, PACE_SUM_NIC))
		add_interface(h, &all);
}

/* --- JSON --- */

#define H	struct pace_host_status
#define U	struct pace_if_use
#define C	struct pace_core_status

static const struct pace_field interface_rows[] = {
	{ "name", PACE_TEXT(U, name) },
	{ "rx_frames", PACE_COUNT(U, n[PACE_IF_RX_FRAMES]) },
	{ "rx_dropped", PACE_COUNT(U, n[PACE_IF_RX_DROPPED]), .flags = PACE_F_LAX },
	{ "rx_errors", PACE_COUNT(U, n[PACE_IF_RX_ERRORS]), .flags = PACE_F_LAX },
	{ "rx_fifo", PACE_COUNT(U, n[PACE_IF_RX_FIFO]), .flags = PACE_F_LAX },
	{ "tx_frames", PACE_COUNT(U, n[PACE_IF_TX_FRAMES]), .flags = PACE_F_LAX },
	{ "tx_dropped", PACE_COUNT(U, n[PACE_IF_TX_DROPPED]), .flags = PACE_F_LAX },
	{ "tx_errors", PACE_COUNT(U, n[PACE_IF_TX_ERRORS]), .flags = PACE_F_LAX },
	{ .name = NULL },
};

/* Interfaces of a report, which has one sum for all. */
static const struct pace_field reported_rows[] = {
	{ "name", PACE_TEXT(U, name) },
	{ "rx_frames", PACE_COUNT(U, n[PACE_IF_RX_FRAMES]) },
	{ "rx_dropped", PACE_COUNT(U, n[PACE_IF_RX_DROPPED]) },
	{ .name = NULL },
};

static const struct pace_fields interface_fields = { .name = "interface", .row = interface_rows };
static const struct pace_fields reported_fields = { .name = "interface", .row = reported_rows };

static void
put_interfaces(struct pace_jw *w, const char *name, const void *s)
{
	const H *h = s;
	json_t *list = json_array();

	for (int i = 0; i < h->interfaces; i++)
		list = pace_js_append(list, pace_fields_to_json(h->reported ? &reported_fields :
		    &interface_fields, &h->interface[i]));
	pace_jw_put(w, name, list);
}

static void
get_interfaces(struct pace_jr *j, const char *name, void *s)
{
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(j->o, name), i, v) {
		U u = { .name = "" };

		j->bad |= !pace_fields_from_json(&interface_fields, &u, v);
		add_interface(s, &u);
	}
}

/* Counters of a report have an order of their own. */
static void
put_counts(struct pace_jw *w, const char *name, const void *s)
{
	static const enum pace_host_counter order[] = { PACE_SUM_SOFTNET, PACE_SUM_BACKLOG_LOST,
		PACE_SUM_SQUEEZED, PACE_SUM_IP, PACE_SUM_IP_DELIVERED, PACE_SUM_IP_LOST,
		PACE_SUM_UNDELIVERED, PACE_SUM_UDP, PACE_SUM_NO_PORT, PACE_SUM_BUFFER_FULL,
		PACE_SUM_CHECKSUM };
	const H *h = s;
	const size_t n = h->reported ? PACE_HOST_COUNTERS_REPORTED - PACE_SUM_BACKLOG_LOST :
	    sizeof(order) / sizeof(order[0]);

	(void)name;
	for (size_t k = 0; k < n; k++) {
		enum pace_host_counter i = h->reported ?
		    PACE_SUM_BACKLOG_LOST + (enum pace_host_counter)k : order[k];

		pace_jw_put(w, pace_host_counter_name(i), pace_host_counters_has(&h->sums, i) ?
		    pace_js_count(h->sums.n[i]) : json_null());
	}
}

static void
get_counts(struct pace_jr *j, const char *name, void *s)
{
	H *h = s;

	(void)name;
	for (enum pace_host_counter i = PACE_SUM_BACKLOG_LOST; i < PACE_HOST_COUNTERS; i++) {
		h->sums.has |= (uint64_t)pace_jr_has(j, pace_host_counter_name(i)) << i;
		h->sums.n[i] = pace_jr_count_or_0(j, pace_host_counter_name(i));
	}
}

static void
put_share(struct pace_jw *w, const char *name, const void *share)
{
	pace_jw_real(w, name, *(const double *)share);
}

/* An invalid share is unknown. */
static void
get_share(struct pace_jr *j, const char *name, void *share)
{
	const json_t *v = json_object_get(j->o, name);
	double x = json_number_value(v);

	*(double *)share = json_is_number(v) && x >= 0 && x <= 1 ? x : NAN;
}

static const struct pace_field core_rows[] = {
	{ "core", PACE_COUNT(C, core), .high = 65535, .flags = PACE_F_LENIENT },
	{ "busy", PACE_OWN_OF(C, busy, put_share, get_share), .type = PACE_TYPE_RATIO },
	{ "softirq", PACE_OWN_OF(C, softirq, put_share, get_share), .type = PACE_TYPE_RATIO },
	{ .name = NULL },
};

static const struct pace_fields core_fields = { .name = "core", .row = core_rows };

static const struct pace_field processors_rows[] = {
	{ "cores", PACE_COUNT(H, cores), .flags = PACE_F_LAX },
	{ "busiest", PACE_ARRAY(H, core, busiest, core_fields), .flags = PACE_F_LAX },
	{ .name = NULL },
};

static const struct pace_fields processors_fields =
    { .name = "processors", .row = processors_rows };

static bool
is_own(const void *h)
{
	return !((const H *)h)->reported;
}

#define IS_OWN		.when = PACE_F_OR_ABSENT, .given = is_own, .flags = PACE_F_LAX
#define COUNTED(name)	{ name, .type = PACE_TYPE_COUNT_OR_NULL,
#define OF_HOST(name)	COUNTED(name) .when = PACE_F_OR_ABSENT,	/* not in a report */

static const struct pace_field host_rows[] = {
	{ "at_ns", PACE_NS(H, sums.at_ns),
	    .text = "Time of the sample, on a monotonic clock." },
	{ "interfaces", PACE_OWN(put_interfaces, get_interfaces), .of = &interface_fields,
	    .type = "'type': 'array', 'maxItems': 16, 'items': { '$ref': '#/$defs/interface' }",
	    .text = "At most 16, sorted by frames received: `name` and the driver's counters." },
	{ "", PACE_OWN(put_counts, get_counts) },
	OF_HOST("softnet_frames") },
	COUNTED("softnet_dropped") },
	COUNTED("softnet_squeezed") .text = "Frames that the cores processed; frames dropped "
	    "because a core's backlog was full; how often a core ran out of time. Of the whole "
	    "machine." },
	COUNTED("ip_received") },
	OF_HOST("ip_delivered") },
	COUNTED("ip_discarded") },
	COUNTED("ip_undelivered") .text = "IPv4 and IPv6 together. Undelivered packets reached IP "
	    "but no layer above it: a filter of the host, no route, a missing fragment." },
	COUNTED("udp_delivered") },
	COUNTED("udp_no_port") },
	COUNTED("udp_buffer_full") },
	COUNTED("udp_bad_checksum") .text = "Counted over all sockets." },
	{ "processors", PACE_SELF(processors_fields), IS_OWN,
	    .text = "Number of `cores`; and for the `busiest` 8, between two samples, `core`, "
	    "`busy` and `softirq`, which includes interrupts, from 0 to 1. Of the whole machine." },
	{ "process_user_ns", PACE_COUNT(H, user_ns), IS_OWN },
	{ "process_system_ns", PACE_COUNT(H, system_ns), IS_OWN,
	    .text = "CPU time of the responder itself." },
	{ .name = NULL },
};

const struct pace_fields pace_host_status_fields = { .name = "host_counters", .row = host_rows,
    .text = "Counters of the host's kernel since its start, at most a second old; null: no such "
    "counter." };
