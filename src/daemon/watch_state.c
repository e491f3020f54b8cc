#include "config.h"

#include "daemon/watch_state.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "doc/utc.h"
#include "opt/regular.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/thread.h"
#include "run/outfile.h"

#define SCHEMA		"udpace-watch-state/"
#define STATE_VERSION		1
#define LINE_MOST	((size_t)1 << 20)
#define SAVE_S		60

struct state_path {
	char		target[PACE_WATCH_TEXT];
	struct pace_watched *w;
};

struct pace_watch_state_file {
	const char	*path;
	struct pace_outfile_lock lock_file;
	int64_t		began_wall_ns, before_ns;
	struct state_path *v;
	size_t		n, expected;
	struct pace_watch_run *run;
	pthread_t	thread;
	bool		runs, quit, failed;
	pthread_mutex_t	lock;			/* of quit */
	pthread_cond_t	wake;
};

/* --- reading ----------------------------------------------------------------------------------- */

static int
refuse(const struct pace_watch_state_file *s, size_t line, const char *why)
{
	if (line > 0)
		pace_complain("--state: '%s' line %zu: %s", s->path, line, why);
	else
		pace_complain("--state: '%s': %s", s->path, why);
	pace_hint("move the file away to begin with new counts");
	return PACE_EXIT_USAGE;
}

static int
read_head(struct pace_watch_state_file *s, const json_t *o)
{
	const char *schema = json_string_value(json_object_get(o, "schema"));
	const char *began = json_string_value(json_object_get(o, "began"));
	const json_t *paths = json_object_get(o, "paths");
	size_t len = strlen(SCHEMA);
	char why[80], *end;
	long version;

	if (schema == NULL || strncmp(schema, SCHEMA, len) != 0)
		return refuse(s, 1, "this is not a file of --state");
	version = strtol(schema + len, &end, 10);
	if (*end != '\0' || version != STATE_VERSION) {
		snprintf(why, sizeof(why), "it is of version %.20s, and this udpace has version %d",
		    schema + len, STATE_VERSION);
		return refuse(s, 1, why);
	}
	s->began_wall_ns = began != NULL ? pace_utc_read(began) : 0;
	if (s->began_wall_ns <= 0 || !json_is_integer(paths) || json_integer_value(paths) < 0 ||
	    json_integer_value(paths) > PACE_WATCH_PATHS)
		return refuse(s, 1, "the time or the number of paths is invalid");
	s->expected = (size_t)json_integer_value(paths);
	s->v = calloc(s->expected + 1, sizeof(*s->v));
	return s->v != NULL ? PACE_EXIT_OK : refuse(s, 1, strerror(ENOMEM));
}

static int
read_path(struct pace_watch_state_file *s, const json_t *o)
{
	struct state_path *p = &s->v[s->n];
	const char *target = json_string_value(json_object_get(o, "target"));
	struct pace_watched *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return refuse(s, s->n + 2, strerror(ENOMEM));
	p->w = w;
	s->n++;
	if (target == NULL || strlen(target) >= sizeof(p->target) ||
	    pace_watched_from_json(w, o) != 0)
		return refuse(s, s->n + 1, "this is not a path, or its counts contradict each other");
	memcpy(p->target, target, strlen(target) + 1);
	w->counts.unreported += w->counts.in_flight;
	w->counts.in_flight = 0;
	if (w->counts.to_ns > s->before_ns)
		s->before_ns = w->counts.to_ns;
	return PACE_EXIT_OK;
}

static int
read_line(struct pace_watch_state_file *s, size_t number, const char *line, size_t len)
{
	json_t *o = len <= LINE_MOST ? pace_js_parse_line(line, len, NULL) : NULL;
	int rc;

	if (!json_is_object(o))
		rc = refuse(s, number, "this is not JSON");
	else if (number == 1)
		rc = read_head(s, o);
	else if (s->n == s->expected)
		rc = refuse(s, number, "there are more paths than the first line says");
	else
		rc = read_path(s, o);
	json_decref(o);
	return rc;
}

static int
read_lines(struct pace_watch_state_file *s, FILE *f)
{
	size_t number = 0, room = 0;
	char *line = NULL;
	ssize_t len;
	int rc = PACE_EXIT_OK;

	while (rc == PACE_EXIT_OK && (len = getline(&line, &room, f)) > 0)
		rc = read_line(s, ++number, line, (size_t)len - (line[len - 1] == '\n'));
	free(line);
	if (rc == PACE_EXIT_OK && (number == 0 || ferror(f) || s->n < s->expected))
		rc = refuse(s, number, number == 0 ? "the file is empty" : "its end is missing");
	return rc;
}

int
pace_watch_state_open(struct pace_watch_state_file **made, const char *path)
{
	struct pace_watch_state_file *s = *made = calloc(1, sizeof(*s));
	int64_t now = pace_clock_wall();
	pthread_condattr_t attr;
	const char *why;
	int fd, rc;
	FILE *f;

	if (s == NULL) {
		pace_complain("%s", strerror(ENOMEM));
		return PACE_EXIT_NO_RESULT;
	}
	s->path = path;
	s->lock_file.fd = -1;
	s->began_wall_ns = now;
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attr);
	pthread_condattr_destroy(&attr);
	rc = pace_outfile_check(path, true);
	if (rc < 0) {
		pace_complain("--state: '%s' cannot be written: %s", path, strerror(-rc));
		return PACE_EXIT_USAGE;
	}
	rc = pace_outfile_lock(&s->lock_file, path);
	if (rc == -EWOULDBLOCK) {
		pace_complain("--state: '%s' is in use: another watcher has it", path);
		pace_hint("each watcher needs a file of its own");
		return PACE_EXIT_USAGE;
	}
	if (rc < 0) {
		pace_complain("--state: '%s.lock' cannot be locked: %s", path, strerror(-rc));
		return PACE_EXIT_USAGE;
	}
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return PACE_EXIT_OK;
	fd = pace_open_regular(path, &why);
	f = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (f == NULL) {
		pace_complain("--state: '%s' cannot be read: %s", path, fd < 0 ? why : strerror(errno));
		return PACE_EXIT_USAGE;
	}
	rc = read_lines(s, f);
	fclose(f);
	if (now - s->began_wall_ns > s->before_ns)	/* otherwise the clock was set back */
		s->before_ns = now - s->began_wall_ns;
	return rc;
}

int64_t
pace_watch_state_before(const struct pace_watch_state_file *s)
{
	return s->before_ns;
}

bool
pace_watch_state_find(const struct pace_watch_state_file *s, const struct pace_watch_target *t,
    struct pace_watched *w)
{
	char target[PACE_WATCH_TEXT];

	pace_watch_target_text(t, target, sizeof(target));
	for (size_t i = 0; i < s->n; i++) {
		if (strcmp(s->v[i].w->name, t->name) != 0 || strcmp(s->v[i].target, target) != 0)
			continue;
		*w = *s->v[i].w;
		return true;
	}
	return false;
}

/* --- writing ------------------------------------------------------------------------------------- */

static int
put_line(FILE *f, json_t *o)
{
	char *text = o != NULL ? json_dumps(o, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	int rc = text == NULL ? -ENOMEM : fprintf(f, "%s\n", text) < 0 ? -EIO : 0;

	free(text);
	json_decref(o);
	return rc;
}

static int
put_path(const struct pace_watch_state_file *s, FILE *f, size_t i, const struct pace_watched *w)
{
	json_t *o = pace_watched_to_json(w);
	char target[PACE_WATCH_TEXT];

	pace_watch_target_text(pace_watch_run_target(s->run, i), target, sizeof(target));
	if (o != NULL && json_object_set_new(o, "target", json_string(target)) < 0) {
		json_decref(o);
		o = NULL;
	}
	return put_line(f, o);
}

/* All lines.  As long as the run goes on, under its lock and as of the last intervals. */
static int
put_lines(FILE *f, void *ctx)
{
	struct pace_watch_state_file *s = ctx;
	size_t n = pace_watch_run_lock(s->run);
	char began[32];
	int rc = put_line(f, json_pack("{s:s+, s:s, s:s, s:I}", "schema", SCHEMA, "1", "version",
	    PACKAGE_VERSION, "began", pace_utc_text(s->began_wall_ns, began, sizeof(began)), "paths",
	    (json_int_t)n));
	struct pace_watched w;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (s->runs)
			w = pace_watch_run_shown(s->run, i)->w;
		else
			pace_watch_run_figures(s->run, i, &w);
		rc = put_path(s, f, i, &w);
	}
	pace_watch_run_unlock(s->run);
	return rc;
}

static void
save(struct pace_watch_state_file *s)
{
	int rc = pace_outfile_write(s->path, put_lines, s);

	if (rc < 0 && !s->failed)
		pace_complain("--state: '%s' cannot be written: %s", s->path, strerror(-rc));
	s->failed = rc < 0;
}

static void *
save_often(void *ctx)
{
	struct pace_watch_state_file *s = ctx;
	struct timespec ts;

	(void)pace_affinity_yield();
	pthread_mutex_lock(&s->lock);
	while (!s->quit) {
		clock_gettime(CLOCK_MONOTONIC, &ts);
		ts.tv_sec += SAVE_S;
		if (pthread_cond_timedwait(&s->wake, &s->lock, &ts) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&s->lock);
		save(s);
		pthread_mutex_lock(&s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int
pace_watch_state_begin(struct pace_watch_state_file *s, struct pace_watch_run *run)
{
	int rc;

	s->run = run;
	s->runs = true;
	rc = pace_thread_start(&s->thread, save_often, s);
	if (rc != 0)
		s->runs = false;
	return rc;
}

static void
stop(struct pace_watch_state_file *s)
{
	if (!s->runs)
		return;
	pthread_mutex_lock(&s->lock);
	s->quit = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	s->runs = false;
}

int
pace_watch_state_end(struct pace_watch_state_file *s)
{
	stop(s);
	save(s);
	return s->failed ? PACE_EXIT_PARTIAL : PACE_EXIT_OK;
}

void
pace_watch_state_close(struct pace_watch_state_file *s)
{
	if (s == NULL)
		return;
	stop(s);
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].w);
	free(s->v);
	pace_outfile_unlock(&s->lock_file);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->wake);
	free(s);
}
