#include "config.h"

#include "run/run_capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/wire.h"
#include "opt/opt.h"
#include "plat/addr.h"
#include "plat/affinity.h"
#include "plat/clock.h"
#include "plat/pcap.h"
#include "plat/private.h"
#include "plat/thread.h"

#define SNAP_BYTES	192		/* the headers, also with tags and IPv6 extensions */
#define BATCH		256		/* frames; then the lock is free for a moment */
/* the ring delivers its frames every tenth of a second */
#define SETTLE_NS	INT64_C(250000000)
#define OPEN_NS		INT64_C(1000000000)	/* wait for the reader, of low priority, to open the filter */

/* A stream being captured, with the others of its run. */
struct pace_captured_stream {
	struct pace_capture_request ask;
	uint64_t	before, before_interface;	/* dropped before it began */
	bool		failed;
	bool		settled;	/* all that passed was read */
	int		tid, core;	/* thread that runs it, and its core */
	struct pace_wire_checking seen;
	void		*memory;	/* for the numbers */
	int64_t		*times;		/* and for the times of their frames */
};

struct pace_run_capture {
	struct pace_capture_hook	tap;
	struct pace_pcap *pcap;
	enum pace_cap_link link;
	char		interface[64];	/* as reported to clients */
	const char	*rights;	/* how to get them, for a message */
	pthread_t	thread;
	bool		started;
	pthread_mutex_t	lock;		/* for the members below */
	pthread_cond_t	wanted;		/* a session requests a capture, or it ends */
	pthread_cond_t	opened;		/* the filter passes frames, or opening it failed */
	bool		stop, open, failed;
	int		users;
	struct tapped_run {
		uint64_t session;
		uint8_t	run, type;
		int	streams;	/* that are captured; 0: free */
		struct pace_captured_stream *stream[PACE_STREAMS];
	} runs[PACE_RUN_CAPTURES_MAX];
	int64_t		newest_ns;	/* stamp of the newest frame, wall clock */
	int64_t		seen_ns;	/* everything until then has been read, probe clock */
	struct pace_pcap_drops drops;
};

/* --- reading, in its own thread ----------------------------------------------------------- */

static void
take_frame(struct pace_captured_stream *c, const struct pace_cap_packet *p, const struct pace_hdr *h,
    int64_t now_ns)
{
	const struct pace_capture_request *a = &c->ask;
	const struct pace_cap_datagram *d = &p->datagram;
	const uint8_t *ip = a->departs ? p->dest : p->source;
	uint16_t port = a->departs ? d->dest_port : d->source_port;

	if (p->ip != a->peer.family || port != a->peer.port ||
	    memcmp(ip, a->peer.ip, a->peer.family == 4 ? 4 : 16) != 0 ||
	    d->length == 0 || d->length % a->size_bytes != 0)
		return;
	if (a->departs)
		pace_wire_check_add(&c->seen, h->seq, d->length / a->size_bytes, h->tx_ns,
		    now_ns);
	else
		pace_wire_check_arrive(&c->seen, h->seq, d->length / a->size_bytes, h->tx_ns,
		    now_ns);
}

static void
take(void *ctx, const struct pace_cap_frame *f, int64_t now_ns)
{
	struct pace_run_capture *t = ctx;
	struct pace_cap_packet p;
	struct pace_hdr h;

	t->newest_ns = now_ns;		/* by a frame of any kind */
	if (pace_cap_packet(&p, t->link, f) != PACE_CAP_UDP || (p.datagram.captured <
	    PACE_DATA_SIZE && p.datagram.captured < p.datagram.length) ||
	    pace_hdr_decode(&h, p.datagram.payload, p.datagram.captured) != 0 ||
	    (h.type != PACE_DATA && h.type != PACE_FRAME_DOWN))
		return;
	pthread_mutex_lock(&t->lock);
	for (int i = 0; i < PACE_RUN_CAPTURES_MAX; i++) {
		const struct tapped_run *r = &t->runs[i];

		if (r->streams > 0 && r->session == h.session && r->run == h.run &&
		    r->type == h.type && r->stream[h.stream] != NULL)
			take_frame(r->stream[h.stream], &p, &h, now_ns);
	}
	pthread_mutex_unlock(&t->lock);
}

/* Every current stream misses frames now. */
static void
fail_all(struct pace_run_capture *t)
{
	t->failed = true;
	for (int i = 0; i < PACE_RUN_CAPTURES_MAX; i++)
		for (int k = 0; t->runs[i].streams > 0 && k < PACE_STREAMS; k++)
			if (t->runs[i].stream[k] != NULL)
				t->runs[i].stream[k]->failed = true;
}

/* Update seen_ns after a look that began at began_ns.  If frames of other clients never end, use
 * the newest frame's stamp.  With the lock. */
static void
note_seen(struct pace_run_capture *t, int n, int64_t began_ns)
{
	int64_t age_ns;

	if (n < 0)
		return;
	if (n == 0) {
		t->seen_ns = began_ns;
		return;
	}
	age_ns = pace_clock_wall() - t->newest_ns;
	if (t->newest_ns > 0 && age_ns >= 0 && pace_clock_raw() - age_ns > t->seen_ns)
		t->seen_ns = pace_clock_raw() - age_ns;
}

/* Read one batch; the lock is held before and after. */
static void
look(struct pace_run_capture *t, int *core)
{
	struct pace_pcap_drops drops;
	struct pace_err err;
	int64_t began_ns;
	int tid = 0, at = *core, n;

	/* Stay off the core of a run; with the lock. */
	for (int i = 0; i < PACE_RUN_CAPTURES_MAX; i++)
		if (t->runs[i].streams > 0 && t->runs[i].stream[0] != NULL) {
			tid = t->runs[i].stream[0]->tid;
			at = t->runs[i].stream[0]->core;
		}
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

static void *
read_all(void *ctx)
{
	struct pace_run_capture *t = ctx;
	int core = -1;

	(void)pace_affinity_yield();
	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		if (t->users == 0)
			t->failed = false;	/* the next request tries again */
		if (!t->failed && (t->users > 0) != t->open) {
			bool open, done;
			struct pace_err err;

			/* The filter is open while there is a request.  Frames left in the ring
			 * are read later, and belong to no stream. */
			open = t->users > 0;
			pthread_mutex_unlock(&t->lock);
			done = pace_pcap_hold(t->pcap, !open, &err) == 0;
			pthread_mutex_lock(&t->lock);
			t->open = open && done;
			if (!done)
				fail_all(t);
			pthread_cond_broadcast(&t->opened);
		} else if (t->users > 0 && !t->failed) {
			look(t, &core);
		} else {
			pthread_cond_wait(&t->wanted, &t->lock);
		}
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* --- calls of sessions ------------------------------------------------------------------------ */

static void
free_tapped(struct pace_captured_stream *d)
{
	if (d == NULL)
		return;
	free(d->memory);
	free(d->times);
	free(d);
}

static struct pace_captured_stream *
new_tapped(const struct pace_capture_request *a)
{
	uint64_t n = pace_wire_check_room(a->limit, a->streams);
	struct pace_captured_stream *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return NULL;
	d->ask = *a;
	d->memory = malloc(pace_seq_lean_memory(pace_seq_window(a->streams)));
	if (!a->departs)
		d->times = calloc(n, sizeof(*d->times));
	if (d->memory == NULL || (d->times == NULL && !a->departs)) {
		free_tapped(d);
		return NULL;
	}
	d->core = pace_affinity_here(&d->tid);
	pace_wire_check_begin(&d->seen, a->streams, a->limit, a->train, a->burst, d->memory);
	if (d->times != NULL)
		pace_wire_check_times(&d->seen, d->times, n);
	return d;
}

/* Wait until the filter is open; false: it is not.  With the lock, which is free meanwhile. */
static bool
wait_open(struct pace_run_capture *t)
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

/* Return the run of a stream, or a free place for it; NULL: there is none. */
static struct tapped_run *
run_of(struct pace_run_capture *t, const struct pace_capture_request *a)
{
	struct tapped_run *none = NULL;

	for (int i = 0; i < PACE_RUN_CAPTURES_MAX; i++) {
		struct tapped_run *r = &t->runs[i];

		if (r->streams == 0)
			none = r;
		else if (r->session == a->session && r->run == a->run && r->type == a->type)
			return r;
	}
	return none;
}

/* Remove a stream: from here on the reader does not use it.  With the lock. */
static void
leave(struct pace_run_capture *t, const struct pace_captured_stream *d)
{
	struct tapped_run *r = run_of(t, &d->ask);

	r->stream[d->ask.stream] = NULL;
	r->streams--;
	t->users--;
	pthread_cond_signal(&t->wanted);
}

/* Enter a stream; with the lock. */
static enum pace_capture_answer
enter(struct pace_run_capture *t, struct pace_captured_stream *d)
{
	struct tapped_run *r = run_of(t, &d->ask);

	if (r == NULL)
		return PACE_CAPTURE_ROOM;
	r->session = d->ask.session;
	r->run = d->ask.run;
	r->type = d->ask.type;
	r->stream[d->ask.stream] = d;
	r->streams++;
	t->users++;
	pthread_cond_signal(&t->wanted);
	if (!wait_open(t)) {
		leave(t, d);
		return PACE_CAPTURE_FAILED;
	}
	d->before = t->drops.kernel;
	d->before_interface = t->drops.interface;
	return PACE_CAPTURE_GRANTED;
}

static enum pace_capture_answer
begin(void *ctx, const struct pace_capture_request *a, struct pace_captured_stream **to)
{
	struct pace_run_capture *t = ctx;
	struct pace_captured_stream *d = new_tapped(a);
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

/* Has the stream been read: all its frames, or everything until SETTLE_NS after since_ns? */
static bool
settled(void *ctx, struct pace_captured_stream *d, uint64_t sent, int64_t since_ns)
{
	struct pace_run_capture *t = ctx;
	bool all;

	pthread_mutex_lock(&t->lock);
	all = d->failed || d->seen.w.frames >= sent || t->seen_ns - since_ns > SETTLE_NS;
	d->settled = all;
	pthread_mutex_unlock(&t->lock);
	return all;
}

static void
end(void *ctx, struct pace_captured_stream *d, struct pace_wire_check *w, const int64_t *stamps,
    uint64_t n)
{
	struct pace_run_capture *t = ctx;
	struct pace_pcap_drops drops;

	pthread_mutex_lock(&t->lock);
	leave(t, d);
	drops = t->drops;
	pthread_mutex_unlock(&t->lock);
	if (w != NULL) {
		if (d->times != NULL)
			pace_wire_check_compare(&d->seen, stamps, n);
		*w = d->seen.w;
		snprintf(w->interface, sizeof(w->interface), "%s", t->interface);
		w->complete = d->settled && !d->failed;
		w->has_drops = drops.known;
		w->dropped = drops.kernel - d->before;
		w->interface_dropped = drops.interface - d->before_interface;
	}
	free_tapped(d);
}

/* --- start and end ------------------------------------------------------------------------- */

int
pace_run_capture_complain(const struct pace_err *err, const char *rights)
{
	pace_complain("--capture: %s", pace_err_why(err));
	if (err->code == ENOSYS)
		pace_hint("install libpcap-dev and build udpace again, or omit --capture");
	else if (err->code == EPERM)
		pace_hint("%s", rights);
	else if (err->code == ENODEV)
		pace_hint("'ip address' lists the interfaces; 'any' captures on all of them");
	return PACE_EXIT_NO_RESULT;
}

static int
tell(const struct pace_run_capture *t, const struct pace_err *err)
{
	return pace_run_capture_complain(err, t->rights);
}

int
pace_run_capture_open(struct pace_run_capture **to, const char *interface, int buffer_bytes,
    const char *rights)
{
	const struct pace_pcap_cfg cfg = { .interface = interface, .snap_bytes = SNAP_BYTES,
	    .buffer_bytes = buffer_bytes };
	struct pace_run_capture *t = calloc(1, sizeof(*t));
	struct pace_err err = { .code = ENOMEM };

	*to = t;
	if (t == NULL)
		return pace_run_capture_complain(&err, rights);
	t->rights = rights;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wanted, NULL);
	pthread_cond_init(&t->opened, NULL);
	t->tap = (struct pace_capture_hook){ .ctx = t, .begin = begin, .settled = settled,
	    .end = end };
	snprintf(t->interface, sizeof(t->interface), "%s", interface);
	pace_private_names(t->interface);
	return pace_pcap_open(&t->pcap, &cfg, &err) < 0 ? tell(t, &err) : PACE_EXIT_OK;
}

/* Only the first fragment has ports, and IPv6 puts a fragment header before them. */
int
pace_run_capture_aim(struct pace_run_capture *t, uint16_t port, const struct pace_addr *from)
{
	char filter[160], text[64];
	struct pace_addr host = { .family = 0 };
	struct pace_err err = { .code = 0 };
	int n = 0;

	if (from != NULL) {
		host = *from;
		host.scope = 0;
		pace_addr_text(&host, text, sizeof(text));
		n = snprintf(filter, sizeof(filter), "src host %s and ", text);
	}
	snprintf(filter + n, sizeof(filter) - (size_t)n,
	    "(udp %sport %u or (ip6 and ip6[6] == 44))", from != NULL ? "src " : "", port);
	if (pace_pcap_begin(t->pcap, filter, &err) < 0 || pace_pcap_hold(t->pcap, true, &err) < 0)
		return tell(t, &err);
	t->link = pace_pcap_link(t->pcap);
	return PACE_EXIT_OK;
}

/* Block signals in the thread: the main thread handles them. */
int
pace_run_capture_start(struct pace_run_capture *t)
{
	struct pace_err err = { .code = 0 };

	err.code = -pace_thread_start(&t->thread, read_all, t);
	t->started = err.code == 0;
	return t->started ? PACE_EXIT_OK : tell(t, &err);
}

void
pace_run_capture_close(struct pace_run_capture *t)
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

const struct pace_capture_hook *
pace_run_capture_hook(const struct pace_run_capture *t)
{
	return t != NULL ? &t->tap : NULL;
}
