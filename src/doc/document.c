/* The whole document for the schema and udpace-result(5): objects without a struct. */
#include "doc/capacity.h"
#include "doc/capture_doc.h"
#include "doc/checkup.h"
#include "doc/clock_doc.h"
#include "doc/counters_doc.h"
#include "doc/dispersion_doc.h"
#include "doc/hist_doc.h"
#include "doc/intervals_doc.h"
#include "doc/latency_doc.h"
#include "doc/ledger_doc.h"
#include "doc/point_doc.h"
#include "doc/repeats.h"
#include "doc/result_doc.h"
#include "doc/send.h"
#include "doc/stamp_result.h"
#include "doc/tcp_doc.h"
#include "doc/watched.h"
#include "doc/wire_check_doc.h"

#define SPACING		"'type': 'number', 'minimum': 0"
#define DSCP		PACE_TYPE_COUNT ", 'maximum': 63"
#define STREAMS		"'type': 'integer', 'minimum': 2, 'maximum': 256"

static const struct pace_fields order_fields = { .name = "order", .row = PACE_FIELDS(
	{ "by", .type = "'enum': ['size', 'spacing', 'shuffle']" },
	{ "repeats", .type = PACE_TYPE_POSITIVE },
	{ "seed", .type = PACE_TYPE_COUNT, .when = PACE_F_OR_ABSENT },
) };
static const struct pace_fields skipped_fields = { .name = "skipped", .row = PACE_FIELDS(
	{ "size_bytes", .type = PACE_TYPE_POSITIVE },
	{ "spacing_ns", .type = SPACING },
	{ "dscp", .type = DSCP },
	{ "streams_asked", .type = STREAMS, .when = PACE_F_OR_ABSENT },
	{ "repeat", .type = PACE_TYPE_COUNT, .when = PACE_F_OR_ABSENT },
) };
static const struct pace_fields failed_fields = { .name = "failed", .row = PACE_FIELDS(
	{ "size_bytes", .type = PACE_TYPE_POSITIVE },
	{ "spacing_ns", .type = SPACING },
	{ "dscp", .type = DSCP },
	{ "streams_asked", .type = STREAMS, .when = PACE_F_OR_ABSENT },
	{ "step", .type = "'type': 'string'" },
	{ "reason", .type = "'type': 'string'" },
) };

#define KIND(kind, point, more)	"{ 'if': { 'properties': { 'kind': { 'const': '" kind "' } } }, " \
	"'then': { " more " 'points': { 'items': { '$ref': '#/$defs/" point "' } } } } }"
#define WITH(name, table)	"'required': ['" name "'], 'properties': { '" name "': " \
	"{ '$ref': '#/$defs/" table "' },"
#define ALONE	"'properties': {"

const struct pace_fields pace_result_fields = { .name = "result",
    .text = "Times are integer nanoseconds, sizes bytes, rates bit/s, counts frames unless stated "
    "otherwise. null: could not be measured, notes say why. Absent: does not apply. Later versions "
    "may add members; existing ones keep their names.",
    .rules = "'allOf': [ " KIND("throughput", "stream_point", "'properties': { 'dispersion': { "
    "'type': 'array', 'minItems': 1, 'items': { '$ref': '#/$defs/dispersion' } },") ", "
    KIND("latency", "latency_point", WITH("fit", "latency_fit")) ", "
    KIND("capacity", "stream_point", WITH("capacity", "capacity")) ", "
    KIND("send", "stream_point", WITH("send", "send")) ", "
    KIND("doctor", "finding", ALONE) ", " KIND("clock", "clock", ALONE) ", "
    KIND("watch", "watched_path", ALONE) ", " KIND("tcp", "tcp_point", ALONE) ", "
    KIND("capture", "seen", WITH("capture", "capture")) " ]", .row = PACE_FIELDS(
	{ "schema", PACE_ROWS(pace_head_fields) },
	{ "points", .type = "'type': 'array', 'items': { 'type': 'object' }",
	    .text = "The points, in the order of measurement." },
	{ "order", .of = &order_fields, .when = PACE_F_OR_ABSENT,
	    .text = "Order of a sweep: `by` \"size\", \"spacing\" or \"shuffle\", `repeats` of "
	    "each point, and the `seed` of a random order." },
	{ "fit_tcp", .of = &pace_latency_fit_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'$ref': '#/$defs/latency_fit'", .text = "As `fit`, of the round trips over TCP "
	    "alone; `fit` then is that of UDP." },
	{ "repeats", .of = &pace_repeated_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/repeated' }",
	    .text = "Summaries of points that were measured several times." },
	{ "skipped", .of = &skipped_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'minItems': 1, 'items': { '$ref': '#/$defs/skipped' }",
	    .text = "Points that the user skipped from the display." },
	{ "stamp", .of = &pace_stamp_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'$ref': '#/$defs/stamp'",
	    .text = "Of the kind \"clock\" with --stamp: what the replies show besides." },
	{ "failed", .of = &failed_fields, .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/failed' }",
	    .text = "Points that could not be measured, in two attempts." },
) };

static const struct pace_field none[] = { { .name = NULL } };

static const struct pace_fields cores_fields = { .name = "cores", .row = none,
    .text = "CPU use of each core around the point; null: not reported.",
    .rules = "'type': ['array', 'null'], 'items': { 'type': 'object', 'required': ['core'], "
    "'additionalProperties': { " PACE_TYPE_COUNT " } }" };

static const struct pace_fields wire_fields = { .name = "wire",
    .text = "The stream as seen by captures of both hosts' interfaces; null: no capture.",
    .row = PACE_FIELDS(
	{ "tx", .of = &pace_wire_side_fields,
	    .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/wire_side' }]",
	    .text = "Capture of the sender's interface." },
	{ "rx", .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/wire_side', "
	    "'required': ['not_received'], 'properties': { 'not_received': { " PACE_TYPE_COUNT ", "
	    "'description': 'in the capture, but not in rx.unique' } } }]",
	    .text = "Capture of the receiver's interface." },
) };

static const struct pace_field counters_or_null_rows[] = { { .name = NULL } };

static const struct pace_fields counters_or_null_fields = { .name = "counters_or_null",
    .row = counters_or_null_rows, .rules = "'type': ['object', 'null'], "
    "'anyOf': [{ '$ref': '#/$defs/counters' }, { 'type': 'null' }]" };

const struct pace_fields *const pace_result_tables[] = { &pace_note_fields, &pace_hist_fields,
	&pace_hist_ns_fields, &pace_hist_frames_fields, &pace_point_fields, &pace_interval_fields,
	&pace_figures_fields, &cores_fields,
	&pace_counters_fields, &counters_or_null_fields, &wire_fields, &pace_ledger_fields,
	&pace_clock_fields, &pace_latency_fields, &pace_latency_fit_fields,
	&pace_send_fields,
	&pace_stamp_fields, &pace_dispersion_fields, &pace_capacity_fields, &pace_finding_fields, &pace_seen_fields,
	&pace_capture_fields, &pace_watched_fields, &pace_watch_counts_fields,
	&pace_watch_distribution_fields, &pace_watch_span_fields, &pace_tcp_fields,
	&pace_tcp_way_fields, &pace_tcp_stream_fields, &pace_tcp_end_fields, &pace_tcp_row_fields, NULL };
