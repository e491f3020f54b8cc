/*
 * doctor.h - what on a host will spoil a measurement, and the cure.
 *
 * Purpose    checks of what a host says of itself (host.h) and of what was tried:
 *            one finding each, with the number found and the one wanted, why it
 *            matters, and the commands that change it and put it back.
 * Levels     ok; warn: it may spoil some measurements; bad: it will; unknown: the
 *            host does not tell, and why.
 * Commands   only where the setting is a number of this host, and never for a
 *            name that a shell could take for something else.
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

/* What was tried on or with the host; each with its flag. */
struct pace_trial {
	int		cpu;		/* core asked for, -1: none */
	bool		spun;		/* for so long, and was frozen so often */
	int64_t		spin_ns;
	struct pace_stalls stalls;
	bool		has_clock;
	struct pace_clock_state clock;
};

/* What was tried of the path; sizes of user data. */
struct pace_path_trial {
	char		why[96];	/* it could not be tried; "": it was */
	int64_t		near_mtu, far_mtu;	/* of the interfaces, 0: not known */
	uint32_t	mtu;		/* of the path, as the kernel has it */
	bool		told;		/* the path itself said that it is smaller */
	uint32_t	asked, passed;	/* the largest that should pass, the largest that did */
};

#define PACE_FINDINGS	32

/* Findings of a host, at most PACE_FINDINGS: how many. */
int	pace_doctor_host(struct pace_finding v[PACE_FINDINGS], const struct pace_host *h,
	    const struct pace_trial *t);

/* Of a host that tells nothing. */
int	pace_doctor_private(struct pace_finding v[PACE_FINDINGS]);

/* And of the path. */
int	pace_doctor_path(struct pace_finding v[PACE_FINDINGS], const struct pace_path_trial *t);

#endif
