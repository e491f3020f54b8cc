/*
 * checkup_text.h - print the findings of udpace doctor, for people and as a shell script.
 *
 * Text       one line a finding: its level, then the finding; below it the command
 *            that changes the setting.
 * Script     "set" and "restore" change this host, "set-there" and "restore-there" the
 *            responder's host.  Without one of these words the script prints its usage.
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
