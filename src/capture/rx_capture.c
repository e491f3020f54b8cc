#include "config.h"

#include "capture/rx_capture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/wire.h"
#include "opt/opt.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/pcap.h"
#include "plat/private.h"
#include "run/peer.h"

#define SNAP_BYTES	192		/* the headers, tags and extensions of IPv6 too */
#define BATCH		256		/* the lock is free between two */
#define SETTLE_NS	INT64_C(250000000)	/* the ring gives what it has each tenth of a second */
#define OPEN_NS		INT64_C(300000000)	/* until the reader has opened the filter */

/* A stream that is looked for. */
struct pace_rx_captured {
	struct pace_rx_capture_params ask;
	uint64_t	before, before_interface;	/* dropped until it began */
	bool		failed;
	int		tid, core;	/* who receives it, and where */
	struct pace_wire_checking seen;
	void		*memory;	/* of the numbers */
	int64_t		*times;		/* and of when they were seen */
};

struct pace_tapping {
	struct pace_rx_capture_hook	tap;
	struct pace_pcap *pcap;
	enum pace_cap_link link;
	char		interface[64];	/* as clients are told it */
	pthread_t	thread;
	bool		started;
	pthread_mutex_t	lock;		/* for what follows */
	pthread_cond_t	wanted;		/* somebody asks, or it ends */
	pthread_cond_t	opened;		/* the filter lets frames pass, or cannot be opened */
	bool		stop, open, failed;
	int		users;
	struct pace_rx_captured *rx_captured[PACE_RX_CAPTURES_MAX];	/* NULL: free */
	int64_t		newest_ns;	/* stamp of the newest frame, wall clock */
	int64_t		seen_ns;	/* what came until then has been read, probe clock */
	struct pace_pcap_drops drops;
};

/* --- reading: in the thread of its own --------------------------------------------------- */

static bool
is_from(const struct pace_rx_capture_params *a, const struct pace_cap_packet *p)
{
	return p->ip == a->from.family && p->datagram.source_port == a->from.port &&
	    memcmp(p->source, a->from.ip, a->from.family == 4 ? 4 : 16) == 0;
}

/* With the lock. */
static void
give(struct pace_rx_captured *t, const struct pace_cap_packet *p, const struct pace_hdr *h,
    int64_t now_ns)
{
	const struct pace_rx_capture_params *a = &t->ask;
	const struct pace_cap_datagram *d = &p->datagram;

	if (h->session == a->session && h->stream == a->stream && is_from(a, p) &&
	    d->length > 0 && d->length % a->size_bytes == 0)
		pace_wire_check_arrive(&t->seen, h->seq, d->length / a->size_bytes, h->tx_ns, now_ns);
}

static void
take(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_tapping *t = ctx;
	struct pace_cap_packet p;
	struct pace_hdr h;

	if (pace_cap_packet(&p, t->link, f) != PACE_CAP_UDP || (p.datagram.captured <
	    PACE_DATA_SIZE && p.datagram.captured < p.datagram.length) ||
	    pace_hdr_decode(&h, p.datagram.payload, p.datagram.captured) != 0 ||
	    h.type != PACE_DATA)
		return;
	pthread_mutex_lock(&t->lock);
	t->newest_ns = now_ns;
	for (int i = 0; i < PACE_RX_CAPTURES_MAX; i++)
		if (t->rx_captured[i] != NULL)
			give(t->rx_captured[i], &p, &h, now_ns);
	pthread_mutex_unlock(&t->lock);
}

/* All that are there miss something now. */
static void
fail_all(struct pace_tapping *t)
{
	t->failed = true;
	for (int i = 0; i < PACE_RX_CAPTURES_MAX; i++)
		if (t->rx_captured[i] != NULL)
			t->rx_captured[i]->failed = true;
}

/* The newest that receives knows best where that is; with the lock. */
static void
find_core(const struct pace_tapping *t, int *tid, int *core)
{
	for (int i = 0; i < PACE_RX_CAPTURES_MAX; i++)
		if (t->rx_captured[i] != NULL) {
			*tid = t->rx_captured[i]->tid;
			*core = t->rx_captured[i]->core;
		}
}

/* Without the lock.  What is left in the ring is read later, and is nobody's. */
static bool
set_open(struct pace_tapping *t, bool open)
{
	struct pace_err err;

	return pace_pcap_hold(t->pcap, !open, &err) == 0;
}

/* How far a look that began then has come: where frames of others never end, as far as the
 * newest one's stamp.  With the lock. */
static void
note_seen(struct pace_tapping *t, int n, int64_t began_ns)
{
	struct timespec wall;
	int64_t age_ns;

	if (n < 0)
		return;
	if (n == 0) {
		t->seen_ns = began_ns;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &wall);
	age_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - t->newest_ns;
	if (t->newest_ns > 0 && age_ns >= 0 && pace_clock_raw() - age_ns > t->seen_ns)
		t->seen_ns = pace_clock_raw() - age_ns;
}

/* One look; the lock is held before and after. */
static void
look(struct pace_tapping *t, int *core)
{
	struct pace_pcap_drops drops;
	struct pace_err err;
	int64_t began_ns;
	int tid = 0, at = *core, n;

	find_core(t, &tid, &at);
	pthread_mutex_unlock(&t->lock);
	if (at >= 0 && at != *core)
		(void)pace_affinity_keep_off(tid, at);
	*core = at;
	began_ns = pace_clock_raw();
	n = pace_pcap_read(t->pcap, BATCH, take, t, &err);
	pace_pcap_drops(t->pcap, &drops);
	pthread_mutex_lock(&t->lock);
	t->drops = drops;
	note_seen(t, n, began_ns);
	if (n < 0)
		fail_all(t);
}

/* The filter is opened or closed as somebody asks or nobody; with the lock. */
static void
turn(struct pace_tapping *t)
{
	bool open = t->users > 0, done;

	pthread_mutex_unlock(&t->lock);
	done = set_open(t, open);
	pthread_mutex_lock(&t->lock);
	t->open = open && done;
	if (!done)
		fail_all(t);
	pthread_cond_broadcast(&t->opened);
}

static void *
read_all(void *ctx)
{
	struct pace_tapping *t = ctx;
	int core = -1;

	(void)pace_affinity_yield();
	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		if (t->users == 0)
			t->failed = false;	/* the next one tries again */
		if (!t->failed && (t->users > 0) != t->open)
			turn(t);
		else if (t->users > 0 && !t->failed)
			look(t, &core);
		else
			pthread_cond_wait(&t->wanted, &t->lock);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* --- what sessions ask ------------------------------------------------------------------------ */

static void
free_tapped(struct pace_rx_captured *d)
{
	if (d == NULL)
		return;
	free(d->memory);
	free(d->times);
	free(d);
}

static struct pace_rx_captured *
new_tapped(const struct pace_rx_capture_params *a)
{
	uint64_t n = a->limit < PACE_WIRE_CHECK_ROOM ? a->limit : PACE_WIRE_CHECK_ROOM;
	struct pace_rx_captured *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->ask = *a;
	d->memory = malloc(pace_seq_memory(PACE_SEQ_WINDOW));
	d->times = calloc(n, sizeof(*d->times));
	if (d->memory == NULL || d->times == NULL) {
		free_tapped(d);
		return NULL;
	}
	d->core = pace_affinity_here(&d->tid);
	pace_wire_check_begin(&d->seen, a->limit, a->train, a->burst, d->memory);
	pace_wire_check_times(&d->seen, d->times, n);
	return d;
}

/* With the lock, for a moment without it: is it open now? */
static bool
wait_open(struct pace_tapping *t)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += OPEN_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	while (!t->open && !t->failed &&
	    pthread_cond_timedwait(&t->opened, &t->lock, &until) == 0)
		;
	return t->open && !t->failed;
}

/* A place; with the lock. */
static enum pace_capture_answer
enter(struct pace_tapping *t, struct pace_rx_captured *d)
{
	int i = 0;

	while (i < PACE_RX_CAPTURES_MAX && t->rx_captured[i] != NULL)
		i++;
	if (i == PACE_RX_CAPTURES_MAX)
		return PACE_CAPTURE_ROOM;
	t->rx_captured[i] = d;
	t->users++;
	pthread_cond_signal(&t->wanted);
	if (!wait_open(t)) {
		t->rx_captured[i] = NULL;
		t->users--;
		pthread_cond_signal(&t->wanted);
		return PACE_CAPTURE_FAILED;
	}
	d->before = t->drops.kernel;
	d->before_interface = t->drops.interface;
	return PACE_CAPTURE_GRANTED;
}

static enum pace_capture_answer
begin(void *ctx, const struct pace_rx_capture_params *a, struct pace_rx_captured **to)
{
	struct pace_tapping *t = ctx;
	struct pace_rx_captured *d = new_tapped(a);
	enum pace_capture_answer said;

	if (d == NULL)
		return PACE_CAPTURE_ROOM;
	pthread_mutex_lock(&t->lock);
	said = enter(t, d);
	pthread_mutex_unlock(&t->lock);
	if (said == PACE_CAPTURE_GRANTED)
		*to = d;
	else
		free_tapped(d);
	return said;
}

/* Or all was seen until late enough behind it. */
static bool
settled(void *ctx, struct pace_rx_captured *d, uint64_t sent, int64_t since_ns)
{
	struct pace_tapping *t = ctx;
	bool all;

	pthread_mutex_lock(&t->lock);
	all = d->failed || d->seen.w.frames >= sent || t->seen_ns - since_ns > SETTLE_NS;
	pthread_mutex_unlock(&t->lock);
	return all;
}

/* With the lock: the reader does not know it any more. */
static void
leave(struct pace_tapping *t, const struct pace_rx_captured *d)
{
	for (int i = 0; i < PACE_RX_CAPTURES_MAX; i++)
		if (t->rx_captured[i] == d)
			t->rx_captured[i] = NULL;
	t->users--;
	pthread_cond_signal(&t->wanted);
}

static void
end(void *ctx, struct pace_rx_captured *d, struct pace_wire_check *w, const int64_t *stamps, uint64_t n)
{
	struct pace_tapping *t = ctx;
	struct pace_pcap_drops drops;

	pthread_mutex_lock(&t->lock);
	leave(t, d);
	drops = t->drops;
	pthread_mutex_unlock(&t->lock);
	if (w != NULL) {
		pace_wire_check_compare(&d->seen, stamps, n);
		*w = d->seen.w;
		snprintf(w->interface, sizeof(w->interface), "%s", t->interface);
		w->whole = !d->failed;
		w->has_drops = drops.known;
		w->dropped = drops.kernel - d->before;
		w->interface_dropped = drops.interface - d->before_interface;
	}
	free_tapped(d);
}

/* --- the beginning and the end ------------------------------------------------------------- */

static int
tell(const struct pace_err *err)
{
	pace_complain("--capture: %s", pace_err_why(err));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build it again, or leave --capture out");
	else if (err->code == EPERM)
		pace_hint("start it as root with --user NAME, or give its service CAP_NET_RAW");
	else if (err->code == ENODEV)
		pace_hint("ip address says which interface has which address; any: all of them");
	return PACE_EXIT_NO_RESULT;
}

int
pace_tapping_open(struct pace_tapping **to, const char *interface, int buffer_bytes)
{
	const struct pace_pcap_cfg cfg = { .interface = interface, .snap_bytes = SNAP_BYTES,
	    .buffer_bytes = buffer_bytes };
	struct pace_tapping *t = calloc(1, sizeof(*t));
	struct pace_err err = { .code = ENOMEM };

	*to = t;
	if (t == NULL)
		return tell(&err);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wanted, NULL);
	pthread_cond_init(&t->opened, NULL);
	t->tap = (struct pace_rx_capture_hook){ .ctx = t, .begin = begin, .settled = settled, .end = end };
	snprintf(t->interface, sizeof(t->interface), "%s", interface);
	pace_private_names(t->interface);
	return pace_pcap_open(&t->pcap, &cfg, &err) < 0 ? tell(&err) : PACE_EXIT_OK;
}

/* Fragments have no ports but in the first, and IPv6 puts another header before these. */
int
pace_tapping_aim(struct pace_tapping *t, uint16_t port)
{
	char filter[64];
	struct pace_err err = { .code = 0 };

	snprintf(filter, sizeof(filter), "udp dst port %u or (ip6 and ip6[6] == 44)", port);
	if (pace_pcap_begin(t->pcap, filter, &err) < 0 || pace_pcap_hold(t->pcap, true, &err) < 0)
		return tell(&err);
	t->link = pace_pcap_link(t->pcap);
	return PACE_EXIT_OK;
}

/* Signals are for the main thread. */
int
pace_tapping_start(struct pace_tapping *t)
{
	struct pace_err err = { .code = 0 };
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&t->thread, NULL, read_all, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	t->started = rc == 0;
	err.code = rc;
	return rc == 0 ? PACE_EXIT_OK : tell(&err);
}

void
pace_tapping_close(struct pace_tapping *t)
{
	if (t == NULL)
		return;
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_signal(&t->wanted);
	pthread_mutex_unlock(&t->lock);
	if (t->started)
		pthread_join(t->thread, NULL);
	pace_pcap_close(t->pcap);
	pthread_cond_destroy(&t->wanted);
	pthread_cond_destroy(&t->opened);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

const struct pace_rx_capture_hook *
pace_rx_capture_hook(const struct pace_tapping *t)
{
	return t != NULL ? &t->tap : NULL;
}
