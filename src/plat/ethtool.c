#include "config.h"

#include "plat/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAMES_MAX	65536

int
pace_device_params(const char *device, unsigned long request, void *data)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;
	struct ifreq ifr;

	if (fd == -1)
		return -errno;
	memset(&ifr, 0, sizeof(ifr));
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
	ifr.ifr_data = data;
	rc = ioctl(fd, request, &ifr) == -1 ? -errno : 0;
	close(fd);
	return rc;
}

int
pace_ethtool(const char *device, void *request)
{
	return pace_device_params(device, SIOCETHTOOL, request);
}

/* How many names there are in a set; 0: it does not say. */
static uint32_t
count_names(const char *device, uint32_t set)
{
	struct ethtool_sset_info *q = calloc(1, sizeof(*q) + sizeof(q->data[0]));
	uint32_t n = 0;

	if (q == NULL)
		return 0;
	q->cmd = ETHTOOL_GSSET_INFO;
	q->sset_mask = UINT64_C(1) << set;
	if (pace_ethtool(device, q) == 0 && q->sset_mask != 0 && q->data[0] <= NAMES_MAX)
		n = q->data[0];
	free(q);
	return n;
}

/* NULL: none.  To be freed. */
static struct ethtool_gstrings *
names(const char *device, uint32_t set, uint32_t n)
{
	struct ethtool_gstrings *s = calloc(1, sizeof(*s) + (size_t)n * ETH_GSTRING_LEN);

	if (s == NULL)
		return NULL;
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = set;
	s->len = n;
	if (pace_ethtool(device, s) == 0 && s->len <= n)
		return s;
	free(s);
	return NULL;
}

/* The kernel does not promise an end of the string. */
static void
name_at(const struct ethtool_gstrings *s, uint32_t i, char name[ETH_GSTRING_LEN + 1])
{
	memcpy(name, s->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
	name[ETH_GSTRING_LEN] = '\0';
}

void
pace_ethtool_features(const char *device,
    void (*feature)(void *ctx, const char *name, bool on), void *ctx)
{
	uint32_t n = count_names(device, ETH_SS_FEATURES), words = (n + 31) / 32;
	struct ethtool_gstrings *s = n > 0 ? names(device, ETH_SS_FEATURES, n) : NULL;
	struct ethtool_gfeatures *f = calloc(1, sizeof(*f) + words * sizeof(f->features[0]));
	char name[ETH_GSTRING_LEN + 1];

	if (s != NULL && f != NULL) {
		f->cmd = ETHTOOL_GFEATURES;
		f->size = words;
		if (pace_ethtool(device, f) == 0)
			for (uint32_t i = 0; i < s->len && i / 32 < f->size && i < n; i++) {
				name_at(s, i, name);
				feature(ctx, name, (f->features[i / 32].active >> i % 32 & 1) != 0);
			}
	}
	free(s);
	free(f);
}

void
pace_ethtool_stats(const char *device,
    void (*stat)(void *ctx, const char *name, uint64_t n), void *ctx)
{
	uint32_t n = count_names(device, ETH_SS_STATS);
	struct ethtool_gstrings *s = n > 0 ? names(device, ETH_SS_STATS, n) : NULL;
	struct ethtool_stats *v = calloc(1, sizeof(*v) + (size_t)n * sizeof(v->data[0]));
	char name[ETH_GSTRING_LEN + 1];

	if (s != NULL && v != NULL) {
		v->cmd = ETHTOOL_GSTATS;
		v->n_stats = n;
		if (pace_ethtool(device, v) == 0)
			for (uint32_t i = 0; i < n && i < s->len && i < v->n_stats; i++) {
				name_at(s, i, name);
				stat(ctx, name, v->data[i]);
			}
	}
	free(s);
	free(v);
}
