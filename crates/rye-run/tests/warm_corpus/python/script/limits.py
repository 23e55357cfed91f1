import resource
import sys
for name in sorted(vars(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print(sys.getrecursionlimit(), sys.getswitchinterval(), sys.getdlopenflags())
