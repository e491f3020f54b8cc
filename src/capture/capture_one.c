#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "capture/capture_own.h"
#include "core/rates.h"
#include "out/say.h"
#include "plat/clock.h"
#include "plat/sandbox.h"
#include "run/stop.h"

#define BATCH	4096		/* frames between two readings of the clock */
#define LOOK_NS	(PACE_SEC / 4)
#define SETTLE_NS	(PACE_SEC / 4)	/* the ring delivers its frames every tenth of a second */
#define LATEST_NS	(5 * PACE_SEC)

/* --- opening --------------------------------------------------------------- */

/* Join the group of --join for as long as the capture runs. */
static int
join(struct capture *t)
{
	struct pace_multicast group;
	struct pace_err err = { .code = 0 };

	if (t->cfg->join == NULL)
		return PACE_EXIT_OK;
	if (pace_multicast_parse(t->cfg->join, &group, &err) < 0) {
		pace_complain("--join: %s", pace_err_why(&err));
		return PACE_EXIT_USAGE;
	}
	t->member = pace_multicast_hold(&group, t->cfg->interface, &err);
	if (t->member >= 0) {
		pace_capture_describe_group(&t->c, &group.addr, &group.source);
		return PACE_EXIT_OK;
	}
	pace_complain("--join: %s", pace_err_why(&err));
	return PACE_EXIT_NO_RESULT;
}

static int
open_pcap(struct capture *t, const char *file, struct pace_err *err)
{
	const struct pace_pcap_cfg cfg = { .interface = t->cfg->interface, .file = file,
	    .stop = &pace_stop, .snap_bytes = (int)t->cfg->snap,
	    .buffer_bytes = (int)t->cfg->buffer, .promiscuous = t->cfg->promiscuous };
	int rc = pace_pcap_open(&t->pcap, &cfg, err);

	if (rc == 0 && !t->cfg->quiet && pace_pcap_notice(t->pcap)[0] != '\0')
		fprintf(stderr, "%s\n", pace_pcap_notice(t->pcap));
	return rc;
}

/* Open the source with the rights that udpace has, then give them up; nothing is read
 * before. */
static int
open_source(struct capture *t, const char *file)
{
	const bool by_socket = t->cfg->port != NULL;
	struct pace_err err = { .code = 0 };
	int status = by_socket ? PACE_EXIT_OK : join(t);
	int rc;

	if (status != PACE_EXIT_OK)
		return status;
	rc = by_socket ? pace_capture_open_socket(t, &err) : open_pcap(t, file, &err);
	if (rc == -EINVAL && by_socket)
		return PACE_EXIT_USAGE;		/* printed */
	if (rc == 0)
		rc = pace_sandbox_drop(t->cfg->user, &err);
	if (rc == 0)
		return PACE_EXIT_OK;
	pace_capture_tell(&err);
	return PACE_EXIT_NO_RESULT;
}

static int
begin(struct capture *t)
{
	struct pace_err err = { .code = 0 };
	int rc = pace_pcap_begin(t->pcap, t->filter, &err);

	if (rc == -EINVAL) {
		pace_complain("filter '%.200s': %s", t->filter, err.text);
		if (t->cfg->interface != NULL && access(t->filter, F_OK) == 0)
			pace_hint("with --interface no FILE is read: the operands are a filter");
		else
			pace_hint("see pcap-filter(7) for the syntax of filters");
		return PACE_EXIT_USAGE;
	}
	if (rc < 0) {
		pace_capture_tell(&err);
		return PACE_EXIT_NO_RESULT;
	}
	t->link = pace_pcap_link(t->pcap);
	snprintf(t->c.link, sizeof(t->c.link), "%s", pace_pcap_link_name(t->pcap));
	t->c.snap_bytes = (uint64_t)pace_pcap_snap_bytes(t->pcap);
	return PACE_EXIT_OK;
}

/* --- capturing ------------------------------------------------------------- */

/* Is this frame to be counted?  Otherwise, the capture is full. */
static bool
is_wanted(struct capture *t, int64_t now_ns)
{
	if (t->cfg->duration > 0 && t->table->frames > 0 &&
	    now_ns - t->table->first_ns > t->cfg->duration)
		t->full = true;
	if (t->until_ns != 0 && now_ns > t->until_ns)
		t->full = true;
	return !t->full;
}

static bool
is_count_reached(const struct capture *t)
{
	return t->cfg->count > 0 && t->table->frames >= (uint64_t)t->cfg->count;
}

static void
take(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct capture *t = ctx;

	if (is_wanted(t, now_ns))
		pace_cap_table_add(t->table, t->link, f, now_ns);
	t->full |= is_count_reached(t);
	if (t->full)
		pace_pcap_enough(t->pcap);
}

static void
take_datagram(void *ctx, const struct pace_cap_packet *p, size_t frame_bytes, int64_t now_ns)
{
	struct capture *t = ctx;

	if (is_wanted(t, now_ns))
		pace_cap_table_add_datagram(t->table, p, frame_bytes, now_ns);
	if (!t->full && t->record != NULL)
		pace_frame_record_add(t->record, p, now_ns);
	t->full |= is_count_reached(t);
}

static int
read_frames(struct capture *t)
{
	return t->socket != NULL ?
	    pace_socket_source_read(t->socket, BATCH, take_datagram, t, &t->err) :
	    pace_pcap_read(t->pcap, BATCH, take, t, &t->err);
}

static void
read_drops(void *ctx, struct pace_pcap_drops *d)
{
	struct capture *t = ctx;

	if (t->socket != NULL)
		pace_socket_source_drops(t->socket, d);
	else
		pace_pcap_drops(t->pcap, d);
}

static void
show(struct capture *t, bool last)
{
	struct pace_pcap_drops d;
	int64_t now = pace_clock_raw();

	if (t->monitor != NULL || t->cfg->quiet || !isatty(STDERR_FILENO) ||
	    (!last && now - t->shown_ns < LOOK_NS))
		return;
	t->shown_ns = now;
	read_drops(t, &d);
	fprintf(stderr, "\r\033[K");
	if (!last)
		fprintf(stderr, "%" PRIu64 " frames, %zu flows, %" PRIu64 " dropped",
		    t->table->frames, t->table->flows, d.kernel + d.interface);
}

/* Read the frames that the ring still holds at the end. */
static int
drain(struct capture *t)
{
	int64_t ended_ns = pace_clock_raw(), began_ns;
	int rc;

	t->until_ns = pace_clock_wall();
	do {
		began_ns = pace_clock_raw();
		rc = read_frames(t);
	} while (!t->full && (rc > 0 || (rc == 0 && began_ns - ended_ns < SETTLE_NS)) &&
	    began_ns - ended_ns < LATEST_NS);
	return rc;
}

static void
look(struct capture *t, bool over)
{
	if (t->monitor != NULL)
		pace_capture_feed_look(pace_capture_monitor_feed(t->monitor), t->table, over);
}

static bool
is_over(const struct capture *t)
{
	return t->full || pace_stop != 0 || atomic_load(&t->left) ||
	    (t->live && t->cfg->duration > 0 &&
	    pace_clock_raw() - t->began_ns > t->cfg->duration);
}

static void
tell_beginning(const struct capture *t)
{
	char source[80] = "", group[80] = "", buffer[96] = "";

	if (t->c.source[0] != '\0')
		snprintf(source, sizeof(source), " with source %s", t->c.source);
	if (t->c.group[0] != '\0')
		snprintf(group, sizeof(group), ", a member of %s", t->c.group);
	if (t->socket != NULL)
		snprintf(buffer, sizeof(buffer), ", receive buffer %s of %s requested",
		    PACE_AS_BYTES(t->c.rcvbuf_granted), PACE_AS_BYTES(t->c.rcvbuf_asked));
	fprintf(stderr, "%s on %s%s%s%s%s%s%s\n", t->socket != NULL ? "receiving" : "capturing",
	    t->socket != NULL ? t->c.socket : t->cfg->interface,
	    t->socket != NULL && t->cfg->interface != NULL ? " of " : "",
	    t->socket != NULL && t->cfg->interface != NULL ? t->cfg->interface : "", group, source,
	    buffer,
	    t->cfg->duration == 0 && t->cfg->count == 0 ? ", Ctrl-C ends it" : "");
}

/* Capture to the end of the file, or until count or duration is reached. */
static void
capture(struct capture *t)
{
	struct pace_pcap_drops d;
	int rc = 0;

	t->began_ns = pace_clock_raw();
	if (t->live && !t->cfg->quiet && t->monitor == NULL)
		tell_beginning(t);
	while (rc >= 0 && !is_over(t)) {
		rc = read_frames(t);
		look(t, false);
		show(t, false);
	}
	/* Did it end before count or duration was reached? */
	t->cut = !(t->full || (t->cfg->duration == 0 && t->cfg->count == 0) ||
	    (t->cfg->duration > 0 && pace_clock_raw() - t->began_ns > t->cfg->duration));
	if (rc >= 0 && !t->full && t->live)
		rc = drain(t);
	show(t, true);
	t->c.complete = rc >= 0 || rc == -ENODATA;
	t->failed = !t->c.complete;
	read_drops(t, &d);
	t->c.has_drops = d.known;
	t->c.dropped = d.kernel;
	t->c.interface_dropped = d.interface;
}

/* Runs in a thread of its own while the main thread draws the screen. */
static void
read_all(void *ctx)
{
	struct capture *t = ctx;

	capture(t);
	t->finished = pace_cap_table_finish(t->table);
	look(t, true);
}

static void
leave(void *ctx)
{
	struct capture *t = ctx;

	atomic_store(&t->left, true);
}

/* --- reporting ------------------------------------------------------------- */

/* Only Ctrl-C ends a live capture without count or duration. */
static bool
is_interrupted(const struct capture *t)
{
	return pace_stop != 0 && (pace_stop != SIGINT || !t->live ||
	    t->cfg->duration > 0 || t->cfg->count > 0);
}

static double
busiest_bps(const struct pace_cap_table *t)
{
	double most = 0;

	for (size_t i = 0; i < t->streams; i++) {
		const struct pace_cap_stream *s = t->stream[i];

		most = fmax(most, pace_rate_bps(s->line_bytes - s->first_line_bytes,
		    s->last_ns - s->first_ns));
	}
	return most;
}

static void
tell_streams(struct capture *t)
{
	const struct pace_cap_table *table = t->table;
	bool blocks = t->cfg->sink.detail || table->streams == 1;

	t->rows = pace_capture_rows(&t->c, busiest_bps(table), table->streams > 0 ?
	    (double)pace_hist_quantile(&table->stream[0]->gap, 0.5) : 0);
	t->rows.flags = &t->flags;
	pace_sink_begin(&t->sink, pace_capture_kind, &t->rows, &t->result,
	    blocks ? 1 : table->streams);
	for (size_t i = 0; i < table->streams; i++) {
		if (blocks && i > 0 && pace_sink_has_table(&t->sink))
			printf("\n");
		pace_seen_fill(t->seen, table->stream[i], t->live);
		pace_sink_point(&t->sink, t->seen, NULL);
	}
	pace_capture_end(t);
}

static int
run_capture(struct capture *t)
{
	const struct capture_cfg *cfg = t->cfg;
	const struct pace_capture_monitor_cfg mc = {
		.watch = { .filter = t->c.filter, .drops = read_drops, .ctx = t,
		    .socket = t->c.socket[0] != '\0',
		    .interface = t->c.socket[0] != '\0' ? t->c.socket : t->c.interface,
		    .interval_ns = cfg->interval_ns, .private = cfg->private },
		.plain = cfg->plain, .force = cfg->sink.force, .record = cfg->lines,
		.read = read_all, .leave = leave, .ctx = t };
	int status = t->socket == NULL ? begin(t) : PACE_EXIT_OK, shown = PACE_EXIT_OK;

	if (status == PACE_EXIT_OK && cfg->monitor)
		status = pace_capture_monitor_open(&t->monitor, &mc);
	if (status != PACE_EXIT_OK)
		return status;
	pace_stop_catch();
	if (t->monitor != NULL)
		shown = pace_capture_monitor_run(t->monitor);
	else
		read_all(t);
	if (shown == PACE_EXIT_NO_RESULT)
		return shown;
	if (t->finished < 0) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	if (t->failed) {
		pace_capture_tell(&t->err);
		snprintf(t->c.read_error, sizeof(t->c.read_error), "%s", t->err.text);
		pace_note(&t->result.notes, "damaged", "after %" PRIu64 " frames: %s",
		    t->table->frames, t->err.text);
	}
	t->unrecorded |= shown != PACE_EXIT_OK;
	pace_capture_fill(&t->c, t->table);
	pace_capture_end_record(t);
	t->result.interrupted = is_interrupted(t) || (t->monitor != NULL && t->cut);
	t->unusable |= pace_capture_notes(&t->result.notes, &t->c);
	tell_streams(t);
	if (t->table->streams == 0) {
		if (t->c.udp == 0 && t->c.cut_short > 0)
			pace_complain("no UDP datagrams were seen: %" PRIu64
			    " frames were captured too short to be classified",
			    t->c.cut_short);
		else if (t->c.udp == 0)
			pace_complain("no UDP datagrams%s were seen", t->filter[0] != '\0' ?
			    " that match the filter" : "");
		else
			pace_complain("none of %" PRIu64 " UDP datagrams has a number%s", t->c.udp,
			    t->cfg->sequence != NULL ? " in the place given by --sequence" :
			    " of this format");
	}
	if (is_interrupted(t))
		return pace_stop_status();
	if (t->table->streams == 0)
		return PACE_EXIT_NO_RESULT;
	if (t->failed || t->sink.failed || t->unrecorded)
		return PACE_EXIT_PARTIAL;
	return t->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

/* --- one source ------------------------------------------------------------ */

int
pace_capture_one(struct capture *t, const char *file, int argc, char **argv)
{
	struct pace_cap_cfg cfg;
	int status;

	if (!pace_capture_format(t, &cfg))
		return PACE_EXIT_USAGE;
	t->live = t->cfg->interface != NULL || t->cfg->port != NULL;
	t->table = pace_cap_table_new(&cfg);
	t->seen = pace_seen_new();
	if (t->table == NULL || t->seen == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	status = open_source(t, file);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&t->sink, &t->cfg->sink);
	if (status == PACE_EXIT_OK)
		status = pace_capture_open_record(t);
	if (status != PACE_EXIT_OK)
		return status;
	pace_capture_describe(t, file, argc, argv);
	if (t->record_file != NULL && (t->record = pace_frame_record_new(t->record_file)) == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	return run_capture(t);
}
