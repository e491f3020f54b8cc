/*
 * opt.h - one table a command: letters, ranges, defaults, help, completion.
 *
 * Purpose    everything about an option is said once, in its row; parsing,
 *            --help, error messages, the man page test and completion are
 *            derived from it.
 * Errors     a mistake is told on stderr in one to three lines that name
 *            the option, the text given and what is allowed; status 2.
 * Memory     strings point into argv; lists are inside the config struct.
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
	PACE_OPT_STR,		/* const char *; max > 0: at most so many bytes */
	PACE_OPT_DSCP,		/* int64_t, 0..63 or ef, cs0..cs7, af11..af43, le */
	PACE_OPT_DSCP_LIST,	/* struct pace_list of such, with ',' between them */
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
	const char	*def;		/* default as one would type it; NULL: none (0, false, NULL) */
	const char	*arg;		/* "SIZE" in --help; NULL for a flag */
	const char	*help;		/* one line, no full stop */
	const char	*group;		/* heading in --help; rows of a group stand together */
};

/* Every config struct starts with this. */
struct pace_given {
	uint64_t	bits;		/* row i was on the command line */
	int		argc;		/* the command line as typed, from the program on; */
	char		*const *argv;	/* 0, NULL: it was read from elsewhere */
};

struct pace_cmd {
	const char	*name;		/* "throughput" */
	const char	*summary;	/* one line */
	const char	*operands;	/* "HOST", "" */
	int		min_operands, max_operands;
	const struct pace_opt *opts;
	int		nopts;		/* at most 64 */
	const char	*const *examples;	/* lines, "# what" or a command; NULL ends */
	size_t		cfg_size;
	/* cfg is filled in; argv are the operands; all_* is the whole command
	 * line.  Returns the exit status. */
	int		(*run)(const struct pace_cmd *cmd, void *cfg, int argc,
			    char **argv, int all_argc, char **all_argv);
	const char	*instead;	/* the option that stands for the operands; NULL: none */
};

/* The commands, in the order of the help; NULL-terminated. */
extern const struct pace_cmd *const pace_cmds[];

/*
 * Defaults, then the command line (argv[0] is the command's name).  Returns
 * the index of the first operand (argv is permuted: operands come last), -1
 * after a mistake (told; exit 2) or -2 after --help (printed; exit 0).
 */
int	pace_opt_parse(const struct pace_cmd *cmd, void *cfg, int argc, char **argv);

/* The row of this name; NULL: there is none. */
const struct pace_opt	*pace_opt_find(const struct pace_cmd *cmd, const char *name);

bool	pace_opt_given(const struct pace_cmd *cmd, const void *cfg, const char *name);

/* --help (all, grouped, with defaults and ranges) and -h (one screen with
 * the examples first) of a command. */
void	pace_opt_help(FILE *f, const struct pace_cmd *cmd);
void	pace_opt_short_help(FILE *f, const struct pace_cmd *cmd);

/* "udpace: " + message on stderr; the second is the indented hint line. */
void	pace_complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void	pace_hint(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* On stderr such lines begin with this; NULL: with nothing. */
void	pace_complain_mark(const char *mark);

/* From now on such lines, without their end, go there; NULL: to stderr again.  One thread. */
/* The same without who says it: no mistake, but worth a line. */
void	pace_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* All of these lines go there, too; NULL: no more. */
void	pace_complain_echo(void (*take)(const char *line));
void	pace_complain_to(void (*take)(void *ctx, const char *line), void *ctx);

#endif
