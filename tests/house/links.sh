#!/bin/sh
# Every relative link of the documentation points to a file that exists, and to a heading of it.
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
# Whether a page has the heading that an #anchor names.
headed() {
    awk '/^ *```/ { fence = !fence }
         !fence && /^#+ / { sub(/^#+ /, ""); line = tolower($0)
             gsub(/[^a-z0-9 _-]/, "", line); gsub(/ /, "-", line); print line }' "$1" | grep -qx -- "$2"
}
for page in README.md CONTRIBUTING.md docs/*.md; do
    [ -f "$page" ] || continue
    for target in $(targets "$page" | sed 's/ .*//'); do
        case $target in
        *://* | mailto:*) continue ;;
        esac
        file=$(dirname "$page")/${target%%#*}
        case $target in
        \#*) file=$page ;;
        esac
        if [ -e "$file" ] && { [ "${target#*#}" = "$target" ] || headed "$file" "${target#*#}"; }; then
            passed=$((passed + 1))
        else
            echo "$page: there is no $target"; failed=$((failed + 1))
        fi
    done
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
