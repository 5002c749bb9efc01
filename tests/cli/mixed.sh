#!/bin/sh
# One job on two kinds of GPU.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
ask="mixed llama-3.2-1b --gpus 16 --seq 4096 --global-batch 512"
expect 0 out '^together .* tokens/s' $ask --with a100-sxm-80gb:16
check "fits 100 columns" 'fits <"$scratch/out"'
expect 0 out '"kind": "mixed"' $ask --with a100-sxm-80gb:16 --json
expect 0 out '^gpu,gpus,' $ask --with a100-sxm-80gb:16 --csv
"$ceiling" $ask --with a100-sxm-80gb:16 --svg "$scratch/halves.svg" >/dev/null
check "a bar for each half" '[ "$(grep -c "^<text.*>NVIDIA .*: tp" "$scratch/halves.svg")" = 2 ]'
expect 0 out 'at 1.25 GB/s' $ask --with a100-sxm-80gb:16 --between 10Gbit/s --exchange-bits 16
sed 's/"value": [0-9.]*, "unit": "Gbit\/s"/"value": 1, "unit": "Gbit\/s"/' data/fabric/ethernet-100.json >"$scratch/slow.json"
expect 0 out alone_step $ask --with a100-sxm-80gb:16 --json
grep alone_step "$scratch/out" >"$scratch/fast"
expect 0 out alone_step $ask --with a100-sxm-80gb:16 --json --fabric "$scratch/slow.json"
check "a fabric in a file is that of the first kind alone" \
    '[ "$(grep alone_step "$scratch/out" | diff - "$scratch/fast" | grep -c "^<")" = 1 ]'
expect 2 err 'kind of GPU is missing' $ask
expect 2 err 'has no count' $ask --with a100-sxm-80gb
expect 1 err '^ceiling: --with: ' $ask --with a100-sxm-80:8
expect 1 err '^ceiling: --with: ' $ask --with a100-sxm-80gb:x
expect 1 err 'fp8' $ask --with a100-sxm-80gb:16 --precision fp8
finish
