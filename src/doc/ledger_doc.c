#include "doc/ledger_doc.h"

#include <errno.h>
#include <string.h>

#include "doc/loss_attribution.h"
#include "doc/params.h"

/* What is written: a place is not known where the receiver's result is missing. */
struct ledger_doc {
	struct pace_ledger l;
	const struct pace_point *p;
};

#define T	struct ledger_doc

static void
put_not_due(struct pace_jw *w, const char *name, const void *s)
{
	const T *t = s;

	pace_jw_count(w, name, t->p->interrupted ? 0 :
	    pace_params_not_due(&t->p->ask, t->l.asked, t->p->tx.skipped));
}

/* Of the places that are not exact. */
static void
put_bounds(struct pace_jw *w, const char *name, const void *s)
{
	const T *t = s;
	struct pace_jw bounds = pace_jw_begin();

	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *share = &t->p->ledger.place[i];

		if (share->known && share->low != share->high)
			pace_jw_put(&bounds, pace_place_name((enum pace_place)i), json_pack("[o, o]",
			    pace_js_count(share->low), pace_js_count(share->high)));
	}
	pace_jw_put(w, name, bounds.o);
}

static bool
read_bounds(struct pace_share *s, const json_t *pair)
{
	const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);

	if (!json_is_integer(low) || !json_is_integer(high) || json_array_size(pair) != 2 ||
	    json_integer_value(low) < 0 || json_integer_value(high) < 0)
		return false;
	s->low = (uint64_t)json_integer_value(low);
	s->high = (uint64_t)json_integer_value(high);
	return s->known;
}

static void
get_bounds(struct pace_jr *j, const char *name, void *s)
{
	struct pace_ledger *l = s;
	const json_t *bounds = pace_jr_get(j, name);

	j->bad |= !json_is_object(bounds);
	for (int i = 0; i < PACE_PLACES && l->place[PACE_NETWORK].known; i++) {
		struct pace_share *share = &l->place[i];
		const json_t *pair = json_object_get(bounds, pace_place_name((enum pace_place)i));

		share->low = share->high = share->n;
		j->bad |= pair != NULL && !read_bounds(share, pair);
	}
}

/* What the interfaces of the session counted, whosever traffic it was. */
static void
put_seen(struct pace_jw *w, const char *name, const void *s)
{
	const T *t = s;
	struct pace_jw seen = pace_jw_begin();
	uint64_t in, out;
	bool known = pace_counters_seen(&t->p->ours, &in, &out);

	pace_jw_put(&seen, "tx_nic", known ? pace_js_count(out) : json_null());
	known = pace_counters_seen(&t->p->theirs, &in, &out);
	pace_jw_put(&seen, "rx_nic", known ? pace_js_count(in) : json_null());
	pace_jw_put(w, name, seen.o);
}

static void
put_diagnosis(struct pace_jw *w, const char *name, const void *s)
{
	char text[512];

	pace_jw_text(w, name, pace_loss_attribution_say(((const T *)s)->p, text, sizeof(text)));
}

#define PLACE(i)	PACE_COUNT(T, l.place[i].n), .when = PACE_F_OR_NULL, \
			PACE_F_HAS(T, l.place[i].known)

static const struct pace_field ledger_rows[] = {
	{ "asked", PACE_COUNT(T, l.asked), .text = "Frames that were to be sent." },
	{ "tx_refused", PACE_COUNT(T, l.tx_refused),
	    .text = "Of these, not accepted by the sender's kernel." },
	{ "not_due", PACE_OWN(put_not_due, NULL), .flags = PACE_F_LAX, .type = PACE_TYPE_COUNT,
	    .text = "Of a run by time, frames whose moment the schedule was moved past; not in "
	    "`asked`." },
	{ "rx_checksum", PLACE(PACE_RX_CHECKSUM),
	    .text = "Arrived with a wrong UDP checksum and dropped for that: the count of the "
	    "responder's host, held at what the session's socket dropped." },
	{ "rx_socket", PLACE(PACE_RX_SOCKET),
	    .text = "Lost because the responder's socket buffer was full. Its bounds are 0 and "
	    "`rx.socket_high`." },
	{ "rx_late", PLACE(PACE_RX_LATE),
	    .text = "Arrived so late that they could not be told from copies." },
	{ "rx_ip", PLACE(PACE_RX_IP),
	    .text = "Reached the IP layer of the responder's host and nobody above it: dropped by "
	    "a filter of its own, discarded, or parts of a datagram that never was whole." },
	{ "rx_ingress", PLACE(PACE_RX_INGRESS),
	    .text = "Counted by the responder's interface and never seen by its IP layer: dropped "
	    "by a tc filter, XDP, a filter at ingress, a bridge." },
	{ "rx_softnet", PLACE(PACE_RX_SOFTNET),
	    .text = "Dropped because the backlog of a core was full." },
	{ "rx_nic", PLACE(PACE_RX_NIC),
	    .text = "Dropped by the responder's interface, its ring or its driver." },
	{ "tx_qdisc", PLACE(PACE_TX_QDISC),
	    .text = "Dropped by a queue discipline of the sender after send(2) had taken them." },
	{ "tx_nic", PLACE(PACE_TX_NIC), .text = "Dropped by the sender's interface." },
	{ "network", PLACE(PACE_NETWORK),
	    .text = "Lost elsewhere, or where nothing counts: nothing of it is sure then." },
	{ "bounds", PACE_OWN(put_bounds, get_bounds),
	    .type = "'type': 'object', 'additionalProperties': { 'type': 'array', 'minItems': 2, "
	    "'maxItems': 2, 'items': { " PACE_TYPE_COUNT " } }",
	    .text = "Places that are not exact, each with [low, high]; the truth is never outside. "
	    "The figure of such a place is the best estimate. A place that is not here is "
	    "exact." },
	{ "seen", PACE_OWN(put_seen, NULL),
	    .type = "'type': 'object', 'required': ['tx_nic', 'rx_nic'], "
	    "'additionalProperties': { " PACE_TYPE_COUNT_OR_NULL " }",
	    .text = "`tx_nic` and `rx_nic`: frames that the session's interface sent and received "
	    "meanwhile, of all traffic." },
	{ "diagnosis", PACE_OWN(put_diagnosis, NULL), .type = "'type': 'string'",
	    .text = "A sentence: where most of them died, and what can be done." },
	{ .name = NULL },
};

const struct pace_fields pace_ledger_fields = { .name = "ledger", .row = ledger_rows,
    .text = "asked = tx.frames + tx_refused; the other places add up to loss.frames.",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT_OR_NULL " }" };

json_t *
pace_ledger_to_json(const struct pace_point *p)
{
	struct ledger_doc t = { .l = p->ledger, .p = p };

	if (!p->has_rx)
		memset(t.l.place, 0, sizeof(t.l.place));
	return pace_fields_to_json(&pace_ledger_fields, &t);
}

int
pace_ledger_from_json(struct pace_ledger *l, const json_t *o, bool has_rx)
{
	struct ledger_doc t = { .p = NULL };
	bool good = pace_fields_from_json(&pace_ledger_fields, &t, o);

	if (!has_rx)
		memset(t.l.place, 0, sizeof(t.l.place));
	*l = t.l;
	return good && (!has_rx || l->place[PACE_NETWORK].known) ? 0 : -EPROTO;
}
