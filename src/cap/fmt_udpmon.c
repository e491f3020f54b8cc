/*
 * UDPmon, protocol 7: little-endian, as the host's C struct had it.
 *
 *   offset size field
 *        0    4 command    4 DATA, 8 request, 9 response, others control
 *        4    4 version    7; 0 in ZEROSTATS, and in DATA before any command
 *        8    8 frame      number from 0
 *       16    8 sent       DATA: 0.1 us, put through 32 bits, so it wraps in 7 min
 *
 * Requests and responses have numbers of their own, from 0 or 1.  DATA numbers restart after
 * ZEROSTATS, START and TESTEND.  A reply with bulk data has no header and cannot be
 * recognised.
 */
#include "cap/formats.h"

#define DATA		4
#define REQUEST		8
#define RESPONSE	9
#define NUMBERED_SIZE	24
#define CONTROL_SIZE	208
#define FRAMES_MAX	(UINT64_C(1) << 40)	/* no test has so many */
#define TENTHS_US	100			/* in ns */
#define PROTOCOL	7

enum { COMMAND, VERSION, FRAME, SENT };
static const struct pace_cap_field field[] = {
	[COMMAND] = { 0, 4, 0, 32 }, [VERSION] = { 4, 4, 0, 32 }, [FRAME] = { 8, 8, 0, 64 },
	[SENT] = { 16, 8, 0, 64 },
};

static uint64_t
get(const struct pace_cap_datagram *d, int i)
{
	return pace_cap_get_le(d->payload, &field[i]);
}

static bool
numbered(uint64_t command)
{
	return command == DATA || command == REQUEST || command == RESPONSE;
}

/* Control that begins or ends a test. */
static bool
between_tests(uint64_t command)
{
	return command == 0x01 || command == 0x80 || command == 0x22;
}

static bool
control(uint64_t command)
{
	return between_tests(command) || command == 0x02 || command == 0x10 || command == 0x20 ||
	    command == 0x21 || command == 0x23 || command == 0x40 ||
	    (command >= 0x43 && command <= 0x45);
}

int
pace_cap_fits_udpmon(const struct pace_cap_datagram *d)
{
	uint64_t command, version;

	if (d->length < NUMBERED_SIZE || d->captured < NUMBERED_SIZE)
		return 0;
	command = get(d, COMMAND);
	version = get(d, VERSION);
	if (version != PROTOCOL && version != 0)
		return 0;
	if (numbered(command) && get(d, FRAME) < FRAMES_MAX)
		return version == PROTOCOL ? PACE_CAP_SURE : 60;
	return control(command) && d->length == CONTROL_SIZE ? 60 : 0;
}

bool
pace_cap_mark_udpmon(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	uint64_t command;
	int64_t sent;

	(void)rule;
	if (pace_cap_fits_udpmon(d) == 0)
		return false;
	command = get(d, COMMAND);
	sent = (int32_t)(uint32_t)get(d, SENT);
	*m = (struct pace_cap_mark){
		.stream = numbered(command) && command != DATA ? command : 0,
		.has_seq = numbered(command),
		.seq = numbered(command) ? get(d, FRAME) : 0,
		.has_time = command == DATA,
		.time_ns = command == DATA ? sent * TENTHS_US : 0,
		.time_wraps_ns = command == DATA ? (INT64_C(1) << 32) * TENTHS_US : 0,
		.last = between_tests(command),
	};
	return true;
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	(void)b;
	(void)wall_ns;
	pace_cap_put_le(frame, &field[COMMAND], DATA);
	pace_cap_put_le(frame, &field[VERSION], PROTOCOL);
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	if (b->begin_ns == 0)
		b->begin_ns = now_ns;
	b->next = b->base + k + 1;
	pace_cap_put_le(frame, &field[FRAME], b->base + k);
	/* through an int of 32 bits, as in UDPmon */
	pace_cap_put_le(frame, &field[SENT],
	    (uint64_t)(int64_t)(int32_t)(uint32_t)((now_ns - b->begin_ns) / TENTHS_US));
}

const struct pace_cap_builder pace_cap_builder_udpmon = { .header = NUMBERED_SIZE, .begin = begin,
    .put = put };
