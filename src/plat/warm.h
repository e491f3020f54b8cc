/*
 * warm.h - keeps the code and data of a send in the processor's caches.
 *
 * Purpose    the kernel's path of a datagram is in no cache some 10 µs after the last one.  Then
 *            the next datagram takes longer, and each time by another amount: the gaps on the wire
 *            scatter though send was called in time.  Datagrams to ourselves over the loopback
 *            interface take the same path, but for the last steps.
 * Figures    with and without, veth, 1472 B, share of the gaps within 0.2 µs: at 50 µs 84 for 74 %,
 *            at 100 µs 74 for 60 %, at 1 ms 48 for 23 %, with a datagram every 10 µs.  One behind the
 *            other adds 1 to 2 points at 10 µs, 3 to 4 at 20 µs, 6 to 7 at 50 and 100 µs, and 2 at
 *            1 ms.  Of 64 B they add half of that, and nothing at 10 µs.
 * Limits     the datagrams are in the host's counters of UDP and IP, and in those of the loopback.
 * Memory     one allocation.   Threads  any number.
 */
#ifndef PACE_PLAT_WARM_H
#define PACE_PLAT_WARM_H

struct pace_warm;

/* NULL: no memory, or this host has no loopback address. */
struct pace_warm *pace_warm_open(void);
void	pace_warm_close(struct pace_warm *w);	/* NULL: does nothing */

/* Return the address family, 4 or 6, whose datagrams help what the UDP socket fd sends; 0: none do.
 * It must be connected to another host: the interface of frames that stay on this one is the loopback
 * itself, whose counters tell of them.  w may be NULL. */
int	pace_warm_family(const struct pace_warm *w, int fd);

/* Send one datagram of that family, not 0, and take it back: 1 to 10 µs.  Errors are ignored. */
void	pace_warm_send(const struct pace_warm *w, int family);

#endif
