# make bench: how fast, how exact, beside what distributions package.
#   BENCH=micro|stamp|pacing|speed   one part only (the whole takes about thirty minutes)
#   BENCH_ROUNDS=15            rounds of each comparison with the bare loop; others have a third
#   BENCH_ONLY=5,1000          of pacing, these spacings in us alone, with as many rounds as decide
#   BENCH_FLAGS=--install      get the peers with apt first
# The whole of it replaces bench/RESULTS.md.  Needs root for its namespaces.
# The bare loop is the yardstick of a test, too.
check_PROGRAMS += %D%/bare
EXTRA_PROGRAMS = \
	%D%/cost \
	%D%/micro
CLEANFILES += $(EXTRA_PROGRAMS) %D%/results.json

EXTRA_DIST += \
	%D%/RESULTS.md \
	%D%/net.py \
	%D%/run.sh \
	%D%/stamp.py \
	%D%/table.py \
	%D%/tools.py \
	%D%/wire.py

bench: udpace$(EXEEXT) $(EXTRA_PROGRAMS) %D%/bare$(EXEEXT)
	@top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	    PYTHON3='$(PYTHON3)' BENCH='$(BENCH)' BENCH_ROUNDS='$(BENCH_ROUNDS)' \
	    BENCH_ONLY='$(BENCH_ONLY)' \
	    BENCH_BUILD='$(CC) $(CFLAGS)' \
	    $(SHELL) '$(srcdir)/%D%/run.sh' $(BENCH_FLAGS)
.PHONY: bench
