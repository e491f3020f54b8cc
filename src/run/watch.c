#include "config.h"

#include "run/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "core/rates.h"
#include "plat/addr.h"
#include "plat/clock.h"
#include "run/keyfile.h"
#include "run/watch_own.h"

#define SOON_NS		INT64_C(2000000)	/* nor a wake-up of its own so long before it */
/* The thread wakes a little before a frame and spins.  How long before is learned: so that one frame
 * in 100 is later than LATE_NS, but one part in SPIN_SHARE of a core is spent at most. */
#define LATE_NS		INT64_C(10000)
#define LEAD_NS		INT64_C(30000)		/* at first */
#define LEAD_MAX_NS	INT64_C(300000)
#define LEAD_STEP_NS	INT64_C(20)
#define SPIN_SHARE	100
#define SPIN_FRAMES	64			/* that the mean of it is of */
#define CLEAR_NS	INT64_C(250000)		/* no other work this close to a frame, */
#define OVERDUE_NS	INT64_C(100000000)	/* unless it waits for so long */
#define NAP_NS		INT64_C(50000000)	/* answers of look-ups are fetched this often */
#define NAMES_AT_ONCE	32			/* paths, each NAP_NS */
#define DOWN_NAMES_NS	INT64_C(60000000000)
#define SPARE_FILES	64			/* besides a socket a path */

/* --- a path's socket ---------------------------------------------------------------------- */

/* A path that joins late has its first interval then, not all that passed before. */
static struct pace_watch_cfg
path_cfg(const struct pace_watch_run *r, const struct watch_peer *p, int64_t now)
{
	const struct pace_watch_opts *o = &p->target.opts;
	int64_t interval = r->cfg.interval_ns;

	return (struct pace_watch_cfg){ .size_bytes = (uint32_t)o->size, .spacing_ns = o->spacing,
	    .phase_ns = r->begin_ns + (int64_t)((double)o->spacing * p->phase),
	    .interval_ns = interval, .report_ns = (now - r->begin_ns) / interval * interval +
	    (int64_t)((double)interval * p->phase), .ping_ns = o->exchange,
	    .begin_ns = r->begin_ns };
}

void
watch_refresh(struct pace_watch_run *r, size_t i)
{
	pace_due_set(&r->l.frames, i, r->l.v[i]->path.frame_ns);
	pace_due_set(&r->l.work, i, r->l.v[i]->path.work_ns);
}

/* RFC 8762 has the highest one. */
static int
watch_ttl(const struct pace_net_opts *net)
{
	return net->stamp && net->ttl == 0 ? UINT8_MAX : (int)net->ttl;
}

void
watch_connect(struct pace_watch_run *r, size_t i, const struct pace_addr *to, int64_t now)
{
	struct watch_peer *p = r->l.v[i];
	const struct pace_net_opts *net = &p->target.opts.net;
	const struct pace_sock_cfg sc = { .peer = *to, .local.family = to->family,
	    .dscp = (int)net->dscp, .ttl = watch_ttl(net), .headers = net->stamp, .tell_refusals = true,
	    .rcvbuf_bytes = 1 << 17 };
	bool first = p->addr.family == 0;
	struct pace_io io;

	pace_sock_close(&p->sock);
	p->open = pace_sock_open(&p->sock, &sc, &p->err) == 0;
	p->failed = !p->open;
	if (!p->open)
		return;
	p->addr = *to;
	io = pace_sock_io(&p->sock);
	p->path.c.link.family = to->family;
	if (first) {
		const struct pace_watch_cfg cfg = path_cfg(r, p, now);

		p->path.c.io = io;
		pace_watch_path_begin(&p->path, &cfg, now);
	} else {
		pace_watch_path_move(&p->path, &io, now);
	}
	watch_refresh(r, i);
}

/* --- what is printed ------------------------------------------------------------------------ */

static void
figures_of(const struct watch_peer *p, struct pace_watched *w)
{
	memset(w, 0, sizeof(*w));
	pace_watch_path_figures(&p->path, pace_clock_raw(), w);
	w->counts.to_ns += p->all->cfg.before_ns;
	w->counts.from_ns = p->since_ns;
	if (p->before != NULL)
		pace_watched_add(w, p->before);
	if (w->counts.to_ns < p->since_ns)	/* it has not begun */
		w->counts.to_ns = p->since_ns;
	snprintf(w->name, sizeof(w->name), "%s", p->target.name);
	w->port = (uint16_t)p->target.opts.net.port;
	if (p->addr.family != 0)
		pace_addr_text(&p->addr, w->address, sizeof(w->address));
	if (p->failed) {
		w->state = PACE_WATCH_DOWN;
		snprintf(w->why, sizeof(w->why), "%s", pace_err_why(&p->err));
	}
}

size_t
pace_watch_run_paths(const struct pace_watch_run *r)
{
	return r->l.paths;
}

void
pace_watch_run_figures(const struct pace_watch_run *r, size_t i, struct pace_watched *w)
{
	figures_of(r->l.v[i], w);
}

size_t
pace_watch_run_lock(struct pace_watch_run *r)
{
	pthread_mutex_lock(&r->lock);
	return r->l.paths;
}

const struct pace_watch_target *
pace_watch_run_target(const struct pace_watch_run *r, size_t i)
{
	return &r->l.v[i]->target;
}

const struct pace_watch_shown *
pace_watch_run_shown(const struct pace_watch_run *r, size_t i)
{
	return r->l.v[i]->shown;
}

void
pace_watch_run_unlock(struct pace_watch_run *r)
{
	pthread_mutex_unlock(&r->lock);
}

static void
fill_shown(const struct watch_peer *p, const struct pace_watched *w)
{
	struct pace_watch_shown *to = p->shown;

	to->number = p->number;
	to->at_ns = p->all->begin_ns + w->counts.to_ns - p->all->cfg.before_ns;
	to->reports = p->path.reports;
	to->w = *w;
	to->of = p->path.of_last;
	to->wire_bytes = (uint32_t)pace_wire_bytes(&p->path.c.link, w->size_bytes);
}

/* The thread that sends never waits for a reader: then the next interval shows it. */
static void
show(struct watch_peer *p, const struct pace_watched *w)
{
	if (p->shown == NULL || pthread_mutex_trylock(&p->all->lock) != 0)
		return;
	fill_shown(p, w);
	pthread_mutex_unlock(&p->all->lock);
}

/* Say once that a path went down, and once that it is back. */
static void
say_state(struct watch_peer *p)
{
	bool down = p->failed || p->path.failures > 0;
	bool up = p->path.step == PACE_WATCH_STEP_RUN;

	if (p->all->cfg.quiet || p->all->ending || (p->said_down ? !up : !down))
		return;
	p->said_down = !p->said_down;
	if (p->said_down)
		pace_notice("%s: down: %s", p->target.name, pace_err_why(p->failed ? &p->err :
		    &p->path.err));
	else
		pace_notice("%s: up", p->target.name);
}

static void
on_interval(void *ctx, const struct pace_watch_path *path, const struct pace_watch_counts *span)
{
	struct watch_peer *p = ctx;
	struct pace_watch_run *r = p->all;
	struct pace_watch_counts own = *span;
	struct pace_watched w;

	own.from_ns += r->cfg.before_ns;
	own.to_ns += r->cfg.before_ns;
	if (own.from_ns < p->since_ns)
		own.from_ns = p->since_ns;
	figures_of(p, &w);
	show(p, &w);
	if (r->cfg.interval != NULL)
		r->cfg.interval(r->cfg.ctx, p->number, &w, &own, path);
}

/* A path that was removed has ended: give its last figures. */
static void
end_removed(struct pace_watch_run *r, size_t i)
{
	struct watch_list *l = &r->l;
	struct pace_watched w;

	figures_of(l->v[i], &w);
	if (r->cfg.ended != NULL)
		r->cfg.ended(r->cfg.ctx, &w);
	watch_peer_free(l->v[i]);
	l->v[i] = l->v[--l->n];
	pace_due_set(&l->frames, l->n, INT64_MAX);
	pace_due_set(&l->work, l->n, INT64_MAX);
	if (i < l->n)
		watch_refresh(r, i);
}

static bool
is_done(const struct watch_peer *p)
{
	return !p->open || p->path.step == PACE_WATCH_STEP_OVER;
}

/* --- names --------------------------------------------------------------------------------- */

static bool
has_address(const struct watch_peer *p, const struct pace_looked_up *a)
{
	for (int i = 0; i < a->n && p->open; i++)
		if (pace_addr_same(&a->v[i], &p->addr))
			return true;
	return false;
}

/* A path without a socket has no intervals: show and say its state now. */
static void
tell(struct watch_peer *p)
{
	struct pace_watched w;

	figures_of(p, &w);
	show(p, &w);
	say_state(p);
}

static void
take_names(struct pace_watch_run *r, int64_t now)
{
	struct pace_looked_up a;
	size_t i;

	while (!r->ending && pace_lookup_take(r->l.lookup, &i, &a)) {
		struct watch_peer *p = r->l.v[i];

		if (a.n > 0 && !has_address(p, &a)) {
			watch_connect(r, i, &a.v[0], now);
		} else if (a.n <= 0 && !p->open) {
			p->failed = true;
			p->err = a.err;
		}
		if (p->failed)
			tell(p);
	}
}

static void
ask_name(struct pace_watch_run *r, size_t i, int64_t now)
{
	struct watch_peer *p = r->l.v[i];
	const struct pace_net_opts *net = &p->target.opts.net;
	bool down = !p->open || p->path.failures > 2;

	if (p->names_ns > now && !(down && p->names_ns > now + DOWN_NAMES_NS))
		return;
	pace_lookup_ask(r->l.lookup, i, p->target.host, net->ipv4 ? 4 : net->ipv6 ? 6 : 0,
	    (uint16_t)net->port);
	p->names_ns = now + (down ? DOWN_NAMES_NS : PACE_WATCH_NAMES_NS);
}

/* Some paths at a time: their memory is in no cache. */
static void
ask_names(struct pace_watch_run *r, int64_t now)
{
	for (size_t k = 0; k < NAMES_AT_ONCE && k < r->l.paths; k++) {
		r->l.named = r->l.named + 1 < r->l.paths ? r->l.named + 1 : 0;
		ask_name(r, r->l.named, now);
	}
}

/* --- the schedule ------------------------------------------------------------------------------ */

static bool
is_over(const struct pace_watch_run *r)
{
	for (size_t i = 0; i < r->l.n; i++)
		if (!is_done(r->l.v[i]))
			return false;
	return true;
}

static void
work(struct pace_watch_run *r, size_t i, int64_t now)
{
	struct watch_peer *p = r->l.v[i];

	pace_watch_path_act(&p->path, now);
	watch_refresh(r, i);
	if (i < r->l.paths)
		say_state(p);
	else if (is_done(p))
		end_removed(r, i);
}

/* What needs no exact time. */
static void
nap(struct pace_watch_run *r, int64_t now)
{
	if (r->cfg.alive != NULL)
		r->cfg.alive(r->cfg.ctx);
	if (r->ending)
		return;
	watch_reload_turn(r, now);
	for (size_t i = r->l.n; i-- > r->l.paths;)
		if (is_done(r->l.v[i]))
			end_removed(r, i);
	take_names(r, now);
	ask_names(r, now);
}

/* The thread woke late_ns after it meant to, lead_ns before the frame. */
static void
learn_lead(struct watch_lead *l, int64_t now, int64_t late_ns)
{
	int64_t spin_ns = late_ns < l->ns ? l->ns - late_ns : 0;

	/* above 0: more than its share */
	l->excess_ns += (spin_ns * SPIN_SHARE - (now - l->at_ns) - l->excess_ns) / SPIN_FRAMES;
	l->at_ns = now;
	if (l->excess_ns > 0)
		l->ns -= 10 * LEAD_STEP_NS;
	else
		l->ns += late_ns > l->ns + LATE_NS ? 99 * LEAD_STEP_NS : -LEAD_STEP_NS;
	l->ns = l->ns < 0 ? 0 : l->ns < LEAD_MAX_NS ? l->ns : LEAD_MAX_NS;
}

/* Return the time, at or after the frame's; earlier only after a stop. */
static int64_t
wait_for_frame(struct watch_lead *l, int64_t frame, int64_t now, const volatile sig_atomic_t *stop)
{
	int64_t wake = frame - l->ns;

	if (now < wake) {
		now = pace_clock_wait_until(wake, 0, NULL, stop);
		if (now < wake)
			return now;
		learn_lead(l, now, now - wake);
	}
	return pace_clock_wait_until(frame, INT64_MAX / 2, NULL, NULL);
}

/* Do one thing: send a frame, do a path's work, or wait for either.  Work waits until a frame that is
 * due soon has left: then the thread is awake, and far from the next one. */
static void
turn(struct pace_watch_run *r, int64_t *names_ns)
{
	size_t f = pace_due_first(&r->l.frames), w = pace_due_first(&r->l.work);
	int64_t frame = r->l.frames.ns[f], due = r->l.work.ns[w], now = pace_clock_raw(), until;
	/* in the end a stop must not wake us: it was heard */
	const volatile sig_atomic_t *stop = r->ending ? NULL : r->cfg.stop;
	bool clear = frame - now > CLEAR_NS;

	if (due <= now && (clear || now - due > OVERDUE_NS)) {
		work(r, w, now);
		return;
	}
	if (now >= *names_ns && (clear || now - *names_ns > OVERDUE_NS)) {
		nap(r, now);
		*names_ns = now + NAP_NS;
		return;
	}
	until = due < *names_ns ? due : *names_ns;
	if (clear && frame - SOON_NS > until) {
		(void)pace_clock_wait_until(until, 0, NULL, stop);
		return;
	}
	now = wait_for_frame(&r->lead, frame, now, stop);
	if (now >= frame) {
		pace_watch_path_frame(&r->l.v[f]->path, now);
		watch_refresh(r, f);
	}
}

void
pace_watch_run_go(struct pace_watch_run *r)
{
	int64_t names_ns = 0, end_ns = r->cfg.duration_ns > 0 ? r->begin_ns + r->cfg.duration_ns :
	    INT64_MAX;

	pace_clock_no_slack();
	while (*r->cfg.stop == 0 && pace_clock_raw() < end_ns)
		turn(r, &names_ns);
	r->ending = true;
	watch_reload_drop(r);
	for (size_t i = 0; i < r->l.n; i++)
		if (r->l.v[i]->open) {
			pace_watch_path_end(&r->l.v[i]->path, pace_clock_raw());
			watch_refresh(r, i);
		}
	while (!is_over(r))
		turn(r, &names_ns);
	while (r->l.n > r->l.paths)
		end_removed(r, r->l.n - 1);
}

/* --- begin and end -------------------------------------------------------------------------- */

/* Each path has a socket. */
bool
watch_allow_files(size_t n)
{
	struct rlimit l;
	rlim_t need = (rlim_t)n + SPARE_FILES;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur >= need)
		return true;
	l.rlim_cur = l.rlim_max < need ? l.rlim_max : need;
	if (l.rlim_cur == need && setrlimit(RLIMIT_NOFILE, &l) == 0)
		return true;
	pace_complain("%zu paths need %ju open files, and this process may have %ju: raise ulimit -n",
	    n, (uintmax_t)need, (uintmax_t)l.rlim_max);
	return false;
}

static int
load_key(struct watch_peer *p)
{
	int rc = 0;

	if (p->target.key != NULL)
		rc = pace_keyfile_pick("--key", p->target.key, &p->keys, &p->path.c.key);
	else if (p->target.stamp_key != NULL)
		rc = pace_keyfile_pick_stamp("--stamp-key", p->target.stamp_key, &p->stamp_keys,
		    &p->stamp->key);
	return rc != 0 ? PACE_EXIT_USAGE : PACE_EXIT_OK;
}

/* Prepare the path's session with a reflector, if its far end is one: 0 or -ENOMEM. */
static int
make_stamp(struct watch_peer *p, const struct pace_net_opts *net)
{
	if (!net->stamp)
		return 0;
	p->stamp = calloc(1, sizeof(*p->stamp));
	if (p->stamp == NULL)
		return -ENOMEM;
	p->stamp->light = net->twamp_light;
	p->stamp->dscp = (uint8_t)net->dscp;
	p->stamp->ttl = (uint8_t)watch_ttl(net);
	return 0;
}

int
watch_peer_make(struct watch_peer **made, struct pace_watch_run *r,
    const struct pace_watch_target *t, double phase)
{
	struct watch_peer *p = *made = calloc(1, sizeof(*p));
	const char *label = t->opts.net.label;
	struct pace_watched w;

	if (p != NULL)
		p->sock.fd = -1;
	if (p == NULL || pace_watch_target_copy(&p->target, t) < 0 ||
	    make_stamp(p, &t->opts.net) < 0 ||
	    pace_watch_path_init(&p->path, p->stamp, t->opts.spacing) < 0 ||
	    (r->cfg.shown && (p->shown = calloc(1, sizeof(*p->shown))) == NULL)) {
		pace_complain("cannot start: out of memory, or the kernel gave no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	p->all = r;
	p->phase = phase;
	p->path.frame_ns = p->path.work_ns = INT64_MAX;
	p->path.interval = on_interval;
	p->path.ctx = p;
	p->path.cfg.begin_ns = r->begin_ns;
	p->path.cfg.size_bytes = (uint32_t)t->opts.size;
	p->path.cfg.spacing_ns = t->opts.spacing;
	if (label != NULL)
		pace_clean(p->path.c.label, sizeof(p->path.c.label), label, strlen(label));
	if (p->shown != NULL) {
		figures_of(p, &w);
		fill_shown(p, &w);
	}
	return load_key(p);
}

void
watch_peer_number(struct watch_peer *p)
{
	p->number = p->all->numbers++;
	if (p->shown != NULL)
		p->shown->number = p->number;
}

void
watch_peer_free(struct watch_peer *p)
{
	if (p == NULL)
		return;
	pace_sock_close(&p->sock);
	pace_watch_path_free(&p->path);
	pace_watch_target_free(&p->target);
	pace_keys_free(&p->keys);
	pace_keys_free(&p->next_keys);
	pace_stamp_keys_free(&p->stamp_keys);
	pace_stamp_keys_free(&p->next_stamp_keys);
	free(p->stamp);
	free(p->before);
	free(p->shown);
	free(p);
}

/* Go on with the counts of an earlier process. */
static int
go_on(struct watch_peer *p)
{
	const struct pace_watch_run_cfg *cfg = &p->all->cfg;
	struct pace_watched before, w;

	p->since_ns = cfg->before_ns;
	if (cfg->before == NULL || !cfg->before(cfg->ctx, &p->target, &before))
		return PACE_EXIT_OK;
	p->before = malloc(sizeof(before));
	if (p->before == NULL) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	*p->before = before;
	p->since_ns = before.counts.from_ns;
	figures_of(p, &w);
	if (p->shown != NULL)
		fill_shown(p, &w);
	return PACE_EXIT_OK;
}

int
watch_list_make(struct watch_list *l, size_t n, size_t paths)
{
	*l = (struct watch_list){ .v = calloc(n, sizeof(struct watch_peer *)),
	    .memory = calloc(2, PACE_DUE_BYTES(n)), .lookup = pace_lookup_new(paths) };
	if (l->v == NULL || l->memory == NULL || l->lookup == NULL)
		return -ENOMEM;
	pace_due_init(&l->frames, l->memory, n);
	pace_due_init(&l->work, (char *)l->memory + PACE_DUE_BYTES(n), n);
	return 0;
}

void
watch_list_free(struct watch_list *l)
{
	pace_lookup_free(l->lookup);
	free(l->v);
	free(l->memory);
}

int
pace_watch_run_open(struct pace_watch_run **made, const struct pace_watch_run_cfg *cfg)
{
	struct pace_watch_run *r = calloc(1, sizeof(*r));
	size_t n = cfg->plan->n;
	int rc = PACE_EXIT_OK;

	*made = r;
	if (r != NULL)
		pthread_mutex_init(&r->lock, NULL);
	if (r == NULL || !watch_allow_files(n))
		return PACE_EXIT_NO_RESULT;
	r->cfg = *cfg;
	if (watch_list_make(&r->l, n, n) < 0) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	r->begin_ns = pace_clock_raw();
	r->lead = (struct watch_lead){ .ns = LEAD_NS, .at_ns = r->begin_ns };
	for (size_t i = 0; i < n && rc == PACE_EXIT_OK; i++) {
		rc = watch_peer_make(&r->l.v[i], r, &cfg->plan->v[i], (double)i / (double)n);
		r->l.n = r->l.paths = i + 1;
		if (rc == PACE_EXIT_OK)
			rc = go_on(r->l.v[i]);
		if (rc != PACE_EXIT_OK)
			break;
		watch_peer_number(r->l.v[i]);
		r->l.v[i]->names_ns = r->begin_ns + (int64_t)i * WATCH_BEGIN_NS;
		watch_refresh(r, i);
	}
	return rc;
}

void
pace_watch_run_close(struct pace_watch_run *r)
{
	if (r == NULL)
		return;
	watch_reload_drop(r);
	for (size_t i = 0; i < r->l.n; i++)
		watch_peer_free(r->l.v[i]);
	watch_list_free(&r->l);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
