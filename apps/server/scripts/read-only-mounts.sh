#!/bin/sh
# File systems that should take data and do not: mounted read-only against their entry in fstab.
bad=0
while read -r _ place type options _; do
  case $type in ext* | xfs | btrfs | vfat | ntfs*) ;; *) continue ;; esac
  case ,$options, in *,ro,*) ;; *) continue ;; esac
  wanted=$(awk -v place="$place" '$2 == place { print $4 }' /etc/fstab 2>/dev/null)
  case ,$wanted, in *,ro,*) continue ;; esac
  echo "$place ($type) is read-only"
  bad=1
done </proc/mounts
[ "$bad" -eq 0 ] && echo "Nothing is read-only that should not be."
exit "$bad"
