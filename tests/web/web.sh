#!/bin/sh
# The page: the same bytes as the command line, and a headless browser that uses it.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
passed=0; failed=0
add() { # the count that a program ended with
    last=$(printf '%s\n' "$1" | tail -n 1)
    passed=$((passed + ${last%% passed*})); last=${last#*passed, }; failed=$((failed + ${last%% failed*}))
    printf '%s\n' "$1" | sed '$d'
}
finish() { echo "$passed passed, $failed failed"; [ $failed -eq 0 ]; exit; }
if ! tools/web_needs.sh >/dev/null 2>&1; then echo "skipped: the page (make web says what is missing)"; finish; fi
if ! out=$(${MAKE:-make} -s BUILD="$build" web "$build/ceiling" 2>&1); then echo "$out"; failed=1; finish; fi
if ! command -v node >/dev/null 2>&1; then echo "skipped: the page (no node)"; finish; fi
out=$(node tests/web/same.mjs "$build/ceiling" "$build/ceiling.wasm" 2>&1) || true
add "$out"
if ! command -v chromium >/dev/null 2>&1; then echo "skipped: the page in a browser (no chromium)"; finish; fi
out=$(timeout 300 node tests/web/axe.mjs "$build/ceiling.html" 2>&1) || true
add "$out"
out=$(timeout 500 node tests/web/browser.mjs "$build/ceiling" "$build/ceiling.html" 2>&1) || true
add "$out"
finish
