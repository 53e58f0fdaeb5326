#!/bin/sh
# What the disks say of their own health (smartmontools).
command -v smartctl >/dev/null 2>&1 || { echo "Install smartmontools to ask the disks." >&2; exit 2; }
bad=0
disks=$(smartctl --scan 2>/dev/null | awk '{ print $1 }')
[ -z "$disks" ] && { echo "No disk answers to SMART here." >&2; exit 2; }
for disk in $disks; do
  health=$(smartctl -H "$disk" 2>/dev/null | awk -F: '/overall-health|SMART Health Status/ { print $2 }')
  echo "$disk:${health:- unknown}"
  case $health in *PASSED* | *OK* | '') ;; *) bad=1 ;; esac
done
exit "$bad"
