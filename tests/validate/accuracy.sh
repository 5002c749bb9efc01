#!/bin/sh
# The error on published runs may fall, not grow: mean error per source against accuracy.txt.
# A change that makes a source worse must say why and raise its line here.
cd "$(dirname "$0")/../.." || exit 1
ceiling=${BUILD:-build}/ceiling
"$ceiling" validate data/runs/*.csv 2>/dev/null | awk '
    BEGIN { while ((getline line <"tests/validate/accuracy.txt") > 0) { split(line, f, " "); most[f[1]] = f[2] } }
    NR > 3 && $3 > 0 && ($1 in most) {
        if ($4 <= most[$1]) passed++
        else { failed++; printf "%s: %.1f %% mean error, was at most %.1f\n", $1, $4, most[$1] }
        delete most[$1]
    }
    END { for (s in most) { failed++; printf "%s is not scored any more\n", s }
          printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'
