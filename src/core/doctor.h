/*
 * doctor.h - find the settings of a host that spoil measurements, and the cure.
 *
 * Purpose    check the facts of a host (host.h) and the results of trials.  Each
 *            check gives one finding: the value found, the value wanted, why it
 *            matters, and the commands that set it and restore it.
 * Levels     ok; warn: may spoil some measurements; bad: spoils measurements;
 *            unknown: the host does not report it, with the reason.
 * Commands   only for a numeric setting of this host, and never with a name that
 *            a shell could interpret.
 * Memory     none.   Threads  any.
 */
#ifndef PACE_CORE_DOCTOR_H
#define PACE_CORE_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "core/io.h"

enum pace_level { PACE_LEVEL_OK, PACE_LEVEL_UNKNOWN, PACE_LEVEL_WARN, PACE_LEVEL_BAD };

/* "ok", "?", "warn", "bad": for tables; "unknown" for programs. */
const char	*pace_level_name(enum pace_level l);

struct pace_finding {
	char		code[32];	/* for programs: "rmem_max" */
	enum pace_level	level;
	char		text[240];
	char		set[160], restore[160];	/* commands for a shell, "": none */
};

/* Trials on the host; a flag says which were done. */
struct pace_trial {
	int		cpu;		/* core requested, -1: none */
	bool		spun;		/* spin_ns long; stalls: the interruptions */
	int64_t		spin_ns;
	struct pace_stalls stalls;
	bool		has_clock;
	struct pace_clock_state clock;
};

/* Trials on the path; sizes are of user data. */
struct pace_path_trial {
	char		why[96];	/* why it could not be tried; "": it was tried */
	int64_t		near_mtu, far_mtu;	/* the interfaces' MTU, 0: not known */
	uint32_t	mtu;		/* path MTU in this host's kernel */
	bool		mtu_reported;		/* a router reported a smaller MTU */
	uint32_t	asked, passed;	/* largest size tried, largest size that arrived */
};

#define PACE_FINDINGS	32

/* Check a host; returns the number of findings, at most PACE_FINDINGS. */
int	pace_doctor_host(struct pace_finding v[PACE_FINDINGS], const struct pace_host *h,
	    const struct pace_trial *t);

/* The finding for a host that reports no facts. */
int	pace_doctor_private(struct pace_finding v[PACE_FINDINGS]);

/* Check the path; returns the number of findings. */
int	pace_doctor_path(struct pace_finding v[PACE_FINDINGS], const struct pace_path_trial *t);

#endif
