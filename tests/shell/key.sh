#!/bin/sh
# key.sh - what udpace says of files of keys that are none, and of its operands.

set -u

udpace=$(CDPATH='' cd -- "${top_builddir:-.}" && pwd)/udpace
[ -x "$udpace" ] || { echo "key: no $udpace"; exit 99; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 99
failed=0

bad() {
	echo "key: $*" >&2
	failed=1
}

# says WORDS STATUS ARG...: stderr has the words, and the program ends at once.
says() {
	words=$1 status=$2
	shift 2
	timeout 20 "$udpace" "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$status" ] || bad "$*: status $got, not $status"
	grep -qF -e "$words" err || bad "$*: does not say '$words' but: $(cat err)"
}

# not WORDS: these do not.
not() {
	grep -qF -e "$1" err && bad "it says '$1': $(cat err)"
}

"$udpace" key new alice 2>err || bad "no new key: $(cat err)"
mkdir dir && chmod 755 dir && mkfifo -m 600 fifo || exit 99

for file in dir fifo; do
	case $file in
	dir) what="$file: it is a directory" ;;
	fifo) what="$file: it is a pipe; only a regular file is read" ;;
	esac
	says "udpace: $what" 3 key list $file
	not chmod
	says "udpace: $what" 2 key new bob -o $file
	says "udpace: --keys: $what" 2 respond --port 0 --keys $file
	says "udpace: --keys: $what" 2 respond --check-config --keys $file
	says "udpace: --key: $what" 2 throughput 127.0.0.1 --key $file
	says "udpace: ./$what" 2 respond --check-config --policy ./$file
done
says "udpace: --keys: /dev/null: it is a device or a socket" 2 respond --check-config \
    --keys /dev/null
says "udpace: --keys: no file is named" 2 respond --check-config --keys ''
says "udpace: --key: no file is named" 2 throughput 127.0.0.1 --key ''
# Standard input that the shell redirects from a file is a file.
"$udpace" key list /dev/stdin <alice.key >out 2>err || bad "standard input: $(cat err)"
grep -q '^alice ' out || bad "standard input: $(cat out)"
for mode in 0644 0640 0610 0604 0602; do
	chmod $mode alice.key
	says "others than its owner may use it (mode $mode)" 2 key list alice.key
	grep -qF "chmod 600 alice.key" err || bad "no chmod: $(cat err)"
done
for mode in 0400 0600 0700; do
	chmod $mode alice.key
	"$udpace" key list alice.key >out 2>err || bad "mode $mode: $(cat err)"
done

# ---- operands -------------------------------------------------------------------------

says "key needs new NAME or list FILE" 2 key
says "key needs new NAME or list FILE" 2 key list
says "'old' is neither 'new' nor 'list'" 2 key old alice
says "completion needs bash or zsh or fish" 2 completion
says "throughput needs a HOST" 2 throughput
exit $failed
