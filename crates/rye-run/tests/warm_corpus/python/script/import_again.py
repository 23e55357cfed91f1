import importlib
import json
import sys
first = json
del sys.modules["json"]
import json
print(first is json, sorted(name for name in sys.modules if name.startswith("json")))
print(importlib.reload(json) is json)
import importlib.util
print(importlib.util.find_spec("csv").origin.endswith("csv.py"))
fresh = importlib.util.module_from_spec(importlib.util.find_spec("colorsys"))
print("colorsys" in sys.modules, fresh.__name__)
