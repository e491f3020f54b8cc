/*
 * Fuzzes the responder's part of a result, as a responder may forge it.  Checks: an accepted part
 * keeps its identities; after writing it is accepted again and is the same.
 */
#include "core/record.h"
#include "doc/hist_doc.h"
#include "doc/rx_result_doc.h"
#include "fuzz.h"
#include "mutate_json.h"
#include "same.h"

static struct pace_rx_result rx_result;
static struct pace_counters counters;

static void
check_hist(const struct pace_hist *h)
{
	struct pace_bin bin;
	uint64_t sum = 0;
	int iter = 0;

	while (pace_hist_next(h, &iter, &bin))
		sum += bin.count;
	MUST(sum == h->stats.n);
	if (h->stats.n == 0)
		return;
	MUST(h->stats.min <= h->stats.max && h->clipped <= h->stats.n);
	MUST(isfinite(pace_stats_mean(&h->stats)) && isfinite(pace_stats_stddev(&h->stats)));
	for (double q = 0.001; q < 1; q += 0.0998) {
		int64_t v = pace_hist_quantile(h, q);

		MUST(h->stats.min <= v && v <= h->stats.max);
	}
}

static void
check_identities(const struct pace_rx_result *r)
{
	const struct pace_hist *h[] = { &r->gap, &r->gap_error, &r->runs,
	    &r->loss_distances, &r->loss_free_runs, &r->extent, &r->late_ns, &r->owd,
	    &r->owd_scheduled, &r->pdv, &r->ipdv };
	uint64_t degrees = 0;

	MUST(r->frames == r->unique + r->duplicates);
	MUST(r->lost <= UINT64_MAX - r->unique);
	MUST(r->reordered <= r->unique && r->replicated <= r->duplicates);
	MUST(r->corrupt <= r->frames && r->unstamped <= r->frames);
	MUST(isfinite(r->user_rate_bps) && isfinite(r->wire_rate_bps));
	MUST(r->duration_ns >= 0);
	for (size_t i = 0; i < sizeof(h) / sizeof(h[0]); i++)
		check_hist(h[i]);
	for (int i = 0; i <= PACE_SEQ_DEGREES; i++) {
		MUST(r->degree[i] <= r->reordered);
		degrees += r->degree[i];
	}
	MUST(degrees == r->reordered);
	MUST(r->linear.bins <= PACE_LINEAR_HIST_MAX_BINS && r->linear.count == r->linear_counts);
	MUST(r->linear.bins == 0 || pace_linear_hist_total(&r->linear) == r->gap.stats.n);
}

static void
check_delays(const struct pace_rx_result *r)
{
	MUST(r->pdv.stats.n <= r->unique && r->invalid_timestamps <= r->unique);
	MUST(r->pdv.stats.n == 0 || r->ipdv.stats.n < r->unique);
	MUST(r->owd.stats.n == (r->has_owd ? r->pdv.stats.n : 0));
	MUST(r->owd_scheduled.stats.n <= r->owd.stats.n);
	MUST(r->pdv.stats.n == 0 || r->pdv.stats.min >= 0);
	MUST(r->jitter_ns >= 0 && r->jitter_ns <= r->jitter_max_ns && isfinite(r->jitter_max_ns));
	MUST(pace_records_memory(r->records) <= UINT32_MAX);
	MUST(r->clock.known || !r->clock.synchronised);
}

static void
check_again(bool verify)
{
	char *text = fuzz_text(pace_rx_result_to_json(&rx_result, &counters, verify));
	json_t *first = fuzz_parse(text), *second;

	MUST(first != NULL);
	MUST(pace_rx_result_from_json(&rx_result, &counters, first, verify) == 0);
	second = pace_rx_result_to_json(&rx_result, &counters, verify);
	MUST(same_json(first, second));
	json_decref(first);
	json_decref(second);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *j = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (j == NULL)
		return 0;
	for (int verify = 0; verify <= 1; verify++) {
		if (pace_rx_result_from_json(&rx_result, &counters, j, verify) != 0)
			continue;
		check_identities(&rx_result);
		check_delays(&rx_result);
		check_again(verify);
	}
	json_decref(j);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return mutate_json(data, size, max, 0, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_json(a, asize, b, bsize, out, max, 0, &c);
}
