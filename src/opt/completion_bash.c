/* A script that needs nothing but bash 4: no bash-completion. */
#include "config.h"

#include "opt/completion.h"

static const char *const names[] = {
	[PACE_OFFER_NOTHING] = "nothing", [PACE_OFFER_WORDS] = "words",
	[PACE_OFFER_FILES] = "files", [PACE_OFFER_FOLDERS] = "folders",
	[PACE_OFFER_HOSTS] = "hosts", [PACE_OFFER_USERS] = "users",
	[PACE_OFFER_DEVICES] = "devices", [PACE_OFFER_CAMPAIGNS] = "campaigns",
};

static const char head[] =
    "# Completion of udpace for bash, made by `udpace completion bash`.\n"
    "_udpace_udpace()\n"
    "{\n"
    "	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "	local what= words= options= operand=nothing operands=\n"
    "\n"
    "	# bash parts --option=value at the =\n"
    "	if [[ $cur == = ]]; then\n"
    "		cur=\n"
    "	elif [[ $prev == = ]]; then\n"
    "		prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "	fi\n"
    "	COMPREPLY=()\n";

static const char tail[] =
    "	*)\n"
    "		return ;;\n"
    "	esac\n"
    "	if [[ -z $what ]]; then\n"
    "		what=$operand\n"
    "		if [[ $cur == -* || $what == nothing ]]; then\n"
    "			what=words words=$options\n"
    "		elif [[ $what == words ]]; then\n"
    "			words=$operands\n"
    "		fi\n"
    "	fi\n"
    "	case $what in\n"
    "	words)\n"
    "		mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
    "	files)\n"
    "		compopt -o filenames 2>/dev/null\n"
    "		mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; compgen -f -- \"$cur\") ;;\n"
    "	folders)\n"
    "		compopt -o filenames 2>/dev/null\n"
    "		mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
    "	hosts)\n"
    "		mapfile -t COMPREPLY < <(compgen -A hostname -- \"$cur\") ;;\n"
    "	users)\n"
    "		mapfile -t COMPREPLY < <(compgen -u -- \"$cur\") ;;\n"
    "	devices)\n"
    "		mapfile -t COMPREPLY < <(compgen -W \"$(ls /sys/class/net 2>/dev/null)\" -- \"$cur\") ;;\n"
    "	campaigns)\n"
    "		words=$(\"${COMP_WORDS[0]}\" campaign 2>/dev/null | sed -n 's/^  \\([^ ]*\\) .*/\\1/p')\n"
    "		compopt -o filenames 2>/dev/null\n"
    "		mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; compgen -f -- \"$cur\"\n"
    "		    compgen -A hostname -- \"$cur\") ;;\n"
    "	esac\n"
    "}\n"
    "complete -F _udpace_udpace udpace\n";

static void
print_names(FILE *f)
{
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		fprintf(f, "%s ", (*c)->name);
}

static void
print_value(FILE *f, const struct pace_opt *o)
{
	struct pace_offered v = pace_offer_value(o);

	if (o->kind == PACE_OPT_FLAG)
		return;
	fprintf(f, "		--%s", o->name);
	if (o->letter != 0)
		fprintf(f, "|-%c", o->letter);
	fprintf(f, ") what=%s", names[v.what]);
	if (v.words[0] != '\0')
		fprintf(f, " words='%s'", v.words);
	fputs(" ;;\n", f);
}

/* Behind the word that is an operand comes something else. */
static void
print_verbs(FILE *f, const struct pace_cmd *cmd)
{
	struct pace_verb v[PACE_VERBS_MAX];
	int n = pace_offer_verbs(cmd, v);

	if (n == 0)
		return;
	fputs("		case \" ${COMP_WORDS[*]:2:COMP_CWORD-2} \" in\n", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "		*' %s '*) operand=%s ;;\n", v[i].name, names[v[i].behind]);
	fputs("		esac\n", f);
}

static void
print_command(FILE *f, const struct pace_cmd *cmd)
{
	struct pace_offered v = pace_offer_operand(cmd);

	fprintf(f, "	%s)\n		options='", cmd->name);
	for (int i = 0; i < cmd->nopts; i++)
		fprintf(f, "--%s ", cmd->opts[i].name);
	fprintf(f, "--help' operand=%s operands='%s'\n", names[v.what], v.words);
	print_verbs(f, cmd);
	fputs("		case $prev in\n", f);
	for (int i = 0; i < cmd->nopts; i++)
		print_value(f, &cmd->opts[i]);
	fputs("		esac ;;\n", f);
}

void
pace_completion_bash(FILE *f)
{
	fputs(head, f);
	fputs("	if [[ $COMP_CWORD -eq 1 ]]; then\n"
	    "		mapfile -t COMPREPLY < <(compgen -W '", f);
	print_names(f);
	fputs("help --help --version' -- \"$cur\")\n		return\n	fi\n"
	    "	case ${COMP_WORDS[1]} in\n	help)\n		what=words words='", f);
	print_names(f);
	fputs("' ;;\n", f);
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		print_command(f, *c);
	fputs(tail, f);
}
