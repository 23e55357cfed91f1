import sys
sys.path.insert(0, __file__.rsplit("/", 2)[0] + "/beside/shadow")
import json
print(json.__file__.rsplit("/", 2)[1:], json.dumps(1))
import enum
print(enum.__file__.rsplit("/", 2)[1:])
import queue
print(queue.__file__.rsplit("/", 2)[1:])
import argparse
print(sorted(name for name in sys.modules if not name.startswith("_")))
