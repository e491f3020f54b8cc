#include "core/doctor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"

#define RMEM_WANTED	16777216	/* the buffer that a stream requests */
#define RMEM_LEAST	1048576
#define WMEM_WANTED	16777216
#define BACKLOG_WANTED	5000
#define BUDGET_WANTED	300
#define USECS_MOST	10
#define STEAL_MOST_PPM	1000
#define STALL_WARN_NS	100000
#define STALL_BAD_NS	1000000
#define GOVERNOR	"for g in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do " \
	"echo %s >\"$g\"; done"
#define FRAME_CHARGE	2304	/* of a frame of 1472 bytes, in a socket's buffer */

struct doctor_list {
	struct pace_finding *v;
	int		n;
};

const char *
pace_level_name(enum pace_level l)
{
	static const char *const names[] = { "ok", "unknown", "warn", "bad" };

	return names[l];
}

static struct pace_finding *
add(struct doctor_list *l, const char *code, enum pace_level level, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static struct pace_finding *
add(struct doctor_list *l, const char *code, enum pace_level level, const char *fmt, ...)
{
	static const struct pace_finding none;
	struct pace_finding *f = &l->v[l->n < PACE_FINDINGS ? l->n++ : PACE_FINDINGS - 1];
	va_list ap;

	*f = none;
	snprintf(f->code, sizeof(f->code), "%s", code);
	f->level = level;
	va_start(ap, fmt);
	(void)vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
	return f;
}

/* Only letters, digits and what cannot mean anything to a shell. */
static bool
is_plain(const char *s)
{
	return s[0] != '\0' && s[0] != '-' && s[strspn(s, "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-@:")] == '\0';
}

static void
cure_sysctl(struct pace_finding *f, const char *name, int64_t want, int64_t have)
{
	snprintf(f->set, sizeof(f->set), "sysctl -w %s=%lld", name, (long long)want);
	snprintf(f->restore, sizeof(f->restore), "sysctl -w %s=%lld", name, (long long)have);
}

/* "ethtool -G eth0 rx 4096", and back. */
static void
cure_ethtool(struct pace_finding *f, const struct pace_host *h, const char *option,
    const char *setting, const char *want, const char *have)
{
	if (!is_plain(h->interface))
		return;
	snprintf(f->set, sizeof(f->set), "ethtool %s %s %s %s", option, h->interface, setting,
	    want);
	snprintf(f->restore, sizeof(f->restore), "ethtool %s %s %s %s", option, h->interface,
	    setting, have);
}

static const char *
bytes(int64_t n, char buf[32])
{
	return pace_print(PACE_UNIT_BYTES, (double)n, buf, 32);
}

static const char *
span(int64_t ns, char buf[32])
{
	return pace_print(PACE_UNIT_USEC, (double)ns, buf, 32);
}

static const char *
number(int64_t n, char buf[32])
{
	return pace_print(PACE_UNIT_COUNT, (double)n, buf, 32);
}

/* --- buffers and queues ------------------------------------------------------------ */

static bool
may_force(const struct pace_host *h)
{
	int64_t v;

	return pace_host_knows(h, PACE_FACT_BUFFERS_FORCED, &v) && v != 0;
}

static void
check_rmem(struct doctor_list *l, const struct pace_host *h)
{
	const char *name = pace_fact_name(PACE_FACT_RMEM_MAX).name;
	char a[32], b[32], frames[32];
	struct pace_finding *f;
	int64_t v;

	if (!pace_host_knows(h, PACE_FACT_RMEM_MAX, &v)) {
		add(l, "rmem_max", PACE_LEVEL_UNKNOWN, "%s cannot be read here", name);
		return;
	}
	if (may_force(h) || v >= RMEM_WANTED) {
		add(l, "rmem_max", PACE_LEVEL_OK, "receive buffers may have %s (wanted: %s)%s",
		    bytes(v, a), bytes(RMEM_WANTED, b), v < RMEM_WANTED ? ", and udpace runs with "
		    "the right to have more" : "");
		return;
	}
	f = add(l, "rmem_max", v < RMEM_LEAST ? PACE_LEVEL_BAD : PACE_LEVEL_WARN,
	    "receive buffers may have no more than %s (wanted: %s): that holds about %s frames of "
	    "1472 B, and whoever pauses for longer loses frames", bytes(v, a),
	    bytes(RMEM_WANTED, b), number(2 * v / FRAME_CHARGE, frames));
	cure_sysctl(f, name, RMEM_WANTED, v);
}

/* A limit that should be no lower than `want`. */
static void
check_least(struct doctor_list *l, const struct pace_host *h, enum pace_fact fact, const char *code,
    int64_t want, enum pace_unit unit, const char *what, const char *why)
{
	char a[32], b[32];
	struct pace_finding *f;
	int64_t v;

	if (!pace_host_knows(h, fact, &v)) {
		add(l, code, PACE_LEVEL_UNKNOWN, "%s cannot be read here",
		    pace_fact_name(fact).name);
		return;
	}
	pace_print(unit, (double)v, a, sizeof(a));
	pace_print(unit, (double)want, b, sizeof(b));
	if (v >= want) {
		add(l, code, PACE_LEVEL_OK, "%s %s (wanted: %s)", what, a, b);
		return;
	}
	f = add(l, code, PACE_LEVEL_WARN, "%s %s (wanted: %s): %s", what, a, b, why);
	cure_sysctl(f, pace_fact_name(fact).name, want, v);
}

static void
check_limits(struct doctor_list *l, const struct pace_host *h)
{
	check_rmem(l, h);
	if (!may_force(h))
		check_least(l, h, PACE_FACT_WMEM_MAX, "wmem_max", WMEM_WANTED, PACE_UNIT_BYTES,
		    "send buffers may have", "a sender as fast as possible waits for room instead "
		    "of sending");
	check_least(l, h, PACE_FACT_BACKLOG, "netdev_max_backlog", BACKLOG_WANTED,
	    PACE_UNIT_COUNT, "the frames that may wait for a core are",
	    "bursts that one core hands to another are dropped in softnet");
	check_least(l, h, PACE_FACT_BUDGET, "netdev_budget", BUDGET_WANTED,
	    PACE_UNIT_COUNT, "the frames that a core takes at once are",
	    "the ring of the NIC fills while polling is cut short");
}

static void
check_ring(struct doctor_list *l, const struct pace_host *h)
{
	char a[32], b[32], want[24], have[24];
	int64_t v, most;

	if (!pace_host_knows(h, PACE_FACT_RX_RING, &v) ||
	    !pace_host_knows(h, PACE_FACT_RX_RING_MAX, &most)) {
		if (h->interface[0] != '\0')
			add(l, "rx_ring", PACE_LEVEL_UNKNOWN, "%s does not tell the size of its "
			    "receive ring", h->interface);
		return;
	}
	if (v >= most) {
		add(l, "rx_ring", PACE_LEVEL_OK, "the receive ring of %s has %s frames, as many as "
		    "it can", h->interface, number(v, a));
		return;
	}
	snprintf(want, sizeof(want), "%lld", (long long)most);
	snprintf(have, sizeof(have), "%lld", (long long)v);
	cure_ethtool(add(l, "rx_ring", PACE_LEVEL_WARN, "the receive ring of %s has %s of %s "
	    "frames: a burst while the core is busy elsewhere dies in the NIC", h->interface,
	    number(v, a), number(most, b)), h, "-G", "rx", want, have);
}

/* --- what spoils arrival stamps -------------------------------------------------------- */

static void
check_coalescing(struct doctor_list *l, const struct pace_host *h)
{
	char have[24], waits[32];
	int64_t usecs, adaptive;

	if (!pace_host_knows(h, PACE_FACT_RX_USECS, &usecs) || usecs < 0 || usecs > 1000000000)
		return;			/* drivers without interrupts of their own */
	if (pace_host_knows(h, PACE_FACT_ADAPTIVE_RX, &adaptive) && adaptive != 0) {
		cure_ethtool(add(l, "adaptive_rx", PACE_LEVEL_WARN,
		    "%s moderates its interrupts as it sees fit (wanted: off): kernel stamps then "
		    "come in bunches", h->interface), h, "-C", "adaptive-rx", "off", "on");
		return;
	}
	if (usecs <= USECS_MOST) {
		add(l, "rx_usecs", PACE_LEVEL_OK, "%s interrupts %s%s", h->interface, usecs == 0 ?
		    "at once" : "within ", usecs == 0 ? "" : span(1000 * usecs, waits));
		return;
	}
	snprintf(have, sizeof(have), "%lld", (long long)usecs);
	cure_ethtool(add(l, "rx_usecs", PACE_LEVEL_WARN, "%s waits up to %s before it interrupts "
	    "(wanted: 0): arrivals closer than that are stamped in bunches", h->interface,
	    span(1000 * usecs, waits)), h, "-C", "rx-usecs", "0", have);
}

static void
check_offloads(struct doctor_list *l, const struct pace_host *h)
{
	static const struct { enum pace_fact fact; const char *code, *feature; } spoilers[] = {
		{ PACE_FACT_GRO_FORWARDING, "rx_udp_gro_forwarding", "rx-udp-gro-forwarding" },
		{ PACE_FACT_GRO_LIST, "rx_gro_list", "rx-gro-list" },
		{ PACE_FACT_LRO, "lro", "lro" },
	};
	int64_t v;
	int on = 0, known = 0;

	for (size_t i = 0; i < sizeof(spoilers) / sizeof(spoilers[0]); i++) {
		if (!pace_host_knows(h, spoilers[i].fact, &v))
			continue;
		known++;
		if (v == 0)
			continue;
		on++;
		cure_ethtool(add(l, spoilers[i].code, PACE_LEVEL_BAD,
		    "%s merges datagrams (%s is on, wanted: off): several of them get one arrival "
		    "stamp", h->interface, spoilers[i].feature), h, "-K", spoilers[i].feature,
		    "off", "on");
	}
	if (on == 0 && h->stamp_spoilers[0] != '\0')
		add(l, "stamp_spoilers", PACE_LEVEL_WARN, "other interfaces merge datagrams under "
		    "one stamp: %s", h->stamp_spoilers);
	else if (on == 0 && known > 0)
		add(l, "gro", PACE_LEVEL_OK, "%s does not merge datagrams under one stamp",
		    h->interface);
}

static void
check_stamps(struct doctor_list *l, const struct pace_host *h)
{
	int64_t v;

	if (!pace_host_knows(h, PACE_FACT_NIC_STAMPS, &v))
		return;
	if (v != 0)
		add(l, "nic_stamps", PACE_LEVEL_OK, "%s can stamp every frame itself: --stamp nic",
		    h->interface);
	else
		add(l, "nic_stamps", PACE_LEVEL_OK, "%s cannot stamp every frame itself: the "
		    "kernel does", h->interface);
}

static void
check_engine(struct doctor_list *l, const struct pace_host *h)
{
	int64_t v;

	if (!pace_host_knows(h, PACE_FACT_PACKET_ENGINE, &v))
		return;
	if (v != 0)
		add(l, "packet_engine", PACE_LEVEL_OK, "a firewall or a queue that takes time from "
		    "frames on their way to %s can be passed by: --engine packet", h->interface);
	else
		add(l, "packet_engine", PACE_LEVEL_OK, "--engine packet, past firewall and queues, "
		    "needs the capability CAP_NET_RAW");
}

/* --- the processor ------------------------------------------------------------------------ */

static void
check_governor(struct doctor_list *l, const struct pace_host *h)
{
	struct pace_finding *f;

	if (h->governor[0] == '\0') {
		add(l, "governor", PACE_LEVEL_UNKNOWN, "this host does not show how it scales its "
		    "cores' frequency");
		return;
	}
	if (strcmp(h->governor, "performance") == 0) {
		add(l, "governor", PACE_LEVEL_OK, "the cores run at full speed (governor "
		    "performance)");
		return;
	}
	f = add(l, "governor", PACE_LEVEL_WARN, "the governor is %s (wanted: performance): a core "
	    "that slept wakes up late and slow", h->governor);
	if (!is_plain(h->governor) || strcmp(h->governor, "mixed") == 0)
		return;
	snprintf(f->set, sizeof(f->set), GOVERNOR, "performance");
	snprintf(f->restore, sizeof(f->restore), GOVERNOR, h->governor);
}

static void
check_clocksource(struct doctor_list *l, const struct pace_host *h)
{
	static const char *const quick[] = { "tsc", "kvm-clock", "arch_sys_counter", "timebase",
	    "hyperv_clocksource_tsc_page", "riscv_clocksource" };

	if (h->clocksource[0] == '\0')
		return;
	for (size_t i = 0; i < sizeof(quick) / sizeof(quick[0]); i++)
		if (strcmp(h->clocksource, quick[i]) == 0) {
			add(l, "clocksource", PACE_LEVEL_OK,
			    "the clock source is %s: it is read without a system call",
			    h->clocksource);
			return;
		}
	add(l, "clocksource", PACE_LEVEL_BAD, "the clock source is %s (wanted: tsc): each reading "
	    "is a call into the kernel, so no spacing of some us can be kept", h->clocksource);
}

static void
check_slack(struct doctor_list *l, const struct pace_host *h)
{
	char a[32];
	int64_t v;

	if (!pace_host_knows(h, PACE_FACT_TIMER_SLACK_NS, &v))
		return;
	if (v <= 1000)
		add(l, "timer_slack", PACE_LEVEL_OK, "timers may be late by %lld ns (udpace sets "
		    "that itself)", (long long)v);
	else
		add(l, "timer_slack", PACE_LEVEL_WARN, "timers may be late by %s (wanted: 1 "
		    "ns), and udpace may not change it: frames far apart are late", span(v, a));
}

static void
check_realtime(struct doctor_list *l, const struct pace_host *h)
{
	const char *name = pace_fact_name(PACE_FACT_RT_RUNTIME_US).name;
	int64_t runtime, realtime = 0;

	if (!pace_host_knows(h, PACE_FACT_RT_RUNTIME_US, &runtime))
		return;
	(void)pace_host_knows(h, PACE_FACT_REALTIME, &realtime);
	if (realtime != 0 && runtime >= 0)
		cure_sysctl(add(l, "realtime", PACE_LEVEL_BAD,
		    "udpace runs in a real-time class, and the kernel stops who spins there for 50 "
		    "ms of every second (%s is %lld, wanted: -1)", name, (long long)runtime), name,
		    -1, runtime);
	else
		add(l, "realtime", PACE_LEVEL_OK, realtime != 0 ? "real-time threads are not "
		    "throttled" : "udpace does not run in a real-time class: nothing throttles it");
}

static void
check_cores(struct doctor_list *l, const struct pace_host *h, const struct pace_trial *t)
{
	const struct pace_irq *on = NULL;

	if (h->cores == 1)
		add(l, "cores", PACE_LEVEL_BAD, "this host has one core: the NIC's interrupts and "
		    "the probe take it from each other");
	else if (h->cores > 1)
		add(l, "cores", PACE_LEVEL_OK, "this host has %d cores", h->cores);
	if (t->cpu < 0 || h->interface[0] == '\0')
		return;
	for (int i = 0; i < h->irqs && on == NULL; i++)
		if (pace_cores_hold(h->irq[i].cores, t->cpu) &&
		    strstr(h->irq[i].queue, "config") == NULL)	/* these hardly ever fire */
			on = &h->irq[i];
	if (on == NULL && (h->irqs == 0 || h->more_irqs)) {
		add(l, "irq_core", PACE_LEVEL_UNKNOWN, "it is not known whether an interrupt of "
		    "%s goes to core %d", h->interface, t->cpu);
		return;
	}
	if (on == NULL) {
		add(l, "irq_core", PACE_LEVEL_OK, "no interrupt of %s goes to core %d",
		    h->interface, t->cpu);
		return;
	}
	add(l, "irq_core", PACE_LEVEL_WARN, "interrupt %lu of %s (%s) goes to core %d, where the "
	    "probe is to run: it makes frames late; use another core", (unsigned long)on->irq,
	    h->interface, on->queue[0] != '\0' ? on->queue : "no name", t->cpu);
}

static void
check_node(struct doctor_list *l, const struct pace_host *h, const struct pace_trial *t)
{
	if (t->cpu < 0 || h->numa_cores[0] == '\0')
		return;
	if (pace_cores_hold(h->numa_cores, t->cpu))
		add(l, "numa_node", PACE_LEVEL_OK, "core %d is on the NUMA node of %s", t->cpu,
		    h->interface);
	else
		add(l, "numa_node", PACE_LEVEL_WARN, "core %d is on another NUMA node than %s (wanted: "
		    "a core of %s): each frame crosses from one to the other", t->cpu, h->interface,
		    h->numa_cores);
}

static void
check_virtual(struct doctor_list *l, const struct pace_host *h)
{
	int64_t ppm;

	if (h->virt[0] != '\0' && strcmp(h->virt, "no") != 0)
		add(l, "virtual", PACE_LEVEL_WARN, "this is a virtual machine%s%s%s: its cores can "
		    "be stopped at any time, and it may not even see it",
		    strcmp(h->virt, "yes") != 0 ? " (" : "",
		    strcmp(h->virt, "yes") != 0 ? h->virt : "",
		    strcmp(h->virt, "yes") != 0 ? ")" : "");
	else if (h->virt[0] != '\0')
		add(l, "virtual", PACE_LEVEL_OK, "this is not a virtual machine");
	if (!pace_host_knows(h, PACE_FACT_STEAL_PPM, &ppm))
		return;
	add(l, "steal", ppm > STEAL_MOST_PPM ? PACE_LEVEL_WARN : PACE_LEVEL_OK,
	    "the hypervisor took %.3g %% of the cores' time since this host was started%s",
	    (double)ppm / 1e4, ppm > STEAL_MOST_PPM ? " (wanted: under 0.1 %): the neighbours are "
	    "busy, streams will stall" : "");
}

static void
check_spin(struct doctor_list *l, const struct pace_trial *t)
{
	char total[32], worst[32], whole[32], core[32];

	if (!t->spun)
		return;
	snprintf(core, sizeof(core), t->cpu >= 0 ? "core %d" : "this core", t->cpu);
	span(t->stalls.total_ns, total);
	span(t->stalls.max_ns, worst);
	span(t->spin_ns, whole);
	if (t->stalls.max_ns <= STALL_WARN_NS)
		add(l, "stalls", PACE_LEVEL_OK, "spinning on %s for %s, the longest stall was %s",
		    core, whole, t->stalls.count > 0 ? worst : "under 5 \xc2\xb5s");
	else
		add(l, "stalls", t->stalls.max_ns > STALL_BAD_NS ? PACE_LEVEL_BAD : PACE_LEVEL_WARN,
		    "spinning for %s, %s was taken away %llu times, %s in all, up to %s at once: "
		    "frames are late by as much (something else runs on it, or the hypervisor "
		    "stops it)", whole, core, (unsigned long long)t->stalls.count, total, worst);
}

static void
check_clock(struct doctor_list *l, const struct pace_trial *t)
{
	char a[32];

	if (!t->has_clock)
		return;
	if (!t->clock.known)
		add(l, "clock", PACE_LEVEL_UNKNOWN, "the kernel does not tell the state of its "
		    "clock");
	else if (!t->clock.synchronised)
		add(l, "clock", PACE_LEVEL_WARN, "nothing synchronises the wall clock: stamps are "
		    "good, times of day are not; one-way delays come from udpace's own exchanges");
	else
		add(l, "clock", PACE_LEVEL_OK, "the wall clock is synchronised, within %s by its "
		    "own estimate", span(t->clock.error_ns, a));
}

int
pace_doctor_host(struct pace_finding v[PACE_FINDINGS], const struct pace_host *h,
    const struct pace_trial *t)
{
	struct doctor_list l = { v, 0 };

	check_limits(&l, h);
	check_ring(&l, h);
	check_coalescing(&l, h);
	check_offloads(&l, h);
	check_stamps(&l, h);
	check_engine(&l, h);
	check_governor(&l, h);
	check_clocksource(&l, h);
	check_slack(&l, h);
	check_realtime(&l, h);
	check_cores(&l, h, t);
	check_node(&l, h, t);
	check_virtual(&l, h);
	check_spin(&l, t);
	check_clock(&l, t);
	return l.n;
}

int
pace_doctor_private(struct pace_finding v[PACE_FINDINGS])
{
	struct doctor_list l = { v, 0 };

	add(&l, "private", PACE_LEVEL_UNKNOWN, "the responder tells nothing of its host (respond "
	    "--no-host-info)");
	return l.n;
}

/* --- the path ------------------------------------------------------------------------------ */

int
pace_doctor_path(struct pace_finding v[PACE_FINDINGS], const struct pace_path_trial *t)
{
	struct doctor_list l = { v, 0 };

	if (t->near_mtu > 0 && t->far_mtu > 0 && t->near_mtu != t->far_mtu)
		add(&l, "mtu", PACE_LEVEL_WARN, "the MTU is %lld here and %lld there: frames "
		    "larger than the smaller one do not pass", (long long)t->near_mtu,
		    (long long)t->far_mtu);
	if (t->why[0] != '\0')
		add(&l, "path_mtu", PACE_LEVEL_UNKNOWN, "the path could not be tried: %s", t->why);
	else if (t->mtu_reported && t->passed > 0)
		add(&l, "path_mtu", PACE_LEVEL_WARN, "the path takes %u bytes where the interface "
		    "takes %lld, and says so: frames of up to %u B pass", t->mtu,
		    (long long)t->near_mtu, t->passed);
	else if (t->passed >= t->asked)
		add(&l, "path_mtu", PACE_LEVEL_OK, "frames of %u B, the MTU's full size, pass both "
		    "ways", t->asked);
	else if (t->passed > 0)
		add(&l, "path_mtu", PACE_LEVEL_BAD, "the MTU allows frames of %u B, but those "
		    "above %u B vanish on the path without a word: use --size %u or less", t->asked,
		    t->passed, t->passed);
	else
		add(&l, "path_mtu", PACE_LEVEL_BAD, "the MTU allows frames of %u B, but none of "
		    "full size passes", t->asked);
	return l.n;
}
