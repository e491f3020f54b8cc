#include "config.h"

#include "ui/campaign_show.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "opt/opt.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/thread.h"
#include "run/feed.h"
#include "run/point_control.h"
#include "run/stop.h"
#include "ui/monitor.h"

#define QUEUE	(4 << 20)	/* bytes of lines that may wait for the display */

enum { SHOWN, LEFT, GIVEN_BACK };	/* LEFT: who made it so gives the terminal back */

struct pace_campaign_show {
	atomic_int	state;
	pid_t		child;
	int		fd;		/* lines go there */
	int		kept;		/* text printed during the display */
	int		out, err;	/* the terminal; err -1: stderr is no terminal */
	struct termios	modes;
	const char	*farewell;	/* leaves the screen */
	size_t		farewell_len;
	struct sigaction stop;		/* what SIGTSTP did */
	pthread_t	watcher;
};

/* The display's requests to the measuring process. */
struct order {
	enum pace_act	act;
	uint64_t	index;		/* PACE_ACT_SKIP: of that point */
};

/* --- the child ---------------------------------------------------------------------- */

struct campaign_show_reader {
	int		fd;
	pid_t		sender;
	int32_t		off;		/* the core it keeps off */
	int64_t		shown_ns;	/* the time was, then */
	char		packet[PACE_FEED_ROOM];
};

static int
next(void *ctx, int64_t now_ns, struct pace_status_source_item *item)
{
	struct campaign_show_reader *r = ctx;
	ssize_t n = recv(r->fd, r->packet, sizeof(r->packet), MSG_DONTWAIT);
	int32_t core;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return -errno;
	if (n < 0 && now_ns - r->shown_ns < PACE_SEC)
		return 0;
	if (n < 0) {	/* nothing is said while a point goes on: what is left is drawn all the same */
		r->shown_ns = now_ns;
		item->len = (size_t)snprintf(r->packet, sizeof(r->packet),
		    "{\"event\":\"time\",\"at_ns\":%"
		    PRId64 "}", pace_clock_wall());
		item->line = r->packet;
		return 1;
	}
	if (n <= (ssize_t)sizeof(core))
		return -ENODATA;
	memcpy(&core, r->packet, sizeof(core));
	if (core >= 0 && core != r->off)
		(void)pace_affinity_keep_off((int)r->sender, core);
	r->off = core;
	item->line = r->packet + sizeof(core);
	item->len = (size_t)n - sizeof(core);
	return 1;
}

static void
order(void *ctx, enum pace_act act, uint64_t index)
{
	const struct campaign_show_reader *r = ctx;
	const struct order o = { .act = act, .index = index };

	(void)send(r->fd, &o, sizeof(o), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The exit status: 0, it was on the screen. */
static int
show(int fd, pid_t sender)
{
	struct campaign_show_reader r = { .fd = fd, .sender = sender, .off = -1 };
	struct monitor m = { .on_screen = true, .ends = true, .order = order, .order_ctx = &r };
	int rc;

	(void)pace_affinity_yield();
	monitor_glyphs(&m, false);
	m.ui.page = PACE_PAGE_SWEEP;
	m.ui.campaign = true;
	m.snap = pace_snap_new();
	if (m.snap == NULL || pace_status_source_made(&m.lines, fd, next, &r) < 0)
		return 1;
	rc = monitor_screen(&m, PACE_COLOUR_AUTO);
	pace_status_source_close(m.lines);
	pace_snap_free(m.snap);
	return rc < 0;
}

/* --- the parent --------------------------------------------------------------------- */

/* All of it; false: the terminal is gone. */
static bool
put(const struct pace_campaign_show *w, const char *text, size_t len)
{
	while (len > 0) {
		ssize_t k = write(w->out, text, len);

		if (k < 0 && errno != EINTR)
			return false;
		k = k < 0 ? 0 : k;
		text += k;
		len -= (size_t)k;
	}
	return true;
}

static void
print_kept(const struct pace_campaign_show *w)
{
	char text[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(w->kept, text, sizeof(text), at)) > 0 && put(w, text, (size_t)n))
		at += n;
}

/* For a child that was killed on it. */
static void
leave_screen(const struct pace_campaign_show *w)
{
	(void)put(w, w->farewell, w->farewell_len);
	(void)tcsetattr(w->out, TCSANOW, &w->modes);
}

/* No other thread prints now: the stored text comes before new text. */
static void
give_back(struct pace_campaign_show *w)
{
	flockfile(stdout);
	flockfile(stderr);
	fflush(stdout);
	print_kept(w);
	(void)dup2(w->out, STDOUT_FILENO);
	if (w->err >= 0)
		(void)dup2(w->err, STDERR_FILENO);
	funlockfile(stderr);
	funlockfile(stdout);
	sigaction(SIGTSTP, &w->stop, NULL);
}

static bool
leaves_now(struct pace_campaign_show *w)
{
	int was = SHOWN;

	return atomic_compare_exchange_strong(&w->state, &was, LEFT);
}

/* Until the display is no more: its end of the socket is closed. */
static void
take_orders(const struct pace_campaign_show *w)
{
	struct order o;
	ssize_t n;

	do {
		n = recv(w->fd, &o, sizeof(o), 0);
		if (n != (ssize_t)sizeof(o))
			continue;
		if (o.act == PACE_ACT_SKIP)
			(void)pace_point_control_point((size_t)o.index);
		else if (o.act == PACE_ACT_STOP_AFTER)
			pace_point_control_last = 1;
		else if (o.act == PACE_ACT_STOP_NOW && pace_stop == 0)
			pace_stop = SIGINT;
	} while (n > 0 || (n < 0 && errno == EINTR));
}

/* All signals are blocked, so it may set the terminal's modes in the background as well. The
 * child's number stays its own until it is known which process restores the terminal. */
static void *
watch(void *arg)
{
	struct pace_campaign_show *w = arg;
	siginfo_t how = { .si_code = CLD_EXITED };

	take_orders(w);
	while (waitid(P_PID, (id_t)w->child, &how, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	if (!leaves_now(w))
		return NULL;		/* the process ends */
	(void)waitpid(w->child, NULL, 0);
	if (how.si_code != CLD_EXITED)
		leave_screen(w);
	give_back(w);
	atomic_store(&w->state, GIVEN_BACK);
	return NULL;
}

static struct pace_campaign_show *shown;	/* for the handler */

/* In a handler: the process ends now, and whoever is drawing may not have a core for long.
 * The watcher has its time, for this thread may be what it waits for. */
static void
end_at_once(void)
{
	const struct timespec a_while = { .tv_nsec = 10000000 };

	if (leaves_now(shown)) {
		(void)kill(shown->child, SIGKILL);
		while (waitpid(shown->child, NULL, 0) < 0 && errno == EINTR)
			;
		leave_screen(shown);
		print_kept(shown);
		return;
	}
	for (int i = 0; i < 100 && atomic_load(&shown->state) != GIVEN_BACK; i++)
		(void)nanosleep(&a_while, NULL);
}

/* Until the display stands still, but not for long: where no shell could let it go on it
 * does not. */
static void
stop_display(const struct pace_campaign_show *w)
{
	const struct timespec a_while = { .tv_nsec = 10000000 };

	(void)kill(w->child, SIGTSTP);
	for (int i = 0; i < 200; i++) {
		siginfo_t how = { .si_pid = 0 };

		if (waitid(P_PID, (id_t)w->child, &how, WSTOPPED | WNOHANG) < 0 || how.si_pid != 0)
			return;
		(void)nanosleep(&a_while, NULL);
	}
}

/* The display has left its screen; now stop as if the signal had not been caught. */
static void
stand_still(void)
{
	struct sigaction usual = { .sa_handler = SIG_DFL }, ours;
	bool drawn = atomic_load(&shown->state) == SHOWN;
	sigset_t one, before;

	if (drawn)
		stop_display(shown);
	sigemptyset(&usual.sa_mask);
	sigemptyset(&one);
	sigaddset(&one, SIGTSTP);
	sigaction(SIGTSTP, &usual, &ours);
	pthread_sigmask(SIG_UNBLOCK, &one, &before);
	raise(SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(SIGTSTP, &ours, NULL);
	if (drawn)
		(void)kill(shown->child, SIGCONT);
}

static int
start_child(struct pace_campaign_show *w, int fd[2])
{
	struct sigaction rest = { .sa_handler = pace_point_control_on_rest };
	const int room = QUEUE;
	pid_t us = getpid();
	int status;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	(void)setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	fflush(NULL);
	sigemptyset(&rest.sa_mask);
	if (sigaction(SIGTSTP, NULL, &w->stop) == 0 && w->stop.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &rest, NULL);
	w->child = fork();
	if (w->child == 0) {
		sigaction(SIGTSTP, &w->stop, NULL);
		close(fd[0]);
		status = show(fd[1], us);
		fflush(stdout);
		_exit(status);
	}
	close(fd[1]);
	if (w->child < 0) {
		int rc = -errno;

		close(fd[0]);
		sigaction(SIGTSTP, &w->stop, NULL);
		return rc;
	}
	return 0;
}

static void
release(struct pace_campaign_show *w)
{
	if (w->kept >= 0)
		close(w->kept);
	if (w->out >= 0)
		close(w->out);
	if (w->err >= 0)
		close(w->err);
	free(w);
}

static int
start(struct pace_campaign_show *w)
{
	int fd[2], rc;

	(void)tcgetattr(STDOUT_FILENO, &w->modes);
	w->farewell_len = pace_screen_farewell(&w->farewell);
	w->kept = memfd_create("udpace", MFD_CLOEXEC);
	w->out = dup(STDOUT_FILENO);
	w->err = isatty(STDERR_FILENO) ? dup(STDERR_FILENO) : -1;
	rc = w->kept < 0 || w->out < 0 ? -errno : start_child(w, fd);
	if (rc < 0)
		return rc;
	w->fd = fd[0];
	setvbuf(stdout, NULL, _IOLBF, 0);
	(void)dup2(w->kept, STDOUT_FILENO);
	if (w->err >= 0)
		(void)dup2(w->kept, STDERR_FILENO);
	rc = pace_thread_start(&w->watcher, watch, w);
	if (rc != 0) {
		(void)shutdown(w->fd, SHUT_WR);		/* its end for the child */
		watch(w);
		close(w->fd);
		return rc;
	}
	shown = w;
	pace_stop_last(end_at_once);
	pace_point_control_rest_with(stand_still);
	pace_feed_to(w->fd);
	pace_complain_echo(pace_feed_notice);
	return 0;
}

struct pace_campaign_show *
pace_campaign_show_begin(void)
{
	struct pace_campaign_show *w;
	int rc;

	/* one in the background would be stopped, and hold up the campaign's end */
	if (tcgetpgrp(STDIN_FILENO) != getpgrp() || !monitor_has_terminal("--monitor: "))
		return NULL;
	pace_stop_catch();
	w = calloc(1, sizeof(*w));
	rc = w != NULL ? start(w) : -ENOMEM;
	if (rc == 0)
		return w;
	if (w != NULL)
		release(w);
	pace_complain("--monitor: %s; lines are printed instead", strerror(-rc));
	return NULL;
}

void
pace_campaign_show_end(struct pace_campaign_show *w)
{
	struct timespec until;

	if (w == NULL)
		return;
	pace_complain_echo(NULL);
	pace_feed_to(-1);
	(void)shutdown(w->fd, SHUT_WR);
	do {			/* the display may have been stopped just now, and then would not end */
		pace_point_control_rest();
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
	} while (pthread_timedjoin_np(w->watcher, NULL, &until) == ETIMEDOUT);
	pace_point_control_rest_with(NULL);
	close(w->fd);
	pace_stop_last(NULL);
	release(w);
}
