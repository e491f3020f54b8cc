#include "config.h"

#include "live/status_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "live/snap.h"

#define CHUNK	65536
#define DUE_MOST	INT64_C(1000000000000000)	/* ns; longest wait, after which the
							 * caller looks again */

struct status_source_line {
	size_t		at, len;
	int64_t		when_ns;	/* time of day; for a line without one, that of the next */
};

struct pace_status_source {
	int		fd;		/* -1: a file, whose lines are in text */
	bool		file, ended, hold, again;
	char		*text;
	size_t		size, room;
	size_t		used;		/* of a socket: already delivered */
	struct sockaddr_un name;	/* its address and requested interval */
	int64_t		interval_ns;
	struct status_source_line	*line;		/* of a file: */
	size_t		n, next, far;	/* number of the next line; all earlier ones were
					 * delivered once */
	int64_t		last_ns;	/* time of day of the last line with a time */
	uint64_t	refused;
	double		speed;
	/* NULL: not a source in this process */
	int		(*made)(void *ctx, int64_t now_ns, struct pace_status_source_item *item);
	void		*ctx;
	int64_t		base_ns, since_ns;	/* a time of day, and the same time on the probe
						 * clock */
};

/* --- reading --------------------------------------------------------------- */

/* Make room for another chunk. */
static int
more_room(struct pace_status_source *l)
{
	char *more;

	if (l->room - l->size >= CHUNK)
		return 0;
	more = realloc(l->text, 2 * l->room + CHUNK);
	if (more == NULL)
		return -ENOMEM;
	l->text = more;
	l->room = 2 * l->room + CHUNK;
	return 0;
}

static int
read_all(struct pace_status_source *l, int fd)
{
	ssize_t n;

	do {
		if (l->size > PACE_LINES_MOST)
			return -EFBIG;
		if (more_room(l) < 0)
			return -ENOMEM;
		n = read(fd, l->text + l->size, CHUNK);
		if (n > 0)
			l->size += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -errno : 0;
}

/* --- files ----------------------------------------------------------------- */

static int
add_line(struct pace_status_source *l, size_t at, size_t len, size_t *room)
{
	struct status_source_line *more;

	if (l->text[at] != '{' || len > PACE_LINE_MOST) {
		l->refused++;
		return 0;
	}
	if (l->n == PACE_LINES_N)
		return -EFBIG;
	if (l->n == *room) {
		more = realloc(l->line, (2 * *room + 64) * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		l->line = more;
		*room = 2 * *room + 64;
	}
	l->line[l->n++] = (struct status_source_line){ .at = at, .len = len,
	    .when_ns = pace_snap_time(l->text + at, len) };
	return 0;
}

static int
find_lines(struct pace_status_source *l)
{
	size_t at = 0, room = 0;
	int64_t next_ns = 0;
	int rc = 0;

	while (at < l->size && rc == 0) {
		const char *end = memchr(l->text + at, '\n', l->size - at);
		size_t len = (end != NULL ? (size_t)(end - l->text) : l->size) - at;

		if (len > 0)
			rc = add_line(l, at, len, &room);
		at += len + 1;
	}
	for (size_t i = l->n; i-- > 0 && l->last_ns == 0;)
		l->last_ns = l->line[i].when_ns;
	for (size_t i = l->n; i-- > 0; next_ns = l->line[i].when_ns)
		if (l->line[i].when_ns == 0 || (next_ns != 0 && l->line[i].when_ns > next_ns))
			l->line[i].when_ns = next_ns;	/* no line waits for an earlier one */
	return rc;
}

int
pace_status_source_replay(struct pace_status_source **out, const char *path, double speed,
    struct pace_err *err)
{
	struct pace_status_source *l = calloc(1, sizeof(*l));
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc;

	*out = NULL;
	rc = l == NULL ? -ENOMEM : fd < 0 ? -errno : read_all(l, fd);
	if (fd >= 0 && !is_stdin)
		close(fd);
	if (rc == 0)
		rc = find_lines(l);
	if (rc < 0) {
		if (l != NULL)
			l->fd = -1;
		pace_status_source_close(l);
		return pace_fail(err, -rc, "replay");
	}
	l->fd = -1;
	l->file = true;
	l->speed = speed;
	l->base_ns = pace_status_source_first(l);
	*out = l;
	return 0;
}

int64_t
pace_status_source_first(const struct pace_status_source *l)
{
	return l->n > 0 ? l->line[0].when_ns : 0;
}

int64_t
pace_status_source_last(const struct pace_status_source *l)
{
	return l->last_ns;
}

bool
pace_status_source_again(const struct pace_status_source *l)
{
	return l->again;
}

uint64_t
pace_status_source_refused(const struct pace_status_source *l)
{
	return l->refused;
}

int64_t
pace_status_source_at(const struct pace_status_source *l, int64_t now_ns)
{
	double passed = l->since_ns == 0 || l->hold ? 0 : l->speed * (double)(now_ns - l->since_ns);
	double left = (double)(pace_status_source_last(l) - l->base_ns);

	return l->speed <= 0 && !l->hold ? pace_status_source_last(l) :
	    l->base_ns + (int64_t)(passed < left ? passed : left > 0 ? left : 0);
}

double
pace_status_source_speed(const struct pace_status_source *l)
{
	return l->speed;
}

/* Continue from here. */
static void
anchor(struct pace_status_source *l, int64_t now_ns)
{
	l->base_ns = pace_status_source_at(l, now_ns);
	l->since_ns = now_ns;
}

void
pace_status_source_set_speed(struct pace_status_source *l, double speed, int64_t now_ns)
{
	anchor(l, now_ns);
	l->speed = speed;
}

void
pace_status_source_hold(struct pace_status_source *l, bool hold, int64_t now_ns)
{
	anchor(l, now_ns);
	l->hold = hold;
}

bool
pace_status_source_seek(struct pace_status_source *l, int64_t at_ns, int64_t now_ns)
{
	int64_t last = pace_status_source_last(l), first = pace_status_source_first(l);
	bool back;

	at_ns = at_ns < first ? first : at_ns > last ? last : at_ns;
	back = l->next > 0 && l->next <= l->n && at_ns < l->line[l->next - 1].when_ns;
	l->base_ns = at_ns;
	l->since_ns = now_ns;
	if (back)
		l->next = 0;
	return back;
}

static int
next_of_file(struct pace_status_source *l, int64_t now_ns, struct pace_status_source_item *item)
{
	if (l->since_ns == 0)
		l->since_ns = now_ns;
	if (l->next >= l->n)
		return -ENODATA;
	if (l->line[l->next].when_ns > pace_status_source_at(l, now_ns))
		return 0;
	item->line = l->text + l->line[l->next].at;
	item->len = l->line[l->next].len;
	l->again = l->next++ < l->far;
	l->far = l->next > l->far ? l->next : l->far;
	return 1;
}

/* --- the socket ------------------------------------------------------------ */

/* Connect to a socket and request lines: its file descriptor, or -errno. */
static int
connected(const struct pace_status_source *l, int flags)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0), rc = 0, n;
	char text[64];

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&l->name, sizeof(l->name)) < 0)
		rc = -errno;
	n = snprintf(text, sizeof(text), "{\"interval_ms\":%lld}\n",
	    (long long)(l->interval_ns / 1000000));
	if (rc == 0 && send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		rc = -EIO;
	if (rc < 0)
		close(fd);
	return rc < 0 ? rc : fd;
}

int
pace_status_source_attach(struct pace_status_source **out, const char *path, int64_t interval_ns,
    struct pace_err *err)
{
	struct pace_status_source *l = calloc(1, sizeof(*l));

	*out = NULL;
	if (l == NULL)
		return pace_fail(err, ENOMEM, "attach");
	l->name.sun_family = AF_UNIX;
	l->interval_ns = interval_ns;
	l->fd = -ENAMETOOLONG;
	if (strlen(path) < sizeof(l->name.sun_path)) {
		memcpy(l->name.sun_path, path, strlen(path) + 1);
		l->fd = connected(l, 0);
	}
	if (l->fd < 0) {
		int rc = l->fd;

		pace_status_source_close(l);
		return pace_fail(err, -rc, "attach");
	}
	*out = l;
	return 0;
}

/* Does not wait: a socket that does not accept at once counts as gone. */
int
pace_status_source_reattach(struct pace_status_source *l)
{
	int fd = l->file || l->made != NULL ? -ENOTSOCK : connected(l, SOCK_NONBLOCK);

	if (fd < 0)
		return fd;
	close(l->fd);
	l->fd = fd;
	l->size = l->used = 0;		/* part of a line of the old connection */
	l->ended = false;
	return 0;
}

/* Read more: 0; -ENODATA: the other side closed and all was delivered; or -errno. */
static int
fill(struct pace_status_source *l)
{
	ssize_t n;

	if (l->ended)
		return -ENODATA;
	if (l->used > 0) {
		memmove(l->text, l->text + l->used, l->size - l->used);
		l->size -= l->used;
		l->used = 0;
	}
	if (l->size > PACE_LINE_MOST)
		return -EMSGSIZE;
	if (more_room(l) < 0)
		return -ENOMEM;
	n = recv(l->fd, l->text + l->size, CHUNK, MSG_DONTWAIT);
	if (n > 0)
		l->size += (size_t)n;
	l->ended = n == 0 || (n < 0 && errno == ECONNRESET);
	if (n < 0 && !l->ended && errno != EAGAIN && errno != EINTR)
		return -errno;
	return 0;
}

static int
next_of_socket(struct pace_status_source *l, struct pace_status_source_item *item)
{
	const char *end = NULL;
	int rc = 0;

	for (int turn = 0; turn < 2 && end == NULL; turn++) {
		if (turn > 0)
			rc = fill(l);
		if (l->size > l->used)
			end = memchr(l->text + l->used, '\n', l->size - l->used);
	}
	if (end == NULL)
		return rc < 0 ? rc : l->ended ? -ENODATA : 0;
	item->line = l->text + l->used;
	item->len = (size_t)(end - item->line);
	l->used += item->len + 1;
	return 1;
}

/* --- made lines --------------------------------------------------------------- */

int
pace_status_source_made(struct pace_status_source **out, int fd,
    int (*next)(void *ctx, int64_t now_ns, struct pace_status_source_item *item), void *ctx)
{
	struct pace_status_source *l = calloc(1, sizeof(*l));

	*out = l;
	if (l == NULL)
		return -ENOMEM;
	l->fd = fd;
	l->made = next;
	l->ctx = ctx;
	return 0;
}

/* --- all sources ---------------------------------------------------------- */

void
pace_status_source_close(struct pace_status_source *l)
{
	if (l == NULL)
		return;
	if (l->fd >= 0 && l->made == NULL)
		close(l->fd);
	free(l->text);
	free(l->line);
	free(l);
}

int
pace_status_source_fd(const struct pace_status_source *l)
{
	return l->ended ? -1 : l->fd;	/* an ended one would always be readable */
}

int64_t
pace_status_source_due(const struct pace_status_source *l, int64_t now_ns)
{
	double left;

	if (!l->file || l->next >= l->n)
		return INT64_MAX;
	left = (double)(l->line[l->next].when_ns - pace_status_source_at(l, now_ns));
	if (left <= 0)
		return now_ns;
	if (l->hold)
		return INT64_MAX;
	if (l->speed <= 0)
		return now_ns;
	left /= l->speed;
	return now_ns + (left < (double)DUE_MOST ? (int64_t)left : DUE_MOST) + 1;
}

int
pace_status_source_next(struct pace_status_source *l, int64_t now_ns,
    struct pace_status_source_item *item)
{
	*item = (struct pace_status_source_item){ .line = NULL };
	if (l->made != NULL)
		return l->made(l->ctx, now_ns, item);
	return l->file ? next_of_file(l, now_ns, item) : next_of_socket(l, item);
}
