#!/usr/bin/env python3
"""SHA-256 of files, compared where an expected one is given. Arguments: path or path=hash, several."""
import hashlib
import sys

if len(sys.argv) < 2:
    print("Give a path as argument.", file=sys.stderr)
    sys.exit(2)
bad = 0
for target in sys.argv[1:]:
    path, _, expected = target.partition("=")
    value = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(1_048_576):
                value.update(block)
    except OSError as error:
        print(f"{path}: {error}")
        bad = 1
        continue
    wrong = expected != "" and expected.lower() != value.hexdigest()
    bad = 1 if wrong else bad
    print(f"{value.hexdigest()}  {path}" + ("  <-- differs" if wrong else ""))
sys.exit(bad)
