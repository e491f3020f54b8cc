#include "doc/capacity.h"

/* The receiving host is named by its part in the session. */
static const char *const limits[] = { NULL, "path", "responder", "sender", "highest", "policy",
	"client" };
#define CLIENT	((enum pace_limit)(PACE_LIMIT_POLICY + 1))
static const char *const whys[] = { NULL, "loss", "queue", "refused", "stalled", "late", "rate",
	"no_result" };
static const char *const highest[] = { "asked", "interface", "usual" };
static const char *const verdicts[] = { [PACE_TRIAL_PASSED] = "passed",
	[PACE_TRIAL_FAILED] = "failed", [PACE_TRIAL_SLOW] = "invalid",
	[PACE_TRIAL_DISTURBED] = "invalid" };

/* Types of members that are written and not read. */
#define ABOVE_0		"'type': 'number', 'exclusiveMinimum': 0"
#define NAME_OR_NULL	"'type': ['string', 'null']"

struct rates_doc { double user_bps, wire_bps; };

static const struct pace_fields rates_fields = { .row = PACE_FIELDS(
	{ "user_rate_bps", PACE_REAL(struct rates_doc, user_bps), .type = ABOVE_0 },
	{ "wire_rate_bps", PACE_REAL(struct rates_doc, wire_bps), .type = ABOVE_0 },
) };

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

static const struct pace_fields rate_fields = { .name = "capacity_rate",
    .text = "A rate of the search, with all its valid trials.", .row = PACE_FIELDS(
	{ "user_rate_bps", PACE_PART(struct rate_doc, bps, rates_fields) },
	{ "spacing_ns", PACE_REAL(struct rate_doc, spacing_ns), .type = ABOVE_0 },
	{ "trials", PACE_COUNT(struct rate_doc, trials), .text = "Number of valid trials at this "
	    "rate." },
	{ "frames", PACE_COUNT(struct rate_doc, frames), .text = "Sum of the frames of these "
	    "trials." },
	{ "lost", PACE_COUNT(struct rate_doc, lost), .text = "Frames among them that were lost or "
	    "refused." },
	{ "loss_limit", PACE_REAL(struct rate_doc, loss_limit), .type = ABOVE_0 ", 'maximum': 1",
	    .text = "Upper limit of the loss ratio, at the confidence level of `confidence`." },
	{ "sustained_ns", PACE_INT(struct rate_doc, sustained_ns), .low = 1, .high = PACE_JS_MAX,
	    .text = "Length of the longest of these trials." },
) };

static struct rate_doc
rate_of(const struct pace_capacity *c, double bps, struct pace_trials at)
{
	return (struct rate_doc){ .bps = rates_of(c, bps), .spacing_ns = c->size_bytes * 8e9 / bps,
	    .trials = (uint64_t)at.n, .frames = at.frames, .lost = at.lost,
	    .loss_limit = pace_search_loss_limit(at.lost, at.frames),
	    .sustained_ns = at.lengthy ? c->sustain_ns : c->duration_ns };
}

/* --- a trial --- */

struct trial_doc {
	struct pace_capacity_trial t;
	struct rates_doc	bps;
};

#define T	struct trial_doc

static const struct pace_fields trial_fields = { .name = "capacity_trial",
    .rules = "'if': { 'properties': { 'verdict': { 'const': 'passed' } } }, "
    "'then': { 'properties': { 'why': { 'const': null } } }, "
    "'else': { 'properties': { 'why': { 'type': 'string' } } }", .row = PACE_FIELDS(
	{ "point", PACE_COUNT(T, t.point), .when = PACE_F_OR_NULL, PACE_F_HAS(T, t.has_point),
	    .text = "Index of the trial in `points`, or null." },
	{ "user_rate_bps", PACE_PART(T, bps, rates_fields) },
	{ "long", PACE_BOOL(T, t.ask.lengthy) },
	{ "verdict", PACE_NAME(T, t.verdict, verdicts),
	    .type = "'enum': ['passed', 'failed', 'invalid']" },
	{ "why", PACE_NAME(T, t.why, whys), .text = "Why the trial did not pass." },
	{ "frames", PACE_COUNT(T, t.frames) },
	{ "lost", PACE_COUNT(T, t.lost) },
	{ "delay_growth_ns", PACE_REAL(T, t.growth_ns), .when = PACE_F_OR_NULL,
	    .text = "Delay of the last frame minus that of the first." },
) };

/* --- the whole --- */

#define C	struct pace_capacity

static const struct pace_fields asked_fields = { .name = "capacity_asked", .row = PACE_FIELDS(
	{ "size_bytes", PACE_COUNT(C, size_bytes), .low = 1 },
	{ "from_bps", PACE_REAL(C, search.cfg.low_bps), .type = ABOVE_0 },
	{ "to_bps", PACE_REAL(C, search.cfg.high_bps), .type = ABOVE_0 },
	{ "to", PACE_NAME(C, highest, highest) },
	{ "max_loss", PACE_REAL(C, max_loss), .high = 1 },
	{ "precision", PACE_REAL(C, search.cfg.precision), .type = ABOVE_0 },
	{ "repeat", PACE_COUNT(C, search.cfg.repeat), .low = 1 },
	{ "duration_ns", PACE_INT(C, duration_ns), .low = 1, .high = PACE_JS_MAX },
	{ "sustain_ns", PACE_INT(C, sustain_ns), .low = 1, .high = PACE_JS_MAX },
) };

/* --- the sender without frames --- */

#define I	struct pace_idle

static const struct pace_fields idle_fields = { .name = "capacity_sender", .row = PACE_FIELDS(
	{ "tried_ns", PACE_INT(I, ns), .low = 1, .high = PACE_JS_MAX },
	{ "lost_ns", PACE_NS(I, lost_ns) },
	{ "busy", PACE_BOOL(I, busy) },
	{ "why", PACE_TEXT(I, why), .when = PACE_F_OR_NULL, PACE_F_IF(I, why[0]) },
) };

/* The members of a search in a document. */
struct search_doc {
	C		c;
	bool		complete;
	struct rate_doc	found, failed;
	double		confidence;
	enum pace_limit	limit;
	enum pace_why	why;
	const char	*place, *diagnosis;
};

#define W	struct search_doc

static void
put_trials(struct pace_jw *w, const char *name, const void *s)
{
	const C *c = &((const W *)s)->c;
	json_t *list = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const T t = { .t = c->v[i], .bps = rates_of(c, c->v[i].ask.bps) };

		list = pace_js_append(list, pace_fields_to_json(&trial_fields, &t));
	}
	pace_jw_put(w, name, list);
}

#define RATE(m)		PACE_OBJECT(W, m, rate_fields), .when = PACE_F_OR_NULL, \
			PACE_F_IF(W, m.bps.user_bps)

const struct pace_fields pace_capacity_fields = { .name = "capacity",
    .text = "The highest rate that a path carries.", .row = PACE_FIELDS(
	{ "complete", PACE_BOOL(W, complete),
	    .text = "False if the search ended before it found the rate." },
	{ "direction", PACE_NAME(W, c.direction, pace_direction_names),
	    .text = "Direction of the frames: \"up\", or \"down\" with --reverse." },
	{ "sender", PACE_OBJECT(W, c.idle, idle_fields), .when = PACE_F_OR_NULL,
	    PACE_F_IF(W, c.idle.ns), .text = "Test of this host before the first trial, in which "
	    "it kept a schedule without frames, or null, as always if the direction is \"down\": "
	    "`tried_ns`, duration of the test; "
	    "`lost_ns`, the part of it taken by other work; `busy`, true if that was more than 2%; "
	    "`why`, the text of `sender_stalled` for this test, or null." },
	{ "asked", PACE_OBJECT(W, c, asked_fields),
	    .text = "The request: `size_bytes`, `from_bps`, `to_bps`, `to` (\"asked\", "
	    "\"interface\" or \"usual\"), `max_loss`, `precision`, `repeat`, `duration_ns`, "
	    "`sustain_ns`." },
	{ "found", RATE(found),
	    .text = "The highest rate that passed, or null. If `limit` is \"sender\" and `why` is "
	    "\"rate\", it is the rate actually sent: by the slowest trial that passed or, if no "
	    "long trial passed, by the fastest trial that lost no more than `asked.max_loss` and "
	    "grew no queue. The path then carries at least this rate. Members: `user_rate_bps`, "
	    "`wire_rate_bps`, `spacing_ns`; `trials`, the number of valid trials at this rate; "
	    "`frames`, the sum of their frames; `lost`, the frames among them that were lost or "
	    "refused; `loss_limit`, the upper limit of the loss ratio at the confidence level of "
	    "`confidence`; `sustained_ns`, the length of the longest of these trials." },
	{ "failed", RATE(failed),
	    .text = "The lowest rate that failed, with the same members, or null if no rate above "
	    "`found` failed. The capacity lies between the two." },
	{ "confidence", PACE_REAL(W, confidence), .type = "'const': 0.95",
	    .text = "Confidence level of every `loss_limit`." },
	{ "limit", PACE_NAME(W, limit, limits),
	    .text = "The limit of the rate: \"path\"; \"sender\", the sending host; "
	    "\"responder\" or, if the direction is \"down\", \"client\": the receiving host; "
	    "\"highest\" if no "
	    "rate up to `asked.to_bps` failed; \"policy\" if the responder's policy refused a "
	    "trial, which ends the search (`diagnosis` has its message); null if the limit is not "
	    "known." },
	{ "place", PACE_WORDS(W, place), .when = PACE_F_OR_NULL, .type = NAME_OR_NULL,
	    .text = "Location in the ledger where most frames of `failed` were lost, or "
	    "\"tx_refused\"." },
	{ "why", PACE_NAME(W, why, whys),
	    .type = "'enum': ['loss', 'queue', 'refused', 'rate', null]",
	    .text = "Why `failed` did not pass: \"loss\", \"queue\" (a queue grew), \"refused\" "
	    "(by the sender's kernel) or \"rate\" (the sender could not keep the rate)." },
	{ "diagnosis", PACE_WORDS(W, diagnosis), .when = PACE_F_OR_NULL, .type = NAME_OR_NULL,
	    .text = "The cause in a sentence." },
	{ "trials", PACE_OWN(put_trials, NULL), .of = &trial_fields,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/capacity_trial' }",
	    .text = "All trials in order, each with `point`, its index in `points` or null; the "
	    "requested rates; `long`; `verdict` (\"passed\", \"failed\" or \"invalid\"); `why` it "
	    "did not pass: a reason as above, \"stalled\", \"late\" or \"no_result\"; `frames`, "
	    "`lost` and `delay_growth_ns`, the delay of the last frame minus that of the first." },
) };

json_t *
pace_capacity_to_json(const struct pace_capacity *c)
{
	struct pace_found found = pace_capacity_found(c);
	double failed = pace_capacity_failed(c);
	struct search_doc t = { .c = *c, .complete = c->search.done && !c->search.gave_up,
	    .found = rate_of(c, found.bps, found.at),
	    .failed = rate_of(c, failed, pace_capacity_at(c, failed)), .confidence = 0.95,
	    .limit = pace_capacity_limit(c) };
	struct pace_jw all = pace_jw_begin();

	if (t.limit == PACE_LIMIT_RECEIVER && c->direction == PACE_DOWN)
		t.limit = CLIENT;
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
	pace_jw_put(&all, "capacity", pace_fields_to_json(&pace_capacity_fields, &t));
	return all.o;
}
