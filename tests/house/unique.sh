#!/bin/sh
# One thing, one name: no two files of src/ are called alike, but a source and its header; no two headers define one type.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
says() { # what they are called, those that are there twice
    if [ -z "$2" ]; then passed=$((passed + 1)); else printf '%s: %s\n' "$1" "$2"; failed=$((failed + 1)); fi
}
types() { # every name that a typedef or a tag of a struct, union or enum with a body gives
    sed -n -e 's/^typedef \(struct\|union\|enum\) \([a-z_0-9]*\) {.*/\2/p' -e 's/^\(struct\|union\|enum\) \([a-z_0-9]*\) {.*/\2/p' "$@"
}
says "files of one name" "$(ls src/*/*.[ch] | sed 's|.*/||' | sort | uniq -d | tr '\n' ' ')"
says "types of one name" "$(types src/*/*.h include/*.h | sort | uniq -d | tr '\n' ' ')"
scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
printf 'typedef struct a {\n    int x;\n} a;\nstruct a {\n};\n' >"$scratch"
says "unique.sh does not see what is there twice" "$([ "$(types "$scratch" | uniq -d)" = a ] || echo a)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
