/*
 * judge.h - may the figures of a measured point be used?
 *
 * Purpose    notes that say what is wrong with a figure, or which limit of the
 *            user's was missed.
 * Again      judging a point twice changes nothing.
 */
#ifndef PACE_RUN_JUDGE_H
#define PACE_RUN_JUDGE_H

#include <stdbool.h>

#include "doc/result.h"
#include "run/probe.h"

/* True: a figure is not usable, or a limit was missed. */
bool	pace_judge(const struct pace_probe_cfg *cfg, struct pace_point *pt);

#endif
