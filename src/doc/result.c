#include "doc/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "doc/hist_doc.h"
#include "doc/wire_check_doc.h"

void
pace_rx_result_reset(struct pace_rx_result *r)
{
	memset(r, 0, sizeof(*r));
	pace_hist_reset(&r->gap);
	pace_hist_reset(&r->gap_error);
	pace_hist_reset(&r->runs);
	pace_hist_reset(&r->distances);
	pace_hist_reset(&r->good_runs);
	pace_hist_reset(&r->extent);
	pace_hist_reset(&r->late_ns);
	pace_hist_reset(&r->owd);
	pace_hist_reset(&r->owd_scheduled);
	pace_hist_reset(&r->pdv);
	pace_hist_reset(&r->ipdv);
	pace_wire_check_reset(&r->wire);
	r->lens.count = r->lens_count;
}

int64_t
pace_clock_mid(const struct pace_clock *c)
{
	return c->from_ns + (c->to_ns - c->from_ns) / 2;
}

const char *const pace_verdict_names[] = { "paced", "degraded", "train" };
const char *const pace_engine_names[] = { "single", "segment", "sendmmsg" };
const char *const pace_catch_up_names[] = { "auto", "burst", "slip", "skip" };
const char *const pace_stamp_names[] = { NULL, "user", "kernel", "nic" };

const char *
pace_verdict_name(enum pace_verdict v)
{
	return pace_verdict_names[v];
}

const char *
pace_engine_name(enum pace_engine e)
{
	return pace_engine_names[e];
}

const char *
pace_catch_up_name(enum pace_catch_up c)
{
	return pace_catch_up_names[c];
}

const char *
pace_stamp_name(enum pace_stamp s)
{
	return s == PACE_STAMP_NONE ? "none" : pace_stamp_names[s];
}

void
pace_note(struct pace_notes *n, const char *code, const char *fmt, ...)
{
	char raw[2 * sizeof(n->v[0].text)];	/* cleaning only makes it shorter */
	va_list ap;

	for (int i = 0; i < n->n; i++)
		if (strcmp(n->v[i].code, code) == 0)
			return;
	if (n->n == PACE_NOTES)
		return;
	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	pace_clean(n->v[n->n].code, sizeof(n->v[0].code), code, strlen(code));
	pace_clean(n->v[n->n].text, sizeof(n->v[0].text), raw, strlen(raw));
	n->n++;
}

void
pace_point_notes(const struct pace_point *p, struct pace_notes *n)
{
	*n = p->notes;
	if (!p->has_rx)
		pace_note(n, "no_receipt",
		    "the responder's part of the result did not arrive");
}

struct pace_point *
pace_point_new(void)
{
	struct pace_point *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	pace_hist_reset(&p->tx.gap);
	pace_hist_reset(&p->tx.gap_error);
	pace_hist_reset(&p->tx.stack);
	pace_rx_result_reset(&p->rx);
	pace_wire_check_reset(&p->wire);
	p->ask.train = p->ask.bursts = 1;
	return p;
}

void
pace_point_free(struct pace_point *p)
{
	if (p == NULL)
		return;
	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	free(p);
}

static uint64_t
refusals(const struct pace_tx *t)
{
	uint64_t sum = 0;

	for (int i = 0; i < PACE_REFUSALS; i++)
		sum += t->refusals[i].frames;
	return sum;
}

static const char *
tx_broken(const struct pace_point *p)
{
	if (p->ledger.asked != p->tx.frames + p->tx.refused)
		return "frames asked for are not those sent and those refused";
	if (p->ledger.tx_refused != p->tx.refused)
		return "the ledger has another count of refused frames";
	if (refusals(&p->tx) != p->tx.refused)
		return "the reasons for refusals do not add up to the frames refused";
	if (!pace_hist_sums(&p->tx.gap) || !pace_hist_sums(&p->tx.gap_error) ||
	    !pace_hist_sums(&p->tx.stack))
		return "a histogram of departures does not sum to its count";
	return NULL;
}

/* Every place within its bounds, and the sum. */
static bool
ledger_sums(const struct pace_ledger *l, uint64_t lost)
{
	uint64_t sum = 0;

	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *s = &l->place[i];

		if (s->low > s->n || s->n > s->high || s->high > lost)
			return false;
		sum += s->n;
	}
	return sum == lost;
}

static const char *
rx_broken(const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;
	const struct pace_hist *h[] = { &r->gap, &r->gap_error, &r->runs,
	    &r->distances, &r->good_runs, &r->extent, &r->late_ns };

	if (r->frames != r->unique + r->duplicates)
		return "frames received are not the unique ones and the duplicates";
	if (p->tx.frames < r->unique || r->lost != p->tx.frames - r->unique)
		return "frames lost are not those sent less those received";
	if (r->socket_likely > r->socket_high)
		return "more frames are believed to have died in the socket than may have";
	if (!ledger_sums(&p->ledger, r->lost))
		return "the ledger's parts do not add up to the frames lost";
	for (size_t i = 0; i < sizeof(h) / sizeof(h[0]); i++)
		if (!pace_hist_sums(h[i]))
			return "a histogram of the receiver does not sum to its count";
	return NULL;
}

/* Of a train only the first frame has a delay: fewer than arrived is right. */
static const char *
delays_broken(const struct pace_point *p)
{
	const struct pace_rx_result *r = &p->rx;

	if (!pace_hist_sums(&r->owd) || !pace_hist_sums(&r->owd_scheduled) || !pace_hist_sums(&r->pdv) ||
	    !pace_hist_sums(&r->ipdv))
		return "a histogram of delays does not sum to its count";
	if (r->owd.stats.n != (r->has_owd ? r->pdv.stats.n : 0) ||
	    r->owd_scheduled.stats.n > r->owd.stats.n)
		return "delays and their variation are of different frames";
	if (r->pdv.stats.n + r->absurd_times > r->unique)
		return "more frames have a delay than arrived";
	if (r->ipdv.stats.n > 0 && r->ipdv.stats.n >= r->pdv.stats.n)
		return "there are more changes of the delay than delays";
	if (!p->owd_relative && (!r->has_owd || p->clock.fit.segments == 0))
		return "the delay is not relative, but the clocks are not known";
	if (r->records > p->ask.record.room)
		return "more frames were kept than asked for";
	return NULL;
}

static int64_t
earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static const char *
clock_broken(const struct pace_point *p)
{
	const struct pace_clock *c = &p->clock;
	const struct pace_clock_estimate *e = &c->fit;
	double bound_ns = 0;

	if (c->exchanges == 0)
		return e->segments == 0 ? NULL : "the clocks are known without an exchange";
	if (c->min_rtt_ns == PACE_NO_TIME || c->min_rtt_ns !=
	    earlier(c->before_ns, earlier(c->during_ns, c->after_ns)))
		return "the shortest round trip is that of no phase";
	if (p->has_rx && e->segments == 0)
		return "exchanges were answered and the clocks are not known";
	for (int i = 0; i < e->segments; i++)
		if (e->v[i].bound_ns > bound_ns)
			bound_ns = e->v[i].bound_ns;
	if (e->segments > 0 && (e->bound_ns > bound_ns || e->bound_ns < bound_ns ||
	    e->uncertainty_ns > bound_ns))
		return "the bound of the clocks is not the widest of its segments'";
	return NULL;
}

const char *
pace_point_broken(const struct pace_point *p)
{
	const char *why = tx_broken(p);

	if (why == NULL && p->has_wire)
		why = pace_wire_check_broken(&p->wire);
	if (why == NULL && p->has_rx && p->rx.has_wire)
		why = pace_wire_check_rx_broken(&p->rx.wire);
	if (why == NULL)
		why = clock_broken(p);
	if (why == NULL && p->has_rx)
		why = rx_broken(p);
	return why == NULL && p->has_rx ? delays_broken(p) : why;
}
