# Who may include whom is checked by tests/shell/layers.sh.
noinst_LIBRARIES += libpacecore.a libpacecap.a libpaceplat.a libpacedoc.a libpacesession.a \
	libpaceout.a libpaceops.a libpaceplot.a libpaceui.a libpacecli.a

# Each library with what it needs, dependents first.
CORE_LIBS = libpacecore.a -lm
CAP_LIBS = libpacecap.a $(CORE_LIBS)
DOC_LIBS = libpacedoc.a $(JANSSON_LIBS) $(CORE_LIBS)
PLOT_LIBS = libpaceplot.a libpaceout.a $(DOC_LIBS)
SESSION_LIBS = libpacesession.a $(SODIUM_LIBS) -lpthread $(DOC_LIBS)
OPS_LIBS = libpaceops.a libpaceplat.a $(SESSION_LIBS)

# Pure ISO C11, held so by the compiler: no extensions, no config.h in reach.
libpacecore_a_CPPFLAGS = -I$(top_srcdir)/src $(HARDEN_CPPFLAGS)
libpacecore_a_CFLAGS = $(AM_CFLAGS) -std=c11 -pedantic
libpacecore_a_SOURCES = \
	%D%/core/addr.c \
	%D%/core/clockfit.c %D%/core/clockfit.h %D%/core/clockline.c %D%/core/far.h \
	%D%/core/marginfit.c %D%/core/marginfit.h \
	%D%/core/clockmap.c %D%/core/clockmap.h \
	%D%/core/coarse.c %D%/core/coarse.h \
	%D%/core/counters.c %D%/core/counters.h \
	%D%/core/cursor.h \
	%D%/core/delay.c %D%/core/delay.h \
	%D%/core/dispersion.c %D%/core/dispersion.h \
	%D%/core/doctor.c %D%/core/doctor.h \
	%D%/core/energy.c %D%/core/energy.h \
	%D%/core/err.c %D%/core/err.h \
	%D%/core/hist.c %D%/core/hist.h \
	%D%/core/host.c %D%/core/host.h \
	%D%/core/io.h \
	%D%/core/ledger.c %D%/core/ledger.h \
	%D%/core/linefit.c %D%/core/linefit.h \
	%D%/core/order.c %D%/core/order.h \
	%D%/core/payload.c %D%/core/payload.h \
	%D%/core/policy.c %D%/core/policy.h \
	%D%/core/rates.c %D%/core/rates.h \
	%D%/core/recent.c %D%/core/recent.h \
	%D%/core/record.c %D%/core/record.h \
	%D%/core/schedule.c %D%/core/schedule.h \
	%D%/core/search.c %D%/core/search.h \
	%D%/core/seq.c %D%/core/seq.h \
	%D%/core/session_state.c %D%/core/session_state.h \
	%D%/core/splitmix.h \
	%D%/core/stall.h \
	%D%/core/stats.c %D%/core/stats.h \
	%D%/core/tally.c %D%/core/tally.h \
	%D%/core/units.c %D%/core/units.h \
	%D%/core/wire.c %D%/core/wire.h \
	%D%/core/witness.c %D%/core/witness.h

# What datagrams of others say: as pure as core.
libpacecap_a_CPPFLAGS = $(libpacecore_a_CPPFLAGS)
libpacecap_a_CFLAGS = $(libpacecore_a_CFLAGS)
libpacecap_a_SOURCES = \
	%D%/cap/align.c %D%/cap/align.h \
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
	%D%/cap/sum.h \
	%D%/cap/unwrap.c %D%/cap/unwrap.h

# And whole captures.
libpacecap_a_SOURCES += \
	%D%/cap/flow.c %D%/cap/flow.h \
	%D%/cap/packet.c %D%/cap/packet.h \
	%D%/cap/stream.c %D%/cap/stream.h

libpacedoc_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libpacedoc_a_SOURCES = \
	%D%/doc/ask.c %D%/doc/ask.h \
	%D%/doc/capacity.c %D%/doc/capacity.h %D%/doc/capacity_doc.c \
	%D%/doc/capture.h \
	%D%/doc/capture_doc.c %D%/doc/capture_doc.h \
	%D%/doc/checkup.c %D%/doc/checkup.h \
	%D%/doc/clock_doc.c %D%/doc/clock_doc.h \
	%D%/doc/counters_doc.c %D%/doc/counters_doc.h \
	%D%/doc/dispersion_doc.c %D%/doc/dispersion_doc.h \
	%D%/doc/document.c \
	%D%/doc/fate.c %D%/doc/fate.h \
	%D%/doc/field.c %D%/doc/field.h \
	%D%/doc/hist_doc.c %D%/doc/hist_doc.h \
	%D%/doc/host_doc.c %D%/doc/host_doc.h \
	%D%/doc/js.c %D%/doc/js.h \
	%D%/doc/latency.c %D%/doc/latency.h \
	%D%/doc/latency_doc.c %D%/doc/latency_doc.h \
	%D%/doc/ledger_doc.c %D%/doc/ledger_doc.h \
	%D%/doc/witness_doc.c %D%/doc/witness_doc.h \
	%D%/doc/point_doc.c %D%/doc/point_doc.h \
	%D%/doc/points_file.c %D%/doc/points_file.h \
	%D%/doc/receipt_doc.c %D%/doc/receipt_doc.h \
	%D%/doc/record_file.c %D%/doc/record_file.h \
	%D%/doc/repeats.c %D%/doc/repeats.h \
	%D%/doc/result.c %D%/doc/result.h \
	%D%/doc/result_doc.c %D%/doc/result_doc.h \
	%D%/doc/result_read.c %D%/doc/result_read.h \
	%D%/doc/spread.c %D%/doc/spread.h \
	%D%/doc/stall.c %D%/doc/stall.h \
	%D%/doc/tally_doc.c %D%/doc/tally_doc.h \
	%D%/doc/utc.c %D%/doc/utc.h

libpacesession_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
libpacesession_a_CFLAGS = $(AM_CFLAGS) -pthread
libpacesession_a_SOURCES = \
	%D%/session/client.c %D%/session/client.h \
	%D%/session/client_clock.c \
	%D%/session/client_fetch.c \
	%D%/session/client_io.c %D%/session/client_io.h \
	%D%/session/client_latency.c \
	%D%/session/client_watch.c \
	%D%/session/door.c %D%/session/door.h \
	%D%/session/echo.c %D%/session/echo.h \
	%D%/session/gate.c %D%/session/gate.h \
	%D%/session/keys.c %D%/session/keys.h \
	%D%/session/lease.c %D%/session/lease.h \
	%D%/session/sketch.c %D%/session/sketch.h \
	%D%/session/throttle.c %D%/session/throttle.h \
	%D%/session/msg.c %D%/session/msg.h \
	%D%/session/pinger.c %D%/session/pinger.h \
	%D%/session/random.c %D%/session/random.h \
	%D%/session/receiver.c %D%/session/receiver.h \
	%D%/session/report.c %D%/session/report.h \
	%D%/session/places.c %D%/session/places.h \
	%D%/session/responder.c %D%/session/responder.h \
	%D%/session/purse.c %D%/session/purse.h \
	%D%/session/byte_sketch.c %D%/session/byte_sketch.h \
	%D%/session/rules.c %D%/session/rules.h \
	%D%/session/seal.c %D%/session/seal.h \
	%D%/session/sender.c %D%/session/sender.h \
	%D%/session/session.c %D%/session/session.h \
	%D%/session/session_run.c %D%/session/session_run.h \
	%D%/session/session_open.c \
	%D%/session/session_report.c %D%/session/session_tap.c %D%/session/tap.h \
	%D%/session/client_tap.c \
	%D%/session/session_watch.c \
	%D%/session/warden.c %D%/session/warden.h \
	%D%/session/report_parts.c %D%/session/report_parts.h \
	%D%/session/sums.c %D%/session/sums.h \
	%D%/session/watch.c %D%/session/watch.h

libpaceplat_a_CPPFLAGS = $(AM_CPPFLAGS) $(SECCOMP_CFLAGS)
libpaceplat_a_SOURCES = \
	%D%/plat/addr.c %D%/plat/addr.h \
	%D%/plat/affinity.c %D%/plat/affinity.h \
	%D%/plat/clock.c %D%/plat/clock.h \
	%D%/plat/counters.c %D%/plat/counters.h \
	%D%/plat/counters_cores.c %D%/plat/counters_cores.h \
	%D%/plat/energy.c %D%/plat/energy.h \
	%D%/plat/ethtool.c %D%/plat/ethtool.h \
	%D%/plat/facts.c %D%/plat/facts.h \
	%D%/plat/files.c %D%/plat/files.h \
	%D%/plat/filter.h %D%/plat/instrumented.h \
	%D%/plat/netlink.c %D%/plat/netlink.h \
	%D%/plat/nic.c %D%/plat/nic.h \
	%D%/plat/notify.c %D%/plat/notify.h \
	%D%/plat/offload.c %D%/plat/offload.h \
	%D%/plat/passed.c %D%/plat/passed.h \
	%D%/plat/private.c %D%/plat/private.h \
	%D%/plat/qdisc.c \
	%D%/plat/root.c %D%/plat/root.h \
	%D%/plat/route.c \
	%D%/plat/sandbox.c %D%/plat/sandbox.h \
	%D%/plat/sock.c %D%/plat/sock.h \
	%D%/plat/sock_io.c %D%/plat/sock_io.h \
	%D%/plat/sock_map.c \
	%D%/plat/sock_nic.c \
	%D%/plat/sock_recv.c \
	%D%/plat/sock_send.c \
	%D%/plat/stall.c %D%/plat/stall.h

if WITH_SECCOMP
libpaceplat_a_SOURCES += %D%/plat/filter.c
else
libpaceplat_a_SOURCES += %D%/plat/filter_none.c
endif

libpaceplat_a_SOURCES += %D%/plat/pcap.h
if WITH_PCAP
libpaceplat_a_SOURCES += %D%/plat/pcap.c
libpaceplat_a_CPPFLAGS += $(PCAP_CFLAGS)
else
libpaceplat_a_SOURCES += %D%/plat/pcap_none.c
endif

OUT_LIBS = libpaceout.a $(ZLIB_LIBS) $(SODIUM_LIBS) $(DOC_LIBS)
libpaceout_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS) $(SODIUM_CFLAGS) $(ZLIB_CFLAGS)
libpaceout_a_SOURCES = \
	%D%/out/block.c %D%/out/block.h \
	%D%/out/capacity_text.c %D%/out/capacity_text.h \
	%D%/out/capture_csv.c \
	%D%/out/capture_text.c %D%/out/capture_text.h \
	%D%/out/cells.c %D%/out/cells.h \
	%D%/out/checkup_text.c %D%/out/checkup_text.h \
	%D%/out/clock_text.c %D%/out/clock_text.h \
	%D%/out/columns.c %D%/out/columns.h \
	%D%/out/csv.c %D%/out/csv.h \
	%D%/out/delays.c \
	%D%/out/dispersion_text.c %D%/out/dispersion_text.h \
	%D%/out/gaps.c \
	%D%/out/glyph.c %D%/out/glyph.h \
	%D%/out/hdrlog.c %D%/out/hdrlog.h \
	%D%/out/hists.c %D%/out/hists.h \
	%D%/out/hosts.c \
	%D%/out/json.c %D%/out/json.h \
	%D%/out/latency_csv.c %D%/out/latency_csv.h \
	%D%/out/latency_text.c %D%/out/latency_text.h \
	%D%/out/missing.c %D%/out/missing.h \
	%D%/out/policy_text.c %D%/out/policy_text.h \
	%D%/out/repeats_text.c %D%/out/repeats_text.h \
	%D%/out/say.c %D%/out/say.h \
	%D%/out/scale.c %D%/out/scale.h \
	%D%/out/strip.c %D%/out/strip.h \
	%D%/out/text.c %D%/out/text.h \
	%D%/out/time_text.c %D%/out/time_text.h \
	%D%/out/udpmon.c %D%/out/udpmon.h \
	%D%/out/udpmon_hist.c %D%/out/udpmon_hist.h \
	%D%/out/udpmon_records.c %D%/out/udpmon_records.h

libpaceplot_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libpaceplot_a_SOURCES = \
	%D%/plot/axis.c %D%/plot/axis.h \
	%D%/plot/bins.c %D%/plot/bins.h \
	%D%/plot/book.c %D%/plot/book.h \
	%D%/plot/fig.c %D%/plot/fig.h \
	%D%/plot/fig_host.c \
	%D%/plot/fig_map.c \
	%D%/plot/fig_size.c \
	%D%/plot/fig_sweep.c \
	%D%/plot/html.c %D%/plot/html.h \
	%D%/plot/load.c %D%/plot/load.h \
	%D%/plot/script.c %D%/plot/script.h \
	%D%/plot/sheet.c %D%/plot/sheet.h \
	%D%/plot/sweep.c %D%/plot/sweep.h \
	%D%/plot/verdict.c %D%/plot/verdict.h %D%/plot/verdict_own.h \
	%D%/plot/verdict_capacity.c %D%/plot/verdict_cells.c \
	%D%/plot/verdict_hosts.c %D%/plot/verdict_trips.c \
	%D%/plot/view.c %D%/plot/view.h \
	%D%/plot/words.c %D%/plot/words.h
# What figures of distributions and of single frames compute and show.
libpaceplot_a_SOURCES += \
	%D%/plot/cmp.c %D%/plot/cmp.h \
	%D%/plot/fig_capture.c \
	%D%/plot/fig_clock.c \
	%D%/plot/fig_cmp.c \
	%D%/plot/fig_frames.c \
	%D%/plot/fig_gaps.c \
	%D%/plot/fig_losses.c \
	%D%/plot/fig_spectrum.c \
	%D%/plot/fig_time.c \
	%D%/plot/fig_trips.c \
	%D%/plot/grid.c %D%/plot/grid.h \
	%D%/plot/logaxis.c %D%/plot/logaxis.h \
	%D%/plot/pick.c %D%/plot/pick.h \
	%D%/plot/shape.c %D%/plot/shape.h \
	%D%/plot/trace.c %D%/plot/trace.h

# What a responder tells those who run it.
libpaceops_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libpaceops_a_SOURCES = \
	%D%/ops/caught.c %D%/ops/caught.h \
	%D%/ops/event.c %D%/ops/event.h \
	%D%/ops/glance.c %D%/ops/glance.h \
	%D%/ops/metrics.c %D%/ops/metrics.h \
	%D%/ops/status.c %D%/ops/status.h \
	%D%/ops/status_json.c \
	%D%/ops/status_read.c \
	%D%/ops/totals.c %D%/ops/totals.h

# What the monitor knows and shows; all but what talks to a terminal.
UI_LIBS = libpaceui.a libpaceout.a $(OPS_LIBS)
libpaceui_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
libpaceui_a_SOURCES = \
	%D%/ui/canvas.c %D%/ui/canvas.h \
	%D%/ui/chart.c %D%/ui/chart.h \
	%D%/ui/hotkeys.c %D%/ui/hotkeys.h \
	%D%/ui/line.c %D%/ui/line.h \
	%D%/ui/page_hist.c \
	%D%/ui/page_host.c \
	%D%/ui/page_sweep.c \
	%D%/ui/parts.h \
	%D%/ui/line_capture.c \
	%D%/ui/page_capture.c \
	%D%/ui/parts_flows.c \
	%D%/ui/parts_list.c \
	%D%/ui/parts_table.c \
	%D%/ui/parts_time.c \
	%D%/ui/parts_where.c \
	%D%/ui/snap.c %D%/ui/snap.h \
	%D%/ui/snap_capture.c \
	%D%/ui/snap_read.c %D%/ui/snap_read.h \
	%D%/ui/snap_sweep.c \
	%D%/ui/snap_take.c \
	%D%/ui/snap_tell.c \
	%D%/ui/snap_where.c \
	%D%/ui/sweep.c %D%/ui/sweep.h \
	%D%/ui/theme.c %D%/ui/theme.h \
	%D%/ui/view.c %D%/ui/view.h

# The part of the command line that tests are linked with too.
libpacecli_a_SOURCES = \
	%D%/cli/opt.c %D%/cli/opt.h \
	%D%/cli/opt_help.c \
	%D%/cli/opt_value.c %D%/cli/opt_value.h \
	%D%/cli/admitted.c %D%/cli/admitted.h \
	%D%/cli/plan.c %D%/cli/plan.h \
	%D%/cli/suggest.c %D%/cli/suggest.h

bin_PROGRAMS += udpace
udpace_CPPFLAGS = $(AM_CPPFLAGS) -DPACE_PKGDATADIR='"$(pkgdatadir)"' \
	$(JANSSON_CFLAGS) $(SODIUM_CFLAGS)
udpace_CFLAGS = $(AM_CFLAGS) -pthread
udpace_LDADD = libpacecli.a libpaceplot.a libpaceui.a libpaceout.a libpaceplat.a $(SECCOMP_LIBS) \
	$(PCAP_LIBS) libpacecap.a $(ZLIB_LIBS) $(OPS_LIBS)
udpace_SOURCES = \
	%D%/cli/between_fill.c %D%/cli/between_own.h \
	%D%/cli/between.c %D%/cli/between.h \
	%D%/cli/call.c %D%/cli/call.h \
	%D%/cli/campaign.c %D%/cli/campaign_file.h \
	%D%/cli/campaign_find.c %D%/cli/campaign_find.h \
	%D%/cli/campaign_folder.c %D%/cli/campaign_folder.h \
	%D%/cli/campaign_show.c %D%/cli/campaign_show.h \
	%D%/cli/campaign_words.c %D%/cli/campaign_words.h \
	%D%/cli/capacity.c \
	%D%/cli/capture.c \
	%D%/cli/capture_fill.c %D%/cli/capture_fill.h \
	%D%/cli/capture_look.c %D%/cli/capture_look.h \
	%D%/cli/capture_one.c %D%/cli/capture_own.h %D%/cli/capture_two.c \
	%D%/cli/capture_monitor.c %D%/cli/capture_monitor.h \
	%D%/cli/capture_watch.c %D%/cli/capture_watch.h \
	%D%/cli/clock.c \
	%D%/cli/cmds.h \
	%D%/cli/compare.c \
	%D%/cli/completion.c %D%/cli/completion.h %D%/cli/completion_cmd.c \
	%D%/cli/confine.c %D%/cli/confine.h \
	%D%/cli/completion_bash.c \
	%D%/cli/completion_fish.c \
	%D%/cli/completion_zsh.c \
	%D%/cli/datadir.c %D%/cli/datadir.h \
	%D%/cli/demo.c \
	%D%/cli/doctor.c \
	%D%/cli/export.c %D%/cli/export.h \
	%D%/cli/export_result.c \
	%D%/cli/follow.c %D%/cli/follow.h \
	%D%/cli/gnuplot.c %D%/cli/gnuplot.h \
	%D%/cli/journal.c %D%/cli/journal.h \
	%D%/cli/judge.c %D%/cli/judge.h \
	%D%/cli/key.c \
	%D%/cli/keyfile.c %D%/cli/keyfile.h \
	%D%/cli/latency.c \
	%D%/cli/live.c %D%/cli/live.h %D%/cli/live_line.c %D%/cli/live_own.h \
	%D%/cli/lines.c %D%/cli/lines.h \
	%D%/cli/monitor_live.c %D%/cli/monitor_live.h \
	%D%/cli/monitor.c %D%/cli/monitor.h \
	%D%/cli/monitor_run.c %D%/cli/monitor_screen.c \
	%D%/cli/operands.c %D%/cli/operands.h \
	%D%/cli/oplog.c %D%/cli/oplog.h \
	%D%/cli/ops.c %D%/cli/ops.h %D%/cli/ops_news.c %D%/cli/ops_own.h \
	%D%/cli/ops_thread.c \
	%D%/cli/outfile.c %D%/cli/outfile.h \
	%D%/cli/peer.c %D%/cli/peer.h \
	%D%/cli/policy_file.h \
	%D%/cli/tap.c %D%/cli/tap.h \
	%D%/cli/policy_use.c %D%/cli/policy_use.h \
	%D%/cli/probe.c %D%/cli/probe.h %D%/cli/probe_own.h \
	%D%/cli/probe_journal.c %D%/cli/probe_point.c \
	%D%/cli/progress.c %D%/cli/progress.h \
	%D%/cli/readers.c %D%/cli/readers.h \
	%D%/cli/recorder.c %D%/cli/recorder.h \
	%D%/cli/wiretap.c %D%/cli/wiretap.h \
	%D%/cli/regular.c %D%/cli/regular.h \
	%D%/cli/report.c %D%/cli/report.h \
	%D%/cli/respond.c \
	%D%/cli/resume.c %D%/cli/resume.h \
	%D%/cli/scrape.h \
	%D%/cli/serve.c %D%/cli/serve.h \
	%D%/cli/sink.c %D%/cli/sink.h \
	%D%/cli/cut.c %D%/cli/cut.h \
	%D%/cli/stop.c %D%/cli/stop.h \
	%D%/cli/throughput.c \
	%D%/cli/udpace.c

if WITH_INIH
udpace_SOURCES += %D%/cli/campaign_file.c %D%/cli/policy_file.c
udpace_CPPFLAGS += $(INIH_CFLAGS)
udpace_LDADD += $(INIH_LIBS)
else
udpace_SOURCES += %D%/cli/campaign_none.c %D%/cli/policy_none.c
endif

# The only file that includes curses.
udpace_SOURCES += %D%/ui/screen.h
if WITH_CURSES
udpace_SOURCES += %D%/ui/screen.c
udpace_CPPFLAGS += $(CURSES_CFLAGS)
udpace_LDADD += $(CURSES_LIBS)
else
udpace_SOURCES += %D%/ui/screen_none.c
endif

if WITH_MICROHTTPD
udpace_SOURCES += %D%/cli/scrape.c
udpace_CPPFLAGS += $(MICROHTTPD_CFLAGS)
udpace_LDADD += $(MICROHTTPD_LIBS)
else
udpace_SOURCES += %D%/cli/scrape_none.c
endif

# The shape of --json, for programs that read it.
dist_pkgdata_DATA += %D%/doc/udpace-result.schema.json
