#include "config.h"

#include "stream/reader.h"

#include <string.h>

#include "core/schedule.h"
#include "doc/params.h"

#define LOOK_MOST_NS	INT64_C(200000)
#define LOOK_FRAMES	12		/* of a flow in one look, which bounds the memory that waits
					 * here: what waits longer has left the caches, also the sender's */
#define LOOK_FRAMES_NS	INT64_C(60000)	/* but no more looks than that for them */
#define LOOK_LEAST_NS	INT64_C(20000)	/* never spin unless busy_poll is requested */
#define FLOWS_A_LOOK	16
#define RARE_NS		INT64_C(100000)	/* frames further apart wake the reader */
#define POLL_FRAMES	8		/* a frame allows polling for this many spacings, */
#define POLL_MOST_NS	INT64_C(50000000)	/* but not longer */
/* without an announced interval: spin this long for the next PING */
#define PING_PONG_NS	INT64_C(2000000)
#define FRAME_CHARGE	2304		/* kernel's charge for a frame of 1472 B */

static void
begin(struct pace_polling *p, const struct pace_params *ask, int64_t spacing_ns)
{
	int64_t ns = spacing_ns < POLL_MOST_NS ? spacing_ns : POLL_MOST_NS;

	memset(p, 0, sizeof(*p));
	p->step_ns = ns + LOOK_LEAST_NS;
	p->most_ns = POLL_FRAMES * (int64_t)ask->train * p->step_ns;
	if (p->most_ns > POLL_MOST_NS)
		p->most_ns = POLL_MOST_NS;
	p->busy = ask->busy_poll;
}

/* Return how long the sockets may fill before they are read: an eighth of a buffer, or some frames of
 * each flow. */
static int64_t
look_interval(const struct pace_params *ask, uint32_t rcvbuf)
{
	int64_t frames = (int64_t)rcvbuf * 2 / FRAME_CHARGE;
	int64_t charge = ask->size_bytes / 1472 + 1;
	int64_t spacing_ns = pace_spacing_ns(ask->spacing), flows = pace_params_streams(ask);
	int64_t interval = frames / charge * spacing_ns / 8;
	int64_t few = LOOK_FRAMES * (int64_t)ask->train * spacing_ns;
	int64_t most = few > LOOK_MOST_NS ? LOOK_MOST_NS : few < LOOK_FRAMES_NS ? LOOK_FRAMES_NS : few;

	most *= 1 + flows / FLOWS_A_LOOK;	/* each look reads all flows */
	if (interval < LOOK_LEAST_NS)
		return LOOK_LEAST_NS;
	return interval < most ? interval : most;
}

void
pace_polling_begin(struct pace_polling *p, const struct pace_params *ask, uint32_t rcvbuf)
{
	begin(p, ask, pace_spacing_ns(ask->spacing));
	p->interval_ns = look_interval(ask, rcvbuf);
	p->fast = pace_spacing_ns(ask->spacing * ask->train) <
	    RARE_NS * pace_params_streams(ask);
}

void
pace_polling_begin_pings(struct pace_polling *p, const struct pace_params *ask)
{
	begin(p, ask, ask->duration_ns > 0 && ask->count > 0 ?
	    (int64_t)((uint64_t)ask->duration_ns / ask->count) : PING_PONG_NS);
}

void
pace_polling_take(struct pace_polling *p, int64_t now)
{
	int64_t until_ns = (p->until_ns > now ? p->until_ns : now) + p->step_ns;
	int64_t most_ns = now + p->most_ns;

	p->until_ns = until_ns < most_ns ? until_ns : most_ns;
}

int64_t
pace_polling_next(const struct pace_polling *p, int64_t now)
{
	if (now >= p->until_ns || (!p->busy && !p->fast))
		return PACE_READER_WAKES;
	return p->busy ? 0 : now + p->interval_ns;
}

bool
pace_reader_read(const struct pace_io *io, struct pace_in *v, int batch, int64_t most,
    const size_t *room, pace_reader_take take, void *ctx)
{
	bool some = false;

	if (most < batch)
		batch = (int)most;
	for (int64_t left = most; left > 0; left -= batch) {
		int n;

		for (int i = 0; i < batch; i++)
			v[i].size = *room;
		n = io->recv(io->ctx, v, batch);
		take(ctx, v, n);
		some = some || n > 0;
		if (n < batch)
			break;
	}
	return some;
}
