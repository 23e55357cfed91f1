import os
import sys
read, write = os.pipe()
os.close(read)
os.dup2(write, 1)
print("lost")
