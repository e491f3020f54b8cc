#!/bin/sh
# The schemas and the lists of the manual are what the tables of fields print.
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
rm -f fields.json fields.5
exit $failed
