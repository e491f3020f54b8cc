#include "ui/screen.h"

#include <errno.h>

const char *
pace_screen_lacks(void)
{
	return "ncursesw";
}

int
pace_screen_open(enum pace_colour colour)
{
	(void)colour;
	return -ENOSYS;
}

void
pace_screen_close(void)
{
}

void
pace_screen_size(int *rows, int *cols)
{
	*rows = *cols = 0;
}

void
pace_screen_show(const struct pace_canvas *g, enum pace_theme theme)
{
	(void)g; (void)theme;
}

void
pace_screen_repaint(void)
{
}

int
pace_screen_key(void)
{
	return PACE_SCREEN_GONE;
}

bool
pace_screen_is_away(void)
{
	return false;
}

void
pace_screen_rescue(void)
{
}

size_t
pace_screen_farewell(const char **text)
{
	*text = "";
	return 0;
}
