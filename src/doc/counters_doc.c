#include "doc/counters_doc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "doc/js.h"

#define CORES_MAX	65536
#define LIST_MAX	65536

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
thread_to_json(const struct pace_counters *c)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_count(&w, "user_ns", c->thread.user_ns);
	pace_jw_count(&w, "system_ns", c->thread.system_ns);
	pace_jw_count(&w, "voluntary_switches", c->thread.voluntary);
	pace_jw_count(&w, "involuntary_switches", c->thread.involuntary);
	return w.o;
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

static json_t *
snmp_to_json(const struct pace_counters *c)
{
	struct pace_jw w = pace_jw_begin();

	for (int v6 = 0; v6 < 2; v6++)
		for (int i = 0; i < PACE_SNMPS; i++)
			if (c->has_snmp[v6][i])
				pace_jw_count(&w, pace_snmp_name((enum pace_snmp)i, v6 != 0),
				    c->snmp[v6][i]);
	return w.o;
}

static json_t *
domains_to_json(const struct pace_energy *e)
{
	json_t *list = json_array();

	for (int i = 0; i < e->domains; i++) {
		struct pace_jw w = pace_jw_begin();

		pace_jw_text(&w, "name", e->v[i].name);
		pace_jw_real(&w, "joules", e->v[i].joules);
		pace_jw_bool(&w, "counted", e->v[i].counted);
		list = pace_js_append(list, w.o);
	}
	return list;
}

static json_t *
energy_to_json(const struct pace_counters *c, uint64_t bytes)
{
	const struct pace_energy *e = &c->energy;
	struct pace_jw w = pace_jw_begin();
	double joules = pace_energy_joules(e), bits = 8.0 * (double)bytes;
	double s = (double)c->at_ns / 1e9, above = joules - e->idle_watts * s;

	pace_jw_real(&w, "joules", joules);
	pace_jw_real(&w, "watts", joules / s);		/* null of no time */
	pace_jw_real(&w, "gbps_per_watt", bits / 1e9 / joules);
	pace_jw_real(&w, "idle_watts", e->has_idle ? e->idle_watts : NAN);
	pace_jw_real(&w, "above_idle_joules", e->has_idle ? above : NAN);
	pace_jw_real(&w, "nj_per_bit", e->has_idle ? above * 1e9 / bits : NAN);
	pace_jw_put(&w, "domains", domains_to_json(e));
	return w.o;
}

json_t *
pace_counters_to_json(const struct pace_counters *c, uint64_t bytes)
{
	struct pace_jw w = pace_jw_begin();

	if (!c->known) {
		json_decref(w.o);
		return json_null();
	}
	pace_jw_put(&w, "duration_ns", json_integer(c->at_ns));
	pace_jw_put(&w, "thread", thread_to_json(c));
	pace_jw_put(&w, "interfaces", interfaces_to_json(c));
	pace_jw_put(&w, "snmp", snmp_to_json(c));
	if (c->energy.known) {
		pace_jw_put(&w, "energy", energy_to_json(c, bytes));
	} else {
		pace_jw_put(&w, "energy", json_null());
		if (c->energy.why[0] != '\0')
			pace_jw_text(&w, "energy_unavailable", c->energy.why);
	}
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

static void
read_snmp(struct pace_counters *c, struct pace_jr *j)
{
	for (int v6 = 0; v6 < 2; v6++)
		for (int i = 0; i < PACE_SNMPS; i++) {
			const char *name = pace_snmp_name((enum pace_snmp)i, v6 != 0);

			c->has_snmp[v6][i] = pace_jr_has(j, name);
			c->snmp[v6][i] = pace_jr_count_or_0(j, name);
		}
}

static bool
read_energy(struct pace_energy *e, const json_t *o)
{
	struct pace_jr j = { .o = o };
	const json_t *list = pace_jr_get(&j, "domains");

	e->known = true;
	e->has_idle = pace_jr_has(&j, "idle_watts");
	if (e->has_idle)
		e->idle_watts = pace_jr_real(&j, "idle_watts");
	if (!json_is_array(list) || json_array_size(list) > PACE_ENERGY_DOMAINS)
		return false;
	for (e->domains = 0; (size_t)e->domains < json_array_size(list); e->domains++) {
		struct pace_jr d = { .o = json_array_get(list, (size_t)e->domains) };

		pace_jr_text(&d, "name", e->v[e->domains].name, sizeof(e->v[0].name));
		e->v[e->domains].joules = pace_jr_real(&d, "joules");
		e->v[e->domains].counted = pace_jr_bool(&d, "counted");
		if (d.bad)
			return false;
	}
	return !j.bad;
}

static bool
read_rest(struct pace_counters *c, struct pace_jr *j)
{
	struct pace_jr thread = { .o = pace_jr_get(j, "thread") };
	struct pace_jr snmp = { .o = pace_jr_get(j, "snmp") };

	c->at_ns = pace_jr_int(j, "duration_ns", 0, PACE_JS_MAX);
	c->thread.user_ns = pace_jr_count(&thread, "user_ns");
	c->thread.system_ns = pace_jr_count(&thread, "system_ns");
	c->thread.voluntary = pace_jr_count(&thread, "voluntary_switches");
	c->thread.involuntary = pace_jr_count(&thread, "involuntary_switches");
	read_snmp(c, &snmp);
	if (pace_jr_has(j, "energy") && !read_energy(&c->energy, pace_jr_get(j, "energy")))
		return false;
	pace_jr_text_or_empty(j, "energy_unavailable", c->energy.why, sizeof(c->energy.why));
	return !j->bad && !thread.bad && !snmp.bad && json_is_object(snmp.o);
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
	if (rc == 0 && !read_rest(c, &j))
		rc = -EPROTO;
	c->known = rc == 0;
	return rc;
}
