/* fmt_plain.c - datagrams without a known format: no number, no time. */
#include "cap/formats.h"

int
pace_cap_fits_plain(const struct pace_cap_datagram *d)
{
	(void)d;
	return 0;			/* taken when nothing else fits */
}

bool
pace_cap_mark_plain(const struct pace_cap_rule *rule, const struct pace_cap_datagram *d,
    struct pace_cap_mark *m)
{
	(void)rule;
	(void)d;
	*m = (struct pace_cap_mark){ .stream = 0 };
	return true;
}

static void
begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	(void)b;
	(void)frame;
	(void)wall_ns;
}

static void
put(struct pace_cap_build *b, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	(void)b;
	(void)frame;
	(void)k;
	(void)now_ns;
}

const struct pace_cap_builder pace_cap_builder_plain = { .begin = begin, .put = put };
