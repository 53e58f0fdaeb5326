#!/bin/sh
# Refused sign-ins over SSH and at the console in the last hours, by source. $1: hours (24), $2: how many are a problem (50).
hours=${1:-24}
limit=${2:-50}
if command -v journalctl >/dev/null 2>&1; then
  lines=$(journalctl --no-pager -q --since "-${hours}h" -t sshd -t login 2>/dev/null | grep -E 'Failed password|Invalid user|authentication failure')
elif [ -r /var/log/auth.log ]; then
  lines=$(grep -E 'Failed password|Invalid user|authentication failure' /var/log/auth.log)
elif [ -r /var/log/secure ]; then
  lines=$(grep -E 'Failed password|Invalid user|authentication failure' /var/log/secure)
else
  echo "There is neither a journal nor an authentication log here." >&2
  exit 2
fi
count=$(printf '%s' "$lines" | grep -c .)
echo "$count refused sign-ins."
echo "metric failed_signins=$count"
printf '%s\n' "$lines" | grep -oE 'from [0-9a-fA-F.:]+' | sort | uniq -c | sort -rn | head -n 20
[ "$count" -lt "$limit" ]
