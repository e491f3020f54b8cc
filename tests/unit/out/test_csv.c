/* csv.h and json.h: tables and lines for programs. */
#include "out/capture_text.h"
#include "out/cells.h"
#include "out/csv.h"

#include <check.h>
#include <errno.h>

#include "lib/csv.h"
#include "lib/fill.h"
#include "doc/point_doc.h"
#include "out/json.h"
#include "out/latency_csv.h"

static struct pace_point *p;

static void
setup(void)
{
	p = pace_point_new();
}

static void
teardown(void)
{
	pace_point_free(p);
	free(text);
	text = NULL;
}

/* The header in row 0, p in row 1. */
static void
write_csv(void)
{
	FILE *f = begin();

	ck_assert_int_eq(pace_csv_head(f), 0);
	fclose(f);
	split(0, text);
	f = begin();
	ck_assert_int_eq(pace_csv_point(f, p), 0);
	fclose(f);
	split(1, text);
	ck_assert_int_eq(cells[0], cells[1]);
}

START_TEST(no_two_columns_have_one_name)
{
	write_csv();
	no_column_twice();
	ck_assert_int_gt(cells[0], 60);
}
END_TEST

static const struct { const char *name, *value; } known[] = {
	{ "size_bytes", "1472" }, { "spacing_ns", "10000" }, { "count", "50000" },
	{ "asked_duration_ns", "" }, { "train", "1" }, { "bursts", "1" },
	{ "verdict", "paced" }, { "interrupted", "0" }, { "tx_frames", "50000" },
	{ "tx_bytes", "73600000" }, { "tx_late_frames", "2" },
	{ "tx_refused_frames", "0" }, { "tx_stalls", "2" },
	{ "tx_stall_max_ns", "11300" }, { "tx_stamp", "user" },
	{ "tx_gap_error_p50_ns", "0" }, { "rx_frames", "49978" },
	{ "rx_unique_frames", "49976" }, { "rx_bytes", "73564672" },
	{ "rx_stamp", "kernel" }, { "rx_rcvbuf_granted_bytes", "212992" },
	{ "rx_gap_min_ns", "629" }, { "rx_gap_max_ns", "160550" },
	{ "loss_frames", "24" }, { "loss_ratio", "0.000480000000" },
	{ "loss_runs", "3" }, { "loss_longest_run_frames", "12" },
	{ "ledger_asked_frames", "50000" }, { "ledger_rx_socket_frames", "20" },
	{ "ledger_network_frames", "4" }, { "duplicates_frames", "2" },
	{ "corrupt_frames", "" }, { "reordered_frames", "3" },
	{ "reordered_extent_max_frames", "3" }, { "reordered_late_max_ns", "31700" },
	{ "notes", "" }, { "owd_p50_ns", "12000" }, { "owd_min_ns", "12000" },
	{ "owd_max_ns", "15000" }, { "pdv_p99_ns", "200" },
	{ "ipdv_p1_ns", "-200" }, { "ipdv_p99_ns", "200" },
	{ "jitter_rfc3550_ns", "201.500" }, { "clock_offset_ns", "-1234566" },
	{ "clock_skew_ppm", "2.500000" }, { "clock_bound_ns", "355.700" },
	{ "ledger_rx_ip_frames", "" }, { "ledger_rx_late_frames", "0" },
	{ "ledger_network_low_frames", "0" }, { "ledger_network_high_frames", "24" },
	{ "client_cpu_user_ns", "" }, { "responder_udp_in_errors", "" },
	{ "client_energy_joules", "" },
};

/* Programs may count columns: those that come later stand behind. */
START_TEST(new_columns_are_the_last_ones)
{
	static const char *const last[] = { "notes", "owd_p50_ns", "owd_p99_ns", "owd_min_ns",
	    "owd_max_ns", "pdv_p99_ns", "ipdv_p1_ns", "ipdv_p99_ns", "jitter_rfc3550_ns",
	    "clock_offset_ns", "clock_skew_ppm", "clock_bound_ns", "ledger_rx_late_frames",
	    "ledger_rx_ip_frames", "ledger_rx_ingress_frames", "ledger_rx_softnet_frames", "ledger_rx_nic_frames",
	    "ledger_tx_qdisc_frames", "ledger_tx_nic_frames", "ledger_network_low_frames",
	    "ledger_network_high_frames", "client_cpu_user_ns" };
	const int hosts = 2 * 33, marks = 11, wires = 2 * (6 + 2 * 9) + 1 + 4 + marks;
	int end;

	write_csv();
	end = cells[0] - marks;
	for (int i = 0; i < COUNT_OF(last); i++)
		ck_assert_str_eq(cell[0][cells[0] - wires - hosts + 1 - COUNT_OF(last) + i], last[i]);
	ck_assert_str_eq(cell[0][cells[0] - wires - 1], "responder_energy_joules");
	ck_assert_str_eq(cell[0][cells[0] - wires], "wire_tx_frames");
	ck_assert_str_eq(cell[0][end - 5], "wire_rx_gap_difference_max_ns");
	ck_assert_str_eq(cell[0][end - 4], "direction");
	ck_assert_str_eq(cell[1][end - 4], "up");
	ck_assert_str_eq(cell[0][end - 3], "streams");
	ck_assert_str_eq(cell[1][end - 3], "1");
	ck_assert_str_eq(cell[0][end - 2], "stream");
	ck_assert_str_eq(cell[1][end - 2], "");
	ck_assert_str_eq(cell[0][end - 1], "fairness");
	ck_assert_str_eq(cell[0][end], "dscp");
	ck_assert_str_eq(cell[0][cells[0] - 1], "marks_dscp_frames");
}
END_TEST

/* Each mark has a number of its own here. */
START_TEST(marks_have_their_cells)
{
	static const struct { const char *name, *value; } of[] = { { "dscp", "46" },
	    { "ecn", "ect0" }, { "marks_frames", "49976" }, { "marks_not_ect_frames", "1" },
	    { "marks_ect1_frames", "2" }, { "marks_ect0_frames", "49969" },
	    { "marks_ce_frames", "4" }, { "marks_ecn_changed_frames", "3" },
	    { "marks_dscp_changed_frames", "5" }, { "marks_dscp", "46" },
	    { "marks_dscp_frames", "49971" } };

	fill_known(p);
	write_csv();
	ck_assert_str_eq(column("dscp"), "0");
	ck_assert_str_eq(column("ecn"), "not-ect");
	ck_assert_str_eq(column("marks_frames"), "");
	ck_assert_str_eq(column("marks_dscp"), "");
	p->ask.dscp = 46;
	p->ask.ecn = PACE_ECN_ECT0;
	p->rx.marks = (struct pace_marks){ .frames = 49976, .ecn = { 1, 2, 49969, 4 },
	    .ecn_changed = 3, .dscp_changed = 5, .dscp = 46, .dscp_frames = 49971 };
	write_csv();
	for (int i = 0; i < COUNT_OF(of); i++)
		ck_assert_str_eq(column(of[i].name), of[i].value);
}
END_TEST

/* Values of both sides, of one side, of none. */
START_TEST(captures_have_their_cells)
{
	fill_known(p);
	p->rx.has_wire = true;
	p->rx.wire.frames = p->rx.unique + 5;
	p->rx.wire.packets = p->rx.wire.frames;
	pace_hist_add(&p->rx.wire.gap, 12345);
	write_csv();
	ck_assert_str_eq(column("wire_tx_frames"), "");
	ck_assert_str_eq(column("wire_tx_gap_min_ns"), "");
	ck_assert_str_eq(column("wire_rx_frames"), "49981");
	ck_assert_str_eq(column("wire_rx_missing_frames"), "19");
	ck_assert_str_eq(column("wire_rx_not_received_frames"), "5");
	ck_assert_str_eq(column("wire_rx_dropped_packets"), "");
	ck_assert_str_eq(column("wire_rx_gap_min_ns"), "12345");
	p->has_wire = p->wire.has_drops = true;
	p->rx.has_wire = false;
	p->wire.frames = 49990;
	p->wire.copies = 2;
	p->wire.dropped = 7;
	p->wire.gaps_differing = 3;
	write_csv();
	ck_assert_str_eq(column("wire_tx_frames"), "49990");
	ck_assert_str_eq(column("wire_tx_missing_frames"), "10");
	ck_assert_str_eq(column("wire_tx_copies_frames"), "2");
	ck_assert_str_eq(column("wire_tx_dropped_packets"), "7");
	ck_assert_str_eq(column("wire_tx_gaps_differing"), "3");
	ck_assert_str_eq(column("wire_rx_not_received_frames"), "");
}
END_TEST

START_TEST(a_relative_delay_has_empty_cells)
{
	static const char *const owd[] = { "owd_p50_ns", "owd_p99_ns", "owd_min_ns", "owd_max_ns" };

	fill_known(p);
	if (_i == 0)
		p->owd_relative = true;
	else
		p->rx.has_owd = false;
	write_csv();
	for (int i = 0; i < COUNT_OF(owd); i++)
		ck_assert_str_eq(column(owd[i]), "");
	ck_assert_str_ne(column("pdv_p99_ns"), "");
	ck_assert_str_ne(column("clock_bound_ns"), "");
}
END_TEST

/* The skew is that of the segment in the middle of the run. */
START_TEST(of_several_segments_the_middle_one_counts)
{
	struct pace_clock_estimate *e = &p->clock.fit;

	fill_known(p);
	e->segments = 3;
	for (int i = 0; i < 3; i++)
		e->v[i] = (struct pace_clock_segment){ .from_ns = 5000000000 + i * 200000000,
		    .to_ns = 5100000000 + i * 200000000, .line = { .t_ns = 5250000000,
		    .offset_ns = 100 * i, .rate = 1e-6 * i } };
	write_csv();
	ck_assert_str_eq(column("clock_skew_ppm"), "1.000000");
	ck_assert_str_eq(column("clock_offset_ns"), "100");
}
END_TEST

START_TEST(each_figure_is_in_its_column)
{
	fill_known(p);
	write_csv();
	for (int i = 0; i < COUNT_OF(known); i++)
		ck_assert_msg(strcmp(column(known[i].name), known[i].value) == 0,
		    "%s is %s, not %s", known[i].name, column(known[i].name),
		    known[i].value);
}
END_TEST

/* Figures of both hosts, and of both families one sum. */
START_TEST(what_the_hosts_counted_has_columns)
{
	fill_known(p);
	p->ours.known = p->ours.has_cpu = p->theirs.known = true;
	p->ours.all.ns[PACE_CPU_SOFTIRQ] = 70;
	p->ours.all.n[PACE_CORE_NET_RX] = 71;
	p->ours.has_core[PACE_CORE_NET_RX] = true;
	p->ours.thread.involuntary = 72;
	p->ours.interfaces = 2;
	p->ours.interface = calloc(2, sizeof(*p->ours.interface));
	p->ours.interface[0].n[PACE_IF_RX_DROPPED] = 1;
	p->ours.interface[1].route = true;
	p->ours.interface[1].n[PACE_IF_RX_DROPPED] = 7;
	p->theirs.snmp[0][PACE_UDP_IN_ERRORS] = 70;
	p->theirs.snmp[1][PACE_UDP_IN_ERRORS] = 3;
	p->theirs.has_snmp[1][PACE_UDP_IN_ERRORS] = true;
	p->theirs.energy = (struct pace_energy){ .known = true, .domains = 1,
	    .v = { { "package-0", true, 12.5 } } };
	write_csv();
	ck_assert_str_eq(column("client_cpu_softirq_ns"), "70");
	ck_assert_str_eq(column("client_net_rx"), "71");
	ck_assert_str_eq(column("client_interrupts"), "");
	ck_assert_str_eq(column("client_if_rx_dropped"), "7");
	ck_assert_str_eq(column("responder_if_rx_dropped"), "");
	ck_assert_str_eq(column("client_thread_involuntary"), "72");
	ck_assert_str_eq(column("client_udp_in_errors"), "");
	ck_assert_str_eq(column("responder_udp_in_errors"), "73");
	ck_assert_str_eq(column("responder_cpu_user_ns"), "");
	ck_assert_str_eq(column("responder_energy_joules"), "12.500000");
}
END_TEST

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

START_TEST(what_did_not_arrive_is_an_empty_cell)
{
	static const char *const theirs[] = { "rx_", "loss_", "duplicates", "replicated",
	    "corrupt", "foreign", "reordered", "beyond", "ledger_rx", "ledger_network", "responder_",
	    "owd", "pdv", "ipdv", "jitter" };

	fill_known(p);
	p->has_rx = false;
	p->ask.verify = true;
	write_csv();
	for (int i = 0; i < cells[0]; i++)
		for (int k = 0; k < COUNT_OF(theirs); k++)
			if (starts(cell[0][i], theirs[k]))
				ck_assert_msg(cell[1][i][0] == '\0', "%s", cell[0][i]);
	ck_assert_str_eq(column("tx_frames"), "50000");
	ck_assert_str_eq(column("notes"), "rx_missing");
}
END_TEST

/* Nothing sent: figures of nothing are empty, not 0. */
START_TEST(what_was_not_measured_is_an_empty_cell)
{
	static const char *const empty[] = { "tx_duration_ns", "tx_user_rate_bps",
	    "tx_gap_min_ns", "tx_gap_mean_ns", "tx_gap_p50_ns", "tx_gap_max_ns", "tx_stamp",
	    "rx_duration_ns", "rx_wire_rate_bps", "rx_gap_stddev_ns", "rx_gap_p99_ns",
	    "loss_ratio", "loss_longest_run_frames", "reordered_ratio", "rx_rcvbuf_asked_bytes",
	    "owd_p50_ns", "owd_min_ns", "pdv_p99_ns", "ipdv_p1_ns", "jitter_rfc3550_ns",
	    "clock_offset_ns", "clock_skew_ppm", "clock_bound_ns" };

	p->has_rx = true;
	write_csv();
	for (int i = 0; i < COUNT_OF(empty); i++)
		ck_assert_msg(column(empty[i])[0] == '\0', "%s", empty[i]);
	ck_assert_str_eq(column("loss_frames"), "0");
}
END_TEST

START_TEST(no_cell_needs_quoting)
{
	fill_salt(_i);
	fill_point(p, fill_below(500));
	pace_note(&p->notes, "a,b \"c\"", "text, with \"quotes\"");
	write_csv();
	ck_assert_ptr_null(strchr(text, '"'));
	ck_assert_ptr_nonnull(strstr(column("notes"), "a?b??c?"));
	ck_assert_ptr_null(strstr(text, "nan"));
	if ((p->ask.spacing & UINT32_MAX) != 0)
		ck_assert_ptr_nonnull(strchr(column("spacing_ns"), '.'));
}
END_TEST

static struct pace_result
known_head(void)
{
	return (struct pace_result){ .kind = "throughput", .started = "then",
	    .target = "hostB", .interrupted = true };
}

static json_t *
only_line(void)
{
	json_t *j;

	ck_assert_ptr_eq(strchr(text, '\n'), text + text_size - 1);
	j = json_loads(text, 0, NULL);
	ck_assert_ptr_nonnull(j);
	return j;
}

static void
check_text(const json_t *j, const char *key, const char *value)
{
	ck_assert_pstr_eq(json_string_value(json_object_get(j, key)), value);
}

START_TEST(each_event_is_one_line)
{
	struct pace_result r = known_head();
	FILE *f = begin();
	json_t *j;

	ck_assert_int_eq(pace_jsonl_start(f, &r, NULL), 0);
	j = only_line();			/* flushed */
	check_text(j, "event", "start");
	check_text(j, "schema", "udpace-result/1");
	check_text(j, "target", "hostB");
	json_decref(j);
	fclose(f);
	f = begin();
	ck_assert_int_eq(pace_jsonl_end(f, &r, 7, NULL), 0);
	fclose(f);
	ck_assert_str_eq(text, "{\"event\":\"end\",\"points\":7,\"interrupted\":true,\"notes\":[]}\n");
}
END_TEST

START_TEST(the_event_of_a_point_is_the_point)
{
	struct pace_point *back = pace_point_new();
	FILE *f = begin();
	json_t *j;

	fill_known(p);
	p->ask.verify = _i > 0;
	ck_assert_int_eq(pace_jsonl_point(f, "point", 3, pace_point_to_json(p), NULL), 0);
	fclose(f);
	j = only_line();
	check_text(j, "event", "point");
	ck_assert_int_eq(json_integer_value(json_object_get(j, "index")), 3);
	ck_assert_int_eq(pace_point_from_json(back, j), 0);
	ck_assert_uint_eq(back->rx.unique, p->rx.unique);
	json_decref(j);
	pace_point_free(back);
}
END_TEST

START_TEST(a_full_disk_is_noticed)
{
	struct pace_result r = known_head();
	FILE *f = fopen("/dev/full", "w");
	int rc;

	fill_known(p);
	rc = _i == 0 ? pace_csv_head(f) : _i == 1 ? pace_csv_point(f, p) :
	    _i == 2 ? pace_jsonl_start(f, &r, NULL) :
	    _i == 3 ? pace_jsonl_point(f, "point", 0, pace_point_to_json(p), NULL) :
	    pace_jsonl_end(f, &r, 0, NULL);
	ck_assert_int_lt(rc, 0);
	fclose(f);
}
END_TEST

/* The columns of a short form: its names that the long form has. */
START_TEST(a_short_form_has_columns_of_the_whole_one)
{
	static const struct { int (*head)(FILE *f); const char *names; } forms[] = {
		{ pace_csv_head, pace_csv_short }, { pace_latency_csv_head, pace_latency_csv_short },
		{ pace_capture_csv_head, pace_capture_csv_short } };
	char *head, *found;
	size_t size;
	int wanted = 1, commas = 0;
	FILE *f = open_memstream(&head, &size);

	ck_assert_int_eq(forms[_i].head(f), 0);
	fclose(f);
	f = open_memstream(&found, &size);
	pace_csv_pick(f, head, head, forms[_i].names, ',');
	fclose(f);
	for (const char *c = forms[_i].names; *c != '\0'; c++)
		wanted += *c == ',';
	for (const char *c = found; *c != '\0'; c++)
		commas += *c == ',';
	ck_assert_msg(commas == wanted - 1 && wanted <= 18, "%d of %d: %s", commas + 1, wanted, found);
	free(found);
	free(head);
}
END_TEST

START_TEST(cells_are_picked_by_the_names_above_them)
{
	char *found;
	size_t size;
	FILE *f = open_memstream(&found, &size);

	pace_csv_pick(f, "a,ab,b,c\n", "1,,3,4\n", "c,ab", ',');
	pace_csv_pick(f, "a,ab,b,c\n", "1,,3,4\n", "a,b,nothing", ',');
	pace_csv_pick(f, "a,ab,b,c\n", "1,,3,4\n", NULL, '\t');
	fclose(f);
	ck_assert_str_eq(found, ",4\n1,3\n1\t\t3\t4\n");
	free(found);
}
END_TEST

int
main(void)
{
	TCase *tc = tcase_create("csv");

	unit_seed(tc);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, no_two_columns_have_one_name);
	tcase_add_loop_test(tc, a_short_form_has_columns_of_the_whole_one, 0, 3);
	tcase_add_test(tc, cells_are_picked_by_the_names_above_them);
	tcase_add_test(tc, each_figure_is_in_its_column);
	tcase_add_test(tc, captures_have_their_cells);
	tcase_add_test(tc, marks_have_their_cells);
	tcase_add_test(tc, new_columns_are_the_last_ones);
	tcase_add_loop_test(tc, a_relative_delay_has_empty_cells, 0, 2);
	tcase_add_test(tc, of_several_segments_the_middle_one_counts);
	tcase_add_test(tc, what_the_hosts_counted_has_columns);
	tcase_add_test(tc, what_did_not_arrive_is_an_empty_cell);
	tcase_add_test(tc, what_was_not_measured_is_an_empty_cell);
	tcase_add_loop_test(tc, no_cell_needs_quoting, 0, 20);
	tcase_add_test(tc, each_event_is_one_line);
	tcase_add_loop_test(tc, the_event_of_a_point_is_the_point, 0, 2);
	tcase_add_loop_test(tc, a_full_disk_is_noticed, 0, 5);
	return unit_run(tc, "csv");
}
