#include "doc/send.h"

#define S	struct pace_send

static const char *const payloads[] = { "pattern", "file" };

static bool
is_multicast(const void *s)
{
	return ((const S *)s)->multicast;
}

const struct pace_fields pace_send_fields = { .name = "send",
    .text = "Frames of the kind \"send\" and where they went.", .row = PACE_FIELDS(
	{ "format", PACE_WORDS(S, format), .type = "'type': 'string', 'minLength': 1",
	    .text = "Format of the frames, as --format of udpace-send(1)." },
	{ "payload", PACE_NAME(S, from_file, payloads),
	    .text = "\"pattern\": bytes that no link compresses; \"file\": those of --payload." },
	{ "multicast", PACE_BOOL(S, multicast),
	    .text = "Whether the destination is a multicast group." },
	{ "ttl", PACE_COUNT(S, ttl), .low = 1, .high = UINT8_MAX, .when = PACE_F_OR_ABSENT,
	    .text = "Time to live, or hop limit; absent: the system's default." },
	{ "loop", PACE_BOOL(S, loop), .when = PACE_F_OR_ABSENT, .given = is_multicast,
	    .text = "Only for multicast: whether receivers on this host got the frames as well." },
	{ "sequence", PACE_WORDS(S, rule), .when = PACE_F_OR_ABSENT,
	    .text = "Only of the format \"sequence\": position of its numbers, as --sequence." },
	{ "descriptor_heaps", PACE_COUNT(S, descriptor_heaps), .when = PACE_F_OR_ABSENT,
	    .text = "Heaps after which the descriptors are sent again; absent: only before the first "
	    "one." },
	{ "heap_frames", PACE_COUNT(S, heap_frames), .when = PACE_F_OR_ABSENT },
	{ "address_bits", PACE_COUNT(S, address_bits), .when = PACE_F_OR_ABSENT,
	    .text = "Only of the format \"spead\": frames of a heap, and bits of its flavour's "
	    "addresses, 40 or 48." },
) };

json_t *
pace_send_to_json(const struct pace_send *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "send", pace_fields_to_json(&pace_send_fields, s));
	return w.o;
}
