/*
 * time_text.h - format times and spans for people: "1:02:03", "60 s", "10:11:12Z".
 *
 * Units      ns.
 * Memory     the caller's buffer, which is returned.
 */
#ifndef PACE_OUT_TIME_TEXT_H
#define PACE_OUT_TIME_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* "1:23", "1:02:03"; below 0 is "-". */
char	*pace_clock_text(int64_t ns, char *buf, size_t size);
/* "60 s", "200 ms", "12:30"; whole seconds if the span is close to a whole number */
const char	*pace_span_text(int64_t ns, char buf[40]);
/* "10:11:12Z" */
char	*pace_day_text(int64_t at_ns, char *buf, size_t size);

#endif
