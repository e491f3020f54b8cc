#!/bin/sh
# second_try.sh - tests/run: who fails once more and who does not, in words and in number; and
# who may run beside whom.
set -u

top_srcdir=$(cd "${top_srcdir:-${0%/*}/../..}" && pwd) || exit 99
command -v flock >/dev/null || { echo "second_try: no flock"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0
unset UDPACE_AT_IDLE UDPACE_TIMES

bad() {
	echo "second_try: $*" >&2
	failed=1
}

# test_of ROOM/NAME: a test that does what stdin has.
test_of() {
	mkdir -p "$tmp/tests/${1%/*}" && cat >"$tmp/tests/$1" || exit 99
}

# run ROOM/NAME: as make check does; its output in $tmp/said, its status in $rc.
run() {
	top_srcdir=$tmp top_builddir=$tmp beside='tests/net/waits.sh' counted='tests/net/counts.sh' \
	    UDPACE_SECOND_TRY=$tmp/second UDPACE_REQUIRE_NET='' \
	    "$top_srcdir/tests/run" "$tmp/tests/$1" >"$tmp/said" 2>&1 6>&- 7>&- 9>&-
	rc=$?
}

# ---- a second try ------------------------------------------------------------------------

for name in unit/test_a sim/test_b fuzz/fuzz_c shell/d.sh net/e.sh net/f.sh net/g.sh; do
	echo 'echo "once: FAILED: something"; echo x >>"$0.tries"; exit 1' | test_of $name
	run $name
	[ $rc -eq 1 ] || bad "$name: status $rc"
	wc -l <"$tmp/tests/$name.tries" >>"$tmp/tries"
done
[ "$(tr -s '\n ' ' ' <"$tmp/tries")" = "1 1 1 1 2 2 1 " ] ||
    bad "tries of unit, sim, fuzz, shell, net, net, a third one: $(tr '\n' ' ' <"$tmp/tries")"
[ "$(grep '^[^ ]' "$tmp/second")" = "tests/net/e.sh: 1
tests/net/f.sh: 1" ] || bad "those that had one: $(cat "$tmp/second")"
grep -q '^    once: FAILED: something' "$tmp/second" || bad "why is not told: $(cat "$tmp/second")"

# In .ci/run they are two of all steps together, and each step prints its own.
if [ -f "$top_srcdir/.ci/run" ]; then
	sed -n '/^longest() {/,/^}/p; /^step() {/,/^}/p' "$top_srcdir/.ci/run" >"$tmp/step"
	cat >>"$tmp/step" <<-'END'
		step one sh -c 'echo a >>"$UDPACE_SECOND_TRY"'
		step none true
		step two sh -c 'echo b >>"$UDPACE_SECOND_TRY"; cp "$UDPACE_SECOND_TRY" "$work/all"'
	END
	env work="$tmp" UDPACE_SECOND_TRY="$tmp/of_steps" UDPACE_TIMES="$tmp/times" \
	    sh "$tmp/step" >"$tmp/said"
	[ "$(sed 's/ *[0-9] s .*//; s/^ *//' "$tmp/said" | paste -s -d ' ' -)" = \
	    "one second try: a none two second try: b" ] || bad "second tries of steps: $(cat "$tmp/said")"
	[ "$(paste -s -d ' ' "$tmp/all")" = "a b" ] || bad "a step forgets those before: $(cat "$tmp/all")"
fi

# Beside a second try runs what calculates, and nothing else.  A test that comes while it waits
# does not run before it.
test_of net/waits.sh <<-'END'
	flock --nonblock --shared "$top_builddir/net.lock" true && echo beside others || echo alone
	exit 1
END
: >"$tmp/second"
run net/waits.sh
[ "$(grep -E '^(beside others|alone)$' "$tmp/said" | tr '\n' ' ')" = "beside others alone " ] ||
    bad "the second try is not alone: $(cat "$tmp/said")"
flock --shared "$tmp/net.lock" sh -c 'echo held; while [ ! -e "$0" ]; do sleep 0.1; done' \
    "$tmp/enough" >"$tmp/held" &
holder=$!
until [ -s "$tmp/held" ]; do sleep 0.1; done
echo 'echo counted >>"$top_builddir/order"; exit 0' | test_of net/counts.sh
echo 'echo later >>"$top_builddir/order"; exit 0' | test_of shell/later.sh
(run net/counts.sh) &
first=$!
for _ in $(seq 50); do
	flock --nonblock "$tmp/turn.lock" true || break
	sleep 0.1
done
(run shell/later.sh) &
second=$!
sleep 0.5
[ ! -e "$tmp/order" ] || bad "it does not wait: $(cat "$tmp/order")"
: >"$tmp/enough"
wait $holder $first $second
[ "$(tr '\n' ' ' <"$tmp/order")" = "counted later " ] || bad "overtaken: $(cat "$tmp/order")"

# Good, skipped, broken, and what a sanitizer reports are results.
for status in 0 77 99 1; do
	: >"$tmp/second"
	words=fine
	[ $status -eq 1 ] && words='x: AddressSanitizer: y'
	echo "echo x >>\"\$0.tries\"; echo '$words'; exit $status" | test_of net/g$status.sh
	run net/g$status.sh
	[ $rc -eq $status ] && [ "$(wc -l <"$tmp/tests/net/g$status.sh.tries")" -eq 1 ] &&
	    [ ! -s "$tmp/second" ] || bad "status $status: $rc, $(cat "$tmp/second")"
done

# ---- locks -----------------------------------------------------------------------------------

# The locks that others may hold meanwhile.
for name in unit/locks net/waits.sh net/counts.sh net/judges.sh; do
	test_of $name <<-'END'
		for lock in tests net; do
			for how in shared exclusive; do
				flock --nonblock --$how "$top_builddir/$lock.lock" true && echo $lock $how
			done
		done
		exit 0
	END
done

# leaves NAME WORDS
leaves() {
	run "$1"
	[ "$(tr '\n' ' ' <"$tmp/said")" = "$2" ] || bad "$1 leaves others: $(tr '\n' ' ' <"$tmp/said")"
}
leaves unit/locks "tests shared net shared "
leaves net/waits.sh "tests shared net shared "
leaves net/counts.sh "tests shared "
leaves net/judges.sh "net shared "
UDPACE_AT_IDLE=1
export UDPACE_AT_IDLE
leaves unit/locks "tests shared net shared net exclusive "
leaves net/counts.sh "tests shared "

exit $failed
