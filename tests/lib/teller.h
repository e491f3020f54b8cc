/*
 * teller.h - lines of udpace-status/1 as a responder would write them, of an invented period: for
 * tests that need to know what happened.
 */
#ifndef PACE_TEST_TELLER_H
#define PACE_TEST_TELLER_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tell_count {
	uint64_t	frames, bytes, wire_bytes, socket_drops, duplicates, reordered, trips;
	int64_t		lost;
	uint64_t	low, high;	/* lost in the socket, if bounds are reported */
	bool		bounds;
};

struct tell_session {
	uint64_t	number;
	const char	*peer, *label;	/* as JSON */
	const char	*state;
	bool		lease, trips, ended;
	int		age;		/* s */
	uint64_t	size, wire, spacing_ns, frames_asked, train;
	int64_t		duration_asked_ns;
	struct tell_count all, interval;
	bool		has_interval;
	uint64_t	gaps;
	double		gap_mean_ns;
	int64_t		gap_min_ns, gap_max_ns, jitter_ns;
	uint64_t	samples;
	double		above_mean_ns;
	int64_t		above_min_ns, above_max_ns;
	uint64_t	stalls;		/* gaps of 27 ms: 0 or so */
	const char	*probe;		/* as JSON; NULL: the sender reports nothing, */
	uint64_t	sent;		/* or, above 0, that it sent so many */
};

/* Lines of an earlier version, without distributions and host. */
static bool tell_as_before;
/* The host reports no cores to a client. */
static bool tell_no_cores;

/* Frames that a filter of the host dropped since its start. */
static uint64_t tell_filtered;
/* Frames that eth0 and the backlogs dropped. */
static uint64_t tell_nic_lost, tell_backlog_lost;

/* The number of frames in each bin, of 10 000; the last bin has stalls. */
static inline void
tell_bins(FILE *f, const char *name, const int64_t (*bin)[3], int n, uint64_t frames,
    uint64_t stalls)
{
	const char *comma = "";

	frames = frames < UINT64_C(1) << 50 ? frames : UINT64_C(1) << 50;
	fprintf(f, ",\"%s\":{\"below\":0,\"bins\":[", name);
	for (int i = 0; i < n; i++) {
		uint64_t count = i == n - 1 ? stalls : (uint64_t)bin[i][2] * (frames / 10000);

		if (count == 0)
			continue;
		fprintf(f, "%s[%" PRId64 ",%" PRId64 ",%" PRIu64 "]", comma, bin[i][0], bin[i][1], count);
		comma = ",";
	}
	fputs("]}", f);
}

static inline void
tell_distributions(FILE *f, const struct tell_session *s)
{
	static const int64_t gap[][3] = { { 512, 544, 120 }, { 544, 576, 60 }, { 8192, 8704, 3 },
		{ 9216, 9728, 20 }, { 9728, 10240, 90 }, { 10240, 10752, 300 }, { 10752, 11264, 900 },
		{ 11264, 11776, 2100 }, { 11776, 12288, 3200 }, { 12288, 12800, 1900 },
		{ 12800, 13312, 800 }, { 13312, 13824, 250 }, { 13824, 14336, 120 },
		{ 14336, 14848, 60 }, { 15360, 15872, 40 }, { 16384, 17408, 20 }, { 20480, 21504, 10 },
		{ 24576, 26624, 5 }, { 32768, 36864, 2 }, { 27262976, 28311552, 0 } };
	static const int64_t delay[][3] = { { 0, 1, 10 }, { 512, 544, 300 }, { 1024, 1088, 1500 },
		{ 1536, 1600, 4000 }, { 2048, 2176, 2500 }, { 3072, 3200, 1200 }, { 8192, 8704, 450 },
		{ 16384, 17408, 40 }, { 114688, 122880, 0 } };

	fprintf(f, ",\"gap_ns\":{\"count\":%" PRIu64 ",\"mean\":12000,\"stddev\":%d,"
	    "\"min\":520,\"max\":%d}", s->all.frames, s->stalls ? 32500 : 1230, s->stalls ? 27700000 :
	    36120);
	tell_bins(f, "gap_histogram_ns", gap, 20, s->all.frames, s->stalls);
	tell_bins(f, "delay_above_min_histogram_ns", delay, 9, s->all.frames / 8, s->stalls);
}

/* Counters of the host: frames of the first session arrive at eth0. */
static inline void
tell_counters(FILE *f, int second, const struct tell_session *v, size_t n)
{
	uint64_t frames = 0, drops = 0;

	for (size_t i = 0; i < n; i++) {
		frames += v[i].all.frames;
		drops += v[i].all.socket_drops;
	}
	frames &= (UINT64_C(1) << 60) - 1;
	drops &= (UINT64_C(1) << 60) - 1;
	fprintf(f, "\"counters\":{\"at_ns\":%" PRId64 ",\"interfaces\":[{\"name\":\"eth0\","
	    "\"rx_frames\":%" PRIu64 ",\"rx_dropped\":%" PRIu64 ",\"rx_errors\":0,\"rx_fifo\":0,"
	    "\"tx_frames\":"
	    "%d,\"tx_dropped\":0,\"tx_errors\":0},{\"name\":\"lo\",\"rx_frames\":412,\"rx_dropped\":0,"
	    "\"rx_errors\":0,\"rx_fifo\":0,\"tx_frames\":412,\"tx_dropped\":0,\"tx_errors\":0}],"
	    "\"softnet_frames\":%" PRIu64 ",\"softnet_dropped\":%" PRIu64 ",\"softnet_squeezed\":%d,"
	    "\"ip_received\":%" PRIu64 ",\"ip_delivered\":1,\"ip_discarded\":0,\"ip_undelivered\":%" PRIu64
	    ",\"udp_delivered\":%" PRIu64
	    ",\"udp_no_port\":%d,\"udp_buffer_full\":%" PRIu64 ",\"udp_bad_checksum\":0,",
	    (5000 + second) * INT64_C(1000000000), frames + drops + tell_filtered + 91250,
	    tell_nic_lost, 700 + second, frames + drops + tell_filtered, tell_backlog_lost,
	    11 + second / 20, frames + drops + tell_filtered + 91000 - (uint64_t)second / 10,
	    tell_filtered, frames + 1000, second / 30, drops);
	if (tell_no_cores) {
		fputs("\"processors\":null,\"process_user_ns\":0,\"process_system_ns\":0},", f);
		return;
	}
	fprintf(f, "\"processors\":{\"cores\":8,\"busiest\":[{\"core\":4,\"busy\":0.31%d,"
	    "\"softirq\":0.221},{\"core\":5,\"busy\":0.18,\"softirq\":0.001},{\"core\":0,\"busy\":"
	    "0.02,\"softirq\":0}]},\"process_user_ns\":%" PRId64 ",\"process_system_ns\":%" PRId64 "},",
	    second % 10, second * INT64_C(31000000), second * INT64_C(149000000));
}

static inline void
tell_head(FILE *f, const char *host)
{
	fprintf(f, "{\"schema\":\"udpace-status/1\",\"version\":\"0.1.0\",\"host\":\"%s\","
	    "\"pid\":77,\"started\":\"2026-11-20T09:12:30.000Z\",\"address\":\"0.0.0.0\","
	    "\"port\":14233,\"interval_ms\":1000}\n", host);
}

static inline void
tell_count(FILE *f, const struct tell_count *n)
{
	fprintf(f, "\"frames\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"wire_bytes\":%" PRIu64
	    ",\"lost\":%" PRId64 ",\"socket_drops\":%" PRIu64 ",\"duplicates\":%" PRIu64
	    ",\"reordered\":%" PRIu64 ",\"late\":0,\"foreign\":0,\"corrupt\":0,\"round_trips\":%"
	    PRIu64, n->frames, n->bytes, n->wire_bytes, n->lost, n->socket_drops, n->duplicates,
	    n->reordered, n->trips);
	if (n->bounds)
		fprintf(f, ",\"socket_lost_likely\":%" PRIu64 ",\"socket_lost_max\":%" PRIu64, n->low, n->high);
}

static inline void
tell_interval(FILE *f, const struct tell_session *s)
{
	if (!s->has_interval) {
		fputs("null", f);
		return;
	}
	fputc('{', f);
	tell_count(f, &s->interval);
	fputs(",\"gap_ns\":", f);
	if (s->gaps > 0)
		fprintf(f, "{\"count\":%" PRIu64 ",\"mean\":%.3f,\"stddev\":1,\"min\":%" PRId64
		    ",\"max\":%" PRId64 "}", s->gaps, s->gap_mean_ns, s->gap_min_ns, s->gap_max_ns);
	else
		fputs("null", f);
	fputs(",\"delay_above_min_ns\":", f);
	if (s->samples > 0)
		fprintf(f, "{\"samples\":%" PRIu64 ",\"min\":%" PRId64 ",\"mean\":%.3f,\"max\":%"
		    PRId64 "}", s->samples, s->above_min_ns, s->above_mean_ns, s->above_max_ns);
	else
		fputs("null", f);
	fputc('}', f);
}

static inline void
tell_session(FILE *f, const struct tell_session *s)
{
	fprintf(f, "{\"session\":%" PRIu64 ",\"peer\":\"%s\",\"peer_port\":4000,\"label\":\"%s\","
	    "\"key\":\"\",\"state\":\"%s\",\"age_ns\":%" PRId64 ",\"silent_ns\":1000,\"lease\":%s,"
	    "\"rcvbuf_bytes\":212992,\"runs\":%d,\"run\":", s->number, s->peer, s->label, s->state,
	    (int64_t)s->age * 1000000000, s->lease ? "true" : "false", s->size > 0);
	if (s->size > 0) {
		fprintf(f, "{\"run\":1,\"kind\":\"%s\",\"size_bytes\":%" PRIu64 ",\"wire_bytes\":%"
		    PRIu64 ",\"spacing_ns\":%" PRIu64 ",\"train\":%" PRIu64 ",\"bursts\":1,\"frames_asked\":%"
		    PRIu64 ",\"duration_asked_ns\":%" PRId64 ",\"ended\":%s,\"elapsed_ns\":%" PRId64
		    ",\"jitter_ns\":%" PRId64 ",\"received\":{", s->trips ? "round_trips" : "stream",
		    s->size, s->wire, s->spacing_ns, s->train > 0 ? s->train : 1, s->frames_asked,
		    s->duration_asked_ns,
		    s->ended ? "true" : "false", (int64_t)s->age * 1000000000, s->jitter_ns);
		tell_count(f, &s->all);
		fputc('}', f);
		if (!s->trips && s->all.frames >= 10000 && !tell_as_before)
			tell_distributions(f, s);
		fputc('}', f);
	} else {
		fputs("null", f);
	}
	fputs(",\"received\":{", f);
	tell_count(f, &s->all);
	fputs("},\"interval\":", f);
	tell_interval(f, s);
	if (s->probe != NULL)
		fprintf(f, ",\"probe\":%s", s->probe);
	else if (s->sent > 0)
		fprintf(f, ",\"probe\":{\"sent\":%" PRIu64 ",\"refused\":0,\"round_trips_asked\":100}",
		    s->sent);
	fputc('}', f);
}

/* second: since 10:00:00 of that day.  refused: requests, in this interval. */
static inline void
tell_line(FILE *f, int second, bool first, const struct tell_session *v, size_t n, int refused)
{
	size_t active = 0;

	for (size_t i = 0; i < n; i++)
		active += strcmp(v[i].state, "ended") != 0;
	fprintf(f, "{\"time\":\"2026-11-20T%02d:%02d:%02d.000Z\",\"interval_ns\":%s,\"lease\":"
	    "{\"held\":true,\"session\":1,\"expires_ns\":9000000000},\"totals\":{\"uptime_ns\":%" PRId64
	    ",\"port\":{\"junk\":4},\"refused\":{\"policy\":3},\"sessions_active\":%zu,"
	    "\"sessions_opened\":3,\"streams\":1},\"interval\":{\"refused\":{", 10 + second / 3600,
	    second / 60 % 60, second % 60, first ? "null" : "1000000000",
	    (2850 + second) * INT64_C(1000000000), active);
	if (refused > 0)
		fprintf(f, "\"policy\":%d", refused);
	fputs("}},", f);
	if (!tell_as_before)
		tell_counters(f, second, v, n);
	fputs("\"sessions\":[", f);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputc(',', f);
		tell_session(f, &v[i]);
	}
	fputs("]}\n", f);
}

/* --- a story ---------------------------------------------------------------------------- */

#define TELL_RATE	83333		/* frames a second: 1472 bytes every 12 us */

static inline void
tell_add(struct tell_session *s, uint64_t frames, uint64_t lost, uint64_t in_socket, uint64_t late)
{
	s->interval = (struct tell_count){ .frames = frames, .bytes = 1472 * frames,
	    .wire_bytes = 1538 * frames, .lost = (int64_t)lost, .socket_drops = in_socket,
	    .reordered = late };
	s->all.frames += frames;
	s->all.bytes += 1472 * frames;
	s->all.wire_bytes += 1538 * frames;
	s->all.lost += (int64_t)lost;
	s->all.socket_drops += in_socket;
	s->all.reordered += late;
}

/* A figure that goes up and down, 0 to 7. */
static inline int
tell_wave(int t)
{
	return (t * 7 + t / 3 * 5 + t / 11) % 8;
}

/* The stream from second 3 on: 1 % is lost from 40 to 44, 2.6 % in the socket at 61. */
static inline void
tell_stream(struct tell_session *s, int t)
{
	uint64_t sent = TELL_RATE + (uint64_t)(tell_wave(t) % 3), lost = 0, in_socket = 0;

	if (t >= 40 && t < 45)
		lost = 833;
	if (t == 61) {
		lost = 2312;
		in_socket = 2298;
	}
	s->has_interval = true;
	s->age = t - 2;
	tell_add(s, sent - lost, lost, in_socket, t % 17 == 5 ? 2 : 0);
	s->gaps = sent - lost;
	s->gap_mean_ns = 1e9 / (double)(sent - lost);
	s->gap_min_ns = 410 + 10 * tell_wave(t);
	s->gap_max_ns = t == 61 ? 27700000 : 15800 + 1000 * tell_wave(t);
	s->jitter_ns = 420 + 5 * tell_wave(t);
	s->stalls += t == 61;
	s->samples = 4000;
	s->above_min_ns = 0;
	s->above_mean_ns = 1800 + 100.0 * tell_wave(t) + (t == 61 ? 30000 : 0);
	s->above_max_ns = t == 61 ? 121400 : 3000 + 2500 * tell_wave(t);
}

static inline void
tell_trips(struct tell_session *s, int t)
{
	s->age = t - 9;
	s->interval = (struct tell_count){ .trips = t < 30 ? 100 : 0 };
	s->all.trips += s->interval.trips;
	s->has_interval = true;
	s->state = t < 30 ? "round_trips" : "ended";
	s->ended = t >= 30;
}

/* The journal of a sweep of three sizes and five spacings: 13 points have ended, and the last of
 * them failed. */
static inline void
tell_sweep(FILE *f)
{
	static const int sizes[] = { 64, 1472, 8972 };
	static const double spacings[] = { 500, 1000, 2500.5, 10000, 30000 };
	static const double losses[3][5] = { { 0.31, 0.05, 0.004, 0, 0 }, { 0.2, 0.0005, 0, 0, 0 },
		{ 0.00003, 0, 0 } };

	fprintf(f, "{\"event\":\"start\",\"schema\":\"udpace-result/1\",\"kind\":\"throughput\","
	    "\"version\":\"0.1.0\",\"started\":\"2026-11-20T10:00:00.000000000Z\",\"target\":\"hostb\","
	    "\"planned\":15}\n");
	for (int i = 0; i < 13; i++) {
		int size = sizes[i / 5], wire = size < 46 ? 84 : size + 66;
		double spacing = spacings[i % 5], loss = losses[i / 5][i % 5];

		fprintf(f, "{\"event\":\"point\",\"index\":%d,\"size_bytes\":%d,\"spacing_ns\":%.1f,", i,
		    size, spacing);
		if (i == 12)
			fprintf(f, "\"rx\":null,\"loss\":null,\"reordering\":null,\"ledger\":null}\n");
		else
			fprintf(f, "\"rx\":{\"unique\":%d,\"wire_rate_bps\":%.1f},\"loss\":{\"frames\":%d,"
			    "\"ratio\":%.6f},\"reordering\":{\"frames\":%d},\"ledger\":{\"diagnosis\":"
			    "\"%s\"}}\n", (int)(100000 * (1 - loss)), 8e9 * wire / spacing * (1 - loss),
			    (int)(100000 * loss), loss, i == 6 ? 30 : 0, loss > 0 ?
			    "dropped for want of socket buffer \xc2\xb7 core busy" : "no frame was lost");
	}
}

/* A monitor's own stream of trains that come whole: second by second pieces die in the
 * socket, and from 10 on in a filter of the host. */
static inline void
tell_trains(FILE *f, int last)
{
	struct tell_session v = { .number = 1, .peer = "192.0.2.17", .label = "", .state = "running",
		.lease = true, .size = 1000, .wire = 1066, .spacing_ns = 2000, .train = 32 };

	tell_head(f, "hostb");
	for (int t = 0; t <= last; t++) {
		uint64_t lost = t < 4 ? 0 : t < 10 ? 320 : 352;

		tell_add(&v, 500000 - lost, lost, t < 4 ? 0 : 7, 0);
		v.interval.bounds = v.all.bounds = true;
		v.interval.low = t < 4 ? 0 : 7;
		v.interval.high = t < 4 ? 0 : 288;
		v.all.low += v.interval.low;
		v.all.high += v.interval.high;
		tell_filtered += t < 10 ? 0 : 2;
		v.sent += 500000;
		v.age = t;
		v.has_interval = t > 0;
		tell_line(f, t, t == 0, &v, 1, 0);
	}
}

/* A campaign: its second sweep has points to come, a skipped one, and one half measured; its
 * first sweep had some of them as well, and there was a retry. */
static inline void
tell_campaign(FILE *f)
{
	static const char step[] = "{\"event\":\"step\",\"number\":%d,\"of\":3,\"name\":\"%s\","
	    "\"command\":\"%s\",\"target\":\"hostb\",\"step_ns\":60000000000,\"after_ns\":%lld,"
	    "\"after_whole\":%s,\"at_ns\":%lld}\n";
	const long long t0 = 1795250000000000000LL, s = 1000000000LL;

	fprintf(f, step, 1, "small", "throughput", 120 * s, "true", t0);
	tell_sweep(f);
	fprintf(f, "{\"event\":\"end\"}\n");
	fprintf(f, step, 2, "trains", "throughput", 61 * s, "false", t0 + 60 * s);
	fprintf(f, "{\"event\":\"start\",\"schema\":\"udpace-result/1\",\"kind\":\"throughput\","
	    "\"target\":\"hostb\",\"planned\":6,\"train\":50}\n");
	fprintf(f, "{\"event\":\"plan\",\"points\":[[64,10000.0],[64,20000.0]]}\n");
	fprintf(f, "{\"event\":\"plan\",\"points\":[[1472,10000.0],[1472,20000.0],[1472,0.0],"
	    "[8972,20000.0]]}\n");
	fprintf(f, "{\"event\":\"point\",\"size_bytes\":64,\"spacing_ns\":10000.0,\"rx\":{\"unique\":"
	    "100,\"wire_rate_bps\":67200000.0},\"loss\":{\"frames\":0,\"ratio\":0.0}}\n");
	fprintf(f, "{\"event\":\"notice\",\"text\":\"udpace: no answer; tried again\",\"at_ns\":%lld}\n",
	    t0 + 70 * s);
	fprintf(f, "{\"event\":\"skipped\",\"size_bytes\":64,\"spacing_ns\":20000.0}\n");
	fprintf(f, "{\"event\":\"now\",\"index\":2,\"size_bytes\":1472,\"spacing_ns\":10000.0,\"point_ns\":"
	    "%lld,\"left_ns\":%lld,\"at_ns\":%lld}\n", 10 * s, 40 * s, t0 + 80 * s);
	fprintf(f, "{\"event\":\"time\",\"at_ns\":%lld}\n", t0 + 85 * s);
}

/* A head and a line for each second up to and with last. */
static inline void
tell_story(FILE *f, int last)
{
	struct tell_session v[3] = {
		{ .number = 1, .peer = "192.0.2.17", .label = "cam-a", .state = "running",
		    .lease = true, .size = 1472, .wire = 1538, .spacing_ns = 12000,
		    .duration_asked_ns = INT64_C(300000000000) },
		{ .number = 2, .peer = "2001:db8::9", .label = "", .state = "round_trips",
		    .size = 64, .trips = true },
		/* erase the screen, write from right to left, half of a character, a wide one */
		{ .number = 3, .peer = "192.0.2.66", .label = "\\u001b[2J\\u202eevil\\u0301\\u4e2d",
		    .state = "open" },
	};

	tell_head(f, "hostb");
	for (int t = 0; t <= last; t++) {
		struct tell_session now[3];
		size_t n = 0;

		if (t >= 3) {
			tell_stream(&v[0], t);
			now[n++] = v[0];
		}
		if (t >= 10 && t <= 30) {
			tell_trips(&v[1], t);
			now[n++] = v[1];
		}
		if (t >= 50) {
			v[2].age = t - 49;
			v[2].has_interval = true;
			now[n++] = v[2];
		}
		tell_line(f, t, t == 0, now, n, t == 70 ? 3 : 0);
	}
}

#endif
