"""Run a command whose standard error is a pipe that nobody empties.

fullpipe.py COMMAND...   its lines are read until it listens; then the pipe is filled to
the last byte and "full" is printed.  SIGHUP, SIGINT and SIGTERM are handed on; the exit
status is the command's.
"""
import os
import signal
import subprocess
import sys

read_end, write_end = os.pipe()
child = subprocess.Popen(sys.argv[1:], stderr=write_end)
for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(sig, lambda s, frame: child.send_signal(s))
said = b""
while b"listening on" not in said:
    said += os.read(read_end, 4096)
# A description of its own: the command's must go on blocking.
filler = os.open(f"/proc/self/fd/{write_end}", os.O_WRONLY | os.O_NONBLOCK)
size = 4096
while size > 0:
    try:
        os.write(filler, b"x" * size)
    except BlockingIOError:
        size //= 2
print("full", flush=True)
status = child.wait()
sys.exit(status if status >= 0 else 128 - status)
