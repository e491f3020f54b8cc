#include "config.h"

#include "live/totals.h"

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

#undef AT
#define AT(field)	offsetof(struct pace_totals, field)
#define LOST	"Frames missing in streams that ended, by where they died as far as it is counted here"

const struct pace_total pace_total_counts[] = {
	{ "sessions_opened", false, AT(opened), "sessions_opened", NULL, "Sessions that began" },
	{ "sessions_closed", false, AT(closed), "sessions_closed", NULL, "Sessions that ended" },
	{ "streams", false, AT(streams), "runs", "kind=\"stream\"", "Runs that began, by their kind" },
	{ "round_trip_runs", false, AT(round_trips), "runs", "kind=\"round_trips\"", NULL },
	{ "runs_complete", false, AT(complete), "runs_ended", "how=\"complete\"", "Runs that ended, by how" },
	{ "runs_abandoned", false, AT(abandoned), "runs_ended", "how=\"abandoned\"", NULL },
	{ "rx_socket", true, AT(lost_socket), "frames_lost", "place=\"rx_socket\"", LOST },
	{ "rx_late", true, AT(lost_late), "frames_lost", "place=\"rx_late\"", NULL },
	{ "elsewhere", true, AT(lost_elsewhere), "frames_lost", "place=\"elsewhere\"", NULL },
};
const size_t pace_total_counts_n = sizeof(pace_total_counts) / sizeof(pace_total_counts[0]);

static uint64_t
word_at(const void *base, size_t at)
{
	uint64_t n;

	memcpy(&n, (const char *)base + at, sizeof(n));
	return n;
}

uint64_t
pace_port_count(const struct pace_responder_counts *c, size_t i)
{
	return word_at(c, pace_port_counts[i].at);
}

uint64_t
pace_total_count(const struct pace_totals *t, size_t i)
{
	return word_at(t, pace_total_counts[i].at);
}

uint64_t
pace_totals_refused(const struct pace_totals *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		sum += t->refused[i];
	return sum;
}

void
pace_totals_add_boards(struct pace_totals *t, struct pace_stats_page *boards,
    struct pace_session_stats *last, const uint64_t *counted, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct pace_session_stats *v = &last[i];

		(void)pace_stats_page_read(&boards[i], &last[i]);
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

	for (size_t at = AT(at_port); at <= AT(events_lost); at += sizeof(uint64_t)) {
		uint64_t n = word_at(now, at) - word_at(then, at);

		memcpy((char *)&t + at, &n, sizeof(n));
	}
	t.tally = pace_tally_since(&now->tally, &then->tally);
	t.started_ns = then->now_ns;
	return t;
}

/* --- JSON --- */

void
pace_totals_put(struct pace_jw *w, const struct pace_totals *t)
{
	struct pace_jw port = pace_jw_begin(), refused = pace_jw_begin();
	struct pace_jw received = pace_jw_begin(), lost = pace_jw_begin();

	for (size_t i = 0; i < pace_port_counts_n; i++)
		pace_jw_count(&port, pace_port_counts[i].name, pace_port_count(&t->at_port, i));
	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		if (t->refused[i] != 0)
			pace_jw_count(&refused, pace_refused_name((enum pace_refused)i), t->refused[i]);
	pace_jw_count(w, "uptime_ns", (uint64_t)(t->now_ns - t->started_ns));
	pace_jw_put(w, "port", port.o);
	pace_jw_put(w, "refused", refused.o);
	pace_jw_count(w, "sessions_active", t->active);
	for (size_t i = 0; i < pace_total_counts_n; i++)
		pace_jw_count(pace_total_counts[i].lost ? &lost : w, pace_total_counts[i].name,
		    pace_total_count(t, i));
	pace_tally_put(&received, &t->tally);
	pace_jw_put(w, "received", received.o);
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
