#!/bin/sh
# Runs that the terms were not fitted on, of those that ship: their error may fall, not grow, and
# P10 to P90 should hold 75 to 90 % of them, and holds what is said here. A change that makes them worse says why and raises its line.
# (Widths come from whole sources left out, for the next source: rows of familiar stacks, and models
# whose stack keeps its other rows, lie inside more often.)
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
ceiling=${BUILD:-build}/ceiling
# One source alone sets the host's time of experts in eager Megatron, and is the only one on Blackwell
# Ultra: left out, its 23 runs are 52 % too fast. Without it the errors were 8.7, 8.4 and 8.3 %.
# Fine-tuning stays out: terms of whole training are not fitted on adapters.
runs=$(ls data/runs/*.csv | grep -v finetuning)
passed=0; failed=0
# fold, mean error of all, mean error with each fold once, fewest and most inside
while read -r fold error each fewest most; do
    if "$ceiling" validate --leave-out "$fold" $runs 2>/dev/null | awk -v fold="$fold" \
        -v error="$error" -v each="$each" -v fewest="$fewest" -v most="$most" '
        /^all / { all = $5; inside = $9 }
        /once:/ { once = $(NF - 3) }
        END {
            ok = all > 0 && all <= error && once > 0 && once <= each && inside >= fewest && inside <= most
            if (!ok) printf "%s left out: %s %% (at most %s), each once %s %% (%s), inside %s %% (%s to %s)\n",
                            fold, all, error, once, each, inside, fewest, most
            exit !ok
        }'; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done <<EOF
source 11.6 9.5 75 92
model 11.5 8.5 75 94
generation 11.7 18.1 75 90
EOF
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
