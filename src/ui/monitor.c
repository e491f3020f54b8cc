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
#include "plat/clock.h"
#include "run/stop.h"
#include "ui/line.h"

/* A line is ASCII, or was refused.  Told at once where it fails: who relies on a record is
 * not told hours later that there is none. */
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
	json_t *j = json_pack("{s:s,s:s}", "time", pace_utc_text(at_ns, time, sizeof(time)), "note", text);
	char *line = json_dumps(j, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(j);
	if (line != NULL && pace_snap_feed(m->snap, line, strlen(line)) > 0)
		record(m, line, strlen(line));
	free(line);
}

/* A responder closes one that reads nothing for seconds, as after Ctrl-Z.  One that closes
 * before it tells of an interval is not asked again. */
static bool
is_back(struct monitor *m)
{
	if (m->snap->lines < m->attached + 2 || pace_status_source_reattach(m->lines) < 0)
		return false;
	m->attached = m->snap->lines;
	m->dropped++;
	pace_snap_note(m->snap, 0, PACE_MOOD_WARN, "the responder dropped this reader: attached anew");
	return true;
}

/* What a record has of it, malloced; NULL: the line as it came, or none is wanted. */
static char *
text_of(const struct monitor *m, const struct pace_status_source_item *item)
{
	return m->record == NULL || item->line != NULL ? NULL : item->head != NULL ?
	    pace_status_first(item->head) : pace_status_line(item->status);
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
	char *made;

	*any = rc > 0;
	if (rc == -ENODATA && is_back(m))
		return 0;
	if (rc <= 0) {
		m->over = rc;
		return rc;
	}
	again = pace_status_source_again(m->lines);
	made = text_of(m, &item);
	rc = show(m->snap, &item);
	shown = rc == 0 && (m->snap->told_point || m->snap->at_ns >= m->from_ns);
	if (!again && (shown || rc > 0) && !m->snap->told_sweep) {	/* the head belongs to all */
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
			pace_line_tick(stdout, m->snap, m->ui.unit, m->utf8);
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
			pace_line_tick(stdout, m->snap, m->ui.unit, m->utf8);
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
	return m->over < 0 && (m->live == NULL || !pace_live_is_done(m->live));
}

/* A terminal that can move its cursor; else lines. */
bool
monitor_has_terminal(const struct monitor *m)
{
	const char *term = getenv("TERM");

	if (m->record == stdout || !isatty(STDIN_FILENO) ||
	    !isatty(STDOUT_FILENO) || term == NULL || term[0] == '\0' || strcmp(term, "dumb") == 0)
		return false;
	if (pace_screen_lacks() != NULL)
		pace_complain("this build has no screen, for it lacks %s; lines instead",
		    pace_screen_lacks());
	return pace_screen_lacks() == NULL;
}

