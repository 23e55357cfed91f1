import codecs
import sys
before = set(sys.modules)
print("ü".encode("cp437"), b"\xfc".decode("latin-1"), "bücher".encode("idna"), codecs.lookup("utf-16").name)
print(sorted(set(sys.modules) - before))
