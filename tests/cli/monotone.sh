#!/bin/sh
# Who asks for more never gets fewer GPUs, and who asks for less never more: one thing of a question
# changed at a time, the degree left to the program. What a search takes is no larger than what it
# began with, a later deadline no dearer, more GPUs no slower; a value lies in its interval, and
# text says what JSON says.
# Takes minutes.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect

# top KEY: of the answer itself, or OBJECT.KEY of one in it
top() {
    case $1 in
    *.*) sed -n "/^  \"${1%.*}\": {/,/^  }/s/^    \"${1#*.}\": \([-0-9.e+]*\),*$/\1/p" | head -1 ;;
    *) sed -n "s/^  \"$1\": \([-0-9.e+]*\),*$/\1/p" | head -1 ;;
    esac
}

# ordered UP|DOWN WHAT COMMAND KEY FLAG VALUE...: the key along the values of one flag
ordered() {
    way=$1 what=$2 command=$3 key=$4 flag=$5 row=""
    shift 5
    for value; do
        number=$("$ceiling" $command "$flag" "$value" --json 2>/dev/null | top "$key")
        row="$row ${number:-none}"
    done
    if echo "$row" | awk -v way="$way" '{for (i = 1; i <= NF; i++) if ($i == "none" || i > 1 && (way == "UP" ? $i < before : $i > before)) exit 1; else before = $i + 0}'; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $what, $flag $*:$row"
    fi
}

large="demand llama-3.3-70b --weights fp8 --span 2min --spread 0.8"
small="demand llama-3.1-8b --span 2min --spread 0.5 --ttft 1s --tpot 30ms"
mixture="demand deepseek-v3.1 --gpu h200-sxm --span 2min --spread 0.5 --prompt 4ktok --output 500tok"
ordered UP "70B" "$large --prompt 2ktok --output 300tok --tpot 50ms" gpus --rate 2req/s 5req/s 10req/s 11req/s 20req/s 22req/s
ordered DOWN "70B" "$large --prompt 2ktok --output 300tok --tpot 50ms --rate 20req/s" gpus --ttft 500ms 750ms 1s 1100ms 2s 5s
ordered DOWN "70B" "$large --prompt 2ktok --output 300tok --rate 20req/s" gpus --tpot 20ms 30ms 40ms 44ms 60ms 100ms 200ms
ordered UP "70B" "$large --prompt 2ktok --output 300tok --tpot 50ms --rate 20req/s" gpus --within 80% 90% 95% 99% 99.5%
ordered UP "70B" "$large --output 300tok --tpot 50ms --rate 20req/s" gpus --prompt 100tok 500tok 1ktok 2ktok 2200tok
# of shorter answers a prompt beside them delays more a token, so they start where that is averaged
ordered UP "8B" "$small --rate 20req/s" gpus --output 100tok 200tok 400tok 440tok 800tok
ordered UP "8B" "$small --rate 20req/s" gpus --margin 0% 5% 10% 20%
ordered UP "8B, users" "demand llama-3.1-8b --ttft 1s --tpot 30ms --spread 0.5" gpus --clients 10 50 100 110 200 400
ordered UP "mixture" "$mixture --tpot 50ms" gpus --rate 1req/s 2req/s 5req/s 10req/s 11req/s
ordered DOWN "mixture" "$mixture --rate 10req/s" gpus --tpot 20ms 30ms 40ms 50ms 55ms 100ms
ordered DOWN "size" "size llama-3-8b --tokens 1T --gpu h100-sxm --max-gpus 1024" best.usd --deadline 15d 20d 22d 30d 60d

# of two degrees alike at the mean the one is taken that a slower engine does not bring to a cliff
ordered UP "8B, a cliff" "demand llama-3.1-8b --gpu a100-sxm-80gb --rate 40req/s --span 3min --prompt 2ktok --output 600tok --spread 0.8 --ttft 500ms --tpot 80ms --within 95%" gpus --margin 0% 2% 5% 8% 15%
rag="demand llama-3.3-70b --weights fp8 --rate 2req/s --prompt 20ktok --output 300tok --ttft 1500ms --within 95%"
bought() { "$ceiling" $rag "$@" --json 2>/dev/null | top headroom.buy_gpus; }
check "no fleet to buy where four GPUs a copy leave none and eight do" "[ $(bought --tp 4) -eq 0 ] && [ $(bought) -gt 0 ] && [ $(bought) -eq $(bought --tp 8) ]"

"$ceiling" scale llama-3-8b --gpus 8..1024 --json >"$scratch/scale"
check "more GPUs are slower" "sed -n 's/^ *\"tokens_per_s\": \([0-9.e+]*\),*$/\1/p' $scratch/scale | awk '\$1 + 0 < before {exit 1} {before = \$1 + 0; n++} END {exit n < 8}'"

# fewest ARGUMENT...: what a search takes against what is answered without
fewest() {
    asked=$("$ceiling" "$@" --json | top gpus)
    found=$("$ceiling" "$@" --search --json | top gpus)
    check "FAIL search $*: $found, not $asked or fewer" "[ ${found:-9999} -le ${asked:-0} ]"
}
fewest $large --prompt 2ktok --output 300tok --tpot 50ms --rate 20req/s
fewest $mixture --tpot 50ms --rate 10req/s
fewest demand gpt-oss-120b --span 2min --prompt 3ktok --output 400tok --tpot 20ms --rate 20req/s

"$ceiling" $large --tpot 50ms --rate 20req/s >"$scratch/text"
"$ceiling" $large --tpot 50ms --rate 20req/s --json >"$scratch/json"
check "text and JSON differ" "[ \$(sed -n 's/^needs .* = \([0-9]*\) GPUs.*/\1/p' $scratch/text) = \$(top gpus <$scratch/json) ]"
check "GPUs outside their interval" "sed -n 's/^         P10 \([0-9]*\) – P90 \([0-9]*\) GPUs.*/\1 \2/p' $scratch/text | awk -v g=\$(top gpus <$scratch/json) '{exit !(\$1 <= g && g <= \$2)}'"
finish
