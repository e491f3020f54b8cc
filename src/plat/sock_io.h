/*
 * sock_io.h - the parts of struct pace_io on a socket, for plat itself:
 * receiving, sending, waiting.  ctx is a struct pace_sock.
 */
#ifndef PACE_PLAT_SOCK_IO_H
#define PACE_PLAT_SOCK_IO_H

#include "plat/sock.h"

/* May an ICMP message have made this call fail, for the n-th time?  The next call on a
 * socket reports one, and does nothing else.  Anybody can write one: the call is made again,
 * and recv tells of one of a closed port when nothing else is there. */
#define PACE_SOCK_ICMP_MAX	8
bool	pace_sock_was_icmp(struct pace_sock *s, int rc, int n);

int	pace_sock_recv(void *ctx, struct pace_in *v, int n);
void	pace_sock_coalesce(void *ctx, bool on);

int	pace_sock_send(void *ctx, const struct pace_out *v, int n);
int	pace_sock_train(void *ctx, const uint8_t *frames, size_t size, int n,
	    bool *segmented);
int	pace_sock_departures(void *ctx, struct pace_departure *v, int n);

int	pace_sock_stamps(void *ctx, bool nic, struct pace_err *err);

/* The device's stamps of a batch in place of the kernel's. */
void	pace_sock_use_nic(struct pace_sock *s, struct pace_in *v, int n);
/* A new pair for the map of its clock when the last one is old. */
void	pace_sock_pair_phc(struct pace_sock *s);

/* A new pair of clock readings for the map. */
void	pace_sock_pair(struct pace_sock *s);
/* Read departures that wait and keep them until they are asked for. */
void	pace_sock_stash(struct pace_sock *s);
void	pace_sock_renumber(void *ctx);
/* Stamps on a socket, of the kernel and where asked of the device: of arrivals, and
 * of departures that ask, which are numbered from the next switching on. */
void	pace_sock_stamping(int fd, bool numbered, bool nic);

#endif
