/*
 * Fuzzes the lines of a status socket, or of its record, and the screens drawn from them.  The
 * input has 8 bytes (rows, columns, the view, how it is drawn, four keys), then lines.
 *
 * Checks: a rejected line changes nothing.  After any accepted line a screen of any size can be
 * drawn; every cell may be given to a terminal.  Printed lines contain nothing that a terminal
 * would interpret.
 */
#include <errno.h>

#include "fuzz.h"
#include "lib/pages.h"
#include "mutate_json.h"
#include "mutate_words.h"
#include "out/glyph.h"
#include "ui/line.h"

#define HEAD		8
#define LINES_MOST	64	/* of an input */

/* --- promises --------------------------------------------------------------- */

static void
check_cells(const struct pace_canvas *g)
{
	for (int i = 0; i < g->rows * g->cols; i++) {
		const struct pace_screen_cell *x = &g->cell[i];
		char text[5];
		const char *p = text;

		MUST((unsigned)x->role < PACE_ROLES);
		if (x->glyph == 0) {
			MUST(i % g->cols > 0 && pace_glyph_width(x[-1].glyph) == 2);
			continue;
		}
		pace_glyph_put(x->glyph, text);
		MUST(pace_glyph_next(&p) == x->glyph);
		MUST(g->utf8 || (x->glyph >= ' ' && x->glyph < 0x7f));
	}
}

static void
check_lines(const struct pace_snap *s, const struct pace_ui *ui)
{
	char *text;
	size_t size;
	struct pace_line_head head = { .rows = 0 };
	FILE *f = open_memstream(&text, &size);

	MUST(f != NULL);
	pace_line_tick(f, s, ui->unit, ui->bars != PACE_BARS_ASCII, &head);
	pace_line_summary(f, s, ui->unit, 4, ui->bars != PACE_BARS_ASCII);
	MUST(fclose(f) == 0);
	for (size_t i = 0; i < size; i++)
		MUST(text[i] == '\n' || ((unsigned char)text[i] >= ' ' && text[i] != 0x7f));
	fuzz_sum("lines", text, size);
	free(text);
}

/* --- sums ------------------------------------------------------------- */

static void
sum_screens(const struct pace_canvas *g, const struct pace_snap *s, bool pages)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	MUST(f != NULL);
	pace_theme_dump(g, PACE_THEME_USUAL, f);
	MUST(!pages || pages_write(f, s));
	MUST(fclose(f) == 0);
	fuzz_sum("screens", text, size);
	free(text);
}

/* --- an input ---------------------------------------------------------------- */

/* Return whether the line was accepted. */
static bool
feed(struct pace_snap *s, const uint8_t *data, size_t size)
{
	uint64_t lines = s->lines, events = s->events;
	int64_t at_ns = s->at_ns;
	size_t n = s->n;
	char *line = fuzz_exact(data, size);
	int rc = pace_snap_feed(s, line, size);

	MUST(rc == 0 || rc == 1 || rc == -EINVAL);
	fuzz_sum("rc", &rc, sizeof(rc));
	if (rc == -EINVAL)
		MUST(s->lines == lines && s->events == events && s->at_ns == at_ns && s->n == n);
	(void)pace_snap_time(line, size);
	free(line);
	return rc >= 0;
}

/* Return whether the last line was accepted. */
static bool
feed_all(struct pace_snap *s, const uint8_t *data, size_t size)
{
	bool taken = false;

	for (int i = 0; size > 0 && i < LINES_MOST; i++) {
		const uint8_t *end = memchr(data, '\n', size);
		size_t len = end != NULL ? (size_t)(end - data) : size;

		taken = feed(s, data, len);
		len += end != NULL;
		data += len;
		size -= len;
	}
	return taken;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pace_canvas g = { .rows = 0 };
	struct pace_snap *s, *copy;
	struct pace_ui ui = { .speed = 1 };
	bool taken;

	if (size < HEAD)
		return 0;
	s = pace_snap_new();
	MUST(s != NULL);
	taken = feed_all(s, data + HEAD, size - HEAD);
	ui.page = (enum pace_page)(data[2] % PACE_PAGES);
	ui.help = data[2] >= 250;
	ui.bars = (enum pace_bars)(data[3] % 3);
	ui.paused = (data[3] & 16) != 0;
	ui.replay = (data[3] & 32) != 0;
	ui.dist_recent = (data[3] & 64) != 0;
	ui.dist = (data[3] & 128) != 0 ? PACE_DIST_DELAY : PACE_DIST_GAP;
	for (int i = 4; i < HEAD; i++)
		if (pace_ui_act(&ui, s, (enum pace_act)(data[i] % PACE_ACTS)) == PACE_ACT_RESET)
			pace_snap_reset(s);
	MUST(pace_canvas_size(&g, data[0] % 64 + 1, data[1] + 1, ui.bars != PACE_BARS_ASCII) == 0);
	copy = pace_snap_copy(s);
	MUST(copy != NULL);
	pace_snap_free(s);
	pace_view_draw(&g, copy, &ui);
	check_cells(&g);
	check_lines(copy, &ui);
	if (replay_sum != NULL)
		sum_screens(&g, copy, taken);	/* otherwise they are those of fewer lines */
	pace_canvas_free(&g);
	pace_snap_free(copy);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static const char *const words[] = { "{", "}", "[", "]", ",", "\"", "\n", "null", "sessions",
		"\"interval\":null", "\"run\":null", "\"state\":\"ended\"", "9223372036854775807",
		"1e308", "\\u202e", NULL };
	struct chance c = { seed };
	size_t at;

	if (size > 0 && (size <= HEAD || chance_one_in(&c, 6))) {
		at = chance_of(&c, size < HEAD ? size : HEAD);
		data[at] = (uint8_t)chance_of(&c, 256);
		return size;
	}
	if (size == 0 || chance_one_in(&c, 6))
		return mutate_words(data, size, max, words, &c);
	at = HEAD + line_at(data + HEAD, size - HEAD, chance_of(&c, size - HEAD)).at;
	return mutate_json(data, size, max, at, &c);
}

size_t
LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
    uint8_t *out, size_t max, unsigned seed)
{
	struct chance c = { seed };

	return cross_words(a, asize, b, bsize, out, max, &c);
}
