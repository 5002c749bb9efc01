#!/bin/sh
# Scripts of the tests can be run: tests/run calls them by name.
cd "$(dirname "$0")/../.." || exit 1
passed=0; failed=0
for script in tests/*/*.sh; do
    if [ -x "$script" ]; then passed=$((passed + 1))
    else echo "$script cannot be run: chmod +x $script"; failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
