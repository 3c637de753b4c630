#!/usr/bin/env bash
# The program of the tarball: what it needs, what it has, and that it says what it has not.
# usage: portable.sh PORTABLE_PROGRAM PROGRAM
set -euo pipefail
portable=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "error: $1" >&2
  exit 1
}

# Nothing but the C library's own parts.
needed=$(readelf -d "$portable" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
grep -qx 'libc\.so\.6' <<<"$needed" || fail "readelf lists no libc: $needed"
if grep -vE '^(libc\.so\.6|libm\.so\.6|ld-linux[-a-z0-9_]*\.so\.[0-9])$' <<<"$needed"; then
  fail "the portable program needs more than the C library"
fi

"$portable" --version >version
[ "$(head -1 version)" = "$("$program" --version | head -1)" ] || fail "versions differ"
for part in 'molecules from SMILES' downloads 'fitting forest'; do
  grep "^without: " version | grep -qF "$part" || fail "--version does not say that it is without $part"
done

# refused WORDS COMMAND...: exit code 2, and an error that says what is not there.
refused() {
  local words=$1 code=0
  shift
  "$portable" "$@" >out 2>err || code=$?
  if [ "$code" -ne 2 ] || ! grep -q "^error: .*$words" err || ! grep -q '^hint: ' err; then
    cat err >&2
    fail "agentnet $* ends with $code and does not say '$words'"
  fi
}
printf 'name,smiles,soluble\nethanol,CCO,yes\nbenzene,c1ccccc1,no\n' >molecules.csv
refused 'without RDKit' inspect molecules.csv
refused 'without libcurl' fetch MUTAG --cache "$work/cache"

# The same bytes as the program, and files packed by either are read by the other.
"$program" demo --steps 3 -o model.safetensors >there 2>/dev/null
"$portable" demo --steps 3 -o portable.safetensors >here 2>/dev/null
cmp there here
cmp model.safetensors portable.safetensors
for packing in gz xz zst; do
  "$portable" convert 'synthetic:4cycles?graphs=20' "mine.jsonl.$packing" 2>/dev/null
  "$program" convert 'synthetic:4cycles?graphs=20' "theirs.jsonl.$packing" 2>/dev/null
  "$program" predict model.safetensors "mine.jsonl.$packing" >there 2>/dev/null
  "$portable" predict portable.safetensors "theirs.jsonl.$packing" >here 2>/dev/null
  cmp there here
  [ "$(wc -l <here)" -eq 21 ] || fail "20 graphs have another number of answers"
done

if grep -q '^with: .*liblinear' version; then
  "$portable" train 'synthetic:4cycles?graphs=60' -o run --model wl >out 2>err || { cat err >&2; fail "wl is not fitted"; }
  "$program" predict run/model.safetensors mine.jsonl.gz >there 2>/dev/null
  "$portable" predict run/model.safetensors mine.jsonl.gz >here 2>/dev/null
  cmp there here
fi
refused 'without XGBoost' train 'synthetic:4cycles?graphs=60' -o forest --model forest
