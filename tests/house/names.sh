#!/bin/sh
# src/ switches on properties. Its code names no model, engine, product or generation of one. Its comments name no
# model and no generation either, but where a source is cited (a file, an arXiv id, a year) or a word that people write
# is quoted. Rooms that read and write other people's files speak their words (job, record), and help gives examples
# (cli, api).
cd "$(dirname "$0")/../.." || exit 1
models='llama|mixtral|mistral|deepseek|qwen|gpt-?oss|gpt-?neo|bamba|mamba-2|bloom|minimax|kimi|glm-?[0-9]|gemma|nemotron|falcon|mimo-|exaone|olmo|granite|hunyuan|ernie|longcat'
chips='blackwell|hopper|ampere|volta|turing|cdna *[0-9]|[abh][12]00|gb[23]00|mi[23][0-9][0-9]'
products='megatron|nanotron|torchtitan|maxtext|vllm|sglang|tensorrt|trtllm|trt-llm|triton|cutlass|cublas|flashinfer|deepep|deepgemm|inferencex|gpustack|dstack|mlperf|sageserve|dynamo|aiconfigurator'
code() { # without comments
    awk '{ line = $0; out = ""
        while (line != "") {
            if (inside) { at = index(line, "*/"); if (!at) { line = ""; break } line = substr(line, at + 2); inside = 0; continue }
            at = index(line, "/*"); if (!at) { out = out line; line = "" } else { out = out substr(line, 1, at - 1); line = substr(line, at + 2); inside = 1 }
        }
        print out }' "$1"
}
comments() { # a line each, without quoted words, names of files and parentheses that cite
    awk 'function say(text, before, inner) {
            gsub(/"[^"]*"/, "", text)
            while (match(text, /\([^()]*\)/)) {
                inner = substr(text, RSTART, RLENGTH)
                if (inner ~ /arXiv|\.(py|cc|cu|cpp|h|md|yaml)|[^0-9](19|20)[0-9][0-9][^0-9]|github/) inner = ""
                gsub(/[()]/, " ", inner)
                text = substr(text, 1, RSTART - 1) inner substr(text, RSTART + RLENGTH)
            }
            gsub(/[A-Za-z0-9_.\/-]*\.(py|cc|cu|cpp|h|md|yaml)/, "", text)
            print text }
        { line = $0
        while (line != "") {
            if (inside) { at = index(line, "*/")
                if (!at) { held = held " " line; line = ""; break }
                say(held " " substr(line, 1, at - 1)); line = substr(line, at + 2); inside = 0; continue }
            at = index(line, "/*"); if (!at) line = ""; else { held = ""; line = substr(line, at + 2); inside = 1 }
        } }' "$1"
}
passed=0; failed=0
says() { # of a file, what is there that should not be
    if [ -z "$3" ]; then passed=$((passed + 1)); return; fi
    printf '%s: %s name models or products:\n%s\n' "$1" "$2" "$3" | head -6; failed=$((failed + 1))
}
for file in src/*/*.[ch]; do
    case $file in src/job/*|src/record/*|src/cli/*|src/api/*) continue ;; esac
    says "$file" "lines" "$(code "$file" | grep -iE "$models|$chips|$products")"
    says "$file" "comments" "$(comments "$file" | grep -iE "(^|[^a-z0-9_])($models|($chips)($|[^a-z]))")"
done
scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
printf '%s\n' '/* as Falcon has' ' * it */' 'int x; /* "h100" (Falcon 2023, arXiv:2311.16867; a(b)) modeling_falcon.py */' 'int vllm;' >"$scratch"
says names.sh "does not see all of what it looks for" \
    "$([ "$(comments "$scratch" | grep -ciE "$models|$chips") $(code "$scratch" | grep -ciE "$products")" = "1 1" ] || echo "$scratch")"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
