#include "config.h"

#include "proto/report_parts.h"

#include <string.h>

#include "doc/js.h"

#define SUBS		32		/* low / width is below */
#define COUNT_MOST	((INT64_C(1) << 54) - 1)	/* of a bin: all of many runs can be added */

/* --- distributions --------------------------------------------------------- */

static int
code_of(const struct pace_bin *b)
{
	int width = __builtin_ctzll((uint64_t)(b->high - b->low));

	return SUBS * width + (int)(b->low >> width);
}

static size_t
digits(uint64_t n)
{
	size_t d = 1;

	for (; n >= 10; n /= 10)
		d++;
	return d;
}

size_t
pace_bins_length(const struct pace_coarse_hist_list *l)
{
	size_t len = 2 + digits(l->below);

	for (uint32_t i = 0; i < l->n; i++)
		len += 2 + digits((uint64_t)code_of(&l->bin[i])) + digits(l->bin[i].count);
	return len;
}

json_t *
pace_bins_json(const struct pace_coarse_hist_list *l)
{
	json_t *list = pace_js_append(json_array(), json_integer((json_int_t)l->below));

	for (uint32_t i = 0; i < l->n; i++) {
		const struct pace_bin *b = &l->bin[i];

		list = pace_js_append(list, json_integer(code_of(b)));
		list = pace_js_append(list, json_integer((json_int_t)b->count));
	}
	return list;
}

static bool
number(const json_t *list, size_t i, int64_t least, int64_t most, int64_t *n)
{
	const json_t *v = json_array_get(list, i);

	*n = json_integer_value(v);
	return json_is_integer(v) && *n >= least && *n <= most;
}

bool
pace_bins_of_json(struct pace_coarse_hist_list *l, const json_t *o)
{
	size_t n = json_array_size(o);
	int64_t code, count;

	memset(l, 0, sizeof(*l));
	if (!json_is_array(o) || n % 2 == 0 || n / 2 > PACE_COARSE_HIST_LIST ||
	    !number(o, 0, 0, COUNT_MOST, &count))
		return false;
	l->below = (uint64_t)count;
	for (size_t i = 0; i < n / 2; i++) {
		struct pace_bin *b = &l->bin[i];

		if (!number(o, 2 * i + 1, 0, SUBS * 40 - 1, &code) ||
		    !number(o, 2 * i + 2, 1, COUNT_MOST, &count))
			return false;
		*b = (struct pace_bin){ .low = (code % SUBS) << code / SUBS,
		    .high = (code % SUBS + 1) << code / SUBS, .count = (uint64_t)count };
		if (!pace_coarse_hist_is_bin(b->low, b->high) || (i > 0 && b->low < b[-1].high))
			return false;
		l->n = (uint32_t)i + 1;
	}
	return true;
}

/* --- the host -------------------------------------------------------------- */

json_t *
pace_host_counters_json(const struct pace_host_counters *s)
{
	struct pace_jw w = pace_jw_begin();

	pace_jw_put(&w, "at_ns", json_integer(s->at_ns));
	for (int i = 0; i < PACE_HOST_COUNTERS_REPORTED; i++)
		if (pace_host_counters_has(s, (enum pace_host_counter)i))
			pace_jw_count(&w, pace_host_counter_name((enum pace_host_counter)i), s->n[i]);
	return w.o;
}

bool
pace_host_counters_of_json(struct pace_host_counters *s, const json_t *o)
{
	struct pace_jr r = { .o = o };

	memset(s, 0, sizeof(*s));
	if (o == NULL || json_is_null(o))
		return true;
	s->at_ns = pace_jr_int(&r, "at_ns", 1, PACE_JS_MAX);
	for (int i = 0; i < PACE_HOST_COUNTERS_REPORTED; i++) {
		const char *name = pace_host_counter_name((enum pace_host_counter)i);

		s->has |= (uint64_t)pace_jr_has(&r, name) << i;
		s->n[i] = pace_jr_count_or_0(&r, name);
	}
	return !r.bad;
}
