#!/bin/sh
# `ceiling expect`: the sheet, and logs held against it: a bad node is found, a good cluster passes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

expect 0 out '^all-reduce +64 +8 268 MB' expect --gpu h100-sxm --gpus 64
expect 0 out '^product .*bf16 8192 x 8192 x 8192' expect --gpu h100-sxm --gpus 64
expect 0 out '700 W a GPU' expect --gpu h100-sxm --gpus 64
expect 0 out '"kind": "expect"' expect --gpu h100-sxm --gpus 64 --json
expect 0 out '^reduce-scatter,8,1,65536,' expect --gpu h100-sxm --gpus 64 --csv
"$ceiling" expect --gpu h100-sxm --gpus 64 >"$scratch/sheet"
check "the sheet fits 100 columns" 'fits <"$scratch/sheet"'
check "one GPU has no collectives" '! "$ceiling" expect --gpu h100-sxm --gpus 1 | grep -q all-reduce'

# log NODE NODE SHARE [WRONG]: all-reduce of two nodes at a share of the time that is rejected
line_us=$("$ceiling" expect --gpu h100-sxm --gpus 16 --csv | awk -F, '$1 == "all-reduce" && $2 == 16 && $4 == 268435456 { print 1e6 * $10 }')
check "the line is a number" '[ "${line_us%.*}" -gt 500 ]'
log() {
    for node in "$1" "$2"; do for device in 0 1 2 3 4 5 6 7; do
        echo "#  Rank  0 Group  0 Pid  41 on     $node device  $device [0x1$device] NVIDIA H100 80GB HBM3"
    done; done
    echo '#  size  count  type  redop  root  time  algbw  busbw #wrong'
    awk -v us="$line_us" -v share="$3" -v wrong="${4:-0}" 'BEGIN {
        printf "268435456 67108864 float sum -1 %.3f 0 0 %s %.3f 0 0 0\n", us * share, wrong, us * share }'
}
log node-1 node-2 0.9 >"$scratch/12_all_reduce.log"; log node-3 node-4 1.5 >"$scratch/34_all_reduce.log"
log node-1 node-4 0.9 >"$scratch/14_all_reduce.log"; log node-1 node-2 0.9 3 >"$scratch/wrong_all_reduce.log"
log node-1 node-2 1.01 >"$scratch/over_all_reduce.log"; log node-1 node-2 0.99 >"$scratch/under_all_reduce.log"
expect 0 out '^0 of 1 readings rejected' expect --gpu h100-sxm "$scratch/under_all_reduce.log"
expect 3 out '^1 of 1 readings rejected' expect --gpu h100-sxm "$scratch/over_all_reduce.log"
expect 3 out 'exclude=node-3,node-4$' expect --gpu h100-sxm "$scratch/12_all_reduce.log" "$scratch/34_all_reduce.log"
expect 3 out 'exclude=node-3$' expect --gpu h100-sxm "$scratch/12_all_reduce.log" "$scratch/34_all_reduce.log" "$scratch/14_all_reduce.log"
expect 3 out '"rejected": 1,' expect --gpu h100-sxm "$scratch/34_all_reduce.log" --json
expect 3 out 'left out 1: .*#wrong' expect --gpu h100-sxm "$scratch/12_all_reduce.log" "$scratch/wrong_all_reduce.log"
expect 0 out 'left out +1: .*#wrong' fit --gpu h100-sxm "$scratch/12_all_reduce.log" "$scratch/wrong_all_reduce.log"
expect 3 out '^0 of 0|left out 1' expect --gpu h100-sxm "$scratch/wrong_all_reduce.log"
expect 1 err 'of another GPU' expect --gpu b200-sxm "$scratch/12_all_reduce.log"

# products of a slow GPU, as the probe prints them
printf '{"what":"gemm","m":8192,"n":8192,"k":8192,"dtype":"bf16","seconds":[%s],"where":{"gpu":"","host":"%s"}}\n' \
    0.00140 quick 0.00300 slow >"$scratch/gemm.jsonl"
expect 3 out 'exclude=slow$' expect --gpu h100-sxm "$scratch/gemm.jsonl"
# a replayed step, and a GPU that was hot though quick
printf '{"what":"step","ranks":8,"nodes":1,"seconds":[%s],"expected_step_s":2.0,"watts":null,"slowed":null}\n' 2.1 2.9 >"$scratch/steps.jsonl"
expect 3 out '^step +8 +1 its operations alone +2.00 s +2.38 s +2.90 s +REJECT$' expect --gpu h100-sxm "$scratch/steps.jsonl"
expect 3 out '^1 of 2 readings' expect --gpu h100-sxm "$scratch/steps.jsonl"
printf '{"what":"gemm","m":8192,"n":8192,"k":8192,"dtype":"bf16","seconds":[0.0014],"watts":%s,"slowed":["%s"],"where":{"host":"%s"}}\n' \
    690 'power cap' cool 655 heat warm >"$scratch/heat.jsonl"
expect 3 out 'REJECT heat$' expect --gpu h100-sxm "$scratch/heat.jsonl"
expect 3 out 'exclude=warm$' expect --gpu h100-sxm "$scratch/heat.jsonl"
expect 3 out '^power +690 W at most in these readings, of 700 W' expect --gpu h100-sxm "$scratch/heat.jsonl"
expect 3 out '"hot": true' expect --gpu h100-sxm "$scratch/heat.jsonl" --json

expect 1 err 'training runs' expect --gpu h100-sxm data/runs/megatron-papers.csv
expect 1 err 'No such file' expect nowhere.log
echo '{"a": 1}' >"$scratch/odd.json"
expect 1 err 'odd.json: no readings in it; an operation' expect "$scratch/odd.json"
expect 1 err 'odd.json: no readings in it and 1 more' expect "$scratch/odd.json" "$scratch/odd.json"
finish
