#include "opt/opt.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>

#include "core/err.h"
#include "opt/foreign.h"
#include "opt/opt_value.h"
#include "opt/suggest.h"

#define ROWS_MAX	128	/* bits in struct pace_given */
#define OPERAND		1	/* returned by getopt for an operand, because of "-" */
#define LONG		256	/* LONG + i: row i by its long name; LONG + nopts: --help */

static struct {
	void	(*take)(void *ctx, const char *line);
	void	*ctx;
} listener;

static void (*echo)(const char *line);

static void (*layout)(const char *line);

static const char *line_mark;

void
pace_complain_layout(void (*print)(const char *line))
{
	layout = print;
}

void
pace_complain_mark(const char *mark)
{
	line_mark = mark;
}

void
pace_complain_to(void (*take)(void *ctx, const char *line), void *ctx)
{
	listener.take = take;
	listener.ctx = ctx;
}

static void __attribute__((format(printf, 2, 0)))
say(const char *before, const char *fmt, va_list ap)
{
	char text[600], clean[600];
	size_t n = (size_t)snprintf(text, sizeof(text), "%s", before);

	vsnprintf(text + n, sizeof(text) - n, fmt, ap);
	pace_clean(clean, sizeof(clean), text, strlen(text));
	if (listener.take != NULL)
		listener.take(listener.ctx, clean);
	else if (layout != NULL)
		layout(clean);
	else
		fprintf(stderr, "%s%s\n", line_mark != NULL ? line_mark : "", clean);
	if (echo != NULL)
		echo(clean);
}

void
pace_complain_echo(void (*take)(const char *line))
{
	echo = take;
}

void
pace_notice(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void
pace_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("udpace: ", fmt, ap);
	va_end(ap);
}

void
pace_hint(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("  ", fmt, ap);
	va_end(ap);
}

/* Print the last line after a mistake; returns -1. */
static int
see_help(const struct pace_cmd *cmd)
{
	pace_hint("see 'udpace %s --help'", cmd->name);
	return -1;
}

/* Prepare getopt's tables.  shorts has room for each letter with its colon, "-:" and "h". */
static void
derive(const struct pace_cmd *cmd, struct option *longs, char *shorts)
{
	*shorts++ = '-';	/* return operands in their place, even with POSIXLY_CORRECT */
	*shorts++ = ':';	/* tell a missing value from an unknown option */
	for (int i = 0; i < cmd->nopts; i++) {
		const struct pace_opt *o = &cmd->opts[i];
		bool flag = o->kind == PACE_OPT_FLAG;

		longs[i] = (struct option){ .name = o->name, .val = LONG + i,
		    .has_arg = flag ? no_argument : required_argument };
		if (o->letter == 0)
			continue;
		*shorts++ = o->letter;
		if (!flag)
			*shorts++ = ':';
	}
	longs[cmd->nopts] = (struct option){ .name = "help", .val = LONG + cmd->nopts };
	longs[cmd->nopts + 1] = (struct option){ .name = NULL };
	*shorts++ = 'h';
	*shorts = '\0';
}

static int
row_of(const struct pace_cmd *cmd, int c)
{
	if (c >= LONG)
		return c - LONG;
	for (int i = 0; i < cmd->nopts; i++)
		if (cmd->opts[i].letter == c)
			return i;
	return cmd->nopts;
}

static const char *
name_of(const struct pace_cmd *cmd, int row)
{
	return row < cmd->nopts ? cmd->opts[row].name : "help";
}

/* Is the name complete?  getopt accepts any unique beginning of a name.  We do not: a script
 * with --dur would fail on the day --durable is added. */
static bool
is_exact(const struct pace_cmd *cmd, int c, const char *given)
{
	const char *name = name_of(cmd, row_of(cmd, c));

	return c < LONG || strncmp(given + 2, name, strlen(name)) == 0;
}

/* If another tool has this option, print its counterpart here or why there is none. */
static bool
is_foreign(const struct pace_cmd *cmd, const char *word, size_t len)
{
	struct pace_foreign f;

	if (!pace_foreign_option(cmd, word, len, &f))
		return false;
	if (f.ours == NULL)
		pace_complain("%s has no option '%.*s'", cmd->name, (int)len, word);
	else if (f.ours->letter != 0)
		pace_complain("%s has no option '%.*s'; write --%s (-%c)", cmd->name, (int)len,
		    word, f.ours->name, f.ours->letter);
	else
		pace_complain("%s has no option '%.*s'; write --%s", cmd->name, (int)len, word,
		    f.ours->name);
	if (f.text != NULL)
		pace_hint("%s", f.text);
	return true;
}

static int
unknown_long(const struct pace_cmd *cmd, const char *given)
{
	size_t len = strcspn(given + 2, "=");
	struct pace_nearest n;

	if (is_foreign(cmd, given, len + 2))
		return see_help(cmd);
	pace_nearest_start(&n, given + 2, len);
	for (int i = 0; i <= cmd->nopts; i++)
		pace_nearest_try(&n, name_of(cmd, i));
	if (n.best != NULL)
		pace_complain("%s has no option '--%.*s'; did you mean '--%s'?",
		    cmd->name, (int)(len < 60 ? len : 60), given + 2, n.best);
	else
		pace_complain("%s has no option '--%.*s'",
		    cmd->name, (int)(len < 60 ? len : 60), given + 2);
	return see_help(cmd);
}

/* given is the whole word: -json is --json with one dash missing.  The letter in the other case
 * is not suggested: a user who types -P means --parallel, not --size. */
static int
unknown_letter(const struct pace_cmd *cmd, int letter, const char *given)
{
	const char word[] = { '-', (char)letter };

	if (given[0] == '-' && pace_opt_find(cmd, given + 1) != NULL)
		pace_complain("%s has no option '%s'; did you mean '-%s'?", cmd->name, given,
		    given);
	else if (letter < ' ' || letter > '~')
		pace_complain("%s has no option '%.60s'", cmd->name, given);
	else if (!is_foreign(cmd, word, sizeof(word)))
		pace_complain("%s has no option '-%c'", cmd->name, letter);
	return see_help(cmd);
}

/* A letter's value was rejected: hint at the meaning of the letter in another tool. */
static void
hint_letter(const struct pace_cmd *cmd, const struct pace_opt *o)
{
	const char word[] = { '-', o->letter };
	struct pace_foreign f;

	if (!pace_foreign_option(cmd, word, sizeof(word), &f) || f.ours == o)
		return;
	if (f.ours != NULL)
		pace_hint("-%c of other tools is --%s here", o->letter, f.ours->name);
	else
		pace_hint("%s", f.text);
}

/* Print the mistake for which getopt returned '?' or ':'. */
static int
mistake(const struct pace_cmd *cmd, int c, const char *given)
{
	const struct pace_opt *o;
	char range[80];

	if (c == '?' && optopt != 0 && optopt < LONG)	/* a letter; bytes of UTF-8 are < 0 */
		return unknown_letter(cmd, optopt, given);
	if (optopt == 0 || !is_exact(cmd, optopt, given))
		return unknown_long(cmd, given);
	if (c == ':') {
		o = &cmd->opts[row_of(cmd, optopt)];
		pace_opt_range(o, range, sizeof(range));
		pace_complain("--%s needs a value: %s%s%s%s", o->name,
		    o->arg != NULL ? o->arg : "VALUE", range[0] != '\0' ? " (" : "", range,
		    range[0] != '\0' ? ")" : "");
	} else {
		pace_complain("--%s takes no value", name_of(cmd, row_of(cmd, optopt)));
	}
	return see_help(cmd);
}

static int
take(const struct pace_cmd *cmd, void *cfg, int c, const char *given)
{
	char why[PACE_WHY_SIZE];
	int row;

	if (c == '?' || c == ':')
		return mistake(cmd, c, given);
	if (!is_exact(cmd, c, given))
		return unknown_long(cmd, given);
	row = row_of(cmd, c);
	if (row == cmd->nopts) {
		(c >= LONG ? pace_opt_help : pace_opt_short_help)(stdout, cmd);
		return -2;
	}
	if (pace_opt_set(&cmd->opts[row], cfg, optarg, why, sizeof(why)) == -1) {
		pace_complain("--%s: %s", cmd->opts[row].name, why);
		if (c < LONG)
			hint_letter(cmd, &cmd->opts[row]);
		return see_help(cmd);
	}
	pace_opt_mark(cmd, cfg, &cmd->opts[row]);
	return 0;
}

static int
set_defaults(const struct pace_cmd *cmd, void *cfg)
{
	char why[PACE_WHY_SIZE];

	memset(cfg, 0, cmd->cfg_size);
	if (cmd->nopts > ROWS_MAX) {
		pace_complain("%s: more than %d rows in the option table", cmd->name, ROWS_MAX);
		return -1;
	}
	for (int i = 0; i < cmd->nopts; i++) {
		const struct pace_opt *o = &cmd->opts[i];

		if (o->def != NULL && pace_opt_set(o, cfg, o->def, why, sizeof(why)) == -1) {
			pace_complain("default of --%s: %s", o->name, why);
			return -1;
		}
	}
	return 0;
}

/* "HOST" is "a HOST", "A B" is "both A B", "new NAME | list FILE" is "new NAME or list FILE". */
static char *
operands_wanted(const struct pace_cmd *cmd, char *text, size_t size)
{
	const char *s = cmd->operands;
	size_t n, at = 0;

	if (strchr(s, '|') == NULL) {
		snprintf(text, size, strchr(s, ' ') != NULL ? "both %s" : "a %s", s);
		return text;
	}
	text[0] = '\0';
	for (; at < size; s += n + strspn(s + n, " |")) {
		n = strcspn(s, "|");
		while (n > 0 && s[n - 1] == ' ')
			n--;
		if (n == 0)
			break;
		at += (size_t)snprintf(text + at, size - at, "%s%.*s", at > 0 ? " or " : "",
		    (int)n, s);
	}
	return text;
}

static int
check_operands(const struct pace_cmd *cmd, const void *cfg, int n, char **operands)
{
	bool instead = cmd->instead != NULL && pace_opt_given(cmd, cfg, cmd->instead);
	char wanted[128];

	if (instead && n > 0)
		pace_complain("%s: '%.60s': --%s replaces %s", cmd->name,
		    operands[0], cmd->instead, cmd->operands);
	else if (n < cmd->min_operands && !instead)
		pace_complain("%s needs %s", cmd->name, operands_wanted(cmd, wanted,
		    sizeof(wanted)));
	else if (n > cmd->max_operands)
		pace_complain("%s: '%.60s' is one operand too many", cmd->name,
		    operands[cmd->max_operands]);
	else
		return 0;
	return see_help(cmd);
}

static void
to_the_end(int argc, char **argv, int at)
{
	char *word = argv[at];

	memmove(&argv[at], &argv[at + 1], (size_t)(argc - at - 1) * sizeof(*argv));
	argv[argc - 1] = word;
}

int
pace_opt_parse(const struct pace_cmd *cmd, void *cfg, int argc, char **argv)
{
	struct option longs[ROWS_MAX + 2];
	char shorts[2 * ROWS_MAX + 4];
	int c, rc, at, n = 0;		/* n operands have been moved to the end */

	if (set_defaults(cmd, cfg) == -1)
		return -1;
	derive(cmd, longs, shorts);
	opterr = 0;
	for (optind = 0;;) {		/* 0: glibc forgets the previous parse */
		at = optind > 0 ? optind : 1;
		c = getopt_long(argc - n, argv, shorts, longs, NULL);
		if (c == -1)
			break;
		if (c == OPERAND) {
			to_the_end(argc, argv, at);
			n++;
			optind = at;
			continue;
		}
		rc = take(cmd, cfg, c, argv[at]);
		if (rc != 0)
			return rc;
	}
	for (; optind < argc - n; n++)	/* the words after "--" */
		to_the_end(argc, argv, optind);
	return check_operands(cmd, cfg, n, argv + argc - n) == -1 ? -1 : argc - n;
}

const struct pace_opt *
pace_opt_find(const struct pace_cmd *cmd, const char *name)
{
	for (int i = 0; i < cmd->nopts; i++)
		if (strcmp(cmd->opts[i].name, name) == 0)
			return &cmd->opts[i];
	return NULL;
}

void
pace_opt_mark(const struct pace_cmd *cmd, void *cfg, const struct pace_opt *o)
{
	struct pace_given *given = cfg;

	given->bits[(o - cmd->opts) / 64] |= UINT64_C(1) << (o - cmd->opts) % 64;
}

bool
pace_opt_given(const struct pace_cmd *cmd, const void *cfg, const char *name)
{
	const struct pace_opt *o = pace_opt_find(cmd, name);
	const struct pace_given *given = cfg;

	return o != NULL &&
	    (given->bits[(o - cmd->opts) / 64] >> (o - cmd->opts) % 64 & 1) != 0;
}

bool
pace_opt_both(const struct pace_cmd *cmd, const void *cfg, const char *a, const char *b,
    const char *why)
{
	if (!pace_opt_given(cmd, cfg, a) || !pace_opt_given(cmd, cfg, b))
		return false;
	pace_complain("--%s and --%s exclude each other: %s", a, b, why);
	return true;
}
