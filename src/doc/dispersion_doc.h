/*
 * dispersion_doc.h - what the points of a sweep say of the path's capacity.
 *
 * Purpose    gathers the points that a path held up, a line for each size, and
 *            the document's "dispersion" of it (udpace-result(5)).
 * Left out   points whose sender did not keep the spacing, or lost frames of its
 *            own; points that lost frames at the responder's host: what a full
 *            socket buffer takes away is not the path's.  They are counted
 *            where they would have been taken for held up.
 * Told       of sizes with three points held up, or three left out at the
 *            responder's for that: then without figures.
 * Memory     16 bytes a point that was held up; freed by pace_dispersions_free.
 * Threads    none.
 */
#ifndef PACE_DOC_DISPERSION_DOC_H
#define PACE_DOC_DISPERSION_DOC_H

#include <jansson.h>

#include "core/dispersion.h"
#include "doc/field.h"
#include "doc/result.h"

extern const struct pace_fields pace_dispersion_fields;

struct pace_dispersion_size {
	uint32_t	size_bytes;
	size_t		measured;	/* points of this size */
	size_t		by_sender, by_responder;	/* left out */
	size_t		n, room;
	double		*in, *out;	/* wire rates, bit/s */
	struct pace_dispersion fit;	/* filled by pace_dispersions_close */
};

struct pace_dispersions {
	size_t		n;
	struct pace_dispersion_size *v;
	bool		failed;		/* no memory: nothing is told */
};

/* Zeroed is empty.  A point of any kind may be given. */
void	pace_dispersions_add(struct pace_dispersions *d, const struct pace_point *p);

/* The lines through what was added so far. */
void	pace_dispersions_close(struct pace_dispersions *d);
void	pace_dispersions_free(struct pace_dispersions *d);

/* Is there something to tell of this size? */
bool	pace_dispersion_tells(const struct pace_dispersion_size *s);

/* After close: { "dispersion": [ one a size that tells ] }; NULL: none does, or no
 * memory. */
json_t	*pace_dispersions_to_json(const struct pace_dispersions *d);

#endif
