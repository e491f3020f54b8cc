#!/bin/sh
# completion.sh - the scripts of `udpace completion` offer what there is, and each
# shell takes its own.  A shell that is not installed is said and left out.
set -u

top_builddir=$(cd "${top_builddir:-.}" && pwd) || exit 99
udpace=$top_builddir/udpace
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0 left_out=

bad() {
	echo "completion: $*" >&2
	failed=1
}

# The folder of the build holds campaigns and its program is the one to ask.
PATH=$top_builddir:$PATH HOME=$tmp LC_ALL=C
export PATH HOME LC_ALL
for shell in bash zsh fish; do
	"$udpace" completion $shell >"$tmp/$shell" || bad "completion $shell: status $?"
	[ -s "$tmp/$shell" ] || bad "completion $shell prints nothing"
done
"$udpace" completion tcsh >/dev/null 2>"$tmp/err" && bad "tcsh is taken"
grep -q "'tcsh' is not bash, zsh or fish" "$tmp/err" || bad "tcsh: $(cat "$tmp/err")"

commands=$("$udpace" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx help)
mkdir "$tmp/files" "$tmp/files/folder" && touch "$tmp/files/fa b.json" "$tmp/files/fc.json" &&
    cd "$tmp/files" || exit 99

# options CMD: the long ones of its help.
options() {
	"$udpace" "$1" --help | sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' | sort -u
}

# same WHAT EXPECTED FOUND
same() {
	[ "$2" = "$3" ] || bad "$1: expected $(echo "$2" | tr '\n' ' '), found $(echo "$3" |
	    tr '\n' ' ')"
}

# ---- bash: COMPREPLY for words as readline would part them ------------------------

# in_bash WORD...: what is offered for the last one, a line each, sorted.
in_bash() {
	bash --norc -c 'source "$0" && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) &&
	    _udpace_udpace && printf "%s\n" "${COMPREPLY[@]}"' "$tmp/bash" "$@" | sort
}

if command -v bash >/dev/null; then
	bash -n "$tmp/bash" || bad "bash does not like it"
	same "bash, commands" "$(printf '%s\n' $commands help --help --version | sort)" \
	    "$(in_bash udpace '')"
	same "bash, a command" respond "$(in_bash udpace resp)"
	for cmd in $commands; do
		same "bash, options of $cmd" "$(options "$cmd")" "$(in_bash udpace "$cmd" --)"
	done
	same "bash, words" "$(printf '%s\n' burst)" "$(in_bash udpace throughput --catch-up b)"
	same "bash, words behind =" "$(printf 'kernel\nnic')" \
	    "$(in_bash udpace throughput --stamp =)"
	same "bash, words begun behind =" nic "$(in_bash udpace throughput --stamp = n)"
	same "bash, code points of a letter" "$(printf 'af41\naf42\naf43')" \
	    "$(in_bash udpace latency -Q af4)"
	same "bash, files" "$(printf 'fa b.json\nfc.json\nfolder')" \
	    "$(in_bash udpace throughput -o f)"
	same "bash, folders" folder "$(in_bash udpace report --output f)"
	same "bash, operands that are files" "$(printf 'fa b.json\nfc.json\nfolder')" \
	    "$(in_bash udpace report f)"
	same "bash, devices" lo "$(in_bash udpace doctor -i lo)"
	same "bash, users" root "$(in_bash udpace respond --user roo)"
	same "bash, a number" "" "$(in_bash udpace respond --port '')"
	same "bash, after a flag" "$(printf -- '--one-off')" "$(in_bash udpace respond --private --one)"
	same "bash, campaigns" quick-look "$(in_bash udpace campaign quick)"
	same "bash, help" throughput "$(in_bash udpace help thr)"
	same "bash, shells" zsh "$(in_bash udpace completion z)"
	same "bash, what key does" "$(printf 'list\nnew')" "$(in_bash udpace key '')"
	same "bash, a file of keys" fc.json "$(in_bash udpace key list fc)"
	same "bash, the name of a key" "$(options key)" "$(in_bash udpace key new '')"
	same "bash, policies" "$(printf 'default\nfa b.json\nfc.json\nfolder\nlab\nopen')" \
	    "$(in_bash udpace respond --policy '')"
	same "bash, a policy" open "$(in_bash udpace respond --policy o)"
	same "bash, no such command" "" "$(in_bash udpace nothing -)"
	same "bash, complete" "complete -F _udpace_udpace udpace" \
	    "$(bash --norc -c 'source "$0"; complete -p udpace' "$tmp/bash")"
else
	left_out="$left_out bash"
fi

# ---- zsh: what it gives to _arguments ------------------------------------------------

# in_zsh WORD...: the specs, a line each.
in_zsh() {
	zsh -f -c 'compdef() { }; source "$0"
	    _arguments() { print -rl -- "$@" }; _describe() { print -rl -- ${(P)4} }
	    words=("$@") CURRENT=$#; _udpace' "$tmp/zsh" "$@"
}

# in_zsh_shell WORD...: what the action of the second operand does.
in_zsh_shell() {
	zsh -f -c 'compdef() { }; source "$0"; _files() { print yes }
	    _arguments() { local s; for s; [[ $s == 2:* ]] && eval "${${s#*\{}%\}}" }
	    words=("$@") CURRENT=$#; _udpace' "$tmp/zsh" "$@"
}

if command -v zsh >/dev/null; then
	zsh -n "$tmp/zsh" || bad "zsh does not like it"
	for cmd in $commands; do
		same "zsh, options of $cmd" "$(options "$cmd")" "$(in_zsh udpace "$cmd" '' |
		    sed -n 's/^\((.*)\)*\(--[a-z0-9-]*\).*/\2/p' | sort -u)"
		in_zsh udpace '' | grep -q "^$cmd:." || bad "zsh: $cmd is not offered"
	done
	in_zsh udpace throughput '' | sed 's/\[.*\]/[]/' >"$tmp/specs"
	for spec in '(-o --output)--output=[]:FILE:_files' '--stamp=[]:kernel|nic:(kernel nic)' \
	    '*:HOST:_hosts' '(-q --quiet)-q[]' '(-u --port)-u+[]:PORT: '; do
		grep -qxF -e "$spec" "$tmp/specs" || bad "zsh: no $spec"
	done
	in_zsh udpace key '' >"$tmp/specs"
	grep -qxF '1:what:(new list)' "$tmp/specs" || bad "zsh: key: $(cat "$tmp/specs")"
	same "zsh, a file of keys" yes "$(in_zsh_shell udpace key list '')"
	same "zsh, the name of a key" "" "$(in_zsh_shell udpace key new '')"
	in_zsh udpace respond '' | grep -qxF -e '--policy=[who may measure how much; the first'\
' three come with udpace]:default|open|lab|FILE: _udpace_words_or_files default open lab' || bad "zsh: no policies"
	same "zsh, policies" "$(printf '%s\n' -- lab open yes | sort)" "$(zsh -f -c 'compdef() { }
	    source "$0"; compadd() { print -rl -- "$@" }; _files() { print yes }
	    _udpace_words_or_files open lab' "$tmp/zsh" | sort)"
	# Completion itself takes the function, as a file of $fpath.
	mkdir "$tmp/site" && cp "$tmp/zsh" "$tmp/site/_udpace"
	same "zsh, compinit" _udpace "$(zsh -f -c 'fpath=("$0" $fpath); autoload -U compinit
	    compinit -u -D; print ${_comps[udpace]}' "$tmp/site" 2>&1)"
else
	left_out="$left_out zsh"
fi

# ---- fish: what it would offer ---------------------------------------------------------

# in_fish LINE
in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$tmp/fish" "$1" 2>&1 |
	    cut -f 1 | sort
}

if command -v fish >/dev/null; then
	fish -n "$tmp/fish" || bad "fish does not like it"
	same "fish, a command" respond "$(in_fish 'udpace respo')"
	for cmd in $commands; do
		same "fish, options of $cmd" "$(options "$cmd")" "$(in_fish "udpace $cmd --" |
		    sed 's/=$//' | sort -u)"
	done
	same "fish, words" burst "$(in_fish 'udpace throughput --catch-up b')"
	same "fish, words behind =" --stamp=nic "$(in_fish 'udpace throughput --stamp=n')"
	same "fish, folders" folder/ "$(in_fish 'udpace report --output fo')"
	in_fish 'udpace throughput -o f' | grep -qx fc.json || bad "fish: no files for -o"
	in_fish 'udpace report f' | grep -qx fc.json || bad "fish: no files for report"
	in_fish 'udpace respond f' | grep -q fc.json && bad "fish: files for respond"
	same "fish, campaigns" quick-look "$(in_fish 'udpace campaign quick')"
	same "fish, users" root "$(in_fish 'udpace respond --user roo')"
	same "fish, what key does" "$(printf 'list\nnew')" "$(in_fish 'udpace key ')"
	in_fish 'udpace key list f' | grep -qx fc.json || bad "fish: no files for key list"
	same "fish, the name of a key" "" "$(in_fish 'udpace key new f')"
	in_fish 'udpace respond --policy ' >"$tmp/offered"
	for word in default open lab fc.json; do
		grep -qx $word "$tmp/offered" || bad "fish: no $word for --policy"
	done
	same "fish, shells" zsh "$(in_fish 'udpace completion z')"
else
	left_out="$left_out fish"
fi

# ---- what the build made of it -----------------------------------------------------------

for made in bash/udpace zsh/_udpace fish/udpace.fish; do
	[ -e "$top_builddir/packaging/$made" ] || continue
	cmp "$top_builddir/packaging/$made" "$tmp/${made%/*}" || bad "$made is not that of now"
done
[ -z "$left_out" ] || {
	echo "completion: left out, not installed:$left_out"
	[ $failed -ne 0 ] || exit 77
}
exit $failed
