#!/bin/sh
# Ports on which programs of this machine listen.
if command -v ss >/dev/null 2>&1; then
  ss -H -l -n -t -u -p 2>/dev/null | awk '{ printf "%-5s %-45s %s\n", $1, $5, $7 }' | sort -u
elif command -v netstat >/dev/null 2>&1; then
  netstat -l -n -t -u -p 2>/dev/null | awk 'NR > 2 { printf "%-5s %-45s %s\n", $1, $4, $NF }' | sort -u
elif [ -r /proc/net/tcp ]; then
  echo "Neither ss nor netstat is here; listening TCP ports by the kernel's table:"
  cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | awk '$4 == "0A" { n = split($2, a, ":"); print a[n] }' | sort -u |
    while read -r hex; do printf 'tcp   %d\n' "0x$hex"; done
else
  echo "The ports cannot be read on this machine." >&2
  exit 2
fi
echo "End of the list."
