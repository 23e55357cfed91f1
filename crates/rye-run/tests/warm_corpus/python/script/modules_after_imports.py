import sys
before = set(sys.modules)
for name in ["json", "re", "pathlib", "subprocess", "asyncio", "logging", "urllib.request", "xml.etree.ElementTree", "csv",
             "sqlite3", "dataclasses", "multiprocessing", "unittest.mock", "email.mime.text", "importlib.metadata", "ctypes"]:
    __import__(name)
    print(name, sorted(set(sys.modules) - before))
    before = set(sys.modules)
