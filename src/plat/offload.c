#include "config.h"

#include "plat/offload.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FEATURES_MAX	1024

static const char *const spoilers[] = { "rx-udp-gro-forwarding", "rx-gro-list" };

static int
ask_device(int fd, const char *name, void *request)
{
	struct ifreq ifr;

	memset(&ifr, 0, sizeof(ifr));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ifr.ifr_data = request;
	return ioctl(fd, SIOCETHTOOL, &ifr);
}

/* How many features this kernel knows; 0: it does not say. */
static uint32_t
count_features(int fd, const char *name)
{
	struct ethtool_sset_info *q = calloc(1, sizeof(*q) + sizeof(q->data[0]));
	uint32_t n = 0;

	if (q == NULL)
		return 0;
	q->cmd = ETHTOOL_GSSET_INFO;
	q->sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
	if (ask_device(fd, name, q) == 0 && q->sset_mask != 0 && q->data[0] <= FEATURES_MAX)
		n = q->data[0];
	free(q);
	return n;
}

static bool
is_on(const struct ethtool_gfeatures *f, uint32_t i)
{
	return i / 32 < f->size && (f->features[i / 32].active >> i % 32 & 1) != 0;
}

static void
append(char *buf, size_t size, const char *device, const char *feature)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s%s %s", len > 0 ? ", " : "", device, feature);
}

static void
look_at(int fd, const char *name, char *buf, size_t size)
{
	uint32_t n = count_features(fd, name), words = (n + 31) / 32;
	struct ethtool_gstrings *s = calloc(1, sizeof(*s) + (size_t)n * ETH_GSTRING_LEN);
	struct ethtool_gfeatures *f = calloc(1, sizeof(*f) + words * sizeof(f->features[0]));

	if (n == 0 || s == NULL || f == NULL)
		goto out;
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = ETH_SS_FEATURES;
	s->len = n;
	f->cmd = ETHTOOL_GFEATURES;
	f->size = words;
	if (ask_device(fd, name, s) == -1 || ask_device(fd, name, f) == -1)
		goto out;
	for (uint32_t i = 0; i < n; i++) {
		const char *feature = (const char *)s->data + (size_t)i * ETH_GSTRING_LEN;

		for (size_t k = 0; k < sizeof(spoilers) / sizeof(spoilers[0]); k++)
			if (strncmp(feature, spoilers[k], ETH_GSTRING_LEN) == 0 && is_on(f, i))
				append(buf, size, name, spoilers[k]);
	}
out:
	free(s);
	free(f);
}

void
pace_offload_spoilers(char *buf, size_t size)
{
	struct if_nameindex *list = if_nameindex();
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	buf[0] = '\0';
	for (struct if_nameindex *i = list; fd != -1 && i != NULL && i->if_name != NULL; i++)
		look_at(fd, i->if_name, buf, size);
	if (fd != -1)
		close(fd);
	if (list != NULL)
		if_freenameindex(list);
}
