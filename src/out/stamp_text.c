#include "out/stamp_text.h"

#include <inttypes.h>
#include <string.h>

#include "out/table.h"

#define INDENT	"                  "	/* PACE_LABEL */

static void
say_losses(const struct pace_say *s, const struct pace_stamp_result *r)
{
	static const char *const why[PACE_COUNTERS] = {
		[PACE_COUNTER_UNKNOWN] = "not known: there are too few replies",
		[PACE_COUNTER_COPIED] = "not known: the reflector copies sequence numbers",
		[PACE_COUNTER_CONTRADICTS] = "not known: the reflector's count does not match its "
		    "replies",
	};
	char rest[96] = "";

	if (r->counter != PACE_COUNTER_OWN) {
		pace_say_sentence(s, "  direction       ", "of losses %s", why[r->counter]);
		return;
	}
	if (r->lost_unknown > 0)
		snprintf(rest, sizeof(rest), ", %s in a direction that is not known",
		    PACE_AS_COUNT(r->lost_unknown));
	pace_say_sentence(s, "  lost            ", "%s on the way to the reflector, %s on the way "
	    "back%s", PACE_AS_COUNT(r->lost_there), PACE_AS_COUNT(r->lost_back), rest);
	if (r->duplicates_there + r->duplicates_back > 0)
		pace_say_sentence(s, "  duplicated      ", "%s on the way to the reflector, %s on "
		    "the way back", PACE_AS_COUNT(r->duplicates_there),
		    PACE_AS_COUNT(r->duplicates_back));
}

static void
say_replies(const struct pace_say *s, const struct pace_stamp_result *r)
{
	const struct pace_counted troubles[] = {
		{ "reordered", r->reordered, r->replies, "replies after that to a later request" },
		{ "short replies", r->short_replies, r->replies, "shorter than their request" },
		{ "unverified", r->unverified, 0, "replies whose HMAC is wrong" },
		{ "TLVs not known", r->tlvs_unknown, r->replies, "to the reflector" },
	};

	pace_say_troubles(s, troubles, PACE_COUNT_OF(troubles));
}

static const char *
range_of(const struct pace_stamp_range *r, char text[32])
{
	if (r->high == 0)
		return "not known";
	snprintf(text, 32, r->low == r->high ? "%u" : "%u to %u", r->low, r->high);
	return text;
}

static const char *
dscp_of(uint32_t dscp, uint64_t known, uint64_t changed, char text[64])
{
	if (known == 0)
		return "not known";
	snprintf(text, 64, changed > 0 ? "%u (changed in %" PRIu64 " of %" PRIu64 ")" : "%u", dscp,
	    changed, known);
	return text;
}

static void
say_headers(const struct pace_say *s, const struct pace_stamp_result *r)
{
	char there[64], back[64];

	pace_say_sentence(s, "  TTL             ", "%u sent; at the reflector %s; of replies here "
	    "%s", r->ttl_sent, range_of(&r->ttl_there, there), range_of(&r->ttl_back, back));
	pace_say_sentence(s, "  DSCP            ", "%u sent; at the reflector %s; of replies here "
	    "%s", r->dscp_sent, dscp_of(r->dscp_there, r->marks_there, r->changed_there, there),
	    dscp_of(r->dscp_back, r->marks_back, r->changed_back, back));
}

static const char *
method_of(uint8_t method)
{
	return method == PACE_STAMP_BY_HARDWARE ? "by hardware" :
	    method == PACE_STAMP_BY_SOFTWARE ? "by software" :
	    method == PACE_STAMP_BY_CONTROL ? "by the control plane" : "in a way not stated";
}

/* The reflector describes itself; nothing of it is measured. */
static void
say_statement(const struct pace_say *s, const struct pace_stamp_result *r)
{
	char error[96] = "no valid error estimate", taken[128] = "", coarse[96] = "";

	if (r->error_unknown < r->replies)
		snprintf(error, sizeof(error), "error \xc2\xb1 %s", PACE_AS_USEC(r->error_ns));
	if (r->has_time_info)
		snprintf(taken, sizeof(taken), "; T2 taken %s, T3 %s",
		    method_of(r->time_info.method_in), method_of(r->time_info.method_out));
	if (r->granularity_ns > 0)
		snprintf(coarse, sizeof(coarse), "; in steps of %s",
		    PACE_AS_USEC(r->granularity_ns));
	pace_say_sentence(s, "  it states       ", "clock %s, %s; %s format%s%s",
	    r->synchronised == r->replies ? "synchronised" : r->synchronised == 0 ?
	    "not synchronised" : "synchronised at times", error,
	    r->ptp == 0 ? "NTP" : r->ptp == r->replies ? "PTP" : "NTP or PTP", coarse, taken);
	if (r->follow_ups > 0)
		pace_say_sentence(s, INDENT, "departure of %s replies in later replies",
		    PACE_AS_COUNT(r->follow_ups));
}

void
pace_say_stamp(const struct pace_say *s, const struct pace_stamp_result *r)
{
	say_losses(s, r);
	say_replies(s, r);
	if (r->replies == 0)
		return;
	say_headers(s, r);
	say_statement(s, r);
}

void
pace_say_offset(const struct pace_say *s, const char *clocks, const struct pace_offset *o,
    const char *remark)
{
	pace_say_sentence(s, "  clock           ", "%s %s, \xc2\xb1 %s for symmetric minimum delays, "
	    "\xc2\xb1 %s in any case", clocks, PACE_AS_USEC(o->offset_ns),
	    PACE_AS_USEC(o->uncertainty_ns), PACE_AS_USEC(o->bound_ns));
	pace_say(s, INDENT "skew %s%s\n", PACE_AS_SKEW(o->skew_ppm, o->skew_error_ppm, 4), remark);
}

void
pace_say_far_clock(const struct pace_say *s, const char *clocks, const struct pace_clock *k)
{
	int64_t mid = pace_clock_mid(k);
	const struct pace_offset o = { .offset_ns = (double)pace_clock_at(&k->fit, mid),
	    .uncertainty_ns = k->fit.uncertainty_ns, .bound_ns = k->fit.bound_ns,
	    .skew_ppm = pace_clock_rate_at(&k->fit, mid) * 1e6,
	    .skew_error_ppm = pace_clock_rate_bound_at(&k->fit, mid) * 1e6 };

	if (k->fit.segments > 0)
		pace_say_offset(s, clocks, &o, k->fit.segments > 1 ? ", NOT LINEAR" :
		    k->fit.wanders ? ", it wanders" : "");
}
