#!/usr/bin/env python3
"""How old the newest file of a folder is, for backups. Arguments: folder, hours that are too old (26)."""
import os
import sys
import time

folder = sys.argv[1] if len(sys.argv) > 1 else "."
hours = float(sys.argv[2]) if len(sys.argv) > 2 else 26.0
newest = None
for place, _, names in os.walk(folder):
    for name in names:
        path = os.path.join(place, name)
        try:
            changed = os.stat(path).st_mtime
        except OSError:
            continue
        if newest is None or changed > newest[0]:
            newest = (changed, path)
if newest is None:
    print(f"There is no file in {folder}.")
    sys.exit(1)
age = (time.time() - newest[0]) / 3600
print(f"{newest[1]} is {age:.1f} hours old.")
print(f"metric newest_file_age={age:.2f} h")
sys.exit(1 if age > hours else 0)
