#include "out/cells.h"

#include <math.h>

#include "out/say.h"

void
pace_cell_count(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%llu", (unsigned long long)*(const uint64_t *)member);
}

void
pace_cell_u32(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%lu", (unsigned long)*(const uint32_t *)member);
}

void
pace_cell_flag(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputc(*(const bool *)member ? '1' : '0', f);
}

void
pace_cell_integer(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fprintf(f, "%lld", (long long)*(const int64_t *)member);
}

void
pace_cell_positive(FILE *f, const void *member, const struct pace_csv_column *c)
{
	if (*(const int64_t *)member > 0)
		pace_cell_integer(f, member, c);
}

void
pace_cell_real(FILE *f, double v, int decimals)
{
	char text[340];

	if (isfinite(v))
		fputs(pace_fixed(v, decimals, text, sizeof(text)), f);
}

void
pace_cell_verdict(FILE *f, const void *member, const struct pace_csv_column *c)
{
	(void)c;
	fputs(pace_verdict_name(*(const enum pace_verdict *)member), f);
}

void
pace_cell_hist_count(FILE *f, const void *member, const struct pace_csv_column *c)
{
	pace_cell_count(f, &((const struct pace_hist *)member)->stats.n, c);
}

void
pace_cell_hist_min(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_hist *h = member;

	if (h->stats.n > 0)
		pace_cell_integer(f, &h->stats.min, c);
}

void
pace_cell_hist_max(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_hist *h = member;

	if (h->stats.n > 0)
		pace_cell_integer(f, &h->stats.max, c);
}

void
pace_cell_hist_mean(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_hist *h = member;

	(void)c;
	if (h->stats.n > 0)
		pace_cell_real(f, pace_stats_mean(&h->stats), 3);
}

void
pace_cell_hist_stddev(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_hist *h = member;

	(void)c;
	if (h->stats.n > 0)
		pace_cell_real(f, pace_stats_stddev(&h->stats), 3);
}

void
pace_cell_hist_quantile(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_hist *h = member;

	if (pace_hist_has_quantile(h->stats.n, c->q))
		fprintf(f, "%lld", (long long)pace_hist_quantile(h, c->q));
}

/* Codes may have been read from a file: what would need quoting becomes '?'. */
void
pace_cell_codes(FILE *f, const void *member, const struct pace_csv_column *c)
{
	const struct pace_notes *n = member;

	(void)c;
	for (int i = 0; i < n->n; i++) {
		if (i > 0)
			fputc(' ', f);
		for (const char *s = n->v[i].code; *s != '\0'; s++)
			fputc(*s == ',' || *s == '"' || *s == ' ' ? '?' : *s, f);
	}
}

static int
end_line(FILE *f)
{
	const struct pace_say s = { f, true };

	fputc('\n', f);
	return pace_say_end(&s);
}

int
pace_cells_head(FILE *f, const struct pace_csv_column *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%s%s%s", i > 0 ? "," : "", v[i].name,
		    v[i].unit[0] != '\0' ? "_" : "", v[i].unit);
	return end_line(f);
}

int
pace_cells_row(FILE *f, const struct pace_csv_column *v, size_t n, const void *point, bool has_rx)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputc(',', f);
		if (!v[i].rx || has_rx)
			v[i].put(f, (const char *)point + v[i].at, &v[i]);
	}
	return end_line(f);
}
