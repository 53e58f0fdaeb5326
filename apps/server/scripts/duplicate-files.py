#!/usr/bin/env python3
"""Files with the same content below a folder. Arguments: folder, smallest size in MB (10)."""
import collections
import hashlib
import os
import sys

folder = sys.argv[1] if len(sys.argv) > 1 else "."
smallest = float(sys.argv[2]) * 1_000_000 if len(sys.argv) > 2 else 10_000_000
by_size = collections.defaultdict(list)
for place, _, names in os.walk(folder):
    for name in names:
        path = os.path.join(place, name)
        if os.path.islink(path):
            continue
        try:
            size = os.path.getsize(path)
        except OSError:
            continue
        if size >= smallest and size > 0:
            by_size[size].append(path)


def digest(path):
    value = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1_048_576):
            value.update(block)
    return value.hexdigest()


wasted = 0
for size, paths in sorted(by_size.items(), reverse=True):
    if len(paths) < 2:
        continue
    same = collections.defaultdict(list)
    for path in paths:
        try:
            same[digest(path)].append(path)
        except OSError:
            continue
    for group in same.values():
        if len(group) > 1:
            wasted += size * (len(group) - 1)
            print(f"{size / 1_000_000:.1f} MB, {len(group)} times:")
            for path in group:
                print(f"  {path}")
print(f"{wasted / 1_000_000:.1f} MB could be freed.")
