#include "doc/wire_check_doc.h"

#include <errno.h>
#include <inttypes.h>

#include "doc/hist_doc.h"

static uint64_t
missing(const struct pace_wire_check *w, uint64_t sent)
{
	return sent > w->frames ? sent - w->frames : 0;
}

#define W	struct pace_wire_check

static const struct pace_field drops_rows[] = {
	{ "kernel", PACE_COUNT(W, dropped) },
	{ "interface", PACE_COUNT(W, interface_dropped) },
	{ .name = NULL },
};

static const struct pace_fields drops_fields = { .name = "wire_dropped", .row = drops_rows };

static void
put_resolution(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	pace_jw_put(w, name, json_integer(PACE_WIRE_CHECK_NS));
}

static void
check_resolution(struct pace_jr *j, const char *name, void *s)
{
	(void)s;
	(void)pace_jr_int(j, name, PACE_WIRE_CHECK_NS, PACE_WIRE_CHECK_NS);
}

/* What was sent is not known here: the callers put and check what is missing of it, in the
 * place of the null. */
static void
put_later(struct pace_jw *w, const char *name, const void *s)
{
	(void)s;
	pace_jw_put(w, name, json_null());
}

static const struct pace_field side_rows[] = {
	{ "interface", PACE_TEXT(W, interface), .type = "'type': 'string', 'maxLength': 63",
	    .text = "Where." },
	{ "frames", PACE_COUNT(W, frames),
	    .text = "Frames of the point that were seen, each once, however often." },
	{ "missing", PACE_OWN(put_later, NULL), .type = PACE_TYPE_COUNT,
	    .text = "Those of `tx.frames` that were not; at the responder they were lost on their "
	    "way there." },
	{ "copies", PACE_COUNT(W, copies), .text = "Frames seen again." },
	{ "packets", PACE_COUNT(W, packets),
	    .text = "What was captured: fewer than frames where the kernel hands several over as "
	    "one, to be cut up by the device." },
	{ "dropped", PACE_SELF(drops_fields), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(W, has_drops),
	    .text = "What the capture itself lost during the point: by the `kernel` for want of "
	    "room, and by the `interface`; null if not known." },
	{ "whole", PACE_BOOL(W, whole), .text = "Whether it saw the run to its end." },
	{ "resolution_ns", PACE_OWN(put_resolution, check_resolution), .type = PACE_TYPE_POSITIVE },
	{ "apart", PACE_COUNT(W, apart),
	    .text = "Between the two stamps of a frame lies a system call, so gaps that differ by "
	    "no more than `resolution_ns` are the same as far as can be told; those that differ by "
	    "more are counted in `apart`." },
	{ "gap_ns", PACE_HIST(W, gap, pace_unit_ns),
	    .text = "Histogram of the time from departure to departure, by the stamps of the "
	    "capture. Next to a frame that is missing there is no gap. At the responder from one "
	    "arrival to the next, as in `rx.gap_ns`, across what is missing, too." },
	{ "gap_difference_ns", PACE_HIST(W, gap_difference, pace_unit_ns),
	    .text = "Each of these less the gap of the same departures by the sender's own stamps, "
	    "which the frames carry. At the responder it is of each two successive numbers below "
	    "1048576, in one burst, that both the capture and the socket had: the gap between "
	    "their stamps in the capture less that between their stamps at the socket. Where both "
	    "are the kernel's they are one, and what is left is how the responder puts them on "
	    "its probe clock; with --stamp nic it is the way from the device to the kernel." },
	{ .name = NULL },
};

const struct pace_fields pace_wire_side_fields = { .name = "wire_side", .row = side_rows };

static struct pace_jw
side_to_json(const struct pace_wire_check *w, uint64_t sent)
{
	struct pace_jw o = { .o = pace_fields_to_json(&pace_wire_side_fields, w) };

	pace_jw_count(&o, "missing", missing(w, sent));
	return o;
}

json_t *
pace_wire_check_to_json(const struct pace_wire_check *w, uint64_t sent)
{
	return side_to_json(w, sent).o;
}

/* missing() the other way: seen, and not at the socket. */
static uint64_t
not_received(const struct pace_rx_result *r)
{
	return r->wire.frames > r->unique ? r->wire.frames - r->unique : 0;
}

json_t *
pace_wire_check_rx_to_json(const struct pace_rx_result *r)
{
	struct pace_jw o = side_to_json(&r->wire, r->unique + r->lost);

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

const char *
pace_wire_check_broken(const struct pace_wire_check *w)
{
	if (w->gap_difference.stats.n != w->gap.stats.n)
		return "gaps on the wire are not those between its frames";
	return pace_wire_check_rx_broken(w);
}

/* n gaps of so many frames? */
static bool
between(uint64_t n, uint64_t frames)
{
	return n == 0 || n < frames;
}

const char *
pace_wire_check_rx_broken(const struct pace_wire_check *w)
{
	if (!pace_hist_sums(&w->gap) || !pace_hist_sums(&w->gap_difference))
		return "a histogram of the wire does not sum to its count";
	if (!between(w->gap.stats.n, w->frames) || !between(w->gap_difference.stats.n, w->frames))
		return "gaps on the wire are not those between its frames";
	if (w->apart > w->gap_difference.stats.n)
		return "more gaps are apart than there are";
	if (w->packets > w->frames + w->copies)
		return "more packets were captured than frames seen";
	return NULL;
}

static void
note_frames(struct pace_notes *n, const struct pace_wire_check *w, uint64_t sent)
{
	if (w->frames == 0 && sent > 0)
		pace_note(n, "wire_frames", "none of the %" PRIu64 " frames that the kernel "
		    "accepted was seen on %s: is it the interface they leave by?", sent, w->interface);
	else if (w->frames > sent)
		pace_note(n, "wire_frames", "%" PRIu64 " frames were seen on %s, %" PRIu64
		    " more than the kernel accepted", w->frames, w->interface, w->frames - sent);
	else if (missing(w, sent) > w->dropped)
		pace_note(n, "wire_frames", "%" PRIu64 " of %" PRIu64 " frames that the kernel "
		    "accepted were not seen on %s: they were lost in this host", missing(w, sent),
		    sent, w->interface);
}

void
pace_wire_check_notes(struct pace_notes *n, const struct pace_wire_check *w, uint64_t sent)
{
	if (!w->whole)
		pace_note(n, "wire_failed", "the capture on %s ended before the run: what it says "
		    "is of a part", w->interface);
	else
		note_frames(n, w, sent);
	if (w->dropped > 0)
		pace_note(n, "wire_dropped", "the capture on %s lost %" PRIu64 " packets itself: "
		    "these are not known to be missing", w->interface, w->dropped);
	if (w->copies > 0)
		pace_note(n, "wire_copies", "%" PRIu64 " frames were seen more than once on %s",
		    w->copies, w->interface);
	if (pace_wire_check_is_apart(w))
		pace_note(n, "wire_gaps", "%" PRIu64 " of %" PRIu64 " gaps on %s differ from those "
		    "of the sender by more than %d \xc2\xb5s", w->apart, w->gap.stats.n,
		    w->interface, (int)(PACE_WIRE_CHECK_NS / 1000));
}

/* --- the responder's ------------------------------------------------------------------ */

/* What the ledger has behind the place where the capture looks: at least; at most. */
static void
behind_wire(const struct pace_ledger *l, uint64_t *low, uint64_t *high)
{
	static const enum pace_place places[] = { PACE_RX_CHECKSUM, PACE_RX_SOCKET, PACE_RX_LATE,
	    PACE_RX_IP, PACE_RX_INGRESS };

	*low = *high = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct pace_share *s = &l->place[places[i]];

		*low += s->low;
		*high = s->known ? *high + s->high : UINT64_MAX / 2;
	}
}

/* Both count the same frames, by other means: the ledger by what the kernel counts. */
static void
note_ledger(struct pace_notes *n, const struct pace_point *p)
{
	const struct pace_wire_check *w = &p->rx.wire;
	uint64_t lost = not_received(&p->rx), low, high;

	behind_wire(&p->ledger, &low, &high);
	if (lost > high)
		pace_note(n, "wire_rx_ledger", "%" PRIu64 " frames were lost behind %s of the "
		    "responder, and the ledger finds %" PRIu64 " at most between there and its "
		    "socket", lost, w->interface, high);
	else if (lost + w->dropped < low)
		pace_note(n, "wire_rx_ledger", "%" PRIu64 " frames were lost behind %s of the "
		    "responder, and the ledger finds %" PRIu64 " at least between there and its "
		    "socket", lost, w->interface, low);
}

static void
note_rx_frames(struct pace_notes *n, const struct pace_point *p)
{
	const struct pace_wire_check *w = &p->rx.wire;
	uint64_t unique = p->rx.unique, lost = not_received(&p->rx);

	if (w->frames == 0 && unique > w->dropped)
		pace_note(n, "wire_rx_frames", "none of the %" PRIu64 " frames that arrived was "
		    "seen on %s of the responder: is it the interface they come by?", unique,
		    w->interface);
	else if (unique > w->frames && unique - w->frames > w->dropped)
		pace_note(n, "wire_rx_frames", "%" PRIu64 " frames were seen on %s of the responder, "
		    "%" PRIu64 " fewer than arrived", w->frames, w->interface, unique - w->frames);
	else if (lost > 0)
		pace_note(n, "wire_rx_frames", "%" PRIu64 " of %" PRIu64 " frames that were seen on "
		    "%s of the responder did not get into its socket: they were lost in that host",
		    lost, w->frames, w->interface);
	if (w->frames > 0)
		note_ledger(n, p);
}

void
pace_wire_check_rx_notes(struct pace_notes *n, const struct pace_point *p)
{
	const struct pace_wire_check *w = &p->rx.wire;

	if (!w->whole)
		pace_note(n, "wire_rx_failed", "the capture on %s of the responder ended before the "
		    "run: what it says is of a part", w->interface);
	else
		note_rx_frames(n, p);
	if (w->dropped > 0)
		pace_note(n, "wire_rx_dropped", "the capture on %s of the responder lost %" PRIu64
		    " packets itself: these are not known to be missing", w->interface, w->dropped);
	if (w->copies > 0)
		pace_note(n, "wire_rx_copies", "%" PRIu64 " frames were seen more than once on %s of "
		    "the responder", w->copies, w->interface);
	if (pace_wire_check_is_apart(w))
		pace_note(n, "wire_rx_gaps", "%" PRIu64 " of %" PRIu64 " gaps on %s of the responder "
		    "differ from those of its socket by more than %d \xc2\xb5s", w->apart,
		    w->gap_difference.stats.n, w->interface, (int)(PACE_WIRE_CHECK_NS / 1000));
}
