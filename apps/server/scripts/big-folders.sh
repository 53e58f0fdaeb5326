#!/bin/sh
# The largest folders below a folder, on its own file system. $1: folder (/var), $2: how many (15).
folder=${1:-/var}
count=${2:-15}
[ -d "$folder" ] || { echo "There is no folder $folder." >&2; exit 2; }
echo "Largest folders below $folder"
du -x -k -d 3 -- "$folder" 2>/dev/null | sort -rn | head -n "$count" |
  awk -F '\t' '{ printf "%10.1f MB  %s\n", $1 / 1024, $2 }'
