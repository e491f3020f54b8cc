/*
 * nicshim.c - a library to preload: gives a program's network device hardware stamps.
 *
 * Purpose    lets a program run as with a device that has hardware stamps and its own
 *            clock.  The stamps are the kernel's, converted to that clock: 37 s and
 *            12.3 ppm from the wall clock.
 * Use        LD_PRELOAD=nicshim.so UDPACE_NIC_STATE=FILE PROGRAM; the file has the
 *            device's setting, "TX_TYPE RX_FILTER", and is written at each change.
 *            UDPACE_NIC_MODE is
 *               all     it stamps every frame (the default)
 *               ptp     it says so, but stamps only PTP
 *               denied  its setting cannot be changed
 *               gaps    of every ten frames received, one has no device stamp
 * Device     of any name; it stamps only while both its setting and the socket's
 *            SO_TIMESTAMPING request it.
 * Limits     covers only the calls of udpace; not for two devices in one process.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

#include <linux/errqueue.h>	/* wants the system's timespec */
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/ptp_clock.h>
#include <linux/sockios.h>
#include <net/if.h>

#define FDS	1024
#define AHEAD	37000000000
#define PPM	12.3

static int (*next_open)(const char *, int, ...);
static int (*next_ioctl)(int, unsigned long, ...);
static int (*next_setsockopt)(int, int, int, const void *, socklen_t);
static int (*next_recvmmsg)(int, struct mmsghdr *, unsigned int, int, struct timespec *);
static ssize_t (*next_recvmsg)(int, struct msghdr *, int);
static ssize_t (*next_sendmsg)(int, const struct msghdr *, int);

static int64_t start_ns;
static _Atomic int clock_fd = -1;
static _Atomic bool wants[FDS];		/* sockets that asked for stamps of the device */
static _Atomic bool stamps;		/* what the setting is */
static _Atomic unsigned int frames;

static bool
mode(const char *name)
{
	const char *m = getenv("UDPACE_NIC_MODE");

	return m != NULL && strcmp(m, name) == 0;
}

/* --- its clock -------------------------------------------------------------- */

static int64_t
wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t
phc(int64_t ns)
{
	return ns + AHEAD + (int64_t)((double)(ns - start_ns) * PPM * 1e-6);
}

static void
put(struct ptp_clock_time *t, int64_t ns)
{
	t->sec = ns / 1000000000;
	t->nsec = (uint32_t)(ns % 1000000000);
}

static int
read_clock(struct ptp_sys_offset_extended *x)
{
	for (unsigned int i = 0; i < x->n_samples; i++) {
		int64_t before = wall(), now = wall();

		put(&x->ts[i][0], before);
		put(&x->ts[i][1], phc(now));
		put(&x->ts[i][2], wall());
	}
	return 0;
}

/* --- its setting -------------------------------------------------------------- */

static int
load(struct hwtstamp_config *c)
{
	FILE *f = fopen(getenv("UDPACE_NIC_STATE"), "re");

	memset(c, 0, sizeof(*c));
	if (f == NULL || fscanf(f, "%d %d", &c->tx_type, &c->rx_filter) != 2)
		abort();
	fclose(f);
	stamps = c->tx_type == HWTSTAMP_TX_ON && c->rx_filter == HWTSTAMP_FILTER_ALL;
	return 0;
}

static int
store(struct hwtstamp_config *c)
{
	FILE *f;

	if (mode("denied")) {
		errno = EPERM;
		return -1;
	}
	if (mode("ptp") && c->rx_filter == HWTSTAMP_FILTER_ALL)
		c->rx_filter = HWTSTAMP_FILTER_PTP_V2_L4_EVENT;
	f = fopen(getenv("UDPACE_NIC_STATE"), "we");
	if (f == NULL || fprintf(f, "%d %d\n", c->tx_type, c->rx_filter) < 0 || fclose(f) != 0)
		abort();
	return load(c);
}

static int
tell(struct ethtool_ts_info *info)
{
	info->so_timestamping = SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_TX_HARDWARE |
	    SOF_TIMESTAMPING_RAW_HARDWARE;
	info->phc_index = 7;
	info->tx_types = 1 << HWTSTAMP_TX_OFF | 1 << HWTSTAMP_TX_ON;
	info->rx_filters = 1 << HWTSTAMP_FILTER_NONE | 1 << HWTSTAMP_FILTER_ALL;
	return 0;
}

int
ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg, *data;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd == clock_fd && request == PTP_SYS_OFFSET_EXTENDED)
		return read_clock(arg);
	if (request != SIOCSHWTSTAMP && request != SIOCGHWTSTAMP && request != SIOCETHTOOL)
		return next_ioctl(fd, request, arg);
	data = ((struct ifreq *)arg)->ifr_data;
	if (request == SIOCSHWTSTAMP)
		return store(data);
	if (request == SIOCGHWTSTAMP)
		return load(data);
	return *(uint32_t *)data == ETHTOOL_GET_TS_INFO ? tell(data) :
	    next_ioctl(fd, request, arg);
}

static int
open_it(const char *path, int flags, int perm)
{
	if (strcmp(path, "/dev/ptp7") != 0)
		return next_open(path, flags, perm);
	clock_fd = next_open("/dev/null", flags);
	return clock_fd;
}

int
open(const char *path, int flags, ...)
{
	va_list ap;
	int perm;

	va_start(ap, flags);
	perm = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, int) : 0;
	va_end(ap);
	return open_it(path, flags, perm);
}

int
open64(const char *path, int flags, ...)
{
	va_list ap;
	int perm;

	va_start(ap, flags);
	perm = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, int) : 0;
	va_end(ap);
	return open_it(path, flags, perm);
}

/* --- its stamps ---------------------------------------------------------------- */

/* The kernel answers requests to the device if the device would answer. */
static uint32_t
by_kernel(uint32_t ask)
{
	if ((ask & SOF_TIMESTAMPING_TX_HARDWARE) == 0 || !stamps)
		return ask;
	return (ask & ~(uint32_t)SOF_TIMESTAMPING_TX_HARDWARE) | SOF_TIMESTAMPING_TX_SOFTWARE;
}

int
setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	uint32_t flags;

	if (level != SOL_SOCKET || name != SO_TIMESTAMPING || fd >= FDS)
		return next_setsockopt(fd, level, name, value, len);
	memcpy(&flags, value, sizeof(flags));
	wants[fd] = (flags & SOF_TIMESTAMPING_RX_HARDWARE) != 0 &&
	    (flags & SOF_TIMESTAMPING_RAW_HARDWARE) != 0;
	flags = by_kernel(flags);
	return next_setsockopt(fd, level, name, &flags, sizeof(flags));
}

/* departure: the device's stamp is all there is. */
static void
stamp(int fd, struct msghdr *m, bool departure)
{
	struct scm_timestamping st;
	int64_t ns;

	if (fd >= FDS || !wants[fd] || !stamps)
		return;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPING)
			continue;
		if (!departure && mode("gaps") && frames++ % 10 == 9)
			continue;
		memcpy(&st, CMSG_DATA(c), sizeof(st));
		ns = phc((int64_t)st.ts[0].tv_sec * 1000000000 + st.ts[0].tv_nsec);
		st.ts[2].tv_sec = (time_t)(ns / 1000000000);
		st.ts[2].tv_nsec = (long)(ns % 1000000000);
		if (departure)
			memset(&st.ts[0], 0, sizeof(st.ts[0]));
		memcpy(CMSG_DATA(c), &st, sizeof(st));
	}
}

int
recvmmsg(int fd, struct mmsghdr *v, unsigned int n, int flags, struct timespec *timeout)
{
	int got = next_recvmmsg(fd, v, n, flags, timeout);

	for (int i = 0; i < got; i++)
		stamp(fd, &v[i].msg_hdr, false);
	return got;
}

ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t got = next_recvmsg(fd, m, flags);

	if (got >= 0)
		stamp(fd, m, (flags & MSG_ERRQUEUE) != 0);
	return got;
}

ssize_t
sendmsg(int fd, const struct msghdr *m, int flags)
{
	struct msghdr own = *m;
	uint32_t ask;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&own); c != NULL; c = CMSG_NXTHDR(&own, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_TIMESTAMPING)
			continue;
		memcpy(&ask, CMSG_DATA(c), sizeof(ask));
		ask = by_kernel(ask);
		memcpy(CMSG_DATA(c), &ask, sizeof(ask));
	}
	return next_sendmsg(fd, &own, flags);
}

/* The type of a function cannot be had from a void pointer in ISO C. */
static void
find(void *fn, const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL)
		abort();
	memcpy(fn, &p, sizeof(p));
}

__attribute__((constructor)) static void
begin(void)
{
	struct hwtstamp_config c;

	find(&next_open, "open");
	find(&next_ioctl, "ioctl");
	find(&next_setsockopt, "setsockopt");
	find(&next_recvmmsg, "recvmmsg");
	find(&next_recvmsg, "recvmsg");
	find(&next_sendmsg, "sendmsg");
	start_ns = wall();
	if (getenv("UDPACE_NIC_STATE") == NULL)
		abort();
	(void)load(&c);
}
