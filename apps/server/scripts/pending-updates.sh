#!/bin/sh
# Packages that can be updated, as far as the machine's own lists know. Nothing is downloaded or installed.
if command -v apt-get >/dev/null 2>&1; then
  list=$(apt-get -s -o Debug::NoLocking=true upgrade 2>/dev/null | awk '/^Inst/ { print $2, $3, $4 }')
elif command -v dnf >/dev/null 2>&1; then
  list=$(dnf -q -C list --upgrades 2>/dev/null | awk 'NR > 1 { print $1, $2 }')
elif command -v zypper >/dev/null 2>&1; then
  list=$(zypper -q --no-refresh list-updates 2>/dev/null | awk -F '|' 'NR > 2 { print $3, $5 }')
elif command -v apk >/dev/null 2>&1; then
  list=$(apk version -l '<' 2>/dev/null | awk 'NR > 1')
elif command -v pacman >/dev/null 2>&1; then
  list=$(pacman -Qu 2>/dev/null)
else
  echo "No known package manager is on this machine." >&2
  exit 2
fi
count=$(printf '%s' "$list" | grep -c .)
echo "$count packages can be updated."
echo "metric pending_updates=$count packages"
[ "$count" -eq 0 ] && exit 0
printf '%s\n' "$list"
exit 1
