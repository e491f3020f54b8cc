#include "doc/capacity.h"

static const char *const limits[] = { NULL, "path", "responder", "sender", "highest", "policy" };
static const char *const whys[] = { NULL, "loss", "queue", "refused", "stalled", "late", "rate",
	"no_result" };
static const char *const highest[] = { "asked", "interface", "usual" };

const char *
pace_limit_name(enum pace_limit l)
{
	return l == PACE_LIMIT_UNKNOWN ? "" : limits[l];
}

const char *
pace_why_name(enum pace_why w)
{
	return w == PACE_WHY_NONE ? "" : whys[w];
}

/* Types of what is written and not read. */
#define ABOVE_0		"'type': 'number', 'exclusiveMinimum': 0"
#define NAME_OR_NULL	"'type': ['string', 'null']"

struct rates_doc { double user_bps, wire_bps; };

static const struct pace_field rates_rows[] = {
	{ "user_rate_bps", PACE_REAL(struct rates_doc, user_bps), .type = ABOVE_0 },
	{ "wire_rate_bps", PACE_REAL(struct rates_doc, wire_bps), .type = ABOVE_0 },
	{ .name = NULL },
};

static const struct pace_fields rates_fields = { .row = rates_rows };

static struct rates_doc
rates_of(const struct pace_capacity *c, double bps)
{
	return (struct rates_doc){ bps, bps * (double)c->wire_bytes / c->size_bytes };
}

/* --- a rate with all its trials --- */

struct rate_doc {
	struct rates_doc	bps;
	double		spacing_ns, loss_limit;
	uint64_t	trials, frames, lost;
	int64_t		sustained_ns;
};

static const struct pace_field rate_rows[] = {
	{ "user_rate_bps", PACE_PART(struct rate_doc, bps, rates_fields) },
	{ "spacing_ns", PACE_REAL(struct rate_doc, spacing_ns), .type = ABOVE_0 },
	{ "trials", PACE_COUNT(struct rate_doc, trials), .text = "The valid ones at this rate." },
	{ "frames", PACE_COUNT(struct rate_doc, frames), .text = "Of all of them." },
	{ "lost", PACE_COUNT(struct rate_doc, lost), .text = "Of these, lost or refused." },
	{ "loss_limit", PACE_REAL(struct rate_doc, loss_limit), .type = ABOVE_0 ", 'maximum': 1",
	    .text = "The loss ratio that is not exceeded with the confidence of `confidence`." },
	{ "sustained_ns", PACE_INT(struct rate_doc, sustained_ns), .low = 1, .high = PACE_JS_MAX,
	    .text = "The length of the longest of them." },
	{ .name = NULL },
};

static const struct pace_fields rate_fields = { .name = "capacity_rate", .row = rate_rows,
    .text = "A rate of the search, with all its valid trials." };

static json_t *
rate_to_json(const struct pace_capacity *c, double bps, struct pace_trials at)
{
	const struct rate_doc r = { .bps = rates_of(c, bps), .spacing_ns = c->size_bytes * 8e9 / bps,
	    .trials = (uint64_t)at.n, .frames = at.frames, .lost = at.lost,
	    .loss_limit = pace_search_loss_limit(at.lost, at.frames),
	    .sustained_ns = at.lengthy ? c->sustain_ns : c->duration_ns };

	return bps > 0 ? pace_fields_to_json(&rate_fields, &r) : json_null();
}

/* --- a trial --- */

struct trial_doc {
	struct pace_capacity_trial t;
	struct rates_doc	bps;
};

#define T	struct trial_doc

static void
put_verdict(struct pace_jw *w, const char *name, const void *s)
{
	enum pace_trial_verdict v = ((const T *)s)->t.verdict;

	pace_jw_text(w, name, v == PACE_TRIAL_PASSED ? "passed" : v == PACE_TRIAL_FAILED ?
	    "failed" : "invalid");
}

static const struct pace_field trial_rows[] = {
	{ "point", PACE_COUNT(T, t.point), .when = PACE_F_OR_NULL, PACE_F_HAS(T, t.has_point),
	    .text = "Its index in `points`, or null." },
	{ "user_rate_bps", PACE_PART(T, bps, rates_fields) },
	{ "long", PACE_BOOL(T, t.ask.lengthy) },
	{ "verdict", PACE_OWN(put_verdict, NULL), .type = "'enum': ['passed', 'failed', 'invalid']" },
	{ "why", PACE_NAME(T, t.why, whys), .text = "It did not pass." },
	{ "frames", PACE_COUNT(T, t.frames) },
	{ "lost", PACE_COUNT(T, t.lost) },
	{ "delay_growth_ns", PACE_REAL(T, t.growth_ns), .when = PACE_F_OR_NULL,
	    .text = "The delay of the last frame less that of the first." },
	{ .name = NULL },
};

static const struct pace_fields trial_fields = { .name = "capacity_trial", .row = trial_rows,
    .rules = "'if': { 'properties': { 'verdict': { 'const': 'passed' } } }, "
    "'then': { 'properties': { 'why': { 'const': null } } }, "
    "'else': { 'properties': { 'why': { 'type': 'string' } } }" };

/* --- the whole --- */

#define C	struct pace_capacity

static const struct pace_field asked_rows[] = {
	{ "size_bytes", PACE_COUNT(C, size_bytes), .low = 1 },
	{ "from_bps", PACE_REAL(C, search.cfg.low_bps), .type = ABOVE_0 },
	{ "to_bps", PACE_REAL(C, search.cfg.high_bps), .type = ABOVE_0 },
	{ "to", PACE_NAME(C, highest, highest) },
	{ "max_loss", PACE_REAL(C, max_loss), .high = 1 },
	{ "precision", PACE_REAL(C, search.cfg.precision), .type = ABOVE_0 },
	{ "repeat", PACE_COUNT(C, search.cfg.repeat), .low = 1 },
	{ "duration_ns", PACE_INT(C, duration_ns), .low = 1, .high = PACE_JS_MAX },
	{ "sustain_ns", PACE_INT(C, sustain_ns), .low = 1, .high = PACE_JS_MAX },
	{ .name = NULL },
};

static const struct pace_fields asked_fields = { .name = "capacity_asked", .row = asked_rows };

/* --- the sender without frames --- */

#define I	struct pace_idle

static const struct pace_field idle_rows[] = {
	{ "tried_ns", PACE_INT(I, ns), .low = 1, .high = PACE_JS_MAX },
	{ "lost_ns", PACE_NS(I, lost_ns) },
	{ "busy", PACE_BOOL(I, busy) },
	{ "why", PACE_TEXT(I, why), .when = PACE_F_OR_NULL, PACE_F_IF(I, why[0]) },
	{ .name = NULL },
};

static const struct pace_fields idle_fields = { .name = "capacity_sender", .row = idle_rows };

/* What is told of a search. */
struct search_doc {
	const C		*c;
	double		confidence;
	enum pace_limit	limit;
	enum pace_why	why;
	const char	*place, *diagnosis;	/* NULL, "": none */
};

static struct search_doc
doc_of(const struct pace_capacity *c)
{
	struct search_doc t = { .c = c, .confidence = 0.95, .limit = pace_capacity_limit(c) };

	if (t.limit == PACE_LIMIT_POLICY) {
		t.diagnosis = c->refused;
	} else if (c->search.by_sender) {
		t.why = PACE_WHY_RATE;
		t.diagnosis = pace_capacity_by_sender(c) ? c->idle.why : NULL;
	} else if (t.limit != PACE_LIMIT_UNKNOWN && t.limit != PACE_LIMIT_HIGHEST) {
		t.place = c->cause.place;
		t.why = c->cause.why;
		t.diagnosis = c->cause.diagnosis;
	}
	return t;
}

#define W	struct search_doc

static void
put_complete(struct pace_jw *w, const char *name, const void *s)
{
	const struct pace_search *search = &((const W *)s)->c->search;

	pace_jw_bool(w, name, search->done && !search->gave_up);
}

static void
put_sender(struct pace_jw *w, const char *name, const void *s)
{
	const I *idle = &((const W *)s)->c->idle;

	pace_jw_put(w, name, idle->ns > 0 ? pace_fields_to_json(&idle_fields, idle) :
	    json_null());
}

static void
put_asked(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_fields_to_json(&asked_fields, ((const W *)s)->c));
}

static void
put_found(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = ((const W *)s)->c;
	struct pace_found found = pace_capacity_found(c);

	pace_jw_put(w, name, rate_to_json(c, found.bps, found.at));
}

static void
put_failed(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = ((const W *)s)->c;
	double bps = pace_capacity_failed(c);

	pace_jw_put(w, name, rate_to_json(c, bps, pace_capacity_at(c, bps)));
}

static void
put_words(struct pace_jw *w, const char *name, const void *s)
{
	const char *words = *(const char *const *)s;

	pace_jw_put(w, name, words != NULL && words[0] != '\0' ? json_string(words) : json_null());
}

static void
put_trials(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = ((const W *)s)->c;
	json_t *list = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const T t = { .t = c->v[i], .bps = rates_of(c, c->v[i].ask.bps) };

		list = pace_js_append(list, pace_fields_to_json(&trial_fields, &t));
	}
	pace_jw_put(w, name, list);
}

#define RATE_TYPE	"'anyOf': [{ '$ref': '#/$defs/capacity_rate' }, { 'type': 'null' }]"

static const struct pace_field capacity_rows[] = {
	{ "complete", PACE_OWN(put_complete, NULL), .type = "'type': 'boolean'",
	    .text = "False if the search was ended before it had found the rate." },
	{ "sender", PACE_OWN(put_sender, NULL), .of = &idle_fields,
	    .type = "'anyOf': [{ '$ref': '#/$defs/capacity_sender' }, { 'type': 'null' }]",
	    .text = "How this host did before the first trial, when it kept a schedule without "
	    "frames, or null: `tried_ns`, of which `lost_ns` were lost to something else; `busy` "
	    "if that was more than 2%; `why`, the text of `sender_stalled` on that time, or "
	    "null." },
	{ "asked", PACE_OWN(put_asked, NULL), .of = &asked_fields,
	    .text = "What was asked for: `size_bytes`, `from_bps`, `to_bps`, `to` (\"asked\", "
	    "\"interface\" or \"usual\"), `max_loss`, `precision`, `repeat`, `duration_ns`, "
	    "`sustain_ns`." },
	{ "found", PACE_OWN(put_found, NULL), .of = &rate_fields, .type = RATE_TYPE,
	    .text = "The highest rate that passed, or null. With `limit` \"sender\" and `why` "
	    "\"rate\" it is the rate that was really sent by the slowest trial that passed, or, if "
	    "it passed no long trial, the highest of any trial that lost no more than "
	    "`asked.max_loss` and grew no queue: the path takes at least this rate. It has "
	    "`user_rate_bps`, `wire_rate_bps`, `spacing_ns`; `trials`, the valid ones at this rate, "
	    "with the sum of their `frames`, of which `lost` were lost or refused; `loss_limit`, "
	    "the loss ratio that is not exceeded with the confidence of `confidence`; "
	    "`sustained_ns`, the length of the longest of them." },
	{ "failed", PACE_OWN(put_failed, NULL), .of = &rate_fields, .type = RATE_TYPE,
	    .text = "The lowest rate that failed, with the same members, or null if there is none "
	    "above the one found. The capacity lies between the two." },
	{ "confidence", PACE_REAL(W, confidence), .type = "'const': 0.95",
	    .text = "Of every `loss_limit`." },
	{ "limit", PACE_NAME(W, limit, limits),
	    .text = "What kept `failed` from passing: \"path\", \"responder\", \"sender\"; "
	    "\"highest\" when there is no such rate up to `asked.to_bps`; \"policy\" when the "
	    "responder's policy refused a trial, which ends the search, its words in `diagnosis`; "
	    "null if that is not known." },
	{ "place", PACE_OWN_OF(W, place, put_words, NULL), .type = NAME_OR_NULL,
	    .text = "The place of the ledger where most of its frames died, or \"tx_refused\"." },
	{ "why", PACE_NAME(W, why, whys),
	    .type = "'enum': ['loss', 'queue', 'refused', 'rate', null]",
	    .text = "\"loss\", \"queue\" (one grew), \"refused\" (by the sender's kernel) or "
	    "\"rate\" (the sender could not keep it)." },
	{ "diagnosis", PACE_OWN_OF(W, diagnosis, put_words, NULL), .type = NAME_OR_NULL,
	    .text = "The same as a sentence." },
	{ "trials", PACE_OWN(put_trials, NULL), .of = &trial_fields,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/capacity_trial' }",
	    .text = "In order, each with `point`, its index in `points` or null; the rates asked "
	    "for; `long`; `verdict` (\"passed\", \"failed\" or \"invalid\"); `why` it did not "
	    "pass: one of those above, \"stalled\", \"late\" or \"no_result\"; `frames`, `lost` "
	    "and `delay_growth_ns`, the delay of the last frame less that of the first." },
	{ .name = NULL },
};

const struct pace_fields pace_capacity_fields = { .name = "capacity", .row = capacity_rows,
    .text = "The highest rate that a path takes." };

json_t *
pace_capacity_to_json(const struct pace_capacity *c)
{
	const struct search_doc t = doc_of(c);
	struct pace_jw all = pace_jw_begin();

	pace_jw_put(&all, "capacity", pace_fields_to_json(&pace_capacity_fields, &t));
	return all.o;
}
