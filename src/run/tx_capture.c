#include "config.h"

#include "run/tx_capture.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/wire.h"
#include "core/wire_check.h"
#include "doc/wire_check_doc.h"
#include "opt/opt.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/pcap.h"
#include "run/stop.h"
#include "stream/sender.h"

#define SNAP_BYTES	192		/* the headers, tags and extensions of IPv6 too */
#define BUFFER_BYTES	(64 << 20)
#define BATCH		1024
#define SETTLE_NS	INT64_C(250000000)	/* the ring gives what it has each tenth of a second */
#define LOOK_NS		INT64_C(5000000)
#define LATEST_NS	INT64_C(5000000000)	/* where the reader has no processor */
#define FILTER_SIZE	256

struct pace_tx_capture {
	struct pace_pcap *pcap;
	enum pace_cap_link link;
	const char	*interface;
	pthread_t	thread;
	bool		started;
	_Atomic bool	stop;
	int		tid, core;	/* the sender's; core -1: not known */
	pthread_mutex_t	lock;		/* for what follows; the sender has it between points only */
	bool		expecting;
	uint64_t	session, size;
	uint8_t		stream;
	bool		failed;		/* the capture ended */
	int64_t		empty_ns;	/* when the last look began that found nothing */
	int		sender_core;	/* as expect found it */
	struct pace_pcap_drops drops, before;	/* now; when the run began */
	struct pace_wire_checking seen;
	uint64_t	memory[];	/* of the numbers */
};

/* --- reading --------------------------------------------------------------------- */

/* Ours, of this run?  What the header says, and how many frames came in it. */
static uint64_t
frames_in(const struct pace_tx_capture *w, const struct pace_cap_datagram *d, struct pace_hdr *h)
{
	if (d->captured < PACE_DATA_SIZE && d->captured < d->length)
		return 0;
	if (pace_hdr_decode(h, d->payload, d->captured) != 0 || h->type != PACE_DATA ||
	    h->session != w->session || h->stream != w->stream || d->length % w->size != 0)
		return 0;
	return d->length / w->size;
}

static void
take(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_tx_capture *w = ctx;
	struct pace_cap_packet p;
	struct pace_hdr h;
	uint64_t n;

	if (pace_cap_packet(&p, w->link, f) != PACE_CAP_UDP)
		return;
	pthread_mutex_lock(&w->lock);
	n = w->expecting ? frames_in(w, &p.datagram, &h) : 0;
	if (n > 0)
		pace_wire_check_add(&w->seen, h.seq, n, h.tx_ns, now_ns);
	pthread_mutex_unlock(&w->lock);
}

/* How far a look that began then has come; the sender's core now. */
static int
note_round(struct pace_tx_capture *w, int n, int64_t began_ns)
{
	struct pace_pcap_drops drops;
	int core;

	pace_pcap_drops(w->pcap, &drops);
	pthread_mutex_lock(&w->lock);
	w->drops = drops;
	w->failed = n < 0;
	if (n == 0)
		w->empty_ns = began_ns;
	core = w->sender_core;
	pthread_mutex_unlock(&w->lock);
	return core;
}

static void *
read_all(void *ctx)
{
	struct pace_tx_capture *w = ctx;
	struct pace_err err = { .code = 0 };
	int n = 0, core;

	(void)pace_affinity_yield();
	while (n >= 0 && !w->stop) {
		int64_t began_ns = pace_clock_raw();

		n = pace_pcap_read(w->pcap, BATCH, take, w, &err);
		core = note_round(w, n, began_ns);
		if (core >= 0 && core != w->core)
			(void)pace_affinity_keep_off(w->tid, core);
		w->core = core;
	}
	return NULL;
}

/* --- the beginning and the end ----------------------------------------------------- */

static int
tell(const struct pace_err *err)
{
	pace_complain("--capture: %s", pace_err_why(err));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build it again, or leave --capture out");
	else if (err->code == EPERM)
		pace_hint("without --capture no rights are needed");
	else if (err->code == ENODEV)
		pace_hint("ip route get ADDRESS says by which interface frames leave; any: all of them");
	return PACE_EXIT_NO_RESULT;
}

int
pace_tx_capture_open(struct pace_tx_capture **to, const char *interface)
{
	const struct pace_pcap_cfg cfg = { .interface = interface, .snap_bytes = SNAP_BYTES,
	    .buffer_bytes = BUFFER_BYTES };
	struct pace_tx_capture *w = calloc(1, sizeof(*w) + pace_seq_memory(PACE_SEQ_WINDOW));
	struct pace_err err = { .code = ENOMEM };

	*to = w;
	if (w == NULL)
		return tell(&err);
	pthread_mutex_init(&w->lock, NULL);
	w->interface = interface;
	w->core = w->sender_core = -1;
	(void)pace_affinity_here(&w->tid);
	if (pace_pcap_open(&w->pcap, &cfg, &err) < 0)
		return tell(&err);
	if (pace_pcap_notice(w->pcap)[0] != '\0')
		fprintf(stderr, "--capture: %s\n", pace_pcap_notice(w->pcap));
	return PACE_EXIT_OK;
}

/* Fragments have no ports but in the first, and IPv6 puts another header before these. */
static void
make_filter(const struct pace_peer *peer, char *to, size_t size)
{
	struct pace_addr local = pace_sock_local(&peer->sock), there = peer->addr;
	char from[64], dest[64];
	int n;

	local.scope = there.scope = 0;
	pace_addr_text(&local, from, sizeof(from));
	pace_addr_text(&there, dest, sizeof(dest));
	n = snprintf(to, size, "src host %s and dst host %s", from, dest);
	if (n > 0 && (size_t)n < size && !(peer->cfg.fragment && there.family == 6))
		snprintf(to + n, size - (size_t)n, " and udp src port %u and udp dst port %u",
		    local.port, there.port);
}

/* Signals are the sender's. */
static int
start(struct pace_tx_capture *w)
{
	sigset_t all, old;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, NULL, read_all, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->started = rc == 0;
	return rc;
}

int
pace_tx_capture_begin(struct pace_tx_capture *w, const struct pace_peer *peer)
{
	char filter[FILTER_SIZE];
	struct pace_err err = { .code = 0 };
	int rc;

	make_filter(peer, filter, sizeof(filter));
	if (pace_pcap_begin(w->pcap, filter, &err) < 0)
		return tell(&err);
	w->link = pace_pcap_link(w->pcap);
	rc = start(w);
	if (rc == 0)
		return PACE_EXIT_OK;
	err = (struct pace_err){ .code = rc };
	return tell(&err);
}

void
pace_tx_capture_close(struct pace_tx_capture *w)
{
	if (w == NULL)
		return;
	w->stop = true;
	if (w->started)
		pthread_join(w->thread, NULL);
	pace_pcap_close(w->pcap);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- a point -------------------------------------------------------------------------- */

void
pace_tx_capture_expect(struct pace_tx_capture *w, const struct pace_client *c,
    const struct pace_params *ask)
{
	pthread_mutex_lock(&w->lock);
	pace_wire_check_begin(&w->seen, pace_sender_limit(ask), ask->train,
	    ask->bursts > 1 ? ask->count : 0, w->memory);
	w->session = c->session;
	w->stream = (uint8_t)(c->stream + 1);
	w->size = ask->size_bytes;
	w->before = w->drops;
	w->sender_core = pace_affinity_here(NULL);
	w->expecting = true;
	pthread_mutex_unlock(&w->lock);
}

/* Or nothing was there in a look that began late enough: that the reader has had no
 * processor says nothing of the wire. */
static bool
has_all(struct pace_tx_capture *w, uint64_t sent, int64_t since_ns)
{
	bool all;

	pthread_mutex_lock(&w->lock);
	all = w->failed || w->seen.w.frames >= sent || w->empty_ns - since_ns > SETTLE_NS;
	pthread_mutex_unlock(&w->lock);
	return all;
}

void
pace_tx_capture_take(struct pace_tx_capture *w, struct pace_point *pt)
{
	int64_t now = pace_clock_raw(), end = now + LATEST_NS;
	bool all;

	while (!(all = has_all(w, pt->tx.frames, now)) && pace_clock_raw() < end)
		(void)pace_clock_wait_until(pace_clock_raw() + LOOK_NS, 0, NULL, NULL);
	pthread_mutex_lock(&w->lock);
	w->expecting = false;
	pt->wire = w->seen.w;
	pt->wire.whole = all && !w->failed;
	pt->wire.has_drops = w->drops.known;
	pt->wire.dropped = w->drops.kernel - w->before.kernel;
	pt->wire.interface_dropped = w->drops.interface - w->before.interface;
	pthread_mutex_unlock(&w->lock);
	snprintf(pt->wire.interface, sizeof(pt->wire.interface), "%s", w->interface);
	pt->has_wire = true;
	pace_wire_check_notes(&pt->notes, &pt->wire, pt->tx.frames);
}
