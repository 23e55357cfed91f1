import sys
print(sys.path)
print(sys.meta_path, len(sys.path_hooks), sys.path_importer_cache.keys())
print(sys.flags, sys.warnoptions, sys._xoptions, sys.dont_write_bytecode, sys.pycache_prefix)
