/*
 * watch_own.h - the watched paths and their list; private to watch.c and watch_reload.c.
 *
 * Order      v has the paths of the plan, in its order, then those that were removed and still
 *            end.  Only the first ones have their names looked up and are shown.
 * Threads    the thread that sends owns all of it.  During a reload another thread reads target and
 *            path.c.key of the paths, and has stays, next_keys and next_key for itself.
 */
#ifndef PACE_RUN_WATCH_OWN_H
#define PACE_RUN_WATCH_OWN_H

#include <pthread.h>

#include "core/due.h"
#include "plat/sock.h"
#include "proto/keys.h"
#include "proto/stamp_keys.h"
#include "run/lookup.h"
#include "run/watch.h"

#define WATCH_BEGIN_NS	INT64_C(2000000)	/* between the first HELLOs of two paths */

struct watch_peer {
	struct pace_watch_path path;
	struct pace_watch_run *all;
	struct pace_watch_target target;	/* a copy */
	struct pace_keys keys;
	struct pace_stamp_keys stamp_keys;
	struct pace_stamp_session *stamp;	/* NULL: the far end is a responder */
	struct pace_sock sock;
	bool		open, failed;		/* the socket; the last look-up or opening failed */
	struct pace_addr addr;
	struct pace_err err;
	int64_t		names_ns;		/* when the name is looked up next */
	bool		said_down;
	size_t		number;			/* no other path of this run has it */
	double		phase;			/* of the schedule, 0 to 1 of its spacing */
	int64_t		since_ns;		/* when it joined, from the begin of the watch */
	struct pace_watched *before;		/* counted before this process; NULL: nothing */
	struct pace_watch_shown *shown;		/* for other threads, under lock; NULL: for none */
	bool		stays;
	struct pace_keys next_keys;		/* its key file has another key now: */
	const struct pace_key *next_key;	/* NULL: it has not */
	struct pace_stamp_keys next_stamp_keys;	/* the same by STAMP */
	const struct pace_stamp_key *next_secret;
};

struct watch_list {
	size_t		n, paths;		/* all; of the plan */
	struct watch_peer **v;
	struct pace_due	frames, work;		/* when those of each are due; beyond n: never */
	void		*memory;		/* of both */
	struct pace_lookup *lookup;
	size_t		named;			/* whose name was looked at last */
};

/* How long before a frame the thread wakes. */
struct watch_lead {
	int64_t		ns;
	int64_t		at_ns;			/* when it woke last */
	int64_t		excess_ns;
};

struct watch_reload;

struct pace_watch_run {
	struct pace_watch_run_cfg cfg;
	struct watch_list l;
	size_t		numbers;		/* given so far */
	int64_t		begin_ns;
	struct watch_lead lead;
	bool		ending;
	pthread_mutex_t	lock;			/* of shown, and of l while others read shown */
	struct watch_reload *reload;		/* under way; NULL: none */
};

/* Make a path; nothing is sent.  An exit status; the caller frees *p in any case. */
int	watch_peer_make(struct watch_peer **p, struct pace_watch_run *r,
	    const struct pace_watch_target *t, double phase);
void	watch_peer_number(struct watch_peer *p);		/* give it a number */
void	watch_peer_free(struct watch_peer *p);	/* NULL is accepted */

/* A list with room for n paths, of which the first `paths` have names: 0 or -ENOMEM. */
int	watch_list_make(struct watch_list *l, size_t n, size_t paths);
void	watch_list_free(struct watch_list *l);	/* without the paths */

/* Allow this process to open a socket for each of n paths; false after a message. */
bool	watch_allow_files(size_t n);

/* Copy times that the schedule needs from path i. */
void	watch_refresh(struct pace_watch_run *r, size_t i);
/* Open a socket to this address and go on with it. */
void	watch_connect(struct pace_watch_run *r, size_t i, const struct pace_addr *to, int64_t now);

/* Begin to read the plan again, if that was requested, or use it when it is there. */
void	watch_reload_turn(struct pace_watch_run *r, int64_t now);
/* Wait for a reload under way, and forget it. */
void	watch_reload_drop(struct pace_watch_run *r);

#endif
