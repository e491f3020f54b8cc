#include "config.h"

#include "run/tx_capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/wire.h"
#include "core/wire_check.h"
#include "doc/params.h"
#include "doc/wire_check_doc.h"
#include "opt/opt.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/pcap.h"
#include "plat/thread.h"
#include "run/run_capture.h"
#include "stream/sender.h"

#define SNAP_BYTES	192		/* also for tags and the extension headers of IPv6 */
#define BATCH		1024
/* the ring delivers every tenth of a second */
#define SETTLE_NS	INT64_C(250000000)
#define LOOK_NS		INT64_C(5000000)
#define LATEST_NS	INT64_C(5000000000)	/* limit if the reader gets no processor */
#define FILTER_SIZE	256

struct pace_tx_capture {
	struct pace_pcap *pcap;
	enum pace_cap_link link;
	const char	*interface;
	pthread_t	thread;
	bool		started;
	_Atomic bool	stop;
	int		tid, core;	/* the sender's; core -1: not known */
	pthread_mutex_t	lock;		/* protects the members below; the sender takes it only
					 * between points */
	bool		expecting;
	uint64_t	session, size;
	uint8_t		run;
	bool		counts;		/* the frames are not udpace's: they are counted, by port */
	bool		failed;		/* the capture ended */
	int64_t		empty_ns;	/* start of the last read that found no frame */
	int		sender_core;	/* when expect was called */
	struct pace_pcap_drops drops, before;	/* now; at the start of the run */
	uint32_t	streams;	/* of the run, at most most */
	uint32_t	most;
	struct tx_stream *stream;
};

struct tx_stream {
	struct pace_wire_checking seen;
	uint16_t	port;		/* of frames that are counted; 0: none came yet */
	uint64_t	next;		/* number of the next one */
	uint64_t	*memory;	/* for the sequence numbers */
};

/* --- reading --------------------------------------------------------------------- */

/* The frames of our run in this datagram, and its header; 0: it belongs to something else. */
static uint64_t
frames_in(const struct pace_tx_capture *w, const struct pace_cap_datagram *d, struct pace_hdr *h)
{
	if (d->captured < PACE_DATA_SIZE && d->captured < d->length)
		return 0;
	if (pace_hdr_decode(h, d->payload, d->captured) != 0 || h->type != PACE_DATA ||
	    h->session != w->session || h->run != w->run || h->stream >= w->streams ||
	    d->length % w->size != 0)
		return 0;
	return d->length / w->size;
}

/* Frames of other formats are those of the run's size; the ports of the streams are learned.
 * NULL: it belongs to something else. */
static struct tx_stream *
stream_of(struct pace_tx_capture *w, const struct pace_cap_datagram *d)
{
	uint32_t i = 0;

	if (d->length == 0 || d->length % w->size != 0)
		return NULL;
	while (i < w->streams && w->stream[i].port != d->source_port && w->stream[i].port != 0)
		i++;
	return i < w->streams ? &w->stream[i] : NULL;
}

static void
count(struct pace_tx_capture *w, const struct pace_cap_datagram *d, int64_t now_ns)
{
	struct tx_stream *s = stream_of(w, d);
	uint64_t n = d->length / w->size;

	if (s == NULL)
		return;
	s->port = d->source_port;
	pace_wire_check_add(&s->seen, s->next, n, 0, now_ns);
	s->next += n;
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
	if (w->expecting && w->counts)
		count(w, &p.datagram, now_ns);
	n = w->expecting && !w->counts ? frames_in(w, &p.datagram, &h) : 0;
	if (n > 0)
		pace_wire_check_add(&w->stream[h.stream].seen, h.seq, n, h.tx_ns, now_ns);
	pthread_mutex_unlock(&w->lock);
}

static void *
read_all(void *ctx)
{
	struct pace_tx_capture *w = ctx;
	struct pace_err err = { .code = 0 };
	struct pace_pcap_drops drops;
	int n = 0, core;

	(void)pace_affinity_yield();
	while (n >= 0 && !w->stop) {
		int64_t began_ns = pace_clock_raw();

		n = pace_pcap_read(w->pcap, BATCH, take, w, &err);
		pace_pcap_drops(w->pcap, &drops);
		pthread_mutex_lock(&w->lock);
		w->drops = drops;
		w->failed = n < 0;
		if (n == 0)
			w->empty_ns = began_ns;
		core = w->sender_core;
		pthread_mutex_unlock(&w->lock);
		if (core >= 0 && core != w->core)
			(void)pace_affinity_keep_off(w->tid, core);
		w->core = core;
	}
	return NULL;
}

/* --- start and end ----------------------------------------------------------------- */

static int
tell(const struct pace_err *err)
{
	return pace_run_capture_complain(err, PACE_TX_CAPTURE_RIGHTS);
}

int
pace_tx_capture_open(struct pace_tx_capture **to, const char *interface)
{
	const struct pace_pcap_cfg cfg = { .interface = interface, .snap_bytes = SNAP_BYTES,
	    .buffer_bytes = PACE_TX_CAPTURE_BYTES };
	struct pace_tx_capture *w = calloc(1, sizeof(*w));
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

/* Only the first fragment of a datagram has ports, and in IPv6 another header stands before
 * them: the filter for fragmented IPv6 therefore has addresses only.  Each of several streams has a
 * port of its own, which is not known yet. */
static void
make_filter(const struct pace_peer *peer, bool several, char *to, size_t size)
{
	struct pace_addr local = pace_sock_local(&peer->sock), there = peer->addr;
	char from[64], dest[64];
	int n;

	local.scope = there.scope = 0;
	pace_addr_text(&local, from, sizeof(from));
	pace_addr_text(&there, dest, sizeof(dest));
	n = snprintf(to, size, "src host %s and dst host %s", from, dest);
	if (n > 0 && (size_t)n < size && !(peer->cfg.fragment && there.family == 6))
		n += snprintf(to + n, size - (size_t)n, " and udp dst port %u", there.port);
	if (n > 0 && (size_t)n < size && !(peer->cfg.fragment && there.family == 6) && !several)
		snprintf(to + n, size - (size_t)n, " and udp src port %u", local.port);
}

/* False: no memory. */
static bool
make_streams(struct pace_tx_capture *w, uint32_t n)
{
	w->stream = calloc(n, sizeof(*w->stream));
	if (w->stream == NULL)
		return false;
	for (; w->most < n; w->most++) {
		w->stream[w->most].memory = malloc(pace_seq_lean_memory(PACE_SEQ_WINDOW));
		if (w->stream[w->most].memory == NULL)
			return false;
	}
	return true;
}

int
pace_tx_capture_begin(struct pace_tx_capture *w, const struct pace_peer *peer, uint32_t streams)
{
	char filter[FILTER_SIZE];
	struct pace_err err = { .code = ENOMEM };

	if (!make_streams(w, streams))
		return tell(&err);
	make_filter(peer, streams > 1, filter, sizeof(filter));
	if (pace_pcap_begin(w->pcap, filter, &err) < 0)
		return tell(&err);
	w->link = pace_pcap_link(w->pcap);
	err.code = -pace_thread_start(&w->thread, read_all, w);	/* only the sender handles
								 * signals */
	w->started = err.code == 0;
	return w->started ? PACE_EXIT_OK : tell(&err);
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
	for (uint32_t i = 0; i < w->most; i++)
		free(w->stream[i].memory);
	free(w->stream);
	free(w);
}

/* --- a point -------------------------------------------------------------------------- */

void
pace_tx_capture_expect(struct pace_tx_capture *w, const struct pace_client *c,
    const struct pace_params *ask)
{
	pthread_mutex_lock(&w->lock);
	w->streams = pace_params_streams(ask);
	w->counts = c->framing != NULL;
	for (uint32_t i = 0; i < w->streams; i++) {
		w->stream[i].port = 0;
		w->stream[i].next = 0;
		pace_wire_check_begin(&w->stream[i].seen, w->streams, pace_sender_limit(ask),
		    ask->train, ask->bursts > 1 ? ask->count : 0, w->stream[i].memory);
		w->stream[i].seen.untimed = w->counts;
	}
	w->session = c->session;
	w->run = (uint8_t)(c->run + 1);
	w->size = ask->size_bytes;
	w->before = w->drops;
	w->sender_core = pace_affinity_here(NULL);
	w->expecting = true;
	pthread_mutex_unlock(&w->lock);
}

/* Return the frames seen, of all streams. */
static uint64_t
frames_seen(const struct pace_tx_capture *w)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < w->streams; i++)
		n += w->stream[i].seen.w.frames;
	return n;
}

void
pace_tx_capture_take(struct pace_tx_capture *w, struct pace_point *pt)
{
	int64_t now = pace_clock_raw(), end = now + LATEST_NS;
	bool all;

	/* Stop when all frames are there, or when a read that began late enough found none.  A
	 * reader that got no processor proves nothing about the wire. */
	pthread_mutex_lock(&w->lock);
	while (!(all = w->failed || frames_seen(w) >= pt->tx.frames ||
	    w->empty_ns - now > SETTLE_NS) && pace_clock_raw() < end) {
		pthread_mutex_unlock(&w->lock);
		(void)pace_clock_wait_until(pace_clock_raw() + LOOK_NS, 0, NULL, NULL);
		pthread_mutex_lock(&w->lock);
	}
	w->expecting = false;
	pt->wire = w->stream[0].seen.w;
	for (uint32_t i = 1; i < w->streams; i++)
		pace_wire_check_merge(&pt->wire, &w->stream[i].seen.w);
	pt->wire.complete = all && !w->failed;
	pt->wire.has_drops = w->drops.known;
	pt->wire.dropped = w->drops.kernel - w->before.kernel;
	pt->wire.interface_dropped = w->drops.interface - w->before.interface;
	pthread_mutex_unlock(&w->lock);
	snprintf(pt->wire.interface, sizeof(pt->wire.interface), "%s", w->interface);
	pt->has_wire = true;
	pace_wire_check_notes(&pt->notes, pt);
}
