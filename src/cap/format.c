#include "cap/format.h"

#include <string.h>

#include "cap/formats.h"

#define DECODER(name)	#name, .fits = pace_cap_fits_##name, .mark = pace_cap_mark_##name
#define CODEC(name)	DECODER(name), .builder = &pace_cap_builder_##name

static const struct pace_cap_format table[] = {
	{ DECODER(udpace), .title = "udpace", .begins = true, .secret = true },
	{ CODEC(spead), .title = "SPEAD heaps", .message = "heap" },
	{ CODEC(lofar), .title = "LOFAR station beamlets", .message = "second" },
	{ CODEC(vtp), .title = "VDIF with VTP's numbers" },
	{ CODEC(vdif), .title = "VDIF", .message = "second" },
	{ CODEC(udpmon), .title = "UDPmon", .begins = true },
	{ DECODER(iperf2), .title = "iperf 2", .begins = true, .first = 1 },
	{ DECODER(iperf3), .title = "iperf 3", .begins = true, .first = 1 },
	{ CODEC(rtp), .title = "RTP" },
	{ CODEC(sequence), .title = "a number where --sequence says" },
	{ CODEC(plain), .title = "no format known" },
};

#define FORMATS	(sizeof(table) / sizeof(table[0]))
_Static_assert(FORMATS <= PACE_CAP_FORMATS, "pace_cap_guess has room for every format");

const struct pace_cap_format *
pace_cap_format(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (strcmp(name, table[i].name) == 0)
			return &table[i];
	return NULL;
}

const struct pace_cap_format *
pace_cap_formats(size_t *n)
{
	*n = FORMATS;
	return table;
}
