#!/bin/sh
# A folder that any static host serves as it is: tools/site.sh PAGE FOLDER [ADDRESS]
# The page as index.html, its preview image, and a folder for each lesson, whose address is short.
# ADDRESS is where it will be, which previews of links want; without it they name the file alone.
set -eu
page=$1; folder=$2; address=${3:-}
web=$(dirname "$0")/../web
mkdir -p "$folder"
cp "$(dirname "$0")/../docs/web-curve.webp" "$folder/preview.webp"
title=$(sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' "$web/index.html")
words=$(sed -n 's/.*<meta name="description" content="\([^"]*\)".*/\1/p' "$web/index.html")
preview="<meta property=\"og:type\" content=\"website\"><meta property=\"og:title\" content=\"$title\"><meta property=\"og:description\" content=\"$words\"><meta property=\"og:image\" content=\"${address:+${address%/}/}preview.webp\"><meta name=\"twitter:card\" content=\"summary_large_image\">"
awk -v preview="$preview" '{ print } !done && /<meta name="description"/ { print preview; done = 1 }' "$page" >"$folder/index.html"

# The lessons stand in curve.js: ["cheap scaling", "model=..."]
common=$(sed -n 's/.*href: `\(#[^$`]*\)\${link}`.*/\1/p' "$web/curve.js")
grep -o '\["[a-z ]*", "model=[^"]*"\]' "$web/curve.js" | tr -d '[]"' | while IFS= read -r line; do
    words=${line%%, *}; link=$common${line#*, }
    at=$folder/$(printf '%s' "$words" | tr ' ' '-')
    mkdir -p "$at"
    link=$(printf '%s' "$link" | sed 's/&/\&amp;/g')
    printf '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>ceiling: %s</title>\n%s\n<meta http-equiv="refresh" content="0; url=../%s"></head>\n<body><a href="../%s">%s</a></body></html>\n' \
        "$words" "$(printf '%s' "$preview" | sed "s|content=\"preview.webp\"|content=\"../preview.webp\"|")" "$link" "$link" "$words" >"$at/index.html"
done
