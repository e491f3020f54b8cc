/* The whole document as the schema and udpace-result(5) have it: what no struct has. */
#include "doc/capacity.h"
#include "doc/capture_doc.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/dispersion_doc.h"
#include "doc/hist_doc.h"
#include "doc/latency_doc.h"
#include "doc/ledger_doc.h"
#include "doc/point_doc.h"
#include "doc/repeats.h"
#include "doc/result_doc.h"
#include "doc/wire_check_doc.h"

/* Of checkup.h, whose struct pace_capacity_trial is another one than that of capacity.h. */
extern const struct pace_fields pace_finding_fields;

#define SPACING		"'type': 'number', 'minimum': 0"
#define DSCP		PACE_TYPE_COUNT ", 'maximum': 63"

static const struct pace_field order_rows[] = {
	{ "by", .type = "'enum': ['size', 'spacing', 'shuffle']" },
	{ "repeats", .type = PACE_TYPE_POSITIVE },
	{ "seed", .type = PACE_TYPE_COUNT, .when = PACE_F_OR_ABSENT },
	{ .name = NULL },
};

static const struct pace_field skipped_rows[] = {
	{ "size_bytes", .type = PACE_TYPE_POSITIVE },
	{ "spacing_ns", .type = SPACING },
	{ "dscp", .type = DSCP },
	{ "repeat", .type = PACE_TYPE_COUNT, .when = PACE_F_OR_ABSENT },
	{ .name = NULL },
};

static const struct pace_field failed_rows[] = {
	{ "size_bytes", .type = PACE_TYPE_POSITIVE },
	{ "spacing_ns", .type = SPACING },
	{ "dscp", .type = DSCP },
	{ "step", .type = "'type': 'string'" },
	{ "reason", .type = "'type': 'string'" },
	{ .name = NULL },
};

static const struct pace_fields order_fields = { .name = "order", .row = order_rows };
static const struct pace_fields skipped_fields = { .name = "skipped", .row = skipped_rows };
static const struct pace_fields failed_fields = { .name = "failed", .row = failed_rows };

static const struct pace_field result_rows[] = {
	{ "schema", PACE_ROWS(pace_head_fields) },
	{ "points", .type = "'type': 'array', 'items': { 'type': 'object' }",
	    .text = "The points, in the order of measuring." },
	{ "order", .of = &order_fields, .when = PACE_F_OR_ABSENT,
	    .text = "Of a sweep: `by` \"size\", \"spacing\" or \"shuffle\", `repeats` of each point, "
	    "and the `seed` of a random order." },
	{ "repeats", .of = &pace_repeated_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/repeated' }",
	    .text = "Points that were measured several times." },
	{ "skipped", .of = &skipped_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'minItems': 1, 'items': { '$ref': '#/$defs/skipped' }",
	    .text = "Points that were not to be measured, at the wish of who looked on." },
	{ "failed", .of = &failed_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/failed' }",
	    .text = "Points that could not be measured, in two attempts." },
	{ .name = NULL },
};

#define KIND(kind, point, more)	"{ 'if': { 'properties': { 'kind': { 'const': '" kind "' } } }, " \
	"'then': { " more " 'points': { 'items': { '$ref': '#/$defs/" point "' } } } } }"
#define WITH(name, table)	"'required': ['" name "'], 'properties': { '" name "': " \
	"{ '$ref': '#/$defs/" table "' },"
#define ALONE	"'properties': {"

const struct pace_fields pace_result_fields = { .name = "result", .row = result_rows,
    .text = "Times are integer nanoseconds, sizes bytes, rates bit/s, counts frames unless said "
    "otherwise. null: could not be measured, notes say why. Absent: does not apply. More "
    "members may come, these keep their names.",
    .rules = "'allOf': [ " KIND("throughput", "stream_point", "'properties': { 'dispersion': { "
    "'type': 'array', 'minItems': 1, 'items': { '$ref': '#/$defs/dispersion' } },") ", "
    KIND("latency", "latency_point", WITH("fit", "latency_fit")) ", "
    KIND("capacity", "stream_point", WITH("capacity", "capacity")) ", "
    KIND("doctor", "finding", ALONE) ", " KIND("clock", "clock", ALONE) ", "
    KIND("capture", "seen", WITH("capture", "capture")) " ]" };

static const struct pace_field none[] = { { .name = NULL } };

static const struct pace_fields cores_fields = { .name = "cores", .row = none,
    .text = "What each core did around the point; null: not told.",
    .rules = "'type': ['array', 'null'], 'items': { 'type': 'object', 'required': ['core'], "
    "'additionalProperties': { " PACE_TYPE_COUNT " } }" };

static const struct pace_field wire_rows[] = {
	{ "tx", .of = &pace_wire_side_fields,
	    .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/wire_side' }]",
	    .text = "The sender's." },
	{ "rx", .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/wire_side', "
	    "'required': ['not_received'], 'properties': { 'not_received': { " PACE_TYPE_COUNT ", "
	    "'description': 'seen there, and not in rx.unique' } } }]",
	    .text = "The responder's." },
	{ .name = NULL },
};

static const struct pace_fields wire_fields = { .name = "wire", .row = wire_rows,
    .text = "The stream as captures of both hosts' interfaces saw it; null: none did." };

static const struct pace_field counters_or_null_rows[] = { { .name = NULL } };

static const struct pace_fields counters_or_null_fields = { .name = "counters_or_null",
    .row = counters_or_null_rows, .rules = "'type': ['object', 'null'], "
    "'anyOf': [{ '$ref': '#/$defs/counters' }, { 'type': 'null' }]" };

const struct pace_fields *const pace_result_tables[] = { &pace_note_fields, &pace_hist_fields,
	&pace_hist_ns_fields, &pace_hist_frames_fields, &pace_point_fields, &cores_fields,
	&pace_counters_fields, &counters_or_null_fields, &wire_fields, &pace_ledger_fields,
	&pace_clock_fields, &pace_latency_fields, &pace_latency_fit_fields,
	&pace_dispersion_fields, &pace_capacity_fields, &pace_finding_fields, &pace_seen_fields,
	&pace_capture_fields, NULL };
