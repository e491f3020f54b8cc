#include "config.h"

#include "report/mesh_html.h"

#include <errno.h>
#include <math.h>

#include "report/markup.h"

#define RANKED	200	/* pairs in the table of bad pairs; the CSV has all */

char *
pace_mesh_page(size_t from, size_t to, char *buf, size_t size)
{
	snprintf(buf, size, "pairs/%zu-%zu.html", from + 1, to + 1);
	return buf;
}

static void
put_title(FILE *f, const struct pace_page *p)
{
	fprintf(f, "udpace report: mesh of %zu hosts", p->mesh->n);
}

static void
put_counts(FILE *f, const struct pace_mesh *m)
{
	const size_t missing = pace_mesh_count(m, PACE_MESH_NONE);
	const size_t failed = pace_mesh_count(m, PACE_MESH_FAILED);

	fprintf(f, "<p class=\"who\">%zu of %zu ordered pairs measured", pace_mesh_count(m,
	    PACE_MESH_MEASURED), m->n * (m->n - 1));
	if (failed > 0)
		fprintf(f, ", %zu failed", failed);
	if (missing > 0)
		fprintf(f, ", %zu without a document", missing);
	if (m->first[0] != '\0') {
		fputs("; first run ", f);
		pace_html_text(f, m->first);
		fputs(", last run ", f);
		pace_html_text(f, m->last);
		fputs(" UTC", f);
	}
	fputs(". <a href=\"matrix.csv\">matrix.csv</a> has all numbers.</p>\n", f);
}

/* A name with a link to the pair's page, if there is one. */
static void
put_pair(FILE *f, const struct pace_mesh *m, size_t from, size_t to)
{
	const bool read = m->pair[from * m->n + to].read;
	char page[64];

	fputs("<td>", f);
	if (read)
		fprintf(f, "<a href=\"%s\">", pace_mesh_page(from, to, page, sizeof(page)));
	pace_html_text(f, m->shown[from]);
	fputs(" to ", f);
	pace_html_text(f, m->shown[to]);
	fputs(read ? "</a></td>" : "</td>", f);
}

static void
put_hosts(FILE *f, const struct pace_mesh *m)
{
	char text[1024];
	size_t n = 0;

	for (; n < m->findings && m->finding[n].kind != PACE_MESH_PAIR; n++) {
		if (n == 0)
			fputs("<ul class=\"first\">\n", f);
		fputs("<li>", f);
		pace_html_text(f, pace_mesh_sentence(m, &m->finding[n], text, sizeof(text)));
		fputs(".</li>\n", f);
	}
	fputs(n > 0 ? "</ul>\n" : m->n < 4 ? "<p>Fewer than 4 hosts cannot be judged.</p>\n" :
	    !m->judged ? "<p>Too few pairs were measured to compare hosts.</p>\n" :
	    "<p>No host differs from the others as a sender or as a receiver.</p>\n", f);
}

static void
put_bad_pairs(FILE *f, const struct pace_mesh *m)
{
	char value[64], usual[64];
	size_t first = 0, rank = 0;

	while (first < m->findings && m->finding[first].kind != PACE_MESH_PAIR)
		first++;
	if (first == m->findings) {
		if (m->judged)
			fputs("<p>No pair is worse than its two hosts explain.</p>\n", f);
		return;
	}
	fputs("<h2>Bad pairs</h2>\n<table class=\"words\"><tr><th>Rank</th><th>Pair</th>"
	    "<th>What</th><th>Value</th><th>Explained by its hosts</th><th>Excess ÷ limit</th>"
	    "</tr>\n", f);
	for (size_t i = first; i < m->findings && rank < RANKED; i++) {
		const struct pace_mesh_finding *d = &m->finding[i];
		const bool failed = d->measure == PACE_MESH_MEASURES;

		fprintf(f, "<tr><td>%zu</td>", ++rank);
		put_pair(f, m, d->from, d->to);
		pace_cell_words(f, failed ? "failed" : pace_mesh_title[d->measure]);
		pace_cell_words(f, failed ? m->pair[d->from * m->n + d->to].why :
		    pace_mesh_say(d->measure, d->value, value, sizeof(value)));
		pace_cell_words(f, failed ? "–" :
		    pace_mesh_say(d->measure, d->usual, usual, sizeof(usual)));
		pace_cell_number(f, failed ? NAN : d->score, 3);
		fputs("</tr>\n", f);
	}
	fputs("</table>\n", f);
	if (m->findings - first > RANKED)
		fprintf(f, "<p>The first %d of %zu.</p>\n", RANKED, m->findings - first);
}

/* The numbers of a pair, in the cell's tooltip. */
static void
put_tip(FILE *f, const struct pace_mesh *m, size_t i)
{
	char text[64];

	pace_html_text(f, m->shown[i / m->n]);
	fputs(" to ", f);
	pace_html_text(f, m->shown[i % m->n]);
	for (int k = 0; k < PACE_MESH_MEASURES; k++)
		if (!isnan(m->pair[i].v[k]))
			fprintf(f, "; %s %s", pace_mesh_title[k],
			    pace_mesh_say((enum pace_mesh_measure)k, m->pair[i].v[k], text,
			    sizeof(text)));
}

static void
put_all_pairs(FILE *f, const struct pace_mesh *m)
{
	char page[64];

	fputs("<h2>All pairs</h2>\n<p>Each cell is a link to the page of a pair, with its numbers "
	    "as a tooltip: ▪ measured, ● bad, × failed, – no document.</p>\n"
	    "<div class=\"wide\"><table class=\"data\"><tr><th>from \\ to</th>", f);
	for (size_t k = 0; k < m->n; k++) {
		fputs("<th title=\"", f);
		pace_html_text(f, m->shown[k]);
		fprintf(f, "\">%zu</th>", k + 1);
	}
	fputs("</tr>\n", f);
	for (size_t i = 0; i < m->n * m->n; i++) {
		const size_t from = i / m->n, to = i % m->n;
		const struct pace_mesh_pair *p = &m->pair[i];

		if (to == 0) {
			fprintf(f, "<tr><td>%zu ", from + 1);
			pace_html_text(f, m->shown[from]);
			fputs("</td>", f);
		}
		if (p->read) {
			fprintf(f, "<td><a href=\"%s\" title=\"", pace_mesh_page(from, to, page,
			    sizeof(page)));
			put_tip(f, m, i);
			fprintf(f, "\">%s</a></td>", p->state == PACE_MESH_FAILED ?
			    "×" : p->bad != 0 ? "●" : "▪");
		} else {
			pace_cell_words(f, from == to ? "" :
			    p->state == PACE_MESH_FAILED ? "×" : "–");
		}
		if (to == m->n - 1)
			fputs("</tr>\n", f);
	}
	fputs("</table></div>\n", f);
}

int
pace_mesh_html(FILE *f, const struct pace_page *p)
{
	errno = 0;
	pace_html_begin(f, p, put_title);
	put_counts(f, p->mesh);
	put_hosts(f, p->mesh);
	put_bad_pairs(f, p->mesh);
	for (size_t i = 0; i < p->n; i++)
		pace_html_figure(f, p, &p->plate[i]);
	put_all_pairs(f, p->mesh);
	return pace_html_end(f, "Every figure has its data and the gnuplot script that drew it "
	    "beside this file.");
}
