#!/bin/sh
# Does the README still show what the program prints? Re-runs its first two commands and writes their
# output into its blocks: `tools/docs_refresh.sh`, then look at the diff. Left out, as before: the
# runners-up and the front of the plan, the chart of the curve.
cd "$(dirname "$0")/.." || exit 1
ceiling=${BUILD:-build}/ceiling
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# block COMMAND SKIP-FROM SKIP-TO MARK: the fenced block that begins with "$ ceiling COMMAND".
block() {
    # shellcheck disable=SC2086
    "$ceiling" $1 2>/dev/null | sed -e 's/ *$//' |
        awk -v from="$2" -v to="$3" -v mark="$4" '
            $0 ~ from { skipping = 1; if (mark != "") print mark "\n" }
            $0 ~ to { skipping = 0 }
            !skipping' >"$scratch/out"
    [ -s "$scratch/out" ] || { echo "docs_refresh: ceiling $1 printed nothing"; exit 1; }
    awk -v first="\$ ceiling $1" -v file="$scratch/out" '
        $0 == first { print; while ((getline line < file) > 0) print line; inside = 1; next }
        inside && $0 == "```" { inside = 0 }
        !inside' README.md >"$scratch/new" && cat "$scratch/new" >README.md
}

block 'plan data/model/llama-3.1-405b.json --gpu h100-sxm --gpus 16384 --seq 8192 --global-batch 16Mtok' \
    '^runners-up' 'legal layouts' '[...]'
block 'scale llama-3-70b --gpus 64..16384 --seq 8192 --global-batch 4Mtok' \
    '^ +tok/s bought per added' '^critical batch' ''
