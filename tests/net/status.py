#!/usr/bin/env python3
"""Read a responder's status socket.

usage: status.py SOCKET follow INTERVAL_MS    print its lines until it ends, or SIGTERM
       status.py SOCKET deaf SECONDS          ask for 10 lines a second, read none for so
                                              long, then how many bytes came before the end
       status.py SOCKET say TEXT              the answer to that line
"""
import signal
import socket
import sys
import time


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)
    return s


def follow(s, interval):
    s.sendall(b'{"interval_ms":%d}\n' % int(interval))
    for line in s.makefile("r"):
        sys.stdout.write(line)
        sys.stdout.flush()


def deaf(s, seconds):
    s.sendall(b'{"interval_ms":100}\n')
    time.sleep(float(seconds))
    s.settimeout(2)
    n = 0
    while True:
        try:
            data = s.recv(1 << 20)
        except socket.timeout:
            print("alive", n)
            return
        except ConnectionResetError:
            data = b""
        if not data:
            break
        n += len(data)
    print("dropped", n)


def say(s, text):
    lines = s.makefile("r")
    lines.readline()
    s.sendall(text.encode() + b"\n")
    for line in lines:
        if '"error"' in line:
            print(line, end="")
            return
    print("closed")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    {"follow": follow, "deaf": deaf, "say": say}[sys.argv[2]](connect(sys.argv[1]), sys.argv[3])


if __name__ == "__main__":
    main()
