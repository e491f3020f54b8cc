#include "config.h"

#include "report/mesh.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- hosts and documents -------------------------------------------------------------- */

/* Opening a FIFO would wait for its writer. */
static int
is_document(const struct dirent *e)
{
	const size_t len = strlen(e->d_name);

	return (e->d_type == DT_REG || e->d_type == DT_LNK || e->d_type == DT_UNKNOWN) &&
	    e->d_name[0] != '.' && len > 5 && strcmp(e->d_name + len - 5, ".json") == 0;
}

static int
is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void
free_list(struct dirent **v, int n)
{
	for (int i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

/* Call fn for each document of each folder below, until it returns another value than 0. */
static int
walk(const char *folder, int (*fn)(void *ctx, const char *from, const char *file), void *ctx)
{
	struct dirent **from, **to;
	char path[PATH_MAX];
	int n = scandir(folder, &from, is_visible, versionsort), rc = n < 0 ? -errno : 0;

	for (int i = 0; i < n && rc == 0; i++) {
		int k;

		if (snprintf(path, sizeof(path), "%s/%s", folder, from[i]->d_name) >=
		    (int)sizeof(path))
			continue;
		k = scandir(path, &to, is_document, versionsort);
		for (int j = 0; j < k && rc == 0; j++)
			rc = fn(ctx, from[i]->d_name, to[j]->d_name);
		if (k >= 0)
			free_list(to, k);
	}
	if (n >= 0)
		free_list(from, n);
	return rc;
}

static int
found(void *ctx, const char *from, const char *file)
{
	(void)ctx; (void)from; (void)file;
	return 1;
}

bool
pace_mesh_is(const char *folder)
{
	struct dirent **own;
	int n = scandir(folder, &own, is_document, NULL);

	if (n >= 0)
		free_list(own, n);
	return n == 0 && walk(folder, found, NULL) == 1;
}

static int
by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The host of a document's name: TO of TO.json. */
static char *
host_of(const char *file, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)strlen(file) - 5, file);
	return buf;
}

/* Return the number of the host; n: unknown. */
static size_t
find(const struct pace_mesh *m, const char *name)
{
	char *const *at = m->n == 0 ? NULL :
	    bsearch(&name, m->name, m->n, sizeof(*m->name), by_version);

	return at != NULL ? (size_t)(at - m->name) : m->n;
}

static int
add_host(struct pace_mesh *m, const char *name)
{
	if (find(m, name) < m->n)
		return 0;
	if (m->n == PACE_MESH_HOSTS)
		return -E2BIG;
	m->name[m->n] = strdup(name);
	m->shown[m->n] = malloc(NAME_MAX + 1);
	m->n++;
	if (m->name[m->n - 1] == NULL || m->shown[m->n - 1] == NULL)
		return -ENOMEM;
	qsort(m->name, m->n, sizeof(*m->name), by_version);
	return 0;
}

static int
add_hosts(void *ctx, const char *from, const char *file)
{
	struct pace_mesh *m = ctx;
	char to[NAME_MAX + 1];
	int rc = add_host(m, from);

	return rc == 0 ? add_host(m, host_of(file, to, sizeof(to))) : rc;
}

int
pace_mesh_scan(struct pace_mesh *m, const char *folder)
{
	int rc = -ENOMEM;

	memset(m, 0, sizeof(*m));
	m->folder = strdup(folder);
	m->name = calloc(PACE_MESH_HOSTS, sizeof(*m->name));
	m->shown = calloc(PACE_MESH_HOSTS, sizeof(*m->shown));
	if (m->folder != NULL && m->name != NULL && m->shown != NULL)
		rc = walk(folder, add_hosts, m);
	if (rc == 0) {
		m->pair = calloc(m->n * m->n + 1, sizeof(*m->pair));
		rc = m->pair == NULL ? -ENOMEM : 0;
	}
	for (size_t i = 0; i < m->n && rc == 0; i++)
		pace_clean(m->shown[i], NAME_MAX + 1, m->name[i], strlen(m->name[i]));
	for (size_t i = 0; i < m->n * m->n && rc == 0; i++)
		for (int k = 0; k < PACE_MESH_MEASURES; k++)
			m->pair[i].v[k] = NAN;
	return rc;
}

void
pace_mesh_free(struct pace_mesh *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->name[i]);
		free(m->shown[i]);
	}
	free(m->name);
	free(m->shown);
	free(m->folder);
	free(m->pair);
	free(m->finding);
	memset(m, 0, sizeof(*m));
}

/* --- the numbers of a pair ------------------------------------------------------------- */

static void
raise_to(double *v, double other)
{
	if (!isnan(other) && !(*v >= other))
		*v = other;
}

/* The wall clock of TO minus that of FROM, of the estimate with the least error. */
static void
take_clock(struct pace_mesh_pair *p, const struct pace_clock *c, bool down)
{
	if (c->exchanges == 0 || c->fit.segments == 0 || p->error_ns <= c->fit.uncertainty_ns)
		return;
	p->error_ns = c->fit.uncertainty_ns;
	p->v[PACE_MESH_OFFSET] = (double)c->wall_offset_ns * (down ? -1 : 1);
}

static void
take_stream(struct pace_mesh_pair *p, const struct pace_stream_point *l, double *lost)
{
	take_clock(p, &l->clock, l->ask.direction == PACE_DOWN);
	if (!l->has_rx)
		return;
	p->state = PACE_MESH_MEASURED;
	p->frames += (double)l->tx.frames;
	*lost += (double)l->rx.lost;
	if (l->rx.lost == 0 && l->rx.wire_rate_bps > 0 && l->verdict != PACE_DEGRADED)
		raise_to(&p->v[PACE_MESH_RATE], l->rx.wire_rate_bps);
	if (l->rx.has_owd && !l->owd_relative)
		raise_to(&p->v[PACE_MESH_DELAY], pace_bins_quantile(&l->rx.owd, 0.99));
}

static void
take_trip(struct pace_mesh_pair *p, const struct pace_rtt_point *t, double *lost)
{
	p->state = PACE_MESH_MEASURED;
	p->frames += (double)t->sent;
	*lost += (double)t->timeouts;
	raise_to(&p->v[PACE_MESH_RTT], pace_bins_quantile(&t->rtt, 0.99));
}

static void
take_tcp(struct pace_mesh_pair *p, const struct pace_tcp_way *w)
{
	p->state = PACE_MESH_MEASURED;
	if (w->known && w->sums.goodput_bps > 0)
		raise_to(&p->v[PACE_MESH_GOODPUT], w->sums.goodput_bps);
}

static void
take_run(struct pace_mesh_pair *p, const struct pace_run *r)
{
	const json_t *capacity = json_object_get(r->extra, "capacity");
	double lost = 0;

	p->state = PACE_MESH_FAILED;
	p->error_ns = INFINITY;
	snprintf(p->why, sizeof(p->why), "%.*s", (int)sizeof(p->why) - 1,
	    r->failures > 0 ? r->failed[0].reason : "no point was measured");
	for (size_t i = 0; i < r->n && !r->seen; i++)
		take_stream(p, &r->point[i], &lost);
	for (size_t i = 0; i < r->trips; i++)
		take_trip(p, &r->trip[i], &lost);
	for (size_t i = 0; i < r->tcps; i++)
		take_tcp(p, &r->tcp[i]->way[r->tcp_down]);
	for (size_t i = 0; i < r->clocks; i++) {
		p->state = PACE_MESH_MEASURED;
		take_clock(p, &r->clock[i], false);
	}
	if (capacity != NULL) {
		const json_t *rate = json_object_get(json_object_get(capacity, "found"),
		    "wire_rate_bps");

		p->v[PACE_MESH_RATE] = json_is_number(rate) ? json_number_value(rate) : NAN;
		p->v[PACE_MESH_DELAY] = NAN;
	} else if (p->frames > 0) {
		p->v[PACE_MESH_LOSS] = lost / p->frames;
	}
	if (isinf(p->error_ns))
		p->error_ns = NAN;
}

struct mesh_reading {
	struct pace_mesh *m;
	const struct pace_mesh_reader *r;
};

static int
read_one(void *ctx, const char *from, const char *file)
{
	struct mesh_reading *g = ctx;
	struct pace_mesh *m = g->m;
	struct pace_report_data b = { .n = 0 };
	struct pace_err err = { .code = 0 };
	char path[PATH_MAX], to[NAME_MAX + 1];
	const size_t i = find(m, from), k = find(m, host_of(file, to, sizeof(to)));
	struct pace_mesh_pair *p;
	int rc = 0;

	/* hosts that came after the scan; and a host to itself is no pair */
	if (i >= m->n || k >= m->n || i == k || snprintf(path, sizeof(path), "%s/%s/%s",
	    m->folder, from, file) >= (int)sizeof(path))
		return 0;
	p = &m->pair[i * m->n + k];
	if (pace_report_data_add(&b, path, &err) != 0) {
		p->state = PACE_MESH_FAILED;
		snprintf(p->why, sizeof(p->why), "the document cannot be read");
		g->r->bad(g->r->ctx, pace_err_why(&err));
	} else {
		const char *started = b.run[0]->head.r.started;

		p->read = true;
		take_run(p, b.run[0]);
		if (m->first[0] == '\0' || strncmp(started, m->first, 19) < 0)
			snprintf(m->first, sizeof(m->first), "%.19s", started);
		if (strncmp(started, m->last, 19) > 0)
			snprintf(m->last, sizeof(m->last), "%.19s", started);
		rc = g->r->each(g->r->ctx, i, k, &b);
	}
	pace_report_data_free(&b);
	return rc;
}

int
pace_mesh_read(struct pace_mesh *m, const struct pace_mesh_reader *r)
{
	struct mesh_reading g = { m, r };

	return walk(m->folder, read_one, &g);
}

bool
pace_mesh_has(const struct pace_mesh *m, enum pace_mesh_measure what)
{
	for (size_t i = 0; i < m->n * m->n; i++)
		if (!isnan(m->pair[i].v[what]))
			return true;
	return false;
}

size_t
pace_mesh_count(const struct pace_mesh *m, enum pace_mesh_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n * m->n; i++)
		n += i / m->n != i % m->n && m->pair[i].state == state;
	return n;
}

/* --- CSV ------------------------------------------------------------------------------- */

static void
put_cell(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putc('"', f);
		putc(*text, f);
	}
	putc('"', f);
}

int
pace_mesh_csv(FILE *f, const struct pace_mesh *m)
{
	static const char *const states[] = { "missing", "failed", "measured" };

	errno = 0;
	fputs("from,to,state,rate_bps,loss_ratio,owd_p99_ns,rtt_p99_ns,goodput_bps,"
	    "offset_ns,offset_error_ns,frames\n", f);
	for (size_t i = 0; i < m->n * m->n; i++) {
		const struct pace_mesh_pair *p = &m->pair[i];

		if (i / m->n == i % m->n)
			continue;
		put_cell(f, m->shown[i / m->n]);
		putc(',', f);
		put_cell(f, m->shown[i % m->n]);
		fprintf(f, ",%s", states[p->state]);
		for (int k = 0; k < PACE_MESH_MEASURES; k++) {
			if (isnan(p->v[k]))
				putc(',', f);
			else
				fprintf(f, k == PACE_MESH_LOSS ? ",%.9g" : ",%.0f", p->v[k]);
		}
		if (p->state != PACE_MESH_MEASURED || isnan(p->error_ns))
			putc(',', f);
		else
			fprintf(f, ",%.0f", p->error_ns);
		fprintf(f, ",%.0f\n", p->frames);
	}
	if (fflush(f) == 0 && !ferror(f))
		return 0;
	return errno != 0 ? -errno : -EIO;
}
