#!/bin/sh
# The error on serving measurements may fall, not grow: mean error per source and measure against
# accuracy_serving.txt. A change that makes one worse must say why and raise its line here.
cd "$(dirname "$0")/../.." || exit 1
ceiling=${BUILD:-build}/ceiling
"$ceiling" validate --serving data/serving-runs/*.csv 2>/dev/null | awk '
    BEGIN { while ((getline line <"tests/validate/accuracy_serving.txt") > 0) {
                split(line, f, " "); most[f[1] " " f[2]] = f[3] } }
    $4 == "of" && $3 > 0 && (($1 " " $2) in most) {
        key = $1 " " $2
        if ($6 <= most[key]) passed++
        else { failed++; printf "%s: %.1f %% mean error, was at most %.1f\n", key, $6, most[key] }
        delete most[key]
    }
    END { for (s in most) { failed++; printf "%s is not scored any more\n", s }
          printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'
