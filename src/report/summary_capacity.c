#include "config.h"

#include "report/summary.h"

#include <math.h>
#include <string.h>

#include "report/markup.h"
#include "report/value.h"

static void
put_rate(FILE *f, const char *what, const json_t *rate, double one)
{
	const json_t *limit = json_object_get(rate, "loss_limit");

	if (!json_is_object(rate))
		return;
	fputs("<tr>", f);
	pace_cell_words(f, what);
	pace_cell_number(f, json_number_value(json_object_get(rate, "user_rate_bps")) / one, 6);
	pace_cell_number(f, json_number_value(json_object_get(rate, "wire_rate_bps")) / one, 6);
	pace_cell_number(f, json_number_value(json_object_get(rate, "spacing_ns")) / 1e3, 5);
	pace_cell_frames(f, json_number_value(json_object_get(rate, "frames")));
	pace_cell_frames(f, json_number_value(json_object_get(rate, "lost")));
	pace_cell_number(f, json_is_number(limit) ? json_number_value(limit) : NAN, 2);
	fputs("</tr>\n", f);
}

/* Trials judge more than loss: also frames refused by the sender, and growing queues. */
void
pace_summary_capacity(FILE *f, const struct pace_run *r)
{
	const json_t *c = json_object_get(r->extra, "capacity");
	const struct pace_axis_unit unit = pace_value_rate_unit(r);
	const char *limit = json_string_value(json_object_get(c, "limit"));
	const char *why = json_string_value(json_object_get(c, "why"));
	bool sent = limit != NULL && why != NULL && strcmp(limit, "sender") == 0 &&
	    strcmp(why, "rate") == 0;
	const char *diagnosis = json_string_value(json_object_get(c, "diagnosis"));

	fprintf(f, "<h3>Rate found%s</h3>\n<table>\n",
	    pace_run_is_down(r) ? ", from the responder" : "");
	HEADS(f, unit.name, "", "Data (Mbit/s)", "Wire (Mbit/s)", "Spacing (µs)", "Frames", "Lost",
	    "Loss ratio below, 95 %");
	put_rate(f, sent ? "at least, limited by the sender" : "highest that passed",
	    json_object_get(c, "found"), unit.one);
	put_rate(f, sent ? "not kept by the sender" : "lowest that failed",
	    json_object_get(c, "failed"), unit.one);
	fputs("</table>\n<p>", f);
	if (!json_is_object(json_object_get(c, "found")))
		fputs(sent ? "The capacity of the path is not known. " : "No rate passed. ", f);
	pace_html_text(f, limit == NULL ? "The limit is not known." :
	    strcmp(limit, "path") == 0 ? "The path was the limit." :
	    strcmp(limit, "responder") == 0 ? "The responder's host was the limit." :
	    strcmp(limit, "client") == 0 ? "This host was the limit." :
	    strcmp(limit, "sender") == 0 && pace_run_is_down(r) ?
	    "The responder's host was the limit: the path may carry more." :
	    strcmp(limit, "sender") == 0 ? "This host was the limit: the path may carry more." :
	    strcmp(limit, "policy") == 0 ? "The responder's policy ended the search." :
	    "The highest requested rate passed.");
	if (diagnosis != NULL) {
		fputs(" ", f);
		pace_html_text(f, diagnosis);
	}
	fputs("</p>\n", f);
}
