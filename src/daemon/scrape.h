/*
 * scrape.h - metrics over HTTP, for Prometheus and compatible programs.
 *
 * Purpose    serves only GET /metrics.
 * Bounds     16 connections, 4 per host; a further one ends the oldest, so slow clients
 *            cannot block others; 5 s without a byte end a connection; 16 KiB of memory
 *            each.
 * Threads    one thread of the library, from pace_scrape_begin on.
 */
#ifndef PACE_DAEMON_SCRAPE_H
#define PACE_DAEMON_SCRAPE_H

#include <stddef.h>

#include "core/err.h"

struct pace_scrape_cfg {
	/* Return the malloced text; NULL: no memory.  Called in the library's thread. */
	char	*(*text)(void *ctx, size_t *size);
	void	*ctx;
};

struct pace_scrape;

/* Create the socket.  where: [ADDR:]PORT, an IPv6 address in brackets; default 127.0.0.1.
 * -ENOSYS: built without the library. */
int	pace_scrape_open(struct pace_scrape **s, const char *where,
	    const struct pace_scrape_cfg *cfg, struct pace_err *err);

/* Check where without opening a socket; errors as above. */
int	pace_scrape_check(const char *where, struct pace_err *err);

/* Serve the open socket.  NULL is accepted.  -errno. */
int	pace_scrape_begin(struct pace_scrape *s);
void	pace_scrape_close(struct pace_scrape *s);	/* NULL is accepted */

#endif
