import importlib.util
import sys
spec = importlib.util.find_spec("difflib")
loader = importlib.util.LazyLoader(spec.loader)
spec.loader = loader
module = importlib.util.module_from_spec(spec)
sys.modules["difflib"] = module
loader.exec_module(module)
print(module.get_close_matches("appel", ["apple", "pear"]))
