#include "config.h"

#include "report/loss_groups.h"

#include <math.h>
#include <string.h>

const char *const pace_loss_groups[PACE_LOSS_GROUPS] = { "sender", "network", "NIC, driver",
    "softnet", "filter, checksum", "socket buffer" };

static const int group_of[PACE_PLACES] = { [PACE_TX_QDISC] = 0, [PACE_TX_NIC] = 0,
    [PACE_NETWORK] = 1, [PACE_RX_NIC] = 2, [PACE_RX_SOFTNET] = 3, [PACE_RX_CHECKSUM] = 4,
    [PACE_RX_LATE] = 4, [PACE_RX_IP] = 4, [PACE_RX_INGRESS] = 4, [PACE_RX_SOCKET] = 5 };

double
pace_loss_groups_share(const struct pace_stream_point *const *v, size_t n,
    double share[PACE_LOSS_GROUPS], double least[PACE_LOSS_GROUPS])
{
	double asked = 0, sum = 0;

	memset(share, 0, PACE_LOSS_GROUPS * sizeof(*share));
	memset(least, 0, PACE_LOSS_GROUPS * sizeof(*least));
	for (size_t i = 0; i < n; i++) {
		const struct pace_ledger *l = &v[i]->ledger;

		if (!v[i]->has_rx)
			continue;
		asked += (double)l->asked;
		share[0] += (double)l->tx_refused;
		least[0] += (double)l->tx_refused;
		for (int p = 0; p < PACE_PLACES; p++) {
			share[group_of[p]] += (double)l->place[p].n;
			least[group_of[p]] += (double)l->place[p].low;
		}
	}
	for (int k = 0; k < PACE_LOSS_GROUPS; k++) {
		share[k] = asked > 0 ? 100 * share[k] / asked : NAN;
		least[k] = asked > 0 ? 100 * least[k] / asked : NAN;
		sum += share[k];
	}
	return isnan(sum) ? 0 : sum;
}
