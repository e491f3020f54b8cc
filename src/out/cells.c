#include "out/cells.h"

#include <math.h>

#include "out/say.h"

void
pace_cell_real(FILE *f, double v, int decimals)
{
	char text[340];

	if (isfinite(v))
		fputs(pace_fixed(v, decimals, text, sizeof(text)), f);
}

void
pace_cell_codes(FILE *f, const struct pace_notes *n)
{
	for (int i = 0; i < n->n; i++) {
		if (i > 0)
			fputc(' ', f);
		for (const char *s = n->v[i].code; *s != '\0'; s++)
			fputc(*s == ',' || *s == '"' || *s == ' ' ? '?' : *s, f);
	}
}

static void
put_hist(FILE *f, const struct pace_hist *h, enum pace_cell cell, double q)
{
	const struct pace_stats *t = &h->stats;

	if (cell == PACE_CELL_N)
		fprintf(f, "%llu", (unsigned long long)t->n);
	else if (cell == PACE_CELL_QUANTILE && pace_hist_has_quantile(t->n, q))
		fprintf(f, "%lld", (long long)pace_hist_quantile(h, q));
	else if (cell == PACE_CELL_QUANTILE || t->n == 0)
		return;
	else if (cell == PACE_CELL_MIN || cell == PACE_CELL_MAX)
		fprintf(f, "%lld", (long long)(cell == PACE_CELL_MIN ? t->min : t->max));
	else
		pace_cell_real(f, cell == PACE_CELL_MEAN ? pace_stats_mean(t) :
		    pace_stats_stddev(t), 3);
}

static void
put_cell(FILE *f, const struct pace_csv_column *c, const void *member)
{
	switch (c->cell) {
	case PACE_CELL_OWN:
		c->put(f, member, c);
		break;
	case PACE_CELL_COUNT:
		fprintf(f, "%llu", (unsigned long long)*(const uint64_t *)member);
		break;
	case PACE_CELL_U32:
		fprintf(f, "%lu", (unsigned long)*(const uint32_t *)member);
		break;
	case PACE_CELL_FLAG:
		fputc(*(const bool *)member ? '1' : '0', f);
		break;
	case PACE_CELL_INTEGER:
	case PACE_CELL_POSITIVE:
		if (c->cell == PACE_CELL_INTEGER || *(const int64_t *)member > 0)
			fprintf(f, "%lld", (long long)*(const int64_t *)member);
		break;
	case PACE_CELL_REAL:
	case PACE_CELL_RATE:
		if (c->cell == PACE_CELL_REAL || *(const double *)member > 0)
			pace_cell_real(f, *(const double *)member, (int)c->q);
		break;
	case PACE_CELL_TEXT:
		fputs(member, f);
		break;
	case PACE_CELL_DIRECTION:
		fputs(pace_direction_names[*(const enum pace_direction *)member], f);
		break;
	case PACE_CELL_VERDICT:
		fputs(pace_verdict_name(*(const enum pace_verdict *)member), f);
		break;
	case PACE_CELL_CODES:
		pace_cell_codes(f, member);
		break;
	default:
		put_hist(f, member, c->cell, c->q);
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
pace_cells_row(FILE *f, const struct pace_csv_column *v, size_t n, const void *point)
{
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputc(',', f);
		if (v[i].known == NULL || v[i].known(point))
			put_cell(f, &v[i], (const char *)point + v[i].at);
	}
	return end_line(f);
}

/* Return whether name is one of the comma-separated names. */
static bool
is_one_of(const char *name, size_t len, const char *names)
{
	for (size_t n; *names != '\0'; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		if (n == len && strncmp(names, name, len) == 0)
			return true;
	}
	return false;
}

void
pace_csv_pick(FILE *f, const char *head, const char *line, const char *names, char separator)
{
	for (bool first = true; *head != '\0' && *line != '\0';) {
		size_t h = strcspn(head, ",\n"), n = strcspn(line, ",\n");

		if (names == NULL || is_one_of(head, h, names)) {
			if (!first)
				fputc(separator, f);
			fprintf(f, "%.*s", (int)n, line);
			first = false;
		}
		head += h + (head[h] != '\0');
		line += n + (line[n] != '\0');
	}
	fputc('\n', f);
}
