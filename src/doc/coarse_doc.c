#include "doc/coarse_doc.h"

#include "core/coarse_hist.h"

#define COUNT_MOST	(INT64_C(1) << 55)	/* largest count of a bin, so that sums cannot
						 * overflow */
#define LIST		struct pace_coarse_hist_list

/* [[low, high, count], ...] */
static void
put_bins(struct pace_jw *w, const char *name, const void *s)
{
	const LIST *l = s;
	json_t *bins = json_array();

	for (uint32_t i = 0; i < l->n; i++)
		bins = pace_js_append(bins, json_pack("[III]", (json_int_t)l->bin[i].low,
		    (json_int_t)l->bin[i].high, (json_int_t)l->bin[i].count));
	pace_jw_put(w, name, bins);
}

static bool
read_bin(struct pace_bin *b, const json_t *o)
{
	const json_t *low = json_array_get(o, 0), *high = json_array_get(o, 1);
	const json_t *count = json_array_get(o, 2);

	if (json_array_size(o) != 3 || !json_is_integer(low) || !json_is_integer(high) ||
	    !json_is_integer(count))
		return false;
	*b = (struct pace_bin){ .low = json_integer_value(low), .high = json_integer_value(high),
	    .count = (uint64_t)json_integer_value(count) };
	return pace_coarse_hist_is_bin(b->low, b->high) && json_integer_value(count) > 0 &&
	    json_integer_value(count) < COUNT_MOST;
}

static void
get_bins(struct pace_jr *j, const char *name, void *s)
{
	const json_t *bins = pace_jr_get(j, name);
	LIST *l = s;

	j->bad |= !json_is_array(bins) || json_array_size(bins) > PACE_COARSE_HIST_LIST;
	for (l->n = 0; !j->bad && l->n < json_array_size(bins); l->n++)
		j->bad |= !read_bin(&l->bin[l->n], json_array_get(bins, l->n)) ||
		    (l->n > 0 && l->bin[l->n].low < l->bin[l->n - 1].high);
}

static const struct pace_field histogram_rows[] = {
	{ "below", PACE_COUNT(LIST, below), .high = COUNT_MOST, .text = "Values below 0." },
	{ "bins", PACE_OWN(put_bins, get_bins),
	    .type = "'type': 'array', 'maxItems': 60, 'items': { 'type': 'array', 'minItems': 3, "
	    "'maxItems': 3, 'items': { 'type': 'integer' } }",
	    .text = "At most 60 triples of inclusive lower bound, exclusive upper bound and count; "
	    "lowest first, without empty bins. A bin is at most 1/16 of its values wide. If that "
	    "makes too many bins, those with few values, in the tails, are wider." },
	{ .name = NULL },
};

const struct pace_fields pace_histogram_fields = { .name = "histogram", .row = histogram_rows };

void
pace_histogram_put(struct pace_jw *w, const char *name, const void *list)
{
	pace_jw_put(w, name, pace_coarse_hist_count(list) > 0 ?
	    pace_fields_to_json(&pace_histogram_fields, list) : json_null());
}

/* Empty: no data. */
void
pace_histogram_get(struct pace_jr *j, const char *name, void *list)
{
	j->bad |= !pace_fields_from_json(&pace_histogram_fields, list, json_object_get(j->o, name));
}
