/*
 * simnet.h - a network on a virtual clock between clients and a responder.
 *
 * Purpose    simulates the protocol under loss, duplication, delay, reordering, process
 *            death and restart: an hour takes milliseconds, and each run is identical.
 * Clock      time passes only while an end waits.  A datagram takes delay_ns, and a
 *            random time of up to jitter_ns more.
 * Reverse    if switched on, the frames of a run go to the client: the hosts change their
 *            roles.  With two_way frames go both ways, and each host has both roles.
 * Impairment separate for each direction, and for control and data frames; a seeded
 *            generator decides, or a hook that sees every datagram.
 * Hosts      if switched on, frames also die inside the hosts: in the client's queue and
 *            interface; in the responder's interface, backlog, ingress, IP layer, checksum
 *            and socket.  The hosts count these drops as a kernel does.
 * Trains     with gro on, frames that arrive at the same moment are one datagram for the IP
 *            layer and the socket, as in a kernel.
 * Clocks     the responder's clock is the client's + theta_ns, and gains skew_ppb;
 *            departures are stamped stack_ns after the call.
 * Threads    if switched on, threads of a session or client run one at a time, each until it sleeps.
 * Truth      the counters record what the network did; the hook `saw` is called at each
 *            step of each data frame on its way to the responder.
 */
#ifndef SIMNET_H
#define SIMNET_H

#include "client/client.h"
#include "core/io.h"
#include "core/wire.h"
#include "server/responder.h"

#define SIM_FLIGHTS	65536
/* One whose address does not matter. */
static const struct pace_addr somebody = { .family = 4, .ip = { 192, 0, 2, 200 } };

#define SIM_SESSIONS	64
#define SIM_LIGHTS	1024
#define SIM_CLIENTS	16

enum sim_way { SIM_TO_RESPONDER, SIM_TO_CLIENT };

struct sim_impair {
	double	loss, dup;
	int64_t	jitter_ns;
	uint64_t every;			/* this one is also lost; 0: none */
	double	late;			/* this share comes so much later */
	int64_t	late_ns;
	double	payload, header;	/* damaged, and the UDP checksum is mended */
	double	checksum;		/* damaged, and it is not */
	int	copies;			/* of one that is copied; 0: one */
	int64_t	out_from_ns, out_to_ns;	/* an outage: all are lost */
};

/* Shares of the data frames that die at places of the hosts. */
struct sim_hosts {
	bool	counted;		/* the hosts report their counters */
	bool	hidden;			/* the client's queue counts no refusal, its interface no drop */
	double	refuse;			/* by send(), in turn with ENOBUFS and EPERM */
	double	qdisc, tx_nic, rx_nic, softnet, ingress, ip;
	uint64_t others;		/* each counter rises by up to so much of others' traffic */
	bool	busy;			/* they also count what cores and drivers did */
};

/* Steps of a datagram; the last one that it comes to is its place. */
enum sim_step {
	SIM_SENT, SIM_AT_QDISC, SIM_AT_TX_NIC, SIM_IN_NETWORK, SIM_AT_RX_NIC, SIM_AT_SOFTNET,
	SIM_AT_INGRESS, SIM_AT_IP, SIM_AT_CHECKSUM, SIM_AT_SOCKET, SIM_QUEUED, SIM_TAKEN,
	SIM_STEPS
};

enum sim_fate { SIM_PASS, SIM_DROP, SIM_DUP };

struct sim_packet {
	int64_t		at_ns;
	uint64_t	order;		/* first sent, first out at the same time */
	enum sim_way	way;
	struct pace_addr from, to;	/* to: the client, or the responder's port */
	size_t		len;
	uint32_t	drops;		/* of the queue it waits in, when it came */
	uint8_t		*buf;
	size_t		segment;	/* above 0: datagrams of this length, put together */
	int		parts;		/* so many */
	bool		data;		/* a frame, the way that they go */
	uint64_t	number[64];	/* of data frames: as they were sent, */
	uint8_t		run;		/* of that run */
	int64_t		sent_ns;
	uint64_t	payload, header;	/* which parts were damaged there */
	bool		checksum;
	uint8_t		mark;		/* as it arrives: DSCP << 2 | ECN */
};

struct sim_queue {
	struct sim_packet *first[4096];
	int		n, room;	/* room: the socket's, in datagrams */
	uint32_t	drops;
};

struct sim;

#define SIM_DEPARTURES	256

struct sim_end {
	struct sim	*sim;
	bool		used, dead;
	bool		theirs;		/* lives by the responder's clock */
	int64_t		theta_ns, skew_ppb;	/* of one more client's clock */
	bool		wants;		/* waits for a datagram */
	bool		coalesce;	/* wants trains in one piece */
	int64_t		departure[SIM_DEPARTURES];	/* by number */
	uint32_t	departures, told;
	uint8_t		mark;		/* of what it sends */
	struct pace_addr addr;		/* client's; a session's: its peer */
	struct sim_queue q;
	/* of a session */
	int		slot;
	struct pace_session *session;
	struct pace_wake wake;
	/* of a further flow: */
	struct sim_end	*of;		/* the session's, or the client's; NULL: this is none */
};

#define SIM_FLOWS	512

struct sim {
	int64_t		now_ns, delay_ns;
	int64_t		back_ns;	/* more delay towards the client */
	uint64_t	steps;		/* times that a session was woken */
	int64_t		theta_ns, skew_ppb, stack_ns;
	int64_t		poll_ns;	/* what looking into an empty socket costs the client */
	int64_t		wall_ns;	/* the responder's wall clock - its probe clock */
	int64_t		own_wall_ns;	/* the clients' */
	uint64_t	rng, order;
	struct sim_impair control[2], data[2];
	/* May look at and change the bytes; NULL: pass.  After the dice. */
	enum sim_fate	(*hook)(void *ctx, enum sim_way way, uint8_t *buf, size_t len,
			    int64_t *delay_ns);
	void		*hook_ctx;
	/* Takes what the responder sends to an address that no client has; NULL: it is lost. */
	void		(*other)(struct sim *s, const struct sim_packet *p);
	uint8_t		(*remark)(struct sim_packet *p);	/* the new mark; NULL: the network keeps it */
	struct sim_packet *flight[SIM_FLIGHTS];	/* a heap by time */
	int		flights;
	struct sim_end	listener, client, sessions[SIM_SESSIONS];
	int		sessions_n;	/* places that were ever used */
	struct sim_end	*flows[SIM_FLOWS];		/* at the responder; NULL: free */
	struct sim_end	*own[SIM_FLOWS];		/* at the clients; NULL: free */
	int		flows_n, own_n;			/* places that were ever used */
	/* More clients, each with its own clock.  All clients run as threads, one at a time: yield
	 * lets the others run until that time, or until this one has a datagram and wants it. */
	struct sim_end	more[SIM_CLIENTS];
	int		more_n;
	bool		(*yield)(struct sim_end *e, int64_t until_ns, bool on_data);
	struct pace_responder responder;
	struct pace_rules *rules;	/* of sim_reverse; NULL */
	struct pace_threads cores;	/* of sim_threads */
	struct sim_thread *threads;	/* that live */
	struct pace_stats_page *watch;	/* of all sessions; NULL: none */
	struct pace_stats_page *watches;	/* of each session, by its place; NULL: none */
	struct sim_end	*stepped;	/* the session that is being stepped; NULL */
	bool		down;		/* no responder at all */
	bool		joins_all;	/* what waits in a socket comes in one piece, frames or not */
	bool		closed_port;	/* while it is down its host answers with ICMP */
	int		unreachable;	/* ICMP messages that wait at the client */
	void		(*tick)(struct sim *s);		/* every tick_ns; NULL: nothing happens */
	int64_t		tick_ns, ticked_ns;
	void		(*look)(struct sim *s);		/* every look_ns, and changes nothing; NULL */
	int64_t		look_ns, looked_ns;
	struct pace_usage usage;	/* what the machines say was done to them */
	double		watts;		/* that each machine draws; 0: not counted */
	int		session_room;	/* datagrams in a session's socket; 0: plenty */
	bool		no_drop_total;	/* the kernel tells drops with frames only */
	int		train_room;	/* frames that one train call takes; 0: all, below: -errno */
	bool		gro, reverse, two_way;
	const struct pace_host *host;	/* the responder's; NULL: hardly anything is known */
	uint32_t	most_buffer;	/* that the responder's kernel grants; 0: plenty */
	struct sim_hosts hosts;
	uint64_t	refusals;	/* calls of send() */
	uint64_t	closed;		/* times that the responder looked at its counters behind a run */
	/* what the hosts count of each way */
	struct sim_counts {
		uint64_t	tx_frames, tx_nic_drops, qdisc_drops, rx_frames, rx_nic_drops;
		uint64_t	softnet_drops, ip_received, ip_delivered;
	} counts[2];
	uint64_t	others;
	uint64_t	data_n;		/* data frames in the network so far */
	void		(*saw)(void *ctx, enum sim_step step, const struct sim_packet *p, int part);
	void		*saw_ctx;
	uint64_t	sent[2], lost[2], copied[2];
	uint64_t	stranger_in, stranger_out;	/* bytes at the listener */
	uint64_t	worst_gain;	/* replies of the listener above their request */
	size_t		last_in;
};

/* Above 0: the network itself asks for memory; a test that takes it away leaves
 * it that. */
extern volatile int	sim_own;	/* calloc is known to look at nothing */

/* A responder that is up, one client, a delay of 100 µs, no impairment. */
struct sim	*sim_new(uint64_t seed);
void	sim_free(struct sim *s);

/* The client's end of the wire. */
struct pace_io	sim_client_io(struct sim *s);

/* Begin a client at that end, by IPv4, after freeing the one that cl was; static memory counts as
 * one.  -ENOMEM. */
int	sim_new_client(struct sim *s, struct pace_client *cl);

/* Open a client's socket of a further flow: pace_client.open_flow, with ctx its end. */
int	sim_open_flow(void *ctx, uint32_t stream, struct pace_io *io, struct pace_err *err);
/* One more client, at another address; its clock is the network's + theta_ns, gaining skew_ppb. */
struct pace_io	sim_one_more(struct sim *s, int64_t theta_ns, int64_t skew_ppb);

/* For yield: let the world move up to a time of the network, or until an end has a datagram that it
 * wants: true. */
bool	sim_advance(struct sim *s, int64_t until_ns);

/* Let time pass. */
void	sim_pass(struct sim *s, int64_t ns);

/* The responder's process ends, or restarts without its sessions. */
void	sim_kill_responder(struct sim *s);
void	sim_start_responder(struct sim *s);

/* A datagram from anybody to the responder's port. */
void	sim_inject(struct sim *s, const struct pace_addr *from, const void *buf, size_t len);

/* One to the client from the responder's port, as if it had sent it. */
void	sim_forge(struct sim *s, const void *buf, size_t len);

/* From now on frames go to the client, and every client may request them.  Call it before the
 * session opens. */
void	sim_reverse(struct sim *s);

/* From now on new sessions have so many threads, and s->cores are those for a client.  One network of
 * a process can have them. */
void	sim_threads(struct sim *s, uint32_t n);

/* Somebody asks for the lease, for a run that is no longer than a turn. */
int	sim_take_lease(struct pace_lease *l, uint64_t session, const struct pace_addr *from,
	    int64_t now_ns, int64_t at_most_ns, const char *label, struct pace_msg_error *who);

/* Forget all earlier requests, for tests of the other conditions of an answer. */
void	sim_forget_limits(struct sim *s);

/* Sessions alive. */
int	sim_sessions(struct sim *s);

/* The client's application takes what came, and looks at none of it. */
void	sim_discard(struct sim *s);

uint64_t	sim_random(struct sim *s);

/* The check of a control message that was changed. */
void	sim_mend(uint8_t *buf, size_t len);

#endif
