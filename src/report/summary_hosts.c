#include "config.h"

#include "report/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/markup.h"

/* Write a row with a fact of both hosts, unless both lack it. */
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
put_facts(FILE *f, const struct pace_run *r)
{
	const struct pace_host *a = &r->head.r.client, *b = &r->head.r.responder;
	char ours[32] = "", theirs[32] = "", what[96];
	int64_t v;

	fprintf(f, "<details><summary>%s</summary>\n<table class=\"facts\">", r->seen ?
	    "The host that captured" : "The two hosts");
	HEADS(f, NULL, "", r->seen ? "Host" : "Client", r->seen ? "" : "Responder");
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
	for (int k = 0; k < PACE_FACTS; k++) {
		const struct pace_fact_name name = pace_fact_name((enum pace_fact)k);
		const bool grouped = name.group != NULL && strcmp(name.group, "sysctl") != 0;

		ours[0] = theirs[0] = '\0';
		if (pace_host_knows(a, (enum pace_fact)k, &v))
			snprintf(ours, sizeof(ours), "%" PRId64, v);
		if (pace_host_knows(b, (enum pace_fact)k, &v))
			snprintf(theirs, sizeof(theirs), "%" PRId64, v);
		snprintf(what, sizeof(what), "%s%s%s", grouped ? name.group : "",
		    grouped ? " " : "", name.name);
		fact_words(f, what, ours, theirs);
	}
	fputs("</table></details>\n", f);
}

void
pace_summary_hosts(FILE *f, const struct pace_report_data *b)
{
	char *text = NULL, *last = NULL;
	size_t size;

	for (size_t i = 0; i < b->n; i++) {
		const struct pace_run *r = b->run[i];
		FILE *table;

		if (r->seen && r->capture.interface[0] == '\0')
			continue;		/* the host that read a file does not matter */
		table = open_memstream(&text, &size);
		if (table == NULL)
			continue;
		put_facts(table, r);
		fclose(table);
		if (last == NULL)
			fputs("<h2 id=\"hosts\">Hosts</h2>\n", f);
		if (last == NULL || strcmp(text, last) != 0)
			fputs(text, f);
		free(last);
		last = text;
	}
	free(last);
}
