#include "config.h"

#include "ops/totals.h"

#include <string.h>

#include "doc/tally_doc.h"

static const char *const refusals[PACE_REFUSED_KINDS] = { "busy", "closing", "cookie", "full",
	"key", "memory", "policy", "records", "request", "session", "stamp", "other" };

const char *
pace_refused_name(enum pace_refused r)
{
	return refusals[(unsigned)r < PACE_REFUSED_KINDS ? r : PACE_REFUSED_OTHER];
}

enum pace_refused
pace_refused_of(const char *code)
{
	int i = 0;

	while (i < PACE_REFUSED_OTHER && strcmp(code, refusals[i]) != 0)
		i++;
	return (enum pace_refused)i;
}

#define AT(field)	offsetof(struct pace_responder_counts, field)

/* One row a count: the rest follows. */
const struct pace_port_count pace_port_counts[] = {
	{ "hellos", "First requests of clients (HELLO) that were answered with a cookie", NULL, AT(hellos), 0 },
	{ "opened", "Requests for a session that were granted", NULL, AT(opened), 0 },
	{ "junk", "Datagrams at the port that are no message of udpace", "junk", AT(junk), 1 },
	{ "limited", "Requests at the port left without an answer, too many from their address",
	    "above the limit of their address", AT(limited), 1 },
	{ "cookies", "Requests for a session with a cookie that is not good",
	    "without a good cookie", AT(cookies), 1 },
	{ "keyless", "Requests at the port without a key that is known here, where one is wanted",
	    "without a good key", AT(keyless), 1 },
	{ "resets", "Requests for sessions that are gone", "for sessions that are gone",
	    AT(resets), 1 },
	{ "refused", "Requests for a session that were refused", "refused a session",
	    AT(refused), 0 },
	{ "strays", "Datagrams from addresses of clients that belong to no session",
	    "in the name of clients", AT(strays), 1 },
	{ "leftovers", "Frames of runs that a rule had ended", NULL, AT(leftovers), 0 },
	{ "untold", "Events of sessions without a key left out of the log, being too many",
	    "events of sessions without a key left out of the log", AT(untold), 1 },
};
const size_t pace_port_counts_n = sizeof(pace_port_counts) / sizeof(pace_port_counts[0]);

uint64_t
pace_port_count(const struct pace_responder_counts *c, size_t i)
{
	uint64_t n;

	memcpy(&n, (const char *)c + pace_port_counts[i].at, sizeof(n));
	return n;
}

void
pace_totals_add_boards(struct pace_totals *t, struct pace_watch *boards,
    struct pace_view *last, const uint64_t *counted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pace_view *v = &last[i];

		(void)pace_watch_read(&boards[i], &last[i]);
		if (v->number <= counted[i])	/* 0: nobody was there */
			continue;
		pace_tally_add(&t->tally, &v->all);
		if (v->leased)
			t->lease_number = v->number;
	}
}

struct pace_totals
pace_totals_since(const struct pace_totals *now, const struct pace_totals *then)
{
	struct pace_totals t = *now;
	char *to = (char *)&t.at_port;

	for (size_t i = 0; i < pace_port_counts_n; i++) {
		uint64_t n = pace_port_count(&now->at_port, i) -
		    pace_port_count(&then->at_port, i);

		memcpy(to + pace_port_counts[i].at, &n, sizeof(n));
	}
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		t.refused[i] -= then->refused[i];
	t.opened -= then->opened;
	t.closed -= then->closed;
	t.streams -= then->streams;
	t.round_trips -= then->round_trips;
	t.complete -= then->complete;
	t.abandoned -= then->abandoned;
	t.tally = pace_tally_since(&now->tally, &then->tally);
	t.lost_socket -= then->lost_socket;
	t.lost_late -= then->lost_late;
	t.lost_elsewhere -= then->lost_elsewhere;
	t.events_lost -= then->events_lost;
	t.started_ns = then->now_ns;
	return t;
}

/* --- JSON --- */

static json_t *
port_counts(const struct pace_responder_counts *c)
{
	struct pace_jw w = pace_jw_begin();

	for (size_t i = 0; i < pace_port_counts_n; i++)
		pace_jw_count(&w, pace_port_counts[i].name, pace_port_count(c, i));
	return w.o;
}

static json_t *
refusals_json(const uint64_t refused[PACE_REFUSED_KINDS])
{
	struct pace_jw w = pace_jw_begin();

	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		if (refused[i] != 0)
			pace_jw_count(&w, pace_refused_name((enum pace_refused)i), refused[i]);
	return w.o;
}

void
pace_totals_put(struct pace_jw *w, const struct pace_totals *t)
{
	struct pace_jw received = pace_jw_begin(), lost = pace_jw_begin();

	pace_jw_count(w, "uptime_ns", (uint64_t)(t->now_ns - t->started_ns));
	pace_jw_put(w, "port", port_counts(&t->at_port));
	pace_jw_put(w, "refused", refusals_json(t->refused));
	pace_jw_count(w, "sessions_active", t->active);
	pace_jw_count(w, "sessions_opened", t->opened);
	pace_jw_count(w, "sessions_closed", t->closed);
	pace_jw_count(w, "streams", t->streams);
	pace_jw_count(w, "round_trip_runs", t->round_trips);
	pace_jw_count(w, "runs_complete", t->complete);
	pace_jw_count(w, "runs_abandoned", t->abandoned);
	pace_tally_put(&received, &t->tally);
	pace_jw_put(w, "received", received.o);
	pace_jw_count(&lost, "rx_socket", t->lost_socket);
	pace_jw_count(&lost, "rx_late", t->lost_late);
	pace_jw_count(&lost, "elsewhere", t->lost_elsewhere);
	pace_jw_put(w, "lost_of_ended_streams", lost.o);
	pace_jw_count(w, "events_lost", t->events_lost);
}

/* Codes that are not known here are as many others. */
static void
read_refusals(uint64_t refused[PACE_REFUSED_KINDS], const json_t *o)
{
	const char *code;
	json_t *v;

	json_object_foreach((json_t *)(uintptr_t)o, code, v)
		if (json_is_integer(v) && json_integer_value(v) > 0)
			refused[pace_refused_of(code)] += (uint64_t)json_integer_value(v);
}

void
pace_totals_read(struct pace_totals *t, const json_t *o)
{
	struct pace_jr r = { .o = o }, port = { .o = json_object_get(o, "port") };

	*t = (struct pace_totals){ .now_ns = (int64_t)pace_jr_count_or_0(&r, "uptime_ns"),
	    .active = pace_jr_count_or_0(&r, "sessions_active"),
	    .opened = pace_jr_count_or_0(&r, "sessions_opened"),
	    .streams = pace_jr_count_or_0(&r, "streams"),
	    .at_port.junk = pace_jr_count_or_0(&port, "junk") };
	read_refusals(t->refused, json_object_get(o, "refused"));
}
