import os
import sys
print("before", flush=True)
child = os.fork()
if child == 0:
    print("child")
    sys.exit(6)
print("parent", os.waitpid(child, 0)[1])
