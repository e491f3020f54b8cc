#include "core/ledger.h"

void
pace_ledger_close(struct pace_ledger *l, uint64_t sent, uint64_t refused,
    uint64_t lost, uint64_t socket_drops)
{
	l->asked = sent + refused;
	l->tx_refused = refused;
	l->rx_socket = socket_drops < lost ? socket_drops : lost;
	l->network = lost - l->rx_socket;
}
