/*
 * Fetching: every chunk is asked for by itself, some at a time, and again
 * when its answer does not come; the order does not matter.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_io.h"
#include "core/cursor.h"

#define WINDOW		32			/* chunks asked for at once */
#define FIRST_NS	INT64_C(100000000)	/* patience with one, before any answer */
#define LEAST_NS	INT64_C(5000000)	/* with answers: four times what they took */
#define MOST_NS		INT64_C(500000000)
#define STUCK_NS	PACE_CONTROL_NS		/* nothing new for so long: given up */

struct asked {
	uint32_t	chunk;
	int64_t		sent_ns, patience_ns;
	bool		used;
};

struct fetch {
	struct pace_client *c;
	enum pace_part	part;
	uint8_t		*to;
	uint32_t	size, chunks, next, have;	/* next: never asked for yet */
	uint64_t	number;		/* of the request for chunk 0 */
	int64_t		patience_ns;
	struct asked	asked[WINDOW];
	struct pace_msg_error refused;	/* what it said instead of a chunk */
};

static int
ask_for(struct fetch *f, struct asked *a, int64_t now)
{
	const struct pace_msg_fetch m = { .offset = a->chunk * PACE_CHUNK_MAX,
	    .part = f->part };
	int rc = pace_client_send(f->c, PACE_FETCH, f->number + a->chunk,
	    pace_msg_fetch_json(&m));

	a->sent_ns = now;
	return rc < 0 && !pace_client_may_pass(rc) ? rc : 0;
}

/* Ask for new chunks and again for late ones; *until_ns: when the next is late. */
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

/* It is no chunk: -ESTALE when it says that there is no such session, -EACCES
 * when it says anything else. */
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

/* The chunk in c->in goes where it belongs; -errno when it is not that one. */
static int
store(struct fetch *f, uint32_t chunk)
{
	struct pace_rd r = { .p = f->c->in + PACE_HDR_SIZE,
	    .left = f->c->reply_len - PACE_HDR_SIZE };
	uint32_t at = (uint32_t)pace_rd_be(&r, 4), total = (uint32_t)pace_rd_be(&r, 4);
	uint32_t offset = chunk * PACE_CHUNK_MAX;
	uint32_t want = f->size - offset < PACE_CHUNK_MAX ? f->size - offset : PACE_CHUNK_MAX;

	if (r.bad || at != offset || total != f->size || r.left != want)
		return refusal(f);
	memcpy(f->to + offset, r.p, want);
	return 0;
}

/* A reply for this chunk came: 1: it was missing, 0: it is there already. */
static int
take(struct fetch *f, uint32_t chunk)
{
	int64_t took;
	int rc;

	for (int i = 0; i < WINDOW; i++) {
		struct asked *a = &f->asked[i];

		if (!a->used || a->chunk != chunk)
			continue;
		rc = store(f, chunk);
		if (rc < 0)
			return rc;
		took = pace_client_now(f->c) - a->sent_ns;
		/* a repeated one may have been answered the first time */
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

int
pace_client_fetch(struct pace_client *c, enum pace_part part, uint8_t *to, uint32_t size,
    struct pace_err *err)
{
	struct fetch f = { .c = c, .part = part, .to = to, .size = size,
	    .patience_ns = FIRST_NS };
	int rc;

	f.chunks = size / PACE_CHUNK_MAX + (size % PACE_CHUNK_MAX > 0);
	f.number = c->request + 1;
	c->request += f.chunks;
	rc = fetch_all(&f);
	if (rc == -ESTALE)
		return pace_failf(err, ESTALE, "fetch", "the responder has forgotten this session");
	if (rc == -EACCES)
		return pace_failf(err, EACCES, "fetch", "%s", f.refused.text);
	if (rc == -EPROTO)
		return pace_failf(err, EPROTO, "fetch", "the answer makes no sense");
	return rc < 0 ? pace_client_tell(rc, "fetch", STUCK_NS, err) : 0;
}
