#!/bin/sh
# Inodes in use on local file systems. $1: percent from which it is a problem (90).
limit=${1:-90}
df -P -i -l 2>/dev/null | awk -v limit="$limit" '
  NR == 1 { printf "%-40s %12s %6s\n", "mounted on", "free inodes", "used"; next }
  $2 == 0 || $5 == "-" { next }
  { used = $5; sub("%", "", used)
    mark = (used + 0 >= limit) ? "  <-- full" : ""
    if (mark != "") bad = 1
    printf "%-40s %12s %6s%s\n", $6, $4, $5, mark }
  END { exit bad }'
