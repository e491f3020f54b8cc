#include "out/streams_text.h"

#include <math.h>

#include "doc/aggregate.h"
#include "out/table.h"

enum { NONE, RATE, FRAMES, PERCENT, TIME, UNITS };
static const struct pace_column columns[] = {
	{ "", PACE_LABEL, NONE }, { "sent", 9, RATE }, { "recv", 9, RATE },
	{ "lost", 9, FRAMES }, { "lost", 9, PERCENT }, { "reord", 8, FRAMES },
	{ "gap p50", 9, TIME }, { "gap p99", 9, TIME },
};
#define LABEL_BIT	1u	/* a text, printed before the cells */

struct streams_table {
	struct pace_say	s;
	struct pace_scale units[UNITS];
	struct pace_row_table t;
};

static void
begin(struct streams_table *t, FILE *f, const struct pace_point *p, bool utf8)
{
	double low = p->streams[0]->tx.wire_rate_bps;

	*t = (struct streams_table){ .s = { f, utf8 }, .units = {
	    [NONE] = { "", 1, 0 },
	    [RATE] = pace_scale_rate(low > 0 ? low : p->tx.wire_rate_bps, p->tx.wire_rate_bps),
	    [FRAMES] = { "frames", 1, 0 }, [PERCENT] = { "%    ", 1, PACE_AS_PERCENT },
	    [TIME] = pace_scale_time(p->ask.spacing > 0 ? pace_params_gap_ns(&p->ask) :
	    (double)pace_hist_quantile(&p->tx.gap, 0.5)) } };
	t->t = (struct pace_row_table){ columns, PACE_COUNT_OF(columns), t->units, 0 };
	pace_say(&t->s, "\n");
	pace_say_heads(&t->s, &t->t);
	t->t.left_out = LABEL_BIT;
}

static void
say_row(const struct streams_table *t, const char *label, const struct pace_point *p)
{
	const struct pace_rx_result *r = p->has_rx ? &p->rx : NULL;
	double sent_bps = p->tx.wire_rate_bps, received_bps = r != NULL ? r->wire_rate_bps : 0;
	uint64_t whole = r != NULL ? r->lost + r->unique : 0;
	const double v[] = { NAN, sent_bps > 0 ? sent_bps : NAN,
	    received_bps > 0 ? received_bps : NAN, r != NULL ? (double)r->lost : NAN,
	    whole > 0 ? (double)r->lost / (double)whole : NAN,
	    r != NULL ? (double)r->reordered : NAN,
	    r != NULL ? pace_gap_quantile(&p->ask, &r->gap, &r->gap_error, 0.5) : NAN,
	    r != NULL ? pace_gap_quantile(&p->ask, &r->gap, &r->gap_error, 0.99) : NAN };

	pace_say_label(&t->s, label);
	pace_say_cells(&t->s, &t->t, v);
	pace_say(&t->s, "\n");
}

static void
say_number(const struct streams_table *t, const struct pace_point *p, uint32_t number,
    const char *what)
{
	char label[32];

	snprintf(label, sizeof(label), "stream %u%s", number, what);
	say_row(t, label, p->streams[number]);
}

static void
say_table(const struct streams_table *t, const struct pace_point *p)
{
	struct pace_fairness f;

	say_row(t, "aggregate", p);
	if (!pace_point_fairness(p, &f))
		return;
	say_number(t, p, f.best, " best");
	say_number(t, p, f.worst, " worst");
	if (f.most_lost != f.worst && p->streams[f.most_lost]->rx.lost > 0)
		say_number(t, p, f.most_lost, " lossy");
	if (!isnan(f.jain)) {
		pace_say_label(&t->s, "fairness");
		pace_say_fixed(&t->s, columns[1].width, f.jain, 4);
		pace_say(&t->s, "  Jain's index of the received rates; 1: all equal\n");
	}
}

/* "4 streams: 0.98 Gbit/s (3) to 1.23 Gbit/s (0), fairness 0.9871" */
static void
say_line(const struct pace_say *s, const struct pace_point *p)
{
	const char *first = "        ";
	struct pace_fairness f;

	if (!pace_point_fairness(p, &f) || isnan(f.jain)) {
		pace_say(s, "%s%u streams\n", first, p->ask.streams);
		return;
	}
	pace_say_sentence(s, first, "%u streams: %s (%u) to %s (%u), fairness %.4f",
	    f.streams, PACE_AS_BPS(p->streams[f.worst]->rx.wire_rate_bps), f.worst,
	    PACE_AS_BPS(p->streams[f.best]->rx.wire_rate_bps), f.best, f.jain);
}

int
pace_streams_text(FILE *f, const struct pace_point *p, enum pace_streams_form form, bool utf8)
{
	struct streams_table t = { .s = { f, utf8 } };

	if (p->streams == NULL)
		return 0;
	if (form != PACE_STREAMS_LINE)
		begin(&t, f, p, utf8);
	if (form == PACE_STREAMS_LINE)
		say_line(&t.s, p);
	if (form == PACE_STREAMS_TABLE)
		say_table(&t, p);
	for (uint32_t i = 0; form == PACE_STREAMS_EACH && i < p->ask.streams; i++)
		say_number(&t, p, i, "");
	return pace_say_end(&t.s);
}
