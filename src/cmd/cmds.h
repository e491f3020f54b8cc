/*
 * cmds.h - the subcommands, one file each; listed in udpace.c.
 */
#ifndef PACE_CMD_CMDS_H
#define PACE_CMD_CMDS_H

#include "opt/opt.h"

extern const struct pace_cmd pace_cmd_throughput;
extern const struct pace_cmd pace_cmd_capacity;
extern const struct pace_cmd pace_cmd_receive;
extern const struct pace_cmd pace_cmd_send;
extern const struct pace_cmd pace_cmd_campaign;
extern const struct pace_cmd pace_cmd_latency;
extern const struct pace_cmd pace_cmd_tcp;
extern const struct pace_cmd pace_cmd_clock;
extern const struct pace_cmd pace_cmd_capture;
extern const struct pace_cmd pace_cmd_doctor;
extern const struct pace_cmd pace_cmd_respond;
extern const struct pace_cmd pace_cmd_monitor;
extern const struct pace_cmd pace_cmd_watch;
extern const struct pace_cmd pace_cmd_key;
extern const struct pace_cmd pace_cmd_report;
extern const struct pace_cmd pace_cmd_compare;
extern const struct pace_cmd pace_cmd_export;
extern const struct pace_cmd pace_cmd_demo;
extern const struct pace_cmd pace_cmd_completion;

#endif
