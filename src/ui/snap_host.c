/* Lines of udpace-status/1: distributions, and what the host counts. */
#include "config.h"

#include "ui/snap_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "doc/js.h"

#define COUNT_MOST	(INT64_C(1) << 55)	/* of a bin: all of them can be added */
#define LISTED_MOST	8	/* cores, interfaces */

/* --- distributions --- */

static bool
read_bin(struct pace_bin *b, const json_t *o)
{
	const json_t *low = json_array_get(o, 0), *high = json_array_get(o, 1);
	const json_t *count = json_array_get(o, 2);

	if (json_array_size(o) != 3 || !json_is_integer(low) || !json_is_integer(high) ||
	    !json_is_integer(count))
		return false;
	*b = (struct pace_bin){ .low = json_integer_value(low), .high = json_integer_value(high),
	    .count = (uint64_t)json_integer_value(count) };
	return pace_coarse_is_bin(b->low, b->high) && json_integer_value(count) > 0 &&
	    json_integer_value(count) < COUNT_MOST;
}

bool
pace_dist_read(struct pace_coarse_list *l, const json_t *o)
{
	const json_t *bins = json_object_get(o, "bins");
	struct pace_jr r = { .o = o };

	l->below = (uint64_t)pace_jr_int(&r, "below", 0, COUNT_MOST);
	l->n = 0;
	if (r.bad || !json_is_array(bins) || json_array_size(bins) > PACE_COARSE_LIST)
		return false;
	for (uint32_t i = 0; i < (uint32_t)json_array_size(bins); i++) {
		if (!read_bin(&l->bin[i], json_array_get(bins, i)) ||
		    (i > 0 && l->bin[i].low < l->bin[i - 1].high))
			return false;
		l->n = i + 1;
	}
	return true;
}

/* Another run begins anew. */
int
pace_dists_add(struct pace_snap_session *v, const struct pace_said *said, int64_t at_ns)
{
	struct pace_snap_dist *k;

	if (said->dist[PACE_DIST_GAP] == NULL && said->dist[PACE_DIST_DELAY] == NULL) {
		if (v->dists != NULL && v->dists->run != v->run.number)
			v->dists->lines = 0;
		return 0;
	}
	if (v->dists == NULL)
		v->dists = calloc(1, sizeof(*v->dists));
	if (v->dists == NULL)
		return -ENOMEM;
	if (v->dists->run != v->run.number)
		v->dists->lines = 0;
	v->dists->run = v->run.number;
	k = &v->dists->kept[v->dists->lines++ % PACE_DISTS_KEPT];
	memset(k, 0, sizeof(*k));
	k->at_ns = at_ns;
	for (int d = 0; d < PACE_DISTS; d++)
		if (said->dist[d] != NULL)
			(void)pace_dist_read(&k->of[d], said->dist[d]);
	return 0;
}

/* --- the host --- */

static void
read_counts(struct pace_snap_host *h, const json_t *o, bool *bad)
{
	static const struct { enum pace_host_count c; const char *name; } told[] = {
		{ PACE_HC_BACKLOG_LOST, "softnet_dropped" }, { PACE_HC_SQUEEZED, "softnet_squeezed" },
		{ PACE_HC_IP, "ip_received" }, { PACE_HC_UNDELIVERED, "ip_undelivered" }, { PACE_HC_NO_PORT, "udp_no_port" },
		{ PACE_HC_CHECKSUM, "udp_bad_checksum" }, { PACE_HC_BUFFER_FULL, "udp_buffer_full" },
		{ PACE_HC_UDP, "udp_delivered" },
	};
	struct pace_jr r = { .o = o };

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		h->has[told[i].c] = pace_jr_has(&r, told[i].name);
		h->n[told[i].c] = pace_jr_count_or_0(&r, told[i].name);
	}
	h->process_ns = pace_jr_count_or_0(&r, "process_user_ns") +
	    pace_jr_count_or_0(&r, "process_system_ns");
	h->at_ns = pace_jr_int(&r, "at_ns", 0, PACE_JS_MAX);
	*bad |= r.bad;
}

static uint64_t
sum(uint64_t a, uint64_t b)
{
	return a + b < (uint64_t)PACE_JS_MAX ? a + b : (uint64_t)PACE_JS_MAX;
}

/* The errors count those for want of room in the ring again, in most drivers. */
static void
read_interface(struct pace_snap_host *h, const json_t *o, bool *bad)
{
	struct pace_jr r = { .o = o };
	struct pace_snap_if u = { .rx = pace_jr_count(&r, "rx_frames") };
	uint64_t errors = pace_jr_count_or_0(&r, "rx_errors"), fifo = pace_jr_count_or_0(&r, "rx_fifo");

	pace_jr_text(&r, "name", u.name, sizeof(u.name));
	u.rx_lost = sum(pace_jr_count_or_0(&r, "rx_dropped"), errors > fifo ? errors : fifo);
	u.tx = pace_jr_count_or_0(&r, "tx_frames");
	u.tx_lost = sum(pace_jr_count_or_0(&r, "tx_dropped"), pace_jr_count_or_0(&r, "tx_errors"));
	h->has[PACE_HC_NIC] = h->has[PACE_HC_NIC_LOST] = true;
	h->n[PACE_HC_NIC] = sum(h->n[PACE_HC_NIC], u.rx);
	h->n[PACE_HC_NIC_LOST] = sum(h->n[PACE_HC_NIC_LOST], u.rx_lost);
	if (h->interfaces < LISTED_MOST)
		h->interface[h->interfaces++] = u;
	*bad |= r.bad;
}

static double
part_of(const json_t *o, const char *key)
{
	double x = json_number_value(json_object_get(o, key));

	return json_is_number(json_object_get(o, key)) && x >= 0 && x <= 1 ? x : NAN;
}

static void
read_cores(struct pace_snap_host *h, const json_t *o)
{
	const json_t *list = json_object_get(o, "busiest"), *core;
	struct pace_jr r = { .o = o };
	size_t i;

	h->cores = pace_jr_count_or_0(&r, "cores");
	json_array_foreach(list, i, core) {
		json_int_t number = json_integer_value(json_object_get(core, "core"));

		if (h->busiest == LISTED_MOST)
			break;
		h->core[h->busiest].core = number < 0 || number > 65535 ? 0 : (uint64_t)number;
		h->core[h->busiest].busy = part_of(core, "busy");
		h->core[h->busiest++].softirq = part_of(core, "softirq");
	}
}

bool
pace_host_read(struct pace_snap_host *h, const json_t *o)
{
	const json_t *u;
	bool bad = false;
	size_t i;

	memset(h, 0, sizeof(*h));
	if (o == NULL || json_is_null(o))
		return true;
	if (!json_is_object(o))
		return false;
	read_counts(h, o, &bad);
	json_array_foreach(json_object_get(o, "interfaces"), i, u)
		read_interface(h, u, &bad);
	read_cores(h, json_object_get(o, "processors"));
	h->known = true;
	return !bad;
}
