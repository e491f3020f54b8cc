#include "config.h"

#include "plat/facts.h"

#include <linux/ethtool.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/err.h"
#include "plat/clock.h"
#include "plat/ethtool.h"
#include "plat/nic.h"
#include "plat/offload.h"
#include "plat/private.h"
#include "plat/root.h"

#define CPUS	"/sys/devices/system/cpu"

struct facts {
	struct pace_host *h;
	const char	*root;
};

static void
set(struct pace_host *h, enum pace_fact f, int64_t v)
{
	if (v < PACE_FACT_LEAST || v > PACE_FACT_MOST)
		return;
	h->fact[f] = v;
	h->has[f] = true;
}

/* --- the processor ------------------------------------------------------------- */

/* The value behind "key : " of the first line that starts with key. */
static bool
keyed_line(char *buf, size_t size, const char *root, const char *path, const char *key)
{
	FILE *f = pace_root_open(root, "%s", path);
	char line[4096];
	bool found = false;

	buf[0] = '\0';
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL) {
		const char *value = strchr(line, ':');

		if (strncmp(line, key, strlen(key)) != 0 || value == NULL)
			continue;
		value += 1 + strspn(value + 1, " \t");
		pace_clean(buf, size, value, strcspn(value, "\n"));
		found = true;
	}
	if (f != NULL)
		fclose(f);
	return found;
}

static void
read_governor(void *ctx, const char *name)
{
	const struct facts *f = ctx;
	char *all = f->h->governor, one[sizeof(f->h->governor)];

	if (strncmp(name, "cpu", 3) != 0 || name[3] < '0' || name[3] > '9' ||
	    !pace_root_text(one, sizeof(one), f->root, CPUS "/%s/cpufreq/scaling_governor", name))
		return;
	if (all[0] != '\0' && strcmp(all, one) != 0)
		snprintf(one, sizeof(one), "mixed");
	memcpy(all, one, sizeof(one));
}

/* A hypervisor shows itself in the processor's flags; who it is, elsewhere. */
static void
read_virt(struct facts *f)
{
	static const struct { const char *vendor, *name; } known[] = {
		{ "QEMU", "KVM" }, { "Amazon EC2", "Amazon EC2" }, { "Google", "Google" },
		{ "VMware", "VMware" }, { "Microsoft", "Hyper-V" }, { "Xen", "Xen" },
		{ "innotek", "VirtualBox" }, { "Parallels", "Parallels" },
	};
	char flags[4096], vendor[64];

	if (!keyed_line(flags, sizeof(flags), f->root, "/proc/cpuinfo", "flags"))
		return;
	if (strstr(flags, "hypervisor") == NULL) {
		snprintf(f->h->virt, sizeof(f->h->virt), "no");
		return;
	}
	snprintf(f->h->virt, sizeof(f->h->virt), "yes");
	if (pace_root_text(vendor, sizeof(vendor), f->root, "/sys/class/dmi/id/sys_vendor"))
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strncmp(vendor, known[i].vendor, strlen(known[i].vendor)) == 0)
				snprintf(f->h->virt, sizeof(f->h->virt), "%s", known[i].name);
	if (pace_root_text(vendor, sizeof(vendor), f->root, "/sys/hypervisor/type"))
		snprintf(f->h->virt, sizeof(f->h->virt), "%.31s", vendor);
}

/* Since the start, of all cores: the first line of /proc/stat. */
static void
read_steal(struct facts *f)
{
	char line[256];
	const char *p = line + 4;
	uint64_t v[8];
	double all = 0;

	if (!pace_root_text(line, sizeof(line), f->root, "/proc/stat") ||
	    strncmp(line, "cpu ", 4) != 0)
		return;
	for (int i = 0; i < 8; i++) {
		if (!pace_root_number(&p, &v[i]))
			return;
		all += (double)v[i];
	}
	if (all > 0)
		set(f->h, PACE_FACT_STEAL_PPM, (int64_t)((double)v[7] * 1e6 / all));
}

static void
count_core(void *ctx, const char *name)
{
	int *n = ctx;

	*n += strncmp(name, "cpu", 3) == 0 && name[3] >= '0' && name[3] <= '9';
}

/* May this process have larger buffers than the limits (SO_RCVBUFFORCE)? */
static bool
may_force(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), size = 4096;
	bool may = fd != -1 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == 0;

	if (fd != -1)
		close(fd);
	return may;
}

static void
read_processor(struct facts *f)
{
	struct pace_host *h = f->h;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct utsname u;
	int policy = sched_getscheduler(0);

	keyed_line(h->cpu, sizeof(h->cpu), f->root, "/proc/cpuinfo", "model name");
	pace_root_text(h->clocksource, sizeof(h->clocksource), f->root,
	    "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	pace_root_list(f->root, CPUS, read_governor, f);
	read_virt(f);
	read_steal(f);
	if (!pace_root_is_real(f->root)) {
		pace_root_list(f->root, CPUS, count_core, &h->cores);
		pace_root_text(h->kernel, sizeof(h->kernel), f->root, "/proc/sys/kernel/osrelease");
		return;
	}
	h->cores = cores > 0 ? (int)cores : 0;
	if (uname(&u) == 0) {
		snprintf(h->kernel, sizeof(h->kernel), "%.15s %.40s", u.sysname, u.release);
		snprintf(h->machine, sizeof(h->machine), "%.31s", u.machine);
	}
	set(h, PACE_FACT_BUFFERS_FORCED, may_force());
	pace_clock_no_slack();		/* as whoever waits does */
	set(h, PACE_FACT_TIMER_SLACK_NS, prctl(PR_GET_TIMERSLACK));
	if (policy >= 0)
		set(h, PACE_FACT_REALTIME, (policy & ~SCHED_RESET_ON_FORK) == SCHED_FIFO ||
		    (policy & ~SCHED_RESET_ON_FORK) == SCHED_RR);
}

/* --- sysctl ---------------------------------------------------------------------- */

static void
read_sysctls(struct facts *f)
{
	for (int i = 0; i < PACE_FACTS; i++) {
		struct pace_fact_name n = pace_fact_name((enum pace_fact)i);
		char path[64];
		int64_t v;

		if (n.group == NULL || strcmp(n.group, "sysctl") != 0)
			continue;
		snprintf(path, sizeof(path), "%s", n.name);
		for (char *p = path; (p = strchr(p, '.')) != NULL; )
			*p = '/';
		if (pace_root_int(&v, f->root, "/proc/sys/%s", path))
			set(f->h, (enum pace_fact)i, v);
	}
}

/* --- the interface ------------------------------------------------------------------ */

static void
read_link(struct facts *f)
{
	static const struct { enum pace_fact fact; const char *file; int64_t least; } files[] = {
		{ PACE_FACT_SPEED_MBPS, "speed", 1 }, { PACE_FACT_MTU, "mtu", 1 },
		{ PACE_FACT_TXQUEUELEN, "tx_queue_len", 0 },
	};
	int64_t v;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (pace_root_int(&v, f->root, "/sys/class/net/%s/%s", f->h->interface,
		    files[i].file) && v >= files[i].least)
			set(f->h, files[i].fact, v);
}

static void
note_feature(void *ctx, const char *name, bool on)
{
	static const struct { const char *name; enum pace_fact fact; } known[] = {
		{ "rx-gro", PACE_FACT_GRO }, { "rx-lro", PACE_FACT_LRO },
		{ "rx-udp-gro-forwarding", PACE_FACT_GRO_FORWARDING },
		{ "rx-gro-list", PACE_FACT_GRO_LIST },
	};
	const struct facts *f = ctx;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(name, known[i].name) == 0)
			set(f->h, known[i].fact, on);
}

static void
read_driver(struct facts *f)
{
	const char *device = f->h->interface;
	struct ethtool_drvinfo drv = { .cmd = ETHTOOL_GDRVINFO };
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };
	struct ethtool_coalesce c = { .cmd = ETHTOOL_GCOALESCE };
	struct ethtool_channels q = { .cmd = ETHTOOL_GCHANNELS };
	struct ethtool_ts_info ts = { .cmd = ETHTOOL_GET_TS_INFO };

	if (pace_ethtool(device, &drv) == 0)
		pace_clean(f->h->driver, sizeof(f->h->driver), drv.driver,
		    strnlen(drv.driver, sizeof(drv.driver)));
	if (pace_ethtool(device, &ring) == 0 && ring.rx_max_pending > 0) {
		set(f->h, PACE_FACT_RX_RING, ring.rx_pending);
		set(f->h, PACE_FACT_RX_RING_MAX, ring.rx_max_pending);
		set(f->h, PACE_FACT_TX_RING, ring.tx_pending);
		set(f->h, PACE_FACT_TX_RING_MAX, ring.tx_max_pending);
	}
	if (pace_ethtool(device, &c) == 0) {
		set(f->h, PACE_FACT_RX_USECS, c.rx_coalesce_usecs);
		set(f->h, PACE_FACT_RX_FRAMES, c.rx_max_coalesced_frames);
		set(f->h, PACE_FACT_ADAPTIVE_RX, c.use_adaptive_rx_coalesce != 0);
	}
	if (pace_ethtool(device, &q) == 0)
		set(f->h, PACE_FACT_QUEUES, (int64_t)q.combined_count + q.rx_count);
	if (pace_ethtool(device, &ts) == 0)
		set(f->h, PACE_FACT_NIC_STAMPS, pace_nic_lacks(&ts) == NULL);
	pace_ethtool_features(device, note_feature, f);
}

/* The last word of a line of /proc/interrupts is the queue's name. */
static void
name_irq(struct pace_host *h, const char *line, size_t len)
{
	const char *last;
	char *end;
	unsigned long irq = strtoul(line, &end, 10);

	while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == ' '))
		len--;
	if (*end != ':')
		return;
	last = line + len;
	while (last > line && last[-1] != ' ')
		last--;
	for (int i = 0; i < h->irqs; i++)
		if (h->irq[i].irq == irq)
			pace_clean(h->irq[i].queue, sizeof(h->irq[i].queue), last,
			    len - (size_t)(last - line));
}

static void
add_irq(void *ctx, const char *name)
{
	const struct facts *f = ctx;
	struct pace_irq q = { .irq = 0 };
	char *end;
	unsigned long irq = strtoul(name, &end, 10);

	if (end == name || *end != '\0' || irq > UINT32_MAX)
		return;
	q.irq = (uint32_t)irq;
	if (!pace_root_text(q.cores, sizeof(q.cores), f->root,
	    "/proc/irq/%lu/effective_affinity_list", irq) && !pace_root_text(q.cores,
	    sizeof(q.cores), f->root, "/proc/irq/%lu/smp_affinity_list", irq))
		return;
	f->h->more_irqs |= f->h->irqs == PACE_IRQS;
	if (f->h->irqs < PACE_IRQS)
		f->h->irq[f->h->irqs++] = q;
}

static void
read_node(struct facts *f)
{
	int64_t node;

	if (pace_root_int(&node, f->root, "/sys/class/net/%s/device/numa_node", f->h->interface) &&
	    node >= 0)
		pace_root_text(f->h->numa_cores, sizeof(f->h->numa_cores), f->root,
		    "/sys/devices/system/node/node%lld/cpulist", (long long)node);
}

/* For virtio, the parent device has them. */
static void
read_irqs(struct facts *f)
{
	char path[80];
	FILE *file;
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/msi_irqs", f->h->interface);
	pace_root_list(f->root, path, add_irq, f);
	if (f->h->irqs == 0) {
		snprintf(path, sizeof(path), "/sys/class/net/%s/device/../msi_irqs",
		    f->h->interface);
		pace_root_list(f->root, path, add_irq, f);
	}
	file = f->h->irqs > 0 ? pace_root_open(f->root, "/proc/interrupts") : NULL;
	while (file != NULL && (n = getline(&line, &room, file)) > 0)
		name_irq(f->h, line, (size_t)n);
	free(line);
	if (file != NULL)
		fclose(file);
}

void
pace_facts_read(struct pace_host *h, const char *root, const char *interface, bool hidden)
{
	struct facts f = { h, root };

	memset(h, 0, sizeof(*h));
	snprintf(h->version, sizeof(h->version), "%s", PACKAGE_VERSION);
	read_processor(&f);
	read_sysctls(&f);
	if (pace_root_is_real(root))
		pace_offload_spoilers(h->stamp_spoilers, sizeof(h->stamp_spoilers));
	if (interface[0] != '\0' && strlen(interface) < sizeof(h->interface) &&
	    strchr(interface, '/') == NULL) {
		snprintf(h->interface, sizeof(h->interface), "%.15s", interface);
		read_link(&f);
		if (pace_root_is_real(root))
			read_driver(&f);
		read_node(&f);
		read_irqs(&f);
	}
	if (hidden) {
		/* For a stranger: no address in any name, no other interface. */
		if (strncmp(h->stamp_spoilers, h->interface, strlen(h->interface)) != 0)
			h->stamp_spoilers[0] = '\0';
		h->stamp_spoilers[strcspn(h->stamp_spoilers, ",")] = '\0';
		pace_private_names(h->stamp_spoilers);
		pace_private_names(h->interface);
		for (int i = 0; i < h->irqs; i++)
			pace_private_names(h->irq[i].queue);
	}
}

void
pace_facts_host_name(char name[128])
{
	char text[128] = "";

	if (gethostname(text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	pace_clean(name, 128, text, strlen(text));
}

void
pace_facts_default_route(const char *root, char name[16])
{
	FILE *f = pace_root_open(root, "/proc/net/route");
	char line[256], device[64], to[64];

	name[0] = '\0';
	while (f != NULL && name[0] == '\0' && fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "%15s %15s", device, to) == 2 && strcmp(to, "00000000") == 0)
			snprintf(name, 16, "%.15s", device);
	if (f != NULL)
		fclose(f);
}
