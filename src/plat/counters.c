#include "config.h"

#include "plat/counters.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/err.h"
#include "plat/addr.h"
#include "plat/clock.h"
#include "plat/ethtool.h"
#include "plat/root.h"

#define CORES_MAX	65536
#define COUNT_MAX	((INT64_C(1) << 61) - 1)	/* what is above is no count */
#define INTERFACES_MAX	65536
#define STATS_MAX	(1 << 20)
#define QDISCS_MAX	8192
#define LAYERS		8	/* of interfaces on top of each other */

/* Room for one more of an array, NULL: none.  Grows by doubling: n is a power of
 * two exactly when it is full. */
static void *
grown(void *array, uint32_t n, size_t size)
{
	if (n != 0 && (n & (n - 1)) != 0)
		return array;
	return realloc(array, (n == 0 ? 1 : (size_t)n * 2) * size);
}

/* --- cores ----------------------------------------------------------------------- */

/* The entry of a core, made when it is not there; at: where to look first. */
static struct pace_core_use *
core_of(struct pace_counters *c, uint64_t core, uint32_t at)
{
	struct pace_core_use *more;

	if (at < c->cores && c->core[at].core == core)
		return &c->core[at];
	for (uint32_t i = 0; i < c->cores; i++)
		if (c->core[i].core == core)
			return &c->core[i];
	if (core >= CORES_MAX || c->cores == CORES_MAX)
		return NULL;
	more = grown(c->core, c->cores, sizeof(*more));
	if (more == NULL)
		return NULL;
	c->core = more;
	more += c->cores++;
	memset(more, 0, sizeof(*more));
	more->core = (uint32_t)core;
	return more;
}

/* "cpu7 1 2 3 ...", in ticks. */
static void
read_cpu_line(struct pace_counters *c, const char *line, uint64_t tick_ns)
{
	const char *p = line + 3;
	struct pace_core_use *u;
	uint64_t core, ticks[PACE_CPUS];

	if (strncmp(line, "cpu", 3) != 0 || *p < '0' || *p > '9' || !pace_root_number(&p, &core))
		return;
	for (int i = 0; i < PACE_CPUS; i++)
		if (!pace_root_number(&p, &ticks[i]) || ticks[i] > COUNT_MAX / tick_ns)
			return;
	u = core_of(c, core, c->cores);
	for (int i = 0; u != NULL && i < PACE_CPUS; i++)
		u->ns[i] = ticks[i] * tick_ns;
	c->has_cpu |= u != NULL;
}

static void
read_cpus(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/stat");
	uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char *line = NULL;
	size_t room = 0;

	if (f == NULL)
		return;
	while (getline(&line, &room, f) > 0)
		read_cpu_line(c, line, tick_ns);
	free(line);
	fclose(f);
}

/* Heads of columns, "CPU0 CPU3": which cores.  -1: none. */
static int
read_heads(const char *line, uint32_t **core)
{
	int n = 0;

	*core = NULL;
	for (const char *p = strstr(line, "CPU"); p != NULL && n < CORES_MAX;
	    p = strstr(p, "CPU")) {
		uint64_t id;
		uint32_t *more = grown(*core, (uint32_t)n, sizeof(*more));

		if (more == NULL)
			break;
		*core = more;
		p += 3;
		if (*p < '0' || *p > '9' || !pace_root_number(&p, &id) || id >= CORES_MAX)
			break;
		more[n++] = (uint32_t)id;
	}
	return n;
}

/* Rows of "NAME: n n n ... words", a column a core: those called name (NULL: all
 * that have a figure for every core) are added up in count. */
static void
read_table(struct pace_counters *c, FILE *f, const char *name, enum pace_core_count count)
{
	uint32_t *core = NULL;
	char *line = NULL;
	size_t room = 0;
	int n = 0;

	if (f == NULL)
		return;
	rewind(f);
	if (getline(&line, &room, f) > 0)
		n = read_heads(line, &core);
	while (n > 0 && getline(&line, &room, f) > 0) {
		const char *p = line + strspn(line, " ");
		size_t len = strcspn(p, ":");
		uint64_t v;

		if (p[len] != ':' || (name != NULL && (strlen(name) != len ||
		    strncmp(p, name, len) != 0)))
			continue;
		p += len + 1;
		for (int i = 0; i < n && pace_root_number(&p, &v); i++) {
			struct pace_core_use *u = core_of(c, core[i], (uint32_t)i);

			if (u != NULL && v <= COUNT_MAX && u->n[count] <= COUNT_MAX - v)
				u->n[count] += v;
			c->has_core[count] |= u != NULL;
		}
	}
	free(line);
	free(core);
}

static void
read_softirqs(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/softirqs");

	read_table(c, f, "NET_RX", PACE_CORE_NET_RX);
	read_table(c, f, "NET_TX", PACE_CORE_NET_TX);
	if (f != NULL)
		fclose(f);
	f = pace_root_open(root, "/proc/interrupts");
	read_table(c, f, NULL, PACE_CORE_INTERRUPTS);
	if (f != NULL)
		fclose(f);
}

/* A line a core, hexadecimal: frames, dropped, squeezed ...; the thirteenth says
 * which core. */
static void
read_softnet_line(struct pace_counters *c, const char *line, uint64_t core)
{
	const char *p = line;
	struct pace_core_use *u;
	uint64_t v[13];
	int n = 0;

	while (n < 13 && pace_root_hex(&p, &v[n]) && v[n] <= UINT32_MAX)
		n++;
	u = n < 3 ? NULL : core_of(c, n == 13 ? v[12] : core, (uint32_t)core);
	if (u == NULL)
		return;
	for (int i = 0; i < 3; i++) {
		u->n[PACE_CORE_SOFTNET_FRAMES + i] = v[i];
		c->has_core[PACE_CORE_SOFTNET_FRAMES + i] = true;
	}
}

static void
read_softnet(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/net/softnet_stat");
	char line[256];

	if (f == NULL)
		return;
	for (uint64_t core = 0; fgets(line, sizeof(line), f) != NULL; core++)
		read_softnet_line(c, line, core);
	fclose(f);
}

/* --- interfaces --------------------------------------------------------------------- */

/* "  eth0: " and 16 figures. */
static void
read_interface(struct pace_counters *c, const char *line)
{
	/* column -> counter; -1: not told (compressed, multicast, collisions) */
	static const int at[16] = { PACE_IF_RX_BYTES, PACE_IF_RX_FRAMES, PACE_IF_RX_ERRORS,
	    PACE_IF_RX_DROPPED, PACE_IF_RX_FIFO, PACE_IF_RX_FRAME_ERRORS, -1, -1,
	    PACE_IF_TX_BYTES, PACE_IF_TX_FRAMES, PACE_IF_TX_ERRORS, PACE_IF_TX_DROPPED,
	    PACE_IF_TX_FIFO, -1, PACE_IF_TX_CARRIER, -1 };
	const char *p = line + strspn(line, " ");
	size_t len = strcspn(p, ":");
	struct pace_if_use u = { .route = false }, *more;
	uint64_t v;

	if (p[len] != ':' || len == 0 || len >= sizeof(u.name) ||
	    c->interfaces == INTERFACES_MAX)
		return;
	pace_clean(u.name, sizeof(u.name), p, len);
	p += len + 1;
	for (int i = 0; i < 16; i++) {
		if (!pace_root_number(&p, &v) || v > COUNT_MAX)
			return;
		if (at[i] >= 0)
			u.n[at[i]] = v;
	}
	more = grown(c->interface, c->interfaces, sizeof(*more));
	if (more == NULL)
		return;
	c->interface = more;
	more[c->interfaces++] = u;
}

static void
read_interfaces(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/net/dev");
	char line[512];

	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL)
		read_interface(c, line);
	fclose(f);
}

static void
add_stat(void *ctx, const char *name, uint64_t n)
{
	struct pace_counters *c = ctx;
	struct pace_if_stat *more, s = { .interface = c->interfaces - 1, .n = n };

	if (c->stats == STATS_MAX || n > COUNT_MAX)
		return;
	pace_clean(s.name, sizeof(s.name), name, strlen(name));
	more = grown(c->stat, c->stats, sizeof(*more));
	if (more == NULL)
		return;
	c->stat = more;
	more[c->stats++] = s;
}

/* In the order of the interfaces. */
static void
read_drivers(struct pace_counters *c)
{
	uint32_t all = c->interfaces;

	for (uint32_t i = 0; i < all; i++) {
		c->interfaces = i + 1;		/* add_stat's */
		pace_ethtool_stats(c->interface[i].name, add_stat, c);
	}
	c->interfaces = all;
}

static void
read_qdiscs(struct pace_counters *c)
{
	struct pace_qdisc_drops *v = calloc(QDISCS_MAX, sizeof(*v));
	int n = v != NULL ? pace_qdisc_read(v, QDISCS_MAX) : 0;

	for (uint32_t i = 0; i < c->interfaces && n > 0; i++) {
		int index = (int)if_nametoindex(c->interface[i].name);
		uint64_t root = 0, below = 0;

		for (int k = 0; k < n; k++) {
			if (v[k].index != index)
				continue;
			c->interface[i].has_qdisc = true;
			*(v[k].root ? &root : &below) += v[k].drops;
		}
		c->interface[i].qdisc_drops = root > below ? root : below;
	}
	free(v);
}

struct below {
	struct pace_counters *c;
	const char	*root;
	int		depth;
};

static void	mark(struct below *b, const char *name);

static void
mark_lower(void *ctx, const char *name)
{
	struct below *b = ctx;

	if (strncmp(name, "lower_", 6) == 0)
		mark(b, name + 6);
}

/* This interface and those that it lies on: a vlan's device, a bond's members. */
static void
mark(struct below *b, const char *name)
{
	char path[64];

	if (name[0] == '\0' || strlen(name) >= 16 || strchr(name, '/') != NULL ||
	    b->depth == LAYERS)
		return;
	for (uint32_t i = 0; i < b->c->interfaces; i++)
		if (strcmp(b->c->interface[i].name, name) == 0)
			b->c->interface[i].route = true;
	snprintf(path, sizeof(path), "/sys/class/net/%s", name);
	b->depth++;
	pace_root_list(b->root, path, mark_lower, b);
	b->depth--;
}

void
pace_route_of(const struct pace_addr *local, const char *root, char name[16])
{
	struct ifaddrs *list = NULL;
	struct pace_addr a;

	name[0] = '\0';
	if (!pace_root_is_real(root) || getifaddrs(&list) == -1)
		return;
	for (const struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
		struct sockaddr_in6 sa;
		size_t len = sizeof(struct sockaddr_in);

		if (i->ifa_addr == NULL || (i->ifa_addr->sa_family != AF_INET &&
		    i->ifa_addr->sa_family != AF_INET6))
			continue;
		if (i->ifa_addr->sa_family == AF_INET6)
			len = sizeof(struct sockaddr_in6);
		memset(&sa, 0, sizeof(sa));
		memcpy(&sa, i->ifa_addr, len);
		pace_addr_from_sa(&sa, &a);
		if (a.family == local->family &&
		    memcmp(a.ip, local->ip, a.family == 4 ? 4 : 16) == 0) {
			snprintf(name, 16, "%.15s", i->ifa_name);
			break;
		}
	}
	freeifaddrs(list);
}

/* --- protocols ------------------------------------------------------------------------ */

static void
set_snmp(struct pace_counters *c, int v6, const char *name, uint64_t n)
{
	for (int i = 0; i < PACE_SNMPS; i++)
		if (strcmp(pace_snmp_name((enum pace_snmp)i, v6 != 0), name) == 0 && n <= COUNT_MAX) {
			c->snmp[v6][i] = n;
			c->has_snmp[v6][i] = true;
		}
}

/* A line of names, "Ip: InReceives ...", and one of figures. */
static void
read_snmp_pair(struct pace_counters *c, char *names, const char *figures)
{
	size_t len = strcspn(names, ":");
	const char *p = figures + len + 1;
	char full[64], *save, *name;
	uint64_t v;

	if (names[len] != ':' || len > 16 || strncmp(names, figures, len + 1) != 0)
		return;
	for (name = strtok_r(names + len + 1, " \n", &save); name != NULL;
	    name = strtok_r(NULL, " \n", &save)) {
		while (*p == ' ')
			p++;
		if (*p == '-') {		/* not a counter: Tcp's limits */
			p += strcspn(p, " \n");
			continue;
		}
		if (!pace_root_number(&p, &v))
			return;
		snprintf(full, sizeof(full), "%.*s.%.40s", (int)len, names, name);
		set_snmp(c, 0, full, v);
	}
}

static void
read_snmp(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/net/snmp");
	char names[2048], figures[2048], name[64];
	uint64_t v;

	if (f != NULL) {
		while (fgets(names, sizeof(names), f) != NULL &&
		    fgets(figures, sizeof(figures), f) != NULL)
			read_snmp_pair(c, names, figures);
		fclose(f);
	}
	f = pace_root_open(root, "/proc/net/snmp6");
	if (f == NULL)
		return;
	while (fgets(names, sizeof(names), f) != NULL) {
		const char *p = names;
		size_t len = strcspn(names, " \t");

		if (len >= sizeof(name))
			continue;
		memcpy(name, names, len);
		name[len] = '\0';
		p += len;
		if (pace_root_number(&p, &v))
			set_snmp(c, 1, name, v);
	}
	fclose(f);
}

/* --- all of it ------------------------------------------------------------------------- */

static uint64_t
timeval_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_usec * 1000;
}

static void
read_thread(struct pace_counters *c)
{
	struct rusage r;

	if (getrusage(RUSAGE_THREAD, &r) == -1)
		return;
	c->thread.user_ns = timeval_ns(&r.ru_utime);
	c->thread.system_ns = timeval_ns(&r.ru_stime);
	c->thread.voluntary = (uint64_t)r.ru_nvcsw;
	c->thread.involuntary = (uint64_t)r.ru_nivcsw;
}

void
pace_counters_read(struct pace_counters *c, const struct pace_counting *how)
{
	pace_counters_free(c);
	read_cpus(c, how->root);
	read_softirqs(c, how->root);
	read_softnet(c, how->root);
	read_interfaces(c, how->root);
	if (pace_root_is_real(how->root)) {
		read_drivers(c);
		read_qdiscs(c);
	}
	mark(&(struct below){ c, how->root, 0 }, how->route);
	read_snmp(c, how->root);
	read_thread(c);
	if (how->meter != NULL)
		pace_meter_read(how->meter, &c->energy);
	c->at_ns = pace_clock_raw();
	c->known = true;
}
