/*
 * udpace - the program: picks the subcommand, sees that what was printed
 * arrived.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmds.h"
#include "daemon/oplog.h"
#include "opt/call.h"
#include "opt/suggest.h"
#include "plat/filter.h"
#include "run/stop.h"

enum { EXIT_USAGE = 2, EXIT_NO_RESULT = 3 };

const struct pace_cmd *const pace_cmds[] = {
	&pace_cmd_respond,
	&pace_cmd_throughput,
	&pace_cmd_capacity,
	&pace_cmd_campaign,
	&pace_cmd_latency,
	&pace_cmd_clock,
	&pace_cmd_capture,
	&pace_cmd_monitor,
	&pace_cmd_doctor,
	&pace_cmd_report,
	&pace_cmd_compare,
	&pace_cmd_export,
	&pace_cmd_key,
	&pace_cmd_demo,
	&pace_cmd_completion,
	NULL
};

static const char *const top_examples[] = {
	"# on the far host",
	"udpace respond",
	"# on this one: 1472 bytes every 12.5 us for 10 s, just below 1 Gbit/s",
	"udpace throughput hostb --spacing 12.5us",
	"# round trips against frame size",
	"udpace latency hostb",
	"# both on this host, to see what it does",
	"udpace demo",
};

static void
top_help(void)
{
	printf("usage: udpace COMMAND [OPTION...] [OPERAND...]\n\n"
	    "Stream UDP frames at an exact spacing and say what became of every one.\n\n"
	    "Examples:\n");
	for (size_t i = 0; i < sizeof(top_examples) / sizeof(top_examples[0]); i++)
		printf("  %s\n", top_examples[i]);
	printf("\nCommands:\n");
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		printf("  %-12s%s\n", (*c)->name, (*c)->summary);
	printf("  %-12s%s\n", "help", "explain a command: udpace help COMMAND");
	printf("\nOptions:\n"
	    "  -h, --help     this text\n"
	    "  -V, --version  the version\n"
	    "\nMore: udpace COMMAND --help, man udpace\n");
}

static int
see_help(void)
{
	pace_hint("see 'udpace --help'");
	return EXIT_USAGE;
}

static const struct pace_cmd *
find(const char *name)
{
	const struct pace_cmd *const *c = pace_cmds;

	while (*c != NULL && strcmp((*c)->name, name) != 0)
		c++;
	return *c;
}

static int
unknown_command(const char *name)
{
	struct pace_nearest n;

	pace_nearest_start(&n, name, strlen(name));
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		pace_nearest_try(&n, (*c)->name);
	pace_nearest_try(&n, "help");
	if (n.best != NULL)
		pace_complain("no command '%.60s'; did you mean '%s'?", name, n.best);
	else
		pace_complain("no command '%.60s'", name);
	return see_help();
}

static int
help(int argc, char **argv)
{
	const struct pace_cmd *cmd;

	if (argc < 2) {
		top_help();
		return 0;
	}
	if (argc > 2) {
		pace_complain("help: '%.60s' is one operand too many", argv[2]);
		return see_help();
	}
	cmd = find(argv[1]);
	if (cmd == NULL)
		return unknown_command(argv[1]);
	pace_opt_help(stdout, cmd);
	return 0;
}

static int
option_before_command(const char *given)
{
	struct pace_nearest n;

	if (strcmp(given, "--help") == 0 || strcmp(given, "-h") == 0) {
		top_help();
		return 0;
	}
	if (strcmp(given, "--version") == 0 || strcmp(given, "-V") == 0) {
		printf("udpace %s\n", PACKAGE_VERSION);
		if (pace_filter_lacks() != NULL)
			printf("respond does not filter its system calls: %s\n",
			    pace_filter_lacks());
		return 0;
	}
	pace_nearest_start(&n, given, strlen(given));
	pace_nearest_try(&n, "--help");
	pace_nearest_try(&n, "--version");
	if (n.best != NULL)
		pace_complain("no option '%.60s'; did you mean '%s'?", given, n.best);
	else
		pace_complain("'%.60s': options come after the command", given);
	return see_help();
}

/* all_argv is argv as it was before the options were put first. */
static int
dispatch(int argc, char **argv, char **all_argv)
{
	const struct pace_cmd *cmd;

	if (argc < 2) {
		pace_complain("needs a command");
		return see_help();
	}
	if (argv[1][0] == '-')
		return option_before_command(argv[1]);
	if (strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	cmd = find(argv[1]);
	if (cmd == NULL)
		return unknown_command(argv[1]);
	return pace_call(cmd, argc - 1, argv + 1, argc, all_argv);
}

/* A full disk must not look like a success. */
static int
close_stdout(int status)
{
	if (pace_stop == SIGPIPE)	/* nobody reads: that needs no words */
		return status == 0 ? pace_stop_status() : status;
	if (fflush(stdout) == EOF)
		pace_complain("standard output: %s", strerror(errno));
	else if (ferror(stdout))
		pace_complain("standard output: could not be written");
	else
		return status;
	return status == 0 ? EXIT_NO_RESULT : status;
}

/* A closed standard stream must not come back as a socket.  Open for reading
 * only: writing to it is still the mistake it was. */
static void
hold_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int
main(int argc, char **argv)
{
	char **all_argv = calloc((size_t)argc + 1, sizeof(*all_argv));
	int status;

	if (all_argv == NULL)
		return EXIT_NO_RESULT;
	hold_streams();
	memcpy(all_argv, argv, (size_t)argc * sizeof(*argv));
	signal(SIGCHLD, SIG_DFL);	/* who started us may have ignored it; we wait for gnuplot */
	signal(SIGPIPE, SIG_DFL);	/* `udpace ... | head` ends quietly, also when started with it ignored */
	setvbuf(stdout, NULL, _IOLBF, 0);
	setlocale(LC_CTYPE, "");	/* is the terminal's UTF-8?  Numbers stay those of "C" */

	if (pace_oplog_is_journal())
		pace_complain_mark("<3>");	/* sd-daemon(3): an error */
	status = close_stdout(dispatch(argc, argv, all_argv));
	free(all_argv);
	return status;
}
