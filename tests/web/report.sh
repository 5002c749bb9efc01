#!/bin/sh
# The page as the command line writes it: alone, and opened on an answer.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
. tests/cli/expect
small="explain llama-2-7b --gpus 16 --seq 4096 --global-batch 64"

if ! tools/web_needs.sh >/dev/null 2>&1; then echo "skipped: reports in the page (make web says what is missing)"; finish; fi
if ! out=$(${MAKE:-make} -s BUILD="$build" web 2>&1); then echo "$out"; failed=1; finish; fi

"$ceiling" web -o "$scratch/page.html" >"$scratch/said" 2>&1
check "web says what it wrote" 'grep -qE "page.html: the page, [0-9]+ kB" "$scratch/said"'
check "the page is the one built" 'cmp -s "$scratch/page.html" "$build/ceiling.html"'
"$ceiling" $small -o "$scratch/report.html" >"$scratch/said" 2>&1
check "explain says what it wrote" 'grep -qE "report +.*report.html" "$scratch/said"'
check "question and answer are in the report" \
    'grep -q "\"request\":{\"command\":\"explain\",\"model\":\"llama-2-7b\",\"gpus\":\"16\"" "$scratch/report.html"'
check "JSON and a report at once" '"$ceiling" $small --json -o "$scratch/report.html" | grep -q "\"kind\": \"explain\""'
"$ceiling" scale llama-2-7b --gpus 8,16 --mode weak -o "$scratch/weak.html" >"$scratch/said"
check "what was printed stands in it as it is" 'grep -q "^mode     weak: the batch grows with the GPUs" "$scratch/weak.html" && grep -q "<h2>ceiling scale llama-2-7b --gpus 8,16 --mode weak</h2>" "$scratch/weak.html"'
check "and its picture" '[ "$(sed -n "/id=\"stored\"/,/<.article>/p" "$scratch/weak.html" | grep -c "^<svg ")" -eq 1 ]'
echo "{}" >"$scratch/<b>x.json"
"$ceiling" $small --term "tensor_overlap=0.5" -o "$scratch/<b>.html" >/dev/null 2>&1
check "no markup of others comes into it" '! grep -q "<b>.html" "$scratch/<b>.html"'
"$ceiling" $small -o "$scratch/nowhere/report.html" >"$scratch/said" 2>&1; status=$?
check "a folder that is not there" '[ $status -eq 1 ] && grep -q "No such file or directory" "$scratch/said"'
check "no partial file is left" '[ -z "$(find "$scratch" -name "*.part.*")" ]'
finish
