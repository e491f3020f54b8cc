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
#define STAMP(outcome)	AT(stamp.n[PACE_##outcome])

/* One row for each count; everything else follows from it. */
const struct pace_port_count pace_port_counts[] = {
	{ "hellos", "First requests of clients (HELLO) that were answered with a cookie", NULL,
	    AT(hellos), 0, false },
	{ "opened", "Requests for a session that were granted", NULL, AT(opened), 0, false },
	{ "junk", "Datagrams at the port that are not messages of udpace", "junk", AT(junk), 1, false },
	{ "limited", "Requests at the port left unanswered because their address sent too many",
	    "above the limit of their address", AT(limited), 1, false },
	{ "cookies", "Requests for a session with an invalid cookie",
	    "without a good cookie", AT(cookies), 1, false },
	{ "keyless", "Requests at the port without a key that is known here, where one is wanted",
	    "without a good key", AT(keyless), 1, false },
	{ "resets", "Requests for sessions that are gone", "for sessions that are gone",
	    AT(resets), 1, false },
	{ "refused", "Requests for a session that were refused", "refused a session",
	    AT(refused), 0, false },
	{ "strays", "Datagrams from addresses of clients that belong to no session",
	    "in the name of clients", AT(strays), 1, false },
	{ "leftovers", "Frames of runs that a rule had ended", NULL, AT(leftovers), 0, false },
	{ "untold", "Events of sessions without a key omitted from the log because there were too many",
	    "events of sessions without a key left out of the log", AT(unlogged), 1, false },
	{ "light_opened", "Light sessions that began", NULL, AT(light.opened), 0, true },
	{ "light_ended", "Light sessions that ended", NULL, AT(light.ended), 0, true },
	{ "light_datagrams", "Datagrams from the addresses of light sessions", NULL,
	    AT(light.datagrams), 0, true },
	{ "light_dropped", "Frames and exchanges of light sessions above their rate",
	    "above the rate of their light session", AT(light.dropped), 1, true },
	{ "stamp_replies", "STAMP requests that were answered", NULL, STAMP(REFLECTED), 0, true },
	{ "stamp_malformed", "STAMP requests that were too short or too long for an answer",
	    "STAMP requests of a wrong length", STAMP(REFLECTOR_MALFORMED), 1, true },
	{ "stamp_loops", "STAMP requests from a port below 1024 or the reflector's own port",
	    "STAMP requests from ports that may be reflectors", STAMP(REFLECTOR_LOOP), 1, true },
	{ "stamp_denied", "STAMP requests that the policy does not allow",
	    "STAMP requests against the policy", STAMP(REFLECTOR_DENIED), 1, true },
	{ "stamp_unverified", "STAMP requests without a correct HMAC although one is required",
	    "STAMP requests without a correct HMAC", STAMP(REFLECTOR_UNVERIFIED), 1, true },
	{ "stamp_limited", "STAMP requests left unanswered because their network sent too many",
	    "STAMP requests above the limit of their network", STAMP(REFLECTOR_LIMITED), 1, true },
	{ "stamp_full", "STAMP requests of new sessions without a place",
	    "STAMP requests of sessions without a place", STAMP(REFLECTOR_FULL), 1, true },
	{ "stamp_unsent", "STAMP replies that this host did not send", NULL,
	    STAMP(REFLECTOR_UNSENT), 0, true },
};
const size_t pace_port_counts_n = sizeof(pace_port_counts) / sizeof(pace_port_counts[0]);

#undef AT
#define AT(field)	offsetof(struct pace_totals, field)
#define LOST	"Frames missing in streams that ended, by where they died as far as it is counted here"

const struct pace_total pace_total_counts[] = {
	{ AT(opened), "sessions_opened", NULL, "Sessions that began" },
	{ AT(closed), "sessions_closed", NULL, "Sessions that ended" },
	{ AT(streams), "runs", "kind=\"stream\"", "Runs that began, by their kind" },
	{ AT(round_trips), "runs", "kind=\"round_trips\"", NULL },
	{ AT(tcp), "runs", "kind=\"tcp\"", NULL },
	{ AT(complete), "runs_ended", "how=\"complete\"", "Runs that ended, by how" },
	{ AT(abandoned), "runs_ended", "how=\"abandoned\"", NULL },
	{ AT(lost_socket), "frames_lost", "place=\"rx_socket\"", LOST },
	{ AT(lost_late), "frames_lost", "place=\"rx_late\"", NULL },
	{ AT(lost_elsewhere), "frames_lost", "place=\"elsewhere\"", NULL },
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
		if (v->number <= counted[i])	/* 0: no session */
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

#define T	struct pace_totals

static void
put_uptime(struct pace_jw *w, const char *name, const void *s)
{
	const T *t = s;

	pace_jw_count(w, name, (uint64_t)(t->now_ns - t->started_ns));
}

static void
get_uptime(struct pace_jr *j, const char *name, void *s)
{
	((T *)s)->now_ns = (int64_t)pace_jr_count_or_0(j, name);
}

static void
put_port(struct pace_jw *w, const char *name, const void *at_port)
{
	struct pace_jw port = pace_jw_begin();

	for (size_t i = 0; i < pace_port_counts_n; i++)
		pace_jw_count(&port, pace_port_counts[i].name, pace_port_count(at_port, i));
	pace_jw_put(w, name, port.o);
}

static void
get_port(struct pace_jr *j, const char *name, void *at_port)
{
	struct pace_jr port = { .o = json_object_get(j->o, name) };

	((struct pace_responder_counts *)at_port)->junk = pace_jr_count_or_0(&port, "junk");
}

static void
put_refusals(struct pace_jw *w, const char *name, const void *member)
{
	const uint64_t *refused = member;
	struct pace_jw codes = pace_jw_begin();

	for (int i = 0; i < PACE_REFUSED_KINDS; i++)
		if (refused[i] != 0)
			pace_jw_count(&codes, refusals[i], refused[i]);
	pace_jw_put(w, name, codes.o);
}

/* Codes unknown to this version count as "other". */
static void
get_refusals(struct pace_jr *j, const char *name, void *member)
{
	uint64_t *refused = member;
	const char *code;
	json_t *v;

	json_object_foreach(json_object_get(j->o, name), code, v)
		if (json_is_integer(v) && json_integer_value(v) > 0)
			refused[pace_refused_of(code)] += (uint64_t)json_integer_value(v);
}

static void
put_tally(struct pace_jw *w, const char *name, const void *tally)
{
	struct pace_jw o = pace_jw_begin();

	pace_tally_put(&o, tally);
	pace_jw_put(w, name, o.o);
}

#define COUNTS_TYPE	"'type': 'object', 'additionalProperties': { " PACE_TYPE_COUNT " }"

static const struct pace_field lost_rows[] = {
	{ "rx_socket", PACE_COUNT(T, lost_socket) },
	{ "rx_late", PACE_COUNT(T, lost_late) },
	{ "elsewhere", PACE_COUNT(T, lost_elsewhere) },
	{ .name = NULL },
};

static const struct pace_fields lost_fields = { .name = "lost_of_ended_streams", .row = lost_rows };

static const struct pace_field totals_rows[] = {
	{ "uptime_ns", PACE_OWN(put_uptime, get_uptime), .type = PACE_TYPE_COUNT,
	    .text = "Time since the start; in an interval its length." },
	{ "port", PACE_OWN_OF(T, at_port, put_port, get_port), .type = COUNTS_TYPE,
	    .text = "Requests and datagrams at the port without a session: `hellos` answered, "
	    "sessions `opened` and `refused`, requests with an invalid cookie (`cookies`), "
	    "requests left unanswered because too many came from their address (`limited`), "
	    "requests for sessions that are gone (`resets`), requests without a known key although "
	    "one is required (`keyless`), `junk`, datagrams in the name of clients that belong to "
	    "no session (`strays`), frames of runs that a rule had ended (`leftovers`), and events "
	    "of sessions that were too many for the log (`untold`).  Names that begin with `light_` "
	    "are of light sessions: opened, ended, their datagrams, and the frames and exchanges "
	    "dropped because they were above a rate; names that begin with `stamp_` are "
	    "the outcomes of STAMP requests, see udpace-stamp(7)." },
	{ "refused", PACE_OWN_OF(T, refused, put_refusals, get_refusals), .type = COUNTS_TYPE,
	    .text = "Refused requests by code; only codes that occurred." },
	{ "sessions_active", PACE_COUNT(T, active), .flags = PACE_F_LAX },
	{ "sessions_light", PACE_COUNT(T, light), .flags = PACE_F_LAX,
	    .text = "The light ones of `sessions_active`; the list of sessions leaves them out." },
	{ "sessions_opened", PACE_COUNT(T, opened), .flags = PACE_F_LAX },
	{ "sessions_closed", PACE_COUNT(T, closed), .flags = PACE_F_WRITTEN,
	    .text = "Sessions open now, opened in all, and closed." },
	{ "streams", PACE_COUNT(T, streams), .flags = PACE_F_LAX },
	{ "round_trip_runs", PACE_COUNT(T, round_trips), .flags = PACE_F_WRITTEN },
	{ "tcp_runs", PACE_COUNT(T, tcp), .flags = PACE_F_WRITTEN },
	{ "runs_complete", PACE_COUNT(T, complete), .flags = PACE_F_WRITTEN },
	{ "runs_abandoned", PACE_COUNT(T, abandoned), .flags = PACE_F_WRITTEN,
	    .text = "Runs that began, by kind; runs that ended, completed or abandoned." },
	{ "received", PACE_OWN_OF(T, tally, put_tally, NULL), .of = &pace_tally_fields,
	    .text = "Totals of all sessions, see below." },
	{ "lost_of_ended_streams", PACE_SELF(lost_fields), .flags = PACE_F_WRITTEN,
	    .text = "Frames lost in streams that ended, by the location that the responder knows: "
	    "`rx_socket`, `rx_late`, `elsewhere`." },
	{ "events_lost", PACE_COUNT(T, events_lost), .flags = PACE_F_WRITTEN,
	    .text = "Events that could not be logged in time." },
	{ .name = NULL },
};

const struct pace_fields pace_totals_fields = { .name = "totals", .row = totals_rows };

static void
put_seen(struct pace_jw *w, const char *name, const void *tally)
{
	struct pace_jw o = pace_jw_begin();

	pace_tally_put_seen(&o, tally, true);
	pace_jw_put(w, name, o.o);
}

static const struct pace_field seen_rows[] = {
	{ "uptime_ns", PACE_OWN(put_uptime, NULL), .type = PACE_TYPE_COUNT },
	{ "sessions_active", PACE_COUNT(T, active) },
	{ "received", PACE_OWN_OF(T, tally, put_seen, NULL), .of = &pace_tally_fields,
	    .text = "Since the capture began: its length, its streams, and what they received." },
	{ .name = NULL },
};

const struct pace_fields pace_seen_totals_fields = { .name = "capture_totals", .row = seen_rows };
