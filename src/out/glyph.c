#include "out/glyph.h"

#include <string.h>

struct glyph_span {
	uint32_t	first, last;
};

/* Letters and signs of one cell.  The list is not complete: it omits characters of uncertain
 * width and scripts written from right to left. */
static const struct glyph_span narrow[] = {
	{ 0x20, 0x7e }, { 0xa0, 0xac }, { 0xae, 0x2ff }, { 0x370, 0x373 }, { 0x376, 0x377 },
	{ 0x37b, 0x37f }, { 0x384, 0x38a }, { 0x38c, 0x38c }, { 0x38e, 0x3a1 }, { 0x3a3, 0x482 },
	{ 0x48a, 0x52f }, { 0x531, 0x556 }, { 0x561, 0x587 }, { 0x1e00, 0x1eff },
	{ 0x2010, 0x2027 }, { 0x2030, 0x205e }, { 0x20a0, 0x20bf }, { 0x2190, 0x21ff },
	{ 0x2500, 0x259f }, { 0x25bc, 0x25bc }, { 0x2800, 0x28ff },
};

static const struct glyph_span wide[] = {
	{ 0x3001, 0x3029 }, { 0x3030, 0x303e }, { 0x3041, 0x3096 }, { 0x309b, 0x30ff },
	{ 0x3105, 0x312f }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfa6d }, { 0xff01, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x20000, 0x2a6df },
};

static bool
is_in(const struct glyph_span *v, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n; i++)
		if (c >= v[i].first && c <= v[i].last)
			return true;
	return false;
}

#define IS_IN(list, c)	is_in(list, sizeof(list) / sizeof((list)[0]), c)

int
pace_glyph_width(uint32_t glyph)
{
	return glyph >= 0x3000 && IS_IN(wide, glyph) ? 2 : 1;
}

int
pace_text_cells(const char *text)
{
	int n = 0;

	while (*text != '\0')
		n += pace_glyph_width(pace_glyph_next(&text));
	return n;
}

/* Return the length of the character at p; 0: invalid.  Overlong forms and surrogates are
 * rejected. */
static int
decode(const unsigned char *p, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 :
	    p[0] >= 0xe0 && p[0] < 0xf0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;

	if (n == 0)
		return 0;
	*c = n == 1 ? p[0] : p[0] & (0xffU >> (n + 1));
	for (int i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)	/* also rejects the end of the text */
			return 0;
		*c = *c << 6 | (p[i] & 0x3fU);
	}
	return *c >= least[n] && *c <= 0x10ffff && (*c < 0xd800 || *c > 0xdfff) ? n : 0;
}

uint32_t
pace_glyph_next(const char **p)
{
	uint32_t c = 0;
	int n = decode((const unsigned char *)*p, &c);

	*p += n > 0 ? n : 1;
	if (n > 0 && (IS_IN(narrow, c) || pace_glyph_width(c) == 2))
		return c;
	return '?';
}

char
pace_glyph_ascii(uint32_t glyph)
{
	static const struct {
		uint32_t	glyph;
		char		ascii;
	} alike[] = {
		{ 0xa0, ' ' }, { 0xb5, 'u' }, { 0x3bc, 'u' }, { 0xb7, '.' }, { 0x2192, '>' },
		{ 0x2190, '<' }, { 0x2500, '-' }, { 0x2502, '|' }, { 0x253c, '+' }, { 0x252c, '+' },
		{ 0x2534, '+' }, { 0x2524, '|' }, { 0x2514, '+' }, { 0x258c, '[' }, { 0x2590, ']' },
		{ 0x2588, '#' }, { 0x2591, '.' }, { 0x25bc, '!' }, { 0x2026, '~' },
	};

	if (glyph < 0x80)
		return (char)glyph;
	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (alike[i].glyph == glyph)
			return alike[i].ascii;
	return '?';
}

int
pace_glyph_put(uint32_t glyph, char buf[5])
{
	int n = glyph < 0x80 ? 1 : glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

	for (int i = n - 1; i > 0; i--, glyph >>= 6)
		buf[i] = (char)(0x80 | (glyph & 0x3f));
	buf[0] = (char)(lead[n] | glyph);
	buf[n] = '\0';
	return n;
}

char *
pace_glyph_clean(const char *from, bool utf8, char *to, size_t size)
{
	size_t used = 0;

	while (*from != '\0') {
		uint32_t glyph = pace_glyph_next(&from);
		char text[5];
		int n = pace_glyph_put(utf8 ? glyph :
		    (uint32_t)(unsigned char)pace_glyph_ascii(glyph), text);

		if (used + (size_t)n >= size)
			break;
		memcpy(to + used, text, (size_t)n);
		used += (size_t)n;
	}
	to[used] = '\0';
	return to;
}
