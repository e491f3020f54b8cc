#include "config.h"

#include "report/summary.h"

#include <math.h>

#include "out/tcp_text.h"
#include "report/markup.h"
#include "report/value.h"

static double
positive(int64_t ns)
{
	return ns > 0 ? (double)ns / 1e6 : NAN;
}

static double
percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : NAN;
}

static void
put_row(FILE *f, const struct pace_tcp_point *p, bool down, double one)
{
	const struct pace_tcp_way *w = &p->way[down];
	const struct pace_tcp_sums *m = &w->sums;

	fprintf(f, "<tr><td>%u</td>", p->ask.streams);
	pace_cell_number(f, w->known && m->goodput_bps > 0 ? m->goodput_bps / one : NAN, 6);
	pace_cell_frames(f, pace_tcp_sender(p, down) != NULL ? (double)m->retransmits : NAN);
	pace_cell_number(f, percent((double)m->retransmitted_bytes, (double)m->received_bytes), 3);
	pace_cell_number(f, positive(m->rtt_ns), 4);
	pace_cell_number(f, positive(m->rtt_min_ns), 4);
	pace_cell_number(f, percent((double)m->window_limited_ns, (double)m->busy_ns), 3);
	pace_cell_number(f, percent((double)m->buffer_limited_ns, (double)m->busy_ns), 3);
	pace_cell_number(f, w->known ? 100 * m->sender_cpu : NAN, 3);
	pace_cell_number(f, w->known ? 100 * m->receiver_cpu : NAN, 3);
	fputs("</tr>\n", f);
}

void
pace_summary_tcp(FILE *f, const struct pace_run *r)
{
	const struct pace_axis_unit unit = pace_value_rate_unit(r);

	if (r->tcps == 0)
		return;
	fprintf(f, "<h3>TCP, %s</h3>\n<table>", r->tcp_down ? "from the responder" :
	    "to the responder");
	HEADS(f, unit.name, "Connections", "Goodput (Mbit/s)", "Segments sent again",
	    "Bytes sent again (%)", "Round trip (ms)", "least (ms)", "Held back: receive window (%)",
	    "send buffer (%)", "Core: sender (%)", "receiver (%)");
	for (size_t i = 0; i < r->tcps; i++)
		put_row(f, r->tcp[i], r->tcp_down, unit.one);
	fputs("</table>\n", f);
}
