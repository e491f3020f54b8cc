/*
 * monitor's screen: takes lines and keys as they come, draws when something changed.
 */
#include "config.h"

#include "ui/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/live_run.h"
#include "out/time_text.h"
#include "plat/clock.h"
#include "plat/counters.h"
#include "run/stop.h"
#include "ui/screen.h"
#include "ui/view.h"

#define LEAST_NS	(PACE_SEC / 25)	/* from one picture to the next */
#define TURN_NS		(PACE_SEC / 25)	/* for lines, before keys are looked at again */
#define SAME_NS		(PACE_SEC / 5)	/* signals so close are one stop, as in stop.c */
#define STEP_NS		(10 * PACE_SEC)	/* of a seek */
#define SPEED_MOST	65536
#define SPEED_LEAST	0.0625
#define NAMES		100		/* of files, tried */

struct show {
	struct monitor	*m;
	struct pace_snap *frozen;	/* what is shown while it is paused, NULL: it is not */
	struct pace_canvas canvas;
	bool		changed, leave, keep;
	bool		more;		/* lines are due that were not taken yet */
	int64_t		asked_ns;	/* what we cost was looked at then, */
	uint64_t	cost_ns;	/* and was that */
	char		waiting[160];	/* the notice about a client that is measuring; "": none */
};

/* The terminal is given back also when a second signal ends it at once. */
static void
on_stop(int sig)
{
	static int64_t first_ns;

	if (pace_stop == 0) {
		first_ns = pace_clock_raw();
		pace_stop = sig;
	} else if (pace_clock_raw() - first_ns > SAME_NS) {
		pace_screen_rescue();
		_exit(128 + sig);
	}
}

static void
catch_stops(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	struct sigaction sa = { .sa_handler = on_stop }, old;

	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
}

static const struct pace_snap *
shown(const struct show *w)
{
	return w->frozen != NULL ? w->frozen : w->m->snap;
}

/* --- drawing ------------------------------------------------------------------------ */

/* Reading, drawing and writing to the terminal, of a second or more. */
static void
weigh(struct show *w)
{
	int64_t now_ns = pace_clock_raw();
	uint64_t user_ns, system_ns;

	if (w->asked_ns != 0 && now_ns - w->asked_ns < PACE_SEC)
		return;
	pace_counters_process(&user_ns, &system_ns);
	if (w->asked_ns != 0)
		w->m->ui.own_share = (double)(user_ns + system_ns - w->cost_ns) /
		    (double)(now_ns - w->asked_ns);
	w->asked_ns = now_ns;
	w->cost_ns = user_ns + system_ns;
}

static void
draw(struct show *w)
{
	struct monitor *m = w->m;
	int rows, cols;

	weigh(w);
	pace_screen_size(&rows, &cols);
	m->ui.over = monitor_is_lost(m);
	m->ui.gone_ns = m->gone_ns != 0 ? pace_clock_raw() - m->gone_ns : 0;
	if (m->ui.replay)
		m->ui.speed = pace_status_source_speed(m->lines);
	if (m->ui.page == PACE_PAGE_EVENTS)
		m->ui.events_seen = shown(w)->events;
	if (pace_canvas_size(&w->canvas, rows, cols, m->utf8) < 0)
		return;
	m->ui.rows = pace_view_list_rows(&m->ui, rows, cols);
	pace_view_draw(&w->canvas, shown(w), &m->ui);
	pace_screen_show(&w->canvas, m->ui.theme);
	w->changed = false;
}

/* A new file, beside others of this second. */
static void
save(struct show *w)
{
	char day[32], name[80];
	int fd = -1;
	FILE *f;

	pace_day_text(shown(w)->at_ns, day, sizeof(day));
	for (int i = 0; i < NAMES && fd < 0; i++) {
		snprintf(name, sizeof(name), "udpace-screen-%.2s%.2s%.2s-%d.txt", day, day + 3,
		    day + 6, i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f == NULL) {
		snprintf(w->m->ui.notice, sizeof(w->m->ui.notice), "not written: %s",
		    strerror(errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	pace_canvas_dump(&w->canvas, f);
	if (fclose(f) == EOF)
		snprintf(w->m->ui.notice, sizeof(w->m->ui.notice), "not written: %s",
		    strerror(errno));
	else
		snprintf(w->m->ui.notice, sizeof(w->m->ui.notice), "written: %s", name);
}

/* --- acts ----------------------------------------------------------------------------- */

static void
pause_or_resume(struct show *w)
{
	struct pace_ui *ui = &w->m->ui;

	if (ui->replay) {
		ui->held = !ui->held;
		pace_status_source_hold(w->m->lines, ui->held, pace_clock_raw());
		return;
	}
	ui->paused = !ui->paused;
	pace_snap_free(w->frozen);
	w->frozen = ui->paused ? pace_snap_copy(w->m->snap) : NULL;
	ui->paused = w->frozen != NULL;
}

/* Backwards the record is read again from its first line. */
static void
seek(struct show *w, int64_t by_ns)
{
	struct monitor *m = w->m;
	int64_t now_ns = pace_clock_raw();

	if (pace_status_source_seek(m->lines, pace_status_source_at(m->lines, now_ns) + by_ns,
	    now_ns))
		pace_snap_clear(m->snap);
	m->over = 0;
}

static void
change_speed(struct show *w, double by)
{
	struct monitor *m = w->m;
	double speed = pace_status_source_speed(m->lines) * by;

	if (speed >= SPEED_LEAST && speed <= SPEED_MOST)
		pace_status_source_set_speed(m->lines, speed, pace_clock_raw());
	snprintf(m->ui.notice, sizeof(m->ui.notice), "%.*f times as fast as it was",
	    speed < 1 ? 4 : 0, pace_status_source_speed(m->lines));
}

/* To who measures the campaign. */
static void
order(struct show *w, enum pace_act a)
{
	struct monitor *m = w->m;
	const struct pace_snap_sweep *sweep = m->snap->sweep;
	char *notice = m->ui.notice;
	size_t size = sizeof(m->ui.notice);

	if (a == PACE_ACT_SKIP && (sweep == NULL || !sweep->is_now)) {
		snprintf(notice, size, "no point of a sweep is being measured: there is nothing to skip");
		return;
	}
	m->order(m->order_ctx, a, a == PACE_ACT_SKIP ? sweep->now_index : 0);
	snprintf(notice, size, "%s", a == PACE_ACT_SKIP ? "the point is skipped" :
	    a == PACE_ACT_STOP_NOW ? "stopping" : "stops after this point; q, x: now");
}

static void
act(struct show *w, enum pace_act a)
{
	char day[32];

	a = pace_ui_act(&w->m->ui, shown(w), a);
	if (a == PACE_ACT_SAVE || a == PACE_ACT_QUIT_KEEP || a == PACE_ACT_HOLD_SCALE)
		draw(w);		/* these want the screen as it is now */
	w->changed = true;
	switch (a) {
	case PACE_ACT_SKIP:
	case PACE_ACT_STOP_AFTER:
	case PACE_ACT_STOP_NOW:	order(w, a); break;
	case PACE_ACT_LINES:
		w->keep = w->m->ui.keeps;
		w->leave = true;
		break;
	case PACE_ACT_QUIT_KEEP: w->keep = true;	/* fallthrough */
	case PACE_ACT_QUIT:	w->leave = true; break;
	case PACE_ACT_PAUSE:	pause_or_resume(w); break;
	case PACE_ACT_RESET:
		pace_snap_reset(w->m->snap);
		if (w->frozen != NULL)
			pace_snap_reset(w->frozen);
		snprintf(w->m->ui.notice, sizeof(w->m->ui.notice),
		    "figures on the screen restarted at %s",
		    pace_day_text(w->m->snap->at_ns, day, sizeof(day)));
		break;
	case PACE_ACT_SAVE:	save(w); break;
	case PACE_ACT_REPAINT:	pace_screen_repaint(); break;
	case PACE_ACT_BACK:	seek(w, -STEP_NS); break;
	case PACE_ACT_ON:	seek(w, STEP_NS); break;
	case PACE_ACT_SLOWER:	change_speed(w, 0.5); break;
	case PACE_ACT_FASTER:	change_speed(w, 2); break;
	case PACE_ACT_HOLD_SCALE:
		pace_view_hold(&w->m->ui, shown(w), w->canvas.cols);
		break;
	default:
		break;
	}
}

/* Shown at once, also while the picture stands still. */
static void
type(struct show *w, int key)
{
	struct pace_ui *ui = &w->m->ui;

	if (!pace_ui_type(ui, key))
		return;
	monitor_note(w->m, ui->note);
	snprintf(ui->notice, sizeof(ui->notice), w->m->record != NULL ? "noted, and recorded" :
	    "noted; nothing is recorded");
}

/* --- the loop --------------------------------------------------------------------------- */

static void
take_keys(struct show *w)
{
	int key;

	while ((key = pace_screen_key()) != 0 && !w->leave) {
		w->changed = true;
		if (key == PACE_SCREEN_GONE)
			w->leave = true;
		else if (key != PACE_SCREEN_RESIZED && w->m->ui.typing)
			type(w, key);
		else if (key != PACE_SCREEN_RESIZED && w->m->ui.asking)
			act(w, pace_ui_answer(&w->m->ui, key));
		else if (key != PACE_SCREEN_RESIZED)
			act(w, pace_hotkey_act(key, &w->m->ui));
	}
}

/* Read the lines that are there now, but not for long: keys, signals and the screen come next. */
static void
take_lines(struct show *w)
{
	struct monitor *m = w->m;
	int64_t until_ns = pace_clock_raw() + TURN_NS;
	bool any = m->over == 0;

	while (any && pace_stop == 0 && !monitor_is_done(m)) {
		if (pace_clock_raw() > until_ns)
			break;
		int rc = monitor_take(m, pace_clock_raw(), &any);

		w->changed |= any || rc < 0 || m->gone_ns != 0;
		any = any && rc >= 0;
	}
	w->more = any;
}

static void
wait_for_something(struct show *w)
{
	struct pollfd p[2] = { { .fd = pace_screen_is_away() ? -1 : STDIN_FILENO,
	    .events = POLLIN },
		{ .fd = w->m->over == 0 ? pace_status_source_fd(w->m->lines) : -1,
		    .events = POLLIN } };
	int64_t now_ns = pace_clock_raw();
	int64_t due_ns = w->m->over == 0 ? pace_status_source_due(w->m->lines, now_ns) : INT64_MAX;
	int64_t wait_ns = due_ns == INT64_MAX ? PACE_SEC : due_ns - now_ns;

	if (w->more)
		wait_ns = 0;
	else if (wait_ns < LEAST_NS)
		wait_ns = LEAST_NS;
	if (poll(p, 2, (int)((wait_ns < PACE_SEC ? wait_ns : PACE_SEC) / 1000000)) > 0)
		w->leave |= (p[0].revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

/* Show which client our stream waits for; "": it does not wait. */
static void
show_waiting(struct show *w, const char *text)
{
	struct pace_ui *ui = &w->m->ui;

	if (strncmp(text, w->waiting, sizeof(w->waiting) - 1) == 0)
		return;
	snprintf(w->waiting, sizeof(w->waiting), "%s", text);
	memcpy(ui->notice, w->waiting, sizeof(ui->notice));
	w->changed = true;
}

int
monitor_screen(struct monitor *m, enum pace_colour colour)
{
	struct show w = { .m = m, .changed = true };
	int rc = pace_screen_open(colour);

	if (rc < 0)
		return rc;
	catch_stops();
	if (m->live != NULL)
		pace_live_hush(m->live);
	take_lines(&w);
	while (pace_stop == 0 && !w.leave && !(m->most > 0 && m->count >= m->most)) {
		take_keys(&w);
		if (!w.leave)
			take_lines(&w);
		if ((m->ends || m->give_up_ns > 0) && m->over < 0)
			break;
		show_waiting(&w, m->live != NULL ? pace_live_waiting(m->live) : "");
		if (w.changed && !w.leave && pace_stop == 0)
			draw(&w);
		if (!w.leave && pace_stop == 0)
			wait_for_something(&w);
	}
	pace_screen_close();
	if (w.keep)
		pace_canvas_dump(&w.canvas, stdout);
	pace_canvas_free(&w.canvas);
	pace_snap_free(w.frozen);
	return 0;
}
