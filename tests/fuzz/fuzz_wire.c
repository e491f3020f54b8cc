/*
 * Any bytes as a header.  What decodes has one spelling only: encoding it
 * gives the same 32 bytes.  And with its check put right, so that what lies
 * behind the check is reached.
 */
#include "core/wire.h"
#include "fuzz.h"
#include "repair.h"

static void
decode(const uint8_t *buf, size_t len)
{
	struct pace_hdr h, before;
	uint8_t again[PACE_HDR_SIZE];
	int rc;

	memset(&h, 0x5a, sizeof(h));
	before = h;
	rc = pace_hdr_decode(&h, buf, len);
	if (rc == 0) {
		MUST(pace_hdr_encode(again, sizeof(again), &h) == PACE_HDR_SIZE);
		MUST(memcmp(again, buf, sizeof(again)) == 0);
		return;
	}
	MUST(rc < 0);
	if (len >= PACE_HDR_SIZE && buf[2] != PACE_WIRE_VERSION)
		before.type = h.type;		/* may be told */
	MUST(memcmp(&h, &before, sizeof(h)) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = fuzz_exact(data, size);

	decode(copy, size);
	repair_header(copy, size);
	decode(copy, size);
	if (size > 0)
		copy[size - 1] ^= 1;		/* damage after the check was made */
	decode(copy, size);
	free(copy);
	return 0;
}
