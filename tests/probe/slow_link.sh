#!/bin/sh
# A link of a known rate: the loopback of a network of its own, shaped. The probe times it over TCP, the fit finds its
# rate, and half the rate as half; what no message says stays. Skipped where networks cannot be made or shaped.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
probe=${BUILD:-build}/ceiling-probe
export ASAN_OPTIONS=detect_leaks=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_if_include=lo
case ${BUILD:-} in *sanitize*) echo "skipped: times, not memory"; finish ;; esac
skip() { echo "skipped: a shaped link: $1"; finish; }
for tool in unshare ip tc mpirun; do command -v $tool >/dev/null 2>&1 || skip "$tool is not here"; done
unshare -rn sh -c 'ip link set lo up && tc qdisc add dev lo root tbf rate 1gbit burst 64kb latency 1s' 2>/dev/null || skip "not permitted"

# over RATE ARGUMENT...: two ranks of the probe over a loopback of that rate
over() {
    rate=$1; shift
    timeout 120 unshare -rn sh -c 'ip link set lo mtu 9000 up && tc qdisc add dev lo root tbf rate "$1" burst 64kb latency 1s && shift && exec mpirun -n 2 "$@"' \
        sh "$rate" "$probe" "$@" 2>"$scratch/err"
}
{   echo 'kind,operation,collective,axis,ranks,bytes,count,times,step_s'
    for bytes in 2097152 4194304; do for what in all-reduce all-gather; do echo "collective,$what,$what,tp,2,$bytes,1,1,1"; done; done
} >"$scratch/list.csv"
# A machine of two cores with a link of 200 MB/s.
"$probe" --quick --time 8 --room 16 --machine "$scratch/seen" >/dev/null 2>&1
[ -s "$scratch/seen-node.json" ] || skip "the machine was not seen in time"
for what in gpu node; do
    sed -i -e 's/\("\(fast_link\|link\)": {"value": \)[^,]*/\10.2/' -e 's/\("\(gpus\|domain\|nics\)": {"value": \)[^,]*/\12/' "$scratch/seen-$what.json"
done
# The rate by which the fit explains the messages, as a share of what the machine file says.
rate_of() {
    over "$1" --quick --replay "$scratch/list.csv" --stall 30 >"$scratch/$1.jsonl"
    "$ceiling" fit "$scratch/$1.jsonl" --gpu "$scratch/seen-gpu.json" --node "$scratch/seen-node.json" --json >"$scratch/$1.json"
    awk '/"name": "efficiency"/ { on = 1 } on && /"to":/ { gsub(/[^0-9.e+-]/, "", $2); print $2; exit }' "$scratch/$1.json"
}
full=$(rate_of 200mbit); half=$(rate_of 100mbit)
[ -s "$scratch/200mbit.jsonl" ] && [ -s "$scratch/100mbit.jsonl" ] || skip "the ranks did not end in two minutes"
echo "efficiency at 200 Mbit/s: $full, at 100 Mbit/s: $half"
check 'every message was timed' '[ "$(grep -c "\"what\":\"all" "$scratch/100mbit.jsonl")" = 4 ]'
check 'half the rate is found as half, within a fifth' 'awk -v a="$full" -v b="$half" "BEGIN { exit !(a > 0 && b / a > 0.4 && b / a < 0.6) }"'
check 'what large messages do not tell stays' 'grep -A4 "\"name\": \"base\"" "$scratch/100mbit.json" | grep -q "\"fitted\": false"'
# Both ranks send over the one loopback: 4 MiB of all-reduce are 8 MiB of it, at 12.5 MB/s two thirds of a second.
took=$(sed -n 's/.*"allreduce".*"bytes":4194304.*"seconds":\[\([0-9.e-]*\).*/\1/p' "$scratch/100mbit.jsonl")
check "the rate is that of the link ($took s)" 'awk -v s="$took" "BEGIN { least = 2 * 4194304 / 12.5e6; exit !(s > 0.95 * least && s < 1.5 * least) }"'
finish
