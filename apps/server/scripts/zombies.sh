#!/bin/sh
# Processes that have ended and that nobody has collected, or that hang in the kernel.
list=$(ps -eo pid,ppid,stat,etime,comm | awk 'NR > 1 && $3 ~ /^[ZD]/')
if [ -z "$list" ]; then
  echo "None."
  exit 0
fi
echo "$list"
exit 1
