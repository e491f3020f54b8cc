/* pcap_none.c - a build without libpcap: every open fails, whatever the parameters. */
#include "config.h"

#include "plat/pcap.h"

#include <errno.h>
#include <stddef.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

const char *
pace_pcap_lacks(void)
{
	return "this udpace was built without the library that reads captures, libpcap";
}

int
pace_pcap_open(struct pace_pcap **p, const struct pace_pcap_cfg *cfg, struct pace_err *err)
{
	*p = NULL;
	return pace_failf(err, ENOSYS, "capture", "%s", pace_pcap_lacks());
}

const char *
pace_pcap_notice(const struct pace_pcap *p)
{
	return "";
}

int
pace_pcap_begin(struct pace_pcap *p, const char *filter, struct pace_err *err)
{
	return pace_failf(err, ENOSYS, "capture", "%s", pace_pcap_lacks());
}

int
pace_pcap_hold(struct pace_pcap *p, bool hold, struct pace_err *err)
{
	return pace_failf(err, ENOSYS, "capture", "%s", pace_pcap_lacks());
}

enum pace_cap_link
pace_pcap_link(const struct pace_pcap *p)
{
	return PACE_CAP_ETHERNET;
}

const char *
pace_pcap_link_name(const struct pace_pcap *p)
{
	return "";
}

int
pace_pcap_snap_bytes(const struct pace_pcap *p)
{
	return 0;
}

int
pace_pcap_read(struct pace_pcap *p, int max,
    void (*take)(void *ctx, const struct pace_cap_frame *f, int64_t now_ns), void *ctx,
    struct pace_err *err)
{
	return pace_failf(err, ENOSYS, "capture", "%s", pace_pcap_lacks());
}

void
pace_pcap_enough(struct pace_pcap *p)
{
}

void
pace_pcap_drops(struct pace_pcap *p, struct pace_pcap_drops *d)
{
	*d = (struct pace_pcap_drops){ .known = false };
}

void
pace_pcap_close(struct pace_pcap *p)
{
}
