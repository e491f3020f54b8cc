/*
 * SIGHUP: another thread reads the plan again, and makes what is new in it; then the thread that
 * sends takes the new list over, within one turn.
 */
#include "config.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plat/affinity.h"
#include "plat/thread.h"
#include "run/keyfile.h"
#include "run/watch_own.h"

struct watch_reload {
	pthread_t	thread;
	struct pace_watch_run *run;
	_Atomic bool	done;
	int		status;			/* an exit status */
	struct pace_watch_plan plan;
	struct watch_list l;			/* the paths of the plan, with room for all others */
	size_t		all;			/* paths of the run, at the begin */
	size_t		fresh;			/* that were made */
};

/* --- in the other thread ------------------------------------------------------------------- */

static int
compare_phases(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The middle of the largest hole between n phases in order, which has room for one more. */
static double
new_phase(double *phases, size_t n)
{
	double most = 0, phase = 0;
	size_t at = n;

	for (size_t i = 0; i < n; i++) {
		double next = i + 1 < n ? phases[i + 1] : phases[0] + 1, hole = next - phases[i];

		if (hole <= most)
			continue;
		most = hole;
		phase = phases[i] + hole / 2;
		at = i + 1;
	}
	if (phase >= 1) {
		phase -= 1;
		at = 0;
	}
	memmove(phases + at + 1, phases + at, (n - at) * sizeof(*phases));
	phases[at] = phase;
	return phase;
}

static struct watch_peer *
find_same(const struct pace_watch_run *r, const struct pace_watch_target *t)
{
	for (size_t i = 0; i < r->l.paths; i++)
		if (pace_watch_target_same(&r->l.v[i]->target, t))
			return r->l.v[i];
	return NULL;
}

static void
forget_next_key(struct watch_peer *p)
{
	pace_keys_free(&p->next_keys);
	pace_stamp_keys_free(&p->next_stamp_keys);
	p->next_key = NULL;
	p->next_secret = NULL;
}

static int
read_secret_again(struct watch_peer *p)
{
	const struct pace_stamp_key *old = p->stamp->key, **now = &p->next_secret;

	if (pace_keyfile_pick_stamp("--stamp-key", p->target.stamp_key, &p->next_stamp_keys, now) != 0)
		return PACE_EXIT_USAGE;
	if (old != NULL && old->len == (*now)->len && memcmp(old->secret, (*now)->secret, old->len) == 0)
		forget_next_key(p);
	return PACE_EXIT_OK;
}

/* Has the key file another key than the one in use? */
static int
read_key_again(struct watch_peer *p)
{
	const struct pace_key *old = p->path.c.key;

	if (p->target.stamp_key != NULL)
		return read_secret_again(p);
	if (p->target.key == NULL)
		return PACE_EXIT_OK;
	if (pace_keyfile_pick("--key", p->target.key, &p->next_keys, &p->next_key) != 0)
		return PACE_EXIT_USAGE;
	if (old == NULL || memcmp(old->id, p->next_key->id, sizeof(old->id)) != 0)
		return PACE_EXIT_OK;
	forget_next_key(p);
	return PACE_EXIT_OK;
}

/* Take or make the path of each target; those that stay are known first, for their phases. */
static int
make_paths(struct watch_reload *g, double *phases)
{
	struct watch_list *l = &g->l;
	size_t n = 0;
	int rc = PACE_EXIT_OK;

	for (size_t i = 0; i < g->plan.n && rc == PACE_EXIT_OK; i++) {
		l->v[i] = find_same(g->run, &g->plan.v[i]);
		if (l->v[i] == NULL)
			continue;
		l->v[i]->stays = true;
		phases[n++] = l->v[i]->phase;
		rc = read_key_again(l->v[i]);
	}
	qsort(phases, n, sizeof(*phases), compare_phases);
	for (size_t i = 0; i < g->plan.n && rc == PACE_EXIT_OK; i++) {
		if (l->v[i] != NULL)
			continue;
		rc = watch_peer_make(&l->v[i], g->run, &g->plan.v[i], new_phase(phases, n++));
		g->fresh++;
	}
	return rc;
}

static int
read_again(struct watch_reload *g)
{
	struct pace_watch_run *r = g->run;
	int rc = r->cfg.read_plan(r->cfg.ctx, &g->plan);
	size_t n = g->plan.n;
	double *phases;

	if (rc != PACE_EXIT_OK)
		return rc;
	/* until the removed paths have ended, all are there */
	if (!watch_allow_files(n + g->all))
		return PACE_EXIT_NO_RESULT;
	phases = calloc(n + 1, sizeof(*phases));
	if (phases == NULL || watch_list_make(&g->l, n + g->all, n) < 0) {
		pace_complain("%s", strerror(ENOMEM));
		rc = PACE_EXIT_NO_RESULT;
	} else {
		rc = make_paths(g, phases);
	}
	free(phases);
	return rc;
}

static void *
work(void *ctx)
{
	struct watch_reload *g = ctx;

	(void)pace_affinity_yield();
	g->status = read_again(g);
	atomic_store_explicit(&g->done, true, memory_order_release);
	return NULL;
}

/* --- in the thread that sends ------------------------------------------------------------- */

/* Free all that is not in the run's list. */
static void
forget(struct watch_reload *g)
{
	struct pace_watch_run *r = g->run;

	for (size_t i = 0; g->l.v != NULL && i < g->plan.n; i++)
		if (g->l.v[i] != NULL && !g->l.v[i]->stays)
			watch_peer_free(g->l.v[i]);
	watch_list_free(&g->l);
	for (size_t i = 0; i < r->l.paths; i++) {
		r->l.v[i]->stays = false;
		forget_next_key(r->l.v[i]);
	}
	pace_watch_plan_free(&g->plan);
	free(g);
	r->reload = NULL;
}

/* Another key needs another session. */
static void
change_key(struct pace_watch_run *r, size_t i, int64_t now)
{
	struct watch_peer *p = r->l.v[i];
	const struct pace_addr to = p->addr;

	if (p->next_secret != NULL) {
		pace_stamp_keys_free(&p->stamp_keys);
		p->stamp_keys = p->next_stamp_keys;
		p->stamp->key = p->next_secret;
		p->next_stamp_keys = (struct pace_stamp_keys){ .n = 0 };
	} else {
		pace_keys_free(&p->keys);
		p->keys = p->next_keys;
		p->path.c.key = p->next_key;
		p->next_keys = (struct pace_keys){ .n = 0 };
	}
	p->next_key = NULL;
	p->next_secret = NULL;
	if (p->open)
		watch_connect(r, i, &to, now);
}

static void
join(struct pace_watch_run *r, size_t i, int64_t now)
{
	struct watch_peer *p = r->l.v[i];

	if (!p->stays) {
		watch_peer_number(p);
		p->since_ns = now - r->begin_ns + r->cfg.before_ns;
		if (p->shown != NULL)
			p->shown->w.counts.from_ns = p->shown->w.counts.to_ns = p->since_ns;
	}
	p->stays = false;
	p->names_ns = now + (int64_t)i * WATCH_BEGIN_NS;	/* answers under way are lost */
	watch_refresh(r, i);
	if (p->next_key != NULL || p->next_secret != NULL)
		change_key(r, i, now);
}

static void
leave(struct pace_watch_run *r, size_t i, int64_t now)
{
	if (r->l.v[i]->open)
		pace_watch_path_end(&r->l.v[i]->path, now);
	watch_refresh(r, i);
}

/* The run's list becomes that of the plan; then come those that were, or are now, removed. */
static void
take_over(struct watch_reload *g, int64_t now)
{
	struct pace_watch_run *r = g->run;
	struct watch_list old = r->l;
	size_t removed = 0;

	g->l.n = g->l.paths = g->plan.n;
	for (size_t i = 0; i < old.n; i++)
		if (i >= old.paths || !old.v[i]->stays)
			g->l.v[g->l.n++] = old.v[i];
	for (size_t i = 0; i < old.paths; i++)
		removed += !old.v[i]->stays;
	r->l = g->l;
	for (size_t i = 0; i < r->l.paths; i++)
		join(r, i, now);
	for (size_t i = r->l.paths; i < r->l.n; i++)
		leave(r, i, now);
	g->l = old;
	g->l.v = NULL;			/* the paths are in the run's list */
	free(old.v);
	pace_notice("the paths were read again: %zu new, %zu removed, %zu as before", g->fresh,
	    removed, r->l.paths - g->fresh);
}

static void
begin(struct pace_watch_run *r)
{
	struct watch_reload *g = calloc(1, sizeof(*g));

	*r->cfg.again = 0;		/* another one from here on counts */
	if (g != NULL) {
		g->run = r;
		g->all = r->l.n;
	}
	if (g == NULL || pace_thread_start(&g->thread, work, g) != 0) {
		pace_complain("the paths cannot be read again: %s", strerror(ENOMEM));
		free(g);
		return;
	}
	r->reload = g;
	if (r->cfg.reloading != NULL)
		r->cfg.reloading(r->cfg.ctx, true);
}

/* Readers of the list may have it: then the next turn tries again. */
static void
finish(struct watch_reload *g, int64_t now)
{
	struct pace_watch_run *r = g->run;

	if (pthread_mutex_trylock(&r->lock) != 0)
		return;
	pthread_join(g->thread, NULL);
	if (g->status == PACE_EXIT_OK)
		take_over(g, now);
	else
		pace_notice("the paths stay as they were");
	pthread_mutex_unlock(&r->lock);
	forget(g);
	if (r->cfg.reloading != NULL)
		r->cfg.reloading(r->cfg.ctx, false);
}

void
watch_reload_turn(struct pace_watch_run *r, int64_t now)
{
	if (r->reload != NULL) {
		if (atomic_load_explicit(&r->reload->done, memory_order_acquire))
			finish(r->reload, now);
	} else if (r->cfg.again != NULL && *r->cfg.again != 0) {
		begin(r);
	}
}

void
watch_reload_drop(struct pace_watch_run *r)
{
	if (r->reload == NULL)
		return;
	pthread_join(r->reload->thread, NULL);
	forget(r->reload);
}
