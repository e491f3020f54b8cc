/*
 * glyph.h - make text from the network safe for a terminal.
 *
 * Purpose    no text can move the cursor, change its direction or occupy more cells
 *            than we count: characters that could do so become '?'.
 * Width      1 or 2 cells, from tables in glyph.c, not from the locale's.
 * ASCII      without UTF-8, common characters get a similar one, others become '?'.
 */
#ifndef PACE_OUT_GLYPH_H
#define PACE_OUT_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return the next character of a text that is not at its end; '?' if it must not be shown.
 * *p advances by at least one byte. */
uint32_t	pace_glyph_next(const char **p);
/* Return the width in cells: 1 or 2. */
int	pace_glyph_width(uint32_t glyph);
/* Return the width of a text in cells. */
int	pace_text_cells(const char *text);
/* Return a similar ASCII character, or '?'. */
char	pace_glyph_ascii(uint32_t glyph);
/* Write the character as UTF-8, terminated; return the number of bytes. */
int	pace_glyph_put(uint32_t glyph, char buf[5]);

/* Copy the text, replacing characters that must not be shown; cut it to size, which is above
 * 0. Returns to. */
char	*pace_glyph_clean(const char *from, bool utf8, char *to, size_t size);

#endif
