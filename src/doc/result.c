#include "doc/result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/sparse.h"

void
pace_rx_result_reset(struct pace_rx_result *r)
{
	pace_sparse_zero(r, sizeof(*r));
	r->linear.count = r->linear_counts;
}

int64_t
pace_clock_mid(const struct pace_clock *c)
{
	return c->from_ns + (c->to_ns - c->from_ns) / 2;
}

const char *const pace_verdict_names[] = { "paced", "degraded", "train" };
const char *const pace_direction_names[] = { "up", "down" };
const char *const pace_ecn_names[PACE_ECNS] = { "not-ect", "ect1", "ect0", "ce" };
const char *const pace_stagger_names[] = { "even", "random", "none" };
const char *const pace_engine_names[] = { "single", "segment", "sendmmsg" };
const char *const pace_catch_up_names[] = { "auto", "burst", "slip", "skip" };
const char *const pace_stamp_names[] = { NULL, "user", "kernel", "nic" };

const char *
pace_verdict_name(enum pace_verdict v)
{
	return pace_verdict_names[v];
}

const char *
pace_stamp_name(enum pace_stamp s)
{
	return s == PACE_STAMP_NONE ? "none" : pace_stamp_names[s];
}

void
pace_note(struct pace_notes *n, const char *code, const char *fmt, ...)
{
	char raw[2 * sizeof(n->v[0].text)];	/* cleaning only makes it shorter */
	va_list ap;

	for (int i = 0; i < n->n; i++)
		if (strcmp(n->v[i].code, code) == 0)
			return;
	if (n->n == PACE_NOTES)
		return;
	va_start(ap, fmt);
	if (vsnprintf(raw, sizeof(raw), fmt, ap) < 0)
		raw[0] = '\0';
	va_end(ap);
	pace_clean(n->v[n->n].code, sizeof(n->v[0].code), code, strlen(code));
	pace_clean(n->v[n->n].text, sizeof(n->v[0].text), raw, strlen(raw));
	n->n++;
}

const struct pace_counters *
pace_point_sender(const struct pace_point *p)
{
	return p->ask.direction == PACE_DOWN ? &p->theirs : &p->ours;
}

const struct pace_counters *
pace_point_receiver(const struct pace_point *p)
{
	return p->ask.direction == PACE_DOWN ? &p->ours : &p->theirs;
}

void
pace_point_notes(const struct pace_point *p, struct pace_notes *n)
{
	*n = p->notes;
	if (!p->has_rx && !p->ask.no_receiver)
		pace_note(n, "rx_missing",
		    "the responder's part of the result did not arrive");
}

void
pace_tx_reset_hists(struct pace_tx *tx)
{
	pace_hist_reset(&tx->gap);
	pace_hist_reset(&tx->gap_error);
	pace_hist_reset(&tx->stamped_gap_error);
	pace_hist_reset(&tx->stack);
}

static void
reset_hists(struct pace_point *p)
{
	pace_tx_reset_hists(&p->tx);
	pace_rx_result_reset(&p->rx);
	pace_wire_check_reset(&p->wire);
}

struct pace_point *
pace_point_new(void)
{
	struct pace_point *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	reset_hists(p);
	p->ask.train = p->ask.bursts = p->ask.streams = 1;
	return p;
}

static void
free_streams(struct pace_point *p)
{
	for (uint32_t i = 0; p->streams != NULL && i < p->ask.streams; i++)
		pace_point_free(p->streams[i]);
	free(p->streams);
	p->streams = NULL;
}

int
pace_point_add_stream(struct pace_point *p, uint32_t i)
{
	struct pace_point *one = pace_point_new();

	if (one == NULL)
		return -ENOMEM;
	one->ask = p->ask;
	one->ask.streams = 1;
	one->number = i + 1;
	p->streams[i] = one;
	return 0;
}

int
pace_point_split(struct pace_point *p)
{
	free_streams(p);
	p->streams = calloc(p->ask.streams, sizeof(struct pace_point *));
	for (uint32_t i = 0; p->streams != NULL && i < p->ask.streams; i++)
		if (pace_point_add_stream(p, i) != 0)
			free_streams(p);
	return p->streams != NULL ? 0 : -ENOMEM;
}

int
pace_point_pair(struct pace_point *p)
{
	pace_point_free(p->back);
	p->back = NULL;
	if (!p->ask.two_way || p->ask.direction == PACE_DOWN)
		return 0;
	p->back = pace_point_new();
	if (p->back == NULL)
		return -ENOMEM;
	p->back->ask = p->ask;
	p->back->ask.direction = PACE_DOWN;
	return 0;
}

static void *
copy_of(const void *v, size_t n, size_t size, bool *good)
{
	void *p = v != NULL && n > 0 ? calloc(n, size) : NULL;

	*good &= v == NULL || n == 0 || p != NULL;
	if (p != NULL)
		memcpy(p, v, n * size);
	return p;
}

static void
copy_counters(struct pace_counters *c, const struct pace_counters *from)
{
	bool good = true;

	pace_counters_free(c);
	*c = *from;
	c->core = copy_of(from->core, from->cores, sizeof(*c->core), &good);
	c->interface = copy_of(from->interface, from->interfaces, sizeof(*c->interface), &good);
	c->stat = copy_of(from->stat, from->stats, sizeof(*c->stat), &good);
	if (!good)
		pace_counters_free(c);	/* nothing is known of them */
}

void
pace_point_pair_counters(struct pace_point *p)
{
	copy_counters(&p->back->ours, &p->ours);
	copy_counters(&p->back->theirs, &p->theirs);
}

static void
free_parts(struct pace_point *p)
{
	free_streams(p);
	pace_point_free(p->back);
	pace_counters_free(&p->ours);
	pace_counters_free(&p->theirs);
	free(p->intervals);
}

void
pace_point_clear(struct pace_point *p)
{
	free_parts(p);
	memset(p, 0, sizeof(*p));
	reset_hists(p);
}

void
pace_point_free(struct pace_point *p)
{
	if (p == NULL)
		return;
	free_parts(p);
	free(p);
}
