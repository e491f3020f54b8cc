#include "config.h"

#include "run/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "core/units.h"
#include "plat/clock.h"
#include "plat/thread.h"

#define TICK_NS	INT64_C(250000000)

/* Whole seconds left after `spent` ns. */
static int64_t
left_s(const struct pace_show *s, double spent, double sent)
{
	double point = (double)s->point_ns, rest = (double)s->rest_ns, factor = 1;

	if (s->asap && sent > 0 && point > 0)
		factor = spent * (double)s->all / sent / point;
	return (int64_t)ceil(fmin((fmax(point * factor - spent, 0) + rest * factor) / 1e9, 1e12));
}

static void
draw(const struct pace_show *s)
{
	uint64_t n = atomic_load_explicit(&s->progress.sent, memory_order_relaxed);
	int64_t left = left_s(s, (double)(pace_clock_raw() - s->begun_ns), (double)n);
	char sent[40], of[40];

	if (atomic_load(&s->waiting) && n == 0) {
		fputs("\r waiting for the measurement that is on \033[K", stderr);
		fflush(stderr);
		return;
	}
	fputs("\r ", stderr);
	if (s->points > 1)
		fprintf(stderr, "point %zu of %zu   ", s->point + 1, s->points);
	if (s->counts != NULL && s->all > 0)
		fprintf(stderr, "%s of %s %s   ", pace_print_count(n, sent),
		    pace_print_count(s->all, of), s->counts);
	else if (s->counts != NULL)
		fprintf(stderr, "%s %s   ", pace_print_count(n, sent), s->counts);
	fprintf(stderr, "%" PRId64 ":%02" PRId64 " left \033[K", left / 60, left % 60);
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
pace_show_begin(struct pace_show *s, size_t point, size_t points, uint64_t all,
    int64_t point_ns, int64_t rest_ns, bool quiet)
{
	atomic_store(&s->progress.sent, 0);
	atomic_store(&s->stop, false);
	atomic_store(&s->waiting, false);
	s->point = point;
	s->points = points;
	s->all = all;
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
