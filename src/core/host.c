#include "core/host.h"

#include <stddef.h>

struct pace_fact_name
pace_fact_name(enum pace_fact f)
{
	static const struct pace_fact_name names[PACE_FACTS] = {
		{ NULL, "steal_ppm" }, { NULL, "timer_slack_ns" }, { NULL, "realtime" },
		{ NULL, "buffers_forced" }, { "sysctl", "net.core.rmem_max" },
		{ "sysctl", "net.core.rmem_default" }, { "sysctl", "net.core.wmem_max" },
		{ "sysctl", "net.core.wmem_default" }, { "sysctl", "net.core.netdev_max_backlog" },
		{ "sysctl", "net.core.netdev_budget" },
		{ "sysctl", "net.core.netdev_budget_usecs" },
		{ "sysctl", "kernel.sched_rt_runtime_us" }, { "interface", "speed_mbps" },
		{ "interface", "mtu" }, { "interface", "txqueuelen" }, { "interface", "rx_ring" },
		{ "interface", "rx_ring_max" }, { "interface", "tx_ring" },
		{ "interface", "tx_ring_max" }, { "interface", "rx_usecs" },
		{ "interface", "rx_frames" }, { "interface", "adaptive_rx" },
		{ "interface", "queues" }, { "interface", "gro" }, { "interface", "lro" },
		{ "interface", "rx_udp_gro_forwarding" }, { "interface", "rx_gro_list" },
		{ "interface", "nic_stamps" }, { "interface", "packet_engine" },
	};

	return names[f];
}

static int
digits(const char **p)
{
	int n = 0;

	while (**p >= '0' && **p <= '9' && n < 1000000)
		n = 10 * n + *(*p)++ - '0';
	return n;
}

bool
pace_cores_hold(const char *list, int core)
{
	const char *p = list;

	while (*p >= '0' && *p <= '9') {
		int low = digits(&p), high = low;

		if (*p == '-') {
			p++;
			high = digits(&p);
		}
		if (low <= core && core <= high)
			return true;
		if (*p != ',')
			break;
		p++;
	}
	return false;
}
