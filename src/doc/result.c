#include "doc/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"

void
pace_receipt_reset(struct pace_receipt *r)
{
	memset(r, 0, sizeof(*r));
	pace_hist_reset(&r->gap);
	pace_hist_reset(&r->gap_error);
	pace_hist_reset(&r->runs);
	pace_hist_reset(&r->distances);
	pace_hist_reset(&r->good_runs);
	pace_hist_reset(&r->extent);
	pace_hist_reset(&r->late_ns);
	r->lens.count = r->lens_count;
}

const char *
pace_verdict_name(enum pace_verdict v)
{
	static const char *const names[] = { "paced", "degraded", "train" };

	return names[v];
}

const char *
pace_engine_name(enum pace_engine e)
{
	static const char *const names[] = { "single", "segment", "sendmmsg" };

	return names[e];
}

const char *
pace_catch_up_name(enum pace_catch_up c)
{
	static const char *const names[] = { "auto", "burst", "slip", "skip" };

	return names[c];
}

const char *
pace_stamp_name(enum pace_stamp s)
{
	static const char *const names[] = { "none", "user", "kernel", "nic" };

	return names[s];
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
	pace_receipt_reset(&p->rx);
	p->ask.train = p->ask.bursts = 1;
	return p;
}

static bool
hist_sums(const struct pace_hist *h)
{
	struct pace_bin bin;
	uint64_t sum = 0;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin))
		sum += bin.count;
	return sum == h->stats.n;
}

static const char *
tx_broken(const struct pace_point *p)
{
	if (p->ledger.asked != p->tx.frames + p->tx.refused)
		return "frames asked for are not those sent and those refused";
	if (p->ledger.tx_refused != p->tx.refused)
		return "the ledger has another count of refused frames";
	if (!hist_sums(&p->tx.gap) || !hist_sums(&p->tx.gap_error) ||
	    !hist_sums(&p->tx.stack))
		return "a histogram of departures does not sum to its count";
	return NULL;
}

static const char *
rx_broken(const struct pace_point *p)
{
	const struct pace_receipt *r = &p->rx;
	const struct pace_hist *h[] = { &r->gap, &r->gap_error, &r->runs,
	    &r->distances, &r->good_runs, &r->extent, &r->late_ns };

	if (r->frames != r->unique + r->duplicates)
		return "frames received are not the unique ones and the duplicates";
	if (p->tx.frames < r->unique || r->lost != p->tx.frames - r->unique)
		return "frames lost are not those sent less those received";
	if (p->ledger.rx_checksum + p->ledger.rx_socket + p->ledger.network != r->lost)
		return "the ledger's parts do not add up to the frames lost";
	for (size_t i = 0; i < sizeof(h) / sizeof(h[0]); i++)
		if (!hist_sums(h[i]))
			return "a histogram of the receiver does not sum to its count";
	return NULL;
}

const char *
pace_point_broken(const struct pace_point *p)
{
	const char *why = tx_broken(p);

	return why == NULL && p->has_rx ? rx_broken(p) : why;
}
