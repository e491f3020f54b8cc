#include "config.h"

#include "report/group.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "doc/intervals.h"
#include "report/value.h"

/* --- who began together ----------------------------------------------------------------- */

static int
by_begin(const void *a, const void *b)
{
	const struct pace_group_member *x = a, *y = b;
	const struct pace_begin *p = &x->point->begin, *q = &y->point->begin;
	const int name = strcmp(p->group, q->group);

	if (name != 0)
		return name;
	if (p->begin_ns != q->begin_ns)
		return p->begin_ns < q->begin_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool
is_together(const struct pace_group_member *a, const struct pace_group_member *b)
{
	return a->point->begin.begin_ns == b->point->begin.begin_ns &&
	    strcmp(a->point->begin.group, b->point->begin.group) == 0;
}

/* Is this document among the n members?  A point of a document has a begin of its own. */
static bool
is_member(const struct pace_group_member *v, size_t n, const struct pace_group_member *m)
{
	const struct pace_result *r = &m->run->head.r;

	for (size_t i = 0; i < n; i++)
		if (v[i].run == m->run || (strcmp(v[i].run->head.r.started, r->started) == 0 &&
		    strcmp(v[i].run->head.r.host, r->host) == 0))
			return true;
	return false;
}

/* Name members by hosts if these differ, else by files. */
static void
name_members(struct pace_group *g)
{
	bool differ = true;

	for (size_t i = 0; i < g->n && differ; i++) {
		differ = g->member[i].run->head.r.host[0] != '\0';
		for (size_t k = 0; k < i && differ; k++)
			differ = strcmp(g->member[i].run->head.r.host,
			    g->member[k].run->head.r.host) != 0;
	}
	for (size_t i = 0; i < g->n; i++)
		g->member[i].name = differ ? g->member[i].run->head.r.host :
		    g->member[i].run->name;
}

static double
member_loss(const struct pace_group_member *m)
{
	return pace_value(m->point, PACE_LOSS);
}

/* Add a member's counts to the sums. */
static void
add_counts(struct pace_group *g, size_t i)
{
	static const enum pace_place before[] = { PACE_TX_QDISC, PACE_TX_NIC, PACE_NETWORK };
	const struct pace_stream_point *l = g->member[i].point;
	const double loss = member_loss(&g->member[i]);
	const double most = member_loss(&g->member[g->worst]);

	if (!l->has_rx)
		return;
	if (g->answered++ > 0)
		g->differ |= loss != most;
	if (g->answered == 1 || loss > most)
		g->worst = i;
	g->sent_bps += l->tx.wire_rate_bps;
	g->received_bps += l->rx.wire_rate_bps;
	g->sent += l->tx.frames;
	g->lost += l->rx.lost;
	for (size_t k = 0; k < sizeof(before) / sizeof(before[0]); k++) {
		const struct pace_share *s = &l->ledger.place[before[k]];

		g->before.n += s->n;
		g->before.low += s->low;
		g->before.high += s->high;
	}
}

static void
close_group(struct pace_group *g)
{
	g->name = g->member[0].point->begin.group;
	g->begin_ns = g->member[0].point->begin.begin_ns;
	name_members(g);
	for (size_t i = 0; i < g->n; i++) {
		if (g->member[i].point->begin.members > g->stated)
			g->stated = g->member[i].point->begin.members;
		add_counts(g, i);
	}
	if (g->before.high > g->lost)
		g->before.high = g->lost;
}

/* Return all points with a group, malloced. */
static struct pace_group_member *
gather_points(const struct pace_report_data *b, size_t *n)
{
	struct pace_group_member *v;
	size_t all = 0;

	for (size_t i = 0; i < b->n; i++)
		all += b->run[i]->n;
	v = calloc(all + 1, sizeof(*v));
	*n = 0;
	for (size_t i = 0; v != NULL && i < b->n; i++)
		for (size_t k = 0; k < b->run[i]->n; k++) {
			const struct pace_stream_point *l = &b->run[i]->point[k];

			if (l->begin.group[0] == '\0')
				continue;
			v[*n] = (struct pace_group_member){ b->run[i], l, NULL, *n };
			(*n)++;
		}
	return v;
}

int
pace_groups_find(struct pace_groups *g, const struct pace_report_data *b)
{
	struct pace_group_member *v;
	size_t n;

	memset(g, 0, sizeof(*g));
	g->member = v = gather_points(b, &n);
	g->v = v != NULL ? calloc(n / 2 + 1, sizeof(*g->v)) : NULL;
	if (g->v == NULL) {
		pace_groups_free(g);
		return -ENOMEM;
	}
	qsort(v, n, sizeof(*v), by_begin);
	for (size_t i = 0, end; i < n; i = end) {
		struct pace_group *to = &g->v[g->n];
		size_t found = 0;

		for (end = i; end < n && is_together(&v[i], &v[end]); end++)
			if (!is_member(&v[i], found, &v[end]))
				v[i + found++] = v[end];
		if (found < 2)
			continue;
		*to = (struct pace_group){ .n = found, .member = &v[i] };
		close_group(to);
		g->n++;
	}
	return 0;
}

void
pace_groups_free(struct pace_groups *g)
{
	free(g->v);
	free(g->member);
	memset(g, 0, sizeof(*g));
}

/* --- the sentence -------------------------------------------------------------------------- */

/* Return the rate of the responder's interface, the same in all documents; 0: not known. */
static double
port_bps(const struct pace_group *g)
{
	const struct pace_host *first = &g->member[0].run->head.r.responder;
	int64_t mbps = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct pace_result *r = &g->member[i].run->head.r;

		if (!r->has_responder || strcmp(r->responder.interface, first->interface) != 0 ||
		    !pace_host_knows(&r->responder, PACE_FACT_SPEED_MBPS, &mbps) ||
		    mbps != first->fact[PACE_FACT_SPEED_MBPS] || mbps <= 0)
			return 0;
	}
	return (double)mbps * 1e6;
}

static void
put_losses(FILE *f, const struct pace_group *g)
{
	const struct pace_share *s = &g->before;
	const double one = g->sent > 0 ? 1 / (double)g->sent : 0;
	char text[3][32];

	if (g->lost == 0) {
		fputs(", no frame is lost", f);
		return;
	}
	if (s->n > 0)
		fprintf(f, ", %s lost before the host", pace_print(PACE_UNIT_RATIO,
		    (double)s->n * one, text[0], sizeof(text[0])));
	if (g->lost > s->n)
		fprintf(f, ", %s lost in the host", pace_print(PACE_UNIT_RATIO,
		    (double)(g->lost - s->n) * one, text[0], sizeof(text[0])));
	if (s->low < s->high)
		fprintf(f, " (before it: %s to %s)", pace_print(PACE_UNIT_RATIO,
		    (double)s->low * one, text[1], sizeof(text[1])), pace_print(PACE_UNIT_RATIO,
		    (double)s->high * one, text[2], sizeof(text[2])));
	if (g->differ)
		fprintf(f, ", %s loses most (%s)", g->member[g->worst].name,
		    pace_print(PACE_UNIT_RATIO, member_loss(&g->member[g->worst]),
		    text[0], sizeof(text[0])));
}

char *
pace_group_say(const struct pace_group *g, char *buf, size_t size)
{
	FILE *f = fmemopen(buf, size, "w");
	const double port = port_bps(g);
	char text[2][32];

	buf[0] = '\0';
	if (f == NULL)
		return buf;
	fprintf(f, "%zu senders %s%s", g->n, port > 0 ? "into one port of " : "to ",
	    g->member[0].run->head.r.target);
	if (port > 0)
		fprintf(f, " (%s)", pace_print(PACE_UNIT_BPS, port, text[0], sizeof(text[0])));
	fputs(": ", f);
	if (g->answered > 0) {
		fprintf(f, "%s of %s sent arrive", pace_print(PACE_UNIT_BPS, g->received_bps,
		    text[0], sizeof(text[0])), pace_print(PACE_UNIT_BPS, g->sent_bps, text[1],
		    sizeof(text[1])));
		put_losses(f, g);
	} else {
		fputs("nothing is known of what arrived", f);
	}
	if (g->answered > 0 && g->answered < g->n)
		fprintf(f, "; %zu without the receiver's counts", g->n - g->answered);
	if (g->stated > g->n)
		fprintf(f, "; %zu of %u members have no document here", g->stated - g->n,
		    g->stated);
	fclose(f);
	buf[size - 1] = '\0';
	return buf;
}

/* --- what there is ---------------------------------------------------------------------------- */

static bool
has_records(const struct pace_group_member *m)
{
	const struct pace_record_file *f = m->run->records;

	for (size_t i = 0; f != NULL && i < f->n; i++)
		if (f->runs[i].point == m->point->index && f->runs[i].n > 0 &&
		    !f->runs[i].lost_only && f->runs[i].skip == 0)
			return true;
	return false;
}

bool
pace_group_has_records(const struct pace_group *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += has_records(&g->member[i]);
	return n >= 2;
}

bool
pace_group_has_intervals(const struct pace_group *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		n += g->member[i].point->intervals != NULL && g->member[i].point->intervals->n > 1;
	return n >= 2;
}
