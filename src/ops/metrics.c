#include "config.h"

#include "ops/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void
family(FILE *f, const char *name, const char *type, const char *unit, const char *help)
{
	fprintf(f, "# TYPE %s %s\n", name, type);
	if (unit != NULL)
		fprintf(f, "# UNIT %s %s\n", name, unit);
	fprintf(f, "# HELP %s %s.\n", name, help);
}

static void
counter(FILE *f, const char *name, const char *unit, const char *help, uint64_t n)
{
	family(f, name, "counter", unit, help);
	fprintf(f, "%s_total %" PRIu64 "\n", name, n);
}

static void
gauge(FILE *f, const char *name, const char *help, uint64_t n)
{
	family(f, name, "gauge", NULL, help);
	fprintf(f, "%s %" PRIu64 "\n", name, n);
}

static void
put_port(FILE *f, const struct pace_totals *t)
{
	char name[64];

	for (size_t i = 0; i < pace_port_counts_n; i++) {
		snprintf(name, sizeof(name), "udpace_port_%s", pace_port_counts[i].name);
		counter(f, name, NULL, pace_port_counts[i].help, pace_port_count(&t->at_port, i));
	}
}

static void
put_sessions(FILE *f, const struct pace_totals *t)
{
	gauge(f, "udpace_sessions_active", "Sessions that clients have open now", t->active);
	counter(f, "udpace_sessions_opened", NULL, "Sessions that began", t->opened);
	counter(f, "udpace_sessions_closed", NULL, "Sessions that ended", t->closed);
	family(f, "udpace_refusals", "counter", NULL, "Requests that were refused, by the reason");
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		fprintf(f, "udpace_refusals_total{reason=\"%s\"} %" PRIu64 "\n",
		    pace_refused_name((enum pace_refused)i), t->refused[i]);
	gauge(f, "udpace_lease_held", "1 while a client measures", t->lease_ns > 0);
	family(f, "udpace_runs", "counter", NULL, "Runs that began, by their kind");
	fprintf(f, "udpace_runs_total{kind=\"stream\"} %" PRIu64 "\n", t->streams);
	fprintf(f, "udpace_runs_total{kind=\"round_trips\"} %" PRIu64 "\n", t->round_trips);
	family(f, "udpace_runs_ended", "counter", NULL, "Runs that ended, by how");
	fprintf(f, "udpace_runs_ended_total{how=\"complete\"} %" PRIu64 "\n", t->complete);
	fprintf(f, "udpace_runs_ended_total{how=\"abandoned\"} %" PRIu64 "\n", t->abandoned);
}

static void
put_lost(FILE *f, const struct pace_totals *t)
{
	family(f, "udpace_frames_lost", "counter", NULL,
	    "Frames missing in streams that ended, by where they died as far as it is counted here");
	fprintf(f, "udpace_frames_lost_total{place=\"rx_socket\"} %" PRIu64 "\n", t->lost_socket);
	fprintf(f, "udpace_frames_lost_total{place=\"rx_late\"} %" PRIu64 "\n", t->lost_late);
	fprintf(f, "udpace_frames_lost_total{place=\"elsewhere\"} %" PRIu64 "\n",
	    t->lost_elsewhere);
}

static void
put_frames(FILE *f, const struct pace_totals *t)
{
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		const struct pace_tally_count *c = &pace_tally_counts[i];

		if (c->metric != NULL)
			counter(f, c->metric, c->unit, c->help, pace_tally_get(&t->tally, i));
	}
	put_lost(f, t);
}

static void
put_process(FILE *f, const struct pace_totals *t)
{
	counter(f, "udpace_log_events_lost", NULL, "Events of the log that could not be written in time",
	    t->events_lost);
	family(f, "udpace_start_time_seconds", "gauge", "seconds", "When the responder started, Unix time");
	fprintf(f, "udpace_start_time_seconds %" PRId64 ".%03d\n",
	    t->started_wall_ns / 1000000000, (int)(t->started_wall_ns / 1000000 % 1000));
	family(f, "udpace_build", "info", NULL, "The version of udpace that runs here");
	fprintf(f, "udpace_build_info{version=\"%s\"} 1\n", PACKAGE_VERSION);
}

char *
pace_metrics_text(const struct pace_totals *t, size_t *size)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, size);

	if (f == NULL)
		return NULL;
	put_port(f, t);
	put_sessions(f, t);
	put_frames(f, t);
	put_process(f, t);
	fputs("# EOF\n", f);
	if (fclose(f) == 0)
		return text;
	free(text);
	return NULL;
}
