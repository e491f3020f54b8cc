# report_lib.sh - what the tests of udpace report and compare share: sourced, not run.  They
# work in an empty directory of their own.

set -u

test_name=${0##*/} test_name=${test_name%.sh}
top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
udpace=${UDPACE:-${top_builddir:-.}/udpace}
case $udpace in /*) ;; *) udpace=$PWD/$udpace ;; esac
[ -x "$udpace" ] || { echo "$test_name: no $udpace"; exit 99; }
python=$(command -v "${PYTHON3:-python3}") || { echo "$test_name: no python3"; exit 77; }
UDPACE_DATADIR=$top_srcdir PYTHONDONTWRITEBYTECODE=1
export UDPACE_DATADIR PYTHONDONTWRITEBYTECODE
really=$PATH			# where gnuplot always draws
[ -z "${UDPACE_DRAWN-}" ] || PATH=$top_srcdir/tests/lib/drawn:$PATH
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "$test_name: $*" >&2
	failed=1
}

# report STATUS ARG...: its output is in out and err.
report() {
	want=$1
	shift
	"$udpace" report "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$want" ] || bad "report $*: status $got, not $want: $(head -n 3 err)"
}

need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || { echo "$test_name: no $tool"; exit 77; }
	done
}
