#include "config.h"

#include "stream/receiver.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arith.h"
#include "core/coarse_hist.h"
#include "core/delay.h"
#include "core/messages.h"
#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/seq.h"
#include "core/sparse.h"
#include "core/tally.h"
#include "doc/params.h"
#include "stream/rx_intervals.h"
#include "stream/tx_stamps.h"

#define COALESCED_NS	50

struct pace_receiver {
	struct pace_msg_start run;
	struct pace_rx_result rx;
	struct pace_seq	seq;
	void		*window;	/* memory of seq */
	uint32_t	window_frames;
	uint64_t	burst;		/* frames per burst, 0: one stream */
	uint64_t	last_burst;	/* burst of the last unique frame */
	int64_t		train_tx_ns;	/* departure of the last train */
	int64_t		step_ns;	/* spacing of trains, or of frames */
	uint64_t	every;		/* frames from sample to sample; 0: none is stamped */
	int64_t		first_ns, last_ns;	/* arrivals of unique frames */
	int64_t		train_ns;	/* first arrival of the last train */
	uint64_t	gap_seq;	/* number of the frame before */
	int64_t		gap_min_ns, gap_max_ns;	/* since the last look */
	uint64_t	looked;		/* unique frames at the last look */
	struct pace_delay_sum seen_delays;	/* one of each look */
	uint64_t	trains;		/* trains that began */
	uint64_t	first_train_frames;	/* unique frames of the first train that came */
	uint32_t	drops0, drops_seen;	/* drop count: at the start; with the last frame */
	bool		whole;
	/* loud: numbers between arrivals during which the drop count rose; loud_missing: the
	 * missing ones; loud_room: of these, per hole at most the rise of the count */
	uint64_t	loud, loud_missing, loud_room;
	uint64_t	datagrams;	/* that brought the frames; a GRO datagram is one */
	uintptr_t	piece_end;	/* where the next frame of the same datagram begins */
	uint64_t	marks[256];	/* unique frames by their TOS or traffic class byte */
	enum pace_stamp	wanted, worst;	/* requested; the worst of unique frames */
	struct pace_delay delay;
	struct pace_delays delays;
	struct pace_records records;	/* room 0: no records */
	void		*record_memory;
	int64_t		*stamps;	/* by number; stamps_room 0: no stamps */
	uint64_t	stamps_room;
	struct pace_rx_intervals *intervals;	/* NULL: none are requested */
	struct pace_messages *messages;		/* NULL: none are requested */
	/* Frames with numbers below this do not count.  Drops of the socket do: which frames they
	 * were is not known. */
	uint64_t	omit;
	uint8_t		pattern[PACE_FRAME_MAX];
};

struct pace_receiver *
pace_receiver_new(void)
{
	return calloc(1, sizeof(struct pace_receiver));
}

/* Give the receiver a window for one of this many streams.  -ENOMEM. */
static int
make_window(struct pace_receiver *r, uint32_t streams)
{
	uint32_t window = pace_seq_window(streams);

	if (r->window != NULL && r->window_frames == window)
		return 0;
	free(r->window);
	r->window_frames = window;
	r->window = malloc(pace_seq_memory(window));
	return r->window != NULL ? 0 : -ENOMEM;
}

/* NULL: no memory. */
static struct pace_messages *
make_messages(uint32_t window, uint64_t size)
{
	uint32_t slots = pace_messages_slots(window, size);
	struct pace_messages *m = malloc(sizeof(*m) + pace_messages_memory(slots));

	if (m != NULL)
		pace_messages_init(m, slots, size, true, m + 1);
	return m;
}

void
pace_receiver_free(struct pace_receiver *r)
{
	if (r == NULL)
		return;
	pace_rx_intervals_free(r->intervals);
	free(r->messages);
	free(r->record_memory);
	free(r->stamps);
	free(r->window);
	free(r);
}

int
pace_receiver_stamps(struct pace_receiver *r)
{
	uint64_t n = pace_wire_check_room(r->run.limit, pace_params_streams(&r->run.ask));

	r->stamps = malloc(n * sizeof(*r->stamps));
	if (r->stamps == NULL)
		return -ENOMEM;
	memset(r->stamps, 0, n * sizeof(*r->stamps));	/* touch it before the first frame */
	r->stamps_room = n;
	return 0;
}

const int64_t *
pace_receiver_stamped(const struct pace_receiver *r, uint64_t *n)
{
	*n = r->stamps_room;
	return r->stamps;
}

int
pace_receiver_start(struct pace_receiver *r, const struct pace_msg_start *m,
    uint32_t drops, bool whole)
{
	const struct pace_params *a = &m->ask;

	if (make_window(r, a->streams) < 0)
		return -ENOMEM;
	free(r->record_memory);
	r->record_memory = NULL;
	memset(&r->records, 0, sizeof(r->records));
	if (a->record.room > 0) {
		r->record_memory = calloc(1, pace_records_memory(a->record.room));
		if (r->record_memory == NULL)
			return -ENOMEM;
		pace_records_init(&r->records, r->record_memory, a->record.room,
		    a->record.skip, a->record.lost_only);
	}
	pace_rx_intervals_free(r->intervals);
	r->intervals = pace_rx_intervals_new(a);
	if (r->intervals == NULL && a->interval_ns > 0)
		return -ENOMEM;
	free(r->messages);
	r->messages = a->message > 0 ? make_messages(r->window_frames, a->message) : NULL;
	if (r->messages == NULL && a->message > 0)
		return -ENOMEM;
	free(r->stamps);
	r->stamps = NULL;
	r->stamps_room = 0;
	r->run = *m;
	r->omit = pace_params_omitted(a);
	pace_rx_result_reset(&r->rx);
	r->rx.linear.low = a->linear.low;
	r->rx.linear.width = a->linear.width;
	r->rx.linear.bins = a->linear.bins;
	(void)pace_seq_init(&r->seq, r->window_frames, m->limit, r->window);
	r->burst = a->bursts > 1 ? a->count : 0;
	r->step_ns = pace_spacing_ns(a->spacing * a->train);
	r->every = a->train == 1 && r->step_ns > 0 ? pace_tx_stamps_every(a) : 0;
	r->trains = r->first_train_frames = 0;
	r->gap_min_ns = INT64_MAX;
	r->gap_max_ns = INT64_MIN;
	r->looked = 0;
	r->seen_delays = (struct pace_delay_sum){ .n = 0 };
	r->drops0 = r->drops_seen = drops;
	r->whole = whole;
	r->wanted = r->worst = a->nic ? PACE_STAMP_NIC : PACE_STAMP_KERNEL;
	r->loud = r->loud_missing = r->loud_room = r->datagrams = 0;
	r->piece_end = 0;
	memset(r->marks, 0, sizeof(r->marks));
	if (a->verify)
		pace_payload_fill(r->pattern, a->size_bytes - PACE_HDR_SIZE, m->seed);
	pace_delay_start(&r->delay, 0);
	if (a->streams > 1)
		pace_delay_lean(&r->delay);
	return 0;
}

void
pace_receiver_rate(struct pace_receiver *r, double rate)
{
	pace_delay_rate(&r->delay, rate);
}

static void
add_gap(struct pace_receiver *r, int64_t gap)
{
	pace_hist_add(&r->rx.gap, gap);
	if (gap < r->gap_min_ns)
		r->gap_min_ns = gap;
	if (gap > r->gap_max_ns)
		r->gap_max_ns = gap;
	if (r->intervals != NULL)
		pace_rx_intervals_gap(r->intervals, gap);
	if (r->step_ns > 0)
		pace_hist_add(&r->rx.gap_error, gap - r->step_ns);
	if (r->rx.linear.bins > 0)
		pace_linear_hist_add(&r->rx.linear, gap);
	if (gap < COALESCED_NS)
		r->rx.coalesced_stamps++;
}

/* The sender's kernel may have stamped both frames of this gap. */
static void
note_stamped(struct pace_receiver *r, int64_t error_ns)
{
	r->rx.stamped_gaps++;
	r->rx.stamped_gaps_near += error_ns >= -PACE_TX_NEAR_NS && error_ns <= PACE_TX_NEAR_NS;
}

/* Gaps are between frames; for trains, between the first arrivals of trains, because gaps within a
 * train have no meaning.  The frames of a train have one departure time.  False: this frame is
 * not the first of its train. */
static bool
take_gap(struct pace_receiver *r, const struct pace_hdr *h, int64_t stamp_ns)
{
	uint64_t burst = r->burst > 0 ? h->seq / r->burst : 0;
	bool first = r->seq.unique == 1;
	bool later = h->tx_ns > r->train_tx_ns;

	if (first)
		r->first_ns = stamp_ns;
	if (r->run.ask.train > 1 && !first && !later) {
		r->last_ns = stamp_ns;
		r->first_train_frames += r->trains == 1;
		return false;
	}
	r->trains++;
	if (first)
		r->first_train_frames = 1;
	else if (burst == r->last_burst)
		add_gap(r, stamp_ns - (r->run.ask.train > 1 ? r->train_ns : r->last_ns));
	if (burst == r->last_burst && r->every > 0 && h->seq == r->gap_seq + 1 &&
	    pace_tx_stamps_gap(h->seq, r->every))
		note_stamped(r, stamp_ns - r->last_ns - r->step_ns);
	r->gap_seq = h->seq;
	r->last_burst = burst;
	r->train_tx_ns = h->tx_ns;
	r->train_ns = r->last_ns = stamp_ns;
	return true;
}

/* Estimate the frames in this many datagrams from those that arrived. */
static uint64_t
frames_in(const struct pace_receiver *r, uint64_t datagrams)
{
	double each = r->datagrams > 0 ?
	    (double)(r->seq.unique + r->seq.duplicates) / (double)r->datagrams : 1;

	return (uint64_t)ceil((double)datagrams * (each > 1 ? each : 1));
}

/* Account for the numbers from the last in-order arrival to this one; hole of them are missing,
 * drops is the kernel's count now. */
static void
take_drops(struct pace_receiver *r, uint64_t numbers, uint64_t hole, uint32_t drops)
{
	uint32_t rose = drops - r->drops_seen;

	if (rose == 0)
		return;
	if (r->intervals != NULL)
		pace_rx_intervals_drops(r->intervals, rose);
	r->loud += numbers;
	r->loud_missing += hole;
	r->loud_room += pace_least(hole, frames_in(r, rose));
	r->drops_seen = drops;
}

/* Count the frames missing where the count rose, less the share that is missing where it did not
 * rise: those were lost elsewhere. */
static uint64_t
missing_by_drops(const struct pace_receiver *r)
{
	const struct pace_seq *s = &r->seq;
	uint64_t quiet = s->next - r->loud, missing = s->next - s->in_order - r->loud_missing;
	double elsewhere = quiet > 0 ? (double)missing / (double)quiet : 0;
	double n = (double)r->loud_missing - elsewhere * (double)r->loud;

	return n > 0 ? (uint64_t)(n + 0.5) : 0;
}

/*
 * Estimate how many lost frames the socket dropped (ledger.h).  Likely: the missing frames of each
 * hole, at most as many as were dropped there.  With reordering, holes prove nothing; with
 * duplicates, a drop may be a duplicate.
 */
static void
judge_drops(const struct pace_receiver *r, uint64_t lost, uint64_t *likely, uint64_t *high)
{
	const struct pace_seq *s = &r->seq;
	uint64_t drops = (uint32_t)(r->drops_seen - r->drops0);

	*high = pace_least(lost, drops * (r->whole ? pace_params_piece(&r->run.ask) : 1));
	*likely = pace_least(*high, s->reordered > 0 ? frames_in(r, drops) : r->loud_room);
	if (s->duplicates > 0 && s->reordered == 0)
		*likely = pace_least(*likely, missing_by_drops(r));
}

/* Check the payload after the header, and after late if the frame has it. */
static bool
damaged(const struct pace_receiver *r, const struct pace_in *in)
{
	size_t size = r->run.ask.size_bytes;
	size_t at = size < PACE_DATA_SIZE ? PACE_HDR_SIZE : PACE_DATA_SIZE;

	if (r->run.ask.direction == PACE_DOWN && size >= PACE_DOWN_SIZE)
		at = PACE_DOWN_SIZE;

	return in->size < size || memcmp(in->buf + at, r->pattern + (at - PACE_HDR_SIZE),
	    size - at) != 0;
}

static void
take(struct pace_receiver *r, const struct pace_hdr *h, const struct pace_in *in)
{
	uint64_t next = r->seq.next;
	enum pace_seq_kind kind;
	uintptr_t at;

	kind = pace_seq_add(&r->seq, h->seq, in->stamp_ns);
	if (kind == PACE_SEQ_REFUSED) {
		r->rx.foreign++;
		return;
	}
	/* Frames of one GRO datagram are adjacent in memory. */
	at = (uintptr_t)in->buf;
	r->datagrams += in->segment == 0 || at != r->piece_end;
	r->piece_end = at + in->len;	/* only the head of a long frame was copied */
	if (r->records.room > 0) {
		struct pace_record rec = { .seq = h->seq, .tx_ns = h->tx_ns, .rx_ns = in->stamp_ns,
		    .late_ns = h->late_ns, .flags = (uint8_t)in->stamp };

		if (kind == PACE_SEQ_REORDERED)
			rec.flags |= PACE_RECORD_REORDERED;
		else if (kind == PACE_SEQ_DUPLICATE)
			rec.flags |= PACE_RECORD_DUPLICATE;
		else if (kind == PACE_SEQ_BEYOND)
			rec.flags |= PACE_RECORD_BEYOND;
		pace_records_add(&r->records, &rec);
	}
	if (r->intervals != NULL && kind != PACE_SEQ_BEYOND)
		pace_rx_intervals_take(r->intervals, h, in->stamp_ns, kind);
	if (kind != PACE_SEQ_IN_ORDER && kind != PACE_SEQ_REORDERED)
		return;
	if (r->messages != NULL)
		pace_messages_frame(r->messages, h->seq, in->stamp_ns);
	if (h->seq < r->stamps_room)
		r->stamps[h->seq] = in->stamp_ns;
	if (take_gap(r, h, in->stamp_ns)) {
		pace_delay_add(&r->delay, h->seq / r->run.ask.train, h->tx_ns,
		    in->stamp_ns, h->late_ns);
		if (r->intervals != NULL)
			pace_rx_intervals_delay(r->intervals, &r->delay, h->tx_ns, in->stamp_ns);
	}
	if (in->has_drops && kind == PACE_SEQ_IN_ORDER)
		take_drops(r, h->seq - next + 1, h->seq - next, in->drops);
	if (in->has_mark)
		r->marks[in->mark]++;
	r->rx.unstamped += in->stamp != r->wanted;
	if (in->stamp < r->worst)
		r->worst = in->stamp;
	if (r->run.ask.verify && damaged(r, in))
		r->rx.corrupt++;
}

void
pace_receiver_take(struct pace_receiver *r, const struct pace_hdr *h, const struct pace_in *in)
{
	struct pace_hdr counted;

	if (in->len != r->run.ask.size_bytes) {
		r->rx.foreign++;
	} else if (r->omit == 0) {
		take(r, h, in);
	} else if (h->seq >= r->omit) {
		counted = *h;
		counted.seq -= r->omit;
		take(r, &counted, in);
	}
}

/* Sum up the marks: congestion marks of frames that were sent as capable of them are no change. */
static void
sum_marks(const struct pace_receiver *r, struct pace_marks *m)
{
	const struct pace_params *a = &r->run.ask;

	*m = (struct pace_marks){ .frames = 0 };
	for (uint32_t dscp = 0; dscp < 64; dscp++) {
		const uint64_t *n = &r->marks[dscp << 2];
		uint64_t frames = n[0] + n[1] + n[2] + n[3];

		for (int i = 0; i < PACE_ECNS; i++)
			m->ecn[i] += n[i];
		m->frames += frames;
		m->dscp_changed += dscp != a->dscp ? frames : 0;
		if (frames > m->dscp_frames) {
			m->dscp = dscp;
			m->dscp_frames = frames;
		}
	}
	m->ecn_changed = m->frames - m->ecn[a->ecn];
	if (a->ecn == PACE_ECN_ECT0 || a->ecn == PACE_ECN_ECT1)
		m->ecn_changed -= m->ecn[PACE_ECN_CE];
}

void
pace_receiver_foreign(struct pace_receiver *r)
{
	r->rx.foreign++;
}

static void
add_delay(struct pace_delay_sum *d, int64_t above_ns)
{
	int64_t sum_ns = d->sum_ns + above_ns;

	if (sum_ns > PACE_RECENT_SUM_MOST || sum_ns < -PACE_RECENT_SUM_MOST)
		return;
	d->sum_ns = sum_ns;
	d->n++;
}

void
pace_receiver_look(struct pace_receiver *r, struct pace_tally *t, struct pace_stats *gaps,
    int64_t *jitter_ns, struct pace_recent *recent)
{
	const struct pace_seq *s = &r->seq;
	struct pace_marks marks;
	int64_t above_ns;

	sum_marks(r, &marks);
	*t = (struct pace_tally){ .frames = s->unique, .bytes = s->unique * r->run.ask.size_bytes,
	    .wire_bytes = s->unique * r->run.wire_bytes, .duplicates = s->duplicates,
	    .reordered = s->reordered, .late = s->beyond, .foreign = r->rx.foreign,
	    .corrupt = r->rx.corrupt, .congestion_marks = marks.ecn[PACE_ECN_CE],
	    .dscp_changed = marks.dscp_changed, .ecn_changed = marks.ecn_changed,
	    .lost = (int64_t)(s->next - s->unique),
	    .socket_drops = r->drops_seen - r->drops0 };
	judge_drops(r, s->next - s->unique, &t->socket_lost_likely, &t->socket_lost_max);
	*gaps = r->rx.gap.stats;
	*jitter_ns = (int64_t)(r->delay.jitter16 / 16);
	recent->gap_min_ns = r->gap_min_ns;
	recent->gap_max_ns = r->gap_max_ns;
	r->gap_min_ns = INT64_MAX;
	r->gap_max_ns = INT64_MIN;
	/* Without a new frame there is no new delay; do not report the last one again. */
	if (s->unique != r->looked && pace_delay_above(&r->delay, r->train_tx_ns, &above_ns)) {
		above_ns = above_ns > PACE_ABOVE_MOST ? PACE_ABOVE_MOST :
		    above_ns < -PACE_ABOVE_MOST ? -PACE_ABOVE_MOST : above_ns;
		recent->samples = 1;
		recent->above_min_ns = recent->above_max_ns = recent->above_sum_ns = above_ns;
		add_delay(&r->seen_delays, above_ns);
	}
	r->looked = s->unique;
}

struct pace_delay_sum
pace_receiver_delays_seen(const struct pace_receiver *r)
{
	return r->seen_delays;
}

void
pace_receiver_shape(const struct pace_receiver *r, struct pace_coarse_hist *gaps)
{
	pace_coarse_hist_of(gaps, &r->rx.gap);
}

uint64_t
pace_receiver_unique(const struct pace_receiver *r)
{
	return r->seq.unique;
}

bool
pace_receiver_complete(const struct pace_receiver *r, uint64_t sent)
{
	return r->seq.unique >= sent;
}

static void
copy_hist(struct pace_hist *to, const struct pace_hist *from)
{
	pace_sparse_copy(to, from, sizeof(*to));
}

void
pace_receiver_order(struct pace_rx_result *rx, const struct pace_seq *s)
{
	rx->duplicates = s->duplicates;
	rx->replicated = s->replicated;
	rx->lost = s->lost;
	rx->reordered = s->reordered;
	rx->beyond_window = s->beyond;
	rx->window = s->window;
	rx->reordering_free_runs = s->reordering_free_runs;
	rx->free_sum = s->free_sum;
	rx->free_sumsq = s->free_sumsq;
	memcpy(rx->degree, s->degree, sizeof(rx->degree));
	copy_hist(&rx->runs, &s->figures->runs);
	copy_hist(&rx->loss_distances, &s->figures->loss_distances);
	copy_hist(&rx->loss_free_runs, &s->figures->loss_free_runs);
	copy_hist(&rx->extent, &s->figures->extent);
	copy_hist(&rx->late_ns, &s->figures->late_ns);
}

void
pace_receiver_delays(struct pace_rx_result *rx, const struct pace_delays *d)
{
	rx->has_owd = d->absolute;
	copy_hist(&rx->owd, &d->owd);
	copy_hist(&rx->owd_scheduled, &d->scheduled);
	copy_hist(&rx->pdv, &d->pdv);
	copy_hist(&rx->ipdv, &d->ipdv);
	rx->jitter_ns = d->jitter_ns;
	rx->jitter_max_ns = d->jitter_max_ns;
	rx->invalid_timestamps = d->absurd;
}

struct pace_rx_result *
pace_receiver_finish(struct pace_receiver *r, const struct pace_msg_finish *m,
    uint32_t drops)
{
	struct pace_rx_result *rx = &r->rx;
	uint64_t sent = m->sent;
	uint64_t later, tail = sent > r->seq.next ? sent - r->seq.next : 0;

	/* A sender that claims fewer frames than arrived ends a run of those. */
	(void)pace_seq_finish(&r->seq, sent);
	rx->unique = r->seq.unique;
	rx->frames = r->seq.unique + r->seq.duplicates;
	pace_receiver_order(rx, &r->seq);
	pace_delay_finish(&r->delay, &m->theta, &r->delays);
	pace_receiver_delays(rx, &r->delays);
	pace_records_finish(&r->records);
	rx->records = r->records.n;
	rx->records_missed = r->records.missed;
	sum_marks(r, &rx->marks);
	later = rx->unique - r->first_train_frames;
	rx->bytes = rx->unique * r->run.ask.size_bytes;
	rx->duration_ns = rx->unique > 0 ? r->last_ns - r->first_ns : 0;
	rx->user_rate_bps = pace_rate_bps(later * r->run.ask.size_bytes, rx->duration_ns);
	rx->wire_rate_bps = pace_rate_bps(later * r->run.wire_bytes, rx->duration_ns);
	rx->stamp = rx->unique == 0 ? PACE_STAMP_NONE : r->worst;
	if (r->messages != NULL) {
		pace_messages_end(r->messages, r->seq.next);
		rx->has_messages = true;
		pace_sparse_copy(&rx->messages, &r->messages->stats, sizeof(rx->messages));
	}
	take_drops(r, tail, tail, drops);
	rx->socket_drops = drops - r->drops0;
	judge_drops(r, rx->lost, &rx->socket_lost_likely, &rx->socket_lost_max);
	if (r->intervals != NULL)
		pace_rx_intervals_finish(r->intervals, &r->delay, &r->delays, &m->theta);
	return rx;
}

const struct pace_intervals *
pace_receiver_intervals(const struct pace_receiver *r)
{
	return r->intervals != NULL ? pace_rx_intervals_result(r->intervals) : NULL;
}

const struct pace_records *
pace_receiver_records(const struct pace_receiver *r)
{
	return &r->records;
}
