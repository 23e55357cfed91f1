import io
import sys
sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-16")
print("sixteen")
