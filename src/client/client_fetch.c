/*
 * Fetch a result: each chunk is a request of its own, several at a time; a request without a reply
 * is repeated.  The order does not matter.
 */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "client/client_io.h"
#include "core/cursor.h"

#define WINDOW		32			/* chunks requested at a time */
#define FIRST_NS	INT64_C(100000000)	/* time-out of a chunk before the first reply */
#define LEAST_NS	INT64_C(5000000)	/* after it: 4 times a reply's time, at least */
#define MOST_NS		INT64_C(500000000)
#define STUCK_NS	PACE_CONTROL_NS		/* give up after this time without a new chunk */

struct asked {
	uint32_t	chunk;
	int64_t		sent_ns, patience_ns;
	bool		used;
};

struct fetch {
	struct pace_client *c;
	enum pace_part	part;
	uint32_t	first;		/* number of the first stream */
	const struct pace_fetched *text;	/* of each stream; their chunks are numbered on */
	uint32_t	chunks, next, have;	/* next: first chunk not yet requested */
	uint64_t	number;		/* of the request for chunk 0 */
	int64_t		patience_ns;
	struct asked	asked[WINDOW];
	struct pace_msg_error refused;	/* the refusal that came instead of a chunk */
};

static uint32_t
chunks_of(uint32_t size)
{
	return size / PACE_CHUNK_MAX + (size % PACE_CHUNK_MAX > 0);
}

/* Return the stream of a chunk, and its offset there. */
static uint32_t
find_chunk(const struct fetch *f, uint32_t chunk, uint32_t *offset)
{
	uint32_t i = 0;

	for (; chunk >= chunks_of(f->text[i].size); i++)
		chunk -= chunks_of(f->text[i].size);
	*offset = chunk * PACE_CHUNK_MAX;
	return i;
}

static int
ask_for(struct fetch *f, struct asked *a, int64_t now)
{
	struct pace_msg_fetch m = { .part = f->part };
	uint8_t stream = (uint8_t)(f->first + find_chunk(f, a->chunk, &m.offset));
	int rc = pace_client_send_stream(f->c, PACE_FETCH, stream, f->number + a->chunk,
	    pace_msg_fetch_json(&m));

	a->sent_ns = now;
	return rc < 0 && !pace_client_may_pass(rc) ? rc : 0;
}

/* Request new chunks and repeat late ones; *until_ns: when the next one is late. */
static int
fill_window(struct fetch *f, int64_t *until_ns)
{
	int64_t now = pace_client_now(f->c);
	int rc = 0;

	*until_ns = now + MOST_NS;
	for (int i = 0; i < WINDOW && rc == 0; i++) {
		struct asked *a = &f->asked[i];

		if (!a->used && f->next < f->chunks) {
			*a = (struct asked){ .used = true, .chunk = f->next++,
			    .patience_ns = f->patience_ns };
			rc = ask_for(f, a, now);
		} else if (a->used && now - a->sent_ns >= a->patience_ns) {
			a->patience_ns = a->patience_ns * 3 / 2 < MOST_NS ?
			    a->patience_ns * 3 / 2 : MOST_NS;
			rc = ask_for(f, a, now);
		}
		if (a->used && a->sent_ns + a->patience_ns < *until_ns)
			*until_ns = a->sent_ns + a->patience_ns;
	}
	return rc;
}

/* Read a reply that is not a chunk: -ESTALE: the responder has no such session; -EACCES: any other
 * refusal. */
static int
refusal(struct fetch *f)
{
	json_t *body = pace_msg_body(f->c->in, f->c->reply_len);
	bool refused = pace_msg_is_error(body, &f->refused);

	json_decref(body);
	if (!refused)
		return -EPROTO;
	return strcmp(f->refused.code, "session") == 0 ? -ESTALE : -EACCES;
}

/* Take the reply for this chunk from c->in: 1: it is new; 0: it is a duplicate; -errno: it is not
 * this chunk. */
static int
take(struct fetch *f, uint32_t chunk)
{
	struct pace_rd r = { .p = f->c->in + PACE_HDR_SIZE,
	    .left = f->c->reply_len - PACE_HDR_SIZE };
	uint32_t at = (uint32_t)pace_rd_be(&r, 4), total = (uint32_t)pace_rd_be(&r, 4);
	uint32_t offset;
	const struct pace_fetched *text = &f->text[find_chunk(f, chunk, &offset)];
	uint32_t want = text->size - offset < PACE_CHUNK_MAX ? text->size - offset :
	    PACE_CHUNK_MAX;
	int64_t took;

	for (int i = 0; i < WINDOW; i++) {
		struct asked *a = &f->asked[i];

		if (!a->used || a->chunk != chunk)
			continue;
		if (r.bad || at != offset || total != text->size || r.left != want)
			return refusal(f);
		memcpy(text->to + offset, r.p, want);
		took = pace_client_now(f->c) - a->sent_ns;
		/* after a repeat, the reply may be to the first request */
		if (a->patience_ns == f->patience_ns)
			f->patience_ns = 4 * took < LEAST_NS ? LEAST_NS :
			    4 * took < MOST_NS ? 4 * took : MOST_NS;
		a->used = false;
		f->have++;
		return 1;
	}
	return 0;
}

/* Take replies until one is late. */
static int
take_window(struct fetch *f, int64_t until_ns, int64_t *progress_ns)
{
	int rc;

	while (f->have < f->chunks) {
		rc = pace_client_wait(f->c, PACE_FETCH, f->number, f->chunks, until_ns);
		if (rc < 0)
			return pace_client_may_pass(rc) ? 0 : rc;
		rc = take(f, (uint32_t)rc);
		if (rc < 0)
			return rc;
		if (rc > 0) {
			*progress_ns = pace_client_now(f->c);
			rc = fill_window(f, &until_ns);
			if (rc < 0)
				return rc;
		}
	}
	return 0;
}

static int
fetch_all(struct fetch *f)
{
	int64_t progress = pace_client_now(f->c), until;
	int rc = 0;

	f->c->hint = 0;
	f->c->denied_ns = 0;
	while (rc == 0 && f->have < f->chunks) {
		if (pace_client_hinted(f->c, progress) < 0)
			return pace_client_hinted(f->c, progress);
		if (pace_client_now(f->c) - progress > STUCK_NS)
			return f->c->denied_ns > progress ? -ECONNREFUSED : -ETIMEDOUT;
		rc = fill_window(f, &until);
		if (rc == 0)
			rc = take_window(f, until, &progress);
	}
	return rc;
}

static int
fetch(struct pace_client *c, enum pace_part part, uint32_t first, const struct pace_fetched *v,
    uint32_t n, struct pace_err *err)
{
	struct fetch f = { .c = c, .part = part, .first = first, .text = v,
	    .patience_ns = FIRST_NS };
	int rc;

	for (uint32_t i = 0; i < n; i++)
		f.chunks += chunks_of(v[i].size);
	f.number = c->request + 1;
	c->request += f.chunks;
	c->streams = first + n;
	rc = fetch_all(&f);
	c->streams = 0;
	if (rc == -ESTALE)
		return pace_failf(err, ESTALE, "fetch", "the responder has forgotten this session");
	if (rc == -EACCES)
		return pace_failf(err, EACCES, "fetch", "%s", f.refused.text);
	if (rc == -EPROTO)
		return pace_failf(err, EPROTO, "fetch", "the responder's answer is invalid");
	return rc < 0 ? pace_client_tell(rc, "fetch", STUCK_NS, err) : 0;
}

int
pace_client_fetch(struct pace_client *c, enum pace_part part, uint32_t stream, uint8_t *to,
    uint32_t size, struct pace_err *err)
{
	return fetch(c, part, stream, &(struct pace_fetched){ .size = size, .to = to }, 1, err);
}

int
pace_client_fetch_streams(struct pace_client *c, const struct pace_fetched *v, uint32_t n,
    struct pace_err *err)
{
	return fetch(c, PACE_PART_RESULT, 0, v, n, err);
}
