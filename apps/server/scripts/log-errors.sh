#!/bin/sh
# Errors of the journal, the most frequent first. $1: hours (24), $2: how many lines (20).
hours=${1:-24}
command -v journalctl >/dev/null 2>&1 || { echo "This machine has no journal." >&2; exit 2; }
echo "Errors of the last $hours hours:"
journalctl --no-pager -q -p err --since "-${hours}h" -o cat 2>/dev/null |
  sed 's/[0-9][0-9]*/#/g' | cut -c 1-160 | sort | uniq -c | sort -rn | head -n "${2:-20}"
exit 0
