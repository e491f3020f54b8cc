# options.awk - write the generated lines of a command's man page.
#
#     udpace __options latency | awk -f tests/lib/options.awk - page >new page
#
# Input      the command's options, one a line: group, letter, name, argument, range, default,
#            unit of a number that has none; then the page.
# Output     the page.  The .It line of each option and the lines from the mark to the
#            end of the item come from the table; all other lines stay.
# Errors     an option that is missing, unknown, out of --help's order or below another
#            heading is named on standard error; status 1.
# Page       an item ends with the next .It or .El; lists inside of an item are skipped.

BEGIN { FS = "\t"; mark = ".\\\" values" }

function complain(what) {
	print FILENAME ": " what >"/dev/stderr"
	failed = 1
}

# "FILE[:N]" and "one|other|FILE" as mdoc has them.
function argument(arg,    words, n, i, said, macro, last) {
	if (index(arg, "|")) {
		n = split(arg, words, "|")
		for (i = 1; i <= n; i++) {
			macro = words[i] ~ /^[A-Z]/ ? "Ar" : "Cm"
			said = said (i > 1 ? " | " : "") (macro != last ? macro " " : "")
			said = said (macro == "Ar" ? tolower(words[i]) : words[i])
			last = macro
		}
		return " " said
	}
	while (match(arg, /^[A-Za-z0-9]+|^[^A-Za-z0-9]+/)) {
		last = substr(arg, 1, RLENGTH)
		arg = substr(arg, RLENGTH + 1)
		if (said != "")
			said = said (last ~ /^[]:]$/ ? " " : " Ns ")
		said = said (last ~ /^[A-Za-z0-9]/ ? "Ar " tolower(last) : \
		    length(last) > 1 ? "No " last : last)
	}
	return said != "" ? " " said : ""
}

function print_header(i) {
	print ".It " (letter[i] != "" ? "Fl " letter[i] " , " : "") "Fl -" name[i] argument(arg[i])
}

function end_item() {
	if (item && (range[item] != "" || def[item] != "")) {
		print mark
		print ".br"
		if (range[item] != "")
			print "Range: " range[item] "."
		if (def[item] != "")
			print "Default: " def[item] "."
		if (unit[item] != "")
			print "A number without a unit is in " unit[item] "."
	}
	item = dropped = 0
}

function begin_item(option) {
	if (!(option in row)) {
		complain("--" option " is no option")
		return 0
	}
	if (row[option] != ++seen) {
		complain("--" option " stands where --help has --" name[seen])
		seen = row[option]
	}
	if (group[row[option]] != heading)
		complain("--" option " belongs below " group[row[option]])
	return row[option]
}

FNR == NR {
	group[NR] = $1
	letter[NR] = $2
	name[NR] = $3
	arg[NR] = $4
	range[NR] = $5
	def[NR] = $6
	unit[NR] = $7
	row[$3] = options = NR
	next
}

/^\.Ss / { heading = substr($0, 5) }
/^\.El/ && --depth == 0 { end_item() }
/^\.It / && depth == 1 { end_item() }
/^\.Bl/ { depth++ }
/^\.It / && depth == 1 && match($0, /Fl -[a-z0-9-]+/) {
	item = begin_item(substr($0, RSTART + 4, RLENGTH - 4))
	if (item) {
		print_header(item)
		next
	}
}
item && depth == 1 && $0 == mark { dropped = 1 }
!dropped

END {
	if (options == 0 || seen != options)
		complain("the last options are not there")
	exit failed
}
