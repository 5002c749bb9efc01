#!/bin/sh
# Every relative link of the documentation points to a file that exists.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
# Prints the targets of [text](target) outside of code: fences and `spans` are dropped.
targets() {
    awk '/^ *```/ { fence = !fence; next }
         fence { next }
         { gsub(/`[^`]*`/, "")
           while (match($0, /\]\([^)]*\)/)) {
               print substr($0, RSTART + 2, RLENGTH - 3)
               $0 = substr($0, RSTART + RLENGTH)
           } }' "$1"
}
for page in README.md CONTRIBUTING.md docs/*.md; do
    [ -f "$page" ] || continue
    for target in $(targets "$page" | sed 's/ .*//'); do
        case $target in
        *://* | mailto:* | \#*) continue ;;
        esac
        if [ -e "$(dirname "$page")/${target%%#*}" ]; then
            passed=$((passed + 1))
        else
            echo "$page: there is no $target"; failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
