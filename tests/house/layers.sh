#!/bin/sh
# Data flows one way: a file includes its own module and modules named before it in src/LAYERS.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
order=$(grep -v '^#' src/LAYERS)
rank() { printf '%s\n' $order | grep -n -x "$1" | cut -d: -f1; }
for module in src/*/; do
    module=${module#src/}; module=${module%/}
    mine=$(rank "$module")
    if [ -z "$mine" ]; then
        echo "src/$module is not in src/LAYERS"; failed=$((failed + 1)); continue
    fi
    bad=0
    for used in $(cat src/"$module"/*.[ch] | sed -n 's/^#include "\([a-z_]*\)\/.*/\1/p' | sort -u); do
        theirs=$(rank "$used")
        if [ -z "$theirs" ] || [ "$theirs" -gt "$mine" ]; then
            echo "src/$module includes $used, which is above it"; bad=1
        fi
    done
    if [ $bad -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
for module in $order; do
    [ -d "src/$module" ] || { echo "src/LAYERS names $module, which is not there"; failed=$((failed + 1)); }
done
# The drawing in docs/design.md, read from the bottom up, is src/LAYERS.
drawn=$(sed -n 's/^[a-z ]* | \([a-z_ ]*\)$/\1/p' docs/design.md | tac | tr ' ' '\n')
if [ "$drawn" = "$order" ]; then passed=$((passed + 1))
else echo "the rooms drawn in docs/design.md are not those of src/LAYERS, bottom to top"; failed=$((failed + 1)); fi
# The core does no I/O, reads no clock and no environment, never exits, and takes memory from arenas only.
words='fopen|freopen|fdopen|open|popen|system|printf|fprintf|vprintf|puts|fputs|putchar|fwrite|fread|fgets|getenv'
words="$words|exit|abort|time|clock|clock_gettime|gettimeofday|malloc|calloc|realloc|free"
does() { sed -e 's/"\([^"\\]\|\\.\)*"//g' -e 's|/\*.*||' -e 's|^ \* .*||' "$1" | grep -nE "(^|[^A-Za-z0-9_])($words)\(" | sed "s|^|$1:|"; }
scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
printf 'void clg_x(void) { clg_file_read(fopen("x", "r")); } /* exit( */\nvoid clg_printf(int n);\n' >"$scratch"
if [ "$(does "$scratch" | wc -l)" -eq 1 ]; then passed=$((passed + 1))
else echo "layers.sh does not see I/O behind other names"; failed=$((failed + 1)); fi
found=$(for file in $(ls src/*/*.[ch] | grep -v -e src/cli/ -e src/wasm/ -e src/base/arena.c); do does "$file"; done)
if [ -n "$found" ]; then
    printf '%s\nthe core does I/O\n' "$found"; failed=$((failed + 1))
else passed=$((passed + 1)); fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
