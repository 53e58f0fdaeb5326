#!/bin/sh
# Accounts that can sign in, with their groups.
printf '%-20s %6s %-25s %s\n' user id shell groups
while IFS=: read -r name _ id _ _ _ shell; do
  case $shell in */nologin | */false | */sync | */halt | */shutdown | '') continue ;; esac
  printf '%-20s %6s %-25s %s\n' "$name" "$id" "$shell" "$(id -Gn "$name" 2>/dev/null)"
done </etc/passwd
