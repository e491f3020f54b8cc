/*
 * operator.h - what the operators of the simulated responder see: its log, status and metrics.
 *
 * Purpose    the sums of a test (sums.h) get them, so that what a session tells of itself is
 *            compared as what it sends is.  So is what a monitor shows of the status.
 *            A watch that serves its status as `.watching` in the folder is recorded too, in the
 *            file `watching`.
 * Needs      the program's clocks to be the simulation's (test_commands.c).
 */
#ifndef SIM_OPERATOR_H
#define SIM_OPERATOR_H

#include "simnet.h"

/* The responder has started: look at it from now on, twice a second.  Its status lines are added to
 * the file `operator` in the folder, which is in the sums as all files are, and can be replayed. */
void	operator_begin(struct sim *net, const char *folder);

/* Add what came since the last look, and the metrics; before the network is freed. */
void	operator_end(struct sim *net);

#endif
