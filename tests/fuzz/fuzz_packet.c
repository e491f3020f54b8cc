/*
 * Fuzzes arbitrary bytes as frames of a capture, of any link type and cut anywhere.  Checks: a
 * datagram that is found lies inside its frame; the whole capture is read in bounded memory, and
 * its counts agree with each other.
 *
 * Input      for each frame: link type, two bytes of length, one byte for how much more was
 *            sent than captured, one byte of time; the bytes.
 */
#include "cap/flow.h"
#include "core/cursor.h"
#include "fuzz.h"

#define MEMORY	(4u << 20)
#define WINDOW	64		/* frames: the time of an execution goes into the tracker's
				 * memory */

/* False: no frame is left. */
static bool
next_frame(struct pace_rd *r, enum pace_cap_link *link, struct pace_cap_frame *f, int64_t *now)
{
	uint64_t head = pace_rd_be(r, 1), size = pace_rd_be(r, 2), more = pace_rd_be(r, 1);
	int64_t step = (int64_t)pace_rd_be(r, 1);

	if (r->bad)
		return false;
	if (size > r->left)
		size = r->left;
	*link = (enum pace_cap_link)(head % (PACE_CAP_LOOP + 1));
	*now += step * 100 - 300;
	f->data = r->p;
	f->captured = (size_t)size;
	f->length = (size_t)size + (size_t)more * 16;
	r->p += size;
	r->left -= (size_t)size;
	return true;
}

static void
check_packet(enum pace_cap_link link, const struct pace_cap_frame *f)
{
	uint8_t *exact = fuzz_exact(f->data, f->captured);
	const struct pace_cap_frame g = { exact, f->captured, f->length };
	const struct pace_cap_datagram *d;
	struct pace_cap_packet p;

	if (pace_cap_packet(&p, link, &g) == PACE_CAP_UDP) {
		d = &p.datagram;
		MUST(d->payload >= exact && d->captured <= f->captured &&
		    d->payload + d->captured <= exact + f->captured);
		MUST(d->captured <= d->length && d->length <= 65527);
		MUST(p.fragmented || d->length <= f->length);
		MUST(p.ip == 4 || p.ip == 6);
		MUST(p.line_bytes >= 84 && p.dscp < 64);
	}
	free(exact);
}

static void
read_packets(const uint8_t *data, size_t size)
{
	struct pace_rd r = { .p = data, .left = size };
	enum pace_cap_link link;
	struct pace_cap_frame f;
	int64_t now = 0;

	while (next_frame(&r, &link, &f, &now))
		check_packet(link, &f);
}

static void
check_stream(const struct pace_cap_stream *s)
{
	const struct pace_seq *q = s->seq;

	MUST(s->flow->format != NULL && s->frames <= s->flow->frames);
	MUST(s->gap.stats.n == (s->frames > 0 ? s->frames - 1 : 0));
	MUST(s->bytes <= s->flow->bytes && s->size_min <= s->size_max);
	MUST(q == NULL || (q->unique + q->duplicates == s->frames &&
	    q->figures->runs.stats.n <= q->lost));
}

static void
check_table(struct pace_cap_table *t)
{
	uint64_t kinds = 0, frames = t->others;

	MUST(pace_cap_table_finish(t) == 0);
	MUST(t->used <= MEMORY);
	for (int i = 0; i < PACE_CAP_KINDS; i++)
		kinds += t->kinds[i];
	MUST(kinds == t->frames);
	for (size_t i = 0; i < t->flows; i++)
		frames += t->flow[i].frames;
	MUST(frames == t->kinds[PACE_CAP_UDP]);
	for (size_t i = 0; i < t->streams; i++)
		check_stream(t->stream[i]);
}

static void
read_all(const uint8_t *data, size_t size, const char *format)
{
	static const struct pace_cap_rule rule = { 2, 2, false, 0 };
	const struct pace_cap_cfg cfg = { .format = format == NULL ? NULL : pace_cap_format(format),
	    .rule = &rule, .flows = 8, .memory = MEMORY, .window = WINDOW };
	struct pace_cap_table *t = pace_cap_table_new(&cfg);
	struct pace_cap_table *of_socket = pace_cap_table_new(&cfg);
	struct pace_cap_packet p;
	struct pace_rd r = { .p = data, .left = size };
	enum pace_cap_link link;
	struct pace_cap_frame f;
	int64_t now = 0;

	MUST(t != NULL && of_socket != NULL);
	while (next_frame(&r, &link, &f, &now)) {
		pace_cap_table_add(t, link, &f, now);
		if (pace_cap_packet(&p, link, &f) == PACE_CAP_UDP)
			pace_cap_table_add_datagram(of_socket, &p, f.length, now);
	}
	check_table(t);
	check_table(of_socket);
	MUST(of_socket->frames == t->kinds[PACE_CAP_UDP] && of_socket->flows == t->flows &&
	    of_socket->streams == t->streams && of_socket->others == t->others);
	pace_cap_table_free(t);
	pace_cap_table_free(of_socket);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_packets(data, size);
	if (size % 8 != 0)	/* a tracker takes longer than a thousand packets */
		return 0;
	read_all(data, size, NULL);
	read_all(data, size, "sequence");
	return 0;
}
