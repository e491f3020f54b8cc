#include "config.h"

#include "cli/probe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/opt.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "core/units.h"
#include "doc/ask.h"
#include "doc/point_doc.h"
#include "doc/record_file.h"
#include "out/csv.h"
#include "out/text.h"
#include "session/msg.h"

#define IDLE_NS		INT64_C(5000000000)
#define POINT_COST_NS	INT64_C(150000000)	/* of a point, beside stream and grace */

/* All that one call of the program holds. */
struct probe {
	const struct pace_probe_cfg *cfg;
	struct pace_peer peer;
	struct pace_result result;
	struct pace_sink sink;
	struct pace_show show;
	size_t		done;		/* points with a result */
	size_t		told;		/* points in the document */
	size_t		failed;		/* points without */
	bool		unusable;	/* a figure, or a limit was missed */
	size_t		runs;		/* with records */
	struct pace_record_run *run;
};

/* --- how a stream is written ------------------------------------------------------- */

struct pace_throughput_plan {
	struct pace_link link;
	const struct pace_ask *asks;
	size_t		n;
	struct pace_rows rows;
};

static json_t *
to_json(const void *point)
{
	return pace_point_to_json(point);
}

static int
csv_point(FILE *f, const void *point)
{
	return pace_csv_point(f, point);
}

static int
head(FILE *f, const struct pace_result *r, const void *plan, bool utf8)
{
	const struct pace_throughput_plan *t = plan;

	return pace_text_head(f, r, &t->link, t->asks, t->n, utf8);
}

static int
row_head(FILE *f, const void *plan, bool utf8)
{
	return pace_text_row_head(f, &((const struct pace_throughput_plan *)plan)->rows, utf8);
}

static int
row(FILE *f, const void *plan, const void *point, bool utf8)
{
	return pace_text_row(f, &((const struct pace_throughput_plan *)plan)->rows, point, utf8);
}

static int
block(FILE *f, const void *point, bool detail, bool utf8)
{
	return pace_text_point(f, point, detail, utf8);
}

static const struct pace_sink_kind throughput_kind = { to_json, pace_csv_head, csv_point,
    head, row_head, row, block };

/* --- before the first frame --------------------------------------------------------- */

/* Sizes that the path does not take whole are refused before anything leaves. */
static int
check_sizes(struct probe *p, struct pace_link *link)
{
	int mtu = pace_sock_mtu(&p->peer.sock, p->peer.addr.family);
	uint32_t most;

	*link = (struct pace_link){ .family = p->peer.addr.family, .vlan_tags = p->cfg->vlan_tags,
	    .mtu = mtu > 0 ? (uint32_t)mtu : 0 };
	most = pace_payload_max(link);
	if (mtu > 0 && most < PACE_HELLO_SIZE && !p->cfg->peer.fragment) {
		pace_complain("the path MTU of %d bytes has no room for udpace's control frames "
		    "of %d bytes", mtu, PACE_HELLO_SIZE);
		if (p->cfg->peer.has_fragment)
			pace_hint("--fragment to send them in pieces");
		return PACE_EXIT_NO_RESULT;
	}
	for (size_t i = 0; i < p->cfg->n && !p->cfg->peer.fragment && mtu > 0; i++) {
		if (p->cfg->asks[i].size_bytes <= most)
			continue;
		if (!p->cfg->size_given) {
			p->cfg->asks[i].size_bytes = most;	/* a default fits any path */
			continue;
		}
		pace_complain("--size: '%u' does not fit the path MTU of %d bytes "
		    "(at most %u bytes with IPv%d)", p->cfg->asks[i].size_bytes, mtu,
		    most, p->peer.addr.family);
		pace_hint("a smaller --size, or --fragment to send it in pieces");
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

/* --- judging a point --------------------------------------------------------------- */

static const char *
bytes(uint32_t n, char buf[32])
{
	return pace_print(PACE_UNIT_BYTES, n, buf, 32);
}

static void
judge_buffers(struct probe *p, struct pace_point *pt)
{
	char a[32], b[32];

	if (pt->rx.rcvbuf_granted < pt->rx.rcvbuf_asked) {
		pace_note(&pt->notes, "rcvbuf_clamped", "the responder's kernel granted a receive "
		    "buffer of %s where %s were asked for: raise net.core.rmem_max there",
		    bytes(pt->rx.rcvbuf_granted, a), bytes(pt->rx.rcvbuf_asked, b));
		p->unusable |= p->cfg->rcvbuf_given;
	}
	if (p->cfg->sndbuf_given && pt->tx.sndbuf_granted < pt->tx.sndbuf_asked) {
		pace_note(&pt->notes, "sndbuf_clamped", "the kernel granted a send buffer of %s "
		    "where %s were asked for: raise net.core.wmem_max",
		    bytes(pt->tx.sndbuf_granted, a), bytes(pt->tx.sndbuf_asked, b));
		p->unusable = true;
	}
}

static void
judge_stamps(struct probe *p, struct pace_point *pt)
{
	if (pt->rx.clock_steps > 0) {
		pace_note(&pt->notes, "clock_stepped", "the responder's clock was set while it "
		    "received: arrival gaps are not to be trusted");
		p->unusable = true;
	}
	if (pt->rx.unstamped > 0)
		pace_note(&pt->notes, "unstamped", "%" PRIu64 " frames came without a stamp of the "
		    "%s and were timed less well", pt->rx.unstamped,
		    pt->ask.nic ? "NIC" : "kernel");
	if (pt->rx.coalesced_stamps * 1000 > pt->rx.unique)
		pace_note(&pt->notes, "stamps_coalesced", "%" PRIu64 " frames were stamped together "
		    "with the one before: the gaps show the receiver's batches, not the network",
		    pt->rx.coalesced_stamps);
}

/* A figure that could not be measured is told, and why. */
static void
judge_figures(struct probe *p, struct pace_point *pt)
{
	if (pt->tx.frames == 0) {
		pace_note(&pt->notes, "nothing_sent", "no frame left this host%s%s",
		    pt->tx.refused > 0 ? ": " : "",
		    pt->tx.refused > 0 ? strerror(pt->tx.refused_errno) : "");
		p->unusable = true;
	} else if (pt->rx.unique == 0) {
		pace_note(&pt->notes, "nothing_arrived", "no frame arrived: there are no rates "
		    "and no gaps; control frames are smaller, so look for an MTU or a filter");
		p->unusable = true;
	} else if (pt->rx.unique == 1) {
		pace_note(&pt->notes, "too_few_frames", "one frame has no rate and no gap");
	}
	if (pt->owd_relative && pt->rx.has_owd && pt->rx.owd.stats.n > 0)
		pace_note(&pt->notes, "owd_relative", "the clocks are known to +- %.3f us, which is "
		    "more than the one-way delay itself: only its variation is told",
		    pt->clock.fit.bound_ns / 1e3);
	if (pt->rx.lease_lost) {
		pace_note(&pt->notes, "lease_lost", "for more than 10 s nothing reached the "
		    "responder: another client may have measured meanwhile");
		p->unusable = true;
	}
}

static void
judge_limits(struct probe *p, struct pace_point *pt)
{
	double lost = (double)pt->rx.lost, sent = (double)pt->tx.frames;

	if (p->cfg->max_loss >= 0 && lost > p->cfg->max_loss * sent) {
		pace_note(&pt->notes, "above_max_loss", "%.4g %% of the frames were lost, "
		    "above the limit of %.4g %%", 100 * lost / sent, 100 * p->cfg->max_loss);
		p->unusable = true;
	}
	if (p->cfg->min_rate_bps > 0 && pt->rx.user_rate_bps < p->cfg->min_rate_bps) {
		pace_note(&pt->notes, "below_min_rate", "%.6g Mbit/s were received, below the limit "
		    "of %.6g Mbit/s", pt->rx.user_rate_bps / 1e6, p->cfg->min_rate_bps / 1e6);
		p->unusable = true;
	}
}

/* Asked for, so it is missed where it is not there. */
static void
judge_energy(struct probe *p, struct pace_point *pt)
{
	const struct pace_energy *e[] = { &pt->ours.energy, &pt->theirs.energy };
	static const char *const codes[] = { "no_energy_client", "no_energy_responder" };
	static const char *const hosts[] = { "this host", "the responder's host" };

	for (int i = 0; p->cfg->energy && i < 2; i++) {
		if (e[i]->known && e[i]->has_idle)
			continue;
		pace_note(&pt->notes, codes[i], "the energy of %s is not known%s%s", hosts[i],
		    e[i]->known ? " above idle: somebody measured meanwhile" :
		    e[i]->why[0] != '\0' ? ": " : "", e[i]->known ? "" : e[i]->why);
		p->unusable = true;
	}
}

static void
judge(struct probe *p, struct pace_point *pt)
{
	const char *broken;

	p->unusable |= pt->verdict == PACE_DEGRADED;
	if (!pt->has_rx)
		return;
	judge_figures(p, pt);
	judge_buffers(p, pt);
	judge_stamps(p, pt);
	judge_limits(p, pt);
	judge_energy(p, pt);
	broken = pace_point_broken(pt);
	if (broken != NULL) {
		pace_note(&pt->notes, "contradiction", "figures contradict each other: %s", broken);
		p->unusable = true;
	}
}

/* --- records of frames -------------------------------------------------------------- */

static int
check_record_file(const struct pace_probe_cfg *cfg)
{
	int rc;

	if (cfg->record == NULL)
		return PACE_EXIT_OK;
	if (pace_sink_writes_to(&cfg->sink, "record", cfg->record))
		return PACE_EXIT_USAGE;
	rc = pace_outfile_check(cfg->record, cfg->sink.force);
	if (rc == -EEXIST) {
		pace_complain("--record: '%s' is there already", cfg->record);
		pace_hint("another name, or --force to replace it");
	} else if (rc < 0) {
		pace_complain("--record: '%s' cannot be written: %s", cfg->record, strerror(-rc));
	}
	return rc < 0 ? PACE_EXIT_USAGE : PACE_EXIT_OK;
}

/* The frames kept of the point that was just measured, which is not told yet. */
static void
take_records(struct probe *p, struct pace_point *pt, size_t i)
{
	struct pace_record_run *more = realloc(p->run, (p->runs + 1) * sizeof(*more));
	struct pace_err err = { .code = ENOMEM, .step = "records" };
	uint8_t *columns = NULL;

	if (more != NULL)
		p->run = more;
	if (more == NULL || pace_client_records(&p->peer.client, pt, &columns, &err) < 0) {
		pace_peer_tell(&p->peer, &err);
		pace_note(&pt->notes, "no_records", "the records could not be fetched: %s",
		    err.text[0] != '\0' ? err.text : strerror(err.code));
		p->failed++;
		return;
	}
	p->run[p->runs++] = (struct pace_record_run){ .point = (uint32_t)i,
	    .size_bytes = pt->ask.size_bytes, .spacing = pt->ask.spacing,
	    .skip = pt->ask.record.skip, .lost_only = pt->ask.record.lost_only,
	    .n = pt->rx.records, .missed = pt->rx.records_missed, .sent = pt->tx.frames,
	    .clock = pt->clock.fit, .columns = columns };
}

static int
write_record_file(FILE *f, void *ctx)
{
	const struct probe *p = ctx;

	return pace_record_file_write(f, &p->result, p->run, p->runs);
}

static void
write_records(struct probe *p)
{
	int rc;

	if (p->cfg->record == NULL || p->done == 0)
		return;
	rc = pace_outfile_write(p->cfg->record, write_record_file, p);
	if (rc < 0) {
		pace_complain("%s: %s", p->cfg->record, strerror(-rc));
		p->sink.failed = true;
	}
}

/* --- the points ----------------------------------------------------------------------- */

static int64_t
cost_ns(const struct pace_ask *a)
{
	return pace_ask_duration_ns(a) + a->grace_ns / 5 + POINT_COST_NS;
}

static void
show_begin(struct probe *p, size_t i)
{
	const struct pace_ask *a = &p->cfg->asks[i];
	int64_t rest = 0;

	for (size_t k = i + 1; k < p->cfg->n; k++)
		rest += cost_ns(&p->cfg->asks[k]);
	p->peer.client.rest_ns = rest;
	pace_show_begin(&p->show, i, p->cfg->n, pace_ask_frames(a), cost_ns(a),
	    rest, p->cfg->peer.quiet);
}

/* One point, once more when the responder has been restarted. */
static int
measure(struct probe *p, struct pace_point *pt, size_t i, struct pace_err *err)
{
	int rc;

	pt->ask = p->cfg->asks[i];
	show_begin(p, i);
	rc = pace_client_point(&p->peer.client, pt, err);
	if (rc == -ESTALE && pt->tx.frames == 0) {
		rc = pace_client_open(&p->peer.client, err);
		if (rc == 0)
			rc = pace_client_point(&p->peer.client, pt, err);
	}
	pace_show_end(&p->show);
	return rc;
}

/* After a failed point: is there somebody to measure the next one with? */
static bool
recover(struct probe *p, size_t i, int rc)
{
	struct pace_err err;

	if (rc == -EINTR || rc == -EBUSY || i + 1 == p->cfg->n)
		return false;
	return pace_client_open(&p->peer.client, &err) == 0;
}

/* False: there is no sense in going on. */
static bool
one_point(struct probe *p, size_t i)
{
	struct pace_point *pt = pace_point_new();
	struct pace_err err = { .code = 0 };
	int rc;

	if (pt == NULL) {
		pace_complain("out of memory");
		p->failed++;
		return false;
	}
	rc = measure(p, pt, i, &err);
	if (rc < 0 && rc != -EINTR) {
		pace_peer_tell(&p->peer, &err);
		pace_peer_note(pt->tx.frames > 0 ? &pt->notes : &p->result.notes, &err);
		p->failed++;
	}
	judge(p, pt);
	if (pt->has_rx && pt->ask.record.room > 0)
		take_records(p, pt, p->told);
	if (pt->has_rx)
		p->done++;
	if (pt->has_rx || pt->tx.frames > 0)
		pace_sink_point(&p->sink, pt);
	p->told += pt->has_rx || pt->tx.frames > 0;
	pace_point_free(pt);
	return rc == 0 || recover(p, i, rc);
}

static int
status_of(const struct probe *p)
{
	if (pace_stop != 0)
		return pace_stop_status();
	if (p->done == 0)
		return PACE_EXIT_NO_RESULT;
	if (p->failed > 0 || p->sink.failed)
		return PACE_EXIT_PARTIAL;
	return p->unusable ? PACE_EXIT_NOT_USABLE : PACE_EXIT_OK;
}

static void
measure_all(struct probe *p)
{
	p->peer.client.progress = &p->show.progress;
	p->peer.waiting = &p->show.waiting;
	if (pace_peer_connect(&p->peer, &p->result) < 0)
		return;
	if (p->cfg->energy && pace_client_idle(&p->peer.client, IDLE_NS) < 0)
		return;
	for (size_t i = 0; i < p->cfg->n; i++)
		if (!one_point(p, i))
			break;
	pace_client_close(&p->peer.client);
}

static int
run(struct probe *p)
{
	struct pace_throughput_plan plan = { .asks = p->cfg->asks, .n = p->cfg->n };
	int rc = pace_peer_open(&p->peer, &p->cfg->peer);

	if (rc == PACE_EXIT_OK)
		rc = check_sizes(p, &plan.link);
	if (rc != PACE_EXIT_OK)
		return rc;
	plan.rows = pace_text_rows(plan.asks, plan.n);
	p->peer.client.link = plan.link;
	pace_peer_describe(&p->peer, &p->result, "throughput", p->cfg->argc, p->cfg->argv);
	pace_stop_catch();
	pace_sink_begin(&p->sink, &throughput_kind, &plan, &p->result, plan.n);
	measure_all(p);
	p->result.interrupted = pace_stop != 0;
	pace_sink_end(&p->sink, &p->result, NULL);
	write_records(p);
	return status_of(p);
}

int
pace_probe_run(const struct pace_probe_cfg *cfg)
{
	struct probe *p = calloc(1, sizeof(*p));
	int status;

	if (p == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	p->cfg = cfg;
	p->peer.sock.fd = -1;
	status = check_record_file(cfg);
	if (status == PACE_EXIT_OK)
		status = pace_sink_open(&p->sink, &cfg->sink);
	if (status == PACE_EXIT_OK)
		status = run(p);
	pace_sink_close(&p->sink);
	pace_peer_close(&p->peer);
	for (size_t i = 0; i < p->runs; i++)
		free(p->run[i].columns);
	free(p->run);
	free(p);
	return status;
}
