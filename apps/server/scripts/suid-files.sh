#!/bin/sh
# Programs that run as root whoever starts them, outside of where packages put them. $1: folder (/)
found=$(find "${1:-/}" -xdev \( -path /proc -o -path /sys \) -prune -o -type f -perm -4000 -print 2>/dev/null)
echo "$found" | grep -E '^/(usr|bin|sbin|lib)' | sed 's/^/as usual  /'
strange=$(echo "$found" | grep -vE '^/(usr|bin|sbin|lib|$)' | grep .)
[ -z "$strange" ] && { echo "None at an unusual place."; exit 0; }
echo "$strange" | sed 's/^/UNUSUAL   /'
exit 1
