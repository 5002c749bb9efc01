#!/bin/sh
# The same bytes on every machine: of libm only what is exact, and log, on which C libraries agree.
# base/real.h has the others.
cd "$(dirname "$0")/../.." || exit 1
inexact='(pow|exp|exp2|exp10|expm1|log1p|log2|log10|sin|cos|tan|sinh|cosh|tanh|asin|acos|atan|atan2|erf|erfc|cbrt|hypot|tgamma|lgamma|fma)[fl]?'
# of what is left when comments and strings are gone
code() { sed -e 's/"\([^"\\]\|\\.\)*"//g' -e 's|/\*.*\*/||g' -e 's|^ *\*.*||' -e 's|/\*.*||' "$1"; }
find_them() { code "$1" | grep -nE "(^|[^A-Za-z0-9_])$inexact\(" | sed "s|^|$1:|"; }

scratch=$(mktemp) || exit 1
trap 'rm -f "$scratch"' EXIT
passed=0; failed=0
printf 'double clg_x(double x) { return clg_y(pow(x, 2)) + expf(x); } /* exp(x) */\n' >"$scratch"
if [ "$(find_them "$scratch" | wc -l)" -eq 1 ]; then passed=1
else echo "libm.sh does not see what it looks for"; failed=1; fi
found=$(for file in src/*/*.[ch]; do find_them "$file"; done)
if [ -z "$found" ]; then passed=$((passed + 1))
else printf '%s\ntake clg_... of base/real.h\n' "$found"; failed=$((failed + 1)); fi
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
