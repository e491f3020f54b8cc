/*
 * --help and -h, from the option table.  The short form must fit on a screen of
 * 24 lines, so it explains the options only if there are few of them.
 */
#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

#include "opt/opt_value.h"

#define WIDTH		79
#define TEXT_COLUMN	28	/* where --help's explanations start */
#define GROUP_COLUMN	10	/* where -h's lists of names start */
#define SHORT_LINES	24
#define SHORT_EXAMPLES	3
#define MANY_OPTIONS	50	/* leave room for one example less */

/* Return the width in columns: continuation bytes of UTF-8 have no width. */
static size_t
columns(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

/* Print the words from column `at` on, and further lines indented to `indent`. */
static void
wrap(FILE *f, size_t at, size_t indent, const char *text)
{
	while (*text != '\0') {
		size_t len = strcspn(text, " "), wide = columns(text, len);

		if (at > indent && at + 1 + wide > WIDTH) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		}
		fprintf(f, "%s%.*s", at > indent ? " " : "", (int)len, text);
		at += wide + (at > indent ? 1 : 0);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

static void
explain(FILE *f, const char *label, const char *text)
{
	size_t at = columns(label, strlen(label));

	fputs(label, f);
	if (at + 2 > TEXT_COLUMN) {
		fputc('\n', f);
		at = 0;
	}
	fprintf(f, "%*s", (int)(TEXT_COLUMN - at), "");
	wrap(f, TEXT_COLUMN, TEXT_COLUMN, text);
}

static void
row(FILE *f, const struct pace_opt *o, bool whole)
{
	char label[WIDTH + 1], range[80] = "", text[400], letter[8] = "    ";
	const char *def = o->def != NULL ? o->def : "";

	if (o->letter != 0)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	snprintf(label, sizeof(label), "  %s--%s%s%s", letter, o->name,
	    o->arg != NULL ? " " : "", o->arg != NULL ? o->arg : "");
	if (whole)
		pace_opt_range(o, range, sizeof(range));
	if (!whole || (range[0] == '\0' && def[0] == '\0'))
		snprintf(text, sizeof(text), "%s", o->help);
	else
		snprintf(text, sizeof(text), "%s (%s%s%s%s)", o->help, range,
		    range[0] != '\0' && def[0] != '\0' ? "; " : "",
		    def[0] != '\0' ? "default " : "", def);
	explain(f, label, text);
}

static bool
starts_group(const struct pace_cmd *cmd, int i)
{
	const char *group = cmd->opts[i].group;

	return i == 0 || (group != NULL && cmd->opts[i - 1].group != NULL &&
	    strcmp(group, cmd->opts[i - 1].group) != 0);
}

static const char *
group_of(const struct pace_cmd *cmd, int i)
{
	return cmd->opts[i].group != NULL ? cmd->opts[i].group : "Options";
}

static void
usage(FILE *f, const struct pace_cmd *cmd)
{
	fprintf(f, "usage: udpace %s [OPTION...]%s%s\n\n", cmd->name,
	    cmd->operands[0] != '\0' ? " " : "", cmd->operands);
}

/* Print at most max commands, with the "# what" lines before them. */
static int
examples(FILE *f, const struct pace_cmd *cmd, int max)
{
	int lines = 0;

	if (cmd->examples == NULL)
		return 0;
	for (const char *const *e = cmd->examples; *e != NULL && max > 0; e++) {
		fprintf(f, "  %s\n", *e);
		lines++;
		max -= **e != '#';
	}
	return lines;
}

void
pace_opt_help(FILE *f, const struct pace_cmd *cmd)
{
	usage(f, cmd);
	wrap(f, 0, 0, cmd->summary);
	for (int i = 0; i < cmd->nopts; i++) {
		if (starts_group(cmd, i))
			fprintf(f, "\n%s:\n", group_of(cmd, i));
		row(f, &cmd->opts[i], true);
	}
	fputs("\nHelp:\n", f);
	explain(f, "  -h, --help", "this text; -h prints a shorter one");
	if (cmd->examples != NULL) {
		fputs("\nExamples:\n", f);
		examples(f, cmd, 100);
	}
	fprintf(f, "\nMore: man udpace-%s\n", cmd->name);
}

/* Print "Stream    -p --size, -w --spacing, ..."; returns the row after the group. */
static int
names(FILE *f, const struct pace_cmd *cmd, int i)
{
	char text[1024] = "";
	const char *group = group_of(cmd, i);
	size_t len = 0;

	do {
		const struct pace_opt *o = &cmd->opts[i];
		bool last = i + 1 == cmd->nopts || starts_group(cmd, i + 1);
		char letter[4] = "";

		if (o->letter != 0)
			snprintf(letter, sizeof(letter), "-%c/", o->letter);
		if (len < sizeof(text))
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s--%s%s",
			    letter, o->name, last ? "" : ", ");
		i++;
	} while (i < cmd->nopts && !starts_group(cmd, i));
	fprintf(f, "%-*s ", GROUP_COLUMN - 1, group);
	wrap(f, GROUP_COLUMN, GROUP_COLUMN, text);
	return i;
}

/* Print every option with its explanation if they fit on the screen; false: they do not. */
static bool
rows_if_they_fit(FILE *f, const struct pace_cmd *cmd, int room)
{
	char *text = NULL;
	size_t size;
	FILE *mem = open_memstream(&text, &size);
	int lines = 0;

	if (mem == NULL)
		return false;
	for (int i = 0; i < cmd->nopts; i++)
		row(mem, &cmd->opts[i], false);
	fclose(mem);
	for (const char *p = text; p != NULL && (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	if (lines <= room)
		fputs(text, f);
	free(text);
	return lines <= room;
}

void
pace_opt_short_help(FILE *f, const struct pace_cmd *cmd)
{
	int lines, i = 0;

	usage(f, cmd);
	lines = 2 + examples(f, cmd, SHORT_EXAMPLES - (cmd->nopts > MANY_OPTIONS));
	if (cmd->nopts > 0)
		fputc('\n', f);
	if (!rows_if_they_fit(f, cmd, SHORT_LINES - lines - 3))
		while (i < cmd->nopts)
			i = names(f, cmd, i);
	fprintf(f, "\nThe options in full: udpace %s --help\n", cmd->name);
}

/* Return the unit of a number without one: a time has seconds or microseconds, others "". */
static const char *
bare_unit(const struct pace_opt *o)
{
	bool quantity = o->kind == PACE_OPT_NUM || o->kind == PACE_OPT_LIST;

	if (o->kind == PACE_OPT_LINEAR || (quantity && o->unit == PACE_UNIT_USEC))
		return "microseconds";
	return quantity && o->unit == PACE_UNIT_SEC ? "seconds" : "";
}

void
pace_opt_rows(FILE *f, const struct pace_cmd *cmd)
{
	for (int i = 0; i < cmd->nopts; i++) {
		const struct pace_opt *o = &cmd->opts[i];
		char letter[2] = { o->letter }, range[80];

		pace_opt_range(o, range, sizeof(range));
		fprintf(f, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", group_of(cmd, i), letter, o->name,
		    o->arg != NULL ? o->arg : "", range, o->def != NULL ? o->def : "",
		    bare_unit(o));
	}
	fputs("Help\th\thelp\t\t\t\t\n", f);
}
