#include "config.h"

#include "daemon/oplog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* See sd-daemon(3), systemd.exec(5). */
bool
pace_oplog_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uintmax_t dev, ino;
	struct stat st;

	return stream != NULL && sscanf(stream, "%ju:%ju", &dev, &ino) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

void
pace_oplog_open(struct pace_oplog *l, bool json, bool quiet, bool verbose)
{
	*l = (struct pace_oplog){ .json = json, .quiet = quiet, .verbose = verbose,
	    .journal = !json && pace_oplog_is_journal() };
}

static bool
wanted(const struct pace_oplog *l, const struct pace_event *e)
{
	if (e->kind == PACE_EVENT_LISTENING)
		return true;		/* a script may wait for it */
	if (l->quiet && e->kind == PACE_EVENT_ABUSE)
		return false;		/* not caused by us or our clients */
	if (l->quiet && pace_event_level(e) > PACE_LOG_WARNING && e->kind != PACE_EVENT_SUMMARY &&
	    e->kind != PACE_EVENT_SESSION)
		return false;
	return l->json || l->verbose || !pace_event_is_detail(e);
}

/* Write in one call, because others write to stderr as well.  False: not all was written. */
static bool
put(const char *prefix, const char *line)
{
	struct iovec v[3] = { { .iov_len = strlen(prefix) }, { .iov_len = strlen(line) },
		{ .iov_len = 1 } };
	char end[] = "\n";
	ssize_t rc;

	memcpy(&v[0].iov_base, &prefix, sizeof(prefix));	/* iov_base is not const */
	memcpy(&v[1].iov_base, &line, sizeof(line));
	v[2].iov_base = end;
	do
		rc = writev(STDERR_FILENO, v, 3);
	while (rc < 0 && errno == EINTR);
	return rc == (ssize_t)(v[0].iov_len + v[1].iov_len + v[2].iov_len);
}

bool
pace_oplog_write(const struct pace_oplog *l, const struct pace_event *e)
{
	char prefix[8] = "", *line;
	bool whole;

	if (!wanted(l, e))
		return true;
	line = l->json ? pace_event_json(e) : pace_event_text(e);
	if (line == NULL || line[0] == '\0') {
		whole = line != NULL;
		free(line);
		return whole;
	}
	if (l->journal)
		snprintf(prefix, sizeof(prefix), "<%d>", (int)pace_event_level(e));
	whole = put(prefix, line);
	free(line);
	return whole;
}
