#include "doc/tx_result_doc.h"

#include <errno.h>
#include <string.h>

#include "core/sparse.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/field.h"
#include "doc/point_doc.h"
#include "doc/wire_check_doc.h"

#define R		struct pace_tx_result
#define TIME_MAX	(INT64_C(1) << 60)
#define ERRNO_MAX	4095

static const struct pace_fields fields = { .row = PACE_FIELDS(
	{ "asked", PACE_COUNT(R, asked) },
	{ "due_ns", PACE_INT(R, due_ns), .low = -TIME_MAX, .high = TIME_MAX },
	{ "failed", PACE_INT(R, failed), .high = ERRNO_MAX },
	{ "lease_lost", PACE_BOOL(R, lease_lost) },
	{ "wall_clock", PACE_OBJECT(R, clock, pace_clock_state_fields), .when = PACE_F_OR_NULL,
	    PACE_F_HAS(R, clock.known) },
) };

/* Members that are not in a result document. */
static const struct pace_fields more_fields = { .row = PACE_FIELDS(
	{ "near_gaps", PACE_COUNT(struct pace_tx, near_gaps) },
) };

json_t *
pace_tx_result_to_json(const struct pace_tx_result *r, const struct pace_tx *tx,
    const struct pace_counters *c)
{
	struct pace_jw w = { .o = pace_fields_to_json(&fields, r) };

	pace_fields_put(&w, &more_fields, tx);
	pace_jw_put(&w, "tx", pace_fields_to_json(&pace_tx_fields, tx));
	pace_jw_put(&w, "cpu", pace_cpu_to_json(c));
	pace_jw_put(&w, "counters", pace_counters_to_json(c, tx->bytes));
	if (r->has_wire)
		pace_jw_put(&w, "wire", pace_wire_check_to_json(&r->wire, tx->frames));
	return w.o;
}

static uint64_t
refusals(const struct pace_tx *tx)
{
	uint64_t n = 0;

	for (int i = 0; i < PACE_REFUSALS; i++)
		n += tx->refusals[i].frames;
	return n;
}

int
pace_tx_result_from_json(struct pace_tx_result *r, struct pace_tx *tx, struct pace_counters *c,
    const json_t *o)
{
	const json_t *wire = json_object_get(o, "wire");

	pace_sparse_zero(r, sizeof(*r));
	pace_sparse_zero(tx, sizeof(*tx));
	pace_tx_reset_hists(tx);
	if (!pace_fields_from_json(&fields, r, o) || !pace_fields_from_json(&more_fields, tx, o) ||
	    !pace_fields_from_json(&pace_tx_fields, tx, json_object_get(o, "tx")))
		return -EPROTO;
	if (r->asked != tx->frames + tx->refused || refusals(tx) != tx->refused ||
	    tx->near_gaps > tx->gap_error.stats.n || tx->gap.stats.n > tx->frames)
		return -EPROTO;
	r->has_wire = wire != NULL;
	if (r->has_wire && pace_wire_check_from_json(&r->wire, tx->frames, wire) != 0)
		return -EPROTO;
	return pace_counters_from_json(c, json_object_get(o, "cpu"),
	    json_object_get(o, "counters"));
}
