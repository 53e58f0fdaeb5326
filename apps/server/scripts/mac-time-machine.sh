#!/bin/bash
# When Time Machine last made a backup. $1: days that are too long ago (3).
days=${1:-3}
latest=$(tmutil latestbackup 2>/dev/null)
if [[ -z $latest ]]; then
  echo "There is no backup."
  exit 1
fi
echo "$latest"
age=$(($(date +%s) - $(stat -f %m "$latest")))
[[ $age -lt $((days * 86400)) ]]
