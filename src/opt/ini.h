/*
 * ini.h - read files of [sections] with key = value, and reject all other lines.
 *
 * Shape      a section begins in the first column, on a line of its own.  A line that
 *            begins with a blank continues the previous value.  Lines have at most
 *            198 bytes; a byte order mark is skipped.
 * Parser     inih; errors that it misses or describes badly are reported here, with
 *            the line.
 * Memory     none.
 * Errors     a text in why: reading stops there.
 */
#ifndef PACE_OPT_INI_H
#define PACE_OPT_INI_H

#include <stdbool.h>
#include <stdio.h>

struct pace_ini {
	/* set by the caller, see pace_ini_read */
	const char	*section;		/* name of a section in messages: "rule" */
	const char	*shape, *unclosed;	/* messages for a line of no known form, for "[a" */
	bool		comments_anywhere;	/* start at any ; or #; false: at the line's start
						 * and at a ; after a blank */
	/* Return false to reject the line, after pace_ini_fail. */
	bool		(*begin)(struct pace_ini *ini, const char *name);
	bool		(*value)(struct pace_ini *ini, const char *key, const char *value);
	void		*ctx;

	int		line;		/* the current line; 0: none */
	bool		indented;	/* it begins with a blank */
	bool		has_value;	/* an indented line would continue its last value */
	char		why[208];	/* "": no error so far */
	FILE		*f;		/* private */
};

/* Was udpace built with inih?  Without it no file can be read. */
bool	pace_ini_works(void);

/* Read the whole file f. */
void	pace_ini_read(struct pace_ini *ini, FILE *f);

/* Set why, unless it is set already; returns false. */
bool	pace_ini_fail(struct pace_ini *ini, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The part in inih: return the line of its first error, or 0. */
int	pace_ini_parse(char *(*line)(char *text, int size, void *ini),
	    int (*value)(void *ini, const char *section, const char *key, const char *value),
	    void *ini);

/* Is text a name: letters, digits, '-' and '_', no '-' in front, fewer than size bytes? */
bool	pace_ini_is_name(const char *text, size_t size);

#endif
