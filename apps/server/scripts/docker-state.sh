#!/bin/sh
# Containers with their state; one that restarts, is dead or unhealthy is a problem.
command -v docker >/dev/null 2>&1 || { echo "Docker is not on this machine." >&2; exit 2; }
list=$(docker ps -a --format '{{.Names}}	{{.Image}}	{{.Status}}' 2>&1) || {
  echo "Docker does not answer: $list" >&2
  exit 2
}
[ -z "$list" ] && { echo "There are no containers."; exit 0; }
printf '%s\n' "$list"
printf '%s\n' "$list" | grep -qE 'Restarting|Dead|unhealthy' && exit 1
exit 0
