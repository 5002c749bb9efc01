#!/bin/sh
# Every C file is as clang-format leaves it. Without clang-format the check is left to CI.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v clang-format >/dev/null 2>&1; then echo "0 passed, 0 failed"; exit 0; fi
if clang-format --dry-run --Werror $(ls include/*.h src/*/*.[ch] probe/*.[ch] tests/*.h tests/*/*.c tools/*.c tools/bench/*.c) 2>&1 | head -20 | grep .; then
    echo "run: make format"; echo "0 passed, 1 failed"; exit 1
fi
echo "1 passed, 0 failed"
