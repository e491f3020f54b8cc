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
	pace_hist_reset(&p->there);
	pace_hist_reset(&p->back);
	p->linear.count = p->linear_counts;
	return p;
}

void
pace_latency_add(struct pace_latency *p, int64_t rtt_ns)
{
	p->received++;
	pace_hist_add(&p->rtt, rtt_ns);
	if (p->linear.bins > 0)
		pace_linear_hist_add(&p->linear, rtt_ns);
}

void
pace_latency_list(struct pace_latency *p, int64_t sent_ns, int64_t rtt_ns)
{
	if (!p->lists || p->n_listed == PACE_LISTED_MAX)
		return;
	if (p->n_listed == 0)
		p->listed_ns = sent_ns;
	p->listed[p->n_listed++] = (struct pace_listed){ .sent_ns = sent_ns - p->listed_ns,
	    .rtt_ns = rtt_ns };
}

static const char *
counts_broken(const struct pace_latency *p)
{
	uint64_t tried = p->sent + p->refused;

	if (p->sent != p->received + p->timeouts)
		return "requests sent are not the sum of those answered and those timed out";
	if (p->late_replies > p->timeouts)
		return "there are more late replies than timeouts";
	if (p->late_requests > p->sent)
		return "there are more late requests than sent ones";
	if (p->unstamped > p->received)
		return "there are more replies without a stamp than replies";
	if (tried > p->ask.count || (tried < p->ask.count && !p->interrupted &&
	    p->verdict != PACE_DEGRADED))
		return "requests requested are not the sum of those sent and those refused";
	if (p->verdict != PACE_PACED && p->verdict != PACE_DEGRADED)
		return "the verdict is not one of a latency probe";
	return NULL;
}

static const char *
requests_broken(const struct pace_latency *p)
{
	const struct pace_request_counts *c = &p->requests;

	if (c->arrived + p->lost_there != p->sent)
		return "requests sent are not the sum of those that arrived and those lost";
	if (p->lost_there + c->unanswered + p->lost_back != p->timeouts - p->late_replies)
		return "losses by direction are not the sum of the losses";
	return NULL;
}

static const char *
lens_broken(const struct pace_latency *p)
{
	const struct pace_linear_hist *l = &p->linear;

	if (l->bins != p->ask.linear.bins)
		return "the linear histogram does not have the requested number of bins";
	if (l->bins == 0)
		return NULL;
	if (l->low != p->ask.linear.low || l->width != p->ask.linear.width)
		return "the linear histogram does not have the requested range";
	if (pace_linear_hist_total(l) != p->rtt.stats.n)
		return "the linear histogram does not hold all round trips";
	return NULL;
}

static const char *
list_broken(const struct pace_latency *p)
{
	uint64_t answered = 0;

	for (int i = 0; i < p->n_listed; i++)
		answered += p->listed[i].rtt_ns != PACE_NO_FIGURE;
	return p->n_listed > 0 && ((uint64_t)p->n_listed != p->sent || answered != p->received) ?
	    "the list does not hold all requests and replies" : NULL;
}

const char *
pace_latency_broken(const struct pace_latency *p)
{
	const struct pace_hist *h[] = { &p->rtt, &p->kernel, &p->network, &p->residence,
	    &p->there, &p->back };
	const char *why = counts_broken(p);

	if (why == NULL && p->rtt.stats.n != p->received)
		why = "there are not as many round trips as replies";
	for (size_t i = 0; why == NULL && i < sizeof(h) / sizeof(h[0]); i++)
		why = h[i]->stats.n > p->received ?
		    "a histogram holds more values than there were replies" :
		    !pace_hist_sums(h[i]) ? "a histogram does not sum to its count" : NULL;
	if (why == NULL)
		why = list_broken(p);
	if (why == NULL && p->has_requests)
		why = requests_broken(p);
	if (why == NULL && p->by_stamp)
		why = pace_stamp_broken(&p->stamp, p->timeouts - p->late_replies);
	return why != NULL ? why : lens_broken(p);
}

void
pace_latency_fit(struct pace_latency_fits *f, const double *size_bytes,
    const double *min_ns, const double *median_ns, size_t n)
{
	pace_linefit(&f->min, size_bytes, min_ns, n);
	pace_linefit(&f->median, size_bytes, median_ns, n);
}
