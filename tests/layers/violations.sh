#!/usr/bin/env bash
# Plants one wrong include at a time in a small tree and expects check-layers to name it.
# usage: violations.sh CHECK_LAYERS
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {  # plant FILE INCLUDE: the tree with nothing but this include in it
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/cli "$tree"/src/{core,graph,data,tensor,nn,nets,predict,train} "$tree/include/agentnet"
  mkdir -p "$(dirname "$tree/$1")"
  printf '#pragma once\n#include %s\n' "$2" >"$tree/$1"
}

refused() {
  plant "$1" "$2"
  if "$check" "$tree" 2>"$tree/said"; then
    echo "check-layers let $1 include $2" >&2
    exit 1
  fi
  grep -qF "$3" "$tree/said" || { echo "check-layers on $1 including $2 said:"; cat "$tree/said"; exit 1; } >&2
}

kept() {
  plant "$1" "$2"
  "$check" "$tree" || { echo "check-layers refused $1 including $2" >&2; exit 1; }
}

kept src/nets/a.cpp '"graph/shards.h"'
kept src/core/a.h '"core/b.h"'
kept src/core/a.h '<nlohmann/json.hpp>'
kept src/train/a.cpp '"agentnet/config.h"'
kept src/train/a.cpp '"data/b.h"'
kept src/train/a.cpp '"predict/b.h"'
kept include/agentnet/graph.h '"agentnet/error.h"'

refused src/core/a.h '"graph/b.h"' 'src/core/a.h:2: src/core must not see graph/b.h'
refused src/core/a.h '<graph/b.h>' 'src/core must not see graph/b.h'
refused src/graph/a.cpp '"data/b.h"' 'src/graph must not see data/b.h'
refused src/nets/a.cpp '"data/b.h"' 'src/nets must not see data/b.h'
refused src/predict/a.cpp '"train/b.h"' 'src/predict must not see train/b.h'
refused src/graph/a.cpp '"tensor/b.h"' 'src/graph must not see tensor/b.h'
refused src/tensor/a.h '"graph/b.h"' 'src/tensor must not see graph/b.h'
refused src/tensor/a.h '"agentnet/graph.h"' 'src/tensor must not see agentnet/graph.h'
refused src/graph/a.h '"agentnet/config.h"' 'src/graph must not see agentnet/config.h'
refused src/nets/a.h '"train/b.h"' 'src/nets must not see train/b.h'
refused src/nets/a.h '"../train/b.h"' 'not by a relative path'
refused src/train/a.h '"cli/b.h"' 'src/train must not see cli/'
refused src/train/a.h '"support/b.h"' 'src/train must not see support/'
refused src/newcomer/a.h '<vector>' 'src/newcomer is not in the table'
refused include/agentnet/newcomer.h '<vector>' 'include/agentnet/newcomer.h has no home'
refused include/agentnet/config.h '"nets/b.h"' 'must not include a private one'
refused include/agentnet/error.h '"agentnet/graph.h"' 'must not see agentnet/graph.h'

# JSON has one parser, which knows limits.
parsed() {  # parsed FILE LINE: the tree with nothing but this line in it
  plant "$1" '<vector>'
  printf '%s\n' "$2" >>"$tree/$1"
  if "$check" "$tree" 2>"$tree/said"; then
    echo "check-layers let $1 say $2" >&2
    exit 1
  fi
  grep -qF "$1:3: JSON is parsed by parse_json" "$tree/said" || { cat "$tree/said"; exit 1; } >&2
}
parsed src/train/a.cpp 'auto j = nlohmann::json::parse(text);'
parsed src/train/a.cpp 'auto j = Json::parse(text, nullptr, false);'
parsed src/data/a.cpp 'if (nlohmann::ordered_json::accept(text)) return;'
parsed src/data/a.cpp 'auto j = Json::from_cbor(bytes);'
parsed src/view/a.cpp 'nlohmann::json::sax_parse(text, &reader);'
parsed cli/a.cpp 'auto j = Json::parse(file);'
kept src/core/json.cpp '<nlohmann/json.hpp>'
