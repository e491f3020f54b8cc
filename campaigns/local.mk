# Campaigns that come with udpace, man/udpace-campaign.1 tells of them.
campaignsdir = $(pkgdatadir)/campaigns
dist_campaigns_DATA = \
	%D%/ess-detector-ring.ini \
	%D%/ess-size-sweep.ini \
	%D%/lofar-station.ini \
	%D%/lofar-streams.ini \
	%D%/quick-look.ini \
	%D%/spead-correlator.ini \
	%D%/udpmon-jitter.ini \
	%D%/udpmon-latency.ini \
	%D%/udpmon-oneway.ini \
	%D%/udpmon-throughput-1g.ini \
	%D%/udpmon-throughput-10g.ini \
	%D%/udpmon-throughput-100g.ini \
	%D%/udpmon-throughput-100m.ini \
	%D%/vlbi-station.ini
