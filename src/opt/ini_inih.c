#include "config.h"

#include "opt/ini.h"

#include <ini.h>

bool
pace_ini_works(void)
{
	return true;
}

int
pace_ini_parse(char *(*line)(char *text, int size, void *ini),
    int (*value)(void *ini, const char *section, const char *key, const char *value), void *ini)
{
	return ini_parse_stream(line, ini, value, ini);
}
