/*
 * status_source.h - the monitor's input: a status socket, a recording that is replayed, or a
 * part of this process that needs no lines.
 *
 * Time       a recording runs at `speed` times the rate of the probe clock; speed 0: all of it
 *            at once.  A line without a time belongs to the next line that has one.
 * Errors     -errno, with a message in err.
 * Memory     a recording is read into memory: at most PACE_LINES_MOST bytes, PACE_LINES_N
 *            lines.
 * Trust      a file may contain anything: lines that cannot be valid are rejected at once, and
 *            the time for reading depends on its size only.
 * Threads    none.
 */
#ifndef PACE_LIVE_STATUS_SOURCE_H
#define PACE_LIVE_STATUS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define PACE_LINES_MOST		(INT64_C(1) << 30)	/* bytes in a file */
#define PACE_LINES_N		((size_t)1 << 23)	/* lines in a file: each has more than
							 * 128 bytes */
#define PACE_LINE_MOST		(INT64_C(1) << 24)	/* bytes in a line */

struct pace_status_source;
struct pace_status;
struct pace_status_head;

/* Connect to a responder's socket and request a line each interval_ns. */
int	pace_status_source_attach(struct pace_status_source **l, const char *path,
    int64_t interval_ns,
	    struct pace_err *err);
/* Open a recording; path "-": standard input. */
int	pace_status_source_replay(struct pace_status_source **l, const char *path, double speed,
    struct pace_err *err);
/* Try to connect again after the other side closed the socket: 0 or -errno. */
int	pace_status_source_reattach(struct pace_status_source *l);
/* An item: a line, or a status made in this process. */
struct pace_status_source_item {
	const char	*line;		/* NULL: none */
	size_t		len;
	const struct pace_status_head *head;	/* NULL: none */
	struct pace_status *status;	/* NULL: none */
};

/* Use a source in this process: next is called as pace_status_source_next, with ctx before
 * now_ns; fd is as for pace_status_source_fd and remains the caller's.  -ENOMEM. */
int	pace_status_source_made(struct pace_status_source **l, int fd,
	    int (*next)(void *ctx, int64_t now_ns, struct pace_status_source_item *item),
	    void *ctx);
void	pace_status_source_close(struct pace_status_source *l);	/* accepts NULL */

/* The file descriptor to wait for until it is readable; -1: wait for time only. */
int	pace_status_source_fd(const struct pace_status_source *l);
/* When the next line is due, on the probe clock; INT64_MAX: when fd is readable. */
int64_t	pace_status_source_due(const struct pace_status_source *l, int64_t now_ns);

/* Get the next item: 1, a line without its line end, valid until the next call; 0: none yet;
 * -ENODATA: no more will come; else -errno. */
int	pace_status_source_next(struct pace_status_source *l, int64_t now_ns,
    struct pace_status_source_item *item);

/* --- recordings --- */

/* Was the newest line delivered before, as after a seek back? */
bool	pace_status_source_again(const struct pace_status_source *l);
/* Invalid lines: they do not begin with '{', or are too long. */
uint64_t	pace_status_source_refused(const struct pace_status_source *l);
/* Times of day of the first and the last line, and of the current position. */
int64_t	pace_status_source_first(const struct pace_status_source *l);
int64_t	pace_status_source_last(const struct pace_status_source *l);
int64_t	pace_status_source_at(const struct pace_status_source *l, int64_t now_ns);
double	pace_status_source_speed(const struct pace_status_source *l);
void	pace_status_source_set_speed(struct pace_status_source *l, double speed, int64_t now_ns);
void	pace_status_source_hold(struct pace_status_source *l, bool hold, int64_t now_ns);
/* Go to a time of day; true: read the lines again from the first one. */
bool	pace_status_source_seek(struct pace_status_source *l, int64_t at_ns, int64_t now_ns);

#endif
