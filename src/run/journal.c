#include "config.h"

#include "run/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doc/js.h"
#include "opt/opt.h"
#include "out/json.h"

#define SUFFIX		".journal"
#define PLANNED_MAX	10000000

static bool
is_journal(const char *file)
{
	size_t len = strlen(file), tail = strlen(SUFFIX);

	return len > tail && strcmp(file + len - tail, SUFFIX) == 0;
}

int
pace_journal_name(const char *file, char *path, size_t size)
{
	int n = snprintf(path, size, "%s%s", file, is_journal(file) ? "" : SUFFIX);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* Find both names from either one. */
static int
find_names(struct pace_journal *j, const char *file)
{
	int rc = pace_journal_name(file, j->path, sizeof(j->path));

	if (rc == 0)
		snprintf(j->output, sizeof(j->output), "%.*s",
		    (int)(strlen(j->path) - strlen(SUFFIX)), j->path);
	return rc;
}

/* --- a new journal ------------------------------------------------------------------ */

bool
pace_journal_wanted(const char *output, size_t n)
{
	struct stat st;

	return n > 1 && output != NULL && (stat(output, &st) != 0 || S_ISREG(st.st_mode));
}

bool
pace_journal_in_use(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held = fd != -1 && flock(fd, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK;

	if (fd != -1)
		close(fd);
	return held;
}

static int
make_room(struct pace_journal *j, size_t n)
{
	j->planned = n;
	j->line = malloc((n + 1) * sizeof(*j->line));
	for (size_t i = 0; j->line != NULL && i < n; i++)
		j->line[i] = -1;
	return j->line != NULL ? 0 : -ENOMEM;
}

/* Wait until the line is on the disk; files that cannot be synced (a pipe) need no sync. */
static int
settle(struct pace_journal *j)
{
	if (fflush(j->f) == EOF)
		return -errno;
	return fdatasync(fileno(j->f)) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

int
pace_journal_begin(struct pace_journal *j, const char *output, const struct pace_result *r,
    json_t *extra, size_t n)
{
	json_t *more = json_pack("{s:I}", "planned", (json_int_t)n);
	int rc = find_names(j, output);

	j->end = -1;
	if (rc == 0 && is_journal(output))	/* document and journal would be the same file */
		rc = -EINVAL;

	if (more == NULL || json_object_update(more, extra) != 0)
		rc = -ENOMEM;
	if (rc == 0)
		rc = make_room(j, n);
	if (rc == 0) {
		int fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

		j->f = fd == -1 ? NULL : fdopen(fd, "r+");
		rc = j->f == NULL ? -errno : 0;
	}
	if (rc == 0 && (flock(fileno(j->f), LOCK_EX | LOCK_NB) == -1 ||
	    ftruncate(fileno(j->f), 0) == -1))
		rc = -errno;
	if (rc == 0)
		rc = pace_jsonl_start(j->f, r, more);
	if (rc == 0)
		rc = settle(j);
	json_decref(more);
	json_decref(extra);
	return rc;
}

/* --- an existing journal ------------------------------------------------------------- */

/* Read the next complete line.  *at: its position; *line: its object, NULL if it is damaged.
 * False: no complete line is left. */
static bool
next_line(FILE *f, long *at, json_t **line, char **text, size_t *size)
{
	ssize_t len;

	*line = NULL;
	*at = ftell(f);
	len = getline(text, size, f);
	if (len <= 0 || (*text)[len - 1] != '\n')
		return false;
	*line = pace_js_parse_line(*text, (size_t)len, NULL);
	return true;
}

static bool
is_event(const json_t *line, const char *event)
{
	const char *text = json_string_value(json_object_get(line, "event"));

	return text != NULL && strcmp(text, event) == 0;
}

static int
read_start(struct pace_journal *j, const json_t *line)
{
	json_int_t n = json_integer_value(json_object_get(line, "planned"));
	const char *schema = json_string_value(json_object_get(line, "schema"));

	if (!is_event(line, "start") || schema == NULL || strcmp(schema, PACE_SCHEMA) != 0 ||
	    n < 1 || n > PLANNED_MAX || pace_head_from_json(&j->head, line) != 0)
		return -EPROTO;
	j->order = json_incref(json_object_get(line, "order"));
	return make_room(j, (size_t)n);
}

static void
keep_line(struct pace_journal *j, size_t i, long at)
{
	j->done += j->line[i] < 0 && at >= 0;
	j->skipped += at == PACE_JOURNAL_SKIPPED && j->line[i] != at;
	j->skipped -= at != PACE_JOURNAL_SKIPPED && j->line[i] == PACE_JOURNAL_SKIPPED;
	j->line[i] = at;
}

/* A damaged line counts as a point not measured.  The next line overwrites an incomplete one. */
static int
read_lines(struct pace_journal *j)
{
	char *text = NULL;
	size_t size = 0;
	json_t *line;
	int rc;

	next_line(j->f, &j->end, &line, &text, &size);
	rc = read_start(j, line);
	json_decref(line);
	while (rc == 0 && next_line(j->f, &j->end, &line, &text, &size)) {
		const json_t *index = json_object_get(line, "index");
		json_int_t i = json_is_integer(index) ? json_integer_value(index) : -1;
		bool skipped = is_event(line, "skipped");

		/* a measured point stays measured */
		if ((is_event(line, "point") || skipped) && i >= 0 && (size_t)i < j->planned &&
		    !(skipped && j->line[i] >= 0))
			keep_line(j, (size_t)i, skipped ? PACE_JOURNAL_SKIPPED : j->end);
		json_decref(line);
	}
	free(text);
	return rc == 0 && ferror(j->f) ? -EIO : rc;
}

int
pace_journal_add(struct pace_journal *j, size_t index, json_t *point,
    const struct pace_js_list *list, bool skipped)
{
	long at;
	int rc = 0;

	/* cut an incomplete line only when another line follows */
	if (j->end >= 0 && (fseek(j->f, j->end, SEEK_SET) != 0 ||
	    ftruncate(fileno(j->f), j->end) == -1))
		rc = -errno;
	else
		j->end = -1;
	at = ftell(j->f);
	if (rc == 0)
		rc = pace_jsonl_point(j->f, skipped ? "skipped" : "point", index, point, list);
	else
		json_decref(point);
	if (rc == 0)
		rc = settle(j);
	if (rc == 0 && index < j->planned)
		keep_line(j, index, skipped ? PACE_JOURNAL_SKIPPED : at);
	return rc;
}

void
pace_journal_unskip(struct pace_journal *j)
{
	for (size_t i = 0; i < j->planned; i++)
		if (j->line[i] == PACE_JOURNAL_SKIPPED)
			keep_line(j, i, -1);
}

static int
refuse(const struct pace_journal *j, const char *why)
{
	pace_complain("--resume: %s: %s", j->path, why);
	return PACE_EXIT_NO_RESULT;
}

/* There is no journal: is the run complete? */
static int
without_journal(const struct pace_journal *j, const char *file)
{
	struct pace_err err;
	json_t *doc;
	bool whole;

	if (access(j->output, F_OK) != 0) {
		pace_complain("--resume: neither '%s' nor '%s' exists", j->output, j->path);
		return PACE_EXIT_NO_RESULT;
	}
	if (pace_result_load(j->output, &doc, &err) < 0) {
		pace_complain("--resume: %s", err.text);
		return PACE_EXIT_NO_RESULT;
	}
	whole = pace_result_is_whole(doc);
	json_decref(doc);
	if (whole) {
		pace_complain("--resume: %s is complete: no point is missing", file);
		return PACE_JOURNAL_COMPLETE;
	}
	pace_complain("--resume: %s is incomplete, but its journal '%s' does not exist", file,
	    j->path);
	pace_hint("start a new run; --force replaces the file");
	return PACE_EXIT_NO_RESULT;
}

int
pace_journal_open(struct pace_journal *j, const char *file)
{
	int rc = find_names(j, file);

	if (rc < 0)
		return refuse(j, strerror(-rc));
	j->f = fopen(j->path, "r+e");
	if (j->f == NULL)
		return errno == ENOENT ? without_journal(j, file) : refuse(j, strerror(errno));
	if (flock(fileno(j->f), LOCK_EX | LOCK_NB) == -1)
		return refuse(j, errno == EWOULDBLOCK ? "another udpace is at it" :
		    strerror(errno));
	rc = read_lines(j);
	if (rc == -EPROTO)
		return refuse(j, "is not the journal of a run, or its first line is damaged");
	if (rc < 0)
		return refuse(j, strerror(-rc));
	return PACE_EXIT_OK;
}

json_t *
pace_journal_point(struct pace_journal *j, size_t index)
{
	char *text = NULL;
	size_t size = 0;
	long end = ftell(j->f), at;
	json_t *line = NULL;

	if (index < j->planned && j->line[index] >= 0 &&
	    fseek(j->f, j->line[index], SEEK_SET) == 0) {
		(void)next_line(j->f, &at, &line, &text, &size);
		free(text);
		if (fseek(j->f, end, SEEK_SET) != 0) {
			json_decref(line);
			line = NULL;
		}
	}
	return line;
}

void
pace_journal_close(struct pace_journal *j, bool complete)
{
	if (j->f != NULL && complete)
		unlink(j->path);
	if (j->f != NULL)
		fclose(j->f);
	free(j->line);
	json_decref(j->order);
	pace_head_free(&j->head);
	memset(j, 0, sizeof(*j));
}
