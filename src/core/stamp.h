/*
 * stamp.h - packets of STAMP, the Simple Two-way Active Measurement Protocol.
 *
 * Purpose    encode and decode requests of a Session-Sender and replies of a Session-Reflector,
 *            their times, error estimates and extensions (TLVs).  TWAMP-Light has the same
 *            reply, of at least 41 octets, and requests without a session identifier.
 * Layout     offsets; all integers big-endian; every octet that is not listed is zero
 *
 *                                     open, 44     authenticated, 112
 *            request  sequence        0 (4)        0 (4)
 *                     T1              4 (8)        16 (8)
 *                     error estimate  12 (2)       24 (2)
 *                     SSID            14 (2)       26 (2)
 *                     HMAC            -            96 (16)
 *            reply    sequence        0 (4)        0 (4)
 *                     T3              4 (8)        16 (8)
 *                     error estimate  12 (2)       24 (2)
 *                     SSID            14 (2)       26 (2)
 *                     T2              16 (8)       32 (8)
 *                     sender sequence 24 (4)       48 (4)
 *                     T1              28 (8)       64 (8)
 *                     sender's error  36 (2)       72 (2)
 *                     sender's TTL    40 (1)       80 (1)
 *                     HMAC            -            96 (16)
 *
 *            The HMAC (HMAC-SHA-256, the first 16 octets) covers the 96 octets before it; it is
 *            not calculated here.  TLVs follow: flags (1), type (1), length of the value (2),
 *            value.
 * Times      64 bits on the wire.  NTP format: seconds since 1900 and 2^-32 s.  PTP format:
 *            seconds since 1970 and ns.  Neither tells UTC from TAI: the caller knows which
 *            clock it reads.  Both wrap; decoding selects the time nearest to a given one.
 * Units      ns since 1970.
 * Trust      nothing is read behind the given length; the walk over TLVs ends after
 *            PACE_STAMP_TLVS_MAX of them.
 * Errors     -EMSGSIZE; the output is then unchanged.
 * Source     RFC 8762 section 4.2 to 4.3, RFC 8972 section 3 and 4, RFC 4656 section 4.1.2,
 *            RFC 8186 section 2, RFC 5905 section 6.
 */
#ifndef PACE_CORE_STAMP_H
#define PACE_CORE_STAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACE_STAMP_PORT		862
#define PACE_STAMP_OPEN		44	/* octets before the TLVs */
#define PACE_STAMP_AUTH		112
#define PACE_STAMP_LIGHT	41	/* octets of the shortest complete reply */
#define PACE_STAMP_HMAC_AT	96
#define PACE_STAMP_HMAC_SIZE	16
#define PACE_STAMP_TLV_SIZE	4	/* octets before the value of a TLV */
#define PACE_STAMP_TLVS_MAX	64	/* that a walk reports */

/* --- times and their error --- */

enum pace_stamp_format { PACE_STAMP_NTP, PACE_STAMP_PTP };	/* the values of the Z bit */

uint64_t	pace_stamp_time(int64_t ns, enum pace_stamp_format format);

/* The time within 68 years of near_ns.  A PTP time with 10^9 ns or more is carried over. */
int64_t	pace_stamp_time_ns(uint64_t time, enum pace_stamp_format format, int64_t near_ns);

struct pace_stamp_error {
	bool		synchronised;	/* S: to an external source */
	enum pace_stamp_format format;	/* Z: of the packet's times */
	int64_t		ns;		/* the estimate; INT64_MAX: more than that */
};

/* The smallest estimate that is not below ns; above 68 years, the largest that there is. */
uint16_t	pace_stamp_error(const struct pace_stamp_error *e);

/* Rounded up.  A multiplier of 0, which is not allowed, means an unknown error: INT64_MAX. */
struct pace_stamp_error	pace_stamp_error_of(uint16_t error);

/* --- packets --- */

struct pace_stamp_request {
	uint32_t	seq;
	uint64_t	t1;		/* as on the wire */
	uint16_t	error, ssid;
};

struct pace_stamp_reply {
	uint32_t	seq;
	uint64_t	t3, t2;		/* as on the wire, in the format of error */
	uint16_t	error, ssid;
	struct pace_stamp_request sender;	/* seq, t1 and error of the request; no ssid */
	uint8_t		ttl;		/* of the request when it arrived */
};

/* The size of the packet without TLVs. */
static inline size_t
pace_stamp_base(bool auth)
{
	return auth ? PACE_STAMP_AUTH : PACE_STAMP_OPEN;
}

/* True if a packet has the shape of a reply: in octets that are zeros or padding in a request, it
 * has a T2 within 16 s of its departure, or a T1 within 16 s of now, a time in our format.  Random
 * padding does so once in 6 x 10^7 requests. */
bool	pace_stamp_is_like_reply(const uint8_t *buf, size_t len, bool auth, uint64_t now);

/* Write the octets before the TLVs, the HMAC as zeros; returns their number.  An open reply may
 * have less room, from PACE_STAMP_LIGHT on: the last octets, zeros, are then omitted. */
int	pace_stamp_request_encode(uint8_t *buf, size_t size, bool auth,
	    const struct pace_stamp_request *q);
int	pace_stamp_reply_encode(uint8_t *buf, size_t size, bool auth,
	    const struct pace_stamp_reply *p);

/* Set T3 of an encoded reply; the HMAC is the caller's. */
void	pace_stamp_reply_set_t3(uint8_t *buf, bool auth, uint64_t t3);

/* Read them.  An open request of TWAMP-Light may be shorter, from 14 octets on; it has no
 * ssid.  An open reply may have PACE_STAMP_LIGHT octets. */
int	pace_stamp_request_decode(struct pace_stamp_request *q, const uint8_t *buf, size_t len,
	    bool auth);
int	pace_stamp_reply_decode(struct pace_stamp_reply *p, const uint8_t *buf, size_t len,
	    bool auth);

/* --- extensions --- */

enum pace_stamp_tlv_type {
	PACE_STAMP_TLV_PADDING = 1,
	PACE_STAMP_TLV_LOCATION,
	PACE_STAMP_TLV_TIME_INFO,
	PACE_STAMP_TLV_COS,
	PACE_STAMP_TLV_DIRECT,
	PACE_STAMP_TLV_ACCESS,
	PACE_STAMP_TLV_FOLLOW_UP,
	PACE_STAMP_TLV_HMAC
};

/* Flags: the type is unknown; the length is wrong; the HMAC is wrong.  A request has U alone. */
#define PACE_STAMP_U	0x80
#define PACE_STAMP_M	0x40
#define PACE_STAMP_I	0x20

struct pace_stamp_tlv {
	uint8_t		flags, type;
	uint16_t	length;		/* of the value, as on the wire */
	size_t		at;		/* offset of the flags in the packet */
	bool		malformed;	/* the value ends behind the packet, or has not the length
					 * of its type */
};

struct pace_stamp_walk {
	const uint8_t	*buf;
	size_t		len, at;	/* at: the next TLV */
	int		n;		/* TLVs so far */
};

/* Start at the end of the base packet. */
struct pace_stamp_walk	pace_stamp_walk(const uint8_t *buf, size_t len, bool auth);

/* Read the next TLV.  False: there is none.  The walk ends at the packet's end, behind a malformed
 * TLV (what follows cannot be trusted), at the reserved type 0 (padding of TWAMP-Light), and
 * after PACE_STAMP_TLVS_MAX TLVs. */
bool	pace_stamp_walk_next(struct pace_stamp_walk *w, struct pace_stamp_tlv *t);

/* The octets of a value; meaningful if the TLV is not malformed. */
#define PACE_STAMP_COS_LENGTH		4
#define PACE_STAMP_TIME_INFO_LENGTH	4
#define PACE_STAMP_FOLLOW_UP_LENGTH	16

struct pace_stamp_cos {
	uint8_t	dscp_wanted;	/* DSCP1: of the reply, by the sender's wish */
	uint8_t	dscp, ecn;	/* DSCP2, ECN: of the request when it arrived */
	uint8_t	refused;	/* RP: 1: the reply does not have dscp_wanted */
};

/* How a time was taken, in Timestamp Information and Follow-Up Telemetry. */
enum pace_stamp_method { PACE_STAMP_BY_NONE, PACE_STAMP_BY_HARDWARE, PACE_STAMP_BY_SOFTWARE,
	PACE_STAMP_BY_CONTROL };

/* The time source of a clock, in Timestamp Information. */
enum pace_stamp_source { PACE_STAMP_FROM_NONE, PACE_STAMP_FROM_NTP, PACE_STAMP_FROM_PTP,
	PACE_STAMP_FROM_SSU, PACE_STAMP_FROM_GNSS, PACE_STAMP_FROM_LOCAL };

struct pace_stamp_time_info {
	uint8_t	source_in, method_in;	/* T2: enum pace_stamp_source, pace_stamp_method */
	uint8_t	source_out, method_out;	/* T3 */
};

struct pace_stamp_follow_up {
	uint32_t	seq;		/* of an earlier reply */
	uint64_t	time;		/* its departure, as on the wire; 0: not known */
	uint8_t		method;		/* enum pace_stamp_method */
};

/* value: of the TLV, of its length above. */
void	pace_stamp_cos_put(uint8_t *value, const struct pace_stamp_cos *c);
void	pace_stamp_cos_get(struct pace_stamp_cos *c, const uint8_t *value);
void	pace_stamp_time_info_put(uint8_t *value, const struct pace_stamp_time_info *i);
void	pace_stamp_time_info_get(struct pace_stamp_time_info *i, const uint8_t *value);
void	pace_stamp_follow_up_put(uint8_t *value, const struct pace_stamp_follow_up *f);
void	pace_stamp_follow_up_get(struct pace_stamp_follow_up *f, const uint8_t *value);

/* Append a TLV with its value as zeros to the packet of len octets in a buffer of size: the new
 * length, or -EMSGSIZE. */
int	pace_stamp_tlv_add(uint8_t *buf, size_t size, size_t len, enum pace_stamp_tlv_type type,
	    uint16_t length);

#endif
