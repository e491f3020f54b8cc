/*
 * status_source.h - where the monitor learns what goes on: a status socket, a file of its lines
 * that is played with its own time, or a part of this process, which needs no lines.
 *
 * Time       of a file runs at speed times that of the probe clock; speed 0: all of
 *            it is there at once.  Lines without a time belong to the one behind them.
 * Errors     -errno and words in err.
 * Memory     a file is held whole: at most PACE_LINES_MOST bytes, and PACE_LINES_N lines.
 * Trust      a file may be anything: what cannot be a line is refused at once, and
 *            reading takes time by its size alone.
 * Threads    none.
 */
#ifndef PACE_LIVE_STATUS_SOURCE_H
#define PACE_LIVE_STATUS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define PACE_LINES_MOST		(INT64_C(1) << 30)	/* bytes of a file */
#define PACE_LINES_N		((size_t)1 << 23)	/* lines of a file: each has above 128 bytes */
#define PACE_LINE_MOST		(INT64_C(1) << 24)	/* bytes of a line */

struct pace_status_source;
struct pace_status;
struct pace_status_head;

/* Ask that responder for a line each interval_ns. */
int	pace_status_source_attach(struct pace_status_source **l, const char *path, int64_t interval_ns,
	    struct pace_err *err);
/* path "-": standard input. */
int	pace_status_source_replay(struct pace_status_source **l, const char *path, double speed, struct pace_err *err);
/* Of a socket whose other end is gone: is there one again?  0, -errno. */
int	pace_status_source_reattach(struct pace_status_source *l);
/* What came: a line, or what one in this process knows. */
struct pace_status_source_item {
	const char	*line;		/* NULL: none */
	size_t		len;
	const struct pace_status_head *head;	/* NULL: none */
	struct pace_status *status;	/* NULL: none */
};

/* Lines that somebody makes: next as pace_status_source_next, with ctx before now_ns; fd as
 * pace_status_source_fd, which stays his.  -ENOMEM. */
int	pace_status_source_made(struct pace_status_source **l, int fd,
	    int (*next)(void *ctx, int64_t now_ns, struct pace_status_source_item *item), void *ctx);
void	pace_status_source_close(struct pace_status_source *l);	/* NULL will do */

/* What to wait for: a file descriptor that can be read, -1: none, only time. */
int	pace_status_source_fd(const struct pace_status_source *l);
/* When the next line is due, on the probe clock; INT64_MAX: when fd can be read. */
int64_t	pace_status_source_due(const struct pace_status_source *l, int64_t now_ns);

/* 1: an item, its line without its end, valid until the next call; 0: none yet; -ENODATA: there will
 * be no more; else -errno. */
int	pace_status_source_next(struct pace_status_source *l, int64_t now_ns, struct pace_status_source_item *item);

/* --- of a file --- */

/* Was the newest line told before, too, as after a seek back? */
bool	pace_status_source_again(const struct pace_status_source *l);
/* Lines that are none: they begin with no '{', or are too long. */
uint64_t	pace_status_source_refused(const struct pace_status_source *l);
/* Times of day of its first and last line, and where it is now. */
int64_t	pace_status_source_first(const struct pace_status_source *l);
int64_t	pace_status_source_last(const struct pace_status_source *l);
int64_t	pace_status_source_at(const struct pace_status_source *l, int64_t now_ns);
double	pace_status_source_speed(const struct pace_status_source *l);
void	pace_status_source_set_speed(struct pace_status_source *l, double speed, int64_t now_ns);
void	pace_status_source_hold(struct pace_status_source *l, bool hold, int64_t now_ns);
/* To this time of day: true when lines must be read anew from the first. */
bool	pace_status_source_seek(struct pace_status_source *l, int64_t at_ns, int64_t now_ns);

#endif
