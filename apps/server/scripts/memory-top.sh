#!/bin/sh
# Memory, and the programs that use most of it. $1: how many (10).
awk '/^(MemTotal|MemAvailable|SwapTotal|SwapFree)/ { printf "%-14s %8.0f MB\n", $1, $2 / 1024 }' /proc/meminfo
echo
ps -eo pid,user,rss,comm --sort=-rss | head -n "$((${1:-10} + 1))" |
  awk 'NR == 1 { print; next } { printf "%7s %-12s %8.0f MB %s\n", $1, $2, $3 / 1024, $4 }'
