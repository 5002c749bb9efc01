#!/bin/sh
# Threads of data/accuracy/threads.csv that state their flags, asked again: each end is at least as
# high among the causes as the column `now` says, each verdict the one that it names.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
# Thread, first word of the end, now, flags, log: parted by bars.
awk '{
    n = split("", f); n = 1; quoted = 0
    for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) n++
        else f[n] = f[n] c
    }
    sub(/ .*/, "", f[4])
    if (NR > 1 && f[8] != "") print f[2] "|" f[4] "|" f[7] "|" f[8] "|" f[9]
}' data/accuracy/threads.csv >"$scratch/threads"
check "threads with flags are found" '[ "$(wc -l <"$scratch/threads")" -ge 12 ]'
while IFS='|' read -r thread end now flags log; do
    printf '%s\n' "$log" >"$scratch/thread.log"
    [ -n "$log" ] && flags="$flags --log $scratch/thread.log"
    "$ceiling" diagnose --json $flags >"$scratch/out"
    verdict=$(sed -n 's/^  "verdict": "\(.*\)",/\1/p' "$scratch/out")
    place=$(grep '^      "name": "' "$scratch/out" | grep -n "\"$end\"" | cut -d: -f1)
    case $now in
    [1-9]*) check "$thread: $end at place ${place:-none}, was ${now%%[!0-9]*}" \
        '[ "${place:-99}" -le "${now%%[!0-9]*}" ]' ;;
    *) check "$thread: called $verdict, was $now" '[ "$verdict" = "${now#called }" ]' ;;
    esac
done <"$scratch/threads"
finish
