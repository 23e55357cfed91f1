import os
print("before", flush=True)
os.close(1)
print("lost", flush=False)
