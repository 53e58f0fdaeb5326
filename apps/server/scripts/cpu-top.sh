#!/bin/sh
# Load, and the programs that use most of the processors. $1: how many (10).
echo "Load: $(cut -d ' ' -f 1-3 /proc/loadavg) on $(getconf _NPROCESSORS_ONLN) processors"
ps -eo pid,user,pcpu,etime,comm --sort=-pcpu | head -n "$((${1:-10} + 1))"
