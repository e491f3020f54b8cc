# Each room is a library; tests/shell/layers.sh says who may include whom.
ROOM_LIBS = libpacecapture.a libpaceui.a libpacedaemon.a libpacelive.a libpacerun.a libpaceopt.a \
	libpaceclient.a libpaceserver.a libpacestream.a libpaceproto.a libpacereport.a libpaceout.a \
	libpaceplat.a libpacecap.a libpacedoc.a libpacecore.a
noinst_LIBRARIES += $(ROOM_LIBS)

# All rooms, dependents first, and what they need: a program takes from them what it calls.
ALL_LIBS = $(ROOM_LIBS) $(MICROHTTPD_LIBS) $(CURSES_LIBS) $(INIH_LIBS) $(SECCOMP_LIBS) $(PCAP_LIBS) \
	$(ZLIB_LIBS) $(SODIUM_LIBS) $(JANSSON_LIBS) -lpthread -lm

# Pure ISO C11, held so by the compiler: no extensions, no config.h in reach.
libpacecore_a_CPPFLAGS = -I$(top_srcdir)/src $(HARDEN_CPPFLAGS)
libpacecore_a_CFLAGS = $(AM_CFLAGS) -std=c11 -pedantic
libpacecore_a_SOURCES = \
	%D%/core/addr.c \
	%D%/core/clock_point.h \
	%D%/core/clockfit.c %D%/core/clockfit.h \
	%D%/core/clockline.c \
	%D%/core/clockmap.c %D%/core/clockmap.h \
	%D%/core/coarse_hist.c %D%/core/coarse_hist.h \
	%D%/core/counters.c %D%/core/counters.h \
	%D%/core/cursor.h \
	%D%/core/delay.c %D%/core/delay.h \
	%D%/core/dispersion.c %D%/core/dispersion.h \
	%D%/core/doctor.c %D%/core/doctor.h \
	%D%/core/due.c %D%/core/due.h \
	%D%/core/energy.c %D%/core/energy.h \
	%D%/core/err.c %D%/core/err.h \
	%D%/core/wide_time.h \
	%D%/core/arith.h \
	%D%/core/framing.h \
	%D%/core/hist.c %D%/core/hist.h \
	%D%/core/host.c %D%/core/host.h \
	%D%/core/io.h \
	%D%/core/ledger.c %D%/core/ledger.h \
	%D%/core/linefit.c %D%/core/linefit.h \
	%D%/core/marginfit.c %D%/core/marginfit.h \
	%D%/core/messages.c %D%/core/messages.h \
	%D%/core/order.c %D%/core/order.h \
	%D%/core/payload.c %D%/core/payload.h \
	%D%/core/policy.c %D%/core/policy.h \
	%D%/core/rates.c %D%/core/rates.h \
	%D%/core/run_stats.c %D%/core/run_stats.h \
	%D%/core/record.c %D%/core/record.h \
	%D%/core/schedule.c %D%/core/schedule.h \
	%D%/core/search.c %D%/core/search.h \
	%D%/core/seq.c %D%/core/seq.h \
	%D%/core/session_state.c %D%/core/session_state.h \
	%D%/core/sparse.c %D%/core/sparse.h \
	%D%/core/splitmix.h \
	%D%/core/stall.h \
	%D%/core/stamp.c %D%/core/stamp.h \
	%D%/core/stats.c %D%/core/stats.h \
	%D%/core/tally.c %D%/core/tally.h \
	%D%/core/tcp.h %D%/core/tcp_limit.c %D%/core/tcp_limit.h \
	%D%/core/threads.h \
	%D%/core/units.c %D%/core/units.h \
	%D%/core/wire.c %D%/core/wire.h \
	%D%/core/wire_check.c %D%/core/wire_check.h

# What datagrams of others say: as pure as core.
libpacecap_a_CPPFLAGS = -I$(top_srcdir)/src $(HARDEN_CPPFLAGS)
libpacecap_a_CFLAGS = $(AM_CFLAGS) -std=c11 -pedantic
libpacecap_a_SOURCES = \
	%D%/cap/align.c %D%/cap/align.h \
	%D%/cap/build.c %D%/cap/build.h \
	%D%/cap/flow.c %D%/cap/flow.h \
	%D%/cap/fmt_iperf2.c \
	%D%/cap/fmt_iperf3.c \
	%D%/cap/fmt_lofar.c \
	%D%/cap/fmt_plain.c \
	%D%/cap/fmt_rtp.c \
	%D%/cap/fmt_sequence.c \
	%D%/cap/fmt_spead.c \
	%D%/cap/fmt_udpace.c \
	%D%/cap/fmt_udpmon.c \
	%D%/cap/fmt_vdif.c \
	%D%/cap/format.c %D%/cap/format.h \
	%D%/cap/formats.h \
	%D%/cap/guess.c \
	%D%/cap/heaps.c %D%/cap/heaps.h \
	%D%/cap/match.c %D%/cap/match.h \
	%D%/cap/packet.c %D%/cap/packet.h \
	%D%/cap/stream.c %D%/cap/stream.h \
	%D%/cap/sum.h \
	%D%/cap/unwrap.c %D%/cap/unwrap.h

# Linux, one concern a file.
libpaceplat_a_CPPFLAGS = $(SRC_CPPFLAGS) $(SECCOMP_CFLAGS) $(PCAP_CFLAGS) -DPACE_PKGDATADIR='"$(pkgdatadir)"'
libpaceplat_a_CFLAGS = $(AM_CFLAGS) -pthread
libpaceplat_a_SOURCES = \
	%D%/plat/addr.c %D%/plat/addr.h \
	%D%/plat/affinity.c %D%/plat/affinity.h \
	%D%/plat/clock.c %D%/plat/clock.h \
	%D%/plat/counters.c %D%/plat/counters.h \
	%D%/plat/counters_cores.c %D%/plat/counters_cores.h \
	%D%/plat/datadir.c %D%/plat/datadir.h \
	%D%/plat/energy.c %D%/plat/energy.h \
	%D%/plat/ethtool.c %D%/plat/ethtool.h \
	%D%/plat/facts.c %D%/plat/facts.h \
	%D%/plat/files.c %D%/plat/files.h \
	%D%/plat/filter.h \
	%D%/plat/instrumented.h \
	%D%/plat/netlink.c %D%/plat/netlink.h \
	%D%/plat/nic.c %D%/plat/nic.h \
	%D%/plat/notify.c %D%/plat/notify.h \
	%D%/plat/offload.c %D%/plat/offload.h \
	%D%/plat/packet.c %D%/plat/packet.h \
	%D%/plat/passed.c %D%/plat/passed.h \
	%D%/plat/pcap.h \
	%D%/plat/multicast.c %D%/plat/multicast.h \
	%D%/plat/names.c %D%/plat/names.h \
	%D%/plat/private.c %D%/plat/private.h \
	%D%/plat/qdisc.c \
	%D%/plat/root.c %D%/plat/root.h \
	%D%/plat/route.c %D%/plat/route.h \
	%D%/plat/sandbox.c %D%/plat/sandbox.h \
	%D%/plat/sock.c %D%/plat/sock.h \
	%D%/plat/sock_io.c %D%/plat/sock_own.h \
	%D%/plat/sock_nic.c \
	%D%/plat/sock_recv.c \
	%D%/plat/sock_send.c \
	%D%/plat/stall.c %D%/plat/stall.h \
	%D%/plat/tcp_run.c %D%/plat/tcp_run.h %D%/plat/tcp_sock.c %D%/plat/tcp_sock.h \
	%D%/plat/thread.c %D%/plat/thread.h \
	%D%/plat/warm.c %D%/plat/warm.h
if WITH_SECCOMP
libpaceplat_a_SOURCES += %D%/plat/filter.c
else
libpaceplat_a_SOURCES += %D%/plat/filter_none.c
endif
if WITH_PCAP
libpaceplat_a_SOURCES += %D%/plat/pcap.c
else
libpaceplat_a_SOURCES += %D%/plat/pcap_none.c
endif

# The result document.
libpacedoc_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS)
libpacedoc_a_SOURCES = \
	%D%/doc/intervals.c %D%/doc/intervals.h \
	%D%/doc/intervals_doc.c %D%/doc/intervals_doc.h \
	%D%/doc/params.c %D%/doc/params.h \
	%D%/doc/aggregate.c %D%/doc/aggregate.h \
	%D%/doc/departures.c %D%/doc/departures.h \
	%D%/doc/capacity.c %D%/doc/capacity.h \
	%D%/doc/capacity_doc.c \
	%D%/doc/capture.h \
	%D%/doc/capture_doc.c %D%/doc/capture_doc.h \
	%D%/doc/checkup.c %D%/doc/checkup.h \
	%D%/doc/conclusions.c %D%/doc/conclusions.h \
	%D%/doc/clock_doc.c %D%/doc/clock_doc.h \
	%D%/doc/counters_doc.c %D%/doc/counters_doc.h \
	%D%/doc/dispersion_doc.c %D%/doc/dispersion_doc.h \
	%D%/doc/document.c \
	%D%/doc/loss_attribution.c %D%/doc/loss_attribution.h \
	%D%/doc/field.c %D%/doc/field.h \
	%D%/doc/flag.c %D%/doc/flag.h \
	%D%/doc/hist_doc.c %D%/doc/hist_doc.h %D%/doc/hist_fields.c \
	%D%/doc/host_doc.c %D%/doc/host_doc.h \
	%D%/doc/js.c %D%/doc/js.h \
	%D%/doc/latency.c %D%/doc/latency.h \
	%D%/doc/latency_doc.c %D%/doc/latency_doc.h \
	%D%/doc/ledger_doc.c %D%/doc/ledger_doc.h \
	%D%/doc/point_doc.c %D%/doc/point_doc.h \
	%D%/doc/points_file.c %D%/doc/points_file.h \
	%D%/doc/rx_result_doc.c %D%/doc/rx_result_doc.h \
	%D%/doc/tx_result_doc.c %D%/doc/tx_result_doc.h \
	%D%/doc/record_file.c %D%/doc/record_file.h \
	%D%/doc/repeats.c %D%/doc/repeats.h \
	%D%/doc/result.c %D%/doc/result.h %D%/doc/result_check.c \
	%D%/doc/result_doc.c %D%/doc/result_doc.h \
	%D%/doc/result_read.c %D%/doc/result_read.h \
	%D%/doc/send.c %D%/doc/send.h \
	%D%/doc/spread.c %D%/doc/spread.h \
	%D%/doc/stamp_result.c %D%/doc/stamp_result.h \
	%D%/doc/stall.c %D%/doc/stall.h \
	%D%/doc/tcp.c %D%/doc/tcp.h %D%/doc/tcp_doc.c %D%/doc/tcp_doc.h \
	%D%/doc/tally_doc.c %D%/doc/tally_doc.h \
	%D%/doc/utc.c %D%/doc/utc.h \
	%D%/doc/coarse_doc.c %D%/doc/coarse_doc.h \
	%D%/doc/watched.c %D%/doc/watched.h \
	%D%/doc/wire_check_doc.c %D%/doc/wire_check_doc.h

# What is on the wire.
libpaceproto_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpaceproto_a_CFLAGS = $(AM_CFLAGS) -pthread
libpaceproto_a_SOURCES = \
	%D%/proto/keys.c %D%/proto/keys.h \
	%D%/proto/msg.c %D%/proto/msg.h \
	%D%/proto/random.c %D%/proto/random.h \
	%D%/proto/report.c %D%/proto/report.h \
	%D%/proto/tcp_hello.c %D%/proto/tcp_hello.h \
	%D%/proto/seal.c %D%/proto/seal.h \
	%D%/proto/stamp_keys.c %D%/proto/stamp_keys.h \
	%D%/proto/host_counters.c %D%/proto/host_counters.h

# Frames out, frames in, exchanges, whichever end they run at.
libpacestream_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpacestream_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacestream_a_SOURCES = \
	%D%/stream/capture_hook.c %D%/stream/capture_hook.h \
	%D%/stream/echo.c %D%/stream/echo.h \
	%D%/stream/merged.c %D%/stream/merged.h \
	%D%/stream/reader.c %D%/stream/reader.h \
	%D%/stream/pinger.c %D%/stream/pinger.h \
	%D%/stream/light_receiver.c %D%/stream/light_receiver.h \
	%D%/stream/receiver.c %D%/stream/receiver.h \
	%D%/stream/rx_intervals.c %D%/stream/rx_intervals.h \
	%D%/stream/sender.c %D%/stream/sender.h \
	%D%/stream/tx_stamps.c %D%/stream/tx_stamps.h \
	%D%/stream/stamp_session.c %D%/stream/stamp_session.h

# The client's half of a session.
libpaceclient_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpaceclient_a_CFLAGS = $(AM_CFLAGS) -pthread
libpaceclient_a_SOURCES = \
	%D%/client/client.c %D%/client/client.h \
	%D%/client/client_clock.c \
	%D%/client/client_fetch.c %D%/client/client_flows.c \
	%D%/client/client_io.c %D%/client/client_io.h \
	%D%/client/client_latency.c %D%/client/client_tcp.c %D%/client/client_stamp.c %D%/client/client_stamp_live.c \
	%D%/client/client_send.c \
	%D%/client/client_streams.c \
	%D%/client/watch_exchange.c \
	%D%/client/watch_path.c %D%/client/watch_path.h %D%/client/watch_path_own.h \
	%D%/client/client_down.c %D%/client/client_down_own.h \
	%D%/client/client_down_capture.c \
	%D%/client/client_down_result.c %D%/client/client_down_threads.c %D%/client/client_up.c \
	%D%/client/client_live.c

# The responder's half, and who is admitted.
libpaceserver_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpaceserver_a_CFLAGS = $(AM_CFLAGS) -pthread
libpaceserver_a_SOURCES = \
	%D%/server/admission/byte_sketch.c %D%/server/admission/byte_sketch.h \
	%D%/server/admission/auth.c %D%/server/admission/auth.h \
	%D%/server/admission/cookie.c %D%/server/admission/cookie.h \
	%D%/server/admission/places.c %D%/server/admission/places.h \
	%D%/server/admission/proof.c %D%/server/admission/proof.h \
	%D%/server/admission/send_credit.c %D%/server/admission/send_credit.h \
	%D%/server/admission/rules.c %D%/server/admission/rules.h \
	%D%/server/admission/rate_sketch.c %D%/server/admission/rate_sketch.h \
	%D%/server/admission/reply_limit.c %D%/server/admission/reply_limit.h \
	%D%/server/admission/run_limiter.c %D%/server/admission/run_limiter.h \
	%D%/server/light.c %D%/server/light.h \
	%D%/server/lease.c %D%/server/lease.h \
	%D%/server/reflector.c %D%/server/reflector.h \
	%D%/server/reflector_table.c %D%/server/reflector_table.h \
	%D%/server/responder.c %D%/server/responder.h \
	%D%/server/session.c %D%/server/session.h \
	%D%/server/session_flow.c %D%/server/session_open.c \
	%D%/server/session_down.c %D%/server/session_down_own.h \
	%D%/server/session_down_threads.c %D%/server/session_pings.c %D%/server/session_tcp.c \
	%D%/server/session_threads.c \
	%D%/server/session_run.c %D%/server/session_run.h \
	%D%/server/session_start.c %D%/server/session_result.c %D%/server/session_capture.c \
	%D%/server/session_observe.c \
	%D%/stream/capture_hook.h \
	%D%/server/session_stats.c %D%/server/session_stats.h

# Text tables, CSV, exports.
libpaceout_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS) $(ZLIB_CFLAGS)
libpaceout_a_SOURCES = \
	%D%/out/block.c %D%/out/block.h \
	%D%/out/capacity_text.c %D%/out/capacity_text.h \
	%D%/out/capture_csv.c \
	%D%/out/capture_text.c %D%/out/capture_text.h \
	%D%/out/cells.c %D%/out/cells.h \
	%D%/out/checkup_text.c %D%/out/checkup_text.h \
	%D%/out/clock_text.c %D%/out/clock_text.h \
	%D%/out/conclusions_text.c %D%/out/conclusions_text.h \
	%D%/out/columns.c %D%/out/columns.h \
	%D%/out/csv.c %D%/out/csv.h \
	%D%/out/delays.c \
	%D%/out/gaps.c \
	%D%/out/glyph.c %D%/out/glyph.h \
	%D%/out/hdrlog.c %D%/out/hdrlog.h \
	%D%/out/intervals_csv.c %D%/out/intervals_csv.h \
	%D%/out/intervals_text.c \
	%D%/out/hists.c %D%/out/hists.h \
	%D%/out/hosts.c \
	%D%/out/json.c %D%/out/json.h \
	%D%/out/latency_csv.c %D%/out/latency_csv.h \
	%D%/out/tcp_csv.c %D%/out/tcp_csv.h %D%/out/tcp_text.c %D%/out/tcp_text.h \
	%D%/out/latency_text.c %D%/out/latency_text.h \
	%D%/out/missing.c %D%/out/missing.h \
	%D%/out/policy_text.c %D%/out/policy_text.h \
	%D%/out/send_text.c %D%/out/send_text.h \
	%D%/out/say.c %D%/out/say.h \
	%D%/out/scale.c %D%/out/scale.h \
	%D%/out/stamp_text.c %D%/out/stamp_text.h \
	%D%/out/strip.c %D%/out/strip.h \
	%D%/out/sweep_text.c %D%/out/sweep_text.h \
	%D%/out/table.c %D%/out/table.h \
	%D%/out/streams_text.c %D%/out/streams_text.h \
	%D%/out/text.c %D%/out/text.h \
	%D%/out/time_text.c %D%/out/time_text.h \
	%D%/out/watch_text.c %D%/out/watch_text.h \
	%D%/out/udpmon.c %D%/out/udpmon.h \
	%D%/out/udpmon_hist.c %D%/out/udpmon_hist.h \
	%D%/out/udpmon_records.c %D%/out/udpmon_records.h

# Figures and the page.
libpacereport_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS)
libpacereport_a_SOURCES = \
	%D%/report/axis.c %D%/report/axis.h \
	%D%/report/bins.c %D%/report/bins.h \
	%D%/report/report_data.c %D%/report/report_data.h \
	%D%/report/cmp.c %D%/report/cmp.h \
	%D%/report/fig.c %D%/report/fig.h \
	%D%/report/fig_capture.c \
	%D%/report/fig_clock.c \
	%D%/report/fig_cmp.c \
	%D%/report/fig_frames.c \
	%D%/report/fig_gaps.c \
	%D%/report/fig_host.c \
	%D%/report/fig_losses.c \
	%D%/report/fig_map.c \
	%D%/report/fig_matrix.c \
	%D%/report/fig_scaling.c \
	%D%/report/fig_size.c \
	%D%/report/fig_spectrum.c \
	%D%/report/fig_sweep.c \
	%D%/report/fig_tcp.c \
	%D%/report/fig_time.c \
	%D%/report/fig_rtt.c \
	%D%/report/fig_group.c \
	%D%/report/folder.c %D%/report/folder.h \
	%D%/report/gnuplot.c %D%/report/gnuplot.h \
	%D%/report/group.c %D%/report/group.h \
	%D%/report/grid.c %D%/report/grid.h \
	%D%/report/html.c %D%/report/html.h \
	%D%/report/loss_groups.c %D%/report/loss_groups.h \
	%D%/report/markup.c %D%/report/markup.h \
	%D%/report/mesh.c %D%/report/mesh.h \
	%D%/report/mesh_html.c %D%/report/mesh_html.h \
	%D%/report/mesh_judge.c \
	%D%/report/pick.c %D%/report/pick.h \
	%D%/report/script.c %D%/report/script.h \
	%D%/report/shape.c %D%/report/shape.h \
	%D%/report/figure.c %D%/report/figure.h \
	%D%/report/sweep.c %D%/report/sweep.h \
	%D%/report/trace.c %D%/report/trace.h \
	%D%/report/summary.c %D%/report/summary.h \
	%D%/report/summary_capacity.c \
	%D%/report/summary_conclusions.c \
	%D%/report/summary_hosts.c \
	%D%/report/summary_rtt.c \
	%D%/report/summary_tcp.c \
	%D%/report/sweep_view.c %D%/report/sweep_view.h \
	%D%/report/value.c %D%/report/value.h \
	%D%/report/words.c %D%/report/words.h

# The option table, help and completion.
libpaceopt_a_CPPFLAGS = $(SRC_CPPFLAGS) $(INIH_CFLAGS)
libpaceopt_a_SOURCES = \
	%D%/opt/call.c %D%/opt/call.h \
	%D%/opt/completion.c %D%/opt/completion.h \
	%D%/opt/ini.c %D%/opt/ini.h \
	%D%/opt/operands.c %D%/opt/operands.h \
	%D%/opt/opt.c %D%/opt/opt.h \
	%D%/opt/opt_help.c \
	%D%/opt/opt_typed.c %D%/opt/opt_typed.h \
	%D%/opt/opt_value.c %D%/opt/opt_value.h \
	%D%/opt/regular.c %D%/opt/regular.h \
	%D%/opt/foreign.c %D%/opt/foreign.h \
	%D%/opt/host_port.c %D%/opt/host_port.h \
	%D%/opt/opt_meant.c %D%/opt/opt_meant.h \
	%D%/opt/suggest.c %D%/opt/suggest.h
if WITH_INIH
libpaceopt_a_SOURCES += %D%/opt/ini_inih.c
else
libpaceopt_a_SOURCES += %D%/opt/ini_none.c
endif

# The engine behind every probe command.
libpacerun_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS) -DPACE_PKGDATADIR='"$(pkgdatadir)"'
libpacerun_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacerun_a_SOURCES = \
	%D%/run/admitted.c %D%/run/admitted.h \
	%D%/run/campaign_file.c %D%/run/campaign_file.h \
	%D%/run/campaign_find.c %D%/run/campaign_find.h \
	%D%/run/campaign_folder.c %D%/run/campaign_folder.h \
	%D%/run/campaign_words.c %D%/run/campaign_words.h \
	%D%/run/point_control.c %D%/run/point_control.h \
	%D%/run/feed.c %D%/run/feed.h \
	%D%/run/journal.c %D%/run/journal.h \
	%D%/run/judge.c \
	%D%/run/keyfile.c %D%/run/keyfile.h \
	%D%/run/live_intervals.c %D%/run/live_intervals.h \
	%D%/run/lookup.c %D%/run/lookup.h \
	%D%/run/watch.c %D%/run/watch.h \
	%D%/run/watch_lines.c %D%/run/watch_lines.h \
	%D%/run/watch_own.h \
	%D%/run/watch_plan.c %D%/run/watch_plan.h \
	%D%/run/watch_reload.c \
	%D%/run/outfile.c %D%/run/outfile.h \
	%D%/run/peer.c %D%/run/peer.h \
	%D%/run/plan.c %D%/run/plan.h \
	%D%/run/probe.c %D%/run/probe.h \
	%D%/run/progress.c %D%/run/progress.h \
	%D%/run/recorder.c \
	%D%/run/resume.c %D%/run/resume.h \
	%D%/run/send.c %D%/run/send.h \
	%D%/run/sink.c %D%/run/sink.h \
	%D%/run/stop.c %D%/run/stop.h \
	%D%/run/stream_opts.c %D%/run/stream_opts.h \
	%D%/run/streams.c %D%/run/streams.h \
	%D%/run/streams_own.h \
	%D%/run/streams_point.c \
	%D%/run/run_capture.c %D%/run/run_capture.h \
	%D%/run/tx_capture.c %D%/run/tx_capture.h

# What goes on now, for screen, lines and status socket.
libpacelive_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpacelive_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacelive_a_SOURCES = \
	%D%/live/capture_scan.c %D%/live/capture_scan.h \
	%D%/live/capture_feed.c %D%/live/capture_feed.h \
	%D%/live/capture_sample.c %D%/live/capture_sample.h \
	%D%/live/event.c %D%/live/event.h \
	%D%/live/host_sample.c %D%/live/host_sample.h \
	%D%/live/status_source.c %D%/live/status_source.h \
	%D%/live/live_run.c %D%/live/live_run.h \
	%D%/live/live_run_line.c \
	%D%/live/live_run_stamp.c %D%/live/live_run_streams.c \
	%D%/live/live_run_trips.c \
	%D%/live/live_run_own.h \
	%D%/live/metrics.c %D%/live/metrics.h \
	%D%/live/watch_metrics.c %D%/live/watch_metrics.h \
	%D%/live/snap.c %D%/live/snap.h \
	%D%/live/snap_read.c %D%/live/snap_read.h \
	%D%/live/snap_sweep.c \
	%D%/live/snap_take.c \
	%D%/live/snap_tell.c \
	%D%/live/snap_where.c \
	%D%/live/status.c %D%/live/status.h \
	%D%/live/status_doc.c \
	%D%/live/totals.c %D%/live/totals.h

# The responder as a service.
libpacedaemon_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS) $(MICROHTTPD_CFLAGS)
libpacedaemon_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacedaemon_a_SOURCES = \
	%D%/daemon/confine.c %D%/daemon/confine.h \
	%D%/daemon/oplog.c %D%/daemon/oplog.h \
	%D%/daemon/ops.c %D%/daemon/ops.h \
	%D%/daemon/ops_events.c \
	%D%/daemon/ops_own.h \
	%D%/daemon/ops_thread.c \
	%D%/daemon/policy_file.c %D%/daemon/policy_file.h \
	%D%/daemon/policy_use.c %D%/daemon/policy_use.h \
	%D%/daemon/watch_state.c %D%/daemon/watch_state.h \
	%D%/daemon/watch_status.c %D%/daemon/watch_status.h \
	%D%/daemon/status_server.c %D%/daemon/status_server.h \
	%D%/daemon/reflect.c %D%/daemon/reflect.h \
	%D%/daemon/tcp_accept.c %D%/daemon/tcp_accept.h \
	%D%/daemon/scrape.h \
	%D%/daemon/serve.c %D%/daemon/serve.h
if WITH_MICROHTTPD
libpacedaemon_a_SOURCES += %D%/daemon/scrape.c
else
libpacedaemon_a_SOURCES += %D%/daemon/scrape_none.c
endif

# The screen.
libpaceui_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS) $(CURSES_CFLAGS)
libpaceui_a_CFLAGS = $(AM_CFLAGS) -pthread
libpaceui_a_SOURCES = \
	%D%/ui/campaign_show.c %D%/ui/campaign_show.h \
	%D%/ui/canvas.c %D%/ui/canvas.h \
	%D%/ui/capture_monitor.c %D%/ui/capture_monitor.h \
	%D%/ui/chart.c %D%/ui/chart.h \
	%D%/ui/hotkeys.c %D%/ui/hotkeys.h \
	%D%/ui/line.c %D%/ui/line.h \
	%D%/ui/line_capture.c %D%/ui/line_paths.c \
	%D%/ui/monitor.c %D%/ui/monitor.h \
	%D%/ui/monitor_screen.c \
	%D%/ui/page_capture.c \
	%D%/ui/page_hist.c \
	%D%/ui/page_host.c \
	%D%/ui/page_sweep.c \
	%D%/ui/parts.h \
	%D%/ui/parts_flows.c %D%/ui/parts_paths.c \
	%D%/ui/parts_list.c %D%/ui/parts_stamp.c \
	%D%/ui/parts_table.c \
	%D%/ui/parts_time.c \
	%D%/ui/parts_where.c \
	%D%/ui/screen.h \
	%D%/ui/sweep_grid.c %D%/ui/sweep_grid.h \
	%D%/ui/theme.c %D%/ui/theme.h \
	%D%/ui/view.c %D%/ui/view.h
if WITH_CURSES
libpaceui_a_SOURCES += %D%/ui/screen.c
else
libpaceui_a_SOURCES += %D%/ui/screen_none.c
endif

# What the capture commands do.
libpacecapture_a_CPPFLAGS = $(SRC_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpacecapture_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacecapture_a_SOURCES = \
	%D%/capture/capture_pair.c %D%/capture/capture_pair.h \
	%D%/capture/capture_pair_fill.c \
	%D%/capture/capture_pair_own.h \
	%D%/capture/capture_fill.c %D%/capture/capture_fill.h \
	%D%/capture/capture.c %D%/capture/capture.h \
	%D%/capture/capture_one.c \
	%D%/capture/capture_socket.c \
	%D%/capture/frame_record.c %D%/capture/frame_record.h \
	%D%/capture/socket_source.c %D%/capture/socket_source.h \
	%D%/capture/capture_own.h

# One file a subcommand, and main.
bin_PROGRAMS += udpace
udpace_CPPFLAGS = $(SRC_CPPFLAGS) -DPACE_PKGDATADIR='"$(pkgdatadir)"' $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
udpace_CFLAGS = $(AM_CFLAGS) -pthread
udpace_LDADD = $(ALL_LIBS)
udpace_SOURCES = \
	%D%/cmd/campaign.c \
	%D%/cmd/capacity.c \
	%D%/cmd/capture.c \
	%D%/cmd/clock.c \
	%D%/cmd/cmds.h \
	%D%/cmd/compare.c \
	%D%/cmd/completion.c \
	%D%/cmd/demo.c \
	%D%/cmd/doctor.c \
	%D%/cmd/export.c \
	%D%/cmd/export_result.c %D%/cmd/export_result.h %D%/cmd/latency.h \
	%D%/cmd/key.c \
	%D%/cmd/latency.c %D%/cmd/tcp.c \
	%D%/cmd/monitor.c \
	%D%/cmd/receive.c \
	%D%/cmd/report.c %D%/cmd/report.h \
	%D%/cmd/respond.c \
	%D%/cmd/send.c \
	%D%/cmd/throughput.c \
	%D%/cmd/watch.c \
	%D%/cmd/udpace.c

# The shapes of --json and of the status socket, for programs that read them.
dist_pkgdata_DATA += %D%/doc/udpace-result.schema.json %D%/live/udpace-status.schema.json
