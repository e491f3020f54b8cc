#include "config.h"

#include "live/watch_metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "live/metrics.h"

#define FIRST_BUCKET	12		/* 2^12 ns */
#define LAST_BUCKET	32
#define NS		1e-9

#define AT(m)	offsetof(struct pace_watched, m)

enum figure_kind { COUNT, AMOUNT, SECONDS, REAL_SECONDS };	/* counter; gauge; of int64_t and double ns */

/* One sample a path. */
static const struct figure {
	const char	*name;
	enum figure_kind kind;
	size_t		at;
	bool		of_clock;	/* absent without an estimate of the clock */
	const char	*help;
} figures[] = {
	{ "udpace_path_frames_sent", COUNT, AT(counts.sent), false, "Frames that left" },
	{ "udpace_path_frames_received", COUNT, AT(counts.received), false,
	    "Frames that the far end received, copies not counted" },
	{ "udpace_path_frames_lost", AMOUNT, AT(counts.lost), false,
	    "Frames that the far end misses; fewer when late ones arrive" },
	{ "udpace_path_frames_lost_at_socket_max", AMOUNT, AT(counts.socket_lost_max), false,
	    "Lost frames that the far end may have dropped at its socket, at most" },
	{ "udpace_path_frames_unreported", COUNT, AT(counts.unreported), false,
	    "Frames of sessions that died before they reported on them" },
	{ "udpace_path_frames_refused", COUNT, AT(counts.refused), false,
	    "Frames that this host refused to send" },
	{ "udpace_path_frames_skipped", COUNT, AT(counts.skipped), false,
	    "Frames that were not sent because their time had passed" },
	{ "udpace_path_frames_duplicated", COUNT, AT(counts.duplicates), false,
	    "Frames that had come before" },
	{ "udpace_path_frames_reordered", COUNT, AT(counts.reordered), false,
	    "Frames that came behind a later one (RFC 4737)" },
	{ "udpace_path_frames_congestion_marked", COUNT, AT(counts.congestion_marks), false,
	    "Frames that arrived marked congestion experienced (CE)" },
	{ "udpace_path_exchanges", COUNT, AT(counts.exchanges), false,
	    "Exchanges of time stamps that were answered" },
	{ "udpace_path_exchange_timeouts", COUNT, AT(counts.timeouts), false,
	    "Exchanges of time stamps without an answer" },
	{ "udpace_path_exchanges_lost_there", AMOUNT, AT(counts.lost_there), false,
	    "Exchanges without an answer whose request is known to have been lost" },
	{ "udpace_path_exchanges_lost_back", AMOUNT, AT(counts.lost_back), false,
	    "Exchanges without an answer whose reply is known to have been lost" },
	{ "udpace_path_replies_reordered", COUNT, AT(counts.replies_reordered), false,
	    "Replies of exchanges that came after the reply to a later request" },
	{ "udpace_path_sessions", COUNT, AT(counts.sessions), false, "Sessions that were opened" },
	{ "udpace_path_up_seconds", SECONDS, AT(counts.up_ns), false,
	    "Time with answers of the far end" },
	{ "udpace_path_clock_offset_seconds", SECONDS, AT(offset_ns), true,
	    "The far end's probe clock minus the probe clock of this host" },
	{ "udpace_path_clock_error_max_seconds", REAL_SECONDS, AT(bound_ns), true,
	    "Largest error of the clock offset and of one-way delays" },
};

static const struct {
	const char	*name;
	size_t		at;
	const char	*help;
} shapes[] = {
	{ "udpace_path_round_trip_seconds", AT(rtt), "Round-trip time of exchanges" },
	{ "udpace_path_delay_to_seconds", AT(up), "One-way delay of exchanges to the far end" },
	{ "udpace_path_delay_from_seconds", AT(down), "One-way delay of exchanges from the far end" },
	{ "udpace_path_delay_variation_seconds", AT(above),
	    "Delay of frames above the lowest one of the last minutes; by STAMP, of round trips" },
	{ "udpace_path_gap_error_to_seconds", AT(up_error),
	    "Change of the gap between two requests of exchanges on the way to the far end" },
	{ "udpace_path_gap_error_from_seconds", AT(down_error),
	    "Change of the gap between two replies of exchanges on the way back" },
};

/* The paths of one text. */
struct watch_metrics {
	FILE		*f;
	const struct pace_watched *(*path)(void *ctx, size_t i);
	void		*ctx;
	size_t		n;
};

/* A label's value: any text becomes a valid one. */
static void
put_peer(FILE *f, const struct pace_watched *w)
{
	fputs("{peer=\"", f);
	for (const char *c = w->name; *c != '\0'; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', f);
		fputc((unsigned char)*c < ' ' ? '?' : *c, f);
	}
	fputc('"', f);
}

static void
put_value(FILE *f, const struct figure *g, const void *at)
{
	if (g->kind == REAL_SECONDS)
		fprintf(f, " %.9g\n", *(const double *)at * NS);
	else if (g->kind == SECONDS)
		fprintf(f, " %.15g\n", (double)*(const int64_t *)at * NS);
	else
		fprintf(f, " %" PRId64 "\n", *(const int64_t *)at);
}

static void
put_figure(const struct watch_metrics *m, const struct figure *g)
{
	pace_metrics_family(m->f, g->name, g->kind == COUNT ? "counter" : "gauge",
	    g->kind >= SECONDS ? "seconds" : NULL, g->help);
	for (size_t i = 0; i < m->n; i++) {
		const struct pace_watched *w = m->path(m->ctx, i);

		if (g->of_clock && !w->clock_known)
			continue;
		fprintf(m->f, "%s%s", g->name, g->kind == COUNT ? "_total" : "");
		put_peer(m->f, w);
		fputc('}', m->f);
		put_value(m->f, g, (const char *)w + g->at);
	}
}

static void
put_buckets(FILE *f, const char *name, const struct pace_watched *w,
    const struct pace_coarse_hist_list *l)
{
	uint64_t n = l->below;
	uint32_t k = 0;

	for (int bucket = FIRST_BUCKET; bucket <= LAST_BUCKET; bucket++) {
		for (; k < l->n && l->bin[k].high <= INT64_C(1) << bucket; k++)
			n += l->bin[k].count;
		fprintf(f, "%s_bucket", name);
		put_peer(f, w);
		fprintf(f, ",le=\"%.10g\"} %" PRIu64 "\n", (double)(INT64_C(1) << bucket) * NS, n);
	}
	for (; k < l->n; k++)
		n += l->bin[k].count;
	fprintf(f, "%s_bucket", name);
	put_peer(f, w);
	fprintf(f, ",le=\"+Inf\"} %" PRIu64 "\n", n);
}

static void
put_state(const struct watch_metrics *m)
{
	pace_metrics_family(m->f, "udpace_path_up", "gauge", NULL,
	    "1 while the stream of the path runs and its far end answers");
	for (size_t i = 0; i < m->n; i++) {
		const struct pace_watched *w = m->path(m->ctx, i);

		fputs("udpace_path_up", m->f);
		put_peer(m->f, w);
		fprintf(m->f, "} %d\n", w->state == PACE_WATCH_UP);
	}
}

char *
pace_watch_metrics_text(const struct pace_watched *(*path)(void *ctx, size_t i), void *ctx, size_t n,
    size_t *size)
{
	char *text = NULL;
	struct watch_metrics m = { .f = open_memstream(&text, size), .path = path, .ctx = ctx, .n = n };

	if (m.f == NULL)
		return NULL;
	put_state(&m);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		put_figure(&m, &figures[i]);
	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		pace_metrics_family(m.f, shapes[k].name, "histogram", "seconds", shapes[k].help);
		for (size_t i = 0; i < n; i++) {
			const struct pace_watched *w = path(ctx, i);

			put_buckets(m.f, shapes[k].name, w, (const void *)((const char *)w + shapes[k].at));
		}
	}
	pace_metrics_end(m.f);
	if (fclose(m.f) == 0)
		return text;
	free(text);
	return NULL;
}
