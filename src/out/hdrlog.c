#include "config.h"

#include "out/hdrlog.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "core/cursor.h"
#include "out/say.h"

#define COOKIE		0x1c849313	/* V2, with ZigZag LEB128 */
#define COOKIE_DEFLATED	0x1c849314
#define RATIO_ONE	UINT64_C(0x3ff0000000000000)	/* 1.0 */
#define HEAD		40
#define DEFLATED_HEAD	8

bool
pace_hdrlog_works(void)
{
#ifdef HAVE_ZLIB
	return true;
#else
	return false;
#endif
}

/* Seven bits a byte, the low ones first; the ninth byte has eight. */
size_t
pace_zigzag(uint8_t *to, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
	size_t n = 0;

	while (u > 0x7f && n < PACE_ZIGZAG_MAX - 1) {
		to[n++] = (uint8_t)(u | 0x80);
		u >>= 7;
	}
	to[n++] = (uint8_t)u;
	return n;
}

/* Number of bins up to the last occupied one. */
static size_t
put_counts(uint8_t *to, const struct pace_hist *h)
{
	size_t used = 0;
	int64_t empty = 0;

	for (int i = 0; i < PACE_HIST_BINS; i++) {
		if (h->pos[i] == 0) {
			empty++;
			continue;
		}
		if (empty > 0)		/* a single empty bin is a count of 0 */
			used += pace_zigzag(to + used, empty > 1 ? -empty : 0);
		used += pace_zigzag(to + used, (int64_t)h->pos[i]);
		empty = 0;
	}
	return used;
}

size_t
pace_hdrlog_encode(uint8_t to[PACE_HDRLOG_MAX], const struct pace_hist *h)
{
	struct pace_wr w = { .p = to, .left = HEAD };
	size_t len = put_counts(to + HEAD, h);

	pace_wr_be(&w, COOKIE, 4);
	pace_wr_be(&w, len, 4);
	pace_wr_be(&w, 0, 4);
	pace_wr_be(&w, 2, 4);
	pace_wr_be(&w, 1, 8);
	pace_wr_be(&w, PACE_HIST_MAX, 8);
	pace_wr_be(&w, RATIO_ONE, 8);
	return HEAD + len;
}

uint64_t
pace_hdrlog_left_out(const struct pace_hist *h)
{
	uint64_t n = 0;

	for (int i = 0; i < PACE_HIST_BINS; i++)
		n += h->neg[i];
	return n;
}

bool
pace_hdrlog_epoch(const char *started, double *s)
{
	struct tm tm = { .tm_isdst = 0 };
	double seconds;
	char z;

	if (sscanf(started, "%4d-%2d-%2dT%2d:%2d:%12lf%c", &tm.tm_year, &tm.tm_mon,
	    &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &seconds, &z) != 7 || z != 'Z')
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*s = (double)timegm(&tm) + seconds;
	return *s >= 0;
}

int
pace_hdrlog_head(FILE *f, const struct pace_result *r)
{
	const struct pace_say s = { f, true };
	double started;

	fprintf(f, "#[Made by udpace %s: %s]\n", r->client.version, r->kind);
	fprintf(f, "#[Histogram log format version 1.2]\n");
	if (pace_hdrlog_epoch(r->started, &started)) {
		fprintf(f, "#[BaseTime: %.3f (seconds since epoch)]\n", started);
		fprintf(f, "#[StartTime: %.3f (seconds since epoch), %s]\n", started, r->started);
	}
	fprintf(f, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
	    "\"Interval_Compressed_Histogram\"\n");
	return pace_say_end(&s);
}

#ifdef HAVE_ZLIB
/* Compress into *out, which the caller frees; return 0 or -ENOMEM. */
static int
deflated(const struct pace_hist *h, uint8_t **out, size_t *len)
{
	uint8_t *plain = malloc(PACE_HDRLOG_MAX);
	size_t n = plain != NULL ? pace_hdrlog_encode(plain, h) : 0;
	uLongf room = compressBound((uLong)n);
	struct pace_wr w;

	*out = malloc(DEFLATED_HEAD + room);
	if (plain == NULL || *out == NULL ||
	    compress2(*out + DEFLATED_HEAD, &room, plain, (uLong)n, 9) != Z_OK) {
		free(plain);
		return -ENOMEM;
	}
	free(plain);
	w = (struct pace_wr){ .p = *out, .left = DEFLATED_HEAD };
	pace_wr_be(&w, COOKIE_DEFLATED, 4);
	pace_wr_be(&w, room, 4);
	*len = DEFLATED_HEAD + room;
	return 0;
}

static int
put_base64(FILE *f, const uint8_t *bytes, size_t len)
{
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	char *text = malloc(size);

	if (text == NULL)
		return -ENOMEM;
	fputs(sodium_bin2base64(text, size, bytes, len, sodium_base64_VARIANT_ORIGINAL), f);
	free(text);
	return 0;
}

int
pace_hdrlog_put(FILE *f, const struct pace_hdrlog_line *line, const struct pace_hist *h)
{
	const struct pace_say s = { f, true };
	/* a maximum below 0 belongs to values that the log leaves out */
	int64_t max = h->stats.n > 0 && h->stats.max > 0 ? h->stats.max : 0;
	uint8_t *bytes = NULL;
	size_t len = 0;
	int rc = deflated(h, &bytes, &len);

	if (rc == 0) {
		fprintf(f, "Tag=%s,%.9f,%.9f,", line->tag, line->start_s, line->length_s);
		if (line->ns)
			fprintf(f, "%.6f,", (double)max / 1e6);
		else
			fprintf(f, "%lld.000,", (long long)max);
		rc = put_base64(f, bytes, len);
	}
	free(bytes);
	if (rc != 0)
		return rc;
	fputc('\n', f);
	return pace_say_end(&s);
}
#else
int
pace_hdrlog_put(FILE *f, const struct pace_hdrlog_line *line, const struct pace_hist *h)
{
	(void)f; (void)line; (void)h;
	return -ENOSYS;
}
#endif
