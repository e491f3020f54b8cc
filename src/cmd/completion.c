/*
 * completion - prints the script that completes command lines in a shell.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cmds.h"

struct completion_cfg {
	struct pace_given given;
};

/* Each script calls `udpace __complete WORD...`, see opt/completion.h. */
static const struct {
	const char	*name, *script;
} shells[] = {
	{ "bash",	/* needs bash 4 only, not bash-completion */
	    "# Completion of udpace for bash, made by `udpace completion bash`.\n"
	    "_udpace_udpace()\n"
	    "{\n"
	    "	local cur=${COMP_WORDS[COMP_CWORD]} before left what lines\n"
	    "\n"
	    "	mapfile -t lines < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" __complete \\\n"
	    "	    \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	    "	read -r left what <<<\"${lines[0]}\"\n"
	    "	lines=(\"${lines[@]%%$'\\t'*}\")\n"
	    "	[[ $cur == = ]] && cur= left=0	# bash parts --option=value at the =\n"
	    "	before=${cur:0:left} cur=${cur:left}\n"
	    "	[[ $what == file || $what == directory ]] && compopt -o filenames 2>/dev/null\n"
	    "	mapfile -t COMPREPLY < <(compgen ${what:+-A $what} -P \"$before\" \\\n"
	    "	    -W \"${lines[*]:1}\" -- \"$cur\")\n"
	    "}\n"
	    "complete -F _udpace_udpace udpace\n" },
	{ "zsh",	/* found in $fpath as _udpace, or sourced */
	    "#compdef udpace\n"
	    "# Completion of udpace for zsh, made by `udpace completion zsh`.\n"
	    "\n"
	    "_udpace()\n"
	    "{\n"
	    "	local -a lines offered\n"
	    "	local left what\n"
	    "\n"
	    "	lines=(\"${(@f)$(${~words[1]} __complete \"${(@Q)words[2,CURRENT-1]}\" \\\n"
	    "	    \"$PREFIX\" 2>/dev/null)}\")\n"
	    "	read -r left what <<<\"$lines[1]\"\n"
	    "	compset -p ${left:-0}\n"
	    "	offered=(\"${(@)${(@)lines[2,-1]//:/\\\\:}/$'\\t'/:}\")\n"
	    "	[[ -n $offered ]] && _describe -t words udpace offered\n"
	    "	case $what in\n"
	    "	file) _files ;;\n"
	    "	directory) _files -/ ;;\n"
	    "	hostname) _hosts ;;\n"
	    "	user) _users ;;\n"
	    "	esac\n"
	    "}\n"
	    "\n"
	    "if [[ ${funcstack[1]} == _udpace ]]; then\n"
	    "	_udpace \"$@\"\n"
	    "else\n"
	    "	compdef _udpace udpace\n"
	    "fi\n" },
	{ "fish",
	    "# Completion of udpace for fish, made by `udpace completion fish`.\n"
	    "function __udpace\n"
	    "	set -l words (commandline -opc)\n"
	    "	set -l token (commandline -ct)\n"
	    "	set -l lines (eval $words[1] __complete (string escape -- $words[2..-1] "
	    "\"$token\") 2>/dev/null)\n"
	    "	set -l head (string split ' ' -- $lines[1])\n"
	    "	set -l before (string sub -l $head[1] -- \"$token\")\n"
	    "	set -l rest (string sub -s (math $head[1] + 1) -- \"$token\")\n"
	    "	set -l offered $lines[2..-1]\n"
	    "	switch \"$head[2]\"\n"
	    "		case file\n"
	    "			set -a offered (__fish_complete_path \"$rest\")\n"
	    "		case directory\n"
	    "			set -a offered (__fish_complete_directories \"$rest\")\n"
	    "		case hostname\n"
	    "			set -a offered (__fish_print_hostnames)\n"
	    "		case user\n"
	    "			set -a offered (__fish_complete_users)\n"
	    "	end\n"
	    "	string join \\n -- \"$before\"$offered\n"
	    "end\n"
	    "complete -c udpace -f -a '(__udpace)'\n" },
};

static int
run(const struct pace_cmd *cmd, void *cfg, int argc, char **argv, int all_argc, char **all_argv)
{
	(void)cfg; (void)argc; (void)all_argc; (void)all_argv;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(argv[0], shells[i].name) == 0) {
			fputs(shells[i].script, stdout);
			return PACE_EXIT_OK;
		}
	pace_complain("%s: '%.60s' is not bash, zsh or fish", cmd->name, argv[0]);
	return PACE_EXIT_USAGE;
}

static const char *const examples[] = {
	"# for this shell",
	"eval \"$(udpace completion bash)\"",
	"# for all later shells, if it is not installed",
	"udpace completion fish >~/.config/fish/completions/udpace.fish",
	NULL
};

const struct pace_cmd pace_cmd_completion = {
	"completion", "print a script that completes command lines", "bash|zsh|fish", 1, 1,
	NULL, 0, examples, sizeof(struct completion_cfg), run, NULL,
};
