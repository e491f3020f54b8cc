/*
 * lookup.h - look up host names in a thread, because a look-up may take seconds.
 *
 * Purpose    the sending thread asks, and fetches the answers later.
 * Memory     malloced.  A look-up under way keeps its memory until it ends.
 * Threads    one of its own; all functions are for one other thread.
 */
#ifndef PACE_RUN_LOOKUP_H
#define PACE_RUN_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "core/err.h"
#include "core/io.h"

#define PACE_LOOKUP_MAX	16	/* addresses of a name */

struct pace_looked_up {
	int		n;		/* addresses; or -errno, with the reason in err */
	struct pace_addr v[PACE_LOOKUP_MAX];
	struct pace_err	err;
};

struct pace_lookup;

/* For names 0 .. n - 1; NULL: no memory, or no thread. */
struct pace_lookup	*pace_lookup_new(size_t n);
void	pace_lookup_free(struct pace_lookup *l);

/* Look up host; an earlier request for name i whose answer was not fetched yet stays. */
void	pace_lookup_ask(struct pace_lookup *l, size_t i, const char *host, int family, uint16_t port);

/* Fetch a new answer for any name; false: there is none. */
bool	pace_lookup_take(struct pace_lookup *l, size_t *i, struct pace_looked_up *answer);

#endif
