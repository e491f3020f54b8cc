/*
 * dispersion_doc.h - estimate the path's capacity from the points of a sweep.
 *
 * Purpose    collects the points that the path slowed down, fits a line per frame
 *            size, and writes the document's "dispersion" (udpace-result(5)).
 * Left out   points whose sender did not keep the spacing or lost frames itself;
 *            points that lost frames at the responder's host, because a full
 *            socket buffer says nothing about the path.  Each is counted if
 *            it would otherwise have been used.
 * Reported   sizes with three points slowed down; also, without figures, sizes
 *            with three points left out because of the responder.
 * Memory     16 bytes per point used; freed by pace_dispersions_free.
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
	bool		failed;		/* no memory: no result */
};

/* Add a point of any kind.  A zeroed struct is empty. */
void	pace_dispersions_add(struct pace_dispersions *d, const struct pace_point *p);

/* Fit the lines to all points added so far. */
void	pace_dispersions_close(struct pace_dispersions *d);
void	pace_dispersions_free(struct pace_dispersions *d);

/* Is there a result for this size? */
bool	pace_dispersion_tells(const struct pace_dispersion_size *s);

/* After close: return { "dispersion": [ one object per size with a result ] }; NULL: no
 * size has one, or no memory. */
json_t	*pace_dispersions_to_json(const struct pace_dispersions *d);

#endif
