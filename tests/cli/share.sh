#!/bin/sh
# The same command under mpirun: 2 and 4 processes print and write what one does, byte for byte, and end.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

if "$ceiling" version | grep -q '^traces by several processes: no'; then
    # ... and says so, once, instead of doing everything twice.
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0; export OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK
    expect 2 err '2 processes were started, and this build has no MPI' trace tests
    OMPI_COMM_WORLD_RANK=1 "$ceiling" trace tests >"$scratch/out" 2>&1
    check 'only the first process speaks' '[ ! -s "$scratch/out" ]'
    echo "skipped: traces by several processes: ceiling was built without MPI"
    finish
fi
if ! command -v mpirun >/dev/null 2>&1; then
    echo "skipped: traces by several processes: mpirun is not here (apt-get install openmpi-bin)"
    finish
fi

# As root, on one machine, with more processes than cores; what is stuck fails.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# Sanitized: Open MPI unloads its plugins before it ends, so that what they leak has no name to be excused
# by. Leaks of ours are found where one process does the same (tests/api/test_recording.c).
export ASAN_OPTIONS=detect_leaks=0
several() { processes=$1; shift; timeout 120 mpirun -n "$processes" "$ceiling" "$@"; }

# same WHAT ARGUMENT...: streams, status and the files $scratch/o/*, of as many processes as $counts
# says; mpirun adds words of its own to standard error where a process fails.
counts='2 4'
same() {
    what=$1; shift
    rm -rf "$scratch/o" "$scratch/one"; mkdir "$scratch/o"
    "$ceiling" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; one=$?
    grep '^ceiling: ' "$scratch/err" >"$scratch/said"
    mv "$scratch/o" "$scratch/one"
    for n in $counts; do
        mkdir "$scratch/o"
        several "$n" "$@" >"$scratch/out-$n" 2>"$scratch/err-$n" </dev/null; status=$?
        grep '^ceiling: ' "$scratch/err-$n" >"$scratch/said-$n"
        if [ $status -eq $one ] && cmp -s "$scratch/out" "$scratch/out-$n" &&
            cmp -s "$scratch/said" "$scratch/said-$n" && diff -r "$scratch/one" "$scratch/o"; then
            passed=$((passed + 1))
        else
            echo "$what: $n processes: status $status, not $one:"; head -5 "$scratch/err-$n"
            diff "$scratch/out" "$scratch/out-$n" | head -5; failed=$((failed + 1))
        fi
        rm -rf "$scratch/o"
    done
}

# A job of nine ranks, by hand: two hosts whose clocks are 5 ms apart, a straggler, steps, launches,
# products with shapes, a rank without work, and files of other kinds among them. Times in us.
mkdir "$scratch/job"
rank() {
    awk -v rank="$1" -v clock="$2" -v late="$3" -v file="$scratch/job/rank$1.json" '
    function event(cat, name, tid, ts, dur, args) {
        printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
            (n++ ? ",\n" : ""), cat, name, tid, ts + clock, dur, args >file
    }
    BEGIN {
        printf "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100-SXM4-80GB\"}],\n" >file
        printf "\"distributedInfo\":{\"rank\":%d,\"world_size\":9},\"host_name\":\"host%d\",\n", rank, (clock > 0) >file
        printf "\"traceEvents\":[" >file
        for (step = 0; step < 3; step++) {
            at = 1000 * step; c = 10 * step
            event("user_annotation", "ProfilerStep#" (step + 4), 9, at, 990, "")
            event("cpu_op", "aten::mm", 9, at + 5, 20, "\"Input Dims\":[[4096,512],[512,1024]],\"Input type\":[\"c10::Half\",\"c10::Half\"]")
            event("cuda_runtime", "cudaLaunchKernel", 9, at + 10, 5, "\"correlation\":" c + 1)
            event("kernel", "gemm_fp16_" step, 7, at + 40, 200.125 + late, "\"correlation\":" c + 1)
            event("cuda_runtime", "cudaLaunchKernel", 9, at + 30, 5, "\"correlation\":" c + 2)
            event("kernel", "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 20, at + 250 + late, 300.5 - late, "\"correlation\":" c + 2 \
                ",\"Collective name\":\"allreduce\",\"In msg nelems\":1048576,\"Out msg nelems\":1048576,\"Group size\":8,\"dtype\":\"Half\",\"Process Group Name\":\"1\",\"Process Group Description\":\"DATA_PARALLEL_GROUP\"")
            event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, at + 600, 30, "\"correlation\":" c + 3)
            event("kernel", "element \\\"wise\\\"", 7, at + 700, 100, "\"correlation\":" c + 4)
        }
        print "]}" >file
    }'
}
for r in 0 1 2 3 4 5 6; do rank $r $((r > 3 ? 5000 : 0)) $((r == 2 ? 150 : r)); done
rank 7 5000 0.375
gzip "$scratch/job/rank3.json"
printf '{"traceEvents":[],"distributedInfo":{"rank":8,"world_size":9}}' >"$scratch/job/rank8.json"
head -c 4000 "$scratch/job/rank5.json" >"$scratch/cut"; mv "$scratch/cut" "$scratch/job/rank5.json"
cp tests/fuzz/corpus/train_log/megatron tests/fuzz/corpus/nccl_log/whole tests/fuzz/corpus/stages/two-by-two \
    tests/fuzz/corpus/execution/pytorch-1.1 Makefile "$scratch/job"
job=$scratch/job; o=$scratch/o
"$ceiling" explain gpt2 --gpus 8 --json >"$scratch/plan.json"

same text trace "$job"
check 'ranks are matched' 'grep -q "is never late" "$scratch/out" && grep -q "^clock " "$scratch/out"'
same JSON trace "$job" --json --svg "$o/picture.svg" --timeline "$o/merged.json"
same CSV trace "$job" --csv --timeline "$o/ranks.tar"
same 'plan and other run' trace "$job" --plan "$scratch/plan.json" --against "$job/rank1.json"
same 'fewer files than processes' trace "$job/rank0.json"
same 'two GPUs in a file' trace tests/fuzz/corpus/sqlite --json --threads 3
same fit fit "$job" -o "$o/mine.json"
[ ! -d ../shared/traces/megatron-tp8 ] || same 'a published job' trace ../shared/traces/megatron-tp8 --json
if "$ceiling" trace "$job" -o "$scratch/with-page.html" >/dev/null 2>&1; then
    same 'a page' trace "$job" -o "$o/report.html"
else
    same 'no page' trace "$job" -o "$o/report.html"
fi

same 'a job with a graph of operators' trace tests/recorded/two-hosts --json

# Faults: those of one process, once, with its status; nothing half written; and an end to all of them.
counts=4
same 'nothing to read' trace Makefile README.md
same 'one file is not there' trace "$job" "$scratch/absent.json" "$o/x"
same 'no such flag' trace "$job" --bogus
same 'a plan that is none' trace "$job" --plan Makefile --svg "$o/picture.svg"
same 'a picture that cannot be written' trace "$job" --svg "$scratch/absent/picture.svg"
same help trace --help

several 2 trace - <"$job/rank1.json" >"$scratch/piped" 2>"$scratch/err"
"$ceiling" trace - <"$job/rank1.json" >"$scratch/out"
check 'standard input is read by the first process' 'cmp -s "$scratch/piped" "$scratch/out"'

# One that is killed, here while it waits for a pipe that nobody fills, takes the others with it.
mkfifo "$scratch/never"
words="trace $scratch/never $job/rank1.json --svg $scratch/never.svg"
# shellcheck disable=SC2086
timeout 60 mpirun -n 1 "$ceiling" $words : -n 1 timeout -s KILL 2 "$ceiling" $words >"$scratch/out" 2>&1
status=$?
check 'a killed process ends all' '[ $status -ne 0 ] && [ $status -ne 124 ]'
check 'and leaves no file' '[ -z "$(find "$scratch" -name "never.svg*")" ]'
finish
