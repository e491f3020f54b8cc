#include "doc/capture_doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/hist_doc.h"
#include "doc/point_doc.h"
#include "doc/rx_result_doc.h"

void
pace_seen_reset(struct pace_seen *s)
{
	memset(s, 0, sizeof(*s));
	pace_rx_result_reset(&s->rx);
}

struct pace_seen *
pace_seen_new(void)
{
	struct pace_seen *s = malloc(sizeof(*s));

	if (s != NULL)
		pace_seen_reset(s);
	return s;
}

/* --- a stream -------------------------------------------------------------------------- */

#define S	struct pace_seen

static const struct pace_field flow_rows[] = {
	{ "source", PACE_TEXT(S, source) },
	{ "source_port", PACE_COUNT(S, source_port) },
	{ "destination", PACE_TEXT(S, destination) },
	{ "destination_port", PACE_COUNT(S, destination_port) },
	{ "ip", PACE_COUNT(S, ip), .low = 4, .high = 6, .type = "'enum': [4, 6]", .text = "" },
	{ "dscp", PACE_COUNT(S, dscp), .high = 63, .text = "Of its first datagram." },
	{ "dscp_changes", PACE_COUNT(S, dscp_changes), .text = "How often that changed." },
	{ "vlan", PACE_COUNT(S, vlan), .low = 1, .high = 4095,
	    .when = PACE_F_OR_ABSENT },
	{ "frames", PACE_COUNT(S, frames) },
	{ "bytes", PACE_COUNT(S, bytes) },
	{ "wire_bytes", PACE_COUNT(S, wire_bytes), .text = "Of all its datagrams." },
	{ "streams", PACE_COUNT(S, streams), .text = "How many it has." },
	{ "unnumbered", PACE_COUNT(S, unnumbered), .text = "Datagrams that no stream counts." },
	{ "unfollowed", PACE_COUNT(S, unfollowed), .text = "Those for which there was no room." },
	{ .name = NULL },
};

static const struct pace_fields flow_fields = { .name = "seen_flow", .row = flow_rows,
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }" };

static const struct pace_field rx_rows[] = {
	{ "frames", PACE_COUNT(S, rx.frames) },
	{ "unique", PACE_COUNT(S, rx.unique) },
	{ "bytes", PACE_COUNT(S, rx.bytes) },
	{ "duration_ns", PACE_PART(S, rx, pace_rx_flow_fields) },
	{ "gap_ns", PACE_HIST(S, rx.gap, pace_unit_ns) },
	{ "coalesced_stamps", PACE_COUNT(S, rx.coalesced_stamps) },
	{ "backwards", PACE_COUNT(S, backwards),
	    .text = "How often a stamp was before the one before." },
	{ "stamp", PACE_NAME(S, rx.stamp, pace_stamp_names), .text = "null of a file." },
	{ .name = NULL },
};

static const struct pace_fields rx_fields = { .name = "seen_rx", .row = rx_rows };

static const struct pace_field numbers_rows[] = {
	{ "from_start", PACE_BOOL(S, from_start),
	    .text = "Losses before the first datagram are counted, because the format begins with "
	    "a known number and the capture has the beginning." },
	{ "ended", PACE_BOOL(S, ended), .text = "Its sender said so." },
	{ "early", PACE_COUNT(S, early),
	    .text = "Datagrams with numbers before the first one that was captured, counted "
	    "nowhere else." },
	{ "strays", PACE_COUNT(S, strays), .text = "With numbers far from all others, neither." },
	{ "restarts", PACE_COUNT(S, restarts), .text = "How often the numbers began anew." },
	{ .name = NULL },
};

static const struct pace_fields numbers_fields = { .name = "seen_numbers",
    .row = numbers_rows };

#define H	struct pace_seen_heaps

static const struct pace_field heaps_rows[] = {
	{ "complete", PACE_COUNT(H, complete) },
	{ "incomplete", PACE_COUNT(H, incomplete) },
	{ "lost", PACE_COUNT(H, lost), .text = "Heaps; of the lost ones nothing came." },
	{ "unsized", PACE_COUNT(H, unsized), .text = "Heaps whose size nobody told." },
	{ "loss_ratio", PACE_REAL(H, loss_ratio), .high = 1, .type = PACE_TYPE_RATIO,
	    .text = "Incomplete and lost of all but the latter." },
	{ "duplicates", PACE_COUNT(H, duplicates), .text = "Frames that are copies." },
	{ "late", PACE_COUNT(H, late), .text = "That came when their heap was given up." },
	{ "absurd", PACE_COUNT(H, absurd), .text = "That make no sense." },
	{ "bytes_missing", PACE_COUNT(H, bytes_missing), .text = "In incomplete heaps." },
	{ "frames_missing", PACE_REAL(H, frames_missing), .flags = PACE_F_FROM_0 },
	{ "frame_loss_ratio", PACE_REAL(H, frame_loss_ratio), .high = 1,
	    .type = PACE_TYPE_RATIO,
	    .text = "As many frames as those and the lost ones would have been." },
	{ .name = NULL },
};

static const struct pace_fields heaps_fields = { .name = "seen_heaps", .row = heaps_rows };

#define B	struct pace_seen_between

static const struct pace_field between_rows[] = {
	{ "backwards", PACE_BOOL(B, backwards),
	    .text = "The flow goes from the second capture to the first." },
	{ "sent", PACE_COUNT(B, sent) },
	{ "received", PACE_COUNT(B, received), .text = "Frames." },
	{ "twins", PACE_COUNT(B, twins),
	    .text = "Those that cannot be told from others and are in no other count." },
	{ "foreign", PACE_COUNT(B, foreign), .text = "Those received and not sent." },
	{ "head", PACE_COUNT(B, head), .text = "Of those lost: before the first that arrived." },
	{ "tail", PACE_COUNT(B, tail), .text = "After the last." },
	{ "foreign_head", PACE_COUNT(B, foreign_head), .flags = PACE_F_LAX },
	{ "foreign_tail", PACE_COUNT(B, foreign_tail), .flags = PACE_F_LAX,
	    .text = "Of those foreign, the same." },
	{ "duplicate_bytes", PACE_COUNT(B, duplicate_bytes), .flags = PACE_F_LAX },
	{ "foreign_bytes", PACE_COUNT(B, foreign_bytes), .flags = PACE_F_LAX,
	    .text = "Of payload, which rx.bytes and the rates leave out." },
	{ "bound_ns", PACE_REAL(B, bound_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX | PACE_F_FROM_0, PACE_F_HAS(B, has_clock) },
	{ "uncertainty_ns", PACE_REAL(B, uncertainty_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT | PACE_F_FROM_0, PACE_F_IF(B, has_clock), .text = "Of the delay." },
	{ .name = NULL },
};

static const struct pace_fields between_fields = { .name = "seen_between",
    .row = between_rows, .text = "The flow in two captures of its path; received = rx.frames + "
    "foreign." };

static const struct pace_field numbered_rows[] = {
	{ "numbers", PACE_SELF(numbers_fields) },
	{ "loss", PACE_OBJECT(S, rx, pace_loss_fields) },
	{ "duplicates", PACE_COUNT(S, rx.duplicates) },
	{ "replicated", PACE_COUNT(S, rx.replicated) },
	{ "reordering", PACE_OBJECT(S, rx, pace_reordering_fields),
	    .text = "As above. Lost is what is missing between the first number and the last one. "
	    "`numbers` and these are absent where the payload has no numbers that are known." },
	{ .name = NULL },
};

static const struct pace_fields numbered_fields = { .row = numbered_rows };

static void
put_owd(struct pace_jw *w, const char *name, const void *s)
{
	const S *seen = s;

	pace_jw_put(w, name, seen->rx.has_owd ? pace_hist_to_json(&seen->rx.owd, "ns") :
	    json_null());
}

static void
get_owd(struct pace_jr *j, const char *name, void *s)
{
	S *seen = s;

	seen->rx.has_owd = seen->between.any;
	if (seen->between.any)
		j->bad |= pace_hist_from_json(&seen->rx.owd, pace_jr_get(j, name), "ns") != 0;
}

static const struct pace_field seen_rows[] = {
	{ "flow", PACE_SELF(flow_fields) },
	{ "format", PACE_TEXT(S, format), .type = "'type': 'string', 'pattern': '^[a-z0-9]+$'" },
	{ "stream", PACE_TEXT(S, stream), .type = "'type': 'string', 'pattern': '^[0-9]+$'",
	    .text = "What its payload was taken for, and the stream's number within the flow, "
	    "decimal: what its format calls it, such as RTP's source. A run of udpace is called by "
	    "its order in the flow, from 1, for who knows its session's number can send frames of "
	    "it." },
	{ "started", PACE_TEXT(S, started), .text = "The stamp of its first datagram." },
	{ "size_min_bytes", PACE_COUNT(S, size_min) },
	{ "size_max_bytes", PACE_COUNT(S, size_max), .text = "The payloads." },
	{ "rx", PACE_SELF(rx_fields), .text = "As rx above, with `backwards`." },
	{ "loss", PACE_ROWS(numbered_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, numbered) },
	{ "pdv_ns", PACE_PART(S, rx, pace_delay_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, has_delay) },
	{ "between", PACE_OBJECT(S, between, between_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, between.any) },
	{ "owd_ns", PACE_OWN(put_owd, get_owd), .when = PACE_F_OR_ABSENT, PACE_F_IF(S, between.any),
	    .type = "'anyOf': [{ '$ref': '#/$defs/hist_ns' }, { 'type': 'null' }]",
	    .flags = PACE_F_LAX, .text = "null where the relation of the clocks is not known." },
	{ "heaps", PACE_OBJECT(S, heaps, heaps_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, heaps.any), .text = "Of SPEAD." },
	{ "notes", PACE_NOTES_ROW(S, notes) },
	{ .name = NULL },
};

const struct pace_fields pace_seen_fields = { .name = "seen", .row = seen_rows,
    .text = "One stream of one flow in a capture.",
    .rules = "'dependentRequired': { "
    "'loss': ['numbers', 'duplicates', 'replicated', 'reordering'], 'numbers': ['loss'], "
    "'pdv_ns': ['ipdv_ns', 'jitter_rfc3550_ns', 'jitter_rfc3550_max_ns', 'absurd_times'] }" };

json_t *
pace_seen_to_json(const struct pace_seen *s)
{
	return pace_fields_to_json(&pace_seen_fields, s);
}

static bool
between_holds(const struct pace_seen *s)
{
	const struct pace_seen_between *b = &s->between;

	return b->head + b->tail <= s->rx.lost &&
	    b->foreign_head + b->foreign_tail <= b->foreign &&
	    s->rx.unique + s->rx.lost + b->twins == b->sent &&
	    s->rx.frames + b->foreign == b->received;
}

int
pace_seen_from_json(struct pace_seen *s, const json_t *o)
{
	pace_seen_reset(s);
	if (!pace_fields_from_json(&pace_seen_fields, s, o))
		return -EPROTO;
	return s->ip != 5 && s->size_min <= s->size_max &&
	    (!s->between.any || between_holds(s)) && pace_rx_result_holds(&s->rx) ? 0 : -EPROTO;
}

/* --- the capture ----------------------------------------------------------------------- */

#define C	struct pace_capture

static const struct pace_field frames_rows[] = {
	{ "all", PACE_COUNT(C, frames) },
	{ "udp", PACE_COUNT(C, udp), .text = "UDP, and first fragments of such." },
	{ "fragments", PACE_COUNT(C, fragments), .text = "Later ones." },
	{ "other", PACE_COUNT(C, other) },
	{ "short", PACE_COUNT(C, cut_short), .text = "Captured too short to tell." },
	{ "bad", PACE_COUNT(C, bad), .text = "Whose headers contradict each other." },
	{ "cut", PACE_COUNT(C, cut), .text = "Captured in part." },
	{ "large", PACE_COUNT(C, large), .text = "Merged by an offload." },
	{ "unfollowed", PACE_COUNT(C, unfollowed),
	    .text = "Of flows and streams for which there was no room." },
	{ .name = NULL },
};

static const struct pace_fields frames_fields = { .name = "capture_frames",
    .row = frames_rows, .text = "all = udp + fragments + other + short + bad",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }" };

static const struct pace_field drops_rows[] = {
	{ "kernel", PACE_COUNT(C, dropped) },
	{ "interface", PACE_COUNT(C, interface_dropped) },
	{ .name = NULL },
};

static const struct pace_fields drops_fields = { .name = "capture_dropped",
    .row = drops_rows, .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }" };

static bool
is_file(const void *s)
{
	return ((const C *)s)->interface[0] == '\0';
}

#define IF_FRAMES	.when = PACE_F_OR_NULL, .flags = PACE_F_STRICT, PACE_F_IF(C, frames)

static const struct pace_field capture_rows[] = {
	{ "interface", PACE_TEXT(C, interface), .when = PACE_F_OR_ABSENT },
	{ "file", PACE_TEXT(C, file), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = is_file, .text = "Where the frames are from: one of the two." },
	{ "received_file", PACE_TEXT(C, other_file), .when = PACE_F_OR_ABSENT,
	    .text = "The other one of two captures." },
	{ "filter", PACE_TEXT(C, filter), .when = PACE_F_OR_ABSENT,
	    .text = "Absent if there was none." },
	{ "link_type", PACE_TEXT(C, link) },
	{ "snap_bytes", PACE_COUNT(C, snap_bytes), .text = "What the capture's own header says." },
	{ "frames", PACE_SELF(frames_fields),
	    .text = "Counts: `all` of the capture, which are `udp` and first fragments of such, "
	    "later `fragments`, `other`, `short`, captured too short to tell, and `bad`, whose "
	    "headers contradict each other. Of them `cut` were captured in part, `large` were "
	    "merged by an offload, `unfollowed` are of flows and streams for which there was no "
	    "room." },
	{ "bytes", PACE_COUNT(C, bytes), .text = "Of all frames, as they were on the wire." },
	{ "first_ns", PACE_INT(C, first_ns), .low = -INT64_MAX, .high = INT64_MAX, IF_FRAMES },
	{ "last_ns", PACE_INT(C, last_ns), .low = -INT64_MAX, .high = INT64_MAX, IF_FRAMES },
	{ "resolution_ns", PACE_INT(C, resolution_ns), .low = 1, .high = 1000000000, IF_FRAMES,
	    .text = "The first stamp and the last, since 1970, and what they are whole numbers of: "
	    "1 or 1000." },
	{ "flows", PACE_COUNT(C, flows) },
	{ "streams", PACE_COUNT(C, streams), .text = "How many there were." },
	{ "dropped", PACE_SELF(drops_fields), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(C, has_drops),
	    .text = "What the capture itself lost: `kernel` for want of room, `interface` by the "
	    "device. null of a file, which does not tell." },
	{ "whole", PACE_BOOL(C, whole) },
	{ "damage", PACE_TEXT(C, damage), .when = PACE_F_OR_ABSENT,
	    .text = "Whether it was read to its end, and if not, why not." },
	{ .name = NULL },
};

const struct pace_fields pace_capture_fields = { .name = "capture", .row = capture_rows,
    .text = "What was captured, where, and what the capture itself lost.",
    .rules = "'oneOf': [ { 'required': ['interface'] }, { 'required': ['file'] } ]" };

json_t *
pace_capture_to_json(const struct pace_capture *c)
{
	return pace_fields_to_json(&pace_capture_fields, c);
}

static bool
frames_hold(const struct pace_capture *c)
{
	const uint64_t parts[] = { c->udp, c->fragments, c->other, c->cut_short, c->bad };
	uint64_t left = c->frames;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i] > left)
			return false;
		left -= parts[i];
	}
	return left == 0 && c->cut <= c->frames && c->large <= c->udp && c->unfollowed <= c->udp;
}

int
pace_capture_from_json(struct pace_capture *c, const json_t *o)
{
	memset(c, 0, sizeof(*c));
	return pace_fields_from_json(&pace_capture_fields, c, o) && frames_hold(c) &&
	    c->first_ns <= c->last_ns ? 0 : -EPROTO;
}
