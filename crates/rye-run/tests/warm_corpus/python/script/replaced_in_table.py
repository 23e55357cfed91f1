import sys
import types
fake = types.ModuleType("fnmatch")
fake.translate = lambda pattern: "never"
fake.filter = fake.fnmatch = fake.fnmatchcase = None
sys.modules["fnmatch"] = fake
import glob
print(glob.fnmatch is fake)
sys.modules["csv"] = None
try:
    import csv
except ImportError as error:
    print(error)
