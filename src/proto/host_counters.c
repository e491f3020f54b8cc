#include "config.h"

#include "proto/host_counters.h"

#include <string.h>

#include "core/arith.h"

#define TRIES	8		/* a writer that posts once a second finishes soon */

_Static_assert(sizeof(struct pace_host_counters) % 8 == 0, "posted by whole words");

const char *
pace_host_counter_name(enum pace_host_counter s)
{
	static const char *const names[PACE_HOST_COUNTERS] = { "nic_received", "nic_dropped",
		"softnet_dropped", "softnet_squeezed", "ip_discarded", "udp_delivered",
		    "udp_no_port",
		"udp_buffer_full", "udp_bad_checksum", "ip_received", "ip_undelivered",
		"softnet_frames", "ip_delivered" };

	return names[s];
}

/* --- one reading --- */

static void
put(struct pace_host_counters *s, enum pace_host_counter what, bool has, uint64_t n)
{
	s->has |= (uint64_t)has << what;
	s->n[what] = has ? n : 0;
}

/* Add the counts of IPv4 and IPv6. */
static void
put_snmp(struct pace_host_counters *s, enum pace_host_counter what, const struct pace_counters *c,
    enum pace_snmp from)
{
	put(s, what, c->has_snmp[0][from] || c->has_snmp[1][from],
	    c->snmp[0][from] * c->has_snmp[0][from] + c->snmp[1][from] * c->has_snmp[1][from]);
}

/* Counted as in core/counters.h for a point: no counter counts frames that a filter dropped.
 * Reassembled fragments are received several times and delivered once. */
static void
put_undelivered(struct pace_host_counters *s, const struct pace_counters *c)
{
	uint64_t sum = 0;
	bool has = false;

	for (int v6 = 0; v6 < 2; v6++) {
		const uint64_t *n = c->snmp[v6];
		uint64_t merged = pace_less(n[PACE_IP_REASM_REQDS], n[PACE_IP_REASM_OKS]);

		if (!c->has_snmp[v6][PACE_IP_IN_RECEIVES] || !c->has_snmp[v6][PACE_IP_IN_DELIVERS])
			continue;
		has = true;
		sum += pace_less(n[PACE_IP_IN_RECEIVES], n[PACE_IP_IN_DELIVERS] +
		    n[PACE_IP_FORWARDED] + merged) + n[PACE_IP_REASM_FAILS];
	}
	put(s, PACE_SUM_UNDELIVERED, has, sum);
}

static void
put_softnet(struct pace_host_counters *s, enum pace_host_counter what,
    const struct pace_counters *c, enum pace_core_count from)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->cores; i++)
		sum += c->core[i].n[from];
	put(s, what, c->has_core[from], sum);
}

static void
put_interfaces(struct pace_host_counters *s, const struct pace_counters *c)
{
	uint64_t got = 0, lost = 0;

	for (uint32_t i = 0; i < c->interfaces; i++) {
		got += c->interface[i].n[PACE_IF_RX_FRAMES];
		lost += pace_if_rx_lost(&c->interface[i]);
	}
	put(s, PACE_SUM_NIC, c->interfaces > 0, got);
	put(s, PACE_SUM_NIC_LOST, c->interfaces > 0, lost);
}

void
pace_host_counters_of(struct pace_host_counters *s, const struct pace_counters *c)
{
	memset(s, 0, sizeof(*s));
	if (!c->known)
		return;
	s->at_ns = c->at_ns;
	put_interfaces(s, c);
	put_softnet(s, PACE_SUM_BACKLOG_LOST, c, PACE_CORE_SOFTNET_DROPPED);
	put_softnet(s, PACE_SUM_SQUEEZED, c, PACE_CORE_SOFTNET_SQUEEZED);
	put_snmp(s, PACE_SUM_IP_LOST, c, PACE_IP_IN_DISCARDS);
	put_snmp(s, PACE_SUM_UDP, c, PACE_UDP_IN_DATAGRAMS);
	put_snmp(s, PACE_SUM_NO_PORT, c, PACE_UDP_NO_PORTS);
	put_snmp(s, PACE_SUM_BUFFER_FULL, c, PACE_UDP_RCVBUF_ERRORS);
	put_snmp(s, PACE_SUM_CHECKSUM, c, PACE_UDP_IN_CSUM_ERRORS);
	put_snmp(s, PACE_SUM_IP, c, PACE_IP_IN_RECEIVES);
	put_undelivered(s, c);
	put_softnet(s, PACE_SUM_SOFTNET, c, PACE_CORE_SOFTNET_FRAMES);
	put_snmp(s, PACE_SUM_IP_DELIVERED, c, PACE_IP_IN_DELIVERS);
}

void
pace_host_counters_since(struct pace_host_counters *now, const struct pace_host_counters *then)
{
	now->has &= then->has;
	for (int i = 0; i < PACE_HOST_COUNTERS; i++)
		now->n[i] = now->n[i] > then->n[i] ? now->n[i] - then->n[i] : 0;
}

/* --- the board: as in watch.c --- */

void
pace_host_counters_want(struct pace_host_counters_board *b, int64_t now_ns)
{
	atomic_store_explicit(&b->wanted_ns, now_ns + PACE_HOST_COUNTERS_WANT_NS,
	    memory_order_relaxed);
}

bool
pace_host_counters_wanted(struct pace_host_counters_board *b, int64_t now_ns)
{
	return now_ns < atomic_load_explicit(&b->wanted_ns, memory_order_relaxed);
}

void
pace_host_counters_post(struct pace_host_counters_board *b, const struct pace_host_counters *s)
{
	uint64_t e = atomic_load_explicit(&b->edition, memory_order_relaxed), word;

	atomic_store_explicit(&b->edition, e + 1, memory_order_relaxed);
	for (size_t i = 0; i < PACE_HOST_COUNTERS_WORDS; i++) {
		memcpy(&word, (const char *)s + i * 8, 8);
		atomic_store_explicit(&b->word[i], word, memory_order_release);
	}
	atomic_store_explicit(&b->edition, e + 2, memory_order_release);
}

bool
pace_host_counters_read(struct pace_host_counters_board *b, struct pace_host_counters *s)
{
	uint64_t words[PACE_HOST_COUNTERS_WORDS], e;

	for (int i = 0; i < TRIES; i++) {
		e = atomic_load_explicit(&b->edition, memory_order_acquire);
		for (size_t k = 0; k < PACE_HOST_COUNTERS_WORDS; k++)
			words[k] = atomic_load_explicit(&b->word[k], memory_order_acquire);
		if (e % 2 != 0 || atomic_load_explicit(&b->edition, memory_order_relaxed) != e)
			continue;
		memcpy(s, words, sizeof(*s));
		return s->at_ns != 0;
	}
	return false;
}
