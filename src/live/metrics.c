#include "config.h"

#include "live/metrics.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

void
pace_metrics_family(FILE *f, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (unit != NULL)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s.\n", name, help);
}

static void
counter(FILE *f, const char *name, const char *unit, const char *help, uint64_t n)
{
	pace_metrics_family(f, name, "counter", unit, help);
	fprintf(f, "%s_total %" PRIu64 "\n", name, n);
}

static void
gauge(FILE *f, const char *name, const char *help, uint64_t n)
{
	pace_metrics_family(f, name, "gauge", NULL, help);
	fprintf(f, "%s %" PRIu64 "\n", name, n);
}

void
pace_metrics_end(FILE *f)
{
	pace_metrics_family(f, "udpace_build", "info", NULL, "The version of udpace that runs here");
	fprintf(f, "udpace_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
	fputs("# EOF\n", f);
}

static void
put_totals(FILE *f, const struct pace_totals *t)
{
	char name[64];

	for (size_t i = 0; i < pace_total_counts_n; i++) {
		const struct pace_total *c = &pace_total_counts[i];

		snprintf(name, sizeof(name), "udpace_%s", c->metric);
		if (c->help != NULL)
			pace_metrics_family(f, name, "counter", NULL, c->help);
		fprintf(f, c->label != NULL ? "%s_total{%s} %" PRIu64 "\n" :
		    "%s_total%s %" PRIu64 "\n", name,
		    c->label != NULL ? c->label : "", pace_total_count(t, i));
	}
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		const struct pace_tally_count *c = &pace_tally_counts[i];

		if (c->metric != NULL)
			counter(f, c->metric, c->unit, c->help, pace_tally_get(&t->tally, i));
	}
}

/* They begin at 0 with each run, so they are no counters. */
static void
put_streams(FILE *f, const struct pace_stream_stats *v, size_t n)
{
	static const struct {
		const char	*name, *help;
		size_t		at;
	} of[] = {
#define AT(m)	offsetof(struct pace_tally, m) / sizeof(uint64_t)
		{ "received_frames", "Frames received of each stream of the run in progress, if "
		    "it has several", AT(frames) },
		{ "lost_frames", "Frames lost of each stream of that run so far", AT(lost) },
		{ "duplicates", "Frames of that run that came again", AT(duplicates) },
		{ "reordered_frames", "Frames of that run that came after a later one",
		    AT(reordered) },
		{ "sent_frames", "Frames of that run that the responder sent", AT(sent_frames) },
#undef AT
	};
	char name[64];

	for (size_t i = 0; n > 0 && i < sizeof(of) / sizeof(of[0]); i++) {
		snprintf(name, sizeof(name), "udpace_run_stream_%s", of[i].name);
		pace_metrics_family(f, name, "gauge", NULL, of[i].help);
		for (size_t k = 0; k < n; k++)
			if (v[k].number != 0)
				fprintf(f, "%s{stream=\"%zu\"} %" PRId64 "\n", name, k,
				    (int64_t)pace_tally_get(&v[k].now.run, of[i].at));
	}
}

char *
pace_metrics_text(const struct pace_totals *t, const struct pace_stream_stats *streams, size_t n,
    size_t *size)
{
	char *text = NULL, name[64];
	FILE *f = open_memstream(&text, size);

	if (f == NULL)
		return NULL;
	for (size_t i = 0; i < pace_port_counts_n; i++) {
		snprintf(name, sizeof(name), "udpace_port_%s", pace_port_counts[i].name);
		counter(f, name, NULL, pace_port_counts[i].help, pace_port_count(&t->at_port, i));
	}
	gauge(f, "udpace_sessions_active", "Sessions that clients have open now", t->active);
	gauge(f, "udpace_light_sessions_active", "Light sessions that clients have open now",
	    t->light);
	gauge(f, "udpace_lease_held", "1 while a client measures", t->lease_ns > 0);
	pace_metrics_family(f, "udpace_refusals", "counter", NULL,
	    "Requests that were refused, by the reason");
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		fprintf(f, "udpace_refusals_total{reason=\"%s\"} %" PRIu64 "\n",
		    pace_refused_name((enum pace_refused)i), t->refused[i]);
	put_totals(f, t);
	put_streams(f, streams, n);
	counter(f, "udpace_log_events_lost", NULL,
	    "Events of the log that could not be written in time",
	    t->events_lost);
	pace_metrics_family(f, "udpace_start_time_seconds", "gauge", "seconds",
	    "When the responder started, Unix time");
	fprintf(f, "udpace_start_time_seconds %" PRId64 ".%03d\n",
	    t->started_wall_ns / 1000000000, (int)(t->started_wall_ns / 1000000 % 1000));
	pace_metrics_end(f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
