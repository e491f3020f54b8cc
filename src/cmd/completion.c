/*
 * completion - prints the script that completes command lines in a shell.
 */
#include "config.h"

#include "opt/completion.h"

#include <string.h>

#include "cmd/cmds.h"

struct completion_cfg {
	struct pace_given given;
};

static const struct {
	const char	*name;
	void		(*print)(FILE *f);
} shells[] = {
	{ "bash", pace_completion_bash },
	{ "zsh", pace_completion_zsh },
	{ "fish", pace_completion_fish },
};

static int
run(const struct pace_cmd *cmd, void *cfg, int argc, char **argv, int all_argc, char **all_argv)
{
	(void)cfg; (void)argc; (void)all_argc; (void)all_argv;
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strcmp(argv[0], shells[i].name) == 0) {
			shells[i].print(stdout);
			return 0;
		}
	pace_complain("%s: '%.60s' is not bash, zsh or fish", cmd->name, argv[0]);
	return 2;
}

static const char *const examples[] = {
	"# in this shell, now",
	"eval \"$(udpace completion bash)\"",
	"# for good, where it is not installed",
	"udpace completion fish >~/.config/fish/completions/udpace.fish",
	NULL
};

const struct pace_cmd pace_cmd_completion = {
	"completion", "print a script that completes command lines", "bash|zsh|fish", 1, 1,
	NULL, 0, examples, sizeof(struct completion_cfg), run, NULL,
};
