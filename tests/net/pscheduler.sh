#!/bin/sh
# pscheduler.sh - the tool plugin for pScheduler, by a runner that does what pScheduler does: both
# participants at once, in two namespaces; results against the schemas and against the documents.
. "${top_srcdir:-${0%/*}/../..}/tests/net/lib.sh"

need_root
pair
plugin=$(CDPATH='' cd -- "$top_srcdir" && pwd)/contrib/pscheduler/udpace
UDPACE_PSCHEDULER_CONF=$tmp/udpace.conf PYTHONDONTWRITEBYTECODE=1
UDPACE_DATADIR=$(CDPATH='' cd -- "$top_srcdir" && pwd)
export UDPACE_PSCHEDULER_CONF PYTHONDONTWRITEBYTECODE UDPACE_DATADIR
printf '[udpace]\nprogram = %s\nport = 14299\n' \
    "$(CDPATH='' cd -- "$(dirname "$udpace")" && pwd)/udpace" >"$UDPACE_PSCHEDULER_CONF"

# does WHAT ARG...
does() {
	"$python" "$top_srcdir/tests/lib/pscheduler.py" "$plugin" \
	    "$top_srcdir/tests/data/pscheduler.json" "$@" >"$tmp/said" 2>&1
	rc=$?
	[ $rc -ne 77 ] || skip "$(cat "$tmp/said")"
	[ $rc -eq 0 ] && good "$1" || bad "$1: $(tail -n 12 "$tmp/said")"
}

does enumerate
does refusals
does mapping
does ranges "$udpace"
does directions
does intervals
start_responder $lab --stamp --stamp-stateful --stamp-port 8620
in_c="ip netns exec $nsc" in_s="ip netns exec $nss"
does measure "$in_c" "$in_s" "$c4" "$s4" $port 8620
does background "$in_c" "$in_s" "$c4" "$s4" $port
does killed "$in_c" "$in_s" "$c4" "$s4" $port
does killed_client "$in_c" "$in_s" "$c4" "$s4" $port
stop responder
finish
