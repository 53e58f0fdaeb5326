#!/bin/sh
# Whether a restart is due: by the package manager's word, or because a newer kernel is installed than runs.
running=$(uname -r)
echo "Running kernel: $running"
due=0
if [ -f /var/run/reboot-required ]; then
  due=1
  echo "The package manager asks for a restart."
  [ -f /var/run/reboot-required.pkgs ] && sort -u /var/run/reboot-required.pkgs | sed 's/^/  because of /'
fi
if command -v needs-restarting >/dev/null 2>&1 && ! needs-restarting -r >/dev/null 2>&1; then
  due=1
  echo "needs-restarting asks for a restart."
fi
if [ -d /lib/modules ] && [ -n "$(ls /lib/modules 2>/dev/null)" ]; then
  newest=$(ls /lib/modules | sort -V | tail -n 1)
  if [ -d "/lib/modules/$running" ] && [ "$newest" != "$running" ]; then
    due=1
    echo "A newer kernel is installed: $newest"
  fi
fi
[ "$due" -eq 0 ] && echo "No restart is due."
exit "$due"
