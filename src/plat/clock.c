#include "config.h"

#include "plat/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <time.h>

#define SEC		INT64_C(1000000000)

#define GUARD_SAMPLES	100
#define GUARD_MIN_NS	60000
#define GUARD_MAX_NS	300000
#define SLEEP_SLICE_NS	INT64_C(100000000)	/* look at stop this often */

static int64_t
read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t
pace_clock_raw(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

int64_t
pace_clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

void
pace_clock_pair(int64_t *real_ns, int64_t *raw_ns)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 5; i++) {
		int64_t before = read_clock(CLOCK_MONOTONIC_RAW);
		int64_t real = read_clock(CLOCK_REALTIME);
		int64_t after = read_clock(CLOCK_MONOTONIC_RAW);

		if (after - before < best) {
			best = after - before;
			*real_ns = real;
			*raw_ns = before + (after - before) / 2;
		}
	}
}

void
pace_clock_state(struct pace_clock_state *s)
{
	struct timex t = { .modes = 0 };
	int state = adjtimex(&t);

	*s = (struct pace_clock_state){ .known = state != -1 };
	if (!s->known)
		return;
	s->synchronised = state != TIME_ERROR && (t.status & STA_UNSYNC) == 0;
	s->error_ns = (int64_t)t.esterror * 1000;
	s->error_max_ns = (int64_t)t.maxerror * 1000;
	s->frequency_ppm = (double)t.freq / 65536;	/* 16 bits of fraction */
}

static void
sleep_for(int64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	/* EINTR is welcome: the caller looks at the clock and at stop. */
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

void
pace_clock_no_slack(void)
{
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

static int
compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t
pace_clock_guard(void)
{
	int64_t late[GUARD_SAMPLES], p99;

	pace_clock_no_slack();
	for (int i = 0; i < GUARD_SAMPLES; i++) {
		int64_t due = read_clock(CLOCK_MONOTONIC_RAW) + 100000;

		sleep_for(100000);
		late[i] = read_clock(CLOCK_MONOTONIC_RAW) - due;
	}
	qsort(late, GUARD_SAMPLES, sizeof(late[0]), compare_ns);
	p99 = late[GUARD_SAMPLES - 2];
	if (p99 < GUARD_MIN_NS)
		return GUARD_MIN_NS;
	return p99 > GUARD_MAX_NS ? GUARD_MAX_NS : p99;
}

int64_t
pace_clock_wait_until(int64_t t_ns, int64_t guard_ns, struct pace_stalls *st,
    const volatile sig_atomic_t *stop)
{
	int64_t now = read_clock(CLOCK_MONOTONIC_RAW), before, rest;

	while ((rest = t_ns - now - guard_ns) > 0) {
		if (stop != NULL && *stop)
			return now;
		sleep_for(rest < SLEEP_SLICE_NS ? rest : SLEEP_SLICE_NS);
		now = read_clock(CLOCK_MONOTONIC_RAW);
	}
	while (now < t_ns) {
		before = now;
		now = read_clock(CLOCK_MONOTONIC_RAW);
		if (now - before > PACE_STALL_NS && st != NULL)
			pace_stalls_add(st, now - before);
	}
	return now;
}

void
pace_clock_rfc3339(int64_t wall_ns, char *buf, size_t size)
{
	int64_t s = wall_ns / SEC - (wall_ns % SEC < 0);
	time_t t = (time_t)s;
	char date[24];
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		snprintf(date, sizeof(date), "1970-01-01T00:00:00");
	snprintf(buf, size, "%s.%09uZ", date, (unsigned)(wall_ns - s * SEC) % 1000000000u);
}
