/* counters_cores.c - the work of each core: /proc/stat, interrupts, softirqs, softnet_stat. */
#include "config.h"

#include "plat/counters_cores.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plat/root.h"

#define CORES_MAX	65536

void *
pace_counters_grown(void *array, uint32_t n, size_t size)
{
	if (n != 0 && (n & (n - 1)) != 0)
		return array;
	return realloc(array, (n == 0 ? 1 : (size_t)n * 2) * size);
}

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
	more = pace_counters_grown(c->core, c->cores, sizeof(*more));
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
		if (!pace_root_number(&p, &ticks[i]) || ticks[i] > PACE_COUNT_MOST / tick_ns)
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
		uint32_t *more = pace_counters_grown(*core, (uint32_t)n, sizeof(*more));

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

/* Rows of "NAME: n n n ... words", a column a core: rows with that name (NULL: all rows with a
 * figure for every core) are added to count. */
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

			if (u != NULL && v <= PACE_COUNT_MOST && u->n[count] <= PACE_COUNT_MOST - v)
				u->n[count] += v;
			c->has_core[count] |= u != NULL;
		}
	}
	free(line);
	free(core);
}

/* A line a core, hexadecimal: frames, dropped, squeezed ...; the thirteenth says
 * which core. */
static void
read_softnet(struct pace_counters *c, const char *root)
{
	FILE *f = pace_root_open(root, "/proc/net/softnet_stat");
	char line[256];

	if (f == NULL)
		return;
	for (uint64_t core = 0; fgets(line, sizeof(line), f) != NULL; core++) {
		const char *p = line;
		struct pace_core_use *u;
		uint64_t v[13];
		int n = 0;

		while (n < 13 && pace_root_hex(&p, &v[n]) && v[n] <= UINT32_MAX)
			n++;
		u = n < 3 ? NULL : core_of(c, n == 13 ? v[12] : core, (uint32_t)core);
		for (int i = 0; u != NULL && i < 3; i++) {
			u->n[PACE_CORE_SOFTNET_FRAMES + i] = v[i];
			c->has_core[PACE_CORE_SOFTNET_FRAMES + i] = true;
		}
	}
	fclose(f);
}

void
pace_counters_cores_host_sample(struct pace_counters *c, const char *root)
{
	read_cpus(c, root);
	read_softnet(c, root);
}

void
pace_counters_cores(struct pace_counters *c, const char *root)
{
	FILE *f;

	read_cpus(c, root);
	f = pace_root_open(root, "/proc/softirqs");
	read_table(c, f, "NET_RX", PACE_CORE_NET_RX);
	read_table(c, f, "NET_TX", PACE_CORE_NET_TX);
	if (f != NULL)
		fclose(f);
	f = pace_root_open(root, "/proc/interrupts");
	read_table(c, f, NULL, PACE_CORE_INTERRUPTS);
	if (f != NULL)
		fclose(f);
	read_softnet(c, root);
}
