#include "doc/tally_doc.h"

#define UNNUMBERED	(offsetof(struct pace_tally, unnumbered) / sizeof(uint64_t))
#define TCP		(offsetof(struct pace_tally, tcp_bytes) / sizeof(uint64_t))
#define SENT		(offsetof(struct pace_tally, sent_frames) / sizeof(uint64_t))

static void
put(struct pace_jw *w, const struct pace_tally *t, size_t i, bool known)
{
	pace_jw_put(w, pace_tally_counts[i].name,
	    known ? json_integer((json_int_t)pace_tally_get(t, i)) : json_null());
}

void
pace_tally_put(struct pace_jw *w, const struct pace_tally *t)
{
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (i != UNNUMBERED && (i < SENT || (i < TCP ? t->sent_frames : pace_tally_tcp(t)) > 0))
			put(w, t, i, true);
}

void
pace_tally_put_seen(struct pace_jw *w, const struct pace_tally *t, bool numbered)
{
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (pace_tally_counts[i].seen >= PACE_TALLY_KNOWN)
			put(w, t, i, numbered || pace_tally_counts[i].seen == PACE_TALLY_KNOWN);
	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++)
		if (pace_tally_counts[i].seen == PACE_TALLY_UNKNOWN)
			put(w, t, i, false);
}

void
pace_tally_read(struct pace_jr *r, struct pace_tally *t, bool pieces)
{
	const json_t *v = json_object_get(r->o, "lost");
	int64_t lost = json_is_null(v) ? 0 : pace_jr_int(r, "lost", INT64_MIN, INT64_MAX);
	uint64_t missing;

	for (size_t i = 0; i < PACE_TALLY_COUNTS; i++) {
		const struct pace_tally_count *c = &pace_tally_counts[i];

		if (c->seen == PACE_TALLY_BY_NUMBER && c->always)
			continue;	/* lost */
		pace_tally_set(t, i, c->always ? pace_jr_count(r, c->name) :
		    pace_jr_count_or_0(r, c->name));
	}
	t->lost = lost > PACE_LOST_MOST ? PACE_LOST_MOST : lost < -PACE_LOST_MOST ?
	    -PACE_LOST_MOST : lost;
	/* An older responder reports only drops.  Each was at least one lost frame.  A piece
	 * of a train may have been many: at most all lost frames. */
	missing = t->lost > 0 ? (uint64_t)t->lost : 0;
	if (!pace_jr_has(r, "socket_lost_likely") || !pace_jr_has(r, "socket_lost_max")) {
		t->socket_lost_likely = t->socket_drops < missing ? t->socket_drops : missing;
		t->socket_lost_max = pieces && t->socket_drops > 0 ? missing :
		    t->socket_lost_likely;
	}
	r->bad |= t->socket_lost_likely > t->socket_lost_max;
}

/* --- for the schema ------------------------------------------------------------ */

#define KNOWN(name, words) { name, .type = PACE_TYPE_COUNT, .text = words }
#define SEEN(name, words) { name, .type = PACE_TYPE_COUNT_OR_NULL, .text = words }
#define OWN(name, words) { name, .type = PACE_TYPE_COUNT, .when = PACE_F_OR_ABSENT, .text = words }

/* The functions above write and read them. */
static const struct pace_field tally_rows[] = {
	KNOWN("frames", NULL), KNOWN("bytes", NULL),
	KNOWN("wire_bytes", "Frames of streams, each once; their UDP payload and line time."),
	OWN("unnumbered", "In a capture: frames among these without a number. Loss ratios refer to "
	    "the others."),
	{ "lost", .type = "'type': ['integer', 'null']", .text = "Missing frames, if known: "
	    "numbers below the highest one that arrived, and later ones once the client has "
	    "reported how many frames it sent. A late frame counts as lost until it arrives, so "
	    "`lost` may decrease, and be below 0 for an interval." },
	SEEN("socket_drops", "Datagrams that the kernel dropped because the session's socket "
	    "buffer was full. The count includes exchanges; a train that arrives in pieces counts "
	    "once per piece."),
	OWN("socket_lost_likely", NULL),
	OWN("socket_lost_max", "Lost frames among these drops: the best estimate, and the upper "
	    "bound. They differ if a dropped datagram may have been a duplicate, an exchange, or a "
	    "piece of a train. A late frame is included until it arrives, so they may exceed "
	    "`lost`. Older lines do not have them."),
	SEEN("duplicates", NULL), SEEN("reordered", NULL),
	SEEN("late", "Duplicated frames; frames that arrived after one with a higher number; "
	    "frames so late that they may be duplicates, which remain lost."),
	SEEN("foreign", NULL),
	SEEN("corrupt", "Datagrams that are not frames of the run; frames with a corrupted "
	    "payload, if payloads are verified."),
	OWN("congestion_marks", NULL), OWN("dscp_changed", NULL),
	OWN("ecn_changed", "Frames that arrived marked congestion experienced (CE); with another "
	    "DSCP, or ECN, than was sent. CE is a change only if the sender was not ECN-capable."),
	SEEN("round_trips", "Time requests with a reply, including those before and after a "
	    "stream."),
	OWN("sent_frames", NULL), OWN("sent_bytes", NULL),
	OWN("sent_wire_bytes", "Frames that the responder sent, in runs of that direction; their "
	    "UDP payload and line time. They are in no other count, and what became of them is "
	    "known to the client only. Absent: 0."),
	OWN("tcp_bytes", NULL), OWN("tcp_sent_bytes", NULL), OWN("tcp_retransmits", "User data of "
	    "TCP connections that the responder read, and that it wrote; segments that it sent "
	    "again. In no other count. Absent: 0."),
	{ .name = NULL },
};

const struct pace_fields pace_tally_fields = { .name = "received", .row = tally_rows };
