/*
 * checkup.h - what a doctor found, as a whole: hosts, path, findings.
 *
 * Purpose    what doctor prints, and the notes of every result: the same checks.
 * Memory     about 60 KiB, the caller's.   Threads  any.
 */
#ifndef PACE_DOC_CHECKUP_H
#define PACE_DOC_CHECKUP_H

#include <jansson.h>
#include <stdbool.h>

#include "core/doctor.h"
#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_finding_fields;

enum pace_patient { PACE_CLIENT_HOST, PACE_RESPONDER_HOST, PACE_THE_PATH, PACE_PATIENTS };

/* "client", "responder", "path". */
const char	*pace_patient_name(enum pace_patient p);

struct pace_checkup {
	char		made[40];	/* when, RFC 3339 */
	char		target[128];	/* "": only this host */
	struct { int n; bool looked; struct pace_finding v[PACE_FINDINGS]; } of[PACE_PATIENTS];
	struct pace_host client, responder;
};

/* Findings of a level. */
int	pace_checkup_count(const struct pace_checkup *c, enum pace_level l);

/* { "where", "code", "level", "text", "set", "restore" }, the commands absent where
 * there are none; NULL: no memory. */
json_t	*pace_finding_to_json(enum pace_patient where, const struct pace_finding *f);

/* What will spoil a result, and may: notes "client_rmem_max", of a host that says
 * something of itself. */
void	pace_checkup_notes(struct pace_notes *n, enum pace_patient where,
	    const struct pace_host *h, const struct pace_trial *t);

#endif
