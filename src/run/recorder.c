#include "config.h"

#include "run/streams_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opt/opt.h"
#include "run/outfile.h"

/* Take the records of a point with one stream, or of one of its streams. */
static bool
take_run(struct pace_recorder *r, struct pace_peer *peer, const struct pace_point *one, size_t i,
    struct pace_err *err)
{
	struct pace_record_run *more = realloc(r->run, (r->n + 1) * sizeof(*more));
	uint8_t *columns = NULL;

	if (more == NULL)
		return false;
	r->run = more;
	if (pace_client_records(&peer->client, one, &columns, err) < 0)
		return false;
	r->run[r->n++] = (struct pace_record_run){ .point = (uint32_t)i, .stream = one->number,
	    .size_bytes = one->ask.size_bytes, .spacing = one->ask.spacing,
	    .skip = one->ask.record.skip, .lost_only = one->ask.record.lost_only,
	    .n = one->rx.records, .missed = one->rx.records_missed, .sent = one->tx.frames,
	    .clock = one->clock.fit, .columns = columns };
	return true;
}

bool
pace_recorder_take(struct pace_recorder *r, struct pace_peer *peer, struct pace_point *pt,
    size_t i)
{
	struct pace_err err = { .code = ENOMEM, .step = "records" };
	uint32_t n = pt->streams != NULL ? pt->ask.streams : 1;
	bool all = true;

	for (uint32_t k = 0; k < n && all; k++)
		all = take_run(r, peer, pt->streams != NULL ? pt->streams[k] : pt, i, &err);
	if (all)
		return true;
	pace_peer_tell(peer, &err);
	pace_note(&pt->notes, "no_records", "the records could not be fetched: %s",
	    pace_err_why(&err));
	return false;
}

struct file {
	const struct pace_recorder *recorder;
	const struct pace_result *result;
};

static int
write_file(FILE *f, void *ctx)
{
	const struct file *of = ctx;

	return pace_record_file_write(f, of->result, of->recorder->run, of->recorder->n);
}

bool
pace_recorder_write(const struct pace_recorder *r, const char *path,
    const struct pace_result *result)
{
	struct file of = { .recorder = r, .result = result };
	int rc = pace_outfile_write(path, write_file, &of);

	if (rc < 0)
		pace_complain("%s: %s", path, strerror(-rc));
	return rc == 0;
}

void
pace_recorder_free(struct pace_recorder *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->run[i].columns);
	free(r->run);
	*r = (struct pace_recorder){ .n = 0 };
}
