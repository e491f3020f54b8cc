#include "ui/theme.h"

#include "out/glyph.h"

enum { RED = 1, GREEN, YELLOW, MAGENTA = 5, CYAN };

static const struct pace_look looks[PACE_THEMES][PACE_ROLES] = {
	[PACE_THEME_USUAL] = {
		[PACE_ROLE_FAINT] = { .dim = true }, [PACE_ROLE_NOW] = { .bold = true },
		[PACE_ROLE_TITLE] = { .colour = CYAN }, [PACE_ROLE_CHOSEN] = { .reverse = true },
		[PACE_ROLE_GOOD] = { .colour = GREEN },
		[PACE_ROLE_WARN] = { .colour = YELLOW },
		[PACE_ROLE_BAD] = { .colour = RED, .bold = true },
		[PACE_ROLE_BAR] = { .colour = CYAN }, [PACE_ROLE_RULE] = { .dim = true },
	},
	[PACE_THEME_CONTRAST] = {
		[PACE_ROLE_NOW] = { .bold = true }, [PACE_ROLE_TITLE] = { .bold = true },
		[PACE_ROLE_CHOSEN] = { .reverse = true, .bold = true },
		[PACE_ROLE_GOOD] = { .bold = true },
		[PACE_ROLE_WARN] = { .bold = true, .underline = true },
		[PACE_ROLE_BAD] = { .colour = RED, .bold = true, .reverse = true },
	},
	[PACE_THEME_MONO] = {
		[PACE_ROLE_NOW] = { .bold = true }, [PACE_ROLE_TITLE] = { .underline = true },
		[PACE_ROLE_CHOSEN] = { .reverse = true }, [PACE_ROLE_WARN] = { .bold = true },
		[PACE_ROLE_BAD] = { .bold = true, .underline = true },
	},
	[PACE_THEME_REDFREE] = {
		[PACE_ROLE_FAINT] = { .dim = true }, [PACE_ROLE_NOW] = { .bold = true },
		[PACE_ROLE_TITLE] = { .colour = CYAN }, [PACE_ROLE_CHOSEN] = { .reverse = true },
		[PACE_ROLE_GOOD] = { .colour = CYAN }, [PACE_ROLE_WARN] = { .colour = YELLOW },
		[PACE_ROLE_BAD] = { .colour = MAGENTA, .bold = true, .underline = true },
		[PACE_ROLE_BAR] = { .colour = CYAN }, [PACE_ROLE_RULE] = { .dim = true },
	},
};

struct pace_look
pace_theme_look(enum pace_theme t, enum pace_role r)
{
	return looks[(unsigned)t < PACE_THEMES ? t : PACE_THEME_MONO][(unsigned)r < PACE_ROLES ? r :
	    PACE_ROLE_TEXT];
}

/* The attributes of a role as ECMA-48's "select graphic rendition" has them. */
static void
select_look(FILE *f, struct pace_look l)
{
	fputs("\033[0", f);
	if (l.bold)
		fputs(";1", f);
	if (l.dim)
		fputs(";2", f);
	if (l.underline)
		fputs(";4", f);
	if (l.reverse)
		fputs(";7", f);
	if (l.colour == YELLOW)
		fputs(";30;43", f);
	else if (l.colour != 0)
		fprintf(f, ";%d", 30 + l.colour);
	fputc('m', f);
}

void
pace_theme_dump(const struct pace_canvas *g, enum pace_theme t, FILE *f)
{
	char text[5];

	for (int r = 0; r < g->rows; r++) {
		enum pace_role now = PACE_ROLE_TEXT;

		for (int i = 0; i < g->cols; i++) {
			const struct pace_screen_cell *c = &g->cell[r * g->cols + i];

			if (c->role != now)
				select_look(f, pace_theme_look(t, c->role));
			now = c->role;
			if (c->glyph != 0) {
				pace_glyph_put(c->glyph, text);
				fputs(text, f);
			}
		}
		fputs(now != PACE_ROLE_TEXT ? "\033[0m\n" : "\n", f);
	}
}
