#include "config.h"

#include "report/summary_own.h"

#include <math.h>
#include <string.h>

#include "report/html.h"

static void
put_rate(FILE *f, const char *what, const json_t *rate)
{
	const json_t *limit = json_object_get(rate, "loss_limit");

	if (!json_is_object(rate))
		return;
	fputs("<tr>", f);
	pace_cell_words(f, what);
	pace_cell_number(f, json_number_value(json_object_get(rate, "user_rate_bps")) / 1e6, 6);
	pace_cell_number(f, json_number_value(json_object_get(rate, "wire_rate_bps")) / 1e6, 6);
	pace_cell_number(f, json_number_value(json_object_get(rate, "spacing_ns")) / 1e3, 5);
	pace_cell_number(f, json_number_value(json_object_get(rate, "frames")), 9);
	pace_cell_number(f, json_number_value(json_object_get(rate, "lost")), 9);
	pace_cell_number(f, json_is_number(limit) ? json_number_value(limit) : NAN, 2);
	fputs("</tr>\n", f);
}

/* Its trials judge more than loss: what this host refused, queues that grew. */
void
pace_summary_capacity(FILE *f, const struct pace_run *r)
{
	const json_t *c = json_object_get(r->extra, "capacity");
	const char *limit = json_string_value(json_object_get(c, "limit"));
	const char *why = json_string_value(json_object_get(c, "why"));
	bool sent = limit != NULL && why != NULL && strcmp(limit, "sender") == 0 &&
	    strcmp(why, "rate") == 0;
	const char *diagnosis = json_string_value(json_object_get(c, "diagnosis"));

	fputs("<h3>Rate found</h3>\n<table>\n", f);
	HEADS(f, "", "Data (Mbit/s)", "Wire (Mbit/s)", "Spacing (µs)", "Frames", "Lost",
	    "Loss ratio below, 95 %");
	put_rate(f, sent ? "at least, limited by the sender" : "highest that passed", json_object_get(c, "found"));
	put_rate(f, sent ? "not kept by the sender" : "lowest that failed", json_object_get(c, "failed"));
	fputs("</table>\n<p>", f);
	if (!json_is_object(json_object_get(c, "found")))
		fputs(sent ? "What the path takes is not known. " : "No rate passed. ", f);
	pace_html_text(f, limit == NULL ? "The limit is not known." :
	    strcmp(limit, "path") == 0 ? "The path was the limit." :
	    strcmp(limit, "responder") == 0 ? "The responder's host was the limit." :
	    strcmp(limit, "sender") == 0 ? "This host was the limit: the path may take more." :
	    strcmp(limit, "policy") == 0 ? "The responder's policy ended the search." :
	    "The highest rate that was to be tried passed.");
	if (diagnosis != NULL) {
		fputs(" ", f);
		pace_html_text(f, diagnosis);
	}
	fputs("</p>\n", f);
}
