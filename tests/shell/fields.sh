#!/bin/sh
# The schemas and the lists of the manual equal the output of the field tables.
set -u
: "${PYTHON3:=python3}"
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

# They are schemas; and a row that breaks the limits of its column is found among rows that do not.
valid()
{
	"$PYTHON3" "$top_srcdir/tests/lib/validate.py" "$@" >said && return
	rc=$?
	[ $rc -ne 77 ] || { cat said; exit 77; }
	return $rc
}
for schema in $schemas; do
	valid "$schema" || { cat said; failed=1; }
done
jq '.["$defs"].hist.properties.bins' "$top_srcdir/src/doc/udpace-result.schema.json" >bins.json || exit 1
echo '[[-5,-4,9],[1,2,1],[2.0,3,4]]' >rows.jsonl
valid bins.json rows.jsonl || { cat said; failed=1; }
for row in '[3,4,0]' '[3,4]' '[3,4,5,6]' '[3,4,true]' '[3.5,4,1]' '["3",4,1]' '[3,4,null]' 3 '[]'; do
	echo "[[1,2,1],$row,[7,8,2]]" >rows.jsonl
	! valid bins.json rows.jsonl && grep -q '^rows.jsonl: line 1/1[/:]' said ||
	    { echo "bins with $row: $(cat said)"; failed=1; }
done

rm -f fields.json fields.5 members named said bins.json rows.jsonl
exit $failed
