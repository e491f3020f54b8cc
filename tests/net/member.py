#!/usr/bin/env python3
"""member.py - join a multicast group and count what comes.

    member.py GROUP PORT INTERFACE

Prints "datagrams flows" whenever nothing came for a while, and at SIGTERM.
"""
import signal
import socket
import struct
import sys

group, port, interface = sys.argv[1], int(sys.argv[2]), socket.if_nametoindex(sys.argv[3])
if ":" in group:
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.bind(("", port))
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                 socket.inet_pton(socket.AF_INET6, group) + struct.pack("@i", interface))
else:
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("", port))
    s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                 socket.inet_aton(group) + struct.pack("@4si", bytes(4), interface))
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
s.settimeout(0.2)
print("joined", file=sys.stderr, flush=True)
over = []
signal.signal(signal.SIGTERM, lambda *_: over.append(1))
n, flows, said = 0, set(), None
while True:
    try:
        flows.add(s.recvfrom(65536)[1][1])
        n += 1
    except socket.timeout:
        if (n, len(flows)) != said or over:
            said = n, len(flows)
            print(*said, flush=True)
        if over:
            sys.exit(0)
