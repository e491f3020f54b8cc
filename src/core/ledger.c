#include "core/ledger.h"

#include "core/arith.h"

const char *
pace_place_name(enum pace_place p)
{
	static const char *const names[PACE_PLACES] = { "rx_checksum", "rx_socket", "rx_late",
	    "rx_ip", "rx_ingress", "rx_softnet", "rx_nic", "tx_qdisc", "tx_nic", "network" };

	return names[p];
}

/* Places that a frame comes to only when the receiver's interface has counted it. */
static bool
is_behind_interface(enum pace_place p)
{
	return p <= PACE_RX_SOFTNET;
}

/* The certain losses, in the order of the locations: their sum, and the sum of those behind
 * the interface. */
static uint64_t
take_sure(struct pace_ledger *l, uint64_t lost, const struct pace_claim *claims,
    uint64_t *behind)
{
	uint64_t sure = 0;

	*behind = 0;
	for (int i = 0; i < PACE_NETWORK; i++) {
		struct pace_share *s = &l->place[i];

		*s = (struct pace_share){ .known = claims[i].known };
		if (claims[i].known)
			s->low = s->n = s->high = pace_least(claims[i].low, lost - sure);
		sure += s->low;
		*behind += is_behind_interface((enum pace_place)i) ? s->low : 0;
	}
	return sure;
}

/* Bounds and likely figure of one location; left: loss not yet attributed; room: the part of
 * it that may be behind the interface. */
static void
take_claim(struct pace_share *s, const struct pace_claim *c, uint64_t most, uint64_t *left,
    uint64_t *room)
{
	uint64_t more;

	s->high = pace_least(c->high > s->low ? c->high : s->low, most);
	more = pace_least(pace_less(pace_least(c->likely, s->high), s->low),
	    pace_least(*left, *room));
	s->n = s->low + more;
	*left -= more;
	*room -= more;
}

void
pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
    uint64_t lost, uint64_t short_of, const struct pace_claim claims[PACE_NETWORK])
{
	struct pace_share *network = &l->place[PACE_NETWORK];
	uint64_t behind, sure = take_sure(l, lost, claims, &behind), left = lost - sure;
	uint64_t before = pace_least(short_of, lost - behind), inner = lost - before - behind;
	uint64_t room = inner, all = 0, others = 0, no_room = UINT64_MAX;
	bool counted = true;

	l->asked = sent + refused;
	l->tx_refused = refused;
	for (int i = 0; i < PACE_NETWORK; i++) {
		struct pace_share *s = &l->place[i];
		bool inside = is_behind_interface((enum pace_place)i);
		/* the certain losses of other locations cannot be here */
		uint64_t most = lost - (sure - s->low);

		if (!claims[i].known) {
			counted = false;
			continue;
		}
		if (inside && most > inner + s->low)
			most = inner + s->low;
		take_claim(s, &claims[i], most, &left, inside ? &room : &no_room);
		all += s->high;
		others += inside ? 0 : s->high;
	}
	network->known = true;
	network->n = left;
	network->high = lost - sure;
	network->low = pace_less(lost, all);
	if (pace_less(before, others) > network->low)
		network->low = pace_less(before, others);
	if (!counted)
		network->low = 0;
}
