# thief.py PORT TYPE STREAM [WORD] - a way to the responder at PORT of loopback that takes away
# the client's datagrams of a type, of the runs from number STREAM on, that have WORD at offset
# 52 if one is given.  If WORD is a number, it takes none away: the first of them and all behind
# it go to the responder at that port.  It prints the port to send to, and lives until it is ended.
import select
import socket
import sys

to, kind, stream = map(int, sys.argv[1:4])
word = sys.argv[4].encode() if len(sys.argv) > 4 else b''
front = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
front.bind(('127.0.0.1', 0))
back = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
back.connect(('127.0.0.1', to))
print(front.getsockname()[1], flush=True)
client = None
while True:
    for s in select.select([front, back], [], [])[0]:
        try:
            data, sender = s.recvfrom(65536)
            if s is back:
                front.sendto(data, client)
                continue
            client = sender
            chosen = data[3:4] == bytes([kind]) and data[5] >= stream
            if chosen and word.isdigit():
                back.connect(('127.0.0.1', int(word)))
                stream = 256
            if not (chosen and data[52:].startswith(word)):
                back.send(data)
        except OSError:
            pass
