#include "config.h"

#include "plat/energy.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plat/root.h"
#include "plat/thread.h"

#define POWERCAP	"/sys/class/powercap"
#define RANGE_MOST	INT64_C(1000000000000000)	/* some 30 years of a kilowatt */
#define LOOK_S		30	/* the fastest counters wrap in some minutes */

struct domain {
	char		path[48];	/* below POWERCAP */
	char		name[24];
	bool		counted;
	int64_t		range_uj, last_uj;
	uint64_t	sum_uj;		/* since it was opened */
	bool		lost;		/* it could not be read, or said what cannot be */
};

struct pace_meter {
	const char	*root;
	char		why[96];
	int		domains;
	struct domain	v[PACE_ENERGY_DOMAINS];
	pthread_mutex_t	lock;
	pthread_cond_t	end;
	bool		any, partly;	/* that counts can be read; not all */
	bool		ends, has_thread;
	pthread_t	thread;
};

static bool
read_uj(const struct pace_meter *m, const struct domain *d, int64_t *uj)
{
	return pace_root_int(uj, m->root, POWERCAP "/%s/energy_uj", d->path) && *uj >= 0 &&
	    *uj <= d->range_uj;
}

/* intel-rapl:N and intel-rapl:N:M; intel-rapl-mmio is the same counters again. */
static void
add_domain(void *ctx, const char *name)
{
	struct pace_meter *m = ctx;
	struct domain d = { .sum_uj = 0 };

	if (strncmp(name, "intel-rapl:", 11) != 0 || m->domains == PACE_ENERGY_DOMAINS ||
	    strlen(name) >= sizeof(d.path))
		return;
	snprintf(d.path, sizeof(d.path), "%s", name);
	if (!pace_root_text(d.name, sizeof(d.name), m->root, POWERCAP "/%s/name", name) ||
	    !pace_root_int(&d.range_uj, m->root, POWERCAP "/%s/max_energy_range_uj", name) ||
	    d.range_uj <= 0 || d.range_uj > RANGE_MOST)
		return;
	/* A package includes its cores, but not its memory.  Domains with other names (psys)
	 * overlap. */
	d.counted = strncmp(d.name, "package", 7) == 0 || strcmp(d.name, "dram") == 0;
	if (read_uj(m, &d, &d.last_uj)) {
		m->v[m->domains++] = d;
		m->any |= d.counted;
	} else if (d.counted) {
		m->partly = true;
		snprintf(m->why, sizeof(m->why), "the energy counters may be read by root only");
	}
}

static void
look(struct pace_meter *m)
{
	int64_t uj;

	for (int i = 0; i < m->domains; i++) {
		struct domain *d = &m->v[i];

		if (d->lost || !read_uj(m, d, &uj)) {
			d->lost = true;
			continue;
		}
		d->sum_uj += (uint64_t)(uj >= d->last_uj ? uj - d->last_uj :
		    uj - d->last_uj + d->range_uj);
		d->last_uj = uj;
	}
}

static void *
watch(void *arg)
{
	struct pace_meter *m = arg;
	struct timespec until;

	pthread_mutex_lock(&m->lock);
	while (!m->ends) {
		clock_gettime(CLOCK_MONOTONIC, &until);	/* whatever is done to the wall clock */
		until.tv_sec += LOOK_S;
		(void)pthread_cond_timedwait(&m->end, &m->lock, &until);
		look(m);
	}
	pthread_mutex_unlock(&m->lock);
	return NULL;
}

struct pace_meter *
pace_meter_new(const char *root)
{
	struct pace_meter *m = calloc(1, sizeof(*m));
	pthread_condattr_t monotonic;

	if (m == NULL)
		return NULL;
	m->root = root;
	snprintf(m->why, sizeof(m->why), "this host has no RAPL counters (" POWERCAP
	    "/intel-rapl:*); virtual machines have none");
	pthread_mutex_init(&m->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&m->end, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pace_root_list(root, POWERCAP, add_domain, m);
	/* a sum without one of the counted domains would look complete */
	if (!m->any || m->partly)
		m->domains = 0;
	else if (pace_thread_start(&m->thread, watch, m) == 0)
		m->has_thread = true;
	else {		/* a long run's counters may wrap unseen */
		m->domains = 0;
		snprintf(m->why, sizeof(m->why), "no thread could be started to read it");
	}
	return m;
}

void
pace_meter_free(struct pace_meter *m)
{
	if (m == NULL)
		return;
	if (m->has_thread) {
		pthread_mutex_lock(&m->lock);
		m->ends = true;
		pthread_cond_signal(&m->end);
		pthread_mutex_unlock(&m->lock);
		pthread_join(m->thread, NULL);
	}
	pthread_cond_destroy(&m->end);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

void
pace_meter_read(struct pace_meter *m, struct pace_energy *e)
{
	memset(e, 0, sizeof(*e));
	pthread_mutex_lock(&m->lock);
	look(m);
	e->known = m->domains > 0;
	e->domains = m->domains;
	for (int i = 0; i < m->domains; i++)
		if (m->v[i].lost && m->v[i].counted) {
			e->known = false;
			snprintf(m->why, sizeof(m->why), "%s could not be read any more",
			    m->v[i].name);
		}
	for (int i = 0; i < m->domains; i++) {
		memcpy(e->v[i].name, m->v[i].name, sizeof(e->v[i].name));
		e->v[i].counted = m->v[i].counted;
		e->v[i].joules = (double)m->v[i].sum_uj / 1e6;
	}
	pthread_mutex_unlock(&m->lock);
	if (!e->known)
		snprintf(e->why, sizeof(e->why), "%s", m->why);
}
