#!/bin/sh
# `ceiling measure`: what to measure, within a budget, and scripts that run.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
job="llama-3.1-8b --gpus 64 --seq 4096 --global-batch 512 --tp 2 --pp 1 --zero 1 --micro-batch 1 --recompute full"

expect 0 out '^now .* P10 to P90' measure $job
expect 0 out '^doubt    products [0-9]+ %' measure $job
expect 0 out '25 steps +64 +8 ' measure $job
expect 0 out '25 steps +8 +1 ' measure $job --max-gpus 8
check 'no more GPUs than there are' '! "$ceiling" measure $job --max-gpus 8 --json | grep -q "\"gpus\": 16"'
expect 0 out '"kind": "measure"' measure $job --json
expect 0 out 'Nothing that fits into 10.0 s' measure $job --budget 10s
expect 1 err '30min|unit|seconds' measure $job --budget 20USD
expect 1 err 'budget.*no time to measure' measure $job --budget 0s
expect 0 out 'right +lost' measure llama-3.1-8b --gpus 64 --seq 4096 --global-batch 512 --top 2 --budget 1h
expect 1 err 'no plan fits' measure llama-3-70b --gpus 8 --seq 4096 --tp 1 --pp 1 --zero 0 --global-batch 8
expect 2 err "'measure' needs MODEL" measure
"$ceiling" measure $job >"$scratch/list"
check 'the list fits 100 columns' 'fits <"$scratch/list"'
plan=$("$ceiling" explain $job --json | sed -n 's/.*"step_p90_s": \([0-9.]*\).*/\1/p' | head -1)
now=$("$ceiling" measure $job --json | sed -n 's/.*"step_p90_s": \([0-9.]*\).*/\1/p' | head -1)
check "the interval is explain's ($plan, $now)" '[ -n "$plan" ] && [ "$plan" = "$now" ]'

# nodes that are slow: late as the slowest of them, where there is one
straggler() { "$ceiling" explain $job --json "$@" | sed -n 's/.*"straggler_s": \([0-9.e-]*\).*/\1/p' | head -1; }
check 'one node in 200 a tenth slower makes the job wait' 'awk -v a="$(straggler)" -v b="$(straggler --slow-nodes 0.5%:10%)" "BEGIN { exit !(b > a) }"'
expect 1 err 'no share of slow nodes.*0.5%:10%' explain $job --slow-nodes 10%

# the scripts, with stand-ins for mpirun, the probe and nccl-tests
command -v bash >/dev/null || { echo "skipped: the scripts: bash is not here"; finish; }
expect 0 out '^then .*ceiling fit results/\* steps.csv --gpu h100-sxm -o mine.json' measure $job -o "$scratch/dir" --launch megatron --budget 2h
check 'a trainer has its files' '[ -s "$scratch/dir/step-plan-1-nodes-8/train.sh" ]'
check 'steps are to be filled in' '[ "$(tail -n +2 "$scratch/dir/steps.csv" | grep -c ",,ok$")" -ge 1 ]'
check 'an NVIDIA GPU has NCCL' 'grep -q "nccl-tests" "$scratch/dir/measure.sh" && grep -q "BACKEND:-cuda" "$scratch/dir/measure.sh"'
expect 0 out '^then ' measure $job --gpu mi300x -o "$scratch/amd" --budget 2h
check 'an AMD GPU has RCCL' 'grep -q "rccl-tests" "$scratch/amd/measure.sh" && grep -q "BACKEND:-hip" "$scratch/amd/measure.sh"'
mkdir "$scratch/bin"
cat >"$scratch/bin/mpirun" <<'EOF'
#!/bin/sh
while [ $# -gt 0 ]; do case $1 in -n|--map-by) shift 2;; *) break;; esac; done; exec "$@"
EOF
cat >"$scratch/bin/ceiling-probe" <<'EOF'
#!/bin/sh
echo '{"what":"gemm","m":4096,"n":4096,"k":4096,"dtype":"bf16","seconds":[0.0003],"where":{"gpu":"NVIDIA H100 80GB HBM3"}}'
EOF
chmod +x "$scratch/bin/mpirun" "$scratch/bin/ceiling-probe"
PATH=$scratch/bin:$PATH bash "$scratch/dir/measure.sh" >"$scratch/out" 2>"$scratch/err"
check 'the script runs' '[ $? = 0 ] && grep -q "^results/" "$scratch/out"'
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "step_s") at = i; print; next } { $at = 3.3; print }' "$scratch/dir/steps.csv" >"$scratch/steps.csv"
expect 0 out 'matrix products, bf16 of h100-sxm' fit "$scratch/dir/results"/*.jsonl "$scratch/steps.csv"
expect 0 out 'whole steps of megatron' fit "$scratch/dir/results"/*.jsonl "$scratch/steps.csv"
printf '#!/bin/sh\nexit 7\n' >"$scratch/bin/ceiling-probe"
rm -r "$scratch/dir/results"
PATH=$scratch/bin:$PATH bash "$scratch/dir/measure.sh" >"$scratch/out" 2>"$scratch/err"; status=$?
check 'what fails is named, and nothing of it is left' '[ $status = 1 ] && grep -q "status 7, left out" "$scratch/err" && [ -z "$(ls "$scratch/dir/results")" ]'
finish
