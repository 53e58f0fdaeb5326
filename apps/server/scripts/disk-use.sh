#!/bin/sh
# Space on local file systems. $1: percent in use from which it is a problem (90).
limit=${1:-90}
df -P -k -l 2>/dev/null | awk -v limit="$limit" '
  NR == 1 { printf "%-40s %8s %8s %5s\n", "mounted on", "size GB", "free GB", "used"; next }
  $1 ~ /^(tmpfs|devtmpfs|udev|overlay|shm|none)$/ && $6 != "/" { next }
  { used = $5; sub("%", "", used)
    mark = (used + 0 >= limit) ? "  <-- full" : ""
    if (mark != "") bad = 1
    printf "%-40s %8.1f %8.1f %5s%s\n", $6, $2 / 1048576, $4 / 1048576, $5, mark }
  END { exit bad }'
