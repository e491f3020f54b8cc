#include "config.h"

#include <net/if.h>
#include <stdbool.h>
#include <string.h>

#include "opt/completion.h"
#include "opt/opt.h"

#define DSCP_WORDS	"ef|cs0|cs1|cs2|cs3|cs4|cs5|cs6|cs7|af11|af12|af13|af21|af22|af23|" \
			    "af31|af32|af33|af41|af42|af43|le"
#define SMALL		"abcdefghijklmnopqrstuvwxyz-"

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Print the words of "open|lab|FILE" that are typed literally: those in lower case. */
static void
print_words(FILE *f, const char *s)
{
	for (size_t len; *s != '\0'; s += len + strspn(s + len, "|")) {
		len = strcspn(s, "|");
		if (strspn(s, SMALL "0123456789") >= len)
			fprintf(f, "%.*s\t\n", (int)len, s);
	}
}

/* Return the shell's own list for the option's argument. */
static const char *
list_of(const struct pace_opt *o)
{
	const char *last = strrchr(o->arg, '|');

	last = last != NULL ? last + 1 : o->arg;
	return starts(last, "FILE") || starts(last, "PATH") ? "file" :
	    starts(last, "DIR") ? "directory" : strcmp(o->name, "user") == 0 ? "user" : "";
}

static void
print_values(FILE *f, const struct pace_opt *o, size_t left)
{
	fprintf(f, "%zu %s\n", left, o->kind == PACE_OPT_STR ? list_of(o) : "");
	if (o->kind == PACE_OPT_DSCP || o->kind == PACE_OPT_DSCP_LIST)
		print_words(f, DSCP_WORDS);
	else if (o->kind == PACE_OPT_CHOICE || (o->kind == PACE_OPT_STR && strchr(o->arg, '|')))
		print_words(f, o->arg);
	else if (strcmp(o->name, "interface") == 0) {
		struct if_nameindex *all = if_nameindex();

		for (int i = 0; all != NULL && all[i].if_name != NULL; i++)
			fprintf(f, "%s\t\n", all[i].if_name);
		if_freenameindex(all);
	}
}

/* Print long names; after a single dash also letters.  Options already given are left out. */
static void
print_options(FILE *f, const struct pace_cmd *cmd, const char *word,
    const struct pace_given *given)
{
	for (int i = 0; i < cmd->nopts; i++) {
		const struct pace_opt *o = &cmd->opts[i];

		if (pace_opt_given(cmd, given, o->name))
			continue;
		fprintf(f, "--%s\t%s\n", o->name, o->help);
		if (o->letter != 0 && strcmp(word, "-") == 0)
			fprintf(f, "-%c\t%s\n", o->letter, o->help);
	}
	fprintf(f, "--help\texplain this command\n");
}

/* "new NAME | list FILE": first the words, then the operand of the word typed. */
static const char *
behind_word(const char *operands, const char *typed)
{
	size_t len = strlen(typed);

	for (const char *s = operands; s != NULL; s = strstr(s, "| ")) {
		s += strspn(s, "| ");
		if (starts(s, typed) && s[len] == ' ')
			return starts(s + len + 1, "FILE") ? "file" : "";
	}
	return "";
}

/* Return the shell's list for the operand at the next place; NULL: words. */
static const char *
operand_list(const struct pace_cmd *cmd, const char *first)
{
	static const struct { const char *in, *list; } v[] = {
		{ "HOST", "hostname" }, { "RESULT", "file" }, { "FILE", "file" }, { "A B", "file" },
	};

	if (cmd->operands[0] != '\0' && strchr(SMALL, cmd->operands[0]) != NULL)
		return first != NULL ? behind_word(cmd->operands, first) : NULL;
	if (strstr(cmd->operands, "NAME|FILE") != NULL && first == NULL)
		return "file";
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		if (strstr(cmd->operands, v[i].in) != NULL)
			return v[i].list;
	return "";
}

/* Find the option in a word; value: start of its value in the word, NULL: not in it. */
static const struct pace_opt *
option_in(const struct pace_cmd *cmd, const char *word, const char **value)
{
	size_t len = strcspn(word, "=");
	const struct pace_opt *o = NULL;

	*value = NULL;
	if (starts(word, "--")) {
		for (int i = 0; i < cmd->nopts; i++)
			if (strlen(cmd->opts[i].name) == len - 2 &&
			    strncmp(cmd->opts[i].name, word + 2, len - 2) == 0)
				o = &cmd->opts[i];
		*value = word[len] == '=' ? word + len + 1 : NULL;
		return o;
	}
	for (word++; *word != '\0'; word++) {	/* -qo FILE, -oFILE */
		o = NULL;
		for (int i = 0; i < cmd->nopts; i++)
			if (cmd->opts[i].letter == *word)
				o = &cmd->opts[i];
		if (o == NULL || o->kind == PACE_OPT_FLAG)
			continue;
		*value = word[1] != '\0' ? word + 1 : NULL;
		return o;
	}
	return o;
}

/* State after the words before the cursor. */
struct context {
	const struct pace_cmd *cmd;
	const struct pace_opt *o;	/* the next word is its value; NULL: no value expected */
	struct pace_given given;
	const char	*first;		/* first operand; NULL: none yet */
	bool		no_options;	/* after "--" */
};

static void
read_word(struct context *c, const char *word)
{
	const char *value;

	if (c->o != NULL) {
		if (strcmp(word, "=") != 0)	/* bash splits --option=value there */
			c->o = NULL;
	} else if (c->no_options || word[0] != '-' || word[1] == '\0') {
		c->first = c->first != NULL ? c->first : word;
	} else if (strcmp(word, "--") == 0) {
		c->no_options = true;
	} else {
		c->o = option_in(c->cmd, word, &value);
		if (c->o != NULL)
			pace_opt_mark(c->cmd, &c->given, c->o);
		if (c->o != NULL && (c->o->kind == PACE_OPT_FLAG || value != NULL))
			c->o = NULL;
	}
}

static bool
complete_operand(FILE *f, const struct context *c, const char *word)
{
	bool dash = !c->no_options && word[0] == '-';
	const char *list = dash ? "" : operand_list(c->cmd, c->first);

	fprintf(f, "0 %s\n", list != NULL ? list : "");
	if (list == NULL) {
		/* The words that an operand may begin with. */
		for (const char *s = c->cmd->operands; *s != '\0'; s += strspn(s, "| ")) {
			fprintf(f, "%.*s\t\n", (int)strspn(s, SMALL), s);
			s += strcspn(s, "|");
		}
	} else if (list[0] == '\0' && (dash || word[0] == '\0'))
		print_options(f, c->cmd, word, &c->given);
	return !dash && c->first == NULL && strstr(c->cmd->operands, "NAME|FILE") != NULL;
}

static bool
complete_word(FILE *f, const struct context *c, const char *word)
{
	const struct pace_opt *o = c->o;
	const char *value = word + strspn(word, o != NULL ? "=" : "");

	if (o == NULL && !c->no_options && word[0] == '-') {
		o = option_in(c->cmd, word, &value);
		if (value == NULL || (o != NULL && o->kind == PACE_OPT_FLAG))
			o = NULL;
	}
	if (o == NULL)
		return complete_operand(f, c, word);
	print_values(f, o, (size_t)(value - word));
	return false;
}

static void
print_commands(FILE *f)
{
	fprintf(f, "0 \n");
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		fprintf(f, "%s\t%s\n", (*c)->name, (*c)->summary);
}

const struct pace_cmd *
pace_cmd_find(const char *name)
{
	const struct pace_cmd *const *c = pace_cmds;

	while (*c != NULL && strcmp((*c)->name, name) != 0)
		c++;
	return *c;
}

bool
pace_complete(FILE *f, int argc, char **argv)
{
	struct context context = { .first = NULL };

	if (argc < 2) {
		print_commands(f);
		fprintf(f, "help\texplain a command\nversion\tprint the version\n"
		    "--help\texplain udpace\n--version\tthe version\n");
		return false;
	}
	context.cmd = pace_cmd_find(argv[0]);
	if (context.cmd != NULL) {
		for (int i = 1; i < argc - 1; i++)
			read_word(&context, argv[i]);
		return complete_word(f, &context, argv[argc - 1]);
	}
	if (strcmp(argv[0], "help") == 0)
		print_commands(f);
	return false;
}
