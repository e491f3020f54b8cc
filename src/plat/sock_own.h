/*
 * sock_own.h - the parts of struct pace_io on a socket, for plat itself:
 * receiving, sending, waiting.  ctx is a struct pace_sock.
 */
#ifndef PACE_PLAT_SOCK_OWN_H
#define PACE_PLAT_SOCK_OWN_H

#include "plat/sock.h"

/* Did an ICMP message possibly cause the n-th failure of this call?  The kernel reports such a
 * message at the next call on the socket, which then does nothing else.  Anybody can forge
 * one: the caller repeats the call, and recv reports a closed port if nothing else arrives. */
#define PACE_SOCK_ICMP_MAX	8
bool	pace_sock_was_icmp(struct pace_sock *s, int rc, int n);

/* Read the control messages of a datagram; stamps are not mapped yet. */
void	pace_sock_read_control(struct msghdr *m, struct pace_in *in, int64_t *nic_ns);
int	pace_sock_recv(void *ctx, struct pace_in *v, int n);
void	pace_sock_coalesce(void *ctx, bool on);

int	pace_sock_send(void *ctx, const struct pace_out *v, int n);
int	pace_sock_train(void *ctx, const uint8_t *frames, size_t size, int n,
	    bool *segmented);
int	pace_sock_departures(void *ctx, struct pace_departure *v, int n);

int	pace_sock_stamps(void *ctx, bool nic, struct pace_err *err);

/* Replace the kernel's stamps of a batch by the device's. */
void	pace_sock_use_nic(struct pace_sock *s, struct pace_in *v, int n);
/* Add a pair to the map of the device's clock if the last one is old. */
void	pace_sock_pair_phc(struct pace_sock *s);

/* Add a pair of clock readings to the map. */
void	pace_sock_pair(struct pace_sock *s);
/* Read waiting departures and store them until they are requested. */
void	pace_sock_stash(struct pace_sock *s);
void	pace_sock_renumber(void *ctx);
/* Switch on stamps of a socket, by the kernel and on request by the device: for all arrivals,
 * and for departures that request one, or for all; their numbers start at 0 when numbered becomes
 * true. */
void	pace_sock_stamping(int fd, bool numbered, bool nic, bool all);
/* The same for s, numbered, by its kind of stamps; all: of departures too. */
void	pace_sock_stamp_all(struct pace_sock *s, bool all);

#endif
