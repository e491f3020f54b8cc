#include "config.h"

#include "plat/offload.h"

#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plat/ethtool.h"

static const char *const spoilers[] = { "rx-udp-gro-forwarding", "rx-gro-list" };

struct found {
	char		*buf;
	size_t		size;
	const char	*device;
};

static void
look_at(void *ctx, const char *name, bool on)
{
	struct found *f = ctx;
	size_t len = strlen(f->buf);

	for (size_t k = 0; on && k < sizeof(spoilers) / sizeof(spoilers[0]); k++)
		if (strcmp(name, spoilers[k]) == 0)
			snprintf(f->buf + len, f->size - len, "%s%s %s", len > 0 ? ", " : "",
			    f->device, name);
}

void
pace_offload_spoilers(char *buf, size_t size)
{
	struct if_nameindex *list = if_nameindex();

	buf[0] = '\0';
	for (struct if_nameindex *i = list; i != NULL && i->if_name != NULL; i++)
		pace_ethtool_features(i->if_name, look_at,
		    &(struct found){ buf, size, i->if_name });
	if (list != NULL)
		if_freenameindex(list);
}
