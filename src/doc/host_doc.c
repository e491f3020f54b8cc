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

json_t *
pace_host_to_json(const struct pace_host *h)
{
	struct pace_jw w = pace_jw_begin();

	put_known(&w, "version", h->version);
	put_known(&w, "kernel", h->kernel);
	put_known(&w, "machine", h->machine);
	put_known(&w, "cpu", h->cpu);
	put_known(&w, "clocksource", h->clocksource);
	put_known(&w, "stamp_spoilers", h->stamp_spoilers);
	if (h->cores > 0)
		pace_jw_put(&w, "cores", json_integer(h->cores));
	return w.o;
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
	pace_jr_text_or_empty(&r, "stamp_spoilers", h->stamp_spoilers,
	    sizeof(h->stamp_spoilers));
	if (pace_jr_has(&r, "cores"))
		h->cores = (int)pace_jr_int(&r, "cores", 1, CORES_MAX);
	return r.bad ? -EPROTO : 0;
}
