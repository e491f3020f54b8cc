#!/bin/sh
# alerts.sh - the alert rules for Prometheus: promtool accepts them, and they fire when, and only
# when, tests/data/alerts.yml says so.  The dashboards are JSON, each panel with an expression.
set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
failed=0

bad() {
	echo "alerts: $*" >&2
	failed=1
}

if command -v jq >/dev/null; then
	for file in "$top_srcdir"/dashboard/*.json; do
		jq -e '(.uid | length) > 0 and ([.panels[].id] | unique | length) == (.panels | length) and
		    ([.panels[] | select((.targets | length) == 0 or any(.targets[]; (.expr // "") == ""))]
		    == [])' "$file" >/dev/null || bad "$file"
	done
	[ "$(jq -s 'map(.uid) | unique | length' "$top_srcdir"/dashboard/*.json)" = 2 ] ||
	    bad "two dashboards have one uid"
fi
command -v promtool >/dev/null || {
	[ $failed -eq 0 ] || exit 1
	echo "alerts: left out: no promtool"
	exit 77
}
promtool check rules "$top_srcdir/dashboard/udpace-alerts.yml" || bad "not rules of Prometheus"
promtool test rules "$top_srcdir/tests/data/alerts.yml" || bad "they fire otherwise"
exit $failed
