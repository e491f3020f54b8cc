/* counters.h of core and plat, counters_doc.h: made-up hosts, typed-in files, and
 * what two readings of them say. */
#include "plat/counters.h"

#include <errno.h>
#include <fcntl.h>

#include "doc/counters_doc.h"
#include "lib/fill.h"
#include "lib/mutate.h"
#include "lib/tree.h"
#include "plat/facts.h"
#include "plat/private.h"

static struct pace_counters now, then;
static struct pace_counting how;

static void
setup(void)
{
	tree_begin();
	how = (struct pace_counting){ .root = tree_root };
	snprintf(how.route, sizeof(how.route), "eth0");
}

static void
teardown(void)
{
	tree_end();
	pace_counters_free(&now);
	pace_counters_free(&then);
}

/* --- a host of two cores and two interfaces, as a kernel writes it ------------------- */

static void
small_host(void)
{
	tree_put("/proc/stat", "cpu  30 2 40 500 6 7 8 9 0 0\n"
	    "cpu0 10 1 20 300 3 4 5 6 0 0\ncpu1 20 1 20 200 3 3 3 3 0 0\n"
	    "intr 12345 1 2 3\nctxt 99\n");
	tree_put("/proc/interrupts", "           CPU0       CPU1\n"
	    "  1:         10         20   IO-APIC   1-edge      i8042\n"
	    "LOC:        300        400   Local timer interrupts\n"
	    "ERR:          5\n");
	tree_put("/proc/softirqs", "                    CPU0       CPU1\n"
	    "          HI:          1          2\n"
	    "      NET_TX:          3          4\n"
	    "      NET_RX:         50         60\n");
	tree_put("/proc/net/softnet_stat",
	    "0000000a 00000001 00000002 0 0 0 0 0 0 0 0 0 00000001 0 0\n"
	    "000000ff 00000000 00000000 0 0 0 0 0 0 0 0 0 00000000 0 0\n");
	tree_put("/proc/net/dev", "Inter-|   Receive                    |  Transmit\n"
	    " face |bytes packets errs drop fifo frame compressed multicast|bytes packets\n"
	    "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
	    "  eth0:100 10 1 2 0 1 0 0 200 20 3 4 1 0 1 0\n");
	tree_put("/proc/net/snmp", "Ip: Forwarding DefaultTTL InReceives InDelivers OutRequests\n"
	    "Ip: 2 64 1000 900 800\nIcmp: InMsgs\nIcmp: 1\n"
	    "Tcp: MaxConn InSegs\nTcp: -1 7\n"
	    "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\n"
	    "Udp: 70 1 2 60 3\n");
	tree_put("/proc/net/snmp6", "Ip6InReceives                    \t17\n"
	    "Udp6InDatagrams                 \t5\n");
}

START_TEST(a_host_is_read)
{
	small_host();
	pace_counters_read(&now, &how, PACE_AFTER);
	ck_assert(now.known && now.has_cpu);
	ck_assert_uint_eq(now.cores, 2);
	ck_assert_uint_eq(now.core[0].ns[PACE_CPU_USER], 100000000);
	ck_assert_uint_eq(now.core[1].ns[PACE_CPU_IDLE], 2000000000);
	ck_assert_uint_eq(now.core[0].ns[PACE_CPU_STEAL], 60000000);
	ck_assert_uint_eq(now.core[0].n[PACE_CORE_INTERRUPTS], 315);
	ck_assert_uint_eq(now.core[1].n[PACE_CORE_INTERRUPTS], 420);
	ck_assert_uint_eq(now.core[1].n[PACE_CORE_NET_RX], 60);
	ck_assert_uint_eq(now.core[0].n[PACE_CORE_NET_TX], 3);
	/* the line says which core it is of */
	ck_assert_uint_eq(now.core[1].n[PACE_CORE_SOFTNET_FRAMES], 10);
	ck_assert_uint_eq(now.core[1].n[PACE_CORE_SOFTNET_DROPPED], 1);
	ck_assert_uint_eq(now.core[1].n[PACE_CORE_SOFTNET_SQUEEZED], 2);
	ck_assert_uint_eq(now.core[0].n[PACE_CORE_SOFTNET_FRAMES], 255);
	ck_assert_uint_eq(now.interfaces, 2);
	ck_assert_str_eq(now.interface[1].name, "eth0");
	ck_assert(now.interface[1].route && !now.interface[0].route);
	ck_assert_uint_eq(now.interface[1].n[PACE_IF_RX_BYTES], 100);
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_RX_FRAME_ERRORS], 6);
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_TX_BYTES], 9);
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_TX_FIFO], 13);
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_TX_CARRIER], 15);
	ck_assert(!now.interface[1].has_qdisc && now.stats == 0);	/* not of this host */
	ck_assert_uint_eq(now.snmp[0][PACE_IP_IN_RECEIVES], 1000);
	ck_assert_uint_eq(now.snmp[0][PACE_UDP_RCVBUF_ERRORS], 3);
	ck_assert_uint_eq(now.snmp[1][PACE_IP_IN_RECEIVES], 17);
	ck_assert(!now.has_snmp[1][PACE_UDP_IN_ERRORS] && !now.has_snmp[0][PACE_IP_REASM_OKS]);
}
END_TEST

START_TEST(two_readings_make_a_difference)
{
	small_host();
	pace_counters_read(&then, &how, PACE_BEFORE);
	tree_put("/proc/stat", "cpu0 11 1 20 299 3 4 5 6 0 0\ncpu1 25 1 20 200 3 3 3 3 0 0\n"
	    "cpu2 9 9 9 9 9 9 9 9 0 0\n");			/* went on line meanwhile */
	tree_put("/proc/net/dev", "eth0:160 15 1 5 0 1 0 0 200 20 3 4 1 0 1 0\n"
	    "lo: 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");	/* lo was reset */
	pace_counters_read(&now, &how, PACE_AFTER);
	pace_counters_since(&now, &then);
	ck_assert_uint_eq(now.cores, 2);
	ck_assert_uint_eq(now.core[0].ns[PACE_CPU_USER], 10000000);
	ck_assert_uint_eq(now.core[0].ns[PACE_CPU_IDLE], 0);	/* kernels do that */
	ck_assert_uint_eq(now.all.ns[PACE_CPU_USER], 60000000);
	ck_assert_uint_eq(now.all.n[PACE_CORE_NET_RX], 0);
	ck_assert_uint_eq(now.interfaces, 1);
	ck_assert_str_eq(now.interface[0].name, "eth0");
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_RX_BYTES], 60);
	ck_assert_uint_eq(now.interface[0].n[PACE_IF_RX_DROPPED], 3);
	ck_assert_int_ge(now.at_ns, 0);
	ck_assert_uint_eq(now.snmp[0][PACE_IP_IN_RECEIVES], 0);
}
END_TEST

START_TEST(without_a_reading_before_nothing_is_told)
{
	small_host();
	pace_counters_read(&now, &how, PACE_AFTER);
	pace_counters_since(&now, &then);
	ck_assert(!now.known);
}
END_TEST

/* A vlan on a bond of two. */
START_TEST(what_lies_below_the_route_is_the_route)
{
	tree_put("/proc/net/dev", "v: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
	    "bond: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\na: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
	    "b: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\nother: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n");
	tree_put("/sys/class/net/v/lower_bond/x", "y");
	tree_put("/sys/class/net/bond/lower_a/x", "y");
	tree_put("/sys/class/net/bond/lower_b/x", "y");
	tree_put("/sys/class/net/a/lower_v/x", "y");		/* a loop must end */
	snprintf(how.route, sizeof(how.route), "v");
	pace_counters_read(&now, &how, PACE_AFTER);
	ck_assert_uint_eq(now.interfaces, 5);
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_int_eq(now.interface[i].route, i < 4);
}
END_TEST

/* --- what counters say of losses -------------------------------------------------------- */

static struct pace_if_use interfaces[3];
static struct pace_if_stat stats[8];

static struct pace_counters
counted(void)
{
	struct pace_counters c = { .known = true, .interfaces = 3, .interface = interfaces,
	    .stat = stats };

	memset(interfaces, 0, sizeof(interfaces));
	memset(stats, 0, sizeof(stats));
	for (int i = 0; i < 3; i++)
		snprintf(interfaces[i].name, sizeof(interfaces[i].name), "e%d", i);
	interfaces[1].route = true;
	interfaces[0].n[PACE_IF_RX_DROPPED] = 1000000;		/* of another path */
	return c;
}

static void
add_stat(struct pace_counters *c, uint32_t interface, const char *name, uint64_t n)
{
	struct pace_if_stat *s = &stats[c->stats++];

	s->interface = interface;
	snprintf(s->name, sizeof(s->name), "%s", name);
	s->n = n;
}

START_TEST(drops_are_those_of_the_route)
{
	struct pace_counters c = counted();
	struct pace_host_drops d;

	interfaces[1].n[PACE_IF_RX_DROPPED] = 5;
	interfaces[1].n[PACE_IF_RX_ERRORS] = 7;		/* the fifo's among them */
	interfaces[1].n[PACE_IF_RX_FIFO] = 6;
	interfaces[1].n[PACE_IF_TX_DROPPED] = 2;
	interfaces[1].has_qdisc = true;
	interfaces[1].qdisc_drops = 9;
	c.all.n[PACE_CORE_SOFTNET_DROPPED] = 4;
	c.has_core[PACE_CORE_SOFTNET_DROPPED] = true;
	pace_counters_drops(&c, false, &d);
	ck_assert(d.has_nic && d.has_qdisc && d.has_softnet && !d.has_ip);
	ck_assert_uint_eq(d.rx_nic, 12);
	ck_assert_uint_eq(d.tx_nic, 2);
	ck_assert_uint_eq(d.tx_qdisc, 9);
	ck_assert_uint_eq(d.rx_softnet, 4);
	/* a driver's own counters, if they count more */
	add_stat(&c, 1, "rx_out_of_buffer", 20);
	add_stat(&c, 1, "rx_queue_0_packets", 100000);
	add_stat(&c, 1, "tx_queue_0_dropped", 3);
	add_stat(&c, 0, "rx_discards_phy", 77);
	pace_counters_drops(&c, false, &d);
	ck_assert_uint_eq(d.rx_nic, 32);		/* a bound: they may be others */
	ck_assert_uint_eq(d.rx_nic_likely, 20);		/* or the same */
	ck_assert_uint_eq(d.tx_nic, 5);
	ck_assert_uint_eq(d.tx_nic_likely, 3);
	c.known = false;
	pace_counters_drops(&c, false, &d);
	ck_assert(!d.has_nic && !d.has_softnet && !d.has_qdisc);
}
END_TEST

static const struct { uint64_t in, up, forwarded, reqds, oks, fails, want; } ips[] = {
	{ 100, 100, 0, 0, 0, 0, 0 }, { 100, 90, 0, 0, 0, 0, 10 },
	{ 100, 50, 40, 0, 0, 0, 10 }, { 100, 20, 90, 0, 0, 0, 0 },
	{ 300, 100, 0, 300, 100, 0, 0 },		/* fragments of three */
	{ 300, 99, 0, 300, 99, 1, 1 }, { 0, 5, 0, 0, 0, 0, 0 },
};

/* Counts of 32 bits wrap; an interrupt that is removed makes its core's sum smaller. */
START_TEST(a_count_that_wraps_goes_on)
{
	static struct pace_core_use before[2] = { { .core = 0 }, { .core = 1 } }, after[2];
	struct pace_counters a = { .known = true, .cores = 2, .core = before };
	struct pace_counters b = { .known = true, .cores = 2, .core = after };
	struct pace_host_drops d;

	memcpy(after, before, sizeof(before));
	for (int i = 0; i < PACE_CORE_COUNTS; i++)
		a.has_core[i] = b.has_core[i] = true;
	before[1].n[PACE_CORE_SOFTNET_FRAMES] = 0xfffffff0;
	after[1].n[PACE_CORE_SOFTNET_FRAMES] = 1000;
	before[1].n[PACE_CORE_SOFTNET_DROPPED] = 5;
	after[1].n[PACE_CORE_SOFTNET_DROPPED] = 505;
	before[0].n[PACE_CORE_INTERRUPTS] = 900;
	after[0].n[PACE_CORE_INTERRUPTS] = 100;
	pace_counters_since(&b, &a);
	ck_assert_uint_eq(b.cores, 2);
	ck_assert_uint_eq(b.all.n[PACE_CORE_SOFTNET_FRAMES], 1016);
	ck_assert(b.has_core[PACE_CORE_SOFTNET_DROPPED] && !b.has_core[PACE_CORE_INTERRUPTS]);
	pace_counters_drops(&b, false, &d);
	ck_assert(d.has_softnet);
	ck_assert_uint_eq(d.rx_softnet, 500);
	/* a core that goes takes what it dropped with it */
	after[1].core = 7;
	b = (struct pace_counters){ .known = true, .cores = 2, .core = after };
	b.has_core[PACE_CORE_SOFTNET_DROPPED] = true;
	pace_counters_since(&b, &a);
	pace_counters_drops(&b, false, &d);
	ck_assert(!d.has_softnet);
}
END_TEST

/* All values of the route are there. */
START_TEST(an_interface_that_left_leaves_no_bound)
{
	struct pace_counters a = counted(), b = counted();
	struct pace_if_use before[3];
	struct pace_host_drops d;
	uint64_t rx, tx;

	memcpy(before, interfaces, sizeof(before));
	a.interface = before;
	before[1].n[PACE_IF_RX_BYTES] = 9;		/* that of the route was reset */
	pace_counters_since(&b, &a);
	pace_counters_drops(&b, false, &d);
	ck_assert(!d.has_nic && !d.has_qdisc && !pace_counters_seen(&b, &rx, &tx));
}
END_TEST

/* Frames that the interface counted and IP did not. */
START_TEST(what_ip_never_saw_died_before_it)
{
	struct pace_counters c = counted();
	struct pace_host_drops d;

	interfaces[0].n[PACE_IF_RX_FRAMES] = 50;
	interfaces[1].n[PACE_IF_RX_FRAMES] = 1000;
	pace_counters_drops(&c, false, &d);
	ck_assert(!d.has_ingress);
	c.has_snmp[0][PACE_IP_IN_RECEIVES] = true;
	c.snmp[0][PACE_IP_IN_RECEIVES] = 700;
	c.snmp[1][PACE_IP_IN_RECEIVES] = 100;
	pace_counters_drops(&c, false, &d);
	ck_assert(d.has_ingress);
	ck_assert_uint_eq(d.rx_ingress, 250);
	ck_assert_uint_eq(d.rx_ingress_likely, 200);
	c.snmp[0][PACE_IP_IN_RECEIVES] = 890;	/* ten frames may be ARP */
	pace_counters_drops(&c, false, &d);
	ck_assert_uint_eq(d.rx_ingress, 60);
	ck_assert_uint_eq(d.rx_ingress_likely, 0);
	c.snmp[0][PACE_IP_IN_RECEIVES] = 889;
	pace_counters_drops(&c, false, &d);
	ck_assert_uint_eq(d.rx_ingress_likely, 11);
	c.at_ns = 2500000000;			/* and twenty more in two seconds */
	pace_counters_drops(&c, false, &d);
	ck_assert_uint_eq(d.rx_ingress_likely, 0);
}
END_TEST

START_TEST(the_ip_layer_keeps_what_it_does_not_deliver)
{
	struct pace_counters c = counted();
	struct pace_host_drops d;

	for (int v6 = 0; v6 < 2; v6++) {
		const enum pace_snmp at[] = { PACE_IP_IN_RECEIVES, PACE_IP_IN_DELIVERS,
		    PACE_IP_FORWARDED, PACE_IP_REASM_REQDS, PACE_IP_REASM_OKS, PACE_IP_REASM_FAILS };
		const uint64_t n[] = { ips[_i].in, ips[_i].up, ips[_i].forwarded, ips[_i].reqds,
		    ips[_i].oks, ips[_i].fails };

		memset(c.snmp, 0, sizeof(c.snmp));
		memset(c.has_snmp, 0, sizeof(c.has_snmp));
		for (int i = 0; i < 6; i++) {
			c.snmp[v6][at[i]] = n[i];
			c.has_snmp[v6][at[i]] = true;
		}
		pace_counters_drops(&c, v6 != 0, &d);
		ck_assert(d.has_ip);
		ck_assert_uint_eq(d.rx_ip, ips[_i].want);
		pace_counters_drops(&c, v6 == 0, &d);
		ck_assert(!d.has_ip);
	}
}
END_TEST

START_TEST(what_was_seen_is_that_of_the_lowest)
{
	struct pace_counters c = counted();
	uint64_t rx, tx;

	interfaces[1].n[PACE_IF_RX_FRAMES] = 5;
	interfaces[2].n[PACE_IF_RX_FRAMES] = 9;
	interfaces[2].n[PACE_IF_TX_FRAMES] = 8;
	interfaces[2].route = true;
	ck_assert(pace_counters_seen(&c, &rx, &tx));
	ck_assert_uint_eq(rx, 9);
	ck_assert_uint_eq(tx, 8);
	interfaces[1].route = interfaces[2].route = false;
	ck_assert(!pace_counters_seen(&c, &rx, &tx));
}
END_TEST

START_TEST(a_driver_counter_counts_from_where_it_was)
{
	struct pace_counters a = counted(), b = counted();
	struct pace_if_use before_if[3];
	struct pace_if_stat before[3] = { { 0, "x_drop", 5 }, { 1, "x_drop", 50 },
	    { 1, "y", 9 } };

	memcpy(before_if, interfaces, sizeof(before_if));
	a.interface = before_if;
	a.stat = before;
	a.stats = 3;
	interfaces[0].n[PACE_IF_RX_DROPPED] = 0;		/* set again: it goes, and its
								 * stats */
	add_stat(&b, 0, "x_drop", 8);
	add_stat(&b, 1, "x_drop", 53);
	add_stat(&b, 1, "y", 9);			/* nothing happened */
	add_stat(&b, 1, "new", 4);
	add_stat(&b, 2, "z", 1);
	pace_counters_since(&b, &a);
	ck_assert_uint_eq(b.interfaces, 2);
	ck_assert_str_eq(b.interface[0].name, "e1");
	ck_assert_uint_eq(b.stats, 3);
	ck_assert_str_eq(b.stat[0].name, "x_drop");
	ck_assert_uint_eq(b.stat[0].n, 3);
	ck_assert_uint_eq(b.stat[0].interface, 0);
	ck_assert_str_eq(b.stat[1].name, "new");
	ck_assert_uint_eq(b.stat[1].n, 4);
	ck_assert_str_eq(b.stat[2].name, "z");
	ck_assert_uint_eq(b.stat[2].interface, 1);
}
END_TEST

/* --- documents of made-up hosts ----------------------------------------------------------- */

static void
comes_back(const struct pace_counters *c)
{
	struct pace_counters back = { .known = false };
	json_t *cpu = pace_cpu_to_json(c), *counters = pace_counters_to_json(c, 12345);
	json_t *cpu2, *counters2;

	ck_assert_int_eq(pace_counters_from_json(&back, cpu, counters), 0);
	cpu2 = pace_cpu_to_json(&back);
	counters2 = pace_counters_to_json(&back, 12345);
	ck_assert(json_equal(cpu, cpu2));
	ck_assert(json_equal(counters, counters2));
	json_decref(cpu);
	json_decref(counters);
	json_decref(cpu2);
	json_decref(counters2);
	pace_counters_free(&back);
}

static void
large_host(int salt)
{
	FILE *stat = tree_open("/proc/stat", "w"), *irq = tree_open("/proc/interrupts", "w");
	FILE *dev = tree_open("/proc/net/dev", "w"), *net = tree_open("/proc/net/softnet_stat", "w");

	for (int i = 0; i < 256; i++) {
		fprintf(stat, "cpu%d %d 1 %d 300 3 4 5 6 0 0\n", i, i + salt, 2 * i + salt);
		fprintf(irq, "%sCPU%d", i == 0 ? "      " : " ", i);
		fprintf(net, "%08x %08x 0 0 0 0 0 0 0 0 0 0 %08x 0 0\n", 100 + salt, salt, i);
	}
	for (int line = 0; line < 300; line++) {
		fprintf(irq, "\n%4d:", line);
		for (int i = 0; i < 256; i++)
			fprintf(irq, " %10d", line + salt);
		fprintf(irq, " PCI-MSI eth%d-TxRx-%d", line % 64, line);
	}
	for (int i = 0; i < 64; i++)
		fprintf(dev, "enp%ds0f1np1: %d 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\n", i, 100 * salt);
	fclose(stat);
	fclose(irq);
	fclose(dev);
	fclose(net);
}

START_TEST(a_host_of_256_cores_and_64_interfaces)
{
	large_host(1);
	pace_counters_read(&then, &how, PACE_BEFORE);
	large_host(2);
	pace_counters_read(&now, &how, PACE_AFTER);
	ck_assert_uint_eq(now.cores, 256);
	ck_assert_uint_eq(now.interfaces, 64);
	pace_counters_since(&now, &then);
	ck_assert_uint_eq(now.cores, 256);
	ck_assert_uint_eq(now.core[255].n[PACE_CORE_INTERRUPTS], 300);
	ck_assert_uint_eq(now.all.n[PACE_CORE_SOFTNET_DROPPED], 256);
	ck_assert_uint_eq(now.interface[63].n[PACE_IF_RX_BYTES], 100);
	comes_back(&now);
}
END_TEST

START_TEST(a_host_without_any_of_it)
{
	pace_counters_read(&then, &how, PACE_BEFORE);
	pace_counters_read(&now, &how, PACE_AFTER);
	pace_counters_since(&now, &then);
	ck_assert(now.known && !now.has_cpu);
	ck_assert_uint_eq(now.cores + now.interfaces + now.stats, 0);
	comes_back(&now);
}
END_TEST

/* Every file is cut short, shuffled or random: each value that was read can be reported. */
START_TEST(garbage_is_survived)
{
	static const char *const files[] = { "/proc/stat", "/proc/interrupts", "/proc/softirqs",
	    "/proc/net/softnet_stat", "/proc/net/dev", "/proc/net/snmp", "/proc/net/snmp6" };
	char path[128], text[4096];

	fill_salt(_i);
	small_host();
	for (int i = 0; i < COUNT_OF(files); i++) {
		size_t len;
		FILE *f;

		snprintf(path, sizeof(path), "%s%s", tree_root, files[i]);
		f = fopen(path, "r");
		len = fread(text, 1, sizeof(text), f);
		fclose(f);
		for (uint64_t k = fill_below(40); k > 0; k--)
			text[fill_below(len)] = "0123456789 :-\n\0\377xC"[fill_below(18)];
		if (fill_below(3) == 0)
			len = fill_below(len);
		f = tree_open(files[i], "w");
		fwrite(text, 1, len, f);
		if (fill_below(4) == 0)
			for (int k = 0; k < 5000; k++)
				fputc((int)fill_below(256), f);
		fclose(f);
	}
	pace_counters_read(&now, &how, PACE_AFTER);
	comes_back(&now);
	small_host();
	pace_counters_read(&then, &how, PACE_BEFORE);
	pace_counters_since(&then, &now);
	comes_back(&then);
}
END_TEST

/* A responder may forge members: no invalid member is accepted, and nothing crashes. */
START_TEST(no_member_can_be_spoiled_unseen)
{
	struct pace_counters back = { .known = false };
	json_t *good, *bad;
	char path[256];

	fill_salt(4711);
	fill_counters(&now);
	now.interfaces = 1;
	now.stats = 2;
	good = json_pack("{s:o, s:o}", "cpu", pace_cpu_to_json(&now), "counters",
	    pace_counters_to_json(&now, 1000));
	for (int node = 1; (bad = mutate(good, node, _i, path)) != NULL; node++) {
		const json_t *cpu = json_object_get(bad, "cpu");
		const json_t *counters = json_object_get(bad, "counters");
		int rc = cpu != NULL && counters != NULL ?
		    pace_counters_from_json(&back, cpu, counters) : -EPROTO;
		bool snmp_or_core = strstr(path, "/snmp/") != NULL || strncmp(path, "/cpu/", 5) == 0;

		if (_i == MUTATE_REMOVE && strstr(path, "/cpu/") == NULL &&
		    strstr(path, "snmp/") == NULL && strstr(path, "energy") == NULL &&
		    strstr(path, "driver/") == NULL && strstr(path, "qdisc") == NULL &&
		    strcmp(path, "/counters/interfaces/0") != 0)
			ck_assert_msg(rc == -EPROTO, "%s may not be missing", path);
		if ((_i == 3 || _i == 4 || _i == 5) && (snmp_or_core ||
		    strstr(path, "thread/") != NULL || strstr(path, "driver/") != NULL))
			ck_assert_msg(rc == -EPROTO, "%s cannot be that", path);
		json_decref(bad);
	}
	json_decref(good);
	pace_counters_free(&back);
}
END_TEST

/* --- facts ------------------------------------------------------------------------------------ */

START_TEST(facts_are_read_below_the_root)
{
	struct pace_host h;
	char name[16];

	small_host();
	tree_put("/proc/stat", "cpu  100000000000 0 0 880000000000 0 0 0 20000000000 0 0\n");
	tree_put("/proc/cpuinfo", "model name\t: A CPU\nflags\t\t: fpu tsc hypervisor\n");
	tree_put("/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n");
	tree_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
	tree_put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
	tree_put("/sys/devices/system/cpu/cpufreq/x", "y\n");
	tree_put("/proc/sys/net/core/rmem_max", "212992\n");
	tree_put("/proc/sys/net/core/netdev_budget", "many\n");
	tree_put("/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
	tree_put("/sys/class/net/eth0/mtu", "9000\n");
	tree_put("/sys/class/net/eth0/speed", "-1\n");
	tree_put("/proc/interrupts", "     CPU0\n 77:  5 PCI-MSIX-0000:00:03.0 1-edge eth0-rx-0 \n");
	tree_put("/sys/class/net/eth0/device/msi_irqs/77", "msix\n");
	tree_put("/sys/class/net/eth0/device/msi_irqs/78", "msix\n");
	tree_put("/proc/irq/77/effective_affinity_list", "0-1\n");
	tree_put("/sys/class/net/eth0/device/numa_node", "1\n");
	tree_put("/sys/devices/system/node/node0/cpulist", "0\n");
	tree_put("/sys/devices/system/node/node1/cpulist", "1,3-4\n");
	tree_put("/proc/net/route", "Iface Destination\neth1 0000000A 0\neth0 00000000 0\n");
	pace_facts_default_route(tree_root, name);
	ck_assert_str_eq(name, "eth0");
	pace_facts_read(&h, tree_root, name, false);
	ck_assert_str_eq(h.cpu, "A CPU");
	ck_assert_str_eq(h.virt, "VMware");
	ck_assert_str_eq(h.governor, "mixed");
	ck_assert_int_eq(h.cores, 2);
	ck_assert_int_eq(h.fact[PACE_FACT_STEAL_PPM], 20000);
	ck_assert_int_eq(h.fact[PACE_FACT_RMEM_MAX], 212992);
	ck_assert(!h.has[PACE_FACT_BUDGET] && !h.has[PACE_FACT_SPEED_MBPS]);
	ck_assert_int_eq(h.fact[PACE_FACT_RT_RUNTIME_US], -1);
	ck_assert_int_eq(h.fact[PACE_FACT_MTU], 9000);
	ck_assert_int_eq(h.irqs, 1);			/* 78 has no cores to report */
	ck_assert_uint_eq(h.irq[0].irq, 77);
	ck_assert_str_eq(h.irq[0].queue, "eth0-rx-0");
	ck_assert_str_eq(h.irq[0].cores, "0-1");
	ck_assert_str_eq(h.numa_cores, "1,3-4");
	pace_facts_read(&h, tree_root, "../../etc", false);
	ck_assert_str_eq(h.interface, "");
	pace_facts_read(&h, tree_root, "enx001122334455", false);
	ck_assert_str_eq(h.interface, "enx001122334455");
	pace_facts_read(&h, tree_root, "enx001122334455", true);
	ck_assert_str_eq(h.interface, "enx*");		/* the rest is its address */
	tree_put("/proc/sys/net/core/rmem_max", "1000000000000001\n");	/* no document has it */
	tree_put("/proc/sys/net/core/netdev_budget", "-2\n");
	tree_put("/proc/cpuinfo", "flags\t\t: fpu tsc\n");
	pace_facts_read(&h, tree_root, "", false);
	ck_assert_str_eq(h.virt, "no");
	ck_assert(!h.has[PACE_FACT_RMEM_MAX] && !h.has[PACE_FACT_BUDGET]);
}
END_TEST

/* A client without a key gets the counters of the route only, and no name contains an address. */
START_TEST(a_stranger_is_told_of_the_route_alone)
{
	static const struct { const char *name, *want; } names[] = {
		{ "enx0123456789ab", "enx*" }, { "wlx0123456789AB-rx-0", "wlx*-rx-0" },
		{ "enx0123456789ab, enxba9876543210 x", "enx*, enx* x" }, { "enxample", "enxample" },
		{ "eth0", "eth0" }, { "enx01234567", "enx*" }, { "", "" },
	};
	char text[64];

	for (int i = 0; i < COUNT_OF(names); i++) {
		snprintf(text, sizeof(text), "%s", names[i].name);
		pace_private_names(text);
		ck_assert_str_eq(text, names[i].want);
	}
	tree_put("/proc/net/dev", "lo: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
	    "enx0123456789ab: 1 7 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
	    "wg-customer: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n");
	snprintf(how.route, sizeof(how.route), "enx0123456789ab");
	how.hide = true;
	pace_counters_read(&now, &how, PACE_AFTER);
	ck_assert_uint_eq(now.interfaces, 2);
	ck_assert_str_eq(now.interface[0].name, "enx*");
	ck_assert(now.interface[0].route && now.interface[0].n[PACE_IF_RX_FRAMES] == 7);
	ck_assert_str_eq(now.interface[1].name, PACE_OTHERS);
	ck_assert(!now.interface[1].route && now.interface[1].n[PACE_IF_RX_FRAMES] == 2);
}
END_TEST

/* A pipe is not waited for. */
START_TEST(what_is_no_file_is_not_read)
{
	char path[128];

	tree_put("/proc/x", "y\n");
	snprintf(path, sizeof(path), "%s/proc/stat", tree_root);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	pace_counters_read(&now, &how, PACE_AFTER);
	ck_assert(now.known && !now.has_cpu);
}
END_TEST

/* --- energy ---------------------------------------------------------------------------------- */

static void
rapl(const char *domain, const char *name, long long uj, long long range)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/powercap/%s/name", domain);
	tree_put(path, "%s\n", name);
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/energy_uj", domain);
	tree_put(path, "%lld\n", uj);
	snprintf(path, sizeof(path), "/sys/class/powercap/%s/max_energy_range_uj", domain);
	tree_put(path, "%lld\n", range);
}

START_TEST(energy_is_that_of_packages_and_memory)
{
	struct pace_energy e;
	struct pace_meter *m;

	rapl("intel-rapl:0", "package-0", 1000000, 262143328850);
	rapl("intel-rapl:0:0", "core", 500000, 262143328850);
	rapl("intel-rapl:0:1", "dram", 200000, 65532610987);
	rapl("intel-rapl:1", "psys", 9000000, 262143328850);
	rapl("intel-rapl-mmio:0", "package-0", 1000000, 262143328850);	/* the same again */
	m = pace_meter_new(tree_root);
	rapl("intel-rapl:0", "package-0", 6000000, 262143328850);
	rapl("intel-rapl:0:0", "core", 3500000, 262143328850);
	rapl("intel-rapl:0:1", "dram", 100000, 65532610987);		/* it wrapped */
	rapl("intel-rapl:1", "psys", 19000000, 262143328850);
	pace_meter_read(m, &e);
	ck_assert(e.known);
	ck_assert_int_eq(e.domains, 4);
	ck_assert_double_eq_tol(e.v[0].joules, 5, 1e-9);
	ck_assert_double_eq_tol(e.v[2].joules, 65532.510987, 1e-6);
	ck_assert(e.v[0].counted && !e.v[1].counted && e.v[2].counted && !e.v[3].counted);
	ck_assert_double_eq_tol(pace_energy_joules(&e), 65537.510987, 1e-6);
	pace_meter_free(m);
}
END_TEST

START_TEST(energy_that_cannot_be_read_says_why)
{
	struct pace_meter *m = pace_meter_new(tree_root);
	struct pace_energy e;

	pace_meter_read(m, &e);
	ck_assert(!e.known);
	ck_assert_ptr_nonnull(strstr(e.why, "no RAPL"));
	pace_meter_free(m);
	tree_put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
	tree_put("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "1000\n");
	m = pace_meter_new(tree_root);			/* energy_uj cannot be read */
	pace_meter_read(m, &e);
	ck_assert(!e.known);
	ck_assert_ptr_nonnull(strstr(e.why, "root only"));
	pace_meter_free(m);
}
END_TEST

/* A counter that goes, or says what cannot be, is not 0. */
START_TEST(energy_that_goes_is_not_made_up)
{
	struct pace_energy e;
	struct pace_meter *m;
	char path[128];

	rapl("intel-rapl:0", "package-0", 1000000, 262143328850);
	rapl("intel-rapl:1", "package-1", 5, 10);
	m = pace_meter_new(tree_root);
	pace_meter_read(m, &e);
	ck_assert(e.known);
	rapl("intel-rapl:1", "package-1", 99, 10);		/* above its range */
	pace_meter_read(m, &e);
	ck_assert(!e.known);
	ck_assert_ptr_nonnull(strstr(e.why, "package-1 could not be read"));
	pace_meter_free(m);
	rapl("intel-rapl:1", "package-1", 5, 10);
	m = pace_meter_new(tree_root);
	snprintf(path, sizeof(path), "%s/sys/class/powercap/intel-rapl:0/energy_uj", tree_root);
	unlink(path);
	pace_meter_read(m, &e);
	ck_assert(!e.known);
	pace_meter_free(m);
	m = pace_meter_new(tree_root);			/* one of two is not all */
	pace_meter_read(m, &e);
	ck_assert(!e.known);
	ck_assert_ptr_nonnull(strstr(e.why, "root only"));
	pace_meter_free(m);
}
END_TEST

START_TEST(energy_per_bit_is_above_idle)
{
	json_t *j, *e;

	now.known = true;
	now.at_ns = 10000000000;
	now.energy = (struct pace_energy){ .known = true, .domains = 1, .has_idle = true,
	    .idle_watts = 20, .v = { { "package-0", true, 500 } } };
	j = pace_counters_to_json(&now, 12500000000);		/* 100 Gbit */
	e = json_object_get(j, "energy");
	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "watts")), 50, 1e-9);
	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "gbps_per_watt")), 0.2, 1e-9);
	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "above_idle_joules")), 300,
	    1e-9);
	ck_assert_double_eq_tol(json_number_value(json_object_get(e, "nj_per_bit")), 3, 1e-9);
	json_decref(j);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("counters");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_host_is_read);
	tcase_add_test(tc, two_readings_make_a_difference);
	tcase_add_test(tc, without_a_reading_before_nothing_is_told);
	tcase_add_test(tc, what_lies_below_the_route_is_the_route);
	tcase_add_test(tc, drops_are_those_of_the_route);
	tcase_add_test(tc, a_count_that_wraps_goes_on);
	tcase_add_test(tc, an_interface_that_left_leaves_no_bound);
	tcase_add_test(tc, what_ip_never_saw_died_before_it);
	tcase_add_loop_test(tc, the_ip_layer_keeps_what_it_does_not_deliver, 0, COUNT_OF(ips));
	tcase_add_test(tc, what_was_seen_is_that_of_the_lowest);
	tcase_add_test(tc, a_driver_counter_counts_from_where_it_was);
	tcase_add_test(tc, a_host_of_256_cores_and_64_interfaces);
	tcase_add_test(tc, a_host_without_any_of_it);
	tcase_add_loop_test(tc, garbage_is_survived, 0, 200);
	tcase_add_loop_test(tc, no_member_can_be_spoiled_unseen, 0, MUTATE_KINDS);
	tcase_add_test(tc, facts_are_read_below_the_root);
	tcase_add_test(tc, energy_is_that_of_packages_and_memory);
	tcase_add_test(tc, energy_that_cannot_be_read_says_why);
	tcase_add_test(tc, a_stranger_is_told_of_the_route_alone);
	tcase_add_test(tc, what_is_no_file_is_not_read);
	tcase_add_test(tc, energy_that_goes_is_not_made_up);
	tcase_add_test(tc, energy_per_bit_is_above_idle);
	return unit_run(tc, "counters");
}
