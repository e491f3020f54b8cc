/*
 * relay.c - a wire with known faults between two interfaces.
 *
 * Purpose    joins two interfaces frame by frame through packet sockets, and drops,
 *            duplicates, delays or corrupts data frames by count.  Its log of the
 *            frames it forwarded, in order, is the truth for a result.
 * Rules      count the DATA frames of the forward direction (first interface to second)
 *            as they arrive, from 1; "every N" selects each frame whose count is a
 *            multiple of N.  A frame that is dropped gets no other fault.  Any other
 *            frame is first corrupted, then duplicated, then delayed: a delayed frame
 *            leaves after K more DATA frames have arrived, or after 200 ms without one.
 * Corruption one bit; the UDP checksum is corrected, so that only udpace can see it.  In
 *            the header: a bit that the header's check covers, `late` included.  The
 *            payload of a frame can be corrupted only if there is one behind `late`.
 * Control    every other datagram of the port, in both directions, is lost, duplicated
 *            or swapped with the next one, at random from a seed.  --spare-pings
 *            exempts PINGs and their replies.
 * Replies    to PINGs, counted as they arrive, from 1: either a forged reply leaves before
 *            the true one, which is held back for some ms, or the true one leaves twice
 *            in a row.  A forgery has a correct check, but cannot be true: its times,
 *            its length, its number or its session are wrong.
 * Delay      every frame of a direction is late by a fixed time, plus the relay's own
 *            delay; the summary has the minimum of both.
 * Honesty    the summary counts frames that the relay's own sockets lost; with any of
 *            these the log is not the truth.  The relay runs on one CPU, so that no frame
 *            overtakes another behind it.
 * Output     --log, written at the end: one forwarded frame a line, "NUMBER", "NUMBER c"
 *            (corrupted payload) or "NUMBER h" (corrupted header); a summary as JSON on
 *            stdout; "relaying" on stderr when ready.
 * Limits     Ethernet, IPv4 and IPv6 without fragments, VLANs or extension headers;
 *            offloads of the hosts' interfaces must be off.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "core/wire.h"

#define BATCH		32
#define ROOM		16384		/* bytes, a jumbo frame */
#define HELD		512		/* frames held back at once */
#define RCVBUF		(256 << 20)	/* bytes: seconds of a fast stream */
#define SILENCE_NS	INT64_C(200000000)
#define SWAP_NS		INT64_C(20000000)
#define WAITING		1024		/* frames in a line */
#define EMITTED_MAX	(16u << 20)	/* records, touched as they are used */

enum { FORWARD, BACK, WAYS };
enum kind { OTHER, CONTROL, DATA };

static struct {
	uint64_t port, cpu, seed, drop_every, dup_every, delay_every, by;
	uint64_t corrupt_every, header_every, drop_last, total, drop_all;
	uint64_t control_loss, control_dup, control_swap;	/* percent */
	uint64_t spare_pings;
	uint64_t forge_every, reply_late_every, reply_late_ms, reply_dup_every;
	uint64_t delay_us[2];			/* of a direction */
	const char *log;
} cfg = { .port = 14233, .cpu = UINT64_MAX, .seed = 1, .by = 1 };

static const struct { const char *name; uint64_t *value; bool flag; } options[] = {
	{ "port", &cfg.port, false },
	{ "cpu", &cfg.cpu, false },
	{ "seed", &cfg.seed, false },
	{ "drop-every", &cfg.drop_every, false },
	{ "dup-every", &cfg.dup_every, false },
	{ "delay-every", &cfg.delay_every, false },
	{ "by", &cfg.by, false },
	{ "corrupt-every", &cfg.corrupt_every, false },
	{ "corrupt-header", &cfg.header_every, false },
	{ "drop-last", &cfg.drop_last, false },
	{ "total", &cfg.total, false },
	{ "drop-all", &cfg.drop_all, true },
	{ "control-loss", &cfg.control_loss, false },
	{ "control-dup", &cfg.control_dup, false },
	{ "control-swap", &cfg.control_swap, false },
	{ "spare-pings", &cfg.spare_pings, true },
	{ "forge-every", &cfg.forge_every, false },
	{ "reply-late-every", &cfg.reply_late_every, false },
	{ "reply-late-ms", &cfg.reply_late_ms, false },
	{ "reply-dup-every", &cfg.reply_dup_every, false },
	{ "delay-forward-us", &cfg.delay_us[0], false },
	{ "delay-back-us", &cfg.delay_us[1], false },
};
#define N_OPTIONS	(sizeof(options) / sizeof(options[0]))

struct frame {
	uint8_t		b[ROOM];
	size_t		len;
	uint64_t	seq, due;
	int		copies;
	char		mark;
};

struct emitted {
	uint64_t	seq;
	char		mark;
};

/* Frames that wait for their time, each as long as the one before. */
struct line {
	struct frame	f[WAITING];		/* due: ns */
	uint64_t	first, next;
};

static struct {
	int		fd[WAYS];		/* where frames of a way come in */
	uint64_t	frames[WAYS], own_drops[WAYS], send_failures[WAYS];
	uint64_t	control[WAYS], control_lost, control_doubled, control_swapped;
	uint64_t	seen, dropped, doubled, delayed, corrupted, header_corrupted;
	struct emitted	*log;
	uint64_t	logged, log_overflow;
	struct frame	held[HELD];		/* ring, in order of arrival */
	uint64_t	held_first, held_next;
	int64_t		last_data_ns;
	struct frame	swap[WAYS];		/* len 0: none */
	int64_t		swap_ns[WAYS];
	struct line	line[WAYS], late;	/* of replies */
	int64_t		arrived_ns, least_ns[WAYS];	/* this batch; from arrival to departure */
	uint64_t	replies, forged, replies_late, replies_doubled;
	uint64_t	random;
} r;

static volatile sig_atomic_t stop;

static void
on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static void
die(const char *what)
{
	fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t
now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static unsigned
be16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static uint64_t
be64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

static bool
every(uint64_t n, uint64_t count)
{
	return n != 0 && count % n == 0;
}

/* splitmix64: percent chance */
static bool
chance(uint64_t percent)
{
	uint64_t z = r.random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % 100 < percent;
}

/* The kind of a frame, and the offset of its UDP header. */
static enum kind
classify(const uint8_t *f, size_t len, int way, size_t *udp)
{
	bool ours;

	if (len < 42 || (be16(f + 12) != ETHERTYPE_IP && be16(f + 12) != ETHERTYPE_IPV6))
		return OTHER;
	if (be16(f + 12) == ETHERTYPE_IP) {
		if (f[23] != IPPROTO_UDP || (be16(f + 20) & 0x3fff) != 0)
			return OTHER;
		*udp = 14 + 4 * (size_t)(f[14] & 15);
	} else {
		if (f[20] != IPPROTO_UDP)
			return OTHER;
		*udp = 54;
	}
	if (len < *udp + 8)
		return OTHER;
	ours = be16(f + *udp + (way == FORWARD ? 2 : 0)) == cfg.port;
	if (!ours)
		return OTHER;
	if (way == FORWARD && len >= *udp + 8 + PACE_HDR_SIZE &&
	    be16(f + *udp + 8) == PACE_WIRE_MAGIC && f[*udp + 11] == PACE_DATA)
		return DATA;
	return CONTROL;
}

/* Out by the interface that the other way comes in by.  A full queue behind
 * it is waited for. */
static bool
put(int way, const uint8_t *f, size_t len)
{
	for (int tries = 0; tries < 10000; tries++) {
		if (send(r.fd[!way], f, len, 0) == (ssize_t)len) {
			r.frames[way]++;
			return true;
		}
		if (errno != ENOBUFS && errno != EAGAIN && errno != EINTR)
			break;
		sched_yield();
	}
	r.send_failures[way]++;
	return false;
}

/* Into a line, to leave at a time; the line's frames leave in order. */
static bool
wait_in(struct line *l, int way, const uint8_t *b, size_t len, int64_t due_ns)
{
	struct frame *f = &l->f[l->next % WAITING];

	if (l->next - l->first == WAITING) {
		r.send_failures[way]++;
		return false;
	}
	memcpy(f->b, b, len);
	f->len = len;
	f->due = (uint64_t)due_ns;
	l->next++;
	return true;
}

static void
leave(struct line *l, int way, int64_t now)
{
	for (; l->first != l->next; l->first++) {
		const struct frame *f = &l->f[l->first % WAITING];
		int64_t took = now - (int64_t)f->due;

		if (took < 0)
			break;
		put(way, f->b, f->len);
		if (l == &r.line[way] && took < r.least_ns[way])
			r.least_ns[way] = took;
	}
}

static bool
emit(int way, const uint8_t *b, size_t len)
{
	if (cfg.delay_us[way] == 0)
		return put(way, b, len);
	return wait_in(&r.line[way], way, b, len,
	    r.arrived_ns + (int64_t)cfg.delay_us[way] * 1000);
}

static void
emit_data(const struct frame *f)
{
	for (int i = 0; i < f->copies; i++) {
		if (!emit(FORWARD, f->b, f->len))
			continue;
		if (r.logged == EMITTED_MAX)
			r.log_overflow++;
		else
			r.log[r.logged++] = (struct emitted){ f->seq, f->mark };
	}
}

/* Emit what was held back until count frames had arrived. */
static void
release(uint64_t count)
{
	while (r.held_first != r.held_next && r.held[r.held_first % HELD].due <= count)
		emit_data(&r.held[r.held_first++ % HELD]);
}

/* Flip one bit of the UDP payload and mend the checksum (RFC 1624). */
static void
flip(uint8_t *udp, size_t at, unsigned bit)
{
	uint8_t *word = udp + 8 + (at & ~(size_t)1), *check = udp + 6;
	uint32_t sum = (uint32_t)(~be16(check) & 0xffff) + (~be16(word) & 0xffff);

	udp[8 + at] ^= (uint8_t)(1u << bit);
	sum += be16(word);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	if (be16(check) == 0)
		return;			/* IPv4 without a checksum */
	if (sum == 0)
		sum = 0xffff;
	check[0] = (uint8_t)(sum >> 8);
	check[1] = (uint8_t)sum;
}

/* Another place each time, so that all of a frame is tried. */
static void
damage(struct frame *f, size_t udp, uint64_t count)
{
	size_t len = be16(f->b + udp + 4) - 8u;
	size_t head = len >= PACE_DATA_SIZE ? PACE_DATA_SIZE : PACE_HDR_SIZE;
	size_t room = len > head ? len - head : 0;

	if (every(cfg.corrupt_every, count) && room > 0) {
		uint64_t nth = r.corrupted++;
		size_t at = nth == 0 ? 0 : nth == 1 ? room - 1 : (size_t)(nth * 7919 % room);

		flip(f->b + udp, head + at, (unsigned)(nth % 8));
		f->mark = 'c';
	}
	if (every(cfg.header_every, count)) {
		uint64_t nth = r.header_corrupted++;

		flip(f->b + udp, (size_t)(nth / 8 % head), (unsigned)(nth % 8));
		f->mark = 'h';
	}
}

static bool
to_be_dropped(uint64_t count, uint64_t seq)
{
	return cfg.drop_all != 0 || every(cfg.drop_every, count) ||
	    (cfg.drop_last != 0 && seq >= cfg.total - cfg.drop_last);
}

static void
data_frame(const uint8_t *b, size_t len, size_t udp)
{
	static struct frame now;
	bool late = every(cfg.delay_every, ++r.seen) && r.held_next - r.held_first < HELD;
	struct frame *f = late ? &r.held[r.held_next % HELD] : &now;

	r.last_data_ns = now_ns();
	f->seq = be64(b + udp + 8 + 16);
	if (to_be_dropped(r.seen, f->seq)) {
		r.dropped++;
		release(r.seen);
		return;
	}
	memcpy(f->b, b, len);
	f->len = len;
	f->mark = 0;
	f->copies = every(cfg.dup_every, r.seen) ? 2 : 1;
	f->due = r.seen + cfg.by;
	damage(f, udp, r.seen);
	r.doubled += f->copies == 2;
	if (late) {
		r.delayed++;
		r.held_next++;
	} else
		emit_data(f);
	release(r.seen);
}

static void
release_swap(int way)
{
	if (r.swap[way].len > 0)
		emit(way, r.swap[way].b, r.swap[way].len);
	r.swap[way].len = 0;
}

static void
control_frame(const uint8_t *b, size_t len, int way)
{
	r.control[way]++;
	if (chance(cfg.control_loss)) {
		r.control_lost++;
		return;
	}
	if (r.swap[way].len == 0 && chance(cfg.control_swap)) {
		r.control_swapped++;
		memcpy(r.swap[way].b, b, len);
		r.swap[way].len = len;
		r.swap_ns[way] = now_ns();
		return;
	}
	emit(way, b, len);
	if (chance(cfg.control_dup)) {
		r.control_doubled++;
		emit(way, b, len);
	}
	release_swap(way);
}

/* Answers that no responder sends: in turn another session, a number that was not requested,
 * another length, impossible times.  IPv4 only: its UDP checksum may be left out. */
static void
forge(const uint8_t *b, size_t len, size_t udp)
{
	static struct frame f;
	uint8_t *p = f.b + udp + 8;
	struct pace_hdr h;
	struct pace_ping body;
	size_t size = be16(b + udp + 4) - 8u;

	if (be16(b + 12) != ETHERTYPE_IP || pace_hdr_decode(&h, b + udp + 8, size) < 0)
		return;
	pace_ping_decode(&body, b + udp + 8, size);
	memcpy(f.b, b, len);
	switch (r.forged++ % 7) {
	case 0: h.session ^= 1; break;
	case 1: h.seq += UINT64_C(1) << 40; break;
	case 2: size--; break;				/* IP's own is longer: that is allowed */
	case 3: body.arrival_ns -= 1000000000; break;		/* stayed for a second */
	case 4: h.tx_ns = body.arrival_ns - 1000000; break;	/* left before it came */
	case 5: body.arrival_ns = h.tx_ns = INT64_MAX; break;
	case 6: body.arrival_ns += 3600000000000; h.tx_ns += 3600000000000; break;
	}
	if (pace_ping_encode(p, size, &h, &body) < 0)
		die("a forgery of a reply of 64 bytes");
	f.b[udp + 4] = (uint8_t)((size + 8) >> 8);
	f.b[udp + 5] = (uint8_t)(size + 8);
	f.b[udp + 6] = f.b[udp + 7] = 0;
	emit(BACK, f.b, len);
}

static void
reply_frame(const uint8_t *b, size_t len, size_t udp)
{
	r.replies++;
	if (every(cfg.forge_every, r.replies))
		forge(b, len, udp);
	if (every(cfg.reply_late_every, r.replies)) {
		r.replies_late += wait_in(&r.late, BACK, b, len,
		    r.arrived_ns + (int64_t)cfg.reply_late_ms * 1000000);
		return;
	}
	control_frame(b, len, BACK);
	if (every(cfg.reply_dup_every, r.replies)) {
		r.replies_doubled++;
		emit(BACK, b, len);
	}
}

static bool
is_reply(const uint8_t *b, size_t len, int way, size_t udp)
{
	return way == BACK && len >= udp + 8 + PACE_PING_SIZE &&
	    b[udp + 11] == (PACE_PING | PACE_REPLY);
}

static bool
is_ping(const uint8_t *b, size_t len, size_t udp)
{
	return len >= udp + 8 + PACE_PING_SIZE && (b[udp + 11] & ~PACE_REPLY) == PACE_PING;
}

/* Everything that waits at one side. */
static void
drain(int way)
{
	static uint8_t room[BATCH][ROOM];
	struct mmsghdr m[BATCH] = { 0 };
	struct iovec iov[BATCH];
	size_t udp = 0;
	int n;

	for (int i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ room[i], ROOM };
		m[i].msg_hdr.msg_iov = &iov[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	n = recvmmsg(r.fd[way], m, BATCH, MSG_DONTWAIT, NULL);
	r.arrived_ns = now_ns();
	for (int i = 0; i < n; i++) {
		switch (classify(room[i], m[i].msg_len, way, &udp)) {
		case DATA:
			data_frame(room[i], m[i].msg_len, udp);
			break;
		case CONTROL:
			if (cfg.spare_pings && is_ping(room[i], m[i].msg_len, udp))
				emit(way, room[i], m[i].msg_len);
			else if (is_reply(room[i], m[i].msg_len, way, udp))
				reply_frame(room[i], m[i].msg_len, udp);
			else
				control_frame(room[i], m[i].msg_len, way);
			break;
		case OTHER:
			emit(way, room[i], m[i].msg_len);
		}
	}
}

static void
flush_old(int64_t now)
{
	if (now - r.last_data_ns > SILENCE_NS)
		release(UINT64_MAX);
	for (int way = 0; way < WAYS; way++)
		if (now - r.swap_ns[way] > SWAP_NS)
			release_swap(way);
	for (int way = 0; way < WAYS; way++)
		leave(&r.line[way], way, now);
	leave(&r.late, BACK, now);
}

/* How long nothing is to be done. */
static struct timespec
rest(void)
{
	const struct line *lines[] = { &r.line[FORWARD], &r.line[BACK], &r.late };
	int64_t now = now_ns(), ns = SWAP_NS / 2;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *l = lines[i];

		if (l->first != l->next && (int64_t)l->f[l->first % WAITING].due - now < ns)
			ns = (int64_t)l->f[l->first % WAITING].due - now;
	}
	return (struct timespec){ 0, ns > 0 ? (long)ns : 0 };
}

/* Run until a signal.  Signals arrive only while it waits. */
static void
relay(const sigset_t *unblocked)
{
	struct timespec tick;
	struct pollfd p[WAYS] = { { r.fd[FORWARD], POLLIN, 0 }, { r.fd[BACK], POLLIN, 0 } };

	while (!stop) {
		tick = rest();
		if (ppoll(p, WAYS, &tick, unblocked) == -1 && errno != EINTR)
			die("poll");
		for (int way = 0; way < WAYS; way++)
			if (p[way].revents != 0)
				drain(way);
		flush_old(now_ns());
	}
	release(UINT64_MAX);
}

static int
open_side(const char *name)
{
	const int on = 1, size = RCVBUF;
	struct sockaddr_ll a = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	a.sll_ifindex = (int)if_nametoindex(name);
	if (fd == -1 || a.sll_ifindex == 0)
		die(name);
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) == -1 ||
	    setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) == -1 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) == -1)
		die("setsockopt");
	if (bind(fd, (const struct sockaddr *)&a, sizeof(a)) == -1)
		die("bind");
	return fd;
}

static void
read_own_drops(int way)
{
	struct tpacket_stats st;
	socklen_t len = sizeof(st);

	if (getsockopt(r.fd[way], SOL_PACKET, PACKET_STATISTICS, &st, &len) == -1)
		die("PACKET_STATISTICS");
	r.own_drops[way] = st.tp_drops;
}

static void
write_log(void)
{
	FILE *f = fopen(cfg.log, "w");

	if (f == NULL)
		die(cfg.log);
	for (uint64_t i = 0; i < r.logged; i++) {
		if (r.log[i].mark != 0)
			fprintf(f, "%" PRIu64 " %c\n", r.log[i].seq, r.log[i].mark);
		else
			fprintf(f, "%" PRIu64 "\n", r.log[i].seq);
	}
	if (fclose(f) != 0)
		die(cfg.log);
}

static void
print_summary(void)
{
	const struct { const char *name; uint64_t n; } line[] = {
		{ "data_seen", r.seen }, { "data_emitted", r.logged },
		{ "dropped", r.dropped }, { "doubled", r.doubled },
		{ "delayed", r.delayed }, { "corrupted", r.corrupted },
		{ "header_corrupted", r.header_corrupted },
		{ "control_lost", r.control_lost },
		{ "control_doubled", r.control_doubled },
		{ "control_swapped", r.control_swapped },
		{ "replies", r.replies }, { "forged", r.forged },
		{ "replies_late", r.replies_late }, { "replies_doubled", r.replies_doubled },
		{ "log_overflow", r.log_overflow },
	};

	int64_t least[WAYS];

	printf("{");
	for (size_t i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		printf(" \"%s\": %" PRIu64 ",\n ", line[i].name, line[i].n);
	printf(" \"control\": [%" PRIu64 ", %" PRIu64 "],\n", r.control[0], r.control[1]);
	printf("  \"frames\": [%" PRIu64 ", %" PRIu64 "],\n", r.frames[0], r.frames[1]);
	for (int way = 0; way < WAYS; way++)
		least[way] = r.least_ns[way] == INT64_MAX ? 0 :
		    r.least_ns[way] + (int64_t)cfg.delay_us[way] * 1000;
	printf("  \"least_delay_ns\": [%" PRId64 ", %" PRId64 "],\n", least[0], least[1]);
	printf("  \"own_drops\": [%" PRIu64 ", %" PRIu64 "],\n", r.own_drops[0], r.own_drops[1]);
	printf("  \"send_failures\": [%" PRIu64 ", %" PRIu64 "] }\n", r.send_failures[0],
	    r.send_failures[1]);
}

static void
usage(void)
{
	fprintf(stderr, "usage: relay [--log FILE] [--OPTION N]... FROM-IF TO-IF\noptions:");
	for (size_t i = 0; i < N_OPTIONS; i++)
		fprintf(stderr, " --%s", options[i].name);
	fprintf(stderr, "\n");
	exit(2);
}

static void
parse(int argc, char **argv)
{
	struct option lo[N_OPTIONS + 2] = { { "log", required_argument, NULL, 'L' } };
	char *end;
	int at;

	for (size_t i = 0; i < N_OPTIONS; i++)
		lo[i + 1] = (struct option){ options[i].name,
		    options[i].flag ? no_argument : required_argument, NULL, 0 };
	for (int c; (c = getopt_long(argc, argv, "", lo, &at)) != -1;) {
		if (c == '?')
			usage();
		if (c == 'L') {
			cfg.log = optarg;
			continue;
		}
		if (lo[at].has_arg == no_argument) {
			*options[at - 1].value = 1;
			continue;
		}
		errno = 0;
		*options[at - 1].value = strtoull(optarg, &end, 10);
		if (errno != 0 || end == optarg || *end != '\0')
			usage();
	}
	if (argc - optind != 2 || cfg.by >= HELD || cfg.drop_last > cfg.total)
		usage();
}

/* The last CPU we may use, or the one asked for. */
static void
pin(void)
{
	cpu_set_t set, one;

	if (sched_getaffinity(0, sizeof(set), &set) == -1)
		die("sched_getaffinity");
	if (cfg.cpu == UINT64_MAX)
		for (size_t c = 0; c < CPU_SETSIZE; c++)
			if (CPU_ISSET(c, &set))
				cfg.cpu = c;
	CPU_ZERO(&one);
	CPU_SET((size_t)cfg.cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == -1)
		die("sched_setaffinity");
}

static void
catch_signals(sigset_t *unblocked)
{
	struct sigaction sa = { .sa_handler = on_signal };
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGINT);
	if (sigprocmask(SIG_BLOCK, &block, unblocked) == -1 ||
	    sigaction(SIGTERM, &sa, NULL) == -1 || sigaction(SIGINT, &sa, NULL) == -1)
		die("signals");
}

int
main(int argc, char **argv)
{
	sigset_t unblocked;

	parse(argc, argv);
	r.random = cfg.seed;
	r.least_ns[FORWARD] = r.least_ns[BACK] = INT64_MAX;
	r.log = malloc(EMITTED_MAX * sizeof(*r.log));
	if (r.log == NULL)
		die("malloc");
	catch_signals(&unblocked);
	pin();
	r.fd[FORWARD] = open_side(argv[optind]);
	r.fd[BACK] = open_side(argv[optind + 1]);
	fprintf(stderr, "relaying\n");

	relay(&unblocked);

	read_own_drops(FORWARD);
	read_own_drops(BACK);
	if (cfg.log != NULL)
		write_log();
	print_summary();
	free(r.log);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
