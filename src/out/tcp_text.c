#include "out/tcp_text.h"

#include <math.h>
#include <string.h>

#include "out/table.h"
#include "out/text.h"

/* --- head --------------------------------------------------------------------------- */

static const char *
direction_of(const struct pace_tcp_params *a)
{
	return a->up && a->down ? "both" : a->down ? "down" : "up";
}

static void
say_streams(const struct pace_say *s, const struct pace_tcp_params *asks, size_t n)
{
	char list[160] = "";
	size_t at = 0;

	for (size_t i = 0; i < n && at + 16 < sizeof(list); i++)
		at += (size_t)snprintf(list + at, sizeof(list) - at, "%s%u", i > 0 ? ", " : "",
		    asks[i].streams);
	pace_say_sentence(s, "  streams   ", "%s %s%s", list,
	    n == 1 && asks[0].streams == 1 ? "connection, " : "connections, ",
	    asks[0].up && asks[0].down ? "in each direction" : direction_of(asks));
}

static void
say_request(const struct pace_say *s, const struct pace_tcp_params *a)
{
	char how_long[96], rate[96] = "", window[64] = "", more[96] = "";

	if (a->duration_ns > 0)
		snprintf(how_long, sizeof(how_long), "%s", PACE_AS_SEC(a->duration_ns));
	else
		snprintf(how_long, sizeof(how_long), "%s each", PACE_AS_BYTES(a->length_bytes));
	if (a->rate_bps > 0)
		snprintf(rate, sizeof(rate), ", each paced to %s", PACE_AS_BPS(a->rate_bps));
	if (a->window_bytes > 0)
		snprintf(window, sizeof(window), ", buffers of %s", PACE_AS_BYTES(a->window_bytes));
	snprintf(more, sizeof(more), "%s%s%s%s", a->congestion[0] != '\0' ? ", " : "",
	    a->congestion, a->no_delay ? ", no Nagle algorithm" : "", a->zero_copy ?
	    ", zero copy" : "");
	pace_say_sentence(s, "  send      ", "%s, %s a write%s%s%s", how_long,
	    PACE_AS_BYTES(a->write_bytes), rate, window, more);
}

int
pace_tcp_text_head(FILE *f, const struct pace_result *r, const struct pace_tcp_params *asks,
    size_t n, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	(void)pace_text_head(f, r, NULL, NULL, 0, utf8);	/* f keeps the error */
	if (n > 0) {
		say_streams(&s, asks, n);
		say_request(&s, &asks[0]);
	}
	return pace_say_end(&s);
}

/* --- what limited it ------------------------------------------------------------------ */

static double
share(int64_t part, int64_t whole)
{
	return whole > 0 ? (double)part / (double)whole : NAN;
}

/* The largest window that the receivers offered, or congestion window, in bytes of a stream. */
static double
largest(const struct pace_tcp_point *p, bool down, bool congestion)
{
	const struct pace_tcp_side *tx = pace_tcp_sender(p, down);
	double most = 0;

	for (uint32_t i = 0; tx != NULL && i < p->ask.streams; i++)
		for (uint32_t k = 0; k < tx->end[down][i].rows; k++) {
			const struct pace_tcp_info *n = &tx->end[down][i].row[k].info;

			most = fmax(most, congestion ? (double)n->cwnd_segments * n->mss_bytes :
			    n->peer_window_bytes);
		}
	return most;
}

char *
pace_tcp_why(const struct pace_tcp_point *p, bool down, char *buf, size_t size)
{
	const struct pace_tcp_sums *m = &p->way[down].sums;
	const char *sender = down ? "responder" : "client", *receiver = down ? "client" : "responder";
	bool sends;
	double again = m->received_bytes > 0 ? (double)m->retransmitted_bytes /
	    (double)m->received_bytes : 0;

	switch (p->way[down].limit) {
	case PACE_TCP_PACING:
		snprintf(buf, size, "limited by --rate: %s of the requested %s arrived",
		    PACE_AS_BPS(m->goodput_bps), PACE_AS_BPS(m->asked_bps));
		break;
	case PACE_TCP_RECEIVE_WINDOW:
		snprintf(buf, size, "limited by the receive window: it held the sender back "
		    "for %s of its time. A stream had %s at most, and round trips took %s: give "
		    "the %s larger buffers (--window, or net.ipv4.tcp_rmem)",
		    PACE_AS_RATIO(share(m->window_limited_ns, m->busy_ns)),
		    PACE_AS_BYTES(largest(p, down, false)), PACE_AS_SEC(m->rtt_ns), receiver);
		break;
	case PACE_TCP_SEND_BUFFER:
		snprintf(buf, size, "limited by the send buffer: it held the sender back "
		    "for %s of its time, and round trips took %s: give the %s larger buffers "
		    "(--window, or net.ipv4.tcp_wmem)",
		    PACE_AS_RATIO(share(m->buffer_limited_ns, m->busy_ns)), PACE_AS_SEC(m->rtt_ns),
		    sender);
		break;
	case PACE_TCP_SENDER_CPU: case PACE_TCP_RECEIVER_CPU:
		sends = p->way[down].limit == PACE_TCP_SENDER_CPU;
		snprintf(buf, size, "limited by the processor of the %s: the thread that %s "
		    "used %s of a core, and the kernel up to %s of one",
		    sends ? sender : receiver, sends ? "writes" : "reads",
		    PACE_AS_RATIO(sends ? m->sender_cpu : m->receiver_cpu),
		    PACE_AS_RATIO(sends ? m->sender_core : m->receiver_core));
		break;
	case PACE_TCP_LOSS:
		snprintf(buf, size, "limited by loss: %s of the bytes were lost, "
		    "although round trips stayed short (mean %s, least %s): errors, a policer, or a "
		    "queue too small for this path",
		    PACE_AS_RATIO(pace_tcp_lost_bytes(m) / (double)m->received_bytes),
		    PACE_AS_SEC(m->rtt_ns), PACE_AS_SEC(m->rtt_min_ns));
		break;
	case PACE_TCP_REORDERING:
		snprintf(buf, size, "limited by reordering: %s of %s segments that were sent again had "
		    "arrived before (DSACK), so segments overtook each other and TCP took them for "
		    "lost", PACE_AS_COUNT(m->dsack_duplicates < m->retransmits ?
		    m->dsack_duplicates : m->retransmits), PACE_AS_COUNT(m->retransmits));
		break;
	case PACE_TCP_SHORT:
		snprintf(buf, size, "too short to tell: it took %s, and TCP needs many round trips "
		    "(of %s here) to reach its rate", PACE_AS_SEC(m->duration_ns),
		    PACE_AS_SEC(m->rtt_ns));
		break;
	case PACE_TCP_PATH:
		snprintf(buf, size, "limited by the path: round trips took %s where %s is "
		    "possible, so a queue before a slower link was in use; %s of the bytes were sent "
		    "again", PACE_AS_SEC(m->rtt_ns), PACE_AS_SEC(m->rtt_min_ns),
		    PACE_AS_RATIO(again));
		break;
	default:
		snprintf(buf, size, "what limited it is not known: figures are missing");
		break;
	}
	return buf;
}

/* What the limit means beside a rate that UDP had without loss. */
static void
advise(const struct pace_tcp_point *p, bool down, char *buf, size_t size)
{
	const struct pace_tcp_way *w = &p->way[down];
	const char *receiver = down ? "client" : "responder", *sender = down ? "responder" : "client";
	const double needs = pace_tcp_needs(p, down);
	const bool own = w->limit == PACE_TCP_SEND_BUFFER;

	switch (w->limit) {
	case PACE_TCP_RECEIVE_WINDOW: case PACE_TCP_SEND_BUFFER:
		snprintf(buf, size, "; %s needs a window of %s for it, and had %s: raise "
		    "net.ipv4.%s of the %s%s", p->ask.streams > 1 ? "a connection" : "TCP",
		    PACE_AS_BYTES(needs), PACE_AS_BYTES(largest(p, down, own)), own ? "tcp_wmem" :
		    "tcp_rmem", own ? sender : receiver,
		    p->ask.window_bytes > 0 ? ", or --window" : "");
		break;
	case PACE_TCP_LOSS:
		snprintf(buf, size, "; TCP lost %s of its bytes, which paced frames did not: its bursts "
		    "may be too much for a queue, and --rate paces them",
		    PACE_AS_RATIO(pace_tcp_lost_bytes(&w->sums) / (double)w->sums.received_bytes));
		break;
	case PACE_TCP_PATH:
		snprintf(buf, size, "; its congestion control (%s) needs a window of %s for it, and "
		    "reached %s", pace_tcp_sender(p, down)->end[down][0].congestion,
		    PACE_AS_BYTES(needs), PACE_AS_BYTES(largest(p, down, true)));
		break;
	default:
		buf[0] = '\0';
		break;
	}
}

#define AS_MUCH		0.95	/* of UDP's rate is as much */
#define MORE		1.05

char *
pace_tcp_beside(const struct pace_tcp_point *p, bool down, char *buf, size_t size)
{
	const struct pace_tcp_way *w = &p->way[down];
	char advice[256] = "", much[64];
	double part;

	buf[0] = '\0';
	if (p->beside[0] == '\0')
		return buf;
	if (!(w->udp_bps > 0)) {
		snprintf(buf, size, "beside UDP: %s has no rate without loss in this direction",
		    p->beside);
		return buf;
	}
	part = w->known ? w->sums.goodput_bps / w->udp_bps : NAN;
	if (part < AS_MUCH)
		advise(p, down, advice, sizeof(advice));
	if (part >= AS_MUCH)
		snprintf(much, sizeof(much), "; TCP reached %s", part > MORE ? "more" : "as much");
	else
		snprintf(much, sizeof(much), "; TCP reached %s of it", PACE_AS_RATIO(part));
	snprintf(buf, size, "beside UDP: %s without loss%s (%s)%s%s", PACE_AS_BPS(w->udp_bps),
	    w->udp_limit ? "" : " or more", p->beside, w->known ? much : "", advice);
	return buf;
}

static void
say_limit(const struct pace_say *s, const char *first, const struct pace_tcp_point *p, bool down)
{
	char text[512];

	pace_say_sentence(s, first, "%s", pace_tcp_why(p, down, text, sizeof(text)));
	if (pace_tcp_beside(p, down, text, sizeof(text))[0] != '\0')
		pace_say_sentence(s, first, "%s", text);
}

/* --- block ------------------------------------------------------------------------------ */

static void
say_streams_of(const struct pace_say *s, const struct pace_tcp_point *p, bool down)
{
	const struct pace_tcp_side *tx = pace_tcp_sender(p, down), *rx = pace_tcp_receiver(p, down);

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		const struct pace_tcp_end *t = tx != NULL ? &tx->end[down][i] : NULL;
		char label[32];

		snprintf(label, sizeof(label), "stream %u", i);
		pace_say_label(s, label);
		pace_say(s, "%s", rx != NULL ? PACE_AS_BPS(pace_tcp_goodput(&rx->end[down][i])) : "-");
		if (t != NULL)
			pace_say(s, ", %s sent again, window %s, round trip %s",
			    PACE_AS_COUNT(t->info.retransmits),
			    PACE_AS_BYTES((double)t->info.cwnd_segments * t->info.mss_bytes),
			    PACE_AS_SEC(t->info.rtt_ns));
		pace_say(s, "\n");
	}
}

static void
say_way(const struct pace_say *s, const struct pace_tcp_point *p, bool down, bool each)
{
	const struct pace_tcp_way *w = &p->way[down];
	const struct pace_tcp_sums *m = &w->sums;
	const struct pace_tcp_side *tx = pace_tcp_sender(p, down);

	pace_say(s, "\n%s, %u connection%s%s\n", down ? "down" : "up", p->ask.streams,
	    p->ask.streams > 1 ? "s" : "", p->interrupted ? ", interrupted" : "");
	pace_say_label(s, "goodput");
	if (w->known)
		pace_say(s, "%s, %s received in %s\n", PACE_AS_BPS(m->goodput_bps > 0 ?
		    m->goodput_bps : NAN), pace_print_decimal((double)m->received_bytes,
		    (char [64]){ "" }, 64), PACE_AS_SEC(m->duration_ns));
	else
		pace_say(s, "-, because the receiver's figures did not come; %s acknowledged\n",
		    pace_print_decimal((double)w->acknowledged_bytes, (char [64]){ "" }, 64));
	if (tx != NULL) {
		pace_say_label(s, "sent again");
		pace_say(s, "%s segments, %s of the bytes\n", PACE_AS_COUNT(m->retransmits),
		    PACE_AS_RATIO(m->received_bytes > 0 ? (double)m->retransmitted_bytes /
		    (double)m->received_bytes : NAN));
		pace_say_label(s, "round trip");
		pace_say(s, "%s on average, least %s\n", PACE_AS_SEC(m->rtt_ns > 0 ?
		    (double)m->rtt_ns : NAN), PACE_AS_SEC(m->rtt_min_ns > 0 ?
		    (double)m->rtt_min_ns : NAN));
		pace_say_label(s, "window");
		pace_say(s, "congestion window up to %s, receive window up to %s (%s)\n",
		    PACE_AS_BYTES(largest(p, down, true)), PACE_AS_BYTES(largest(p, down, false)),
		    tx->end[down][0].congestion);
		pace_say_label(s, "held back");
		pace_say(s, "%s of its time by the receive window, %s by the send buffer\n",
		    PACE_AS_RATIO(share(m->window_limited_ns, m->busy_ns)),
		    PACE_AS_RATIO(share(m->buffer_limited_ns, m->busy_ns)));
	}
	if (tx != NULL && w->known) {
		pace_say_label(s, "processor");
		pace_say(s, "%s of a core to send, %s to receive\n", PACE_AS_RATIO(m->sender_cpu),
		    PACE_AS_RATIO(m->receiver_cpu));
	}
	if (each)
		say_streams_of(s, p, down);
	say_limit(s, "  > ", p, down);
}

int
pace_tcp_text_point(FILE *f, const struct pace_tcp_point *p, bool each, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	if (p->ask.up)
		say_way(&s, p, false, each);
	if (p->ask.down)
		say_way(&s, p, true, each);
	pace_say_notes(&s, "  ! ", &p->notes);
	return pace_say_end(&s);
}

/* --- rows --------------------------------------------------------------------------------- */

enum { NONE, DIRECTION, RATE, SEGMENTS, TIME, PERCENT };
static const struct pace_scale units[] = {
	[NONE] = { "", 1, 0 }, [DIRECTION] = { "", 1, PACE_AS_DIRECTION },
	[RATE] = { "Mbit/s", 1e6, PACE_THAT_FIT }, [SEGMENTS] = { "again", 1, 0 },
	[TIME] = { "ms", 1e6, PACE_THAT_FIT }, [PERCENT] = { "%    ", 1, PACE_AS_PERCENT },
};
static const struct pace_column columns[] = {
	{ "streams", 8, NONE }, { "dir", 5, DIRECTION }, { "goodput", 10, RATE },
	{ "sent", 9, SEGMENTS }, { "rtt", 9, TIME }, { "least", 9, TIME },
	{ "cpu tx", 9, PERCENT }, { "cpu rx", 9, PERCENT },
};
static const struct pace_row_table table = { columns, PACE_COUNT_OF(columns), units, 0 };

int
pace_tcp_text_row_head(FILE *f, bool utf8)
{
	return pace_row_table_head(f, &table, utf8);
}

int
pace_tcp_text_row(FILE *f, const struct pace_tcp_point *p, bool utf8)
{
	const struct pace_say s = { f, utf8 };

	for (int down = 0; down < 2; down++) {
		const struct pace_tcp_way *w = &p->way[down];
		const bool sent = pace_tcp_sender(p, down) != NULL;
		const double v[] = { p->ask.streams, down, w->known ? w->sums.goodput_bps : NAN,
		    sent ? (double)w->sums.retransmits : NAN,
		    sent && w->sums.rtt_ns > 0 ? (double)w->sums.rtt_ns : NAN,
		    sent && w->sums.rtt_min_ns > 0 ? (double)w->sums.rtt_min_ns : NAN,
		    sent && w->known ? w->sums.sender_cpu : NAN,
		    sent && w->known ? w->sums.receiver_cpu : NAN };

		if (down ? !p->ask.down : !p->ask.up)
			continue;
		pace_say_cells(&s, &table, v);
		pace_say(&s, "\n");
		say_limit(&s, "        > ", p, down != 0);
	}
	return pace_say_end(&s);
}
