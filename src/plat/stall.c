#include "config.h"

#include "plat/stall.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plat/affinity.h"
#include "plat/counters_cores.h"
#include "plat/root.h"

#define LEAST_NS	UINT64_C(10000000)	/* a kernel tick: the resolution of CPU time */
#define GROUP_MOST	256

/* Fields of /proc/PID/stat, counted from 1 as proc_pid_stat(5) does. */
enum { USER = 14, SYSTEM = 15, START = 22, CORE = 39 };

/* --- the thread ------------------------------------------------------------------------ */

/* The second of three numbers: ready to run, and waiting for a core. */
static int64_t
read_waited(const char *root)
{
	char line[128];
	const char *p = line;
	uint64_t ran, waited;

	return pace_root_text(line, sizeof(line), root, "/proc/thread-self/schedstat") &&
	    pace_root_number(&p, &ran) && pace_root_number(&p, &waited) ? (int64_t)waited : -1;
}

/* A line "name number" of a cpu.stat; -1: it is not there. */
static int64_t
read_stat_line(FILE *f, const char *name)
{
	char line[128];
	size_t len = strlen(name);
	int64_t found = -1;

	while (f != NULL && found < 0 && fgets(line, sizeof(line), f) != NULL) {
		const char *p = line + len;
		uint64_t v;

		if (strncmp(line, name, len) == 0 && pace_root_number(&p, &v))
			found = (int64_t)v;
	}
	if (f != NULL)
		fclose(f);
	return found;
}

/* The most of a group and those that it lies in: the quota of any of them holds. */
static int64_t
read_quota(const char *root, const char *mount, char *group, const char *name, int64_t unit_ns)
{
	int64_t most = -1;

	for (char *end = group + strlen(group);; *end = '\0') {
		int64_t v = read_stat_line(pace_root_open(root, "%s%s/cpu.stat", mount, group),
		    name);

		most = v >= 0 && v * unit_ns > most ? v * unit_ns : most;
		end = strrchr(group, '/');
		if (end == NULL)
			return most;
	}
}

/* Both versions of control groups: "0::/a/b" and "4:cpu,cpuacct:/a/b". */
static int64_t
read_throttled(const char *root)
{
	FILE *f = pace_root_open(root, "/proc/self/cgroup");
	char line[GROUP_MOST];
	int64_t most = -1, v;

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *kinds = strchr(line, ':');
		char *group = kinds != NULL ? strchr(kinds + 1, ':') : NULL;

		if (group == NULL)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (kinds[1] == '\0')
			v = read_quota(root, "/sys/fs/cgroup", group, "throttled_usec", 1000);
		else if (strcmp(kinds + 1, "cpu") == 0 || strncmp(kinds + 1, "cpu,", 4) == 0 ||
		    strstr(kinds + 1, ",cpu") != NULL)
			v = read_quota(root, "/sys/fs/cgroup/cpu", group, "throttled_time", 1);
		else
			continue;
		most = v > most ? v : most;
	}
	if (f != NULL)
		fclose(f);
	return most;
}

/* --- other processes -------------------------------------------------------------------- */

/* "4711 (a name) R 1 2 ...": names may have anything in them. */
static bool
read_task(const char *root, const char *dir, struct pace_seen_task *t)
{
	uint64_t field[CORE + 1] = { 0 }, tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char line[1024], *name, *p;

	if (!pace_root_text(line, sizeof(line), root, "%s/stat", dir))
		return false;
	name = strchr(line, '(');
	p = strrchr(line, ')');
	if (name == NULL || p == NULL || p < name)
		return false;
	*p++ = '\0';
	for (int i = 3; i <= CORE; i++) {
		p += strspn(p, " ");
		if (*p == '\0')
			return false;
		field[i] = strtoull(p, NULL, 10);
		p += strcspn(p, " ");
	}
	t->pid = strtoull(line, NULL, 10);
	t->start = field[START];
	t->cpu_ns = (field[USER] + field[SYSTEM]) * tick_ns;
	t->core = (int64_t)field[CORE];
	snprintf(t->comm, sizeof(t->comm), "%.15s", name + 1);
	return true;
}

struct scan {
	const char	*root;
	struct pace_stall_look *before;
	int64_t		core;		/* asked about, and that of the beginning */
	const char	*dir;		/* of a process, whose threads are looked at */
	bool		is_here;
	struct pace_stall_causes *c;	/* NULL: it begins */
};

static void
look_at_thread(void *ctx, const char *name)
{
	struct scan *s = ctx;
	struct pace_seen_task t;
	char dir[64];

	if (s->is_here || snprintf(dir, sizeof(dir), "%s/%s", s->dir, name) >= (int)sizeof(dir))
		return;
	s->is_here = read_task(s->root, dir, &t) &&
	    (t.core == s->core || t.core == s->before->core);
}

/* Was one of its threads on the core, as far as the last one it ran on tells? */
static bool
was_here(struct scan *s, const struct pace_seen_task *t)
{
	char dir[48];

	if (t->core == s->core || t->core == s->before->core)
		return true;
	snprintf(dir, sizeof(dir), "/proc/%" PRIu64 "/task", t->pid);
	s->dir = dir;
	s->is_here = false;
	pace_root_list(s->root, dir, look_at_thread, s);
	return s->is_here;
}

static void
rank(struct scan *s, const struct pace_seen_task *t)
{
	const struct pace_stall_look *l = s->before;
	uint64_t used = 0;	/* a process that started during the run: all its time counts */
	struct pace_task now = { .pid = (int64_t)t->pid };

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].pid == t->pid && l->v[i].start == t->start)
			used = l->v[i].cpu_ns;
	now.cpu_ns = (int64_t)(t->cpu_ns - used);
	if (t->cpu_ns < used + LEAST_NS || now.cpu_ns <= s->c->task[PACE_TASKS - 1].cpu_ns ||
	    !was_here(s, t))
		return;
	memcpy(now.comm, t->comm, sizeof(now.comm));
	for (int i = 0; i < PACE_TASKS; i++)
		if (now.cpu_ns > s->c->task[i].cpu_ns) {
			struct pace_task less = s->c->task[i];

			s->c->task[i] = now;
			now = less;
		}
}

static void
look_at_process(void *ctx, const char *name)
{
	struct scan *s = ctx;
	struct pace_stall_look *l = s->before;
	struct pace_seen_task t, *more;
	char dir[32];

	if (name[0] < '0' || name[0] > '9' ||
	    snprintf(dir, sizeof(dir), "/proc/%s", name) >= (int)sizeof(dir) ||
	    !read_task(s->root, dir, &t) || t.pid == (uint64_t)getpid())
		return;
	if (s->c != NULL) {
		rank(s, &t);
		return;
	}
	more = pace_counters_grown(l->v, (uint32_t)l->n, sizeof(*more));
	if (more != NULL) {
		l->v = more;
		l->v[l->n++] = t;
	}
}

/* --- before and after ------------------------------------------------------------------- */

void
pace_stall_begin(struct pace_stall_look *l, const char *root)
{
	struct scan s = { .root = root, .before = l };

	pace_stall_free(l);
	l->core = pace_affinity_here(NULL);
	l->waited_ns = read_waited(root != NULL ? root : "");
	l->throttled_ns = read_throttled(root != NULL ? root : "");
	if (root == NULL)
		return;
	pace_counters_cores_host_sample(&l->cores, root);
	l->cores.known = true;
	pace_root_list(root, "/proc", look_at_process, &s);
}

static int64_t
since(int64_t now, int64_t then)
{
	return now < 0 || then < 0 || now < then ? -1 : now - then;
}

void
pace_stall_end(struct pace_stall_look *l, const char *root, struct pace_stall_causes *c)
{
	struct scan s = { .root = root, .before = l, .core = pace_affinity_here(NULL), .c = c };
	struct pace_counters now = { .known = true };
	const struct pace_core_use *u;

	*c = (struct pace_stall_causes){ .known = true, .steal_ns = -1, .irq_ns = -1,
	    .core = s.core == l->core ? l->core : -1 };
	c->waited_ns = since(read_waited(root != NULL ? root : ""), l->waited_ns);
	c->throttled_ns = since(read_throttled(root != NULL ? root : ""), l->throttled_ns);
	if (root != NULL) {
		pace_counters_cores_host_sample(&now, root);
		pace_counters_since(&now, &l->cores);
		u = c->core < 0 ? &now.all : NULL;	/* of one core, or of all */
		for (uint32_t i = 0; i < now.cores && u == NULL; i++)
			if ((int)now.core[i].core == c->core)
				u = &now.core[i];
		if (now.has_cpu && u != NULL) {
			c->steal_ns = (int64_t)u->ns[PACE_CPU_STEAL];
			c->irq_ns = (int64_t)(u->ns[PACE_CPU_IRQ] + u->ns[PACE_CPU_SOFTIRQ]);
		}
		pace_counters_free(&now);
		pace_root_list(root, "/proc", look_at_process, &s);
	}
	pace_stall_free(l);
}

void
pace_stall_free(struct pace_stall_look *l)
{
	pace_counters_free(&l->cores);
	free(l->v);
	memset(l, 0, sizeof(*l));
}
