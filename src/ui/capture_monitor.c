#include "config.h"

#include "ui/capture_monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/peer.h"
#include "run/sink.h"
#include "run/stop.h"
#include "ui/monitor.h"

struct pace_capture_monitor {
	struct pace_capture_monitor_cfg cfg;
	struct pace_capture_feed *watch;
	struct monitor m;
};

static int
open_record(struct pace_capture_monitor *w)
{
	const char *path = w->cfg.record;

	if (path == NULL)
		return PACE_EXIT_OK;
	if (pace_sink_may_write("monitor-jsonl", path, w->cfg.force) != 0)
		return PACE_EXIT_USAGE;
	w->m.record_name = path;
	w->m.record = fopen(path, "we");
	if (w->m.record != NULL)
		return PACE_EXIT_OK;
	pace_complain("--monitor-jsonl: '%s' cannot be written: %s", path, strerror(errno));
	return PACE_EXIT_USAGE;
}

int
pace_capture_monitor_open(struct pace_capture_monitor **to,
    const struct pace_capture_monitor_cfg *cfg)
{
	struct pace_capture_monitor *w = calloc(1, sizeof(*w));

	*to = w;
	if (w != NULL) {
		w->cfg = *cfg;
		w->watch = pace_capture_feed_new(&cfg->watch);
		w->m.snap = pace_snap_new();
	}
	if (w == NULL || w->watch == NULL || w->m.snap == NULL ||
	    pace_status_source_made(&w->m.lines,
	    pace_capture_feed_fd(w->watch), pace_capture_feed_next, w->watch) < 0) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	monitor_glyphs(&w->m, false);
	w->m.ui.record = cfg->record;
	w->m.ends = true;
	return open_record(w);
}

struct pace_capture_feed *
pace_capture_monitor_feed(struct pace_capture_monitor *w)
{
	return w->watch;
}

int
pace_capture_monitor_run(struct pace_capture_monitor *w)
{
	struct monitor *m = &w->m;
	int rc = pace_capture_feed_start(w->watch, w->cfg.read, w->cfg.ctx);

	if (rc < 0) {
		pace_complain("cannot start: %s", strerror(-rc));
		return PACE_EXIT_NO_RESULT;
	}
	m->on_screen = !w->cfg.plain && m->record != stdout && monitor_has_terminal("");
	if (!m->on_screen || monitor_screen(m, PACE_COLOUR_AUTO) < 0) {
		m->on_screen = false;
		m->lines_too = true;
		monitor_plain(m);
	}
	w->cfg.leave(w->cfg.ctx);
	pace_capture_feed_join(w->watch);
	monitor_rest(m, true);
	if (m->over < 0 && m->over != -ENODATA)		/* the screen is gone */
		pace_complain("--monitor: %s", strerror(-m->over));
	if (m->record_failed != 0 && m->on_screen)
		pace_complain("--monitor-jsonl: '%s': %s", m->record_name, m->ui.record_error);
	return m->record_failed != 0 ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

void
pace_capture_monitor_free(struct pace_capture_monitor *w)
{
	if (w == NULL)
		return;
	pace_capture_feed_free(w->watch);
	pace_status_source_close(w->m.lines);
	pace_snap_free(w->m.snap);
	if (w->m.record != NULL && fclose(w->m.record) == EOF && w->m.record_failed == 0)
		pace_complain("--monitor-jsonl: '%s': %s", w->m.record_name, strerror(errno));
	free(w);
}
