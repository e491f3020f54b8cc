#include "opt/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define LEN_MAX	40		/* longer texts are not typing mistakes */
#define LEN_ONE	4		/* least length with one mistake allowed */
#define LEN_TWO	8		/* least length with two */

static size_t
min2(size_t a, size_t b)
{
	return a < b ? a : b;
}

static int
lower(char c)
{
	return tolower((unsigned char)c);
}

/* Optimal string alignment: three rows of the usual table. */
static size_t
distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][LEN_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			now[j] = last[j - 1] + (same ? 0 : 1);
			now[j] = min2(now[j], min2(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				now[j] = min2(now[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

/* Users rarely mistype the first letter, unless the first two are swapped. */
static bool
same_start(const char *text, const char *name)
{
	return lower(text[0]) == lower(name[0]) ||
	    (text[0] != '\0' && lower(text[0]) == lower(name[1]) &&
	    lower(text[1]) == lower(name[0]));
}

void
pace_nearest_start(struct pace_nearest *n, const char *text, size_t len)
{
	*n = (struct pace_nearest){ .text = text, .len = len };
}

void
pace_nearest_try(struct pace_nearest *n, const char *name)
{
	size_t len = strlen(name), longer = len > n->len ? len : n->len;
	size_t edits;
	bool part = false;

	if (n->len == 0 || longer > LEN_MAX)
		return;
	edits = distance(n->text, n->len, name, len);
	if (edits > (longer >= LEN_TWO ? 2 : 1) || longer < LEN_ONE || !same_start(n->text, name))
		edits = longer;
	for (size_t at = 1; at + n->len <= len; at++)
		part |= strncasecmp(name + at, n->text, n->len) == 0;
	if (n->len > 1 && strncasecmp(name, n->text, n->len) == 0)
		edits = min2(edits, 1);
	else if (n->len > 2 && part)
		edits = min2(edits, 2);
	if (edits < longer && (n->best == NULL || edits < n->edits)) {
		n->best = name;
		n->edits = edits;
	}
}
