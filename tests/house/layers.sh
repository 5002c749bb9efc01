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
    for used in $(cat src/"$module"/*.[ch] | sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' | sort -u); do
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
# The core does no I/O, reads no clock and no environment, and never exits.
if grep -nE '\b(fopen|printf|puts|getenv|exit|time|clock_gettime|malloc)\(' \
        $(ls src/*/*.c | grep -v -e src/cli/ -e src/wasm/ -e src/base/arena.c) | grep -v 'clg_\|snprintf'; then
    echo "the core does I/O"; failed=$((failed + 1))
else passed=$((passed + 1)); fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
