#!/usr/bin/env bash
# The kernels of one instruction set must keep to themselves. An inline function of the standard library that is
# compiled into such a file may be the copy the linker keeps for everybody, and code that runs before main() runs
# everywhere: either would be an illegal instruction on an older machine.
# usage: isa.sh LIBAGENTNET_TENSOR
set -euo pipefail
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
ar x "$library"

seen=0
for object in kernels_avx*.o; do
  [ -f "$object" ] || continue
  seen=$((seen + 1))
  shared=$(nm -C "$object" | grep ' W ' | grep -v ' agentnet::isa_' || true)
  early=$(nm "$object" | grep _GLOBAL__sub_I || true)
  [ -z "$shared" ] || { echo "$object offers code to other files:"; echo "$shared"; exit 1; } >&2
  [ -z "$early" ] || { echo "$object runs before main(): $early"; exit 1; } >&2
done
case "$(uname -m)" in
  x86_64) [ "$seen" -eq 2 ] || { echo "expected kernels for AVX2 and AVX-512, found $seen" >&2; exit 1; } ;;
esac
