#include "core/ledger.h"

const char *
pace_place_name(enum pace_place p)
{
	static const char *const names[PACE_PLACES] = { "rx_checksum", "rx_socket", "rx_late",
	    "rx_ip", "rx_softnet", "rx_nic", "tx_qdisc", "tx_nic", "network" };

	return names[p];
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
    uint64_t lost, const struct pace_claim claims[PACE_NETWORK])
{
	struct pace_share *network = &l->place[PACE_NETWORK];
	uint64_t sure = 0, left = lost, believed = 0, most = 0;

	l->asked = sent + refused;
	l->tx_refused = refused;
	for (int i = 0; i < PACE_NETWORK; i++) {
		const struct pace_claim *c = &claims[i];
		struct pace_share *s = &l->place[i];

		*s = (struct pace_share){ .known = c->known };
		if (c->known)
			s->low = least(c->low, lost - sure);
		sure += s->low;
	}
	for (int i = 0; i < PACE_NETWORK; i++) {
		const struct pace_claim *c = &claims[i];
		struct pace_share *s = &l->place[i];

		if (!c->known)
			continue;
		/* others' sure shares are not for this one to have */
		s->high = least(c->high > s->low ? c->high : s->low, lost - (sure - s->low));
		left -= s->low;
		most = most + s->high < most ? UINT64_MAX : most + s->high;
	}
	for (int i = 0; i < PACE_NETWORK; i++) {
		struct pace_share *s = &l->place[i];
		uint64_t more = least(s->high - s->low, left);

		s->n = s->low + more;
		left -= more;
		believed += s->n;
	}
	network->known = true;
	network->n = lost - believed;
	network->low = most < lost ? lost - most : 0;
	network->high = lost - sure;
}
