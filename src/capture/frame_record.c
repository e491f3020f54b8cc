#include "config.h"

#include "capture/frame_record.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/cursor.h"
#include "plat/thread.h"

#define SEC		INT64_C(1000000000)
#define LOOK_NS		20000000	/* between two looks of the writer at an empty ring */
#define MAGIC_NS	0xa1b23c4du	/* a pcap file in ns, here big-endian */
#define LINK_RAW	101
#define IP_UDP		17
#define RECORD_HEAD	16		/* of a record, before the packet: */
#define LENGTH_AT	8		/* 4 bytes: how much of it there is */
#define HEADS_MAX	(16 + 40 + 8)	/* of a record, IP, UDP */
#define SNAP		65535

struct pace_frame_record {
	FILE		*file;
	pthread_t	writer;
	_Atomic uint64_t put, got;	/* bytes, since the beginning */
	atomic_bool	over;		/* nothing more is put */
	_Atomic int	failed;		/* -errno of the writer */
	uint64_t	frames, missed;
	/* of the writer: the first frame that is not yet in the file as a whole */
	uint64_t	written, next, next_bytes;
	uint8_t		ring[PACE_FRAME_RECORD_RING];
};

/* --- the writer --------------------------------------------------------------------- */

/* Count the frames that the file has up to there, by their lengths in the ring. */
static void
count_written(struct pace_frame_record *r, uint64_t put, uint64_t got)
{
	while (r->next < put) {
		for (uint64_t i = LENGTH_AT; r->next_bytes == 0 && i < LENGTH_AT + 4; i++)
			r->next_bytes = r->next_bytes << 8 |
			    r->ring[(r->next + i) % sizeof(r->ring)];
		if (r->next + RECORD_HEAD + r->next_bytes > got)
			return;
		r->next += RECORD_HEAD + r->next_bytes;
		r->next_bytes = 0;
		r->written++;
	}
}

/* Write what the ring has, up to its edge. */
static uint64_t
write_some(struct pace_frame_record *r)
{
	uint64_t got = atomic_load_explicit(&r->got, memory_order_relaxed), n, done;
	const uint64_t put = atomic_load_explicit(&r->put, memory_order_acquire);
	size_t at = got % sizeof(r->ring);

	n = put - got < sizeof(r->ring) - at ? put - got : sizeof(r->ring) - at;
	done = n > 0 ? fwrite(r->ring + at, 1, n, r->file) : 0;
	if (done != n)
		atomic_store(&r->failed, -errno);
	got += done;
	count_written(r, put, got);
	atomic_store_explicit(&r->got, got, memory_order_release);
	return done;
}

static void *
write_all(void *arg)
{
	struct pace_frame_record *r = arg;
	const struct timespec nap = { .tv_nsec = LOOK_NS };
	bool over;

	do {
		over = atomic_load(&r->over);
		while (atomic_load(&r->failed) == 0 && write_some(r) > 0)
			;
		if (!over && atomic_load(&r->failed) == 0)
			(void)nanosleep(&nap, NULL);
	} while (!over && atomic_load(&r->failed) == 0);
	return NULL;
}

/* --- the beginning and the end ------------------------------------------------------ */

struct pace_frame_record *
pace_frame_record_new(FILE *f)
{
	struct pace_frame_record *r = calloc(1, sizeof(*r));
	struct pace_wr w;

	if (r == NULL)
		return NULL;
	r->file = f;
	w = (struct pace_wr){ .p = r->ring, .left = sizeof(r->ring) };
	pace_wr_be(&w, MAGIC_NS, 4);
	pace_wr_be(&w, 2, 2);		/* version 2.4 */
	pace_wr_be(&w, 4, 2);
	pace_wr_be(&w, 0, 8);		/* zone, accuracy */
	pace_wr_be(&w, SNAP, 4);
	pace_wr_be(&w, LINK_RAW, 4);
	r->put = r->next = sizeof(r->ring) - w.left;
	(void)setvbuf(f, NULL, _IONBF, 0);	/* what is written is in the file */
	if (pace_thread_start(&r->writer, write_all, r) == 0)
		return r;
	free(r);
	return NULL;
}

static void
end_writer(struct pace_frame_record *r)
{
	if (atomic_exchange(&r->over, true))
		return;
	(void)pthread_join(r->writer, NULL);
}

int
pace_frame_record_end(struct pace_frame_record *r, uint64_t *frames, uint64_t *missed)
{
	end_writer(r);
	*frames = r->written;
	*missed = r->missed + r->frames - r->written;
	return atomic_load(&r->failed);
}

void
pace_frame_record_free(struct pace_frame_record *r)
{
	if (r != NULL)
		end_writer(r);
	free(r);
}

/* --- frames --------------------------------------------------------------------------- */

static void
put_ipv4(struct pace_wr *w, const struct pace_cap_packet *p)
{
	pace_wr_be(w, 0x45, 1);
	pace_wr_be(w, (uint64_t)p->dscp << 2, 1);
	pace_wr_be(w, 20 + 8 + p->datagram.length, 2);
	pace_wr_be(w, 0, 4);		/* identification; no fragment */
	pace_wr_be(w, 1, 1);		/* TTL */
	pace_wr_be(w, IP_UDP, 1);
	pace_wr_be(w, 0, 2);
	for (int i = 0; i < 4; i++)
		pace_wr_be(w, p->source[i], 1);
	for (int i = 0; i < 4; i++)
		pace_wr_be(w, p->dest[i], 1);
}

static void
put_ipv6(struct pace_wr *w, const struct pace_cap_packet *p)
{
	pace_wr_be(w, 0x60000000u | (uint64_t)p->dscp << 22, 4);
	pace_wr_be(w, 8 + p->datagram.length, 2);
	pace_wr_be(w, IP_UDP, 1);
	pace_wr_be(w, 1, 1);		/* hop limit */
	for (int i = 0; i < 16; i++)
		pace_wr_be(w, p->source[i], 1);
	for (int i = 0; i < 16; i++)
		pace_wr_be(w, p->dest[i], 1);
}

/* Returns the bytes of all headers. */
static size_t
put_heads(uint8_t heads[HEADS_MAX], const struct pace_cap_packet *p, int64_t now_ns)
{
	const struct pace_cap_datagram *d = &p->datagram;
	const size_t ip = p->ip == 4 ? 20 : 40;
	struct pace_wr w = { .p = heads, .left = HEADS_MAX };

	pace_wr_be(&w, (uint64_t)(now_ns / SEC), 4);
	pace_wr_be(&w, (uint64_t)(now_ns % SEC), 4);
	pace_wr_be(&w, ip + 8 + d->captured, 4);
	pace_wr_be(&w, ip + 8 + d->length, 4);
	if (p->ip == 4)
		put_ipv4(&w, p);
	else
		put_ipv6(&w, p);
	pace_wr_be(&w, d->source_port, 2);
	pace_wr_be(&w, d->dest_port, 2);
	pace_wr_be(&w, 8 + d->length, 2);
	pace_wr_be(&w, 0, 2);
	return HEADS_MAX - w.left;
}

static void
copy(struct pace_frame_record *r, uint64_t at, const uint8_t *from, size_t n)
{
	const size_t place = at % sizeof(r->ring), rest = sizeof(r->ring) - place;
	const size_t first = n < rest ? n : rest;

	memcpy(r->ring + place, from, first);
	memcpy(r->ring, from + first, n - first);
}

void
pace_frame_record_add(struct pace_frame_record *r, const struct pace_cap_packet *p, int64_t now_ns)
{
	const uint64_t put = atomic_load_explicit(&r->put, memory_order_relaxed);
	const uint64_t used = put - atomic_load_explicit(&r->got, memory_order_acquire);
	uint8_t heads[HEADS_MAX];
	size_t n = put_heads(heads, p, now_ns), size = n + p->datagram.captured;

	if (size > sizeof(r->ring) - used ||
	    atomic_load_explicit(&r->failed, memory_order_relaxed) != 0) {
		r->missed++;
		return;
	}
	copy(r, put, heads, n);
	copy(r, put + n, p->datagram.payload, p->datagram.captured);
	atomic_store_explicit(&r->put, put + size, memory_order_release);
	r->frames++;
}
