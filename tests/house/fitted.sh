#!/bin/sh
# Every fitted value of data/stack names the rows it was fitted on: sources of data/runs, or of the list
# data/accuracy/fitted-on.csv ("*": all of that list).
cd "$(dirname "$0")/../.." || exit 1
known=$(tail -n +2 data/accuracy/fitted-on.csv | cut -d, -f1)
passed=0; failed=0
grep -rn '"kind": "fitted"' data/stack | {
    while IFS= read -r line; do
        where=$(echo "$line" | sed 's/:[0-9]*: *"\([a-z_]*\)".*/ \1/')
        rows=$(echo "$line" | sed -n 's/.*"rows": \[\([^]]*\)\].*/\1/p' | tr -d '",')
        ok=yes
        [ -n "$rows" ] || { echo "$where: fitted on no rows"; ok=no; }
        set -f
        for source in $rows; do
            [ "$source" = '*' ] || echo "$known" | grep -qx -- "$source" ||
                { echo "$where: no rows of $source are listed"; ok=no; }
        done
        set +f
        [ $ok = yes ] && passed=$((passed + 1)) || failed=$((failed + 1))
    done
    echo "$passed passed, $failed failed"
    [ $failed -eq 0 ] && [ $passed -gt 0 ]
}
