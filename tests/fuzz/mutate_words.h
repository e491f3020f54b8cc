/*
 * mutate_words.h - mutates a text of lines and words in one place.
 *
 * Words      runs of digits, runs of letters, and each other byte by itself.
 * Changes    a number changes; a word becomes another word of the text or one that the
 *            target knows; a word or a line is removed, repeated or moved; the rest is
 *            cut off; a line becomes long.
 */
#ifndef FUZZ_MUTATE_WORDS_H
#define FUZZ_MUTATE_WORDS_H

#include <ctype.h>

#include "mutator.h"

struct piece {
	size_t	at, n;
};

static inline int
word_kind(uint8_t byte)
{
	if (isdigit(byte))
		return 1;
	return isalpha(byte) || byte == '_' || byte >= 0x80 ? 2 : 0;
}

/* The word at `at`. */
static inline struct piece
word_at(const uint8_t *text, size_t size, size_t at)
{
	struct piece p = { at, 1 };
	int kind = word_kind(text[at]);

	while (kind > 0 && p.at > 0 && word_kind(text[p.at - 1]) == kind)
		p.at--, p.n++;
	while (kind > 0 && p.at + p.n < size && word_kind(text[p.at + p.n]) == kind)
		p.n++;
	return p;
}

/* With its end. */
static inline struct piece
line_at(const uint8_t *text, size_t size, size_t at)
{
	struct piece p = { at, 0 };

	while (p.at > 0 && text[p.at - 1] != '\n')
		p.at--;
	while (p.at + p.n < size && text[p.at + p.n] != '\n')
		p.n++;
	p.n += p.at + p.n < size;
	return p;
}

static inline struct piece
piece_any(struct chance *c, const uint8_t *text, size_t size, bool line)
{
	size_t at = chance_of(c, size);

	return line ? line_at(text, size, at) : word_at(text, size, at);
}

static inline size_t
word_number(struct chance *c, uint8_t *text, size_t size, size_t max)
{
	struct piece p = piece_any(c, text, size, false);
	char digits[48];
	long long near;
	int n;

	for (int i = 0; i < 8 && !isdigit(text[p.at]); i++)
		p = piece_any(c, text, size, false);
	snprintf(digits, sizeof(digits), "%.*s", (int)(p.n < 20 ? p.n : 20),
	    (const char *)text + p.at);
	near = chance_near(c, strtoll(digits, NULL, 10));
	n = snprintf(digits, sizeof(digits), chance_one_in(c, 8) ? "0%lld000000000" : "%lld", near);
	return put_bytes(text, size, max, p.at, p.n, digits, (size_t)n);
}

/* Copy a piece of the text before another one, or in its place. */
static inline size_t
piece_copy(struct chance *c, uint8_t *text, size_t size, size_t max, bool line)
{
	struct piece from = piece_any(c, text, size, line), to = piece_any(c, text, size, line);
	uint8_t *copy = fuzz_exact(text + from.at, from.n);

	size = put_bytes(text, size, max, to.at, chance_one_in(c, 2) ? 0 : to.n, copy, from.n);
	free(copy);
	return size;
}

static inline size_t
piece_remove(struct chance *c, uint8_t *text, size_t size, bool line)
{
	struct piece p = piece_any(c, text, size, line);

	return put_bytes(text, size, size, p.at, p.n, NULL, 0);
}

static inline size_t
line_long(struct chance *c, uint8_t *text, size_t size, size_t max)
{
	static const size_t lengths[] = { 16, 64, 190, 200, 256, 1024, 2048, 4096 };
	size_t n = lengths[chance_of(c, sizeof(lengths) / sizeof(lengths[0]))];
	size_t at = chance_of(c, size);
	char *more = malloc(n);

	MUST(more != NULL);
	memset(more, text[at], n);
	size = put_bytes(text, size, max, at, 0, more, n - chance_of(c, 4));
	free(more);
	return size;
}

/* known: words of this grammar; the last is NULL. */
static inline size_t
mutate_words(uint8_t *text, size_t size, size_t max, const char *const *known, struct chance *c)
{
	bool line = chance_one_in(c, 3);
	struct piece p;
	size_t n = 0;

	if (size == 0 || chance_bytes(c))
		return LLVMFuzzerMutate(text, size, max);
	while (known[n] != NULL)
		n++;
	switch (chance_of(c, 9)) {
	case 0: case 1:
		return word_number(c, text, size, max);
	case 2: case 3:
		p = piece_any(c, text, size, false);
		n = chance_of(c, n);
		return put_bytes(text, size, max, p.at, chance_one_in(c, 2) ? 0 : p.n, known[n],
		    strlen(known[n]));
	case 4: case 5:
		return piece_copy(c, text, size, max, line);
	case 6:
		return piece_remove(c, text, size, line);
	case 7:
		return line_long(c, text, size, max);
	default:
		return chance_one_in(c, 4) ? chance_of(c, size) : piece_copy(c, text, size, max, true);
	}
}

/* Some lines of a, then some lines of b. */
static inline size_t
cross_words(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
    size_t max, struct chance *c)
{
	size_t head = asize > 0 ? line_at(a, asize, chance_of(c, asize)).at : 0;
	size_t from = bsize > 0 ? line_at(b, bsize, chance_of(c, bsize)).at : 0;

	if (head > max)
		head = max;
	memcpy(out, a, head);
	return put_bytes(out, head, max, head, 0, b + from, bsize - from);
}

#endif
