#!/bin/bash
# Updates that macOS has found. Nothing is installed.
list=$(softwareupdate --list 2>&1)
echo "$list"
if echo "$list" | grep -q 'No new software available'; then exit 0; fi
echo "$list" | grep -q '^\* ' && exit 1
exit 0
