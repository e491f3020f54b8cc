/*
 * Code common to both kinds of captures, and the capture of two files.
 */
#include "config.h"

#include "capture/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture_own.h"
#include "capture/capture_pair.h"
#include "plat/clock.h"
#include "plat/facts.h"
#include "plat/root.h"
#include "plat/sandbox.h"
#include "run/stop.h"

/* --- writing streams ------------------------------------------------------- */

static int
head(FILE *f, const struct pace_result *r, const void *plan, bool utf8)
{
	(void)r;
	return pace_capture_text_head(f, plan, utf8);
}

PACE_SINK_KIND(capture_kind, pace_seen_to_json, pace_capture_csv_head,
    pace_capture_csv_point, pace_capture_csv_short, head, pace_capture_text_row_head,
    pace_capture_text_row, pace_capture_text_block);

const struct pace_sink_kind *const pace_capture_kind = &capture_kind;

/* --- options --------------------------------------------------------------- */

bool
pace_capture_contradicts(const struct pace_cmd *cmd, const struct capture_cfg *cfg)
{
	static const char *const shown[] = { "interval", "plain", "monitor-jsonl" };

	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (!cfg->monitor && pace_opt_given(cmd, cfg, shown[i])) {
			pace_complain("--%s needs --monitor", shown[i]);
			return true;
		}
	if (cfg->monitor && (cfg->sink.json || cfg->sink.csv || cfg->sink.csv_short ||
	    (cfg->sink.jsonl != NULL && strcmp(cfg->sink.jsonl, "-") == 0))) {
		pace_complain("--monitor uses standard output; write the document with --output "
		    "FILE");
		return true;
	}
	if (cfg->lines != NULL && pace_sink_writes_to(&cfg->sink, "monitor-jsonl", cfg->lines))
		return true;
	if (cfg->sequence != NULL && pace_opt_given(cmd, cfg, "format")) {
		pace_complain("--sequence and --format exclude each other");
		return true;
	}
	return pace_sink_contradicts(&cfg->sink);
}

/* --- for both kinds -------------------------------------------------------- */

void
pace_capture_tell(const struct pace_err *err)
{
	pace_complain("%s", pace_err_why(err));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build it again");
}

bool
pace_capture_format(struct capture *t, struct pace_cap_cfg *cfg)
{
	char name[sizeof(PACE_CAPTURE_FORMATS)];
	const char *word = PACE_CAPTURE_FORMATS;
	struct pace_err err = { .code = 0 };

	*cfg = (struct pace_cap_cfg){ .message = (uint64_t)t->cfg->message };
	if (t->cfg->sequence != NULL) {
		if (pace_cap_rule_parse(t->cfg->sequence, &t->rule, &err) < 0) {
			pace_complain("--sequence: '%s': %s", t->cfg->sequence, err.text);
			return false;
		}
		cfg->format = pace_cap_format("sequence");
		cfg->rule = &t->rule;
		return true;
	}
	for (int64_t i = 0; i < t->cfg->format; i++)
		word = strchr(word, '|') + 1;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "|"), word);
	cfg->format = t->cfg->format > 0 ? pace_cap_format(name) : NULL;
	return true;
}

void
pace_capture_describe(struct capture *t, const char *file, int argc, char *const *argv)
{
	struct pace_result *r = &t->result;
	const char *interface = t->cfg->port != NULL && t->cfg->interface == NULL ? "any" :
	    t->cfg->interface;

	r->kind = "capture";
	pace_clock_rfc3339(pace_clock_wall(), r->started, sizeof(r->started));
	r->argc = argc;
	r->argv = argv;
	if (interface != NULL && !t->cfg->private) {
		pace_facts_host_name(r->host);
		pace_facts_read(&r->client, pace_root_default(), interface, false);
	}
	snprintf(r->client.version, sizeof(r->client.version), "%s", PACKAGE_VERSION);
	if (interface != NULL)
		pace_clean(t->c.interface, sizeof(t->c.interface), interface, strlen(interface));
	else
		pace_clean(t->c.file, sizeof(t->c.file), file, strlen(file));
	pace_clean(t->c.filter, sizeof(t->c.filter), t->filter, strlen(t->filter));
}

void
pace_capture_end(struct capture *t)
{
	if (pace_sink_has_table(&t->sink))
		pace_sink_check(&t->sink, pace_capture_text_tail(stdout, &t->result,
		    &t->flags, t->sink.utf8));
	pace_sink_end(&t->sink, &t->result,
	    json_pack("{s:o}", "capture", pace_capture_to_json(&t->c)));
}

/* --- two files ------------------------------------------------------------- */

static void
report_pair(struct capture *t, const struct pace_capture_pair *b)
{
	size_t n = pace_capture_pair_flows(b);
	bool blocks = t->cfg->sink.detail || n <= 2;

	pace_capture_pair_capture(&t->c, b);
	t->rows = pace_capture_rows(&t->c, 0, 0);
	if (n > 0) {
		pace_capture_pair_fill(t->seen, b, 0);
		t->rows = pace_capture_rows(&t->c, t->seen->rx.wire_rate_bps, 0);
	}
	t->rows.flags = &t->flags;
	pace_sink_begin(&t->sink, pace_capture_kind, &t->rows, &t->result, blocks ? 1 : n);
	for (size_t i = 0; i < n; i++) {
		if (blocks && i > 0 && pace_sink_has_table(&t->sink))
			printf("\n");
		pace_capture_pair_fill(t->seen, b, i);
		pace_sink_point(&t->sink, t->seen, NULL);
	}
	pace_capture_end(t);
}

static int
run_pair(struct capture *t, struct pace_capture_pair *b)
{
	struct pace_err err = { .code = 0 };
	int rc;

	pace_stop_catch();
	rc = pace_capture_pair_read(b, t->filter, &pace_stop, &err);
	if (rc == -EINTR) {
		pace_complain("interrupted before both captures were matched: no result");
		return pace_stop_status();
	}
	if (rc == -EINVAL)
		pace_complain("filter '%.200s': %s", t->filter, err.text);
	else if (rc != 0)
		pace_capture_tell(&err);
	if (rc < 0)
		return rc == -EINVAL ? PACE_EXIT_USAGE : PACE_EXIT_NO_RESULT;
	if (rc > 0)
		pace_note(&t->result.notes, "damaged", "%s", err.text);
	report_pair(t, b);
	if (pace_capture_pair_flows(b) == 0) {
		pace_complain("no flow is in both captures%s", pace_capture_pair_is_cut(b) ?
		    ": one has frames that were captured too short" : "");
		return PACE_EXIT_NO_RESULT;
	}
	return rc > 0 || t->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

static int
match_two(struct capture *t, char **file, int argc, char **argv)
{
	struct pace_capture_pair *b = NULL;
	struct pace_cap_cfg cfg;
	struct pace_err err = { .code = 0 };
	int status = PACE_EXIT_NO_RESULT, rc;

	if (!pace_capture_format(t, &cfg))
		return PACE_EXIT_USAGE;
	t->seen = pace_seen_new();
	rc = t->seen == NULL ? pace_fail(&err, ENOMEM, "open") :
	    pace_capture_pair_open(&b, file[0], file[1], &cfg, &err);
	if (rc == 0)
		rc = pace_sandbox_drop(t->cfg->user, &err);
	if (rc < 0)
		pace_capture_tell(&err);
	else
		status = pace_sink_open(&t->sink, &t->cfg->sink);
	if (rc == 0 && status == PACE_EXIT_OK) {
		pace_capture_describe(t, file[0], argc, argv);
		status = run_pair(t, b);
	}
	pace_capture_pair_close(b);
	return status;
}

/* --- the command ----------------------------------------------------------- */

/* Join the words of the filter. */
static bool
join_filter(struct capture *t, int argc, char **argv)
{
	size_t n = 0;

	for (int i = 0; i < argc; i++) {
		int put = snprintf(t->filter + n, sizeof(t->filter) - n, "%s%s", i > 0 ? " " : "",
		    argv[i]);

		if (put < 0 || (size_t)put >= sizeof(t->filter) - n) {
			pace_complain("the filter is longer than %zu bytes", sizeof(t->filter) - 1);
			return false;
		}
		n += (size_t)put;
	}
	return true;
}

int
pace_capture_command(const struct capture_cfg *cfg, int argc, char **argv, int all_argc,
    char **all_argv)
{
	/* before the filter */
	const int words = cfg->pair ? 2 : cfg->port != NULL ? argc : cfg->interface == NULL;
	struct capture *t = calloc(1, sizeof(*t));
	int status;

	if (t == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	t->cfg = cfg;
	t->member = -1;
	if (!join_filter(t, argc - words, argv + words))
		status = PACE_EXIT_USAGE;
	else if (cfg->pair)
		status = match_two(t, argv, all_argc, all_argv);
	else
		status = pace_capture_one(t, argv[0], all_argc, all_argv);
	pace_sink_close(&t->sink);
	pace_capture_monitor_free(t->monitor);
	pace_pcap_close(t->pcap);
	pace_socket_source_close(t->socket);
	pace_frame_record_free(t->record);
	if (t->record_file != NULL)
		fclose(t->record_file);
	if (t->member >= 0)
		close(t->member);
	pace_cap_table_free(t->table);
	free(t->seen);
	free(t);
	return status;
}
