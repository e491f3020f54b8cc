#include "config.h"

#include "plat/sock_io.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plat/clock.h"

static int64_t
io_now(void *ctx)
{
	(void)ctx;
	return pace_clock_raw();
}

static int64_t
io_wall(void *ctx)
{
	struct pace_sock *s = ctx;

	return s->map.real1 - s->map.raw1;
}

static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	struct pace_sock *s = ctx;

	return pace_clock_wait_until(t_ns, s->guard_ns, st, s->stop);
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	struct pace_sock *s = ctx;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int64_t rest = until_ns - pace_clock_raw();
	struct timespec ts;
	int rc;

	if (rest < 0)
		rest = 0;
	ts = (struct timespec){ .tv_sec = (time_t)(rest / 1000000000),
	    .tv_nsec = (long)(rest % 1000000000) };
	rc = ppoll(&p, 1, &ts, NULL);
	if (rc == -1)
		return -errno;
	/* Departures that are not read would wake us for ever. */
	if ((p.revents & POLLERR) != 0)
		pace_sock_stash(s);
	return rc > 0;
}

static int64_t
io_energy(void *ctx, struct pace_energy *e)
{
	struct pace_sock *s = ctx;

	memset(e, 0, sizeof(*e));
	return s->counting != NULL ? pace_counters_energy(e, s->counting) : pace_clock_raw();
}

static uint32_t
io_drops(void *ctx)
{
	struct pace_sock *s = ctx;
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, info, &len) == -1)
		return 0;
	return info[SK_MEMINFO_DROPS];
}

/* Column 8 of the line of all cores, in hundredths of a second. */
static int64_t
read_steal_ns(void)
{
	unsigned long long steal = 0;
	FILE *f = fopen("/proc/stat", "re");

	if (f == NULL)
		return 0;
	if (fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		steal = 0;
	fclose(f);
	return (int64_t)steal * (1000000000 / sysconf(_SC_CLK_TCK));
}

/* The number behind a name, or in the column under it, of a line that starts
 * with `line`; 0: not there.  /proc/net/snmp has a line of names and one of
 * numbers for each protocol, snmp6 one name and number a line. */
static uint64_t
read_counter(const char *path, const char *line, const char *name)
{
	char names[2048], numbers[2048], *at[2], *save[2];
	FILE *f = fopen(path, "re");
	uint64_t value = 0;

	if (f == NULL)
		return 0;
	while (fgets(names, sizeof(names), f) != NULL) {
		if (strncmp(names, line, strlen(line)) != 0)
			continue;
		if (strcmp(line, name) == 0) {
			value = strtoull(names + strlen(line), NULL, 10);
			break;
		}
		if (fgets(numbers, sizeof(numbers), f) == NULL)
			break;
		at[0] = strtok_r(names, " \n", &save[0]);
		at[1] = strtok_r(numbers, " \n", &save[1]);
		for (; at[0] != NULL && at[1] != NULL; at[0] = strtok_r(NULL, " \n", &save[0]),
		    at[1] = strtok_r(NULL, " \n", &save[1]))
			if (strcmp(at[0], name) == 0)
				value = strtoull(at[1], NULL, 10);
		break;
	}
	fclose(f);
	return value;
}

static void
io_usage(void *ctx, struct pace_usage *u)
{
	struct pace_sock *s = ctx;
	struct rusage r;

	pace_sock_pair(s);		/* a step since the last one shows now */
	u->clock_steps = s->map.steps + s->phc.steps;
	u->clock_slews = s->map.slews;
	pace_clock_state(&u->clock);
	u->bad_checksums = read_counter("/proc/net/snmp", "Udp:", "InCsumErrors") +
	    read_counter("/proc/net/snmp6", "Udp6InCsumErrors", "Udp6InCsumErrors");
	u->preempted = getrusage(RUSAGE_THREAD, &r) == 0 ? (uint64_t)r.ru_nivcsw : 0;
	u->steal_ns = read_steal_ns();
}

static void
io_causes(void *ctx, struct pace_stall_causes *c)
{
	struct pace_sock *s = ctx;
	const char *root = s->counting != NULL ? s->counting->root : NULL;

	if (c == NULL)
		pace_stall_begin(&s->stalls, root);
	else
		pace_stall_end(&s->stalls, root, c);
}

static void
io_counters(void *ctx, struct pace_counters *c, enum pace_side side)
{
	struct pace_sock *s = ctx;

	if (s->counting != NULL)
		pace_counters_read(c, s->counting, side);
}

struct pace_io
pace_sock_io(struct pace_sock *s)
{
	return (struct pace_io){
		.ctx = s, .send = pace_sock_send, .train = pace_sock_train,
		.departures = pace_sock_departures, .renumber = pace_sock_renumber,
		.stamps = pace_sock_stamps, .coalesce = pace_sock_coalesce,
		.usage = io_usage, .causes = io_causes, .counters = io_counters, .energy = io_energy,
		.recv = pace_sock_recv, .now = io_now, .wall = io_wall,
		.sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	};
}
