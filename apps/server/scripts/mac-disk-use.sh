#!/bin/bash
# Space on local file systems of a Mac. $1: percent in use from which it is a problem (90).
limit=${1:-90}
df -P -k -l | awk -v limit="$limit" '
  NR == 1 || $6 ~ /^\/System\/Volumes\/(VM|Preboot|Update|xarts|iSCPreboot|Hardware)/ { next }
  { used = $5; sub("%", "", used); mark = (used + 0 >= limit) ? "  <-- full" : ""
    if (mark != "") bad = 1
    printf "%-40s %8.1f GB free %5s%s\n", $6, $4 / 1048576, $5, mark }
  END { exit bad }'
