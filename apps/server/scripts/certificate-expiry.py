#!/usr/bin/env python3
"""Days until certificates expire. Arguments: host[:port] or a PEM file, several; --days=N is a problem (14)."""
import datetime
import os
import socket
import ssl
import sys
import tempfile

days = 14
targets = []
for arg in sys.argv[1:]:
    if arg.startswith("--days="):
        days = int(arg[7:])
    else:
        targets.append(arg)
if not targets:
    print("Give a host, host:port or PEM file as argument.", file=sys.stderr)
    sys.exit(2)


def pem_of(target):
    if os.path.isfile(target):
        with open(target, encoding="ascii", errors="replace") as file:
            text = file.read()
        return text[text.index("-----BEGIN CERT"):]
    host, _, port = target.partition(":")
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection((host, int(port or 443)), timeout=10) as plain:
        with context.wrap_socket(plain, server_hostname=host) as tls:
            return ssl.DER_cert_to_PEM_cert(tls.getpeercert(True))


def expiry_of(pem):
    with tempfile.NamedTemporaryFile("w", suffix=".pem", delete=False) as file:
        file.write(pem)
    try:
        # The only reader of certificates in the standard library.
        not_after = ssl._ssl._test_decode_cert(file.name)["notAfter"]
    finally:
        os.unlink(file.name)
    return datetime.datetime.fromtimestamp(ssl.cert_time_to_seconds(not_after), datetime.timezone.utc)


bad = 0
for target in targets:
    try:
        expires = expiry_of(pem_of(target))
    except (OSError, ValueError) as error:
        print(f"{target}: {error}")
        bad = 1
        continue
    left = (expires - datetime.datetime.now(datetime.timezone.utc)).days
    print(f"{target}: {left} days, until {expires:%Y-%m-%d}")
    bad = 1 if left < days else bad
sys.exit(bad)
