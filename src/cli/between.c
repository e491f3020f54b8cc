#include "config.h"

#include "cli/between.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cap/match.h"
#include "cli/capture_fill.h"
#include "core/delay.h"
#include "core/rates.h"
#include "plat/pcap.h"

#define BATCH	4096
#define ENOUGH	10		/* frames of each direction, for the clocks' relation */

/* A flow that is in both captures. */
struct pair {
	const struct pace_cap_flow *at[2];	/* in the sender's table, in the receiver's */
	bool		backwards;
	size_t		most;		/* bytes of payload that both have */
	struct pace_cap_match match;
	struct pace_delay *delay;
	void		*memory;
	struct pace_hist *gap;
};

struct side {
	const char	*name;
	struct pace_pcap *first, *again;	/* one for each pass */
	struct pace_cap_table *table;
	enum pace_cap_link link;
	/* of the second pass: the next frame of a pair */
	struct pace_between *b;
	struct pair	*pair;		/* NULL: none yet */
	uint64_t	key;
	struct pace_cap_came came;
	bool		ended;
};

struct pace_between {
	struct pace_cap_cfg cfg;
	struct side	side[2];
	struct pair	pair[PACE_BETWEEN_FLOWS];
	size_t		n, left_out;
	struct pace_clockfit fit;
	struct pace_clock_estimate theta, turned;
	struct pace_err	damage;
	char		link[32];
};

/* --- opening --------------------------------------------------------------------------- */

static int
open_side(struct side *s, const char *name, const struct pace_cap_cfg *cfg, struct pace_err *err)
{
	const struct pace_pcap_cfg file = { .file = name, .again = true };
	int rc = pace_pcap_open(&s->first, &file, err);

	s->name = name;
	if (rc == 0)
		rc = pace_pcap_open(&s->again, &file, err);
	if (rc < 0)
		return rc;
	s->table = pace_cap_table_new(cfg);
	return s->table != NULL ? 0 : pace_fail(err, ENOMEM, "open");
}

int
pace_between_open(struct pace_between **to, const char *sender, const char *receiver,
    const struct pace_cap_cfg *cfg, struct pace_err *err)
{
	struct pace_between *b = calloc(1, sizeof(*b));
	int rc;

	*to = NULL;
	if (b == NULL)
		return pace_fail(err, ENOMEM, "open");
	b->cfg = *cfg;
	b->side[0].b = b->side[1].b = b;
	rc = open_side(&b->side[0], sender, cfg, err);
	if (rc == 0)
		rc = open_side(&b->side[1], receiver, cfg, err);
	if (rc < 0)
		pace_between_close(b);
	else
		*to = b;
	return rc;
}

void
pace_between_close(struct pace_between *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->n; i++) {
		free(b->pair[i].delay);
		free(b->pair[i].gap);
		free(b->pair[i].memory);
	}
	for (int i = 0; i < 2; i++) {
		pace_pcap_close(b->side[i].first);
		pace_pcap_close(b->side[i].again);
		pace_cap_table_free(b->side[i].table);
	}
	free(b);
}

/* --- the first pass: which flows are in both ---------------------------------------------- */

static void
take_first(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct side *s = ctx;

	pace_cap_table_add(s->table, s->link, f, now_ns);
}

static int
read_first(struct side *s, const char *filter, struct pace_err *err)
{
	int rc = pace_pcap_begin(s->first, filter, err);

	if (rc < 0)
		return rc;
	s->link = pace_pcap_link(s->first);
	do
		rc = pace_pcap_read(s->first, BATCH, take_first, s, err);
	while (rc >= 0);
	if (rc != -ENODATA)
		s->b->damage = *err;
	return pace_cap_table_finish(s->table) < 0 ? pace_fail(err, ENOMEM, "read") : 0;
}

/* The same flow in the other capture, NULL: it is not there. */
static const struct pace_cap_flow *
twin_of(const struct pace_cap_table *t, const struct pace_cap_flow *f)
{
	for (size_t i = 0; i < t->flows; i++)
		if (memcmp(&t->flow[i].key, &f->key, sizeof(f->key)) == 0)
			return &t->flow[i];
	return NULL;
}

static uint64_t
frames_of(const struct pair *p)
{
	return p->at[0]->frames + p->at[1]->frames;
}

/* Into the list of the busiest. */
static void
keep_pair(struct pace_between *b, const struct pair *p)
{
	size_t at = b->n;

	while (at > 0 && frames_of(&b->pair[at - 1]) < frames_of(p))
		at--;
	if (b->n == PACE_BETWEEN_FLOWS)
		b->left_out++;
	if (at == PACE_BETWEEN_FLOWS)
		return;
	if (b->n < PACE_BETWEEN_FLOWS)
		b->n++;
	memmove(&b->pair[at + 1], &b->pair[at], (b->n - at - 1) * sizeof(*p));
	b->pair[at] = *p;
}

static size_t
smaller(size_t a, size_t b)
{
	return b != 0 && b < a ? b : a;
}

/* Against the busiest one. */
static bool
is_against(const struct pace_between *b, const struct pair *p)
{
	return memcmp(p->at[0]->key.dest, b->pair[0].at[0]->key.source, 16) == 0;
}

/* Offset of the clocks and the way there, or less the way back. */
static int64_t
first_apart(const struct pair *p)
{
	return p->at[1]->first_ns - p->at[0]->first_ns;
}

static void
find_directions(struct pace_between *b)
{
	const struct pair *back = NULL;
	bool turned;

	for (size_t i = b->n; i-- > 0;)		/* the busiest of them */
		if (is_against(b, &b->pair[i]))
			back = &b->pair[i];
	turned = back != NULL && first_apart(back) > first_apart(&b->pair[0]);
	for (size_t i = 0; i < b->n; i++)
		b->pair[i].backwards = is_against(b, &b->pair[i]) != turned;
}

static void
find_pairs(struct pace_between *b)
{
	const struct pace_cap_table *t = b->side[0].table;

	for (size_t i = 0; i < t->flows; i++) {
		struct pair p = { .at = { &t->flow[i], twin_of(b->side[1].table, &t->flow[i]) } };

		if (p.at[1] == NULL)
			continue;
		p.most = smaller(smaller(PACE_CAP_MATCH_BYTES, p.at[0]->least), p.at[1]->least);
		keep_pair(b, &p);
	}
	find_directions(b);
}

static int
begin_pair(struct pace_between *b, struct pair *p, struct pace_err *err)
{
	p->memory = malloc(pace_cap_match_memory(PACE_CAP_MATCH_WINDOW));
	p->delay = malloc(sizeof(*p->delay));
	p->gap = malloc(sizeof(*p->gap));
	if (p->memory == NULL || p->delay == NULL || p->gap == NULL)
		return pace_fail(err, ENOMEM, "match");
	pace_delay_start(p->delay, 0);
	pace_hist_reset(p->gap);
	return pace_cap_match_init(&p->match, &(struct pace_cap_match_cfg){
	    .window = PACE_CAP_MATCH_WINDOW, .delay = p->delay, .fit = &b->fit,
	    .gap = p->gap, .from_b = p->backwards }, p->memory);
}

/* --- the second pass: their frames ----------------------------------------------------------- */

static struct pair *
pair_of(struct pace_between *b, const struct side *s, const struct pace_cap_packet *packet)
{
	const struct pace_cap_flow *f = pace_cap_table_find(s->table, packet);

	for (size_t i = 0; f != NULL && i < b->n; i++)
		if (b->pair[i].at[s - b->side] == f)
			return &b->pair[i];
	return NULL;
}

static void
take_again(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct side *s = ctx;
	const struct pace_cap_format *format;
	struct pace_cap_packet packet;
	struct pace_cap_mark m = { .has_seq = false };

	if (pace_cap_packet(&packet, s->link, f) != PACE_CAP_UDP)
		return;
	s->pair = pair_of(s->b, s, &packet);
	if (s->pair == NULL)
		return;
	format = s->pair->at[0]->format;	/* of both: a key is of what they have */
	if (format->mark == NULL || !format->mark(s->b->cfg.rule, &packet.datagram, &m))
		m = (struct pace_cap_mark){ .has_seq = false };
	s->key = pace_cap_match_key(&packet.datagram, &m, s->pair->most);
	s->came = (struct pace_cap_came){ now_ns, (uint32_t)packet.datagram.length,
	    packet.line_bytes };
}

/* The next frame of a pair, or the end. */
static void
look_ahead(struct side *s)
{
	struct pace_err err = { .code = 0 };

	while (s->pair == NULL && !s->ended)
		s->ended = pace_pcap_read(s->again, 1, take_again, s, &err) < 0 && s->pair == NULL;
}

static void
feed(struct pace_between *b, struct side *s)
{
	struct pair *p = s->pair;
	bool sent = (s == &b->side[0]) != p->backwards;

	s->pair = NULL;
	if (sent) {
		pace_cap_match_sent(&p->match, s->key, s->came.t_ns);
		return;
	}
	pace_cap_match_received(&p->match, s->key, &s->came);
}

/* By the stamps; where the captures have no moment in common, each from its own beginning. */
static void
feed_all(struct pace_between *b)
{
	const struct pace_cap_table *x = b->side[0].table, *y = b->side[1].table;
	int64_t apart = x->last_ns < y->first_ns || y->last_ns < x->first_ns ?
	    y->first_ns - x->first_ns : 0;

	for (;;) {
		struct side *s;

		look_ahead(&b->side[0]);
		look_ahead(&b->side[1]);
		if (b->side[0].pair == NULL && b->side[1].pair == NULL)
			return;
		s = b->side[1].pair == NULL || (b->side[0].pair != NULL &&
		    b->side[0].came.t_ns + apart <= b->side[1].came.t_ns) ? &b->side[0] : &b->side[1];
		feed(b, s);
	}
}

static double
resolution_ns(const struct pace_between *b)
{
	return b->side[0].table->fine && b->side[1].table->fine ? 1 : 1000;
}

int
pace_between_read(struct pace_between *b, const char *filter, struct pace_err *err)
{
	int rc = 0;

	for (int i = 0; i < 2 && rc == 0; i++)
		rc = read_first(&b->side[i], filter, err);
	if (rc < 0)
		return rc;
	snprintf(b->link, sizeof(b->link), "%s", pace_pcap_link_name(b->side[0].first));
	find_pairs(b);
	pace_clockfit_reset(&b->fit);
	for (size_t i = 0; i < b->n && rc == 0; i++)
		rc = begin_pair(b, &b->pair[i], err);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = pace_pcap_begin(b->side[i].again, filter, err);
	if (rc < 0)
		return rc;
	feed_all(b);
	for (size_t i = 0; i < b->n; i++)
		pace_cap_match_finish(&b->pair[i].match);
	(void)pace_clockfit_solve(&b->fit, resolution_ns(b), &b->theta);
	pace_cap_match_turn(&b->theta, &b->turned);
	*err = b->damage;
	return b->damage.code != 0;
}

/* --- what came of it ------------------------------------------------------------------------- */

size_t
pace_between_flows(const struct pace_between *b)
{
	return b->n;
}

static void
fill_delays(struct pace_seen *s, const struct pace_between *b, const struct pair *p)
{
	const struct pace_clock_estimate *theta = p->backwards ? &b->turned : &b->theta;
	struct pace_delays *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return;
	pace_delay_finish(p->delay, theta->uppers >= ENOUGH &&
	    theta->lowers >= ENOUGH ? theta : NULL, d);
	s->has_delay = true;
	s->rx.has_owd = s->between.has_clock = d->absolute;
	s->between.bound_ns = theta->bound_ns;
	s->between.uncertainty_ns = theta->uncertainty_ns;
	s->rx.owd = d->owd;
	s->rx.pdv = d->pdv;
	s->rx.ipdv = d->ipdv;
	s->rx.jitter_ns = d->jitter_ns;
	s->rx.jitter_max_ns = d->jitter_max_ns;
	s->rx.absurd_times = d->absurd;
	free(d);
}

static void
fill_counts(struct pace_seen *s, const struct pair *p)
{
	const struct pace_cap_match *m = &p->match;
	const int64_t first = m->first_came.t_ns, last = m->last_came.t_ns;
	struct pace_receipt *r = &s->rx;

	r->frames = m->matched + m->duplicates;
	r->unique = m->matched;
	r->bytes = m->bytes;
	r->duration_ns = last > first ? last - first : 0;
	if (r->unique > 1) {
		r->user_rate_bps = pace_rate_bps(m->bytes - m->first_came.bytes, r->duration_ns);
		r->wire_rate_bps = pace_rate_bps(m->line_bytes - m->first_came.line_bytes,
		    r->duration_ns);
	}
	r->gap = *p->gap;
	pace_seen_fill_numbers(r, &m->seq);
	r->duplicates = m->duplicates;
	s->between = (struct pace_seen_between){ .any = true, .backwards = p->backwards,
	    .sent = m->sent, .received = m->received, .twins = m->twins, .foreign = m->foreign,
	    .head = m->head, .tail = m->tail, .foreign_head = m->foreign_head,
	    .foreign_tail = m->foreign_tail, .duplicate_bytes = m->duplicate_bytes,
	    .foreign_bytes = m->foreign_bytes };
	s->numbered = s->from_start = s->ended = true;
}

void
pace_between_fill(struct pace_seen *s, const struct pace_between *b, size_t i)
{
	const struct pair *p = &b->pair[i];
	const struct pace_cap_match *m = &p->match;

	pace_seen_reset(s);
	pace_seen_fill_flow(s, p->at[!p->backwards], m->matched > 0 ?
	    m->first_came.t_ns : p->at[!p->backwards]->first_ns);
	snprintf(s->stream, sizeof(s->stream), "0");
	s->streams = 1;
	if (p->at[0]->first != NULL) {
		s->size_min = p->at[0]->first->size_min;
		s->size_max = p->at[0]->first->size_max;
	}
	fill_counts(s, p);
	fill_delays(s, b, p);
	if (m->twins > m->sent / 100)
		pace_note(&s->notes, "twins", "%" PRIu64 " frames look like others: what became of them "
		    "is not known", m->twins);
	if (m->foreign > m->received / 100 && m->foreign > 0)
		pace_note(&s->notes, "foreign", "%" PRIu64 " frames were received and not sent, %" PRIu64
		    " of them before the first that is in both captures, %" PRIu64 " after the last: "
		    "do these cover the same time?", m->foreign, m->foreign_head, m->foreign_tail);
	if (m->head + m->tail > 0)
		pace_note(&s->notes, "ends", "%" PRIu64 " of those lost were sent before the first that "
		    "arrived, %" PRIu64 " after the last: were both captures running?", m->head, m->tail);
	if (!s->between.has_clock)
		pace_note(&s->notes, "relative", "fewer than %d frames of one direction are in both "
		    "captures: the clocks' relation is not known, delays are relative", ENOUGH);
}

void
pace_between_capture(struct pace_capture *c, const struct pace_between *b)
{
	pace_capture_fill(c, b->side[0].table);
	snprintf(c->link, sizeof(c->link), "%s", b->link);
	c->snap_bytes = (uint64_t)pace_pcap_snap_bytes(b->side[0].first);
	pace_clean(c->file, sizeof(c->file), b->side[0].name, strlen(b->side[0].name));
	pace_clean(c->other_file, sizeof(c->other_file), b->side[1].name, strlen(b->side[1].name));
	c->whole = b->damage.code == 0;
	if (!c->whole)
		snprintf(c->damage, sizeof(c->damage), "%s", b->damage.text);
}
