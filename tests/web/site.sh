#!/bin/sh
# The folder for a static host: the page, its preview, an address for each lesson.
cd "$(dirname "$0")/../.." || exit 1
. tests/cli/expect
tools/site.sh web/index.html "$scratch/site" https://example.org/ceiling/
check "the page with its preview" 'grep -q "og:image\" content=\"https://example.org/ceiling/preview.webp\"" "$scratch/site/index.html"'
check "nothing else in it is changed" '[ "$(diff "$scratch/site/index.html" web/index.html | grep -c "^[<>]")" -eq 1 ]'
check "the preview image" 'cmp -s docs/web-curve.webp "$scratch/site/preview.webp"'
check "an address for each lesson" '[ "$(ls -d "$scratch"/site/*/ | wc -l)" -eq 4 ]'
check "which leads to its curve" 'grep -q "url=../#tab=curve&amp;gpus=64&amp;seq=8192&amp;model=llama-3.1-8b&amp;global-batch=4Mtok&amp;to=16384\"" "$scratch/site/the-wall/index.html"'
tools/site.sh web/index.html "$scratch/plain"
check "without an address the preview is named by its file" 'grep -q "content=\"preview.webp\"" "$scratch/plain/index.html" && grep -q "content=\"../preview.webp\"" "$scratch/plain/the-wall/index.html"'
mkdir "$scratch/parts"
printf '<script>\n@module a.js\n@module b.js\n</script>\n<script>\n@module a.js\n</script>\n' >"$scratch/parts/page.html"
echo 'export const shown = 1;' >"$scratch/parts/a.js"; echo 'const hidden = 2;' >"$scratch/parts/b.js"
${MAKE:-make} -s "${BUILD:-build}/page"
check "modules of several scopes become one page" '"${BUILD:-build}/page" "$scratch/parts/page.html" "$scratch/page" && [ "$(grep -c "^const" "$scratch/page")" -eq 3 ]'
echo 'async function shown() {}' >"$scratch/parts/b.js"
check "one name in two modules of a scope is refused" '! "${BUILD:-build}/page" "$scratch/parts/page.html" "$scratch/page" 2>"$scratch/err" && grep -q "shown.*a.js.*b.js" "$scratch/err"'
finish
