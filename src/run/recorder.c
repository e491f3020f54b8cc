#include "config.h"

#include "run/streams_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "opt/opt.h"
#include "run/outfile.h"

bool
pace_recorder_take(struct pace_recorder *r, struct pace_peer *peer, struct pace_point *pt,
    size_t i)
{
	struct pace_record_run *more = realloc(r->run, (r->n + 1) * sizeof(*more));
	struct pace_err err = { .code = ENOMEM, .step = "records" };
	uint8_t *columns = NULL;

	if (more != NULL)
		r->run = more;
	if (more == NULL || pace_client_records(&peer->client, pt, &columns, &err) < 0) {
		pace_peer_tell(peer, &err);
		pace_note(&pt->notes, "no_records", "the records could not be fetched: %s",
		    pace_err_why(&err));
		return false;
	}
	r->run[r->n++] = (struct pace_record_run){ .point = (uint32_t)i,
	    .size_bytes = pt->ask.size_bytes, .spacing = pt->ask.spacing,
	    .skip = pt->ask.record.skip, .lost_only = pt->ask.record.lost_only,
	    .n = pt->rx.records, .missed = pt->rx.records_missed, .sent = pt->tx.frames,
	    .clock = pt->clock.fit, .columns = columns };
	return true;
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
