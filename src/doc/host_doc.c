#include "doc/host_doc.h"

#include <errno.h>
#include <string.h>


#define CORES_MAX	65536

#define H	struct pace_host

/* --- facts -------------------------------------------------------------------------- */

/* Facts of a group are members of one object.  Return the group of the fact `name`, NULL if it is
 * a member of the host itself.  Without such a fact, name is a group, and is returned. */
static const char *
group_of(const char *name)
{
	for (int i = 0; i < PACE_FACTS; i++)
		if (strcmp(pace_fact_name((enum pace_fact)i).name, name) == 0)
			return pace_fact_name((enum pace_fact)i).group;
	return name;
}

static bool
is_of(enum pace_fact fact, const char *group)
{
	const char *of = pace_fact_name(fact).group;

	return group == NULL || of == NULL ? of == group : strcmp(of, group) == 0;
}

static void
put_facts(struct pace_jw *w, const char *name, const void *host)
{
	const char *group = group_of(name);
	const H *h = host;

	for (int i = 0; i < PACE_FACTS; i++)
		if (h->has[i] && is_of((enum pace_fact)i, group))
			pace_jw_put(w, pace_fact_name((enum pace_fact)i).name,
			    json_integer(h->fact[i]));
}

static void
get_facts(struct pace_jr *j, const char *name, void *host)
{
	const char *group = group_of(name), *fact;
	H *h = host;

	for (int i = 0; i < PACE_FACTS; i++) {
		fact = pace_fact_name((enum pace_fact)i).name;
		if (!is_of((enum pace_fact)i, group))
			continue;
		h->has[i] = pace_jr_has(j, fact);
		if (h->has[i])
			h->fact[i] = pace_jr_int(j, fact, PACE_FACT_LEAST, PACE_FACT_MOST);
	}
}

#define FACTS	PACE_OWN(put_facts, get_facts)

/* --- groups ------------------------------------------------------------------------- */

static const struct pace_fields sysctl_fields = { .row = PACE_FIELDS(
	{ "sysctl", FACTS },
) };

static const struct pace_fields irq_fields = { .name = "irq", .row = PACE_FIELDS(
	{ "irq", PACE_COUNT(struct pace_irq, irq) },
	{ "queue", PACE_TEXT(struct pace_irq, queue) },
	{ "cores", PACE_TEXT(struct pace_irq, cores) },
) };

#define KNOWN(name, m)	{ name, PACE_TEXT(H, m), .when = PACE_F_OR_ABSENT }

static const struct pace_fields interface_fields = { .name = "host_interface",
    .text = "The interface towards the peer, with facts from ethtool and the kernel.",
    .rules = "'additionalProperties': { 'type': 'integer' }", .row = PACE_FIELDS(
	KNOWN("name", interface),
	KNOWN("driver", driver),
	{ "numa_cores", PACE_TEXT(H, numa_cores), .when = PACE_F_OR_ABSENT,
	    .text = "Cores of its NUMA node, as the kernel lists them: \"0-7,16-23\"." },
	{ "speed_mbps", FACTS, .flags = PACE_F_LAX,
	    .type = "'type': 'integer'" },
	{ "irqs", PACE_ARRAY(H, irq, irqs, irq_fields), .when = PACE_F_OR_ABSENT },
	{ "more_irqs", PACE_BOOL(H, more_irqs), .when = PACE_F_OR_ABSENT,
	    .text = "True if there are more interrupts than `irqs` lists." },
) };

/* --- the host ----------------------------------------------------------------------- */

#define FLAG	.flags = PACE_F_LAX, .type = "'enum': [0, 1]"

const struct pace_fields pace_host_fields = { .name = "host",
    .text = "A host's report about itself; absent: not known.", .row = PACE_FIELDS(
	KNOWN("version", version),
	KNOWN("kernel", kernel),
	KNOWN("machine", machine),
	KNOWN("cpu", cpu),
	KNOWN("clocksource", clocksource),
	{ "governor", PACE_TEXT(H, governor), .when = PACE_F_OR_ABSENT,
	    .text = "\"mixed\": not the same for all cores." },
	{ "virtual", PACE_TEXT(H, virt), .when = PACE_F_OR_ABSENT,
	    .text = "\"no\", \"yes\", or the hypervisor's name." },
	{ "stamp_spoilers", PACE_TEXT(H, stamp_spoilers), .when = PACE_F_OR_ABSENT,
	    .text = "Devices whose offloads make arrival stamps inexact." },
	{ "cores", PACE_INT(H, cores), .low = 1, .high = CORES_MAX, .when = PACE_F_OR_ABSENT },
	{ "steal_ppm", FACTS, .flags = PACE_F_LAX, .type = PACE_TYPE_COUNT,
	    .text = "Share of the cores' time since boot." },
	{ "timer_slack_ns", .flags = PACE_F_LAX, .type = "'type': 'integer'" },
	{ "realtime", FLAG },
	{ "buffers_forced", FLAG, .text = "1: the process may exceed the limits of buffers." },
	{ "sysctl", PACE_SELF(sysctl_fields), .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'object', 'additionalProperties': { 'type': 'integer' }",
	    .text = "Settings, by the kernel's names." },
	{ "interface", PACE_SELF(interface_fields), .when = PACE_F_OR_ABSENT },
) };

json_t *
pace_host_to_json(const struct pace_host *h)
{
	return pace_fields_to_json(&pace_host_fields, h);
}

int
pace_host_from_json(struct pace_host *h, const json_t *j)
{
	memset(h, 0, sizeof(*h));
	return pace_fields_from_json(&pace_host_fields, h, j) ? 0 : -EPROTO;
}
