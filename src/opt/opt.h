/*
 * opt.h - one table per command: letters, ranges, defaults, help, completion.
 *
 * Purpose    everything about an option is stated once, in its row; parsing,
 *            --help, error messages, the man page test and completion are
 *            derived from it.
 * Errors     a mistake is printed on stderr in one to three lines that name
 *            the option, the text given and the allowed values; status 2.
 */
#ifndef PACE_OPT_OPT_H
#define PACE_OPT_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/units.h"

/* Exit status of every command; udpace(1) says when. */
enum { PACE_EXIT_OK = 0, PACE_EXIT_NOT_USABLE = 1, PACE_EXIT_USAGE = 2,
	PACE_EXIT_NO_RESULT = 3, PACE_EXIT_PARTIAL = 4 };

#define PACE_LIST_MAX	1024
struct pace_list {
	int	n;
	int64_t	v[PACE_LIST_MAX];
};

enum pace_opt_kind {
	PACE_OPT_FLAG,		/* bool */
	PACE_OPT_NUM,		/* int64_t, one quantity */
	PACE_OPT_LIST,		/* struct pace_list of quantities */
	PACE_OPT_STR,		/* const char *; max > 0: at most max bytes */
	PACE_OPT_DSCP,		/* int64_t, 0..63 or ef, cs0..cs7, af11..af43, le */
	PACE_OPT_DSCP_LIST,	/* struct pace_list of DSCP values, separated by ',' */
	PACE_OPT_LINEAR,		/* struct pace_linear_hist_arg: LOW:WIDTH:BINS, times */
	PACE_OPT_CHOICE		/* int64_t, index of a word of arg, "one|other|third" */
};

struct pace_linear_hist_arg {
	int64_t	low, width, bins;	/* ns, ns, count; bins 0: not given */
};

struct pace_opt {
	const char	*name;		/* long name */
	char		letter;		/* 0: none */
	enum pace_opt_kind kind;
	size_t		at;		/* offset in the config struct */
	enum pace_unit	unit;		/* NUM and LIST */
	int64_t		min, max;	/* in base units */
	const char	*def;		/* default as typed; NULL: none (0, false, NULL) */
	const char	*arg;		/* "SIZE" in --help; NULL for a flag */
	const char	*help;		/* one line, no full stop */
	const char	*group;		/* heading in --help; rows of a group stand together */
};

/* Every config struct starts with this. */
struct pace_given {
	uint64_t	bits[2];	/* row i was on the command line */
	int		argc;		/* the command line as typed, from the program's name on; */
	char		*const *argv;	/* 0, NULL: the values do not come from a command line */
};

struct pace_cmd {
	const char	*name;		/* "throughput" */
	const char	*summary;	/* one line */
	const char	*operands;	/* "HOST", "" */
	int		min_operands, max_operands;
	const struct pace_opt *opts;
	int		nopts;		/* at most 128 */
	const char	*const *examples;	/* lines, "# what" or a command; NULL ends */
	size_t		cfg_size;
	/* Run the command: cfg is filled in, argv has the operands, all_* is the
	 * whole command line.  Returns the exit status. */
	int		(*run)(const struct pace_cmd *cmd, void *cfg, int argc,
			    char **argv, int all_argc, char **all_argv);
	const char	*instead;	/* option that replaces the operands; NULL: none */
};

/* The commands, in the order of the help; NULL ends the list. */
extern const struct pace_cmd *const pace_cmds[];

/*
 * Set defaults, then parse the command line (argv[0] is the command's name).
 * Returns the index of the first operand (argv is permuted: operands come last),
 * -1 after a mistake (printed; exit 2) or -2 after --help (printed; exit 0).
 */
int	pace_opt_parse(const struct pace_cmd *cmd, void *cfg, int argc, char **argv);

/* Find the row of an option; NULL: no such option. */
const struct pace_opt	*pace_opt_find(const struct pace_cmd *cmd, const char *name);

/* Record that an option of the command was on the command line; ask whether it was. */
void	pace_opt_mark(const struct pace_cmd *cmd, void *cfg, const struct pace_opt *o);
bool	pace_opt_given(const struct pace_cmd *cmd, const void *cfg, const char *name);

/* Were both options given, although they exclude each other?  If so, prints an error. */
bool	pace_opt_both(const struct pace_cmd *cmd, const void *cfg, const char *a, const char *b,
	    const char *why);

/* Print --help (all options, grouped, with defaults and ranges) or -h (one screen that begins
 * with the examples) of a command. */
void	pace_opt_help(FILE *f, const struct pace_cmd *cmd);
void	pace_opt_short_help(FILE *f, const struct pace_cmd *cmd);

/* Print one line per option, for programs: group, letter, name, argument, range, default and the
 * unit of a bare number, separated by tabs.  The man pages are generated from it. */
void	pace_opt_rows(FILE *f, const struct pace_cmd *cmd);

/* Print "udpace: " and the message on stderr; or an indented line with a hint. */
void	pace_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void	pace_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print such lines by this function instead of as they are, for a terminal. */
void	pace_complain_layout(void (*print)(const char *line));
/* Set the text before each such line on stderr; NULL: none. */
void	pace_complain_mark(const char *mark);

/* Print a line without "udpace: ": not a mistake, but worth knowing. */
void	pace_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Pass each of these lines to take as well; NULL: stop. */
void	pace_complain_echo(void (*take)(const char *line));
/* From now on pass such lines, without their newline, to take instead of stderr; NULL: stderr
 * again.  For one thread. */
void	pace_complain_to(void (*take)(void *ctx, const char *line), void *ctx);

#endif
