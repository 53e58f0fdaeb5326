#!/bin/sh
# Files of a folder that nobody has changed for some days. Lists them; only "--delete" as third argument deletes them.
# $1: folder (/tmp), $2: days (10), $3: --delete
folder=${1:-/tmp}
days=${2:-10}
case $folder in / | '' | /etc* | /usr* | /bin* | /boot* | /home | /root | /var)
  echo "This folder is not one to clean: $folder" >&2
  exit 2
  ;;
esac
[ -d "$folder" ] || { echo "There is no folder $folder." >&2; exit 2; }
kilobytes=$(find "$folder" -xdev -type f -mtime "+$days" -exec du -k {} + 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
count=$(find "$folder" -xdev -type f -mtime "+$days" 2>/dev/null | wc -l | tr -d ' ')
echo "$count files, $((kilobytes / 1024)) MB, older than $days days in $folder"
if [ "$3" = --delete ]; then
  find "$folder" -xdev -type f -mtime "+$days" -delete 2>/dev/null
  echo "Deleted."
else
  find "$folder" -xdev -type f -mtime "+$days" 2>/dev/null | head -n 50
  echo "Nothing was deleted. Give --delete as the third argument to delete them."
fi
