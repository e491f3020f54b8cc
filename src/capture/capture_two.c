#include "config.h"

#include <errno.h>

#include "capture/capture_own.h"
#include "capture/capture_pair.h"
#include "plat/sandbox.h"
#include "run/stop.h"

static void
tell_between(struct capture *t, const struct pace_capture_pair *b)
{
	size_t n = pace_capture_pair_flows(b);
	bool blocks = t->cfg->sink.detail || n <= 2;

	pace_capture_pair_capture(&t->c, b);
	t->rows = pace_capture_rows(&t->c, 0, 0);
	if (n > 0) {
		pace_capture_pair_fill(t->seen, b, 0);
		t->rows = pace_capture_rows(&t->c, t->seen->rx.wire_rate_bps, 0);
	}
	pace_sink_begin(&t->sink, &pace_capture_kind, &t->rows, &t->result, blocks ? 1 : n);
	for (size_t i = 0; i < n; i++) {
		if (blocks && i > 0 && pace_sink_has_table(&t->sink))
			printf("\n");
		pace_capture_pair_fill(t->seen, b, i);
		pace_sink_point(&t->sink, t->seen, NULL);
	}
	pace_capture_end(t);
}

static int
run_between(struct capture *t, struct pace_capture_pair *b)
{
	struct pace_err err = { .code = 0 };
	int rc;

	pace_stop_catch();
	rc = pace_capture_pair_read(b, t->filter, &pace_stop, &err);
	if (rc == -EINTR) {
		pace_complain("ended before all of both captures was matched: no result");
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
	tell_between(t, b);
	if (pace_capture_pair_flows(b) == 0) {
		pace_complain("no flow is in both captures%s", pace_between_is_cut(b) ?
		    ": one has frames that were captured too short to tell" : "");
		return PACE_EXIT_NO_RESULT;
	}
	return rc > 0 || t->sink.failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

int
pace_capture_two(struct capture *t, char **file, int argc, char **argv)
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
		status = run_between(t, b);
	}
	pace_capture_pair_close(b);
	return status;
}
