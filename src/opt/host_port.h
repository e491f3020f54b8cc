/*
 * host_port.h - an operand HOST[:PORT].
 *
 * Errors     printed.
 */
#ifndef PACE_OPT_HOST_PORT_H
#define PACE_OPT_HOST_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Divide HOST:PORT or [ADDRESS]:PORT; *port 0: there is none.  form: the operand, as in the
 * usage.  False after an error message. */
bool	pace_host_port(const char *text, const char *form, char *host, size_t size, int64_t *port);

#endif
