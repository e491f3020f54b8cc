#include "doc/stamp_result.h"

#include <stddef.h>
#include <string.h>

#define T	struct pace_stamp_result
#define G	struct pace_stamp_range
#define I	struct pace_stamp_time_info

static const char *const counter_names[PACE_COUNTERS] = { "unknown", "copied", "own",
	"contradictory" };

static const char *const methods[] = { "none", "hardware", "software", "control-plane" };
static const char *const sources[] = { "none", "ntp", "ptp", "ssu", "gnss", "local" };
#define METHODS		(sizeof(methods) / sizeof(methods[0]))
#define SOURCES		(sizeof(sources) / sizeof(sources[0]))

/* --- Timestamp Information: any number may come --- */

static void
put_word(struct pace_jw *w, const char *name, uint8_t v, const char *const *words, size_t n)
{
	pace_jw_text(w, name, v < n ? words[v] : "other");
}

static void
put_method(struct pace_jw *w, const char *name, const void *member)
{
	put_word(w, name, *(const uint8_t *)member, methods, METHODS);
}

static void
put_source(struct pace_jw *w, const char *name, const void *member)
{
	put_word(w, name, *(const uint8_t *)member, sources, SOURCES);
}

static void
get_word(struct pace_jr *j, const char *name, uint8_t *v, const char *const *words, size_t n)
{
	char word[16];

	pace_jr_text(j, name, word, sizeof(word));
	for (*v = 0; *v < n && strcmp(words[*v], word) != 0; (*v)++)
		;
	if (*v == n && strcmp(word, "other") != 0)
		j->bad = true;
}

static void
get_method(struct pace_jr *j, const char *name, void *member)
{
	get_word(j, name, member, methods, METHODS);
}

static void
get_source(struct pace_jr *j, const char *name, void *member)
{
	get_word(j, name, member, sources, SOURCES);
}

#define METHOD(m)	PACE_OWN_OF(I, m, put_method, get_method), .type = \
	"'enum': ['none', 'hardware', 'software', 'control-plane', 'other']"
#define SOURCE(m)	PACE_OWN_OF(I, m, put_source, get_source), .type = \
	"'enum': ['none', 'ntp', 'ptp', 'ssu', 'gnss', 'local', 'other']"

static const struct pace_fields time_info_fields = { .name = "stamp_time_info",
    .text = "How a STAMP reflector takes its times, in its own words.", .row = PACE_FIELDS(
	{ "t2_source", SOURCE(source_in) },
	{ "t2_method", METHOD(method_in) },
	{ "t3_source", SOURCE(source_out) },
	{ "t3_method", METHOD(method_out), .text = "The clock's source (\"ntp\", \"ptp\", "
	    "\"ssu\", \"gnss\", \"local\", \"none\" or \"other\"), and where the time is taken "
	    "(\"hardware\", \"software\", \"control-plane\", \"none\" or \"other\")." },
) };

/* --- ranges --- */

static const struct pace_fields range_fields = { .name = "stamp_range",
    .text = "Lowest and highest value.", .row = PACE_FIELDS(
	{ "low", PACE_COUNT(G, low) },
	{ "high", PACE_COUNT(G, high) },
) };

#define RANGE(m)	PACE_OBJECT(T, m, range_fields), .when = PACE_F_OR_ABSENT, \
			.flags = PACE_F_LAX, PACE_F_IF(T, m.high)

/* --- the whole --- */

static bool
has_direction(const void *s)
{
	return ((const T *)s)->counter == PACE_COUNTER_OWN;
}

#define DIRECTED	.when = PACE_F_OR_NULL, .given = has_direction

const struct pace_fields pace_stamp_fields = { .name = "stamp",
    .text = "What the replies of a STAMP reflector show besides round trips.", .row = PACE_FIELDS(
	{ "twamp_light", PACE_BOOL(T, light) },
	{ "authenticated", PACE_BOOL(T, authenticated),
	    .text = "Whether --twamp-light and --stamp-key were given." },
	{ "ssid", PACE_COUNT(T, ssid), .text = "Session identifier of the requests." },
	{ "replies", PACE_COUNT(T, replies), .text = "Requests with a reply, even a late one." },
	{ "reply_bytes", RANGE(reply_bytes), .text = "`low` and `high`: UDP payload of the "
	    "replies; absent if there was none." },
	{ "short_replies", PACE_COUNT(T, short_replies), .text = "Replies shorter than their "
	    "request." },
	{ "unverified", PACE_COUNT(T, unverified), .text = "Replies to these requests "
	    "whose HMAC is wrong; not counted in `replies`, but in `foreign`." },
	{ "ptp_format", PACE_COUNT(T, ptp), .text = "Replies with times in PTP format, not in NTP "
	    "format." },
	{ "synchronised", PACE_COUNT(T, synchronised), .text = "Replies that call the reflector's "
	    "clock synchronised (flag S)." },
	{ "error_ns", PACE_NS(T, error_ns), .text = "The largest error of its clock that the "
	    "reflector stated." },
	{ "error_unknown", PACE_COUNT(T, error_unknown), .text = "Replies without a valid error "
	    "estimate." },
	{ "time_info", PACE_OBJECT(T, time_info, time_info_fields), .when = PACE_F_OR_ABSENT,
	    PACE_F_HAS(T, has_time_info), .text = "The reflector's Timestamp Information, the "
	    "newest; absent if it gave none." },
	{ "equal_times", PACE_COUNT(T, equal_times) },
	{ "reversed_times", PACE_COUNT(T, reversed_times), .text = "Replies with T3 = T2, and with "
	    "T3 before T2." },
	{ "unusable_times", PACE_COUNT(T, unusable_times), .text = "Replies whose times were not "
	    "used: missing, a residence time longer than the round trip, or a clock that jumped "
	    "by more than 10 s." },
	{ "granularity_ns", PACE_NS(T, granularity_ns), .when = PACE_F_OR_NULL,
	    .text = "All times of the reflector are multiples of "
	    "this power of ten; null if below 1 \xc2\xb5s or not known." },
	{ "follow_ups", PACE_COUNT(T, follow_ups), .text = "Replies whose departure the reflector "
	    "stated in a later reply (Follow-Up Telemetry); it then replaces T3." },
	{ "counter", PACE_NAME(T, counter, counter_names), .text = "Sequence numbers of "
	    "the replies: \"copied\" from the requests; \"own\": the reflector counts the "
	    "requests that arrive; \"contradictory\": its count does not match the replies; or "
	    "\"unknown\"." },
	{ "lost_there", PACE_COUNT(T, lost_there), DIRECTED },
	{ "lost_back", PACE_COUNT(T, lost_back), DIRECTED, .text = "Losses on the way to the "
	    "reflector and on the way back; null unless `counter` is \"own\"." },
	{ "lost_unknown", PACE_COUNT(T, lost_unknown), .text = "Losses without a known direction. "
	    "With `lost_there` and `lost_back` these are `timeouts` - `late_replies`." },
	{ "duplicates_there", PACE_COUNT(T, duplicates_there), DIRECTED },
	{ "duplicates_back", PACE_COUNT(T, duplicates_back), DIRECTED, .text = "Duplicates by "
	    "direction; null as above." },
	{ "reordered", PACE_COUNT(T, reordered), .text = "Replies that arrived after the reply to "
	    "a later request." },
	{ "ttl_sent", PACE_COUNT(T, ttl_sent), .text = "TTL or hop limit of the requests." },
	{ "ttl_there", RANGE(ttl_there) },
	{ "ttl_back", RANGE(ttl_back), .text = "The same of the requests when they arrived at "
	    "the reflector, and of the replies when they arrived here; absent if not known." },
	{ "marks_there", PACE_COUNT(T, marks_there) },
	{ "marks_back", PACE_COUNT(T, marks_back), .text = "Replies that show `dscp_there`, and "
	    "`dscp_back`." },
	{ "dscp_sent", PACE_COUNT(T, dscp_sent), .high = 63 },
	{ "dscp_there", PACE_COUNT(T, dscp_there), .high = 63, .when = PACE_F_OR_NULL,
	    PACE_F_IF(T, marks_there) },
	{ "dscp_back", PACE_COUNT(T, dscp_back), .high = 63, .when = PACE_F_OR_NULL,
	    PACE_F_IF(T, marks_back), .text = "DSCP of the requests, of the requests at the "
	    "reflector (Class of Service), and of the replies; null if not known. If it changed, "
	    "the newest changed one." },
	{ "changed_there", PACE_COUNT(T, changed_there) },
	{ "changed_back", PACE_COUNT(T, changed_back), .text = "Those of them in which it is not "
	    "`dscp_sent`." },
	{ "cos_refused", PACE_COUNT(T, cos_refused), .text = "Replies that the reflector did not "
	    "send with the requested DSCP." },
	{ "tlvs_unknown", PACE_COUNT(T, tlvs_unknown) },
	{ "tlvs_malformed", PACE_COUNT(T, tlvs_malformed) },
	{ "tlvs_unverified", PACE_COUNT(T, tlvs_unverified), .text = "Replies with an extension "
	    "marked unknown (U), malformed (M) or not verified (I)." },
) };

const char *
pace_stamp_broken(const struct pace_stamp_result *r, uint64_t lost)
{
	if (r->lost_there + r->lost_back + r->lost_unknown != lost)
		return "losses by direction are not the sum of the losses";
	if (r->changed_there > r->marks_there || r->changed_back > r->marks_back ||
	    r->marks_there > r->replies || r->marks_back > r->replies)
		return "there are more changes of the DSCP than replies";
	return NULL;
}
