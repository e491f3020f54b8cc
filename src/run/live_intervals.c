#include "config.h"

#include "run/live_intervals.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/rates.h"
#include "doc/js.h"
#include "doc/params.h"
#include "out/json.h"
#include "out/text.h"

/* --- the measuring thread --------------------------------------------------------------- */

/* Frames that have left; of several streams, of all. */
static uint64_t
sent_so_far(const struct pace_point *p)
{
	uint64_t n = 0;

	if (p->streams == NULL)
		return p->tx.frames;
	for (uint32_t i = 0; i < p->ask.streams; i++)
		n += p->streams[i]->tx.frames;
	return n;
}

/* The sender's state belongs to the time of the request: the answer is read a little later. */
static void
on_asked(void *ctx, int64_t now_ns)
{
	struct pace_live_intervals *l = ctx;

	l->asked_ns = now_ns;
	l->sent = l->counts_sent ? sent_so_far(l->point) : UINT64_MAX;
}

static bool
on_report(void *ctx, const char *body, size_t len, int64_t now_ns)
{
	struct pace_live_intervals *l = ctx;
	uint64_t put = atomic_load_explicit(&l->put, memory_order_relaxed);
	struct pace_live_report *r = &l->ring[put % PACE_LIVE_REPORTS];
	int64_t begin_ns;

	if (put - atomic_load_explicit(&l->got, memory_order_acquire) >= PACE_LIVE_REPORTS ||
	    len > sizeof(r->body))
		return false;		/* the next one has its counts */
	begin_ns = l->point->clock.from_ns + l->ask.omit_ns;
	r->asked_ns = l->asked_ns - begin_ns;
	r->came_ns = now_ns - begin_ns;
	r->sent = l->sent;
	r->own = l->own.run;
	r->len = len;
	memcpy(r->body, body, len);
	atomic_store_explicit(&l->put, put + 1, memory_order_release);
	return true;
}

/* --- the thread that prints ----------------------------------------------------------------- */

static json_t *
row_to_json(const struct pace_live_interval *v)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_text(&w, "direction", pace_direction_names[v->direction]);
	pace_jw_put(&w, "from_ns", json_integer(v->from_ns));
	pace_jw_put(&w, "to_ns", json_integer(v->to_ns));
	pace_jw_put(&w, "sent", v->sent != UINT64_MAX ? json_integer((json_int_t)v->sent) :
	    json_null());
	pace_jw_count(&w, "received", v->received);
	pace_jw_put(&w, "lost", json_integer(v->lost));
	pace_jw_count(&w, "socket_lost", v->socket_lost);
	pace_jw_real(&w, "user_rate_bps", v->user_rate_bps);
	return w.o;
}

/* Print a row, or write an event, of what came since the last report. */
static void
put_row(struct pace_live_intervals *l, enum pace_direction way, const struct pace_live_sum *now)
{
	struct pace_live_sum *last = &l->last[way];
	const struct pace_tally t = pace_tally_since(&now->t, &last->t);
	const int64_t ns = now->at_ns - last->at_ns;
	const struct pace_live_interval v = { .direction = way, .from_ns = last->at_ns,
	    .to_ns = now->at_ns, .sent = now->sent == UINT64_MAX ? UINT64_MAX :
	    now->sent > last->sent ? now->sent - last->sent : 0,
	    .received = t.frames, .lost = t.lost, .socket_lost = t.socket_lost_likely,
	    .user_rate_bps = ns > 0 ? (double)t.bytes * 8e9 / (double)ns : 0 };

	if (ns <= 0)
		return;
	if (l->sink->jsonl != NULL)
		pace_sink_fail(l->sink, pace_jsonl_point(l->sink->jsonl, "interval", l->index,
		    row_to_json(&v), NULL), "--jsonl");
	if (!l->quiet && isatty(STDERR_FILENO)) {
		fputs("\r\033[K", stderr);
		(void)pace_text_interval(stderr, &l->ask, l->headed ? &v : NULL, l->sink->utf8);
		if (!l->headed)
			(void)pace_text_interval(stderr, &l->ask, &v, l->sink->utf8);
		l->headed = true;
	}
	*last = *now;
}

static void
take_report(struct pace_live_intervals *l, const struct pace_live_report *i)
{
	const bool down = l->ask.direction == PACE_DOWN;
	json_t *body = pace_js_parse(i->body, i->len, NULL);
	struct pace_report r;

	if (body != NULL && pace_report_read(body, &r) == 0) {
		/* The receiver's clock.  What it shows at the begin is known from the first report,
		 * as exactly as its request was quick. */
		if (l->theirs_ns == 0)
			l->theirs_ns = r.at_ns - i->asked_ns;
		if (!down)
			put_row(l, PACE_UP, &(struct pace_live_sum){ r.at_ns - l->theirs_ns,
			    i->sent, r.run });
		if (down || l->ask.two_way)
			put_row(l, PACE_DOWN, &(struct pace_live_sum){ i->came_ns,
			    r.run.sent_frames, i->own });
	}
	json_decref(body);
}

static void
print_rows(void *ctx)
{
	struct pace_live_intervals *l = ctx;
	uint64_t got = atomic_load_explicit(&l->got, memory_order_relaxed);

	for (; got < atomic_load_explicit(&l->put, memory_order_acquire); got++) {
		take_report(l, &l->ring[got % PACE_LIVE_REPORTS]);
		atomic_store_explicit(&l->got, got + 1, memory_order_release);
	}
}

/* --- a point ------------------------------------------------------------------------------ */

void
pace_live_intervals_set(struct pace_live_intervals *l, const struct pace_point *p, size_t index,
    struct pace_client *c, struct pace_show *show)
{
	const bool wanted = l->sink->jsonl != NULL || (!l->quiet && isatty(STDERR_FILENO));

	c->watching = NULL;
	show->rows = NULL;
	if (!wanted || p->ask.interval_ns < PACE_REPORT_NS)
		return;
	l->watching = (struct pace_watching){ .report_ns = p->ask.interval_ns,
	    .ping_ns = PACE_SENDER_PING_NS, .counts_only = true,
	    .asked = on_asked, .report = on_report, .own = &l->own, .ctx = l };
	l->point = p;
	l->ask = p->ask;
	l->index = index;
	l->counts_sent = pace_threads_of(c->threads, p->ask.streams) <= 1;
	l->headed = false;
	l->theirs_ns = 0;
	memset(l->last, 0, sizeof(l->last));
	atomic_store(&l->got, atomic_load(&l->put));
	c->watching = &l->watching;
	show->rows = print_rows;
	show->rows_ctx = l;
}
