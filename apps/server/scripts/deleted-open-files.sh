#!/bin/sh
# Deleted files that programs still hold open: their space is free only after a restart of the program.
total=0
for link in /proc/[0-9]*/fd/*; do
  case $(readlink "$link" 2>/dev/null) in
  /memfd:* | /dev/* | /SYSV* | '') continue ;;
  *' (deleted)') ;;
  *) continue ;;
  esac
  size=$(stat -Lc %s "$link" 2>/dev/null) || continue
  [ "$size" -lt 1048576 ] && continue
  pid=${link#/proc/}
  echo "$((size / 1048576)) MB  $(cat "/proc/${pid%%/*}/comm" 2>/dev/null)  $(readlink "$link")"
  total=$((total + size / 1048576))
done
echo "$total MB in all"
