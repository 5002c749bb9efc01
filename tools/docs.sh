#!/bin/sh
# tools/docs.sh [FILE...]   runs the `$ ceiling ...` commands shown in the documentation again and puts
# what they print now in place of what is shown. Lines that a page leaves out stay out: a shown line is
# taken from the next printed one that begins with the same words, the same number, or a number and the
# same words. Says what it could not find again. Prose around the blocks is for people to check: read the diff.
#
# What `$ cat FILE` shows is written, and `$ sed ...` or `$ head ...` run, for the commands after it.
# Data that commands name without a folder are looked for in $DOCS_DATA (folders, apart by colons); what names data that
# are not there is left as it is, and told.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/run"
ln -s "$top/data" "$top/tests" "$scratch/run/"
IFS=:; for folder in ${DOCS_DATA:-}; do ln -s "$(cd "$folder" && pwd)"/* "$scratch/run/" 2>/dev/null || true; done; unset IFS
PATH=$top/${BUILD:-build}:$PATH; export PATH

[ $# -gt 0 ] || set -- README.md docs/*.md
for page in "$@"; do
    awk -v page="$page" -v run="$scratch/run" '
    # What a line is known by: its first word and, unless that is a number, its second.
    function key(line, words, n, k) {
        gsub(/[█▏▎▍▌▋▊▉]/, "", line)
        n = split(line, words, " ")
        if (n == 0) return ""
        k = words[1]
        if (k !~ /^[0-9]/ && n > 1 && words[2] !~ /[0-9]/) k = k " " words[2]
        return k
    }
    # Where the number itself has changed: "116 clusters of", "27.8 %  network_bandwidth:".
    function after_number(line, words, n) {
        n = split(line, words, " ")
        return n > 2 && words[1] ~ /^[0-9]/ && words[2] words[3] !~ /[0-9|]/ ? words[2] " " words[3] : ""
    }
    function absent(command, words) {
        if (split(command, words, " ") < 3 || words[2] != "trace") return 0
        return system("test -e " run "/" words[3]) != 0
    }
    function refresh(command, shown, count,    i, at, from, out, n, line, k) {
        n = 0
        if (absent(command)) {
            print page ": its data are not here: " command >"/dev/stderr"
            for (i = 1; i <= count; i++) print shown[i]
            return
        }
        while (("cd " run " && " command " 2>/dev/null") | getline line) { sub(/ +$/, "", line); out[++n] = line }
        close("cd " run " && " command " 2>/dev/null")
        if (n == 0) { print page ": no answer: " command >"/dev/stderr"; from = -1 }
        for (i = 1; i <= count; i++) {
            if (from < 0 || shown[i] ~ /^ *$/ || shown[i] ~ /^\[?\.\.\./) { print shown[i]; continue }
            if (shown[i] ~ /layouts\/s$/) { print shown[i]; continue } # a speed, not an answer
            for (at = from + 1; at <= n && key(out[at]) != key(shown[i]); at++);
            if (at > n && (k = after_number(shown[i])) != "")
                for (at = from + 1; at <= n && after_number(out[at]) != k; at++);
            if (at > n) { print page ": not printed any more: " shown[i] >"/dev/stderr"; print shown[i]; continue }
            print out[at]; from = at
        }
    }
    function write_file(name, shown, count,    i) {
        for (i = 1; i <= count; i++) { print shown[i]; print shown[i] >(run "/" name) }
        close(run "/" name)
    }
    function flush_block() {
        if (command ~ /^cat [^\/ ]+$/) write_file(substr(command, 5), shown, count)
        else if (command ~ /^(sed|head) /) system("cd " run " && " command)
        else if (command != "") refresh(command, shown, count)
        command = ""; count = 0
    }
    /^```/ { flush_block(); print; fenced = !fenced; next }
    fenced && /^\$ / {
        flush_block(); print
        command = substr($0, 3); going = sub(/\\$/, "", command)
        if (command !~ /^(ceiling|cat|sed|head) / || command ~ /…/) command = ""
        next
    }
    fenced && going { print; part = $0; going = sub(/\\$/, "", part); if (command != "") command = command part; next }
    fenced && command != "" { shown[++count] = $0; next }
    { print }' "$page" >"$scratch/page"
    cmp -s "$scratch/page" "$page" || { cp "$scratch/page" "$page"; echo "$page: changed"; }
done
for picture in "$scratch"/run/*.svg; do
    [ ! -f "$picture" ] || [ -L "$picture" ] || cp "$picture" docs/
done
