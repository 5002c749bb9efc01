#!/bin/sh
# Recordings of jobs whose answer is known, made here: comparison, axes, roots, inputs.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# run FILE STEPS PRODUCTS PRODUCT_US LATE_US: steps annotated on the host, in each so many products with 2 us between
# them and one copy; the first of step 2 comes so much later. The host is 30 us ahead of the GPU.
run() {
    awk -v steps="$2" -v products="$3" -v us="$4" -v late="$5" 'BEGIN {
        printf "{\"distributedInfo\":{\"rank\":0,\"world_size\":1},\"traceEvents\":["
        at = 1000
        for (s = 0; s < steps; s++) {
            if (s == 2) at += late
            length_us = products * (us + 2) + 8
            printf "%s{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f}", s ? "," : "", s, at - 30, length_us
            for (k = 0; k < products; k++) {
                c++
                printf ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":1,\"args\":{\"correlation\":%d}}", at - 29 + k, c
                printf ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"correlation\":%d}}", at + k * (us + 2), us, c
            }
            printf ",{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"pid\":0,\"tid\":7,\"ts\":%.3f,\"dur\":5}", at + products * (us + 2)
            at += length_us
        }
        print "]}"
    }' >"$1"
}

# ---- beside another run ----
run "$scratch/slow.json" 5 10 22 0; run "$scratch/fast.json" 5 10 20 0; run "$scratch/more.json" 5 11 20 0
run "$scratch/hiccup.json" 5 10 20 400
expect 0 out 'slower by 8\.77 % .*noise of the steps 0\.00 %' trace "$scratch/slow.json" --against "$scratch/fast.json"
expect 0 out 'as fast.*no more than noise' trace "$scratch/fast.json" --against "$scratch/fast.json"
expect 0 out '^ +20\.0 us +10 +10 +20\.0 us +22\.0 us  gemm' trace "$scratch/slow.json" --against "$scratch/fast.json"
expect 0 out '1 of 2 kernels are called more or less often' trace "$scratch/more.json" --against "$scratch/fast.json"
expect 0 out 'outlasts its step on the host by 2' trace "$scratch/slow.json" --against "$scratch/fast.json"
expect 3 out 'FAILED: slower by 8.77 %' trace "$scratch/slow.json" --against "$scratch/fast.json" --fail-above 3%
expect 3 out '"failed": true' trace "$scratch/slow.json" --against "$scratch/fast.json" --fail-above 3% --json
expect 0 out 'passed: slower by 8.77 %' trace "$scratch/slow.json" --against "$scratch/fast.json" --fail-above 9%
expect 0 out 'passed' trace "$scratch/fast.json" --against "$scratch/slow.json" --fail-above 0%
expect 0 out 'passed' trace "$scratch/hiccup.json" --against "$scratch/fast.json" --fail-above 3%
expect 0 out 'faster by 8\.06 % \(medians: faster by 8\.06 %\)' trace "$scratch/fast.json" --against "$scratch/slow.json"
expect 2 err 'nothing to compare with' trace "$scratch/slow.json" --fail-above 3%
expect 1 err 'fail-above' trace "$scratch/slow.json" --against "$scratch/fast.json" --fail-above x

printf ' iteration 1/ 9 | elapsed time per iteration (ms): 5000.1 | global batch size: 256 |\n' >"$scratch/run.log"
for flag in svg timeline against; do
    expect 1 err "no GPU work was read, which --$flag needs" trace "$scratch/run.log" --$flag "$scratch/fast.json"
done
expect 1 err 'nothing to compare: no GPU work was read of .*run.log' trace "$scratch/fast.json" --against "$scratch/run.log" --fail-above 3%

# ---- the slowest step: by the host, or by what the GPU did ----
sed 's/\(#3",[^}]*"dur":\)[0-9.]*/\1900/' "$scratch/fast.json" >"$scratch/host.json"
expect 0 out 'step 3 took 6[0-9]+ us longer than the median: the GPU as in others, the host' trace "$scratch/host.json"
sed 's/\("dur":\)20.000,"args":{"correlation":35}/\1420,"args":{"correlation":35}/; s/\(#3",[^}]*"dur":\)[0-9.]*/\1628/' "$scratch/fast.json" >"$scratch/long.json"
expect 0 out 'step 3 took 400 us longer than the median: on the GPU compute \+' trace "$scratch/long.json"

# ---- a hostile file costs its size: streams, GPUs, names, groups, threads and steps of their own ----
# hostile FILE PID TID NAME GROUP: 15,000 events, each of the last four with # for its number.
hostile() {
    awk -v pid="$2" -v tid="$3" -v name="$4" -v group="$5" 'BEGIN {
        printf "{\"distributedInfo\":{\"rank\":0,\"world_size\":1},\"traceEvents\":["
        for (i = 0; i < 15000; i++) {
            p = pid; t = tid; n = name; g = group
            sub(/#/, i, p); sub(/#/, i, t); sub(/#/, i, n); sub(/#/, i, g)
            printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":%s,\"ts\":%d,\"dur\":3,\"args\":{\"correlation\":%d,\"Process Group Name\":\"%s\"}}", i ? "," : "", i % 4 == 3 ? "cuda_runtime" : "kernel", n, p, t, i, i % 4 == 3 ? i + 1 : i, g
        }
        print "]}"
    }' >"$scratch/$1.json"
}
hostile streams 0 '#' gemm p; hostile gpus '#' 1 gemm p; hostile names 0 1 'k#' p
hostile groups 0 1 ncclDevKernel_AllReduce 'p#'; hostile all '#' '#' 'nccl#' 'p#'
for what in streams gpus names groups all; do
    check "$what cost their size" '(ulimit -t 30; "$ceiling" trace "$scratch/$what.json" --against "$scratch/$what.json" >/dev/null)'
done

# ---- archives: every member ----
mkdir "$scratch/ranks"
cp "$scratch/fast.json" "$scratch/ranks/rank0.json"
sed 's/"rank":0/"rank":1/' "$scratch/slow.json" | gzip >"$scratch/ranks/rank1.json.gz"
echo 'no recording' >"$scratch/ranks/readme.txt"
(cd "$scratch" && tar cf ranks.tar ranks && gzip -k ranks.tar)
for what in ranks.tar ranks.tar.gz; do
    expect 0 out '^trace +2 ranks' trace "$scratch/$what"
    expect 0 out '"file": ".*'$what':ranks/rank1.json.gz"' trace "$scratch/$what" --json
done
if command -v zip >/dev/null; then
    (cd "$scratch" && zip -q ranks.zip ranks/rank0.json && zip -q0 ranks.zip ranks/rank1.json.gz ranks/readme.txt && gunzip ranks/rank1.json.gz && zip -q0 stored.zip ranks/rank0.json ranks/rank1.json)
    expect 0 out '^trace +2 ranks' trace "$scratch/stored.zip"
    expect 0 out '^trace +2 ranks' trace "$scratch/ranks.zip"
fi
gzip -c "$scratch/fast.json" | gzip >"$scratch/twice.json.gz"
expect 0 out '^trace +1 rank' trace "$scratch/twice.json.gz"

# ---- reports of Nsight Systems: by its exporter, or the command that does it ----
echo report >"$scratch/-run.nsys-rep"
mkdir "$scratch/bin" "$scratch/none"
cat >"$scratch/bin/nsys" <<'END'
#!/bin/sh
for a; do case $a in --output=*) to=${a#--output=};; esac; done
[ "$1" = export ] && cp tests/fuzz/corpus/sqlite/graphs "$to" && echo exported
END
chmod +x "$scratch/bin/nsys"
check 'a report is read by its exporter' '(PATH=$scratch/bin:$PATH TMPDIR=$scratch/none "$ceiling" trace "$scratch/-run.nsys-rep" | grep -q "CUDA graph, recorded whole")'
check 'nothing of it is left' '[ -z "$(ls "$scratch/none")" ]'
expect 1 err 'a report of Nsight Systems is not read; nsys export -t sqlite' trace "$scratch/-run.nsys-rep"
for what in pftrace parquet ncu-rep zst xz; do
    cp "$scratch/ranks/readme.txt" "$scratch/run.$what"
    expect 1 err '(Perfetto|Parquet|Nsight Compute|compressed).* is not read; [a-z]' trace "$scratch/run.$what"
done
(cd "$scratch" && echo none >none.txt && tar cf none.tar none.txt)
expect 1 err 'no profiler recording|no recordings are in this archive' trace "$scratch/none.tar"
head -c 3000 "$scratch/ranks.tar" >"$scratch/cut.tar"
expect 0 out 'damaged' trace "$scratch/cut.tar"

# ---- files that are written ----
"$ceiling" trace "$scratch/fast.json" --svg "$scratch/fast.svg" >/dev/null
check 'the picture has an axis with units' 'grep -q ">200 us<" "$scratch/fast.svg" && grep -q ">1.00 ms<" "$scratch/fast.svg"'
expect 2 err 'would replace a recording' trace "$scratch/fast.json" --timeline "$scratch/fast.json"
ln -s fast.json "$scratch/alias.json"
expect 2 err 'would replace a recording' trace "$scratch/fast.json" --svg "$scratch/alias.json"
ln -s real.svg "$scratch/link.svg"
expect 0 out '^trace' trace "$scratch/fast.json" --svg "$scratch/link.svg"
check 'a link stays a link' '[ -h "$scratch/link.svg" ] && [ -s "$scratch/real.svg" ]'
chmod 600 "$scratch/real.svg"
expect 0 out '^trace' trace "$scratch/fast.json" --svg "$scratch/link.svg"
check 'permissions stay' '[ "$(ls -l "$scratch/real.svg" | cut -c1-10)" = -rw------- ]'
"$ceiling" trace "$scratch/streams.json" --timeline "$scratch/kept.tar" >/dev/null & sleep 0.1; kill -TERM $! 2>/dev/null
wait $! 2>/dev/null
check 'a signal leaves no part of a file' '! ls "$scratch" | grep -q part'
case ${BUILD:-build} in *sanitize*) ;; *)
    check 'the end of memory is told' '(ulimit -v 40000; "$ceiling" trace "$scratch/all.json" "$scratch/streams.json" "$scratch/gpus.json" "$scratch/names.json" "$scratch/groups.json" --threads 1 2>"$scratch/err" >/dev/null; [ $? -eq 1 ] && grep -q "memory is at its end" "$scratch/err")' ;;
esac

finish
