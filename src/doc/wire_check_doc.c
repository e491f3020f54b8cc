#include "doc/wire_check_doc.h"

#include <errno.h>
#include <inttypes.h>


static uint64_t
missing(const struct pace_wire_check *w, uint64_t sent)
{
	return sent > w->frames ? sent - w->frames : 0;
}

#define W	struct pace_wire_check

static const struct pace_fields drops_fields = { .name = "wire_dropped", .row = PACE_FIELDS(
	{ "kernel", PACE_COUNT(W, dropped) },
	{ "interface", PACE_COUNT(W, interface_dropped) },
) };

const struct pace_fields pace_wire_side_fields = { .name = "wire_side", .row = PACE_FIELDS(
	{ "interface", PACE_TEXT(W, interface), .type = "'type': 'string', 'maxLength': 63",
	    .text = "The captured interface." },
	{ "frames", PACE_COUNT(W, frames),
	    .text = "Frames of the point in the capture, each counted once." },
	{ "missing", PACE_LATER, .type = PACE_TYPE_COUNT,
	    .text = "Frames of `tx.frames` that are not in the capture; at the receiver they were "
	    "lost before its interface." },
	{ "copies", PACE_COUNT(W, copies), .text = "Frames captured again." },
	{ "packets", PACE_COUNT(W, packets),
	    .text = "Captured packets; fewer than frames if the kernel hands several frames over "
	    "as one, which the device cuts up." },
	{ "dropped", PACE_SELF(drops_fields), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(W, has_drops),
	    .text = "Losses of the capture itself during the point: by the `kernel` because its "
	    "buffer was full, and by the `interface`; null if not known." },
	{ "complete", PACE_BOOL(W, complete), .text = "Whether the capture lasted to the end of "
	    "the run." },
	{ "resolution_ns", .kind = PACE_F_FIXED, .low = PACE_WIRE_CHECK_NS,
	    .type = PACE_TYPE_POSITIVE },
	{ "gaps_differing", PACE_COUNT(W, gaps_differing),
	    .text = "Gaps that differ by more than `resolution_ns` are counted in `gaps_differing`. Smaller "
	    "differences are not significant, because a system call lies between the two stamps of "
	    "a frame." },
	{ "gap_ns", PACE_HIST(W, gap, pace_unit_ns),
	    .text = "Histogram of the departure gaps, from the stamps of the capture. There is no "
	    "gap next to a missing frame. At the receiver it is of the arrival gaps, as in "
	    "`rx.gap_ns`, including gaps across missing frames." },
	{ "gap_difference_ns", PACE_HIST(W, gap_difference, pace_unit_ns),
	    .text = "Each of these gaps minus the gap of the same departures from the sender's own "
	    "stamps, which the frames carry; empty if they carry none (formats other than "
	    "\"udpace\" of udpace-send(1)). At the receiver it is for two successive numbers "
	    "below 1048576 (of several streams, each below its share of that), in one burst, that "
	    "the capture and the socket both have: the gap between their stamps in the capture minus "
	    "that between their stamps at the socket. If both are the kernel's stamps, they are the "
	    "same, and the difference comes only from their conversion to the receiver's probe "
	    "clock. With --stamp nic it is the time from the device to the kernel." },
) };

json_t *
pace_wire_check_to_json(const struct pace_wire_check *w, uint64_t sent)
{
	struct pace_jw o = { .o = pace_fields_to_json(&pace_wire_side_fields, w) };

	pace_jw_count(&o, "missing", missing(w, sent));
	return o.o;
}

/* The opposite of missing(): frames in the capture that did not reach the socket. */
static uint64_t
not_received(const struct pace_rx_result *r)
{
	return r->wire.frames > r->unique ? r->wire.frames - r->unique : 0;
}

json_t *
pace_wire_check_rx_to_json(const struct pace_rx_result *r)
{
	struct pace_jw o = { .o = pace_wire_check_to_json(&r->wire, r->unique + r->lost) };

	pace_jw_count(&o, "not_received", not_received(r));
	return o.o;
}

static int
side_from_json(struct pace_wire_check *w, uint64_t sent, const json_t *o)
{
	struct pace_jr j = { .o = o };

	pace_wire_check_reset(w);
	pace_fields_get(&j, &pace_wire_side_fields, w);
	return pace_jr_count(&j, "missing") != missing(w, sent) || j.bad ? -EPROTO : 0;
}

int
pace_wire_check_from_json(struct pace_wire_check *w, uint64_t sent, const json_t *o)
{
	if (side_from_json(w, sent, o) != 0 || pace_wire_check_broken(w) != NULL)
		return -EPROTO;
	return 0;
}

int
pace_wire_check_rx_from_json(struct pace_rx_result *r, const json_t *o)
{
	struct pace_jr j = { .o = o };

	if (side_from_json(&r->wire, r->unique + r->lost, o) != 0 ||
	    pace_jr_count(&j, "not_received") != not_received(r) || j.bad ||
	    pace_wire_check_rx_broken(&r->wire) != NULL)
		return -EPROTO;
	r->has_wire = true;
	return 0;
}

/* Words for the interface of the receiving host, or of the sending one. */
static const char *
whose_interface(const struct pace_point *p, bool rx)
{
	return rx == (p->ask.direction == PACE_UP) ? " of the responder" : "";
}

static const char *
which_host(const struct pace_point *p, bool rx)
{
	return rx == (p->ask.direction == PACE_UP) ? "that host" : "this host";
}

/* Add the notes on the capture's own quality and on its gaps; rx: the receiver's. */
static void
note_capture(struct pace_notes *n, const struct pace_point *p, bool rx)
{
	const struct pace_wire_check *w = rx ? &p->rx.wire : &p->wire;
	const char *whose = whose_interface(p, rx);

	if (!w->complete)
		pace_note(n, rx ? "rx_capture_failed" : "tx_capture_failed",
		    "the capture on %s%s ended before the run: its figures cover a part of it",
		    w->interface, whose);
	if (w->dropped > 0)
		pace_note(n, rx ? "rx_capture_dropped" : "tx_capture_dropped",
		    "the capture on %s%s lost %" PRIu64 " packets itself: the frames in them "
		    "count as missing", w->interface, whose, w->dropped);
	if (w->copies > 0)
		pace_note(n, rx ? "rx_capture_copies" : "tx_capture_copies",
		    "%" PRIu64 " frames were seen more than once on %s%s", w->copies, w->interface,
		    whose);
	if (pace_wire_check_differs(w))
		pace_note(n, rx ? "rx_capture_gaps_differ" : "tx_capture_gaps_differ",
		    "%" PRIu64 " of %" PRIu64 " gaps on %s%s differ from those of %s by more than "
		    "%d \xc2\xb5s", w->gaps_differing, rx ? w->gap_difference.stats.n : w->gap.stats.n,
		    w->interface, whose, rx ? "the socket" : "the sender",
		    (int)(PACE_WIRE_CHECK_NS / 1000));
}

void
pace_wire_check_notes(struct pace_notes *n, const struct pace_point *p)
{
	const struct pace_wire_check *w = &p->wire;
	const char *whose = whose_interface(p, false);
	uint64_t sent = p->tx.frames;

	if (w->complete && w->frames == 0 && sent > 0)
		pace_note(n, "tx_capture_frames_differ", "none of the %" PRIu64 " frames that the "
		    "kernel accepted was seen on %s%s: do they leave through this interface?",
		    sent, w->interface, whose);
	else if (w->complete && w->frames > sent)
		pace_note(n, "tx_capture_frames_differ", "%" PRIu64 " frames were seen on %s%s, "
		    "%" PRIu64 " more than the kernel accepted", w->frames, w->interface, whose,
		    w->frames - sent);
	else if (w->complete && missing(w, sent) > w->dropped)
		pace_note(n, "tx_capture_frames_differ", "%" PRIu64 " of %" PRIu64 " frames that "
		    "the kernel accepted were not seen on %s%s: they were lost in %s",
		    missing(w, sent), sent, w->interface, whose, which_host(p, false));
	note_capture(n, p, false);
}

/* --- the receiver's ------------------------------------------------------------------ */

/* Compare the capture with the ledger, which uses the kernel's counters.  low and high bound
 * the ledger's losses at all locations after the point of capture. */
static void
note_ledger(struct pace_notes *n, const struct pace_point *p)
{
	static const enum pace_place places[] = { PACE_RX_CHECKSUM, PACE_RX_SOCKET, PACE_RX_LATE,
	    PACE_RX_IP, PACE_RX_INGRESS };
	const struct pace_wire_check *w = &p->rx.wire;
	uint64_t lost = not_received(&p->rx), low = 0, high = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct pace_share *s = &p->ledger.place[places[i]];

		low += s->low;
		high = s->known ? high + s->high : UINT64_MAX / 2;
	}
	if (lost > high || lost + w->dropped < low)
		pace_note(n, "rx_capture_ledger_differs", "%" PRIu64 " frames were lost after %s%s"
		    ", but the ledger has at %s %" PRIu64
		    " between this interface and the socket", lost, w->interface,
		    whose_interface(p, true), lost > high ? "most" : "least",
		    lost > high ? high : low);
}

static void
note_rx_frames(struct pace_notes *n, const struct pace_point *p)
{
	const struct pace_wire_check *w = &p->rx.wire;
	const char *whose = whose_interface(p, true);
	uint64_t unique = p->rx.unique, lost = not_received(&p->rx);

	if (w->frames == 0 && unique > w->dropped)
		pace_note(n, "rx_capture_frames_differ", "none of the %" PRIu64 " frames that "
		    "arrived was seen on %s%s: do they arrive through this interface?", unique,
		    w->interface, whose);
	else if (unique > w->frames && unique - w->frames > w->dropped)
		pace_note(n, "rx_capture_frames_differ", "%" PRIu64 " frames were seen on %s%s, "
		    "%" PRIu64 " fewer than arrived", w->frames, w->interface, whose,
		    unique - w->frames);
	else if (lost > 0)
		pace_note(n, "rx_capture_frames_differ", "%" PRIu64 " of %" PRIu64 " frames that "
		    "were seen on %s%s did not reach the socket: they were lost in %s", lost,
		    w->frames, w->interface, whose, which_host(p, true));
	if (w->frames > 0)
		note_ledger(n, p);
}

void
pace_wire_check_rx_notes(struct pace_notes *n, const struct pace_point *p)
{
	if (p->rx.wire.complete)
		note_rx_frames(n, p);
	note_capture(n, p, true);
}
