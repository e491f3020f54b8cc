/*
 * watch_plan.h - the paths that udpace watch keeps, from the command line or a file.
 *
 * File       INI.  Each section is a path, its name (letters, digits, '-', '_') that of the path.
 *            host is the far end (default: the section's name); each other key is one of the
 *            options in pace_watch_keys, for this path.  ';' and '#' begin comments.
 * STAMP      a path with stamp = yes is one to a reflector: it has no key, but it may have a
 *            stamp-key, or twamp-light; others have neither.  key, stamp-key and twamp-light of the
 *            command line are those of the paths that can have them.
 * Operands   one with a '/' in it, or that ends with ".ini", is a file; all others are hosts.
 * Errors     a message on stderr; an exit status.
 * Memory     malloced; pace_watch_plan_free also accepts an empty plan.
 * Trust      the file may contain anything.
 */
#ifndef PACE_RUN_WATCH_PLAN_H
#define PACE_RUN_WATCH_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "run/peer.h"
#include "run/sink.h"

#define PACE_WATCH_PATHS	10000
#define PACE_WATCH_NAME		256

/* The options of the command; those of pace_watch_keys can differ by path. */
struct pace_watch_opts {
	struct pace_given given;
	struct pace_net_opts net;
	int64_t		size, spacing, exchange, interval, duration;
	const char	*metrics;	/* [ADDR:]PORT; NULL: none */
	const char	*state;		/* file with the counts; NULL: none */
	const char	*status;	/* path of the status socket; NULL: none */
	struct pace_sink_cfg sink;
};

extern const char *const pace_watch_keys[];	/* NULL ends them */

struct pace_watch_target {
	char		name[PACE_WATCH_NAME];
	char		*host;
	char		*key, *stamp_key;	/* copies of those in opts.net; NULL: none */
	struct pace_watch_opts opts;
};

struct pace_watch_plan {
	size_t		n;
	struct pace_watch_target *v;
};

int	pace_watch_plan_make(struct pace_watch_plan *p, const struct pace_cmd *cmd,
	    const struct pace_watch_opts *opts, char *const *operands, int n);
/* Does the command line name a file with paths? */
bool	pace_watch_plan_is_file(char *const *operands, int n);

/* A copy: 0 or -ENOMEM.  Is anything but the contents of its key file different? */
int	pace_watch_target_copy(struct pace_watch_target *to, const struct pace_watch_target *from);
void	pace_watch_target_free(struct pace_watch_target *t);
/* Host and options, as one line without the key. */
void	pace_watch_target_text(const struct pace_watch_target *t, char *buf, size_t size);
#define PACE_WATCH_TEXT	512
bool	pace_watch_target_same(const struct pace_watch_target *a, const struct pace_watch_target *b);

void	pace_watch_plan_free(struct pace_watch_plan *p);

#endif
