/*
 * udpace - the main program: runs the subcommand, and checks that its output was
 * written completely.
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
#include "opt/completion.h"
#include "opt/foreign.h"
#include "opt/suggest.h"
#include "out/say.h"
#include "plat/filter.h"
#include "plat/names.h"
#include "plat/thread.h"
#include "run/campaign_find.h"
#include "run/stop.h"

const struct pace_cmd *const pace_cmds[] = {
	&pace_cmd_respond,
	&pace_cmd_throughput,
	&pace_cmd_capacity,
	&pace_cmd_campaign,
	&pace_cmd_latency,
	&pace_cmd_tcp,
	&pace_cmd_clock,
	&pace_cmd_send,
	&pace_cmd_receive,
	&pace_cmd_capture,
	&pace_cmd_monitor,
	&pace_cmd_watch,
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
	"# on this host: 1472 bytes every 12.5 us for 10 s, just below 1 Gbit/s",
	"udpace throughput hostb --spacing 12.5us",
	"# round-trip times by frame size",
	"udpace latency hostb",
	"# client and responder on this host, to try it",
	"udpace demo",
};

static void
top_help(void)
{
	printf("usage: udpace COMMAND [OPTION...] [OPERAND...]\n\n"
	    "Stream UDP frames at an exact spacing and account for every frame.\n\n"
	    "Examples:\n");
	for (size_t i = 0; i < sizeof(top_examples) / sizeof(top_examples[0]); i++)
		printf("  %s\n", top_examples[i]);
	printf("\nCommands:\n");
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		printf("  %-12s%s\n", (*c)->name, (*c)->summary);
	printf("  %-12s%s\n", "help", "explain a command: udpace help COMMAND");
	printf("  %-12s%s\n", "version", "print the version");
	printf("\nOptions:\n"
	    "  -h, --help     this text\n"
	    "  -V, --version  the version\n"
	    "\nMore: udpace COMMAND --help, man udpace\n");
}

static int
see_help(void)
{
	pace_hint("see 'udpace --help'");
	return PACE_EXIT_USAGE;
}

static int
unknown_command(const char *name)
{
	const char *ours = pace_foreign_command(name);
	struct pace_nearest n;

	if (ours != NULL) {
		pace_complain("no command '%.60s'; write 'udpace %s'", name, ours);
		return see_help();
	}
	pace_nearest_start(&n, name, strlen(name));
	for (const struct pace_cmd *const *c = pace_cmds; *c != NULL; c++)
		pace_nearest_try(&n, (*c)->name);
	pace_nearest_try(&n, "help");
	pace_nearest_try(&n, "version");
	if (n.best != NULL)
		pace_complain("no command '%.60s'; did you mean '%s'?", name, n.best);
	else
		pace_complain("no command '%.60s'", name);
	return see_help();
}

/* Print the version and the optional parts that this build lacks. */
static int
version(void)
{
	printf("udpace %s\n", PACKAGE_VERSION);
#ifdef STATIC_PROGRAM
	puts("static: host names come from /etc/hosts and DNS, users from /etc/passwd");
#endif
	if (pace_filter_lacks() != NULL)
		printf("respond does not filter its system calls: %s\n", pace_filter_lacks());
#ifndef HAVE_MICROHTTPD
	puts("no respond --metrics: built without libmicrohttpd");
#endif
#ifndef HAVE_PCAP
	puts("no captures: built without libpcap");
#endif
#ifndef HAVE_CURSES
	puts("no screen of the monitor: built without ncursesw");
#endif
#ifndef HAVE_INIH
	puts("no campaign and policy files: built without inih");
#endif
#ifndef HAVE_ZLIB
	puts("no export --format hdr: built without zlib");
#endif
	return PACE_EXIT_OK;
}

static bool
asks_for_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* help and version have no options, so they are not in the command table. */
static int
help(int argc, char **argv)
{
	const struct pace_cmd *cmd = argc > 1 ? pace_cmd_find(argv[1]) : NULL;

	if (argc > 2) {
		pace_complain("help: '%.60s' is one operand too many", argv[2]);
		return see_help();
	}
	if (argc > 1 && cmd == NULL && !asks_for_help(argv[1]) && strcmp(argv[1], "help") != 0 &&
	    strcmp(argv[1], "version") != 0)
		return unknown_command(argv[1]);
	if (cmd != NULL)
		pace_opt_help(stdout, cmd);
	else
		top_help();
	return PACE_EXIT_OK;
}

static int
version_command(int argc, char **argv)
{
	if (argc < 2)
		return version();
	if (argc == 2 && asks_for_help(argv[1])) {
		top_help();
		return PACE_EXIT_OK;
	}
	pace_complain("version: '%.60s' is one operand too many", argv[1]);
	return see_help();
}

static int
option_before_command(const char *given)
{
	struct pace_nearest n;
	struct pace_foreign f;

	if (asks_for_help(given)) {
		top_help();
		return PACE_EXIT_OK;
	}
	if (strcmp(given, "--version") == 0 || strcmp(given, "-V") == 0)
		return version();
	if (pace_foreign_option(NULL, given, strlen(given), &f)) {
		pace_complain("no option '%.60s'", given);
		pace_hint("%s", f.text);
		return see_help();
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

/* all_argv is argv before the options were moved to the front. */
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
	if (strcmp(argv[1], "version") == 0)
		return version_command(argc - 1, argv + 1);
	if (strcmp(argv[1], "__complete") == 0)		/* called by the completion scripts */
		return pace_complete(stdout, argc - 2, argv + 2) ? pace_campaign_list(true) : 0;
	if (argc == 3 && strcmp(argv[1], "__options") == 0 && pace_cmd_find(argv[2]) != NULL) {
		pace_opt_rows(stdout, pace_cmd_find(argv[2]));	/* called by
								 * tests/lib/options.awk */
		return PACE_EXIT_OK;
	}
	cmd = pace_cmd_find(argv[1]);
	if (cmd == NULL)
		return unknown_command(argv[1]);
	return pace_call(cmd, argc - 1, argv + 1, argc, all_argv);
}

/* Report an error of stdout: a full disk must not look like success. */
static int
close_stdout(int status)
{
	if (pace_stop == SIGPIPE)	/* the reader is gone: no message */
		return status == 0 ? pace_stop_status() : status;
	if (fflush(stdout) == EOF)
		pace_complain("standard output: %s", strerror(errno));
	else if (ferror(stdout))
		pace_complain("standard output: could not be written");
	else
		return status;
	return status == 0 ? PACE_EXIT_NO_RESULT : status;
}

/* Keep descriptors 0 to 2 occupied, so that no socket gets the number of a closed standard
 * stream.  Open them for reading only: writing to one still fails as before. */
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

/* Wrap a message on a terminal like a table; its later lines are indented. */
static void
print_wrapped(const char *line)
{
	size_t indent = strspn(line, " ");
	char first[16];

	snprintf(first, sizeof(first), "%.*s", (int)indent, line);
	pace_say_wrapped(&(struct pace_say){ stderr, pace_say_utf8() },
	    strncmp(line, "udpace: ", 8) == 0 ? "udpace: " : first,
	    line + (strncmp(line, "udpace: ", 8) == 0 ? 8 : indent));
}

int
main(int argc, char **argv)
{
	char **all_argv = calloc((size_t)argc + 1, sizeof(*all_argv));
	int status;

	if (all_argv == NULL)
		return PACE_EXIT_NO_RESULT;
	hold_streams();
	memcpy(all_argv, argv, (size_t)argc * sizeof(*argv));
	/* the parent may have ignored them; we wait for gnuplot, and `udpace ... | head` must
	 * end quietly */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	setlocale(LC_CTYPE, "");	/* for UTF-8 on the terminal; numbers keep the format of
					 * "C" */

	if (isatty(STDERR_FILENO))
		pace_complain_layout(print_wrapped);
	pace_thread_small_pages();
	pace_names_begin();
	if (pace_oplog_is_journal())
		pace_complain_mark("<3>");	/* the level "error" of sd-daemon(3) */
	status = close_stdout(dispatch(argc, argv, all_argv));
	free(all_argv);
	return status;
}
