# For Grafana, and alert rules for Prometheus: every name in them is one of src/live/metrics.c or
# src/live/watch_metrics.c (tests/net/ops.sh and watch.sh look).
dashboarddir = $(pkgdatadir)/dashboard
dist_dashboard_DATA = %D%/udpace.json %D%/udpace-mesh.json %D%/udpace-alerts.yml
