/* To be found in $fpath as _udpace, or sourced. */
#include "config.h"

#include "opt/completion.h"

#include <string.h>

static const char head[] =
    "#compdef udpace\n"
    "# Completion of udpace for zsh, made by `udpace completion zsh`.\n"
    "\n"
    "_udpace_campaigns()\n"
    "{\n"
    "	local -a names\n"
    "	names=(${(f)\"$(_call_program campaigns udpace campaign 2>/dev/null |\n"
    "	    sed -n 's/:/\\\\:/g; s/^  \\([^ ]*\\) *\\(.*\\)/\\1:\\2/p')\"})\n"
    "	_describe -t campaigns campaign names\n"
    "	_files\n"
    "}\n"
    "\n"
    "_udpace_words_or_files()\n"
    "{\n"
    "	compadd -- \"$@\"\n"
    "	_files\n"
    "}\n"
    "\n"
    "_udpace()\n"
    "{\n"
    "	local -a commands\n"
    "	commands=(\n";

static const char tail[] =
    "	esac\n"
    "}\n"
    "\n"
    "if [[ ${funcstack[1]} == _udpace ]]; then\n"
    "	_udpace \"$@\"\n"
    "else\n"
    "	compdef _udpace udpace\n"
    "fi\n";

/* Within '...', where the characters of `special` have a meaning for _arguments. */
static void
print_text(FILE *f, const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\'", f);
		else if (*text == '\\' || strchr(special, *text) != NULL)
			fputc('\\', f);
		fputc(*text, f);
	}
}

static void
print_action(FILE *f, const struct pace_offered *v)
{
	static const char *const actions[] = {
		[PACE_OFFER_NOTHING] = " ", [PACE_OFFER_WORDS] = NULL,
		[PACE_OFFER_FILES] = "_files", [PACE_OFFER_FOLDERS] = "_files -/",
		[PACE_OFFER_HOSTS] = "_hosts", [PACE_OFFER_USERS] = "_users",
		[PACE_OFFER_DEVICES] = "_net_interfaces",
		[PACE_OFFER_CAMPAIGNS] = "_udpace_campaigns",
	};

	if (v->what == PACE_OFFER_WORDS)
		fprintf(f, "(%s)", v->words);
	else if (v->words[0] != '\0')	/* the blank: nothing is put before the words */
		fprintf(f, " _udpace_words_or_files %s", v->words);
	else
		fputs(actions[v->what], f);
}

static void
print_option(FILE *f, const struct pace_opt *o)
{
	struct pace_offered v = pace_offer_value(o);
	bool flag = o->kind == PACE_OPT_FLAG;

	fputs("			", f);
	if (o->letter != 0)
		fprintf(f, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter,
		    flag ? "" : "+", o->name, flag ? "" : "=");
	else
		fprintf(f, "'--%s%s[", o->name, flag ? "" : "=");
	print_text(f, o->help, "[]:");
	fputc(']', f);
	if (!flag) {
		fputc(':', f);
		print_text(f, o->arg, ":");
		fputc(':', f);
		print_action(f, &v);
	}
	fputs("' \\\n", f);
}

/* The first is one of some words, the second depends on it. */
static void
print_verbs(FILE *f, const struct pace_verb *v, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i == 0 ? "			'1:what:(" : " ", v[i].name);
	fputs(")' \\\n", f);
	for (int i = 0; i < n; i++)
		if (v[i].behind != PACE_OFFER_NOTHING)
			fprintf(f, "			'2:of %s:{(( ${words[(I)%s]} )) && _files%s}' \\\n",
			    v[i].name, v[i].name, v[i].behind == PACE_OFFER_FOLDERS ? " -/" : "");
}

static void
print_operands(FILE *f, const struct pace_cmd *cmd)
{
	struct pace_offered v = pace_offer_operand(cmd);
	struct pace_verb verb[PACE_VERBS_MAX];
	int n = pace_offer_verbs(cmd, verb);

	if (cmd->operands[0] == '\0')
		return;
	if (n > 0) {
		print_verbs(f, verb, n);
		return;
	}
	if (v.what == PACE_OFFER_CAMPAIGNS) {
		fputs("			'1:campaign:_udpace_campaigns' '2:HOST:_hosts' \\\n", f);
		return;
	}
	fputs("			'*:", f);
	print_text(f, cmd->operands, ":");
	fputc(':', f);
	print_action(f, &v);
	fputs("' \\\n", f);
}

void
pace_completion_zsh(FILE *f)
{
	fputs(head, f);
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++) {
		fprintf(f, "		'%s:", (*c)->name);
		print_text(f, (*c)->summary, ":");
		fputs("'\n", f);
	}
	fputs("		'help:explain a command'\n	)\n"
	    "	if (( CURRENT == 2 )); then\n"
	    "		_describe -t commands command commands\n"
	    "		_arguments '(- *)'{-h,--help}'[explain udpace]' "
	    "'(- *)'{-V,--version}'[the version]'\n"
	    "		return\n	fi\n"
	    "	shift words\n	(( CURRENT-- ))\n"
	    "	case ${words[1]} in\n"
	    "	help)\n		_describe -t commands command commands ;;\n", f);
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++) {
		fprintf(f, "	%s)\n		_arguments -s \\\n", (*c)->name);
		for (int i = 0; i < (*c)->nopts; i++)
			print_option(f, &(*c)->opts[i]);
		print_operands(f, *c);
		fputs("			'(- *)'{-h,--help}'[explain this command]' ;;\n", f);
	}
	fputs(tail, f);
}
