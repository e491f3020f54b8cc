# For Grafana: every name in it is one of src/live/metrics.c (tests/net/ops.sh looks).
dashboarddir = $(pkgdatadir)/dashboard
dist_dashboard_DATA = %D%/udpace.json
