import sys


def hook(kind, value, trace):
    raise TypeError("the hook itself")


sys.excepthook = hook
raise ValueError("original")
