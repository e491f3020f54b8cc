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

static const struct pace_fields flow_fields = { .name = "seen_flow",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }", .row = PACE_FIELDS(
	{ "source", PACE_TEXT(S, source) },
	{ "source_port", PACE_COUNT(S, source_port) },
	{ "destination", PACE_TEXT(S, destination) },
	{ "destination_port", PACE_COUNT(S, destination_port) },
	{ "ip", PACE_COUNT(S, ip), .low = 4, .high = 6, .type = "'enum': [4, 6]", .text = "" },
	{ "dscp", PACE_COUNT(S, dscp), .high = 63, .text = "Code point of its first datagram." },
	{ "dscp_changes", PACE_COUNT(S, dscp_changes), .text = "How often the code point "
	    "changed." },
	{ "vlan", PACE_COUNT(S, vlan), .low = 1, .high = 4095,
	    .when = PACE_F_OR_ABSENT },
	{ "frames", PACE_COUNT(S, frames) },
	{ "bytes", PACE_COUNT(S, bytes) },
	{ "wire_bytes", PACE_COUNT(S, wire_bytes), .text = "Totals of all its datagrams." },
	{ "streams", PACE_COUNT(S, streams), .text = "Number of streams in the flow." },
	{ "unnumbered", PACE_COUNT(S, unnumbered), .text = "Datagrams that belong to no stream." },
	{ "untracked", PACE_COUNT(S, untracked), .text = "Datagrams of streams beyond the limit of "
	    "streams." },
) };

static const struct pace_fields rx_fields = { .name = "seen_rx", .row = PACE_FIELDS(
	{ "frames", PACE_COUNT(S, rx.frames) },
	{ "unique", PACE_COUNT(S, rx.unique) },
	{ "bytes", PACE_COUNT(S, rx.bytes) },
	{ "duration_ns", PACE_PART(S, rx, pace_rx_flow_fields) },
	{ "gap_ns", PACE_HIST(S, rx.gap, pace_unit_ns) },
	{ "coalesced_stamps", PACE_COUNT(S, rx.coalesced_stamps) },
	{ "backwards", PACE_COUNT(S, backwards),
	    .text = "How often a stamp was earlier than the previous one." },
	{ "stamp", PACE_NAME(S, rx.stamp, pace_stamp_names), .text = "Kind of the stamps; null for "
	    "a file." },
) };

static const struct pace_fields numbers_fields = { .name = "seen_numbers", .row = PACE_FIELDS(
	{ "from_start", PACE_BOOL(S, from_start),
	    .text = "True if losses before the first datagram are counted: the format begins with "
	    "a known number, and the capture has the beginning of the stream." },
	{ "ended", PACE_BOOL(S, ended), .text = "True if the sender marked the end of the "
	    "stream." },
	{ "early", PACE_COUNT(S, early),
	    .text = "Datagrams with numbers before the first captured one; counted nowhere else." },
	{ "outliers", PACE_COUNT(S, outliers), .text = "Datagrams with numbers far from all "
	    "others; counted nowhere else." },
	{ "restarts", PACE_COUNT(S, restarts), .text = "How often the numbers restarted." },
) };

#define H	struct pace_seen_heaps

static const struct pace_fields heaps_fields = { .name = "seen_heaps", .row = PACE_FIELDS(
	{ "size_unknown", PACE_COUNT(H, size_unknown), .text = "Heaps of unknown size; "
	    "they are in no figure of `messages`." },
	{ "duplicates", PACE_COUNT(H, duplicates), .text = "Duplicated frames." },
	{ "late", PACE_COUNT(H, late), .text = "Frames of heaps that had already been given up." },
	{ "absurd", PACE_COUNT(H, absurd), .text = "Malformed frames." },
	{ "bytes_missing", PACE_COUNT(H, bytes_missing), .text = "Bytes missing in incomplete "
	    "heaps." },
	{ "frames_missing", PACE_REAL(H, frames_missing), .flags = PACE_F_FROM_0 },
	{ "frame_loss_ratio", PACE_REAL(H, frame_loss_ratio), .high = 1,
	    .type = PACE_TYPE_RATIO,
	    .text = "Frames missing in incomplete and lost heaps, estimated from mean sizes, and "
	    "their ratio to all frames." },
) };

#define B	struct pace_seen_pair

static const struct pace_fields pair_fields = { .name = "seen_pair",
    .text = "The flow in two captures of its path; received = rx.frames + "
    "foreign.", .row = PACE_FIELDS(
	{ "backwards", PACE_BOOL(B, backwards),
	    .text = "True if the flow goes from the second capture to the first." },
	{ "sent", PACE_COUNT(B, sent) },
	{ "received", PACE_COUNT(B, received), .text = "Frames in the sender's and in the "
	    "receiver's capture." },
	{ "ambiguous", PACE_COUNT(B, ambiguous),
	    .text = "Frames that look like others; they are in no other count." },
	{ "foreign", PACE_COUNT(B, foreign), .text = "Frames received but not sent." },
	{ "before_first", PACE_COUNT(B, before_first), .text = "Lost frames sent before the first "
	    "one that arrived." },
	{ "after_last", PACE_COUNT(B, after_last), .text = "Lost frames sent after the last one "
	    "that arrived." },
	{ "foreign_before_first", PACE_COUNT(B, foreign_before_first), .flags = PACE_F_LAX },
	{ "foreign_after_last", PACE_COUNT(B, foreign_after_last), .flags = PACE_F_LAX,
	    .text = "Foreign frames before the first and after the last one that arrived." },
	{ "duplicate_bytes", PACE_COUNT(B, duplicate_bytes), .flags = PACE_F_LAX },
	{ "foreign_bytes", PACE_COUNT(B, foreign_bytes), .flags = PACE_F_LAX,
	    .text = "Payload bytes of duplicated and of foreign frames; not part of rx.bytes and "
	    "the rates." },
	{ "offset_error_max_ns", PACE_REAL(B, bound_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX | PACE_F_FROM_0, PACE_F_HAS(B, has_clock) },
	{ "uncertainty_ns", PACE_REAL(B, uncertainty_ns), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_STRICT | PACE_F_FROM_0, PACE_F_IF(B, has_clock),
	    .text = "Error bound and uncertainty of the delay." },
) };

static const struct pace_fields numbered_fields = { .row = PACE_FIELDS(
	{ "numbers", PACE_SELF(numbers_fields) },
	{ "loss", PACE_OBJECT(S, rx, pace_loss_fields) },
	{ "duplicates", PACE_COUNT(S, rx.duplicates) },
	{ "replicated", PACE_COUNT(S, rx.replicated) },
	{ "reordering", PACE_OBJECT(S, rx, pace_reordering_fields),
	    .text = "As above. Lost frames are those missing between the first number and the last "
	    "one. `numbers` and these members are absent if the payload has no known numbers." },
) };

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

	seen->rx.has_owd = seen->pair.any;
	if (seen->pair.any)
		j->bad |= pace_hist_from_json(&seen->rx.owd, pace_jr_get(j, name), "ns") != 0;
}

const struct pace_fields pace_seen_fields = { .name = "seen",
    .text = "One stream of one flow in a capture.",
    .rules = "'dependentRequired': { "
    "'loss': ['numbers', 'duplicates', 'replicated', 'reordering'], 'numbers': ['loss'], "
    "'pdv_ns': ['ipdv_ns', 'jitter_rfc3550_ns', 'jitter_rfc3550_max_ns', 'invalid_timestamps'] }",
    .row = PACE_FIELDS(
	{ "flow", PACE_SELF(flow_fields) },
	{ "format", PACE_TEXT(S, format), .type = "'type': 'string', 'pattern': '^[a-z0-9]+$'" },
	{ "stream", PACE_TEXT(S, stream), .type = "'type': 'string', 'pattern': '^[0-9]+$'",
	    .text = "The format recognised in the payload, and the id of the stream within the "
	    "flow, in decimal: the format's own id, such as RTP's source. Runs of udpace are "
	    "numbered in the order of the flow, from 1, because a session's real number would "
	    "allow others to send frames of it." },
	{ "started", PACE_TEXT(S, started), .text = "The stamp of its first datagram." },
	{ "size_min_bytes", PACE_COUNT(S, size_min) },
	{ "size_max_bytes", PACE_COUNT(S, size_max), .text = "Smallest and largest payload." },
	{ "rx", PACE_SELF(rx_fields), .text = "As rx above, with `backwards`." },
	{ "loss", PACE_ROWS(numbered_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, numbered) },
	{ "pdv_ns", PACE_PART(S, rx, pace_delay_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, has_delay) },
	{ "pair", PACE_OBJECT(S, pair, pair_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, pair.any) },
	{ "owd_ns", PACE_OWN(put_owd, get_owd), .when = PACE_F_OR_ABSENT, PACE_F_IF(S, pair.any),
	    .type = "'anyOf': [{ '$ref': '#/$defs/hist_ns' }, { 'type': 'null' }]",
	    .flags = PACE_F_LAX, .text = "null if the relation of the clocks is not known." },
	{ "message", PACE_TEXT(S, message), .when = PACE_F_OR_ABSENT },
	{ "message_frames", PACE_COUNT(S, message_frames), .low = 1, .high = PACE_JS_MAX,
	    .when = PACE_F_OR_ABSENT, .text = "What a message is: \"heap\" of SPEAD, \"second\" of "
	    "VDIF and LOFAR, or \"frames\", as many as requested." },
	{ "messages", PACE_OBJECT(S, rx.messages, pace_message_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, rx.has_messages), .text = "As above; absent if the payload has no known "
	    "messages." },
	{ "heaps", PACE_OBJECT(S, heaps, heaps_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(S, heaps.any), .text = "Heaps of the SPEAD format." },
	{ "notes", PACE_NOTES_ROW(S, notes) },
) };

json_t *
pace_seen_to_json(const struct pace_seen *s)
{
	return pace_fields_to_json(&pace_seen_fields, s);
}

static bool
pair_holds(const struct pace_seen *s)
{
	const struct pace_seen_pair *b = &s->pair;

	return b->before_first + b->after_last <= s->rx.lost &&
	    b->foreign_before_first + b->foreign_after_last <= b->foreign &&
	    s->rx.unique + s->rx.lost + b->ambiguous == b->sent &&
	    s->rx.frames + b->foreign == b->received;
}

int
pace_seen_from_json(struct pace_seen *s, const json_t *o)
{
	pace_seen_reset(s);
	if (!pace_fields_from_json(&pace_seen_fields, s, o))
		return -EPROTO;
	return s->ip != 5 && s->size_min <= s->size_max &&
	    (!s->pair.any || pair_holds(s)) && pace_rx_result_holds(&s->rx) ? 0 : -EPROTO;
}

/* --- the capture ----------------------------------------------------------------------- */

#define C	struct pace_capture

static const struct pace_fields frames_fields = { .name = "capture_frames",
    .text = "all = udp + fragments + other + short + bad",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }", .row = PACE_FIELDS(
	{ "all", PACE_COUNT(C, frames) },
	{ "udp", PACE_COUNT(C, udp), .text = "UDP datagrams, and first fragments of UDP "
	    "datagrams." },
	{ "fragments", PACE_COUNT(C, fragments), .text = "Later fragments." },
	{ "other", PACE_COUNT(C, other) },
	{ "short", PACE_COUNT(C, cut_short), .text = "Frames captured too short to be "
	    "classified." },
	{ "bad", PACE_COUNT(C, bad), .text = "Frames with inconsistent headers." },
	{ "cut", PACE_COUNT(C, cut), .text = "Frames captured in part." },
	{ "large", PACE_COUNT(C, large), .text = "Frames merged by an offload." },
	{ "untracked", PACE_COUNT(C, untracked),
	    .text = "Frames of flows and streams beyond their limits." },
) };

/* From an interface or a file, not from a socket. */
static bool
is_frames(const void *s)
{
	return ((const C *)s)->socket[0] == '\0';
}

static const struct pace_fields drops_fields = { .name = "capture_dropped",
    .rules = "'additionalProperties': { " PACE_TYPE_COUNT " }",
    .row = PACE_FIELDS(
	{ "kernel", PACE_COUNT(C, dropped) },
	{ "interface", PACE_COUNT(C, interface_dropped), .when = PACE_F_OR_ABSENT,
	    .given = is_frames },
) };

static bool
is_file(const void *s)
{
	return ((const C *)s)->interface[0] == '\0';
}

#define IF_FRAMES	.when = PACE_F_OR_NULL, .flags = PACE_F_STRICT, PACE_F_IF(C, frames)

const struct pace_fields pace_capture_fields = { .name = "capture",
    .text = "The source of the capture, its filter, and its own losses.",
    .rules = "'oneOf': [ { 'required': ['interface'] }, { 'required': ['file'] } ]",
    .row = PACE_FIELDS(
	{ "interface", PACE_TEXT(C, interface), .when = PACE_F_OR_ABSENT },
	{ "file", PACE_TEXT(C, file), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .given = is_file, .text = "Interface or file that the frames come from; one of the two "
	    "is present." },
	{ "socket", PACE_TEXT(C, socket), .when = PACE_F_OR_ABSENT, .text = "Address and port of "
	    "the socket of udpace receive; absent if libpcap read the frames." },
	{ "group", PACE_TEXT(C, group), .when = PACE_F_OR_ABSENT },
	{ "group_source", PACE_TEXT(C, source), .when = PACE_F_OR_ABSENT,
	    .text = "The multicast group that this host joined for the capture, and the only source "
	    "that it asked for." },
	{ "rcvbuf_asked_bytes", PACE_COUNT(C, rcvbuf_asked), .when = PACE_F_OR_ABSENT },
	{ "rcvbuf_granted_bytes", PACE_COUNT(C, rcvbuf_granted), .when = PACE_F_OR_ABSENT,
	    .text = "Receive buffer of the socket, requested and granted by the kernel." },
	{ "recorded", PACE_COUNT(C, recorded), .when = PACE_F_OR_ABSENT, PACE_F_HAS(C, has_record) },
	{ "record_missed", PACE_COUNT(C, record_missed), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(C, has_record), .text = "Frames written to the file of `--record`, and frames "
	    "for which its writer was too slow." },
	{ "received_file", PACE_TEXT(C, other_file), .when = PACE_F_OR_ABSENT,
	    .text = "The receiver's file of two captures." },
	{ "filter", PACE_TEXT(C, filter), .when = PACE_F_OR_ABSENT,
	    .text = "The capture filter; absent if there was none." },
	{ "link_type", PACE_TEXT(C, link) },
	{ "snap_bytes", PACE_COUNT(C, snap_bytes), .text = "Link type and snapshot length in the "
	    "capture's header; of a socket `UDP`, and the bytes read of each payload." },
	{ "frames", PACE_SELF(frames_fields),
	    .text = "Counts of frames: `all` is the sum of `udp` (UDP datagrams and their first "
	    "fragments), later `fragments`, `other`, `short` (captured too short to be "
	    "classified), and `bad` (inconsistent headers). Among them, `cut` were captured in "
	    "part, `large` were merged by an offload, and `untracked` belong to flows and streams "
	    "beyond their limits." },
	{ "bytes", PACE_COUNT(C, bytes), .text = "Bytes of all frames as they were on the wire." },
	{ "first_ns", PACE_INT(C, first_ns), .low = -INT64_MAX, .high = INT64_MAX, IF_FRAMES },
	{ "last_ns", PACE_INT(C, last_ns), .low = -INT64_MAX, .high = INT64_MAX, IF_FRAMES },
	{ "resolution_ns", PACE_INT(C, resolution_ns), .low = 1, .high = 1000000000, IF_FRAMES,
	    .text = "The first stamp and the last, since 1970, and their resolution: 1 or 1000." },
	{ "flows", PACE_COUNT(C, flows) },
	{ "streams", PACE_COUNT(C, streams), .text = "Number of flows and of streams." },
	{ "dropped", PACE_SELF(drops_fields), .when = PACE_F_OR_NULL, .flags = PACE_F_LAX,
	    PACE_F_HAS(C, has_drops),
	    .text = "Frames that the capture itself lost: `kernel` if its buffer, or that "
	    "of the socket, was full, `interface` in the device. null for a file, which does "
	    "not report losses." },
	{ "complete", PACE_BOOL(C, complete) },
	{ "read_error", PACE_TEXT(C, read_error), .when = PACE_F_OR_ABSENT,
	    .text = "Whether the capture was read to its end and, if not, why." },
) };

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
	return left == 0 && c->cut <= c->frames && c->large <= c->udp && c->untracked <= c->udp;
}

int
pace_capture_from_json(struct pace_capture *c, const json_t *o)
{
	memset(c, 0, sizeof(*c));
	return pace_fields_from_json(&pace_capture_fields, c, o) && frames_hold(c) &&
	    c->first_ns <= c->last_ns ? 0 : -EPROTO;
}
