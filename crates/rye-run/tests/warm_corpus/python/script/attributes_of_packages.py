import importlib
print(hasattr(importlib, "util"), hasattr(importlib, "metadata"))
import xml
print(hasattr(xml, "etree"))
import concurrent
print(hasattr(concurrent, "futures"))
import email
print(sorted(name for name in vars(email) if not name.startswith("__")))
import urllib
print(hasattr(urllib, "request"), hasattr(urllib, "parse"))
try:
    urllib.request
except AttributeError as error:
    print(error)
import urllib.request
print(sorted(name for name in vars(urllib) if not name.startswith("__")))
import json
print(sorted(vars(json)), json.__spec__.name, json.__file__.endswith("json/__init__.py"), json.__loader__.__class__)
