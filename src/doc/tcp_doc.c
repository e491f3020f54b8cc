#include "doc/tcp_doc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/wire.h"
#include "doc/counters_doc.h"
#include "doc/point_doc.h"

#define DAY_NS		INT64_C(86400000000000)
#define RATE_MAX	INT64_C(10000000000000)
#define ERRNO_MAX	4095
#define WRITE_MAX	(16 << 20)

/* --- parameters --------------------------------------------------------------------------- */

#define P	struct pace_tcp_params

static void
put_direction(struct pace_jw *w, const char *name, const void *s)
{
	const P *p = s;

	pace_jw_text(w, name, p->up && p->down ? "both" : pace_direction_names[p->down ?
	    PACE_DOWN : PACE_UP]);
}

static void
get_direction(struct pace_jr *j, const char *name, void *s)
{
	P *p = s;
	char text[8];

	pace_jr_text(j, name, text, sizeof(text));
	p->up = strcmp(text, "both") == 0 || strcmp(text, pace_direction_names[PACE_UP]) == 0;
	p->down = strcmp(text, "both") == 0 || strcmp(text, pace_direction_names[PACE_DOWN]) == 0;
	j->bad |= !p->up && !p->down;
}

const struct pace_fields pace_tcp_params_fields = { .name = "tcp_params", .row = PACE_FIELDS(
	{ "direction", PACE_OWN(put_direction, get_direction),
	    .type = "'enum': ['up', 'down', 'both']",
	    .text = "\"up\": the client sends; \"down\": the responder sends; \"both\": each has "
	    "connections to send on." },
	{ "streams", PACE_COUNT(P, streams), .low = 1, .high = PACE_TCP_STREAMS,
	    .text = "Connections of each direction." },
	{ "duration_ns", PACE_INT(P, duration_ns), .low = 1, .high = DAY_NS,
	    .when = PACE_F_OR_ABSENT, .text = "How long the senders wrote." },
	{ "length_bytes", PACE_COUNT(P, length_bytes), .low = 1, .high = PACE_JS_MAX,
	    .when = PACE_F_OR_ABSENT, .text = "User data of each stream; one of the two is "
	    "there." },
	{ "write_bytes", PACE_COUNT(P, write_bytes), .low = 1, .high = WRITE_MAX,
	    .text = "User data of each call that writes." },
	{ "rate_bps", PACE_COUNT(P, rate_bps), .low = 1, .high = RATE_MAX, .when = PACE_F_OR_ABSENT,
	    .text = "Requested rate of user data of a stream; absent: as fast as TCP allows." },
	{ "window_bytes", PACE_COUNT(P, window_bytes), .low = 1, .high = 1 << 30,
	    .when = PACE_F_OR_ABSENT, .text = "Requested send and receive buffers of both ends; "
	    "absent: the kernels adapt them." },
	{ "mss_bytes", PACE_COUNT(P, mss_bytes), .low = 1, .high = UINT16_MAX,
	    .when = PACE_F_OR_ABSENT, .text = "Requested maximum segment size; absent: by the "
	    "path." },
	{ "congestion", PACE_TEXT(P, congestion), .when = PACE_F_OR_ABSENT,
	    .text = "Requested congestion control; absent: the sender's default." },
	{ "no_delay", PACE_BOOL(P, no_delay), .text = "True: no Nagle algorithm." },
	{ "zero_copy", PACE_BOOL(P, zero_copy), .text = "True: senders used MSG_ZEROCOPY." },
	{ "request_bytes", PACE_COUNT(P, request_bytes), .low = 1, .high = PACE_TCP_REQUEST,
	    .when = PACE_F_OR_ABSENT },
	{ "reply_bytes", PACE_COUNT(P, reply_bytes), .low = 1, .high = PACE_TCP_REQUEST,
	    .when = PACE_F_OR_ABSENT, .text = "Of requests, each sent after the reply to the one "
	    "before: their data, and that of a reply; absent: a stream of data." },
	{ "dscp", PACE_COUNT(P, dscp), .high = 63, .text = "Code point that was requested." },
	{ "interval_ns", PACE_INT(P, interval_ns), .low = 1000000, .high = DAY_NS,
	    .text = "Requested length of an interval." },
) };

bool
pace_tcp_params_hold(const P *p)
{
	bool asks = p->request_bytes > 0;

	return (p->duration_ns > 0) != (p->length_bytes > 0) && asks == (p->reply_bytes > 0) &&
	    (!asks || (p->streams == 1 && p->up && !p->down && p->length_bytes > 0 &&
	    p->length_bytes % p->request_bytes == 0));
}

/* --- ends --------------------------------------------------------------------------------- */

#define I		struct pace_tcp_info
#define TIME(m)		PACE_INT(I, m), .high = PACE_JS_MAX

const struct pace_fields pace_tcp_info_fields = { .name = "tcp_info", .row = PACE_FIELDS(
	{ "retransmits", PACE_COUNT(I, retransmits) },
	{ "retransmitted_bytes", PACE_COUNT(I, retransmitted_bytes),
	    .text = "Segments and their bytes that were sent again." },
	{ "segments_out", PACE_COUNT(I, segments_out), .text = "Segments with data that were "
	    "sent." },
	{ "dsack_duplicates", PACE_COUNT(I, dsack_duplicates), .text = "Segments that the other "
	    "end had already (DSACK)." },
	{ "reorder_events", PACE_COUNT(I, reorder_events) },
	{ "reordering", PACE_COUNT(I, reordering), .text = "Reordering that the sender saw, and "
	    "the number of segments that it now takes for reordered instead of lost." },
	{ "mss_bytes", PACE_COUNT(I, mss_bytes), .text = "Segment size of the sender." },
	{ "cwnd_segments", PACE_COUNT(I, cwnd_segments), .text = "Congestion window." },
	{ "peer_window_bytes", PACE_COUNT(I, peer_window_bytes), .text = "Window that the other "
	    "end offered." },
	{ "rtt_ns", TIME(rtt_ns) },
	{ "rtt_var_ns", TIME(rtt_var_ns) },
	{ "rtt_min_ns", TIME(rtt_min_ns), .text = "Round trip as TCP estimates it, its variation, "
	    "and the least one; 0: none was measured." },
	{ "delivery_bps", PACE_COUNT(I, delivery_bps), .text = "Last rate of delivery." },
	{ "pacing_bps", PACE_COUNT(I, pacing_bps), .text = "Rate to which TCP paces; 0: it does "
	    "not." },
	{ "busy_ns", TIME(busy_ns), .text = "Time with data to send." },
	{ "window_limited_ns", TIME(window_limited_ns) },
	{ "buffer_limited_ns", TIME(buffer_limited_ns), .text = "Part of it in which the window "
	    "of the receiver, or the send buffer, held the sender back." },
) };

#define W	struct pace_tcp_row

const struct pace_fields pace_tcp_row_fields = { .name = "tcp_interval",
    .text = "State of a connection's end at the end of an interval; counts are since its begin.",
    .row = PACE_FIELDS(
	{ "at_ns", PACE_INT(W, at_ns), .high = PACE_JS_MAX, .text = "When, after all connections "
	    "were there." },
	{ "bytes", PACE_COUNT(W, bytes), .text = "User data acknowledged, or received." },
	{ "retransmits", PACE_PART(W, info, pace_tcp_info_fields) },
) };

#define E	struct pace_tcp_end

static void
put_rows(struct pace_jw *w, const char *name, const void *s)
{
	const E *e = s;
	json_t *list = json_array();

	for (uint32_t i = 0; i < e->rows; i++)
		list = pace_js_append(list, pace_fields_to_json(&pace_tcp_row_fields, &e->row[i]));
	pace_jw_put(w, name, list);
}

/* Counts do not go back. */
static bool
follows(const W *row, const W *before)
{
	return before == NULL || (row->at_ns >= before->at_ns && row->bytes >= before->bytes);
}

static void
get_rows(struct pace_jr *j, const char *name, void *s)
{
	E *e = s;
	const json_t *list = pace_jr_get(j, name);
	size_t n = json_array_size(list);

	free(e->row);
	e->row = NULL;
	e->rows = 0;
	j->bad |= !json_is_array(list) || n > PACE_TCP_ROWS;
	if (j->bad || n == 0)
		return;
	e->row = calloc(n, sizeof(*e->row));
	j->bad |= e->row == NULL;
	for (size_t i = 0; !j->bad && i < n; i++) {
		j->bad |= !pace_fields_from_json(&pace_tcp_row_fields, &e->row[i],
		    json_array_get(list, i)) || !follows(&e->row[i], i > 0 ? &e->row[i - 1] : NULL);
		e->rows++;
	}
}

const struct pace_fields pace_tcp_end_fields = { .name = "tcp_end",
    .text = "One end of a connection, as its kernel says (TCP_INFO).", .row = PACE_FIELDS(
	{ "connected", PACE_BOOL(E, connected) },
	{ "complete", PACE_BOOL(E, complete), .text = "Of a sender: all that it wrote was "
	    "acknowledged. Of a receiver: the sender's end came." },
	{ "failed", PACE_INT(E, failed), .low = 1, .high = ERRNO_MAX, .when = PACE_F_OR_ABSENT,
	    .text = "Error number that ended it; absent: none." },
	{ "bytes", PACE_COUNT(E, bytes), .text = "User data acknowledged, or received." },
	{ "written", PACE_COUNT(E, written), .text = "User data written to the socket; of a "
	    "receiver 0." },
	{ "first_ns", PACE_INT(E, first_ns), .high = PACE_JS_MAX },
	{ "last_ns", PACE_INT(E, last_ns), .high = PACE_JS_MAX, .text = "When the first and the last "
	    "byte was read, after all connections were there. Of a sender: when it began, and when "
	    "it knew that all was received." },
	{ "sndbuf_bytes", PACE_COUNT(E, sndbuf_bytes) },
	{ "rcvbuf_bytes", PACE_COUNT(E, rcvbuf_bytes), .text = "Buffers of the socket at the end." },
	{ "congestion", PACE_TEXT(E, congestion), .text = "Congestion control." },
	{ "retransmits", PACE_PART(E, info, pace_tcp_info_fields) },
	{ "intervals", PACE_OWN(put_rows, get_rows),
	    .type = "'type': 'array', 'items': { '$ref': '#/$defs/tcp_interval' }",
	    .text = "The same over time." },
) };

/* --- a side: what the responder reports ----------------------------------------------------- */

#define D	struct pace_tcp_side

static const struct pace_fields side_fields = { .row = PACE_FIELDS(
	{ "interval_ns", PACE_INT(D, interval_ns), .low = 1, .high = PACE_JS_MAX },
	{ "duration_ns", PACE_INT(D, duration_ns), .high = PACE_JS_MAX },
	{ "cpu_ns", PACE_INT(D, cpu_ns), .high = PACE_JS_MAX },
) };

static json_t *
ends_to_json(const E *v, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++)
		list = pace_js_append(list, pace_fields_to_json(&pace_tcp_end_fields, &v[i]));
	return list;
}

static uint64_t
bytes_of(const D *s, uint32_t streams)
{
	uint64_t sum = 0;

	for (int down = 0; down < 2; down++)
		for (uint32_t i = 0; s->end[down] != NULL && i < streams; i++)
			sum += s->end[down][i].bytes;
	return sum;
}

json_t *
pace_tcp_side_to_json(const D *s, const P *ask, const struct pace_counters *c)
{
	struct pace_jw w = { .o = pace_fields_to_json(&side_fields, s) };

	if (s->end[0] != NULL)
		pace_jw_put(&w, "up", ends_to_json(s->end[0], ask->streams));
	if (s->end[1] != NULL)
		pace_jw_put(&w, "down", ends_to_json(s->end[1], ask->streams));
	pace_jw_put(&w, "cpu", pace_cpu_to_json(c));
	pace_jw_put(&w, "counters", pace_counters_to_json(c, bytes_of(s, ask->streams)));
	return w.o;
}

/* What one end says of itself must hold. */
static bool
holds(const E *e, bool sends)
{
	const W *last = e->rows > 0 ? &e->row[e->rows - 1] : NULL;

	return (sends ? e->bytes <= e->written : e->written == 0) && e->first_ns <= e->last_ns &&
	    (last == NULL || last->bytes <= e->bytes) && (e->failed == 0 || !e->complete);
}

static int
read_ends(D *s, bool down, uint32_t streams, const json_t *list)
{
	if (!json_is_array(list) || json_array_size(list) != streams)
		return -EPROTO;
	if (pace_tcp_side_room(s, down, streams) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < streams; i++)
		if (!pace_fields_from_json(&pace_tcp_end_fields, &s->end[down][i],
		    json_array_get(list, i)) || !holds(&s->end[down][i], down))
			return -EPROTO;
	return 0;
}

int
pace_tcp_side_from_json(D *s, const P *ask, struct pace_counters *c, const json_t *j)
{
	int rc = pace_fields_from_json(&side_fields, s, j) ? 0 : -EPROTO;

	if (rc == 0 && ask->up)
		rc = read_ends(s, false, ask->streams, json_object_get(j, "up"));
	if (rc == 0 && ask->down)
		rc = read_ends(s, true, ask->streams, json_object_get(j, "down"));
	return rc == 0 ? pace_counters_from_json(c, json_object_get(j, "cpu"),
	    json_object_get(j, "counters")) : rc;
}

/* --- the point ------------------------------------------------------------------------------ */

#define S	struct pace_tcp_sums
#define Y	struct pace_tcp_way
#define T	struct pace_tcp_point

static const struct pace_fields sums_fields = { .name = "tcp_sums", .row = PACE_FIELDS(
	{ "goodput_bps", PACE_REAL(S, goodput_bps), .when = PACE_F_OR_NULL,
	    .flags = PACE_F_ABOVE_0, .text = "User data that the receiver's program read, over the "
	    "time from its first to its last byte, all streams together; null: nothing was read." },
	{ "received_bytes", PACE_COUNT(S, received_bytes), .text = "User data that it read." },
	{ "retransmitted_bytes", PACE_COUNT(S, retransmitted_bytes), .text = "Bytes that senders "
	    "sent again." },
	{ "retransmits", PACE_COUNT(S, retransmits), .text = "Segments that were sent again." },
	{ "dsack_duplicates", PACE_COUNT(S, dsack_duplicates), .text = "Segments that arrived "
	    "twice (DSACK): as many of these were not lost." },
	{ "busy_ns", PACE_NS(S, busy_ns) },
	{ "window_limited_ns", PACE_NS(S, window_limited_ns) },
	{ "buffer_limited_ns", PACE_NS(S, buffer_limited_ns), .text = "Times of the senders, "
	    "summed; see the ends." },
	{ "duration_ns", PACE_NS(S, duration_ns), .text = "From the first to the last byte." },
	{ "sender_cpu", PACE_REAL(S, sender_cpu) },
	{ "receiver_cpu", PACE_REAL(S, receiver_cpu), .text = "Processor time of the thread that "
	    "wrote, and of the one that read, as a share of one core." },
	{ "sender_core", PACE_REAL(S, sender_core), .when = PACE_F_OR_NULL },
	{ "receiver_core", PACE_REAL(S, receiver_core), .when = PACE_F_OR_NULL, .text = "Share of "
	    "its time that the kernel took of a core, of the busiest one of each host; null: not "
	    "reported." },
	{ "rtt_ns", PACE_NS(S, rtt_ns) },
	{ "rtt_min_ns", PACE_NS(S, rtt_min_ns), .text = "Mean of the senders' round trips over all "
	    "intervals, and the least one." },
) };

const struct pace_fields pace_tcp_stream_fields = { .name = "tcp_stream",
    .text = "A connection.", .row = PACE_FIELDS(
	{ "stream", .type = PACE_TYPE_COUNT, .text = "Its number, from 0." },
	{ "goodput_bps", .type = PACE_TYPE_NOT_BELOW_0, .text = "As above." },
	{ "sender", .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/tcp_end' }]" },
	{ "receiver", .type = "'anyOf': [{ 'type': 'null' }, { '$ref': '#/$defs/tcp_end' }]",
	    .text = "Both ends; null: its figures did not come." },
) };

const struct pace_fields pace_tcp_way_fields = { .name = "tcp_way",
    .text = "All connections of a direction.", .row = PACE_FIELDS(
	{ "goodput_bps", PACE_PART(Y, sums, sums_fields) },
	{ "acknowledged_bytes", PACE_COUNT(Y, acknowledged_bytes), .text = "User data that the "
	    "receiver's host acknowledged." },
	{ "limit", PACE_NAME(Y, limit, pace_tcp_limit_names),
	    .text = "What limited the rate, with the figures above as its proof: "
	    "\"receive_window\" or \"send_buffer\" held the senders back for most of their time; "
	    "\"sender_cpu\" or \"receiver_cpu\": that program used up its core; \"path\": round "
	    "trips grew, a queue before a slower link was full; \"loss\": segments were lost "
	    "although round trips stayed short; \"reordering\": segments were sent again that were "
	    "not lost; \"pacing\": the requested rate was reached; \"short\": it "
	    "ended before TCP could reach its rate; \"unknown\"." },
	{ "udp_rate_bps", PACE_REAL(Y, udp_bps), .when = PACE_F_OR_ABSENT, PACE_F_IF(Y, udp_bps),
	    .flags = PACE_F_ABOVE_0 | PACE_F_LAX },
	{ "udp_limit_found", PACE_BOOL(Y, udp_limit), .when = PACE_F_OR_ABSENT,
	    PACE_F_IF(Y, udp_bps), .flags = PACE_F_LAX, .text = "With `beside`: the highest rate of user data without "
	    "loss of the same direction, and whether a higher one lost frames; absent: that result "
	    "has none." },
	{ "streams", .type = "'type': 'array', 'items': { '$ref': '#/$defs/tcp_stream' }",
	    .text = "Each connection." },
) };

static json_t *
end_or_null(const D *side, bool down, uint32_t i)
{
	return side != NULL ? pace_fields_to_json(&pace_tcp_end_fields, &side->end[down][i]) :
	    json_null();
}

static json_t *
way_to_json(const T *p, bool down)
{
	const D *tx = pace_tcp_sender(p, down), *rx = pace_tcp_receiver(p, down);
	struct pace_jw w = { .o = pace_fields_to_json(&pace_tcp_way_fields, &p->way[down]) };
	json_t *list = json_array();

	for (uint32_t i = 0; i < p->ask.streams; i++) {
		struct pace_jw one = pace_jw_begin();

		pace_jw_count(&one, "stream", i);
		pace_jw_put(&one, "goodput_bps", pace_js_real(rx != NULL ?
		    pace_tcp_goodput(&rx->end[down][i]) : NAN));
		pace_jw_put(&one, "sender", end_or_null(tx, down, i));
		pace_jw_put(&one, "receiver", end_or_null(rx, down, i));
		list = pace_js_append(list, one.o);
	}
	pace_jw_put(&w, "streams", list);
	return w.o;
}

static void
put_way(struct pace_jw *w, const char *name, const void *s)
{
	pace_jw_put(w, name, way_to_json(s, strcmp(name, "down") == 0));
}

/* Read one end of all connections; none may be missing, or all. */
static bool
get_ends(D *side, bool down, uint32_t n, const json_t *list, const char *whose)
{
	size_t there = 0;

	for (uint32_t i = 0; i < n; i++)
		there += json_is_object(json_object_get(json_array_get(list, i), whose));
	if (there == 0)
		return true;
	if (there < n || pace_tcp_side_room(side, down, n) < 0)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		E *e = &side->end[down][i];

		if (!pace_fields_from_json(&pace_tcp_end_fields, e,
		    json_object_get(json_array_get(list, i), whose)) ||
		    !holds(e, strcmp(whose, "sender") == 0))
			return false;
	}
	return true;
}

static void
get_way(struct pace_jr *j, const char *name, void *s)
{
	T *p = s;
	bool down = strcmp(name, "down") == 0;
	struct pace_jr way = { .o = pace_jr_get(j, name) };
	const json_t *list = pace_jr_get(&way, "streams");

	pace_fields_get(&way, &pace_tcp_way_fields, &p->way[down]);
	if (!pace_jr_has(&way, "sender_core"))
		p->way[down].sums.sender_core = NAN;
	if (!pace_jr_has(&way, "receiver_core"))
		p->way[down].sums.receiver_core = NAN;
	j->bad |= way.bad || json_array_size(list) != p->ask.streams ||
	    !get_ends(down ? &p->theirs : &p->ours, down, p->ask.streams, list, "sender") ||
	    !get_ends(down ? &p->ours : &p->theirs, down, p->ask.streams, list, "receiver");
	p->way[down].known = pace_tcp_receiver(p, down) != NULL;
	/* a limit is proved by both ends */
	j->bad |= p->way[down].limit != PACE_TCP_UNKNOWN &&
	    (!p->way[down].known || pace_tcp_sender(p, down) == NULL);
	p->has_theirs |= p->theirs.end[down] != NULL;
}

static bool
goes_up(const void *s)
{
	return ((const T *)s)->ask.up;
}

static bool
goes_down(const void *s)
{
	return ((const T *)s)->ask.down;
}

static void
put_counters(struct pace_jw *w, const char *name, const void *s)
{
	const T *p = s;

	pace_jw_put(w, name, json_pack("{s:o, s:o}",
	    "client", pace_counters_to_json(&p->client, bytes_of(&p->ours, p->ask.streams)),
	    "responder", pace_counters_to_json(&p->responder, bytes_of(&p->theirs,
	    p->ask.streams))));
}

static void
put_cpu(struct pace_jw *w, const char *name, const void *s)
{
	const T *p = s;

	pace_jw_put(w, name, json_pack("{s:o, s:o}", "client", pace_cpu_to_json(&p->client),
	    "responder", pace_cpu_to_json(&p->responder)));
}

/* Of both hosts: the cores, and the rest. */
static void
get_counters(struct pace_jr *j, const char *name, void *s)
{
	T *p = s;
	const json_t *cpu = pace_jr_get(j, "cpu"), *rest = pace_jr_get(j, name);

	j->bad |= pace_counters_from_json(&p->client, json_object_get(cpu, "client"),
	    json_object_get(rest, "client")) < 0 ||
	    pace_counters_from_json(&p->responder, json_object_get(cpu, "responder"),
	    json_object_get(rest, "responder")) < 0;
}

#define WAY	.type = "'$ref': '#/$defs/tcp_way'", .when = PACE_F_OR_ABSENT

const struct pace_fields pace_tcp_fields = { .name = "tcp_point",
    .text = "TCP connections at once.", .row = PACE_FIELDS(
	{ "direction", PACE_PART(T, ask, pace_tcp_params_fields) },
	{ "interrupted", PACE_BOOL(T, interrupted), .text = "True if the run was stopped." },
	{ "started", PACE_TEXT(T, started), .when = PACE_F_OR_ABSENT, .type = PACE_TYPE_TIME,
	    .text = "When all connections were there, by this host's clock." },
	{ "up", PACE_OWN(put_way, get_way), WAY, .given = goes_up },
	{ "down", PACE_OWN(put_way, get_way), WAY, .given = goes_down,
	    .text = "Each direction that was requested." },
	{ "beside", PACE_TEXT(T, beside), .when = PACE_F_OR_ABSENT, .text = "The file of the UDP "
	    "result that it was compared with." },
	{ "cpu", PACE_OWN(put_cpu, NULL), .type = "'type': 'object', 'required': ['client', "
	    "'responder'], 'properties': { 'client': { '$ref': '#/$defs/cores' }, 'responder': "
	    "{ '$ref': '#/$defs/cores' } }" },
	{ "counters", PACE_OWN(put_counters, get_counters), .type = "'type': 'object', 'required': "
	    "['client', 'responder'], 'properties': { 'client': { '$ref': "
	    "'#/$defs/counters_or_null' }, 'responder': { '$ref': '#/$defs/counters_or_null' } }",
	    .text = "Use of each core, and counters of both hosts, around the run, as in a "
	    "stream." },
	{ "notes", PACE_NOTES_ROW(T, notes), .text = "Remarks on the point, as above." },
) };

json_t *
pace_tcp_point_to_json(const T *p)
{
	return pace_fields_to_json(&pace_tcp_fields, p);
}

int
pace_tcp_point_from_json(T *p, const json_t *j)
{
	return pace_fields_from_json(&pace_tcp_fields, p, j) && pace_tcp_params_hold(&p->ask) &&
	    (p->ask.up == (json_object_get(j, "up") != NULL)) &&
	    (p->ask.down == (json_object_get(j, "down") != NULL)) ? 0 : -EPROTO;
}
