#include "config.h"

#include "daemon/tcp_accept.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/clock.h"
#include "plat/tcp_run.h"
#include "plat/tcp_sock.h"
#include "plat/thread.h"
#include "proto/tcp_hello.h"

#define STEP_NS		INT64_C(100000000)

/* A run, with the thread that moves its bytes. */
struct accepted_run {
	struct pace_addr peer;
	uint64_t	session;
	uint8_t		number;
	uint8_t		key[PACE_TCP_SECRET];
	struct pace_tcp_run *run;
	pthread_t	thread;
	bool		joined;
	_Atomic bool	quit;
	struct accepted_run	*next;
};

/* A connection that has not shown yet what it belongs to. */
struct unproven {
	int		fd;
	struct pace_addr from;
	int64_t		until_ns;
	size_t		got;
	uint8_t		hello[PACE_TCP_HELLO];
};

/* --- runs ------------------------------------------------------------------------------- */

static void *
move_bytes(void *arg)
{
	struct accepted_run *d = arg;

	pace_clock_no_slack();
	while (!atomic_load(&d->quit) && pace_tcp_engine.step(d->run, pace_clock_raw() + STEP_NS))
		;
	return NULL;
}

static int
begin_run(void *ctx, const struct pace_tcp_params *p, const struct pace_addr *peer, uint64_t session,
    uint8_t number, const uint8_t key[PACE_TCP_SECRET], struct pace_tcp_run **run)
{
	struct pace_tcp_accept *a = ctx;
	struct accepted_run *d = calloc(1, sizeof(*d));
	int rc = -ENOMEM;

	if (d != NULL) {
		d->peer = *peer;
		d->session = session;
		d->number = number;
		memcpy(d->key, key, sizeof(d->key));
		d->run = pace_tcp_engine.create(p, false);
		rc = d->run != NULL ? pace_thread_start(&d->thread, move_bytes, d) : -ENOMEM;
	}
	if (rc < 0) {
		if (d != NULL)
			pace_tcp_engine.destroy(d->run);
		free(d);
		return rc;
	}
	*run = d->run;
	pthread_mutex_lock(&a->lock);
	d->next = a->runs;
	a->runs = d;
	pthread_mutex_unlock(&a->lock);
	return 0;
}

static struct accepted_run *
find(struct pace_tcp_accept *a, const struct pace_tcp_run *run)
{
	struct accepted_run *d;

	pthread_mutex_lock(&a->lock);
	for (d = a->runs; d != NULL && d->run != run; )
		d = d->next;
	pthread_mutex_unlock(&a->lock);
	return d;
}

static void
join(struct accepted_run *d)
{
	if (d->joined)
		return;
	atomic_store(&d->quit, true);
	pace_tcp_engine.stop(d->run);
	pthread_join(d->thread, NULL);
	d->joined = true;
}

static const struct pace_tcp_side *
side_of(void *ctx, struct pace_tcp_run *run)
{
	join(find(ctx, run));
	return pace_tcp_engine.side(run);
}

static void
end_run(void *ctx, struct pace_tcp_run *run)
{
	struct pace_tcp_accept *a = ctx;
	struct accepted_run *d = find(a, run), **at = &a->runs;

	join(d);
	pthread_mutex_lock(&a->lock);
	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	pthread_mutex_unlock(&a->lock);
	pace_tcp_engine.destroy(run);
	sodium_memzero(d->key, sizeof(d->key));
	free(d);
}

/* --- connections -------------------------------------------------------------------------- */

static bool
same_host(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && memcmp(a->ip, b->ip, a->family == 4 ? 4 : 16) == 0;
}

static bool
same_network(const struct pace_addr *a, const struct pace_addr *b)
{
	return a->family == b->family && memcmp(a->ip, b->ip, a->family == 4 ? 3 : 6) == 0;
}

/* Hand the connection to its run.  False: it proves nothing. */
static bool
hand_over(struct pace_tcp_accept *a, struct unproven *u)
{
	struct pace_tcp_hello h;
	struct accepted_run *d;
	bool proven = false;

	if (!pace_tcp_hello_read(&h, u->hello))
		return false;
	pthread_mutex_lock(&a->lock);
	for (d = a->runs; d != NULL && (d->session != h.session || d->number != h.run); )
		d = d->next;
	if (d != NULL && same_host(&d->peer, &u->from) && pace_tcp_hello_proves(u->hello, d->key))
		proven = pace_tcp_run_add(d->run, h.down, h.stream, u->fd, true) == 0;
	pthread_mutex_unlock(&a->lock);
	return proven;
}

/* Read of an unproven connection what is there; at its end u->fd is -1. */
static void
hear(struct pace_tcp_accept *a, struct unproven *u, bool readable, int64_t now)
{
	ssize_t n = readable ? recv(u->fd, u->hello + u->got, sizeof(u->hello) - u->got,
	    MSG_DONTWAIT) : 0;
	bool over = now >= u->until_ns;

	if (readable && (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)))
		over = true;
	u->got += n > 0 ? (size_t)n : 0;
	if (u->got == sizeof(u->hello) && hand_over(a, u)) {
		u->fd = -1;
		return;
	}
	if (u->got < sizeof(u->hello) && !over)
		return;
	close(u->fd);
	u->fd = -1;
}

static struct unproven *
room_for(struct unproven *v, const struct pace_addr *from)
{
	struct unproven *room = NULL;
	int of_network = 0;

	for (int i = 0; i < PACE_TCP_UNPROVEN; i++) {
		if (v[i].fd < 0)
			room = &v[i];
		else
			of_network += same_network(&v[i].from, from);
	}
	return of_network < PACE_TCP_UNPROVEN_EACH ? room : NULL;
}

/* Accept one connection; one too many of its network is closed. */
static void
accept_one(struct pace_tcp_accept *a, struct unproven *v, int64_t now)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);
	int fd = accept4(a->fd, (struct sockaddr *)&sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct pace_addr from;
	struct unproven *u;

	if (fd < 0)
		return;
	pace_addr_from_sa(&sa, &from);
	u = room_for(v, &from);
	if (u == NULL) {
		close(fd);
		return;
	}
	*u = (struct unproven){ .fd = fd, .from = from, .until_ns = now + PACE_TCP_PROOF_NS };
	hear(a, u, true, now);	/* it is accepted when its first bytes are there */
}

static void *
watch(void *arg)
{
	struct pace_tcp_accept *a = arg;
	struct unproven v[PACE_TCP_UNPROVEN];
	struct pollfd polls[PACE_TCP_UNPROVEN + 2];

	for (int i = 0; i < PACE_TCP_UNPROVEN; i++)
		v[i].fd = -1;
	while (!atomic_load(&a->quit)) {
		int owing = 0;
		int64_t now;

		for (int i = 0; i < PACE_TCP_UNPROVEN; i++) {
			polls[i] = (struct pollfd){ v[i].fd, POLLIN, 0 };
			owing += v[i].fd >= 0;
		}
		polls[PACE_TCP_UNPROVEN] = (struct pollfd){ a->wake, POLLIN, 0 };
		polls[PACE_TCP_UNPROVEN + 1] = (struct pollfd){
		    owing < PACE_TCP_UNPROVEN ? a->fd : -1, POLLIN, 0 };
		if (poll(polls, PACE_TCP_UNPROVEN + 2, owing > 0 ? 100 : -1) < 0)
			continue;
		now = pace_clock_raw();
		for (int i = 0; i < PACE_TCP_UNPROVEN; i++)
			if (v[i].fd >= 0)
				hear(a, &v[i], polls[i].revents != 0, now);
		if (polls[PACE_TCP_UNPROVEN + 1].revents != 0)
			accept_one(a, v, now);
	}
	for (int i = 0; i < PACE_TCP_UNPROVEN; i++)
		if (v[i].fd >= 0)
			close(v[i].fd);
	return NULL;
}

/* --- open, close ---------------------------------------------------------------------------- */

int
pace_tcp_accept_open(struct pace_tcp_accept *d, const struct pace_addr *local, uint16_t port)
{
	memset(d, 0, sizeof(*d));
	d->wake = -1;
	d->fd = pace_tcp_listen(local, port);
	if (d->fd < 0)
		return d->fd;
	d->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->wake < 0) {
		int rc = -errno;

		close(d->fd);
		return rc;
	}
	pthread_mutex_init(&d->lock, NULL);
	d->host = (struct pace_tcp_host){ .engine = &pace_tcp_engine, .begin = begin_run,
	    .side = side_of, .end = end_run, .ctx = d };
	return 0;
}

int
pace_tcp_accept_begin(struct pace_tcp_accept *d)
{
	int rc = pace_thread_start(&d->thread, watch, d);

	d->began = rc == 0;
	return rc;
}

void
pace_tcp_accept_close(struct pace_tcp_accept *d)
{
	const uint64_t one = 1;

	atomic_store(&d->quit, true);
	(void)!write(d->wake, &one, sizeof(one));
	if (d->began)
		pthread_join(d->thread, NULL);
	close(d->fd);
	close(d->wake);
}
