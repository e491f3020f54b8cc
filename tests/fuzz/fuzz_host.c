/*
 * Fuzzes files of /proc and /sys, as a host or a copy of one may have them.  The input is text:
 * "@/proc/stat" begins a file, which must be in the table; a line "@" begins its content at the
 * second reading.  A file that the input does not name does not exist.
 *
 * Checks: the facts of a host are the same after they were written to a document and read back,
 * for a peer's and for our own.  Counts stay within the range of a document, and names are clean.
 * A client without a key sees no interface but its own.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doc/counters_doc.h"
#include "doc/host_doc.h"
#include "fuzz.h"
#include "mutate_words.h"
#include "plat/counters.h"
#include "plat/counters_cores.h"
#include "plat/facts.h"
#include "same.h"

#define CPU	"/sys/devices/system/cpu"
#define NET	"/sys/class/net"
#define RAPL	"/sys/class/powercap/intel-rapl:"

static const char *const files[] = {
	"/proc/stat", "/proc/interrupts", "/proc/softirqs", "/proc/cpuinfo",
	"/proc/net/dev", "/proc/net/snmp", "/proc/net/snmp6", "/proc/net/softnet_stat",
	"/proc/net/route", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/sched_rt_runtime_us",
	"/proc/sys/net/core/rmem_max", "/proc/sys/net/core/netdev_budget",
	"/proc/irq/38/smp_affinity_list", "/proc/irq/38/effective_affinity_list",
	CPU "/cpu0/cpufreq/scaling_governor", CPU "/cpu1/cpufreq/scaling_governor",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	"/sys/class/dmi/id/sys_vendor", "/sys/hypervisor/type",
	NET "/eth0/speed", NET "/eth0/mtu", NET "/eth0/device/msi_irqs/38",
	NET "/eth0/lower_eth1/x", NET "/eth1/lower_eth0/x",
	RAPL "0/name", RAPL "0/energy_uj", RAPL "0/max_energy_range_uj",
	RAPL "0:0/name", RAPL "0:0/energy_uj", RAPL "0:0/max_energy_range_uj",
};
#define FILES	(sizeof(files) / sizeof(files[0]))

static char root[64];

/* --- the files ------------------------------------------------------------------ */

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void
remove_root(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *
full_path(size_t i)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s%s", root, files[i]);
	return path;
}

/* The directories, once. */
static void
make_root(void)
{
	char path[256];

	snprintf(root, sizeof(root), "%s/udpace-fuzz-XXXXXX",
	    access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	MUST(mkdtemp(root) != NULL);
	atexit(remove_root);
	for (size_t i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s", full_path(i));
		for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
			*p = '\0';
			mkdir(path, 0700);
			*p = '/';
		}
	}
}

static void
clear(void)
{
	for (size_t i = 0; i < FILES; i++)
		unlink(full_path(i));
}

/* Return the number of the file that the line names; FILES: none. */
static size_t
named(const char *line, size_t len)
{
	size_t i = 0;

	while (i < FILES && (strlen(files[i]) + 2 != len ||
	    memcmp(line + 1, files[i], len - 2) != 0))
		i++;
	return i;
}

/* Return the rest after a line "@", or the end. */
static size_t
put_files(const char *text, size_t size)
{
	int fd = -1;
	size_t at = 0;

	while (at < size) {
		const char *line = text + at;
		const char *end = memchr(line, '\n', size - at);
		size_t len = end != NULL ? (size_t)(end - line) + 1 : size - at;

		at += len;
		if (line[0] != '@') {
			MUST(fd < 0 || write(fd, line, len) == (ssize_t)len);
			continue;
		}
		if (fd >= 0)
			close(fd);
		fd = -1;
		if (len == 2)
			break;
		if (end != NULL && named(line, len) < FILES)
			fd = open(full_path(named(line, len)), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	}
	if (fd >= 0)
		close(fd);
	return at;
}

/* --- promises ---------------------------------------------------------------------- */

static void
check_clean(const char *name, size_t room)
{
	size_t n = strnlen(name, room);

	MUST(n < room);
	for (size_t i = 0; i < n; i++)
		MUST((unsigned char)name[i] >= ' ' && name[i] != 0x7f);
}

static void
check_counts(const struct pace_counters *c, const struct pace_counting *how)
{
	for (uint32_t i = 0; i < c->cores; i++) {
		for (int k = 0; k < PACE_CPUS; k++)
			MUST(c->core[i].ns[k] <= PACE_COUNT_MOST);
		for (int k = 0; k < PACE_CORE_COUNTS; k++)
			MUST(c->core[i].n[k] <= PACE_COUNT_MOST);
	}
	for (uint32_t i = 0; i < c->interfaces; i++) {
		check_clean(c->interface[i].name, sizeof(c->interface[i].name));
		MUST(!how->hide || c->interface[i].route ||
		    strcmp(c->interface[i].name, PACE_OTHERS) == 0);
		for (int k = 0; k < PACE_IF_COUNTS; k++)
			MUST(c->interface[i].n[k] <= PACE_COUNT_MOST);
	}
}

/* Counters of an interval, as in an rx_result. */
static void
check_document(const struct pace_counters *c)
{
	struct pace_counters back;
	struct pace_host_drops drops;
	json_t *cpu = pace_cpu_to_json(c), *j = pace_counters_to_json(c, 1000), *again;

	memset(&back, 0, sizeof(back));
	MUST(cpu != NULL && j != NULL);
	MUST(pace_counters_from_json(&back, cpu, j) == 0);
	again = pace_counters_to_json(&back, 1000);
	MUST(same_json(j, again));
	pace_counters_drops(c, false, &drops);
	pace_counters_drops(c, true, &drops);
	pace_counters_free(&back);
	json_decref(again);
	json_decref(j);
	json_decref(cpu);
}

static void
check_host(bool hidden)
{
	static struct pace_host host, back;
	char route[16];
	json_t *j, *again;

	pace_facts_default_route(root, route);
	pace_facts_read(&host, root, hidden ? "eth0" : route, hidden);
	check_clean(host.cpu, sizeof(host.cpu));
	check_clean(host.kernel, sizeof(host.kernel));
	MUST(host.irqs >= 0 && host.irqs <= PACE_IRQS);
	j = pace_host_to_json(&host);
	MUST(j != NULL && pace_host_from_json(&back, j) == 0);
	again = pace_host_to_json(&back);
	MUST(json_equal(j, again));
	json_decref(again);
	json_decref(j);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_counters before, after;
	struct pace_counting how = { .root = root, .route = "eth0", .hide = size % 2 > 0 };
	size_t at;

	if (root[0] == '\0')
		make_root();
	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	clear();
	at = put_files((const char *)data, size);
	how.meter = pace_meter_new(root);
	MUST(how.meter != NULL);
	check_host(how.hide);
	pace_counters_read(&before, &how, PACE_BEFORE);
	check_counts(&before, &how);
	put_files((const char *)data + at, size - at);
	pace_counters_read(&after, &how, PACE_AFTER);
	pace_counters_since(&after, &before);
	check_counts(&after, &how);
	check_document(&after);
	pace_meter_free(how.meter);
	pace_counters_free(&before);
	pace_counters_free(&after);
	return 0;
}

/* Names in the table, and content of such files. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "@\n", "@/proc/stat\n", "@/proc/net/dev\n",
		"@/proc/net/snmp\n", "@/proc/net/snmp6\n", "@/proc/softirqs\n", "cpu", "cpu0", "cpu1 ",
		"CPU0", "CPU1", "NET_RX", "NET_TX", "eth0", "eth1", "lo", "Ip", "Udp", ":", "-", " ",
		"\t", "\n", "InReceives", "InDatagrams", "RcvbufErrors", "Ip6InReceives", "0000000a",
		"ffffffff", "enx001122334455", "hypervisor", "flags", "model name", "package-0", "dram",
		"QEMU", "38", "0-3,8", NULL };
	struct chance c = { seed };

	return mutate_words(data, size, max, words, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
