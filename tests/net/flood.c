/*
 * flood.c - sends millions of hostile datagrams with any source address.
 *
 * Purpose    sends in a minute what a responder on the Internet, and its client, receive in
 *            a day.  Each datagram is one of eight kinds, drawn from a seed; the first
 *            five kinds come from one of three kinds of sources.
 * Kinds      random     0 to 1452 random bytes
 *            truncated  a recorded or forged control message, cut off
 *            replayed   a recorded control message, unchanged
 *            forged     a header with a correct check: any type, guessed sessions and
 *                       cookies, good and bad bodies
 *            flipped    a recorded control message, with bits changed
 *            junk       from the client's address, without the number of its session: 1 to
 *                       1452 bytes of anything, or a HELLO with a correct check
 *            answers    to the client, from the responder's address: replies of all types,
 *                       with guessed numbers, nonces and sessions
 *            icmp       to the responder or to the client, from one address: the message
 *                       reports that the other one's port is closed
 * Sources    one        a single spoofed address: 198.18.255.1, fd98:0:ffff::1
 *            many       10,000 spoofed addresses: from 198.18.0.0 on; a /64 each in
 *                       fd98::/32
 *            own        the address and port of a measuring client.  From there it sends
 *                       only what an attacker can make who does not see the session:
 *                       guesses, damage that the header's check finds, and replays.
 * Seen       the last 256 datagrams towards the responder that are neither DATA nor PING
 *            nor our own.
 * Needs      CAP_NET_RAW, and a route to the responder.  The replies go to no process.
 * Output     "listening" on stderr when it begins to record; SIGUSR1 starts the flood; a
 *            summary as JSON on stdout after count datagrams or at SIGTERM.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
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
#define PAYLOAD		1452		/* whole in a packet of 1500 bytes */
#define ROOM		(40 + 8 + PAYLOAD)
#define SEEN		256
#define MANY		10000
#define TTL		77		/* by this we know our own */
#define HELLO		512
#define PAD		160
#define GUESS		"0123456789abcdef"

enum kind { RANDOM, TRUNCATED, REPLAYED, FORGED, FLIPPED, JUNK, ANSWERS, ICMP, KINDS };
enum source { ONE, MANY_, OWN, SOURCES };

static const char *const kind_name[KINDS] = { "random", "truncated", "replayed", "forged",
    "flipped", "junk", "answers", "icmp" };
static const char *const source_name[SOURCES] = { "one", "many", "own" };

static struct {
	const char *to, *own, *interface;
	uint64_t port, own_port, count, rate, seed, own_percent, one_percent,
	    offpath_percent;
} cfg = { .interface = "v0", .port = 14233, .own_port = 14000, .count = 1000, .rate = 10000,
    .seed = 1, .own_percent = 2, .one_percent = 30,
    .offpath_percent = 6 };

static const struct { const char *name; uint64_t *value; const char **text; } options[] = {
	{ "to", NULL, &cfg.to },
	{ "own", NULL, &cfg.own },
	{ "interface", NULL, &cfg.interface },
	{ "port", &cfg.port, NULL },
	{ "own-port", &cfg.own_port, NULL },
	{ "count", &cfg.count, NULL },
	{ "rate", &cfg.rate, NULL },
	{ "seed", &cfg.seed, NULL },
	{ "own-percent", &cfg.own_percent, NULL },
	{ "one-percent", &cfg.one_percent, NULL },
	{ "offpath-percent", &cfg.offpath_percent, NULL },
};
#define N_OPTIONS	(sizeof(options) / sizeof(options[0]))

struct message {
	uint8_t		b[PAYLOAD];
	size_t		len;
};

static struct {
	bool		v6;
	uint8_t		to[16], own[16];
	int		out, in;
	struct message	seen[SEEN];
	uint64_t	seen_n, random;
	int		error;		/* of the last that failed */
	uint64_t	kinds[KINDS], sources[SOURCES], sent, bytes, failed;
	uint8_t		packet[BATCH][ROOM];
	size_t		len[BATCH];
	bool		to_own[BATCH];	/* it goes to the client */
} f;

static volatile sig_atomic_t stop, go;

static void
on_signal(int sig)
{
	if (sig == SIGUSR1)
		go = 1;
	else
		stop = 1;
}

static void
die(const char *what)
{
	fprintf(stderr, "flood: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* splitmix64 */
static uint64_t
rnd(void)
{
	uint64_t z = f.random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static uint64_t
below(uint64_t n)
{
	return rnd() % n;
}

static void
put16(uint8_t *p, uint64_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void
fill(uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint8_t)rnd();
}

/* --- what passes by ------------------------------------------------------------ */

/* The port matches, and it is neither DATA nor PING nor ours; a shorter packet ends the program
 * by itself. */
static void
listen_in(void)
{
	uint32_t port = (uint32_t)cfg.port;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x40, 0, 7),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 8),			/* IPv4 */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TTL, 15, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 9),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, 13),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 22),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 11),
		BPF_JUMP(BPF_JMP | BPF_JA, 6, 0, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 7),			/* IPv6 */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, TTL, 8, 0),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 42),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 6),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 51),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 31),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACE_DATA, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACE_PING, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog prog = { .len = sizeof(code) / sizeof(code[0]), .filter = code };
	struct sockaddr_ll sa = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
	    .sll_ifindex = (int)if_nametoindex(cfg.interface) };

	f.in = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (f.in == -1 || setsockopt(f.in, SOL_SOCKET, SO_ATTACH_FILTER, &prog, sizeof(prog)) == -1 ||
	    bind(f.in, (struct sockaddr *)&sa, sizeof(sa)) == -1)
		die(cfg.interface);
}

static void
look(void)
{
	uint8_t b[65536];
	ssize_t n;

	while ((n = recv(f.in, b, sizeof(b), 0)) > 0) {
		size_t head = (b[0] >> 4 == 4 ? 20 : 40) + 8;
		struct message *m = &f.seen[f.seen_n % SEEN];

		if ((size_t)n <= head || (size_t)n - head > PAYLOAD)
			continue;
		m->len = (size_t)n - head;
		memcpy(m->b, b + head, m->len);
		f.seen_n++;
	}
}

static const struct message *
one_seen(void)
{
	uint64_t n = f.seen_n < SEEN ? f.seen_n : SEEN;

	return n > 0 ? &f.seen[below(n)] : NULL;
}

/* --- payloads -------------------------------------------------------------------- */

/* Bodies: good for some request, for none, and such that a parser may stumble over. */
static size_t
body(uint8_t *p, size_t room)
{
	static const char *const texts[] = { "{}", "", "{", "null", "[]", "{\"sent\":1,\"theta\":[]}",
	    "{\"offset\":0,\"part\":\"result\"}", "{\"offset\":4294967295,\"part\":\"records\"}",
	    "{\"offset\":-1,\"part\":\"host\"}", "{\"sent\":18446744073709551615}",
	    "{\"sent\":1e308,\"theta\":[{}]}", "{\"cookie\":\"00\",\"cookie\":0}" };
	char text[512];
	size_t n;

	switch (below(4)) {
	case 0:
		n = (size_t)snprintf(text, sizeof(text), "{\"cookie\":\"%016" PRIx64 "%016" PRIx64
		    "%016" PRIx64 "%016" PRIx64 "\",\"nonce\":\"%016" PRIx64 "\",\"label\":\"x\","
		    "\"rcvbuf_bytes\":%" PRIu64 "}", rnd(), rnd(), rnd(), rnd(), rnd(), below(1 << 28));
		break;
	case 1:
		n = (size_t)snprintf(text, sizeof(text), "{\"size_bytes\":1472,\"spacing_2p32\":%" PRIu64
		    ",\"count\":50000,\"duration_ns\":0,\"train\":1,\"bursts\":1,\"burst_gap_ns\":0,"
		    "\"verify\":false,\"grace_ns\":500000000,\"linear\":{\"low\":0,\"width\":0,\"bins\":0},"
		    "\"limit\":50000,\"seed\":\"%016" PRIx64 "\",\"wire_bytes\":1538,\"at_most_ns\":"
		    "1000000000,\"busy_poll\":false,\"stamp\":\"kernel\",\"record\":{\"room\":0,\"skip\":0,"
		    "\"lost_only\":false},\"pings\":false,\"reply_bytes\":0}", rnd(), rnd());
		break;
	case 2:
		memset(p, below(2) != 0 ? '[' : '{', room);
		return room;
	default:
		n = (size_t)snprintf(text, sizeof(text), "%s", texts[below(sizeof(texts) /
		    sizeof(texts[0]))]);
	}
	memcpy(p, text, n < room ? n : room);
	return n < room ? n : room;
}

static void
forge(struct message *m)
{
	static const uint8_t types[] = { PACE_HELLO, PACE_HELLO, PACE_OPEN, PACE_OPEN, PACE_START,
	    PACE_DATA, PACE_DATA, PACE_FINISH, PACE_FETCH, PACE_CLOSE, PACE_PING, PACE_PING,
	    PACE_HELLO | PACE_REPLY, PACE_PING | PACE_REPLY, 0, 9, 255 };
	struct pace_hdr h = { .type = types[below(sizeof(types))], .run = (uint8_t)below(3),
	    .session = below(3) != 0 ? rnd() : below(2), .seq = below(2) != 0 ? rnd() : below(1000),
	    .tx_ns = (int64_t)rnd() };
	struct pace_ping ping = { .reply_bytes = (uint16_t)(below(2) != 0 ? rnd() : 64),
	    .stamp_reply = true };
	size_t pad = h.type == PACE_HELLO ? HELLO : PAD, n;

	memset(m->b, 0, sizeof(m->b));
	if (h.type == PACE_DATA) {
		m->len = PACE_DATA_SIZE + below(PAYLOAD - PACE_DATA_SIZE);
		fill(m->b, 64);
		pace_hdr_encode(m->b, m->len, &h);
		return;
	}
	if ((h.type & 0x7f) == PACE_PING) {
		m->len = PACE_PING_SIZE + below(PAYLOAD - PACE_PING_SIZE);
		pace_ping_encode(m->b, m->len, &h, &ping);
		return;
	}
	n = PACE_HDR_SIZE + body(m->b + PACE_HDR_SIZE, below(8) != 0 ? 600 : PAYLOAD - PACE_HDR_SIZE);
	m->len = n > pad || below(8) == 0 ? n : pad;
	pace_hdr_encode(m->b, m->len, &h);
	if (below(16) == 0)
		m->b[2] = (uint8_t)rnd();		/* another version */
}

/* In the client's name only what the header's check finds. */
static void
flip(struct message *m, enum source s)
{
	size_t from = s == OWN ? 8 : 0, to = m->len;

	for (uint64_t n = s == OWN ? 1 : 1 + below(3); n > 0 && to <= m->len && to > from; n--)
		m->b[from + below(to - from)] ^= (uint8_t)(1u << below(8));
}

/* An unchanged forgery where nothing was seen yet. */
static enum kind
make(struct message *m, enum kind k, enum source s)
{
	const struct message *seen = one_seen();

	if (k == RANDOM) {
		m->len = below(PAYLOAD + 1);
		fill(m->b, m->len);
		return k;
	}
	if (k == FORGED || seen == NULL || (k == TRUNCATED && below(2) != 0))
		forge(m);
	else
		*m = *seen;
	if (seen == NULL && (k == REPLAYED || k == FLIPPED))
		return FORGED;
	if (k == FLIPPED)
		flip(m, s);
	if (k == TRUNCATED && m->len > 0)
		m->len = below(s == OWN && m->len > PACE_HDR_SIZE ? PACE_HDR_SIZE : m->len);
	return k;
}

/* Without the session's number, which is a guess at best. */
static void
junk(struct message *m)
{
	struct pace_hdr h = { .type = PACE_HELLO, .seq = rnd(), .tx_ns = (int64_t)rnd() };

	memset(m->b, 0, sizeof(m->b));
	m->len = 1 + below(below(2) != 0 ? PAYLOAD : 8);
	if (below(4) != 0) {
		if (below(2) != 0)
			fill(m->b, m->len);
		return;
	}
	memcpy(m->b + PACE_HDR_SIZE, "{}", 2);
	m->len = HELLO;
	pace_hdr_encode(m->b, m->len, &h);
}

/* Replies as a responder may give them, to small numbers and to large ones. */
static void
answer(struct message *m)
{
	static const uint8_t types[] = { PACE_HELLO, PACE_OPEN, PACE_START, PACE_FINISH, PACE_FETCH,
	    PACE_CLOSE, PACE_REPORT, PACE_PING };
	static const char *const texts[] = { "{\"host_bytes\":0,\"clock\":null,\"reports\":true}",
	    "{\"ready\":true,\"wait_ns\":0,\"size\":10,\"lease_lost\":false}",
	    "{\"error\":\"policy\",\"text\":\"no\",\"label\":\"\",\"wait_ns\":0}",
	    "{\"error\":\"session\",\"text\":\"no\",\"label\":\"\",\"wait_ns\":0}", "", "{}" };
	struct pace_hdr h = { .type = types[below(sizeof(types))] | PACE_REPLY,
	    .run = (uint8_t)below(3), .session = below(3) != 0 ? rnd() : below(2),
	    .seq = below(2) != 0 ? rnd() >> below(64) : below(32), .tx_ns = (int64_t)rnd() };
	const char *text = texts[below(sizeof(texts) / sizeof(texts[0]))];
	struct pace_ping ping = { .reply_bytes = 64, .arrival_ns = (int64_t)rnd(), .back = 1 };

	memset(m->b, 0, sizeof(m->b));
	m->len = PACE_PING_SIZE;
	if (h.type == (PACE_PING | PACE_REPLY)) {
		pace_ping_encode(m->b, m->len, &h, &ping);
		return;
	}
	if (h.type == (PACE_HELLO | PACE_REPLY))
		text = "{\"cookie\":\"" GUESS GUESS GUESS GUESS "\"}";
	m->len = PACE_HDR_SIZE + strlen(text);
	memcpy(m->b + PACE_HDR_SIZE, text, strlen(text));
	pace_hdr_encode(m->b, m->len, &h);
}

/* --- packets ----------------------------------------------------------------------- */

static enum source
draw_source(uint64_t i, uint8_t from[16], uint64_t *port)
{
	uint64_t dice = below(100), n = i % MANY;

	memset(from, 0, 16);
	*port = 1024 + below(64512);
	if (dice < cfg.own_percent && cfg.own != NULL) {
		memcpy(from, f.own, 16);
		*port = cfg.own_port;
		return OWN;
	}
	if (dice < cfg.own_percent + cfg.one_percent)
		n = f.v6 ? 0xffff : 0xff01;
	if (below(2) != 0 && n >= MANY)
		*port = 4000;			/* half of the one's: one socket */
	if (f.v6) {
		memcpy(from, "\xfd\x98", 2);
		put16(from + 4, n);
		from[15] = 1;
	} else {
		memcpy(from, "\xc6\x12", 2);
		put16(from + 2, n);
	}
	return n < MANY ? MANY_ : ONE;
}

static uint32_t
sum(const uint8_t *p, size_t n)
{
	uint32_t s = 0;

	for (size_t i = 0; i < n; i++)
		s += (uint32_t)p[i] << (i % 2 == 0 ? 8 : 0);
	return s;
}

static uint32_t
folded(uint32_t s)
{
	while (s > 0xffff)
		s = (s & 0xffff) + (s >> 16);
	s = ~s & 0xffff;
	return s != 0 ? s : 0xffff;
}

/* IPv6 wants a checksum of what is behind its header; UDP over IPv4 does without. */
static void
put_checksum(const uint8_t *ip, uint8_t *body, size_t at, uint32_t protocol, size_t n)
{
	put16(body + at, folded(sum(ip + 8, 32) + (uint32_t)n + protocol + sum(body, n)));
}

/* The header of a packet of n bytes behind it: where these begin. */
static uint8_t *
wrap_ip(int at, const uint8_t from[16], const uint8_t to[16], uint8_t protocol, size_t n)
{
	uint8_t *ip = f.packet[at];

	memset(ip, 0, 48);
	f.len[at] = (f.v6 ? 40 : 20) + n;
	f.to_own[at] = to == f.own;
	if (f.v6) {
		ip[0] = 0x60;
		put16(ip + 4, n);
		ip[6] = protocol;
		ip[7] = TTL;
		memcpy(ip + 8, from, 16);
		memcpy(ip + 24, to, 16);
		return ip + 40;
	}
	ip[0] = 0x45;
	put16(ip + 2, 20 + n);
	ip[8] = TTL;
	ip[9] = protocol;
	memcpy(ip + 12, from, 4);
	memcpy(ip + 16, to, 4);
	return ip + 20;
}

static void
put_ports(uint8_t *udp, uint64_t port, uint64_t to_port, size_t n)
{
	put16(udp, port);
	put16(udp + 2, to_port);
	put16(udp + 4, 8 + n);
	put16(udp + 6, 0);
}

static void
wrap(int at, const uint8_t from[16], uint64_t port, const uint8_t to[16], uint64_t to_port,
    const struct message *m)
{
	uint8_t *udp = wrap_ip(at, from, to, IPPROTO_UDP, 8 + m->len);

	put_ports(udp, port, to_port, m->len);
	memcpy(udp + 8, m->b, m->len);
	if (f.v6)
		put_checksum(f.packet[at], udp, 6, IPPROTO_UDP, 8 + m->len);
}

/* A port unreachable, about a datagram of the one whom it goes to. */
static void
wrap_icmp(int at, const uint8_t from[16], bool to_client)
{
	const uint8_t *to = to_client ? f.own : f.to, *peer = to_client ? f.to : f.own;
	uint64_t to_port = to_client ? cfg.own_port : cfg.port;
	uint64_t peer_port = to_client ? cfg.port : cfg.own_port;
	size_t head = f.v6 ? 40 : 20, n = 8 + head + 8;
	uint8_t quoted[48], *icmp;

	(void)wrap_ip(at, to, peer, IPPROTO_UDP, 16);
	put_ports(f.packet[at] + head, to_port, peer_port, 8);
	memcpy(quoted, f.packet[at], head + 8);
	icmp = wrap_ip(at, from, to, f.v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP, n);
	memset(icmp, 0, 8);
	icmp[0] = f.v6 ? 1 : 3;
	icmp[1] = f.v6 ? 4 : 3;
	memcpy(icmp + 8, quoted, head + 8);
	if (f.v6)
		put_checksum(f.packet[at], icmp, 2, IPPROTO_ICMPV6, n);
	else
		put16(icmp + 2, folded(sum(icmp, n)));
}

/* In the names of the client and of its responder, by a host that sees nothing of them. */
static void
draw_offpath(int at)
{
	static struct message m;
	enum kind k = (enum kind)(JUNK + below(3));
	uint8_t from[16];
	uint64_t port;

	f.kinds[k]++;
	if (k == JUNK) {
		junk(&m);
		wrap(at, f.own, cfg.own_port, f.to, cfg.port, &m);
	} else if (k == ANSWERS) {
		answer(&m);
		wrap(at, f.to, cfg.port, f.own, cfg.own_port, &m);
	} else {
		(void)draw_source(0, from, &port);
		wrap_icmp(at, from, below(2) != 0);
	}
}

static void
draw(int at, uint64_t i)
{
	static struct message m;
	enum kind k = (enum kind)below(JUNK);
	uint8_t from[16];
	uint64_t port;
	enum source s = draw_source(i, from, &port);

	k = make(&m, k, s);
	f.kinds[k]++;
	f.sources[s]++;
	wrap(at, from, port, f.to, cfg.port, &m);
}

/* --- the flood --------------------------------------------------------------------- */

static void
open_out(void)
{
	int family = f.v6 ? AF_INET6 : AF_INET, size = 4 << 20;

	f.out = socket(family, SOCK_RAW, IPPROTO_RAW);	/* with headers of our own */
	if (f.out == -1)
		die("socket");
	(void)setsockopt(f.out, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
}

static void
send_batch(int n)
{
	struct sockaddr_in sa4[2] = { { .sin_family = AF_INET }, { .sin_family = AF_INET } };
	struct sockaddr_in6 sa6[2] = { { .sin6_family = AF_INET6 }, { .sin6_family = AF_INET6 } };
	struct mmsghdr v[BATCH];
	struct iovec iov[BATCH];
	int rc;

	memset(v, 0, sizeof(v));
	for (int own = 0; own < 2; own++) {
		memcpy(&sa4[own].sin_addr, own ? f.own : f.to, 4);
		memcpy(&sa6[own].sin6_addr, own ? f.own : f.to, 16);
	}
	for (int i = 0; i < n; i++) {
		iov[i] = (struct iovec){ .iov_base = f.packet[i], .iov_len = f.len[i] };
		v[i].msg_hdr.msg_iov = &iov[i];
		v[i].msg_hdr.msg_iovlen = 1;
		v[i].msg_hdr.msg_name = f.v6 ? (void *)&sa6[f.to_own[i]] :
		    (void *)&sa4[f.to_own[i]];
		v[i].msg_hdr.msg_namelen = f.v6 ? sizeof(sa6[0]) : sizeof(sa4[0]);
	}
	for (int at = 0; at < n; at += rc) {
		rc = sendmmsg(f.out, v + at, (unsigned)(n - at), 0);
		if (rc == -1 && errno == EINTR)
			rc = 0;
		if (rc == -1) {
			f.failed++;
			f.error = errno;
			rc = 1;
			continue;
		}
		for (int i = at; i < at + rc; i++)
			f.bytes += f.len[i];
		f.sent += (uint64_t)rc;
	}
}

static void
flood(void)
{
	int64_t gap = (int64_t)(BATCH * UINT64_C(1000000000) / cfg.rate);
	struct timespec due, now;

	clock_gettime(CLOCK_MONOTONIC, &due);
	for (uint64_t i = 0; i < cfg.count && stop == 0;) {
		int n = cfg.count - i < BATCH ? (int)(cfg.count - i) : BATCH;

		look();
		for (int k = 0; k < n; k++, i++) {
			if (cfg.own != NULL && below(100) < cfg.offpath_percent)
				draw_offpath(k);
			else
				draw(k, i);
		}
		send_batch(n);
		due.tv_nsec += gap;
		due.tv_sec += due.tv_nsec / 1000000000;
		due.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > due.tv_sec + 1)
			due = now;		/* behind: what is lost is not made up for */
	}
}

static void
report(void)
{
	printf("{\"sent\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"error\":\"%s\",\"bytes\":%" PRIu64
	    ",\"seen\":%" PRIu64, f.sent, f.failed, f.failed > 0 ? strerror(f.error) : "", f.bytes,
	    f.seen_n);
	for (int i = 0; i < KINDS; i++)
		printf(",\"%s\":%" PRIu64, kind_name[i], f.kinds[i]);
	for (int i = 0; i < SOURCES; i++)
		printf(",\"%s\":%" PRIu64, source_name[i], f.sources[i]);
	printf("}\n");
}

static void
read_options(int argc, char **argv)
{
	struct option longs[N_OPTIONS + 1];
	int c;

	memset(longs, 0, sizeof(longs));
	for (size_t i = 0; i < N_OPTIONS; i++)
		longs[i] = (struct option){ options[i].name, required_argument, NULL, (int)i };
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c < 0 || (size_t)c >= N_OPTIONS)
			exit(2);
		if (options[c].text != NULL)
			*options[c].text = optarg;
		else
			*options[c].value = strtoull(optarg, NULL, 10);
	}
	if (cfg.to == NULL || optind != argc || cfg.rate == 0) {
		fprintf(stderr, "usage: flood --to ADDR [--own ADDR --own-port PORT] [OPTION...]\n");
		exit(2);
	}
}

static bool
read_address(const char *text, uint8_t a[16])
{
	return inet_pton(f.v6 ? AF_INET6 : AF_INET, text, a) == 1;
}

int
main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };

	read_options(argc, argv);
	f.v6 = strchr(cfg.to, ':') != NULL;
	f.random = cfg.seed;
	if (!read_address(cfg.to, f.to) || (cfg.own != NULL && !read_address(cfg.own, f.own))) {
		fprintf(stderr, "flood: not an address\n");
		return 2;
	}
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	listen_in();
	open_out();
	fprintf(stderr, "listening\n");
	while (go == 0 && stop == 0) {
		look();
		usleep(1000);
	}
	flood();
	report();
	return 0;
}
