#!/usr/bin/env bash
# usage: run.sh BUILD_DIR OUTSIDE_PROJECT VERSION COMPILER
set -euo pipefail
build=$1 outside=$2 version=$3 compiler=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >"$work/install.log"

# The program stands by itself.
[ "$("$prefix/bin/agentnet" --version)" = "agentnet $version" ]

# No header that is installed leaves the installed tree, and nothing installed remembers where it was built.
if grep -rnE '#include "' "$prefix/include" | grep -v '"agentnet/'; then
  echo "an installed header includes one that is not" >&2
  exit 1
fi
if find "$prefix" -type l | grep .; then
  echo "installed files are links" >&2
  exit 1
fi
if grep -rnF "$build" "$prefix/lib" "$prefix/include" --include '*.cmake' --include '*.h'; then
  echo "installed files name the build folder" >&2
  exit 1
fi

cmake -S "$outside" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
      -DCMAKE_BUILD_TYPE=Release -DEXPECTED_VERSION="$version" >"$work/configure.log"
cmake --build "$work/build"
output=$("$work/build/outside" "$work/model.safetensors")
echo "$output"
[ "$output" = "agentnet $version: 4 nodes, 8 edges; a bad graph is refused; 9 visits; a saved model answers the same" ]
