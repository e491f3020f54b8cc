#include "config.h"

#include "run/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "plat/addr.h"
#include "plat/clock.h"
#include "plat/sock.h"
#include "run/keyfile.h"
#include "run/lookup.h"

#define WAKE_NS		INT64_C(30000)		/* before a frame is due */
#define CLEAR_NS	INT64_C(250000)		/* no other work this close to a frame, */
#define OVERDUE_NS	INT64_C(100000000)	/* unless it waits for so long */
#define NAP_NS		INT64_C(50000000)	/* answers of look-ups are fetched this often */
#define BEGIN_NS	INT64_C(2000000)	/* between the first HELLOs of two paths */
#define DOWN_NAMES_NS	INT64_C(60000000000)
#define SPARE_FILES	64			/* besides a socket a path */

struct watch_peer {
	struct pace_watch_path path;
	struct pace_watch_run *all;
	const struct pace_watch_target *target;
	struct pace_keys keys;
	struct pace_sock sock;
	bool		open, failed;		/* the socket; the last look-up or opening failed */
	struct pace_addr addr;
	struct pace_err err;
	int64_t		names_ns;		/* when the name is looked up next */
	bool		said_down;
};

struct pace_watch_run {
	struct pace_watch_run_cfg cfg;
	size_t		n;
	struct watch_peer *v;
	int64_t		*frame_ns, *work_ns;	/* of each path, close together */
	int64_t		begin_ns;
	struct pace_lookup *lookup;
	bool		ending;
};

/* --- a path's socket ---------------------------------------------------------------------- */

static bool
has_address(const struct watch_peer *p, const struct pace_looked_up *a)
{
	for (int i = 0; i < a->n && p->open; i++)
		if (pace_addr_same(&a->v[i], &p->addr))
			return true;
	return false;
}

static struct pace_watch_cfg
path_cfg(const struct pace_watch_run *r, size_t i)
{
	const struct pace_watch_opts *o = &r->v[i].target->opts;
	int64_t n = (int64_t)r->n, k = (int64_t)i;

	return (struct pace_watch_cfg){ .size_bytes = (uint32_t)o->size, .spacing_ns = o->spacing,
	    .phase_ns = r->begin_ns + o->spacing / n * k, .interval_ns = r->cfg.interval_ns,
	    .report_ns = r->cfg.interval_ns / n * k, .ping_ns = o->exchange,
	    .begin_ns = r->begin_ns };
}

static void
refresh(struct pace_watch_run *r, size_t i)
{
	r->frame_ns[i] = r->v[i].path.frame_ns;
	r->work_ns[i] = r->v[i].path.work_ns;
}

/* Open a socket to this address and go on with it. */
static void
connect_to(struct pace_watch_run *r, size_t i, const struct pace_addr *to, int64_t now)
{
	struct watch_peer *p = &r->v[i];
	const struct pace_net_opts *net = &p->target->opts.net;
	const struct pace_sock_cfg sc = { .peer = *to, .local.family = to->family,
	    .dscp = (int)net->dscp, .ttl = (int)net->ttl, .tell_refusals = true,
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
		const struct pace_watch_cfg cfg = path_cfg(r, i);

		p->path.c.io = io;
		pace_watch_path_begin(&p->path, &cfg, now);
	} else {
		pace_watch_path_move(&p->path, &io, now);
	}
	refresh(r, i);
}

static void
take_names(struct pace_watch_run *r, int64_t now)
{
	struct pace_looked_up a;
	size_t i;

	while (!r->ending && pace_lookup_take(r->lookup, &i, &a)) {
		struct watch_peer *p = &r->v[i];

		if (a.n > 0 && !has_address(p, &a))
			connect_to(r, i, &a.v[0], now);
		if (a.n <= 0 && !p->open) {
			p->failed = true;
			p->err = a.err;
		}
	}
}

static void
ask_names(struct pace_watch_run *r, int64_t now)
{
	for (size_t i = 0; i < r->n; i++) {
		struct watch_peer *p = &r->v[i];
		const struct pace_net_opts *net = &p->target->opts.net;
		bool down = !p->open || p->path.failures > 2;

		if (p->names_ns > now && !(down && p->names_ns > now + DOWN_NAMES_NS))
			continue;
		pace_lookup_ask(r->lookup, i, p->target->host, net->ipv4 ? 4 : net->ipv6 ? 6 : 0,
		    (uint16_t)net->port);
		p->names_ns = now + (down ? DOWN_NAMES_NS : PACE_WATCH_NAMES_NS);
	}
}

/* --- what is printed ------------------------------------------------------------------------ */

void
pace_watch_run_figures(const struct pace_watch_run *r, size_t i, struct pace_watched *w)
{
	const struct watch_peer *p = &r->v[i];

	memset(w, 0, sizeof(*w));
	pace_watch_path_figures(&p->path, pace_clock_raw(), w);
	snprintf(w->name, sizeof(w->name), "%s", p->target->name);
	w->port = (uint16_t)p->target->opts.net.port;
	if (p->addr.family != 0)
		pace_addr_text(&p->addr, w->address, sizeof(w->address));
	if (p->failed) {
		w->state = PACE_WATCH_DOWN;
		snprintf(w->why, sizeof(w->why), "%s", pace_err_why(&p->err));
	}
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
		pace_notice("%s: down: %s", p->target->name, pace_err_why(p->failed ? &p->err :
		    &p->path.err));
	else
		pace_notice("%s: up", p->target->name);
}

static void
on_interval(void *ctx, const struct pace_watch_path *path, const struct pace_watch_counts *span)
{
	struct watch_peer *p = ctx;
	struct pace_watch_run *r = p->all;
	struct pace_watched w;

	if (r->cfg.interval == NULL)
		return;
	pace_watch_run_figures(r, (size_t)(p - r->v), &w);
	r->cfg.interval(r->cfg.ctx, (size_t)(p - r->v), &w, span, path);
}

/* --- the schedule ------------------------------------------------------------------------------ */

static size_t
first_of(const int64_t *due, size_t n)
{
	size_t first = 0;

	for (size_t i = 1; i < n; i++)
		first = due[i] < due[first] ? i : first;
	return first;
}

static bool
is_over(const struct pace_watch_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].open && r->v[i].path.step != PACE_WATCH_STEP_OVER)
			return false;
	return true;
}

static void
work(struct pace_watch_run *r, size_t i, int64_t now)
{
	pace_watch_path_act(&r->v[i].path, now);
	say_state(&r->v[i]);
	refresh(r, i);
}

/* Do one thing: send a frame, do a path's work, or wait for either. */
static void
turn(struct pace_watch_run *r, int64_t *names_ns)
{
	size_t f = first_of(r->frame_ns, r->n), w = first_of(r->work_ns, r->n);
	int64_t frame = r->frame_ns[f], due = r->work_ns[w], now = pace_clock_raw(), until;
	/* in the end a stop must not wake us: it was heard */
	const volatile sig_atomic_t *stop = r->ending ? NULL : r->cfg.stop;
	bool clear = frame - now > CLEAR_NS;

	if (due <= now && (clear || now - due > OVERDUE_NS)) {
		work(r, w, now);
		return;
	}
	if (clear && now >= *names_ns) {
		take_names(r, now);
		ask_names(r, now);
		*names_ns = now + NAP_NS;
		return;
	}
	until = due < *names_ns ? due : *names_ns;
	if (clear && frame - CLEAR_NS > until) {
		(void)pace_clock_wait_until(until, 0, NULL, stop);
		return;
	}
	now = pace_clock_wait_until(frame, WAKE_NS, NULL, stop);
	if (now >= frame) {
		pace_watch_path_frame(&r->v[f].path, now);
		refresh(r, f);
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
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].open) {
			pace_watch_path_end(&r->v[i].path, pace_clock_raw());
			refresh(r, i);
		}
	while (!is_over(r))
		turn(r, &names_ns);
}

/* --- begin and end -------------------------------------------------------------------------- */

/* Each path has a socket: allow that many open files. */
static bool
allow_files(size_t n)
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
make_peer(struct pace_watch_run *r, size_t i)
{
	struct watch_peer *p = &r->v[i];
	const char *label = p->target->opts.net.label;

	if (pace_watch_path_init(&p->path) < 0) {
		pace_complain("cannot start: out of memory, or the kernel gave no random numbers");
		return PACE_EXIT_NO_RESULT;
	}
	p->path.frame_ns = p->path.work_ns = INT64_MAX;
	p->path.interval = on_interval;
	p->path.ctx = p;
	p->path.cfg.begin_ns = r->begin_ns;
	p->path.cfg.size_bytes = (uint32_t)p->target->opts.size;
	p->path.cfg.spacing_ns = p->target->opts.spacing;
	if (label != NULL)
		pace_clean(p->path.c.label, sizeof(p->path.c.label), label, strlen(label));
	p->names_ns = r->begin_ns + (int64_t)i * BEGIN_NS;
	refresh(r, i);
	return p->target->key != NULL && pace_keyfile_pick("--key", p->target->key, &p->keys,
	    &p->path.c.key) != 0 ? PACE_EXIT_USAGE : PACE_EXIT_OK;
}

int
pace_watch_run_open(struct pace_watch_run **made, const struct pace_watch_run_cfg *cfg)
{
	struct pace_watch_run *r = calloc(1, sizeof(*r));
	int rc = PACE_EXIT_OK;

	*made = r;
	if (r == NULL || !allow_files(cfg->plan->n))
		return PACE_EXIT_NO_RESULT;
	r->cfg = *cfg;
	r->v = calloc(cfg->plan->n, sizeof(*r->v));
	r->frame_ns = calloc(cfg->plan->n, sizeof(*r->frame_ns));
	r->work_ns = calloc(cfg->plan->n, sizeof(*r->work_ns));
	r->lookup = pace_lookup_new(cfg->plan->n);
	if (r->v == NULL || r->frame_ns == NULL || r->work_ns == NULL || r->lookup == NULL) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	r->begin_ns = pace_clock_raw();
	for (; r->n < cfg->plan->n && rc == PACE_EXIT_OK; r->n++) {
		struct watch_peer *p = &r->v[r->n];

		p->all = r;
		p->target = &cfg->plan->v[r->n];
		p->sock.fd = -1;
		rc = make_peer(r, r->n);
	}
	return rc;
}

void
pace_watch_run_close(struct pace_watch_run *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		pace_sock_close(&r->v[i].sock);
		pace_watch_path_free(&r->v[i].path);
		pace_keys_free(&r->v[i].keys);
	}
	pace_lookup_free(r->lookup);
	free(r->v);
	free(r->frame_ns);
	free(r->work_ns);
	free(r);
}
