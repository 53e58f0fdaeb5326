#!/bin/sh
# The largest log files, and the journal. $1: how many (15).
find /var/log -xdev -type f -exec du -k {} + 2>/dev/null | sort -rn | head -n "${1:-15}" |
  awk -F '\t' '{ printf "%8.1f MB  %s\n", $1 / 1024, $2 }'
command -v journalctl >/dev/null 2>&1 && journalctl --disk-usage 2>/dev/null
echo "End of the list."
exit 0
