import sys
sys.path[:] = []
try:
    import csv
    print("found", csv)
except ImportError as error:
    print(error)
