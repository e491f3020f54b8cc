#include "config.h"

#include "plat/counters.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/err.h"
#include "plat/clock.h"
#include "plat/counters_cores.h"
#include "plat/ethtool.h"
#include "plat/private.h"
#include "plat/root.h"

#define INTERFACES_MAX	65536
#define STATS_MAX	(1 << 20)
#define QDISCS_MAX	8192
#define LAYERS		8	/* of interfaces on top of each other */

/* --- interfaces --------------------------------------------------------------------- */

/* "  eth0: " and 16 figures. */
static void
read_interface(struct pace_counters *c, const char *line)
{
	/* column -> counter; -1: not used (compressed, multicast, collisions) */
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
		if (!pace_root_number(&p, &v) || v > PACE_COUNT_MOST)
			return;
		if (at[i] >= 0)
			u.n[at[i]] = v;
	}
	more = pace_counters_grown(c->interface, c->interfaces, sizeof(*more));
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

	if (c->stats == STATS_MAX || n > PACE_COUNT_MOST)
		return;
	pace_clean(s.name, sizeof(s.name), name, strlen(name));
	more = pace_counters_grown(c->stat, c->stats, sizeof(*more));
	if (more == NULL)
		return;
	c->stat = more;
	more[c->stats++] = s;
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

/* For a stranger: not what else this host is connected to, but how much of what IP
 * got came from there. */
static void
hide_others(struct pace_counters *c)
{
	struct pace_if_use others = { .name = PACE_OTHERS };
	uint32_t kept = 0, stats = 0, next = 0;

	for (uint32_t i = 0; i < c->interfaces; i++) {
		for (; next < c->stats && c->stat[next].interface == i; next++)
			if (c->interface[i].route) {
				c->stat[stats] = c->stat[next];
				c->stat[stats++].interface = kept;
			}
		if (!c->interface[i].route) {
			for (int k = 0; k < PACE_IF_COUNTS; k++) {
				others.n[k] += c->interface[i].n[k];
				if (others.n[k] > PACE_COUNT_MOST)
					others.n[k] = PACE_COUNT_MOST;
			}
			continue;
		}
		c->interface[kept] = c->interface[i];
		pace_private_names(c->interface[kept++].name);
	}
	if (kept < c->interfaces)
		c->interface[kept++] = others;
	c->interfaces = kept;
	c->stats = stats;
}

/* --- protocols ------------------------------------------------------------------------ */

static void
set_snmp(struct pace_counters *c, int v6, const char *name, uint64_t n)
{
	for (int i = 0; i < PACE_SNMPS; i++)
		if (strcmp(pace_snmp_name((enum pace_snmp)i, v6 != 0), name) == 0 &&
		    n <= PACE_COUNT_MOST) {
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

void
pace_counters_snmp(struct pace_counters *c, const char *root)
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

void
pace_counters_read(struct pace_counters *c, const struct pace_counting *how,
    enum pace_side side)
{
	struct rusage r;

	pace_counters_free(c);
	pace_counters_cores(c, how->root);
	if (side == PACE_AFTER)
		pace_counters_snmp(c, how->root);
	read_interfaces(c, how->root);
	if (side == PACE_BEFORE)
		pace_counters_snmp(c, how->root);
	if (pace_root_is_real(how->root)) {
		uint32_t all = c->interfaces;

		for (uint32_t i = 0; i < all; i++) {
			c->interfaces = i + 1;		/* add_stat's */
			pace_ethtool_stats(c->interface[i].name, add_stat, c);
		}
		c->interfaces = all;
		read_qdiscs(c);
	}
	mark(&(struct below){ c, how->root, 0 }, how->route);
	if (how->hide)
		hide_others(c);
	if (getrusage(RUSAGE_THREAD, &r) == 0) {
		c->thread.user_ns = timeval_ns(&r.ru_utime);
		c->thread.system_ns = timeval_ns(&r.ru_stime);
		c->thread.voluntary = (uint64_t)r.ru_nvcsw;
		c->thread.involuntary = (uint64_t)r.ru_nivcsw;
	}
	if (how->meter != NULL)
		pace_meter_read(how->meter, &c->energy);
	c->at_ns = pace_clock_raw();
	c->known = true;
}

void
pace_counters_host_sample(struct pace_counters *c, const char *root)
{
	pace_counters_free(c);
	pace_counters_cores_host_sample(c, root);
	read_interfaces(c, root);
	pace_counters_snmp(c, root);
	c->at_ns = pace_clock_raw();
	c->known = true;
}

void
pace_counters_process(uint64_t *user_ns, uint64_t *system_ns)
{
	struct rusage r;

	*user_ns = *system_ns = 0;
	if (getrusage(RUSAGE_SELF, &r) == -1)
		return;
	*user_ns = timeval_ns(&r.ru_utime);
	*system_ns = timeval_ns(&r.ru_stime);
}

int64_t
pace_counters_energy(struct pace_energy *e, const struct pace_counting *how)
{
	memset(e, 0, sizeof(*e));
	if (how->meter != NULL)
		pace_meter_read(how->meter, e);
	return pace_clock_raw();
}
