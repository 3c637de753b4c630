#!/usr/bin/env bash
# The shared library shows the functions of the C header, all of them, and nothing else.
#
# usage: symbols.sh LIBRARY HEADER
set -euo pipefail
library=$1 header=$2

shown=$(nm -D --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u)
declared=$(grep -oE '^AGENTNET_API [^(]*\b(agentnet_[a-z_]+)\(' "$header" | grep -oE 'agentnet_[a-z_]+\(' | tr -d '(' | sort -u)
[ "$(wc -l <<<"$declared")" -gt 30 ] || { echo "the header is not understood: $declared"; exit 1; }
difference=$(diff <(echo "$declared") <(echo "$shown")) || { printf 'declared (<) is not what is shown (>):\n%s\n' "$difference"; exit 1; }
# Every one of them is versioned.
nm -D --defined-only --with-symbol-versions "$library" | grep -E ' T agentnet_' | grep -vE '@@AGENTNET_[0-9]+$' &&
  { echo "these have no version"; exit 1; }
readelf -d "$library" | grep -qE 'SONAME.*\[libagentnet_c\.so\.1\]' || { echo "the soname is not libagentnet_c.so.1"; exit 1; }
echo "$(wc -l <<<"$declared") functions are shown, and nothing else"
