/*
 * glyph.h - texts of the network as characters that a terminal may be given.
 *
 * Purpose    whatever a text holds, it cannot move the cursor, change its direction
 *            or take another width than we think: such characters become '?'.
 * Width      1 or 2 cells, by our own tables, not by the locale's.
 * ASCII      without UTF-8 the common ones have a likeness, the rest is '?'.
 */
#ifndef PACE_OUT_GLYPH_H
#define PACE_OUT_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next character of a text that is not at its end; '?' for what may not be shown.
 * *p moves on by at least a byte. */
uint32_t	pace_glyph_next(const char **p);
/* Cells: 1 or 2. */
int	pace_glyph_width(uint32_t glyph);
/* Cells of a text. */
int	pace_text_cells(const char *text);
/* In ASCII; '?': there is none. */
char	pace_glyph_ascii(uint32_t glyph);
/* As UTF-8, terminated; bytes. */
int	pace_glyph_put(uint32_t glyph, char buf[5]);

/* The text without what may not be shown; cut off to size, which is above 0.  Returns to. */
char	*pace_glyph_clean(const char *from, bool utf8, char *to, size_t size);

#endif
