/*
 * cmds.h - the subcommands, one file each; listed in udpace.c.
 */
#ifndef PACE_CMDS_H
#define PACE_CMDS_H

#include "cli/opt.h"

extern const struct pace_cmd pace_cmd_throughput, pace_cmd_latency, pace_cmd_clock,
	pace_cmd_doctor,
	pace_cmd_respond, pace_cmd_export, pace_cmd_demo;

#endif
