import sys
print(sys.path)
print(sys.meta_path, len(sys.path_hooks), sorted(sys.path_importer_cache))
print(sys.flags, sys.warnoptions, sys._xoptions, sys.dont_write_bytecode, sys.pycache_prefix)
