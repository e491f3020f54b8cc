/*
 * Bodies of control messages: the first byte chooses the decoder, the rest
 * is the body.  What is accepted comes out of its encoder and goes in again
 * as the same struct.
 */
#include "fuzz.h"
#include "session/msg.h"

/* Any decoded body; zeroed before each use, so that bytes can be compared. */
union any {
	struct pace_msg_error	error;
	uint8_t			cookie[PACE_COOKIE_SIZE];
	struct pace_msg_open	open;
	struct pace_host	host;
	struct pace_msg_start	start;
	uint64_t		sent;
	struct pace_msg_ready	ready;
	uint32_t		offset;
};

static int
get_error(const json_t *j, union any *m)
{
	return pace_msg_is_error(j, &m->error) ? 0 : -1;
}

static int
get_cookie(const json_t *j, union any *m)
{
	return pace_msg_cookie(j, m->cookie);
}

static int
get_open(const json_t *j, union any *m)
{
	return pace_msg_open(j, &m->open);
}

static int
get_opened(const json_t *j, union any *m)
{
	return pace_msg_opened(j, &m->host);
}

static int
get_start(const json_t *j, union any *m)
{
	return pace_msg_start(j, &m->start);
}

static int
get_finish(const json_t *j, union any *m)
{
	return pace_msg_finish(j, &m->sent);
}

static int
get_ready(const json_t *j, union any *m)
{
	return pace_msg_ready(j, &m->ready);
}

static int
get_fetch(const json_t *j, union any *m)
{
	return pace_msg_fetch(j, &m->offset);
}

static json_t *
put_error(const union any *m)
{
	return pace_msg_error_json(&m->error);
}

static json_t *
put_cookie(const union any *m)
{
	return pace_msg_cookie_json(m->cookie);
}

static json_t *
put_open(const union any *m)
{
	return pace_msg_open_json(&m->open);
}

static json_t *
put_opened(const union any *m)
{
	return pace_msg_opened_json(&m->host);
}

static json_t *
put_start(const union any *m)
{
	return pace_msg_start_json(&m->start);
}

static json_t *
put_finish(const union any *m)
{
	return pace_msg_finish_json(m->sent);
}

static json_t *
put_ready(const union any *m)
{
	return pace_msg_ready_json(&m->ready);
}

static json_t *
put_fetch(const union any *m)
{
	return pace_msg_fetch_json(m->offset);
}

static const struct {
	int	(*get)(const json_t *j, union any *m);
	json_t	*(*put)(const union any *m);
} kinds[] = {
	{ get_error, put_error }, { get_cookie, put_cookie },
	{ get_open, put_open }, { get_opened, put_opened },
	{ get_start, put_start }, { get_finish, put_finish },
	{ get_ready, put_ready }, { get_fetch, put_fetch },
};
#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

/* Accepted once: encoded and read again it is the same. */
static void
check_again(size_t kind, const union any *first, size_t pad)
{
	static uint8_t buf[PACE_CONTROL_ROOM];
	struct pace_hdr h = { .type = PACE_OPEN };
	union any second;
	uint8_t *exact;
	json_t *j;
	int len;

	len = pace_msg_put(buf, sizeof(buf), &h, kinds[kind].put(first), pad);
	MUST(len > PACE_HDR_SIZE && (size_t)len >= pad);
	exact = fuzz_exact(buf, (size_t)len);
	j = pace_msg_body(exact, (size_t)len);
	MUST(j != NULL);
	memset(&second, 0, sizeof(second));
	MUST(kinds[kind].get(j, &second) == 0);
	MUST(memcmp(first, &second, sizeof(second)) == 0);
	json_decref(j);
	free(exact);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t kind, len = PACE_HDR_SIZE + size - 1;
	union any m;
	uint8_t *buf;
	json_t *j;

	if (size == 0)
		return 0;
	kind = data[0] % KINDS;
	buf = malloc(len);
	MUST(buf != NULL);
	memset(buf, 0, PACE_HDR_SIZE);
	memcpy(buf + PACE_HDR_SIZE, data + 1, size - 1);
	j = pace_msg_body(buf, len);
	MUST(j == NULL || json_is_object(j));
	memset(&m, 0, sizeof(m));
	if (kinds[kind].get(j, &m) == 0)
		check_again(kind, &m, data[0] & 0x80 ? PACE_HELLO_SIZE : 0);
	json_decref(j);
	free(buf);
	return 0;
}
