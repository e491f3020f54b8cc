#include "config.h"

#include "live/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "doc/utc.h"
#include "plat/sock.h"

void
pace_head_fill(struct pace_status_head *h, const char *host, int64_t started_wall_ns,
    int64_t interval_ns)
{
	memset(h, 0, sizeof(*h));
	pace_clean(h->host, sizeof(h->host), host, strlen(host));
	snprintf(h->version, sizeof(h->version), "%s", PACKAGE_VERSION);
	pace_utc_text(started_wall_ns, h->started, sizeof(h->started));
	h->interval_ns = interval_ns;
}

struct pace_moments
pace_moments_of(const struct pace_stats *g)
{
	return (struct pace_moments){ .n = g->n, .mean = pace_stats_mean(g),
	    .stddev = pace_stats_stddev(g), .has_extremes = true, .min = g->min, .max = g->max };
}

struct pace_moments
pace_moments_since(const struct pace_stats *now, const struct pace_stats *then)
{
	struct pace_stats_part part = pace_stats_since(now, then);

	return (struct pace_moments){ .n = part.n, .mean = part.mean, .stddev = part.stddev };
}

static void
fill_interval(struct pace_status_interval *to, const struct pace_session_pair *p)
{
	static const struct pace_stats none;
	static const struct pace_tally zero;
	const struct pace_recent *r = &p->recent;
	bool known = p->then.number == p->now.number;
	bool same_run = known && p->then.run.number == p->now.run.number;

	to->n = pace_tally_since(&p->now.all, known ? &p->then.all : &zero);
	to->gaps = pace_moments_since(&p->now.gaps, same_run ? &p->then.gaps : &none);
	to->gaps.has_extremes = r->gap_min_ns <= r->gap_max_ns;
	to->gaps.min = r->gap_min_ns;
	to->gaps.max = r->gap_max_ns;
	to->above = (struct pace_moments){ .n = r->samples,
	    .has_extremes = r->above_min_ns <= r->above_max_ns,
	    .mean = r->samples > 0 ? (double)r->above_sum_ns / (double)r->samples : 0,
	    .min = r->above_min_ns, .max = r->above_max_ns };
}

void
pace_session_fill(struct pace_status_session *to, const struct pace_session_pair *p, int64_t now_ns,
    int64_t interval_ns)
{
	const struct pace_session_stats *v = &p->now;
	struct pace_session_status *s = &to->now;

	memset(to, 0, sizeof(*to));
	s->number = v->number;
	pace_addr_text(&v->peer, s->peer, sizeof(s->peer));
	s->peer_port = v->peer.port;
	s->ipv6 = strchr(s->peer, ':') != NULL;
	pace_clean(s->label, sizeof(s->label), v->label, strlen(v->label));
	pace_clean(s->key, sizeof(s->key), v->key, strlen(v->key));
	s->state = (enum pace_session_state)v->state;
	s->age_ns = now_ns - v->opened_ns;
	s->silent_ns = now_ns - v->heard_ns;
	s->lease = v->leased;
	s->rcvbuf_bytes = v->rcvbuf_bytes;
	s->runs = v->runs;
	s->run = v->run;
	s->run.tcp_rtt_ns = v->tcp_rtt_ns;
	s->ended = v->run.ended_ns != 0;
	s->elapsed_ns = (s->ended ? v->run.ended_ns : now_ns) - v->run.began_ns;
	s->jitter_ns = pace_tally_only_sent(&v->this_run) ? -1 : v->jitter_ns;
	s->gaps = pace_moments_of(&v->gaps);
	s->this_run = v->this_run;
	s->all = v->all;
	to->has_interval = interval_ns > 0;
	to->interval.span_ns = interval_ns;
	if (to->has_interval)
		fill_interval(&to->interval, p);
}

void
pace_session_fill_shapes(struct pace_status_session *to, const struct pace_shapes *s)
{
	if (s->number != to->now.number || s->run != to->now.run.number)
		return;
	pace_coarse_hist_list(&s->gap, &to->dist[PACE_DIST_GAP]);
	pace_coarse_hist_list(&s->delay, &to->dist[PACE_DIST_DELAY]);
}

/* --- streams ------------------------------------------------------------------ */

#define NUMBER	((UINT64_C(1) << PACE_KEY_STREAM) - 1)

int
pace_key_compare(uint64_t a, uint64_t b)
{
	uint64_t x = a & NUMBER, y = b & NUMBER;

	if (x != y)
		return x < y ? -1 : 1;
	return (a > b) - (a < b);
}

const char *
pace_key_text(uint64_t key, char buf[PACE_KEY_SIZE])
{
	uint64_t number = key & NUMBER, stream = key >> PACE_KEY_STREAM;

	if (stream > 0)
		snprintf(buf, PACE_KEY_SIZE, "%" PRIu64 "/%" PRIu64, number, stream - 1);
	else
		snprintf(buf, PACE_KEY_SIZE, "%" PRIu64, number);
	return buf;
}

void
pace_session_name_stream(struct pace_status_session *s, uint64_t stream)
{
	struct pace_session_status *v = &s->now;

	s->interval.own_span = true;
	v->stream = stream;
	snprintf(v->label, sizeof(v->label), "stream %" PRIu64 ", port %u", stream - 1,
	    v->peer_port);
}

/* --- flows ------------------------------------------------------------------- */

const char *
pace_flow_end(const char *address, uint16_t port, char buf[PACE_FLOW_END])
{
	snprintf(buf, PACE_FLOW_END, strchr(address, ':') != NULL ? "[%s]:%u" : "%s:%u", address,
	    port);
	return buf;
}

void
pace_flow_name(struct pace_session_status *v)
{
	const struct pace_flow_status *f = &v->flow;
	const int most = (int)(sizeof(v->label) / 2 - 4);
	char from[PACE_FLOW_END], to[PACE_FLOW_END];

	snprintf(v->label, sizeof(v->label), "%.*s > %.*s", most,
	    pace_flow_end(f->source, f->source_port, from), most,
	    pace_flow_end(f->destination, f->destination_port, to));
	if (f->streams > 1)
		snprintf(v->label + strlen(v->label), sizeof(v->label) - strlen(v->label), " #%s",
		    f->stream);
}
