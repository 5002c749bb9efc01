#!/bin/sh
# Published serving tables in our form: tools/tables/serving.py.
cd "$(dirname "$0")/../.." || exit 1
if ! command -v python3 >/dev/null 2>&1; then echo "skipped: tables (no python3)"; echo "0 passed, 0 failed"; exit 0; fi
python3 tests/tables/test_serving.py
