#!/bin/sh
# The wheel, built, unpacked into an empty folder and used from there.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
. tests/cli/expect
if ! command -v python3 >/dev/null 2>&1; then echo "skipped: the wheel (no python3)"; finish; fi
mkdir "$scratch/one" "$scratch/two" "$scratch/clean"
for library in "$build"/libceiling.so.*.* "$build"/libceiling.*.dylib; do [ ! -e "$library" ] || break; done
wheel=$(python3 python/ceiling_wheel.py "$library" "$scratch/one")
python3 python/ceiling_wheel.py "$library" "$scratch/two" >"$scratch/said"
check "the same bytes twice" 'cmp -s "$wheel" "$scratch/two/$(basename "$wheel")"'
if python3 -m pip --version >/dev/null 2>&1; then
    python3 -m pip -q --no-cache-dir --disable-pip-version-check install --no-index --no-deps --root-user-action=ignore --target "$scratch/clean" "$wheel" >"$scratch/said" 2>&1 || cat "$scratch/said"
else
    python3 -m zipfile -e "$wheel" "$scratch/clean"
fi
"$ceiling" explain llama-2-7b --gpus 8 --fix tp=2 --offload --json >"$scratch/explain"
"$ceiling" scale llama-2-7b --gpus 8,16 --svg "$scratch/curve.svg" >"$scratch/said"
env -u CEILING_LIBRARY python3 -I tests/python/use.py "$scratch/clean" "$scratch/explain" "$scratch/curve.svg" data/model/llama-3.1-8b.json >"$scratch/out" 2>&1
last=$(tail -n 1 "$scratch/out")
check "it ends with its count: $(head -20 "$scratch/out")" 'expr "$last" : "[0-9]* passed, [0-9]* failed" >/dev/null'
more=${last%% passed*}; wrong=${last#*passed, }; passed=$((passed + ${more:-0})); failed=$((failed + ${wrong%% failed*}))
sed '$d' "$scratch/out"
finish
