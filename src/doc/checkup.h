/*
 * checkup.h - the result of doctor: hosts, path, findings.
 *
 * Purpose    the same checks give the findings of doctor and the notes of every result.
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

struct pace_checkup {
	char		made[40];	/* time, RFC 3339 */
	char		target[128];	/* "": only this host was checked */
	struct { int n; bool looked; struct pace_finding v[PACE_FINDINGS]; } of[PACE_PATIENTS];
	struct pace_host client, responder;
};

/* Return the number of findings of level l. */
int	pace_checkup_count(const struct pace_checkup *c, enum pace_level l);

/* Return { "where", "code", "level", "text", "set", "restore" }, without the commands if
 * the finding has none; NULL: no memory. */
json_t	*pace_finding_to_json(enum pace_patient where, const struct pace_finding *f);

/* Add the findings that will or may spoil a result as notes, for example
 * "client_rmem_max", if host h reports its facts. */
void	pace_checkup_notes(struct pace_notes *n, enum pace_patient where,
	    const struct pace_host *h, const struct pace_trial *t);

#endif
