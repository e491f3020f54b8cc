#include "doc/host_doc.h"

#include <errno.h>
#include <string.h>


#define CORES_MAX	65536

#define H	struct pace_host

/* --- facts -------------------------------------------------------------------------- */

/* Of a group; NULL: of the host itself. */
static bool
is_of(enum pace_fact fact, const char *group)
{
	struct pace_fact_name n = pace_fact_name(fact);

	return group == NULL ? n.group == NULL : n.group != NULL && strcmp(n.group, group) == 0;
}

static void
put_facts(struct pace_jw *w, const H *h, const char *group)
{
	for (int i = 0; i < PACE_FACTS; i++)
		if (h->has[i] && is_of((enum pace_fact)i, group))
			pace_jw_put(w, pace_fact_name((enum pace_fact)i).name,
			    json_integer(h->fact[i]));
}

static void
get_facts(struct pace_jr *j, H *h, const char *group)
{
	for (int i = 0; i < PACE_FACTS; i++) {
		const char *name = pace_fact_name((enum pace_fact)i).name;

		if (!is_of((enum pace_fact)i, group))
			continue;
		h->has[i] = pace_jr_has(j, name);
		if (h->has[i])
			h->fact[i] = pace_jr_int(j, name, PACE_FACT_LEAST, PACE_FACT_MOST);
	}
}

static void
put_own(struct pace_jw *w, const char *name, const void *h)
{
	(void)name;
	put_facts(w, h, NULL);
}

static void
get_own(struct pace_jr *j, const char *name, void *h)
{
	(void)name;
	get_facts(j, h, NULL);
}

static void
put_of_interface(struct pace_jw *w, const char *name, const void *h)
{
	(void)name;
	put_facts(w, h, "interface");
}

static void
get_of_interface(struct pace_jr *j, const char *name, void *h)
{
	(void)name;
	get_facts(j, h, "interface");
}

/* --- groups ------------------------------------------------------------------------- */

/* Put when there is something in it. */
static void
put_group(struct pace_jw *w, const char *key, json_t *group)
{
	if (group != NULL && json_object_size(group) == 0)
		json_decref(group);
	else
		pace_jw_put(w, key, group);
}

static void
put_sysctl(struct pace_jw *w, const char *name, const void *h)
{
	struct pace_jw sysctl = pace_jw_begin();

	put_facts(&sysctl, h, name);
	put_group(w, name, sysctl.o);
}

static void
get_sysctl(struct pace_jr *j, const char *name, void *h)
{
	struct pace_jr sysctl = { .o = pace_jr_get(j, name) };

	get_facts(&sysctl, h, name);
	j->bad |= sysctl.bad || !json_is_object(sysctl.o);
}

static const struct pace_field irq_rows[] = {
	{ "irq", PACE_COUNT(struct pace_irq, irq) },
	{ "queue", PACE_TEXT(struct pace_irq, queue) },
	{ "cores", PACE_TEXT(struct pace_irq, cores) },
	{ .name = NULL },
};

static const struct pace_fields irq_fields = { .name = "irq", .row = irq_rows };

#define KNOWN(name, m)	{ name, PACE_TEXT(H, m), .when = PACE_F_OR_ABSENT }

static const struct pace_field interface_rows[] = {
	KNOWN("name", interface),
	KNOWN("driver", driver),
	{ "speed_mbps", PACE_OWN(put_of_interface, get_of_interface), .flags = PACE_F_LAX,
	    .type = "'type': 'integer'" },
	{ "irqs", PACE_ARRAY(H, irq, irqs, irq_fields), .when = PACE_F_OR_ABSENT },
	{ "more_irqs", PACE_BOOL(H, more_irqs), .when = PACE_F_OR_ABSENT,
	    .text = "There are others than `irqs`." },
	{ .name = NULL },
};

static const struct pace_fields interface_fields = { .name = "host_interface",
    .row = interface_rows, .text = "Towards the peer; as ethtool and the kernel tell.",
    .rules = "'additionalProperties': { 'type': 'integer' }" };

static void
put_interface(struct pace_jw *w, const char *name, const void *h)
{
	put_group(w, name, pace_fields_to_json(&interface_fields, h));
}

static void
get_interface(struct pace_jr *j, const char *name, void *h)
{
	j->bad |= !pace_fields_from_json(&interface_fields, h, pace_jr_get(j, name));
}

/* --- the host ----------------------------------------------------------------------- */

#define FLAG	.flags = PACE_F_LAX, .type = "'enum': [0, 1]"

static const struct pace_field host_rows[] = {
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
	    .text = "Devices whose offloads blur arrival stamps." },
	{ "cores", PACE_INT(H, cores), .low = 1, .high = CORES_MAX, .when = PACE_F_OR_ABSENT },
	{ "steal_ppm", PACE_OWN(put_own, get_own), .flags = PACE_F_LAX, .type = PACE_TYPE_COUNT,
	    .text = "Of the cores' time since the start." },
	{ "timer_slack_ns", .flags = PACE_F_LAX, .type = "'type': 'integer'" },
	{ "realtime", FLAG },
	{ "buffers_forced", FLAG, .text = "1: its process may exceed the limits of buffers." },
	{ "sysctl", PACE_OWN(put_sysctl, get_sysctl), .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'object', 'additionalProperties': { 'type': 'integer' }",
	    .text = "Settings by the kernel's names." },
	{ "interface", PACE_OWN(put_interface, get_interface), .when = PACE_F_OR_ABSENT,
	    .of = &interface_fields },
	{ .name = NULL },
};

const struct pace_fields pace_host_fields = { .name = "host", .row = host_rows,
    .text = "What one host says of itself; absent: not known." };

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
