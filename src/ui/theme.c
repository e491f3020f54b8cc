#include "ui/theme.h"

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
