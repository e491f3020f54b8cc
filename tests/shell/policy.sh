#!/bin/sh
# Policies: those that come with udpace hold what they promise, files with mistakes
# are refused with the line, and --check-config opens no socket.

set -u

udpace=$(CDPATH='' cd -- "${top_builddir:-.}" && pwd)/udpace
ours=$(CDPATH='' cd -- "${top_srcdir:-.}" && pwd)
failures=0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
UDPACE_DATADIR=$ours
export UDPACE_DATADIR

bad() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# This host does not have the address 203.0.113.1: to listen there would fail.
check() {
	"$udpace" respond --bind 203.0.113.1 --check-config "$@" >out 2>err
}

check --policy lab
grep -q 'without the library' err && exit 77

# has RULE TEXT...: lines of the block of this rule.
has() {
	rule=$1
	shift
	sed -n "/^\[$rule\]/,/^\$/p" out >block
	for t in "$@"; do
		grep -qE "^  $t\$" block || {
			bad "[$rule] has no line '$t':"
			cat block
		}
	done
}

# hasnt RULE WORD: no line of its block begins so.
hasnt() {
	sed -n "/^\[$1\]/,/^\$/p" out | grep -q "^  $2 " && bad "[$1] has a line '$2'"
}

[ -s err ] && bad "lab: $(cat err)"
has default 'rate +unlimited' 'length of a run +unlimited' 'reverse traffic +yes' \
    'budget +unlimited' 'NIC stamps +yes'
check --policy open || bad "open: $(cat err)"
has default 'rate +1.00 Gbit/s on the wire' 'length of a run +60.0 s' 'reverse traffic +no' \
    'budget +500 GB a day, on the wire' "network's budget +25 GB a day, each IPv4 /24 and IPv6 /48" \
    'sessions +4 at once of one host' 'served +all other clients' 'records +100 000 frames a run'
has known 'keys +any' 'served +no clients by key: --keys is not set'
hasnt known rate
has default 'NIC stamps +no'
has loopback 'networks +127.0.0.0/8 ::1/128' 'rate +unlimited'
# the built-in policy, and the same as a file
for policy in '' '--policy default'; do
	check $policy || bad "default, '$policy': $(cat err)"
	case $policy in
	'') grep -q '^policy: built in' out ;;
	*) grep -q '^policy: .*/policy/default.ini$' out ;;
	esac || bad "it is not said which policy '$policy' is"
	grep -q 'NIC stamps  *yes' out && bad "default lets devices be reconfigured"
	has default 'rate +100 Mbit/s on the wire' 'length of a run +10.0 s' \
	    'reverse traffic +no' 'frame rate +unlimited' 'host facts +no' \
	    'budget +100 GB a day, on the wire' \
	    "network's budget +10 GB a day, each IPv4 /24 and IPv6 /48" \
	    'sessions +64 at once in all .--max-sessions., 16 from one host'
	has any-key 'keys +any' 'served +no clients by key: --keys is not set'
	has private 'networks +10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16' \
	    ' +fc00::/7 fe80::/10' 'rate +1.00 Gbit/s on the wire' 'length of a run +60.0 s' \
	    'host facts +yes' 'reverse traffic +yes' 'budget +unlimited' \
	    "network's budget +unlimited"
	has loopback 'networks +127.0.0.0/8 ::1/128' 'length of a run +unlimited' 'budget +unlimited'
	sed 1d out >"table$policy"
done
cmp -s table "table--policy default" || bad "the file and the built-in policy differ"
# a file called open is not the policy open, nor the other way round
printf '[default]\nrate = 3G\n' >open
check --policy open && has default 'rate +1.00 Gbit/s on the wire'
check --policy ./open && has default 'rate +3.00 Gbit/s on the wire'
cp open open.ini
check --policy open.ini && has default 'rate +3.00 Gbit/s on the wire'

cat >mine.ini <<'INI'
; what is not said is the default's, wherever that stands
[campus]
key = alice bob
  carol
network = 192.0.2.0/24
  2001:db8::/32 198.51.100.7	203.0.113.0/24
rate = 9.5Gbit/s
records = 0
[nobody]
network = 192.0.2.128/25
allow = no
[default]
duration = 90
frame-rate = 10k
host-facts = no
busy-poll = yes
capture = yes
budget = 10GB
INI
check --policy ./mine.ini --max-sessions 8 || bad "mine.ini: $(cat err)"
has campus 'keys +alice bob carol' \
    'networks +192.0.2.0/24 2001:db8::/32 198.51.100.7/32 203.0.113.0/24' \
    'rate +9.50 Gbit/s on the wire' 'frame rate +10 000 frames/s' 'length of a run +90.0 s' \
    'records +0 frames a run' 'served +no clients by key: --keys is not set' \
    ' +all clients from these networks' \
    'sessions +8 at once in all .--max-sessions., 2 from one host' \
    'budget +10 GB a day, on the wire' \
    'host facts +no' 'reverse traffic +no' 'busy polling +yes' 'capture +yes'
has nobody 'networks +192.0.2.128/25' 'served +no clients .allow = no.'
hasnt nobody rate
has default 'rate +100 Mbit/s on the wire' 'length of a run +90.0 s'
printf '\357\273\277[a]\r\nkey = x\r\nrate = 2G\r\n' >crlf.ini
check --policy ./crlf.ini || bad "a byte order mark: $(cat err)"
has a 'keys +x' 'served +no clients by key: --keys is not set'
grep -q '^\[default\]  all others; the file has no \[default\]: built-in rule' out ||
    bad "it is not said that there is no [default]"
has default 'served +all other clients' 'rate +100 Mbit/s on the wire' 'host facts +no'
# ---- keys: accepted and rejected clients ------------------------------------------

for name in alice bob; do
	"$udpace" key new $name -o keys 2>/dev/null || bad "no key"
done
check --keys keys --policy open || bad "open with keys: $(cat err)"
[ -s err ] && bad "open with keys: $(cat err)"
grep -q '^keys: keys: 2$' out || bad "the keys are not counted"
has known 'served +clients with such a key' 'rate +unlimited'
has loopback 'served +clients without a key .allow = yes.; keys have other rules' \
    'rate +unlimited' 'sessions +48 at once in all .--max-sessions., 16 from one host'
has default 'served +clients without a key .allow = yes.; keys have other rules' \
    'rate +1.00 Gbit/s on the wire' 'sessions +4 at once of one host'
check --keys keys --policy lab || bad "lab with keys: $(cat err)"
has default 'served +all clients, with or without a key .allow = yes.' 'rate +unlimited' \
    'sessions +64 at once in all .--max-sessions., 16 from one host, 48'
check --keys keys || bad "built in, with keys: $(cat err)"
has any-key 'served +clients with such a key' 'rate +unlimited'
for rule in private loopback default; do
	has $rule 'served +no clients .no allow = yes.: every key has another rule'
	hasnt $rule rate
done
cat >keyed.ini <<'INI'
[default]
sessions = 20
[p]
key = alice bbo
[q]
network = 10.0.0.0/8
allow = yes
[r]
key = carol
INI
check --keys keys --policy ./keyed.ini || bad "keyed.ini: $(cat err)"
has p 'served +clients with such a key' 'sessions +20 at once of one key, 16 from one host'
has q 'served +all clients, with or without a key .allow = yes.' \
    'sessions +20 at once of one key or host, 16 from one host'
has r 'served +no clients by key: no known key has this rule'
hasnt r rate
has default 'served +clients with a key; no others .no allow = yes.'
printf '%s\n' "udpace: ./keyed.ini: warning: rule 'p': keys has no key of the name bbo" \
    "udpace: ./keyed.ini: warning: rule 'r': keys has no key of the name carol" >want
cmp -s want err || bad "warnings: $(cat err)"
check --policy ./keyed.ini --max-sessions 7 || bad "keyed.ini without keys: $(cat err)"
has default 'served +all other clients' 'sessions +7 at once in all .--max-sessions.'
grep -qF "rule 'p' is for the key alice, bbo, which no client can use: there is no --keys" err ||
    bad "no warning without --keys: $(cat err)"
: >none && chmod 600 none
check --keys none && bad "a file without keys: status 0"

cat >comments.ini <<'INI'
# comments begin with # or ;
[default]	# here
rate = 20M	; there
	; and so on
[a];x
key = x	# y
  z#w
INI
check --policy ./comments.ini || bad "comments: $(cat err)"
has default 'rate +20.0 Mbit/s on the wire'
has a 'keys +x z'
grep -q '^\[default\]  all others$' out || bad "there is a [default]"
echo '[default]' >bare.ini
check --policy ./bare.ini || bad "a [default] of defaults: $(cat err)"
has default 'rate +100 Mbit/s on the wire'

# refused WORDS TEXT: status 2, the words on stderr, nothing on stdout.
refused() {
	printf '%s\n' "$2" >file.ini
	check --policy ./file.ini
	rc=$?
	[ $rc -eq 2 ] || bad "$1: status $rc"
	[ -s out ] && bad "$1: it prints what would hold: $(cat out)"
	grep -qF -- "$1" err || {
		bad "not '$1' in"
		cat err
	}
}
refused './file.ini:1: the file has no rule' ''
refused './file.ini:1: a value before the first' 'rate = 1G'
refused './file.ini:2: the line is neither [rule] nor name = value' '[default]
rate 1G'
refused './file.ini:2: the line is neither [rule] nor name = value' '[default]
rate : 10M'
refused "./file.ini:1: rule 'a' applies to no client: it needs a key or a network" '[a]
[b]
key = x'
refused "./file.ini:3: rule 'b' applies to no client: it needs a key or a network" '[a]
key = x
[b]'
refused "./file.ini:1: '[]': the name of a rule has letters, digits" '[]
rate = 1G'
refused './file.ini:1: only a comment may follow [default]' '[default] trailing
rate = 1G'
refused "./file.ini:1: a [rule] without its ']'" '[default
rate = 1G'
refused './file.ini:3: a [rule] begins in the first column' '[a]
key = x
  [b]'
refused "./file.ini:3: rule 'b' applies to no client" '[a]
key = x
[b]
rate = 1G
[c]
key = y'
refused "./file.ini:1: rule 'b' applies to no client" '[b]
rate = 1G'
refused "./file.ini:5: there is another rule 'a' above" '[a]
key = x
[b]
key = y
[a]
rate = 1G'
refused "./file.ini:1: '[a b]': the name of a rule has" '[a b]
key = x'
refused './file.ini:2: [default] applies to all other clients: it takes no key' '[default]
key = x'
refused "./file.ini:4: key: 'x' is in a rule already" '[a]
key = x
[b]
key = y x'
refused "network: '10.0.0.0/8' is in a rule already" '[a]
network = 10.0.0.0/8 10.0.0.0/8'
refused "network: '10.0.0.1/8' has bits set after the first 8" '[a]
network = 10.0.0.1/8'
refused "network: '10.0.0.0/33' is neither a network nor an address, such as 10.0.0.0/8," '[a]
network = 10.0.0.0/33'
refused "network: '10.0.0.0/' is neither a network" '[a]
network = 10.0.0.0/'
refused "network: 'example.org' is neither a network" '[a]
network = example.org'
refused "network: '::ffff:10.0.0.1': write it as an IPv4" '[a]
network = ::ffff:10.0.0.1'
refused 'network: the list is empty' '[a]
network ='
refused "./file.ini:2: rate: '1Gs' is not a rate such as 500M, 1Gbit/s, or unlimited" '[default]
rate = 1Gs'
refused "rate: '999k' is too small: write at least 1.00 Mbit/s; to refuse everything: allow = no" '[default]
rate = 999k'
refused "budget: '999kB' is too small: write at least 1 MB; to refuse everything: allow = no" '[default]
budget = 999kB'
refused "budget-per-network: '5%' is not a number of bytes such as" '[default]
budget-per-network = 5%'
refused "duration: '10B'" '[default]
duration = 10B'
refused "rate: this rule has it already" '[default]
rate = 1G
rate = 2G'
refused "rate: a line that begins with a blank continues the one before" '[default]
rate = 1G
  2G'
refused "allow: this rule has it already" '[default]
allow = yes
allow = yes'
refused "reverse: 'perhaps' is not yes, no or a rate such as 500M" '[default]
reverse = perhaps'
refused "./file.ini:2: a rule has no 'rates'; did you mean rate?" '[default]
rates = 1G'
refused "a rule has no 'hostfacts'; did you mean host-facts?" '[default]
hostfacts = no'
refused "./file.ini:2: a rule has no 'xyzzy'; udpace-policy(5) lists what it can have" '[default]
xyzzy = no'
refused "key: 'a/b' is not the name of a key" '[a]
key = x a/b'
refused "key: '-b' is not the name of a key" '[a]
key = -b'
refused "key: 'b*' is not the name of a key" '[a]
key = b*'
refused "more than 127 rules besides [default]" "$(seq 128 | sed 's/.*/[r&]\nkey = k&/')"
refused "capture: 'maybe' is not yes or no" '[default]
capture = maybe'
refused "group: 'yes' is not no, key or private" '[default]
group = yes'
refused "stamp-nic: 'eth0' is not yes or no" '[default]
stamp-nic = eth0'
refused 'doctor: there is no such setting: host-facts = no denies' '[default]
doctor = no'
refused 'too long' "[a]
key = $(printf 'k%.0s ' $(seq 100))"
check --policy nothing-of-ours
[ $? -eq 2 ] || bad "a policy that is not there: status"
grep -q 'default, open or lab' err || bad "a policy that is not there: no hint"
check --policy ./not-there.ini
[ $? -eq 2 ] || bad "a file that is not there: status"
check --policy ''
[ $? -eq 2 ] || bad "no name: status"
"$udpace" respond --port 0 --policy ./file.ini >out 2>err
[ $? -eq 2 ] || bad "a responder with a faulty file: status"
grep -q '^listening' err && bad "a responder with a faulty file listens"

[ "$failures" -eq 0 ]
