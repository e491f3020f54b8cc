#include "config.h"

#include "run/send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/payload.h"
#include "core/wire.h"
#include "opt/opt.h"
#include "proto/random.h"

struct pace_send_stream {
	const struct pace_send_run *run;
	struct pace_cap_build build;
};

/* --- frames --------------------------------------------------------------------------- */

static void
begin_frame(void *ctx, uint8_t *frame, int64_t wall_ns)
{
	struct pace_send_stream *s = ctx;
	size_t header = pace_cap_build_header(&s->build);

	memcpy(frame + header, s->run->payload, s->build.size - header);
	pace_cap_build_begin(&s->build, frame, wall_ns);
}

static void
put_frame(void *ctx, uint8_t *frame, uint64_t k, int64_t now_ns)
{
	struct pace_send_stream *s = ctx;

	s->build.builder->put(&s->build, frame, k, now_ns);
}

static size_t
make_extra(void *ctx, enum pace_extra when, uint8_t *to, size_t room)
{
	struct pace_send_stream *s = ctx;

	if (s->build.builder->extra == NULL || room < PACE_CAP_EXTRA_MAX)
		return 0;
	return s->build.builder->extra(&s->build, when, to);
}

const struct pace_framing *
pace_send_framing(const struct pace_send_run *s)
{
	return s->model.builder != NULL ? s->framing : NULL;
}

void
pace_send_next(struct pace_send_run *s, const struct pace_params *ask)
{
	for (uint32_t i = 0; s->stream != NULL && i < PACE_STREAMS; i++) {
		s->stream[i].build.size = ask->size_bytes;
		s->stream[i].build.spacing = ask->spacing;
	}
}

/* --- options -------------------------------------------------------------------------- */

/* Repeat the file's bytes. */
static int
read_payload(struct pace_send_run *s)
{
	const char *path = s->cfg.payload;
	FILE *f = fopen(path, "re");
	size_t n = 0;

	if (f == NULL) {
		pace_complain("--payload: %s: %s", path, strerror(errno));
		return PACE_EXIT_USAGE;
	}
	errno = 0;
	n = fread(s->payload, 1, PACE_FRAME_MAX, f);
	if (ferror(f) || n == 0 || fgetc(f) != EOF) {
		if (ferror(f))
			pace_complain("--payload: %s: %s", path, strerror(errno));
		else if (n == 0)
			pace_complain("--payload: %s is empty", path);
		else
			pace_complain("--payload: %s is larger than a frame: at most %d bytes",
			    path, PACE_FRAME_MAX);
		fclose(f);
		return PACE_EXIT_USAGE;
	}
	fclose(f);
	for (size_t i = n; i < PACE_FRAME_MAX; i++)
		s->payload[i] = s->payload[i - n];
	s->file_bytes = n;
	return PACE_EXIT_OK;
}

static int
read_rule(struct pace_send_run *s)
{
	bool wants = strcmp(s->cfg.format, "sequence") == 0;
	struct pace_err err;

	if (wants && s->cfg.sequence == NULL) {
		pace_complain("--format sequence needs --sequence "
		    "OFFSET:BYTES:big|little[:MODULUS]");
		return PACE_EXIT_USAGE;
	}
	if (!wants && s->cfg.sequence != NULL) {
		pace_complain("--sequence needs --format sequence");
		return PACE_EXIT_USAGE;
	}
	if (wants && pace_cap_rule_parse(s->cfg.sequence, &s->model.rule, &err) < 0) {
		pace_complain("--sequence: '%s': %s", s->cfg.sequence, pace_err_why(&err));
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

static int
make_streams(struct pace_send_run *s)
{
	s->stream = calloc(PACE_STREAMS, sizeof(*s->stream));
	s->payload = malloc(PACE_FRAME_MAX);
	if (s->stream == NULL || s->payload == NULL) {
		pace_complain("out of memory");
		return PACE_EXIT_NO_RESULT;
	}
	pace_payload_fill(s->payload, PACE_FRAME_MAX, pace_random());
	s->model.id = (uint32_t)pace_random();
	for (uint32_t i = 0; i < PACE_STREAMS; i++) {
		s->stream[i] = (struct pace_send_stream){ s, s->model };
		s->stream[i].build.stream = i;
		s->framing[i] = (struct pace_framing){ begin_frame, put_frame, make_extra,
		    s->cfg.describe_heaps * s->cfg.heap_frames, &s->stream[i] };
	}
	return s->cfg.payload != NULL ? read_payload(s) : PACE_EXIT_OK;
}

int
pace_send_open(struct pace_send_run *s, const struct pace_send_cfg *cfg)
{
	int rc;

	memset(s, 0, sizeof(*s));
	s->cfg = *cfg;
	s->doc = (struct pace_send){ .format = cfg->format, .from_file = cfg->payload != NULL,
	    .rule = cfg->sequence };
	s->model = (struct pace_cap_build){ .builder = pace_cap_format(cfg->format)->builder,
	    .heap_frames = cfg->heap_frames, .describe_heaps = cfg->describe_heaps,
	    .address_bits = cfg->address_bits };
	if (strcmp(cfg->format, "spead") == 0) {
		s->doc.heap_frames = cfg->heap_frames;
		s->doc.descriptor_heaps = cfg->describe_heaps;
		s->doc.address_bits = cfg->address_bits;
	}
	rc = read_rule(s);
	if (rc != PACE_EXIT_OK)
		return rc;
	if (s->model.builder != NULL)
		return make_streams(s);
	if (cfg->payload == NULL)
		return PACE_EXIT_OK;
	pace_complain("--payload: frames of udpace have a pattern of their own; choose another "
	    "--format, as plain");
	return PACE_EXIT_USAGE;
}

void
pace_send_close(struct pace_send_run *s)
{
	free(s->stream);
	free(s->payload);
	s->stream = NULL;
	s->payload = NULL;
}

/* --- before the first frame ------------------------------------------------------------ */

uint32_t
pace_send_fit(const struct pace_send_run *s, uint32_t most)
{
	if (s->model.builder == NULL)
		return most >= PACE_HDR_SIZE ? most : 0;
	return pace_cap_build_fit(&s->model, most);
}

static int
check_point(const struct pace_send_run *s, const struct pace_params *a)
{
	struct pace_cap_build b = s->model;
	struct pace_err err;

	if (b.builder == NULL && a->size_bytes < PACE_HDR_SIZE) {
		pace_complain("--size: '%u' is too small: a frame of udpace has at least %d bytes",
		    a->size_bytes, PACE_HDR_SIZE);
		return PACE_EXIT_USAGE;
	}
	if (b.builder == NULL)
		return PACE_EXIT_OK;
	b.size = a->size_bytes;
	b.spacing = a->spacing;
	if (pace_cap_build_check(&b, &err) < 0) {
		pace_complain("--%s: %s", err.step, pace_err_why(&err));
		return PACE_EXIT_USAGE;
	}
	if (s->file_bytes > b.size - pace_cap_build_header(&b)) {
		pace_complain("--payload: %s has %zu bytes, but a frame of %u bytes has room for "
		    "%zu",
		    s->cfg.payload, s->file_bytes, b.size, b.size - pace_cap_build_header(&b));
		return PACE_EXIT_USAGE;
	}
	return PACE_EXIT_OK;
}

int
pace_send_check(struct pace_send_run *s, const struct pace_peer *peer,
    const struct pace_params *asks, size_t n)
{
	char text[64];
	int rc = PACE_EXIT_OK;

	if (pace_addr_is_public(&peer->addr) && !s->cfg.allow_public) {
		pace_complain("%s is a public address", pace_addr_text(&peer->addr, text,
		    sizeof(text)));
		pace_hint("if its owner wants this stream: --allow-public with --rate and "
		    "--duration");
		return PACE_EXIT_USAGE;
	}
	for (size_t i = 0; rc == PACE_EXIT_OK && i < n; i++)
		rc = check_point(s, &asks[i]);
	s->doc.multicast = pace_addr_is_group(&peer->addr);
	s->doc.loop = s->doc.multicast && peer->cfg.loop;
	s->doc.ttl = peer->cfg.ttl > 0 ? (uint32_t)peer->cfg.ttl : s->doc.multicast ? 1 : 0;
	if (peer->cfg.loop && !s->doc.multicast && rc == PACE_EXIT_OK) {
		pace_complain("--loop: %s is not a multicast group", peer->cfg.host);
		rc = PACE_EXIT_USAGE;
	}
	s->model.size = asks[0].size_bytes;
	s->model.spacing = asks[0].spacing;
	if (rc == PACE_EXIT_OK && n == 1 && s->model.builder != NULL &&
	    s->model.builder->describe != NULL)
		s->model.builder->describe(&s->model, s->doc.detail, sizeof(s->doc.detail));
	return rc;
}
