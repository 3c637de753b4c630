#!/usr/bin/env bash
# Runs tests of the Python package with pytest in the virtual environment that scripts/build-python has made.
#
# usage: run.sh FOLDER TEST_FILE
set -euo pipefail
python=$1/venv/bin/python
[ -x "$python" ] || { echo "the package is not installed"; exit 77; }
"$python" -c 'import pytest' 2>/dev/null || { echo "pytest is not there: scripts/install-deps python installs it"; exit 77; }
# From a folder without the sources: what is tested is what is installed.
cd "$1"
exec "$python" -m pytest -q -p no:cacheprovider --rootdir "$(dirname "$2")" "$2"
