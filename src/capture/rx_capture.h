/*
 * rx_capture.h - respond --capture IF: the streams of sessions that ask for it, as they come in.
 *
 * Purpose    struct pace_rx_capture_hook (server/rx_capture_hook.h) on an interface, through libpcap.
 * Order      open, with the rights that we have and before the sandbox; aim when the port is
 *            known; start behind the sandbox, for it makes a thread; close when no session
 *            is left.
 * Costs      while nobody asks: the kernel's filter lets nothing pass, and nothing is read.
 *            While somebody does: a copy of the head of each UDP frame to the port, read by
 *            one thread, off the core of who receives and with less right to one.
 * Memory     PACE_RX_CAPTURES_MAX streams at once, each about 11 MiB, allocated when it is asked for.
 * Trust      every byte captured is hostile: who does not know a session's number is not of
 *            it, and numbers are checked (wire_check.h).
 * Threads    sessions call by the table, each in its own; the rest in one.
 * Errors     told on stderr where an exit status is returned.
 */
#ifndef PACE_CAPTURE_RX_CAPTURE_H
#define PACE_CAPTURE_RX_CAPTURE_H

#include <stdint.h>

#include "server/rx_capture_hook.h"

#define PACE_RX_CAPTURES_MAX	4

struct pace_tapping;

/* An exit status; pace_tapping_close always. */
int	pace_tapping_open(struct pace_tapping **t, const char *interface, int buffer_bytes);
int	pace_tapping_aim(struct pace_tapping *t, uint16_t port);
int	pace_tapping_start(struct pace_tapping *t);
void	pace_tapping_close(struct pace_tapping *t);	/* NULL will do */

/* For sessions; NULL of NULL. */
const struct pace_rx_capture_hook	*pace_rx_capture_hook(const struct pace_tapping *t);

#endif
