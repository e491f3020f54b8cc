#include "config.h"

#include "live/host_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plat/counters.h"

#define GLANCE_NS	INT64_C(900000000)	/* from one look at the host to the next, at least */

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

/* Most work first; returns how many of most there are. */
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

uint64_t
pace_if_rx_lost(const struct pace_if_use *u)
{
	uint64_t errors = u->n[PACE_IF_RX_ERRORS], fifo = u->n[PACE_IF_RX_FIFO];

	return sum(u->n[PACE_IF_RX_DROPPED], errors > fifo ? errors : fifo);
}

static void
add_interface(struct pace_host_status *h, const struct pace_if_use *u)
{
	if (h->interfaces == PACE_HOST_SAMPLE_INTERFACES)
		return;
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
		if (c->interface[i].n[PACE_IF_RX_FRAMES] > 0 || c->interface[i].n[PACE_IF_TX_FRAMES] > 0)
			v[n++] = &c->interface[i];
	if (v != NULL)
		qsort(v, n, sizeof(*v), by_frames);
	for (uint32_t i = 0; i < n; i++)
		add_interface(h, v[i]);
	free(v);
}

/* --- the whole --- */

/* All but what interfaces count. */
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
	    [PACE_IF_RX_FRAMES] = s->n[PACE_SUM_NIC], [PACE_IF_RX_DROPPED] = s->n[PACE_SUM_NIC_LOST] } };

	begin(h, s);
	h->reported = true;
	if (pace_host_counters_has(s, PACE_SUM_NIC))
		add_interface(h, &all);
}

/* --- JSON --- */

static const enum pace_if_count listed[] = { PACE_IF_RX_FRAMES, PACE_IF_RX_DROPPED,
	PACE_IF_RX_ERRORS, PACE_IF_RX_FIFO, PACE_IF_TX_FRAMES, PACE_IF_TX_DROPPED, PACE_IF_TX_ERRORS };

#define LISTED	(sizeof(listed) / sizeof(listed[0]))

static json_t *
interfaces_json(const struct pace_host_status *h)
{
	json_t *list = json_array();

	for (int k = 0; k < h->interfaces; k++) {
		struct pace_jw w = pace_jw_begin();

		pace_jw_text(&w, "name", h->interface[k].name);
		for (size_t i = 0; i < (h->reported ? 2 : LISTED); i++)
			pace_jw_count(&w, pace_if_count_name(listed[i]), h->interface[k].n[listed[i]]);
		list = pace_js_append(list, w.o);
	}
	return list;
}

static json_t *
cores_json(const struct pace_host_status *h)
{
	struct pace_jw w = pace_jw_begin();
	json_t *list = json_array();

	for (int i = 0; i < h->busiest; i++) {
		struct pace_jw core = pace_jw_begin();

		pace_jw_count(&core, "core", h->core[i].core);
		pace_jw_real(&core, "busy", h->core[i].busy);
		pace_jw_real(&core, "softirq", h->core[i].softirq);
		list = pace_js_append(list, core.o);
	}
	pace_jw_count(&w, "cores", h->cores);
	pace_jw_put(&w, "busiest", list);
	return w.o;
}

json_t *
pace_host_json(const struct pace_host_status *h)
{
	static const enum pace_host_counter order[] = { PACE_SUM_SOFTNET, PACE_SUM_BACKLOG_LOST,
		PACE_SUM_SQUEEZED, PACE_SUM_IP, PACE_SUM_IP_DELIVERED, PACE_SUM_IP_LOST,
		PACE_SUM_UNDELIVERED, PACE_SUM_UDP, PACE_SUM_NO_PORT, PACE_SUM_BUFFER_FULL,
		PACE_SUM_CHECKSUM };
	const size_t n = h->reported ? PACE_HOST_COUNTERS_REPORTED - PACE_SUM_BACKLOG_LOST :
	    sizeof(order) / sizeof(order[0]);
	struct pace_jw w;

	if (!h->known)
		return json_null();
	w = pace_jw_begin();
	pace_jw_count(&w, "at_ns", (uint64_t)h->sums.at_ns);
	pace_jw_put(&w, "interfaces", interfaces_json(h));
	for (size_t k = 0; k < n; k++) {
		enum pace_host_counter i = h->reported ? PACE_SUM_BACKLOG_LOST + (enum pace_host_counter)k : order[k];

		pace_jw_put(&w, pace_host_counter_name(i), pace_host_counters_has(&h->sums, i) ?
		    pace_js_count(h->sums.n[i]) : json_null());
	}
	if (h->reported)
		return w.o;
	pace_jw_put(&w, "processors", cores_json(h));
	pace_jw_count(&w, "process_user_ns", h->user_ns);
	pace_jw_count(&w, "process_system_ns", h->system_ns);
	return w.o;
}

static double
share_of(const json_t *o, const char *key)
{
	double x = json_number_value(json_object_get(o, key));

	return json_is_number(json_object_get(o, key)) && x >= 0 && x <= 1 ? x : NAN;
}

static void
read_cores(struct pace_host_status *h, const json_t *o)
{
	const json_t *core;
	struct pace_jr r = { .o = o };
	size_t i;

	h->cores = pace_jr_count_or_0(&r, "cores");
	json_array_foreach(json_object_get(o, "busiest"), i, core) {
		json_int_t number = json_integer_value(json_object_get(core, "core"));

		if (h->busiest == PACE_HOST_SAMPLE_CORES)
			break;
		h->core[h->busiest].core = number < 0 || number > 65535 ? 0 : (uint64_t)number;
		h->core[h->busiest].busy = share_of(core, "busy");
		h->core[h->busiest++].softirq = share_of(core, "softirq");
	}
}

static void
read_interface(struct pace_host_status *h, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	struct pace_if_use u = { .n = { [PACE_IF_RX_FRAMES] = pace_jr_count(&r, "rx_frames") } };

	pace_jr_text(&r, "name", u.name, sizeof(u.name));
	for (size_t i = 1; i < LISTED; i++)
		u.n[listed[i]] = pace_jr_count_or_0(&r, pace_if_count_name(listed[i]));
	*bad |= r.bad;
	add_interface(h, &u);
}

bool
pace_host_read(struct pace_host_status *h, const json_t *o)
{
	struct pace_jr r = { .o = o };
	const json_t *u;
	size_t k;

	memset(h, 0, sizeof(*h));
	if (o == NULL || json_is_null(o))
		return true;
	if (!json_is_object(o))
		return false;
	h->known = true;
	h->sums.at_ns = pace_jr_int(&r, "at_ns", 0, PACE_JS_MAX);
	for (enum pace_host_counter i = PACE_SUM_BACKLOG_LOST; i < PACE_HOST_COUNTERS; i++) {
		h->sums.has |= (uint64_t)pace_jr_has(&r, pace_host_counter_name(i)) << i;
		h->sums.n[i] = pace_jr_count_or_0(&r, pace_host_counter_name(i));
	}
	h->user_ns = pace_jr_count_or_0(&r, "process_user_ns");
	h->system_ns = pace_jr_count_or_0(&r, "process_system_ns");
	json_array_foreach(json_object_get(o, "interfaces"), k, u)
		read_interface(h, u, &r.bad);
	read_cores(h, json_object_get(o, "processors"));
	return !r.bad;
}
