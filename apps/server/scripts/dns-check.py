#!/usr/bin/env python3
"""Looks names up with this machine's own resolver. Arguments: name or name=expected address, several."""
import socket
import sys
import time

targets = sys.argv[1:] or ["localhost"]
bad = 0
for target in targets:
    name, _, expected = target.partition("=")
    began = time.monotonic()
    try:
        found = sorted({entry[4][0] for entry in socket.getaddrinfo(name, None)})
    except OSError as error:
        print(f"{name}: {error}")
        bad = 1
        continue
    took = (time.monotonic() - began) * 1000
    wrong = expected != "" and expected not in found
    bad = 1 if wrong else bad
    print(f"{name}: {', '.join(found)} ({took:.0f} ms)" + (f", expected {expected}" if wrong else ""))
sys.exit(bad)
