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
	"'driver': { 'type': 'object', 'description': 'ethtool -S, what changed', " \
	"'additionalProperties': { " PACE_TYPE_COUNT " } } }, " \
	"'additionalProperties': { " PACE_TYPE_COUNT " } }"

/* --- writing -------------------------------------------------------------------- */

static const char *
ns_name(enum pace_cpu c, char buf[24])
{
	snprintf(buf, 24, "%s_ns", pace_cpu_name(c));
	return buf;
}

static json_t *
core_to_json(const struct pace_counters *c, const struct pace_core_use *u)
{
	struct pace_jw w = pace_jw_begin();
	char name[24];

	pace_jw_count(&w, "core", u->core);
	for (int i = 0; i < PACE_CPUS && c->has_cpu; i++)
		pace_jw_count(&w, ns_name((enum pace_cpu)i, name), u->ns[i]);
	for (int i = 0; i < PACE_CORE_COUNTS; i++)
		if (c->has_core[i])
			pace_jw_count(&w, pace_core_count_name((enum pace_core_count)i), u->n[i]);
	return w.o;
}

json_t *
pace_cpu_to_json(const struct pace_counters *c)
{
	json_t *list = c->known ? json_array() : json_null();

	for (uint32_t i = 0; c->known && i < c->cores; i++)
		list = pace_js_append(list, core_to_json(c, &c->core[i]));
	return list;
}

static json_t *
driver_to_json(const struct pace_counters *c, uint32_t interface)
{
	struct pace_jw w = pace_jw_begin();

	for (uint32_t i = 0; i < c->stats; i++)
		if (c->stat[i].interface == interface)
			pace_jw_count(&w, c->stat[i].name, c->stat[i].n);
	return w.o;
}

static json_t *
interface_to_json(const struct pace_counters *c, uint32_t i)
{
	const struct pace_if_use *u = &c->interface[i];
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "name", u->name);
	pace_jw_bool(&w, "route", u->route);
	for (int k = 0; k < PACE_IF_COUNTS; k++)
		pace_jw_count(&w, pace_if_count_name((enum pace_if_count)k), u->n[k]);
	if (u->has_qdisc)
		pace_jw_count(&w, "qdisc_drops", u->qdisc_drops);
	pace_jw_put(&w, "driver", driver_to_json(c, i));
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

static json_t *
interfaces_to_json(const struct pace_counters *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->interfaces; i++)
		if (has_news(c, i))
			list = pace_js_append(list, interface_to_json(c, i));
	return list;
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
	pace_jw_put(w, name, interfaces_to_json(s));
}

static const struct pace_field thread_rows[] = {
	{ "user_ns", PACE_COUNT(C, thread.user_ns) },
	{ "system_ns", PACE_COUNT(C, thread.system_ns) },
	{ "voluntary_switches", PACE_COUNT(C, thread.voluntary) },
	{ "involuntary_switches", PACE_COUNT(C, thread.involuntary) },
	{ .name = NULL },
};

static const struct pace_fields thread_fields = { .name = "thread", .row = thread_rows,
    .text = "The thread that sent or received.",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }" };

/* --- energy --------------------------------------------------------------------- */

/* With what follows from it; not a number: not known, or of no time or work. */
struct energy_doc {
	double	joules, watts, gbps_per_watt, above_idle_joules, nj_per_bit;
	struct pace_energy e;
};

#define T	struct energy_doc
#define D	struct pace_energy_domain

static const struct pace_field domain_rows[] = {
	{ "name", PACE_TEXT(D, name) },
	{ "joules", PACE_REAL(D, joules) },
	{ "counted", PACE_BOOL(D, counted) },
	{ .name = NULL },
};

static const struct pace_fields domain_fields = { .name = "energy_domain",
    .row = domain_rows };

#define FOLLOWS(m)	PACE_REAL(T, m), .when = PACE_F_OR_NULL, .flags = PACE_F_WRITTEN

static const struct pace_field energy_rows[] = {
	{ "joules", FOLLOWS(joules), .text = "Of the packages and their memory." },
	{ "watts", FOLLOWS(watts) },
	{ "gbps_per_watt", FOLLOWS(gbps_per_watt), .text = "Of user data." },
	{ "idle_watts", PACE_REAL(T, e.idle_watts), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(T, e.has_idle), .text = "Before the run, where they were measured." },
	{ "above_idle_joules", FOLLOWS(above_idle_joules) },
	{ "nj_per_bit", FOLLOWS(nj_per_bit), .text = "Above idle, of user data." },
	{ "domains", PACE_ARRAY(T, e.v, e.domains, domain_fields),
	    .text = "Those that add up, and others." },
	{ .name = NULL },
};

static const struct pace_fields energy_fields = { .name = "energy", .row = energy_rows,
    .text = "Of the host, around the point; null where it cannot be read." };

static json_t *
energy_to_json(const struct pace_counters *c, uint64_t bytes)
{
	double bits = 8.0 * (double)bytes, s = (double)c->at_ns / 1e9;
	struct energy_doc t = { .joules = pace_energy_joules(&c->energy), .e = c->energy };
	double above = t.e.has_idle ? t.joules - t.e.idle_watts * s : NAN;

	if (!c->energy.known)
		return json_null();
	t.watts = t.joules / s;
	t.gbps_per_watt = bits / 1e9 / t.joules;
	t.above_idle_joules = above;
	t.nj_per_bit = above * 1e9 / bits;
	return pace_fields_to_json(&energy_fields, &t);
}

static void
get_energy(struct pace_jr *j, const char *name, void *s)
{
	struct energy_doc t = { .e.known = true };

	if (!pace_jr_has(j, name))
		return;
	j->bad |= !pace_fields_from_json(&energy_fields, &t, pace_jr_get(j, name));
	((C *)s)->energy = t.e;
}

static bool
tells_why(const void *s)
{
	const struct pace_energy *e = &((const C *)s)->energy;

	return !e->known && e->why[0] != '\0';
}

/* --- the counters --------------------------------------------------------------- */

/* The work of energy is not known to a row: it is put by the caller, in the place of null. */
static void
put_later(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	pace_jw_put(w, name, json_null());
}

static const struct pace_field counters_rows[] = {
	{ "duration_ns", PACE_NS(C, at_ns), .text = "How long it was counted." },
	{ "thread", PACE_SELF(thread_fields),
	    .text = "`user_ns`, `system_ns`, `voluntary_switches` and `involuntary_switches` of the "
	    "thread that sent or received." },
	{ "interfaces", PACE_OWN(put_interfaces, NULL), .type = INTERFACES_TYPE,
	    .text = "The session's (`route` is true, of those below it too) and those on which "
	    "something happened, all of them together as \"the others\" where a responder does not "
	    "tell them one by one: `name`, the common counters by `rx_` and `tx_`, `qdisc_drops`, "
	    "and in `driver` those of \"ethtool -S\" that changed, by the driver's own names." },
	{ "snmp", PACE_OWN(put_snmp, get_snmp),
	    .type = "'type': 'object', 'additionalProperties': { " PACE_TYPE_COUNT " }",
	    .text = "Counters of IP and UDP by the kernel's own names: \"Ip.InReceives\", "
	    "\"Udp6RcvbufErrors\"." },
	{ "energy", PACE_OWN(put_later, get_energy), .of = &energy_fields,
	    .type = "'anyOf': [{ '$ref': '#/$defs/energy' }, { 'type': 'null' }]" },
	{ "energy_unavailable", PACE_TEXT(C, energy.why), .when = PACE_F_OR_ABSENT,
	    .flags = PACE_F_LAX, .given = tells_why,
	    .text = "`joules` of the packages and their memory, `watts`, `gbps_per_watt` of user "
	    "data, `idle_watts` where they were measured, then also `above_idle_joules` and "
	    "`nj_per_bit`, and the single `domains`. null where it cannot be read; "
	    "`energy_unavailable` says why." },
	{ .name = NULL },
};

const struct pace_fields pace_counters_fields = { .name = "counters", .row = counters_rows,
    .text = "What a host counted around the point, of all its traffic; null: not told." };

json_t *
pace_counters_to_json(const struct pace_counters *c, uint64_t bytes)
{
	struct pace_jw w;

	if (!c->known)
		return json_null();
	w.o = pace_fields_to_json(&pace_counters_fields, c);
	pace_jw_put(&w, "energy", energy_to_json(c, bytes));
	return w.o;
}

/* --- reading --------------------------------------------------------------------- */

static bool
read_core(struct pace_counters *c, struct pace_core_use *u, const json_t *o, bool first)
{
	struct pace_jr j = { .o = o };
	char name[24];

	u->core = (uint32_t)pace_jr_int(&j, "core", 0, CORES_MAX - 1);
	if (first)
		c->has_cpu = pace_jr_has(&j, "user_ns");
	for (int i = 0; i < PACE_CPUS && c->has_cpu; i++) {
		u->ns[i] = pace_jr_count(&j, ns_name((enum pace_cpu)i, name));
		c->all.ns[i] += u->ns[i];
	}
	for (int i = 0; i < PACE_CORE_COUNTS; i++) {
		const char *key = pace_core_count_name((enum pace_core_count)i);

		if (first)
			c->has_core[i] = pace_jr_has(&j, key);
		if (c->has_core[i])
			u->n[i] = pace_jr_count(&j, key);
		c->all.n[i] += u->n[i];
	}
	return !j.bad;
}

static int
read_cores(struct pace_counters *c, const json_t *list)
{
	size_t n = json_array_size(list);

	if (!json_is_array(list) || n > CORES_MAX)
		return -EPROTO;
	c->core = calloc(n + 1, sizeof(*c->core));
	if (c->core == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++, c->cores++)
		if (!read_core(c, &c->core[i], json_array_get(list, i), i == 0))
			return -EPROTO;
	return 0;
}

static bool
read_driver(struct pace_counters *c, json_t *o, uint32_t interface)
{
	const char *key;
	json_t *v;

	if (!json_is_object(o))
		return false;
	json_object_foreach(o, key, v) {
		struct pace_if_stat *s = &c->stat[c->stats];

		if (!json_is_integer(v) || json_integer_value(v) < 0 ||
		    json_integer_value(v) > PACE_JS_MAX)
			return false;
		pace_clean(s->name, sizeof(s->name), key, strlen(key));
		s->interface = interface;
		s->n = (uint64_t)json_integer_value(v);
		c->stats++;
	}
	return true;
}

static bool
read_interface(struct pace_counters *c, const json_t *o)
{
	struct pace_if_use *u = &c->interface[c->interfaces];
	struct pace_jr j = { .o = o };

	pace_jr_text(&j, "name", u->name, sizeof(u->name));
	u->route = pace_jr_bool(&j, "route");
	for (int k = 0; k < PACE_IF_COUNTS; k++)
		u->n[k] = pace_jr_count(&j, pace_if_count_name((enum pace_if_count)k));
	u->has_qdisc = pace_jr_has(&j, "qdisc_drops");
	u->qdisc_drops = pace_jr_count_or_0(&j, "qdisc_drops");
	return read_driver(c, json_object_get(o, "driver"), c->interfaces++) && !j.bad;
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
		rc = j.bad ? -EPROTO : 0;
	}
	c->known = rc == 0;
	return rc;
}
