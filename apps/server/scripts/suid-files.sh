#!/bin/sh
# Programs that run as root for every user, outside of the folders of packages. $1: folder (/)
found=$(find "${1:-/}" -xdev \( -path /proc -o -path /sys \) -prune -o -type f -perm -4000 -print 2>/dev/null)
echo "$found" | grep -E '^/(usr|bin|sbin|lib)' | sed 's/^/as usual  /'
strange=$(echo "$found" | grep -vE '^/(usr|bin|sbin|lib|$)' | grep .)
[ -z "$strange" ] && { echo "None at an unusual place."; exit 0; }
echo "$strange" | sed 's/^/UNUSUAL   /'
exit 1
