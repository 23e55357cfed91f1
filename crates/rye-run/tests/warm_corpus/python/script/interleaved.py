import os
import sys
sys.stdout.write("a")
os.write(1, b"b")
sys.stdout.write("c\n")
os.write(1, b"d\n")
sys.stderr.write("e")
os.write(2, b"f")
