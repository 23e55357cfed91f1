import sys
print("before")
sys.stdout.close()
print("lost")
