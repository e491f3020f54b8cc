#include "config.h"

#include "opt/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
pace_call(const struct pace_cmd *cmd, int argc, char **argv, int all_argc, char **all_argv)
{
	void *cfg = malloc(cmd->cfg_size);
	int first, status = PACE_EXIT_OK;

	if (cfg == NULL) {
		pace_complain("%s: %s", cmd->name, strerror(errno));
		return PACE_EXIT_NO_RESULT;
	}
	first = pace_opt_parse(cmd, cfg, argc, argv);
	if (first < 0)
		status = first == -2 ? PACE_EXIT_OK : PACE_EXIT_USAGE;	/* -2: --help */
	else if (all_argv != NULL) {
		((struct pace_given *)cfg)->argc = all_argc;
		((struct pace_given *)cfg)->argv = all_argv;
		status = cmd->run(cmd, cfg, argc - first, argv + first, all_argc, all_argv);
	}
	free(cfg);
	return status;
}
