#include "doc/ledger_doc.h"

#include <errno.h>

#include "doc/ask.h"
#include "doc/fate.h"
#include "doc/js.h"

/* Of the places that are not exact. */
static json_t *
bounds_to_json(const struct pace_ledger *l)
{
	struct pace_jw w = pace_jw_begin();

	for (int i = 0; i < PACE_PLACES; i++) {
		const struct pace_share *s = &l->place[i];

		if (s->known && s->low != s->high)
			pace_jw_put(&w, pace_place_name((enum pace_place)i), json_pack("[o, o]",
			    pace_js_count(s->low), pace_js_count(s->high)));
	}
	return w.o;
}

/* What the interfaces of the session counted, whosever traffic it was. */
static json_t *
seen_to_json(const struct pace_point *p)
{
	struct pace_jw w = pace_jw_begin();
	uint64_t in, out;
	bool known = pace_counters_seen(&p->ours, &in, &out);

	pace_jw_put(&w, "tx_nic", known ? pace_js_count(out) : json_null());
	known = pace_counters_seen(&p->theirs, &in, &out);
	pace_jw_put(&w, "rx_nic", known ? pace_js_count(in) : json_null());
	return w.o;
}

json_t *
pace_ledger_to_json(const struct pace_point *p)
{
	const struct pace_ledger *l = &p->ledger;
	struct pace_jw w = pace_jw_begin();
	char text[512];

	pace_jw_count(&w, "asked", l->asked);
	pace_jw_count(&w, "tx_refused", l->tx_refused);
	pace_jw_count(&w, "not_due", p->interrupted ? 0 :
	    pace_ask_not_due(&p->ask, l->asked, p->tx.skipped));
	for (int i = 0; i < PACE_PLACES; i++)
		pace_jw_put(&w, pace_place_name((enum pace_place)i), p->has_rx &&
		    l->place[i].known ? pace_js_count(l->place[i].n) : json_null());
	pace_jw_put(&w, "bounds", bounds_to_json(l));
	pace_jw_put(&w, "seen", seen_to_json(p));
	pace_jw_text(&w, "diagnosis", pace_fate_say(p, text, sizeof(text)));
	return w.o;
}

static bool
read_share(struct pace_share *s, struct pace_jr *j, const json_t *bounds, const char *name)
{
	const json_t *pair = json_object_get(bounds, name);
	const json_t *low = json_array_get(pair, 0), *high = json_array_get(pair, 1);

	s->known = !json_is_null(pace_jr_get(j, name));
	s->n = s->low = s->high = pace_jr_count_or_0(j, name);
	if (pair == NULL)
		return true;
	if (!json_is_integer(low) || !json_is_integer(high) || json_array_size(pair) != 2 ||
	    json_integer_value(low) < 0 || json_integer_value(high) < 0)
		return false;
	s->low = (uint64_t)json_integer_value(low);
	s->high = (uint64_t)json_integer_value(high);
	return s->known;
}

int
pace_ledger_from_json(struct pace_ledger *l, const json_t *o, bool has_rx)
{
	struct pace_jr j = { .o = o };
	const json_t *bounds = pace_jr_get(&j, "bounds");

	l->asked = pace_jr_count(&j, "asked");
	l->tx_refused = pace_jr_count(&j, "tx_refused");
	if (!json_is_object(bounds))
		return -EPROTO;
	for (int i = 0; i < PACE_PLACES && has_rx; i++)
		if (!read_share(&l->place[i], &j, bounds, pace_place_name((enum pace_place)i)))
			return -EPROTO;
	return !j.bad && (!has_rx || l->place[PACE_NETWORK].known) ? 0 : -EPROTO;
}
