/*
 * tcp_text.h - print TCP runs for people: the request, a row or a block for each direction, and what
 * limited the rate, in a sentence.
 *
 * Rule       as in text.h.   Errors  0 or -errno of the stream.
 */
#ifndef PACE_OUT_TCP_TEXT_H
#define PACE_OUT_TCP_TEXT_H

#include <stdio.h>

#include "doc/tcp.h"

int	pace_tcp_text_head(FILE *f, const struct pace_result *r, const struct pace_tcp_params *asks,
	    size_t n, bool utf8);
int	pace_tcp_text_row_head(FILE *f, bool utf8);
int	pace_tcp_text_row(FILE *f, const struct pace_tcp_point *p, bool utf8);
/* each: also a line for each connection. */
int	pace_tcp_text_point(FILE *f, const struct pace_tcp_point *p, bool each, bool utf8);

/* Write what limited the rate of a direction, with its proof, into buf (512 bytes are enough), and
 * return it. */
char	*pace_tcp_why(const struct pace_tcp_point *p, bool down, char *buf, size_t size);

/* The same of the comparison with the result of UDP; "" if there is none. */
char	*pace_tcp_beside(const struct pace_tcp_point *p, bool down, char *buf, size_t size);

#endif
