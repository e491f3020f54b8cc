/*
 * Stamps of the device.  Its clock is a third one: pairs of it and the wall clock
 * become pairs of it and the probe clock by the socket's own map, and those make a
 * map of their own.
 */
#include "config.h"

#include "plat/sock_own.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "plat/addr.h"
#include "plat/clock.h"

#define PAIR_MIN_NS	5000000
#define PAIR_MAX_NS	100000000

/* False: the clock could not be read, or the wall clock was set meanwhile. */
static bool
add_pair(struct pace_sock *s)
{
	int64_t phc, wall;
	uint64_t steps;

	pace_sock_pair(s);
	steps = s->map.steps;
	if (pace_nic_read(s->nic, &phc, &wall) < 0)
		return false;
	pace_sock_pair(s);		/* wall lies between two pairs */
	if (s->map.steps != steps)
		return false;
	pace_clockmap_pair(&s->phc, phc, pace_clockmap_raw(&s->map, wall));
	if (s->phc.pairs == 1)
		s->phc_from_ns = s->phc.raw1;
	return true;
}

/* Readings are never carried on for longer than they reach back. */
void
pace_sock_pair_phc(struct pace_sock *s)
{
	int64_t reach = s->phc.raw1 - s->phc_from_ns, age = pace_clock_raw() - s->phc.raw1;

	if (reach > PAIR_MAX_NS)
		reach = PAIR_MAX_NS;
	if (s->phc_lost || age > (reach > PAIR_MIN_NS ? reach : PAIR_MIN_NS))
		s->phc_lost = !add_pair(s);
}

void
pace_sock_use_nic(struct pace_sock *s, struct pace_in *v, int n)
{
	pace_sock_pair_phc(s);
	for (int i = 0; i < n && !s->phc_lost; i++) {
		if (s->nic_ns[i] == 0)
			continue;
		v[i].stamp = PACE_STAMP_NIC;
		v[i].stamp_ns = pace_clockmap_raw(&s->phc, s->nic_ns[i]);
	}
}

int
pace_sock_stamps(void *ctx, bool nic, struct pace_err *err)
{
	struct pace_sock *s = ctx;

	if (nic == (s->nic != NULL))
		return 0;
	if (nic) {
		const struct pace_addr local = pace_sock_local(s);
		int rc = pace_nic_take(&s->nic, &local, err);

		if (rc < 0)
			return rc;
		pace_clockmap_reset(&s->phc);
		s->phc_lost = !add_pair(s);
		pace_sock_stamping(s->fd, true, true, false);	/* arrivals, wherever frames leave */
		pace_sock_stamp_all(s, false);
		return 0;
	}
	pace_nic_drop(s->nic);
	s->nic = NULL;
	pace_sock_stamping(s->fd, true, false, false);
	pace_sock_stamp_all(s, false);
	return 0;
}

int
pace_sock_take_nic(struct pace_nic **n, const struct pace_addr *peer, struct pace_err *err)
{
	struct sockaddr_in6 sa;
	socklen_t len = pace_addr_to_sa(peer, peer->family == 6, &sa);
	int fd = socket(peer->family == 6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pace_addr local;
	int rc = 0;

	*n = NULL;
	/* once connected it has an address */
	if (fd == -1 || connect(fd, (struct sockaddr *)&sa, len) == -1)
		rc = pace_fail(err, errno, "stamp");
	len = sizeof(sa);
	if (rc == 0 && getsockname(fd, (struct sockaddr *)&sa, &len) == -1)
		rc = pace_fail(err, errno, "stamp");
	if (fd != -1)
		close(fd);
	if (rc < 0)
		return rc;
	pace_addr_from_sa(&sa, &local);
	return pace_nic_take(n, &local, err);
}
