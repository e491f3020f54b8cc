#include "config.h"

#include "run/plan.h"

#include <stdlib.h>

#include "core/order.h"
#include "core/schedule.h"
#include "core/wire.h"

#define TRAIN_MAX	64	/* longest train if --train was not given */

/* False after an error message. */
static bool
find_spacing(const struct pace_plan_cfg *cfg, int at, struct pace_params *a)
{
	int64_t ns;

	if (cfg->rate == NULL) {
		a->spacing = pace_spacing_from_ns(cfg->spacing->v[at]);
	} else {
		a->rate_bps = cfg->rate->v[at];
		a->spacing = pace_spacing_from_rate(a->size_bytes, a->rate_bps);
		if (a->spacing == 0) {
			pace_complain("--rate: %lld bit/s of %u-byte frames is a spacing of more "
			    "than 2 s; use a higher rate", (long long)a->rate_bps, a->size_bytes);
			return false;
		}
	}
	ns = pace_spacing_ns(a->spacing);
	if (ns > 0 && cfg->train > (uint64_t)(PACE_SPACING_MAX_NS / ns)) {
		pace_complain("--train: '%llu' frames at this spacing are sent less often than "
		    "every 2 s; use shorter trains", (unsigned long long)cfg->train);
		return false;
	}
	return true;
}

/* The points of one size and spacing: every code point with every number of streams. */
static size_t
variants(const struct pace_plan_cfg *cfg)
{
	return (size_t)cfg->dscp->n * (size_t)(cfg->streams != NULL ? cfg->streams->n : 1);
}

static bool
make_ask(const struct pace_plan_cfg *cfg, int size, int pace, int variant, struct pace_params *a)
{
	int streams = cfg->streams != NULL ? cfg->streams->n : 1;
	uint64_t most = PACE_FRAME_MAX / (uint64_t)cfg->size->v[size];

	*a = cfg->each;
	a->size_bytes = (uint32_t)cfg->size->v[size];
	a->dscp = (uint32_t)cfg->dscp->v[variant / streams];
	if (cfg->streams != NULL)
		a->streams = (uint32_t)cfg->streams->v[variant % streams];
	a->repeats = cfg->repeats;
	if (!find_spacing(cfg, pace, a))
		return false;
	a->train = cfg->train > 0 ? cfg->train : a->spacing > 0 ? 1 :
	    most > TRAIN_MAX ? TRAIN_MAX : most;
	return true;
}

/* Make one round of all points.  The order decides which of size and spacing is the outer loop. */
static bool
make_round(const struct pace_plan_cfg *cfg, struct pace_params *v)
{
	int paces = cfg->rate != NULL ? cfg->rate->n : cfg->spacing->n;
	bool by_size = cfg->order != PACE_ORDER_SPACING;
	int outer = by_size ? cfg->size->n : paces, inner = by_size ? paces : cfg->size->n;

	for (int i = 0; i < outer; i++)
		for (int j = 0; j < inner; j++)
			for (int k = 0; k < (int)variants(cfg); k++)
				if (!make_ask(cfg, by_size ? i : j, by_size ? j : i, k, v++))
					return false;
	return true;
}

struct pace_params *
pace_plan_make(const struct pace_plan_cfg *cfg, size_t *n)
{
	size_t paces = (size_t)(cfg->rate != NULL ? cfg->rate->n : cfg->spacing->n);
	size_t round = (size_t)cfg->size->n * paces * variants(cfg);
	struct pace_params *v;

	*n = round * cfg->repeats;
	if (round > PACE_PLAN_MAX || *n > PACE_PLAN_MAX) {
		pace_complain("%zu points are too many (at most %d)", *n, PACE_PLAN_MAX);
		return NULL;
	}
	v = calloc(*n, sizeof(*v));
	if (v == NULL) {
		pace_complain("out of memory");
		return NULL;
	}
	for (uint32_t r = 0; r < cfg->repeats; r++) {
		if (!make_round(cfg, v + r * round)) {
			free(v);
			return NULL;
		}
		for (size_t i = 0; i < round; i++)
			v[r * round + i].repeat = r;
		if (cfg->order == PACE_ORDER_SHUFFLE)
			pace_shuffle(v + r * round, round, sizeof(*v), cfg->seed + r);
	}
	return v;
}
