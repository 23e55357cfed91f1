import os
import sys
print(os.getcwd(), os.umask(0o22))
print(sys.argv, sys.orig_argv[1:] if hasattr(sys, "orig_argv") else None)
print(sys.executable, sys.prefix, sys.base_prefix, sys.exec_prefix)
