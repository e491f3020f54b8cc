#!/bin/sh
# What udpace prints and writes of the recorded results, captures and status lines is as it was:
# tables, CSV, pages, figures' data and screens.  Whether that is true, other tests tell.
# Where it shall change:
#     scripts/compare-programs OLD NEW                  shows how, OLD is a build before the change
#     scripts/compare-programs --record --known tests/data/printed.sums NEW

set -u

top_srcdir=${top_srcdir:-${0%/*}/../..}
top_builddir=${top_builddir:-.}
python=${PYTHON3:-$(command -v /usr/bin/python3 || command -v python3)}
[ -n "$python" ] || { echo "python3 is not installed"; exit 77; }
[ -x "$top_builddir/tests/lib/teller" ] || { echo "no teller was built"; exit 77; }
if grep -q __asan_init "$top_builddir/udpace"; then
	echo "not tried with sanitizers: it takes long, and other tests read hostile inputs"
	exit 77
fi
"$python" -B "$top_srcdir/scripts/compare-programs" --known "$top_srcdir/tests/data/printed.sums" \
    "$top_builddir"
