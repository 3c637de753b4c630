#!/usr/bin/env bash
# usage: run.sh BUILD_DIR OUTSIDE_PROJECT VERSION COMPILER
set -euo pipefail
build=$1 outside=$2 version=$3 compiler=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$build" --prefix "$prefix" >"$work/install.log"

# The program stands by itself.
[ "$("$prefix/bin/agentnet" --version | head -1)" = "agentnet $version" ]

# With it come a manual page for each command, completions, documents and examples.
missing() {
  echo "$1 is not installed" >&2
  exit 1
}
commands=$("$prefix/bin/agentnet" --help | sed -n '/^Commands:/,$s/^  \([a-z][a-z]*\) .*/\1/p')
[ "$(wc -l <<<"$commands")" -ge 20 ] || missing "what --help lists"
for command in $commands; do
  grep -q '^\.SH EXAMPLE' "$prefix/share/man/man1/agentnet-$command.1" || missing "the manual page of $command"
done
for file in man/man1/agentnet.1 bash-completion/completions/agentnet zsh/vendor-completions/_agentnet \
            fish/vendor_completions.d/agentnet.fish doc/agentnet/{LICENSE,README.md,CHANGELOG.md,SECURITY.md} \
            doc/agentnet/docs/install.md doc/agentnet/examples/{CMakeLists.txt,c_api.c,data/molecules.csv}; do
  [ -s "$prefix/share/$file" ] || missing "share/$file"
done
if find "$prefix" -name '__pycache__' -o -name '.ipynb_checkpoints' | grep .; then
  echo "installed are files that belong to this build" >&2
  exit 1
fi
# Every document that another one names by a link is there.
for document in "$prefix"/share/doc/agentnet/docs/*.md; do
  for link in $(grep -oE '\]\([a-z0-9-]+\.md' "$document" | sed 's/](//'); do
    [ -e "$prefix/share/doc/agentnet/docs/$link" ] || missing "$link, which $document names,"
  done
done

# No header that is installed leaves the installed tree, and nothing installed remembers where it was built.
if grep -rnE '#include "' "$prefix/include" | grep -v '"agentnet/'; then
  echo "an installed header includes one that is not" >&2
  exit 1
fi
if find "$prefix" -type l | grep -vE '/libagentnet(_core|_c)?\.so(\.[0-9]+)*$'; then
  echo "installed files are links" >&2
  exit 1
fi
if grep -rnF "$build" "$prefix/lib" "$prefix/include" --include '*.cmake' --include '*.h'; then
  echo "installed files name the build folder" >&2
  exit 1
fi

# use NAME SHARED PACKED: builds and runs the outside project with agentnet::NAME.
use() {
  local name=$1 shared=$2 packed=$3 folder=$work/$1-$2 output
  cmake -S "$outside" -B "$folder" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_BUILD_TYPE=Release -DEXPECTED_VERSION="$version" -DWANTED="$name" -DBUILD_SHARED_LIBS="$shared" \
        >"$folder.log" || { cat "$folder.log"; return 1; }
  cmake --build "$folder" >"$folder.log" || { cat "$folder.log"; return 1; }
  output=$("$folder/outside" "$folder/model.safetensors")
  echo "$name, shared $shared: $output"
  [ "$output" = "agentnet $version: 4 nodes, 8 edges; a bad graph is refused; 9 visits; a saved model answers the same" ]
  output=$("$folder/training" "$folder")
  echo "$name, shared $shared: $output"
  [ "$output" = "2 epochs; a saved model predicts the same; a packed file $packed" ]
}
use agentnet OFF "is damaged"
use agentnet ON "is damaged"
use core OFF "cannot be unpacked"
use core ON "cannot be unpacked"

# The C API from C, which needs nothing else to be linked.
cmake -S "${outside}_c" -B "$work/c" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DEXPECTED_VERSION="$version" \
      -DEXAMPLE="$(dirname "$outside")/../../examples/c_api.c" >"$work/c.log" || { cat "$work/c.log"; exit 1; }
cmake --build "$work/c" >"$work/c.log" || { cat "$work/c.log"; exit 1; }
"$work/c/outside_c" "$work/c.safetensors" | grep "arrays given back: 1"

# The installed examples are a project of their own.
examples=$work/examples
cmake -S "$prefix/share/doc/agentnet/examples" -B "$examples" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug >"$examples.log" || { cat "$examples.log"; exit 1; }
cmake --build "$examples" >"$examples.log" || { cat "$examples.log"; exit 1; }
"$examples/c_api" "$work/c.safetensors" | grep "arrays given back: 1"
[ -x "$examples/train_on_own_graphs" ] && [ -x "$examples/label_a_graph" ] && [ -x "$examples/walk_statistics" ]

# The core needs none of what the other library may need.
for needs in "$work/core-OFF/training" "$prefix"/lib*/libagentnet_core.so "$prefix"/lib/*/libagentnet_core.so; do
  [ -e "$needs" ] || continue
  if ldd "$needs" | grep -iE 'curl|archive|rdkit|xgboost|linear|ssl'; then
    echo "$needs needs more than the core may" >&2
    exit 1
  fi
done
