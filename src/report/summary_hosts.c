#include "config.h"

#include "report/summary_own.h"

#include <inttypes.h>
#include <string.h>

/* A row of what both hosts say of one thing, unless neither says anything. */
static void
fact_words(FILE *f, const char *what, const char *ours, const char *theirs)
{
	if (ours[0] == '\0' && theirs[0] == '\0')
		return;
	fputs("<tr>", f);
	pace_cell_words(f, what);
	pace_cell_words(f, ours[0] != '\0' ? ours : "–");
	pace_cell_words(f, theirs[0] != '\0' ? theirs : "–");
	fputs("</tr>\n", f);
}

static void
fact_number(FILE *f, enum pace_fact k, const struct pace_host *a, const struct pace_host *b)
{
	const struct pace_fact_name name = pace_fact_name(k);
	char ours[32] = "", theirs[32] = "", what[96];
	int64_t v;

	if (pace_host_knows(a, k, &v))
		snprintf(ours, sizeof(ours), "%" PRId64, v);
	if (pace_host_knows(b, k, &v))
		snprintf(theirs, sizeof(theirs), "%" PRId64, v);
	snprintf(what, sizeof(what), "%s%s%s", name.group != NULL &&
	    strcmp(name.group, "sysctl") != 0 ? name.group : "", name.group != NULL &&
	    strcmp(name.group, "sysctl") != 0 ? " " : "", name.name);
	fact_words(f, what, ours, theirs);
}

void
pace_summary_hosts(FILE *f, const struct pace_run *r)
{
	const struct pace_host *a = &r->head.r.client, *b = &r->head.r.responder;
	char ours[32] = "", theirs[32] = "";

	if (r->seen && r->capture.interface[0] == '\0')
		return;				/* where a file was read does not matter */
	fprintf(f, "<details><summary>%s</summary>\n<table class=\"facts\">", r->seen ?
	    "The host that captured" : "The two hosts");
	HEADS(f, "", r->seen ? "Host" : "Client", r->seen ? "" : "Responder");
	fact_words(f, "udpace", a->version, b->version);
	fact_words(f, "kernel", a->kernel, b->kernel);
	fact_words(f, "machine", a->machine, b->machine);
	fact_words(f, "CPU", a->cpu, b->cpu);
	if (a->cores > 0)
		snprintf(ours, sizeof(ours), "%d", a->cores);
	if (b->cores > 0)
		snprintf(theirs, sizeof(theirs), "%d", b->cores);
	fact_words(f, "cores", ours, theirs);
	fact_words(f, "governor", a->governor, b->governor);
	fact_words(f, "clock source", a->clocksource, b->clocksource);
	fact_words(f, "virtual", a->virt, b->virt);
	fact_words(f, "interface", a->interface, b->interface);
	fact_words(f, "driver", a->driver, b->driver);
	for (int k = 0; k < PACE_FACTS; k++)
		fact_number(f, (enum pace_fact)k, a, b);
	fputs("</table></details>\n", f);
}
