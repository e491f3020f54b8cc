#include "config.h"

#include "daemon/status_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>


#define ASK_MAX		256		/* bytes of a request */
#define REST_NS		INT64_C(1000000000)	/* pause if no descriptor is free */
#define TOGETHER_NS	INT64_C(5000000)	/* readers due within this time get one copy */

struct status_server_reader {
	int		fd;		/* -1: free */
	int64_t		interval_ns, due_ns;
	int64_t		sent_ns;	/* time of its last line; 0: none yet */
	struct pace_totals then;
	struct pace_session_pair *pair;	/* by slot */
	struct pace_stream_stats *streams;	/* of its last line; NULL: none yet */
	char		ask[ASK_MAX];
	size_t		ask_len;
	char		*out;		/* not written yet, from `at` on */
	size_t		at, len;
	int64_t		stuck_ns;	/* blocked since then; 0: not blocked */
};

struct pace_status_server {
	int		fd;
	struct sockaddr_un name;
	struct stat	st;		/* of our socket's file */
	int64_t		rest_ns;	/* accept no reader until then */
	int		sessions;
	struct pace_status_head head;
	struct pace_status_session *list;	/* sessions and streams of one line */
	struct pace_shapes *shapes;	/* by slot: distributions, */
	int64_t		*shapes_ns;	/* and when they were read */
	struct status_server_reader	v[PACE_STATUS_SERVER];
};

/* --- the socket --- */

int
pace_status_server_check(const char *path, struct pace_err *err)
{
	const char *slash = strrchr(path, '/');
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)] = ".";
	struct stat st;

	if (path[0] == '\0')
		return pace_failf(err, EINVAL, "status", "the name is empty");
	if (strlen(path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return pace_failf(err, ENAMETOOLONG, "status", "the name is longer than %zu bytes, "
		    "the limit for sockets", sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
	if (lstat(path, &st) == 0)
		return S_ISSOCK(st.st_mode) ? 0 : pace_failf(err, EEXIST, "status",
		    "the file exists and is not a socket");
	if (errno != ENOENT)
		return pace_fail(err, errno, "status");
	if (slash != NULL)
		snprintf(folder, sizeof(folder), "%.*s", slash == path ? 1 : (int)(slash - path),
		    path);
	if (stat(folder, &st) == 0)
		return 0;
	return errno != ENOENT ? pace_fail(err, errno, "status") :
	    pace_failf(err, ENOENT, "status", "folder %s does not exist", folder);
}

/* Remove the socket of a dead process.  0, or the reason why it must stay. */
static int
make_way(const struct sockaddr_un *name, struct pace_err *err)
{
	struct stat st;
	int fd, rc;

	if (lstat(name->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return 0;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return pace_fail(err, errno, "status");
	rc = connect(fd, (const struct sockaddr *)name, sizeof(*name)) < 0 ? errno : 0;
	close(fd);
	if (rc == 0 || rc == EAGAIN)
		return pace_failf(err, EADDRINUSE, "status", "another program serves this socket");
	if (rc != ECONNREFUSED)
		return pace_fail(err, rc, "status");
	return unlink(name->sun_path) == 0 ? 0 : pace_fail(err, errno, "status");
}

static int
listen_at(struct pace_status_server *r, const char *path, struct pace_err *err)
{
	mode_t mask;
	int rc;

	memcpy(r->name.sun_path, path, strlen(path) + 1);
	rc = make_way(&r->name, err);
	if (rc < 0)
		return rc;
	r->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->fd < 0)
		return pace_fail(err, errno, "status");
	mask = umask(0177);		/* safe: there is no other thread yet */
	rc = bind(r->fd, (const struct sockaddr *)&r->name, sizeof(r->name));
	if (rc < 0)
		rc = -errno;
	(void)umask(mask);
	if (rc < 0)
		return pace_fail(err, -rc, "status");
	if (lstat(r->name.sun_path, &r->st) < 0 || listen(r->fd, PACE_STATUS_SERVER) < 0)
		return pace_fail(err, errno, "status");
	return 0;
}

int
pace_status_server_open(struct pace_status_server **out, const char *path, int sessions,
    struct pace_err *err)
{
	struct pace_status_server *r = calloc(1, sizeof(*r));
	int rc;

	*out = NULL;
	if (r == NULL)
		return pace_fail(err, ENOMEM, "status");
	r->fd = -1;
	r->sessions = sessions;
	r->name.sun_family = AF_UNIX;
	for (int i = 0; i < PACE_STATUS_SERVER; i++)
		r->v[i].fd = -1;
	r->list = calloc((size_t)sessions + PACE_STREAMS, sizeof(*r->list));
	r->shapes = calloc((size_t)sessions, sizeof(*r->shapes));
	r->shapes_ns = calloc((size_t)sessions, sizeof(*r->shapes_ns));
	if (r->list == NULL || r->shapes == NULL || r->shapes_ns == NULL)
		rc = pace_fail(err, ENOMEM, "status");
	else
		rc = pace_status_server_check(path, err);
	if (rc == 0)
		rc = listen_at(r, path, err);
	if (rc < 0)
		pace_status_server_close(r);
	else
		*out = r;
	return rc;
}

/* Open the file and check it again: in a folder of that user it may have been replaced. */
int
pace_status_server_give(const struct pace_status_server *r, uid_t uid, gid_t gid,
    struct pace_err *err)
{
	int fd, rc = 0;
	struct stat st;

	if (uid == geteuid())
		return 0;
	fd = open(r->name.sun_path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return pace_fail(err, errno, "status");
	if (fstat(fd, &st) == -1 || st.st_ino != r->st.st_ino || st.st_dev != r->st.st_dev ||
	    !S_ISSOCK(st.st_mode) || st.st_nlink != 1)
		rc = pace_fail(err, ESTALE, "status");
	else if (fchownat(fd, "", uid, gid, AT_EMPTY_PATH) == -1)
		rc = pace_fail(err, errno, "status");
	close(fd);
	return rc;
}

static void
drop(struct status_server_reader *d)
{
	if (d->fd >= 0)
		close(d->fd);
	free(d->pair);
	free(d->streams);
	free(d->out);
	memset(d, 0, sizeof(*d));
	d->fd = -1;
}

void
pace_status_server_remove(const struct pace_status_server *r)
{
	struct stat st;

	if (r != NULL && r->st.st_ino != 0 && lstat(r->name.sun_path, &st) == 0 &&
	    st.st_ino == r->st.st_ino && st.st_dev == r->st.st_dev)
		(void)unlink(r->name.sun_path);
}

void
pace_status_server_close(struct pace_status_server *r)
{
	if (r == NULL)
		return;
	for (int i = 0; i < PACE_STATUS_SERVER; i++)
		drop(&r->v[i]);
	pace_status_server_remove(r);
	if (r->fd >= 0)
		close(r->fd);
	free(r->list);
	free(r->shapes);
	free(r->shapes_ns);
	free(r);
}

void
pace_status_server_head(struct pace_status_server *r, const struct pace_status_head *h)
{
	r->head = *h;
}

/* --- writing --- */

/* Write pending output; false: the reader is gone or stuck. */
static bool
write_out(struct status_server_reader *d, int64_t now_ns)
{
	while (d->out != NULL) {
		ssize_t n = send(d->fd, d->out + d->at, d->len - d->at,
		    MSG_DONTWAIT | MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			return false;
		if (n <= 0) {
			if (d->stuck_ns == 0)
				d->stuck_ns = now_ns;
			return now_ns - d->stuck_ns < PACE_READER_STUCK_NS;
		}
		d->stuck_ns = 0;
		d->at += (size_t)n;
		if (d->at == d->len) {
			free(d->out);
			d->out = NULL;
		}
	}
	return true;
}

/* Append a line to the pending output; takes line. */
static void
add_line(struct status_server_reader *d, char *line)
{
	size_t left = d->out != NULL ? d->len - d->at : 0, len = line != NULL ? strlen(line) : 0;
	char *both;

	if (line == NULL)
		return;
	if (left > 0) {
		both = malloc(left + len);
		if (both != NULL) {
			memcpy(both, d->out + d->at, left);
			memcpy(both + left, line, len);
		}
		free(line);
		if (both == NULL)
			return;
		free(d->out);
		line = both;
	}
	d->out = line;
	d->at = 0;
	d->len = left + len;
}

/* --- readers and their requests --- */

static void
welcome(struct pace_status_server *r, int64_t now_ns)
{
	int fd = accept4(r->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct status_server_reader *d = NULL;

	if (fd < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
		r->rest_ns = now_ns + REST_NS;
	if (fd < 0)
		return;
	for (int i = 0; i < PACE_STATUS_SERVER && d == NULL; i++)
		if (r->v[i].fd < 0)
			d = &r->v[i];
	if (d == NULL || (d->pair = calloc((size_t)r->sessions, sizeof(*d->pair))) == NULL) {
		static const char full[] = "{\"error\":\"too many readers\"}\n";

		(void)send(fd, full, sizeof(full) - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		close(fd);
		return;
	}
	d->fd = fd;
	d->interval_ns = PACE_STATUS_USUAL_NS;
	d->due_ns = now_ns;
	for (int i = 0; i < r->sessions; i++)
		pace_recent_none(&d->pair[i].recent);
	add_line(d, pace_status_first(&r->head));
	if (!write_out(d, now_ns))
		drop(d);
}

/* Read requests; false: the reader is gone or sends too long a line. */
static bool
listen_to(struct status_server_reader *d, int64_t now_ns)
{
	ssize_t n = recv(d->fd, d->ask + d->ask_len, ASK_MAX - d->ask_len, MSG_DONTWAIT);
	char *end;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
	d->ask_len += (size_t)n;
	while ((end = memchr(d->ask, '\n', d->ask_len)) != NULL) {
		size_t len = (size_t)(end - d->ask);

		if (pace_status_request(d->ask, len, &d->interval_ns) < 0) {
			if (d->out == NULL)	/* otherwise it does not read its lines */
				add_line(d, pace_status_error("not understood: write a line such "
				    "as {\"interval_ms\":200}, 100 to 3600000"));
		} else if (d->sent_ns > 0) {
			d->due_ns = d->sent_ns + d->interval_ns;
			if (d->due_ns < now_ns)
				d->due_ns = now_ns;
		}
		d->ask_len -= len + 1;
		memmove(d->ask, end + 1, d->ask_len);
	}
	return d->ask_len < ASK_MAX;
}

static void
bring_forward(int64_t *until_ns, int64_t to_ns)
{
	if (to_ns < *until_ns)
		*until_ns = to_ns;
}

int
pace_status_server_wait(struct pace_status_server *r, struct pollfd *fds, int64_t now_ns,
    int64_t *until_ns)
{
	bool rests = now_ns < r->rest_ns;
	int n = 0;

	fds[n++] = (struct pollfd){ .fd = r->fd, .events = rests ? 0 : POLLIN };
	if (rests)
		bring_forward(until_ns, r->rest_ns);
	for (int i = 0; i < PACE_STATUS_SERVER; i++) {
		const struct status_server_reader *d = &r->v[i];

		if (d->fd < 0)
			continue;
		fds[n++] = (struct pollfd){ .fd = d->fd,
		    .events = (short)(POLLIN | (d->out != NULL ? POLLOUT : 0)) };
		bring_forward(until_ns, d->due_ns);
		if (d->stuck_ns != 0)
			bring_forward(until_ns, d->stuck_ns + PACE_READER_STUCK_NS);
	}
	return n;
}

void
pace_status_server_serve(struct pace_status_server *r, const struct pollfd *fds, int n,
    int64_t now_ns)
{
	bool newcomer = false;

	for (int i = 0; i < n; i++) {
		struct status_server_reader *d = NULL;

		if (fds[i].fd == r->fd)
			newcomer = fds[i].revents != 0;
		for (int k = 0; k < PACE_STATUS_SERVER && fds[i].fd != r->fd; k++)
			if (r->v[k].fd == fds[i].fd)
				d = &r->v[k];
		if (d == NULL)
			continue;
		if (((fds[i].revents & ~POLLOUT) != 0 && !listen_to(d, now_ns)) ||
		    !write_out(d, now_ns))
			drop(d);
	}
	if (newcomer)
		welcome(r, now_ns);
}

/* --- lines --- */

int64_t
pace_status_server_due(const struct pace_status_server *r)
{
	int64_t due_ns = INT64_MAX;

	for (int i = 0; i < PACE_STATUS_SERVER; i++)
		if (r->v[i].fd >= 0 && r->v[i].due_ns < due_ns)
			due_ns = r->v[i].due_ns;
	return due_ns;
}

/* Is there news of this session for the reader? */
static bool
has_changed(const struct status_server_reader *d, const struct pace_session_pair *s)
{
	return s->now.number != 0 && (s->now.state != PACE_ENDED || (d->sent_ns != 0 &&
	    !(s->then.number == s->now.number && s->then.state == PACE_ENDED)));
}

/* Add the session's distributions, which are read once for all readers. */
static void
fill_shapes(struct pace_status_server *r, const struct pace_status_update *n, int slot,
    struct pace_status_session *to)
{
	struct pace_shapes *s = &r->shapes[slot];

	if (n->watches == NULL || to->now.run.pings)
		return;
	if (r->shapes_ns[slot] != n->now_ns && !pace_stats_page_read_shapes(&n->watches[slot], s))
		s->number = 0;
	r->shapes_ns[slot] = n->now_ns;
	pace_session_fill_shapes(to, s);
}

static void
put_stream(struct pace_session_stats *to, const struct pace_stream_stats *v)
{
	to->peer.port = (uint16_t)v->port;
	to->run.streams = 1;
	to->this_run = to->all = v->now.run;
	to->gaps = v->now.gaps;
	to->jitter_ns = v->now.jitter_ns;
}

/* Add the streams of the client that measures, if it has several, at most `room`; returns their
 * number.  Only one client has the lease, but boards may be old. */
static size_t
fill_streams(struct status_server_reader *d, const struct pace_status_update *n, int slot,
    int64_t interval_ns, struct pace_status_session *to, size_t room)
{
	const struct pace_session_pair *all = &d->pair[slot];
	size_t streams = all->now.leased && n->watches != NULL ? all->now.run.streams : 0, used = 0;

	if (streams > 1 && d->streams == NULL)
		d->streams = calloc(PACE_STREAMS, sizeof(*d->streams));
	for (size_t k = 0; k < streams && streams > 1 && d->streams != NULL && used < room; k++) {
		struct pace_stream_stats *then = &d->streams[k], now;
		struct pace_session_pair one = { .now = all->now, .then = all->now };

		if (!pace_stream_page_read(&n->watches[slot].stream[k], &now) ||
		    now.number != all->now.number || now.run != all->now.run.number)
			continue;
		put_stream(&one.now, &now);
		put_stream(&one.then, then);
		if (then->number != now.number || then->run != now.run)
			one.then.number = 0;
		pace_recent_none(&one.recent);
		pace_session_fill(&to[used], &one, n->now_ns, interval_ns);
		pace_session_name_stream(&to[used++], k + 1);
		*then = now;
	}
	return used;
}

static void
update(struct pace_status_server *r, struct status_server_reader *d,
    const struct pace_status_update *n)
{
	size_t streams = 0, added;

	struct pace_status s = { .wall_ns = n->wall_ns, .totals = *n->totals,
	    .added = pace_totals_since(n->totals, &d->then), .session = r->list,
	    .interval_ns = d->sent_ns != 0 ? n->now_ns - d->sent_ns : 0 };

	if (n->host != NULL)
		pace_host_fill(&s.host, n->host);
	for (int i = 0; i < r->sessions; i++) {
		struct pace_session_pair *pair = &d->pair[i];

		if (has_changed(d, pair)) {
			pace_session_fill(&r->list[s.n], pair, n->now_ns, s.interval_ns);
			fill_shapes(r, n, i, &r->list[s.n]);
			if (n->add != NULL)
				n->add(n->ctx, i, pair, &r->list[s.n]);
			s.n++;
			added = fill_streams(d, n, i, s.interval_ns, &r->list[s.n],
			    PACE_STREAMS - streams);
			streams += added;
			s.n += added;
		}
		pair->then = pair->now;
		pace_recent_none(&pair->recent);
	}
	add_line(d, pace_status_line(&s));
	d->then = *n->totals;
	d->sent_ns = n->now_ns;
}

bool
pace_status_server_any(const struct pace_status_server *r)
{
	return pace_status_server_due(r) < INT64_MAX;
}

void
pace_status_server_update(struct pace_status_server *r, const struct pace_status_update *n)
{
	for (int k = 0; k < PACE_STATUS_SERVER; k++) {
		struct status_server_reader *d = &r->v[k];

		if (d->fd < 0)
			continue;
		for (int i = 0; i < r->sessions; i++) {
			d->pair[i].now = n->views[i];
			if (n->views[i].recent.turn == n->turns[i])
				pace_recent_add(&d->pair[i].recent, &n->views[i].recent);
		}
		if (d->due_ns > n->now_ns + TOGETHER_NS)
			continue;
		if (d->out == NULL)	/* otherwise this line is left out */
			update(r, d, n);
		d->due_ns += d->interval_ns;
		if (d->due_ns <= n->now_ns)
			d->due_ns = n->now_ns + d->interval_ns;
		if (!write_out(d, n->now_ns))
			drop(d);
	}
}
