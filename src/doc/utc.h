/*
 * utc.h - times of day in documents and logs: RFC 3339, UTC, milliseconds.
 */
#ifndef PACE_DOC_UTC_H
#define PACE_DOC_UTC_H

#include <stddef.h>
#include <stdint.h>

#define PACE_UTC_SIZE	25

/* Write wall_ns, ns since 1970, into buf and return it. */
char	*pace_utc_text(int64_t wall_ns, char *buf, size_t size);
/* Read a time of day with whole seconds or with up to nine decimals, as a user writes it.  0;
 * -EINVAL: text is no RFC 3339 time of UTC ("Z"). */
int	pace_utc_parse(const char *text, int64_t *wall_ns);

/* Return ns since 1970; 0: text is not such a time, with milliseconds. */
int64_t	pace_utc_read(const char *text);

#endif
