#include "core/ledger.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
    uint64_t lost, const struct pace_claims *claims)
{
	uint64_t damaged = least(claims->bad_checksums, claims->socket_drops);

	l->asked = sent + refused;
	l->tx_refused = refused;
	l->rx_checksum = least(damaged, lost);
	l->rx_socket = least(claims->socket_drops - damaged, lost - l->rx_checksum);
	l->network = lost - l->rx_checksum - l->rx_socket;
}
