#!/bin/sh
# The schemas and the lists of the manual equal the output of the field tables.
set -u
fields=$top_builddir/tests/lib/fields
failed=0

same()
{
	cmp -s "$1" "$2" && return
	echo "$1 is not what its tables print; to make it anew: $3"
	diff "$1" "$2" | head -n 20
	failed=1
}

for doc in doc/udpace-result live/udpace-status; do
	"$fields" schema "${doc#*-}" >fields.json || exit 1
	same "$top_srcdir/src/$doc.schema.json" fields.json "tests/lib/fields schema ${doc#*-}"
	page=$top_srcdir/man/${doc#*/}.5
	"$fields" man "${doc#*-}" <"$page" >fields.5 || exit 1
	same "$page" fields.5 "tests/lib/fields man ${doc#*-} <page"
done
# A text that names a member by its path names one that exists.
schemas="$top_srcdir/src/doc/udpace-result.schema.json $top_srcdir/src/live/udpace-status.schema.json"
# shellcheck disable=SC2086 # a list of files
jq -r '.. | objects | .properties? | objects | keys[]' $schemas | sort -u >members || exit 1
grep -oh '`[a-z][a-z0-9_]*\.[a-z0-9_.]*`' "$top_srcdir"/src/doc/*.c "$top_srcdir"/src/live/*.c |
    tr -d '`' | tr . '\n' | sort -u >named
grep -qx tx_stack_delay_ns named || { echo "no member is found in the texts"; failed=1; }
comm -13 members named | sed 's/^/no such member: /' | grep . && failed=1

rm -f fields.json fields.5 members named
exit $failed
