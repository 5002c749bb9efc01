#!/bin/sh
# Every input that was ever interesting, through every reader.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
for target in "${BUILD:-build}"/fuzz/*; do
    [ -x "$target" ] || continue
    if out=$("$target" tests/fuzz/corpus/"$(basename "$target")"/* 2>&1); then
        p=${out##*
}; p=${p%% passed*}; passed=$((passed + p))
    else
        printf '%s\n' "$out" | tail -20; failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
