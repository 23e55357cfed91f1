import atexit
import sys
import logging
atexit.register(print, "first registered")


@atexit.register
def fails():
    raise ValueError("in a handler")


@atexit.register
def exits():
    sys.exit(3)


atexit.register(lambda: logging.warning("late word"))
print("body")
