#include "config.h"

#include "ui/monitor.h"

#include <errno.h>
#include <jansson.h>
#include <langinfo.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "doc/utc.h"
#include "live/live_run.h"
#include "out/time_text.h"
#include "plat/clock.h"
#include "run/stop.h"
#include "ui/line.h"

#define AGAIN_NS	INT64_C(500000000)	/* from one look for a responder to the next */

/* A line is ASCII, or was rejected.  A failed write is reported at once, not hours later at the
 * end of the record. */
static void
record(struct monitor *m, const char *line, size_t len)
{
	if (m->record == NULL || m->record_failed != 0)
		return;
	errno = 0;
	if (fwrite(line, 1, len, m->record) == len && fputc('\n', m->record) != EOF &&
	    fflush(m->record) != EOF)
		return;
	m->record_failed = errno != 0 ? errno : EIO;
	m->ui.record_error = strerror((int)m->record_failed);
	if (!m->on_screen)
		pace_complain("--jsonl: '%s': %s: nothing more is recorded", m->record_name,
		    m->ui.record_error);
}

void
monitor_note(struct monitor *m, const char *text)
{
	int64_t at_ns = m->snap->at_ns > 0 ? m->snap->at_ns : pace_clock_wall();
	char time[32];
	json_t *j = json_pack("{s:s,s:s}", "time", pace_utc_text(at_ns, time, sizeof(time)),
	    "note", text);
	char *line = json_dumps(j, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(j);
	if (line != NULL && pace_snap_feed(m->snap, line, strlen(line)) > 0)
		record(m, line, strlen(line));
	free(line);
}

/* A change of the status socket: an event with the present time, and a line. */
static void
tell(struct monitor *m, enum pace_mood mood, const char *text)
{
	int64_t at_ns = pace_clock_wall();
	char day[32];

	pace_snap_note(m->snap, 0, mood, "%s", text);
	m->snap->event[(m->snap->events - 1) % PACE_SNAP_EVENTS].at_ns = at_ns;
	if (m->lines_too && !m->on_screen)
		printf("%s  %s\n", pace_day_text(at_ns, day, sizeof(day)), text);
}

/* Attach again.  A responder disconnects a reader that reads nothing for seconds, for example
 * after Ctrl-Z: attach at once.  If the responder ended, try until it returns.  0; -ENODATA:
 * neither. */
static int
reattach(struct monitor *m, int64_t now_ns)
{
	bool early = m->snap->lines < m->attached + 2;
	char text[80], span[40];
	int rc;

	if (early && m->snap->error[0] != '\0')
		return -ENODATA;	/* it said why */
	if (early && m->again_ns == 0)
		m->again_ns = now_ns + AGAIN_NS;
	if (now_ns < m->again_ns)
		return 0;
	rc = pace_status_source_reattach(m->lines);
	m->again_ns = rc < 0 ? now_ns + AGAIN_NS : 0;
	if (rc < 0 && m->gone_ns == 0) {
		m->gone_ns = now_ns;
		tell(m, PACE_MOOD_BAD, m->snap->head.watch ? "the watcher is gone: waiting for it" :
		    "the responder is gone: waiting for it");
	} else if (rc == 0) {
		m->attached = m->snap->lines;
		snprintf(m->started, sizeof(m->started), "%s", m->snap->head.started);
		snprintf(text, sizeof(text), "a %s is there again, after %s",
		    m->snap->head.watch ? "watcher" : "responder", pace_span_text(now_ns - m->gone_ns, span));
		if (m->gone_ns != 0)
			tell(m, PACE_MOOD_WARN, text);
		m->gone_ns = 0;
	}
	m->gave_up = m->gone_ns != 0 && m->give_up_ns > 0 && now_ns - m->gone_ns >= m->give_up_ns;
	return m->gave_up ? -ENODATA : 0;
}

/* The first words after that say which responder it is. */
static void
judge_return(struct monitor *m)
{
	if (m->started[0] != '\0' && strcmp(m->started, m->snap->head.started) == 0) {
		m->dropped++;
		tell(m, PACE_MOOD_WARN, "the responder dropped this reader; reconnected");
	}
	m->started[0] = '\0';
}

/* A watcher has many paths: begin with their list. */
static void
greet(struct monitor *m)
{
	if (m->greeted || !m->snap->has_head)
		return;
	m->greeted = true;
	if (!m->snap->head.watch)
		return;
	m->ui.sort = PACE_SORT_TROUBLE;
	if (!m->page_given)
		m->ui.page = PACE_PAGE_STREAMS;
}

/* As pace_snap_feed. */
static int
show(struct pace_snap *s, const struct pace_status_source_item *item)
{
	if (item->line != NULL)
		return pace_snap_feed(s, item->line, item->len);
	if (item->status != NULL)
		return pace_snap_take(s, item->status);
	pace_snap_begin(s, item->head);
	return 1;
}

int
monitor_take(struct monitor *m, int64_t now_ns, bool *any)
{
	struct pace_status_source_item item;
	int rc = pace_status_source_next(m->lines, now_ns, &item);
	bool again, shown;
	char *made = NULL;

	*any = rc > 0;
	if (rc == -ENODATA && m->attaches)
		rc = reattach(m, now_ns);
	if (rc <= 0) {
		m->over = rc;
		return rc;
	}
	again = pace_status_source_again(m->lines);
	if (m->record != NULL && item.line == NULL)
		made = item.head != NULL ? pace_status_first(item.head) :
		    pace_status_line(item.status);
	rc = show(m->snap, &item);
	judge_return(m);
	greet(m);
	shown = rc == 0 && (m->snap->line_has_point || m->snap->at_ns >= m->from_ns);
	/* the head belongs to all */
	if (!again && (shown || rc > 0) && !m->snap->line_of_sweep) {
		if (item.line != NULL)
			record(m, item.line, item.len);
		else if (made != NULL)
			record(m, made, strcspn(made, "\n"));
	}
	free(made);
	m->bad += !again && rc == -EINVAL;
	m->over = rc == -ENOMEM ? rc : m->over;
	m->count += !again && shown;
	return rc == -ENOMEM ? rc : shown;
}

bool
monitor_is_done(const struct monitor *m)
{
	return m->over < 0 || (m->most > 0 && m->count >= m->most);
}

static void
wait_for_line(const struct monitor *m)
{
	struct pollfd p = { .fd = pace_status_source_fd(m->lines), .events = POLLIN };
	int64_t now_ns = pace_clock_raw(), due_ns = pace_status_source_due(m->lines, now_ns);
	int64_t ms = due_ns == INT64_MAX ? 1000 : (due_ns - now_ns + 999999) / 1000000;

	poll(&p, p.fd >= 0, (int)(ms < 0 ? 0 : ms < 1000 ? ms : 1000));
}

/* Lines that were at once there are all shown: they are of different intervals. */
void
monitor_plain(struct monitor *m)
{
	bool any;

	while (pace_stop == 0 && !monitor_is_done(m)) {
		int rc = monitor_take(m, pace_clock_raw(), &any);

		if (rc > 0 && m->lines_too)
			pace_line_tick(stdout, m->snap, m->ui.unit, m->utf8, &m->head);
		else if (rc == 0 && !any)
			wait_for_line(m);
	}
}

void
monitor_rest(struct monitor *m, bool show)
{
	bool any = m->over == 0 || m->over == -ENODATA;

	while (any)
		if (monitor_take(m, pace_clock_raw(), &any) > 0 && m->lines_too && show)
			pace_line_tick(stdout, m->snap, m->ui.unit, m->utf8, &m->head);
}

void
monitor_glyphs(struct monitor *m, bool ascii)
{
	const char *term = getenv("TERM");

	m->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0 && !ascii &&
	    !(term != NULL && strcmp(term, "linux") == 0);
	m->ui.bars = m->utf8 ? PACE_BARS_BLOCK : PACE_BARS_ASCII;
}

bool
monitor_is_lost(const struct monitor *m)
{
	return m->gone_ns != 0 || (m->over < 0 && (m->live == NULL || !pace_live_is_done(m->live)));
}

bool
monitor_has_terminal(const char *whose)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || term == NULL || term[0] == '\0' ||
	    strcmp(term, "dumb") == 0)
		return false;
	if (pace_screen_lacks() != NULL)
		pace_complain("%sthis build has no screen, because it lacks %s; lines are printed instead", whose,
		    pace_screen_lacks());
	return pace_screen_lacks() == NULL;
}
