#!/bin/sh
# Warnings of the kernel that point at failing hardware or a lack of memory.
messages=$(dmesg 2>/dev/null || journalctl -k -b --no-pager -q -o cat 2>/dev/null)
if [ -z "$messages" ]; then
  echo "The kernel's messages cannot be read here." >&2
  exit 2
fi
found=$(printf '%s\n' "$messages" | grep -iE 'i/o error|out of memory|oom-kill|hardware error|machine check|ext4-fs error|xfs.*corrupt|ata[0-9.]+: .*(failed|error)|nvme.*(timeout|abort)')
if [ -z "$found" ]; then
  echo "Nothing of the kind since the start."
  exit 0
fi
printf '%s\n' "$found" | tail -n 40
exit 1
