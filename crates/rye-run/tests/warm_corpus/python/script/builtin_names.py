import builtins
import sys
print(sorted(vars(builtins)))
print(sorted(name for name in vars(sys)))
print(compile, __import__, open, print.__module__)
