/*
 * host.h - what one host says of itself; the shape only.
 *
 * Absent     "" or 0: not known.
 * Trust      no names, no addresses: a responder tells these to strangers.
 */
#ifndef PACE_HOST_H
#define PACE_HOST_H

struct pace_host {
	char	version[32];	/* udpace's */
	char	kernel[64], machine[32], cpu[96], clocksource[32];
	int	cores;
	char	stamp_spoilers[128];	/* devices whose offloads blur arrival stamps */
};

#endif
