import os
import sys
print(repr(sys.stdin.read(3)), repr(sys.stdin.readline()), repr(sys.stdin.buffer.peek(1)[:2]))
print(len(sys.stdin.read()), repr(sys.stdin.read()), os.read(0, 10))
