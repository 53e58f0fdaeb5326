#!/usr/bin/env python3
"""The machine at a glance, on every system."""
import os
import platform
import shutil
import socket

print(f"Name:      {socket.gethostname()}")
print(f"System:    {platform.platform()}")
print(f"Machine:   {platform.machine()}, {os.cpu_count()} processors")
print(f"Python:    {platform.python_version()}")
usage = shutil.disk_usage(os.path.abspath(os.sep))
print(f"Disk:      {usage.free / 1e9:.1f} of {usage.total / 1e9:.1f} GB free")
if hasattr(os, "getloadavg"):
    print("Load:      " + " ".join(f"{load:.2f}" for load in os.getloadavg()))
