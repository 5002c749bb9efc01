#!/bin/sh
# ceiling fit as people use it: samples, logs and runs in; an overlay that check and plan accept out.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
step_s() { "$ceiling" explain llama-2-7b --gpus 16 --seq 4096 --global-batch 64 --tp 4 --pp 1 --json "$@" |
    sed -n 's/.*"step_s": \([0-9.]*\).*/\1/p'; }

# profiler traces of two ranks: a collective of two sizes and products of three shapes
mkdir "$scratch/job"
for rank in 0 1; do
    awk -v rank=$rank 'BEGIN {
        printf "{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100-SXM4-80GB\"}],\"distributedInfo\":{\"rank\":%d,\"world_size\":2},\"traceEvents\":[", rank
        for (i = 0; i < 12; i++) {
            n = 1048576 * (1 + i % 2 * 15); t = 1000 * i; us = 40 + n * 2 / 180000
            printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum\",\"pid\":0,\"tid\":9,\"ts\":%d,\"dur\":%.1f,\"args\":{\"Collective name\":\"allreduce\",\"In msg nelems\":%d,\"Out msg nelems\":%d,\"Group size\":2,\"dtype\":\"Half\",\"Process Group Name\":\"1\"}},", t, us, n, n
            m = 1024 * (1 + i % 3); us = 2 * m * 4096 * 4096 / 240e6
            printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":9,\"args\":{\"Input Dims\":[[%d,4096],[4096,4096]],\"Input type\":[\"c10::Half\",\"c10::Half\"]}},", t + 600, m
            printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}},", t + 601, i + 1
            printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%.1f,\"args\":{\"correlation\":%d}}%s", t + 700, us, i + 1, i < 11 ? "," : "]}"
        } }' >"$scratch/job/rank$rank.json"
done
expect 0 out 'links inside a node, fast of a100-sxm-80gb: 2 samples' fit "$scratch/job"
expect 0 out 'matrix products, fp16 of a100-sxm-80gb: 3 samples' fit "$scratch/job/rank0.json" "$scratch/job/rank1.json"
gzip -c "$scratch/job/rank0.json" >"$scratch/alone.gz"
expect 0 out 'a collective not recorded by all of its ranks' fit "$scratch/alone.gz" -o "$scratch/alone.json"
expect 0 out 'every value has unit' check "$scratch/alone.json"
expect 0 out '^kernels  .*alone.json' plan llama-2-7b --gpus 8 --gpu a100-sxm-80gb --kernels "$scratch/alone.json"

# an nccl-tests log of eight H100 in one node
{
    echo '# nThread 1 nGpus 8 minBytes 8 maxBytes 8589934592 step: 2(factor)'
    for rank in 0 1 2 3 4 5 6 7; do
        echo "#  Rank  $rank Group  0 Pid  41 on     node-1 device  $rank [0x1$rank] NVIDIA H100 80GB HBM3"
    done
    echo '#       size         count      type   redop    root     time   algbw   busbw #wrong'
    awk 'BEGIN { for (size = 8; size <= 8589934592; size *= 4) {
        us = 22 + 2 * 7 / 8 * size / 150e9 * 1e6
        printf "%12.0f %10.0f float sum -1 %.2f 0 0 0 %.2f 0 0 0\n", size, size / 4, us, us } }'
} >"$scratch/all_reduce.log"
expect 0 out 'links inside a node, fast of h100-sxm: 16 samples' fit "$scratch/all_reduce.log" -o "$scratch/links.json"
expect 0 out 'use it with --network' fit "$scratch/all_reduce.log" --out "$scratch/links.json"
expect 0 out '"kind": "fit"' fit "$scratch/all_reduce.log" --json
expect 0 out 'Nothing was written' fit "$scratch/all_reduce.log"
expect 0 out 'every value has unit' check "$scratch/links.json"
expect 0 out '^network  .*links.json' plan llama-2-7b --gpus 8 --network "$scratch/links.json"
check 'slower links make a slower step' '[ "$(echo "$(step_s --network "$scratch/links.json") > $(step_s)" | tr -d e | awk "{print (\$1 > \$3)}")" = 1 ]'

expect 1 err "links of 'h100-sxm', not b200-sxm" plan llama-2-7b --gpus 8 --gpu b200-sxm --network "$scratch/links.json"

# what a range does not determine stays: small messages say nothing of the rate, large ones of the base
small_or_large() { awk -v from="$1" -v to="$2" 'BEGIN {
    print "collective,gpu,gpus,nodes,size_bytes,time_us_out"
    for (size = from; size <= to; size *= 2) printf "all_gather,h100-sxm,8,1,%.0f,%.3f\n", size, 30 + size / 300e3 }'; }
small_or_large 8 262144 >"$scratch/small.csv"; small_or_large 1073741824 17179869184 >"$scratch/large.csv"
expect 0 out 'efficiency .*held  too little of any sample' fit "$scratch/small.csv"
expect 0 out 'base .*held  (too little of any sample|no sample depends)' fit "$scratch/large.csv"
# four nodes of which time grows by half with every doubling: a finding
awk 'BEGIN { print "collective,gpu,gpus,nodes,size_bytes,time_us_out"
    for (nodes = 2; nodes <= 16; nodes *= 2) for (size = 1048576; size <= 4294967296; size *= 4)
        printf "all_gather,h100-sxm,%d,%d,%.0f,%.3f\n", 8 * nodes, nodes, size, (60 * nodes + size / 300e3) * (1 + (nodes > 2) * log(nodes / 2) / log(2) * 0.5) }' >"$scratch/growing.csv"
expect 0 out 'note: a finding: time grows' fit "$scratch/growing.csv"

# samples of products, as a probe prints them: half the rate of ours
awk 'BEGIN { for (m = 512; m <= 8192; m *= 2) for (n = 512; n <= 8192; n *= 2) for (k = 512; k <= 8192; k *= 4)
    printf "{\"what\":\"gemm\",\"m\":%d,\"n\":%d,\"k\":%d,\"dtype\":\"bf16\",\"seconds\":[%.9g],\"where\":{\"gpu\":\"NVIDIA H100 80GB HBM3\"}}\n",
        m, n, k, 4e-6 + 2 * m * n * k / 400e12 }' >"$scratch/gemm.jsonl"
expect 0 out 'matrix products, bf16 of h100-sxm: 75 samples' fit "$scratch/gemm.jsonl" -o "$scratch/kernels.json"
check 'the same from standard input' '"$ceiling" fit - --gpu h100-sxm <"$scratch/gemm.jsonl" | grep -q "bf16 of h100-sxm: 75 samples"'
expect 0 out 'every value has unit' check "$scratch/kernels.json"
expect 0 out '^kernels  .*kernels.json' plan llama-2-7b --gpus 8 --kernels "$scratch/kernels.json"
check 'slower products make a slower step' '[ "$(echo "$(step_s --kernels "$scratch/kernels.json") > $(step_s)" | awk "{print (\$1 > \$3)}")" = 1 ]'
expect 0 out 'two.json|two-network.json' fit "$scratch/gemm.jsonl" "$scratch/all_reduce.log" -o "$scratch/two.json"
check 'one file per kind' '[ -s "$scratch/two-network.json" ] && [ -s "$scratch/two-kernels.json" ]'

# measured steps of one's own
cat >"$scratch/runs.csv" <<'EOF'
id,source,model,kind,layers,hidden,ffn,gated,heads,kv_heads,head_dim,vocab,tied,seq,gpu,gpus,gpus_per_node,stack,precision,recompute,dp,zero,tp,cp,pp,vpp,schedule,micro_batch,global_batch,step_s,status
a,mine,,dense,32,4096,11008,1,32,32,128,32000,0,4096,h100-sxm,8,8,megatron-2024,bf16,full,4,1,2,1,1,1,1f1b,1,64,4.9,ok
b,mine,,dense,32,4096,11008,1,32,32,128,32000,0,4096,h100-sxm,16,8,megatron-2024,bf16,full,8,1,2,1,1,1,1f1b,1,64,2.6,ok
c,mine,,dense,32,4096,11008,1,32,32,128,32000,0,4096,h100-sxm,32,8,megatron-2024,bf16,full,16,1,2,1,1,1,1f1b,1,64,1.45,ok
EOF
expect 0 out 'whole steps of megatron-2024: 3 samples' fit "$scratch/runs.csv" -o "$scratch/stack.json"
expect 0 out 'every value has unit' check "$scratch/stack.json"
expect 0 out '"stack": "megatron-2024-fitted"' explain llama-2-7b --gpus 16 --stack "$scratch/stack.json" --json
expect 0 out 'whole steps of megatron-2024-fitted' fit "$scratch/runs.csv" --stack "$scratch/stack.json"
head -2 "$scratch/runs.csv" >"$scratch/one.csv"
expect 0 out 'underdetermined' fit "$scratch/one.csv"
head -3 "$scratch/runs.csv" >"$scratch/pair.csv"
expect 0 out 'two steps' fit "$scratch/pair.csv"
check 'the same answer twice' '"$ceiling" fit "$scratch/runs.csv" --json >"$scratch/1" && "$ceiling" fit "$scratch/runs.csv" --json >"$scratch/2" && cmp -s "$scratch/1" "$scratch/2"'

# a job and its trainer's log: 8 GPUs, ten reports of 4.40 s
cat >"$scratch/train.sh" <<'EOF'
torchrun --nproc_per_node=8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --ffn-hidden-size 11008 \
  --num-attention-heads 32 --swiglu --normalization RMSNorm --untie-embeddings-and-output-weights \
  --seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --tensor-model-parallel-size 2 \
  --sequence-parallel --use-distributed-optimizer --bf16 --vocab-size 32000 --use-flash-attn
EOF
for i in 1 2 3 4 5 6 7 8 9 10; do
    echo " iteration  $i/ 500 | consumed samples: 64 | elapsed time per iteration (ms): 4400.0 | global batch size:    64 |"
done >"$scratch/train.log"
expect 0 out 'measured   4.40 s, [0-9.]+ % longer than predicted' fit "$scratch/train.sh" "$scratch/train.log"
expect 0 out 'run again  4.[34][0-9] s \(P10 4.3' fit "$scratch/train.sh" --log "$scratch/train.log" -o "$scratch/learned.json"
expect 0 out 'every value has unit' check "$scratch/learned.json"
expect 0 out '^step     4.[234][0-9]? s' explain "$scratch/train.sh" --stack "$scratch/learned.json"
expect 0 out '"fitted_s": 4.[234]' fit "$scratch/train.sh" "$scratch/train.log" --json
expect 0 out 'ceiling diagnose' fit "$scratch/train.sh" "$scratch/train.log" --gpu b200
expect 2 err 'without the job.*train.sh train.log' fit "$scratch/train.log"
expect 1 err 'train.log.*the log is of 64 sequences a step, the job of 128' fit "$scratch/train.sh" "$scratch/train.log" --global-batch 128
expect 1 err 'no steps of a known trainer' fit "$scratch/train.sh" --log README.md
expect 2 err 'one of them' fit "$scratch/train.sh" "$scratch/train.log" "$scratch/runs.csv"
"$ceiling" fit "$scratch/train.sh" "$scratch/train.log" | grep -v note: >"$scratch/text"
check 'a job and its log fit 100 columns' 'fits <"$scratch/text"'

# bad input and usage
sed 's/,"where".*/}/' "$scratch/gemm.jsonl" >"$scratch/nobody.jsonl"
expect 2 err '--gpu a100-sxm-80gb' fit "$scratch/nobody.jsonl"
expect 0 out 'of a100-sxm-80gb' fit "$scratch/nobody.jsonl" --gpu a100-sxm-80gb
{ cat "$scratch/gemm.jsonl"; echo '{"what": }'; } >"$scratch/broken.jsonl"
expect 1 err 'broken.jsonl:76' fit "$scratch/broken.jsonl"
printf '{"what":"step","seconds":[1]}\n' >"$scratch/step.jsonl"
expect 1 err 'table of runs' fit "$scratch/step.jsonl"
sed 's/megatron-2024/fsdp-2024/' "$scratch/runs.csv" | sed '2s/fsdp-2024/megatron-2024/' >"$scratch/mixed.csv"
expect 1 err 'mixed.csv:3.*one stack' fit "$scratch/mixed.csv"
expect 1 err 'docs/fit.md' fit data/price/../../tests/fuzz/corpus/csv/odd
expect 1 err 'No such file' fit nowhere.log
expect 2 err "'fit' needs FILE" fit
expect 1 err 'is no file' plan llama-2-7b --gpus 8 --kernels mine
expect 1 err 'curves of .h100-sxm., not a100-sxm-80gb' plan llama-2-7b --gpus 8 --gpu a100-sxm-80gb --kernels "$scratch/kernels.json"
expect 1 err 'not a member' plan llama-2-7b --gpus 8 --kernels "$scratch/links.json"
expect 1 err 'did you mean --out|cannot|No such' fit "$scratch/one.csv" -o "$scratch/nowhere/x.json"

printf '%s\n' 'torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --micro-batch-size 1 --global-batch-size 64 --bf16 --vocab-size 32000' >"$scratch/wide.sh"
for step in 1 2 3 4; do
    printf '%s\n' " iteration $step/ 99 | consumed samples: 9 | elapsed time per iteration (ms): 9500.3 | global batch size: 64 | lm loss: 1.1E+01 |"
done >"$scratch/wide.log"
expect 0 out 'underdetermined' fit "$scratch/wide.sh" "$scratch/wide.log"
check "a note fits 100 columns" 'grep -v "$scratch" "$scratch/out" | fits'
finish
