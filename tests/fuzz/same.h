/*
 * same.h - are two documents equal except for the rounding of reals?
 *
 * stddev is skipped: an impossible one (a forged one) is accepted, and its last digits change.
 */
#ifndef FUZZ_SAME_H
#define FUZZ_SAME_H

#include <math.h>

#include "fuzz.h"

static inline bool
same_json(json_t *a, json_t *b)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_number(a) && json_is_number(b) && (json_is_real(a) || json_is_real(b)))
		return fabs(json_number_value(a) - json_number_value(b)) <=
		    1e-9 * fabs(json_number_value(a));
	if (json_is_array(a) && json_array_size(a) == json_array_size(b)) {
		for (i = 0; i < json_array_size(a); i++)
			if (!same_json(json_array_get(a, i), json_array_get(b, i)))
				return false;
		return true;
	}
	if (!json_is_object(a))
		return json_equal(a, b);
	json_object_foreach(a, key, v)
		if (strcmp(key, "stddev") != 0 && !same_json(v, json_object_get(b, key)))
			return false;
	return json_object_size(a) == json_object_size(b);
}

#endif
