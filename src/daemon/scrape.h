/*
 * scrape.h - the counts over HTTP, for Prometheus and what reads the same.
 *
 * Purpose    GET /metrics, and nothing else.
 * Bounds     16 connections, 4 of one host: one more ends the oldest, so that slow ones keep
 *            nobody out; 5 s each without a byte, 16 KiB of memory for one.
 * Threads    one of the library's, from pace_scrape_begin on.
 */
#ifndef PACE_DAEMON_SCRAPE_H
#define PACE_DAEMON_SCRAPE_H

#include "core/err.h"
#include "live/totals.h"

struct pace_scrape_cfg {
	void	(*totals)(void *ctx, struct pace_totals *t);	/* any thread */
	void	*ctx;
};

struct pace_scrape;

/* where: [ADDR:]PORT, an IPv6 address in brackets; without one 127.0.0.1.  -ENOSYS: built
 * without the library. */
int	pace_scrape_open(struct pace_scrape **s, const char *where,
	    const struct pace_scrape_cfg *cfg, struct pace_err *err);

/* Could where be one?  No socket is opened; the same errors. */
int	pace_scrape_check(const char *where, struct pace_err *err);

/* The socket is there; serve who comes.  NULL will do.  -errno. */
int	pace_scrape_begin(struct pace_scrape *s);
void	pace_scrape_close(struct pace_scrape *s);	/* NULL will do */

#endif
