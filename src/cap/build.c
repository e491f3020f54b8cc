#include "cap/build.h"

#include <errno.h>

size_t
pace_cap_build_header(const struct pace_cap_build *b)
{
	return b->rule.bytes > 0 ? b->rule.offset + b->rule.bytes : b->builder->header;
}

int
pace_cap_build_check(const struct pace_cap_build *b, struct pace_err *err)
{
	size_t header = pace_cap_build_header(b);

	if (b->size < header)
		return pace_failf(err, EINVAL, "size", "'%u' is smaller than the %zu bytes of the "
		    "header", b->size, header);
	return b->builder->check != NULL ? b->builder->check(b, err) : 0;
}

uint32_t
pace_cap_build_fit(const struct pace_cap_build *b, uint32_t most)
{
	if (b->builder->fit != NULL)
		return b->builder->fit(most);
	return most >= pace_cap_build_header(b) ? most : 0;
}

void
pace_cap_build_begin(struct pace_cap_build *b, uint8_t *frame, int64_t wall_ns)
{
	b->base = b->next;
	b->heap = b->next_heap;
	b->begin_ns = 0;
	b->builder->begin(b, frame, wall_ns);
}
