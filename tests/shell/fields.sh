#!/bin/sh
# The schema and the lists of udpace-result(5) are what the tables of fields print.
set -u
fields=$top_builddir/tests/lib/fields
schema=$top_srcdir/src/doc/udpace-result.schema.json
page=$top_srcdir/man/udpace-result.5
failed=0

same()
{
	cmp -s "$1" "$2" && return
	echo "$1 is not what its tables print; to make it anew: $3"
	diff "$1" "$2" | head -n 20
	failed=1
}

"$fields" schema >fields.json || exit 1
same "$schema" fields.json "tests/lib/fields schema"
"$fields" man <"$page" >fields.5 || exit 1
same "$page" fields.5 "tests/lib/fields man <page"
rm -f fields.json fields.5
exit $failed
