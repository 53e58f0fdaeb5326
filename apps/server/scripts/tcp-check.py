#!/usr/bin/env python3
"""Whether ports can be reached from this machine. Arguments: host:port, several."""
import socket
import sys
import time

targets = sys.argv[1:]
if not targets:
    print("Give host:port as argument.", file=sys.stderr)
    sys.exit(2)
bad = 0
for target in targets:
    host, _, port = target.rpartition(":")
    began = time.monotonic()
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=5):
            print(f"{target}: open ({(time.monotonic() - began) * 1000:.0f} ms)")
    except (OSError, ValueError) as error:
        print(f"{target}: {error}")
        bad = 1
sys.exit(bad)
