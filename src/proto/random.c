#include "config.h"

#include "proto/random.h"

#include <sodium.h>

uint64_t
pace_random(void)
{
	uint64_t v;

	do
		randombytes_buf(&v, sizeof(v));
	while (v == 0);
	return v;
}
