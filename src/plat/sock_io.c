#include "config.h"

#include "plat/sock_own.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plat/clock.h"
#include "plat/packet.h"
#include "plat/warm.h"

#define LONG_NS		55000		/* where no frame is due, a late wake-up does no harm; a wait
					 * for room in the send buffer is shorter */

/* Before a frame is due: the datagrams that keep its way warm begin and end so long before it.  A
 * begin 60 us earlier and a rest of 4 or 6 us gained nothing, with modes that took turns every 64
 * frames of one run. */
#define WARM_NS		30000		/* besides the time that a wake-up needs */
#define WARM_REST_NS	5000
#define WARM_MOST_NS	50000		/* one that takes longer was interrupted */
#define AWAKE_NS	10000000	/* before a frame, who does not sleep; a signal is heard so late */

/* The wall clock against the probe clock, as the socket's stamps need it. */
void
pace_sock_pair(struct pace_sock *s)
{
	struct pace_clockmap before = s->map;
	int64_t real, raw;

	pace_clock_pair(&real, &raw);
	pace_clockmap_pair(&s->map, real, raw);
	if (s->map.steps != before.steps) {
		s->before = before;
		s->stepped = true;
		s->doubt_ns = raw + llabs(s->map.stepped_ns - before.stepped_ns);
	}
}

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

static void
io_ready(void *ctx, bool warm, bool awake)
{
	struct pace_sock *s = ctx;

	s->keeps_warm = warm ? pace_warm_family(s->warm, s->fd) : 0;
	s->awake_ns = awake ? AWAKE_NS : 0;
}

/* Until shortly before t_ns, when a frame is due. */
static void
keep_warm(const struct pace_sock *s, int64_t t_ns, struct pace_stalls *st)
{
	const int64_t begin_ns = t_ns - s->guard_ns - WARM_NS, end_ns = t_ns - WARM_REST_NS;
	int64_t now = pace_clock_wait_until(begin_ns, s->awake_ns, st, s->stop), before;

	while (now >= begin_ns && now < end_ns) {
		before = now;
		pace_warm_send(s->warm, s->keeps_warm);
		now = pace_clock_raw();
		if (now - before > WARM_MOST_NS)
			pace_stalls_add(st, now - before);
	}
}

static int64_t
io_sleep_until(void *ctx, int64_t t_ns, struct pace_stalls *st)
{
	struct pace_sock *s = ctx;

	if (st == NULL && s->awake_ns == 0 && t_ns - pace_clock_raw() >= LONG_NS)
		return pace_clock_wait_until(t_ns, 0, NULL, s->stop);
	if (st != NULL && s->keeps_warm != 0)
		keep_warm(s, t_ns, st);
	return pace_clock_wait_until(t_ns, s->awake_ns > 0 ? s->awake_ns : s->guard_ns, st, s->stop);
}

/* The socket's address family, 4 or 6; -errno. */
static int
family_of(const struct pace_sock *s)
{
	socklen_t size = sizeof(int);
	int domain;

	if (getsockopt(s->fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) == -1)
		return -errno;
	return domain == AF_INET ? 4 : 6;
}

static int
io_mark(void *ctx, uint32_t dscp, enum pace_ecn ecn)
{
	int family = family_of(ctx);

	return family < 0 ? family : pace_sock_mark(ctx, family, dscp, ecn);
}

static int
io_fragment(void *ctx, bool allow)
{
	int family = family_of(ctx);

	return family < 0 ? family : pace_sock_fragment(ctx, family, allow);
}

int
pace_sock_wait(struct pace_sock *const *v, int n, int64_t until_ns)
{
	struct pollfd p[2 * PACE_SOCK_WAIT_MAX];
	int64_t rest = until_ns - pace_clock_raw();
	struct timespec ts;
	bool packet = false;
	int rc;

	for (int i = 0; i < n; i++) {
		p[i] = (struct pollfd){ .fd = v[i]->fd, .events = POLLIN };
		p[n + i] = (struct pollfd){ .fd = pace_packet_fd(v[i]->packet) };
		packet |= p[n + i].fd >= 0;	/* poll ignores -1 */
	}
	if (rest < 0)
		rest = 0;
	ts = (struct timespec){ .tv_sec = (time_t)(rest / 1000000000),
	    .tv_nsec = (long)(rest % 1000000000) };
	rc = ppoll(p, (nfds_t)n * (packet ? 2 : 1), &ts, NULL);
	if (rc == -1)
		return -errno;
	/* Departures that are not read would wake us for ever. */
	for (int i = 0; i < n; i++)
		if (((p[i].revents | p[n + i].revents) & POLLERR) != 0)
			pace_sock_stash(v[i]);
	return rc > 0;
}

static int
io_wait(void *ctx, int64_t until_ns)
{
	struct pace_sock *s = ctx;

	return pace_sock_wait(&s, 1, until_ns);
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

static void
io_usage(void *ctx, struct pace_usage *u)
{
	struct pace_sock *s = ctx;
	struct pace_counters c = { .known = false };
	struct rusage r;

	pace_sock_pair(s);		/* a step since the last one shows now */
	u->clock_steps = s->map.steps + s->phc.steps;
	u->clock_slews = s->map.slews;
	pace_clock_state(&u->clock);
	pace_counters_snmp(&c, "");
	u->bad_checksums = c.snmp[0][PACE_UDP_IN_CSUM_ERRORS] + c.snmp[1][PACE_UDP_IN_CSUM_ERRORS];
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
		.mark = io_mark, .fragment = io_fragment, .stamps = pace_sock_stamps,
		.coalesce = pace_sock_coalesce,
		.ready = io_ready, .usage = io_usage, .causes = io_causes, .counters = io_counters,
		    .energy = io_energy,
		.recv = pace_sock_recv, .now = io_now, .wall = io_wall,
		.sleep_until = io_sleep_until, .wait = io_wait, .drops = io_drops,
	};
}
