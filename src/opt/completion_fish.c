/* Lines for `complete`, one an option. */
#include "config.h"

#include "opt/completion.h"

static const char head[] =
    "# Completion of udpace for fish, made by `udpace completion fish`.\n"
    "function __udpace_campaigns\n"
    "	udpace campaign 2>/dev/null | string match -r -g '^  (\\S+) +(.*)' | "
    "while read name; read title\n"
    "		printf '%s\\t%s\\n' $name $title\n"
    "	end\n"
    "end\n"
    "\n"
    "complete -c udpace -f\n";

static void
print_text(FILE *f, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', f);
		fputc(*text, f);
	}
}

/* What `complete` is to offer, for a value (-x: it takes one) or an operand. */
static void
print_offer(FILE *f, const struct pace_offered *v, bool value)
{
	static const char *const lists[] = {
		[PACE_OFFER_FOLDERS] = "(__fish_complete_directories)",
		[PACE_OFFER_HOSTS] = "(__fish_print_hostnames)",
		[PACE_OFFER_USERS] = "(__fish_complete_users)",
		[PACE_OFFER_DEVICES] = "(__fish_print_interfaces)",
		[PACE_OFFER_CAMPAIGNS] = "(__udpace_campaigns)",
	};

	if (v->what == PACE_OFFER_FILES)
		fputs(value ? " -r -F" : " -F", f);
	else if (value)
		fputs(" -x", f);
	if (v->words[0] != '\0')
		fprintf(f, " -a '%s'", v->words);
	else if (v->what > PACE_OFFER_FILES)
		fprintf(f, "%s -a '%s'", v->what == PACE_OFFER_CAMPAIGNS ? " -F" : "",
		    lists[v->what]);
}

static void
print_option(FILE *f, const struct pace_cmd *cmd, const struct pace_opt *o)
{
	struct pace_offered v = pace_offer_value(o);

	fprintf(f, "complete -c udpace -n '__fish_seen_subcommand_from %s'", cmd->name);
	if (o->letter != 0)
		fprintf(f, " -s %c", o->letter);
	fprintf(f, " -l %s", o->name);
	if (o->kind != PACE_OPT_FLAG)
		print_offer(f, &v, true);
	fputs(" -d '", f);
	print_text(f, o->help);
	fputs("'\n", f);
}

static void
print_verbs(FILE *f, const struct pace_cmd *cmd, const struct pace_verb *v, int n)
{
	fprintf(f, "complete -c udpace -n '__fish_seen_subcommand_from %s; and not "
	    "__fish_seen_subcommand_from", cmd->name);
	for (int i = 0; i < n; i++)
		fprintf(f, " %s", v[i].name);
	fputs("' -a '", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i > 0 ? " " : "", v[i].name);
	fputs("'\n", f);
	for (int i = 0; i < n; i++) {
		const struct pace_offered behind = { .what = v[i].behind };

		if (behind.what == PACE_OFFER_NOTHING)
			continue;
		fprintf(f, "complete -c udpace -n '__fish_seen_subcommand_from %s; and "
		    "__fish_seen_subcommand_from %s'", cmd->name, v[i].name);
		print_offer(f, &behind, false);
		fputc('\n', f);
	}
}

static void
print_command(FILE *f, const struct pace_cmd *cmd)
{
	struct pace_offered v = pace_offer_operand(cmd);
	struct pace_verb verb[PACE_VERBS_MAX];
	int n = pace_offer_verbs(cmd, verb);

	fprintf(f, "\ncomplete -c udpace -n __fish_use_subcommand -a %s -d '", cmd->name);
	print_text(f, cmd->summary);
	fputs("'\n", f);
	for (int i = 0; i < cmd->nopts; i++)
		print_option(f, cmd, &cmd->opts[i]);
	fprintf(f, "complete -c udpace -n '__fish_seen_subcommand_from %s' -s h -l help "
	    "-d 'explain this command'\n", cmd->name);
	if (n > 0)
		print_verbs(f, cmd, verb, n);
	if (n > 0 || v.what == PACE_OFFER_NOTHING)
		return;
	fprintf(f, "complete -c udpace -n '__fish_seen_subcommand_from %s'", cmd->name);
	print_offer(f, &v, false);
	fputc('\n', f);
}

void
pace_completion_fish(FILE *f)
{
	fputs(head, f);
	fputs("complete -c udpace -n __fish_use_subcommand -s h -l help -d 'explain udpace'\n"
	    "complete -c udpace -n __fish_use_subcommand -s V -l version -d 'the version'\n"
	    "complete -c udpace -n __fish_use_subcommand -a help -d 'explain a command'\n"
	    "complete -c udpace -n '__fish_seen_subcommand_from help' -a '", f);
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		fprintf(f, "%s%s", c == pace_cmds ? "" : " ", (*c)->name);
	fputs("'\n", f);
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		print_command(f, *c);
}
