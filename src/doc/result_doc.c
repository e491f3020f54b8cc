#include "doc/result_doc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doc/host_doc.h"

#define ARGV_MAX	4096	/* words of a command, read back */

static int
next_line(FILE *f, bool first, int indent)
{
	return fprintf(f, "%s\n%*s", first ? "" : ",", indent, "") < 0 ? -1 : 0;
}

static int	layout(FILE *f, json_t *j, const struct pace_js_list *list, int indent, int depth);

/* Write a list as layout would write its array, with one element per line. */
static int
layout_list(FILE *f, const struct pace_js_list *list, int indent)
{
	int rc = fprintf(f, "\"%s\": [", list->name) < 0 ? -1 : 0;

	for (uint32_t i = 0; i < list->n && rc == 0; i++) {
		json_t *one = list->make(list->of, i);

		rc |= next_line(f, i == 0, indent + 1);
		rc |= one != NULL ? layout(f, one, NULL, indent + 1, 0) : -1;
		json_decref(one);
	}
	fprintf(f, "\n%*s]", indent, "");
	return rc;
}

/* Write j at indent; list: the last member of j, or NULL; depth: number of levels with one member per
 * line.  -1: write error, or no memory. */
static int
layout(FILE *f, json_t *j, const struct pace_js_list *list, int indent, int depth)
{
	/* a container without members that need lines of their own */
	bool small = json_is_object(j) ? json_object_size(j) == 0 :
	    !json_is_object(json_array_get(j, 0));
	const char *key;
	int rc = 0, n = 0;
	json_t *v;
	size_t i;

	if (depth == 0 || small)
		return json_dumpf(j, f, JSON_ENCODE_ANY | PACE_JS_REAL);
	fputc(json_is_object(j) ? '{' : '[', f);
	json_array_foreach(j, i, v) {
		rc |= next_line(f, n++ == 0, indent + 1);
		rc |= layout(f, v, NULL, indent + 1, depth - 1);
	}
	json_object_foreach(j, key, v) {	/* our own keys: no character to escape */
		rc |= next_line(f, n++ == 0, indent + 1);
		fprintf(f, "\"%s\": ", key);
		rc |= layout(f, v, NULL, indent + 1, depth - 1);
	}
	if (list != NULL && list->n > 0) {
		rc |= next_line(f, n++ == 0, indent + 1);
		rc |= layout_list(f, list, indent + 1);
	}
	fprintf(f, "\n%*s%c", indent, "", json_is_object(j) ? '}' : ']');
	return rc;
}

char *
pace_result_dump(json_t *j, const struct pace_js_list *list)
{
	char *text = NULL;
	size_t size;
	FILE *f;

	if (j == NULL)
		return NULL;
	f = open_memstream(&text, &size);
	if (f != NULL) {
		int rc = layout(f, j, list, 2, 2);

		if (fclose(f) != 0 || rc != 0) {
			free(text);
			text = NULL;
		}
	}
	json_decref(j);
	return text;
}

/* --- the head ------------------------------------------------------------------------ */

#define R	struct pace_result

json_t *
pace_command_to_json(const struct pace_result *r)
{
	json_t *list = json_array();

	for (int i = 0; i < r->argc; i++)
		list = pace_js_append(list, pace_js_text(r->argv[i]));
	return list;
}

static void
put_command(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, pace_command_to_json(s));
}

const struct pace_fields pace_head_fields = { .name = "head", .row = PACE_FIELDS(
	{ "schema", PACE_FIXED(PACE_SCHEMA), .type = "'const': '" PACE_SCHEMA "'",
	    .text = "\"" PACE_SCHEMA "\"." },
	{ "kind", PACE_WORDS(R, kind), .type = "'type': 'string', 'pattern': '^[a-z]+$'",
	    .text = "Kind of the measurement: \"throughput\", \"capacity\", \"latency\", "
	    "\"clock\", \"capture\", \"watch\", \"send\", \"doctor\" or \"tcp\". The last eight have sections of "
	    "their own, below." },
	{ "protocol", PACE_WORDS(R, protocol), .when = PACE_F_OR_ABSENT, .type = "'const': 'stamp'",
	    .text = "\"stamp\": the far end is a STAMP reflector, and `responder` is null; absent: "
	    "it is udpace." },
	{ "version", PACE_TEXT(R, client.version), .flags = PACE_F_WRITTEN,
	    .text = "Version of the program that wrote the document." },
	{ "started", PACE_TEXT(R, started), .type = "'type': 'string', 'pattern': "
	    "'^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\\\.[0-9]{9}Z$'",
	    .text = "Date and time of the start, RFC 3339 with nanoseconds, UTC." },
	{ "command", PACE_OWN(put_command, NULL),
	    .type = "'type': 'array', 'items': { 'type': 'string' }",
	    .text = "The command line, an array of strings." },
	{ "host", PACE_TEXT(R, host), .when = PACE_F_OR_ABSENT,
	    .text = "Name of the host that measured; absent with --no-host-info." },
	{ "target", PACE_TEXT(R, target), .when = PACE_F_OR_ABSENT,
	    .text = "The responder's host as given on the command line." },
	{ "address", PACE_TEXT(R, address), .when = PACE_F_OR_ABSENT,
	    .text = "The numeric address that was used." },
	{ "port", PACE_COUNT(R, port), .low = 1, .high = UINT16_MAX, .when = PACE_F_OR_ABSENT,
	    .text = "The responder's UDP port." },
	{ "source", PACE_TEXT(R, source), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX },
	{ "interface", PACE_TEXT(R, interface), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    .text = "The address of this host that the responder saw unless a NAT changed it, and "
	    "the interface of the route; absent with --no-host-info." },
	{ "flow_label", PACE_COUNT(R, flow_label), .low = 1, .high = PACE_FLOW_LABEL_MAX,
	    .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX },
	{ "priority", PACE_COUNT(R, priority), .when = PACE_F_OR_ABSENT, .flags = PACE_F_LAX,
	    PACE_F_HAS(R, has_priority),
	    .text = "IPv6 flow label and priority (SO_PRIORITY) of what this host sent; absent if "
	    "the kernel chose." },
	{ "label", PACE_TEXT(R, label), .when = PACE_F_OR_ABSENT,
	    .text = "Label that other clients saw during the measurement; absent if there was "
	    "none." },
	{ "key", PACE_TEXT(R, key), .when = PACE_F_OR_ABSENT,
	    .type = "'type': 'string', 'maxLength': 31",
	    .text = "Name of the key that the client used, as this host calls it; absent if there "
	    "was none." },
	{ "interrupted", PACE_BOOL(R, interrupted),
	    .text = "True if the run was interrupted; the points are those measured until then." },
	{ "notes", PACE_NOTES_ROW(R, notes),
	    .text = "Remarks on the whole run: an array of objects with `code`, for programs, and "
	    "`text`, for people." },
	{ "client", PACE_OBJECT(R, client, pace_host_fields) },
	{ "responder", PACE_OBJECT(R, responder, pace_host_fields), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_LAX, PACE_F_HAS(R, has_responder),
	    .text = "Report of each host about itself: `version` of udpace, `kernel`, `machine`, "
	    "`cpu`, `clocksource`, `stamp_spoilers`, `governor`, `virtual` (strings), `cores`, "
	    "`steal_ppm` of the cores' time since boot, `timer_slack_ns`, `realtime`; `sysctl`, "
	    "settings by the kernel's names; `interface`, the one towards the other host: `name`, "
	    "`driver`, `speed_mbps`, `mtu`, rings, coalescing and offloads as in ethtool(8), and "
	    "`irqs`, its interrupts with the cores that handle them. A fact that is not known is "
	    "absent; with --no-host-info there is only `version`, or nothing. `responder` is null "
	    "if the responder never answered." },
) };

json_t *
pace_result_head_to_json(const struct pace_result *r)
{
	return pace_fields_to_json(&pace_head_fields, r);
}

/* Write one per line, each followed by a comma. */
static int
write_members(FILE *f, json_t *o)
{
	const char *key;
	json_t *v;
	int rc = 0;

	json_object_foreach(o, key, v) {
		fprintf(f, " \"%s\": ", key);
		rc |= layout(f, v, NULL, 1, 1);
		fputs(",\n", f);
	}
	return rc;
}

int
pace_result_write_with(FILE *f, const struct pace_result *r, json_t *extra,
    char *const *points, size_t n)
{
	json_t *head = pace_result_head_to_json(r);
	int rc;

	if (head == NULL)
		return -ENOMEM;
	errno = 0;
	fputs("{\n", f);
	rc = write_members(f, head) | write_members(f, extra);
	json_decref(head);
	fputs(" \"points\": [", f);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\n  %s", i > 0 ? "," : "", points[i]);
	fputs(n > 0 ? "\n ]\n}\n" : "]\n}\n", f);
	if (fflush(f) != 0 || ferror(f) || rc != 0)
		return errno != 0 ? -errno : -EIO;
	return 0;
}

int
pace_result_check(const json_t *doc, const char *path, struct pace_err *err)
{
	const char *schema = json_string_value(json_object_get(doc, "schema"));

	if (schema == NULL)
		return pace_failf(err, EPROTO, "read result",
		    "%s: not a result of udpace: no \"schema\"", path);
	if (strcmp(schema, PACE_SCHEMA) == 0)
		return 0;
	if (strncmp(schema, "udpace-result/", 14) == 0)
		return pace_failf(err, EPROTONOSUPPORT, "read result",
		    "%s: is %s, this version reads %s", path, schema, PACE_SCHEMA);
	return pace_failf(err, EPROTO, "read result",
	    "%s: not a result of udpace: its schema is \"%.40s\"", path, schema);
}

static int
load_from(FILE *f, const char *path, json_t **doc, struct pace_err *err)
{
	json_error_t at;
	int rc;

	*doc = pace_js_parse_file(f, 0, &at);
	if (*doc == NULL)
		return pace_failf(err, EPROTO, "read result", "%s: line %d: %s",
		    path, at.line, at.text);
	rc = pace_result_check(*doc, path, err);
	if (rc != 0) {
		json_decref(*doc);
		*doc = NULL;
	}
	return rc;
}

int
pace_result_load(const char *path, json_t **doc, struct pace_err *err)
{
	FILE *f;
	int rc;

	*doc = NULL;
	if (strcmp(path, "-") == 0)
		return load_from(stdin, "standard input", doc, err);
	f = fopen(path, "re");
	if (f == NULL)
		return pace_failf(err, errno, "open result", "%s", path);
	rc = load_from(f, path, doc, err);
	fclose(f);
	return rc;
}

bool
pace_result_is_whole(const json_t *doc)
{
	return json_is_false(json_object_get(doc, "interrupted")) &&
	    json_array_size(json_object_get(doc, "points")) > 0 &&
	    json_object_get(doc, "failed") == NULL;
}

void
pace_head_free(struct pace_head *h)
{
	for (int i = 0; h->argv != NULL && i < h->r.argc; i++)
		free(h->argv[i]);
	free(h->argv);
	h->argv = NULL;
	h->r.argv = NULL;
	h->r.argc = 0;
}

static int
read_command(struct pace_head *h, const json_t *list)
{
	size_t n = json_array_size(list), len;

	if (!json_is_array(list) || n > ARGV_MAX)
		return -EPROTO;
	h->argv = calloc(n + 1, sizeof(*h->argv));
	if (h->argv == NULL)
		return -ENOMEM;
	h->r.argv = h->argv;
	for (size_t i = 0; i < n; i++, h->r.argc++) {
		const json_t *word = json_array_get(list, i);

		if (!json_is_string(word))
			return -EPROTO;
		len = json_string_length(word);
		h->argv[i] = malloc(len + 1);
		if (h->argv[i] == NULL)
			return -ENOMEM;
		pace_clean(h->argv[i], len + 1, json_string_value(word), len);
	}
	return 0;
}

int
pace_head_from_json(struct pace_head *h, const json_t *doc)
{
	struct pace_jr j = { .o = doc };
	int rc;

	memset(h, 0, sizeof(*h));
	h->r.kind = h->kind;
	pace_jr_text(&j, "kind", h->kind, sizeof(h->kind));
	pace_fields_get(&j, &pace_head_fields, &h->r);
	rc = j.bad ? -EPROTO : read_command(h, pace_jr_get(&j, "command"));
	if (rc != 0)
		pace_head_free(h);
	return rc;
}
