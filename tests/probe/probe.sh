#!/bin/sh
# ceiling-probe on cores: samples that fit reads, a loop that closes, and an end whatever happens to a rank.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
probe=${BUILD:-build}/ceiling-probe
# Sanitized: what MPI and OpenBLAS keep is theirs.
export ASAN_OPTIONS=detect_leaks=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

says() { pattern=$1; shift; "$probe" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; grep -qE -- "$pattern" "$scratch/out" "$scratch/err"; }
check 'help names the backends' 'says "cpu.cuda.hip" --help'
check 'a wrong option is named' 'says "color. is no option" --color'
check 'a wrong number is named' 'says "time. is no option, or its value" --time soon'
check 'a number with more behind it is named' 'says "time. is no option, or its value" --time 20s'
printf 'kind,operation,collective,axis,ranks,bytes,count,times\ncollective,sum,all-reduce,tp,2,-4,1,1\n' >"$scratch/less.csv"
check 'a message of no size is left out' 'says "a message without a size" --replay "$scratch/less.csv"'
check 'a GPU that is not here is said' 'command -v nvidia-smi >/dev/null || says "libcudart|choosing the device" --backend cuda'
check 'HIP that is not here is said' 'command -v rocm-smi >/dev/null || says "libamdhip64" --backend hip'
check 'a list that is not there is said' 'says "cannot be read" --replay "$scratch/nowhere.csv"'
printf 'kind,m\nwhat,3\n' >"$scratch/odd.csv"
check 'an operation it does not know is named, and left out' 'says "does not do" --replay "$scratch/odd.csv"'
# Both GPU backends on libraries that stand in: products, copies, what their managers say.
if ${CC:-cc} -shared -fPIC -o "$scratch/gpu.so" tests/probe/fake/gpu.c 2>"$scratch/err"; then
    for name in libcudart.so libcublas.so libcuda.so.1 libnvidia-ml.so.1 libamdhip64.so libhipblas.so librocm_smi64.so; do ln -s gpu.so "$scratch/$name"; done
    faked() { LD_LIBRARY_PATH=$scratch "$probe" "$@" --quick --time 3 --room 16 >"$scratch/out" 2>"$scratch/err"; }
    faked --backend cuda; check 'CUDA: products and copies' '[ $? = 0 ] && grep -q "\"dtype\":\"bf16\".*NVIDIA H200" "$scratch/out" && grep -q "\"what\":\"copy\"" "$scratch/out"'
    check 'clock, watts, degrees and what slows it down' 'grep -q "\"clock_hz\":1.74e+09,\"watts\":698,\"celsius\":61,\"slowed\":\[\"power cap\"\]" "$scratch/out"'
    check 'slowed down is said at the end' 'grep -q "slowed down meanwhile by its power cap:" "$scratch/err"'
    check 'versions of libraries and driver' 'grep -q "cuda runtime 12080, driver 12080, products 12080" "$scratch/out"'
    FAKE_HEAT=1 faked --backend cuda; check 'heat is told from the power cap' 'grep -q "\"slowed\":\[\"heat\"\]" "$scratch/out" && grep -q "by heat" "$scratch/err"'
    faked --backend hip; check 'HIP: watts and degrees of the device at its address; its clock is not known' 'grep -q "\"clock_hz\":null,\"watts\":712,\"celsius\":58,\"slowed\":null" "$scratch/out"'
    rm "$scratch/libnvidia-ml.so.1"
    command -v nvidia-smi >/dev/null || { faked --backend cuda; check 'without a manager nothing is known, and the rest goes on' '[ $? = 0 ] && grep -q "\"clock_hz\":null,\"watts\":null,\"celsius\":null,\"slowed\":null" "$scratch/out"'; }
else echo "skipped: GPUs that stand in: no compiler makes a shared library"; fi
if ! "$probe" --quick --time 5 2>/dev/null | grep -q '"what":"gemm"'; then
    echo "skipped: the probe's measurements: OpenBLAS is not here (apt-get install libopenblas-dev)"
    finish
fi
printf 'kind,operation,collective,axis,ranks,bytes,count,times,step_s\ncollective,sum,all-reduce,tp,2,4096,1,1,1\n' >"$scratch/sum.csv"
check 'a plan of more ranks than were started is said' 'says "as many ranks as the plan" --replay "$scratch/sum.csv"'
if ! command -v mpirun >/dev/null 2>&1 || ! mpirun -n 2 "$probe" --replay "$scratch/sum.csv" 2>/dev/null | grep -q '"what":"allreduce"'; then
    echo "skipped: the probe's collectives: MPI is not here (apt-get install libopenmpi-dev openmpi-bin)"
    finish
fi

# Four ranks: samples of each kind, and an end.
timeout 240 mpirun -n 4 "$probe" --backend cpu --quick >"$scratch/four" 2>"$scratch/err"; status=$?
check 'four ranks end well' '[ $status = 0 ]'
for what in allreduce allgather reducescatter alltoall sendrecv gemm copy; do
    check "there are samples of $what" 'grep -q "\"what\":\"$what\"" "$scratch/four"'
done

# A rank that is killed, and one that stands still: all end, soon, and say so by their status. In full, which takes
# longer than it takes to kill one.
timeout 120 mpirun -n 3 "$probe" : -n 1 timeout -s KILL 2 "$probe" >"$scratch/out" 2>&1
status=$?
check "a killed rank ends the job (status $status)" '[ $status != 0 ] && [ $status != 124 ]'
rm "$scratch/out" # what the job before printed is no sign of this one
timeout 120 mpirun -n 1 "$probe" --stall 10 : -n 1 sh -c 'echo $$ >"$1"; exec "$2" --stall 10' sh "$scratch/pid" "$probe" >"$scratch/out" 2>&1 &
waiting=$!
until { [ -s "$scratch/pid" ] && grep -q '"what"' "$scratch/out"; } || ! kill -0 $waiting 2>/dev/null; do sleep 1; done
kill -STOP "$(cat "$scratch/pid")"
wait $waiting; status=$?
kill -KILL "$(cat "$scratch/pid")" 2>/dev/null
check "a rank that stands still ends the job (status $status)" '[ $status != 0 ] && [ $status != 124 ] && grep -q "did not end in time" "$scratch/out"'

case ${BUILD:-} in *sanitize*) finish ;; esac # what follows is of times, not of memory

# The loop: measure, fit, predict a step's operations, replay them. How near the two come is these cores' matter (2 to
# 25 % seen) and is printed; three times as much or as little is a wrong unit or count, and ours. That samples of a known
# machine give that machine back, and an interval as wide as said, is tested where no clock runs (tests/calibrate).
cat >"$scratch/toy.json" <<'EOF'
{"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":256,"intermediate_size":512,"num_hidden_layers":4,
 "num_attention_heads":4,"num_key_value_heads":4,"vocab_size":1024,"max_position_embeddings":512}
EOF
last() { sed -n 's/.*"what":"step".*"seconds":\[\([^]]*\)\].*"expected_step_s":\([0-9.e-]*\).*/\1 \2/p' "$1"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1 + most && b / a < 1 + most) }'; }
closed=no
for attempt in 1 2 3; do
    [ $closed = no ] || break
    timeout 240 mpirun -n 2 "$probe" --quick --time 15 --machine "$scratch/seen" >"$scratch/samples.jsonl" 2>"$scratch/err"
    "$ceiling" fit "$scratch/samples.jsonl" --gpu "$scratch/seen-gpu.json" --node "$scratch/seen-node.json" -o "$scratch/fit.json" >"$scratch/out" || break
    "$ceiling" explain "$scratch/toy.json" --gpu "$scratch/seen-gpu.json" --node "$scratch/seen-node.json" --gpus 2 --tp 2 --seq 128 \
        --global-batch 8 --micro-batch 2 --precision fp32 --kernels "$scratch/fit-kernels.json" --network "$scratch/fit-network.json" \
        --csv >"$scratch/operations.csv" || break
    timeout 240 mpirun -n 2 "$probe" --quick --time 15 --replay "$scratch/operations.csv" >"$scratch/replay" 2>"$scratch/err"
    now=$(last "$scratch/replay")
    echo "loop: replayed ${now% *} s, predicted ${now#* } s"
    if near "${now% *}" "${now#* }" 2; then closed=yes; fi
done
check 'the probe says what fit reads' '[ -s "$scratch/fit-network.json" ] && [ -s "$scratch/fit-kernels.json" ]'
check 'the replay has a sample of every operation' '[ $(grep -c "\"operation\"" "$scratch/replay") -gt 30 ]'
check 'a step is predicted within a factor of three of its replay' '[ $closed = yes ]'
# What `ceiling measure` proposes for that step, done by its own script. How much narrower the interval is is printed.
command -v bash >/dev/null || { echo "skipped: the script of ceiling measure: bash is not here"; finish; }
step() { "$ceiling" "$@" "$scratch/toy.json" --gpu "$scratch/seen-gpu.json" --node "$scratch/seen-node.json" --gpus 2 --tp 2 --seq 128 \
    --global-batch 8 --micro-batch 2 --precision fp32; }
wide() { awk '/"step_p10_s"/ { gsub(/[^0-9.e-]/, "", $2); low = $2 } /"step_p90_s"/ { gsub(/[^0-9.e-]/, "", $2); print $2 / low }' "$1"; }
step measure --budget 4min -o "$scratch/list" >/dev/null; step measure --budget 4min --json >"$scratch/list.json"
case $probe in /*) ;; *) probe=$PWD/$probe ;; esac
PROBE=$probe BACKEND=cpu TESTS=$scratch/none bash "$scratch/list/measure.sh" >"$scratch/out" 2>"$scratch/err"; status=$?
check "its script runs (status $status)" '[ $status = 0 ] && ls "$scratch/list/results/"*.jsonl >/dev/null'
"$ceiling" fit "$scratch/list/results/"*.jsonl --gpu "$scratch/seen-gpu.json" --node "$scratch/seen-node.json" -o "$scratch/mine.json" >"$scratch/out"
check 'the fit reads its results' 'grep -q "matrix products, fp32 of probed-gpu" "$scratch/out"'
kernels=$scratch/mine.json; [ -s "$kernels" ] || kernels=$scratch/mine-kernels.json
step explain --json >"$scratch/before"; step explain --kernels "$kernels" --json >"$scratch/after"
now=$(wide "$scratch/before"); then=$(wide "$scratch/after"); said=$(wide "$scratch/list.json" | sed -n 2p)
echo "P90 over P10: $now, with what was measured $then; said before: $said"
check 'what was measured gives an interval' 'awk -v b="$then" "BEGIN { exit !(b > 1) }"'
finish
