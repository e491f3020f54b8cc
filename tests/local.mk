# Every test is started by tests/run: there is how they get on with -j.
# Exit status: 0 good, 77 skipped, 99 the test could not be set up, else bad.
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	PYTHON3='$(PYTHON3)' CK_DEFAULT_TIMEOUT=60; \
	export top_srcdir top_builddir PYTHON3 CK_DEFAULT_TIMEOUT;
TEST_EXTENSIONS = .sh
LOG_COMPILER = $(top_srcdir)/tests/run
SH_LOG_COMPILER = $(top_srcdir)/tests/run
CLEANFILES += tests.lock

# Neither root nor a quiet machine.
QUICK_TESTS = $(UNIT_TESTS) $(SIM_TESTS) $(FUZZ_TESTS) $(SHELL_TESTS)
TESTS += $(QUICK_TESTS) $(NET_TESTS) $(SLOW_TESTS)
EXTRA_DIST += %D%/run $(SHELL_TESTS) $(NET_TESTS) $(SLOW_TESTS)

# A test with no LDADD of its own is one of core.
LDADD = $(CORE_LIBS) $(CHECK_LIBS)

TEST_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests $(CHECK_CFLAGS) \
	$(JANSSON_CFLAGS) $(SODIUM_CFLAGS)

UNIT_TESTS =
SIM_TESTS =
if WITH_CHECK
UNIT_TESTS += \
	%D%/unit/test_addr \
	%D%/unit/test_admitted \
	%D%/unit/test_affinity \
	%D%/unit/test_ask \
	%D%/unit/test_capacity \
	%D%/unit/test_bins \
	%D%/unit/test_clock_doc \
	%D%/unit/test_clock_text \
	%D%/unit/test_clockfit \
	%D%/unit/test_clockmap \
	%D%/unit/test_coarse \
	%D%/unit/test_counters \
	%D%/unit/test_csv \
	%D%/unit/test_cursor \
	%D%/unit/test_delay \
	%D%/unit/test_dispersion \
	%D%/unit/test_doctor \
	%D%/unit/test_energy \
	%D%/unit/test_err \
	%D%/unit/test_fate \
	%D%/unit/test_field \
	%D%/unit/test_hdrlog \
	%D%/unit/test_hist \
	%D%/unit/test_hist_doc \
	%D%/unit/test_html \
	%D%/unit/test_keys \
	%D%/unit/test_latency_doc \
	%D%/unit/test_latency_text \
	%D%/unit/test_ledger \
	%D%/unit/test_linefit \
	%D%/unit/test_nic \
	%D%/unit/test_ops \
	%D%/unit/test_ops_run \
	%D%/unit/test_opt \
	%D%/unit/test_order \
	%D%/unit/test_payload \
	%D%/unit/test_points_file \
	%D%/unit/test_byte_sketch \
	%D%/unit/test_policy \
	%D%/unit/test_rates \
	%D%/unit/test_receipt_doc \
	%D%/unit/test_record \
	%D%/unit/test_record_file \
	%D%/unit/test_repeats \
	%D%/unit/test_result_doc \
	%D%/unit/test_result_read \
	%D%/unit/test_sandbox \
	%D%/unit/test_schedule \
	%D%/unit/test_seal \
	%D%/unit/test_search \
	%D%/unit/test_seq \
	%D%/unit/test_sheet \
	%D%/unit/test_stall \
	%D%/unit/test_stats \
	%D%/unit/test_text \
	%D%/unit/test_udpmon \
	%D%/unit/test_units \
	%D%/unit/test_wire
%C%_unit_test_addr_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_admitted_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_admitted_LDADD = libpacecli.a $(CORE_LIBS) $(CHECK_LIBS)
%C%_unit_test_affinity_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_affinity_LDADD = libpaceplat.a $(CORE_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_ask_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_ask_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_capacity_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_capacity_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_bins_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_bins_LDADD = $(PLOT_LIBS) $(CHECK_LIBS)
%C%_unit_test_clock_doc_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_clock_doc_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_clock_text_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_clock_text_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_clockfit_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_clockmap_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_counters_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_counters_LDADD = libpaceplat.a $(DOC_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_csv_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_csv_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_cursor_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_delay_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_dispersion_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_dispersion_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_doctor_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_doctor_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_energy_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_err_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_fate_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_fate_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_field_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_field_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_hdrlog_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_hdrlog_LDADD = $(OUT_LIBS) $(CHECK_LIBS)
%C%_unit_test_hist_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_hist_doc_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_hist_doc_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_html_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_html_LDADD = $(PLOT_LIBS) $(CHECK_LIBS)
%C%_unit_test_keys_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_keys_LDADD = $(SESSION_LIBS) $(CHECK_LIBS)
%C%_unit_test_latency_doc_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_latency_doc_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_latency_text_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_latency_text_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_ledger_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_linefit_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_nic_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_nic_LDADD = libpaceplat.a $(CORE_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_ops_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_ops_LDADD = $(OPS_LIBS) $(CHECK_LIBS)
%C%_unit_test_ops_run_SOURCES = %D%/unit/test_ops_run.c src/cli/ops.c src/cli/ops_news.c src/cli/ops_thread.c src/cli/oplog.c \
	src/cli/readers.c src/cli/scrape_none.c src/cli/stop.c
%C%_unit_test_ops_run_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_ops_run_LDADD = libpaceplat.a $(OPS_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_opt_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_opt_LDADD = libpacecli.a $(CORE_LIBS) $(CHECK_LIBS)
%C%_unit_test_order_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_order_LDADD = libpacecli.a $(CORE_LIBS) $(CHECK_LIBS)
%C%_unit_test_payload_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_points_file_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_points_file_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_policy_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_byte_sketch_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_byte_sketch_LDADD = $(SESSION_LIBS) $(CHECK_LIBS)
%C%_unit_test_rates_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_receipt_doc_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_receipt_doc_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_record_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_record_file_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_record_file_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_repeats_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_repeats_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_result_doc_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_result_doc_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_result_read_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_result_read_LDADD = $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_sandbox_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_sandbox_LDADD = libpaceplat.a $(SECCOMP_LIBS) $(CORE_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_schedule_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_seal_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_seal_LDADD = $(SESSION_LIBS) $(CHECK_LIBS)
%C%_unit_test_search_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_coarse_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_seq_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_sheet_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_sheet_LDADD = $(PLOT_LIBS) $(CHECK_LIBS)
%C%_unit_test_stall_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_stall_LDADD = libpaceplat.a $(DOC_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_stats_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_text_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_text_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_udpmon_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_udpmon_LDADD = libpaceout.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_units_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_wire_CPPFLAGS = $(TEST_CPPFLAGS)

# What a responder lets in.
UNIT_TESTS += \
	%D%/unit/test_gate \
	%D%/unit/test_throttle
%C%_unit_test_gate_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_gate_LDADD = $(SESSION_LIBS) $(CHECK_LIBS)
%C%_unit_test_throttle_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_throttle_LDADD = $(SESSION_LIBS) $(CHECK_LIBS)

# What the monitor knows and shows.
UNIT_TESTS += \
	%D%/unit/test_follow \
	%D%/unit/test_lines \
	%D%/unit/test_snap \
	%D%/unit/test_view \
	%D%/unit/test_view_room
%C%_unit_test_follow_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_follow_SOURCES = %D%/unit/test_follow.c src/cli/follow.c
%C%_unit_test_follow_LDADD = $(UI_LIBS) -lpthread $(CHECK_LIBS)
%C%_unit_test_lines_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_lines_SOURCES = %D%/unit/test_lines.c src/cli/lines.c
%C%_unit_test_lines_LDADD = $(UI_LIBS) $(CHECK_LIBS)
%C%_unit_test_view_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_view_LDADD = $(UI_LIBS) $(CHECK_LIBS)
%C%_unit_test_view_room_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_view_room_LDADD = $(UI_LIBS) $(CHECK_LIBS)
%C%_unit_test_snap_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_snap_LDADD = $(UI_LIBS) $(CHECK_LIBS)

# What the monitor shows of a capture.
UNIT_TESTS += %D%/unit/test_caught
%C%_unit_test_caught_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_caught_SOURCES = %D%/unit/test_caught.c src/cli/capture_look.c
%C%_unit_test_caught_LDADD = $(UI_LIBS) libpacecap.a $(OPS_LIBS) $(CHECK_LIBS)

# A capture beside the sender.
UNIT_TESTS += %D%/unit/test_witness
%C%_unit_test_witness_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_witness_LDADD = $(DOC_LIBS) $(CHECK_LIBS)

# What a captured datagram says.
UNIT_TESTS += \
	%D%/unit/test_cap_align \
	%D%/unit/test_cap_captures \
	%D%/unit/test_cap_format \
	%D%/unit/test_cap_guess \
	%D%/unit/test_cap_heaps \
	%D%/unit/test_cap_marks \
	%D%/unit/test_cap_match \
	%D%/unit/test_cap_unwrap
%C%_unit_test_cap_align_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_align_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_unwrap_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_unwrap_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_guess_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_guess_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_captures_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_captures_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_heaps_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_heaps_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_match_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_match_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_marks_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_marks_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_format_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_format_LDADD = $(CAP_LIBS) $(CHECK_LIBS)

# What a capture comes to.
UNIT_TESTS += \
	%D%/unit/test_cap_flow \
	%D%/unit/test_cap_packet
%C%_unit_test_cap_flow_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_flow_LDADD = $(CAP_LIBS) $(CHECK_LIBS)
%C%_unit_test_cap_packet_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cap_packet_LDADD = $(CAP_LIBS) $(CHECK_LIBS)

if WITH_INIH
UNIT_TESTS += %D%/unit/test_policy_default
%C%_unit_test_policy_default_SOURCES = %D%/unit/test_policy_default.c src/cli/policy_file.c \
	src/cli/regular.c src/cli/suggest.c
%C%_unit_test_policy_default_CPPFLAGS = $(TEST_CPPFLAGS) $(INIH_CFLAGS)
%C%_unit_test_policy_default_LDADD = $(SESSION_LIBS) $(INIH_LIBS) $(CHECK_LIBS)
endif

# What figures compute.
UNIT_TESTS += \
	%D%/unit/test_cmp \
	%D%/unit/test_shape \
	%D%/unit/test_trace
%C%_unit_test_cmp_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_cmp_LDADD = libpaceplot.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_shape_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_shape_LDADD = libpaceplot.a $(DOC_LIBS) $(CHECK_LIBS)
%C%_unit_test_trace_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_unit_test_trace_LDADD = libpaceplot.a $(DOC_LIBS) $(CHECK_LIBS)

# A network on a virtual clock.
check_LIBRARIES += %D%/sim/libsim.a
%C%_sim_libsim_a_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_libsim_a_SOURCES = %D%/sim/simnet.c %D%/sim/simnet.h
SIM_TESTS += \
	%D%/sim/test_abuse \
	%D%/sim/test_capture \
	%D%/sim/test_exchange \
	%D%/sim/test_forged \
	%D%/sim/test_fair \
	%D%/sim/test_keys \
	%D%/sim/test_memory \
	%D%/sim/test_policy \
	%D%/sim/test_report \
	%D%/sim/test_session \
	%D%/sim/test_truth
%C%_sim_test_abuse_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_abuse_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_capture_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_capture_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_exchange_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_exchange_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_forged_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_forged_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_fair_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_fair_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_keys_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_keys_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_policy_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_policy_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_report_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_report_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_memory_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
%C%_sim_test_memory_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_session_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_session_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
%C%_sim_test_truth_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_sim_test_truth_LDADD = %D%/sim/libsim.a $(SESSION_LIBS) $(CHECK_LIBS)
endif
check_PROGRAMS += $(UNIT_TESTS) $(SIM_TESTS)

# Prints what the tables of fields say: the schema, the lists of udpace-result(5).
check_PROGRAMS += %D%/lib/fields
%C%_lib_fields_SOURCES = %D%/lib/fields.c
%C%_lib_fields_CPPFLAGS = $(TEST_CPPFLAGS) $(JANSSON_CFLAGS)
%C%_lib_fields_LDADD = $(DOC_LIBS)

# The same targets twice: replay.c runs the corpus in every make check, with
# --enable-fuzzers they are libFuzzer's.
FUZZ_TESTS = \
	%D%/fuzz/fuzz_client \
	%D%/fuzz/fuzz_format \
	%D%/fuzz/fuzz_host \
	%D%/fuzz/fuzz_journal \
	%D%/fuzz/fuzz_keys \
	%D%/fuzz/fuzz_msg \
	%D%/fuzz/fuzz_packet \
	%D%/fuzz/fuzz_point \
	%D%/fuzz/fuzz_receipt \
	%D%/fuzz/fuzz_record \
	%D%/fuzz/fuzz_result \
	%D%/fuzz/fuzz_responder \
	%D%/fuzz/fuzz_seal \
	%D%/fuzz/fuzz_snap \
	%D%/fuzz/fuzz_units \
	%D%/fuzz/fuzz_wire
if WITH_INIH
FUZZ_TESTS += %D%/fuzz/fuzz_policy
%C%_fuzz_fuzz_policy_SOURCES = %D%/fuzz/fuzz_policy.c src/cli/policy_file.c \
	src/cli/regular.c src/cli/suggest.c $(REPLAY)
%C%_fuzz_fuzz_policy_CPPFLAGS = $(TEST_CPPFLAGS) $(INIH_CFLAGS)
%C%_fuzz_fuzz_policy_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_policy_LDADD = libpaceout.a $(SESSION_LIBS) $(INIH_LIBS)
endif
check_PROGRAMS += $(FUZZ_TESTS)
%C%_fuzz_fuzz_client_SOURCES = %D%/fuzz/fuzz_client.c $(REPLAY)
%C%_fuzz_fuzz_client_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_client_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_client_LDADD = $(SESSION_LIBS)
%C%_fuzz_fuzz_format_SOURCES = %D%/fuzz/fuzz_format.c $(REPLAY)
%C%_fuzz_fuzz_format_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_format_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_format_LDADD = $(CAP_LIBS)
%C%_fuzz_fuzz_host_SOURCES = %D%/fuzz/fuzz_host.c $(REPLAY)
%C%_fuzz_fuzz_host_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_host_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_host_LDADD = libpaceplat.a $(DOC_LIBS) -lpthread
%C%_fuzz_fuzz_journal_SOURCES = %D%/fuzz/fuzz_journal.c src/cli/journal.c $(REPLAY)
%C%_fuzz_fuzz_journal_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_journal_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_journal_LDADD = libpaceout.a $(DOC_LIBS)
%C%_fuzz_fuzz_keys_SOURCES = %D%/fuzz/fuzz_keys.c $(REPLAY)
%C%_fuzz_fuzz_keys_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_keys_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_keys_LDADD = $(SESSION_LIBS)
%C%_fuzz_fuzz_msg_SOURCES = %D%/fuzz/fuzz_msg.c $(REPLAY)
%C%_fuzz_fuzz_msg_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_msg_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_msg_LDADD = $(SESSION_LIBS)
%C%_fuzz_fuzz_packet_SOURCES = %D%/fuzz/fuzz_packet.c $(REPLAY)
%C%_fuzz_fuzz_packet_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_packet_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_packet_LDADD = $(CAP_LIBS)
%C%_fuzz_fuzz_point_SOURCES = %D%/fuzz/fuzz_point.c $(REPLAY)
%C%_fuzz_fuzz_point_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_point_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_point_LDADD = $(DOC_LIBS)
%C%_fuzz_fuzz_receipt_SOURCES = %D%/fuzz/fuzz_receipt.c $(REPLAY)
%C%_fuzz_fuzz_receipt_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_receipt_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_receipt_LDADD = $(DOC_LIBS)
%C%_fuzz_fuzz_result_SOURCES = %D%/fuzz/fuzz_result.c $(REPLAY)
%C%_fuzz_fuzz_result_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_result_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_result_LDADD = $(DOC_LIBS)
%C%_fuzz_fuzz_record_SOURCES = %D%/fuzz/fuzz_record.c $(REPLAY)
%C%_fuzz_fuzz_record_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_record_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_record_LDADD = libpaceout.a $(DOC_LIBS)
%C%_fuzz_fuzz_responder_SOURCES = %D%/fuzz/fuzz_responder.c $(REPLAY)
%C%_fuzz_fuzz_responder_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_responder_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_responder_LDADD = $(SESSION_LIBS)
%C%_fuzz_fuzz_seal_SOURCES = %D%/fuzz/fuzz_seal.c $(REPLAY)
%C%_fuzz_fuzz_seal_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_seal_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_seal_LDADD = $(SESSION_LIBS)
%C%_fuzz_fuzz_snap_SOURCES = %D%/fuzz/fuzz_snap.c $(REPLAY)
%C%_fuzz_fuzz_snap_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_snap_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_snap_LDADD = $(UI_LIBS)
%C%_fuzz_fuzz_units_SOURCES = %D%/fuzz/fuzz_units.c $(REPLAY)
%C%_fuzz_fuzz_units_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_units_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_units_LDADD = $(CORE_LIBS)
%C%_fuzz_fuzz_wire_SOURCES = %D%/fuzz/fuzz_wire.c $(REPLAY)
%C%_fuzz_fuzz_wire_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_fuzz_fuzz_wire_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_wire_LDADD = $(SESSION_LIBS)
# campaign files need inih.
if WITH_INIH
FUZZ_TESTS += %D%/fuzz/fuzz_campaign
%C%_fuzz_fuzz_campaign_SOURCES = %D%/fuzz/fuzz_campaign.c src/cli/campaign_file.c $(REPLAY)
%C%_fuzz_fuzz_campaign_CPPFLAGS = $(TEST_CPPFLAGS) $(INIH_CFLAGS)
%C%_fuzz_fuzz_campaign_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_fuzz_campaign_LDADD = $(CORE_LIBS) $(INIH_LIBS)
endif
if FUZZERS
REPLAY =
else
REPLAY = %D%/fuzz/replay.c
endif
EXTRA_DIST += \
	%D%/fuzz/README \
	%D%/fuzz/corpus \
	%D%/fuzz/client_net.h \
	%D%/fuzz/client_peer.h \
	%D%/fuzz/fuzz.h \
	%D%/fuzz/json.dict \
	%D%/fuzz/keyed.h \
	%D%/fuzz/mutate_datagrams.h \
	%D%/fuzz/mutate_json.h \
	%D%/fuzz/mutate_words.h \
	%D%/fuzz/mutator.h \
	%D%/fuzz/repair.h \
	%D%/fuzz/responder_net.h \
	%D%/fuzz/responder_runner.h \
	%D%/fuzz/same.h \
	%D%/fuzz/seeds.py

# The lines that a monitor is shown.
check_PROGRAMS += %D%/lib/teller
%C%_lib_teller_CPPFLAGS = $(TEST_CPPFLAGS)
%C%_lib_teller_LDADD =

SHELL_TESTS = \
	%D%/shell/capacity.sh \
	%D%/shell/campaign.sh \
	%D%/shell/campaign_monitor.sh \
	%D%/shell/capture.sh \
	%D%/shell/completion.sh \
	%D%/shell/core_purity.sh \
	%D%/shell/export.sh \
	%D%/shell/export_result.sh \
	%D%/shell/fields.sh \
	%D%/shell/help_man.sh \
	%D%/shell/key.sh \
	%D%/shell/layers.sh \
	%D%/shell/monitor.sh \
	%D%/shell/monitor_screen.sh \
	%D%/shell/monitor_tmux.sh \
	%D%/shell/policy.sh \
	%D%/shell/report.sh \
	%D%/shell/report_dist.sh \
	%D%/shell/respond.sh \
	%D%/shell/units.sh
EXTRA_DIST += \
	%D%/data/campaign.py \
	%D%/data/captures \
	%D%/data/dists.py \
	%D%/data/records.py \
	%D%/data/results.py \
	%D%/data/sample.records \
	%D%/data/screens \
	%D%/lib/campaign_terminal.py \
	%D%/lib/capture_terminal.py \
	%D%/lib/fill.h \
	%D%/lib/hdrlog.py \
	%D%/lib/look.py \
	%D%/lib/mutate.h \
	%D%/lib/story.h \
	%D%/lib/teller.h \
	%D%/lib/terminal.py \
	%D%/lib/tree.h \
	%D%/lib/unit.h \
	%D%/lib/validate.py

# It builds once more.
SLOW_TESTS = %D%/shell/make_deb.sh

NET_TESTS = \
	%D%/net/abuse.sh \
	%D%/net/bad_control.sh \
	%D%/net/bad_input_latency.sh \
	%D%/net/capacity.sh \
	%D%/net/capacity_busy.sh \
	%D%/net/capacity_limits.sh \
	%D%/net/campaign.sh \
	%D%/net/capture.sh \
	%D%/net/capture_far.sh \
	%D%/net/capture_monitor.sh \
	%D%/net/capture_own.sh \
	%D%/net/client_death.sh \
	%D%/net/clock_asymmetric.sh \
	%D%/net/clock_step.sh \
	%D%/net/clock_truth.sh \
	%D%/net/control_loss.sh \
	%D%/net/corrupt.sh \
	%D%/net/doctor.sh \
	%D%/net/energy.sh \
	%D%/net/fair.sh \
	%D%/net/foreign.sh \
	%D%/net/full_disk.sh \
	%D%/net/impaired_exact.sh \
	%D%/net/interrupt.sh \
	%D%/net/ipv6.sh \
	%D%/net/keys.sh \
	%D%/net/latency_exact.sh \
	%D%/net/latency_late.sh \
	%D%/net/latency_troubles.sh \
	%D%/net/ledger.sh \
	%D%/net/lockout.sh \
	%D%/net/ledger_bounds.sh \
	%D%/net/loss_exact.sh \
	%D%/net/memory.sh \
	%D%/net/monitor.sh \
	%D%/net/monitor_host.sh \
	%D%/net/monitor_trains.sh \
	%D%/net/monitor_where.sh \
	%D%/net/mtu.sh \
	%D%/net/no_responder.sh \
	%D%/net/nic_stamps.sh \
	%D%/net/offpath.sh \
	%D%/net/ops.sh \
	%D%/net/pacing.sh \
	%D%/net/pair_clean.sh \
	%D%/net/places.sh \
	%D%/net/defaults.sh \
	%D%/net/policy.sh \
	%D%/net/rate.sh \
	%D%/net/refusals.sh \
	%D%/net/polling.sh \
	%D%/net/record_exact.sh \
	%D%/net/record_many.sh \
	%D%/net/sandbox.sh \
	%D%/net/service.sh \
	%D%/net/socket_loss.sh \
	%D%/net/spoilers.sh \
	%D%/net/stall.sh \
	%D%/net/responder_death.sh \
	%D%/net/sweep.sh \
	%D%/net/tail_total_loss.sh \
	%D%/net/trains.sh \
	%D%/net/two_clients.sh

# Those in which what comes is not what was expected, or goes away: worth the time that
# sanitizers take.  In the others the same code runs with more frames, or against a clock.
HOSTILE_TESTS = \
	%D%/net/abuse.sh \
	%D%/net/bad_control.sh \
	%D%/net/bad_input_latency.sh \
	%D%/net/capture.sh \
	%D%/net/capture_own.sh \
	%D%/net/client_death.sh \
	%D%/net/corrupt.sh \
	%D%/net/doctor.sh \
	%D%/net/fair.sh \
	%D%/net/foreign.sh \
	%D%/net/full_disk.sh \
	%D%/net/impaired_exact.sh \
	%D%/net/interrupt.sh \
	%D%/net/keys.sh \
	%D%/net/monitor.sh \
	%D%/net/no_responder.sh \
	%D%/net/offpath.sh \
	%D%/net/policy.sh \
	%D%/net/responder_death.sh \
	%D%/net/sandbox.sh \
	%D%/net/socket_loss.sh \
	%D%/net/trains.sh \
	%D%/net/two_clients.sh
EXTRA_DIST += \
	%D%/net/capacity_lib.sh \
	%D%/net/capture_lib.sh \
	%D%/net/drawn.py \
	%D%/net/echoer.py \
	%D%/net/forge.py \
	%D%/net/forger.py \
	%D%/net/fullpipe.py \
	%D%/net/gaps.py \
	%D%/net/greedy.py \
	%D%/net/identities.py \
	%D%/net/junk.py \
	%D%/net/lib.sh \
	%D%/net/monitor_lib.sh \
	%D%/net/noseccomp.py \
	%D%/net/openmetrics.py \
	%D%/net/record_truth.py \
	%D%/net/service.py \
	%D%/net/status.py \
	%D%/net/stranger.py \
	%D%/net/truth.py
check_PROGRAMS += \
	%D%/net/flood \
	%D%/net/relay \
	%D%/net/nicshim.so \
	%D%/net/step.so
%C%_net_flood_LDADD = $(CORE_LIBS)
%C%_net_relay_LDADD = $(CORE_LIBS)
# Not a program but what is loaded before one; it needs nothing of ours.
%C%_net_step_so_SOURCES = %D%/net/step.c
%C%_net_step_so_CFLAGS = -fPIC
%C%_net_step_so_LDFLAGS = -shared
%C%_net_step_so_LDADD = -ldl
# Nor does this one.
%C%_net_nicshim_so_SOURCES = %D%/net/nicshim.c
%C%_net_nicshim_so_CFLAGS = -fPIC
%C%_net_nicshim_so_LDFLAGS = -shared
%C%_net_nicshim_so_LDADD = -ldl
