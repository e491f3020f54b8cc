# Templates of figures; src/report/script.h says how they become scripts.
plotsdir = $(pkgdatadir)/plots
dist_plots_DATA = \
	%D%/counters.gp \
	%D%/cpu.gp \
	%D%/map.gp \
	%D%/network.gp \
	%D%/price.gp \
	%D%/prolog.gp \
	%D%/size.gp \
	%D%/spacing.gp \
	%D%/where.gp
dist_plots_DATA += \
	%D%/clock.gp \
	%D%/compare-latency.gp \
	%D%/compare.gp \
	%D%/frames.gp \
	%D%/group.gp \
	%D%/group-arrivals.gp \
	%D%/group-time.gp \
	%D%/hist.gp \
	%D%/latency.gp \
	%D%/losses.gp \
	%D%/matrix.gp \
	%D%/scaling.gp \
	%D%/spectrum.gp \
	%D%/spread.gp \
	%D%/tcp.gp \
	%D%/time.gp

# The links that configure makes in a build directory.
distclean-local:
	-test ! -h plots || rm -f plots
	-test ! -h campaigns || rm -f campaigns
	-test ! -h policy || rm -f policy
