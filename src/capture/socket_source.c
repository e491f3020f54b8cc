#include "config.h"

#include "capture/socket_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/rates.h"
#include "plat/clock.h"
#include "plat/sock.h"

#define LOOK_NS		INT64_C(100000000)
#define NAP_MAX_NS	INT64_C(1000000)
#define NAP_NS_PER_BYTE	10		/* of the buffer: 10 Gbit/s fill a quarter of it, with the
					 * kernel's overhead */
#define ONE_FRAME	9216u		/* no link carries more in one */

struct pace_socket_source {
	struct pace_sock sock;
	struct pace_io	io;
	struct pace_link link;
	uint16_t	port;
	int64_t		nap_ns;
	bool		more;		/* the last batch was full */
	uint32_t	drops;		/* of the socket when last read; wraps */
	uint64_t	dropped;
	struct pace_in	in[PACE_SOCK_BATCH];
	struct pace_cap_packet packet;
	uint8_t		heads[];
};

/* --- opening ------------------------------------------------------------------------ */

static int
fail(const struct pace_socket_source_cfg *cfg, struct pace_err *err)
{
	const int code = err->code;
	const char *step = err->step;

	if (strcmp(step, PACE_SOCK_INTERFACE) == 0)
		return pace_failf(err, code, step, "--interface: %s: %s", cfg->interface,
		    code == ENODEV ? "there is no such interface" : strerror(code));
	if (code == EADDRINUSE)
		return pace_failf(err, code, step, "port %u: another program receives there",
		    cfg->local.port);
	if (code == EADDRNOTAVAIL)
		return pace_failf(err, code, step, "this host does not have that address");
	return pace_failf(err, code, step, "port %u: %s: %s", cfg->local.port, step,
	    pace_err_why(err));
}

static int
open_socket(struct pace_socket_source *s, const struct pace_socket_source_cfg *cfg,
    struct pace_err *err)
{
	const struct pace_multicast group = { cfg->local, cfg->source };
	struct pace_sock_cfg sc = { .local = cfg->local, .interface = cfg->interface,
	    .rcvbuf_bytes = cfg->rcvbuf_bytes, .headers = true, .wall_stamps = true,
	    .share_group = pace_addr_is_group(&cfg->local), .stop = cfg->stop };
	int rc;

	if (sc.share_group && sc.local.scope == 0 && cfg->interface != NULL)
		sc.local.scope = pace_addr_zone(cfg->interface);
	rc = pace_sock_open(&s->sock, &sc, err);
	if (rc < 0)
		return fail(cfg, err);
	return sc.share_group ? pace_multicast_join(s->sock.fd, &group, cfg->interface, err) : 0;
}

int
pace_socket_source_open(struct pace_socket_source **to, const struct pace_socket_source_cfg *cfg,
    struct pace_err *err)
{
	struct pace_socket_source *s = calloc(1, sizeof(*s) + PACE_SOCK_BATCH * cfg->head_bytes);
	int rc;

	*to = NULL;
	if (s == NULL)
		return pace_fail(err, ENOMEM, "open");
	rc = open_socket(s, cfg, err);
	if (rc < 0) {
		pace_socket_source_close(s);
		return rc;
	}
	for (size_t i = 0; i < PACE_SOCK_BATCH; i++) {
		s->in[i].buf = s->heads + i * cfg->head_bytes;
		s->in[i].size = cfg->head_bytes;
	}
	s->io = pace_sock_io(&s->sock);
	s->port = cfg->local.port;
	s->link.mtu = cfg->interface != NULL ? pace_addr_mtu(cfg->interface) : 0;
	s->nap_ns = (int64_t)s->sock.rcvbuf_granted / NAP_NS_PER_BYTE;
	if (s->nap_ns > NAP_MAX_NS)
		s->nap_ns = NAP_MAX_NS;
	*to = s;
	return 0;
}

void
pace_socket_source_close(struct pace_socket_source *s)
{
	if (s == NULL)
		return;
	pace_sock_close(&s->sock);
	free(s);
}

uint32_t
pace_socket_source_rcvbuf(const struct pace_socket_source *s)
{
	return s->sock.rcvbuf_granted;
}

/* --- reading ------------------------------------------------------------------------ */

/* Counts in datagrams are older than the socket's own. */
static void
count_drops(struct pace_socket_source *s, uint32_t now)
{
	uint32_t n = now - s->drops;

	if (n > INT32_MAX)
		return;
	s->dropped += n;
	s->drops = now;
}

static void
fill(struct pace_socket_source *s, const struct pace_in *in)
{
	struct pace_cap_packet *p = &s->packet;
	const size_t n = in->from.family == 4 ? 4 : 16;

	memset(p, 0, sizeof(*p));
	p->ip = in->from.family;
	memcpy(p->source, in->from.ip, n);
	if (in->local.family == in->from.family)
		memcpy(p->dest, in->local.ip, n);
	p->dscp = in->has_mark ? in->mark >> 2 : 0;
	p->datagram = (struct pace_cap_datagram){ .payload = in->buf, .length = in->len,
	    .captured = in->len < in->size ? in->len : in->size,
	    .source_port = in->from.port, .dest_port = s->port };
	s->link.family = (int)p->ip;
	p->fragmented = in->len > ONE_FRAME;
	p->line_bytes = (uint32_t)pace_wire_bytes(&s->link, (uint32_t)in->len);
}

/* Without padding, as a capture has them. */
static size_t
frame_bytes(const struct pace_cap_packet *p)
{
	return 14 + (p->ip == 4 ? 20u : 40u) + 8 + p->datagram.length;
}

/* Wait for datagrams; false: none came. */
static bool
wait(struct pace_socket_source *s)
{
	if (s->io.wait(s->io.ctx, pace_clock_raw() + LOOK_NS) <= 0)
		return false;
	(void)s->io.sleep_until(s->io.ctx, pace_clock_raw() + s->nap_ns, NULL);
	return true;
}

int
pace_socket_source_read(struct pace_socket_source *s, int max,
    void (*take)(void *ctx, const struct pace_cap_packet *p, size_t frame_bytes, int64_t now_ns),
    void *ctx, struct pace_err *err)
{
	int n = 0, got;

	if (!s->more && !wait(s))
		return 0;
	do {
		got = s->io.recv(s->io.ctx, s->in, PACE_SOCK_BATCH);
		if (got < 0)
			return pace_fail(err, -got, "receive");
		for (int i = 0; i < got; i++) {
			fill(s, &s->in[i]);
			take(ctx, &s->packet, frame_bytes(&s->packet), s->in[i].stamp_ns);
		}
		if (got > 0 && s->in[got - 1].has_drops)
			count_drops(s, s->in[got - 1].drops);
		s->more = got == PACE_SOCK_BATCH;
		n += got;
	} while (s->more && n < max);
	return n;
}

void
pace_socket_source_drops(struct pace_socket_source *s, struct pace_pcap_drops *d)
{
	count_drops(s, s->io.drops(s->io.ctx));
	*d = (struct pace_pcap_drops){ .known = true, .kernel = s->dropped };
}
