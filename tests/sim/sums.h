/*
 * sums.h - what each test of a simulated network sends and gets, beside what was recorded.
 *
 * Purpose    a test looks at what it is about.  The sums look at everything else: each datagram, with
 *            the time and the address at which it left, each result that a client got, and all that
 *            the program wrote (test_commands.c).
 * Files      tests/data/sums/NAME.txt, a line for each test in the order in which they run: what
 *            clients sent, what the responder sent, what clients got.
 * Changes    that are intended: UDPACE_SUMS=write records the new sums, and UDPACE_SUMS=trace, or
 *            trace:N for the test of line N, prints all that is summed, so that diff shows what is
 *            another.  With UDPACE_SEED in the environment nothing is compared.
 */
#ifndef SIM_SUMS_H
#define SIM_SUMS_H

#include <check.h>

#include "client/client.h"

enum sim_sum { SIM_FROM_CLIENTS, SIM_FROM_RESPONDER, SIM_RESULTS, SIM_SUMS };

/* Compare the sums of each test.  Behind unit_seed and before other fixtures; name: of the file. */
void	sim_sums(TCase *tc, const char *name);

/* Is another test traced?  Then this one need not run. */
bool	sim_sum_skips(void);

/* A datagram leaves, at that time; addr: the client's. */
void	sim_sum_datagram(enum sim_sum which, int64_t now_ns, const struct pace_addr *addr,
	    const void *buf, size_t len);

/* A client got this, or the error rc; returns rc. */
int	sim_sum_point(int rc, const struct pace_point *p, const struct pace_err *err);
int	sim_sum_latency(int rc, const struct pace_latency *p, const struct pace_err *err);

/* The program under test printed, wrote or asked for this. */
void	sim_sum_text(const char *what, const char *text, size_t len);

#define pace_client_point(c, p, err) sim_sum_point((pace_client_point)(c, p, err), p, err)
#define pace_client_latency(c, p, err) sim_sum_latency((pace_client_latency)(c, p, err), p, err)

#endif
