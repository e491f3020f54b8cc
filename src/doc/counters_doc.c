#include "doc/counters_doc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "doc/field.h"

#define CORES_MAX	65536
#define LIST_MAX	65536

#define INTERFACES_TYPE	"'type': 'array', 'items': { 'type': 'object', " \
	"'required': ['name', 'route', 'rx_frames', 'tx_frames', 'driver'], " \
	"'properties': { 'name': { 'type': 'string' }, 'route': { 'type': 'boolean', " \
	"'description': 'the session\\u0027s frames go through it' }, " \
	"'driver': { 'type': 'object', 'description': 'counters of ethtool -S that changed', " \
	"'additionalProperties': { " PACE_TYPE_COUNT " } } }, " \
	"'additionalProperties': { " PACE_TYPE_COUNT " } }"

/* --- writing -------------------------------------------------------------------- */

static const char *
ns_name(enum pace_cpu c, char buf[24])
{
	snprintf(buf, 24, "%s_ns", pace_cpu_name(c));
	return buf;
}

json_t *
pace_cpu_to_json(const struct pace_counters *c)
{
	json_t *list = c->known ? json_array() : json_null();
	char name[24];

	for (uint32_t k = 0; c->known && k < c->cores; k++) {
		const struct pace_core_use *u = &c->core[k];
		struct pace_jw w = pace_jw_begin();

		pace_jw_count(&w, "core", u->core);
		for (int i = 0; i < PACE_CPUS && c->has_cpu; i++)
			pace_jw_count(&w, ns_name((enum pace_cpu)i, name), u->ns[i]);
		for (int i = 0; i < PACE_CORE_COUNTS; i++)
			if (c->has_core[i])
				pace_jw_count(&w, pace_core_count_name((enum pace_core_count)i),
				    u->n[i]);
		list = pace_js_append(list, w.o);
	}
	return list;
}

static json_t *
interface_to_json(const struct pace_counters *c, uint32_t interface)
{
	const struct pace_if_use *u = &c->interface[interface];
	struct pace_jw w = pace_jw_begin(), driver = pace_jw_begin();

	for (uint32_t i = 0; i < c->stats; i++)
		if (c->stat[i].interface == interface)
			pace_jw_count(&driver, c->stat[i].name, c->stat[i].n);
	pace_jw_text(&w, "name", u->name);
	pace_jw_bool(&w, "route", u->route);
	for (int k = 0; k < PACE_IF_COUNTS; k++)
		pace_jw_count(&w, pace_if_count_name((enum pace_if_count)k), u->n[k]);
	if (u->has_qdisc)
		pace_jw_count(&w, "qdisc_drops", u->qdisc_drops);
	pace_jw_put(&w, "driver", driver.o);
	return w.o;
}

static bool
has_news(const struct pace_counters *c, uint32_t i)
{
	const struct pace_if_use *u = &c->interface[i];
	uint64_t any = u->qdisc_drops;

	for (int k = 0; k < PACE_IF_COUNTS; k++)
		any |= u->n[k];
	for (uint32_t k = 0; k < c->stats; k++)
		any |= c->stat[k].interface == i;
	return u->route || any != 0;
}

#define C	struct pace_counters

static void
put_snmp(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = s;
	struct pace_jw snmp = pace_jw_begin();

	for (int v6 = 0; v6 < 2; v6++)
		for (int i = 0; i < PACE_SNMPS; i++)
			if (c->has_snmp[v6][i])
				pace_jw_count(&snmp, pace_snmp_name((enum pace_snmp)i, v6 != 0),
				    c->snmp[v6][i]);
	pace_jw_put(w, name, snmp.o);
}

static void
get_snmp(struct pace_jr *j, const char *key, void *s)
{
	C *c = s;
	struct pace_jr snmp = { .o = pace_jr_get(j, key) };

	for (int v6 = 0; v6 < 2; v6++)
		for (int i = 0; i < PACE_SNMPS; i++) {
			const char *name = pace_snmp_name((enum pace_snmp)i, v6 != 0);

			c->has_snmp[v6][i] = pace_jr_has(&snmp, name);
			c->snmp[v6][i] = pace_jr_count_or_0(&snmp, name);
		}
	j->bad |= snmp.bad || !json_is_object(snmp.o);
}

static void
put_interfaces(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = s;
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->interfaces; i++)
		if (has_news(c, i))
			list = pace_js_append(list, interface_to_json(c, i));
	pace_jw_put(w, name, list);
}

static const struct pace_fields thread_fields = { .name = "thread",
    .text = "Counters of the thread that sent or received.",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }", .row = PACE_FIELDS(
	{ "user_ns", PACE_COUNT(C, thread.user_ns) },
	{ "system_ns", PACE_COUNT(C, thread.system_ns) },
	{ "voluntary_switches", PACE_COUNT(C, thread.voluntary) },
	{ "involuntary_switches", PACE_COUNT(C, thread.involuntary) },
) };

/* --- energy --------------------------------------------------------------------- */

/* Energy with derived figures; NAN: not known, or without time or work. */
struct energy_doc {
	double	joules, watts, gbps_per_watt, above_idle_joules, nj_per_bit;
	struct pace_energy e;
};

#define T	struct energy_doc
#define D	struct pace_energy_domain

static const struct pace_fields domain_fields = { .name = "energy_domain", .row = PACE_FIELDS(
	{ "name", PACE_TEXT(D, name) },
	{ "joules", PACE_REAL(D, joules) },
	{ "counted", PACE_BOOL(D, counted) },
) };

#define FOLLOWS(m)	PACE_REAL(T, m), .when = PACE_F_OR_NULL, .flags = PACE_F_WRITTEN

static const struct pace_fields energy_fields = { .name = "energy",
    .text = "Energy of the host, around the point; null if it cannot be read.", .row = PACE_FIELDS(
	{ "joules", FOLLOWS(joules), .text = "Energy and mean power of the CPU packages and their "
	    "memory." },
	{ "watts", FOLLOWS(watts) },
	{ "gbps_per_watt", FOLLOWS(gbps_per_watt), .text = "Rate of user data per watt." },
	{ "idle_watts", PACE_REAL(T, e.idle_watts), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(T, e.has_idle), .text = "Power before the run, if it was measured." },
	{ "above_idle_joules", FOLLOWS(above_idle_joules) },
	{ "nj_per_bit", FOLLOWS(nj_per_bit), .text = "Energy above idle: total, and per bit of "
	    "user data." },
	{ "domains", PACE_ARRAY(T, e.v, e.domains, domain_fields),
	    .text = "Energy of each domain; `counted` if it is part of the total." },
) };

static bool
tells_why(const void *s)
{
	const struct pace_energy *e = &((const C *)s)->energy;

	return !e->known && e->why[0] != '\0';
}

/* --- the counters --------------------------------------------------------------- */

const struct pace_fields pace_counters_fields = { .name = "counters",
    .text = "A host's counters around the point, for all its traffic; null: not reported.",
    .row = PACE_FIELDS(
	{ "duration_ns", PACE_NS(C, at_ns), .text = "Duration between the two readings of the "
	    "counters." },
	{ "thread", PACE_SELF(thread_fields),
	    .text = "`user_ns`, `system_ns`, `voluntary_switches` and `involuntary_switches` of "
	    "the thread that sent or received." },
	{ "interfaces", PACE_OWN(put_interfaces, NULL), .type = INTERFACES_TYPE,
	    .text = "The interfaces of the session (`route` is true, also for the devices below "
	    "them) and those with a counter above 0. A responder that does not report these one by "
	    "one gives their sum as \"the others\". Members: `name`, common counters beginning "
	    "with `rx_` and `tx_`, `qdisc_drops`, and in `driver` the counters of \"ethtool -S\" "
	    "that changed, with the driver's own names." },
	{ "snmp", PACE_OWN(put_snmp, get_snmp),
	    .type = "'type': 'object', 'additionalProperties': { " PACE_TYPE_COUNT " }",
	    .text = "Counters of IP and UDP with the kernel's own names: \"Ip.InReceives\", "
	    "\"Udp6RcvbufErrors\"." },
	{ "energy", PACE_LATER, .of = &energy_fields,
	    .type = "'anyOf': [{ '$ref': '#/$defs/energy' }, { 'type': 'null' }]" },
	{ "energy_unavailable", PACE_TEXT(C, energy.why), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = tells_why,
	    .text = "`joules` of the CPU packages and their memory, `watts`, `gbps_per_watt` of "
	    "user data, and the single `domains`; if the idle power was measured, also "
	    "`idle_watts`, `above_idle_joules` and `nj_per_bit`. null if the energy cannot be "
	    "read; `energy_unavailable` says why." },
) };

json_t *
pace_counters_to_json(const struct pace_counters *c, uint64_t bytes)
{
	double bits = 8.0 * (double)bytes, s = (double)c->at_ns / 1e9;
	struct energy_doc t = { .joules = pace_energy_joules(&c->energy), .e = c->energy };
	struct pace_jw w;

	if (!c->known)
		return json_null();
	t.watts = t.joules / s;
	t.gbps_per_watt = bits / 1e9 / t.joules;
	t.above_idle_joules = t.e.has_idle ? t.joules - t.e.idle_watts * s : NAN;
	t.nj_per_bit = t.above_idle_joules * 1e9 / bits;
	w.o = pace_fields_to_json(&pace_counters_fields, c);
	if (c->energy.known)
		pace_jw_put(&w, "energy", pace_fields_to_json(&energy_fields, &t));
	return w.o;
}

/* --- reading --------------------------------------------------------------------- */

static int
read_cores(struct pace_counters *c, const json_t *list)
{
	size_t n = json_array_size(list);
	char name[24];

	if (!json_is_array(list) || n > CORES_MAX)
		return -EPROTO;
	c->core = calloc(n + 1, sizeof(*c->core));
	if (c->core == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++, c->cores++) {
		struct pace_core_use *u = &c->core[i];
		struct pace_jr j = { .o = json_array_get(list, i) };

		u->core = (uint32_t)pace_jr_int(&j, "core", 0, CORES_MAX - 1);
		if (i == 0)
			c->has_cpu = pace_jr_has(&j, "user_ns");
		for (int k = 0; k < PACE_CPUS && c->has_cpu; k++) {
			u->ns[k] = pace_jr_count(&j, ns_name((enum pace_cpu)k, name));
			c->all.ns[k] += u->ns[k];
		}
		for (int k = 0; k < PACE_CORE_COUNTS; k++) {
			const char *key = pace_core_count_name((enum pace_core_count)k);

			if (i == 0)
				c->has_core[k] = pace_jr_has(&j, key);
			if (c->has_core[k])
				u->n[k] = pace_jr_count(&j, key);
			c->all.n[k] += u->n[k];
		}
		if (j.bad)
			return -EPROTO;
	}
	return 0;
}

static bool
read_interface(struct pace_counters *c, const json_t *o)
{
	struct pace_if_use *u = &c->interface[c->interfaces];
	json_t *driver = json_object_get(o, "driver"), *v;
	struct pace_jr j = { .o = o };
	const char *key;

	pace_jr_text(&j, "name", u->name, sizeof(u->name));
	u->route = pace_jr_bool(&j, "route");
	for (int k = 0; k < PACE_IF_COUNTS; k++)
		u->n[k] = pace_jr_count(&j, pace_if_count_name((enum pace_if_count)k));
	u->has_qdisc = pace_jr_has(&j, "qdisc_drops");
	u->qdisc_drops = pace_jr_count_or_0(&j, "qdisc_drops");
	j.bad |= !json_is_object(driver);
	json_object_foreach(driver, key, v) {
		struct pace_if_stat *s = &c->stat[c->stats++];

		j.bad |= !json_is_integer(v) || json_integer_value(v) < 0 ||
		    json_integer_value(v) > PACE_JS_MAX;
		pace_clean(s->name, sizeof(s->name), key, strlen(key));
		s->interface = c->interfaces;
		s->n = (uint64_t)json_integer_value(v);
	}
	c->interfaces++;
	return !j.bad;
}

static int
read_interfaces(struct pace_counters *c, const json_t *list)
{
	size_t n = json_array_size(list), stats = 0;

	if (!json_is_array(list) || n > LIST_MAX)
		return -EPROTO;
	for (size_t i = 0; i < n; i++)
		stats += json_object_size(json_object_get(json_array_get(list, i), "driver"));
	c->interface = calloc(n + 1, sizeof(*c->interface));
	c->stat = calloc(stats + 1, sizeof(*c->stat));
	if (c->interface == NULL || c->stat == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!read_interface(c, json_array_get(list, i)))
			return -EPROTO;
	return 0;
}

int
pace_counters_from_json(struct pace_counters *c, const json_t *cpu, const json_t *counters)
{
	struct energy_doc t = { .e.known = true };
	struct pace_jr j = { .o = counters };
	int rc;

	pace_counters_free(c);
	if (json_is_null(cpu) && json_is_null(counters))
		return 0;
	if (!json_is_object(counters))
		return -EPROTO;
	rc = read_cores(c, cpu);
	if (rc == 0)
		rc = read_interfaces(c, pace_jr_get(&j, "interfaces"));
	if (rc == 0) {
		pace_fields_get(&j, &pace_counters_fields, c);
		if (pace_jr_has(&j, "energy")) {
			j.bad |= !pace_fields_from_json(&energy_fields, &t,
			    pace_jr_get(&j, "energy"));
			strcpy(t.e.why, c->energy.why);
			c->energy = t.e;
		}
		rc = j.bad ? -EPROTO : 0;
	}
	c->known = rc == 0;
	return rc;
}
