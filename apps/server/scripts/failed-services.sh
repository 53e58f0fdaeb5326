#!/bin/sh
# Units of systemd that have failed.
command -v systemctl >/dev/null 2>&1 || { echo "This machine has no systemd." >&2; exit 2; }
failed=$(systemctl list-units --state=failed --no-legend --plain --no-pager 2>/dev/null) || {
  echo "systemd does not answer here." >&2
  exit 2
}
if [ -z "$failed" ]; then
  echo "No unit has failed."
  exit 0
fi
echo "$failed"
exit 1
