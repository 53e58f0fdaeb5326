#!/usr/bin/env python3
"""Asks addresses and tells status and time. Arguments: http:// or https:// addresses, several."""
import sys
import time
import urllib.error
import urllib.request

targets = sys.argv[1:]
if not targets:
    print("Give an address as argument.", file=sys.stderr)
    sys.exit(2)
bad = 0
for number, target in enumerate(targets, 1):
    if not target.startswith(("http://", "https://")):
        print(f"{target}: an address begins with http:// or https://")
        bad = 1
        continue
    began = time.monotonic()
    try:
        with urllib.request.urlopen(target, timeout=15) as answer:
            status = answer.status
            size = len(answer.read(1_000_000))
    except urllib.error.HTTPError as error:
        status, size = error.code, 0
    except OSError as error:
        print(f"{target}: {error}")
        bad = 1
        continue
    took = (time.monotonic() - began) * 1000
    print(f"{target}: {status}, {size} bytes, {took:.0f} ms")
    print(f"metric http_{number}={took:.0f} ms")
    bad = 1 if status >= 400 else bad
sys.exit(bad)
