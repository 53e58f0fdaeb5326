#!/bin/sh
# Whether the clock follows a time server, and how far it is off. $1: seconds off that are a problem (2).
limit=${1:-2}
date -u '+Now: %Y-%m-%d %H:%M:%S UTC'
if command -v chronyc >/dev/null 2>&1 && offset=$(chronyc -n tracking 2>/dev/null | awk '/^System time/ { print $4 }') && [ -n "$offset" ]; then
  echo "chrony: $offset seconds off."
  echo "metric clock_offset=$offset s"
  awk -v off="$offset" -v limit="$limit" 'BEGIN { exit !(off < limit) }'
  exit $?
fi
if command -v timedatectl >/dev/null 2>&1 && state=$(timedatectl show -p NTPSynchronized --value 2>/dev/null) && [ -n "$state" ]; then
  echo "systemd: synchronised: $state"
  [ "$state" = yes ]
  exit $?
fi
echo "Neither chrony nor systemd keeps the time here." >&2
exit 2
