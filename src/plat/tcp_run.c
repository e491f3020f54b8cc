#include "config.h"

#include "plat/tcp_run.h"

#include <errno.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plat/clock.h"
#include "plat/tcp_sock.h"

#define READ_BYTES	(128 << 10)	/* more does not stay in the cache */
#define READS_AT_ONCE	64		/* of a connection before the next one: fewer cost 64 connections
					 * a fifth of their goodput */
#define WRITES_AT_ONCE	32
#define EVENTS		64		/* of one look of an end that writes, */
#define EVENTS_READ	8		/* and of one that only reads: 64 cost 64 connections a tenth */
#define ROWS_LEAST	8		/* of a connection */

enum tcp_step {
	AWAITED,		/* no socket yet */
	WRITES, READS,
	ANSWERS,		/* a request is read, and answered */
	CLOSES,			/* all was written: its receiver's FIN is awaited */
	OVER
};

struct conn {
	int		fd;
	bool		down, sends;
	enum tcp_step	step;
	uint32_t	stream;
	uint64_t	left;		/* bytes to write; UINT64_MAX: no limit */
	uint32_t	out, in;	/* of a client: bytes of the request that were sent, of its reply
					 * that came.  Of a responder: bytes of the reply that are
					 * left to send, of the request that came */
	struct pace_tcp_end *end;
};

struct pace_tcp_run {
	struct pace_tcp_params p;
	bool		client, writes;
	int		epoll, event;
	uint32_t	n, room;	/* connections; rows of each */
	struct conn	*conn;
	struct pace_tcp_end *ends;
	struct pace_tcp_row *rows;
	struct pace_tcp_side side;
	uint8_t		*buf, *sink;
	int64_t		asked_ns;	/* departure of the request */
	int64_t		begun_ns, row_ns;	/* begun_ns 0: connections are missing */
	int64_t		cpu_ns;		/* of the thread when the run began */
	uint32_t	open;		/* connections that are not over */
	pthread_mutex_t	lock;		/* connections that were added */
	_Atomic int64_t	added_ns;	/* the last one */
	_Atomic uint32_t added;
	_Atomic bool	stopped, over;
	_Atomic uint64_t in_bytes, out_bytes, retransmits;
	_Atomic int64_t	rtt_ns;
};

/* --- create, destroy ------------------------------------------------------------------- */

static void
destroy(struct pace_tcp_run *r)
{
	if (r == NULL)
		return;
	for (uint32_t i = 0; r->conn != NULL && i < r->n; i++)
		if (r->conn[i].fd >= 0)
			close(r->conn[i].fd);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->event >= 0)
		close(r->event);
	pthread_mutex_destroy(&r->lock);
	free(r->conn);
	free(r->ends);
	free(r->rows);
	free(r->buf);
	free(r->sink);
	free(r);
}

static void
number(struct pace_tcp_run *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		bool down = r->p.down && (!r->p.up || i >= r->p.streams);
		struct conn *c = &r->conn[i];

		*c = (struct conn){ .fd = -1, .down = down, .sends = down != r->client,
		    .stream = i % r->p.streams, .end = &r->ends[i],
		    .left = r->p.duration_ns > 0 ? UINT64_MAX : r->p.length_bytes };
		c->end->row = &r->rows[(size_t)i * r->room];
		r->writes |= c->sends;
		if (c->stream == 0)
			r->side.end[down] = c->end;
	}
}

/* Bytes of one call that sends. */
static uint32_t
sent_at_once(const struct pace_tcp_params *p, bool client)
{
	return p->request_bytes == 0 ? p->write_bytes : client ? p->request_bytes : p->reply_bytes;
}

static struct pace_tcp_run *
create(const struct pace_tcp_params *p, bool client)
{
	struct pace_tcp_run *r = calloc(1, sizeof(*r));
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = UINT64_MAX };

	if (r == NULL)
		return NULL;
	r->p = *p;
	r->client = client;
	pthread_mutex_init(&r->lock, NULL);
	r->n = r->open = pace_tcp_connections(p);
	r->room = PACE_TCP_ROWS / r->n > ROWS_LEAST ? PACE_TCP_ROWS / r->n & ~1U : ROWS_LEAST;
	r->conn = calloc(r->n, sizeof(*r->conn));
	r->ends = calloc(r->n, sizeof(*r->ends));
	r->rows = calloc((size_t)r->n * r->room, sizeof(*r->rows));
	r->buf = malloc(sent_at_once(p, client));
	r->sink = malloc(READ_BYTES);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->conn == NULL || r->ends == NULL || r->rows == NULL || r->buf == NULL ||
	    r->sink == NULL || r->epoll < 0 || r->event < 0 ||
	    epoll_ctl(r->epoll, EPOLL_CTL_ADD, r->event, &e) == -1) {
		destroy(r);
		return NULL;
	}
	for (uint32_t i = 0; i < sent_at_once(p, client); i++)	/* nothing on the path compresses it away */
		r->buf[i] = (uint8_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 40);
	r->side.interval_ns = p->interval_ns;
	r->added_ns = pace_clock_raw();
	number(r);
	return r;
}

/* --- figures --------------------------------------------------------------------------- */

static int64_t
thread_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_THREAD, &u) == -1)
		return 0;
	return ((int64_t)u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	    ((int64_t)u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* Bring a connection's figures up to date. */
static void
look_at(struct conn *c)
{
	struct pace_tcp_end *e = c->end;
	int queued = 0;

	if (c->fd < 0)
		return;
	pace_tcp_sock_info(c->fd, &e->info);
	/* the FIN counts as one byte in the queue */
	if (c->sends && ioctl(c->fd, SIOCOUTQ, &queued) == 0 && queued >= 0)
		e->bytes = e->written - ((uint64_t)queued < e->written ? (uint64_t)queued :
		    e->written);
}

/* Keep every second row; the interval doubles. */
static void
thin_out(struct pace_tcp_run *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		struct pace_tcp_end *e = r->conn[i].end;
		uint32_t n = 0;

		for (uint32_t k = 0; k < e->rows; k++)
			if (k % 2 == 1 || (k + 1 == e->rows && r->conn[i].step == OVER))
				e->row[n++] = e->row[k];
		e->rows = n;
	}
	r->side.interval_ns *= 2;
}

static void
add_row(struct pace_tcp_run *r, struct conn *c, int64_t now)
{
	struct pace_tcp_end *e = c->end;

	look_at(c);
	if (e->rows == r->room)		/* only at a connection's end */
		e->rows--;
	e->row[e->rows++] = (struct pace_tcp_row){ now - r->begun_ns, e->bytes, e->info };
}

/* What a look at the run shows of its senders. */
static void
sum_up(struct pace_tcp_run *r)
{
	uint64_t retransmits = 0, n = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		const struct pace_tcp_info *info = &r->conn[i].end->info;

		if (!r->conn[i].sends)
			continue;
		retransmits += info->retransmits;
		sum += info->rtt_ns;
		n += info->rtt_ns > 0;
	}
	atomic_store(&r->retransmits, retransmits);
	atomic_store(&r->rtt_ns, n > 0 ? sum / (int64_t)n : 0);
}

/* The end of an interval. */
static void
add_rows(struct pace_tcp_run *r, int64_t now)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		struct conn *c = &r->conn[i];

		if (c->step != AWAITED && c->step != OVER)
			add_row(r, c, now);
		if (c->end->rows > most)
			most = c->end->rows;
	}
	sum_up(r);
	if (most >= r->room)
		thin_out(r);
	while (r->row_ns <= now)
		r->row_ns += r->side.interval_ns;
}

/* --- a connection ------------------------------------------------------------------------ */

static void
finish(struct pace_tcp_run *r, struct conn *c, int failed, int64_t now)
{
	struct pace_tcp_end *e = c->end;

	if (c->step == OVER)
		return;
	if (c->step != AWAITED)
		add_row(r, c, now);
	e->failed = failed;
	e->complete = failed == 0 && (!c->sends || e->bytes == e->written);
	if (c->fd >= 0) {
		pace_tcp_sock_buffers(c->fd, &e->sndbuf_bytes, &e->rcvbuf_bytes);
		pace_tcp_sock_algorithm(c->fd, e->congestion);
		if (c->sends && r->begun_ns != 0)
			e->last_ns = now - r->begun_ns;
		close(c->fd);
		c->fd = -1;
	}
	c->step = OVER;
	if (--r->open > 0)
		return;
	sum_up(r);
	r->side.duration_ns = r->begun_ns != 0 ? now - r->begun_ns : 0;
	r->side.cpu_ns = thread_ns() - r->cpu_ns;
	atomic_store(&r->over, true);
}

static void
watch(const struct pace_tcp_run *r, const struct conn *c, int how)
{
	bool replies = c->step == ANSWERS && c->out > 0;
	struct epoll_event e = { .events = replies ? EPOLLOUT : EPOLLIN |
	    (c->step == WRITES ? EPOLLOUT : 0), .data.u64 = (uint64_t)(c - r->conn) };

	(void)epoll_ctl(r->epoll, how, c->fd, &e);
}

/* All is written: tell the receiver. */
static void
close_writing(const struct pace_tcp_run *r, struct conn *c)
{
	(void)shutdown(c->fd, SHUT_WR);
	c->step = CLOSES;
	watch(r, c, EPOLL_CTL_MOD);
}

/* One write: true if the connection may take another one at once. */
static bool
write_once(struct pace_tcp_run *r, struct conn *c, int64_t now)
{
	size_t n = c->left < r->p.write_bytes ? (size_t)c->left : r->p.write_bytes;
	ssize_t sent;

	if (c->left == 0 || r->p.request_bytes > 0) {
		close_writing(r, c);
		return false;
	}
	sent = send(c->fd, r->buf, n, MSG_DONTWAIT | MSG_NOSIGNAL |
	    (r->p.zero_copy ? MSG_ZEROCOPY : 0));
	if (sent > 0) {
		c->end->written += (uint64_t)sent;
		c->left -= c->left == UINT64_MAX ? 0 : (uint64_t)sent;
		atomic_fetch_add_explicit(&r->out_bytes, (uint64_t)sent, memory_order_relaxed);
		return true;
	}
	if (sent < 0 && errno == ENOBUFS && r->p.zero_copy && pace_tcp_sock_completions(c->fd) > 0)
		return true;
	if (sent < 0 && errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
		finish(r, c, errno, now);
	return false;
}

/* The connections that can write do so one call each, and again: two that fill their send buffers
 * one after the other have a fifth less goodput. */
static void
write_in_turn(struct pace_tcp_run *r, const struct epoll_event *v, int n, int64_t now)
{
	struct conn *ready[EVENTS];
	int k = 0;

	for (int i = 0; i < n; i++)
		if (v[i].data.u64 != UINT64_MAX && (v[i].events & EPOLLOUT) != 0 &&
		    r->conn[v[i].data.u64].step == WRITES)
			ready[k++] = &r->conn[v[i].data.u64];
	for (int turn = 0; turn < WRITES_AT_ONCE && k > 0; turn++) {
		int left = 0;

		for (int i = 0; i < k; i++)
			if (write_once(r, ready[i], now))
				ready[left++] = ready[i];
		k = left;
	}
}

static void
count_received(struct pace_tcp_run *r, struct pace_tcp_end *e, uint64_t bytes, int64_t now)
{
	if (bytes == 0)
		return;
	if (e->bytes == 0)
		e->first_ns = now - r->begun_ns;
	e->bytes += bytes;
	e->last_ns = now - r->begun_ns;
	atomic_fetch_add_explicit(&r->in_bytes, bytes, memory_order_relaxed);
}

static void
read_some(struct pace_tcp_run *r, struct conn *c, int64_t now)
{
	uint64_t sum = 0;
	ssize_t n = 1;

	for (int i = 0; i < READS_AT_ONCE && n > 0; i++) {
		n = recv(c->fd, r->sink, READ_BYTES, MSG_DONTWAIT);
		sum += n > 0 ? (uint64_t)n : 0;
		if (n > 0 && n < READ_BYTES)
			break;
	}
	count_received(r, c->end, sum, now);
	if (n == 0)
		finish(r, c, 0, now);	/* closing it is our FIN */
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		finish(r, c, errno, now);
}

/* Send what is left of the reply. */
static ssize_t
reply(struct pace_tcp_run *r, struct conn *c)
{
	ssize_t n = send(c->fd, r->buf, c->out, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n > 0) {
		c->out -= (uint32_t)n;
		atomic_fetch_add_explicit(&r->out_bytes, (uint64_t)n, memory_order_relaxed);
	}
	return n;
}

/* Read requests, and answer each when all of it came.  While a reply does not fit into the send
 * buffer nothing is read. */
static void
answer(struct pace_tcp_run *r, struct conn *c, int64_t now)
{
	bool replied = c->out > 0;
	ssize_t n = 1;

	for (int i = 0; i < READS_AT_ONCE && n > 0; i++) {
		if (c->out > 0) {
			n = reply(r, c);
			continue;
		}
		n = r->p.request_bytes - c->in;
		n = recv(c->fd, r->sink, n < READ_BYTES ? (size_t)n : READ_BYTES, MSG_DONTWAIT);
		count_received(r, c->end, n > 0 ? (uint64_t)n : 0, now);
		c->in += n > 0 ? (uint32_t)n : 0;
		if (c->in < r->p.request_bytes)
			continue;
		c->in = 0;
		c->out = r->p.reply_bytes;
	}
	if (n == 0)
		finish(r, c, 0, now);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		finish(r, c, errno, now);
	else if (replied != (c->out > 0))
		watch(r, c, EPOLL_CTL_MOD);
}

/* Something came at a sender's connection: its receiver's end, or a failure; after a stop, also the
 * reply to its last request. */
static void
hear(struct pace_tcp_run *r, struct conn *c, int64_t now)
{
	ssize_t n = recv(c->fd, r->sink, READ_BYTES, MSG_DONTWAIT);

	if (n == 0)
		finish(r, c, c->step == CLOSES ? 0 : ECONNRESET, now);
	else if (n > 0 && r->p.request_bytes == 0)	/* a receiver sends nothing */
		finish(r, c, EPROTO, now);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		finish(r, c, errno, now);
}

static void
serve(struct pace_tcp_run *r, struct conn *c, uint32_t events, int64_t now)
{
	if ((events & EPOLLERR) != 0 && r->p.zero_copy && c->sends)
		(void)pace_tcp_sock_completions(c->fd);
	if (c->step == READS)
		read_some(r, c, now);
	else if (c->step == ANSWERS)
		answer(r, c, now);
	else if ((events & (EPOLLIN | EPOLLHUP)) != 0 || ((events & EPOLLERR) != 0 &&
	    !r->p.zero_copy))
		hear(r, c, now);
}

/* --- the run ------------------------------------------------------------------------------- */

int
pace_tcp_run_add(struct pace_tcp_run *r, bool down, uint32_t stream, int fd, bool answer)
{
	static const uint8_t yes = 1;
	const uint64_t one = 1;
	bool all, there = stream < r->p.streams && (down ? r->p.down : r->p.up);
	struct conn *c;

	if (!there)
		return -EINVAL;
	c = &r->conn[stream + (down && r->p.up ? r->p.streams : 0)];
	pthread_mutex_lock(&r->lock);
	/* the answer goes first: with the last connection the run begins to write */
	if (c->end->connected || atomic_load(&r->over) ||
	    (answer && send(fd, &yes, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)) {
		pthread_mutex_unlock(&r->lock);
		return -EEXIST;
	}
	c->fd = fd;
	c->end->connected = true;
	r->added_ns = pace_clock_raw();
	all = atomic_fetch_add(&r->added, 1) + 1 == r->n;
	pthread_mutex_unlock(&r->lock);
	if (all)
		(void)!write(r->event, &one, sizeof(one));
	return 0;
}

/* All connections are there. */
static void
begin(struct pace_tcp_run *r, int64_t now)
{
	r->begun_ns = now;
	r->row_ns = now + r->side.interval_ns;
	r->cpu_ns = thread_ns();
	for (uint32_t i = 0; i < r->n; i++) {
		struct conn *c = &r->conn[i];
		int rc = pace_tcp_sock_prepare(c->fd, &r->p, c->sends || r->p.request_bytes > 0);

		c->step = c->sends ? WRITES : r->p.request_bytes > 0 ? ANSWERS : READS;
		watch(r, c, EPOLL_CTL_ADD);
		if (rc < 0)
			finish(r, c, -rc, now);
	}
}

/* Connections are missing: true if the run goes on. */
static bool
gather(struct pace_tcp_run *r, int64_t now)
{
	if (atomic_load(&r->added) == r->n) {
		begin(r, now);
		return true;
	}
	pthread_mutex_lock(&r->lock);
	if (now - r->added_ns >= PACE_TCP_CONNECT_NS || atomic_load(&r->stopped))
		for (uint32_t i = 0; i < r->n; i++)
			finish(r, &r->conn[i], ETIMEDOUT, now);
	pthread_mutex_unlock(&r->lock);
	return !atomic_load(&r->over);
}

/* End what has lasted long enough. */
static void
end_writing(struct pace_tcp_run *r, int64_t now)
{
	bool stopped = atomic_load_explicit(&r->stopped, memory_order_relaxed);

	if (!stopped && (r->p.duration_ns == 0 || now - r->begun_ns < r->p.duration_ns))
		return;
	for (uint32_t i = 0; i < r->n; i++)
		if (r->conn[i].step == WRITES)
			close_writing(r, &r->conn[i]);
}

/* Return when there is something to do besides moving bytes. */
static int64_t
next_ns(const struct pace_tcp_run *r, int64_t until_ns)
{
	int64_t at = until_ns, end = r->begun_ns + r->p.duration_ns;

	if (r->begun_ns == 0)
		return r->added_ns + PACE_TCP_CONNECT_NS < at ? r->added_ns + PACE_TCP_CONNECT_NS : at;
	if (r->row_ns < at)
		at = r->row_ns;
	if (r->p.duration_ns > 0 && end > pace_clock_raw() && end < at)
		at = end;
	return at;
}

static void
take_event(struct pace_tcp_run *r, const struct epoll_event *e, int64_t now)
{
	uint64_t count;

	if (e->data.u64 == UINT64_MAX)
		(void)!read(r->event, &count, sizeof(count));
	else if (r->conn[e->data.u64].step != OVER)
		serve(r, &r->conn[e->data.u64], e->events, now);
}

static bool
step(struct pace_tcp_run *r, int64_t until_ns)
{
	struct epoll_event v[EVENTS];
	int64_t now = pace_clock_raw();

	if (r->begun_ns == 0 && !gather(r, now))
		return false;
	while (!atomic_load_explicit(&r->over, memory_order_relaxed)) {
		int64_t at = next_ns(r, until_ns), wait_ns = at - now;
		int n = epoll_wait(r->epoll, v, r->writes ? EVENTS : EVENTS_READ, wait_ns <= 0 ? 0 :
		    (int)((wait_ns + 999999) / 1000000));

		now = pace_clock_raw();
		if (r->begun_ns == 0 && !gather(r, now))
			break;
		for (int i = 0; i < n; i++)
			take_event(r, &v[i], now);
		write_in_turn(r, v, n, now);
		if (r->begun_ns != 0 && now >= r->row_ns && !atomic_load(&r->over))
			add_rows(r, now);
		if (r->begun_ns != 0)
			end_writing(r, now);
		if (now >= until_ns)
			break;
	}
	return !atomic_load(&r->over);
}

/* Send or receive what is next of the request and its reply: 1 if that was all, 0, or -errno. */
static int
go_on(struct pace_tcp_run *r, struct conn *c)
{
	bool sends = c->out < r->p.request_bytes;
	size_t left = sends ? r->p.request_bytes - c->out : r->p.reply_bytes - c->in;
	ssize_t n = sends ? send(c->fd, r->buf + c->out, left, MSG_DONTWAIT | MSG_NOSIGNAL) :
	    recv(c->fd, r->sink, left < READ_BYTES ? left : READ_BYTES, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	if (n == 0)
		return -ECONNRESET;
	if (sends) {
		c->out += (uint32_t)n;
		c->end->written += (uint64_t)n;
		c->left -= (uint64_t)n;
	} else {
		c->in += (uint32_t)n;
	}
	return c->in == r->p.reply_bytes;
}

static int
request(struct pace_tcp_run *r, int64_t until_ns, int64_t *sent_ns, int64_t *rtt_ns)
{
	struct conn *c = &r->conn[0];
	int64_t now = pace_clock_raw();
	int rc = -EAGAIN;

	if (r->begun_ns == 0 && !gather(r, now))
		return -ETIMEDOUT;
	if (c->step != WRITES)
		return c->end->failed != 0 ? -c->end->failed : -ECONNRESET;
	if (c->out == 0)
		r->asked_ns = pace_clock_raw();
	*sent_ns = r->asked_ns;
	while (rc == 0 || rc == -EAGAIN || rc == -EINTR) {
		struct pollfd p = { c->fd, c->out < r->p.request_bytes ? POLLOUT : POLLIN, 0 };

		if (rc == -EAGAIN && c->out > 0 && now >= until_ns)
			return 0;
		if (rc == -EAGAIN && c->out > 0)
			(void)poll(&p, 1, (int)((until_ns - now + 999999) / 1000000));
		rc = go_on(r, c);
		now = pace_clock_raw();
	}
	if (rc < 0) {
		finish(r, c, -rc, now);
		return rc;
	}
	*rtt_ns = now - r->asked_ns;
	c->out = c->in = 0;
	return 1;
}

static void
stop(struct pace_tcp_run *r)
{
	const uint64_t one = 1;

	atomic_store(&r->stopped, true);
	(void)!write(r->event, &one, sizeof(one));
}

static void
look(struct pace_tcp_run *r, struct pace_tcp_counts *c)
{
	*c = (struct pace_tcp_counts){ .connections = atomic_load(&r->added),
	    .in_bytes = atomic_load_explicit(&r->in_bytes, memory_order_relaxed),
	    .out_bytes = atomic_load_explicit(&r->out_bytes, memory_order_relaxed),
	    .retransmits = atomic_load(&r->retransmits), .rtt_ns = atomic_load(&r->rtt_ns),
	    .begun = atomic_load(&r->added) == r->n, .over = atomic_load(&r->over) };
}

/* What has not ended by itself ends here. */
static const struct pace_tcp_side *
side(struct pace_tcp_run *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		finish(r, &r->conn[i], ETIMEDOUT, pace_clock_raw());
	return &r->side;
}

/* --- connecting ------------------------------------------------------------------------------ */

/* Connections that are being opened at once: a responder lets only a few wait for their proof. */
#define DIALS	16

struct dialled {
	int		fd;		/* -1: free */
	bool		down, greeted;
	uint32_t	stream;
};

static int
refuse(const struct dialled *d, int code, struct pace_err *err)
{
	if (code == ECONNREFUSED)
		return pace_failf(err, code, "connect", "nobody accepts TCP connections at the "
		    "responder's port: a responder of an earlier version, or a firewall");
	if (code == ETIMEDOUT && !d->greeted)
		return pace_failf(err, code, "connect", "no answer to TCP connections for 5 s, "
		    "although UDP gets through: a firewall that lets only UDP pass?");
	if (code == ECONNRESET || code == EPIPE || code == ETIMEDOUT)
		return pace_failf(err, code == ETIMEDOUT ? ETIMEDOUT : ECONNRESET, "connect",
		    "the responder did not accept a TCP connection%s",
		    code == ETIMEDOUT ? " within 5 s" : ": it closed it");
	return pace_fail(err, code, "connect");
}

/* Bring one connection a step further: 1 done, 0 goes on, -errno. */
static int
advance(struct dialled *v, const struct pace_tcp_dial *d, short events)
{
	uint8_t hello[PACE_TCP_HELLO], answer;
	ssize_t n;
	int rc;

	if (!v->greeted && events != 0) {
		rc = pace_tcp_sock_error(v->fd);
		if (rc != 0)
			return rc;
		d->hello(d->ctx, v->down, v->stream, hello);
		n = send(v->fd, hello, sizeof(hello), MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n != (ssize_t)sizeof(hello))
			return n < 0 ? -errno : -EPROTO;
		v->greeted = true;
		return 0;
	}
	n = recv(v->fd, &answer, 1, MSG_DONTWAIT);
	if (n == 1)
		return answer == 1 ? 1 : -EPROTO;
	return n == 0 ? -ECONNRESET : errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

/* Connections on their way, and when the last one was accepted. */
struct dialling {
	struct pace_tcp_run *r;
	const struct pace_tcp_dial *d;
	struct dialled	v[DIALS];
	uint32_t	next, done;	/* connections that were begun; accepted */
	int64_t		last_ns;
};

/* Begin as many connections as there is room for. */
static int
begin_some(struct dialling *g, struct pace_err *err)
{
	for (int i = 0; i < DIALS && g->next < g->r->n; i++) {
		const struct conn *c = &g->r->conn[g->next];
		int fd;

		if (g->v[i].fd >= 0)
			continue;
		fd = pace_tcp_sock_connect(g->d, &g->r->p);
		g->v[i] = (struct dialled){ .fd = fd, .down = c->down, .stream = c->stream };
		if (fd < 0)
			return refuse(&g->v[i], -fd, err);
		g->next++;
	}
	return 0;
}

/* Take what came to one of them. */
static int
take(struct dialling *g, struct dialled *v, short events, struct pace_err *err)
{
	int rc = advance(v, g->d, events);

	if (rc < 0)
		return refuse(v, -rc, err);
	if (rc == 0)
		return 0;
	(void)pace_tcp_run_add(g->r, v->down, v->stream, v->fd, false);
	v->fd = -1;
	g->last_ns = pace_clock_raw();
	g->done++;
	return 0;
}

/* Wait for answers, up to 100 ms. */
static int
wait_some(struct dialling *g, struct pace_err *err)
{
	struct pollfd polls[DIALS];
	int rc = 0;

	for (int i = 0; i < DIALS; i++)
		polls[i] = (struct pollfd){ g->v[i].fd, g->v[i].greeted ? POLLIN : POLLOUT, 0 };
	(void)poll(polls, DIALS, 100);
	for (int i = 0; i < DIALS && rc == 0; i++)
		if (g->v[i].fd >= 0 && polls[i].revents != 0)
			rc = take(g, &g->v[i], polls[i].revents, err);
	for (int i = 0; i < DIALS && rc == 0; i++)
		if (g->v[i].fd >= 0 && pace_clock_raw() - g->last_ns > PACE_TCP_CONNECT_NS)
			rc = refuse(&g->v[i], ETIMEDOUT, err);
	return rc;
}

static int
dial(struct pace_tcp_run *r, const struct pace_tcp_dial *d, struct pace_err *err)
{
	struct dialling g = { .r = r, .d = d, .last_ns = pace_clock_raw() };
	int rc = 0;

	for (int i = 0; i < DIALS; i++)
		g.v[i].fd = -1;
	while (rc == 0 && g.done < r->n) {
		rc = begin_some(&g, err);
		if (rc == 0)
			rc = wait_some(&g, err);
		if (rc == 0 && d->stop != NULL && *d->stop != 0)
			rc = pace_fail(err, EINTR, "stopped");
	}
	for (int i = 0; i < DIALS; i++)
		if (g.v[i].fd >= 0)
			close(g.v[i].fd);
	return rc;
}

const struct pace_tcp_engine pace_tcp_engine = { create, dial, step, request, stop,
    look, side, destroy };
