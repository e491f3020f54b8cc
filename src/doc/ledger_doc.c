#include "doc/ledger_doc.h"

#include <errno.h>
#include <string.h>

#include "doc/loss_attribution.h"
#include "doc/params.h"

/* The written form: without the receiver's result no location is known. */
struct ledger_doc {
	struct pace_ledger l;
	const struct pace_point *p;
	uint64_t	unscheduled;
	uint64_t	tx_nic, rx_nic;	/* all frames that the session's interfaces counted, of
					 * any origin */
	bool		has_tx_nic, has_rx_nic;
	char		diagnosis[512];
};

#define T	struct ledger_doc

/* Write the bounds of the locations that are not exact. */
static void
put_bounds(struct pace_jw *w, const char *name, const void *s)
{
	const T *t = s;
	struct pace_jw bounds = pace_jw_begin();

	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *share = &t->p->ledger.place[i];

		if (share->known && share->low != share->high)
			pace_jw_put(&bounds, pace_place_name((enum pace_place)i),
			    json_pack("[o, o]", pace_js_count(share->low),
			    pace_js_count(share->high)));
	}
	pace_jw_put(w, name, bounds.o);
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
		int64_t v[2] = { (int64_t)share->n, (int64_t)share->n };

		j->bad |= pair != NULL && (!pace_js_integers(pair, v, 2) || v[0] < 0 || v[1] < 0 ||
		    !share->known);
		share->low = (uint64_t)v[0];
		share->high = (uint64_t)v[1];
	}
}

static const struct pace_fields interface_frames_fields = { .row = PACE_FIELDS(
	{ "tx_nic", PACE_COUNT(T, tx_nic), .when = PACE_F_OR_NULL, PACE_F_HAS(T, has_tx_nic) },
	{ "rx_nic", PACE_COUNT(T, rx_nic), .when = PACE_F_OR_NULL, PACE_F_HAS(T, has_rx_nic) },
) };

#define PLACE(i)	PACE_COUNT(T, l.place[i].n), .when = PACE_F_OR_NULL, \
			PACE_F_HAS(T, l.place[i].known)

const struct pace_fields pace_ledger_fields = { .name = "ledger",
    .text = "asked = tx.frames + tx_refused; the locations sum to loss.frames.",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT_OR_NULL " }", .row = PACE_FIELDS(
	{ "asked", PACE_COUNT(T, l.asked), .text = "Frames to be sent." },
	{ "tx_refused", PACE_COUNT(T, l.tx_refused),
	    .text = "Frames that the sender's kernel refused." },
	{ "unscheduled", PACE_COUNT(T, unscheduled), .flags = PACE_F_LAX | PACE_F_WRITTEN,
	    .type = PACE_TYPE_COUNT, .text = "Frames of a run with a duration that never came due, "
	    "because the schedule was moved past its end; not in `asked`." },
	{ "rx_checksum", PLACE(PACE_RX_CHECKSUM),
	    .text = "Dropped for a wrong UDP checksum: the count of the receiver's host, limited "
	    "to the drops of the session's socket." },
	{ "rx_socket", PLACE(PACE_RX_SOCKET),
	    .text = "Dropped because the receiver's socket buffer was full. Its bounds are 0 and "
	    "`rx.socket_lost_max`." },
	{ "rx_late", PLACE(PACE_RX_LATE),
	    .text = "Arrived so late that they may be duplicates." },
	{ "rx_ip", PLACE(PACE_RX_IP),
	    .text = "Reached the IP layer of the receiver's host but no socket: dropped by the "
	    "host's own filter, discarded, or fragments of an incomplete datagram." },
	{ "rx_ingress", PLACE(PACE_RX_INGRESS),
	    .text = "Counted by the receiver's interface but not by its IP layer: dropped by a tc "
	    "filter, XDP, an ingress filter or a bridge." },
	{ "rx_softnet", PLACE(PACE_RX_SOFTNET),
	    .text = "Dropped because a core's backlog was full." },
	{ "rx_nic", PLACE(PACE_RX_NIC),
	    .text = "Dropped by the receiver's interface, its ring or its driver." },
	{ "tx_qdisc", PLACE(PACE_TX_QDISC),
	    .text = "Dropped by a queue discipline of the sender after send(2) had succeeded." },
	{ "tx_nic", PLACE(PACE_TX_NIC), .text = "Dropped by the sender's interface." },
	{ "network", PLACE(PACE_NETWORK),
	    .text = "Lost elsewhere, or at a location without a counter; in that case the lower "
	    "bound is 0." },
	{ "bounds", PACE_OWN(put_bounds, get_bounds),
	    .type = "'type': 'object', 'additionalProperties': { 'type': 'array', 'minItems': 2, "
	    "'maxItems': 2, 'items': { " PACE_TYPE_COUNT " } }",
	    .text = "Locations that are not exact, each with [low, high]; the true value is never "
	    "outside. The figure of such a location is the best estimate. A location without "
	    "bounds is exact." },
	{ "interface_frames", PACE_SELF(interface_frames_fields), .flags = PACE_F_WRITTEN,
	    .type = "'type': 'object', 'required': ['tx_nic', 'rx_nic'], "
	    "'additionalProperties': { " PACE_TYPE_COUNT_OR_NULL " }",
	    .text = "`tx_nic` and `rx_nic`: frames that the session's interface sent and received "
	    "during the run, including other traffic." },
	{ "diagnosis", PACE_TEXT(T, diagnosis), .flags = PACE_F_WRITTEN,
	    .text = "A sentence: where most frames were lost, and what to do." },
) };

json_t *
pace_ledger_to_json(const struct pace_point *p)
{
	struct ledger_doc t = { .l = p->ledger, .p = p };

	uint64_t other;

	if (!p->has_rx)
		memset(t.l.place, 0, sizeof(t.l.place));
	if (!p->interrupted)
		t.unscheduled = pace_params_not_due(&p->ask, t.l.asked, p->tx.skipped);
	t.has_tx_nic = pace_counters_seen(pace_point_sender(p), &other, &t.tx_nic);
	t.has_rx_nic = pace_counters_seen(pace_point_receiver(p), &t.rx_nic, &other);
	pace_loss_attribution_say(p, t.diagnosis, sizeof(t.diagnosis));
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
