#include "config.h"

#include "live/event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/units.h"
#include "doc/tally_doc.h"
#include "doc/utc.h"
#include "live/status.h"

#define FLAGS	(JSON_COMPACT | JSON_ENSURE_ASCII | PACE_JS_REAL)

static const struct {
	const char	*name;
	enum pace_log_level	level;
	bool		detail;
} kinds[PACE_EVENTS] = {
	[PACE_EVENT_START] = { "start", PACE_LOG_NOTICE, true },
	[PACE_EVENT_LISTENING] = { "listening", PACE_LOG_NOTICE, false },
	[PACE_EVENT_OPENED] = { "session_opened", PACE_LOG_INFO, true },
	[PACE_EVENT_WAITS] = { "waits", PACE_LOG_INFO, false },
	[PACE_EVENT_RUN] = { "run_began", PACE_LOG_INFO, true },
	[PACE_EVENT_RUN_OVER] = { "run_ended", PACE_LOG_INFO, true },
	[PACE_EVENT_CLOSED] = { "session_closed", PACE_LOG_INFO, false },
	[PACE_EVENT_REFUSED] = { "refused", PACE_LOG_WARNING, false },
	[PACE_EVENT_RELOAD] = { "reload", PACE_LOG_NOTICE, false },
	[PACE_EVENT_ABUSE] = { "abuse", PACE_LOG_WARNING, false },
	[PACE_EVENT_SUMMARY] = { "summary", PACE_LOG_NOTICE, false },
	[PACE_EVENT_SESSION] = { "session", PACE_LOG_NOTICE, false },
	[PACE_EVENT_STOPPING] = { "stopping", PACE_LOG_NOTICE, true },
	[PACE_EVENT_STOP] = { "stop", PACE_LOG_NOTICE, true },
	[PACE_EVENT_LOST] = { "events_lost", PACE_LOG_WARNING, false },
	[PACE_EVENT_WARNING] = { "warning", PACE_LOG_WARNING, false },
	[PACE_EVENT_ERROR] = { "error", PACE_LOG_ERR, false },
};

static const char *const levels[] = { "emergency", "alert", "critical", "error", "warning",
	"notice", "info", "debug" };

enum pace_log_level
pace_event_level(const struct pace_event *e)
{
	if (e->kind == PACE_EVENT_RELOAD && e->count > 0)
		return PACE_LOG_ERR;
	return e->level != 0 ? e->level : kinds[e->kind].level;
}

bool
pace_event_is_detail(const struct pace_event *e)
{
	return kinds[e->kind].detail;
}

/* --- JSON --- */

static void
put_peer(struct pace_jw *w, const struct pace_event *e)
{
	bool ours = e->kind == PACE_EVENT_LISTENING;

	if (e->view.number != 0)
		pace_jw_count(w, "session", e->view.number);
	if (e->peer[0] == '\0')
		return;
	pace_jw_text(w, ours ? "address" : e->kind == PACE_EVENT_ABUSE ? "keyless_last" : "peer",
	    e->peer);
	if (e->kind != PACE_EVENT_ABUSE)
		pace_jw_count(w, ours ? "port" : "peer_port", e->port);
	if (e->view.number != 0) {
		pace_jw_text(w, "label", e->view.label);
		pace_jw_text(w, "key", e->view.key);
		if (e->view.light)
			pace_jw_bool(w, "light", true);
	}
}

static void
put_run_over(struct pace_jw *w, const struct pace_event *e)
{
	const struct pace_session_stats *v = &e->view;

	pace_jw_count(w, "run", v->run.number);
	pace_jw_text(w, "kind", v->run.tcp > 0 ? "tcp" : v->run.pings ? "round_trips" : "stream");
	pace_jw_text(w, "how", e->code);
	pace_jw_count(w, "took_ns", (uint64_t)(v->run.ended_ns - v->run.began_ns));
	pace_tally_put(w, &v->this_run);
	pace_jw_bool(w, "lease_lost", v->run.lease_lost);
	if (!e->has_rx_result)
		return;
	pace_jw_count(w, "sent", v->run.sent);
	pace_jw_count(w, "duration_ns", (uint64_t)e->duration_ns);
	pace_jw_real(w, "user_rate_bps", e->user_rate_bps);
	pace_jw_real(w, "wire_rate_bps", e->wire_rate_bps);
}

static void
put_kind(struct pace_jw *w, const struct pace_event *e)
{
	switch (e->kind) {
	case PACE_EVENT_START:
		pace_jw_text(w, "version", PACKAGE_VERSION);
		pace_jw_count(w, "pid", (uint64_t)getpid());
		break;
	case PACE_EVENT_LISTENING:
		if (e->code[0] == '\0')
			break;
		pace_jw_text(w, "protocol", e->code);
		pace_jw_text(w, "mode", e->text);
		break;
	case PACE_EVENT_WAITS:
		pace_jw_text(w, "for", e->text);
		pace_jw_count(w, "at_most_ns", (uint64_t)e->duration_ns);
		pace_jw_count(w, "place", e->count);
		break;
	case PACE_EVENT_RUN:
		pace_fields_put(w, &pace_run_fields, &e->view.run);
		if (e->duration_ns > 0)
			pace_jw_count(w, "waited_ns", (uint64_t)e->duration_ns);
		break;
	case PACE_EVENT_RUN_OVER:
		put_run_over(w, e);
		break;
	case PACE_EVENT_CLOSED:
		pace_jw_text(w, "how", e->code);
		pace_jw_count(w, "runs", e->view.runs);
		pace_jw_count(w, "duration_ns", (uint64_t)e->duration_ns);
		pace_tally_put(w, &e->view.all);
		break;
	case PACE_EVENT_SESSION:
		pace_jw_text(w, "state", pace_state_name((enum pace_session_state)e->view.state));
		pace_jw_count(w, "runs", e->view.runs);
		pace_tally_put(w, &e->view.all);
		break;
	case PACE_EVENT_REFUSED:
		pace_jw_text(w, "code", e->code);
		pace_jw_text(w, "text", e->text);
		if (e->count > 0)
			pace_jw_count(w, "not_logged", e->count);
		break;
	case PACE_EVENT_RELOAD:
		pace_jw_bool(w, "done", e->count == 0);
		pace_jw_text(w, "text", e->text);
		break;
	case PACE_EVENT_WARNING:
	case PACE_EVENT_ERROR:
		pace_jw_text(w, "text", e->text);
		break;
	case PACE_EVENT_ABUSE:
		pace_jw_count(w, "seconds", e->count);
		/* fall through */
	case PACE_EVENT_SUMMARY:
	case PACE_EVENT_STOP:
		pace_fields_put(w, &pace_totals_fields, &e->totals);
		break;
	case PACE_EVENT_STOPPING:
		pace_jw_text(w, "signal", e->code);
		pace_jw_count(w, "sessions", e->count);
		break;
	case PACE_EVENT_LOST:
		pace_jw_count(w, "events", e->count);
		break;
	default:
		break;
	}
}

char *
pace_event_json(const struct pace_event *e)
{
	struct pace_jw w = pace_jw_begin();
	char time[32], *line;

	pace_jw_text(&w, "time", pace_utc_text(e->wall_ns, time, sizeof(time)));
	pace_jw_text(&w, "level", levels[pace_event_level(e)]);
	pace_jw_text(&w, "event", kinds[e->kind].name);
	put_peer(&w, e);
	put_kind(&w, e);
	line = w.o != NULL ? json_dumps(w.o, FLAGS) : NULL;
	json_decref(w.o);
	return line;
}

/* --- text --- */

struct event_line {
	char	*at;
	size_t	left;
};

static void say(struct event_line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
say(struct event_line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->at, l->left, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= l->left)
		n = l->left > 0 ? (int)l->left - 1 : 0;
	l->at += n;
	l->left -= (size_t)n;
}

/* Text from the network, made safe for a terminal. */
static const char *
plain(const char *from, char *to, size_t size)
{
	size_t n = 0;

	for (; from[n] != '\0' && n + 1 < size; n++)
		to[n] = from[n] >= ' ' && from[n] < 0x7f ? from[n] : '?';
	to[n] = '\0';
	return to;
}

static const char *
span(int64_t ns, char buf[32])
{
	return pace_print(PACE_UNIT_USEC, (double)ns, buf, 32);
}

static void
say_opened(struct event_line *l, const struct pace_event *e)
{
	char word[PACE_LABEL_SIZE];

	say(l, "%s port %u: %ssession %" PRIu64, e->peer, e->port, e->view.light ? "light " : "",
	    e->view.number);
	if (e->view.label[0] != '\0')
		say(l, " of \"%s\"", plain(e->view.label, word, sizeof(word)));
	if (e->view.key[0] != '\0')
		say(l, " with key %s", plain(e->view.key, word, sizeof(word)));
}

static void
say_length(struct event_line *l, const struct pace_event *e)
{
	const struct pace_run_stats *r = &e->view.run;
	char buf[32];

	if (r->streams > 1)
		say(l, ", %" PRIu32 " streams", r->streams);
	if (r->frames_asked > 0) {
		say(l, r->streams > 1 ? " of" : ",");
		if (r->bursts > 1)
			say(l, " %" PRIu64 " bursts of", r->bursts);
		say(l, " %" PRIu64 " %s%s", r->frames_asked, r->pings ? "round trip" : "frame",
		    pace_plural(r->frames_asked));
	} else if (r->duration_asked_ns > 0) {
		say(l, " for %s", span(r->duration_asked_ns, buf));
	}
	if (e->duration_ns > 0)
		say(l, ", after it waited %s", span(e->duration_ns, buf));
}

static void
say_run(struct event_line *l, const struct pace_event *e)
{
	const struct pace_run_stats *r = &e->view.run;
	char buf[32];

	say(l, "%s port %u: session %" PRIu64 " run %" PRIu64 ": ", e->peer, e->port,
	    e->view.number, r->number);
	if (r->tcp > 0) {
		say(l, "TCP, %u connection%s", r->tcp, pace_plural(r->tcp));
		say_length(l, e);
		return;
	}
	say(l, "%u bytes", r->size_bytes);
	if (r->pings)
		say(l, ", replies of %u bytes", r->reply_bytes);
	else if (r->spacing_ns == 0)
		say(l, " as fast as possible");
	else
		say(l, " every %s", span(r->spacing_ns, buf));
	say_length(l, e);
}

static void
say_waits(struct event_line *l, const struct pace_event *e)
{
	char word[PACE_LABEL_SIZE], buf[32];

	say(l, "%s port %u: session %" PRIu64 " waits: another client is measuring", e->peer,
	    e->port,
	    e->view.number);
	if (e->text[0] != '\0')
		say(l, ", \"%s\"", plain(e->text, word, sizeof(word)));
	if (e->duration_ns > 0)
		say(l, ", for at most %s", span(e->duration_ns, buf));
	if (e->count > 1)
		say(l, "; place %" PRIu64 " in the line of its host", e->count);
}

/* The frames that the responder itself sent, if any. */
static void
say_sent(struct event_line *l, const struct pace_tally *t)
{
	if (t->sent_frames > 0)
		say(l, ", %" PRIu64 " sent", t->sent_frames);
	if (pace_tally_tcp(t) > 0)
		say(l, ", TCP: %" PRIu64 " bytes received, %" PRIu64 " sent", t->tcp_bytes,
		    t->tcp_sent_bytes);
}

/* What was received: round trips, or frames. */
static void
say_received(struct event_line *l, const struct pace_tally *t, bool trips)
{
	if (trips)
		say(l, "%" PRIu64 " round trip%s", t->round_trips, pace_plural(t->round_trips));
	else
		say(l, "%" PRIu64 " frame%s, %" PRId64 " lost", t->frames, pace_plural(t->frames), t->lost);
}

static void
say_run_over(struct event_line *l, const struct pace_event *e)
{
	const struct pace_tally *t = &e->view.this_run;
	char buf[32];

	say(l, "%s port %u: session %" PRIu64 " run %" PRIu64 " %s: ", e->peer, e->port,
	    e->view.number, e->view.run.number, e->code);
	if (e->view.run.tcp > 0)
		say(l, "TCP, %" PRIu64 " bytes received, %" PRIu64 " sent", t->tcp_bytes,
		    t->tcp_sent_bytes);
	else if (e->view.run.down)
		say(l, "%" PRIu64 " frame%s sent", t->sent_frames, pace_plural(t->sent_frames));
	else
		say_received(l, t, e->view.run.pings);
	if (e->view.run.two_way)
		say_sent(l, t);
	if (e->has_rx_result)
		say(l, ", %s on the wire",
		    pace_print(PACE_UNIT_BPS, e->wire_rate_bps, buf, sizeof(buf)));
}

/* Round trips are those of runs and of the clock: a session without frames has nothing else. */
static void
say_totals(struct event_line *l, const struct pace_event *e)
{
	const struct pace_tally *t = &e->view.all;

	say(l, "%" PRIu64 " run%s, ", e->view.runs, pace_plural(e->view.runs));
	say_received(l, t, t->round_trips > 0 && t->frames + t->sent_frames == 0 && t->lost == 0);
	say_sent(l, t);
}

static void
say_closed(struct event_line *l, const struct pace_event *e)
{
	static const char *const words[][2] = { { "client_gone", "client gone" },
		{ "stopped", "responder stopped" }, { "replaced", "client came anew" },
		{ "evicted", "made room for another client" } };
	const char *how = e->code;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(how, words[i][0]) == 0)
			how = words[i][1];
	say(l, "%s port %u: ", e->peer, e->port);
	say_totals(l, e);
	say(l, ", %s", how);
}

static void
say_refused(struct event_line *l, const struct pace_event *e)
{
	char word[sizeof(e->text)];

	say(l, "%s port %u: refused, %s: %s", e->peer, e->port, e->code,
	    plain(e->text, word, sizeof(word)));
	if (e->count > 0)
		say(l, "; %" PRIu64 " more %s not logged", e->count, e->count == 1 ? "was" :
		    "were");
}

static void
say_summary(struct event_line *l, const struct pace_event *e)
{
	const struct pace_totals *t = &e->totals;
	char buf[32];

	uint64_t runs = t->streams + t->round_trips + t->tcp;

	say(l, "up %s: %" PRIu64 " session%s, %" PRIu64 " of them now, %" PRIu64 " run%s, %" PRIu64
	    " frame%s, %" PRId64 " lost", pace_print(PACE_UNIT_SEC,
	    (double)(t->now_ns - t->started_ns), buf, sizeof(buf)), t->opened, pace_plural(t->opened),
	    t->active, runs, pace_plural(runs), t->tally.frames, pace_plural(t->tally.frames), t->tally.lost);
	say_sent(l, &t->tally);
	say(l, "; at the port");
	for (size_t i = 0; i < pace_port_counts_n; i++)
		if (!pace_port_counts[i].optional || pace_port_count(&t->at_port, i) > 0)
			say(l, "%s %s %" PRIu64, i == 0 ? ":" : ",", pace_port_counts[i].name,
			    pace_port_count(&t->at_port, i));
}

static void
say_abuse(struct event_line *l, const struct pace_event *e)
{
	const char *before = ": ";

	say(l, "not of any session, in %" PRIu64 " s", e->count);
	for (size_t i = 0; i < pace_port_counts_n; i++) {
		uint64_t n = pace_port_count(&e->totals.at_port, i);

		if (n == 0 || pace_port_counts[i].words == NULL)
			continue;
		say(l, "%s%" PRIu64 " %s", before, n, pace_port_counts[i].words);
		if (pace_port_counts[i].at == offsetof(struct pace_responder_counts, keyless) &&
		    e->peer[0] != '\0')
			say(l, " (the last in the name of %s)", e->peer);
		before = ", ";
	}
}

static void
say_kind(struct event_line *l, const struct pace_event *e)
{
	char word[sizeof(e->text)];

	switch (e->kind) {
	case PACE_EVENT_START:
		say(l, "udpace %s, process %ld", PACKAGE_VERSION, (long)getpid());
		break;
	case PACE_EVENT_LISTENING:
		say(l, "listening on %s port %u", e->peer, e->port);
		if (e->code[0] != '\0')
			say(l, " for %s, %s", e->code, plain(e->text, word, sizeof(word)));
		break;
	case PACE_EVENT_OPENED:
		say_opened(l, e);
		break;
	case PACE_EVENT_WAITS:
		say_waits(l, e);
		break;
	case PACE_EVENT_RUN:
		say_run(l, e);
		break;
	case PACE_EVENT_RUN_OVER:
		say_run_over(l, e);
		break;
	case PACE_EVENT_CLOSED:
		say_closed(l, e);
		break;
	case PACE_EVENT_REFUSED:
		say_refused(l, e);
		break;
	case PACE_EVENT_RELOAD:
	case PACE_EVENT_WARNING:
	case PACE_EVENT_ERROR:
		say(l, "%s", plain(e->text, word, sizeof(word)));
		break;
	case PACE_EVENT_ABUSE:
		say_abuse(l, e);
		break;
	case PACE_EVENT_SUMMARY:
		say_summary(l, e);
		break;
	case PACE_EVENT_SESSION:
		say_opened(l, e);
		say(l, ": %s, ", pace_state_name((enum pace_session_state)e->view.state));
		say_totals(l, e);
		break;
	case PACE_EVENT_STOPPING:
		say(l, "stopping for %s", e->code);
		if (e->count > 0)
			say(l, ", %" PRIu64 " session%s 5 s", e->count,
			    e->count == 1 ? " has" : "s have");
		break;
	case PACE_EVENT_STOP:
		say(l, "stopped, ");
		say_summary(l, e);
		break;
	case PACE_EVENT_LOST:
		say(l, "%" PRIu64 " event%s could not be logged in time", e->count,
		    pace_plural(e->count));
		break;
	case PACE_EVENTS:
		break;
	}
}

char *
pace_event_text(const struct pace_event *e)
{
	char *text = calloc(1, 1024);
	struct event_line l = { .at = text, .left = 1024 };

	if (text != NULL)
		say_kind(&l, e);
	return text;
}
