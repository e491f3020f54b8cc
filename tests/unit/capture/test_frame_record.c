/*
 * The file is read back byte by byte, by what pcap(5), RFC 791, 8200 and 768 say, from a pipe that
 * nobody reads until the ring is full.
 */
#include "lib/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/frame_record.h"

#define FRAMES	300000		/* more than the ring holds */
#define BYTES	192
#define NOW_NS	INT64_C(1700000000123456789)

struct reader {
	int	fd;
	uint8_t	*data;
	size_t	size;
};

static void *
read_all(void *arg)
{
	struct reader *r = arg;
	ssize_t n;

	do {
		r->data = realloc(r->data, r->size + 65536);
		if (r->data == NULL)
			abort();
		n = read(r->fd, r->data + r->size, 65536);
		r->size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return NULL;
}

static uint64_t
be(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static void
fill(struct pace_cap_packet *p, uint8_t *payload, unsigned i)
{
	memset(p, 0, sizeof(*p));
	p->ip = i % 2 == 0 ? 4 : 6;
	p->dscp = 46;
	memset(p->source, 1, p->ip == 4 ? 4 : 16);
	memset(p->dest, 2, p->ip == 4 ? 4 : 16);
	memset(payload, (int)(i & 0xff), BYTES);
	payload[0] = (uint8_t)(i >> 16);
	payload[1] = (uint8_t)(i >> 8);
	p->datagram = (struct pace_cap_datagram){ .payload = payload, .captured = BYTES,
	    .length = 1000, .source_port = 4000, .dest_port = 5000 };
}

/* Returns the bytes of a record; *number: of its frame. */
static size_t
check_frame(const uint8_t *p, size_t left, unsigned *number)
{
	const uint8_t *ip = p + 16, *udp, *payload;
	size_t header;

	ck_assert_uint_gt(left, 16 + 20 + 8);
	header = ip[0] >> 4 == 4 ? 20 : 40;
	udp = ip + header;
	payload = udp + 8;
	ck_assert_uint_ge(left, 16 + header + 8 + BYTES);
	*number = (unsigned)(be(payload, 2) << 8 | payload[2]);
	ck_assert_uint_eq(be(p, 4) * 1000000000 + be(p + 4, 4), (uint64_t)NOW_NS + *number);
	ck_assert_uint_eq(be(p + 8, 4), header + 8 + BYTES);
	ck_assert_uint_eq(be(p + 12, 4), header + 8 + 1000);
	if (header == 20) {
		ck_assert_uint_eq(be(ip, 4), 0x45000000u | 46 << 18 | (20 + 8 + 1000));
		ck_assert_uint_eq(be(ip + 6, 4), 0x00000111);	/* no fragment, TTL 1, UDP */
		ck_assert_uint_eq(be(ip + 12, 8), 0x0101010102020202);
	} else {
		ck_assert_uint_eq(be(ip, 4), 0x60000000u | 46 << 22);
		ck_assert_uint_eq(be(ip + 4, 4), (8 + 1000) << 16 | 0x1101);
		ck_assert_uint_eq(be(ip + 8, 8), 0x0101010101010101);
		ck_assert_uint_eq(be(ip + 32, 8), 0x0202020202020202);
	}
	ck_assert_uint_eq(be(udp, 8), UINT64_C(4000) << 48 | UINT64_C(5000) << 32 | 1008 << 16);
	return 16 + header + 8 + BYTES;
}

START_TEST(a_full_ring_counts_what_it_misses_and_the_rest_is_written)
{
	static struct reader r;
	uint64_t frames = 0, missed = 0, n = 0;
	unsigned number, last = 0;
	uint8_t payload[BYTES];
	struct pace_cap_packet p;
	struct pace_frame_record *rec;
	pthread_t thread;
	int fd[2];
	FILE *f;

	ck_assert_int_eq(pipe(fd), 0);
	f = fdopen(fd[1], "w");
	ck_assert_ptr_nonnull(f);
	rec = pace_frame_record_new(f);
	ck_assert_ptr_nonnull(rec);
	for (unsigned i = 0; i < FRAMES; i++) {
		fill(&p, payload, i);
		pace_frame_record_add(rec, &p, NOW_NS + i);
	}
	r.fd = fd[0];
	ck_assert_int_eq(pthread_create(&thread, NULL, read_all, &r), 0);
	ck_assert_int_eq(pace_frame_record_end(rec, &frames, &missed), 0);
	fclose(f);
	pthread_join(thread, NULL);
	pace_frame_record_free(rec);
	ck_assert_uint_eq(frames + missed, FRAMES);
	ck_assert_uint_gt(missed, 0);
	ck_assert_uint_gt(frames, PACE_FRAME_RECORD_RING / 256);
	ck_assert_uint_ge(r.size, 24);
	ck_assert_uint_eq(be(r.data, 8), 0xa1b23c4d00020004);
	ck_assert_uint_eq(be(r.data + 20, 4), 101);
	for (size_t at = 24; at < r.size; n++) {
		at += check_frame(r.data + at, r.size - at, &number);
		ck_assert(n == 0 ? number == 0 : number > last);
		last = number;
	}
	ck_assert_uint_eq(n, frames);
	free(r.data);
}
END_TEST

START_TEST(a_file_that_cannot_be_written_is_an_error_and_no_wait)
{
	FILE *f = fopen("/dev/full", "w");
	uint64_t frames, missed;
	uint8_t payload[BYTES];
	struct pace_cap_packet p;
	struct pace_frame_record *rec = f != NULL ? pace_frame_record_new(f) : NULL;

	ck_assert_ptr_nonnull(rec);
	fill(&p, payload, 0);
	pace_frame_record_add(rec, &p, NOW_NS);
	ck_assert_int_lt(pace_frame_record_end(rec, &frames, &missed), 0);
	ck_assert_uint_eq(frames, 0);
	ck_assert_uint_eq(missed, 1);
	pace_frame_record_free(rec);
	(void)fclose(f);
	pace_frame_record_free(NULL);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("frame_record");

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_full_ring_counts_what_it_misses_and_the_rest_is_written);
	tcase_add_test(tc, a_file_that_cannot_be_written_is_an_error_and_no_wait);
	return unit_run(tc, "frame_record");
}
