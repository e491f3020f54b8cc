#include "core/tcp_limit.h"

#include <stdbool.h>

#define HELD		0.15	/* share of the busy time that makes a limit; without one, 0.04 */
#define BUSY		0.85	/* share of a core that a thread cannot exceed by much */
#define CORE_BUSY	0.85	/* of a core in the kernel */
#define PACED		0.93	/* share of the requested rate */
#define QUEUE_RATIO	1.3	/* mean round trip above the least one: a queue */
#define QUEUE_NS	300000
#define LOST		1e-5	/* share of bytes that were sent again */
#define LEAST_NS	10000000	/* in less, neither processor time nor a rate is measured */
#define MOST_LOST	0.1	/* of what was sent again; less is reordering */
#define ROUND_TRIPS	20	/* a shorter run has hardly left slow start */

const char *const pace_tcp_limit_names[PACE_TCP_LIMITS] = {
	[PACE_TCP_UNKNOWN] = "unknown", [PACE_TCP_PACING] = "pacing",
	[PACE_TCP_RECEIVER_CPU] = "receiver_cpu", [PACE_TCP_RECEIVE_WINDOW] = "receive_window",
	[PACE_TCP_SEND_BUFFER] = "send_buffer", [PACE_TCP_SENDER_CPU] = "sender_cpu",
	[PACE_TCP_PATH] = "path", [PACE_TCP_LOSS] = "loss",
	[PACE_TCP_REORDERING] = "reordering", [PACE_TCP_SHORT] = "short",
};

static bool
is_part(int64_t part, int64_t whole, double least)
{
	return whole > 0 && (double)part > least * (double)whole;
}

static bool
sender_is_busy(const struct pace_tcp_sums *s)
{
	return s->sender_cpu >= BUSY || s->sender_core >= CORE_BUSY;
}

static bool
receiver_is_busy(const struct pace_tcp_sums *s)
{
	return s->receiver_cpu >= BUSY || s->receiver_core >= CORE_BUSY;
}

double
pace_tcp_lost_bytes(const struct pace_tcp_sums *s)
{
	return s->retransmits > s->dsack_duplicates ? (double)s->retransmitted_bytes *
	    (double)(s->retransmits - s->dsack_duplicates) / (double)s->retransmits : 0;
}

enum pace_tcp_limit
pace_tcp_limit_of(const struct pace_tcp_sums *s)
{
	bool queued = s->rtt_min_ns > 0 && s->rtt_ns - s->rtt_min_ns > QUEUE_NS &&
	    (double)s->rtt_ns > QUEUE_RATIO * (double)s->rtt_min_ns;
	bool held = is_part(s->window_limited_ns, s->busy_ns, HELD);

	if (s->received_bytes == 0 || !(s->goodput_bps > 0))
		return PACE_TCP_UNKNOWN;
	if (s->duration_ns < LEAST_NS)
		return PACE_TCP_SHORT;
	if (s->asked_bps > 0 && s->goodput_bps >= PACED * s->asked_bps)
		return PACE_TCP_PACING;
	if (held)
		return receiver_is_busy(s) ? PACE_TCP_RECEIVER_CPU : PACE_TCP_RECEIVE_WINDOW;
	if (is_part(s->buffer_limited_ns, s->busy_ns, HELD))
		return PACE_TCP_SEND_BUFFER;
	if (sender_is_busy(s) || receiver_is_busy(s))
		return !receiver_is_busy(s) || (sender_is_busy(s) &&
		    s->sender_cpu >= s->receiver_cpu) ? PACE_TCP_SENDER_CPU : PACE_TCP_RECEIVER_CPU;
	if (queued)
		return PACE_TCP_PATH;
	if ((double)s->retransmitted_bytes > LOST * (double)s->received_bytes)
		return pace_tcp_lost_bytes(s) > MOST_LOST * (double)s->retransmitted_bytes ?
		    PACE_TCP_LOSS : PACE_TCP_REORDERING;
	return s->duration_ns < ROUND_TRIPS * s->rtt_ns ? PACE_TCP_SHORT : PACE_TCP_PATH;
}
