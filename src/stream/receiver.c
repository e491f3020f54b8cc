#include "config.h"

#include "stream/receiver.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/coarse_hist.h"
#include "core/delay.h"
#include "core/payload.h"
#include "core/rates.h"
#include "core/schedule.h"
#include "core/seq.h"
#include "core/tally.h"
#include "doc/params.h"

#define COALESCED_NS	50

struct pace_receiver {
	struct pace_msg_start run;
	struct pace_rx_result rx;
	struct pace_seq	seq;
	void		*window;	/* seq's memory */
	uint64_t	burst;		/* frames a burst, 0: one stream */
	uint64_t	last_burst;	/* which burst the last unique frame was of */
	int64_t		train_tx_ns;	/* departure of the last train */
	int64_t		step_ns;	/* from train to train, or frame to frame */
	int64_t		first_ns, last_ns;	/* arrivals of unique frames */
	int64_t		train_ns;	/* first arrival of the last train */
	int64_t		gap_min_ns, gap_max_ns;	/* since the last look */
	uint64_t	looked;		/* unique frames then */
	uint64_t	trains;		/* that began */
	uint64_t	first_train_frames;	/* unique ones of the train that came first */
	uint32_t	drops0, drops_seen;	/* at the start; beside the last frame */
	bool		whole;
	/* numbers up to an arrival before which that rose; of them missing then; of these in
	 * each hole at most as many as it rose by */
	uint64_t	loud, loud_missing, loud_room;
	uint64_t	datagrams;	/* that brought the frames, whole pieces as one */
	uintptr_t	piece_end;	/* where the next frame of the same piece lies */
	enum pace_stamp	wanted, worst;	/* asked for; the least good of unique frames */
	struct pace_delay delay;
	struct pace_delays delays;
	struct pace_records records;	/* room 0: none are kept */
	void		*record_memory;
	int64_t		*stamps;	/* by number; stamps_room 0: none are kept */
	uint64_t	stamps_room;
	uint8_t		pattern[PACE_FRAME_MAX];
};

struct pace_receiver *
pace_receiver_new(void)
{
	struct pace_receiver *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->window = malloc(pace_seq_memory(PACE_SEQ_WINDOW));
	if (r->window == NULL) {
		free(r);
		return NULL;
	}
	return r;
}

void
pace_receiver_free(struct pace_receiver *r)
{
	if (r == NULL)
		return;
	free(r->record_memory);
	free(r->stamps);
	free(r->window);
	free(r);
}

static int
start_records(struct pace_receiver *r, const struct pace_params *ask)
{
	size_t size = pace_records_memory(ask->record.room);

	free(r->record_memory);
	r->record_memory = NULL;
	memset(&r->records, 0, sizeof(r->records));
	if (ask->record.room == 0)
		return 0;
	r->record_memory = calloc(1, size);
	if (r->record_memory == NULL)
		return -ENOMEM;
	pace_records_init(&r->records, r->record_memory, ask->record.room,
	    ask->record.skip, ask->record.lost_only);
	return 0;
}

int
pace_receiver_stamps(struct pace_receiver *r)
{
	uint64_t n = r->run.limit < PACE_WIRE_CHECK_ROOM ? r->run.limit : PACE_WIRE_CHECK_ROOM;

	r->stamps = malloc(n * sizeof(*r->stamps));
	if (r->stamps == NULL)
		return -ENOMEM;
	memset(r->stamps, 0, n * sizeof(*r->stamps));	/* there before the first frame */
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
	if (start_records(r, &m->ask) < 0)
		return -ENOMEM;
	free(r->stamps);
	r->stamps = NULL;
	r->stamps_room = 0;
	r->run = *m;
	memset(&r->rx, 0, sizeof(r->rx));
	r->rx.window = PACE_SEQ_WINDOW;
	r->rx.lens.low = m->ask.lens.low;
	r->rx.lens.width = m->ask.lens.width;
	r->rx.lens.bins = m->ask.lens.bins;
	r->rx.lens.count = r->rx.lens_count;
	pace_hist_reset(&r->rx.gap);
	pace_hist_reset(&r->rx.gap_error);
	(void)pace_seq_init(&r->seq, PACE_SEQ_WINDOW, m->limit, r->window);
	r->burst = m->ask.bursts > 1 ? m->ask.count : 0;
	r->step_ns = pace_spacing_ns(m->ask.spacing * m->ask.train);
	r->trains = r->first_train_frames = 0;
	r->gap_min_ns = INT64_MAX;
	r->gap_max_ns = INT64_MIN;
	r->looked = 0;
	r->drops0 = r->drops_seen = drops;
	r->whole = whole;
	r->wanted = r->worst = m->ask.nic ? PACE_STAMP_NIC : PACE_STAMP_KERNEL;
	r->loud = r->loud_missing = r->loud_room = r->datagrams = 0;
	r->piece_end = 0;
	if (m->ask.verify)
		pace_payload_fill(r->pattern, m->ask.size_bytes - PACE_HDR_SIZE, m->seed);
	pace_delay_start(&r->delay, 0);
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
	if (r->step_ns > 0)
		pace_hist_add(&r->rx.gap_error, gap - r->step_ns);
	if (r->rx.lens.bins > 0)
		pace_linear_hist_add(&r->rx.lens, gap);
	if (gap < COALESCED_NS)
		r->rx.coalesced_stamps++;
}

/* Gaps are those between frames; of trains, those between their first
 * arrivals: what comes inside a train says nothing.  The frames of a train
 * have one departure time.  False: this one is inside a train. */
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
	r->last_burst = burst;
	r->train_tx_ns = h->tx_ns;
	r->train_ns = r->last_ns = stamp_ns;
	return true;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Frames in so many datagrams, if they are as those that came. */
static uint64_t
frames_in(const struct pace_receiver *r, uint64_t datagrams)
{
	double each = r->datagrams > 0 ?
	    (double)(r->seq.unique + r->seq.duplicates) / (double)r->datagrams : 1;

	return (uint64_t)ceil((double)datagrams * (each > 1 ? each : 1));
}

/* Numbers from the last arrival in order to this one, hole of them missing, and the
 * kernel's count is this. */
static void
take_drops(struct pace_receiver *r, uint64_t numbers, uint64_t hole, uint32_t drops)
{
	uint32_t rose = drops - r->drops_seen;

	if (rose == 0)
		return;
	r->loud += numbers;
	r->loud_missing += hole;
	r->loud_room += least(hole, frames_in(r, rose));
	r->drops_seen = drops;
}

/* Frames of one piece lie one behind the other. */
static void
count_datagram(struct pace_receiver *r, const struct pace_in *in)
{
	uintptr_t at = (uintptr_t)in->buf;

	r->datagrams += in->segment == 0 || at != r->piece_end;
	r->piece_end = at + in->len;	/* of a long frame only the head is there */
}

/* Frames missing where the count rose, less the share of numbers that is missing where it
 * stood still: those died elsewhere. */
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
 * How many of the lost frames died in the socket (ledger.h).  Likely: what is missing in
 * each hole, as far as it dropped so much there; with reordering holes say nothing, and with
 * copies a drop need not be a frame.
 */
static void
judge_drops(const struct pace_receiver *r, uint64_t lost, uint64_t *likely, uint64_t *high)
{
	const struct pace_seq *s = &r->seq;
	uint64_t drops = (uint32_t)(r->drops_seen - r->drops0);

	*high = least(lost, drops * (r->whole ? pace_params_piece(&r->run.ask) : 1));
	*likely = least(*high, s->reordered > 0 ? frames_in(r, drops) : r->loud_room);
	if (s->duplicates > 0 && s->reordered == 0)
		*likely = least(*likely, missing_by_drops(r));
}

/* What lies behind the header, and behind late where a frame has it. */
static bool
damaged(const struct pace_receiver *r, const struct pace_in *in)
{
	size_t size = r->run.ask.size_bytes;
	size_t at = size < PACE_DATA_SIZE ? PACE_HDR_SIZE : PACE_DATA_SIZE;

	return in->size < size || memcmp(in->buf + at, r->pattern + (at - PACE_HDR_SIZE),
	    size - at) != 0;
}

static void
keep_record(struct pace_receiver *r, const struct pace_hdr *h, const struct pace_in *in,
    enum pace_seq_kind kind)
{
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

void
pace_receiver_take(struct pace_receiver *r, const struct pace_hdr *h,
    const struct pace_in *in)
{
	uint64_t next = r->seq.next;
	enum pace_seq_kind kind;

	if (in->len != r->run.ask.size_bytes) {
		r->rx.foreign++;
		return;
	}
	kind = pace_seq_add(&r->seq, h->seq, in->stamp_ns);
	if (kind == PACE_SEQ_REFUSED) {
		r->rx.foreign++;
		return;
	}
	count_datagram(r, in);
	if (r->records.room > 0)
		keep_record(r, h, in, kind);
	if (kind != PACE_SEQ_IN_ORDER && kind != PACE_SEQ_REORDERED)
		return;
	if (h->seq < r->stamps_room)
		r->stamps[h->seq] = in->stamp_ns;
	if (take_gap(r, h, in->stamp_ns))
		pace_delay_add(&r->delay, h->seq / r->run.ask.train, h->tx_ns,
		    in->stamp_ns, h->late_ns);
	if (in->has_drops && kind == PACE_SEQ_IN_ORDER)
		take_drops(r, h->seq - next + 1, h->seq - next, in->drops);
	r->rx.unstamped += in->stamp != r->wanted;
	if (in->stamp < r->worst)
		r->worst = in->stamp;
	if (r->run.ask.verify && damaged(r, in))
		r->rx.corrupt++;
}

void
pace_receiver_foreign(struct pace_receiver *r)
{
	r->rx.foreign++;
}

void
pace_receiver_look(struct pace_receiver *r, struct pace_tally *t, struct pace_stats *gaps,
    int64_t *jitter_ns, struct pace_recent *recent)
{
	const struct pace_seq *s = &r->seq;
	int64_t above_ns;

	*t = (struct pace_tally){ .frames = s->unique, .bytes = s->unique * r->run.ask.size_bytes,
	    .wire_bytes = s->unique * r->run.wire_bytes, .duplicates = s->duplicates,
	    .reordered = s->reordered, .late = s->beyond, .foreign = r->rx.foreign,
	    .corrupt = r->rx.corrupt, .lost = (int64_t)(s->next - s->unique),
	    .socket_drops = r->drops_seen - r->drops0 };
	judge_drops(r, s->next - s->unique, &t->socket_likely, &t->socket_high);
	*gaps = r->rx.gap.stats;
	*jitter_ns = (int64_t)(r->delay.jitter16 / 16);
	recent->gap_min_ns = r->gap_min_ns;
	recent->gap_max_ns = r->gap_max_ns;
	r->gap_min_ns = INT64_MAX;
	r->gap_max_ns = INT64_MIN;
	/* Of a batch that had no frame there is none: the last one's is not told again. */
	if (s->unique != r->looked && pace_delay_above(&r->delay, r->train_tx_ns, &above_ns)) {
		above_ns = above_ns > PACE_ABOVE_MOST ? PACE_ABOVE_MOST :
		    above_ns < -PACE_ABOVE_MOST ? -PACE_ABOVE_MOST : above_ns;
		recent->samples = 1;
		recent->above_min_ns = recent->above_max_ns = recent->above_sum_ns = above_ns;
	}
	r->looked = s->unique;
}

void
pace_receiver_shape(const struct pace_receiver *r, struct pace_coarse_hist *gaps)
{
	pace_coarse_hist_of(gaps, &r->rx.gap);
}

bool
pace_receiver_complete(const struct pace_receiver *r, uint64_t sent)
{
	return r->seq.unique >= sent;
}

static void
take_order(struct pace_rx_result *rx, const struct pace_seq *s)
{
	rx->unique = s->unique;
	rx->duplicates = s->duplicates;
	rx->frames = s->unique + s->duplicates;
	rx->replicated = s->replicated;
	rx->lost = s->lost;
	rx->reordered = s->reordered;
	rx->beyond_window = s->beyond;
	rx->free_runs = s->free_runs;
	rx->free_sum = s->free_sum;
	rx->free_sumsq = s->free_sumsq;
	memcpy(rx->degree, s->degree, sizeof(rx->degree));
	rx->runs = s->runs;
	rx->distances = s->distances;
	rx->good_runs = s->good_runs;
	rx->extent = s->extent;
	rx->late_ns = s->late_ns;
}

static void
take_delays(struct pace_receiver *r, const struct pace_clock_estimate *theta)
{
	struct pace_rx_result *rx = &r->rx;
	struct pace_delays *d = &r->delays;

	pace_delay_finish(&r->delay, theta, d);
	rx->has_owd = d->absolute;
	rx->owd = d->owd;
	rx->owd_scheduled = d->scheduled;
	rx->pdv = d->pdv;
	rx->ipdv = d->ipdv;
	rx->jitter_ns = d->jitter_ns;
	rx->jitter_max_ns = d->jitter_max_ns;
	rx->absurd_times = d->absurd;
}

struct pace_rx_result *
pace_receiver_finish(struct pace_receiver *r, const struct pace_msg_finish *m,
    uint32_t drops)
{
	struct pace_rx_result *rx = &r->rx;
	uint64_t sent = m->sent;
	uint64_t later, tail = sent > r->seq.next ? sent - r->seq.next : 0;

	/* A sender that denies frames it sent finishes a run of those. */
	(void)pace_seq_finish(&r->seq, sent);
	take_order(rx, &r->seq);
	take_delays(r, &m->theta);
	pace_records_finish(&r->records);
	rx->records = r->records.n;
	rx->records_missed = r->records.missed;
	later = rx->unique - r->first_train_frames;
	rx->bytes = rx->unique * r->run.ask.size_bytes;
	rx->duration_ns = rx->unique > 0 ? r->last_ns - r->first_ns : 0;
	rx->user_rate_bps = pace_rate_bps(later * r->run.ask.size_bytes, rx->duration_ns);
	rx->wire_rate_bps = pace_rate_bps(later * r->run.wire_bytes, rx->duration_ns);
	rx->stamp = rx->unique == 0 ? PACE_STAMP_NONE : r->worst;
	take_drops(r, tail, tail, drops);
	rx->socket_drops = drops - r->drops0;
	judge_drops(r, rx->lost, &rx->socket_likely, &rx->socket_high);
	return rx;
}

const struct pace_records *
pace_receiver_records(const struct pace_receiver *r)
{
	return &r->records;
}
