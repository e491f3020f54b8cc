/*
 * reader.h - when the reader of a run looks at its sockets, and how it reads what waits there.
 *
 * Purpose    both ends read frames in the same way.  While frames come fast, arrivals do not wake
 *            the reader: it looks at fixed intervals, because the kernel's stamps do not need a
 *            quick reader, and on some links a wake-up delays the sender.
 * Units      ns of the probe clock, bytes.
 * Memory     none beyond the structs.   Threads  one.
 * Trust      frames that arrive limit the polling: a sender that announced fast frames and sends
 *            few does not keep the reader awake.
 */
#ifndef PACE_STREAM_READER_H
#define PACE_STREAM_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/io.h"
#include "doc/result.h"

#define PACE_READER_BATCH	32			/* datagrams in one call */
#define PACE_READER_MOST	(64 * PACE_READER_BATCH)	/* of a flow, then other work */
#define PACE_READER_FLOW_NS	INT64_C(2000)		/* for a look at a flow, about */
#define PACE_READER_WAKES	INT64_MAX		/* the next datagram wakes the reader */

struct pace_polling {
	int64_t		step_ns, most_ns;	/* a frame allows polling for step_ns; many frames
						 * together for most_ns */
	int64_t		interval_ns;		/* between two looks */
	bool		busy;			/* look all the time */
	bool		fast;			/* frames come too fast to wake the reader each */
	int64_t		until_ns;		/* frames allow polling until then */
};

/* Begin a run that receives these frames.  rcvbuf: granted size of the smallest buffer. */
void	pace_polling_begin(struct pace_polling *p, const struct pace_params *ask,
	    uint32_t rcvbuf);

/* Begin a run that only answers PINGs, which always wake the reader, unless ask->busy_poll. */
void	pace_polling_begin_pings(struct pace_polling *p, const struct pace_params *ask);

/* A frame arrived: it allows polling for some announced spacings, and one more look. */
void	pace_polling_take(struct pace_polling *p, int64_t now);

/* Return when to look next, 0: at once, or PACE_READER_WAKES. */
int64_t	pace_polling_next(const struct pace_polling *p, int64_t now);

/* Take a batch of n datagrams; n may be 0 or -errno. */
typedef void (*pace_reader_take)(void *ctx, const struct pace_in *v, int n);

/* Read about `most` datagrams in batches of `batch`, each up to *room bytes, which take may change
 * for the next batch; true: some came. */
bool	pace_reader_read(const struct pace_io *io, struct pace_in *v, int batch, int64_t most,
	    const size_t *room, pace_reader_take take, void *ctx);

/* Return the next piece of a datagram (GRO), or NULL after the last one.  *at is 0 at first; *one is
 * room for a piece. */
static inline const struct pace_in *
pace_reader_piece(const struct pace_in *in, size_t *at, struct pace_in *one)
{
	size_t step = in->segment > 0 ? in->segment : in->len, from = *at;

	if (from > 0 && (from >= in->len || from >= in->size))
		return NULL;
	*at += step > 0 ? step : 1;
	if (in->len <= step)
		return in;
	*one = *in;
	one->buf = in->buf + from;
	one->len = in->len - from < step ? in->len - from : step;
	one->size = in->size - from < one->len ? in->size - from : one->len;
	return one;
}

#endif
