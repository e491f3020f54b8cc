#include "core/tally.h"

#include <math.h>

#define COUNT_MOST	((UINT64_C(1) << 62) - 1)	/* any two can be added */
#define LOST_MOST	(INT64_C(1) << 61)		/* and subtracted */
#define LOST		(offsetof(struct pace_tally, lost) / sizeof(uint64_t))

/* In the order of the struct. */
const struct pace_tally_count pace_tally_counts[PACE_TALLY_COUNTS] = {
	{ "frames", PACE_TALLY_KNOWN, true, "udpace_frames_received", NULL,
	    "Frames of streams that were received, copies not counted" },
	{ "bytes", PACE_TALLY_KNOWN, true, "udpace_received_bytes", "bytes",
	    "UDP payload of the frames of streams that were received" },
	{ "wire_bytes", PACE_TALLY_KNOWN, true, "udpace_received_wire_bytes", "bytes",
	    "Bytes on the wire of received frames of streams, with all headers and gaps" },
	{ "unnumbered", PACE_TALLY_KNOWN, false, NULL, NULL, NULL },
	{ "lost", PACE_TALLY_BY_NUMBER, true, NULL, NULL, NULL },
	{ "socket_drops", PACE_TALLY_UNKNOWN, false, "udpace_socket_drops", NULL,
	    "Datagrams dropped for want of socket buffer while streams ran" },
	{ "socket_lost_likely", PACE_TALLY_ABSENT, false, NULL, NULL, NULL },
	{ "socket_lost_max", PACE_TALLY_ABSENT, false, NULL, NULL, NULL },
	{ "duplicates", PACE_TALLY_BY_NUMBER, false, "udpace_frames_duplicated", NULL,
	    "Frames of streams that had come before" },
	{ "reordered", PACE_TALLY_BY_NUMBER, false, "udpace_frames_reordered", NULL,
	    "Frames of streams that came behind a later one (RFC 4737)" },
	{ "late", PACE_TALLY_BY_NUMBER, false, NULL, NULL, NULL },
	{ "foreign", PACE_TALLY_UNKNOWN, false, "udpace_frames_foreign", NULL,
	    "Datagrams of clients that are no frames of their run" },
	{ "corrupt", PACE_TALLY_UNKNOWN, false, "udpace_frames_corrupt", NULL,
	    "Frames of streams whose payload is not what was sent" },
	{ "congestion_marks", PACE_TALLY_ABSENT, false, "udpace_frames_congestion_marked", NULL,
	    "Frames of streams that arrived marked congestion experienced (CE)" },
	{ "dscp_changed", PACE_TALLY_ABSENT, false, "udpace_frames_dscp_changed", NULL,
	    "Frames of streams that arrived with another DSCP than was sent" },
	{ "ecn_changed", PACE_TALLY_ABSENT, false, "udpace_frames_ecn_changed", NULL,
	    "Frames of streams whose ECN changed on the way, except to CE where that is allowed" },
	{ "round_trips", PACE_TALLY_UNKNOWN, false, "udpace_round_trips", NULL,
	    "Requests of round trips that were answered" },
	{ "sent_frames", PACE_TALLY_ABSENT, false, "udpace_frames_sent", NULL,
	    "Frames of streams that the responder sent" },
	{ "sent_bytes", PACE_TALLY_ABSENT, false, "udpace_sent_bytes", "bytes",
	    "UDP payload of the frames of streams that the responder sent" },
	{ "sent_wire_bytes", PACE_TALLY_ABSENT, false, "udpace_sent_wire_bytes", "bytes",
	    "Bytes on the wire of frames of streams that the responder sent, with all headers and "
	    "gaps" },
	{ "tcp_bytes", PACE_TALLY_ABSENT, false, "udpace_tcp_received_bytes", "bytes",
	    "User data of TCP connections that the responder read" },
	{ "tcp_sent_bytes", PACE_TALLY_ABSENT, false, "udpace_tcp_sent_bytes", "bytes",
	    "User data of TCP connections that the responder wrote" },
	{ "tcp_retransmits", PACE_TALLY_ABSENT, false, "udpace_tcp_retransmits", NULL,
	    "Segments of TCP connections that the responder sent again" },
};

static int64_t
bounded(int64_t n)
{
	return n > LOST_MOST ? LOST_MOST : n < -LOST_MOST ? -LOST_MOST : n;
}

void
pace_tally_add(struct pace_tally *to, const struct pace_tally *t)
{
	int64_t lost = bounded(to->lost) + bounded(t->lost);

	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		uint64_t n = pace_tally_get(to, i) + pace_tally_get(t, i);

		pace_tally_set(to, i, n < COUNT_MOST ? n : COUNT_MOST);
	}
	to->lost = bounded(lost);
}

struct pace_tally
pace_tally_since(const struct pace_tally *now, const struct pace_tally *then)
{
	struct pace_tally t;

	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		uint64_t a = pace_tally_get(now, i), b = pace_tally_get(then, i);

		pace_tally_set(&t, i, i == LOST || a > b ? a - b : 0);
	}
	return t;
}

struct pace_tally
pace_tally_part(const struct pace_tally *all, uint64_t n, bool rest)
{
	struct pace_tally t;
	int64_t m = (int64_t)n;

	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		uint64_t a = pace_tally_get(all, i);

		pace_tally_set(&t, i, a / n + (rest ? a % n : 0));
	}
	t.lost = all->lost / m + (rest ? all->lost % m : 0);
	return t;
}

double
pace_tally_loss(const struct pace_tally *t)
{
	uint64_t numbered = t->frames > t->unnumbered ? t->frames - t->unnumbered : 0;
	double lost = t->lost > 0 ? (double)t->lost : 0, all = (double)numbered + lost;

	return all > 0 ? lost / all : NAN;
}
