#include "doc/latency.h"

#include <stdlib.h>

#include "doc/hist_doc.h"

struct pace_latency *
pace_latency_new(void)
{
	struct pace_latency *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	pace_hist_reset(&p->rtt);
	pace_hist_reset(&p->kernel);
	pace_hist_reset(&p->network);
	pace_hist_reset(&p->residence);
	p->lens.count = p->lens_count;
	return p;
}

static const char *
counts_broken(const struct pace_latency *p)
{
	uint64_t tried = p->sent + p->refused;

	if (p->sent != p->received + p->timeouts)
		return "requests sent are not those answered and those timed out";
	if (p->late_replies > p->timeouts)
		return "more replies came late than requests timed out";
	if (p->late_requests > p->sent)
		return "more requests were late than were sent";
	if (p->unstamped > p->received)
		return "more replies have no stamp than were received";
	if (tried > p->ask.count || (tried < p->ask.count && !p->interrupted &&
	    p->verdict != PACE_DEGRADED))
		return "requests asked for are not those sent and those refused";
	if (p->verdict != PACE_PACED && p->verdict != PACE_DEGRADED)
		return "the verdict is not one of a latency probe";
	return NULL;
}

static const char *
lens_broken(const struct pace_latency *p)
{
	const struct pace_linear_hist *l = &p->lens;

	if (l->bins != p->ask.lens.bins)
		return "the linear histogram has not the bins asked for";
	if (l->bins == 0)
		return NULL;
	if (l->low != p->ask.lens.low || l->width != p->ask.lens.width)
		return "the linear histogram is not where it was asked for";
	if (pace_linear_hist_total(l) != p->rtt.stats.n)
		return "the linear histogram does not hold the round trips";
	return NULL;
}

static const char *
hists_broken(const struct pace_latency *p)
{
	const struct pace_hist *h[] = { &p->rtt, &p->kernel, &p->network, &p->residence };

	if (p->rtt.stats.n != p->received)
		return "there are not as many round trips as replies";
	for (size_t i = 0; i < sizeof(h) / sizeof(h[0]); i++) {
		if (h[i]->stats.n > p->received)
			return "a histogram holds more values than there were replies";
		if (!pace_hist_sums(h[i]))
			return "a histogram does not sum to its count";
	}
	return lens_broken(p);
}

const char *
pace_latency_broken(const struct pace_latency *p)
{
	const char *why = counts_broken(p);

	return why != NULL ? why : hists_broken(p);
}

void
pace_latency_fit(struct pace_latency_fits *f, const double *size_bytes,
    const double *min_ns, const double *median_ns, size_t n)
{
	pace_linefit(&f->min, size_bytes, min_ns, n);
	pace_linefit(&f->median, size_bytes, median_ns, n);
}
