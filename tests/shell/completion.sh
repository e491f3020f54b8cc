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

commands=$("$udpace" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | grep -vx -e help -e version)
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

# ---- the program's answers, whatever shell asks ------------------------------------

# answer WORD...: the first line, and the first of the words.
answer() {
	"$udpace" __complete "$@" | sed -n '1p;2s/\t.*//p' | tr '\n' ' '
}

same "the value of the last of several letters" "0 file " "$(answer throughput -qo '')"
same "a value behind = is whole" "0  auto " "$(answer throughput --stamp=nic --catch-up '')"
same "an option behind a value" "--stamp" "$("$udpace" __complete throughput --output=a - |
    cut -f1 | grep -x -e --stamp -e --output)"

# ---- bash: COMPREPLY for words as readline would part them ------------------------

# in_bash WORD...: what is offered for the last one, a line each, sorted.
in_bash() {
	bash --norc -c 'source "$0" && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) &&
	    _udpace_udpace && printf "%s\n" "${COMPREPLY[@]}"' "$tmp/bash" "$@" | sort
}

if command -v bash >/dev/null; then
	bash -n "$tmp/bash" || bad "bash does not like it"
	same "bash, commands" "$(printf '%s\n' $commands help version --help --version | sort)" \
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
	same "bash, after a flag" "$(printf -- '--once')" "$(in_bash udpace respond --no-host-info --onc)"
	same "bash, campaigns" quick-look "$(in_bash udpace campaign quick)"
	same "bash, help" throughput "$(in_bash udpace help thr)"
	same "bash, shells" zsh "$(in_bash udpace completion z)"
	same "bash, what key does" "$(printf 'list\nnew')" "$(in_bash udpace key '')"
	same "bash, a file of keys" fc.json "$(in_bash udpace key list fc)"
	same "bash, the name of a key" "$(options key)" "$(in_bash udpace key new '')"
	same "bash, policies" "$(printf 'default\nfa b.json\nfc.json\nfolder\nlab\nopen')" \
	    "$(in_bash udpace respond --policy '')"
	same "bash, a policy" open "$(in_bash udpace respond --policy o)"
	same "bash, the host of a campaign" "" "$(in_bash udpace campaign quick-look quick)"
	same "bash, words behind a letter" "$(printf -- '-Qaf41\n-Qaf42\n-Qaf43')" \
	    "$(in_bash udpace latency -Qaf4)"
	same "bash, no option twice" "" "$(in_bash udpace respond --no-host-info --priv)"
	# The option is in a row of the table behind the 64th.
	same "bash, after the last of many" "$(options throughput | grep -vx -e --min-rate)" \
	    "$(in_bash udpace throughput --min-rate 1G --)"
	same "bash, no such command" "" "$(in_bash udpace nothing -)"
	same "bash, complete" "complete -F _udpace_udpace udpace" \
	    "$(bash --norc -c 'source "$0"; complete -p udpace' "$tmp/bash")"
else
	left_out="$left_out bash"
fi

# ---- zsh: what it is given, and what a TAB does ---------------------------------------

# in_zsh WORD...: what is offered for the last one, a line each, sorted; FILES, HOSTS
# and USERS for what zsh lists itself.
in_zsh() {
	zsh -f -c 'compdef() { }; source "$0"
	    _files() { [[ $1 == -/ ]] && print FOLDERS || print FILES }
	    _hosts() { print HOSTS }; _users() { print USERS }
	    compset() { PREFIX=${PREFIX[$2+1,-1]} }
	    _describe() { local -a all=("${(@P)4}"); print -rl -- ${${(M)all:#$PREFIX*}%%:*} }
	    words=("$@") CURRENT=$# PREFIX=$words[-1]; _udpace' "$tmp/zsh" "$@" | sort
}

# zsh_types LINE: what a TAB makes of the line in a shell with a terminal.
zsh_types() {
	zsh -f -c 'zmodload zsh/zpty; zpty z zsh -f -i
	    wait_for() { local line; zpty -r z line "*$1*" && print -r -- $line }
	    zpty -w z "PS1= PS2= fpath=($0 \$fpath); unsetopt zle_bracketed_paste
	        autoload -U compinit; compinit -u -D; zle -N show; bindkey ^T show
	        show() { print -r -- \"<\"\$BUFFER\">\" }; print -r rea\"\"dy"
	    wait_for ready >/dev/null
	    zpty -w -n z "$1"$'"'\\t\\x14'"'
	    wait_for "<*>"' "$tmp/site" "$1" | sed -n '$s/.*<\(.*\)>.*/\1/p'
}

if command -v zsh >/dev/null; then
	zsh -n "$tmp/zsh" || bad "zsh does not like it"
	same "zsh, commands" "$(printf '%s\n' $commands help version --help --version | sort)" \
	    "$(in_zsh udpace '')"
	for cmd in $commands; do
		same "zsh, options of $cmd" "$(options "$cmd")" "$(in_zsh udpace "$cmd" --)"
	done
	same "zsh, an option with its letter" "$(printf '%s\n' --output -o)" \
	    "$(in_zsh udpace throughput - | grep -x -e -o -e --output)"
	same "zsh, no option twice" "" "$(in_zsh udpace throughput -o a - | grep -e -o$ -e --output)"
	same "zsh, words" burst "$(in_zsh udpace throughput --catch-up b)"
	same "zsh, words behind =" nic "$(in_zsh udpace throughput --stamp=n)"
	same "zsh, words behind a letter" "$(printf 'af41\naf42\naf43')" \
	    "$(in_zsh udpace latency -Qaf4)"
	same "zsh, files" FILES "$(in_zsh udpace throughput -o '')"
	same "zsh, files behind =" FILES "$(in_zsh udpace throughput --output=f)"
	same "zsh, folders" FOLDERS "$(in_zsh udpace report --output '')"
	same "zsh, a number" "" "$(in_zsh udpace throughput --port '')"
	same "zsh, users" USERS "$(in_zsh udpace respond --user '')"
	same "zsh, devices" lo "$(in_zsh udpace doctor -i lo)"
	same "zsh, hosts" HOSTS "$(in_zsh udpace throughput -q '')"
	same "zsh, campaigns" "$(printf 'FILES\nquick-look')" "$(in_zsh udpace campaign quick)"
	same "zsh, the host of a campaign" HOSTS "$(in_zsh udpace campaign quick-look '')"
	same "zsh, what key does" "$(printf 'list\nnew')" "$(in_zsh udpace key '')"
	same "zsh, a file of keys" FILES "$(in_zsh udpace key list '')"
	same "zsh, the name of a key" "$(options key)" "$(in_zsh udpace key new '')"
	same "zsh, policies" "$(printf 'FILES\nlab')" "$(in_zsh udpace respond --policy l)"
	# Completion itself takes the function, as a file of $fpath.
	mkdir "$tmp/site" && cp "$tmp/zsh" "$tmp/site/_udpace"
	same "zsh, compinit" _udpace "$(zsh -f -c 'fpath=("$0" $fpath); autoload -U compinit
	    compinit -u -D; print ${_comps[udpace]}' "$tmp/site" 2>&1)"
	same "zsh, a TAB" "udpace throughput --catch-up burst " \
	    "$(zsh_types 'udpace throughput --catch-up b')"
	same "zsh, a TAB behind =" "udpace throughput --stamp=nic " \
	    "$(zsh_types 'udpace throughput --stamp=n')"
	same "zsh, a TAB for a file" "udpace report fc.json " "$(zsh_types 'udpace report fc')"
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
	same "fish, files behind =" --output=fc.json "$(in_fish 'udpace throughput --output=fc')"
	same "fish, a number" "" "$(in_fish 'udpace throughput --port ')"
	same "fish, devices" lo "$(in_fish 'udpace doctor -i lo')"
	same "fish, help" throughput "$(in_fish 'udpace help thr')"
	fish --no-config -c 'source $argv[1]; complete -C "udpace throughput --qu"' "$tmp/fish" |
	    grep -q "^--quiet	." || bad "fish: --quiet without what it does"
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
