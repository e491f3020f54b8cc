/*
 * The whole program on the simulated network: main runs with a command line, and its sockets,
 * clocks and facts of the host are the simulation's.  What it prints and writes is compared with
 * what was recorded (sums.h); its exit status, and what a network makes it say, are typed in here.
 *
 * The linker wraps main, and what machine.c replaces.
 */
#include "lib/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "far.h"
#include "lib/folder.h"
#include "machine.h"
#include "operator.h"
#include "plat/addr.h"
#include "plat/sock.h"
#include "proto/seal.h"
#include "run/campaign_file.h"
#include "run/feed.h"
#include "run/point_control.h"
#include "run/stop.h"
#include "run/watch_plan.h"
#include "simnet.h"
#include "sums.h"

#define WORDS		64
#define LINE		2048	/* bytes of a line of commands */
#define MOST		(1 << 24)	/* bytes of a file */
#define MS		INT64_C(1000000)

static struct sim *net;
static struct pace_host there;	/* what is known of the responder's */

int	__real_main(int argc, char **argv);
int	__wrap_main(void);

/* --- the networks -------------------------------------------------------------------------- */

static void
clean(void)
{
}

static void
lossy(void)
{
	net->data[SIM_TO_RESPONDER].loss = net->data[SIM_TO_CLIENT].loss = 0.01;
	net->data[SIM_TO_RESPONDER].dup = 0.004;
	net->data[SIM_TO_RESPONDER].late = net->data[SIM_TO_CLIENT].late = 0.01;
	net->data[SIM_TO_RESPONDER].late_ns = net->data[SIM_TO_CLIENT].late_ns = 5 * MS;
	net->data[SIM_TO_RESPONDER].jitter_ns = 40000;
	net->control[SIM_TO_CLIENT].loss = 0.05;
	net->control[SIM_TO_RESPONDER].jitter_ns = net->control[SIM_TO_CLIENT].jitter_ns = 30000;
}

static void
terminal(void)
{
	sim_machine.on_terminal = true;
	lossy();
}

/* Clocks that differ, and hosts that count. */
static void
hosts(void)
{
	net->theta_ns = 17 * MS;
	net->skew_ppb = 21000;
	net->stack_ns = 2300;
	net->hosts.counted = true;
	net->hosts.qdisc = net->hosts.rx_nic = net->hosts.softnet = 0.005;
	net->hosts.others = 3;
	net->session_room = 64;
	net->watts = 41.5;
	net->usage.steal_ns = 4000;
}

static void
refusing(void)
{
	net->hosts.counted = true;
	net->hosts.refuse = 0.02;
	lossy();
}

static void
damaging(void)
{
	net->data[SIM_TO_RESPONDER].payload = 0.01;
	net->data[SIM_TO_RESPONDER].header = 0.005;
}

/* What the socket drops, and what the network loses, doubles and delays. */
static void
lossy_at_socket(void)
{
	lossy();
	net->data[SIM_TO_RESPONDER].checksum = 0.005;
}

static void
backwards(void)
{
	sim_reverse(net);
	lossy();
}

static void
both(void)
{
	sim_reverse(net);
	net->reverse = false;
	net->two_way = true;
	lossy();
}

/* The responder has threads for the streams of a run. */
static void
cores(void)
{
	lossy();
	sim_threads(net, 2);
}

/* Some frames come in the next run. */
static void
cores_late(void)
{
	cores();
	net->data[SIM_TO_RESPONDER].late_ns = 800 * MS;
}

static void
cores_backwards(void)
{
	backwards();
	sim_threads(net, 2);
}

static void
cores_both(void)
{
	both();
	sim_threads(net, 2);
}

static void
smaller_path(void)
{
	sim_machine.only_small = true;
}

static void
dead(void)
{
	sim_kill_responder(net);
}

static void
closed(void)
{
	sim_kill_responder(net);
	net->closed_port = true;
}

static struct pace_policy policy;
static struct pace_key alice, bob;
static int64_t dies_ns;

/* Not while a session is being stepped, which is in its own code. */
static void
die(struct sim *s)
{
	if (s->stepped == NULL && !s->down && s->now_ns > dies_ns)
		sim_kill_responder(s);
}

static void
dying(void)
{
	dies_ns = net->now_ns + 400 * MS;
	net->tick = die;
	net->tick_ns = MS;
}

/* A link of 100 Mbit/s with a queue of 2 ms. */
static enum sim_fate
queue(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static int64_t free_ns[2];
	int64_t wait = free_ns[way] - net->now_ns;

	(void)ctx;
	(void)buf;
	wait = wait > 0 ? wait : 0;
	if (wait > 2 * MS)
		return SIM_DROP;
	free_ns[way] = net->now_ns + wait + (int64_t)len * 80;
	*delay_ns += wait;
	return SIM_PASS;
}

static void
narrow(void)
{
	net->hook = queue;
}

static void
mesh(void)
{
	sim_machine.apart = true;
	lossy();
}

static void
mesh_dying(void)
{
	sim_machine.apart = true;
	dying();
	dies_ns = net->now_ns + 20000 * MS;
}

/* A responder with the rule that it has by default. */
static void
governed(void)
{
	sim_reverse(net);
	net->reverse = false;
	pace_policy_reset(&policy);
	pace_rules_set(net->rules, &policy);
}

static void
ungrouped(void)
{
	governed();
	policy.rule[0].group = PACE_GROUP_NO;
	pace_rules_set(net->rules, &policy);
}

static void
require(const struct pace_key *key)
{
	struct pace_keys ks;
	struct pace_err err;
	char text[512];

	pace_key_line(key, text);
	ck_assert_int_eq(pace_keys_read(&ks, text, strlen(text), &err), 0);
	pace_auth_rekey(&net->responder.shared.auth, &ks);
	net->responder.shared.keys_required = true;
	pace_keys_free(&ks);
}

/* Only who has the key of alice may measure. */
static void
keyed(void)
{
	require(&alice);
}

/* Somebody measures for another three seconds. */
static void
busy(void)
{
	struct pace_msg_error who;

	ck_assert_int_eq(sim_take_lease(&net->responder.shared.lease, 99, &somebody, net->now_ns,
	    3000 * MS, "night run", &who), 0);
}

/* After 3 s nothing of the client arrives for 10.6 s, and somebody takes its lease. */
static enum sim_fate
fall_silent(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	int64_t ns = net->now_ns - dies_ns;
	struct pace_msg_error who;

	(void)ctx, (void)buf, (void)len, (void)delay_ns;
	if (way != SIM_TO_RESPONDER || ns < 0 || ns > 10600 * MS)
		return SIM_PASS;
	if (ns > 10300 * MS)
		(void)sim_take_lease(&net->responder.shared.lease, 99, &somebody, net->now_ns, 1000 * MS, "",
		    &who);
	return SIM_DROP;
}

static void
losing_lease(void)
{
	dies_ns = net->now_ns + 3000 * MS;
	net->hook = fall_silent;
}

static void
interrupt(struct sim *s)
{
	if (s->now_ns < dies_ns)
		return;
	s->tick = NULL;
	raise(SIGINT);
}

static void
stopped(void)
{
	lossy();
	dies_ns = net->now_ns + 700 * MS;
	net->tick = interrupt;
	net->tick_ns = MS;
}

/* While it looks for the responder. */
static void
stopped_early(void)
{
	stopped();
	dead();
}

static void
terminal_both(void)
{
	terminal();
	both();
}

static void
terminal_busy(void)
{
	terminal();
	busy();
}

static void
terminal_stopped(void)
{
	terminal();
	stopped();
}

static void
every_50th(void)
{
	net->data[SIM_TO_RESPONDER].every = 50;
}

/* The sending host stands still for 5 ms behind each 400th frame. */
static enum sim_fate
freeze(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	static int frames;

	(void)ctx, (void)way, (void)len, (void)delay_ns;
	if (buf[3] == PACE_DATA && ++frames % 400 == 0)
		net->now_ns += 5 * MS;
	return SIM_PASS;
}

static void
freezing(void)
{
	net->hook = freeze;
}

/* The kernels grant small buffers. */
static void
clamping(void)
{
	sim_machine.most_buffer = 4096;
	net->most_buffer = 8192;
}

static void
clamping_backwards(void)
{
	backwards();
	clamping();
}

static void
clamping_both(void)
{
	both();
	clamping();
}

/* The hosts count what their cores and drivers do. */
static void
working(void)
{
	net->hosts.counted = net->hosts.busy = true;
	net->hosts.rx_nic = net->hosts.ingress = 0.01;
}

static void
working_both(void)
{
	both();
	working();
}

/* Few frames are much later than the others, and the clocks differ. */
static void
some_late(void)
{
	hosts();
	net->data[SIM_TO_RESPONDER].jitter_ns = 20000;
	net->data[SIM_TO_RESPONDER].late = 0.0002;
	net->data[SIM_TO_RESPONDER].late_ns = 40 * MS;
}

static int display[2];			/* a campaign's, in another process: our end, its own */

static void
displayed(void)
{
	both();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, display), 0);
	pace_feed_to(display[0]);
}

static void (*between)(void);	/* two commands of a line; NULL: nothing happens */

/* From the fifth command on, more and more is lost, and it takes longer. */
static void
worsen(void)
{
	static int commands;

	if (++commands < 4)
		return;
	net->data[SIM_TO_RESPONDER].loss += 0.05;
	net->delay_ns += 100000;
}

static void
worsening(void)
{
	between = worsen;
}

/* The user skips the second point, as on the screen of a campaign, or ends the run with it. */
static bool ends;

static void
skip(struct sim *s)
{
	if (!pace_point_control_point(1))
		return;
	pace_point_control_last = ends;
	s->tick = NULL;
}

static void
skipping(void)
{
	net->tick = skip;
	net->tick_ns = 7 * MS;
}

static void
ending(void)
{
	skipping();
	ends = true;
}

/* Every control frame may be lost, doubled or overtaken. */
static void
lose_control(void)
{
	for (int way = 0; way < 2; way++)
		net->control[way] = (struct sim_impair){ .loss = 0.3, .dup = 0.2, .late = 0.2,
		    .late_ns = 3 * MS };
}

static void
losing_control(void)
{
	lossy();
	lose_control();
}

static void
losing_control_backwards(void)
{
	backwards();
	lose_control();
}

static void
losing_control_both(void)
{
	both();
	lose_control();
}

/* The user stops the program in the first point, and lets it go on. */
static void
stop_and_go(struct sim *s)
{
	if (s->now_ns < dies_ns)
		return;
	s->tick = NULL;
	pace_point_control_on_rest(SIGTSTP);
}

static void
resting(void)
{
	dies_ns = net->now_ns + 30 * MS;
	net->tick = stop_and_go;
	net->tick_ns = MS;
}

/* The responder is stopped, and leaves clients 4.5 s; what they ask for comes slowly. */
static void
part(struct sim *s)
{
	if (s->now_ns < dies_ns)
		return;
	s->tick = NULL;
	s->responder.closing = true;
	for (int i = 0; i < SIM_SESSIONS; i++)
		if (s->sessions[i].used && s->sessions[i].session != NULL)
			pace_session_part(s->sessions[i].session, s->now_ns + 4500 * MS);
}

static void
parting(void)
{
	net->delay_ns = 40 * MS;
	dies_ns = net->now_ns + 1100 * MS;
	net->tick = part;
	net->tick_ns = MS;
}

/* Commands of MESH_OF_FOUR that find another network, or another clock of the responder. */
static unsigned losing, ahead, behind;

static void
differ(void)
{
	static unsigned n;
	unsigned command = 1U << n++;

	net->data[SIM_TO_RESPONDER].loss = losing & command ? 0.4 : 0;
	net->delay_ns = losing & command ? 9 * MS : 300000;
	net->theta_ns = ahead & command ? 500 * MS : behind & command ? -500 * MS : 0;
}

static void
mesh_of_four(unsigned lost, unsigned forward, unsigned back)
{
	losing = lost;
	ahead = forward;
	behind = back;
	between = differ;
	differ();
}

static void
one_bad(void)
{
	mesh_of_four(1U << 2, 0, 0);
}

static void
bad_sender(void)
{
	mesh_of_four(7U << 3, 0, 0);		/* b */
}

static void
bad_receiver(void)
{
	mesh_of_four(1U << 1 | 1U << 4 | 1U << 11, 0, 0);	/* c */
}

static void
wrong_clock(void)
{
	mesh_of_four(0, 1U << 2 | 1U << 5 | 1U << 8, 7U << 9);	/* d */
}

/* Both hosts tell all that there is to know of them; a factor makes them differ. */
static void
tell_host(struct pace_host *h, const char *words, int64_t factor)
{
	static const int64_t usual[PACE_FACTS] = { [PACE_FACT_STEAL_PPM] = 30,
		[PACE_FACT_TIMER_SLACK_NS] = 50000, [PACE_FACT_RMEM_MAX] = 212992,
		[PACE_FACT_RMEM_DEFAULT] = 106496, [PACE_FACT_WMEM_MAX] = 212992,
		[PACE_FACT_WMEM_DEFAULT] = 53248, [PACE_FACT_BACKLOG] = 1000,
		[PACE_FACT_BUDGET] = 300, [PACE_FACT_BUDGET_USECS] = 2000,
		[PACE_FACT_RT_RUNTIME_US] = 950000, [PACE_FACT_SPEED_MBPS] = 10000,
		[PACE_FACT_MTU] = 1500, [PACE_FACT_TXQUEUELEN] = 1000, [PACE_FACT_RX_RING] = 512,
		[PACE_FACT_RX_RING_MAX] = 4096, [PACE_FACT_TX_RING] = 256,
		[PACE_FACT_TX_RING_MAX] = 2048, [PACE_FACT_RX_USECS] = 25,
		[PACE_FACT_RX_FRAMES] = 16, [PACE_FACT_QUEUES] = 2 };

	*h = (struct pace_host){ .cores = (int)(16 * factor), .irqs = (int)(2 * factor) };
	for (int i = 0; i < PACE_FACTS; i++) {
		h->has[i] = true;
		h->fact[i] = usual[i] != 0 ? usual[i] * factor : (i + factor) % 2;
	}
	for (int i = 0; i < h->irqs; i++) {
		h->irq[i].irq = (uint32_t)(100 * factor + i);
		snprintf(h->irq[i].queue, sizeof(h->irq[i].queue), "%s-%d", words, i);
		snprintf(h->irq[i].cores, sizeof(h->irq[i].cores), "%d", i * 4);
	}
	snprintf(h->version, sizeof(h->version), "0.1.%d", (int)factor);
	snprintf(h->kernel, sizeof(h->kernel), "6.%d.0", (int)factor);
	snprintf(h->machine, sizeof(h->machine), factor > 1 ? "aarch64" : "x86_64");
	snprintf(h->cpu, sizeof(h->cpu), "%s CPU", words);
	snprintf(h->clocksource, sizeof(h->clocksource), factor > 1 ? "hpet" : "tsc");
	snprintf(h->governor, sizeof(h->governor), factor > 1 ? "mixed" : "performance");
	snprintf(h->virt, sizeof(h->virt), factor > 1 ? "KVM" : "no");
	snprintf(h->interface, sizeof(h->interface), "%s0", words);
	snprintf(h->driver, sizeof(h->driver), "drv_%s", words);
	snprintf(h->numa_cores, sizeof(h->numa_cores), "0-%d", (int)(8 * factor) - 1);
	if (factor > 1)
		snprintf(h->stamp_spoilers, sizeof(h->stamp_spoilers), "bond0, %s0", words);
}

static void
told(void)
{
	tell_host(&sim_machine.facts, "ours", 2);
	tell_host(&there, "theirs", 1);
	net->host = &there;
}

static void
told_backwards(void)
{
	backwards();
	told();
}

/* Nothing else is there to read. */
static void
bare_root(void)
{
	told();
	setenv("UDPACE_ROOT", folder, 1);
}

static void
told_lossy(void)
{
	lossy();
	told();
	tell_host(&sim_machine.facts, "ours", 1);
	tell_host(&there, "theirs", 3);
}

static void
other_bare_root(void)
{
	told_lossy();
	setenv("UDPACE_ROOT", folder, 1);
}

/* The group of its owner may read a file of keys. */
static void
shared_key(void)
{
	char path[128], text[512];
	FILE *f = fopen(folder_path(path, "lax"), "w");

	ck_assert(f != NULL && fchmod(fileno(f), 0640) == 0);
	pace_key_line(&alice, text);
	fputs(text, f);
	fclose(f);
}

/* Frames die, and all else gets through. */
static void
no_data(void)
{
	net->data[SIM_TO_RESPONDER].loss = net->data[SIM_TO_CLIENT].loss = 1;
}

/* Six seconds nothing comes through. */
static void
outage(void)
{
	for (int way = 0; way < 2; way++) {
		struct sim_impair *i[] = { &net->control[way], &net->data[way] };

		for (int k = 0; k < 2; k++) {
			i[k]->out_from_ns = net->now_ns + 4000 * MS;
			i[k]->out_to_ns = net->now_ns + 10000 * MS;
		}
	}
}

/* The second one lasts for five. */
static void
another(struct sim *s)
{
	if (s->now_ns < dies_ns)
		return;
	s->tick = NULL;
	for (int way = 0; way < 2; way++) {
		struct sim_impair *i[] = { &net->control[way], &net->data[way] };

		for (int k = 0; k < 2; k++) {
			i[k]->out_from_ns = net->now_ns;
			i[k]->out_to_ns = net->now_ns + 5000 * MS;
		}
	}
}

static void
two_outages(void)
{
	outage();
	dies_ns = net->now_ns + 20000 * MS;
	net->tick = another;
	net->tick_ns = MS;
}

static void
outage_of_both(void)
{
	both();
	outage();
}

/* The responder restarts after 3 s, and is away for `away_ns`. */
static int64_t away_ns;

static void
restart(struct sim *s)
{
	die(s);
	if (!s->down || s->now_ns <= dies_ns + away_ns)
		return;
	sim_start_responder(s);
	operator_begin(s, folder);
	s->tick = NULL;
}

static void
restarting(void)
{
	away_ns = 0;
	dies_ns = net->now_ns + 3000 * MS;
	net->tick = restart;
	net->tick_ns = MS;
}

static void
metered_restarting(void)
{
	net->watts = 41.5;
	restarting();
}

static void
away(void)
{
	restarting();
	away_ns = 2500 * MS;
}

static void
mesh_restarting(void)
{
	sim_machine.apart = true;
	restarting();
}

static void
refusing_restarting(void)
{
	refusing();
	restarting();
}

static void
both_dying(void)
{
	both();
	dying();
}

/* The network clears the DSCP; and each fourth frame experiences congestion, or is as if it was not
 * capable. */
static uint8_t
clear_dscp(struct sim_packet *p)
{
	return p->data && p->way == SIM_TO_RESPONDER ? p->mark & 3 : p->mark;
}

static uint8_t
mark(struct sim_packet *p)
{
	static int n;

	return !p->data || ++n % 4 != 0 ? p->mark : n % 8 == 0 ? p->mark | 3 : p->mark & 0xf8;
}

/* Of five frames one gets another DSCP, and two get none. */
static uint8_t
mix_dscp(struct sim_packet *p)
{
	static int n;

	if (!p->data || p->way != SIM_TO_RESPONDER)
		return p->mark;
	n++;
	return n % 5 == 0 ? 8 << 2 : n % 5 > 2 ? 0 : p->mark;
}

static void
clearing(void)
{
	net->remark = clear_dscp;
}

static void
mixing(void)
{
	net->remark = mix_dscp;
}

static void
marking(void)
{
	net->remark = mark;
}

static void
little_mtu(void)
{
	sim_machine.path_mtu = 300;
}

static void
tiny_mtu(void)
{
	sim_machine.path_mtu = 30;
}

/* The sending host refuses each frame. */
static void
refusing_all(void)
{
	net->hosts.counted = true;
	net->hosts.refuse = 1;
}

static void
no_address(void)
{
	sim_machine.fault = "bind";
	sim_machine.fault_code = EADDRNOTAVAIL;
}

static void
port_taken(void)
{
	sim_machine.fault = "bind";
	sim_machine.fault_code = EADDRINUSE;
}

static void
no_interface(void)
{
	sim_machine.fault = PACE_SOCK_INTERFACE;
	sim_machine.fault_code = EPERM;
}

static void
no_priority(void)
{
	sim_machine.fault = PACE_SOCK_PRIORITY;
	sim_machine.fault_code = EPERM;
}

static void
no_socket(void)
{
	sim_machine.fault = "socket";
	sim_machine.fault_code = EMFILE;
}

/* A file of paths or steps, in.ini; @: the file of keys. */
static void
put_in(const char *text)
{
	char path[128];
	FILE *f = fopen(folder_path(path, "in.ini"), "w");

	ck_assert_ptr_nonnull(f);
	for (; *text != '\0'; text++)
		if (*text == '@')
			fputs(folder_path(path, "keys"), f);
		else
			fputc(*text, f);
	fclose(f);
}

/* After 200 ms mesh/a is no longer there. */
static void
remove_folder(struct sim *s)
{
	char path[128];

	if (s->now_ns < dies_ns)
		return;
	unlink(folder_path(path, "mesh/a/doc.json.journal"));
	unlink(folder_path(path, "mesh/a/state"));
	unlink(folder_path(path, "mesh/a/state.lock"));
	ck_assert_int_eq(rmdir(folder_path(path, "mesh/a")), 0);
	s->tick = NULL;
}

static void
removing(void)
{
	dies_ns = net->now_ns + 200 * MS;
	net->tick = remove_folder;
	net->tick_ns = MS;
}

/* A file may have 12 KiB, as if the disk were full; what the test itself writes has less. */
static void
full_disk(void)
{
	ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 12 << 10, RLIM_INFINITY }), 0);
}

/* A folder of the user's, with a file that looks like a step's. */
static void
own_folder(void)
{
	char path[128];
	FILE *f;

	ck_assert_int_eq(mkdir(folder_path(path, "own"), 0700), 0);
	f = fopen(folder_path(path, "own/01-notes.json"), "w");
	ck_assert_ptr_nonnull(f);
	fputs("mine\n", f);
	fclose(f);
}

#define FILE_WITH(name, text) static void name(void) { put_in(text); }
FILE_WITH(no_paths, "# none\n")
FILE_WITH(odd_name, "[a/b]\nhost = 192.0.2.9\n")
FILE_WITH(same_name, "[a]\nhost = 192.0.2.9\n[a]\nhost = 192.0.2.10\n")
FILE_WITH(no_section, "host = 192.0.2.9\n")
FILE_WITH(no_host, "[a]\nhost = a,b\n")
FILE_WITH(neither, "[a]\nhost = 192.0.2.9\nstamp = maybe\n")
FILE_WITH(two_secrets, "[a]\nhost = 192.0.2.9\nstamp = yes\nkey = @\n")
FILE_WITH(no_stamp, "[a]\nhost = 192.0.2.9\ntwamp-light = yes\n")
FILE_WITH(lacks_key, "[a]\nhost = 192.0.2.9\nkey = @:carol\n")
FILE_WITH(twice, "[a]\nsize = 100\nsize = 200\n")
FILE_WITH(title_twice, "[campaign]\ntitle = a\ntitle = b\n[a]\nsize = 100\n")
FILE_WITH(bad_value, "[a]\nsize = many\n")
FILE_WITH(bad_command, "[a]\ncommand = watch\n")
FILE_WITH(empty_end, "[a]\nsize = 100\n[b]\n")
FILE_WITH(sending, "[a]\ncommand = send\nduration = 50ms\nspacing = 100us\n[b]\ncommand = send\n"
    "duration = 50ms\nrate = 10M\nallow-public = yes\n[c]\ncommand = clock\n")
FILE_WITH(only_title, "[campaign]\ntitle = a\n")
FILE_WITH(spoken, "[campaign]\ntitle = Look at\n  the path\nabout = a few\n  frames\n[a]\ncount = 20\n")

static void
put_sections(int n, const char *text)
{
	static char all[400000];
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += (size_t)snprintf(all + len, sizeof(all) - len, "[s%d]\n%s\n", i, text);
	ck_assert_uint_lt(len, sizeof(all));
	put_in(all);
}

static void
too_many_steps(void)
{
	put_sections(PACE_STEPS_MAX + 1, "count = 10");
}

static void
too_many_paths(void)
{
	put_sections(PACE_WATCH_PATHS + 1, "size = 100");
}

/* One reply in twenty is much later than the others. */
static void
late_replies(void)
{
	net->data[SIM_TO_CLIENT].late = 0.05;
	net->data[SIM_TO_CLIENT].late_ns = 40 * MS;
}

static void
keyed_path(void)
{
	keyed();
	put_in("[a]\nhost = 192.0.2.9\nkey = @:alice\nspacing = 20ms\n");
}

static void
write_keys(const struct pace_key *key)
{
	char path[128], text[512];
	FILE *f = fopen(folder_path(path, "other"), "w");

	ck_assert(f != NULL && fchmod(fileno(f), 0600) == 0);
	pace_key_line(key, text);
	fputs(text, f);
	fclose(f);
}

/* The responder and the file get another key, then nothing changes, and then the file has none of
 * this name. */
static void
change_keys(struct sim *s)
{
	static int times;

	if (s->now_ns < dies_ns || times == 3)
		return;
	if (++times == 1) {
		pace_key_make(&alice, "alice");
		require(&alice);
		write_keys(&alice);
	} else if (times == 3) {
		write_keys(&bob);
	}
	dies_ns += 8000 * MS;
	sim_machine.as_call = true;
	raise(SIGHUP);
}

static void
other_key(void)
{
	char text[200], path[128];

	snprintf(text, sizeof(text), "[a]\nhost = 192.0.2.9\nkey = %s:alice\nspacing = 20ms\n",
	    folder_path(path, "other"));
	sim_machine.apart = true;
	put_in(text);
	write_keys(&alice);
	require(&alice);
	dies_ns = net->now_ns + 8000 * MS;
	net->tick = change_keys;
	net->tick_ns = MS;
}

static void
write_secret(char c, const char *name)
{
	char path[128];
	FILE *f = fopen(folder_path(path, "other"), "w");

	ck_assert(f != NULL && fchmod(fileno(f), 0600) == 0);
	fprintf(f, "%s hex:%c%c%c%c\n", name, c, c, c, c);
	fclose(f);
}

/* The secret stays, is another, and has another name. */
static void
change_secret(struct sim *s)
{
	static int times;

	if (s->now_ns < dies_ns || times == 3)
		return;
	times++;
	write_secret(times == 2 ? 'b' : 'a', times == 3 ? "two" : "one");
	dies_ns += 4000 * MS;
	sim_machine.as_call = true;
	raise(SIGHUP);
}

/* A path to a reflector with a secret, and one to a responder. */
static void
secret_and_open(void)
{
	put_in("[a]\nhost = 192.0.2.9\nstamp = yes\n[b]\nhost = 192.0.2.10\n");
	write_secret('a', "one");
}

static void
other_plan(void)
{
	put_in("[one]\ncount = 30\n");
}

static void
other_secret(void)
{
	char text[200], path[128];

	snprintf(text, sizeof(text), "[a]\nhost = 192.0.2.9\nstamp = yes\nstamp-key = %s:one\n",
	    folder_path(path, "other"));
	put_in(text);
	write_secret('a', "one");
	dies_ns = net->now_ns + 4000 * MS;
	net->tick = change_secret;
	net->tick_ns = MS;
}

/* The clock of the first point is not known. */
static enum sim_fate
drop_first_pings(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)way, (void)len, (void)delay_ns;
	return (buf[3] & ~PACE_REPLY) == PACE_PING && net->now_ns < dies_ns ? SIM_DROP : SIM_PASS;
}

static void
late_clock(void)
{
	net->hook = drop_first_pings;
	dies_ns = net->now_ns + 300 * MS;
	net->data[SIM_TO_RESPONDER].jitter_ns = 40000;
}

static bool
every_20th(uint32_t n)
{
	return n % 20 == 7;
}

static bool
every_30th(uint32_t n)
{
	return n % 30 == 11;
}

static const char *const paths[] = {
	"[stays]\nhost = 192.0.2.9\n[goes]\nhost = 192.0.2.10\n"
	    "[changes]\nhost = 192.0.2.11\ndscp = ef\n",
	"[comes]\nhost = 192.0.2.12\nspacing = 50ms\n[stays]\nhost = 192.0.2.9\n"
	    "[changes]\nhost = 192.0.2.11\ndscp = 10\n",
	"[stays]\nhost = 192.0.2.9\nsize = 1\n",
	"[stays]\nhost = 192.0.2.9\n[comes]\nhost = 192.0.2.12\nspacing = 50ms\n"
	    "[strange]\nhost = 192.0.2.13\nkey = none\n",
	"[stays]\nhost = 192.0.2.9\n",
};
static int which;		/* of them is in the file */

static void
write_paths(void)
{
	char path[128];
	FILE *f = fopen(folder_path(path, "paths.ini"), "w");

	ck_assert_ptr_nonnull(f);
	fputs(paths[which], f);
	fclose(f);
}

static int last_path;

/* The watcher reads its file again, which has other paths, and later a fault. */
static void
reread(struct sim *s)
{
	if (s->now_ns < dies_ns || which == last_path)
		return;
	which++;
	write_paths();
	dies_ns += 8000 * MS;
	sim_machine.as_call = true;
	raise(SIGHUP);
}

static void
changing(void)
{
	mesh();
	which = 0;
	last_path = 2;
	write_paths();
	dies_ns = net->now_ns + 8000 * MS;
	net->tick = reread;
	net->tick_ns = MS;
}

/* In the second of two watches. */
static void
change_now(void)
{
	changing();
	last_path = 1;
	dies_ns = net->now_ns + 4000 * MS;
}

static void
changing_later(void)
{
	changing();
	net->tick = NULL;
	between = change_now;
}

/* After another fault it is mended. */
static void
mending(void)
{
	changing();
	last_path = COUNT_OF(paths) - 1;
}

/* A STAMP reflector is there, and no responder. */
static void
reflector(void)
{
	far.net = net;
	far.there_ns = 300000;
	far.back_ns = 200000;
	far.jitter_ns = 50000;
	far.stay_ns = 20000;
	far.offset_ns = 70 * MS;
	far.rate = 5e-6;
	far.lost_there = every_20th;
	far.lost_back = every_30th;
	far_use(true);
	net->hook = far_reflect;
	net->stack_ns = FAR_STACK;
}

/* It counts no requests. */
static void
stateless(void)
{
	reflector();
	far_use(false);
}

/* Wall clocks that are not probe clocks: this host's is 30 ms ahead of it. */
static void
walls(void)
{
	net->own_wall_ns = 30 * MS;
	net->wall_ns = 170 * MS;
}

static void
reflector_by_wall(void)
{
	reflector();
	walls();
}

/* After 3 s the HMAC of its replies is wrong for 3 s; after 10 s nothing reaches it for 3 s. */
static void
forge(uint8_t *buf, size_t *len)
{
	const int64_t at = net->now_ns - dies_ns;

	(void)len;
	buf[33] ^= (uint8_t)(at > 3000 * MS && at < 6000 * MS);
}

static bool
lost_later(uint32_t n)
{
	const int64_t at = net->now_ns - dies_ns;

	(void)n;
	return at > 10000 * MS && at < 13000 * MS;
}

static struct pace_rules *its_rules;

static void
secret_reflector(void)
{
	char path[128];
	FILE *f = fopen(folder_path(path, "other"), "w");

	ck_assert(f != NULL && fchmod(fileno(f), 0600) == 0);
	fputs("default hex:6b657900\n", f);
	fclose(f);
	reflector();
	its_rules = far_lock();
	far.lost_there = lost_later;
	far.mangle = forge;
	dies_ns = net->now_ns;
}

#define MESH_OF_FOUR \
	"throughput 192.0.2.9 --count 100 -o %/mesh/a/b.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/a/c.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/a/d.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/b/a.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/b/c.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/b/d.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/c/a.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/c/b.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/c/d.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/d/a.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/d/b.json --quiet ; " \
	"throughput 192.0.2.9 --count 100 -o %/mesh/d/c.json --quiet ; "

/* %: the folder.  What is said on stdout or stderr follows from the network or the mistake. */
static const struct {
	const char	*line;
	void		(*net)(void);
	int		status;
	const char	*says;
} run[] = {
	{ "latency 192.0.2.9 --size 64,1472 --count 200", clean, 0,
	    "    64    200   0       200.00  200.00       -  200.00  200.00  200.00" },
	{ "latency 192.0.2.9 --count 40 --link-rate 10G --json", lossy, 0, "" },
	{ "latency 192.0.2.9 --size 64:1472:128 --count 100 --csv -o %/doc.json", lossy, 0, "" },
	{ "latency 192.0.2.9 --ping-pong --count 300 --size 64,128 --max-loss 0.1% --jsonl "
	    "-", lossy, 1, "" },
	{ "latency 192.0.2.9 --interval 100us --count 500 --size 100,1000 --reply-size 64 --list "
	    "--linear 100us:5us:40 --json", hosts, 0, "" },
	{ "latency 192.0.2.9 --size 64,128 --count 1000 --label night --jsonl %/events "
	    "-o %/doc.json", dying, 4, "" },
	{ "latency 192.0.2.9 --size 64,9000 --count 10", clean, 2,
	    "'9000' does not fit the path MTU of 1500 bytes" },
	{ "latency 192.0.2.9 --size 64,9000 --fit-mtu --count 10 --dscp ef "
	    "--ecn ect0", clean, 0, "" },
	{ "latency 192.0.2.9 --count 10 --timeout 50ms", dead, 3, "no answer in 5 s" },
	{ "latency 192.0.2.9 --dry-run", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 1000", clean, 0, "  lost                         0\n" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 50us", every_50th, 0,
	    "  lost                        40   2.00 %" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 50us --verbose", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 50us --json --interval 20ms", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --size 64,1472 --spacing 20us,100us --csv "
	    "-o %/doc.json --jsonl %/events --order shuffle --seed 7", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --rate 100M,200M --repeat 3 "
	    "--csv-short", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --rate 100M --repeat 3 --max-loss 1%", lossy, 1, "" },
	{ "throughput 192.0.2.9 --duration 200ms --spacing 100us --omit 50ms "
	    "--min-rate 1G", lossy, 1, "" },
	{ "throughput 192.0.2.9 --count 100 --bursts 5 --burst-gap 10ms --spacing 10us --json "
	    "--no-bins", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 1000 --spacing 50us --interval 10ms", refusing, 1,
	    "ENOBUFS" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us --streams 3 --interval 10ms --json",
	    refusing, 1, "" },
	{ "latency 192.0.2.9 --count 100", refusing, 0, "" },
	{ "throughput 192.0.2.9 --count 640 --train 32 --spacing 10us --verbose", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 50us --verify --linear 0:2us:50 "
	    "--verbose", damaging, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 50us --message 10 --json", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --streams 3 --per-stream "
	    "-o %/doc.json", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --streams 1,4 --stagger random "
	    "--size 500,1000 --source-port 5000 --csv", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 1000 --spacing 50us --reverse "
	    "--verbose", backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 50us --reverse --streams 2 "
	    "--json", backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 50us --two-way --verbose "
	    "-o %/doc.json", both, 1, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 50us --record %/records:100:300 "
	    "--quiet", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 50us --record %/records "
	    "--record-lost", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json "
	    "--jsonl %/events", dying, 4, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json ; "
	    "throughput --resume %/doc.json", dying, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --no-host-info --json --energy", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 10 --start-at +5s --label first", clean, 0, "" },
	{ "throughput 192.0.2.9", closed, 3, "no program listens on that port" },
	{ "throughput 192.0.2.9 --size 64,1472 --spacing 0:40:4us --count 10k "
	    "--dry-run", clean, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 200ms --sustain 500ms", narrow, 0,
	    "capacity    100.00 Mbit/s of data" },
	{ "capacity 192.0.2.9 --high 400M --precision 5% --duration 100ms --sustain 300ms --json "
	    "--repeat 1 --train 4", narrow, 0, "" },
	{ "capacity 192.0.2.9 --high 20M --duration 100ms --sustain 200ms --csv", clean, 0, "" },
	{ "capacity 192.0.2.9 --high 1G -o %/doc.json --jsonl %/events", hosts, 1, "" },
	{ "capacity 192.0.2.9 --high 1G --max-loss 2% --duration 100ms --sustain 100ms "
	    "--size 500", lossy, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 30s", mesh, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 192.0.2.11 --duration 5s --json --size 300 --spacing 10ms "
	    "--exchange 50ms", mesh, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 40s --csv -o %/doc.json", mesh_dying, 0, "" },
	{ "clock 192.0.2.9", hosts, 0, "responder - client 38.0 ms" },
	{ "clock 192.0.2.9 --count 100 --interval 1ms --json", lossy, 0, "" },
	{ "clock 192.0.2.9 --count 50 --csv", hosts, 0, "" },
	{ "clock 192.0.2.9", dying, 1, "" },
	{ "send 192.0.2.9:5000 --count 1000 --spacing 50us", clean, 0, "" },
	{ "send 192.0.2.9:5000 --count 100 --format vdif --streams 2 --json", clean, 0, "" },
	{ "send 192.0.2.9:5000 --count 200 --format spead --size 1024,1200 --csv "
	    "-o %/doc.json", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 1000 --spacing 100us --key %/keys", keyed, 0, "" },
	{ "throughput 192.0.2.9 --count 1000 --key %/keys:bob", keyed, 3,
	    "a responder that does not have this key does not answer either" },
	{ "latency 192.0.2.9 --count 10", keyed, 3, "a responder that requires a key" },
	{ "latency 192.0.2.9 --count 10 --key %/keys", clean, 3, "omit --key" },
	{ "latency 192.0.2.9 --count 10 --key %/keys:carol", clean, 2,
	    "the file has no key of the name carol" },
	{ "throughput 192.0.2.9 --rate 500M --count 50k", governed, 3, "allowed: " },
	{ "throughput 192.0.2.9 --rate 20M,50M,200M --duration 2s", governed, 4,
	    "209 Mbit/s for 2.00 s is more than its 100 Mbit/s" },
	{ "throughput 192.0.2.9 --rate 50M --duration 60s", governed, 3,
	    "a run of 60.0 s is longer than its 10.0 s" },
	{ "throughput 192.0.2.9 --rate 1M --duration 100ms --streams 2", governed, 3,
	    "fewer --streams" },
	{ "throughput 192.0.2.9 --rate 1M --duration 100ms --reverse", governed, 3,
	    "omit --reverse" },
	{ "throughput 192.0.2.9 --rate 1M --duration 100ms --busy-poll", governed, 3,
	    "omit --busy-poll" },
	{ "capacity 192.0.2.9 --high 1G", governed, 4, "more than its 100 Mbit/s" },
	{ "latency 192.0.2.9 --ping-pong --count 100", governed, 0, "" },
	{ "throughput 192.0.2.9 --count 10", busy, 0, "night run is measuring, for at most" },
	{ "throughput 192.0.2.9 --count 10 --no-wait", busy, 3, "without --no-wait" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 1ms,2ms -o %/doc.json", stopped, 130, "" },
	{ "latency 192.0.2.9 --json", stopped, 130, "\"interrupted\": true" },
	{ "capacity 192.0.2.9 --high 1G", stopped, 130, "" },
	{ "clock 192.0.2.9 --continuous --count 20", stopped, 0, "" },
	{ "watch 192.0.2.9 --json", stopped, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet", stopped, 130, "" },
	{ "throughput 192.0.2.9 --ipv4 --ipv6", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --ipv4 --flow-label 3", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --fit-mtu --fragment", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --two-way --reverse", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --reverse --group a:2", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --two-way --start-at +5s", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --engine packet --reverse", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --engine packet --fragment", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --csv --csv-short", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --json --csv", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --json --jsonl -", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 -o %/a --jsonl %/a", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 -o %/keys", clean, 2, "already exists" },
	{ "throughput 192.0.2.9 --dry-run --json", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --no-bins", clean, 2, "--no-bins needs a document" },
	{ "throughput 192.0.2.9 --seed 3", clean, 2, "--seed needs --order shuffle" },
	{ "throughput 192.0.2.9 --bursts 3", clean, 2, "--bursts needs --count" },
	{ "throughput 192.0.2.9 --omit 1s --spacing 0", clean, 2, "no frame has a time" },
	{ "throughput 192.0.2.9 --omit 1s --bursts 2 --count 10", clean, 2, "exclude each other" },
	{ "throughput 192.0.2.9 --omit 1s --streams 2", clean, 2, "--omit needs one stream" },
	{ "throughput 192.0.2.9 --group a", clean, 2, "is not NAME:N" },
	{ "throughput 192.0.2.9 --start-at noon", clean, 2, "is not a time" },
	{ "throughput 192.0.2.9 --start-at 1970-01-01T00:00:01Z", clean, 2, "is in the past" },
	{ "throughput 192.0.2.9 --start-at 2069-01-31T12:00:00Z", clean, 2,
	    "more than 24 h ahead" },
	{ "throughput 192.0.2.9 --record-lost", clean, 2, "--record-lost needs --record" },
	{ "throughput 192.0.2.9 --count 10 --record %/records:x", clean, 0, "" },
	{ "throughput 192.0.2.9 --record %/records:0:0", clean, 2, "frames can be recorded" },
	{ "throughput 192.0.2.9 --measure-skipped", clean, 2, "--measure-skipped needs --resume" },
	{ "throughput 192.0.2.9 --train 64 --spacing 1s", clean, 2, "use shorter trains" },
	{ "throughput 192.0.2.9 --rate 1", clean, 2, "is a spacing of more" },
	{ "throughput 192.0.2.9 --size 64:65000:1", clean, 2, "makes more than 1024 values" },
	{ "throughput 192.0.2.9 --size 64:1000:1 --spacing 0:1ms:1us", clean, 2, "too many" },
	{ "throughput 192.0.2.9 --source 300.0.0.1", clean, 2, "is not an IP address" },
	{ "throughput 192.0.2.9 --source ::1 --ipv4", clean, 2, "IPv4 was requested" },
	{ "throughput 192.0.2.9 --interface none0", clean, 2, "no interface 'none0'" },
	{ "throughput 192.0.2.9:5000", clean, 2, "192.0.2.9 --port 5000" },
	{ "throughput [::1]", clean, 2, "without brackets" },
	{ "throughput 192.0.2.9 --fit-mtu --size 1472,9000 --count 10", clean, 0,
	    "1 of 2 points does not fit the path MTU of 1500 bytes" },
	{ "throughput 192.0.2.9 --fit-mtu --size 9000", clean, 2, "no size fits" },
	{ "throughput --resume %/none", clean, 3, "/none.journal' exists" },
	{ "latency 192.0.2.9 --list --count 5000", clean, 2, "at most 1000 requests" },
	{ "latency 192.0.2.9 --ping-pong --interval 1ms", clean, 2, "exclude each other" },
	{ "latency 192.0.2.9 --interval 10us --timeout 10s", clean, 2,
	    "leaves 1000000 requests unanswered at a time" },
	{ "latency 192.0.2.9 --size 20", clean, 2, "'20' is below 44 bytes" },
	{ "latency 192.0.2.9 --twamp-light", clean, 2, "--twamp-light needs --stamp" },
	{ "latency 192.0.2.9 --stamp --key %/keys", clean, 2, "exclude each other" },
	{ "latency 192.0.2.9 --stamp --size 45", clean, 2, "has 44 bytes, or" },
	{ "capacity 192.0.2.9 --low 1G --high 10M", clean, 2, "is above" },
	{ "capacity 192.0.2.9 --duration 5s --sustain 1s", clean, 2, "must not be shorter" },
	{ "capacity 192.0.2.9 --low 100k --size 60000", clean, 2, "more than 2 s" },
	{ "send 192.0.2.9 --heap 3", clean, 2, "needs --format spead" },
	{ "send 192.0.2.9 --stagger none", clean, 2, "--stagger needs several streams" },
	{ "send 192.0.2.9:5000 --port 6", clean, 2, "has a port already" },
	{ "send 192.0.2.9 --sequence 0:4:big", clean, 2, "--sequence needs --format sequence" },
	{ "send 192.0.2.9 --loop", clean, 2, "is not a multicast group" },
	{ "send 198.41.0.4", clean, 2, "is a public address" },
	{ "send 192.0.2.9 --payload %/none --format plain", clean, 2, "No such file" },
	{ "", clean, 2, "needs a command" },
	{ "troughput", clean, 2, "did you mean 'throughput'?" },
	{ "throughput", clean, 2, "needs a HOST" },
	{ "throughput 192.0.2.9 --sise 3", clean, 2, "did you mean '--size'?" },
	{ "--json", clean, 2, "options come after the command" },
	{ "throughput 192.0.2.9 --count 10 --jsonl %/none/events", clean, 2, "cannot be written" },
	{ "throughput 192.0.2.9 --count 10 --record %/none/records", clean, 2, "No such file" },
	{ "capture --pair %/keys", clean, 2, "--pair needs two files" },
	{ "compare %/keys %/plan.ini", clean, 3, "not a result of udpace" },
	{ "export %/keys", clean, 3, "not a result of udpace" },
	{ "report %/keys", clean, 3, "no result to report" },
	{ "campaign %/none 192.0.2.9", clean, 3, "No such file" },
	{ "campaign %/keys 192.0.2.9 --dry-run", clean, 2,
	    "line 1: a key before the first [section]" },
	{ "campaign %/plan.ini 192.0.2.9 --dry-run", clean, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/keys", clean, 2,
	    "is a file; a campaign needs a folder" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/keys --force", clean, 2,
	    "is a file; a campaign needs a folder" },
	{ "campaign --resume %/none", clean, 3, "is not a campaign's folder" },
	{ "tcp 192.0.2.9 --streams 0", clean, 2, "'0' is below 1" },
	{ "latency 192.0.2.9 --tcp --size 64", clean, 2, "has no option '--tcp'" },
	{ "watch %/plan.ini", clean, 2, "'title' is not a key of a path" },
	{ "watch 192.0.2.9 192.0.2.9", clean, 2, "is there twice" },
	{ "key list %/keys", clean, 0, "alice" },
	{ "key show %/keys", clean, 2, "is neither 'new' nor 'list'" },
	{ "monitor 192.0.2.9 --replay %/keys", clean, 2, "exclude each other" },
	{ "help latency", clean, 0, "round trips" },
	{ "version extra", clean, 2, "one operand too many" },
	{ "__complete throughput --cat", clean, 0, "--catch-up" },
	{ "monitor 192.0.2.9 --count 5", clean, 0, "00:16:44Z    12.304     1000  0 " },
	{ "monitor 192.0.2.9 --duration 5s --jsonl %/lines", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 5s --jsonl %/lines --plain ; "
	    "monitor --replay %/lines --speed 0 --dump-screen 100x40 --view histogram", hosts, 0, "" },
	{ "monitor 192.0.2.9 --duration 20s", outage, 0, "lost in it 6 000 frames" },
	{ "monitor 192.0.2.9 --duration 20s --jsonl - --two-way", outage_of_both, 0, "" },
	{ "monitor 192.0.2.9 --duration 20s --give-up 2s", outage, 3, "given up, as --give-up says" },
	{ "monitor 192.0.2.9 --count 4 --rate 20M --size 500 --dump-screen 80x24", lossy, 0, "" },
	{ "monitor 192.0.2.9 --count 4 --reverse --units data", backwards, 0, "" },
	{ "monitor 192.0.2.9 --count 4 --reverse --streams 3 --dump-screen 120x40 "
	    "--view streams", backwards, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --two-way --jsonl %/lines", both, 0,
	    "the responder sent 4 000 frames" },
	{ "monitor 192.0.2.9 --duration 4s --two-way --dump-screen 100x30", both, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --two-way --streams 2 --jsonl %/lines", both, 0, "" },
	{ "monitor 192.0.2.9 --duration 6s --streams 20 --jsonl %/lines", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --streams 4 --train 4 --dump-screen 80x24 "
	    "--view streams", hosts, 0, "" },
	{ "monitor 192.0.2.9 --duration 3s --streams 3 --jsonl %/lines", freezing, 0, "" },
	{ "monitor 192.0.2.9 --duration 3s --jsonl %/lines", freezing, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --verbose", freezing, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --verify --units ip", damaging, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --spacing 50us", refusing, 0, "" },
	{ "monitor 192.0.2.9 --count 3 --interval 200ms --size 1000 --rate 120M", narrow, 0, "" },
	{ "monitor 192.0.2.9 --give-up 3s", dying, 3, "given up, as --give-up says" },
	{ "monitor 192.0.2.9 --duration 5s", busy, 0, "night run is measuring, for at most" },
	{ "monitor 192.0.2.9 --duration 5s --no-wait", busy, 3, "without --no-wait" },
	{ "monitor 192.0.2.9 --duration 25s --spacing 10ms", governed, 0, "seen for 0:25" },
	{ "monitor 192.0.2.9 --duration 25s --rate 200M", governed, 3, "--duration 25s --rate 95.7M" },
	{ "monitor 192.0.2.9 --duration 4s --key %/keys", keyed, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --key %/keys:bob", keyed, 3,
	    "a responder that does not have this key does not answer either" },
	{ "monitor 192.0.2.9 --interval 100ms", stopped, 130, "" },
	{ "monitor 192.0.2.9", dead, 3, "no answer in 5 s" },
	{ "monitor 192.0.2.9 --size 9000", clean, 2, "does not fit the path MTU of 1500 bytes" },
	{ "monitor 192.0.2.9 --stamp --duration 10s", reflector, 0,
	    "lost            5 on the way to the reflector, 3 on the way back" },
	{ "monitor 192.0.2.9 --stamp --duration 10s --jsonl -", reflector, 0, "" },
	{ "monitor 192.0.2.9 --stamp --count 5 --dump-screen 80x24", stateless, 0,
	    "Lost where   no direction: the reflector copies numbers" },
	{ "latency 192.0.2.9 --stamp --count 600 --interval 1ms", reflector, 0, "" },
	{ "latency 192.0.2.9 --stamp --count 600 --interval 1ms --json", stateless, 0, "" },
	{ "latency 192.0.2.9 --stamp --twamp-light --size 44,200 --count 100 --csv", reflector, 0,
	    "" },
	{ "watch %/paths.ini --duration 30s --json", changing, 0,
	    "the paths stay as they were" },
	{ "watch %/paths.ini --duration 12s --csv", changing, 0, "2 new, 2 removed, 1 as before" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us,200us --interval 10ms -o %/doc.json ; "
	    "report %/doc.json ; export %/doc.json", no_data, 0, "  lost        400 of 400 frames" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --streams 3 --verbose", no_data, 1,
	    "no frame arrived, so there are no rates" },
	{ "monitor 192.0.2.9 --count 3", no_data, 0, "00:16:41Z  no frame arrived" },
	{ "capacity 192.0.2.9 --high 100M --duration 100ms --sustain 200ms", no_data, 1, "" },
	{ "watch 192.0.2.9 --duration 5s", no_data, 0, "50      50 100 " },
	{ "throughput 192.0.2.9 --count 200 --reverse --rcvbuf 1M", clamping_backwards, 1,
	    "raise net.core.rmem_max here" },
	{ "throughput 192.0.2.9 --count 20k --spacing 100us,200us --interval 500ms --reverse", backwards,
	    0, "" },
	{ "throughput 192.0.2.9 --count 20k --spacing 100us,200us --interval 500ms "
	    "--jsonl %/events", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --key %/lax", shared_key, 2, "chmod 600" },
	{ "throughput 192.0.2.9 --cpu 900:963:1", clean, 2, "this process may not run on this core" },
	{ "throughput 192.0.2.9 --cpu 900:964:1", clean, 2, "65 cores are more than 64" },
	{ "watch 192.0.2.9 --stamp --duration 10s", reflector, 0, "" },
	{ "watch 192.0.2.9 --stamp --duration 10s --json", stateless, 0, "" },
	{ "clock 192.0.2.9 --stamp --count 200", reflector, 0, "reflector's is 75.1 ms ahead" },
	{ "throughput 192.0.2.9 --count 400 --spacing 50us,100us,200us --size 200,1000 --repeat 2 "
	    "--interval 10ms --record %/records -o %/doc.json --quiet ; report %/doc.json", lossy, 0,
	    "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us,200us --streams 1,2,5 --interval 10ms "
	    "-o %/doc.json --quiet ; report %/doc.json", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us --streams 4 --two-way --interval 10ms "
	    "-o %/doc.json --quiet ; report %/doc.json", both, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us --reverse -o %/doc.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 --spacing 50us,100us --reverse -o %/more.json --quiet ; "
	    "report %/doc.json %/more.json -o %/all ; compare %/doc.json %/more.json -o %/beside",
	    backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 50us --record %/records --interval 10ms "
	    "--streams 2 -o %/doc.json --quiet ; export %/doc.json --per-stream -o %/a.csv ; "
	    "export %/doc.json --intervals -o %/b.csv ; "
	    "export %/doc.json --histogram owd --format gnuplot -o %/c.dat ; "
	    "export %/doc.json --histogram gap --per-stream --format tsv -o %/d.tsv ; "
	    "export %/doc.json --histogram owd --format hdr -o %/e.hdr ; "
	    "export %/doc.json --format udpmon -o %/f.txt ; export %/records -o %/g.csv",
	    lossy, 0, "" },
	{ "latency 192.0.2.9 --size 64:1472:128 --count 200 --list -o %/doc.json --quiet ; "
	    "report %/doc.json ; export %/doc.json --histogram rtt", hosts, 0, "" },
	{ "latency 192.0.2.9 --stamp --size 100,1400 --count 500 -o %/doc.json --quiet ; "
	    "report %/doc.json", reflector, 0, "" },
	{ "throughput 192.0.2.9 --rate 50M,200M --duration 2s -o %/doc.json --quiet ; "
	    "report %/doc.json", governed, 0, "" },
	{ "clock 192.0.2.9 --count 300 -o %/doc.json --quiet ; report %/doc.json", hosts, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 100ms --sustain 200ms -o %/doc.json --quiet ; "
	    "report %/doc.json", narrow, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 192.0.2.11 --duration 30s -o %/doc.json --quiet ; "
	    "report %/doc.json", mesh_dying, 3, "is of udpace watch: paths are" },
	{ "watch 192.0.2.9 192.0.2.10 192.0.2.11 --duration 30s --csv -o %/doc.json ; "
	    "export %/doc.json ; export %/doc.json --point 2 --format tsv", mesh_dying, 0,
	    "\t14233\tended\t0\t33000000000\t19910140035\t299\t0\t0\t166\t0\t0\t133" },
	{ "watch 192.0.2.9 192.0.2.77 --stamp --duration 10s -o %/doc.json ; export %/doc.json",
	    reflector, 0, "" },
	{ "watch 192.0.2.9 --duration 5s -o %/doc.json ; export %/doc.json --histogram rtt", clean, 2,
	    "only its rows can be exported" },
	{ "throughput 192.0.2.9 --count 200 --message 10 --spacing 20us,50us --verify "
	    "-o %/doc.json --quiet ; report %/doc.json", damaging, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --rate 60M,90M,110M,150M --size 500,1472 "
	    "-o %/doc.json --quiet ; report %/doc.json", narrow, 0, "" },
	{ "throughput 192.0.2.9 --dscp 0,ef,af41 --count 200 --spacing 100us --repeat 5 "
	    "-o %/doc.json --quiet ; report %/doc.json", lossy, 0, "" },
	{ "throughput 192.0.2.9 --spacing 50us,100us,200us --streams 1,4 --dscp cs1,ef --count 200 "
	    "--repeat 3 --order shuffle --seed 7 -o %/doc.json --quiet ; report %/doc.json", lossy,
	    0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 50us,100us,200us --order spacing --csv "
	    "-o %/doc.json ; report %/doc.json", late_clock, 0, "" },
	{ "throughput 192.0.2.9 --train 4 --bursts 3 --burst-gap 10ms --count 40 --spacing 30us,150us "
	    "-o %/doc.json --quiet ; report %/doc.json", narrow, 0, "" },
	{ "throughput 192.0.2.9 --linear 0:1us:100 --count 200 --spacing 20us,50us -o %/doc.json "
	    "--quiet ; report %/doc.json ; export %/doc.json --histogram linear", lossy, 0, "" },
	{ "throughput 192.0.2.9 --two-way --spacing 50us,100us,200us --size 300,1400 --count 200 "
	    "--repeat 2 -o %/doc.json --quiet ; throughput 192.0.2.9 --two-way --count 200 "
	    "--spacing 50us,100us,200us --size 300,1400 -o %/more.json --quiet ; "
	    "report %/doc.json ; compare %/doc.json %/more.json -o %/beside", both, 0, "" },
	{ "throughput 192.0.2.9 --reverse --duration 3s --spacing 1ms --interval 100ms "
	    "-o %/doc.json --quiet ; report %/doc.json", backwards, 0, "" },
	{ "throughput 192.0.2.9 --omit 100ms --duration 500ms --spacing 200us --interval 50ms "
	    "--message 50 -o %/doc.json --quiet ; report %/doc.json", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 500ms --spacing 200us --interval 50ms "
	    "--streams 3 --stagger random --message 50 -o %/doc.json --quiet ; report %/doc.json",
	    lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 20us,400us,1ms --max-loss 0", narrow, 1, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 20us,400us,1ms --min-rate 20M --quiet",
	    narrow, 1, "" },
	{ "throughput 192.0.2.9 --count 3000 --spacing 50us --record %/records:1000:500 "
	    "-o %/doc.json --quiet ; report %/doc.json %/records -o %/all ; "
	    "export %/records -o %/g.csv", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 3000 --spacing 50us --record-lost --record %/records "
	    "-o %/doc.json --quiet ; report %/doc.json %/records -o %/all ; "
	    "export %/records -o %/g.csv", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us --no-bins --no-host-info "
	    "-o %/doc.json --quiet ; report %/doc.json ; export %/doc.json", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 100us --size 1000:2000:100 --fit-mtu "
	    "-o %/doc.json --quiet ; report %/doc.json --figures size", hosts, 0, "" },
	{ "latency 192.0.2.9 --size 64,512,1472 --count 300 --linear 0:10us:80 -o %/doc.json --quiet ; "
	    "latency 192.0.2.9 --size 64,512,1472 --count 300 --ping-pong --reply-size 64 "
	    "--link-rate 100M -o %/more.json --quiet ; compare %/doc.json %/more.json -o %/beside ; "
	    "report %/doc.json %/more.json -o %/all", lossy, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 100ms --sustain 200ms --repeat 3 -o %/doc.json "
	    "--quiet ; capacity 192.0.2.9 --high 1G --duration 100ms --sustain 200ms "
	    "--precision 2% -o %/more.json --quiet ; compare %/doc.json %/more.json -o %/beside ; "
	    "report %/doc.json %/more.json -o %/all", narrow, 0, "" },
	{ "capacity 192.0.2.9 --high 60M --duration 100ms --sustain 200ms --csv -o %/doc.json ; "
	    "export %/doc.json ; export %/doc.json --histogram gap", narrow, 0, "" },
	{ "capacity 192.0.2.9 --high 200M --duration 100ms --sustain 200ms --max-loss 5% --reverse "
	    "--train 4 -o %/doc.json --quiet ; report %/doc.json", backwards, 0, "" },
	{ "clock 192.0.2.9 --count 300 -o %/doc.json --quiet ; clock 192.0.2.9 --count 200 "
	    "-o %/more.json --quiet ; compare %/doc.json %/more.json -o %/beside", lossy, 3,
	    "results of clocks are not compared" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us -o %/doc.json --quiet ; "
	    "latency 192.0.2.9 --size 64,512 --count 200 -o %/trips.json --quiet ; "
	    "clock 192.0.2.9 --count 200 -o %/clock.json --quiet ; "
	    "report %/doc.json %/trips.json %/clock.json -o %/all", lossy, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet ; campaign %/plan.ini 192.0.2.9 -o %/out "
	    "--quiet ; campaign %/plan.ini 192.0.2.9 -o %/out --quiet --force ; "
	    "report %/out", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us --dscp ef --ecn ect0", clearing, 0,
	    "DSCP 46 arrived as 0 in 100 % of the frames" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --dscp ef --ecn ect0", marking, 0,
	    "congestion experienced (CE) in" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --dscp af11 --ecn ect1 --streams 2 --json",
	    marking, 0, "ECN ect1 arrived as another one" },
	{ "throughput 192.0.2.9 --count 1", clean, 0, "one frame has no rate and no gap" },
	{ "throughput 192.0.2.9 --count 10 --size 65000", clean, 2,
	    "'65000' does not fit the path MTU of 1500 bytes" },
	{ "throughput 192.0.2.9 --count 10 --size 5000 --fragment --csv", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 10", little_mtu, 3, "has no room for udpace's control frames" },
	{ "throughput 192.0.2.9 --count 10 --streams 70 --source-port 65500", clean, 3,
	    "--source-port 65500 leaves no port for stream" },
	{ "throughput 192.0.2.9 --count 10 --source 192.0.2.77", no_address, 2,
	    "'192.0.2.77' is not an address of this host" },
	{ "throughput 192.0.2.9 --count 10 --source-port 5000", port_taken, 3,
	    "another socket of this host has this UDP port" },
	{ "throughput 192.0.2.9 --count 10 --interface lo", no_interface, 2,
	    "this needs the capability CAP_NET_RAW" },
	{ "throughput 192.0.2.9 --count 10 --priority 7", no_priority, 2,
	    "values above 6 need the capability CAP_NET_ADMIN" },
	{ "latency 192.0.2.9 --count 10", no_socket, 3, "Too many open files" },
	{ "throughput 192.0.2.9 --flow-label 5", clean, 3, "of IPv6, or omit --flow-label" },
	{ "throughput ::1 --ipv4", clean, 3, "" },
	{ "throughput 192.0.2.9 --cpu 1,1 --streams 2", clean, 2, "core 1 is named twice" },
	{ "throughput 192.0.2.9 --count 1e12 --bursts 1e9", clean, 2, "are more than 10^15 frames" },
	{ "throughput 192.0.2.9 --count 200k --spacing 20us --record %/records", clean, 3,
	    "record fewer frames with --record FILE:SKIP:" },
	{ "throughput 192.0.2.9 --count 10 --reverse", clean, 3, "" },
	{ "latency 192.0.2.9 --stamp --twamp-light --stamp-key %/keys", clean, 2,
	    "exclude each other: TWAMP-Light" },
	{ "latency 192.0.2.9 --stamp --size 40", clean, 2, "" },
	{ "latency 192.0.2.9 --stamp --count 10 --source-port 500", dead, 3,
	    "some reflectors do not answer --source-port 500" },
	{ "latency 192.0.2.9 --stamp --count 10 --stamp-key %/keys", dead, 2, "" },
	{ "clock 192.0.2.9 --stamp", dead, 3, "check that a STAMP reflector" },
	{ "throughput 192.0.2.9 --count 20k --spacing 1ms -o %/doc.json", restarting, 3,
	    "the responder has forgotten this session" },
	{ "latency 192.0.2.9 --count 4000 --size 64,128", restarting, 1,
	    "G  the responder went away or was restarted" },
	{ "clock 192.0.2.9 --count 20k --interval 1ms", restarting, 1, "" },
	{ "monitor 192.0.2.9 --duration 12s --jsonl %/lines", restarting, 0, "" },
	{ "monitor 192.0.2.9 --duration 9s --jsonl %/lines", refusing_restarting, 0, "" },
	{ "monitor 192.0.2.9 --duration 12s", away, 0,
	    "OUTAGE for 4.23 s: the responder has forgotten this session" },
	{ "monitor 192.0.2.9 --duration 12s --dump-screen 100x30 --view events", away, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 20s", mesh_restarting, 0, "" },
	{ "latency 192.0.2.9 --count 1000 --size 64,128,256 -o %/doc.json ; "
	    "throughput --resume %/doc.json", dying, 2, "" },
	{ "throughput 192.0.2.9 --two-way --count 2000 --spacing 100us,200us --repeat 2 -o %/doc.json ; "
	    "throughput --resume %/doc.json", both_dying, 1, "" },
	{ "latency 192.0.2.9 --count 200 --size 64,128,256,512 -o %/doc.json ; "
	    "latency --resume %/doc.json", dying, 0, "" },
	{ "watch %/in.ini", no_paths, 2, "there is no path in it" },
	{ "watch %/in.ini", odd_name, 2, "the name of a path is of letters, digits" },
	{ "watch %/in.ini", same_name, 2, "a path of this name was there before" },
	{ "watch %/in.ini", no_section, 2, "a key before the first [section]" },
	{ "watch %/in.ini", no_host, 2, "'a,b' is not a host" },
	{ "watch %/in.ini", neither, 2, "'maybe' is neither yes nor no" },
	{ "watch %/in.ini", two_secrets, 2, "stamp and key exclude each other" },
	{ "watch %/in.ini", no_stamp, 2, "twamp-light needs stamp = yes" },
	{ "watch %/in.ini", lacks_key, 2, "the file has no key of the name carol" },
	{ "watch %/in.ini 192.0.2.9", keyed_path, 2, "give one file, or hosts" },
	{ "watch %/none.ini", clean, 2, "is a file with paths" },
	{ "watch %/in.ini --duration 10s", keyed_path, 0, "" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", twice, 2, "this key was there before" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", title_twice, 2, "this key was there before" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", bad_value, 2, "" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", bad_command, 2, "" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", empty_end, 2, "the last section has no key" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", only_title, 2, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/none/out", clean, 2, "cannot be made" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/own --force --quiet", own_folder, 0, "" },
	{ "throughput 192.0.2.9 --count 10 --spacing 1ms --group g:2", clean, 3, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us --interval 5ms --quiet "
	    "-o %/mesh/a/b.json ; "
	    "throughput 192.0.2.9 --count 200 --spacing 50us,100us --quiet -o %/mesh/a/c.json ; "
	    "throughput 192.0.2.9 --count 200 --spacing 50us,100us --quiet -o %/mesh/b/a.json ; "
	    "throughput 192.0.2.9 --count 300 --spacing 50us --quiet -o %/mesh/c/b.json ; "
	    "report %/mesh -o %/all --pairs 3 ; report %/mesh -o %/all --pairs 1", lossy, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 100ms --sustain 100ms --quiet -o %/mesh/a/b.json ; "
	    "capacity 192.0.2.9 --high 50M --duration 100ms --sustain 100ms --quiet "
	    "-o %/mesh/b/a.json ; capacity 192.0.2.9 --high 1G --size 300 --duration 100ms "
	    "--sustain 100ms --quiet -o %/mesh/a/c.json ; report %/mesh -o %/all", narrow, 0, "" },
	{ "latency 192.0.2.9 --count 200 --size 64,1000 --quiet -o %/mesh/a/b.json ; "
	    "latency 192.0.2.9 --count 200 --size 64 --quiet -o %/mesh/b/a.json ; "
	    "throughput 192.0.2.9 --count 200 --two-way --quiet -o %/mesh/b/c.json ; "
	    "report %/mesh -o %/all", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 20k --spacing 100us", terminal, 0,
	    "\r 4 501 of 20 000 frames sent   0:02 left \033[K" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 200us,400us --size 64,128 --repeat 2",
	    terminal, 0, "\r point 3 of 8   " },
	{ "throughput 192.0.2.9 --duration 3s --rate 5M --interval 200ms", terminal, 0,
	    "\r\033[K" },
	{ "throughput 192.0.2.9 --duration 1s --rate 5M --interval 200ms --two-way", terminal_both, 0,
	    "\r\033[K" },
	{ "throughput 192.0.2.9 --count 100 --spacing 1ms", terminal_busy, 0,
	    "\r waiting for the measurement that is on \033[K" },
	{ "throughput 192.0.2.9 --count 100 --spacing 1ms --quiet", terminal_busy, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --rates 1M", terminal, 2, "" },
	{ "latency 192.0.2.9 --size 64,1000 --count 1000", terminal, 0, "requests sent   0:" },
	{ "latency 192.0.2.9 --ping-pong --count 1000", terminal, 0, "" },
	{ "capacity 192.0.2.9 --high 20M --sustain 2s", terminal, 1, " of 850 frames sent   0:0" },
	{ "clock 192.0.2.9 --count 1000 --interval 1ms", terminal, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out", terminal, 0, "" },
	{ "throughput 192.0.2.9 --count 20k --spacing 100us", terminal_stopped, 130, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet ; report %/out", hosts, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 --interval 100ms ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x40", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view rate", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view histogram", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view host", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view streams", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view events", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --streams 3 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24 --view sweep", lossy, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --two-way --label night ; "
	    "monitor --replay %/operator --speed 0 --plain", both, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --reverse ; "
	    "monitor --replay %/operator --speed 0 --plain --units data", backwards, 0, "" },
	{ "throughput 192.0.2.9 --duration 4s --spacing 200us --two-way --streams 2 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x30 --view streams", both, 0, "" },
	{ "throughput 192.0.2.9 --duration 2s --rate 50M,100M --repeat 2 --energy ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x30 --ascii", hosts, 0, "" },
	{ "latency 192.0.2.9 --count 3000 ; monitor --replay %/operator --speed 0 --plain", lossy, 0,
	    "" },
	{ "latency 192.0.2.9 --ping-pong --count 3000 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 80x24", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 6s --jsonl %/lines ; "
	    "monitor --replay %/operator --speed 0 --plain --from 2s", lossy, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 6s ; "
	    "monitor --replay %/operator --speed 0 --plain", mesh, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 9s ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x30 --view events",
	    mesh_restarting, 0, "another responder began" },
	{ "throughput 192.0.2.9 --rate 50M --duration 3s ; "
	    "throughput 192.0.2.9 --rate 50M --duration 60s ; monitor 192.0.2.9 --duration 3s ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x30 --view events", governed, 0,
	    "1 request refused: " },
	{ "throughput 192.0.2.9 --count 10k --spacing 200us --key %/keys ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 120x40 --view events", keyed, 0, "" },
	{ "throughput 192.0.2.9 --count 10k --spacing 200us --verify ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 120x40 --braille", damaging, 0, "" },
	{ "throughput 192.0.2.9 --count 10k --spacing 200us --dscp ef --ecn ect0 ; "
	    "monitor --replay %/operator --speed 0 --plain", marking, 0, "" },
	{ "throughput 192.0.2.9 --duration 10s --spacing 2ms --size 200 ; "
	    "monitor --replay %/operator --speed 0 --plain", outage, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 200ms --sustain 500ms ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x30", narrow, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet ; "
	    "monitor --replay %/operator --speed 0 --plain", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json "
	    "--jsonl %/events --quiet ; put %/events nothing ; throughput --resume %/doc.json", dying,
	    0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json "
	    "--jsonl %/events --quiet ; put %/events mine ; throughput --resume %/doc.json", dying, 3,
	    "now has other contents" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json "
	    "--jsonl %/events --quiet ; put %/events ; throughput --resume %/doc.json --quiet", dying,
	    0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "put %/doc.json mine ; throughput --resume %/doc.json", dying, 0, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "put %/doc.json.journal mine ; throughput --resume %/doc.json", dying, 3,
	    "is not the journal of a run" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "throughput 192.0.2.9 --count 20 --spacing 100us,200us,300us -o %/doc.json", dying, 2,
	    "continue it with --resume" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "throughput 192.0.2.9 --count 20 --spacing 100us,200us -o %/doc.json --force", dying, 0,
	    "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "throughput --resume %/doc.json --count 20", dying, 2,
	    "--resume and --count exclude each other" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,1ms -o %/doc.json --quiet ; "
	    "throughput --resume %/doc.json --measure-skipped --quiet", dying, 0, "" },
	{ "campaign plan.ini 192.0.2.9", clean, 0,
	    "the documents are in plan-192.0.2.9-19700101T0016;" },
	{ "campaign mesh/../plan.ini 192.0.2.9 --quiet --no-host-info", hosts, 0, "" },
	{ "campaign none 192.0.2.9", clean, 3, "write the path of a file, or one of: " },
	{ "campaign", clean, 0, "" },
	{ "campaign udpmon-jitter 192.0.2.9 --dry-run --count 10", clean, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out --quiet", dying, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out --measure-skipped", dying,
	    0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out", clean, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; put %/out/03-sweep.json mine ; "
	    "campaign --resume %/out", dying, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; put %/out/campaign.command mine ; "
	    "campaign --resume %/out", dying, 3, "is not a campaign's folder" },
	{ "campaign %/in.ini 192.0.2.9 -o %/out --count 20", sending, 0, "" },
	{ "campaign %/in.ini 192.0.2.9 --dry-run", sending, 0, "" },
	{ "watch 192.0.2.9 --spacing 1s --exchange 20ms --duration 40s --json", lossy, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --state %/state --duration 6s --quiet ; "
	    "watch 192.0.2.9 192.0.2.11 --state %/state --duration 5s --jsonl %/lines", mesh, 0, "" },
	{ "watch 192.0.2.9 --state %/state --duration 6s --csv ; put %/state mine ; "
	    "watch 192.0.2.9 --state %/state --duration 5s --csv", lossy, 2,
	    "move the file away to begin with new counts" },
	{ "watch 192.0.2.9 --state %/state --duration 12s --quiet ; "
	    "watch 192.0.2.9 --state %/state --duration 20s --jsonl %/lines", outage, 0, "" },
	{ "watch 192.0.2.9 --stamp --state %/state --duration 6s --quiet ; "
	    "watch 192.0.2.9 --stamp --state %/state --duration 12s --json", reflector, 0, "" },
	{ "put %/pay abcdefg ; send 192.0.2.9:5000 --payload %/pay --format plain --size 100 --count 3",
	    clean, 0, "" },
	{ "put %/pay nothing ; send 192.0.2.9:5000 --payload %/pay --format plain", clean, 2,
	    "is empty" },
	{ "send 192.0.2.9:5000 --format sequence", clean, 2, "--format sequence needs --sequence" },
	{ "send 192.0.2.9:5000 --format sequence --sequence 0:4:middle", clean, 2, "" },
	{ "send 192.0.2.9:5000 --format sequence --sequence 0:4:big --size 100 --count 300 --json",
	    clean, 0, "" },
	{ "send 192.0.2.9:5000 --format sequence --sequence 2:2:little:100 --size 8 --count 300",
	    clean, 0, "" },
	{ "send 192.0.2.9:5000 --format spead --count 10", little_mtu, 0, "" },
	{ "send 192.0.2.9:5000 --format vdif --count 10", little_mtu, 0, "" },
	{ "send 192.0.2.9:5000 --count 10", tiny_mtu, 3, "has no room for a frame of this format" },
	{ "send 192.0.2.9:5000 --count 100 --spacing 1ms", refusing_all, 3, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 1ms", refusing_all, 4, "" },
	{ "throughput 192.0.2.9 --count 1 --reverse", backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 10 --start-at +10m", clean, 0,
	    "before the measurement is requested" },
	{ "throughput 192.0.2.9 --count 10 --start-at +10m --quiet", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us --group g:1", clean, 2, "" },
	{ "watch %/in.ini --duration 40s --json", other_key, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 200us --two-way --record %/records "
	    "--interval 20ms -o %/doc.json ; report %/doc.json %/records -o %/all", both, 0, "" },
	{ "throughput 192.0.2.9 --count 900 --spacing 100us --record %/records --interval 10ms "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all ; export %/records", freezing, 0, "" },
	{ "throughput 192.0.2.9 --count 900 --spacing 100us --interval 10ms -o %/doc.json ; "
	    "report %/doc.json -o %/all", late_clock, 0, "" },
	{ "throughput 192.0.2.9 --count 900 --spacing 100us --record %/records:100:300 --record-lost "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all", lossy, 0, "" },
	{ "throughput 192.0.2.9 --size 64:1464:200 --rate 5M,10M,20M,50M --count 100 -o %/doc.json ; "
	    "report %/doc.json -o %/all", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 0 -o %/doc.json ; report %/doc.json -o %/all",
	    hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 250 --spacing 100ms ; "
	    "monitor --replay %/operator --speed 0 --plain", losing_lease, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100ms --json", losing_lease, 1, "lease_lost" },
	{ "latency 192.0.2.9 --count 2000 --interval 10ms --size 500", losing_lease, 1, "nothing reached the responder" },
	{ "monitor 192.0.2.9 --duration 20s", losing_lease, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us --streams 3 --record %/records "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us,100us --repeat 2 --record %/records "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us --reverse --streams 2 --record %/records "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all", backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us --two-way --record %/records "
	    "-o %/doc.json ; report %/doc.json %/records -o %/all", both, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --streams 6 --per-stream --interval 10ms",
	    cores, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --streams 6 --reverse --interval 10ms --json",
	    cores_backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --streams 4 --two-way --json", cores_both, 1,
	    "" },
	{ "throughput 192.0.2.9 --duration 3s --spacing 1ms --streams 5 ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x40 --view streams", cores, 0, "" },
	{ "throughput 192.0.2.9 --duration 3s --spacing 1ms --streams 5 --reverse ; "
	    "monitor --replay %/operator --speed 0 --dump-screen 100x40 --view streams",
	    cores_backwards, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --streams 5 --jsonl %/lines", cores, 0, "" },
	{ "monitor 192.0.2.9 --duration 4s --streams 5 --reverse --jsonl %/lines", cores_backwards, 0,
	    "" },
	{ "throughput 192.0.2.9 --count 10 --size 1472", smaller_path, 4, "a smaller --size" },
	{ "throughput 192.0.2.9 --count 10", smaller_path, 4, "" },
	{ "latency 192.0.2.9 --count 10 --size 64,1400", smaller_path, 4, "" },
	{ "throughput 192.0.2.9 --cpu 0,1 --streams 4,1 --count 10 --dry-run", clean, 0, "" },
	{ "throughput 192.0.2.9 --cpu 0,1 --streams 1,4 --count 10 --dry-run", clean, 0, "" },
	{ "throughput 192.0.2.9 --cpu 0,1 --streams 1 --count 10 --dry-run", clean, 2,
	    "one stream needs one core" },
	{ "throughput 192.0.2.9 --omit 1s --streams 4,1", clean, 2, "--omit needs one stream" },
	{ "throughput 192.0.2.9 --stagger random --streams 4,1 --count 10 --dry-run", clean, 0, "" },
	{ "throughput 192.0.2.9 --rate 10M,1 --count 10", clean, 2, "is a spacing of more" },
	{ "throughput 192.0.2.9 --size 9000,64 --count 10", clean, 2,
	    "'9000' does not fit the path MTU of 1500 bytes" },
	{ "throughput 192.0.2.9 --size 64,9000,100 --count 10 --fit-mtu", clean, 0,
	    "1 of 3 points does not fit the path MTU of 1500 bytes" },
	{ "latency 192.0.2.9 --size 64,20", clean, 2, "'20' is below 44 bytes" },
	{ "latency 192.0.2.9 --size 9000,64 --count 10", clean, 2,
	    "'9000' does not fit the path MTU of 1500 bytes" },
	{ "throughput 192.0.2.9 --train 64 --spacing 1s,1us", clean, 2, "use shorter trains" },
	{ "throughput 192.0.2.9 --omit 1s --spacing 0,1ms --duration 2s --dry-run", clean, 2,
	    "no frame has a time" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 200us -o %/mesh/a/doc.json", removing, 4, "" },
	{ "throughput 192.0.2.9 --count 1000 --spacing 200us,100us -o %/mesh/a/doc.json", removing, 4,
	    "doc.json to write the result" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 200us --record %/mesh/a/records", removing, 4, "" },
	{ "latency 192.0.2.9 --count 1000 -o %/mesh/a/doc.json", removing, 4, "" },
	{ "clock 192.0.2.9 --count 200 -o %/mesh/a/doc.json", removing, 4, "" },
	{ "capacity 192.0.2.9 --high 20M --duration 200ms --sustain 200ms -o %/mesh/a/doc.json", removing,
	    4, "" },
	{ "send 192.0.2.9 --count 1000 -o %/mesh/a/doc.json", removing, 4, "" },
	{ "watch 192.0.2.9 --duration 5s -o %/mesh/a/doc.json --state %/mesh/a/state", removing, 4, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 9s --spacing 10ms --interval 2s "
	    "--status-socket %/.watching --quiet ; "
	    "monitor --replay %/watching --speed 0 --dump-screen 100x40", mesh, 0, "" },
	{ "watch 192.0.2.9 --duration 25s --interval 2s --status-socket %/.watching ; "
	    "monitor --replay %/watching --speed 0 --plain", outage, 0, "" },
	{ "watch 192.0.2.9 --duration 25s --interval 2s --status-socket %/.watching ; "
	    "monitor --replay %/watching --speed 0 --dump-screen 80x24", outage, 0, "" },
	{ "watch 192.0.2.9 --stamp --duration 12s --interval 2s --status-socket %/.watching --quiet ; "
	    "monitor --replay %/watching --speed 0 --dump-screen 100x40", reflector, 0, "" },
	{ "watch 192.0.2.9 --state %/state --duration 6s --quiet ; watch 192.0.2.9 --state %/state "
	    "--duration 7s --interval 2s --status-socket %/.watching --quiet ; "
	    "monitor --replay %/watching --speed 0 --plain", lossy, 0, "" },
	{ "watch %/paths.ini --duration 30s --interval 2s --status-socket %/.watching ; "
	    "monitor --replay %/watching --speed 0 --dump-screen 100x40", changing, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --rcvbuf 1M --sndbuf 2M", clamping, 1, "" },
	{ "throughput 192.0.2.9 --count 200 --rcvbuf 1M --sndbuf 2M --streams 2 --json", clamping, 1, "" },
	{ "throughput 192.0.2.9 --count 200 --rcvbuf 1M --sndbuf 2M --reverse", clamping_backwards, 1,
	    "" },
	{ "throughput 192.0.2.9 --count 200 --rcvbuf 1M --sndbuf 2M --two-way", clamping_both, 1, "" },
	{ "throughput 192.0.2.9 --count 200 --sndbuf 4K", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us,200us -o %/doc.json ; "
	    "report %/doc.json -o %/all", told, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us --reverse -o %/doc.json --quiet ; "
	    "report %/doc.json -o %/all", told_backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --rate 20M,50M,100M -o %/doc.json --quiet ; "
	    "report %/doc.json -o %/all", told_lossy, 0, "" },
	{ "latency 192.0.2.9 --count 100 --size 64,1472 -o %/doc.json ; report %/doc.json -o %/all",
	    told, 0, "" },
	{ "capacity 192.0.2.9 --duration 100ms --high 200M -o %/doc.json ; report %/doc.json -o %/all",
	    told, 0, "" },
	{ "throughput 192.0.2.9 --count 20000 --record %/frames --verbose", told, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --rcvbuf 300K --sndbuf 900K", told_lossy, 0, "" },
	{ "doctor", bare_root, 1, "" },
	{ "doctor", other_bare_root, 1, "" },
	{ "doctor 192.0.2.9", bare_root, 1, "" },
	{ "doctor 192.0.2.9 --json", other_bare_root, 1, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us --interval 20ms --quiet "
	    "-o %/a.json --record %/a.records ; "
	    "throughput 192.0.2.9 --count 2000 --spacing 100us --interval 20ms --quiet "
	    "-o %/b.json --record %/b.records ; "
	    "throughput 192.0.2.9 --count 2000 --spacing 100us --interval 20ms --quiet "
	    "-o %/c.json --record %/c.records ; "
	    "together %/a.json %/b.json %/c.json ; "
	    "report %/a.json %/b.json %/c.json %/a.records %/b.records %/c.records -o %/all", lossy, 0,
	    "group incast: 3 senders to" },
	{ "throughput 192.0.2.9 --count 300 --spacing 200us --quiet -o %/a.json ; "
	    "throughput 192.0.2.9 --count 300 --spacing 100us --quiet -o %/b.json ; "
	    "together %/a.json %/b.json ; report %/a.json %/b.json -o %/all", told_lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 50us,100us,200us --size 100,700,1400 "
	    "-o %/doc.json ; report %/doc.json -o %/all", working, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 50us,100us --streams 3 -o %/doc.json ; "
	    "report %/doc.json -o %/all", working, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 50us --verbose", working, 0, "" },
	{ "throughput 192.0.2.9 --duration 3s --spacing 1ms --record %/records -o %/doc.json ; "
	    "report %/doc.json %/records -o %/all", lossy, 0, "" },
	{ "send 192.0.2.9:5000 --format plain --size 100,200,300 --spacing 50us,100us --count 20",
	    clean, 0, "" },
	{ "send 192.0.2.9:5000 --format vdif --size 1000:1400:200 --count 20 --csv -o %/doc.json", clean,
	    0, "" },
	{ "put %/pay abcdefghijklmnop ; send 192.0.2.9:5000 --format plain --payload %/pay --size 10 "
	    "--count 3", clean, 2, "has room for" },
	{ "put %/pay abcdefghijklmnop ; send 192.0.2.9:5000 --payload %/pay", clean, 2,
	    "frames of udpace have a pattern of their own" },
	{ "send 192.0.2.9:5000 --size 20 --count 3", clean, 2, "is too small" },
	{ "throughput 192.0.2.9 --count 20 --spacing 1ms,2ms -o %/doc.json --quiet ; "
	    "throughput --resume %/doc.json", clean, 0, "is complete: no point is missing" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us,300us -o %/doc.json --quiet ; "
	    "put %/doc.json.journal ; throughput --resume %/doc.json", dying, 3,
	    "its journal" },
	{ "throughput 192.0.2.9 --count 200 -o %/mesh/a/b.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/a/c.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/b/a.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/b/c.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/c/a.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/c/b.json --quiet ; report %/mesh -o %/all ; "
	    "report %/mesh --pairs 1 -o %/few", worsening, 0, "" },
	{ "throughput 192.0.2.9 --count 200 -o %/mesh/a/b.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/a/c.json --quiet ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/b/a.json --quiet ; put %/mesh/b/c.json {} ; "
	    "throughput 192.0.2.9 --count 200 -o %/mesh/c/a.json --quiet ; report %/mesh -o %/all",
	    worsening, 4, "not a result of udpace" },
	{ "latency 192.0.2.9 --size 4 --count 3", clean, 2, "is below 44 bytes" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us,200us,300us -o %/doc.json ; "
	    "throughput --resume %/doc.json --measure-skipped", skipping, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us,200us,300us -o %/doc.json --jsonl %/lines ; "
	    "throughput --resume %/doc.json ; report %/doc.json", skipping, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us,200us --json", skipping, 4, "skipped" },
	{ "latency 192.0.2.9 --size 64,100,1000 --count 100 -o %/doc.json", skipping, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out --measure-skipped ; "
	    "report %/out", skipping, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out", skipping, 4, "" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 100us,200us --json", resting, 0, "" },
	{ "watch %/in.ini --duration 20s --json", other_secret, 3, "" },
	{ "watch 192.0.2.9 nowhere.example late.example --duration 75s --spacing 200ms --interval 5s "
	    "--jsonl %/lines", mesh, 4, "late.example: up" },
	{ "watch nowhere.example --duration 20s", mesh, 3, "" },
	{ "capture %/.data/tests/data/captures/rtp.pcap --format rtp -o %/doc.json ; report %/doc.json -o %/all", clean, 0,
	    "" },
	{ "capture %/.data/tests/data/captures/spead-64-48.pcap --format spead -o %/doc.json ; "
	    "report %/doc.json -o %/all", clean, 0, "" },
	{ "capture %/.data/tests/data/captures/rtp.pcap --pair %/.data/tests/data/captures/rtp-sender.pcap --format rtp "
	    "-o %/doc.json ; report %/doc.json -o %/all ; export %/doc.json", clean, 0, "" },
	{ "capture %/.data/tests/data/captures/iperf3.pcap --format iperf3 --csv", clean, 0, "" },
	{ "capture %/.data/tests/data/captures/iperf2.pcap --json", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 500 --spacing 100us,200us --jsonl %/lines", resting, 0, "" },
	{ MESH_OF_FOUR "report %/mesh -o %/all ; report %/mesh --pairs 2 -o %/few", one_bad, 0,
	    "a to d: loss" },
	{ MESH_OF_FOUR "report %/mesh -o %/all", bad_sender, 0, "b is bad as a sender" },
	{ MESH_OF_FOUR "report %/mesh -o %/all", bad_receiver, 0, "c is bad as a receiver" },
	{ MESH_OF_FOUR "report %/mesh -o %/all", wrong_clock, 0, "the clock of d is ahead of the median clock by 500 ms" },
	{ "throughput 192.0.2.9 --count 500 --spacing 100us,1ms,2ms -o %/doc.json ; "
	    "report %/doc.json -o %/all", stopped, 0, "interrupted" },
	{ "latency 192.0.2.9 --size 64,1000 --count 400 --interval 1ms -o %/doc.json ; report %/doc.json "
	    "-o %/all", stopped, 0, "interrupted" },
	{ "throughput 192.0.2.9 --count 100 --no-bins --jsonl %/lines", clean, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet ; "
	    "campaign %/in.ini 192.0.2.9 -o %/out --force --quiet ; report %/out", other_plan, 0, "" },
	{ "throughput 192.0.2.9 --count 20000 --spacing 20us --record %/records", parting, 0, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us,200us,400us --json", parting, 4,
	    "is being stopped" },
	{ "watch %/paths.ini --duration 40s --spacing 50ms --json", mending, 0,
	    "line 3: size: '1' is below 64 bytes" },
	{ "watch %/paths.ini --duration 40s --spacing 50ms --interval 4s", mending, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100ms,10ms --json", losing_lease, 1, "" },
	{ "monitor 192.0.2.9 --duration 40s --jsonl %/lines", two_outages, 0, "" },
	{ "monitor 192.0.2.9 --duration 40s --dump-screen 100x40", two_outages, 0, "" },
	{ "throughput 192.0.2.9 --count 60 --spacing 400us --streams 8 -o %/doc.json", full_disk, 4,
	    "doc.json: File too large" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us -o %/doc.json", full_disk, 4, "" },
	{ "throughput 192.0.2.9 --count 60 --spacing 400us --streams 8 --jsonl %/events", full_disk, 4,
	    "--jsonl: File too large" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 50us --record %/records", full_disk, 4, "" },
	{ "throughput 192.0.2.9 --count 60 --spacing 400us --streams 8 --json", full_disk, 4,
	    "standard output: could not be written" },
	{ "latency 192.0.2.9 --count 300 -o %/doc.json", full_disk, 4, "" },
	{ "latency 192.0.2.9 --size 64 --count 900 --list --jsonl %/events", full_disk, 4, "" },
	{ "capacity 192.0.2.9 --high 20M --duration 200ms --sustain 200ms -o %/doc.json", full_disk, 4,
	    "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet", full_disk, 4, "" },
	{ "campaign --resume %/mesh", clean, 3, "" },
	{ "campaign %/in.ini 192.0.2.9 -o %/out", too_many_steps, 2, "more than 99 steps" },
	{ "watch %/in.ini", too_many_paths, 2, "more than 10000 paths" },
	{ "throughput fe80::1 --interface lo --count 10", clean, 0, "(fe80::1%lo port 14233)" },
	{ "throughput fe80::1%lo --count 10 --interface lo", clean, 0, "" },
	{ "throughput fe80::1%lo --count 10", clean, 0, "" },
	{ "throughput 2001:db8::1 --interface lo --count 10", clean, 0, "(2001:db8::1 port 14233)" },
	{ "throughput febf::1 --interface lo --count 10", clean, 0, "(febf::1%lo port 14233)" },
	{ "throughput fec0::1 --interface lo --count 10", clean, 0, "(fec0::1 port 14233)" },
	{ "send ff15::1 --interface lo --count 10", clean, 0, "(ff15::1%lo port 14233)" },
	{ "latency 192.0.2.9 --size 64,1000,1400 --count 5 -o %/doc.json ; report %/doc.json", hosts, 0,
	    "" },
	{ "latency 192.0.2.9 --size 64,1000 --count 60 -o %/doc.json ; report %/doc.json", lossy, 0,
	    "" },
	{ "latency 192.0.2.9 --size 64 --count 900 -o %/doc.json ; report %/doc.json", late_replies, 0,
	    "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out", lossy, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out ; campaign --resume %/out", dying, 0, "" },
	{ "throughput 192.0.2.9 --reverse --count 300 --spacing 50us,100us,200us -o %/doc.json ; "
	    "report %/doc.json -o %/all", working_both, 0, "" },
	{ "throughput 192.0.2.9 --two-way --count 300 --spacing 50us,100us,200us -o %/doc.json ; "
	    "report %/doc.json -o %/all", working_both, 0, "" },
	{ "latency 192.0.2.9 --size 64,512,1024 --count 100 --no-bins -o %/doc.json ; "
	    "report %/doc.json -o %/all", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 50us,100us --streams 1,2 -o %/doc.json --quiet ; "
	    "throughput 192.0.2.9 --count 300 --spacing 50us,100us --streams 1,2 -o %/more.json --quiet ; "
	    "compare %/doc.json %/more.json -o %/beside", lossy, 0, "" },
	{ "throughput 192.0.2.9 --two-way --count 200 -o %/mesh/a/b.json --quiet ; "
	    "latency 192.0.2.9 --count 200 -o %/mesh/b/a.json --quiet ; report %/mesh -o %/all",
	    both, 0, "" },
	{ "watch %/paths.ini --duration 30s --interval 5s --jsonl %/lines --quiet", changing, 0, "" },
	{ "watch %/paths.ini --duration 40s --spacing 50ms --interval 4s --jsonl -", mending, 0, "" },
	{ MESH_OF_FOUR "report %/mesh --pairs 3 -o %/all ; report %/mesh --pairs 0 -o %/all", one_bad, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --size 200,800 --spacing 50us,100us --streams 1,3 --dscp 0,46 "
	    "-o %/doc.json ; report %/doc.json -o %/all", working, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 50us,100us --streams 1,2,3,4 -o %/doc.json ; "
	    "report %/doc.json -o %/all ; compare %/doc.json %/doc.json -o %/beside", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 50us,100us --dscp 0,8,10,12,14,16,18,20,46 "
	    "-o %/doc.json ; report %/doc.json -o %/all", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --streams 1,2,3,4 -o %/doc.json ; report %/doc.json -o %/all",
	    lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 1 -o %/doc.json ; report %/doc.json -o %/all", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --size 100,1400 --streams 2 --dscp 0,46 --jsonl %/lines "
	    "-o %/doc.json", skipping, 4, "2 streams, DSCP 46: skipped" },
	{ "throughput 192.0.2.9 --count 20000 --spacing 50us --record %/records -o %/doc.json ; "
	    "report %/doc.json %/records -o %/all", some_late, 0, "" },
	{ "put %/pay abcdefghijklmnop ; send 192.0.2.9:5000 --format plain --payload %/pay --size 16 "
	    "--count 3", clean, 0, "" },
	{ "throughput 192.0.2.9 --omit 300ms --duration 1s --spacing 1ms --interval 200ms", terminal, 0, "" },
	{ "watch 192.0.2.9 --stamp --dscp 46 --duration 10s --json", reflector, 0, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --count 7", clean, 0, "" },
	{ "campaign %/in.ini 192.0.2.9 -o %/out ; report %/out", spoken, 0, "Look at the path" },
	{ "monitor 192.0.2.9 --duration 4s --spacing 1ms --jsonl -", working, 0, "" },
	{ "throughput 192.0.2.9 --two-way --count 200 --size 100,1400 --spacing 100us,200us", displayed, 1, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --quiet", displayed, 0, "" },
	{ "monitor 192.0.2.9 --stamp --stamp-key %/other --duration 16s --jsonl -", secret_reflector, 0,
	    "replies is wrong" },
	{ "watch 192.0.2.9 --duration 5s", no_address, 3, "down: Cannot assign requested address" },
	{ "throughput 192.0.2.9 --count 2000 --spacing 1ms,2ms --energy --json", metered_restarting, 0,
	    "idle_watts" },
	{ "throughput 192.0.2.9 --count 100 -o %/mesh/a/b.json --quiet ; "
	    "throughput 192.0.2.9 --count 100 -o %/mesh/c/d.json --quiet ; report %/mesh -o %/all",
	    clean, 0, "2 of 12 pairs measured" },
	{ "throughput 192.0.2.9 --count 10 --spacing 1ms --group g:2", ungrouped, 3,
	    "the responder's operator can allow it" },
	{ "throughput 192.0.2.9 --count 100 --spacing 10us,20us --start-at +5s --json", clean, 0, "" },
	{ "throughput 192.0.2.9 --duration 1s --spacing 50us --train 8 --interval 200ms --jsonl -",
	    lossy_at_socket, 0, "" },
	{ "watch 192.0.2.9 --stamp --port 10862 --duration 5s", reflector, 0, "" },
	{ "throughput 192.0.2.9 --count 5000 --spacing 100us,200us --streams 3 --json", cores_late, 0,
	    "" },
	{ "monitor 192.0.2.9 --plain --duration 1s", little_mtu, 3, "has no room for udpace's control frames" },
	{ "watch %/paths.ini --state %/state --duration 5s --quiet ; "
	    "watch %/paths.ini --state %/state --duration 9s --json", changing_later, 0,
	    "2 new, 2 removed, 1 as before" },
	{ "watch %/in.ini --stamp-key %/other:one --duration 5s --json", secret_and_open, 4, "a: down" },
	{ "throughput 192.0.2.9 --count 10 --spacing 1ms --quiet --jsonl /dev/null -o /dev/null", clean, 0, "" },
	{ "monitor 192.0.2.9 --duration 2s --spacing 1ms --size 1472 --jsonl %/lines", clean, 0, "" },
	{ "latency 192.0.2.9 --count 50 --interval 2ms --timeout 20ms --dscp ef --ecn ect0 --ttl 9 --priority 3 "
	    "--busy-poll --cpu 1 --csv-short", lossy, 0, "" },
	{ "latency 192.0.2.9 --count 60 --size 200,400 --reply-size 100 --ping-pong --linear 0:100us:10 --list "
	    "--json", hosts, 0, "" },
	{ "latency 192.0.2.9 --count 100 --max-loss 1% --max-p99 100us --label a --no-host-info --verbose",
	    lossy, 1, "" },
	{ "latency 192.0.2.9 --count 20 --fit-mtu --size 64,9000 --link-rate 1G --no-bins -o %/doc.json --quiet ; "
	    "latency 192.0.2.9 --count 20 -o %/doc.json ; latency 192.0.2.9 --count 20 -o %/doc.json --force "
	    "--ping-pong", clean, 0, "" },
	{ "clock 192.0.2.9 --count 40 --interval 3ms --dscp 8 --ecn ect1 --ttl 3 --jsonl -", hosts, 0, "" },
	{ "clock 192.0.2.9 --count 40 --flow-label 7", clean, 3, "IPv6 was requested" },
	{ "capacity 192.0.2.9 --high 60M --low 20M --duration 100ms --sustain 200ms --repeat 1 --precision 5% "
	    "--train 4 --dscp 46 --label cap --csv-short", narrow, 0, "" },
	{ "capacity 192.0.2.9 --high 1G --duration 100ms --sustain 100ms --max-loss 10% --grace 100ms --no-bins "
	    "--json", lossy, 0, "" },
	{ "capacity 192.0.2.9 --reverse --high 60M --duration 100ms --sustain 100ms --sndbuf 64K --rcvbuf 64K",
	    both, 1, "" },
	{ "monitor 192.0.2.9 --duration 3s --rate 5M --size 500 --dscp 10 --ecn ect0 --ping 5ms --label x "
	    "--rcvbuf 64K --sndbuf 64K --ttl 4 --jsonl -", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 3s --streams 3 --stagger none --train 2 --spacing 2ms --interval 500ms "
	    "--units ip --plain", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 3s --plain --units data --verify --reverse", both, 0, "" },
	{ "monitor 192.0.2.9 --plain --count 2 --interval 200ms", clean, 0, "" },
	{ "watch 192.0.2.9 192.0.2.10 --duration 8s --exchange 200ms --size 300 --spacing 20ms --dscp ef --ttl 5 "
	    "--label w --no-host-info -o %/doc.json --quiet", mesh, 0, "" },
	{ "watch 192.0.2.9 --stamp --twamp-light --duration 6s --exchange 100ms --csv", reflector, 0, "" },
	{ "send 192.0.2.9:5000 --rate 10M --count 60 --bursts 3 --burst-gap 10ms --csv-short", clean, 0, "" },
	{ "send 192.0.2.9:5000 --count 50 --spacing 100us --train 4 --catch-up skip --ttl 3 --dscp 0,46 "
	    "--jsonl - --no-bins", clean, 0, "" },
	{ "send 192.0.2.9:5000 --count 40 --streams 3 --stagger random --spacing 1ms --quiet -o %/doc.json ; "
	    "export %/doc.json ; export %/doc.json --histogram tx_gap", clean, 2,
	    "only its rows can be exported" },
	{ "send 192.0.2.9:5000 --format spead --spead 64-48 --heap 4 --descriptors-every 2 --count 64 "
	    "--spacing 20us --json", clean, 0, "" },
	{ "send 192.0.2.9:5000 --dry-run --size 1000,1400 --spacing 10us,20us --count 100 --vlan 1", clean, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --interval 5ms -o %/doc.json --quiet ; "
	    "export %/doc.json --intervals --absolute ; export %/doc.json --format udpmon ; "
	    "export %/doc.json --short --format tsv", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --streams 2 -o %/doc.json --quiet ; "
	    "export %/doc.json --per-stream ; export %/doc.json --histogram owd --format hdr ; "
	    "export %/doc.json --histogram gap --format gnuplot --point 0", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 100us --grace 20ms --ttl 7 --vlan 1 --csv-short", lossy, 0,
	    "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out --label lab --no-wait --ttl 3 --quiet", clean, 0, "" },
	/* control frames that are lost, doubled and overtaken */
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --size 200,1472 --streams 4 --json", losing_control,
	    0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --streams 3 --reverse --jsonl -",
	    losing_control_backwards, 0, "" },
	{ "throughput 192.0.2.9 --count 300 --spacing 100us --two-way --streams 2 --record %/records "
	    "-o %/doc.json", losing_control_both, 1, "" },
	{ "latency 192.0.2.9 --count 100 --size 64,256,512 -o %/doc.json", losing_control, 0, "" },
	{ "monitor 192.0.2.9 --duration 5s --streams 2 --jsonl %/lines", losing_control, 0, "" },
	{ "capacity 192.0.2.9 --high 60M --duration 100ms --sustain 100ms --json", losing_control, 1, "" },
	{ "latency 192.0.2.9 --count 100 --size 64,128,256,512,768 -o %/doc.json --quiet", hosts, 0, "" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --size 200,400,800 -o %/doc.json ; "
	    "throughput --resume %/doc.json", ending, 4, "1 point was skipped" },
	{ "throughput 192.0.2.9 --count 200 --spacing 100us --size 200,400,800", ending, 130, "" },
	/* without a receiver */
	{ "send 192.0.2.9:5000 --count 400 --spacing 20us --json", refusing, 1, "" },
	{ "send 192.0.2.9:5000 --count 400 --spacing 20us --sndbuf 4M", clamping, 1, "" },
	{ "throughput 192.0.2.9 --count 10 -o %/mesh", clean, 2, "/mesh' cannot be written: Is a directory" },
	{ "monitor 192.0.2.9", stopped_early, 130, "" },
	{ "throughput 192.0.2.9 --count 10 -o %/doc.json", stopped_early, 130, "" },
	{ "latency 192.0.2.9 --json", stopped_early, 130, "" },
	{ "clock 192.0.2.9", stopped_early, 130, "" },
	{ "capacity 192.0.2.9 --jsonl -", stopped_early, 130, "" },
	{ "watch 192.0.2.9 192.0.2.10", stopped_early, 3, "" },
	{ "campaign %/plan.ini 192.0.2.9 -o %/out", stopped_early, 130, "" },
	{ "throughput 192.0.2.9 --count 400 --spacing 100us --dscp ef", mixing, 0,
	    "DSCP 46 arrived as 0 in 40 % of the frames" },
	{ "throughput 192.0.2.9 --duration 1s --spacing 1ms --interval 100ms --jsonl -", lossy, 0, "" },
	/* options that each command takes for itself */
	{ "capacity 192.0.2.9 --duration 100ms --sustain 100ms --high 200M --train 4 --ttl 5 --dscp af11 "
	    "--ecn ect0 --vlan 1 --label cap --priority 2 --source-port 5001 --port 14233 --json "
	    "--no-host-info", narrow, 0, "" },
	{ "capacity 192.0.2.9 --duration 100ms --sustain 100ms --high 100M -o %/doc.json --csv-short --ipv4 ; "
	    "capacity 192.0.2.9 --duration 100ms --sustain 100ms --high 100M -o %/doc.json ; "
	    "capacity 192.0.2.9 --duration 100ms --sustain 100ms --high 100M -o %/doc.json --force --quiet",
	    lossy, 0, "" },
	{ "clock 192.0.2.9 --count 40 --interval 5ms --priority 2 --source-port 5002 --no-host-info "
	    "-o %/doc.json ; clock 192.0.2.9 --count 40 --quiet -o %/doc.json ; "
	    "clock 192.0.2.9 --count 60 --json -o %/doc.json --force", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 3s --sndbuf 1M --rcvbuf 2M --ttl 4 --priority 1 --source-port 5003 "
	    "--jsonl %/lines --dump-screen 100x30", lossy, 0, "" },
	{ "monitor 192.0.2.9 --duration 1s --jsonl %/lines ; monitor 192.0.2.9 --duration 1s --jsonl %/lines ; "
	    "monitor 192.0.2.9 --duration 2s --jsonl %/lines --force", lossy, 0, "" },
	{ "watch 192.0.2.9 --duration 4s --label w --no-host-info -o %/doc.json ; "
	    "watch 192.0.2.9 --duration 4s -o %/doc.json ; "
	    "watch 192.0.2.9 --duration 4s -o %/doc.json --force --json", lossy, 0, "" },
	{ "send 192.0.2.9:5000 --duration 100ms --rate 10M --ecn ect1 --priority 3 --source-port 5004 "
	    "--no-bins --no-host-info --verbose --json", clean, 0, "" },
	{ "send 192.0.2.9:5000 --duration 50ms --spacing 1ms --jsonl %/events --verbose -o %/doc.json ; "
	    "send 192.0.2.9:5000 --duration 50ms --spacing 1ms -o %/doc.json ; "
	    "send 192.0.2.9:5000 --count 1 -o %/doc.json --force", refusing, 0, "" },
	{ "latency 192.0.2.9 --count 50 --busy-poll --no-wait --csv-short", lossy, 0, "" },
	{ "throughput 192.0.2.9 --count 200 -o %/doc.json --quiet ; report %/doc.json -o %/all ; "
	    "report %/doc.json -o %/all ; report %/doc.json -o %/all --force ; "
	    "export %/doc.json -o %/rows.csv ; export %/doc.json -o %/rows.csv ; "
	    "export %/doc.json -o %/rows.csv --force", lossy, 0, "" },
	{ "throughput 192.0.2.9 --ipv6 --count 10", clean, 3, "" },
	{ "latency 192.0.2.9 --ipv6 --count 10", clean, 3, "" },
	{ "watch 192.0.2.9 --ipv6 --duration 3s", clean, 3, "" },
	{ "clock 192.0.2.9 --flow-label 7 --count 10", clean, 3, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 200us --two-way --catch-up skip --interval 5ms --verbose",
	    both, 1, "" },
	{ "throughput 192.0.2.9 --count 100 --spacing 200us --catch-up burst --stamp kernel --cpu 0 --port 14233",
	    lossy, 0, "" },
	/* an hour and more is left */
	{ "latency 192.0.2.9 --count 5000 --interval 1s", terminal_stopped, 130, "" },
	{ "clock 192.0.2.9 --count 100", walls, 0, "responder's is 140 ms ahead" },
	{ "clock 192.0.2.9 --stamp --count 200", reflector_by_wall, 0, "reflector's is 45.1 ms ahead" },
	{ "monitor 192.0.2.9 --stamp --duration 5s --dump-screen 80x24", reflector_by_wall, 0,
	    "Clock    45.1 ms" },
	{ "capacity 192.0.2.9 --high 1G --duration 100ms --sustain 200ms --quiet -o %/doc.json ; report %/doc.json",
	    governed, 0, "" },
	{ "throughput 192.0.2.9 --count 100 --quiet -o %/doc.json ; report %/doc.json -o %/all ; "
	    "put %/all/fig-31-old.pdf x ; put %/all/fig-31-old.svg x ; put %/all/fig-31-old.png x ; "
	    "put %/all/fig-31-old.gp x ; put %/all/fig-31-old.dat x ; put %/all/fig-31-old.txt x ; "
	    "put %/all/old.pdf x ; report %/doc.json -o %/all", lossy, 0, "" },
};

/* --- running ------------------------------------------------------------------------------- */

static int
words_of(char *line, char **argv)
{
	int argc = 0;
	char *rest = NULL;

	for (char *w = strtok_r(line, " ", &rest); w != NULL; w = strtok_r(NULL, " ", &rest)) {
		ck_assert_int_lt(argc, WORDS - 1);
		argv[argc++] = w;
	}
	argv[argc] = NULL;
	return argc;
}

static int
redirect(int fd, const char *name)
{
	char path[128];
	int was = dup(fd), to = open(folder_path(path, name), O_CREAT | O_WRONLY | O_APPEND, 0600);

	ck_assert(was >= 0 && to >= 0);
	ck_assert_int_eq(dup2(to, fd), fd);
	close(to);
	return was;
}

static bool found;		/* what has to be said */

/* Add a file.  The folder has another name each time. */
static void
add_file(const char *path, const char *name, const char *says)
{
	const size_t len = strlen(folder);
	FILE *f = fopen(path, "r");
	struct stat st;
	char *text;
	size_t n;

	ck_assert(f != NULL && fstat(fileno(f), &st) == 0 && st.st_size < MOST);
	n = (size_t)st.st_size;
	text = malloc(n + 1);
	ck_assert(text != NULL && fread(text, 1, n, f) == n);
	text[n] = '\0';
	for (char *p = text; (p = memmem(p, n - (size_t)(p - text), folder, len)) != NULL; p += len)
		memset(p, '%', len);
	found |= name[0] == 's' && strstr(text, says) != NULL;	/* stdout, stderr */
	sim_sum_text(name, text, n);
	free(text);
	fclose(f);
}

static int
no_dots(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

/* Add all files below path, and remove it. */
static void
add_all(const char *path, const char *says)
{
	struct dirent **v;
	char below[PATH_MAX];
	int n = scandir(path, &v, no_dots, alphasort);
	struct stat st;

	ck_assert_int_ge(n, 0);
	for (int i = 0; i < n; i++) {
		snprintf(below, sizeof(below), "%s/%s", path, v[i]->d_name);
		ck_assert_int_eq(lstat(below, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			add_all(below, says);
		} else {
			add_file(below, v[i]->d_name, says);
			unlink(below);
		}
		free(v[i]);
	}
	free(v);
	ck_assert_int_eq(rmdir(path), 0);
}

/* What command lines name. */
static void
write_files(void)
{
	static const char *const folders[] = { "mesh", "mesh/a", "mesh/b", "mesh/c", "mesh/d" };
	char path[128], text[512];
	FILE *f = fopen(folder_path(path, "keys"), "w");

	for (size_t i = 0; i < COUNT_OF(folders); i++)
		ck_assert_int_eq(mkdir(folder_path(path, folders[i]), 0700), 0);

	ck_assert(f != NULL && fchmod(fileno(f), 0600) == 0);
	pace_key_line(&alice, text);
	fputs(text, f);
	pace_key_line(&bob, text);
	fputs(text, f);
	fclose(f);
	f = fopen(folder_path(path, "plan.ini"), "w");
	ck_assert_ptr_nonnull(f);
	fputs("[campaign]\ntitle = Look\nabout = all kinds of steps\n"
	    "[clock]\ncommand = clock\ncount = 20\n"
	    "[trips]\ncommand = latency\nsize = 64,1000\ncount = 30\n"
	    "[sweep]\nsize = 64,1472\nspacing = 50,200us\ncount = 200\nrepeat = 2\n"
	    "[one]\nsize = 1000\nspacing = 100us\nduration = 50ms\nrecord = yes\n", f);
	fclose(f);
}

/* Between two commands the user writes a word into a file; NULL: removes it. */
static int
put(const char *path, const char *word)
{
	FILE *f;

	if (word == NULL)
		return unlink(path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(strcmp(word, "nothing") == 0 ? "" : word, f);
	fclose(f);
	return 0;
}

/* These documents become those of different hosts that began together: "together FILE FILE ...". */
static int
together(char *const *file)
{
	for (int i = 0; file[i] != NULL; i++) {
		json_t *doc = json_load_file(file[i], 0, NULL), *point;
		char text[40];
		size_t k;

		ck_assert_ptr_nonnull(doc);
		snprintf(text, sizeof(text), "host%c", 'c' + i);
		json_object_set_new(doc, "host", json_string(text));
		json_array_foreach(json_object_get(doc, "points"), k, point)
			json_object_set_new(point, "begin", json_pack("{s:s, s:i, s:I, s:i, s:i}",
			    "group", "incast", "members", 4, "responder_ns",
			    (json_int_t)(7000000000 + 1000000000 * (int64_t)k), "error_ns",
			    1000 * i - 2500, "error_max_ns", 3000 + i));
		ck_assert_int_eq(json_dump_file(doc, file[i], 0), 0);
		json_decref(doc);
	}
	return 0;
}

/* Run a command, "put FILE WORD" or "together FILE ...". */
static int
call(const char *line, size_t len)
{
	const char *end = line + len;
	char whole[LINE + sizeof(folder)] = "udpace ", *argv[WORDS];
	size_t n = strlen(whole);
	int argc, out, err, status;

	for (; line < end && n < sizeof(whole) - sizeof(folder); line++) {
		if (*line == '%' && line[1] == '/')
			n += (size_t)snprintf(whole + n, sizeof(folder), "%s", folder);
		else
			whole[n++] = *line;
	}
	whole[n] = '\0';
	sim_machine.monitors = strstr(whole, " monitor ") != NULL &&
	    strstr(whole, " --replay ") == NULL;
	argc = words_of(whole, argv);
	if (argc > 2 && strcmp(argv[1], "put") == 0)
		return put(argv[2], argv[3]);
	if (argc > 2 && strcmp(argv[1], "together") == 0)
		return together(argv + 2);
	fflush(NULL);
	out = redirect(STDOUT_FILENO, "stdout");
	err = redirect(STDERR_FILENO, "stderr");
	status = __real_main(argc, argv);
	fflush(NULL);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	return status;
}

/* Between two calls: the responder is up. */
static void
again(void)
{
	bool two_way = net->two_way;

	net->tick = NULL;
	pace_stop = 0;
	pace_point_control_last = 0;
	if (between != NULL)
		between();
	if (net->down) {
		sim_start_responder(net);
		operator_begin(net, folder);
	}
	if (two_way)
		sim_reverse(net);
	net->reverse = net->reverse && !two_way;
}

static void
begin_play(void)
{
	const char *top = getenv("top_srcdir");
	char data[128];

	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(symlink(top != NULL ? top : "/", folder_path(data, ".data")), 0);
	setenv("UDPACE_DATADIR", data, 1);
	sim_machine.first = pthread_self();
	net = sim_machine.net = sim_new(unit_rnd());
	net->poll_ns = 2000;
	operator_begin(net, folder);
	pace_key_make(&alice, "alice");
	pace_key_make(&bob, "bob");
}

/* Write what a campaign's display got to a file, without the sender's core. */
static void
end_display(void)
{
	char path[128], packet[PACE_FEED_ROOM];
	FILE *f;
	ssize_t n;

	if (display[0] == 0)
		return;
	pace_feed_to(-1);
	f = fopen(folder_path(path, "displayed"), "w");
	ck_assert_ptr_nonnull(f);
	while ((n = recv(display[1], packet, sizeof(packet), MSG_DONTWAIT)) > (ssize_t)sizeof(int32_t))
		fprintf(f, "%.*s\n", (int)(n - (ssize_t)sizeof(int32_t)), packet + sizeof(int32_t));
	fclose(f);
	close(display[0]);
	close(display[1]);
}

/* Report the result that is in doc.json, or else was printed, if none of the line's commands does. */
static void
report_too(const char *line)
{
	char doc[128], out[128];
	bool written = access(folder_path(doc, "doc.json"), F_OK) == 0;
	FILE *f = fopen(folder_path(out, "stdout"), "r");
	int first = f != NULL ? fgetc(f) : EOF;

	if (f != NULL)
		fclose(f);
	if (strstr(line, "report ") != NULL || (!written && first != '{'))
		return;
	if (!written)
		ck_assert_int_eq(link(out, doc), 0);
	net->tick = NULL;
	pace_stop = 0;
	(void)call("report %/doc.json", 17);
	if (!written)
		unlink(doc);
}

/* Run the commands of a line; the status of the last one. */
static int
play(const char *line, const char *says)
{
	int status = -1;
	char ended[16], data[128];
	const char *whole = line;

	write_files();
	for (const char *next; line != NULL; line = next) {
		next = strstr(line, " ; ");
		status = call(line, next != NULL ? (size_t)(next - line) : strlen(line));
		sim_sum_text("status", ended, (size_t)snprintf(ended, sizeof(ended), "%d", status));
		next = next != NULL ? next + 3 : NULL;
		if (next != NULL)
			again();
	}
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY }), 0);
	report_too(whole);
	operator_end(net);
	end_display();
	unlink(folder_path(data, ".data"));
	add_all(folder, says);
	sim_free(net);
	return status;
}

START_TEST(prints_and_writes_what_was_recorded)
{
	int status;

	if (sim_sum_skips())
		return;
#ifndef HAVE_PCAP
	if (strncmp(run[_i].line, "capture %", 9) == 0)
		return;
#endif
	begin_play();
	run[_i].net();
	status = play(run[_i].line, run[_i].says);
	ck_assert_msg(status == run[_i].status, "'udpace %s' ended with %d, not %d", run[_i].line,
	    status, run[_i].status);
	ck_assert_msg(found, "'udpace %s' does not say '%s'", run[_i].line, run[_i].says);
}
END_TEST

/* --- any commands ---------------------------------------------------------------------- */

static uint64_t dice_state;

static uint32_t
dice(uint32_t n)
{
	dice_state ^= dice_state << 13;
	dice_state ^= dice_state >> 7;
	dice_state ^= dice_state << 17;
	return (uint32_t)(dice_state >> 20) % n;
}

static void
add(char *line, const char *words, size_t len)
{
	size_t n = strlen(line);

	ck_assert_uint_lt(n + len + 1, LINE);
	line[n] = ' ';
	memcpy(line + n + 1, words, len);
	line[n + 1 + len] = '\0';
}

/* Add one of the words between '|', in a share of all cases. */
static void
may(char *line, uint32_t percent, const char *words)
{
	uint32_t n = 1, k;

	if (dice(100) >= percent)
		return;
	for (const char *c = words; *c != '\0'; c++)
		n += *c == '|';
	for (k = dice(n); k > 0; words++)
		k -= *words == '|';
	add(line, words, strcspn(words, "|"));
}

static void
any_stream(char *line)
{
	may(line, 100, "throughput 192.0.2.9");
	may(line, 100, "--count 200|--count 37|--count 400|--duration 60ms|--count 40 --bursts 3 "
	    "--burst-gap 5ms|--duration 80ms --omit 20ms");
	may(line, 100, "--spacing 50us|--spacing 100us,400us|--spacing 20us,50us,100us,250us|--rate 30M|"
	    "--rate 10M,100M,300M|--spacing 5us,1ms");
	may(line, 60, "--size 64|--size 300,1400|--size 100:500:200|--size 1472");
	may(line, 20, "--streams 2|--streams 3 --stagger random|--streams 1,4|--streams 5 --stagger none");
	may(line, 25, "--repeat 2|--repeat 3|--repeat 5");
	may(line, 15, "--order spacing|--order shuffle --seed 3");
	may(line, 15, "--dscp ef|--dscp 0,af11,cs6");
	may(line, 10, "--ecn ect0|--ecn ect1|--ecn ce");
	may(line, 15, "--train 2|--train 4|--train 8");
	may(line, 35, "--interval 10ms|--interval 25ms|--interval 1ms");
	may(line, 15, "--message 5|--message 20");
	may(line, 10, "--verify");
	may(line, 15, "--linear 0:1us:50|--linear 20us:500ns:90");
	may(line, 25, "--reverse|--two-way");
	may(line, 20, "--record %/records|--record %/records:10:50|--record %/records --record-lost");
	may(line, 8, "--no-bins|--no-host-info|--energy|--busy-poll");
	may(line, 15, "--max-loss 1%|--min-rate 20M");
	may(line, 15, "--catch-up burst|--catch-up skip|--catch-up slip");
	may(line, 15, "--grace 0|--grace 20ms");
	may(line, 15, "--rcvbuf 1M|--sndbuf 2M|--rcvbuf 2M --sndbuf 1M");
	may(line, 10, "--ttl 3|--priority 3|--source-port 5000|--fit-mtu|--cpu 0");
	may(line, 60, "--csv|--json|--csv-short|--quiet|--verbose|--per-stream|--quiet|--jsonl %/events");
}

static void
any_trips(char *line)
{
	may(line, 100, "latency 192.0.2.9");
	may(line, 100, "--count 30|--count 100|--count 200 --list");
	may(line, 80, "--size 64|--size 64,512|--size 64:1472:256|--size 1000,1472");
	may(line, 60, "--interval 200us|--interval 2ms|--ping-pong");
	may(line, 20, "--reply-size 64|--reply-size 1000");
	may(line, 20, "--timeout 5ms|--timeout 50ms");
	may(line, 20, "--linear 100us:2us:60|--link-rate 1G");
	may(line, 20, "--max-loss 1%|--max-p99 300us|--ttl 3|--fit-mtu");
	may(line, 60, "--csv|--json|--quiet|--jsonl %/events");
}

static void
any_search(char *line)
{
	may(line, 100, "capacity 192.0.2.9 --duration 100ms --sustain 100ms");
	may(line, 100, "--high 200M|--high 1G|--high 60M --low 20M");
	may(line, 30, "--max-loss 1%|--max-loss 10%");
	may(line, 30, "--precision 2%|--precision 10%");
	may(line, 30, "--repeat 1|--repeat 3");
	may(line, 30, "--size 64|--size 500");
	may(line, 20, "--train 2|--train 8");
	may(line, 25, "--reverse");
	may(line, 15, "--rcvbuf 1M|--sndbuf 2M|--rcvbuf 2M --sndbuf 1M");
	may(line, 60, "--csv|--json|--quiet|--jsonl %/events");
}

static void
any_other(char *line)
{
	if (dice(3) == 0) {
		may(line, 100, "clock 192.0.2.9");
		may(line, 80, "--count 30|--count 200");
		may(line, 50, "--interval 1ms|--interval 20ms");
	} else {
		may(line, 100, "watch 192.0.2.9 --duration 6s|watch 192.0.2.9 192.0.2.10 --duration 8s");
		may(line, 50, "--spacing 10ms|--spacing 500ms");
		may(line, 50, "--exchange 50ms|--exchange 200ms");
		may(line, 30, "--size 200|--size 1400");
		may(line, 60, "--interval 2s --status-socket %/.watching|--interval 3s|"
		    "--interval 4s --status-socket %/.watching");
	}
	may(line, 60, "--csv|--json|--quiet");
	if (strstr(line, ".watching") != NULL)
		may(line, 100, "; monitor --replay %/watching --speed 0 --plain|"
		    "; monitor --replay %/watching --speed 0 --dump-screen 80x24|"
		    "; monitor --replay %/watching --speed 0 --dump-screen 100x40 --view host|"
		    "; monitor --replay %/watching --speed 0 --dump-screen 120x40 --view histogram");
}

static void
any_monitor(char *line)
{
	may(line, 100, "monitor 192.0.2.9");
	may(line, 100, "--duration 3s|--count 4|--duration 5s --interval 500ms|--duration 30s "
	    "--interval 2s");
	may(line, 50, "--spacing 500us|--spacing 5ms|--rate 20M");
	may(line, 40, "--size 100|--size 700");
	may(line, 25, "--streams 2|--streams 5");
	may(line, 30, "--reverse|--two-way");
	may(line, 15, "--train 4|--verify");
	may(line, 80, "--jsonl %/lines|--dump-screen 80x24 --view rate|--dump-screen 100x40 --view host|"
	    "--dump-screen 80x24 --view histogram|--dump-screen 120x40 --view streams|--units data|"
	    "--dump-screen 80x24|--jsonl %/lines --plain");
}

/* A campaign: a step has one of the words in each line, '@' is the end of a line. */
static void
any_campaign(char *line)
{
	static const char *const steps[] = {
		"command = clock@count = 20|command = latency@count = 30|command = latency@ping-pong = yes@"
		    "count = 50|command = capacity@high = 100M@duration = 100ms@sustain = 100ms|"
		    "count = 200|count = 100@record = yes|duration = 60ms|count = 300@streams = 3",
		"size = 64,1000@|size = 300@|size = 64:1000:400@|@",
		"repeat = 2@|dscp = ef@|max-loss = 1%@|reverse = yes@|two-way = yes@|interval = 20ms@|@",
	};
	static const char *const names[] = { "[one]", "[two]", "[three]" };
	char text[600] = "";
	size_t n = 1 + dice(COUNT_OF(names));

	may(text, 60, "[campaign]@title = Some|[campaign]@about = any steps|"
	    "[campaign]@title = Some@about = any steps");
	for (size_t i = 0; i < n; i++) {
		add(text, "@", 1);
		add(text, names[i], strlen(names[i]));
		for (size_t k = 0; k < COUNT_OF(steps); k++) {
			add(text, "@", 1);
			may(text, k == 0 ? 100 : 50, steps[k]);
		}
	}
	for (char *c = text; *c != '\0'; c++)
		*c = *c == '@' ? '\n' : *c;
	put_in(text);
	may(line, 100, "campaign %/in.ini 192.0.2.9 -o %/out");
	may(line, 30, "--count 20|--count 150");
	may(line, 40, "--quiet|--quiet|--no-host-info|--label night|--force|--dry-run");
	may(line, 40, "; campaign --resume %/out|; campaign --resume %/out --quiet|"
	    "; campaign --resume %/out --measure-skipped");
	may(line, 60, "; report %/out|; report %/out -o %/all");
}

/* What is made of the documents. */
static void
any_use(char *line)
{
	may(line, 15, "; throughput --resume %/doc.json|; throughput --resume %/doc.json --quiet|"
	    "; throughput --resume %/doc.json --measure-skipped");
	may(line, 75, "; report %/doc.json|; report %/doc.json -o %/all");
	if (strstr(line, "more") != NULL)
		may(line, 100, "; compare %/doc.json %/more.json -o %/beside|"
		    "; report %/doc.json %/more.json -o %/both");
	if (strstr(line, "--record ") != NULL)
		may(line, 70, "; report %/doc.json %/records -o %/frames");
	may(line, 50, "; export %/doc.json|; export %/doc.json --format tsv --per-stream|"
	    "; export %/doc.json --intervals|; export %/doc.json --histogram owd --format gnuplot|"
	    "; export %/doc.json --histogram gap|; export %/doc.json --format hdr|"
	    "; export %/doc.json --format udpmon --histogram all|; export %/doc.json --histogram rtt|"
	    "; export %/doc.json --short --point 1|; export %/records");
}

/* What the responder told of it. */
static void
any_display(char *line)
{
	may(line, 100, "; monitor --replay %/operator --speed 0 --plain|"
	    "; monitor --replay %/operator --speed 0 --dump-screen 100x30|"
	    "; monitor --replay %/operator --speed 0 --dump-screen 80x24 --view histogram|"
	    "; monitor --replay %/operator --speed 0 --dump-screen 80x24 --view rate|"
	    "; monitor --replay %/operator --speed 0 --dump-screen 100x40 --view streams|"
	    "; monitor --replay %/operator --speed 0 --dump-screen 100x40 --view events");
}

static double
any_share(uint32_t percent, double most)
{
	return dice(100) < percent ? most * (double)dice(1000) / 1000 : 0;
}

static void
any_way(int way)
{
	struct sim_impair *d = &net->data[way], *c = &net->control[way];

	d->loss = dice(20) == 0 ? 1 : any_share(50, dice(4) == 0 ? 0.5 : 0.03);
	d->dup = any_share(20, 0.02);
	d->late = any_share(25, 0.05);
	d->late_ns = (dice(4) == 0 ? 60 : 2) * MS;
	d->jitter_ns = c->jitter_ns = (int64_t)any_share(60, 300000);
	d->payload = any_share(8, 0.02);
	d->header = any_share(5, 0.02);
	d->every = dice(10) == 0 ? 17 : 0;
	c->loss = any_share(40, dice(4) == 0 ? 0.4 : 0.05);
	if (dice(8) == 0) {
		d->out_from_ns = c->out_from_ns = net->now_ns + (int64_t)dice(3000) * MS;
		d->out_to_ns = c->out_to_ns = d->out_from_ns + (int64_t)dice(4000) * MS;
	}
}

/* The network is another one from time to time. */
static void
change(struct sim *s)
{
	(void)s;
	for (int way = 0; way < 2; way++)
		any_way(way);
}

/* For some time no exchange comes through, so that no clock is known. */
static enum sim_fate
drop_pings(void *ctx, enum sim_way way, uint8_t *buf, size_t len, int64_t *delay_ns)
{
	(void)ctx, (void)way, (void)len, (void)delay_ns;
	return (buf[3] & ~PACE_REPLY) == PACE_PING && net->now_ns / (700 * MS) % 2 == 0 ? SIM_DROP :
	    SIM_PASS;
}

static void
changing_ways(void)
{
	net->tick = change;
	net->tick_ns = 150 * MS;
	net->hook = dice(2) == 0 ? drop_pings : NULL;
}

/* As far as the dice want it. */
static void
any_hosts(void)
{
	tell_host(&sim_machine.facts, "ours", dice(3) + 1);
	tell_host(&there, "theirs", dice(3) + 1);
	for (int i = 0; i < PACE_FACTS; i++) {
		sim_machine.facts.has[i] = dice(4) > 0;
		there.has[i] = dice(4) > 0;
	}
	net->host = &there;
}

static void
any_network(const char *line)
{
	static void (*const special[])(void) = { clean, changing_ways, changing_ways, narrow,
		freezing, clearing, marking, dying, busy, away, keyed, cores };

	for (int way = 0; way < 2; way++)
		any_way(way);
	net->delay_ns = (int64_t[]){ 100000, 7000, 4 * MS }[dice(3)];
	net->back_ns = (int64_t)any_share(20, 200000);
	net->theta_ns = dice(2) * 17 * MS;
	net->skew_ppb = dice(2) * 21000;
	net->stack_ns = dice(2) * 2300;
	net->watts = any_share(30, 80);
	net->usage.steal_ns = dice(4) == 0 ? 4000 : 0;
	net->session_room = dice(4) == 0 ? 32 : 0;
	net->hosts.counted = dice(2) == 0;
	net->hosts.qdisc = any_share(15, 0.01);
	net->hosts.rx_nic = any_share(15, 0.01);
	net->hosts.softnet = any_share(15, 0.01);
	net->hosts.refuse = any_share(8, 0.03);
	net->hosts.others = dice(4);
	if (strstr(line, "--reverse") != NULL || strstr(line, "--two-way") != NULL) {
		sim_reverse(net);
		net->two_way = strstr(line, "--two-way") != NULL;
		net->reverse = !net->two_way;
	} else if (dice(12) == 0) {
		governed();
	}
	sim_machine.apart = strncmp(line, "watch", 5) == 0;
	if (dice(2) == 0)
		any_hosts();
	if (dice(4) == 0)
		working();
	if (dice(8) == 0)
		clamping();
	if (strstr(line, "30s") != NULL)
		two_outages();
	if (dice(3) == 0)
		special[dice(COUNT_OF(special))]();
}

#ifdef PACE_INSTRUMENTED
#define ANY	25		/* a process costs more than most commands there */
#else
#define ANY	300
#endif

/* Any options on any network, and what is made of the result.  Nobody has looked at each: they
 * show that a change changes nothing that was not meant. */
START_TEST(any_command_does_what_was_recorded)
{
	static void (*const commands[])(char *line) = { any_stream, any_stream, any_stream, any_stream,
		any_stream, any_trips, any_search, any_other, any_monitor, any_campaign };
	static const char *const pairs[] = { "-o %/mesh/a/b.json", "-o %/mesh/a/c.json",
		"-o %/mesh/b/a.json", "-o %/mesh/b/c.json", "-o %/mesh/c/a.json", "-o %/mesh/c/b.json" };
	char line[LINE] = "", first_one[LINE];
	void (*command)(char *) = commands[_i % COUNT_OF(commands)];

	if (sim_sum_skips())
		return;
	dice_state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(_i + 1);
	begin_play();
	command(line);
	memmove(line, line + 1, strlen(line));
	any_network(line);
	if (command == any_campaign) {
		any_display(line);
	} else if (command != any_monitor && command != any_other && dice(8) == 0) {
		may(line, 100, "-o %/mesh/b/c.json");
		for (size_t i = 0; i < COUNT_OF(pairs); i++) {
			if (dice(3) == 0)
				continue;
			add(line, ";", 1);
			(dice(3) > 0 ? command : commands[dice(7)])(line);
			add(line, pairs[i], strlen(pairs[i]));
		}
		may(line, 100, "; report %/mesh -o %/all|; report %/mesh -o %/all --pairs 2");
	} else if (command != any_monitor) {
		snprintf(first_one, sizeof(first_one), "%s", line);
		may(line, 100, "-o %/doc.json");
		if (dice(4) == 0) {
			add(line, ";", 1);
			add(line, first_one, strlen(first_one));
			may(line, 100, "-o %/more.json");
		}
		any_use(line);
		if (dice(4) == 0)
			any_display(line);
		sim_machine.on_terminal = dice(6) == 0 && strstr(line, "--record") == NULL &&
		    !sim_machine.apart;
	}
	sim_sum_text("line", line, strlen(line));
	play(line, "");
}
END_TEST

int
__wrap_main(void)
{
	TCase *tc = tcase_create("commands");

	setenv("LC_ALL", "C", 1);
	unsetenv("COLUMNS");
	setenv("UDPACE_ROOT", "/nonexistent", 1);
	unit_seed(tc);
	tcase_set_timeout(tc, 120);
	sim_sums(tc, "commands");
	tcase_add_loop_test(tc, prints_and_writes_what_was_recorded, 0, COUNT_OF(run));
	tcase_add_loop_test(tc, any_command_does_what_was_recorded, 0, ANY);
	return unit_run_apart(tc, "commands");
}
