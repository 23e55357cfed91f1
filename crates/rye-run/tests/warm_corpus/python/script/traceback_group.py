import sys
if sys.version_info < (3, 11):
    sys.exit("no groups")
raise ExceptionGroup("several", [ValueError(1), ExceptionGroup("inner", [TypeError("2")])])
