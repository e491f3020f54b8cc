#include "config.h"

#include "stream/capture_hook.h"

#include "doc/params.h"

enum pace_capture_answer
pace_capture_begin(const struct pace_capture_hook *hook, const struct pace_capture_request *ask,
    const struct pace_params *a, struct pace_receiver *r, struct pace_captured_stream **t)
{
	struct pace_capture_request one = *ask;

	one.departs = r == NULL;
	one.streams = pace_params_streams(a);
	one.size_bytes = a->size_bytes;
	one.train = a->train;
	one.burst = a->bursts > 1 ? a->count : 0;
	if (r != NULL && pace_receiver_stamps(r) < 0)	/* to compare with */
		return PACE_CAPTURE_ROOM;
	return hook->begin(hook->ctx, &one, t);
}

void
pace_capture_end_rx(const struct pace_capture_hook *hook, struct pace_captured_stream *t,
    const struct pace_receiver *r, struct pace_rx_result *rx)
{
	uint64_t n = 0;
	const int64_t *stamps = pace_receiver_stamped(r, &n);

	hook->end(hook->ctx, t, &rx->wire, stamps, n);
	rx->has_wire = true;
}
