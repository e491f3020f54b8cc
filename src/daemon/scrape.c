#include "config.h"

#include "daemon/scrape.h"

#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/metrics.h"
#include "plat/sock.h"

#define CONNECTIONS	16
#define OF_ONE_HOST	4
#define ACCEPTED	64		/* limit of the library, while old ones are closing */
#define MEMORY		16384		/* bytes per connection */
#define SILENCE_S	5

/* A connection that the library has open. */
struct open {
	int		fd;
	struct in6_addr	host;		/* IPv4: its first 4 bytes */
};

struct pace_scrape {
	struct pace_scrape_cfg cfg;
	struct open	open[ACCEPTED];	/* oldest first */
	size_t		n;
	struct MHD_Daemon *daemon;	/* NULL: not serving yet */
	int		fd;
};

static enum MHD_Result
reply(struct MHD_Connection *c, unsigned status, char *text, size_t size, const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result rc;

	if (r == NULL) {
		free(text);
		return MHD_NO;
	}
	(void)MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	rc = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return rc;
}

static enum MHD_Result
refuse(struct MHD_Connection *c, unsigned status, const char *words)
{
	char *text = strdup(words);

	return text == NULL ? MHD_NO : reply(c, status, text, strlen(text), "text/plain");
}

static enum MHD_Result
answer(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
    const char *version, const char *data, size_t *data_size, void **state)
{
	struct pace_scrape *s = ctx;
	size_t size;
	char *text;

	(void)version; (void)data; (void)data_size; (void)state;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET /metrics is all there is\n");
	if (strcmp(url, "/metrics") != 0)
		return refuse(c, MHD_HTTP_NOT_FOUND, "GET /metrics is all there is\n");
	text = s->cfg.text(s->cfg.ctx, &size);
	return text == NULL ? MHD_NO : reply(c, MHD_HTTP_OK, text, size, PACE_METRICS_TYPE);
}

/* --- limits --- */

static void
forget(struct pace_scrape *s, size_t i)
{
	s->n--;
	memmove(s->open + i, s->open + i + 1, (s->n - i) * sizeof(s->open[0]));
}

/* End the oldest connection (of a host, if given); the library sees the end and closes it. */
static void
end_oldest_of(struct pace_scrape *s, const struct in6_addr *host)
{
	for (size_t i = 0; i < s->n; i++) {
		if (host != NULL && memcmp(&s->open[i].host, host, sizeof(*host)) != 0)
			continue;
		(void)shutdown(s->open[i].fd, SHUT_RDWR);
		forget(s, i);
		return;
	}
}

/* A client that asks is answered at once, so old connections are idle: end one for the next. */
static void
make_room(struct pace_scrape *s, const struct in6_addr *host)
{
	size_t same = 0;

	for (size_t i = 0; i < s->n; i++)
		same += memcmp(&s->open[i].host, host, sizeof(*host)) == 0;
	if (same >= OF_ONE_HOST)
		end_oldest_of(s, host);
	else if (s->n >= CONNECTIONS)
		end_oldest_of(s, NULL);
}

static void
on_connection(void *ctx, struct MHD_Connection *c, void **mark,
    enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *fd = MHD_get_connection_info(c,
	    MHD_CONNECTION_INFO_CONNECTION_FD);
	const union MHD_ConnectionInfo *from = MHD_get_connection_info(c,
	    MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	struct pace_scrape *s = ctx;
	struct open o = { .fd = -1 };

	(void)mark;
	if (fd == NULL || from == NULL)
		return;
	o.fd = fd->connect_fd;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		const char *sa = (const char *)from->client_addr;

		if (from->client_addr->sa_family == AF_INET)
			memcpy(&o.host, sa + offsetof(struct sockaddr_in, sin_addr), 4);
		else
			memcpy(&o.host, sa + offsetof(struct sockaddr_in6, sin6_addr), 16);
		make_room(s, &o.host);
		s->open[s->n++] = o;
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->open[i].fd == o.fd) {
			forget(s, i);
			return;
		}
}

/* --- address --- */

static int
no_address(struct pace_err *err)
{
	return pace_failf(err, EINVAL, "metrics", "not a port from 1 to 65535, nor ADDR:PORT "
	    "with one (an IPv6 address in brackets)");
}

static int
read_where(const char *where, struct pace_addr *a, struct pace_err *err)
{
	const char *colon = strrchr(where, ':'), *port = colon != NULL ? colon + 1 : where;
	size_t len = colon != NULL ? (size_t)(colon - where) : 0;
	char host[256] = "127.0.0.1", *end;
	struct pace_err why;
	unsigned long n = strtoul(port, &end, 10);

	if (port[0] < '0' || port[0] > '9' || *end != '\0' || n == 0 || n > 65535 ||
	    (colon != NULL && len == 0) || len >= sizeof(host))
		return no_address(err);
	if (len > 2 && where[0] == '[' && where[len - 1] == ']') {
		where++;
		len -= 2;
	} else if (colon != NULL && memchr(where, ':', len) != NULL) {
		return no_address(err);
	}
	if (colon != NULL) {
		memcpy(host, where, len);
		host[len] = '\0';
	}
	return pace_resolve(host, 0, (uint16_t)n, a, 1, &why) < 0 ?
	    pace_failf(err, EINVAL, "metrics", "%s", why.text) : 0;
}

int
pace_scrape_check(const char *where, struct pace_err *err)
{
	struct pace_addr a;

	return read_where(where, &a, err);
}

/* --- start and end --- */

static int
listen_at(const struct pace_addr *a, struct pace_err *err)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(a->port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(a->port),
	    .sin6_scope_id = a->scope };
	bool is_v4 = a->family == 4;
	int one = 1, code, fd;

	memcpy(&v4.sin_addr, a->ip, sizeof(v4.sin_addr));
	memcpy(&v6.sin6_addr, a->ip, sizeof(v6.sin6_addr));
	fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return pace_fail(err, errno, "metrics");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, is_v4 ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6,
	    is_v4 ? sizeof(v4) : sizeof(v6)) == 0 && listen(fd, ACCEPTED) == 0)
		return fd;
	code = errno;
	close(fd);
	return pace_fail(err, code, "metrics");
}

int
pace_scrape_open(struct pace_scrape **out, const char *where, const struct pace_scrape_cfg *cfg,
    struct pace_err *err)
{
	struct pace_scrape *s = calloc(1, sizeof(*s));
	struct pace_addr a;
	int rc;

	*out = NULL;
	if (s == NULL)
		return pace_fail(err, ENOMEM, "metrics");
	s->cfg = *cfg;
	rc = read_where(where, &a, err);
	if (rc == 0)
		rc = s->fd = listen_at(&a, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	*out = s;
	return 0;
}

/* Block signals in the thread: the main thread handles them. */
int
pace_scrape_begin(struct pace_scrape *s)
{
	sigset_t all, before;
	int code;

	if (s == NULL)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = 0;
	s->daemon = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD, 0, NULL, NULL, answer, s,
	    MHD_OPTION_LISTEN_SOCKET, (MHD_socket)s->fd,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)ACCEPTED,
	    MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_END);
	code = errno != 0 ? errno : EIO;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->daemon != NULL ? 0 : -code;
}

void
pace_scrape_close(struct pace_scrape *s)
{
	if (s == NULL)
		return;
	if (s->daemon != NULL)
		MHD_stop_daemon(s->daemon);	/* closes the socket */
	else
		close(s->fd);
	free(s);
}
