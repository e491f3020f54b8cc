#include "config.h"

#include "run/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "core/units.h"
#include "plat/clock.h"
#include "plat/thread.h"

#define TICK_NS	INT64_C(250000000)

static void
draw(const struct pace_show *s)
{
	int64_t spent = pace_clock_raw() - s->begun_ns;
	int64_t left = s->point_ns > spent ? s->point_ns - spent : 0;
	char sent[32], of[32];

	if (atomic_load(&s->waiting) && atomic_load(&s->progress.sent) == 0) {
		fputs("\r waiting for the measurement that is on \033[K", stderr);
		fflush(stderr);
		return;
	}
	left = (left + s->rest_ns + 999999999) / 1000000000;
	pace_print(PACE_UNIT_COUNT, (double)atomic_load_explicit(&s->progress.sent,
	    memory_order_relaxed), sent, sizeof(sent));
	fputs("\r ", stderr);
	if (s->points > 1)
		fprintf(stderr, "point %zu of %zu   ", s->point + 1, s->points);
	fprintf(stderr, "%s", sent);
	if (s->frames > 0)
		fprintf(stderr, " of %s",
		    pace_print(PACE_UNIT_COUNT, (double)s->frames, of, sizeof(of)));
	fprintf(stderr, " frames sent   %" PRId64 ":%02" PRId64 " left \033[K",
	    left / 60, left % 60);
	fflush(stderr);
}

static void *
show(void *arg)
{
	struct pace_show *s = arg;

	while (!atomic_load(&s->stop)) {
		if (s->rows != NULL)
			s->rows(s->rows_ctx);
		if (s->drawn)
			draw(s);
		(void)pace_clock_wait_until(pace_clock_raw() + TICK_NS, 0, NULL, NULL);
	}
	return NULL;
}

void
pace_show_begin(struct pace_show *s, size_t point, size_t points, uint64_t frames,
    int64_t point_ns, int64_t rest_ns, bool quiet)
{
	atomic_store(&s->progress.sent, 0);
	atomic_store(&s->stop, false);
	atomic_store(&s->waiting, false);
	s->point = point;
	s->points = points;
	s->frames = frames;
	s->point_ns = point_ns;
	s->rest_ns = rest_ns;
	s->begun_ns = pace_clock_raw();
	s->drawn = !quiet && isatty(STDERR_FILENO);
	if (!s->drawn && s->rows == NULL)
		return;
	s->on = pace_thread_start(&s->thread, show, s) == 0;
}

void
pace_show_end(struct pace_show *s)
{
	if (!s->on)
		return;
	atomic_store(&s->stop, true);
	pthread_join(s->thread, NULL);
	s->on = false;
	if (s->rows != NULL)
		s->rows(s->rows_ctx);
	if (!s->drawn)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
