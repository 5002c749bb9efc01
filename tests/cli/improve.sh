#!/bin/sh
# `ceiling improve`: a slow job's way up, in all forms, and jobs it cannot better.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
job="llama-2-70b --gpus 128 --tp 8 --pp 8 --cp 1 --sp 1 --seq 4096 --global-batch 1536 --micro-batch 1"

expect 0 out 'recompute none .was full.' improve $job --recompute full
expect 0 out '^1 change: .*P10 [+-][0-9.]+ %, P90 \+[0-9.]+ %; faster with' improve $job --recompute full
expect 0 out '"gain_p10": ' improve $job --recompute full --json
expect 0 out '^1,--recompute none,' improve $job --recompute full --csv
"$ceiling" improve $job --recompute full --svg "$scratch/way.svg" >/dev/null
check "a bar for the job, and for every step" 'grep -q ">the job: tp8" "$scratch/way.svg" && grep -q ">1 change: tp8" "$scratch/way.svg"'
# torchtitan recomputes all layers or none: some of them is no change that it can make.
check 'only what the software can do' '! "$ceiling" improve llama-3-8b --gpus 64 --stack torchtitan-2025 --tp 2 --zero 3 \
    --seq 8192 --global-batch 256 --micro-batch 4 --recompute full --json | grep -q "recompute-layers"'
expect 0 out '"kind": "improve"' improve $job --recompute full --json
expect 0 out '"flag": "recompute"' improve $job --recompute full --json
expect 0 out '^1 change: .*recompute|^1 change' improve $job --recompute full --not tp=1
expect 0 out 'ask again with --precision fp8' improve $job --recompute full
check 'no format that the GPU lacks is named' '! "$ceiling" improve $job --gpu a100-sxm-80gb | grep -q "precision fp8"'
expect 2 err '--gpus is missing' improve llama-3-8b
"$ceiling" improve $job --recompute full >"$scratch/text"
check "fits 100 columns" 'fits <"$scratch/text"'
finish
