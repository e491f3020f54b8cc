# Every test is started by tests/run: there is how they get on with -j.
# Exit status: 0 good, 77 skipped, 99 the test could not be set up, else bad.
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	PYTHON3='$(PYTHON3)' CK_DEFAULT_TIMEOUT=60 \
	beside='$(BESIDE_TESTS)' counted='$(COUNTED_TESTS)'; \
	export top_srcdir top_builddir PYTHON3 CK_DEFAULT_TIMEOUT beside counted;
TEST_EXTENSIONS = .sh
LOG_COMPILER = $(top_srcdir)/tests/run
SH_LOG_COMPILER = $(top_srcdir)/tests/run
CLEANFILES += tests.lock net.lock turn.lock idle.log idle-suite.log

# Neither root nor a quiet machine.  Those that calculate, and mind no other work beside them;
# first those that take longest.
IDLE_TESTS = $(SIM_TESTS) $(FUZZ_TESTS) $(UNIT_TESTS)
QUICK_TESTS = $(IDLE_TESTS) $(SHELL_TESTS)
TESTS += $(QUICK_TESTS) $(NET_TESTS) $(SLOW_TESTS)
EXTRA_DIST += %D%/README %D%/run $(SHELL_TESTS) $(NET_TESTS) $(SLOW_TESTS)

# A test takes from all rooms what it calls.
LDADD = $(SIM_LIB) $(ALL_LIBS) $(CHECK_LIBS) $(REPLAY)

# A network on a virtual clock.
SIM_LIB = %D%/sim/libsim.a
check_LIBRARIES += $(SIM_LIB)
%C%_sim_libsim_a_SOURCES = %D%/sim/simnet.c %D%/sim/simnet.h %D%/sim/sums.c \
	%D%/sim/sums.h %D%/sim/far.h

UNIT_TESTS =
SIM_TESTS =
if WITH_CHECK
UNIT_TESTS += \
	%D%/unit/ui/test_view \
	%D%/unit/doc/test_result_doc \
	%D%/unit/doc/test_latency_doc \
	%D%/unit/doc/test_rx_result_doc \
	%D%/unit/core/test_seq \
	%D%/unit/core/test_clockfit \
	%D%/unit/cap/test_align \
	%D%/unit/cap/test_build \
	%D%/unit/cap/test_captures \
	%D%/unit/cap/test_flow \
	%D%/unit/cap/test_format \
	%D%/unit/cap/test_guess \
	%D%/unit/cap/test_heaps \
	%D%/unit/cap/test_marks \
	%D%/unit/cap/test_match \
	%D%/unit/cap/test_packet \
	%D%/unit/cap/test_unwrap \
	%D%/unit/capture/test_frame_record \
	%D%/unit/core/test_addr \
	%D%/unit/core/test_clockmap \
	%D%/unit/core/test_coarse_hist \
	%D%/unit/core/test_cursor \
	%D%/unit/core/test_delay \
	%D%/unit/core/test_dispersion \
	%D%/unit/core/test_doctor \
	%D%/unit/core/test_due \
	%D%/unit/core/test_energy \
	%D%/unit/core/test_err \
	%D%/unit/core/test_hist \
	%D%/unit/core/test_ledger \
	%D%/unit/core/test_linefit \
	%D%/unit/core/test_messages \
	%D%/unit/core/test_order \
	%D%/unit/core/test_payload \
	%D%/unit/core/test_policy \
	%D%/unit/core/test_policy_default \
	%D%/unit/core/test_rates \
	%D%/unit/core/test_record \
	%D%/unit/core/test_schedule \
	%D%/unit/core/test_search \
	%D%/unit/core/test_stamp \
	%D%/unit/core/test_stats \
	%D%/unit/core/test_tcp_limit \
	%D%/unit/core/test_units \
	%D%/unit/core/test_wire \
	%D%/unit/daemon/test_ops \
	%D%/unit/daemon/test_tcp_accept \
	%D%/unit/doc/test_params \
	%D%/unit/doc/test_capacity \
	%D%/unit/doc/test_clock_doc \
	%D%/unit/doc/test_loss_attribution \
	%D%/unit/doc/test_field \
	%D%/unit/doc/test_hist_doc \
	%D%/unit/doc/test_points_file \
	%D%/unit/doc/test_tx_result_doc \
	%D%/unit/doc/test_record_file \
	%D%/unit/doc/test_conclusions \
	%D%/unit/doc/test_aggregate \
	%D%/unit/doc/test_departures \
	%D%/unit/doc/test_repeats \
	%D%/unit/doc/test_result_read \
	%D%/unit/doc/test_stall \
	%D%/unit/doc/test_tcp_doc \
	%D%/unit/doc/test_wire_check \
	%D%/unit/live/test_capture_sample \
	%D%/unit/live/test_host_sample \
	%D%/unit/live/test_status_source \
	%D%/unit/live/test_live_run_line \
	%D%/unit/live/test_ops \
	%D%/unit/live/test_snap \
	%D%/unit/live/test_watch_metrics \
	%D%/unit/opt/test_opt \
	%D%/unit/out/test_clock_text \
	%D%/unit/out/test_columns \
	%D%/unit/out/test_csv \
	%D%/unit/out/test_hdrlog \
	%D%/unit/out/test_latency_text \
	%D%/unit/out/test_table \
	%D%/unit/out/test_text \
	%D%/unit/out/test_udpmon \
	%D%/unit/plat/test_addr \
	%D%/unit/plat/test_affinity \
	%D%/unit/plat/test_counters \
	%D%/unit/plat/test_nic \
	%D%/unit/plat/test_sandbox \
	%D%/unit/plat/test_sock_recv \
	%D%/unit/plat/test_sock_send \
	%D%/unit/plat/test_thread \
	%D%/unit/proto/test_keys \
	%D%/unit/proto/test_seal \
	%D%/unit/proto/test_stamp_keys \
	%D%/unit/proto/test_tcp_hello \
	%D%/unit/report/test_axis \
	%D%/unit/report/test_bins \
	%D%/unit/report/test_cmp \
	%D%/unit/report/test_html \
	%D%/unit/report/test_loss_groups \
	%D%/unit/report/test_markup \
	%D%/unit/report/test_mesh \
	%D%/unit/report/test_group \
	%D%/unit/report/test_value \
	%D%/unit/report/test_shape \
	%D%/unit/report/test_figure \
	%D%/unit/report/test_trace \
	%D%/unit/run/test_admitted \
	%D%/unit/run/test_campaign_words \
	%D%/unit/run/test_feed \
	%D%/unit/run/test_journal \
	%D%/unit/run/test_judge \
	%D%/unit/run/test_lookup \
	%D%/unit/run/test_peer \
	%D%/unit/run/test_point_control \
	%D%/unit/run/test_sink \
	%D%/unit/run/test_stop \
	%D%/unit/run/test_watch_lines \
	%D%/unit/server/admission/test_byte_sketch \
	%D%/unit/server/admission/test_proof \
	%D%/unit/server/admission/test_cookie \
	%D%/unit/server/test_lease \
	%D%/unit/server/admission/test_reply_limit \
	%D%/unit/server/admission/test_run_limiter \
	%D%/unit/stream/test_reader \
	%D%/unit/stream/test_sender \
	%D%/unit/stream/test_light_receiver \
	%D%/unit/stream/test_stamp_session \
	%D%/unit/stream/test_tx_stamps \
	%D%/unit/ui/test_view_room \
	%D%/unit/ui/test_view_paths \
	%D%/unit/ui/test_view_stamp
if WITH_INIH
UNIT_TESTS += %D%/unit/run/test_watch_plan
endif

if WITH_INIH
SIM_TESTS += %D%/sim/test_commands
endif
SIM_TESTS += \
	%D%/sim/test_fair \
	%D%/sim/test_streams \
	%D%/sim/test_watch \
	%D%/sim/test_forged \
	%D%/sim/test_truth \
	%D%/sim/test_keys \
	%D%/sim/test_exchange \
	%D%/sim/test_abuse \
	%D%/sim/test_capture \
	%D%/sim/test_light \
	%D%/sim/test_memory \
	%D%/sim/test_policy \
	%D%/sim/test_intervals \
	%D%/sim/test_reflector \
	%D%/sim/test_stamp \
	%D%/sim/test_report \
	%D%/sim/test_session \
	%D%/sim/test_marks \
	%D%/sim/test_group \
	%D%/sim/test_reverse \
	%D%/sim/test_two_way
%C%_sim_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
%C%_unit_run_test_sink_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fclose
%C%_unit_run_test_stop_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime,--wrap=setitimer
%C%_unit_run_test_lookup_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pace_resolve
%C%_unit_plat_test_sock_send_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sendmsg,--wrap=sendmmsg
if WITH_INIH
%C%_sim_test_commands_SOURCES = %D%/sim/test_commands.c %D%/sim/machine.c %D%/sim/machine.h \
	%D%/sim/operator.c %D%/sim/operator.h
%C%_sim_test_commands_LDADD = $(udpace_OBJECTS) $(LDADD)
%C%_sim_test_commands_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=main,--wrap=time,--wrap=nanosleep,--wrap=isatty \
	-Wl,--wrap=pace_sock_open,--wrap=pace_sock_close,--wrap=pace_sock_io,--wrap=pace_sock_mtu \
	-Wl,--wrap=pace_sock_mark,--wrap=pace_sock_local,--wrap=pace_clock_raw,--wrap=pace_clock_wall \
	-Wl,--wrap=pace_clock_guard,--wrap=pace_clock_state,--wrap=pace_clock_wait_until \
	-Wl,--wrap=pace_facts_read,--wrap=pace_facts_host_name,--wrap=pace_packet_fact \
	-Wl,--wrap=pace_route_to,--wrap=pace_warm_open,--wrap=pace_meter_new \
	-Wl,--wrap=pace_lookup_ask,--wrap=pace_lookup_take,--wrap=pace_thread_start \
	-Wl,--wrap=pace_watch_status_begin,--wrap=pace_watch_lines_put \
	-Wl,--wrap=pthread_join,--wrap=poll,--wrap=__poll_chk,--wrap=clock_gettime,--wrap=getpid \
	-Wl,--wrap=pace_gnuplot_is_there,--wrap=pace_gnuplot_draw
endif
endif
check_PROGRAMS += $(UNIT_TESTS) $(SIM_TESTS)

# Prints what the tables of fields say: the schemas, the lists of udpace-result(5) and
# udpace-status(5).
check_PROGRAMS += %D%/lib/fields
%C%_lib_fields_SOURCES = %D%/lib/fields.c

# The same targets twice: replay.c runs the corpus in every make check, with
# --enable-fuzzers they are libFuzzer's.
FUZZ_TESTS = \
	%D%/fuzz/fuzz_responder \
	%D%/fuzz/fuzz_client \
	%D%/fuzz/fuzz_format \
	%D%/fuzz/fuzz_host \
	%D%/fuzz/fuzz_journal \
	%D%/fuzz/fuzz_keys \
	%D%/fuzz/fuzz_msg \
	%D%/fuzz/fuzz_packet \
	%D%/fuzz/fuzz_point \
	%D%/fuzz/fuzz_rx_result \
	%D%/fuzz/fuzz_record \
	%D%/fuzz/fuzz_result \
	%D%/fuzz/fuzz_seal \
	%D%/fuzz/fuzz_snap \
	%D%/fuzz/fuzz_stamp \
	%D%/fuzz/fuzz_state \
	%D%/fuzz/fuzz_units \
	%D%/fuzz/fuzz_wire
if WITH_INIH
FUZZ_TESTS += %D%/fuzz/fuzz_campaign %D%/fuzz/fuzz_policy
endif
check_PROGRAMS += $(FUZZ_TESTS)
$(FUZZ_TESTS): LDADD += $(FUZZ_LDFLAGS)
# Without libFuzzer main is here; what has a main of its own does not take it.
if FUZZERS
REPLAY =
else
check_LIBRARIES += %D%/fuzz/libreplay.a
%C%_fuzz_libreplay_a_SOURCES = %D%/fuzz/replay.c
REPLAY = %D%/fuzz/libreplay.a
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
	%D%/fuzz/on_disk.h \
	%D%/fuzz/repair.h \
	%D%/fuzz/responder_net.h \
	%D%/fuzz/responder_runner.h \
	%D%/fuzz/same.h \
	%D%/fuzz/seeds.py

# The lines that a monitor is shown.
check_PROGRAMS += %D%/lib/teller
%C%_lib_teller_LDADD =

SHELL_TESTS = \
	%D%/shell/alerts.sh \
	%D%/shell/ansible.sh \
	%D%/shell/capacity.sh \
	%D%/shell/campaign.sh \
	%D%/shell/campaign_monitor.sh \
	%D%/shell/capture.sh \
	%D%/shell/receive.sh \
	%D%/shell/send.sh \
	%D%/shell/columns.sh \
	%D%/shell/completion.sh \
	%D%/shell/core_purity.sh \
	%D%/shell/examples.sh \
	%D%/shell/exit_status.sh \
	%D%/shell/export.sh \
	%D%/shell/export_result.sh \
	%D%/shell/fields.sh \
	%D%/shell/help_man.sh \
	%D%/shell/habits.sh \
	%D%/shell/key.sh \
	%D%/shell/layers.sh \
	%D%/shell/loopback.sh \
	%D%/shell/names.sh \
	%D%/shell/monitor.sh \
	%D%/shell/monitor_screen.sh \
	%D%/shell/monitor_tmux.sh \
	%D%/shell/pictures.sh \
	%D%/shell/policy.sh \
	%D%/shell/printed.sh \
	%D%/shell/report.sh \
	%D%/shell/report_dist.sh \
	%D%/shell/report_figures.sh \
	%D%/shell/report_group.sh \
	%D%/shell/report_mesh.sh \
	%D%/shell/respond.sh \
	%D%/shell/second_try.sh \
	%D%/shell/status.sh \
	%D%/shell/units.sh \
	%D%/shell/watch.sh
EXTRA_DIST += \
	%D%/data/alerts.yml \
	%D%/data/campaign.py \
	%D%/data/captures \
	%D%/data/dists.py \
	%D%/data/pscheduler.json \
	%D%/data/printed.sums \
	%D%/data/records.py \
	%D%/data/group.py \
	%D%/data/mesh.py \
	%D%/data/results.py \
	%D%/data/sample.records \
	%D%/data/screens \
	%D%/data/sums \
	%D%/lib/campaign_terminal.py \
	%D%/lib/capture_terminal.py \
	%D%/lib/counter.h \
	%D%/lib/csv.h \
	%D%/lib/drawn/gnuplot \
	%D%/lib/examples.py \
	%D%/lib/figures.py \
	%D%/lib/fill.h \
	%D%/lib/folder.h \
	%D%/lib/golden.h \
	%D%/lib/hdrlog.py \
	%D%/lib/look.py \
	%D%/lib/migrate.py \
	%D%/lib/mutate.h \
	%D%/lib/options.awk \
	%D%/lib/pages.h \
	%D%/lib/pscheduler.py \
	%D%/lib/quick/jq \
	%D%/lib/printed.h \
	%D%/lib/scenario.h \
	%D%/lib/screen.h \
	%D%/lib/sum.h \
	%D%/lib/teller.h \
	%D%/lib/terminal.py \
	%D%/lib/thief.py \
	%D%/lib/tree.h \
	%D%/lib/unit.h \
	%D%/lib/send_frames.py \
	%D%/lib/validate.py \
	%D%/shell/report_lib.sh

# These need more than CI installs, and minutes: by hand, make check TESTS=tests/net/mesh.sh
LONG_TESTS = %D%/net/mesh.sh
EXTRA_DIST += $(LONG_TESTS)

# They build once more.
SLOW_TESTS = %D%/shell/make_deb.sh %D%/shell/make_rpm.sh %D%/shell/make_static.sh

# Those in which what comes is not what was expected, or goes away: worth the time that
# sanitizers take.  In the others the same code runs with more frames, or against a clock.
HOSTILE_BESIDE = \
	%D%/net/responder_death.sh \
	%D%/net/bad_input_latency.sh \
	%D%/net/client_death.sh \
	%D%/net/doctor.sh \
	%D%/net/fair.sh \
	%D%/net/foreign.sh \
	%D%/net/full_disk.sh \
	%D%/net/interrupt.sh \
	%D%/net/keys.sh \
	%D%/net/no_responder.sh \
	%D%/net/sandbox.sh \
	%D%/net/two_clients.sh \
	%D%/net/two_way.sh \
	%D%/net/tcp.sh \
	%D%/net/bad_control.sh \
	%D%/net/capture.sh \
	%D%/net/receive.sh \
	%D%/net/corrupt.sh \
	%D%/net/monitor.sh \
	%D%/net/stamp_hostile.sh \
	%D%/net/impaired_exact.sh \
	%D%/net/trains.sh
HOSTILE_COUNTED = \
	%D%/net/abuse.sh \
	%D%/net/capture_own.sh \
	%D%/net/capture_reverse.sh \
	%D%/net/offpath.sh \
	%D%/net/reverse.sh \
	%D%/net/socket_loss.sh
HOSTILE_ALONE = %D%/net/policy.sh
HOSTILE_TESTS = $(HOSTILE_BESIDE) $(HOSTILE_COUNTED) $(HOSTILE_ALONE)

# Side by side, and beside quick ones: they judge counts, words and ends of streams that are slow
# enough for a busy machine, and time by seconds alone.  They mostly wait.  First those that take
# longest.
BESIDE_TESTS = \
	%D%/net/outage.sh \
	%D%/net/record_exact.sh \
	%D%/net/sweep.sh \
	%D%/net/stamp_sender.sh \
	%D%/net/monitor_host.sh \
	%D%/net/watch_stamp.sh \
	%D%/net/watch.sh \
	%D%/net/refusals.sh \
	%D%/net/rate.sh \
	%D%/net/send.sh \
	%D%/net/engine.sh \
	%D%/net/control_loss.sh \
	%D%/net/capture_far.sh \
	%D%/net/service.sh \
	%D%/net/ops.sh \
	%D%/net/campaign.sh \
	%D%/net/lockout.sh \
	$(HOSTILE_BESIDE) \
	%D%/net/capture_monitor.sh \
	%D%/net/defaults.sh \
	%D%/net/energy.sh \
	%D%/net/group.sh \
	%D%/net/ipv6.sh \
	%D%/net/latency_exact.sh \
	%D%/net/latency_late.sh \
	%D%/net/ledger_bounds.sh \
	%D%/net/light.sh \
	%D%/net/loss_exact.sh \
	%D%/net/marks.sh \
	%D%/net/monitor_where.sh \
	%D%/net/messages.sh \
	%D%/net/mtu.sh \
	%D%/net/pair_clean.sh \
	%D%/net/places.sh \
	%D%/net/pscheduler.sh \
	%D%/net/spoilers.sh \
	%D%/net/stamp.sh \
	%D%/net/stamp_monitor.sh \
	%D%/net/streams.sh \
	%D%/net/tail_total_loss.sh \
	%D%/net/watch_names.sh \
	%D%/net/watch_reload.sh \
	%D%/net/watch_state.sh \
	%D%/net/monitor_streams_down.sh
# These judge times, rates and what was not lost at a rate, or load the machine: one at a time.
# Beside them is room for what takes only the processor time that nobody else wants.
COUNTED_TESTS = \
	$(HOSTILE_COUNTED) \
	%D%/net/capacity_busy.sh \
	%D%/net/clock_asymmetric.sh \
	%D%/net/clock_step.sh \
	%D%/net/clock_truth.sh \
	%D%/net/latency_troubles.sh \
	%D%/net/ledger.sh \
	%D%/net/memory.sh \
	%D%/net/monitor_drawn.sh \
	%D%/net/monitor_streams.sh \
	%D%/net/monitor_trains.sh \
	%D%/net/nic_stamps.sh \
	%D%/net/pacing.sh \
	%D%/net/polling.sh \
	%D%/net/record_many.sh \
	%D%/net/stall.sh \
	%D%/net/tcp_limits.sh \
	%D%/net/warm.sh
# These search for a rate at which this machine sends without delay, or send at one with sanitizers:
# one at a time, and nothing else.
ALONE_TESTS = \
	$(HOSTILE_ALONE) \
	%D%/net/capacity.sh \
	%D%/net/capacity_limits.sh
NET_TESTS = $(BESIDE_TESTS) $(COUNTED_TESTS) $(ALONE_TESTS)
EXTRA_DIST += \
	%D%/net/capacity_lib.sh \
	%D%/net/capture_lib.sh \
	%D%/net/drawn.py \
	%D%/net/echoer.py \
	%D%/net/forge.py \
	%D%/net/fullpipe.py \
	%D%/net/gaps.py \
	%D%/net/member.py \
	%D%/net/greedy.py \
	%D%/net/identities.py \
	%D%/net/junk.py \
	%D%/net/light.py \
	%D%/net/lib.sh \
	%D%/net/monitor_lib.sh \
	%D%/net/noseccomp.py \
	%D%/net/openmetrics.py \
	%D%/net/record_truth.py \
	%D%/net/service.py \
	%D%/net/stamp.py \
	%D%/net/stamp_capture.py \
	%D%/net/stamp_hostile.py \
	%D%/net/stamp_lib.sh \
	%D%/net/stamp_reflector.py \
	%D%/net/status.py \
	%D%/net/stranger.py \
	%D%/net/truth.py
check_PROGRAMS += \
	%D%/net/flood \
	%D%/net/lights \
	%D%/net/relay \
	%D%/net/nicshim.so \
	%D%/net/step.so
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
