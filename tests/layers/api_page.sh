#!/usr/bin/env bash
# usage: api_page.sh SOURCE_DIR
# docs/api.md names every public header, and what it says is in a header is there.
set -euo pipefail
cd "$1"
page=docs/api.md
wrong=0
complain() {
  echo "$page: $1" >&2
  wrong=1
}

for header in include/agentnet/*.h; do
  grep -qF "](../$header)" "$page" || complain "$header is not in the table"
done
rows=0
while IFS='|' read -r _ link _ names _; do
  header=$(sed -n 's/.*](\.\.\/\(include\/agentnet\/[a-z_]*\.h\)).*/\1/p' <<<"$link")
  [ -n "$header" ] || continue
  rows=$((rows + 1))
  [ -f "$header" ] || { complain "there is no $header"; continue; }
  for name in $(grep -o '`[A-Za-z_]*`' <<<"$names" | tr -d '`'); do
    grep -qw "$name" "$header" || complain "$name is not in $header"
  done
done <"$page"
[ "$rows" -gt 10 ] || complain "the table of headers cannot be read"
for name in likeliest mean walk_spread set_parameters may_end should_stop; do
  grep -rqw "$name" include/agentnet || complain "$name is in no header"
done
for path in $(grep -o '](\.\./[^)]*)' "$page" | tr -d '()]' | sed 's/^\.\.\///' | sort -u); do
  [ -e "$path" ] || complain "there is no $path"
done
exit $wrong
