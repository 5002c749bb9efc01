#!/bin/sh
# A job of four ranks that is simulated here, with faults planted in it: `ceiling trace` names rank and cause of each.
#
# Ranks 0,1 and 2,3 are tensor parallel, 0,2 and 1,3 data parallel. A step: the data loader, eight layers of a norm, a
# product and an all-reduce over the tensor parallel pair, then two all-reduces over the data parallel pair, the
# optimizer, and the host waits for its GPU. Every duration varies by 1 %. A collective begins on each rank when it gets
# there and ends on all one transfer after the last.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# job DIR SLOW_GPU SLOW_LOADER SLOW_LINK [BUSY]: the rank whose kernels take 1.3 times as long, the rank whose loader takes
# 15 ms instead of 0.5, the tensor parallel pair (its first rank) whose all-reduces take twice as long, the rank whose host
# needs 1.8 ms more before each product; -1: none.
job() {
    mkdir "$scratch/$1"
    awk -v dir="$scratch/$1" -v gpu="$2" -v loader="$3" -v link="$4" -v busy="${5:--1}" '
    function about(us) { seed = (seed * 16807) % 2147483647; return us * (0.99 + 0.02 * seed / 2147483647) }
    function put(r, cat, name, tid, ts, us, more) {
        printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{%s}}",
            many[r]++ ? ",\n" : "", cat, name, tid, ts, us, more >(dir "/rank" r ".json")
    }
    function launch(r) {
        put(r, "cuda_runtime", "cudaLaunchKernel", 1, host[r], 5, "\"correlation\":" ++id)
        host[r] += 6
        if (free[r] < host[r]) free[r] = host[r]
    }
    function kernel(r, name, us,    d) {
        launch(r)
        d = about(us) * (r == gpu ? 1.3 : 1)
        put(r, "kernel", name, 7, free[r], d, "\"device\":0,\"stream\":7,\"correlation\":" id)
        free[r] += d + 1
    }
    function reduce(a, b, what, elements, us,    last, end) {
        launch(a); first = id; launch(b)
        last = free[a] > free[b] ? free[a] : free[b]
        end = last + about(us)
        for (k = 0; k < 2; k++) {
            r = k ? b : a
            put(r, "kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 7, free[r], end - free[r], \
                sprintf("\"device\":0,\"stream\":7,\"correlation\":%d,\"Collective name\":\"allreduce\",\"dtype\":\"BFloat16\",\"In msg nelems\":%d,\"Out msg nelems\":%d,\"Group size\":2,\"Process Group Name\":\"%s%d\",\"Process Group Description\":\"%s\",\"Process Group Ranks\":\"[%d, %d]\"", \
                    k ? id : first, elements, elements, what, a, what == "t" ? "TENSOR_MODEL_PARALLEL_GROUP" : "DATA_PARALLEL_GROUP", a, b))
        }
        free[a] = free[b] = end + 1
    }
    function pairs(what, elements, us, slow) {
        if (what == "t") { reduce(0, 1, what, elements, us * (slow == 0 ? 2 : 1)); reduce(2, 3, what, elements, us * (slow == 2 ? 2 : 1)) }
        else { reduce(0, 2, what, elements, us); reduce(1, 3, what, elements, us) }
    }
    BEGIN {
        seed = 7
        for (r = 0; r < 4; r++) {
            printf "{\"distributedInfo\":{\"rank\":%d,\"world_size\":4},\"traceEvents\":[", r >(dir "/rank" r ".json")
            host[r] = free[r] = 1000
        }
        for (step = 0; step < 6; step++) {
            for (r = 0; r < 4; r++) {
                began[r] = host[r]
                d = about(r == loader ? 15000 : 500)
                put(r, "user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 1, host[r], d, "")
                host[r] += d
            }
            for (layer = 0; layer < 8; layer++) {
                for (r = 0; r < 4; r++) { kernel(r, "norm", 100); if (r == busy) host[r] += about(1800); kernel(r, "gemm", 900) }
                pairs("t", 8388608, 300, link)
            }
            for (bucket = 0; bucket < 2; bucket++) pairs("d", 33554432, 800, -1)
            for (r = 0; r < 4; r++) {
                kernel(r, "adam", 400)
                put(r, "cuda_runtime", "cudaDeviceSynchronize", 1, host[r], free[r] - host[r], "")
                host[r] = free[r] + 5
                put(r, "user_annotation", "ProfilerStep#" step, 1, began[r], host[r] - began[r], "")
            }
        }
        for (r = 0; r < 4; r++) print "]}" >(dir "/rank" r ".json")
    }' || exit 1
}

job well -1 -1 -1; job gpu 2 -1 -1; job loader -1 1 -1; job link -1 -1 2; job busy -1 -1 -1 3; job all 0 1 2

# Nothing planted: all that is waited for is the 1 %, and no group is slow.
expect 0 out 'transfers that no compute hides' trace "$scratch/well"
check 'a well job hardly waits' '! grep -q "waiting for others" "$scratch/out" && ! grep -q "slow group" "$scratch/out"'
check 'and has no slow rank' '! grep -q "clock, heat" "$scratch/out"'

# Three ranks wait for six steps: 8 x 0.3 x (100 + 900) us of kernels, and five times 0.3 x 400 us of the optimizer.
expect 0 out '^  rank 2 +4[45]\.[0-9] ms +99\.[0-9]%  compute \(100 %\): all kernels 1\.30 x' trace "$scratch/gpu"
check 'a slow GPU is no slow link' '! grep -q "slow group" "$scratch/out"'
# Rank 3 is the last of its group 6 times; it is not to blame.
check 'its victim is cleared' 'grep -qE "^  rank 3 +6 +1[45]" "$scratch/out" && grep -qE "^  rank 3 .* 0\.[0-9]%  " "$scratch/out"'

# Three ranks wait for six steps: 14.5 ms.
expect 0 out '^  rank 1 +26[0-3] ms +99\.[0-9]%  data loader \(100 %\): 90\.[0-9] ms in its data loader' trace "$scratch/loader"
check 'a slow loader is no slow link' '! grep -q "slow group" "$scratch/out"'

# Ranks 0 and 1 wait in their data parallel pairs for six steps: 8 x 300 us each.
expect 0 out '^  all-reduce +16\.8 MB +48 +[56][0-9]+ us +[23][0-9]+ us  (1\.9[89]|2\.0[0-2]) x, ranks 2,3' trace "$scratch/link"
check 'a slow link is where time is lost' 'grep -qE "^  rank 2 +14\.[3-6] ms +49.*transfers" "$scratch/out" && grep -qE "^  rank 3 +14\.[3-6] ms +49.*transfers" "$scratch/out"'

expect 0 out '^  rank 3 .* 99\.[0-9]%  host \(99 %\)' trace "$scratch/busy"

# All at once: what the loader costs hides what the link costs, but not the link.
expect 0 out '^  rank 1 .*  data loader \(100 %\)' trace "$scratch/all"
check 'a slow GPU beside a slow loader' 'grep -qE "^  rank 0 .* compute \(100 %\): all kernels 1\.30 x" "$scratch/out"'
check 'and a slow link' 'grep -qE "^  all-reduce .* x, ranks 2,3" "$scratch/out"'

finish
