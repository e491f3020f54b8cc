#include "config.h"

#include "server/admission/run_limiter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rates.h"
#include "doc/params.h"

#define DAY_NS		INT64_C(86400000000000)
#define PAY_NS		INT64_C(100000000)
#define SLACK_NS	INT64_C(2000000000)	/* a run's exchanges and its grace */
#define FAR_FRAMES	1000			/* more than twice the announced frames */
#define FAR_NS		INT64_C(60000000000)	/* more than ten times the announced time */
#define BUDGET_SLACK	1.1

void
pace_run_limiter_init(struct pace_run_limiter *w, struct pace_rules *rules,
    const struct pace_terms *terms, int family)
{
	const struct pace_link link = { .family = family };

	memset(w, 0, sizeof(*w));
	w->rules = rules;
	w->terms = terms;
	w->overhead = (uint32_t)pace_wire_bytes(&link, 1000) - 1000;
}

void
pace_run_limiter_terms(struct pace_run_limiter *w, const struct pace_terms *terms, bool drops)
{
	w->terms = terms;
	w->drops = drops;
}

bool
pace_run_limiter_passes(struct pace_run_limiter *w, size_t bytes, int64_t now_ns)
{
	return !w->running || (pace_bucket_afford(&w->frames[0], now_ns, 1) &&
	    pace_bucket_afford(&w->rate[0], now_ns, 8 * (double)(bytes + w->overhead)));
}

static int64_t
whole_ns(double ns)
{
	return ns < 9e18 ? (int64_t)ns : INT64_C(9000000000000000000);
}

/* The plan of one direction of TCP, in segments. */
static void
plan_of_tcp(const struct pace_run_limiter *w, const struct pace_tcp_params *t, bool down,
    struct pace_plan *p)
{
	double bytes = t->request_bytes > 0 ? pace_tcp_exchanged(t) :
	    t->length_bytes > 0 ? (double)t->length_bytes : (double)t->rate_bps / 8e9 * (double)t->duration_ns;

	memset(p, 0, sizeof(*p));
	p->size_bytes = pace_tcp_segment(t, t->reply_bytes > t->request_bytes);
	p->wire_bytes = p->size_bytes + w->overhead;
	p->down = down;
	p->reverse = t->reply_bytes > t->request_bytes;
	p->frames = p->burst_frames = t->streams * ceil(bytes / p->size_bytes);
	p->run_ns = p->burst_ns = t->duration_ns;
	/* without a rate it is not known in advance: the limit applies during the run */
	p->duration_ns = t->rate_bps > 0 ? t->duration_ns : 0;
	p->streams = t->streams;
}

/* Read the plan of one direction from a START.  The client may break it. */
static void
plan_of(const struct pace_run_limiter *w, const struct pace_msg_start *m, bool down,
    struct pace_plan *p)
{
	const struct pace_params *a = &m->ask;
	double spacing = (double)a->spacing / 4294967296.0, run;

	if (m->tcp.streams > 0) {
		plan_of_tcp(w, &m->tcp, down, p);
		return;
	}
	memset(p, 0, sizeof(*p));
	p->size_bytes = a->size_bytes;
	p->reverse = m->pings && m->reply_bytes > a->size_bytes;
	p->down = down;
	p->busy_poll = a->busy_poll && !p->down;	/* the receiver spins */
	p->stamp_nic = a->nic;
	if (p->reverse)
		p->size_bytes = m->reply_bytes;
	p->wire_bytes = p->size_bytes + w->overhead;
	p->records = a->record.room;
	p->frames = (double)a->count * (double)a->bursts;
	if (a->duration_ns > 0 && !m->pings)
		p->frames = spacing > 0 ? ceil((double)a->duration_ns / spacing) : 0;
	p->frames += m->pings || p->frames <= 0 ? 0 : (double)pace_params_omitted(a);
	run = a->duration_ns > 0 ? (double)a->duration_ns : (double)a->count *
	    (double)a->bursts * spacing + (double)a->burst_gap_ns * ((double)a->bursts - 1);
	run += m->pings ? 0 : (double)a->omit_ns;
	p->run_ns = whole_ns(run);
	/* Back to back the rate is not known in advance: the limit applies during the run. */
	p->duration_ns = spacing > 0 || m->pings ? p->run_ns : 0;
	p->burst_frames = a->duration_ns > 0 ? p->frames : (double)a->count;
	/* of all streams together */
	p->streams = a->streams;
	p->records *= a->streams;
	p->frames *= a->streams;
	p->burst_frames *= a->streams;
	p->burst_ns = a->duration_ns > 0 ? p->run_ns : whole_ns((double)a->count * spacing);
}

static struct pace_used
pay(struct pace_run_limiter *w, int64_t wall_ns)
{
	const int64_t *most = w->terms->limits.most;
	struct pace_used used = pace_rules_use(w->rules, w->terms, wall_ns / DAY_NS, w->unpaid);

	w->unpaid = 0;
	w->left = fmin(most[PACE_LIMIT_BUDGET] == PACE_NO_LIMIT ? INFINITY :
	    (double)most[PACE_LIMIT_BUDGET] - used.bytes,
	    most[PACE_LIMIT_NETWORK] == PACE_NO_LIMIT ? INFINITY :
	    (double)most[PACE_LIMIT_NETWORK] - used.network);
	return used;
}

/* True if the responder sends frames / receives them. */
static bool
goes_down(const struct pace_msg_start *m)
{
	return m->tcp.streams > 0 ? m->tcp.down : !m->pings && pace_params_goes_down(&m->ask);
}

static bool
goes_up(const struct pace_msg_start *m)
{
	return m->tcp.streams > 0 ? m->tcp.up : m->pings || pace_params_goes_up(&m->ask);
}

bool
pace_run_limiter_refuses(struct pace_run_limiter *w, const struct pace_msg_start *m,
    int64_t wall_ns, char *text, size_t size)
{
	double other_bytes = 0;
	struct pace_used used;
	struct pace_plan p;

	if (w->rules == NULL)
		return false;
	used = pay(w, wall_ns);
	for (int down = 0; down < 2; down++) {
		if (!(down != 0 ? goes_down(m) : goes_up(m)))
			continue;
		plan_of(w, m, down != 0, &p);
		w->asked_down = p.down;
		p.other_bytes = other_bytes;
		p.used_bytes = used.bytes;
		p.used_network = used.network;
		if (pace_limits_refuse(&w->terms->limits, &p, text, size))
			return true;
		other_bytes = p.frames * p.wire_bytes;
	}
	return false;
}

static int64_t
said(int64_t most)
{
	return most == PACE_NO_LIMIT ? 0 : most;
}

void
pace_run_limiter_allows(const struct pace_run_limiter *w, struct pace_msg_error *e)
{
	const int64_t *most = w->terms->limits.most;

	e->longest_ns = said(most[PACE_LIMIT_DURATION]);
	if (e->longest_ns > PACE_AT_MOST_NS)
		e->longest_ns = PACE_AT_MOST_NS;
	e->rate_bps = said(pace_limits_rate(&w->terms->limits, w->asked_down));
	e->frame_rate = said(most[PACE_LIMIT_FRAMES]);
	e->size_bytes = said(most[PACE_LIMIT_SIZE]);
	e->left_bytes = isinf(w->left) ? 0 : w->left < 1 ? 1 : (int64_t)w->left;
}

void
pace_run_limiter_begin(struct pace_run_limiter *w, const struct pace_msg_start *m, int64_t now_ns)
{
	const int64_t *most = w->terms->limits.most;
	struct pace_plan p;

	plan_of(w, m, !goes_up(m), &p);
	w->running = w->rules != NULL;
	w->up = goes_up(m);
	w->down = goes_down(m);
	w->why[0] = '\0';
	for (int down = 0; down < 2; down++) {
		pace_bucket_fill(&w->rate[down], pace_limits_rate(&w->terms->limits, down != 0),
		    now_ns);
		pace_bucket_fill(&w->frames[down], most[PACE_LIMIT_FRAMES], now_ns);
	}
	w->began_ns = now_ns;
	w->end_ns = INT64_MAX;
	now_ns += m->begin_in_ns;
	if (p.run_ns > 0)
		w->end_ns = whole_ns((double)now_ns + 10.0 * (double)p.run_ns + FAR_NS);
	if (most[PACE_LIMIT_DURATION] != PACE_NO_LIMIT) {
		int64_t end = whole_ns((double)now_ns + 1.1 * (double)most[PACE_LIMIT_DURATION] +
		    SLACK_NS);

		w->end_ns = end < w->end_ns ? end : w->end_ns;
	}
	w->seen = 0;
	w->most = 2 * (m->pings && p.frames > 0 ? p.frames :
	    ((double)m->limit + (double)pace_params_omitted(&m->ask)) * (double)p.streams) *
	    (w->up && w->down ? 2 : 1) + FAR_FRAMES;
	if (m->tcp.streams > 0 || (m->pings && p.frames <= 0))
		w->most = INFINITY;
}

void
pace_run_limiter_end(struct pace_run_limiter *w, int64_t wall_ns)
{
	w->running = false;
	if (w->rules != NULL && w->unpaid > 0)
		(void)pay(w, wall_ns);
}

static void
end_run(struct pace_run_limiter *w, enum pace_limit_kind k, bool down, const char *what)
{
	const struct pace_limits *l = &w->terms->limits;
	char most[32];

	pace_limit_print(k, k == PACE_LIMIT_RATE ? pace_limits_rate(l, down) : l->most[k], most,
	    sizeof(most));
	snprintf(w->why, sizeof(w->why), "rule '%s': the run was ended: %s %s%s", l->rule, what,
	    most, k == PACE_LIMIT_FRAMES ? " frames/s" : pace_limit_period(k));
}

/* True if the traffic exceeds the run's rates of this direction. */
static bool
too_fast(struct pace_run_limiter *w, bool down, double frames, double bytes, int64_t now_ns)
{
	const char *what = down ? "more was sent than its" : "more came than its";

	if (w->drops)
		return false;
	if (!pace_bucket_take(&w->rate[down], now_ns, 8 * bytes))
		end_run(w, PACE_LIMIT_RATE, down, what);
	else if (!pace_bucket_take(&w->frames[down], now_ns, frames))
		end_run(w, PACE_LIMIT_FRAMES, down, what);
	return w->why[0] != '\0';
}

/* True if the run lasts too long or has more frames than announced. */
static bool
too_long(struct pace_run_limiter *w, int64_t now_ns)
{
	const struct pace_limits *l = &w->terms->limits;

	if (now_ns > w->end_ns && now_ns - w->began_ns > l->most[PACE_LIMIT_DURATION])
		end_run(w, PACE_LIMIT_DURATION, false, "it lasted longer than its");
	else if (now_ns > w->end_ns)
		snprintf(w->why, sizeof(w->why), "rule '%s': the run was ended: it lasted far "
		    "longer than announced", l->rule);
	else if (w->seen > w->most)
		snprintf(w->why, sizeof(w->why), "rule '%s': the run was ended: it had far more "
		    "frames than announced", l->rule);
	return w->why[0] != '\0';
}

static bool
exceeds(double used, int64_t most)
{
	return most != PACE_NO_LIMIT && used > BUDGET_SLACK * (double)most;
}

static bool
too_dear(struct pace_run_limiter *w, int64_t now_ns, int64_t wall_ns)
{
	int64_t most = w->terms->limits.most[PACE_LIMIT_BUDGET];
	int64_t network = w->terms->limits.most[PACE_LIMIT_NETWORK];
	int64_t least = most < network ? most : network;
	struct pace_used used;

	if (least == PACE_NO_LIMIT || (now_ns - w->paid_ns < PAY_NS &&
	    w->unpaid < 0.01 * (double)least))
		return false;
	w->paid_ns = now_ns;
	used = pay(w, wall_ns);
	w->spent = exceeds(used.bytes, most) || exceeds(used.network, network);
	if (w->spent && w->running)
		end_run(w, exceeds(used.bytes, most) ? PACE_LIMIT_BUDGET : PACE_LIMIT_NETWORK,
		    false, "it used up its");
	return w->spent;
}

bool
pace_run_limiter_count(struct pace_run_limiter *w, const struct pace_traffic *l, int64_t now_ns,
    int64_t wall_ns)
{
	double in, out, frames[2] = { 0, 0 }, bytes;
	bool over, both = w->up && w->down;

	if (w->rules == NULL)
		return true;
	in = (double)(l->bytes + l->frames * w->overhead);
	out = (double)(l->out_bytes + l->out_frames * w->overhead);
	if (w->up)
		frames[0] = (double)(l->frames - l->pings);
	if (w->down)
		frames[1] = (double)(l->out_frames - l->pings);
	bytes = both ? in : in > out ? in : out;
	w->unpaid += (w->why[0] == '\0' ? in : 0) + out;
	over = too_dear(w, now_ns, wall_ns);
	if (!w->running)
		return true;
	w->seen += frames[0] + frames[1];
	over = over || (w->up && too_fast(w, false, frames[0], bytes, now_ns)) ||
	    (w->down && too_fast(w, true, frames[1], both ? out : bytes, now_ns)) ||
	    too_long(w, now_ns);
	if (over)
		w->running = false;
	return !over;
}
