#include "config.h"

#include "opt/ini.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#define MARK	"\xef\xbb\xbf"	/* byte order mark */

bool
pace_ini_fail(struct pace_ini *ini, const char *fmt, ...)
{
	va_list ap;

	if (ini->why[0] != '\0')
		return false;
	va_start(ap, fmt);
	vsnprintf(ini->why, sizeof(ini->why), fmt, ap);
	va_end(ap);
	return false;
}

bool
pace_ini_is_name(const char *text, size_t size)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '-' || text[n] == '_')
		n++;
	return n > 0 && n < size && text[n] == '\0' && text[0] != '-';
}

/* Read "[name]", which only a comment may follow. */
static void
read_section(struct pace_ini *ini, char *text)
{
	size_t len = strcspn(text, "]"), behind = len + 1;

	if (ini->indented)
		pace_ini_fail(ini, "a [%s] begins in the first column", ini->section);
	else if (text[len] == '\0')
		pace_ini_fail(ini, "%s", ini->unclosed);
	else if (behind += strspn(text + behind, " \t\v\f\r\n"), strchr(";#", text[behind]) == NULL)
		pace_ini_fail(ini, "only a comment may follow [%.*s]",
		    (int)(len < 40 ? len : 40) - 1, text + 1);
	else {
		char name[200];

		snprintf(name, sizeof(name), "%.*s", (int)len - 1, text + 1);
		ini->has_value = false;
		ini->begin(ini, name);
	}
}

/* Report the errors that inih misses or describes badly.  It would read the rest of a line that
 * is too long as the next line, and it would accept "key : value". */
static char *
read_line(char *text, int size, void *stream)
{
	struct pace_ini *ini = stream;
	char *begin = text;

	if (ini->why[0] != '\0' || fgets(text, size, ini->f) == NULL)
		return NULL;
	ini->line++;
	if (strchr(text, '\n') == NULL && !feof(ini->f)) {
		pace_ini_fail(ini,
		    "the line is too long (at most 198 bytes; a line that begins with a "
		    "blank continues the previous one)");
		return NULL;
	}
	if (ini->comments_anywhere)
		text[strcspn(text, ";#\r\n")] = '\0';
	if (ini->line == 1 && strncmp(text, MARK, strlen(MARK)) == 0)
		begin += strlen(MARK);
	ini->indented = isspace((unsigned char)begin[0]);
	begin += strspn(begin, " \t\v\f\r\n");
	if (begin[0] == '[')
		read_section(ini, begin);
	else if (strchr(";#", begin[0]) == NULL && !(ini->indented && ini->has_value) &&
	    begin[strcspn(begin, "=:")] != '=')
		pace_ini_fail(ini, "%s", ini->shape);
	return ini->why[0] != '\0' ? NULL : text;
}

/* Called by inih; returns 1 if the value is good.  read_line() has handled the section. */
static int
take_value(void *user, const char *section, const char *key, const char *value)
{
	struct pace_ini *ini = user;
	bool good = ini->value(ini, key, value);

	(void)section;
	ini->has_value = true;
	return good;
}

void
pace_ini_read(struct pace_ini *ini, FILE *f)
{
	int line;

	ini->f = f;
	line = pace_ini_parse(read_line, take_value, ini);
	if (ferror(f))
		pace_ini_fail(ini, "it cannot be read");
	if (line != 0)			/* "a ; = 1": no value before the comment */
		pace_ini_fail(ini, "%s", ini->shape);
}
