#!/bin/sh
# habits.sh - what the hands of other tools' users type: the words before a command, a host with
# its port, and the exit status of what is not there.
set -u

top_builddir=${top_builddir:-.}
udpace=$(cd "$top_builddir" && pwd)/udpace
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "habits: $*" >&2
	failed=1
}

# says STATUS TEXT WORD...: the status, and the text as a whole line on standard error.
says() {
	want=$1 text=$2
	shift 2
	"$udpace" "$@" >out 2>err </dev/null
	rc=$?
	[ $rc -eq "$want" ] || bad "udpace $*: status $rc, not $want"
	grep -qxF -e "$text" err || bad "udpace $*: no '$text' in: $(cat err)"
	[ ! -s out ] || bad "udpace $*: prints $(head -1 out)"
}

# same WORD... -- WORD...: both print the same, with status 0.
same() {
	one=
	while [ "$1" != -- ]; do
		one="$one $1"
		shift
	done
	shift
	"$udpace" $one >out 2>err || bad "udpace$one: status $?"
	"$udpace" "$@" >other || bad "udpace $*: status $?"
	[ -s out ] && [ ! -s err ] && cmp -s out other || bad "udpace$one is not udpace $*"
}

same version -- --version
same help -- --help
same help --help -- --help
same help -h -- --help
same help help -- --help
same help version -- --help
same version --help -- --help
same help clock -- clock --help
says 2 "udpace: version: 'x' is one operand too many" version x
says 2 "udpace: help: 'x' is one operand too many" help clock x

says 2 "  the server is a command: udpace respond" -s
says 2 "  the server is a command: udpace respond" throughput -s
says 2 "  leave it out: respond is the server" respond -s
says 2 "  the client is a command: udpace throughput HOST" -c h
says 2 "  write the host without an option" throughput -c h
says 2 "udpace: no command 'server'; write 'udpace respond'" server
says 2 "udpace: no command 'ping'; write 'udpace latency'" ping h
says 2 "udpace: no command 'verison'; did you mean 'version'?" verison
says 2 "udpace: no command 'xyz'" xyz
says 2 "  a run has one stream" capacity h -P 4
says 2 "udpace: throughput has no option '--parallel'; write --streams (-P)" \
    throughput h --parallel 4
says 2 "udpace: throughput has no option '-b'; write --rate (-r)" throughput h -b 1G
says 2 "udpace: throughput has no option '-J'; write --json" throughput h -J
says 2 "  frames are always UDP; -u is the port here" throughput h -u -b 1G
says 2 "udpace: latency has no option '-i'; write --interval (-w)" latency h -i 1
says 2 "udpace: latency has no option '-c'; write --count (-l)" latency h -c 3

says 2 "udpace: compare needs both A B" compare one.json

# Nobody is asked for such a name, and nothing is sent.
for cmd in throughput capacity latency clock doctor; do
	says 2 "udpace: h:14233: write the port as an option: h --port 14233" $cmd h:14233
done
says 2 "udpace: [::1]:5: write the port as an option: ::1 --port 5" clock [::1]:5
says 2 "udpace: [::1]: write HOST without brackets: ::1" clock [::1]
says 2 "udpace: h:: write the port as an option: h --port PORT" clock h:

# A dry run has no results.
for option in --json --csv --csv-short; do
	says 2 "udpace: $option and --dry-run exclude each other: a dry run has no results" \
	    throughput 127.0.0.1 --dry-run $option
done
says 2 "udpace: --jsonl and --dry-run exclude each other: a dry run has no results" \
    latency 127.0.0.1 --dry-run --jsonl lines
[ ! -e lines ] || bad "a dry run makes a file"
says 2 "udpace: --csv and --csv-short exclude each other: both write to standard output" \
    throughput 127.0.0.1 --csv --csv-short

# No responder answers: the hint has the port that was given.
says 3 "  start 'udpace respond --port 9' there, or open UDP port 9 in the firewall" \
    clock 127.0.0.1 --port 9 --count 2

# A missing file cannot be read: 3, as the pages say.
mkdir campaigns
: >campaigns/mine.ini
: >campaigns/yours.ini
: >campaigns/README
UDPACE_DATADIR=$tmp
export UDPACE_DATADIR
says 3 "udpace: no campaign 'nope': there is no such file, and $tmp/campaigns has no nope.ini" \
    campaign nope 127.0.0.1
says 3 "  write the path of a file, or one of: mine, yours" campaign nope 127.0.0.1 --dry-run
rm -r campaigns
says 3 "  write the path of a file; no campaign is installed" campaign nope 127.0.0.1
says 3 "udpace: ./nope: No such file or directory" campaign ./nope 127.0.0.1
says 3 "udpace: $tmp: it cannot be read" campaign "$tmp" 127.0.0.1
says 2 "udpace: campaign needs a HOST to measure" campaign quick-look
says 3 "udpace: nope: No such file or directory" key list nope
says 3 "udpace: nope: No such file or directory" report nope
says 3 "udpace: nope: No such file or directory" export nope
says 3 "udpace: --replay: 'nope' cannot be read: No such file or directory" monitor --replay nope
says 3 "udpace: --user: this host has no user 'nope'" respond --port 0 --user nope
says 2 "udpace: --keys: nope: No such file or directory" respond --port 0 --keys nope

# On a terminal a message is wrapped like a table; elsewhere it is one line.
if command -v script >/dev/null; then
	script -qec "'$udpace' throughput h --dry-run --json --size 1:65507" /dev/null </dev/null 2>err |
	    tr -d '\r' >out
	grep -q '^        [0-9a-z]' out || bad "a long message is not wrapped: $(cat out)"
	awk 'length > 79 { exit 1 }' out || bad "a line is too long for a terminal: $(cat out)"
	tr '\n' ' ' <out | tr -s ' ' | grep -qF "$("$udpace" throughput h --dry-run --json \
	    --size 1:65507 2>&1 | head -1)" || bad "a wrapped message lost words: $(cat out)"
fi

[ $failed -eq 0 ]
