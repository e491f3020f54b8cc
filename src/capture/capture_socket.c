/* The source of udpace receive: a socket by the words of the command line. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture_own.h"
#include "opt/host_port.h"
#include "plat/addr.h"
#include "run/stop.h"

#define HEAD_BYTES	192		/* of a payload: more than any header of a format */

/* "[ADDR:]PORT" */
static bool
read_port(const char *text, struct pace_addr *a)
{
	char host[256] = "";
	int64_t port = 0;

	memset(a, 0, sizeof(*a));
	if (text[strspn(text, "0123456789")] == '\0') {
		if (pace_parse(PACE_UNIT_COUNT, text, &port) != 0 || port < 1 || port > 65535) {
			pace_complain("'%s' is not a port: 1 to 65535", text);
			return false;
		}
	} else if (!pace_host_port(text, "[ADDR:]PORT", host, sizeof(host), &port)) {
		return false;
	} else if (port == 0) {
		pace_complain("'%s' has no port; write ADDR:PORT, with IPv6 [ADDR]:PORT", text);
		return false;
	} else if (!pace_addr_literal(host, a)) {
		pace_complain("'%s' is not an address of this host, nor a multicast group", host);
		return false;
	}
	a->port = (uint16_t)port;
	return true;
}

/* The group of --join is the address, or becomes it. */
static bool
read_join(const struct capture_cfg *cfg, struct pace_addr *local, struct pace_addr *source)
{
	struct pace_multicast group;
	struct pace_err err = { .code = 0 };

	if (cfg->join == NULL)
		return true;
	if (pace_multicast_parse(cfg->join, &group, &err) < 0) {
		pace_complain("--join: %s", pace_err_why(&err));
		return false;
	}
	group.addr.port = local->port;
	if (local->family != 0 && !pace_addr_same(local, &group.addr)) {
		pace_complain("--join: '%s' is another address than that of '%s': omit one",
		    cfg->join, cfg->port);
		return false;
	}
	*local = group.addr;
	*source = group.source;
	return true;
}

void
pace_capture_describe_group(struct pace_capture *c, const struct pace_addr *group,
    const struct pace_addr *source)
{
	pace_addr_text(group, c->group, sizeof(c->group));
	pace_addr_text(source, c->source, sizeof(c->source));
}

static void
describe(struct capture *t, const struct pace_addr *local, const struct pace_addr *source)
{
	struct pace_capture *c = &t->c;
	char text[64], asked[32], granted[32];

	if (local->family == 0)
		snprintf(c->socket, sizeof(c->socket), "*:%u", local->port);
	else
		snprintf(c->socket, sizeof(c->socket), local->family == 6 ? "[%s]:%u" : "%s:%u",
		    pace_addr_text(local, text, sizeof(text)), local->port);
	if (pace_addr_is_group(local))
		pace_capture_describe_group(c, local, source);
	snprintf(c->link, sizeof(c->link), "UDP");
	c->rcvbuf_asked = (uint32_t)t->cfg->rcvbuf;
	c->rcvbuf_granted = pace_socket_source_rcvbuf(t->socket);
	if (c->rcvbuf_granted >= c->rcvbuf_asked)
		return;
	pace_note(&t->result.notes, "rcvbuf_clamped", "this host's kernel granted a receive "
	    "buffer of %s instead of the requested %s: raise net.core.rmem_max here",
	    pace_print(PACE_UNIT_BYTES, c->rcvbuf_granted, granted, sizeof(granted)),
	    pace_print(PACE_UNIT_BYTES, c->rcvbuf_asked, asked, sizeof(asked)));
	t->unusable = t->cfg->rcvbuf_given;
	if (!t->cfg->quiet)
		fprintf(stderr, "receive buffer: %s granted of %s requested; raise "
		    "net.core.rmem_max, or run as root\n", granted, asked);
}

int
pace_capture_open_socket(struct capture *t, struct pace_err *err)
{
	struct pace_socket_source_cfg sc = { .interface = t->cfg->interface, .stop = &pace_stop,
	    .rcvbuf_bytes = (uint32_t)t->cfg->rcvbuf, .head_bytes = HEAD_BYTES };
	int rc;

	if (!read_port(t->cfg->port, &sc.local) || !read_join(t->cfg, &sc.local, &sc.source))
		return -EINVAL;
	if (t->cfg->sequence != NULL && t->rule.offset + t->rule.bytes > sc.head_bytes)
		sc.head_bytes = t->rule.offset + t->rule.bytes;
	t->c.snap_bytes = sc.head_bytes;
	rc = pace_socket_source_open(&t->socket, &sc, err);
	if (rc == 0)
		describe(t, &sc.local, &sc.source);
	return rc == -EINVAL ? -EIO : rc;
}

/* --- the record ------------------------------------------------------------------------ */

int
pace_capture_open_record(struct capture *t)
{
	const char *path = t->cfg->record;

	if (path == NULL)
		return PACE_EXIT_OK;
	if (pace_sink_may_write("record", path, t->cfg->sink.force) != 0)
		return PACE_EXIT_USAGE;
	t->record_file = fopen(path, "we");
	if (t->record_file != NULL)
		return PACE_EXIT_OK;
	pace_complain("--record: '%s' cannot be written: %s", path, strerror(errno));
	return PACE_EXIT_USAGE;
}

void
pace_capture_end_record(struct capture *t)
{
	int rc;

	if (t->record == NULL)
		return;
	t->c.has_record = true;
	rc = pace_frame_record_end(t->record, &t->c.recorded, &t->c.record_missed);
	if (rc == 0 && t->c.record_missed == 0)
		return;
	t->unrecorded = true;
	if (rc < 0)
		pace_complain("--record: '%s': %s", t->cfg->record, strerror(-rc));
	pace_note(&t->result.notes, "record_incomplete", "%" PRIu64 " frames are missing in the "
	    "record: %s", t->c.record_missed, rc < 0 ? strerror(-rc) :
	    "its file was written too slowly");
}
