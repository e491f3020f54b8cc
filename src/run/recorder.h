/*
 * recorder.h - --record FILE: the frames of a run, kept until its end.
 *
 * Purpose    find out before measuring that the file can be written; take each point's
 *            records from the responder; write them all at the end.
 * Memory     of all records, until pace_recorder_free.
 * Errors     told.
 */
#ifndef PACE_RUN_RECORDER_H
#define PACE_RUN_RECORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "doc/point_doc.h"
#include "doc/record_file.h"
#include "run/peer.h"
#include "run/sink.h"

struct pace_recorder {
	size_t		n;		/* runs with records */
	struct pace_record_run *run;
};

/* Can path (NULL: none) be written, and is it no other output's?  An exit status. */
int	pace_recorder_check(const char *path, const struct pace_sink_cfg *sink);

/* Those of the point that was just measured, number i of the document; false: they could
 * not be fetched, which its notes say. */
bool	pace_recorder_take(struct pace_recorder *r, struct pace_peer *peer,
	    struct pace_point *pt, size_t i);

bool	pace_recorder_write(const struct pace_recorder *r, const char *path,
	    const struct pace_result *result);

void	pace_recorder_free(struct pace_recorder *r);

#endif
