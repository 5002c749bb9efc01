#!/bin/sh
# What is handed out, made from the last commit: sources, Debian packages, wheel, page, checksums.
#     tools/release.sh DIRECTORY
# The same commit gives the same bytes, wherever and whenever it is built with the same compiler.
set -eu
cd "$(dirname "$0")/.."
[ $# = 1 ] || { echo "usage: tools/release.sh DIRECTORY" >&2; exit 2; }
mkdir -p "$1"; out=$(cd "$1" && pwd)
[ -z "$(git status --porcelain)" ] || echo "release: changes that are not committed are left out" >&2
version=$(sed -n 's/.*CLG_VERSION "\(.*\)"/\1/p' src/base/version.h)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct); export SOURCE_DATE_EPOCH
place=$(mktemp -d); trap 'rm -rf "$place"' EXIT INT TERM

git archive --prefix="ceiling-$version/" HEAD | gzip -9n >"$out/ceiling-$version.tar.gz"
tar -xzf "$out/ceiling-$version.tar.gz" -C "$place"
cd "$place/ceiling-$version"
echo "release: packages and page, a few minutes" >&2
dpkg-buildpackage -b -us -uc -j"$(nproc)" >"$place/log" 2>&1 || { tail -30 "$place/log" >&2; exit 1; }
make -s wheel >/dev/null
cp build/*.whl build/ceiling.html "$out"
for package in "$place"/*.deb; do
    case $package in *-dbgsym_*) ;; *) cp "$package" "$out" ;; esac
done
cd "$out" && sha256sum -- *.tar.gz *.deb *.whl ceiling.html >SHA256SUMS && cat SHA256SUMS
