#include "doc/host_doc.h"

#include <errno.h>
#include <string.h>

#include "doc/js.h"

#define CORES_MAX	65536

static void
put_known(struct pace_jw *w, const char *key, const char *s)
{
	if (s[0] != '\0')
		pace_jw_text(w, key, s);
}

/* Facts of a group; NULL: of the host itself. */
static void
put_facts(struct pace_jw *w, const struct pace_host *h, const char *group)
{
	for (int i = 0; i < PACE_FACTS; i++) {
		struct pace_fact_name n = pace_fact_name((enum pace_fact)i);

		if (h->has[i] && (group == NULL ? n.group == NULL :
		    n.group != NULL && strcmp(n.group, group) == 0))
			pace_jw_put(w, n.name, json_integer(h->fact[i]));
	}
}

static json_t *
irqs_to_json(const struct pace_host *h)
{
	json_t *list = json_array();

	for (int i = 0; i < h->irqs; i++) {
		struct pace_jw w = pace_jw_begin();

		pace_jw_count(&w, "irq", h->irq[i].irq);
		pace_jw_text(&w, "queue", h->irq[i].queue);
		pace_jw_text(&w, "cores", h->irq[i].cores);
		list = pace_js_append(list, w.o);
	}
	return list;
}

/* Put when there is something in it. */
static void
put_group(struct pace_jw *w, const char *key, struct pace_jw group)
{
	if (group.o != NULL && json_object_size(group.o) == 0)
		json_decref(group.o);
	else
		pace_jw_put(w, key, group.o);
}

json_t *
pace_host_to_json(const struct pace_host *h)
{
	struct pace_jw w = pace_jw_begin(), sysctl = pace_jw_begin(), interface = pace_jw_begin();

	put_known(&w, "version", h->version);
	put_known(&w, "kernel", h->kernel);
	put_known(&w, "machine", h->machine);
	put_known(&w, "cpu", h->cpu);
	put_known(&w, "clocksource", h->clocksource);
	put_known(&w, "governor", h->governor);
	put_known(&w, "virtual", h->virt);
	put_known(&w, "stamp_spoilers", h->stamp_spoilers);
	if (h->cores > 0)
		pace_jw_put(&w, "cores", json_integer(h->cores));
	put_facts(&w, h, NULL);
	put_facts(&sysctl, h, "sysctl");
	put_group(&w, "sysctl", sysctl);
	put_known(&interface, "name", h->interface);
	put_known(&interface, "driver", h->driver);
	put_facts(&interface, h, "interface");
	if (h->irqs > 0)
		pace_jw_put(&interface, "irqs", irqs_to_json(h));
	if (h->more_irqs)
		pace_jw_bool(&interface, "more_irqs", true);
	put_group(&w, "interface", interface);
	return w.o;
}

/* --- reading ---------------------------------------------------------------------- */

static void
read_facts(struct pace_host *h, struct pace_jr *r, const char *group)
{
	for (int i = 0; i < PACE_FACTS; i++) {
		struct pace_fact_name n = pace_fact_name((enum pace_fact)i);

		if (group == NULL ? n.group != NULL : n.group == NULL || strcmp(n.group, group) != 0)
			continue;
		h->has[i] = pace_jr_has(r, n.name);
		if (h->has[i])
			h->fact[i] = pace_jr_int(r, n.name, PACE_FACT_LEAST, PACE_FACT_MOST);
	}
}

static bool
read_irqs(struct pace_host *h, const json_t *list)
{
	if (!json_is_array(list) || json_array_size(list) > PACE_IRQS)
		return false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct pace_jr r = { .o = json_array_get(list, i) };
		struct pace_irq *q = &h->irq[h->irqs++];

		q->irq = (uint32_t)pace_jr_int(&r, "irq", 0, UINT32_MAX);
		pace_jr_text(&r, "queue", q->queue, sizeof(q->queue));
		pace_jr_text(&r, "cores", q->cores, sizeof(q->cores));
		if (r.bad)
			return false;
	}
	return true;
}

static bool
read_interface(struct pace_host *h, const json_t *o)
{
	struct pace_jr r = { .o = o, .bad = !json_is_object(o) };

	pace_jr_text_or_empty(&r, "name", h->interface, sizeof(h->interface));
	pace_jr_text_or_empty(&r, "driver", h->driver, sizeof(h->driver));
	read_facts(h, &r, "interface");
	if (pace_jr_has(&r, "irqs") && !read_irqs(h, pace_jr_get(&r, "irqs")))
		return false;
	h->more_irqs = pace_jr_has(&r, "more_irqs") && pace_jr_bool(&r, "more_irqs");
	return !r.bad;
}

static bool
read_sysctl(struct pace_host *h, const json_t *o)
{
	struct pace_jr r = { .o = o, .bad = !json_is_object(o) };

	read_facts(h, &r, "sysctl");
	return !r.bad;
}

int
pace_host_from_json(struct pace_host *h, const json_t *j)
{
	struct pace_jr r = { .o = j, .bad = !json_is_object(j) };

	memset(h, 0, sizeof(*h));
	pace_jr_text_or_empty(&r, "version", h->version, sizeof(h->version));
	pace_jr_text_or_empty(&r, "kernel", h->kernel, sizeof(h->kernel));
	pace_jr_text_or_empty(&r, "machine", h->machine, sizeof(h->machine));
	pace_jr_text_or_empty(&r, "cpu", h->cpu, sizeof(h->cpu));
	pace_jr_text_or_empty(&r, "clocksource", h->clocksource, sizeof(h->clocksource));
	pace_jr_text_or_empty(&r, "governor", h->governor, sizeof(h->governor));
	pace_jr_text_or_empty(&r, "virtual", h->virt, sizeof(h->virt));
	pace_jr_text_or_empty(&r, "stamp_spoilers", h->stamp_spoilers,
	    sizeof(h->stamp_spoilers));
	if (pace_jr_has(&r, "cores"))
		h->cores = (int)pace_jr_int(&r, "cores", 1, CORES_MAX);
	read_facts(h, &r, NULL);
	if (pace_jr_has(&r, "sysctl") && !read_sysctl(h, pace_jr_get(&r, "sysctl")))
		return -EPROTO;
	if (pace_jr_has(&r, "interface") && !read_interface(h, pace_jr_get(&r, "interface")))
		return -EPROTO;
	return r.bad ? -EPROTO : 0;
}
