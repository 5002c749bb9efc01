#!/bin/sh
# The error on serving measurements may fall, not grow: mean error per source and measure against
# accuracy_serving.txt. A change that makes one worse must say why and raise its line here.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
ceiling=${BUILD:-build}/ceiling
page=$(mktemp); trap 'rm -f "$page"' EXIT
# Faults of memory show on a few rows of each kind; all of them take sanitizers ten minutes.
case ${BUILD:-} in
*sanitize*)
    few="data/serving-runs/wide-ep.csv data/serving-runs/pooled.csv data/serving-runs/strangers-6.csv"
    # shellcheck disable=SC2086
    if "$ceiling" validate --serving --markdown $few >"$page" 2>&1; then
        echo "1 passed, 0 failed"
        exit 0
    fi
    cat "$page"
    echo "0 passed, 1 failed"
    exit 1
    ;;
esac
"$ceiling" validate --serving --markdown data/serving-runs/*.csv >"$page" 2>/dev/null
awk -F ' *[|] *' '
    BEGIN { while ((getline line <"tests/validate/accuracy_serving.txt") > 0) {
                split(line, f, ": "); most[f[1]] = f[2] } }
    (key = $2 " " $3) in most {
        if ($6 <= most[key]) passed++
        else { failed++; printf "%s: %.1f %% mean error, was at most %.1f\n", key, $6, most[key] }
        delete most[key]
    }
    END { for (s in most) { failed++; printf "%s is not scored any more\n", s }
          printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }' "$page"
