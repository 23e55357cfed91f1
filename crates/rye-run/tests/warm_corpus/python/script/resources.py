import importlib.resources
import importlib.metadata
import pkgutil
print(sorted(m.name for m in pkgutil.iter_modules() if m.name in ("json", "csv", "zlib", "site")))
print(len(pkgutil.get_data("json", "__init__.py")) > 100)
try:
    importlib.metadata.version("no-such-distribution-here")
except importlib.metadata.PackageNotFoundError as error:
    print("not found", error)
