#!/bin/sh
# What one can read at once: files of src/ and probe/ have at most 400 lines, functions at most 60, those of tests too;
# lines of docs/ at most 120 letters, but for tables and what programs print.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
for file in src/*/*.[ch] include/*.h probe/*.[ch]; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 400 ]; then
        echo "$file has $lines lines: cut it where its parts meet"; failed=$((failed + 1))
    else passed=$((passed + 1)); fi
done
for page in docs/*.md; do
    wide=$(awk '/^ *```/ { fence = !fence } { print fence || /^\|/ ? "" : $0 }' "$page" | LC_ALL=C.UTF-8 grep -nE '^.{121,}' | cut -d: -f1 | tr '\n' ' ')
    if [ -n "$wide" ]; then
        echo "$page has lines of more than 120 letters: $wide"; failed=$((failed + 1))
    else passed=$((passed + 1)); fi
done
long() { # functions of more than 60 lines: how many, file, name
    ctags --output-format=u-ctags --fields=+ne --c-kinds=f -f - "$@" | awk -F'\t' '!/^!/ {
        for (i = 1; i <= NF; i++) { if ($i ~ /^line:/) from = substr($i, 6); if ($i ~ /^end:/) to = substr($i, 5) }
        if (to - from + 1 > 60) print to - from + 1, $2, $1 }'
}
if ctags --version 2>/dev/null | grep -q Universal; then
    scratch=$(mktemp -d) || exit 1
    trap 'rm -rf "$scratch"' EXIT
    { echo 'int f(void) {'; seq -f 'int a%.0f;' 60; echo '}'; } >"$scratch/f.c"
    if [ -n "$(long "$scratch/f.c")" ]; then passed=$((passed + 1))
    else echo "sizes.sh does not see a long function"; failed=$((failed + 1)); fi
    found=$(long src/*/*.c probe/*.c tests/*/*.c)
    if [ -n "$found" ]; then
        printf '%s\nfunctions of more than 60 lines\n' "$found"; failed=$((failed + 1))
    else passed=$((passed + 1)); fi
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
