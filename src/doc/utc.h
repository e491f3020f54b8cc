/*
 * utc.h - times of day as documents and logs have them: RFC 3339, UTC, milliseconds.
 */
#ifndef PACE_DOC_UTC_H
#define PACE_DOC_UTC_H

#include <stddef.h>
#include <stdint.h>

#define PACE_UTC_SIZE	25

/* ns since 1970. */
char	*pace_utc_text(int64_t wall_ns, char *buf, size_t size);
/* Back; 0: text is none. */
int64_t	pace_utc_read(const char *text);

#endif
