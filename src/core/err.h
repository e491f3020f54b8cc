/*
 * err.h - how a function below the command line reports an error.
 *
 * Purpose    one convention: 0 or a positive count on success, -errno on
 *            failure, the failing step in a struct that the caller owns.
 * Memory     fixed; step points at a string constant, text is a copy.
 * Threads    none: one struct per caller.
 * Trust      text may hold words of the peer; it is cleaned of control
 *            characters when it is set, never when it is printed.
 */
#ifndef PACE_CORE_ERR_H
#define PACE_CORE_ERR_H

#include <stddef.h>
#include <string.h>

struct pace_err {
	int		code;		/* errno value, 0: nothing failed */
	const char	*step;		/* the step that failed, never NULL after a failure */
	char		text[192];	/* a message for the user, "": none */
};

/* Record a failure; err may be NULL.  Returns -code. */
int	pace_fail(struct pace_err *err, int code, const char *step);

/* Record a failure with a printf message for the user. */
int	pace_failf(struct pace_err *err, int code, const char *step,
	    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The message for the user: the text, or else the system's message for the code.
 * Inline, so that core itself does not call strerror, which may use a static buffer. */
static inline const char *
pace_err_why(const struct pace_err *err)
{
	return err->text[0] != '\0' ? err->text : strerror(err->code);
}

/*
 * Copy text from outside for a terminal or a document: control characters
 * (C0, DEL, and bytes that are not UTF-8, C1 included) become '?'.  Always
 * terminated when size > 0.
 */
void	pace_clean(char *to, size_t size, const char *from, size_t len);

#endif
