#include "config.h"

#include "capture/capture_pair_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH	4096

/* --- opening --------------------------------------------------------------------------- */

static int
open_side(struct pace_capture_pair_side *s, const char *name, const struct pace_cap_cfg *cfg,
    struct pace_err *err)
{
	const struct pace_pcap_cfg file = { .file = name, .again = true };
	int rc = 0;

	s->name = name;
	for (int i = 0; i < PACE_CAPTURE_PAIR_PASSES && rc == 0; i++)
		rc = pace_pcap_open(&s->pass[i], &file, err);
	if (rc < 0)
		return rc;
	s->table = pace_cap_table_new(cfg);
	s->sample = malloc(sizeof(*s->sample));
	if (s->table == NULL || s->sample == NULL)
		return pace_fail(err, ENOMEM, "open");
	pace_cap_sample_reset(s->sample);
	return 0;
}

int
pace_capture_pair_open(struct pace_capture_pair **to, const char *sender, const char *receiver,
    const struct pace_cap_cfg *cfg, struct pace_err *err)
{
	struct pace_capture_pair *b = calloc(1, sizeof(*b));
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
		pace_capture_pair_close(b);
	else
		*to = b;
	return rc;
}

void
pace_capture_pair_close(struct pace_capture_pair *b)
{
	if (b == NULL)
		return;
	for (size_t i = 0; i < b->n; i++) {
		free(b->pair[i].delay);
		free(b->pair[i].gap);
		free(b->pair[i].memory);
	}
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < PACE_CAPTURE_PAIR_PASSES; k++)
			pace_pcap_close(b->side[i].pass[k]);
		pace_cap_table_free(b->side[i].table);
		free(b->side[i].sample);
	}
	free(b);
}

/* --- the first pass: which flows are in both ---------------------------------------------- */

static void
take_first(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_capture_pair_side *s = ctx;

	pace_cap_table_add(s->table, s->link, f, now_ns);
}

/* Read one file in one pass.  -EINTR: stop was requested. */
static int
read_all(struct pace_capture_pair_side *s, int pass, const char *filter,
    void (*take)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns), struct pace_err *err)
{
	int rc = pace_pcap_begin(s->pass[pass], filter, err);

	if (rc < 0)
		return rc;
	s->link = pace_pcap_link(s->pass[pass]);
	do
		rc = pace_pcap_read(s->pass[pass], BATCH, take, s, err);
	while (rc >= 0 && *s->b->stop == 0);
	if (rc >= 0)
		return pace_fail(err, EINTR, "read");
	if (rc != -ENODATA)
		s->b->damage = *err;
	return 0;
}

/* Find the flow f in the other capture; NULL: it is not there. */
static const struct pace_cap_flow *
twin_of(const struct pace_cap_table *t, const struct pace_cap_flow *f)
{
	for (size_t i = 0; i < t->flows; i++)
		if (memcmp(&t->flow[i].key, &f->key, sizeof(f->key)) == 0)
			return &t->flow[i];
	return NULL;
}

/* Insert a flow into the list of the busiest. */
static void
keep_pair(struct pace_capture_pair *b, const struct pace_capture_pair_match *p)
{
	const uint64_t frames = p->at[0]->frames + p->at[1]->frames;
	size_t at = b->n;

	while (at > 0 && b->pair[at - 1].at[0]->frames + b->pair[at - 1].at[1]->frames < frames)
		at--;
	if (b->n == PACE_CAPTURE_PAIR_FLOWS)
		b->left_out++;
	if (at == PACE_CAPTURE_PAIR_FLOWS)
		return;
	if (b->n < PACE_CAPTURE_PAIR_FLOWS)
		b->n++;
	memmove(&b->pair[at + 1], &b->pair[at], (b->n - at - 1) * sizeof(*p));
	b->pair[at] = *p;
}

/* Does the flow go against the busiest one? */
static bool
is_against(const struct pace_capture_pair *b, const struct pace_capture_pair_match *p)
{
	return memcmp(p->at[0]->key.dest, b->pair[0].at[0]->key.source, 16) == 0;
}

static void
find_pairs(struct pace_capture_pair *b)
{
	const struct pace_cap_table *t = b->side[0].table;

	for (size_t i = 0; i < t->flows; i++) {
		struct pace_capture_pair_match p =
		    { .at = { &t->flow[i], twin_of(b->side[1].table, &t->flow[i]) } };

		if (p.at[1] == NULL)
			continue;
		p.most = PACE_CAP_MATCH_BYTES;
		for (int k = 0; k < 2; k++)
			if (p.at[k]->least != 0 && p.at[k]->least < p.most)
				p.most = p.at[k]->least;
		keep_pair(b, &p);
	}
}

static int
begin_pair(struct pace_capture_pair *b, struct pace_capture_pair_match *p, struct pace_err *err)
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

/* --- the flows' frames, in the second and the third pass ----------------------- */

static struct pace_capture_pair_match *
pair_of(struct pace_capture_pair *b, const struct pace_capture_pair_side *s,
    const struct pace_cap_packet *packet)
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
	struct pace_capture_pair_side *s = ctx;
	const struct pace_cap_format *format;
	struct pace_cap_packet packet;
	struct pace_cap_mark m = { .has_seq = false };

	if (pace_cap_packet(&packet, s->link, f) != PACE_CAP_UDP)
		return;
	s->pair = pair_of(s->b, s, &packet);
	if (s->pair == NULL)
		return;
	format = s->pair->at[0]->format;	/* for both: the key uses what both have */
	if (format->mark == NULL || !format->mark(s->b->cfg.rule, &packet.datagram, &m))
		m = (struct pace_cap_mark){ .has_seq = false };
	s->key = pace_cap_match_key(&packet.datagram, &m, s->pair->most);
	s->came = (struct pace_cap_came){ now_ns, (uint32_t)packet.datagram.length,
	    packet.line_bytes };
}

/* --- the second pass: difference of the captures' stamps -------------------------------------- */

static void
take_sample(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_capture_pair_side *s = ctx;

	s->pair = NULL;
	take_again(s, f, now_ns);
	if (s->pair != NULL)
		pace_cap_sample_add(s->sample, (uint32_t)(s->pair - s->b->pair), s->key, now_ns);
	s->pair = NULL;
}

/* A flow against the busiest one appears later by the round-trip time, or earlier if it goes
 * to the first capture.  The alignment is put half way between both. */
static void
find_directions(struct pace_capture_pair *b, struct pace_cap_common *v, size_t n)
{
	size_t back = 0;	/* the busiest flow against the busiest one */
	int64_t more = 0;

	while (back < b->n && !is_against(b, &b->pair[back]))
		back++;
	if (back < b->n)
		(void)pace_cap_align_more(&b->align, v, n, (uint32_t)back, &more);
	for (size_t i = 0; i < b->n; i++)
		b->pair[i].backwards = is_against(b, &b->pair[i]) != (more > 0);
	for (size_t i = 0; i < b->align.n; i++)
		b->align.block[i].apart_ns += more / 2;
}

static int
align(struct pace_capture_pair *b, struct pace_err *err)
{
	struct pace_cap_common *v = calloc(PACE_CAP_SAMPLE, sizeof(*v));
	size_t n;

	if (v == NULL)
		return pace_fail(err, ENOMEM, "match");
	n = pace_cap_common(b->side[0].sample, b->side[1].sample, v);
	for (uint32_t i = 0; i < b->n && b->align.n == 0; i++)
		pace_cap_align(&b->align, v, n, i);
	if (b->align.n == 0) {
		const struct pace_cap_table *x = b->side[0].table, *y = b->side[1].table;
		const bool together = x->last_ns >= y->first_ns && y->last_ns >= x->first_ns;

		/* No frame was found in both captures.  If they overlap in time, their stamps
		 * are used as they are; otherwise the first frames are taken as simultaneous. */
		b->align.n = 1;
		b->align.block[0].apart_ns = together ? 0 : y->first_ns - x->first_ns;
	}
	find_directions(b, v, n);
	free(v);
	return 0;
}

/* --- the third pass: matching ------------------------------------------------------- */

/* Read until the next frame of a flow in both captures, or the end. */
static void
look_ahead(struct pace_capture_pair_side *s)
{
	struct pace_err err = { .code = 0 };

	while (s->pair == NULL && !s->ended)
		s->ended = pace_pcap_read(s->pass[2], 1, take_again, s, &err) < 0 &&
		    s->pair == NULL;
}

/* Match all frames in the order of the aligned stamps.  False: stop was requested. */
static bool
feed_all(struct pace_capture_pair *b)
{
	struct pace_capture_pair_side *x = &b->side[0], *y = &b->side[1], *s;
	struct pace_capture_pair_match *p;
	int64_t by_second;

	while (*b->stop == 0) {
		look_ahead(x);
		look_ahead(y);
		if (x->pair == NULL && y->pair == NULL)
			return true;
		/* The stamp of the first capture on the second's clock. */
		by_second = (int64_t)((uint64_t)x->came.t_ns +
		    (uint64_t)pace_cap_align_at(&b->align, x->came.t_ns));
		s = y->pair == NULL || (x->pair != NULL && by_second <= y->came.t_ns) ? x : y;
		p = s->pair;
		s->pair = NULL;
		if ((s == x) != p->backwards)
			pace_cap_match_sent(&p->match, s->key, s->came.t_ns);
		else
			pace_cap_match_received(&p->match, s->key, &s->came);
	}
	return false;
}

/* Do all work before the frames can be matched. */
static int
prepare(struct pace_capture_pair *b, const char *filter, struct pace_err *err)
{
	int rc = 0;

	for (int i = 0; i < 2 && rc == 0; i++) {
		rc = read_all(&b->side[i], 0, filter, take_first, err);
		if (rc == 0 && pace_cap_table_finish(b->side[i].table) < 0)
			rc = pace_fail(err, ENOMEM, "read");
	}
	if (rc < 0)
		return rc;
	snprintf(b->link, sizeof(b->link), "%s", pace_pcap_link_name(b->side[0].pass[0]));
	find_pairs(b);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = read_all(&b->side[i], 1, filter, take_sample, err);
	if (rc == 0)
		rc = align(b, err);
	pace_clockfit_reset(&b->fit);
	for (size_t i = 0; i < b->n && rc == 0; i++)
		rc = begin_pair(b, &b->pair[i], err);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = pace_pcap_begin(b->side[i].pass[2], filter, err);
	return rc;
}

int
pace_capture_pair_read(struct pace_capture_pair *b, const char *filter,
    const volatile sig_atomic_t *stop, struct pace_err *err)
{
	int rc;

	b->stop = stop;
	rc = prepare(b, filter, err);
	if (rc < 0)
		return rc;
	if (!feed_all(b))
		return pace_fail(err, EINTR, "match");
	for (size_t i = 0; i < b->n; i++)
		pace_cap_match_finish(&b->pair[i].match);
	(void)pace_clockfit_solve(&b->fit, b->side[0].table->fine && b->side[1].table->fine ? 1 :
	    1000, &b->theta);
	pace_cap_match_turn(&b->theta, &b->turned);
	*err = b->damage;
	return b->damage.code != 0;
}
