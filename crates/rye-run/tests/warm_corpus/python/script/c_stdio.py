import ctypes
libc = ctypes.CDLL(None)
libc.printf(b"from C, never flushed\n")
print("from Python")
