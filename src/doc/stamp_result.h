/*
 * stamp_result.h - what the replies of a STAMP reflector say besides the round trips.
 *
 * Purpose    filled by the sender (stream/stamp_session.c), written to documents as "stamp".
 * Directions the sender omits one number at the beginning of a session.  If the numbers of the
 *            replies then differ from the copied numbers of the requests, the reflector counts
 *            the requests that arrive, and losses can be attributed to a direction; if they are
 *            equal, it only copies.
 * Units      ns.   Memory  fixed.   Threads  none.
 * Source     RFC 8762, RFC 8972.
 */
#ifndef PACE_DOC_STAMP_RESULT_H
#define PACE_DOC_STAMP_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stamp.h"
#include "doc/field.h"

/* The sequence numbers of the replies: no reply shows it yet; copies of the requests'; of a counter
 * of the reflector's own; of a counter that contradicts the requests. */
enum pace_stamp_counter { PACE_COUNTER_UNKNOWN, PACE_COUNTER_COPIED, PACE_COUNTER_OWN,
	PACE_COUNTER_CONTRADICTS, PACE_COUNTERS };

struct pace_stamp_range {
	uint32_t	low, high;	/* both 0: no value */
};

struct pace_stamp_result {
	bool		light, authenticated;
	uint16_t	ssid;
	uint64_t	replies;	/* to different requests, late ones too */
	struct pace_stamp_range reply_bytes;
	uint64_t	short_replies;	/* shorter than their request */
	uint64_t	unverified;	/* discarded replies to a request: the HMAC is wrong */
	/* the reflector's clock, as it describes it */
	uint64_t	ptp;		/* replies with times in PTP format */
	uint64_t	synchronised;	/* replies with the flag S */
	int64_t		error_ns;	/* the largest estimate */
	uint64_t	error_unknown;	/* replies without a valid estimate */
	bool		has_time_info;
	struct pace_stamp_time_info time_info;
	/* its times */
	uint64_t	equal_times;	/* T3 = T2 */
	uint64_t	reversed_times;	/* T3 < T2 */
	uint64_t	unusable_times;	/* T3 - T2 impossible, or the clock jumped */
	int64_t		granularity_ns;	/* all times are multiples of it; 0: not so, or not known */
	uint64_t	follow_ups;	/* departures of replies that a later reply carried */
	/* losses */
	enum pace_stamp_counter counter;
	uint64_t	lost_there, lost_back;	/* of a counter of its own */
	uint64_t	lost_unknown;	/* before the first reply, or after the last one */
	uint64_t	duplicates_there, duplicates_back;
	uint64_t	reordered;	/* replies to earlier requests than one before */
	/* the IP header */
	uint32_t	ttl_sent;	/* 0: the system's default */
	struct pace_stamp_range ttl_there, ttl_back;	/* when they arrived */
	uint32_t	dscp_sent, dscp_there, dscp_back;	/* there, back: the newest change, or
							 * else the one of all */
	uint64_t	marks_there, marks_back;	/* replies that show it */
	uint64_t	changed_there, changed_back;	/* of them: it differs from dscp_sent */
	uint64_t	cos_refused;	/* the reflector does not send with this DSCP */
	/* replies with a TLV that the reflector marked as unknown, malformed, not verified */
	uint64_t	tlvs_unknown, tlvs_malformed, tlvs_unverified;
};

extern const struct pace_fields pace_stamp_fields;

/* Return NULL, or the contradiction in words.  lost: requests without any reply. */
const char	*pace_stamp_broken(const struct pace_stamp_result *r, uint64_t lost);

#endif
