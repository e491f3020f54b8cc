#include "config.h"

#include "plat/nic.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/ethtool.h"

#define READINGS	8	/* of the device's clock at once */
#define PTP_ONLY	"stamps only PTP frames"

struct pace_nic {
	char		name[IFNAMSIZ];
	int		users;
	int		clock;		/* /dev/ptpN */
	bool		changed;	/* by us */
	struct hwtstamp_config found;
	struct pace_nic	*next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pace_nic *nics;		/* those with users */

/* --- what a device can ------------------------------------------------------- */

const char *
pace_nic_lacks(const struct ethtool_ts_info *info)
{
	if ((info->so_timestamping & SOF_TIMESTAMPING_RX_HARDWARE) == 0)
		return "no hardware receive stamps";
	if ((info->so_timestamping & SOF_TIMESTAMPING_TX_HARDWARE) == 0 ||
	    (info->tx_types & 1U << HWTSTAMP_TX_ON) == 0)
		return "no hardware transmit stamps";
	if ((info->so_timestamping & SOF_TIMESTAMPING_RAW_HARDWARE) == 0)
		return "no raw hardware stamps";
	if ((info->rx_filters & 1U << HWTSTAMP_FILTER_ALL) == 0)
		return PTP_ONLY;
	return info->phc_index < 0 ? "no clock of its own (PHC)" : NULL;
}

static int64_t
ptp_ns(const struct ptp_clock_time *t)
{
	return (int64_t)t->sec * 1000000000 + t->nsec;
}

int
pace_nic_shortest(const struct ptp_sys_offset_extended *x)
{
	int64_t least = INT64_MAX;
	int best = -1;

	for (unsigned int i = 0; i < x->n_samples && i < PTP_MAX_SAMPLES; i++) {
		int64_t took = ptp_ns(&x->ts[i][2]) - ptp_ns(&x->ts[i][0]);

		/* set back meanwhile, the system's clock says nothing */
		if (took < 0 || took >= least)
			continue;
		least = took;
		best = (int)i;
	}
	return best;
}

int
pace_nic_read(const struct pace_nic *n, int64_t *phc_ns, int64_t *wall_ns)
{
	struct ptp_sys_offset_extended x = { .n_samples = READINGS };
	int64_t before, i;

	if (ioctl(n->clock, PTP_SYS_OFFSET_EXTENDED, &x) == -1)
		return -errno;
	i = pace_nic_shortest(&x);
	if (i < 0)
		return -EAGAIN;
	before = ptp_ns(&x.ts[i][0]);
	*phc_ns = ptp_ns(&x.ts[i][1]);
	*wall_ns = before + (ptp_ns(&x.ts[i][2]) - before) / 2;
	return 0;
}

/* --- asking it ----------------------------------------------------------------- */

static int
refuse(struct pace_err *err, int rc, const char *name, const char *why)
{
	return pace_failf(err, rc < 0 ? -rc : EOPNOTSUPP, "stamp", "%s: %s", name, why);
}

static bool
stamps_all(const struct hwtstamp_config *c)
{
	return c->tx_type == HWTSTAMP_TX_ON && c->rx_filter == HWTSTAMP_FILTER_ALL;
}

static int
open_clock(struct pace_nic *n, struct pace_err *err)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	const char *lacks = NULL;
	char path[32], why[96];
	int64_t phc, wall;

	if (pace_device_params(n->name, SIOCETHTOOL, &info) == 0)
		lacks = pace_nic_lacks(&info);
	else
		lacks = "does not say if it has hardware stamps";
	if (lacks != NULL)
		return refuse(err, 0, n->name, lacks);
	snprintf(path, sizeof(path), "/dev/ptp%d", info.phc_index);
	n->clock = open(path, O_RDONLY | O_CLOEXEC);
	if (n->clock == -1) {
		int rc = -errno;

		snprintf(why, sizeof(why), "its clock %s: %s", path, strerror(-rc));
		return refuse(err, rc, n->name, why);
	}
	if (pace_nic_read(n, &phc, &wall) == 0)
		return 0;
	snprintf(why, sizeof(why), "its clock %s cannot be read beside the system's", path);
	return refuse(err, 0, n->name, why);
}

/* Restore the setting that was found, unless another program has changed it. */
static void
restore(struct pace_nic *n)
{
	struct hwtstamp_config now = { .flags = 0 };

	if (n->changed && pace_device_params(n->name, SIOCGHWTSTAMP, &now) == 0 && stamps_all(&now))
		(void)pace_device_params(n->name, SIOCSHWTSTAMP, &n->found);
	n->changed = false;
}

static int
switch_on(struct pace_nic *n, struct pace_err *err)
{
	struct hwtstamp_config c = { .tx_type = HWTSTAMP_TX_ON,
	    .rx_filter = HWTSTAMP_FILTER_ALL }, back;
	int rc = pace_device_params(n->name, SIOCGHWTSTAMP, &n->found);

	if (rc < 0)
		return refuse(err, rc, n->name, "does not tell its setting, so that it could not "
		    "be put back");
	if (stamps_all(&n->found))
		return 0;
	rc = pace_device_params(n->name, SIOCSHWTSTAMP, &c);
	if (rc < 0)
		return refuse(err, rc, n->name, rc == -EPERM ? "no permission (CAP_NET_ADMIN)" :
		    rc == -ERANGE ? PTP_ONLY : strerror(-rc));
	n->changed = true;
	if (stamps_all(&c))
		return 0;
	back = n->found;		/* this one has another than was asked for */
	(void)pace_device_params(n->name, SIOCSHWTSTAMP, &back);
	return refuse(err, 0, n->name, c.rx_filter == HWTSTAMP_FILTER_ALL ?
	    "no hardware transmit stamps" : PTP_ONLY);
}

/* --- users of a device ------------------------------------------------------------ */

static void
free_nic(struct pace_nic *n)
{
	if (n->clock != -1)
		close(n->clock);
	free(n);
}

/* At exit, restore the devices that are still in use. */
static void
restore_all(void)
{
	pthread_mutex_lock(&lock);
	for (struct pace_nic *n = nics; n != NULL; n = n->next)
		restore(n);
	pthread_mutex_unlock(&lock);
}

static int
new_nic(struct pace_nic **out, const char *name, struct pace_err *err)
{
	static bool at_exit;
	struct pace_nic *n = calloc(1, sizeof(*n));
	int rc;

	if (n == NULL || (!at_exit && atexit(restore_all) != 0)) {
		free(n);
		return pace_fail(err, ENOMEM, "stamp");
	}
	at_exit = true;
	n->clock = -1;
	snprintf(n->name, sizeof(n->name), "%s", name);
	rc = open_clock(n, err);
	if (rc == 0)
		rc = switch_on(n, err);
	if (rc < 0) {
		free_nic(n);
		return rc;
	}
	n->next = nics;
	nics = *out = n;
	return 0;
}

int
pace_nic_take(struct pace_nic **n, const struct pace_addr *local, struct pace_err *err)
{
	char name[IFNAMSIZ];
	int rc = 0;

	*n = NULL;
	if (!pace_addr_device(local, name))
		return pace_failf(err, ENODEV, "stamp", "no device has the session's address");
	pthread_mutex_lock(&lock);
	for (struct pace_nic *i = nics; i != NULL; i = i->next)
		if (strcmp(i->name, name) == 0)
			*n = i;
	if (*n == NULL)
		rc = new_nic(n, name, err);
	if (rc == 0)
		(*n)->users++;
	pthread_mutex_unlock(&lock);
	return rc;
}

void
pace_nic_drop(struct pace_nic *n)
{
	if (n == NULL)
		return;
	pthread_mutex_lock(&lock);
	if (--n->users == 0) {
		struct pace_nic **at = &nics;

		while (*at != n)
			at = &(*at)->next;
		*at = n->next;
		restore(n);
		free_nic(n);
	}
	pthread_mutex_unlock(&lock);
}
