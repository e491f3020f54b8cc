#!/bin/sh
# respond.sh - the responder as its operator sees it, on loopback: --check-config rejects what a
# start rejects, SIGHUP never ends it, and each fault is logged with its level.

set -u

udpace=$(CDPATH='' cd -- "${top_builddir:-.}" && pwd)/udpace
ours=$(CDPATH='' cd -- "${top_srcdir:-.}" && pwd)
failures=0
pid=
tmp=$(mktemp -d) || exit 99
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
UDPACE_DATADIR=$ours
export UDPACE_DATADIR

bad() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# ---- refused, with the same words and status, by --check-config -------------------

# refuses STATUS WORDS OPTION...
refuses() {
	want=$1 words=$2
	shift 2
	timeout 5 "$udpace" respond --port 0 "$@" >out 2>start
	rc=$?
	[ $rc -eq "$want" ] || bad "respond $*: status $rc, not $want"
	timeout 5 "$udpace" respond --port 0 "$@" --check-config >out 2>check
	rc=$?
	[ $rc -eq "$want" ] || bad "respond $* --check-config: status $rc, not $want"
	[ -s out ] && bad "respond $* --check-config: printed before it was checked"
	cmp -s start check || bad "respond $*: '$(cat start)', and checked '$(cat check)'"
	grep -q -e "$words" check || bad "respond $*: says '$(cat check)', not '$words'"
}

: >empty && chmod 600 empty
long=$(printf '%0200d' 1)
refuses 3 "--user: this host has no user 'no-such-user'" --user no-such-user
refuses 3 "no user ''" --user ''
if grep -qa MHD_start_daemon "$udpace"; then
	for where in 99999 '' foo: fd09::2:9433; do
		refuses 2 "^udpace: --metrics: '$where': not a port from 1" --metrics "$where"
	done
	refuses 2 "^udpace: --metrics: 'a..b:9433': [A-Z]" --metrics a..b:9433
fi
refuses 2 "--status-socket: '': " --status-socket ''
refuses 3 "folder $tmp/none does not exist$" --status-socket "$tmp/none/s"
refuses 3 "Not a directory" --status-socket empty/s
refuses 3 "is not a socket" --status-socket empty
refuses 3 "the name is longer than" --status-socket "$long"
refuses 2 "--cpu: '1023': .*; this host has 0" --cpu 1023
refuses 2 "the file has no key" --keys empty
refuses 2 "'::1' is an IPv6 address, and --ipv4" --bind ::1 -4
refuses 2 "'127.0.0.1' is an IPv4 address, and --ipv6" --bind 127.0.0.1 -6
refuses 2 "as in fe80::1%" --bind fe80::1
"$udpace" respond --check-config --cpu 0 --metrics 9433 --status-socket ./s >out 2>check ||
    grep -q libmicrohttpd check || bad "refuses what is good: $(cat check)"
[ ! -e s ] || bad "--check-config made a socket"

# ---- SIGHUP ------------------------------------------------------------------------

said() {
	n=0
	until grep -q -e "$1" err; do
		n=$((n + 1))
		[ $n -lt 100 ] && kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.1
	done
}

# begin OPTION...: one that writes to err, as if that was the journal; text begins with <N>.
begin() {
	: >err
	sh -c 'exec 2>err; JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"' sh \
	    "$udpace" respond --bind 127.0.0.1 --port 0 --user "$(id -u)" "$@" &
	pid=$!
	said listening || bad "respond $*: does not listen: $(cat err)"
}

# hup WORDS
hup() {
	kill -HUP "$pid"
	said "$1" || bad "after SIGHUP not '$1' but: $(cat err)"
}

end() {
	kill -TERM "$pid"
	wait "$pid"
	rc=$?
	pid=
	[ $rc -eq 0 ] || bad "status $rc at the end: $(cat err)"
}

begin
hup '^<5>SIGHUP: nothing to read again'
end

"$udpace" key new alice -o keys >/dev/null 2>&1 || bad "no key"
cp keys good
printf '[default]\nrate = 1G\n' >p.ini
begin --keys keys --policy ./p.ini
hup '^<5>keys was read again: 1 key$'
said '^<5>policy read again: \./p\.ini, 1 rule$' || bad "rules: $(cat err)"
echo carol >>keys
hup '^<3>keys was not read again: the keys stay'
grep -q '^<3>--keys: keys: .*line 3: ' err || bad "no level: $(cat err)"
: >keys
hup '^<4>keys was read again: 0 keys: '
echo 'rate = many' >p.ini
hup '^<3>\./p\.ini was not read again'
end

# ---- keys and rules through pipes, and an end in any case ----------------------------

# measures STATUS KEYS: a client that gets its key from a pipe
measures() {
	timeout 20 "$udpace" throughput --key - --size 200 --spacing 100us --count 300 \
	    --port "$(sed -n 's/.*listening.* port //p' err)" --json 127.0.0.1 <"$2" >out 2>said
	rc=$?
	[ $rc -eq "$1" ] || [ "$1 $rc" = "0 1" ] || bad "key of $2 by a pipe: status $rc: $(cat said)"
}
# piped OPTION...: a responder with its keys and its policy from pipes
piped() {
	mkfifo -m 600 keys.pipe rules.pipe
	cat good >keys.pipe & cat p.ini >rules.pipe &
	begin --keys /dev/fd/3 --policy /dev/fd/4 "$@" 3<keys.pipe 4<rules.pipe
	rm -f keys.pipe rules.pipe
}
"$udpace" key new mallory -o other >/dev/null 2>&1 || bad "no key"
mkfifo -m 600 pipe
printf '[default]\nallow = no\n[alice]\nkey = alice\nrate = 1G\n' >p.ini
piped --once --lifetime 60s
cat good >pipe & measures 0 pipe
grep -q '"key": *"alice"' out || bad "piped: $(cat said)"
wait "$pid" || bad "--once: status $?: $(cat err)"
piped
hup '^<5>SIGHUP: nothing to read again: the files are pipes'
cat good >pipe & measures 0 pipe
cat other >pipe & measures 3 pipe
end
[ "$(cat good | timeout 20 "$udpace" respond --check-config --keys - 2>&1 | sed -n 's/^keys: //p')" = "-: 1" ] ||
    bad "--check-config with a pipe"
chmod 644 pipe
cat good >pipe &
timeout 20 "$udpace" throughput --key - 127.0.0.1 <pipe >out 2>said
[ $? -eq 2 ] && grep -q 'chmod 600' said || bad "a pipe of others: $(cat said)"
wait
pid=

# sooner OPTION...: --lifetime ends it, with status 0
sooner() {
	timeout 30 "$udpace" respond --bind 127.0.0.1 --port 0 --user "$(id -u)" --lifetime 1s "$@" \
	    >out 2>err
	rc=$?
	[ $rc -eq 0 ] || bad "--lifetime $*: status $rc: $(cat err)"
}
sooner --log json
grep -q '"event":"stopping","signal":"SIGALRM"' err || bad "--lifetime: not logged: $(cat err)"
sooner --once
for bad_time in 0 999ms -1s 1x 31d; do
	refuses 2 "^udpace: --lifetime: " --lifetime "$bad_time"
done
# nobody closes the pipe
rm -f pipe && mkfifo -m 600 pipe
timeout 30 "$udpace" respond --port 0 --lifetime 1s --keys - <>pipe >out 2>err
[ $? -eq 2 ] || bad "a pipe that stays open: $(cat err)"

printf '[default]\n[guests]\nkey = dora\n' >p.ini
begin --policy ./p.ini
grep -q "^<4>.*rule 'guests' is for the key dora, which no client can use" err ||
    bad "a warning at the start: $(cat err)"
end

printf '[default]\nduration = 1\n' >p.ini
begin --policy ./p.ini
timeout 20 "$udpace" latency --count 5000 --port "$(sed -n 's/.* port //p' err)" 127.0.0.1 \
    >out 2>said
grep -q 'is longer than' said && grep -q '  .*udpace latency --count 1000 --port [0-9]* 127.0.0.1$' said ||
    bad "latency, too long: $(cat said)"
end

# event FILTER: in the log there is such an object.
event() {
	jq -es "any(.[]; $1)" err >/dev/null 2>&1 || bad "no event $1: $(cat err)"
}

# ---- metrics, while others are slow --------------------------------------------------

# From one address and from many, 100 connections that begin a request and go on with a byte
# a second, for as long as they are let, and are made again when they are closed: who asks
# has an answer.
if grep -qa MHD_start_daemon "$udpace"; then
	metrics=$("${PYTHON3:-python3}" -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	begin --metrics "$metrics"
	timeout 120 "${PYTHON3:-python3}" - "$metrics" >slow 2>&1 <<'PY' || bad "slow connections: $(tail -n 3 slow)"
import selectors, socket, sys, threading, time, urllib.request

port, over = int(sys.argv[1]), threading.Event()


def hold(address):
    while not over.is_set():
        try:
            s = socket.create_connection(("127.0.0.1", port), 5, (address, 0))
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ")
            s.settimeout(1)
            while not over.is_set():
                s.sendall(b"y")
                try:
                    if s.recv(100) == b"":
                        break
                except TimeoutError:
                    pass
            s.close()
        except OSError:
            pass
        over.wait(1)


for many in (False, True):
    over.clear()
    slow = [threading.Thread(target=hold, args=(f"127.0.0.{2 + i if many else 1}",))
            for i in range(100)]
    for t in slow:
        t.start()
    time.sleep(1)
    for i in range(5):
        for k in range(10):             # it may be one of those that make room
            try:
                text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read()
                break
            except OSError:
                text = b""
        assert text.endswith(b"# EOF\n"), (many, i, text[-40:])
        time.sleep(0.5)
    over.set()
    for t in slow:
        t.join()
PY
	end
fi

if command -v jq >/dev/null; then
	cp good keys
	printf '[default]\nrate = 1G\n' >p.ini
	begin --keys keys --policy ./p.ini --log json
	hup '1 rule"'
	echo carol >>keys
	printf '[default]\nrate = many\n' >p.ini
	hup 'p.ini was not read'
	: >keys
	hup '0 keys'
	end
	event '.event == "reload" and .level == "notice" and .done and (.text | test("1 key$"))'
	event '.event == "error" and .level == "error" and (.text | test("keys: line 3: "))'
	event '.event == "error" and (.text | test("p.ini.*many"))'
	event '.event == "reload" and .level == "error" and (.done | not)'
	event '.event == "reload" and .level == "warning" and .done and (.text | test("0 keys"))'
fi

# ---- before it listens -----------------------------------------------------------------

sh -c 'exec 2>err; JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2) exec "$@"' sh \
    "$udpace" respond --keys "$tmp/none" --check-config
grep -q "^<3>udpace: --keys: $tmp/none: " err || bad "no level at the start: $(cat err)"
"$udpace" respond --keys "$tmp/none" --check-config 2>err
grep -q "^udpace: --keys" err || bad "a level without a journal: $(cat err)"

if [ "$(id -u)" -ne 0 ]; then
	timeout 5 "$udpace" respond --port 0 --user root --no-sandbox 2>err
	[ "$(cat err)" = "udpace: --user: only root can change to user 'root'" ] ||
	    bad "another user without being root: $(cat err)"
fi

# ---- scripts/check ---------------------------------------------------------------------

if [ -x "$ours/scripts/check" ]; then
	"$ours/scripts/check" --help | grep -q '^usage: scripts/check' || bad "scripts/check --help"
fi

[ $failures -eq 0 ]
