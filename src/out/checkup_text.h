/*
 * checkup_text.h - what a doctor found, for people and for shells.
 *
 * Text       a line a finding, its level first, the command that changes it below.
 * Script     "set" and "restore" of this host, "set-there" and "restore-there" of
 *            the responder's; without one of these words it only says so.
 * Errors     0 or -errno of the stream.
 */
#ifndef PACE_OUT_CHECKUP_TEXT_H
#define PACE_OUT_CHECKUP_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "doc/checkup.h"

int	pace_checkup_text(FILE *f, const struct pace_checkup *c, bool utf8);
int	pace_checkup_script(FILE *f, const struct pace_checkup *c);

#endif
