/*
 * tcp_sock.h - TCP sockets: options and what the kernel tells of a connection.
 *
 * Purpose    private to plat/tcp_*.c, except pace_tcp_listen.
 * Errors     -errno.
 */
#ifndef PACE_PLAT_TCP_SOCK_H
#define PACE_PLAT_TCP_SOCK_H

#include <poll.h>

#include "core/tcp.h"

/* Open a socket that listens for TCP at this address (family 0: all) and port; -errno. */
int	pace_tcp_listen(const struct pace_addr *local, uint16_t port);

/* Begin to connect; returns the socket, which does not block. */
int	pace_tcp_sock_connect(const struct pace_tcp_dial *d, const struct pace_tcp_params *p);
/* The failure of a connection attempt that is over: 0 or -errno. */
int	pace_tcp_sock_error(int fd);

/* Set what a connected socket needs for the run.  -ENOENT: this host does not have the congestion
 * control; -EPERM: it does not allow it. */
int	pace_tcp_sock_prepare(int fd, const struct pace_tcp_params *p, bool sends);

/* Read TCP_INFO; what the kernel does not have stays 0. */
void	pace_tcp_sock_info(int fd, struct pace_tcp_info *i);
void	pace_tcp_sock_buffers(int fd, uint32_t *sndbuf_bytes, uint32_t *rcvbuf_bytes);
void	pace_tcp_sock_algorithm(int fd, char name[PACE_TCP_ALGORITHM]);

/* Take the notices that zero-copy writes are complete; returns their number. */
int	pace_tcp_sock_completions(int fd);

#endif
